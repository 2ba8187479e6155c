//! How large requests are: the default mix of Alibaba's openb trace, in thirty kinds.

use crate::random::Random;
use tidegate_engine::resources::Shape;

/// Thousandths of a GPU, cores, GiB, share of the pods in thousandths.
const KINDS: [(u32, u32, u64, u32); 30] = [
    (0, 8, 30, 27),
    (0, 12, 56, 47),
    (0, 15, 50, 15),
    (0, 16, 50, 14),
    (0, 32, 48, 36),
    (230, 4, 30, 34),
    (320, 4, 15, 18),
    (320, 4, 22, 30),
    (470, 8, 30, 72),
    (470, 12, 46, 48),
    (650, 12, 46, 40),
    (810, 3, 5, 132),
    (1000, 3, 5, 61),
    (1000, 4, 24, 21),
    (1000, 8, 16, 13),
    (1000, 10, 41, 38),
    (1000, 11, 48, 114),
    (1000, 11, 47, 66),
    (1000, 12, 46, 21),
    (1000, 12, 16, 18),
    (1000, 12, 24, 21),
    (1000, 14, 57, 19),
    (1000, 16, 57, 30),
    (1000, 16, 32, 14),
    (1000, 19, 63, 31),
    (1000, 24, 91, 14),
    (2000, 16, 65, 2),
    (4000, 32, 129, 2),
    (8000, 64, 257, 3),
    (8000, 88, 320, 3),
];

/// Draws a request.
pub fn draw(random: &mut Random) -> Shape {
    let all: u32 = KINDS.iter().map(|kind| kind.3).sum();
    let mut at = random.below(all as usize) as u32;
    for (gpu, cores, gib, share) in KINDS {
        if at < share {
            return Shape { gpu, cpu: cores * 1_000, memory: gib << 30 };
        }
        at -= share;
    }
    unreachable!("the shares add up")
}
