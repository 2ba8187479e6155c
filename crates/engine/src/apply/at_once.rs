//! A workload that starts as it arrives.

use crate::ids::{Tick, WorkloadId};
use crate::state::State;
use crate::unit::{Grant, UnitState};
use crate::workload::{WorkloadSpec, WorkloadState};
use std::sync::Arc;

impl State {
    /// `Queued` and `Started` in one step, for a workload of one piece into a queue in which nobody waits.
    pub(crate) fn admit(&mut self, at: Tick, id: WorkloadId, spec: &Arc<WorkloadSpec>, grant: &Grant) {
        let quota = spec.quota;
        self.enter_workload(at, id, spec, WorkloadState::Running);
        let unit = self.new_unit(at, id, grant, UnitState::Running);
        self.enter(unit);
        self.enlist(unit);
        self.count_use(unit, 1);
        self.wake_hunters(unit);
        if !self.abroad[quota.index()].is_empty() {
            self.agenda.freed.insert(quota);
        }
        self.set_run_timers(at, id);
        if cfg!(debug_assertions) {
            self.assert_conserved();
        }
    }
}
