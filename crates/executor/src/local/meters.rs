//! What GPUs do, and which part of that is whose.

use super::environment::devices;
use super::seen::Seen;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use tidegate_engine::resources::WHOLE;
use tidegate_engine::slot::Devices;

/// How much more of the time than its part a replica may compute before that is told, in thousandths: a driver
/// measures over a moment.
const DUTY_SLACK: u32 = 50;

/// What a GPU does at present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuUse {
    /// Part of the time in which it computed, in thousandths.
    pub duty: u32,
    /// Bytes in use.
    pub memory: u64,
    /// Bytes that it has.
    pub total: u64,
    /// Processes that compute on it.
    pub processes: Vec<GpuProcess>,
}

/// A process on a GPU, as far as the driver tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuProcess {
    pub pid: u32,
    /// Bytes.
    pub memory: Option<u64>,
    /// Part of the time in which it computed, in thousandths.
    pub duty: Option<u32>,
}

/// Knows what GPUs do.
pub trait GpuMeter: Send + Sync + std::fmt::Debug {
    /// `None` if nobody can tell, as of GPUs that are not there.
    fn read(&self, node: &str, device: u16) -> Option<GpuUse>;
}

/// GPUs that are not there: what they do is told by files, `NODE.DEVICE`, with `duty`, `memory` and `total` and a
/// figure on a line each, by somebody who tries that out. Nothing is known of those without a file.
#[derive(Debug)]
pub struct MeterFiles {
    directory: PathBuf,
}

impl MeterFiles {
    pub fn in_directory(directory: impl Into<PathBuf>) -> MeterFiles {
        MeterFiles { directory: directory.into() }
    }
}

impl GpuMeter for MeterFiles {
    fn read(&self, node: &str, device: u16) -> Option<GpuUse> {
        let text = std::fs::read_to_string(self.directory.join(format!("{node}.{device}"))).ok()?;
        let figure = |word: &str| {
            let given = text.lines().find_map(|line| line.strip_prefix(word)?.trim().parse::<u64>().ok());
            given.unwrap_or_default()
        };
        let duty = figure("duty").min(u64::from(WHOLE)) as u32;
        Some(GpuUse { duty, memory: figure("memory"), total: figure("total"), processes: Vec::new() })
    }
}

/// What a replica does with its GPUs, as far as it can be told from what others do with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuTaken {
    /// GPUs that it has, or has a part of.
    pub devices: u32,
    /// Part of the time in which they computed for it, their mean, in thousandths.
    pub duty: Option<u32>,
    /// Bytes in use.
    pub memory: Option<u64>,
    /// Bytes that are its own: all of its GPUs', or its part.
    pub granted_memory: u64,
    /// Its part of one GPU, in thousandths; absent if it has whole ones.
    pub part: Option<u32>,
}

impl GpuTaken {
    /// It uses more memory than its part of a GPU. Nothing but this tells: the device bounds nothing.
    pub fn is_over_memory(&self) -> bool {
        self.part.is_some() && self.memory.is_some_and(|memory| memory > self.granted_memory)
    }

    /// It computes for more of the time than its part of a GPU.
    pub fn is_over_duty(&self) -> bool {
        self.part.zip(self.duty).is_some_and(|(part, duty)| duty > part + DUTY_SLACK)
    }
}

/// One look at the GPUs of all replicas: each is read once, whoever shares it.
#[derive(Debug, Default)]
pub(super) struct GpuLook {
    by_device: BTreeMap<(Arc<str>, u16), Device>,
}

#[derive(Debug)]
struct Device {
    seen: Option<GpuUse>,
    /// Replicas that have it or a part of it.
    sharers: u32,
    /// Processes of all of them.
    processes: BTreeSet<u32>,
}

impl GpuLook {
    /// `all` with the processes of each.
    pub(super) fn at<'a>(meter: &dyn GpuMeter, all: impl Iterator<Item = (&'a Seen, &'a [i32])>) -> GpuLook {
        let mut look = GpuLook::default();
        for (seen, processes) in all {
            for number in devices(&seen.devices) {
                let device = look.by_device.entry((seen.node.clone(), number)).or_insert_with(|| Device {
                    seen: meter.read(&seen.node, number),
                    sharers: 0,
                    processes: BTreeSet::new(),
                });
                device.sharers += 1;
                device.processes.extend(processes.iter().filter_map(|pid| u32::try_from(*pid).ok()));
            }
        }
        look
    }

    /// What one of them does; `None` without GPUs, or where nothing is known of them.
    pub(super) fn of(&self, seen: &Seen, processes: &[i32]) -> Option<GpuTaken> {
        let device = |number: u16| self.by_device.get(&(seen.node.clone(), number));
        if let Devices::Part { device: number, milli } = seen.devices {
            let device = device(number)?;
            let total = device.seen.as_ref()?.total;
            let (duty, memory) = device.part_of(processes);
            let granted_memory = (u128::from(total) * u128::from(milli) / u128::from(WHOLE)) as u64;
            return Some(GpuTaken { devices: 1, duty, memory, granted_memory, part: Some(milli.into()) });
        }
        let seen: Option<Vec<&GpuUse>> =
            devices(&seen.devices).into_iter().map(|number| device(number)?.seen.as_ref()).collect();
        let seen = seen.filter(|seen| !seen.is_empty())?;
        let count = seen.len() as u32;
        Some(GpuTaken {
            devices: count,
            duty: Some(seen.iter().map(|seen| seen.duty).sum::<u32>() / count),
            memory: Some(seen.iter().map(|seen| seen.memory).sum()),
            granted_memory: seen.iter().map(|seen| seen.total).sum(),
            part: None,
        })
    }
}

impl Device {
    /// Duty and memory of one of its sharers. What the driver tells by process is told apart; where it does not
    /// (the processes have other numbers there, in another namespace), it is known only of who is alone.
    fn part_of(&self, processes: &[i32]) -> (Option<u32>, Option<u64>) {
        let Some(seen) = &self.seen else { return (None, None) };
        let own: Vec<&GpuProcess> =
            seen.processes.iter().filter(|p| processes.contains(&(p.pid as i32))).collect();
        let memory = || own.iter().map(|p| p.memory).sum::<Option<u64>>();
        if self.sharers == 1 {
            let told = memory().filter(|_| !own.is_empty());
            return (Some(seen.duty), told.or(Some(seen.memory)));
        }
        // Who has no process there does nothing, if all that are there belong to others.
        let is_told = !own.is_empty() || seen.processes.iter().all(|p| self.processes.contains(&p.pid));
        if is_told { (own.iter().map(|p| p.duty).sum(), memory()) } else { (None, None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fake(Vec<(u16, GpuUse)>);

    impl GpuMeter for Fake {
        fn read(&self, _: &str, device: u16) -> Option<GpuUse> {
            self.0.iter().find(|(number, _)| *number == device).map(|(_, seen)| seen.clone())
        }
    }

    fn seen(devices: Devices) -> Seen {
        Seen::for_test(devices)
    }

    fn process(pid: u32, memory: u64, duty: u32) -> GpuProcess {
        GpuProcess { pid, memory: Some(memory), duty: Some(duty) }
    }

    /// What each does, given its devices and processes.
    fn taken(meter: &Fake, all: &[(Devices, &[i32])]) -> Vec<Option<GpuTaken>> {
        let all: Vec<(Seen, &[i32])> = all.iter().map(|(d, pids)| (seen(d.clone()), *pids)).collect();
        let look = GpuLook::at(meter, all.iter().map(|(seen, pids)| (seen, *pids)));
        all.iter().map(|(seen, pids)| look.of(seen, pids)).collect()
    }

    fn half() -> Devices {
        Devices::Part { device: 0, milli: 500 }
    }

    #[test]
    fn whole_gpus_are_taken_as_the_device_tells() {
        let gpu = |duty, memory| GpuUse { duty, memory, total: 80, processes: vec![] };
        let meter = Fake(vec![(0, gpu(900, 50)), (1, gpu(100, 10))]);
        let both =
            taken(&meter, &[(Devices::Mask(3), &[7]), (Devices::None, &[8]), (Devices::Mask(4), &[9])]);
        let expected =
            GpuTaken { devices: 2, duty: Some(500), memory: Some(60), granted_memory: 160, part: None };
        assert_eq!(both, [Some(expected.clone()), None, None], "nothing is known of GPU 2");
        assert!(!expected.is_over_memory() && !expected.is_over_duty());
    }

    #[test]
    fn use_above_a_part_is_told_apart_from_what_others_do() {
        let processes = vec![process(7, 55, 700), process(8, 10, 100), process(9, 5, 0)];
        let meter = Fake(vec![(0, GpuUse { duty: 800, memory: 70, total: 100, processes })]);
        let all = taken(&meter, &[(half(), &[7]), (half(), &[1, 8, 9]), (half(), &[2])]);
        let all: Vec<GpuTaken> = all.into_iter().flatten().collect();
        let figures: Vec<_> = all.iter().map(|t| (t.duty, t.memory, t.granted_memory)).collect();
        assert_eq!(figures, [(Some(700), Some(55), 50), (Some(100), Some(15), 50), (Some(0), Some(0), 50)]);
        assert!(all[0].is_over_duty() && all[0].is_over_memory());
        assert!(!all[1].is_over_duty() && !all[1].is_over_memory());
    }

    #[test]
    fn who_is_alone_does_all_and_what_cannot_be_told_apart_is_unknown() {
        // A process that nobody here knows.
        let meter = Fake(vec![(
            0,
            GpuUse { duty: 530, memory: 70, total: 100, processes: vec![process(4_000, 60, 9)] },
        )]);
        let alone = taken(&meter, &[(half(), &[7])]).remove(0).expect("it has a part");
        assert_eq!((alone.duty, alone.memory), (Some(530), Some(70)));
        assert!(alone.is_over_memory() && !alone.is_over_duty(), "530 is not far beyond 500");
        for shared in taken(&meter, &[(half(), &[7]), (half(), &[8])]) {
            let shared = shared.expect("it has a part");
            assert_eq!((shared.duty, shared.memory), (None, None));
            assert!(!shared.is_over_memory() && !shared.is_over_duty());
        }
    }

    #[test]
    fn files_tell_what_gpus_that_are_not_there_do() {
        let directory = tempfile::tempdir().expect("a directory");
        let meter = MeterFiles::in_directory(directory.path());
        assert_eq!(meter.read("n", 0), None);
        std::fs::write(directory.path().join("n.0"), "duty 900\nmemory 12\ntotal 80\n").expect("written");
        let told = GpuUse { duty: 900, memory: 12, total: 80, processes: vec![] };
        assert_eq!(meter.read("n", 0), Some(told));
    }
}
