//! What this machine adds to the world: how it keeps work apart, and what replicas take.

use crate::local::Host;
use tidegate_api::amounts::Figure;
use tidegate_api::node::{Isolation, Limit, Node};
use tidegate_api::uid;
use tidegate_api::workload::{GpuUsage, ReplicaUsage, Workload};
use tidegate_engine::ids::WorkspaceId;
use tidegate_executor::local::{self, GpuTaken, Replicas, Seen};

/// Nothing, where no processes are started.
#[derive(Clone, Debug, Default)]
pub struct Here(Option<(Host, Replicas)>);

impl Here {
    pub fn new(host: Host, replicas: Replicas) -> Here {
        Here(Some((host, replicas)))
    }

    /// All nodes of an executor of real processes are this machine.
    pub fn node(&self, mut node: Node) -> Node {
        let Some((host, _)) = &self.0 else { return node };
        let status = &mut node.status;
        status.isolation = Some(match host.isolation {
            local::Isolation::Users { .. } => Isolation::Uid,
            local::Isolation::None { .. } => Isolation::None,
        });
        status.isolation_detail = Some(host.isolation.text());
        let limits = host.groups.as_ref().map(|groups| groups.limits).unwrap_or_default();
        let all =
            [(limits.memory, Limit::Memory), (limits.cpu, Limit::Cpu), (limits.processes, Limit::Processes)];
        status.limits = Some(all.into_iter().filter(|(holds, _)| *holds).map(|(_, limit)| limit).collect());
        node
    }

    pub fn workload(&self, mut workload: Workload) -> Workload {
        let Some((_, replicas)) = &self.0 else { return workload };
        let Some(id) = uid::as_workload(&workload.metadata.uid) else { return workload };
        let status = &mut workload.status;
        for ((unit, index), seen) in replicas.of(id) {
            status.restarts += seen.restarts;
            status.over_memory |= seen.is_over_memory();
            status.over_gpu |= seen.over_gpu().is_some();
            let place = status.placements.iter_mut().find(|p| (p.unit, p.replica) == (unit, index));
            let Some(place) = place else { continue };
            place.number = Some(seen.number);
            place.usage = seen.usage.as_ref().map(|usage| ReplicaUsage {
                cpu: usage.cores.map(|cores| Figure(cores.into())),
                requested_cpu: Figure(seen.cpu.into()),
                memory: usage.memory,
                requested_memory: seen.memory,
                processor_millis: usage.processor,
                processes: u32::try_from(usage.processes.len()).unwrap_or(u32::MAX),
                gpu: usage.gpu.as_ref().map(gpu),
            });
        }
        workload
    }

    /// What replicas take, where processes are started.
    pub fn replicas(&self) -> Option<&Replicas> {
        self.0.as_ref().map(|(_, replicas)| replicas)
    }

    /// Whether work of more than one workspace can be kept apart here; why not, in words.
    pub fn keeps_apart(&self) -> Result<(), String> {
        // Any but the first: all others are treated alike.
        let second = WorkspaceId(WorkspaceId::DEFAULT.0 + 1);
        self.0.as_ref().map_or(Ok(()), |(host, _)| host.admits(second))
    }

    /// Replicas that take more memory than they asked for, and those that use more than their part of a GPU.
    pub fn over(&self) -> (usize, usize) {
        let all = self.replicas().map_or(Vec::new(), Replicas::all);
        let count = |is: fn(&Seen) -> bool| all.iter().filter(|(_, seen)| is(seen)).count();
        (count(Seen::is_over_memory), count(|seen| seen.over_gpu().is_some()))
    }
}

fn gpu(taken: &GpuTaken) -> GpuUsage {
    GpuUsage {
        duty: taken.duty.map(|duty| Figure(duty.into())),
        memory: taken.memory,
        granted_memory: taken.granted_memory,
        over_duty: taken.is_over_duty(),
        over_memory: taken.is_over_memory(),
    }
}
