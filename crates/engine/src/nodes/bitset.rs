//! A set of node numbers that gives back the lowest first.

use serde::{Deserialize, Serialize};

/// Bits in blocks of 64 words; the first word of a block says which of its words are not empty, and
/// `blocks` says the same of blocks. The lowest member of a hundred thousand is found by looking at
/// three words, two of them next to nothing else, and the order never depends on history.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct BitSet {
    words: Vec<u64>,
    /// The first 64 blocks, 262,144 nodes; those beyond are looked through one by one.
    blocks: u64,
}

/// A summary and 64 words of bits.
const BLOCK: usize = 65;

/// Where a member's block begins, its word in the block, and its bit.
#[inline]
fn split(i: usize) -> (usize, usize, usize) {
    ((i >> 12) * BLOCK, (i >> 6) & 63, i & 63)
}

/// The lowest set bit of `word` at `from` or above.
#[inline]
fn lowest(word: u64, from: usize) -> Option<usize> {
    let rest = word & u64::MAX.checked_shl(from as u32).unwrap_or(0);
    (rest != 0).then(|| rest.trailing_zeros() as usize)
}

impl BitSet {
    pub(super) fn insert(&mut self, i: usize) {
        let (at, word, bit) = split(i);
        if at + BLOCK > self.words.len() {
            self.words.resize(at + BLOCK, 0);
        }
        self.words[at + 1 + word] |= 1 << bit;
        self.words[at] |= 1 << word;
        self.blocks |= u64::from(i >> 18 == 0) << ((i >> 12) & 63);
    }

    pub(super) fn remove(&mut self, i: usize) {
        let (at, word, bit) = split(i);
        self.words[at + 1 + word] &= !(1 << bit);
        if self.words[at + 1 + word] == 0 {
            self.words[at] &= !(1 << word);
            if self.words[at] == 0 {
                self.blocks &= !(u64::from(i >> 18 == 0) << ((i >> 12) & 63));
            }
        }
    }

    /// The lowest member that is `from` or above.
    #[inline]
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let (at, word, bit) = split(from);
        let block = from >> 12;
        if from > 0 && at < self.words.len() {
            if let Some(bit) = lowest(self.words[at + 1 + word], bit) {
                return Some((block << 12) | (word << 6) | bit);
            }
            if let Some(word) = lowest(self.words[at], word + 1) {
                return Some(self.first_in(block, word));
            }
        }
        let block = self.next_block(if from > 0 { block + 1 } else { 0 })?;
        Some(self.first_in(block, self.words[block * BLOCK].trailing_zeros() as usize))
    }

    fn first_in(&self, block: usize, word: usize) -> usize {
        let bits = self.words[block * BLOCK + 1 + word];
        (block << 12) | (word << 6) | bits.trailing_zeros() as usize
    }

    fn next_block(&self, from: usize) -> Option<usize> {
        let far = || (from.max(64)..self.words.len() / BLOCK).find(|block| self.words[block * BLOCK] != 0);
        lowest(self.blocks, from.min(64)).or_else(far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_an_ordered_set(ops in prop::collection::vec((any::<bool>(), 0usize..600_000), 1..200)) {
            let mut naive = BTreeSet::new();
            let mut set = BitSet::default();
            for &(insert, i) in &ops {
                if insert {
                    naive.insert(i);
                    set.insert(i);
                } else if naive.remove(&i) {
                    set.remove(i);
                }
            }
            let mut found = Vec::new();
            let mut at = 0;
            while let Some(i) = set.next(at) {
                found.push(i);
                at = i + 1;
            }
            prop_assert_eq!(found, naive.into_iter().collect::<Vec<_>>());
        }
    }
}
