//! Ten minutes of one subject. Figures seldom change, so they are packed as runs of equal ones.

use super::measure::Figures;
use super::{BLOCK, INTERVAL, SLOTS};
use serde::{Deserialize, Serialize};
use tidegate_engine::ids::Tick;

/// One look per slot; `None` where nobody looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    slots: Vec<Option<Figures>>,
}

/// A figure that stayed the same for a while.
type Run = (u32, Option<i64>);

/// One list of runs for each figure.
#[derive(Debug, Serialize, Deserialize)]
struct Packed(Vec<Vec<Run>>);

/// The start of the block that an instant is in, and its slot.
pub(super) fn place(at: Tick) -> (u64, usize) {
    let start = at.0 - at.0 % BLOCK.0;
    (start, ((at.0 - start) / INTERVAL.0) as usize)
}

impl Default for Block {
    fn default() -> Block {
        Block { slots: vec![None; SLOTS] }
    }
}

impl Block {
    pub(super) fn set(&mut self, slot: usize, figures: Figures) {
        self.slots[slot] = Some(figures);
    }

    /// What is known of one figure, by slot.
    pub(super) fn values(&self, metric: usize) -> impl Iterator<Item = Option<i64>> + '_ {
        self.slots
            .iter()
            .map(move |slot| slot.as_ref().and_then(|figures| figures.get(metric).copied().flatten()))
    }

    fn metrics(&self) -> usize {
        self.slots.iter().flatten().map(Vec::len).max().unwrap_or(0)
    }

    pub(super) fn pack(&self) -> Vec<u8> {
        let runs = |metric| {
            let mut runs: Vec<Run> = Vec::new();
            for value in self.values(metric) {
                match runs.last_mut() {
                    Some((length, last)) if *last == value => *length += 1,
                    _ => runs.push((1, value)),
                }
            }
            runs
        };
        let packed = Packed((0..self.metrics()).map(runs).collect());
        postcard::to_stdvec(&packed).expect("figures are plain data")
    }

    /// `None` for what is no block: a damaged file costs a gap in a curve.
    pub(super) fn unpack(bytes: &[u8]) -> Option<Block> {
        let Packed(metrics) = postcard::from_bytes(bytes).ok()?;
        let mut block = Block::default();
        let width = metrics.len();
        for (metric, runs) in metrics.into_iter().enumerate() {
            let values = runs
                .into_iter()
                .flat_map(|(length, value)| (0..length.min(SLOTS as u32)).map(move |_| value));
            for (slot, value) in block.slots.iter_mut().zip(values) {
                if let Some(value) = value {
                    slot.get_or_insert_with(|| vec![None; width])[metric] = Some(value);
                }
            }
        }
        Some(block)
    }

    /// The mean of each figure over the slots that are known.
    pub(super) fn means(&self) -> Figures {
        let mean = |metric| {
            let (mut sum, mut count) = (0i128, 0i128);
            for value in self.values(metric).flatten() {
                (sum, count) = (sum + i128::from(value), count + 1);
            }
            (count > 0).then(|| (sum / count) as i64)
        };
        (0..self.metrics()).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let mut block = Block::default();
        for slot in 3..50 {
            block.set(slot, vec![Some(16_000), Some(slot as i64 * 1_000), Some(-5), None]);
        }
        block.set(50, vec![Some(16_000), None, Some(-5), None]);
        assert_eq!(Block::unpack(&block.pack()), Some(block.clone()));
        assert_eq!(block.means(), [Some(16_000), Some(26_000), Some(-5), None]);
        let mut constant = Block::default();
        (0..SLOTS).for_each(|slot| constant.set(slot, vec![Some(128_000); 6]));
        assert!(constant.pack().len() < 50, "{}", constant.pack().len());
    }

    #[test]
    fn garbage_is_no_block_and_does_not_grow() {
        assert_eq!(Block::unpack(&[0xff; 9]), None);
        let endless = postcard::to_stdvec(&Packed(vec![vec![(u32::MAX, Some(1))]])).expect("plain data");
        assert_eq!(Block::unpack(&endless).expect("a block").slots.len(), SLOTS);
    }

    #[test]
    fn blocks_begin_at_whole_ten_minutes() {
        assert_eq!(place(Tick(600_000)), (600_000, 0));
        assert_eq!(place(Tick(1_199_999)), (600_000, 59));
        assert_eq!(place(Tick(615_000)), (600_000, 1));
    }
}
