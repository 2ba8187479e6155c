//! The state machine of workloads: which event may follow which.

use crate::checker::Checker;
use crate::line::Standing;
use crate::plan::{Eviction, Plan, Takeover};
use crate::violation::Breach;
use crate::workloads::{Phase, Workload};
use crate::world::Checked;
use std::collections::BTreeMap;
use tidegate_engine::event::{Cause, StartKind};
use tidegate_engine::ids::{NodeId, Tick, WorkloadId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::unit::{Draws, Grant};
use tidegate_engine::words::{Class, EvictionRule, OnPreempt};
use tidegate_engine::workload::{Exit, WorkloadSpec};

impl Checker {
    pub(crate) fn queued(&mut self, id: WorkloadId, spec: &WorkloadSpec) -> Checked {
        self.world.quota(spec.quota)?;
        if self.world.workloads.contains_key(&id) {
            return self.world.broken(Breach::Repeated { noun: "workload", name: spec.name.to_string() });
        }
        let (phase, suspended, units) = (Phase::Waiting, false, BTreeMap::new());
        self.world.workloads.insert(id, Workload { spec: spec.clone(), phase, suspended, units });
        self.world.quotas.get_mut(&spec.quota).expect("looked up above").live += 1;
        Ok(())
    }

    /// The workload, if it is in one of these phases.
    fn expect(
        &self,
        id: WorkloadId,
        event: &'static str,
        legal: impl Fn(Phase) -> bool,
    ) -> Checked<&Workload> {
        let workload = self.world.workload(id)?;
        if legal(workload.phase) {
            return Ok(workload);
        }
        let (name, state) = (self.world.name(id), workload.phase.word());
        self.world.broken(Breach::WrongState { workload: name, state, event })
    }

    /// The units, if all of them stand so.
    fn expect_units(
        &self,
        id: WorkloadId,
        units: &[u32],
        standing: &[Standing],
        event: &'static str,
    ) -> Checked {
        let workload = self.world.workload(id)?;
        for &unit in units {
            let why = match workload.units.get(&unit).map(|u| u.standing) {
                Some(found) if standing.contains(&found) => continue,
                Some(Standing::Held) => "it is held",
                Some(Standing::Running) => "it runs",
                Some(Standing::Leaving) => "it is leaving",
                None => "it has nothing",
            };
            let workload = self.world.name(id);
            return self.world.broken(Breach::WrongUnit { workload, unit, event, why });
        }
        Ok(())
    }

    fn set(&mut self, id: WorkloadId, phase: Phase) {
        let workload = self.world.workloads.get_mut(&id).expect("looked up before");
        if phase == Phase::Ended && workload.phase != Phase::Ended {
            self.world.quotas.get_mut(&workload.spec.quota).expect("it has a live workload").live -= 1;
        }
        workload.phase = phase;
        self.world.touched_workloads.insert(id);
    }

    fn check_replicas(&self, id: WorkloadId, said: u32) -> Checked {
        let counted = self.world.workload(id)?.running();
        if said == counted {
            return Ok(());
        }
        let (of, said, counted) = (self.world.name(id), said.to_string(), counted.to_string());
        self.world.broken(Breach::WrongRecord { of, what: "replicas that run are", said, counted })
    }

    /// If evictions were made for it, they and what it is given now are a plan. What it is given after that comes of
    /// another plan, which found room enough in what leaves already.
    fn complete_plan(&mut self, id: WorkloadId, grants: &[Grant]) -> Checked {
        let Some(evictions) = self.batch.pending.remove(&id) else { return Ok(()) };
        let takeovers = self.batch.takeovers.get(&id).cloned().unwrap_or_default();
        let plan = Plan { by: id, evictions, takeovers, grants: grants.to_vec() };
        self.world.check_plan(&plan, &self.batch.started)?;
        if plan.is_late() {
            self.batch.firm.extend(plan.grants.iter().map(|grant| (id, grant.unit)));
        }
        Ok(())
    }

    fn check_takeovers(&mut self, id: WorkloadId, grants: &[Grant]) -> Checked {
        let class = grants.iter().map(Grant::class).min().unwrap_or(Class::Firm);
        let rank = self.world.rank(self.world.workload(id)?, class);
        for taken in self.batch.takeovers.remove(&id).unwrap_or_default() {
            if rank <= taken.rank {
                let (loser, by) = (self.world.name(taken.loser), self.world.name(id));
                return self.world.broken(Breach::TakeoverNotHigher { loser, by });
            }
        }
        Ok(())
    }

    fn give(&mut self, id: WorkloadId, grant: &Grant, standing: Standing) -> Checked {
        let firm = self.batch.firm.contains(&(id, grant.unit));
        self.world.check_grant(id, grant, standing, firm)?;
        self.world.enter(id, grant, standing);
        self.world.check_room(id, grant)
    }

    pub(crate) fn held(&mut self, id: WorkloadId, grants: &[Grant]) -> Checked {
        let legal = |phase| matches!(phase, Phase::Waiting | Phase::Held | Phase::Running);
        let phase = self.expect(id, "held", legal)?.phase;
        self.complete_plan(id, grants)?;
        self.check_takeovers(id, grants)?;
        for grant in grants {
            self.expect_none(id, grant.unit, "held")?;
            self.give(id, grant, Standing::Held)?;
        }
        if phase == Phase::Waiting {
            self.set(id, Phase::Held);
        }
        Ok(())
    }

    fn expect_none(&self, id: WorkloadId, unit: u32, event: &'static str) -> Checked {
        if !self.world.workload(id)?.units.contains_key(&unit) {
            return Ok(());
        }
        let (workload, why) = (self.world.name(id), "it holds draws and devices already");
        self.world.broken(Breach::WrongUnit { workload, unit, event, why })
    }

    pub(crate) fn hold_lost(&mut self, id: WorkloadId, units: &[u32], by: Option<WorkloadId>) -> Checked {
        self.expect(id, "robbed of its hold", |phase| phase != Phase::Waiting)?;
        self.expect_units(id, units, &[Standing::Held], "robbed of its hold")?;
        for &unit in units {
            let workload = self.world.workload(id)?;
            let rank = self.world.rank(workload, workload.units[&unit].class());
            let grant = workload.units[&unit].grant.clone();
            match by {
                Some(by) => {
                    self.batch.takeovers.entry(by).or_default().push(Takeover { loser: id, rank, grant });
                }
                None => self.batch.dropped.entry(id).or_default().push(grant),
            }
            // What it is given next may come of another plan.
            self.batch.firm.remove(&(id, unit));
            self.world.leave(id, unit);
        }
        let workload = self.world.workload(id)?;
        if workload.phase == Phase::Held && !workload.has(Standing::Held) {
            self.set(id, Phase::Waiting);
        }
        Ok(())
    }

    pub(crate) fn started(
        &mut self,
        id: WorkloadId,
        kind: StartKind,
        replicas: u32,
        grants: &[Grant],
    ) -> Checked {
        let legal = |phase| matches!(phase, Phase::Waiting | Phase::Held | Phase::Running);
        let workload = self.expect(id, "started", legal)?;
        let expected = match workload.phase {
            Phase::Running => StartKind::Grown,
            _ if workload.suspended => StartKind::Resumed,
            _ => StartKind::Started,
        };
        if kind != expected {
            let (workload, said) = (self.world.name(id), format!("{kind:?}").to_lowercase());
            let expected = match expected {
                StartKind::Started => "a start",
                StartKind::Resumed => "a return from suspension",
                StartKind::Grown => "growth",
            };
            return self.world.broken(Breach::WrongStartKind { workload, said, expected });
        }
        self.complete_plan(id, grants)?;
        self.check_takeovers(id, grants)?;
        for grant in grants {
            self.start_unit(id, grant)?;
            self.batch.started.insert((id, grant.unit));
        }
        self.set(id, Phase::Running);
        self.world.workloads.get_mut(&id).expect("looked up above").suspended = false;
        self.check_replicas(id, replicas)?;
        if kind == StartKind::Grown {
            self.world.restart(id);
        }
        let workload = self.world.workload(id)?;
        let min = workload.spec.min();
        if kind != StartKind::Grown && workload.running() < min {
            let (workload, replicas) = (self.world.name(id), workload.running());
            return self.world.broken(Breach::BelowMinimum { workload, replicas, min });
        }
        self.check_gang(id)
    }

    fn start_unit(&mut self, id: WorkloadId, grant: &Grant) -> Checked {
        let workload = self.world.workload(id)?;
        let held = workload.units.get(&grant.unit).filter(|unit| unit.standing == Standing::Held);
        let Some(held) = held else {
            self.expect_none(id, grant.unit, "started")?;
            return self.give(id, grant, Standing::Running);
        };
        if held.grant != *grant {
            let (workload, unit) = (self.world.name(id), grant.unit);
            return self.world.broken(Breach::HoldNotKept { workload, unit });
        }
        let pool = self.world.quota_of(workload).pool;
        for slot in &grant.slots {
            let node = self.world.node(pool, slot.node)?;
            if node.state != NodeState::Ready {
                let (workload, unit) = (self.world.name(id), grant.unit);
                let (node, why) = (node.spec.name.to_string(), "it is not ready any more");
                return self.world.broken(Breach::WrongNode { workload, unit, node, why });
            }
        }
        self.world.turn(id, grant.unit, Standing::Running);
        self.world.check_room(id, grant)
    }

    /// Of a job at least the minimum runs, or nothing.
    fn check_gang(&self, id: WorkloadId) -> Checked {
        let workload = self.world.workload(id)?;
        let running = workload.running();
        if workload.spec.is_service() || running == 0 || running >= workload.spec.min() {
            return Ok(());
        }
        self.world.broken(Breach::GangSplit { workload: self.world.name(id) })
    }

    /// Lower classes are given up first: the minimum can be formed of replicas that are no weaker.
    fn check_shrink(&self, id: WorkloadId, units: &[u32]) -> Checked {
        let workload = self.world.workload(id)?;
        for &unit in units {
            let class = workload.units[&unit].class();
            let staying = workload.standing(Standing::Running).filter(|(_, u)| u.class() >= class);
            if (staying.count() as u32) < workload.spec.min() {
                return self.world.broken(Breach::StrongerFirst { workload: self.world.name(id), unit });
            }
        }
        Ok(())
    }

    pub(crate) fn evicted(
        &mut self,
        id: WorkloadId,
        units: &[u32],
        exit: Exit,
        replicas: u32,
        deadline: Tick,
        cause: &Cause,
    ) -> Checked {
        // Its owner stops what leaves already: no unit is asked again, but none comes back.
        let workload = self.world.workload(id)?;
        let leaves = match workload.phase {
            Phase::Leaving(_) => true,
            Phase::Waiting => workload.has(Standing::Leaving),
            _ => false,
        };
        if leaves
            && matches!(cause.rule, EvictionRule::Stop | EvictionRule::MaxRun)
            && exit == Exit::Stop
            && units.is_empty()
        {
            self.set(id, Phase::Leaving(exit));
            return self.check_replicas(id, replicas);
        }
        self.expect(id, "evicted", |phase| phase == Phase::Running)?;
        self.expect_units(id, units, &[Standing::Running], "evicted")?;
        if let Some(&unit) = units.iter().find(|unit| self.batch.started.contains(&(id, **unit))) {
            let victim = self.world.name(id);
            return self.world.broken(Breach::EvictedInStartingPass { victim, unit });
        }
        self.check_cause(id, units, deadline, cause)?;
        for &unit in units {
            self.world.turn(id, unit, Standing::Leaving);
        }
        self.world.restart(id);
        self.check_replicas(id, replicas)?;
        self.check_gang(id)?;
        self.check_exit(id, exit, cause)?;
        let workload = self.world.workload(id)?;
        let min = workload.spec.min();
        match replicas {
            0 => self.set(id, Phase::Leaving(exit)),
            _ if replicas < min => {
                let workload = self.world.name(id);
                return self.world.broken(Breach::BelowMinimum { workload, replicas, min });
            }
            _ if cause.by.is_some() => self.check_shrink(id, units)?,
            // An operator wants what is in the way, whatever its class.
            _ => {}
        }
        let mut units = units.to_vec();
        units.sort_unstable();
        let dropped = self.batch.dropped.remove(&id).filter(|_| replicas == 0).unwrap_or_default();
        let eviction = Eviction { victim: id, units, cause: cause.clone(), dropped };
        match (cause.by, cause.rule) {
            (Some(by), _) => self.batch.pending.entry(by).or_default().push(eviction),
            (None, EvictionRule::Drain) => self.check_drained(&eviction)?,
            // Its owner stops it, restarts it, or makes it smaller.
            (None, rule) if rule.is_owners() => {}
            (None, _) => self.batch.operator.push(eviction),
        }
        Ok(())
    }

    fn check_cause(&self, id: WorkloadId, units: &[u32], deadline: Tick, cause: &Cause) -> Checked {
        let workload = self.world.workload(id)?;
        let of = self.world.name(id);
        let wrong = |what, said: String, counted: String| {
            self.world.broken(Breach::WrongRecord { of: of.clone(), what, said, counted })
        };
        if cause.priority != workload.priority() {
            return wrong("priority", cause.priority.to_string(), workload.priority().to_string());
        }
        let mut classes = units.iter().map(|n| workload.units[n].class());
        if units.is_empty() || !classes.any(|class| class == cause.class) {
            return wrong("class", cause.class.to_string(), "another".into());
        }
        if deadline < self.world.now {
            return wrong("deadline", deadline.0.to_string(), self.world.now.0.to_string());
        }
        let tier = cause.rule <= EvictionRule::ChildLevel;
        if tier != cause.by.is_some() {
            let counted = if tier { "no preemptor" } else { "a preemptor" };
            return wrong("rule", cause.rule.to_string(), counted.into());
        }
        Ok(())
    }

    fn check_exit(&self, id: WorkloadId, exit: Exit, cause: &Cause) -> Checked {
        let (preempted, rule) = (cause.by.is_some(), cause.rule);
        let workload = self.world.workload(id)?;
        let goes_on = workload.running() > 0;
        let why = match exit {
            Exit::Shrink if !goes_on => "nothing of it goes on",
            Exit::Shrink => return Ok(()),
            _ if goes_on => "the rest goes on, it shrinks",
            Exit::Stop if matches!(rule, EvictionRule::Stop | EvictionRule::MaxRun) => return Ok(()),
            _ if matches!(rule, EvictionRule::Stop | EvictionRule::MaxRun) => "it is to be stopped",
            Exit::Stop if workload.spec.on_preempt != OnPreempt::Stop => "it is to be queued again",
            Exit::Requeue | Exit::Suspend if preempted && workload.spec.on_preempt == OnPreempt::Stop => {
                "it is to be stopped"
            }
            Exit::Suspend if !workload.spec.suspend => "it cannot be suspended",
            _ => return Ok(()),
        };
        let (workload, said) = (self.world.name(id), format!("{exit:?}").to_lowercase());
        self.world.broken(Breach::WrongExit { workload, said, why })
    }

    pub(crate) fn released(&mut self, id: WorkloadId, units: &[u32], requeued: bool) -> Checked {
        self.expect_units(id, units, &[Standing::Leaving], "released")?;
        units.iter().for_each(|unit| self.world.leave(id, *unit));
        if !requeued {
            return Ok(());
        }
        let back = |phase| matches!(phase, Phase::Leaving(Exit::Requeue | Exit::Suspend));
        let phase = self.expect(id, "queued again", back)?.phase;
        self.set(id, Phase::Waiting);
        let workload = self.world.workloads.get_mut(&id).expect("looked up above");
        workload.suspended = phase == Phase::Leaving(Exit::Suspend);
        Ok(())
    }

    pub(crate) fn lost(&mut self, id: WorkloadId, units: &[u32], node: NodeId, replicas: u32) -> Checked {
        let legal =
            |phase| matches!(phase, Phase::Running | Phase::Leaving(_) | Phase::Waiting | Phase::Held);
        let phase = self.expect(id, "lost", legal)?.phase;
        self.expect_units(id, units, &[Standing::Running, Standing::Leaving], "lost")?;
        let workload = self.world.workload(id)?;
        let pool = self.world.quota_of(workload).pool;
        let touches = |n: &u32| workload.units[n].grant.slots.iter().any(|slot| slot.node == node);
        // What falls below its minimum goes whole.
        let whole = !workload.spec.is_service() && replicas == 0 && units.iter().any(touches);
        if let Some(&unit) = units.iter().find(|n| !whole && !touches(n)) {
            let (workload, why) = (self.world.name(id), "it is not on that node");
            return self.world.broken(Breach::WrongUnit { workload, unit, event: "lost", why });
        }
        self.batch.lost.insert((pool, node));
        units.iter().for_each(|unit| self.world.leave(id, *unit));
        self.world.restart(id);
        self.check_replicas(id, replicas)?;
        self.check_gang(id)?;
        let workload = self.world.workload(id)?;
        let next = match phase {
            Phase::Running if workload.running() == 0 => Phase::Waiting,
            Phase::Leaving(Exit::Requeue | Exit::Suspend) if workload.units.is_empty() => Phase::Waiting,
            // What was to be kept went with the node.
            Phase::Leaving(Exit::Suspend) => Phase::Leaving(Exit::Requeue),
            _ => phase,
        };
        self.set(id, next);
        Ok(())
    }

    pub(crate) fn moved(&mut self, id: WorkloadId, number: u32, draws: &Draws) -> Checked {
        self.expect(id, "moved", |phase| phase == Phase::Running)?;
        self.expect_units(id, &[number], &[Standing::Running], "moved")?;
        self.world.check_move(id, number, draws)?;
        self.world.refund(id, number, draws);
        let grant = self.world.workload(id)?.units[&number].grant.clone();
        self.world.check_room(id, &grant)
    }

    /// All that it has is given up. Who ends by itself is gone; who is stopped must have been released.
    pub(crate) fn ended(&mut self, id: WorkloadId, event: &'static str, requeued: bool) -> Checked {
        let workload = match event {
            "stopped" => self.expect(id, event, |phase| phase != Phase::Ended)?,
            _ => self.expect(id, event, |phase| matches!(phase, Phase::Running | Phase::Leaving(_)))?,
        };
        if event == "stopped" && workload.has(Standing::Leaving) {
            let (workload, why) = (self.world.name(id), "gives up what units of it that leave still occupy");
            return self.world.broken(Breach::Dangling { workload, why });
        }
        let units: Vec<u32> = workload.units.keys().copied().collect();
        units.into_iter().for_each(|unit| self.world.leave(id, unit));
        self.set(id, if requeued { Phase::Waiting } else { Phase::Ended });
        Ok(())
    }

    pub(crate) fn forgotten(&mut self, id: WorkloadId) -> Checked {
        self.expect(id, "forgotten", |phase| phase == Phase::Ended)?;
        self.world.workloads.remove(&id);
        self.world.reservations.remove(&id);
        Ok(())
    }
}
