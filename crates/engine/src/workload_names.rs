//! Workloads by name: the latest of each name in its workspace that has not been forgotten.

use crate::ids::{WorkloadId, WorkspaceId};
use crate::numbers::{Mix, Numbers};
use crate::table::Table;
use crate::workload::{Workload, WorkloadSpec};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The names themselves stand in the workloads. They are hashed without their workspace, so that those of one name
/// stand together whoever has them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WorkloadNames {
    numbers: Numbers,
    /// Names for which there was no room.
    crowd: BTreeMap<Box<str>, BTreeMap<WorkspaceId, u32>>,
}

type Workloads = Table<Option<Box<Workload>>>;

fn bears<'a>(
    workloads: &'a Workloads,
    name: &'a str,
    sees: impl Fn(WorkspaceId) -> bool + 'a,
) -> impl Fn(u32) -> bool + 'a {
    move |id| {
        let found = workloads.get(id as usize).and_then(|w| w.as_deref());
        found.is_some_and(|w| *w.spec.name == *name && sees(w.spec.workspace))
    }
}

impl WorkloadNames {
    pub(crate) fn get(
        &self,
        workloads: &Workloads,
        workspace: WorkspaceId,
        name: &str,
    ) -> Option<WorkloadId> {
        let found = self.numbers.find(Mix::of_text(name), bears(workloads, name, |w| w == workspace));
        if found.is_none() && !self.crowd.is_empty() {
            return self.get_crowded(workspace, name);
        }
        found.map(WorkloadId)
    }

    /// One for each workspace that `sees` says yes to, in order of submission.
    pub(crate) fn all(
        &self,
        workloads: &Workloads,
        name: &str,
        sees: impl Fn(WorkspaceId) -> bool,
    ) -> SmallVec<[WorkloadId; 2]> {
        let mut found = SmallVec::new();
        let is = bears(workloads, name, &sees);
        self.numbers.each(Mix::of_text(name), |id| {
            if is(id) {
                found.push(WorkloadId(id));
            }
        });
        let crowded = self.crowd.get(name).into_iter().flatten();
        found.extend(crowded.filter(|(workspace, _)| sees(**workspace)).map(|(_, &id)| WorkloadId(id)));
        found.sort_unstable();
        found
    }

    pub(crate) fn insert(&mut self, workloads: &Workloads, spec: &WorkloadSpec, id: WorkloadId) {
        let (workspace, name) = (spec.workspace, &*spec.name);
        let hash = Mix::of_text(name);
        if self.numbers.replace(hash, bears(workloads, name, |w| w == workspace), id.0) {
            return;
        }
        let crowded = !self.crowd.is_empty() && self.get_crowded(workspace, name).is_some();
        if crowded || !self.numbers.insert(hash, id.0) {
            self.insert_crowded(workspace, name, id);
        }
    }

    #[cold]
    fn get_crowded(&self, workspace: WorkspaceId, name: &str) -> Option<WorkloadId> {
        self.crowd.get(name)?.get(&workspace).copied().map(WorkloadId)
    }

    #[cold]
    fn insert_crowded(&mut self, workspace: WorkspaceId, name: &str, id: WorkloadId) {
        self.crowd.entry(name.into()).or_default().insert(workspace, id.0);
    }

    /// What stands where the name would: a way to have it brought near.
    pub(crate) fn glance(&self, name: &str) -> u32 {
        self.numbers.glance(Mix::of_text(name))
    }

    /// Forgets the name, if it still stands for `id`.
    pub(crate) fn remove(&mut self, spec: &WorkloadSpec, id: WorkloadId) {
        if self.numbers.remove(Mix::of_text(&spec.name), id.0) {
            return;
        }
        let Some(there) = self.crowd.get_mut(&spec.name) else { return };
        if there.get(&spec.workspace) == Some(&id.0) {
            there.remove(&spec.workspace);
            if there.is_empty() {
                self.crowd.remove(&spec.name);
            }
        }
    }
}
