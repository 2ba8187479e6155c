//! What replicas take, summed up by workload and node. Costs as much as runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::resources::WHOLE;
use tidegate_executor::local::{Replicas, Usage};

/// What is taken together. Absent is what nobody knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    /// Thousandths of a core.
    cpu: Option<u64>,
    /// Bytes.
    memory: Option<u64>,
    /// Thousandths, summed over GPUs; and over how many.
    duty: Option<(u64, u64)>,
    /// Bytes.
    gpu_memory: Option<u64>,
}

impl Sum {
    pub(super) const NOTHING: Sum = Sum { cpu: Some(0), memory: Some(0), duty: None, gpu_memory: None };

    fn add(&mut self, usage: &Usage, cores: Option<u32>) {
        let more = |sum: &mut Option<u64>, part: Option<u64>| {
            if let Some(part) = part {
                *sum = Some(sum.unwrap_or(0).saturating_add(part));
            }
        };
        more(&mut self.cpu, cores.map(Into::into));
        more(&mut self.memory, Some(usage.memory));
        let Some(gpu) = &usage.gpu else { return };
        more(&mut self.gpu_memory, gpu.memory);
        if let Some(duty) = gpu.duty {
            let (sum, devices) = self.duty.unwrap_or_default();
            let more = u64::from(gpu.devices);
            self.duty = Some((sum + u64::from(duty) * more, devices + more));
        }
    }

    /// Cores and bytes, in thousandths.
    pub(super) fn host(&self) -> [Option<i64>; 2] {
        let bytes = self.memory.map(thousandths);
        [self.cpu.map(|cpu| i64::try_from(cpu).unwrap_or(i64::MAX)), bytes]
    }

    /// The mean duty and bytes, in thousandths.
    pub(super) fn gpus(&self) -> [Option<i64>; 2] {
        let duty = self.duty.map(|(sum, devices)| (sum / devices.max(1)) as i64);
        [duty, self.gpu_memory.map(thousandths)]
    }
}

pub(super) fn thousandths(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(i64::from(WHOLE))
}

/// What is taken at one moment.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Processes are started and measured here.
    pub(super) is_measured: bool,
    pub(super) workloads: BTreeMap<WorkloadId, Sum>,
    pub(super) nodes: BTreeMap<Arc<str>, Sum>,
    /// With the number of the replica, as in `TIDEGATE_REPLICA`.
    pub(super) replicas: Vec<((WorkloadId, u32), Sum)>,
}

/// By workload, unit and index: the run, how often it was started again, and what it took.
type Earlier = BTreeMap<(WorkloadId, u32, u32), (u64, u32, Usage)>;

/// Looks what replicas take, and remembers what they took at the look before: cores are told between two.
#[derive(Debug, Default)]
pub(super) struct Taking {
    replicas: Option<Replicas>,
    earlier: Earlier,
}

impl Taking {
    pub(super) fn new(replicas: Option<Replicas>) -> Taking {
        Taking { replicas, earlier: Earlier::new() }
    }

    pub(super) fn look(&mut self) -> Taken {
        let Some(replicas) = &self.replicas else { return Taken::default() };
        let mut taken = Taken { is_measured: true, ..Taken::default() };
        let mut now = Earlier::new();
        for (at, seen) in replicas.all() {
            let Some(usage) = seen.usage else { continue };
            let same =
                |(run, restarts, _): &&(u64, u32, Usage)| (*run, *restarts) == (seen.run, seen.restarts);
            let earlier = self.earlier.get(&at).filter(same);
            let cores = earlier.and_then(|(.., earlier)| usage.cores_since(earlier)).or(usage.cores);
            let mut own = Sum::default();
            own.add(&usage, cores);
            taken.replicas.push(((at.0, seen.number), own));
            taken.workloads.entry(at.0).or_default().add(&usage, cores);
            taken.nodes.entry(seen.node).or_default().add(&usage, cores);
            now.insert(at, (seen.run, seen.restarts, usage));
        }
        self.earlier = now;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_executor::local::GpuTaken;

    fn usage(memory: u64, gpu: Option<(u32, u32, u64)>) -> Usage {
        let gpu = gpu.map(|(devices, duty, memory)| GpuTaken {
            devices,
            duty: Some(duty),
            memory: Some(memory),
            ..GpuTaken::default()
        });
        Usage { memory, gpu, ..Usage::default() }
    }

    #[test]
    fn sums_are_of_what_is_known() {
        let mut sum = Sum::default();
        assert_eq!((sum.host(), sum.gpus()), ([None; 2], [None; 2]));
        sum.add(&usage(5, None), None);
        sum.add(&usage(7, None), Some(250));
        assert_eq!((sum.host(), sum.gpus()), ([Some(250), Some(12_000)], [None; 2]));
        // Three GPUs that compute all of the time, and one that never does.
        sum.add(&usage(0, Some((3, 1_000, 10))), Some(1_000));
        sum.add(&usage(0, Some((1, 0, 2))), None);
        assert_eq!((sum.host(), sum.gpus()), ([Some(1_250), Some(12_000)], [Some(750), Some(12_000)]));
    }

    #[test]
    fn without_processes_nothing_is_measured() {
        let taken = Taking::default().look();
        assert!(!taken.is_measured && taken.replicas.is_empty());
        let taken = Taking::new(Some(Replicas::default())).look();
        assert!(taken.is_measured && taken.workloads.is_empty());
    }
}
