//! What was written to the log lately, as it was before it was written: whoever follows the log closely need not read
//! it from the disk.

use super::entry::Body;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Events that are kept for a follower. One that is further behind reads the log.
const MOST_EVENTS: usize = 32_768;

#[derive(Debug, Default)]
pub struct Tail(Mutex<Kept>);

/// **Invariant:** each entry begins where the one before it ends.
#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<(u64, Body)>,
    events: usize,
}

impl Kept {
    /// The number after the last event.
    fn next(&self) -> Option<u64> {
        self.entries.back().map(|(first, body)| first + body.count() as u64)
    }

    fn clear(&mut self) {
        *self = Kept::default();
    }

    fn take(&mut self, count: usize) -> Vec<(u64, Body)> {
        let taken: Vec<_> = self.entries.drain(..count).collect();
        self.events -= taken.iter().map(|(_, body)| body.count()).sum::<usize>();
        taken
    }
}

impl Tail {
    /// Keeps entries that are durable, each with the number of its first event.
    pub(super) fn keep(&self, entries: impl Iterator<Item = (u64, Body)>) {
        let mut kept = self.0.lock().expect("nobody panics here");
        for (first, body) in entries {
            // Without what is missing between, what came before is of no use.
            if kept.next().is_some_and(|next| next != first) || kept.events + body.count() > MOST_EVENTS {
                kept.clear();
            }
            kept.events += body.count();
            kept.entries.push_back((first, body));
        }
    }

    /// Takes the entries from the number `from` on, at most so many. None if the first of them is not here.
    pub fn take(&self, from: u64, most: usize) -> Vec<(u64, Body)> {
        let mut kept = self.0.lock().expect("nobody panics here");
        let old = kept.entries.partition_point(|(first, _)| *first < from);
        kept.take(old);
        let is_here = kept.entries.front().is_some_and(|(first, _)| *first == from);
        let count = if is_here { kept.entries.len().min(most) } else { 0 };
        kept.take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::entry::{Origin, VERSION};
    use std::sync::Arc;
    use tidegate_engine::ids::{PoolId, Tick};
    use tidegate_engine::words::PoolKind;
    use tidegate_engine::{Event, EventKind};

    fn entry(first: u64, events: usize) -> (u64, Body) {
        let kind = EventKind::PoolCreated { pool: PoolId(0), name: "h100".into(), kind: PoolKind::General };
        let body = Body {
            v: VERSION,
            origin: Arc::new(Origin::new("admin", "pool.create")),
            events: vec![Event { at: Tick(1), kind }; events],
            steps: Vec::new(),
            facts: Vec::new(),
            people: Vec::new(),
            business: Vec::new(),
            was: Vec::new(),
        };
        (first, body)
    }

    fn firsts(taken: &[(u64, Body)]) -> Vec<u64> {
        taken.iter().map(|(first, _)| *first).collect()
    }

    #[test]
    fn entries_are_taken_once_and_in_order() {
        let tail = Tail::default();
        tail.keep([entry(3, 2), entry(5, 1), entry(6, 4)].into_iter());
        assert_eq!(firsts(&tail.take(3, 2)), [3, 5]);
        assert_eq!(firsts(&tail.take(6, 2)), [6]);
        assert!(tail.take(10, 2).is_empty());
    }

    #[test]
    fn who_comes_from_elsewhere_finds_what_goes_on_from_there_or_nothing() {
        let tail = Tail::default();
        tail.keep([entry(3, 2), entry(5, 1), entry(6, 4)].into_iter());
        assert!(tail.take(2, 9).is_empty(), "what comes before it is missing");
        assert_eq!(firsts(&tail.take(5, 9)), [5, 6], "and nothing was lost by asking");
        tail.keep([entry(10, 2)].into_iter());
        assert!(tail.take(11, 9).is_empty(), "no entry begins there");
    }

    #[test]
    fn a_gap_and_too_much_make_it_begin_anew() {
        let tail = Tail::default();
        tail.keep([entry(0, 2), entry(7, 1)].into_iter());
        assert!(tail.take(0, 9).is_empty());
        assert_eq!(firsts(&tail.take(7, 9)), [7]);
        tail.keep([entry(8, MOST_EVENTS - 1), entry(7 + MOST_EVENTS as u64, 2)].into_iter());
        assert!(tail.take(8, 9).is_empty());
        assert_eq!(firsts(&tail.take(7 + MOST_EVENTS as u64, 9)), [7 + MOST_EVENTS as u64]);
    }
}
