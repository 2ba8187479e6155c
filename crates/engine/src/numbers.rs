//! From the hash of something to its number: a table that keeps neither names nor values, as their owners do.

use serde::{Deserialize, Serialize};

/// How far from its place something new may be put. Whoever chooses names can make them meet; where this is
/// exceeded, the owner keeps them in a tree instead, and a look-up stays short.
const FAR: usize = 128;
/// No number.
const NONE: u32 = u32::MAX;
const SMALLEST: usize = 16;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Numbers {
    /// Hash and number, as near behind the hash's place as there was room.
    slots: Vec<(u32, u32)>,
    len: usize,
    /// How far from its place anything is.
    reach: usize,
}

impl Numbers {
    fn place(&self, hash: u32) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn position(&self, hash: u32, mut is: impl FnMut(u32) -> bool) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = self.place(hash);
        for _ in 0..=self.reach {
            let (there, number) = self.slots[at];
            if number == NONE {
                return None;
            }
            if there == hash && is(number) {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// The number with this hash that `is` says yes to.
    pub(crate) fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.position(hash, is).map(|at| self.slots[at].1)
    }

    /// Shows all numbers with this hash.
    pub(crate) fn each(&self, hash: u32, mut look: impl FnMut(u32)) {
        self.position(hash, |number| {
            look(number);
            false
        });
    }

    /// Puts another number where one is. False if it is not there.
    pub(crate) fn replace(&mut self, hash: u32, is: impl Fn(u32) -> bool, by: u32) -> bool {
        let at = self.position(hash, is);
        if let Some(at) = at {
            self.slots[at].1 = by;
        }
        at.is_some()
    }

    /// Adds a number. False if there is no room near its place.
    pub(crate) fn insert(&mut self, hash: u32, number: u32) -> bool {
        // At most half full: then whatever meets by chance is near.
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let added = self.put(hash, number, FAR);
        self.len += usize::from(added);
        added
    }

    fn put(&mut self, hash: u32, number: u32, far: usize) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = self.place(hash);
        for i in 0..=far.min(mask) {
            if self.slots[at].1 == NONE {
                self.slots[at] = (hash, number);
                self.reach = self.reach.max(i);
                return true;
            }
            at = (at + 1) & mask;
        }
        false
    }

    /// What stands at the place of a hash: a way to have it brought near.
    #[inline]
    pub(crate) fn glance(&self, hash: u32) -> u32 {
        if self.slots.is_empty() { NONE } else { self.slots[self.place(hash)].1 }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(SMALLEST);
        let old = std::mem::replace(&mut self.slots, vec![(0, NONE); size]);
        self.reach = 0;
        for (hash, number) in old.into_iter().filter(|slot| slot.1 != NONE) {
            let found = self.put(hash, number, usize::MAX);
            debug_assert!(found, "a table that is not full has room");
        }
    }

    /// Takes a number out. False if it is not there.
    pub(crate) fn remove(&mut self, hash: u32, number: u32) -> bool {
        let Some(mut hole) = self.position(hash, |n| n == number) else { return false };
        self.len -= 1;
        let mask = self.slots.len() - 1;
        // Whatever stood behind it moves up, unless it stands at or before its own place.
        let mut at = (hole + 1) & mask;
        while self.slots[at].1 != NONE {
            let distance = at.wrapping_sub(self.place(self.slots[at].0)) & mask;
            if distance >= at.wrapping_sub(hole) & mask {
                self.slots[hole] = self.slots[at];
                hole = at;
            }
            at = (at + 1) & mask;
        }
        self.slots[hole] = (0, NONE);
        true
    }
}

/// A short hash of what is written to it: fixed, so that two runs do the same work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix(u64);

impl Default for Mix {
    fn default() -> Mix {
        Mix(0x243f_6a88_85a3_08d3)
    }
}

impl Mix {
    #[inline]
    pub(crate) fn add(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }

    #[inline]
    pub(crate) fn of_text(text: &str) -> u32 {
        let mut mix = Mix::default();
        let words = text.as_bytes().chunks_exact(8);
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        for word in words {
            mix.add(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        mix.add(u64::from_le_bytes(last));
        mix.add(text.len() as u64);
        mix.short()
    }

    #[inline]
    pub(crate) fn short(self) -> u32 {
        (self.0 >> 32) as u32 ^ self.0 as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn agrees_with_an_ordered_map(ops in prop::collection::vec((0u8..4, 0u32..40, 0u32..3), 1..400)) {
            let mut naive: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            let mut numbers = Numbers::default();
            for (i, &(op, what, spread)) in ops.iter().enumerate() {
                // Many meet at few places, but not more than there is room for.
                let (hash, i) = (what * spread, i as u32);
                let there = naive.get(&(hash, what)).copied();
                prop_assert_eq!(numbers.find(hash, |n| Some(n) == there), there);
                match (op, there) {
                    (0, Some(n)) => {
                        prop_assert!(numbers.remove(hash, n));
                        naive.remove(&(hash, what));
                    }
                    (1, Some(n)) => {
                        prop_assert!(numbers.replace(hash, |m| m == n, i));
                        naive.insert((hash, what), i);
                    }
                    (_, None) => {
                        prop_assert!(numbers.insert(hash, i));
                        naive.insert((hash, what), i);
                    }
                    _ => {}
                }
            }
            for (&(hash, _), &n) in &naive {
                prop_assert_eq!(numbers.find(hash, |m| m == n), Some(n));
            }
        }
    }

    #[test]
    fn what_always_meets_is_turned_away() {
        let mut numbers = Numbers::default();
        let taken = (0..1_000).take_while(|&n| numbers.insert(7, n)).count();
        assert_eq!(taken, FAR + 1);
        assert!(numbers.remove(7, 3) && !numbers.remove(7, 3));
        assert!(numbers.insert(7, 3) && numbers.insert(8_000, 4));
        assert_eq!(numbers.find(7, |n| n == 128), Some(128));
    }
}
