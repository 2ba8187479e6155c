//! From the engine's events to assignments.

use crate::assignment::{Assignment, Leaving, Replica};
use crate::launch::Launch;
use crate::progress::Progress;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::event::StartKind;
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::plan::DRAIN_DEADLINE;
use tidegate_engine::slot::Slot;
use tidegate_engine::unit::{Unit, UnitState};
use tidegate_engine::workload::{Exit, Roles, WorkloadSpec};
use tidegate_engine::{Engine, Event, EventKind};

/// What executors need to know of all workloads that ever started and have not ended. Follows from the events
/// alone, so that replaying the log gives the same assignments as living through it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    workloads: BTreeMap<WorkloadId, Progress>,
}

/// What an event means for the executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Its assignment changed: send it.
    Assigned(WorkloadId),
    /// It ended: let the executor forget it.
    Ended(WorkloadId),
}

impl Dispatch {
    pub fn new() -> Dispatch {
        Dispatch::default()
    }

    /// Follows the event with this number. The engine has applied it, and perhaps others of the same command.
    pub fn follow(&mut self, engine: &Engine, number: u64, event: &Event) -> Option<Change> {
        let now = event.at;
        let workload = match &event.kind {
            EventKind::Started { workload, kind, grants, .. } => {
                let spec = spec(engine, *workload)?;
                let progress = self.workloads.entry(*workload).or_default();
                progress.add(number, now, grants.iter().map(|g| g.unit));
                // Growing restarts a job, and is nothing to a service.
                if !(spec.is_service() && *kind == StartKind::Grown) {
                    if spec.suspend {
                        progress.save(now);
                    }
                    progress.begin(number, now);
                }
                *workload
            }
            EventKind::Evicted { workload, units, exit, replicas, .. } => {
                let spec = spec(engine, *workload)?;
                let progress = self.workloads.get_mut(workload)?;
                progress.ask_to_leave(units);
                if spec.suspend {
                    progress.save(now);
                }
                if *replicas == 0 {
                    progress.halt();
                } else if !spec.is_service() && *exit == Exit::Shrink {
                    progress.begin(number, now);
                }
                *workload
            }
            EventKind::Released { workload, units, .. } => {
                self.workloads.get_mut(workload)?.remove(units);
                *workload
            }
            EventKind::Lost { workload, units, replicas, .. } => {
                let service = spec(engine, *workload)?.is_service();
                let progress = self.workloads.get_mut(workload)?;
                progress.remove(units);
                if *replicas == 0 {
                    progress.halt();
                } else if !service {
                    progress.begin(number, now);
                }
                *workload
            }
            EventKind::Failed { workload, restarts_left: Some(_) } => {
                let progress = self.workloads.get_mut(workload)?;
                progress.units.clear();
                progress.halt();
                *workload
            }
            EventKind::Checkpointed { workload, saved_at } => {
                self.workloads.get_mut(workload)?.save(*saved_at);
                return None;
            }
            EventKind::Failed { workload, restarts_left: None }
            | EventKind::Finished { workload }
            | EventKind::Stopped { workload, .. } => {
                return self.workloads.remove(workload).map(|_| Change::Ended(*workload));
            }
            _ => return None,
        };
        self.workloads.get_mut(&workload)?.generation = number;
        Some(Change::Assigned(workload))
    }

    /// How far a workload has come; `None` if it never started, or has ended.
    pub fn progress(&self, workload: WorkloadId) -> Option<&Progress> {
        self.workloads.get(&workload)
    }

    /// Workloads that have started and not ended: all that an executor is to know after a start of the server. Of
    /// some nothing runs now; what it remembers of them is for their next start.
    pub fn assigned(&self) -> impl Iterator<Item = WorkloadId> {
        self.workloads.keys().copied()
    }

    /// What should run of a workload as the engine stands; `None` if it never started, or has ended.
    pub fn assignment(
        &self,
        engine: &Engine,
        workload: WorkloadId,
        launch: &Arc<Launch>,
    ) -> Option<Assignment> {
        let progress = self.workloads.get(&workload)?;
        let spec = spec(engine, workload)?;
        let mut units: Vec<&Unit> = engine.units(workload).collect();
        units.sort_by_key(|u| u.number);
        let mut places = Places::new(engine, spec);
        let slots = units.iter().map(|unit| unit.grant.slots.len()).sum();
        let (mut replicas, mut leaving) = (Vec::with_capacity(slots), Vec::new());
        for unit in units {
            let Some(known) = progress.unit(unit.number) else { continue };
            match unit.state {
                UnitState::Held => {}
                UnitState::Running => {
                    places.put(unit, &mut replicas, |replica| {
                        (replica.run, replica.since) = (known.run, known.since);
                    });
                }
                UnitState::Leaving { exit, deadline } => leaving.push(Leaving {
                    unit: unit.number,
                    run: known.run,
                    kill_at: Tick(deadline.0.saturating_sub(DRAIN_DEADLINE.0)),
                    suspend: exit == Exit::Suspend,
                }),
            }
        }
        let run = progress.run;
        Some(Assignment {
            workload,
            name: spec.name.clone(),
            generation: progress.generation,
            launch: launch.clone(),
            run: run.map_or(0, |r| r.number),
            began: run.map_or(Tick::ZERO, |r| r.began),
            saved: run.map_or(progress.saved, |r| r.saved),
            saved_at: progress.saved_at,
            replicas,
            leaving,
        })
    }
}

fn spec(engine: &Engine, workload: WorkloadId) -> Option<&WorkloadSpec> {
    engine.workload(workload).map(|w| &*w.spec)
}

/// Gives replicas their nodes by name, and their places in roles.
struct Places<'a> {
    engine: &'a Engine,
    spec: &'a WorkloadSpec,
    roles: &'a Roles,
    /// Replicas so far, by role.
    taken: Vec<u32>,
    /// The latest node, its name and memory: replicas of a gang share few.
    node: Option<(tidegate_engine::ids::NodeId, Arc<str>, u64)>,
}

impl<'a> Places<'a> {
    fn new(engine: &'a Engine, spec: &'a WorkloadSpec) -> Places<'a> {
        let roles = &spec.roles;
        Places { engine, spec, roles, taken: vec![0; roles.len()], node: None }
    }

    fn put(&mut self, unit: &Unit, replicas: &mut Vec<Replica>, finish: impl Fn(&mut Replica)) {
        let pool = self.engine.quota(self.spec.quota).and_then(|q| self.engine.pool(q.pool));
        let model = unit.grant.model.and_then(|m| pool.and_then(|p| p.models.get(m.index())));
        let model: Option<Arc<str>> = model.map(|name| Arc::from(&**name));
        for (index, slot) in unit.grant.slots.iter().enumerate() {
            let role = self.role_of(slot);
            let rank = self.taken[role];
            self.taken[role] += 1;
            let (node, node_memory) = match self.node.take() {
                Some((id, name, memory)) if id == slot.node => (name, memory),
                _ => pool.map_or(("?".into(), 0), |p| {
                    let spec = p.nodes.node(slot.node).spec;
                    (Arc::from(&*spec.name), spec.memory)
                }),
            };
            self.node = Some((slot.node, node.clone(), node_memory));
            let mut replica = Replica {
                unit: unit.number,
                index: index as u32,
                rank,
                role: role as u16,
                run: 0,
                since: Tick::ZERO,
                node,
                devices: slot.devices.clone(),
                model: model.clone(),
                cpu: slot.cpu,
                memory: slot.memory,
                node_memory,
            };
            finish(&mut replica);
            replicas.push(replica);
        }
    }

    /// The first role of the slot's shape that is not full: a grant does not say which replica is which.
    fn role_of(&self, slot: &Slot) -> usize {
        let shape = |r: &tidegate_engine::workload::Role| {
            (i64::from(r.shape.gpu), r.shape.cpu, r.shape.memory) == (slot.milli(), slot.cpu, slot.memory)
        };
        let free =
            |&(i, r): &(usize, &tidegate_engine::workload::Role)| self.taken[i] < r.replicas && shape(r);
        self.roles.iter().enumerate().find(free).map_or(0, |(i, _)| i)
    }
}
