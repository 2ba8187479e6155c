//! What replicas take, in words and in figures.

use crate::output::figures::bytes;
use tidegate_api::amounts::Figure;
use tidegate_api::workload::{Placement, ReplicaUsage, Workload};

fn size(size: u64) -> String {
    bytes(i64::try_from(size).unwrap_or(i64::MAX))
}

/// `takes 3Gi of memory, asked for 2Gi`.
fn memory(usage: &ReplicaUsage) -> String {
    format!("takes {} of memory, asked for {}", size(usage.memory), size(usage.requested_memory))
}

/// Thousandths as `93 %`.
pub(crate) fn percent(part: Figure) -> String {
    format!("{} %", (part.0 + 5) / 10)
}

/// All that is known of one replica, nothing if nothing is:
/// `, uses 0.98 of 1 cores, takes 3Gi of memory, asked for 2Gi, GPU duty 93 %, GPU memory 60Gi of 80Gi`.
pub(super) fn all(place: &Placement) -> String {
    let Some(usage) = &place.usage else { return String::new() };
    let cores = usage.cpu.map(|cpu| format!("uses {cpu} of {} cores", usage.requested_cpu));
    let mut parts: Vec<String> = cores.into_iter().chain([memory(usage)]).collect();
    if place.gpu.0 > 0 {
        let gpu = usage.gpu.as_ref();
        let duty = gpu.and_then(|gpu| gpu.duty).map_or("unknown".into(), percent);
        parts.push(format!("GPU duty {duty}"));
        let of = |gpu: &tidegate_api::workload::GpuUsage| Some((gpu.memory?, gpu.granted_memory));
        let memory = gpu.and_then(of);
        parts.extend(memory.map(|(used, own)| format!("GPU memory {} of {}", size(used), size(own))));
    }
    format!(", {}", parts.join(", "))
}

/// What replicas take beyond what is theirs; of each kind the one that takes most.
pub(super) fn beyond(workload: &Workload) -> Vec<String> {
    let places = || workload.status.placements.iter().filter_map(|p| Some((p, p.usage.as_ref()?)));
    let over = places().filter(|(_, usage)| usage.is_over_memory());
    let memory = over.max_by_key(|(_, usage)| usage.memory - usage.requested_memory).map(|(_, u)| memory(u));
    let gpus = || places().filter_map(|(p, usage)| Some((p, usage.gpu.as_ref()?)));
    let over = gpus().filter(|(_, gpu)| gpu.over_memory);
    let gpu_memory = over.max_by_key(|(_, gpu)| gpu.memory).map(|(_, gpu)| {
        let used = gpu.memory.map_or("more".into(), size);
        format!(
            "uses {used} of GPU memory, its part is {}, which the device does not enforce",
            size(gpu.granted_memory)
        )
    });
    let over = gpus().filter(|(_, gpu)| gpu.over_duty);
    let duty = over.max_by_key(|(_, gpu)| gpu.duty).map(|(place, gpu)| {
        let duty = gpu.duty.map_or("more".into(), percent);
        let part = percent(place.gpu);
        format!(
            "computes {duty} of the time, its part of the GPU is {part}, which the device does not enforce"
        )
    });
    memory.into_iter().chain(gpu_memory).chain(duty).collect()
}

/// What all replicas take together, as far as it is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) cpu: Option<Figure>,
    pub(super) memory: Option<String>,
    /// The mean over all GPUs.
    pub(super) duty: Option<String>,
}

pub(super) fn total(workload: &Workload) -> Total {
    let places = || workload.status.placements.iter().filter_map(|p| Some((p, p.usage.as_ref()?)));
    let cpu = places().filter_map(|(_, usage)| usage.cpu).reduce(|sum, cpu| Figure(sum.0 + cpu.0));
    let memory = places().map(|(_, usage)| usage.memory).reduce(|sum, memory| sum.saturating_add(memory));
    let duties = places().filter_map(|(p, usage)| {
        let devices = p.devices.len() as i64;
        Some((usage.gpu.as_ref()?.duty?.0 * devices, devices))
    });
    let duty = duties.reduce(|sum, more| (sum.0 + more.0, sum.1 + more.1));
    Total {
        cpu,
        memory: memory.map(size),
        duty: duty.map(|(sum, devices)| percent(Figure(sum / devices.max(1)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(usages: &[&str]) -> Workload {
        let place = |usage: &&str| {
            format!(
                r#"{{"unit":0,"replica":0,"node":"n","devices":[0],"gpu":0.25,"state":"running"{usage}}}"#
            )
        };
        let places: Vec<String> = usages.iter().map(place).collect();
        let text = format!(
            r#"{{"apiVersion":"tidegate.dev/v1","kind":"Workload",
            "metadata":{{"name":"a","uid":"w-0","version":"1","createdAt":"2026-01-31T08:00:00Z"}},"spec":{{}},
            "status":{{"state":"running","quota":"main","workspace":"default","module":"training","priority":5,
            "owner":"x","replicas":{{"wanted":1,"running":1,"held":0,"leaving":0}},"gpu":1,
            "enqueuedAt":"2026-01-31T08:00:00Z","restarts":0,"preemptions":0,"placements":[{}]}}}}"#,
            places.join(",")
        );
        serde_json::from_str(&text).expect("a workload")
    }

    const BUSY: &str = r#","usage":{"cpu":0.98,"requestedCpu":1,"memory":3221225472,"requestedMemory":2147483648,
        "processorMillis":5,"processes":1,"gpu":{"duty":0.9,"memory":32212254720,"grantedMemory":21474836480,
        "overDuty":true,"overMemory":true}}"#;
    const VIRTUAL: &str = r#","usage":{"requestedCpu":1,"memory":1048576,"requestedMemory":2097152,
        "processorMillis":5,"processes":1}"#;

    #[test]
    fn a_replica_is_told_with_what_is_known_of_it() {
        let said = |usage: &str| all(&workload(&[usage]).status.placements[0]);
        assert_eq!(said(""), "");
        assert_eq!(said(VIRTUAL), ", takes 1Mi of memory, asked for 2Mi, GPU duty unknown");
        assert_eq!(
            said(BUSY),
            ", uses 0.98 of 1 cores, takes 3Gi of memory, asked for 2Gi, GPU duty 90 %, GPU memory 30Gi of 20Gi"
        );
    }

    #[test]
    fn what_is_beyond_is_explained() {
        assert_eq!(beyond(&workload(&["", VIRTUAL])), [""; 0]);
        let said = beyond(&workload(&[VIRTUAL, BUSY]));
        let expected = [
            "takes 3Gi of memory, asked for 2Gi",
            "uses 30Gi of GPU memory, its part is 20Gi, which the device does not enforce",
            "computes 90 % of the time, its part of the GPU is 25 %, which the device does not enforce",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn totals_are_of_what_is_known() {
        assert_eq!(total(&workload(&["", ""])), Total::default());
        let sum = total(&workload(&[BUSY, VIRTUAL, BUSY]));
        assert_eq!((sum.cpu, sum.memory.as_deref()), (Some(Figure(1_960)), Some("6Gi")));
        assert_eq!(sum.duty.as_deref(), Some("90 %"));
    }
}
