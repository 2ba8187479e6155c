//! Numbers of the engine as they are shown: `w-123`. Never used again, also when the name is.

use tidegate_engine::ids::{NodeId, PoolId, QuotaId, WorkloadId};

pub fn workload(id: WorkloadId) -> String {
    format!("w-{}", id.0)
}

pub fn quota(id: QuotaId) -> String {
    format!("q-{}", id.0)
}

pub fn pool(id: PoolId) -> String {
    format!("p-{}", id.0)
}

pub fn node(pool: PoolId, id: NodeId) -> String {
    format!("n-{}-{}", pool.0, id.0)
}

pub fn template(id: u32) -> String {
    format!("tpl-{id}")
}

/// The workload of a uid. No workload may have a name that reads as one, so that a path means one thing.
pub fn as_workload(text: &str) -> Option<WorkloadId> {
    let digits = text.strip_prefix("w-")?;
    let plain = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()));
    plain.then(|| digits.parse().ok().map(WorkloadId)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_of_workloads_are_read() {
        for id in [0, 7, u32::MAX] {
            assert_eq!(as_workload(&workload(WorkloadId(id))), Some(WorkloadId(id)));
        }
        for text in ["", "w-", "w-01", "w--1", "w-+1", "W-1", "w-4294967296", "w-1a", "q-1"] {
            assert_eq!(as_workload(text), None, "{text}");
        }
    }
}
