//! Stop, priority, size, and what the executor reports.

use super::submit::check_minimum;
use super::wrong_state;
use crate::event::Cause;
use crate::event::{EventKind, StopCause};
use crate::ids::{Tick, WorkloadId};
use crate::plan::DRAIN_DEADLINE;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::unit::UnitState;
use crate::words::{Class, EvictionRule, Priority};
use crate::workload::{Exit, MAX_REPLICAS, WorkloadState};
use smallvec::SmallVec;
use std::collections::BTreeSet;

impl Session<'_> {
    pub(super) fn stop(&mut self, id: WorkloadId) -> Result<(), Refusal> {
        let w = self.s.live_workload(id, "stop")?;
        let (state, leaves) = (w.state, w.units.iter().any(|&u| self.s.units[u].is_leaving()));
        if state == WorkloadState::Leaving(Exit::Stop) {
            return Err(wrong_state(w, "stop", "not stopping already"));
        }
        let runs_nothing = state.is_waiting() || state == WorkloadState::Held;
        if runs_nothing {
            self.end_reservation_of(id);
        }
        // Who waits may have replicas that it gave up before it lost the others: their devices are not free yet.
        if runs_nothing && !leaves {
            self.emit(EventKind::Stopped { workload: id, cause: StopCause::Asked });
        } else {
            self.ask_to_stop(id, StopCause::Asked);
        }
        Ok(())
    }

    /// Asks all that runs of a workload to stop for good.
    pub(super) fn ask_to_stop(&mut self, id: WorkloadId, cause: StopCause) {
        self.drop_holds_of(id);
        let w = self.s.w(id);
        let leaving = w.units.iter().any(|&u| self.s.units[u].is_leaving());
        if !leaving && (w.spec.grace.0 == 0 || self.s.running_replicas(w) == 0) {
            self.emit(EventKind::Stopped { workload: id, cause });
            return;
        }
        let running = w.units.iter().map(|&u| &self.s.units[u]).filter(|u| u.is_running());
        let units: SmallVec<[u32; 2]> = running.map(|u| u.number).collect();
        let (priority, grace) = (w.spec.priority, w.spec.grace);
        let class = self.s.units[w.units[0]].class;
        let lost = self.s.lost_by(id, &units, self.now);
        let rule = if cause == StopCause::MaxRun { EvictionRule::MaxRun } else { EvictionRule::Stop };
        let cause = Cause { rule, by: None, policy_of: None, class, priority, lost, spared: None };
        let deadline = self.now.after(grace).after(DRAIN_DEADLINE);
        self.emit(EventKind::Evicted { workload: id, units, exit: Exit::Stop, replicas: 0, deadline, cause });
    }

    /// Asks all that runs of a workload to stop and come back.
    pub(super) fn restart(&mut self, id: WorkloadId) -> Result<(), Refusal> {
        let w = self.s.live_workload(id, "restart")?;
        if w.state != WorkloadState::Running {
            return Err(wrong_state(w, "restart", "running"));
        }
        self.drop_holds_of(id);
        let w = self.s.w(id);
        let running = w.units.iter().map(|&u| &self.s.units[u]).filter(|u| u.is_running());
        let units: SmallVec<[u32; 2]> = running.map(|u| u.number).collect();
        let class = w.units.iter().map(|&u| self.s.units[u].class).min().unwrap_or(Class::Firm);
        let (priority, grace) = (w.spec.priority, w.spec.grace);
        let lost = self.s.lost_by(id, &units, self.now);
        let rule = EvictionRule::Restart;
        let cause = Cause { rule, by: None, policy_of: None, class, priority, lost, spared: None };
        let deadline = self.now.after(grace).after(DRAIN_DEADLINE);
        let exit = if w.spec.suspend { Exit::Suspend } else { Exit::Requeue };
        self.emit(EventKind::Evicted { workload: id, units, exit, replicas: 0, deadline, cause });
        Ok(())
    }

    pub(super) fn set_priority(&mut self, id: WorkloadId, to: Priority) -> Result<(), Refusal> {
        let w = self.s.live_workload(id, "priority")?;
        let from = w.spec.priority;
        if from == to {
            return Err(wrong_state(w, "priority", "of another priority than the one asked for"));
        }
        self.end_reservation_of(id);
        self.emit(EventKind::PriorityChanged { workload: id, from, to });
        Ok(())
    }

    pub(super) fn resize(&mut self, id: WorkloadId, to: u32) -> Result<(), Refusal> {
        let w = self.s.live_workload(id, "resize")?;
        let (from, name) = (w.spec.replicas(), w.spec.name.to_string());
        let refuse = |why| Err(Refusal::NotResizable { workload: name.clone(), why });
        if w.spec.roles.len() > 1 {
            return refuse("it has several roles");
        }
        if to == 0 {
            return Err(Refusal::NoReplicas);
        }
        if to > MAX_REPLICAS {
            return Err(Refusal::TooManyReplicas { replicas: u64::from(to) });
        }
        if to == from {
            return refuse("it has that size already");
        }
        if matches!(w.state, WorkloadState::Leaving(_)) {
            return refuse("it is leaving");
        }
        if !w.spec.by_replica() && !w.state.is_waiting() {
            return refuse("it is a gang that runs; only services and elastic jobs change their size then");
        }
        check_minimum(&w.spec, to)?;
        let mut spec = (*w.spec).clone();
        spec.roles[0].replicas = to;
        self.s.could_ever_run(&spec)?;
        if w.spec.by_replica() != spec.by_replica() && !w.state.is_waiting() {
            return refuse("its minimum would be all of it");
        }
        self.end_reservation_of(id);
        self.emit(EventKind::Resized { workload: id, from, to });
        self.shed(id, to);
        Ok(())
    }

    /// Lets replicas beyond the wanted size go: held ones first, then of the lowest class, latest start first.
    fn shed(&mut self, id: WorkloadId, to: u32) {
        let w = self.s.w(id);
        let here = w.units.iter().copied().filter(|&u| !self.s.units[u].is_leaving());
        let mut units: Vec<u32> = here.collect();
        units.sort_by_key(|&u| {
            let u = &self.s.units[u];
            (u.is_running(), u.class, std::cmp::Reverse(u.started), std::cmp::Reverse(u.number))
        });
        let excess = units.len().saturating_sub(to as usize);
        if excess == 0 || !w.spec.by_replica() {
            return;
        }
        let (held, running): (Vec<u32>, Vec<u32>) =
            units[..excess].iter().partition(|&&u| self.s.units[u].state == UnitState::Held);
        if !held.is_empty() {
            let units = held.iter().map(|&u| self.s.units[u].number).collect();
            self.emit(EventKind::HoldLost { workload: id, units, by: None });
        }
        let victims: Vec<_> = running
            .into_iter()
            .map(|unit| crate::plan::Victim { unit, rule: EvictionRule::Resize, policy_of: None })
            .collect();
        self.evict_all(&victims, None, None);
    }

    pub(super) fn forget(&mut self, id: WorkloadId) -> Result<(), Refusal> {
        let w = self.s.known_workload(id)?;
        if !w.state.is_ended() {
            return Err(wrong_state(w, "forget", "ended"));
        }
        self.emit(EventKind::Forgotten { workload: id });
        Ok(())
    }

    pub(super) fn finished(&mut self, id: WorkloadId) -> Result<(), Refusal> {
        let w = self.s.known_workload(id)?;
        if !matches!(w.state, WorkloadState::Running | WorkloadState::Leaving(_)) {
            return Err(wrong_state(w, "finish", "running"));
        }
        self.emit(EventKind::Finished { workload: id });
        Ok(())
    }

    pub(super) fn failed(&mut self, id: WorkloadId) -> Result<(), Refusal> {
        let w = self.s.known_workload(id)?;
        if !matches!(w.state, WorkloadState::Running | WorkloadState::Leaving(_)) {
            return Err(wrong_state(w, "fail", "running"));
        }
        let stopping = w.state == WorkloadState::Leaving(Exit::Stop);
        let restarts_left = w.spec.restarts.checked_sub(w.failures + 1).filter(|_| !stopping);
        self.emit(EventKind::Failed { workload: id, restarts_left });
        Ok(())
    }

    /// Units that were asked to stop are gone.
    pub(super) fn released(&mut self, units: &[(WorkloadId, u32)]) -> Result<(), Refusal> {
        let mut seen = BTreeSet::new();
        for &(id, unit) in units {
            let w = self.s.known_workload(id)?;
            let leaving = self.s.unit_of(id, unit).is_some_and(|u| self.s.units[u].is_leaving());
            if !leaving || !seen.insert((id, unit)) {
                return Err(Refusal::NoSuchUnit { workload: w.spec.name.to_string(), unit });
            }
        }
        let mut i = 0;
        while i < units.len() {
            let id = units[i].0;
            let run = units[i..].iter().take_while(|u| u.0 == id).count();
            self.let_go(id, units[i..i + run].iter().map(|u| u.1).collect());
            i += run;
        }
        Ok(())
    }

    fn let_go(&mut self, id: WorkloadId, units: SmallVec<[u32; 2]>) {
        let w = self.s.w(id);
        let last = w.units.len() == units.len();
        let state = w.state;
        let requeued = last && matches!(state, WorkloadState::Leaving(Exit::Requeue | Exit::Suspend));
        self.emit(EventKind::Released { workload: id, units, requeued });
        if last && state == WorkloadState::Leaving(Exit::Stop) {
            let cause = match self.s.w(id).evicted.as_ref().map(|e| e.1.rule) {
                None | Some(EvictionRule::Stop) => StopCause::Asked,
                Some(EvictionRule::MaxRun) => StopCause::MaxRun,
                Some(_) => StopCause::OnPreempt,
            };
            self.emit(EventKind::Stopped { workload: id, cause });
        }
    }

    pub(super) fn checkpointed(&mut self, id: WorkloadId, saved_at: Tick) -> Result<(), Refusal> {
        let w = self.s.known_workload(id)?;
        if w.state != WorkloadState::Running {
            return Err(wrong_state(w, "checkpoint", "running"));
        }
        let saved_at = saved_at.min(self.now);
        self.emit(EventKind::Checkpointed { workload: id, saved_at });
        Ok(())
    }
}
