//! Who can be reached, and where.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, RwLock};
use tidegate_engine::ids::WorkloadId;

/// One replica that listens on a port of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// As in [`crate::Running`].
    pub run: u64,
    pub port: u16,
    /// It was asked to leave: nobody new is sent there.
    pub leaves: bool,
    /// Who looks after it: what it has started listens there, and nobody else is meant.
    pub supervisor: Option<u32>,
}

/// Workload, unit and index.
pub type Place = (WorkloadId, u32, u32);

/// Hears of every change, in order, before the process that is meant does: what is now at a place.
pub type Listener = Box<dyn Fn(Place, Option<Endpoint>) + Send + Sync>;

/// Kept by the executor, read by whoever passes requests on.
#[derive(Clone, Default)]
pub struct Endpoints(Arc<Inner>);

#[derive(Default)]
struct Inner {
    all: RwLock<BTreeMap<Place, Endpoint>>,
    listener: OnceLock<Listener>,
}

impl std::fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Endpoints").field(&self.0.all).finish()
    }
}

impl Endpoints {
    pub fn of(&self, workload: WorkloadId) -> Vec<((u32, u32), Endpoint)> {
        let all = self.0.all.read().expect("nobody panics while looking");
        let of = all.range((workload, 0, 0)..=(workload, u32::MAX, u32::MAX));
        of.map(|((_, unit, index), endpoint)| ((*unit, *index), *endpoint)).collect()
    }

    /// Has somebody told of every change from now on. There is one listener, for good.
    pub fn listen(&self, listener: Listener) {
        let _ = self.0.listener.set(listener);
    }

    pub(super) fn put(&self, at: Place, endpoint: Endpoint) {
        let before = self.0.all.write().expect("nobody panics while looking").insert(at, endpoint);
        if before != Some(endpoint) {
            self.tell(at, Some(endpoint));
        }
    }

    pub(super) fn remove(&self, at: Place, run: u64) {
        let mut all = self.0.all.write().expect("nobody panics while looking");
        if all.get(&at).is_some_and(|endpoint| endpoint.run == run) {
            all.remove(&at);
            drop(all);
            self.tell(at, None);
        }
    }

    /// Drops all but those that are still there.
    pub(super) fn keep(&self, is_there: impl Fn(Place, &Endpoint) -> bool) {
        let mut gone = Vec::new();
        self.0.all.write().expect("nobody panics while looking").retain(|at, endpoint| {
            let stays = is_there(*at, endpoint);
            gone.extend((!stays).then_some(*at));
            stays
        });
        gone.into_iter().for_each(|at| self.tell(at, None));
    }

    fn tell(&self, at: Place, endpoint: Option<Endpoint>) {
        if let Some(listener) = self.0.listener.get() {
            listener(at, endpoint);
        }
    }
}
