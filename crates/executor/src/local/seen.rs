//! What the machine sees of the replicas that run: what they take, and how often they were started again.

use super::meters::GpuTaken;
use super::usage::Usage;
use crate::proc::Identity;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::slot::Devices;

/// One replica.
#[derive(Clone, Debug)]
pub struct Seen {
    /// As in [`crate::Running`].
    pub run: u64,
    /// As in `TIDEGATE_REPLICA`.
    pub number: u32,
    /// How often it was started again where it is.
    pub restarts: u32,
    pub node: Arc<str>,
    pub devices: Devices,
    /// What it asked for: bytes.
    pub memory: u64,
    /// Thousandths of a core.
    pub cpu: u32,
    /// What it takes, once that was measured; `None` while nothing of it runs.
    pub usage: Option<Usage>,
    /// Where what it takes is found.
    pub(super) source: Source,
}

/// Where to look for what a replica takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    pub(super) supervisor: Option<Identity>,
    pub(super) group: Option<PathBuf>,
    /// Its own directories.
    pub(super) directories: Vec<PathBuf>,
}

impl Seen {
    #[cfg(test)]
    pub(super) fn for_test(devices: Devices) -> Seen {
        let (node, source) = ("n".into(), Source::default());
        Seen { run: 0, number: 0, restarts: 0, node, devices, memory: 0, cpu: 0, usage: None, source }
    }

    /// What it uses of its GPUs, if it uses more than its part of one.
    pub fn over_gpu(&self) -> Option<&GpuTaken> {
        let gpu = self.usage.as_ref().and_then(|usage| usage.gpu.as_ref())?;
        (gpu.is_over_memory() || gpu.is_over_duty()).then_some(gpu)
    }

    /// It takes more memory than it asked for.
    pub fn is_over_memory(&self) -> bool {
        self.usage.as_ref().is_some_and(|usage| self.memory > 0 && usage.memory > self.memory)
    }
}

/// What a replica has come to take too much of, since the look before.
#[derive(Debug, Default)]
pub(super) struct Come {
    pub(super) over_memory: bool,
    pub(super) over_gpu: Option<GpuTaken>,
}

/// By workload, unit and index.
type ByReplica = BTreeMap<(WorkloadId, u32, u32), Seen>;

/// Kept by the executor, read by whoever shows it.
#[derive(Clone, Debug, Default)]
pub struct Replicas {
    all: Arc<RwLock<ByReplica>>,
    workers: Arc<RwLock<WorkerCount>>,
}

/// How many processes there are that do task after task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerCount {
    /// They do one now, or are about to.
    pub busy: usize,
    pub waiting: usize,
}

impl Replicas {
    /// The replicas of one workload, by unit and index.
    pub fn of(&self, workload: WorkloadId) -> Vec<((u32, u32), Seen)> {
        let all = self.read();
        let of = all.range((workload, 0, 0)..=(workload, u32::MAX, u32::MAX));
        of.map(|((_, unit, index), seen)| ((*unit, *index), seen.clone())).collect()
    }

    pub fn all(&self) -> Vec<((WorkloadId, u32, u32), Seen)> {
        self.read().iter().map(|(at, seen)| (*at, seen.clone())).collect()
    }

    pub(super) fn each(&self, mut look: impl FnMut(&Seen)) {
        self.read().values().for_each(&mut look);
    }

    /// Processes that do task after task.
    pub fn workers(&self) -> WorkerCount {
        *self.workers.read().expect("nobody panics while looking")
    }

    pub(super) fn count_workers(&self, count: WorkerCount) {
        if self.workers() != count {
            *self.workers.write().expect("nobody panics while looking") = count;
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, ByReplica> {
        self.all.read().expect("nobody panics while looking")
    }

    fn write(&self) -> RwLockWriteGuard<'_, ByReplica> {
        self.all.write().expect("nobody panics while looking")
    }

    pub(super) fn put(&self, at: (WorkloadId, u32, u32), seen: Seen) {
        self.write().insert(at, seen);
    }

    pub(super) fn remove(&self, at: (WorkloadId, u32, u32), run: u64) {
        let mut all = self.write();
        if all.get(&at).is_some_and(|seen| seen.run == run) {
            all.remove(&at);
        }
    }

    /// Takes down what one of them takes, if it is still the same.
    pub(super) fn take_down(&self, at: (WorkloadId, u32, u32), run: u64, usage: Option<Usage>) -> Come {
        let mut all = self.write();
        let Some(seen) = all.get_mut(&at).filter(|seen| seen.run == run) else { return Come::default() };
        let before = (seen.is_over_memory(), seen.over_gpu().is_some());
        let earlier = seen.usage.take();
        seen.usage = usage.map(|now| Usage { cores: earlier.and_then(|e| now.cores_since(&e)), ..now });
        Come {
            over_memory: seen.is_over_memory() && !before.0,
            over_gpu: seen.over_gpu().filter(|_| !before.1).cloned(),
        }
    }

    pub(super) fn clear(&self) {
        self.write().clear();
    }
}
