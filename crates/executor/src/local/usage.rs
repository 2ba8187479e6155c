//! What a replica takes: all processes below its supervisor, measured together.

use super::boot::since_boot;
use super::groups;
use super::meters::GpuTaken;
use super::seen::Source;
use crate::proc::{self, Stat};
use rustix::param::{clock_ticks_per_second, page_size};
use std::collections::BTreeMap;
use std::fs;

/// What a replica takes at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// When it was measured: milliseconds since the machine was started.
    pub at: u64,
    /// Processor time so far, of those that have ended, too: milliseconds.
    pub processor: u64,
    /// Thousandths of a core, on average since the look before; `None` at the first.
    pub cores: Option<u32>,
    /// Resident memory: bytes.
    pub memory: u64,
    /// Its processes, by number.
    pub processes: Vec<i32>,
    /// What it does with its GPUs, where that is known.
    pub gpu: Option<GpuTaken>,
}

impl Usage {
    /// Thousandths of a core, on average since an earlier look at the same processes.
    pub fn cores_since(&self, earlier: &Usage) -> Option<u32> {
        let took = self.at.checked_sub(earlier.at).filter(|took| *took > 0)?;
        let ran = self.processor.checked_sub(earlier.processor)?;
        u32::try_from(ran.saturating_mul(1_000) / took).ok()
    }
}

/// All processes of the machine at one moment. Taken once for all replicas: it costs some microseconds a process.
#[derive(Debug)]
pub(super) struct Moment {
    at: u64,
    all: BTreeMap<i32, Stat>,
    children: BTreeMap<i32, Vec<i32>>,
}

impl Moment {
    pub(super) fn now() -> Moment {
        Moment::of(proc::all())
    }

    fn of(stats: impl Iterator<Item = Stat>) -> Moment {
        let mut moment = Moment { at: since_boot(), all: BTreeMap::new(), children: BTreeMap::new() };
        for stat in stats {
            moment.children.entry(stat.parent).or_default().push(stat.pid);
            moment.all.insert(stat.pid, stat);
        }
        moment
    }

    /// What runs below a supervisor; `None` if that is gone. `limit`: what it may take, which decides how closely
    /// its memory is looked at.
    pub(super) fn usage(&self, source: &Source, limit: u64) -> Option<Usage> {
        let supervisor = source.supervisor?;
        let root = self.all.get(&supervisor.pid.as_raw_nonzero().get())?;
        if root.start != supervisor.start {
            return None;
        }
        let processes = self.below(root.pid);
        let stats = || processes.iter().filter_map(|pid| self.all.get(pid));
        let by_group = source.group.as_deref().and_then(groups::processor_time).map(|micros| micros / 1_000);
        let processor = by_group.unwrap_or_else(|| {
            let ticks = root.children_ran + stats().map(|stat| stat.ran + stat.children_ran).sum::<u64>();
            ticks * 1_000 / clock_ticks_per_second().max(1)
        });
        let mut memory = stats().map(|stat| stat.resident).sum::<u64>() * page_size() as u64;
        // Pages that processes share were counted for each of them. Telling them apart is dear: only if it matters.
        if limit > 0 && memory > limit {
            memory = processes.iter().filter_map(|pid| proportional(*pid)).sum();
        }
        Some(Usage { at: self.at, processor, cores: None, memory, processes, gpu: None })
    }

    fn below(&self, root: i32) -> Vec<i32> {
        let (mut found, mut next) = (Vec::new(), 0);
        found.extend(self.children.get(&root).into_iter().flatten());
        while let Some(pid) = found.get(next) {
            found.extend(self.children.get(pid).into_iter().flatten());
            next += 1;
        }
        found
    }
}

/// Memory of a process, of what it shares its part: bytes.
fn proportional(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kib = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    kib.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proc::Identity;
    use rustix::process::Pid;

    fn stat(pid: i32, parent: i32, resident: u64) -> Stat {
        Stat { pid, parent, session: 1, is_zombie: false, ran: 100, children_ran: 10, start: 5, resident }
    }

    #[test]
    fn all_below_a_supervisor_count_and_itself_does_not() {
        let moment = Moment::of(
            [stat(1, 0, 1), stat(10, 1, 2), stat(11, 10, 4), stat(12, 11, 8), stat(20, 1, 16)].into_iter(),
        );
        let source = |pid, start| {
            let supervisor = Identity { pid: Pid::from_raw(pid).unwrap(), start };
            Source { supervisor: Some(supervisor), ..Source::default() }
        };
        let usage = moment.usage(&source(10, 5), 0).unwrap();
        assert_eq!((usage.processes, usage.memory), (vec![11, 12], 12 * page_size() as u64));
        // Its own children that have ended, and two that run with theirs.
        assert_eq!(usage.processor, 230 * 1_000 / clock_ticks_per_second());
        assert_eq!(moment.usage(&source(10, 6), 0), None, "another process was given its number");
        assert_eq!(moment.usage(&source(30, 5), 0), None);
    }

    #[test]
    fn cores_are_told_between_two_looks() {
        let look = |at, processor| Usage { at, processor, ..Usage::default() };
        assert_eq!(look(15_000, 9_500).cores_since(&look(10_000, 2_000)), Some(1_500));
        assert_eq!(look(15_000, 2_000).cores_since(&look(10_000, 2_000)), Some(0));
        assert_eq!(look(15_000, 2_000).cores_since(&look(15_000, 2_000)), None, "the same look");
        assert_eq!(look(15_000, 10).cores_since(&look(10_000, 2_000)), None, "other processes");
    }

    #[test]
    fn shared_memory_is_told_apart_from_own() {
        let own = std::process::id() as i32;
        let part = proportional(own).unwrap();
        let resident = Stat::of(own).unwrap().resident * page_size() as u64;
        assert!(part > 0 && part <= 2 * resident, "{part} of {resident}");
    }
}
