//! All workloads by number, and the way back to how they were.
//!
//! Workloads that have ended stay until they are forgotten, so that there may be very many of them. Whoever wants to
//! be able to return keeps those that change since, instead of a copy of all.

use crate::ids::WorkloadId;
use crate::table::Table;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WorkloadTable {
    rows: Table<Option<Box<Workload>>>,
    /// How those were that have changed since changes are kept.
    #[serde(skip)]
    before: Option<BTreeMap<WorkloadId, Workload>>,
}

impl WorkloadTable {
    pub(crate) fn push(&mut self, workload: Workload) {
        self.rows.push(Some(Box::new(workload)));
    }

    pub(crate) fn forget(&mut self, id: WorkloadId) {
        self.rows[id.index()] = None;
    }

    /// A workload that the caller knows to be there, to be changed.
    #[inline]
    pub(crate) fn change(&mut self, id: WorkloadId) -> &mut Workload {
        let w = self.rows[id.index()].as_deref_mut().expect("a workload in use is not forgotten");
        if let Some(before) = &mut self.before {
            keep(before, w);
        }
        w
    }

    /// From now on keeps how workloads were before they change.
    pub(crate) fn keep_changes(&mut self) {
        self.before = Some(BTreeMap::new());
    }

    /// There will be no return.
    pub(crate) fn drop_changes(&mut self) {
        self.before = None;
    }

    /// Undoes what has changed since changes are kept. Nothing may have been submitted or forgotten since.
    pub(crate) fn undo_changes(&mut self) {
        for (id, workload) in self.before.take().into_iter().flatten() {
            self.rows[id.index()] = Some(Box::new(workload));
        }
    }
}

#[cold]
#[inline(never)]
fn keep(before: &mut BTreeMap<WorkloadId, Workload>, w: &Workload) {
    before.entry(w.id).or_insert_with(|| w.clone());
}

impl Deref for WorkloadTable {
    type Target = Table<Option<Box<Workload>>>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.rows
    }
}
