//! Ports of this machine for those whom somebody is to reach.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::RangeInclusive;

/// Gives out ports that nobody listens on.
#[derive(Debug)]
pub(super) struct Ports {
    range: RangeInclusive<u16>,
    taken: BTreeSet<u16>,
    next: u16,
}

impl Ports {
    pub(super) fn new(range: RangeInclusive<u16>) -> Ports {
        // Two servers on one machine seldom begin at the same one.
        let next = range.start() + (u64::from(std::process::id()) * 61 % range.len() as u64) as u16;
        Ports { range, taken: BTreeSet::new(), next }
    }

    /// The next free one, round and round, so that a port rests before it is used again.
    pub(super) fn take(&mut self) -> Option<u16> {
        for _ in self.range.clone() {
            let port = self.next;
            self.next = if port == *self.range.end() { *self.range.start() } else { port + 1 };
            let free = || TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
            if !self.taken.contains(&port) && free() {
                self.taken.insert(port);
                return Some(port);
            }
        }
        None
    }

    /// It is in use by what was started before.
    pub(super) fn keep(&mut self, port: u16) {
        self.taken.insert(port);
    }

    pub(super) fn give_back(&mut self, port: u16) {
        self.taken.remove(&port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_given_out_once() {
        let busy = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let first = busy.local_addr().unwrap().port();
        let Some(last) = first.checked_add(2) else { return };
        let mut ports = Ports::new(first..=last);
        let given: Vec<_> = std::iter::from_fn(|| ports.take()).collect();
        assert!(!given.contains(&first), "{given:?}");
        if let Some(&port) = given.first() {
            ports.give_back(port);
            assert_eq!(ports.take(), Some(port));
        }
        assert_eq!(ports.take(), None);
    }
}
