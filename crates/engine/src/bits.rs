//! A set of small numbers with a fast walk over the members in a range.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn with_capacity(bits: usize) -> Bits {
        Bits(vec![0; bits.div_ceil(64)])
    }

    pub(crate) fn set(&mut self, i: u32, on: bool) {
        let (word, bit) = ((i / 64) as usize, 1u64 << (i % 64));
        if on {
            self.0[word] |= bit;
        } else {
            self.0[word] &= !bit;
        }
    }

    /// Members from `from` up to, not including, `to`, ascending.
    pub(crate) fn range(&self, from: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let mut word = (from / 64) as usize;
        let last = (to.div_ceil(64) as usize).min(self.0.len());
        let mut rest = self.0.get(word).map_or(0, |w| w & (!0u64).checked_shl(from % 64).unwrap_or(0));
        std::iter::from_fn(move || {
            while rest == 0 {
                word += 1;
                if word >= last {
                    return None;
                }
                rest = self.0[word];
            }
            let i = word as u32 * 64 + rest.trailing_zeros();
            rest &= rest - 1;
            (i < to).then_some(i)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_a_range() {
        let mut b = Bits::with_capacity(200);
        for i in [0, 1, 63, 64, 130, 199] {
            b.set(i, true);
        }
        b.set(1, false);
        assert_eq!(b.range(0, 200).collect::<Vec<_>>(), [0, 63, 64, 130, 199]);
        assert_eq!(b.range(63, 130).collect::<Vec<_>>(), [63, 64]);
        assert_eq!(b.range(65, 70).collect::<Vec<_>>(), [0u32; 0]);
        assert_eq!(b.range(10, 10).collect::<Vec<_>>(), [0u32; 0]);
        assert_eq!(b.range(300, 400).collect::<Vec<_>>(), [0u32; 0]);
    }
}
