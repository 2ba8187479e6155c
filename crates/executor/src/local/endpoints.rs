//! Who can be reached, and where.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use tidegate_engine::ids::WorkloadId;

/// One replica that listens on a port of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// As in [`crate::Running`].
    pub run: u64,
    pub port: u16,
    /// It was asked to leave: nobody new is sent there.
    pub leaves: bool,
}

/// Kept by the executor, read by whoever passes requests on.
#[derive(Clone, Debug, Default)]
pub struct Endpoints(Arc<RwLock<ByReplica>>);

/// By workload, unit and index.
type ByReplica = BTreeMap<(WorkloadId, u32, u32), Endpoint>;

impl Endpoints {
    pub fn of(&self, workload: WorkloadId) -> Vec<((u32, u32), Endpoint)> {
        let all = self.0.read().expect("nobody panics while looking");
        let of = all.range((workload, 0, 0)..=(workload, u32::MAX, u32::MAX));
        of.map(|((_, unit, index), endpoint)| ((*unit, *index), *endpoint)).collect()
    }

    pub(super) fn put(&self, at: (WorkloadId, u32, u32), endpoint: Endpoint) {
        self.0.write().expect("nobody panics while looking").insert(at, endpoint);
    }

    pub(super) fn remove(&self, at: (WorkloadId, u32, u32), run: u64) {
        let mut all = self.0.write().expect("nobody panics while looking");
        if all.get(&at).is_some_and(|endpoint| endpoint.run == run) {
            all.remove(&at);
        }
    }

    pub(super) fn clear(&self) {
        self.0.write().expect("nobody panics while looking").clear();
    }
}
