//! What happens because time has passed.

use crate::event::StopCause;
use crate::ids::{QuotaId, WorkloadId};
use crate::nodes::NodeState;
use crate::queue::Queue;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::Timer;
use crate::words::Strategy;
use crate::workload::WorkloadState;
use smallvec::SmallVec;

impl Session<'_> {
    pub(super) fn wake_timers(&mut self) -> Result<(), Refusal> {
        // What becomes due meanwhile is for the next call: a timer that arms itself anew cannot keep this one.
        let mut due: SmallVec<[Timer; 8]> = SmallVec::new();
        while self.s.timers.first().is_some_and(|t| t.0 <= self.now) {
            due.extend(self.s.timers.pop_first().map(|t| t.1));
        }
        let mut guards: SmallVec<[QuotaId; 8]> = due.iter().filter_map(|timer| timer.guards()).collect();
        for timer in due {
            match timer {
                Timer::Deadline(id, unit) => self.fence(id, unit),
                Timer::MaxRun(id) => self.stop_overdue(id),
                Timer::Unprotect(id) => self.s.wake_for(id),
                Timer::Guard(_) => {}
                Timer::Window(quota) => self.widen(quota),
            }
        }
        // Reservations that have just ended are made anew together with those that are due.
        let ended: SmallVec<[_; 8]> = self.s.timers.iter().take_while(|t| t.0 <= self.now).copied().collect();
        for (at, timer) in ended {
            if let Some(quota) = timer.guards() {
                self.s.timers.remove(&(at, timer));
                guards.push(quota);
            }
        }
        // Who was passed over first chooses first.
        let mut guards: SmallVec<[_; 8]> = guards.into_iter().map(|q| (self.s.first_passed(q), q)).collect();
        guards.sort_unstable();
        guards.dedup();
        guards.into_iter().for_each(|(_, quota)| self.guard(quota));
        Ok(())
    }

    /// A unit that should be gone is not: its nodes are fenced.
    fn fence(&mut self, id: WorkloadId, number: u32) {
        let Some(unit) = self.s.workload(id).and_then(|_| self.s.unit_of(id, number)) else { return };
        if !self.s.units[unit].is_leaving() {
            return;
        }
        let pool = self.s.tree[self.s.units[unit].quota].pool;
        let mut nodes: Vec<_> = self.s.units[unit].grant.slots.iter().map(|s| s.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            if self.s.pools[pool.index()].nodes.node(node).state != NodeState::Lost {
                self.change_node(pool, node, NodeState::Lost, "stuck");
            }
        }
    }

    fn stop_overdue(&mut self, id: WorkloadId) {
        let Some(w) = self.s.workload(id) else { return };
        let Some(max) = w.spec.max_run.filter(|_| w.state == WorkloadState::Running) else { return };
        let first = w.units.iter().map(|&u| self.s.units[u].started).min();
        if first.is_some_and(|started| started.after(max) <= self.now) {
            self.ask_to_stop(id, StopCause::MaxRun);
        }
    }

    fn widen(&mut self, quota: QuotaId) {
        let Some(q) = self.s.tree.get(quota) else { return };
        let policy = q.policy.queue;
        if policy.strategy != Strategy::Balance || self.s.queues[quota.index()].waiting() == 0 {
            return;
        }
        self.s.wake(quota);
        let head = self.s.queues[quota.index()].head(&policy, self.now);
        if let Some(since) = head.and_then(|h| self.s.w(h).passed_over) {
            // Once the window holds everybody there is nothing to widen.
            let wide = self.now.since(since).0 / policy.patience.0.max(1);
            if wide <= u64::from(self.s.queues[quota.index()].waiting()) {
                self.s.set_timer(Queue::widens_at(&policy, since, self.now), Timer::Window(quota));
            }
        }
    }
}
