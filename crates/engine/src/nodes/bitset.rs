//! A set of node numbers that gives back the lowest first.

/// Three levels of words: a bit above says that the word below is not empty. The lowest member of a
/// hundred thousand is found by looking at three words, and order never depends on history.
#[derive(Clone, Debug, Default)]
pub(super) struct BitSet {
    bits: Vec<u64>,
    words: Vec<u64>,
    blocks: Vec<u64>,
}

#[inline]
fn bit(i: usize) -> u64 {
    1 << (i & 63)
}

/// The lowest set bit of `word` at `from` or above.
#[inline]
fn lowest(word: u64, from: usize) -> Option<usize> {
    let rest = word & (u64::MAX << from);
    (rest != 0).then(|| rest.trailing_zeros() as usize)
}

impl BitSet {
    pub(super) fn insert(&mut self, i: usize) {
        let (w, b, t) = (i >> 6, i >> 12, i >> 18);
        if w >= self.bits.len() {
            self.bits.resize(w + 1, 0);
            self.words.resize(b + 1, 0);
            self.blocks.resize(t + 1, 0);
        }
        self.bits[w] |= bit(i);
        self.words[b] |= bit(w);
        self.blocks[t] |= bit(b);
    }

    pub(super) fn remove(&mut self, i: usize) {
        let (w, b, t) = (i >> 6, i >> 12, i >> 18);
        self.bits[w] &= !bit(i);
        if self.bits[w] == 0 {
            self.words[b] &= !bit(w);
            if self.words[b] == 0 {
                self.blocks[t] &= !bit(b);
            }
        }
    }

    /// The lowest member that is `from` or above.
    #[inline]
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let w = from >> 6;
        if let Some(i) = lowest(*self.bits.get(w)?, from & 63) {
            return Some((w << 6) | i);
        }
        let w = self.next_word(w + 1)?;
        Some((w << 6) | self.bits[w].trailing_zeros() as usize)
    }

    fn next_word(&self, from: usize) -> Option<usize> {
        let b = from >> 6;
        if let Some(w) = lowest(*self.words.get(b)?, from & 63) {
            return Some((b << 6) | w);
        }
        let b = self.next_block(b + 1)?;
        Some((b << 6) | self.words[b].trailing_zeros() as usize)
    }

    fn next_block(&self, from: usize) -> Option<usize> {
        let t = from >> 6;
        if let Some(b) = lowest(*self.blocks.get(t)?, from & 63) {
            return Some((t << 6) | b);
        }
        let t = (t + 1..self.blocks.len()).find(|&t| self.blocks[t] != 0)?;
        Some((t << 6) | self.blocks[t].trailing_zeros() as usize)
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
