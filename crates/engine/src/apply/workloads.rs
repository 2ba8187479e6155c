//! Events of whole workloads.

use crate::ids::{Tick, WorkloadId};
use crate::state::{State, Timer};
use crate::words::{Priority, Strategy};
use crate::workload::{Workload, WorkloadSpec, WorkloadState};
use smallvec::SmallVec;
use std::sync::Arc;

impl State {
    pub(super) fn enqueue(&mut self, at: Tick, id: WorkloadId, spec: &Arc<WorkloadSpec>) {
        self.enter_workload(at, id, spec, WorkloadState::Queued);
        self.file(id);
    }

    /// Enters a new workload, in no queue yet.
    pub(super) fn enter_workload(
        &mut self,
        at: Tick,
        id: WorkloadId,
        spec: &Arc<WorkloadSpec>,
        state: WorkloadState,
    ) {
        assert_eq!(id.index(), self.workloads.len(), "workloads are numbered in order of submission");
        let shape = self.demand_id(spec);
        self.workload_names.insert(&self.workloads, spec, id);
        self.tree[spec.quota].live += 1;
        self.workloads.push(Workload {
            id,
            spec: spec.clone(),
            state,
            enqueued: at,
            passed_over: None,
            units: SmallVec::new(),
            lane: None,
            shape,
            suspended: false,
            failures: 0,
            preemptions: 0,
            evicted: None,
            cleared: None,
        });
    }

    pub(super) fn pass_over(&mut self, at: Tick, id: WorkloadId) {
        self.w_mut(id).passed_over = Some(at);
        let quota = self.w(id).spec.quota;
        let policy = self.tree[quota].policy.queue;
        self.queues[quota.index()].pass_over(at, id);
        // One timer for a queue: when it is due, the guard sets it for whoever comes next. Where nothing could be
        // kept for those before, there is none.
        if self.first_passed(quota) == Some((at, id)) || self.agenda.unguarded.contains(&quota) {
            self.set_timer(at.after(policy.starvation_guard), Timer::Guard(quota));
        }
        if policy.strategy == Strategy::Balance {
            self.set_timer(at.after(policy.patience), Timer::Window(quota));
        }
    }

    /// The workload ends: whatever it has left is given up.
    pub(super) fn end(&mut self, id: WorkloadId, state: WorkloadState) {
        self.leave_all(id);
        self.w_mut(id).state = state;
        let quota = self.w(id).spec.quota;
        self.tree[quota].live -= 1;
        self.file(id);
    }

    pub(super) fn fail(&mut self, id: WorkloadId, restarts: bool) {
        if !restarts {
            return self.end(id, WorkloadState::Failed);
        }
        self.leave_all(id);
        let w = self.w_mut(id);
        w.failures += 1;
        w.suspended = false;
        w.cleared = None;
        w.state = WorkloadState::Queued;
        self.file(id);
    }

    fn leave_all(&mut self, id: WorkloadId) {
        while let Some(&unit) = self.w(id).units.first() {
            self.leave(id, unit);
        }
    }

    pub(super) fn set_priority(&mut self, id: WorkloadId, priority: Priority) {
        Arc::make_mut(&mut self.w_mut(id).spec).priority = priority;
        self.set_unit_priorities(id, priority);
        self.file(id);
        let quota = self.w(id).spec.quota;
        self.rules_changed(quota);
        self.wake(quota);
        // It may borrow from siblings now, or by a better rule than before.
        if !self.abroad[quota.index()].is_empty() {
            self.agenda.freed.insert(quota);
            self.tree.siblings(quota).for_each(|q| self.agenda.freed.insert(q));
        }
    }

    pub(super) fn resize(&mut self, id: WorkloadId, replicas: u32) {
        let mut spec = self.w(id).spec.clone();
        Arc::make_mut(&mut spec).roles[0].replicas = replicas;
        let shape = self.demand_id(&spec);
        let w = self.w_mut(id);
        (w.spec, w.shape) = (spec, shape);
        self.file(id);
        self.guard_again();
        let quota = self.w(id).spec.quota;
        self.wake(quota);
    }

    pub(super) fn forget(&mut self, id: WorkloadId) {
        let spec = self.w(id).spec.clone();
        self.workload_names.remove(&spec, id);
        self.workloads.forget(id);
    }
}
