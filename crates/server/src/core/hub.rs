//! What happened, for those who watch: the latest events, numbered, as lines of JSON.
//!
//! A watcher keeps nothing here but the number of the event that it wants next. So a slow one costs no memory and
//! delays nobody: the ring moves on, and who falls out of it is told so.

use std::collections::VecDeque;
use std::sync::{Arc, RwLock};
use tokio::sync::watch;

/// Events kept for watchers that come back: ten minutes at a hundred a second.
pub const RING: usize = 65_536;
/// Events handed to a watcher at once.
pub const HANDFUL: usize = 256;

/// One event as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub number: u64,
    /// Its word.
    pub event: &'static str,
    /// Who may be interested: names, for filters.
    pub topic: Topic,
    /// JSON.
    pub data: Arc<str>,
}

/// What an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    pub kind: Kind,
    pub name: Arc<str>,
    /// The quota of a workload, or the quota itself.
    pub quota: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Workload,
    Quota,
    Node,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Workload => "workload",
            Kind::Quota => "quota",
            Kind::Node => "node",
        }
    }
}

/// What a watcher finds when it looks.
#[derive(Debug, PartialEq, Eq)]
pub enum Look {
    /// Lines from the number on; the number to look for next.
    Lines(Vec<Line>, u64),
    /// The oldest line that is left has this number.
    TooOld(u64),
}

#[derive(Debug)]
struct Ring {
    lines: VecDeque<Line>,
    /// Every event below this number that people are told of was in the ring, if it is not too old.
    next: u64,
    /// Events below this number are gone.
    oldest: u64,
}

#[derive(Debug)]
pub struct Hub {
    ring: RwLock<Ring>,
    next: watch::Sender<u64>,
}

impl Hub {
    /// A hub whose first event will have the number `next`.
    pub fn new(next: u64) -> Hub {
        Hub {
            ring: RwLock::new(Ring { lines: VecDeque::new(), next, oldest: next }),
            next: watch::Sender::new(next),
        }
    }

    /// Publishes lines; events up to `next` have happened, told or not.
    pub fn publish(&self, lines: Vec<Line>, next: u64) {
        {
            let mut ring = self.ring.write().expect("nobody panics while holding the ring");
            ring.next = next;
            ring.lines.extend(lines);
            while ring.lines.len() > RING {
                if let Some(line) = ring.lines.pop_front() {
                    ring.oldest = line.number + 1;
                }
            }
        }
        self.next.send_replace(next);
    }

    /// Lines with numbers from `from` on, at most a handful.
    pub fn look(&self, from: u64) -> Look {
        let ring = self.ring.read().expect("nobody panics while holding the ring");
        if from < ring.oldest {
            return Look::TooOld(ring.oldest);
        }
        let start = ring.lines.partition_point(|line| line.number < from);
        let lines: Vec<Line> = ring.lines.iter().skip(start).take(HANDFUL).cloned().collect();
        let next = if lines.len() == HANDFUL {
            lines.last().map_or(ring.next, |line| line.number + 1)
        } else {
            ring.next
        };
        Look::Lines(lines, next)
    }

    /// The number of the next event.
    pub fn next(&self) -> u64 {
        *self.next.borrow()
    }

    /// Tells when something was published.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.next.subscribe()
    }

    /// How many watch.
    pub fn watchers(&self) -> usize {
        self.next.receiver_count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64) -> Line {
        Line { number, event: "queued", topic: Topic::default(), data: number.to_string().into() }
    }

    #[test]
    fn a_watcher_sees_every_line_once() {
        let hub = Hub::new(10);
        hub.publish((10..1_000).filter(|n| n % 3 == 0).map(line).collect(), 1_000);
        let (mut from, mut seen) = (10, Vec::new());
        while from < hub.next() {
            match hub.look(from) {
                Look::Lines(lines, next) => {
                    seen.extend(lines.iter().map(|line| line.number));
                    from = next;
                }
                Look::TooOld(_) => panic!("nothing is too old"),
            }
        }
        assert_eq!(seen, (10..1_000).filter(|n| n % 3 == 0).collect::<Vec<u64>>());
        assert_eq!(hub.look(1_000), Look::Lines(Vec::new(), 1_000));
    }

    #[test]
    fn who_is_too_slow_is_told_what_is_left() {
        let hub = Hub::new(0);
        hub.publish((0..RING as u64 + 5).map(line).collect(), RING as u64 + 5);
        assert_eq!(hub.look(4), Look::TooOld(5));
        assert!(matches!(hub.look(5), Look::Lines(lines, _) if lines[0].number == 5));
    }

    #[test]
    fn what_was_before_the_hub_is_too_old() {
        assert_eq!(Hub::new(7).look(6), Look::TooOld(7));
        assert_eq!(Hub::new(7).look(7), Look::Lines(Vec::new(), 7));
    }
}
