//! Processes as the kernel tells of them.

use rustix::process::Pid;
use std::fs::{self, File};
use std::io::Read;

/// Bytes of what the kernel tells of a process in one line of numbers and a short name: more than there ever are.
const LINE: usize = 2_048;

/// One process, seen once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    /// It has ended, and nobody has asked how.
    pub(crate) is_zombie: bool,
    /// Clock ticks that it ran.
    pub(crate) ran: u64,
    /// Clock ticks that its children ran which have ended and were asked how.
    pub(crate) children_ran: u64,
    /// Clock ticks from the start of the machine to its own: with `pid` its identity, since numbers come again.
    pub(crate) start: u64,
    /// Pages that are in memory.
    pub(crate) resident: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Stat> {
        let (pid, rest) = text.split_once(" (")?;
        // A name may contain anything, brackets and spaces, too.
        let (_, rest) = rest.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let number = |index: usize| fields.get(index)?.trim().parse::<u64>().ok();
        let signed = |index: usize| fields.get(index)?.parse::<i32>().ok();
        Some(Stat {
            pid: pid.parse().ok()?,
            parent: signed(1)?,
            session: signed(3)?,
            is_zombie: matches!(*fields.first()?, "Z" | "X"),
            ran: number(11)? + number(12)?,
            children_ran: number(13)? + number(14)?,
            start: number(19)?,
            resident: number(21)?,
        })
    }

    pub(crate) fn of(pid: i32) -> Option<Stat> {
        // In one go: what has no size is otherwise read in small pieces. A name need not be text.
        let mut bytes = [0; LINE];
        let read = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut bytes).ok()?;
        Stat::parse(&String::from_utf8_lossy(&bytes[..read]))
    }
}

/// All processes of this machine.
pub(crate) fn all() -> impl Iterator<Item = Stat> {
    numbers().filter_map(Stat::of)
}

fn numbers() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process for as long as it lives: its number, and when that was given to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) pid: Pid,
    pub(crate) start: u64,
}

impl Identity {
    pub(crate) fn own() -> Option<Identity> {
        Identity::of(rustix::process::getpid())
    }

    pub(crate) fn of(pid: Pid) -> Option<Identity> {
        Some(Identity { pid, start: Stat::of(pid.as_raw_nonzero().get())?.start })
    }

    /// Whether the number still means this process.
    pub(crate) fn is_there(self) -> bool {
        Identity::of(self.pid) == Some(self)
    }

    pub(crate) fn text(self) -> String {
        format!("{} {}", self.pid.as_raw_nonzero(), self.start)
    }

    pub(crate) fn parse(text: &str) -> Option<Identity> {
        let (pid, start) = text.trim().split_once(' ')?;
        Some(Identity { pid: Pid::from_raw(pid.parse().ok()?)?, start: start.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_understood() {
        let text =
            "12 (a) (b) S 1 12 11 0 -1 4194560 1 2 3 4 50 6 70 8 20 0 1 0 999 1000 33 18446744073709551615";
        let stat = Stat::parse(text).unwrap();
        assert_eq!((stat.pid, stat.parent, stat.session, stat.is_zombie), (12, 1, 11, false));
        assert_eq!((stat.ran, stat.children_ran, stat.start, stat.resident), (56, 78, 999, 33));
        assert_eq!(Stat::parse("12 (a) Z 1"), None);
    }

    #[test]
    fn who_is_here_is_found() {
        let own = Identity::own().unwrap();
        assert!(own.is_there() && all().any(|stat| stat.pid == own.pid.as_raw_nonzero().get()));
        assert_eq!(Identity::parse(&own.text()), Some(own));
        assert!(!Identity { start: own.start + 1, ..own }.is_there());
    }
}
