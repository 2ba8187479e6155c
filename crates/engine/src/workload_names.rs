//! Workloads by name: the latest of each name that has not been forgotten.

use crate::ids::WorkloadId;
use crate::numbers::{Mix, Numbers};
use crate::table::Table;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The names themselves stand in the workloads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WorkloadNames {
    numbers: Numbers,
    /// Names for which there was no room.
    crowd: BTreeMap<Box<str>, u32>,
}

type Workloads = Table<Option<Box<Workload>>>;

fn bears<'a>(workloads: &'a Workloads, name: &'a str) -> impl Fn(u32) -> bool + 'a {
    move |id| workloads.get(id as usize).and_then(|w| w.as_deref()).is_some_and(|w| *w.spec.name == *name)
}

impl WorkloadNames {
    pub(crate) fn get(&self, workloads: &Workloads, name: &str) -> Option<WorkloadId> {
        let found = self.numbers.find(Mix::of_text(name), bears(workloads, name));
        if found.is_none() && !self.crowd.is_empty() {
            return self.get_crowded(name);
        }
        found.map(WorkloadId)
    }

    pub(crate) fn insert(&mut self, workloads: &Workloads, name: &str, id: WorkloadId) {
        let hash = Mix::of_text(name);
        if self.numbers.replace(hash, bears(workloads, name), id.0) {
            return;
        }
        let crowded = !self.crowd.is_empty() && self.get_crowded(name).is_some();
        if crowded || !self.numbers.insert(hash, id.0) {
            self.insert_crowded(name, id);
        }
    }

    #[cold]
    fn get_crowded(&self, name: &str) -> Option<WorkloadId> {
        self.crowd.get(name).copied().map(WorkloadId)
    }

    #[cold]
    fn insert_crowded(&mut self, name: &str, id: WorkloadId) {
        self.crowd.insert(name.into(), id.0);
    }

    /// What stands where the name would: a way to have it brought near.
    pub(crate) fn glance(&self, name: &str) -> u32 {
        self.numbers.glance(Mix::of_text(name))
    }

    /// Forgets the name, if it still stands for `id`.
    pub(crate) fn remove(&mut self, name: &str, id: WorkloadId) {
        if !self.numbers.remove(Mix::of_text(name), id.0) && self.crowd.get(name) == Some(&id.0) {
            self.crowd.remove(name);
        }
    }
}
