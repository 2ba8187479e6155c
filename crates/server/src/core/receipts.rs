//! What was answered to requests with an Idempotency-Key, so that asking twice is asking once.

use super::deck::Receipt;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::{Span, Tick};

/// How long a key is remembered.
pub const REMEMBERED: Span = Span::hours(24);
/// Keys that are remembered at once; the oldest go first.
pub const MAX_RECEIPTS: usize = 100_000;

#[derive(Clone, Debug, Default)]
pub struct Receipts {
    /// With the number of the first event that came of the request: it is durable when that is.
    by_key: BTreeMap<Box<str>, (Receipt, u64)>,
    by_age: BTreeSet<(Tick, Box<str>)>,
}

impl Receipts {
    pub fn get(&self, key: &str, now: Tick) -> Option<&Receipt> {
        let (receipt, _) = self.by_key.get(key)?;
        (now.since(receipt.at) < REMEMBERED).then_some(receipt)
    }

    /// `first` is the number of the first event that came of the request.
    pub fn insert(&mut self, receipt: Receipt, first: u64) {
        self.expire(receipt.at);
        while self.by_key.len() >= MAX_RECEIPTS
            && let Some((_, key)) = self.by_age.pop_first()
        {
            self.by_key.remove(&key);
        }
        let at = receipt.at;
        self.by_age.insert((at, receipt.key.clone()));
        if let Some((old, _)) = self.by_key.insert(receipt.key.clone(), (receipt, first))
            && old.at != at
        {
            self.by_age.remove(&(old.at, old.key));
        }
    }

    /// What is left when the events from `next` on are undone. A request that looked into the store before the first
    /// one was durable, and is decided after the world was read again, finds the receipt here and nowhere else.
    #[must_use]
    pub fn undone_from(mut self, next: u64) -> Receipts {
        let by_age = &mut self.by_age;
        self.by_key.retain(|key, (receipt, first)| {
            let stays = *first < next;
            if !stays {
                by_age.remove(&(receipt.at, key.clone()));
            }
            stays
        });
        self
    }

    /// Drops what is too old.
    fn expire(&mut self, now: Tick) {
        while let Some((at, key)) = self.by_age.first()
            && now.since(*at) >= REMEMBERED
        {
            self.by_key.remove(key);
            self.by_age.pop_first();
        }
    }

    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(key: &str, at: u64) -> Receipt {
        Receipt { key: key.into(), request: [0; 32], status: 201, body: Vec::new().into(), at: Tick(at) }
    }

    #[test]
    fn a_key_is_remembered_for_a_day() {
        let mut receipts = Receipts::default();
        receipts.insert(receipt("a", 0), 0);
        assert!(receipts.get("a", Tick(REMEMBERED.0 - 1)).is_some());
        assert!(receipts.get("a", Tick(REMEMBERED.0)).is_none());
        receipts.expire(Tick(REMEMBERED.0));
        assert!(receipts.is_empty());
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let mut receipts = Receipts::default();
        (0..MAX_RECEIPTS as u64 + 1).for_each(|n| receipts.insert(receipt(&n.to_string(), n), n));
        assert_eq!(receipts.len(), MAX_RECEIPTS);
        assert!(receipts.get("0", Tick(9)).is_none());
        assert!(receipts.get("1", Tick(9)).is_some());
    }

    #[test]
    fn a_key_used_again_after_a_day_is_as_new() {
        let mut receipts = Receipts::default();
        receipts.insert(receipt("a", 0), 0);
        receipts.insert(receipt("a", REMEMBERED.0), 0);
        receipts.expire(Tick(REMEMBERED.0));
        assert!(receipts.get("a", Tick(REMEMBERED.0)).is_some());
        assert_eq!(receipts.by_age.len(), 1);
    }

    #[test]
    fn what_is_undone_is_forgotten_and_what_is_durable_is_not() {
        let mut receipts = Receipts::default();
        (0..10).for_each(|n| receipts.insert(receipt(&n.to_string(), n), 2 * n));
        let left = receipts.undone_from(10);
        assert!(left.get("4", Tick(9)).is_some());
        assert!(left.get("5", Tick(9)).is_none());
        assert_eq!((left.len(), left.by_age.len()), (5, 5));
    }
}
