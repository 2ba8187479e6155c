//! Reads the log batch by batch, keeps its own books and says what is wrong.

use crate::batch::Batch;
use crate::nodes::Node;
use crate::quotas::{Quota, excess, share};
use crate::violation::Breach;
use crate::world::{Checked, Pool, Reservation, World};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::amounts::amounts;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{QuotaId, WorkloadId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::policy::{QuotaSpec, Source};
use tidegate_engine::resources::{DIMENSIONS, Dimension, Resources};

/// An independent witness of the engine's events.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    pub(crate) world: World,
    pub(crate) batch: Batch,
}

impl Checker {
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Reads all events that one command returned. After a violation the checker is of no use.
    pub fn observe(&mut self, events: &[Event]) -> Checked {
        self.batch = Batch::default();
        self.world.touched_accounts.clear();
        self.world.touched_workloads.clear();
        for event in events {
            if event.at < self.world.now {
                return self.world.broken(Breach::ClockBackwards { last: self.world.now });
            }
            self.world.now = event.at;
            self.step(&event.kind)?;
        }
        self.close()
    }

    fn step(&mut self, kind: &EventKind) -> Checked {
        use EventKind::*;
        // A change is judged by itself: what the pass after it evicts makes nothing of it needless.
        let of_a_change = match kind {
            Evicted { cause, .. } => cause.by.is_none(),
            kind => matches!(kind, QuotaScaled { .. } | Overdrawn { .. }),
        };
        if !of_a_change {
            self.check_operator()?;
        }
        match kind {
            PoolCreated { .. }
            | NodeAdded { .. }
            | NodeRemoved { .. }
            | NodeChanged { .. }
            | DeviceChanged { .. } => self.supply(kind),
            QuotaCreated { quota, spec } => self.quota_created(*quota, spec),
            PolicySet { quota, before, after } => {
                let (policy, of) = (self.world.quota(*quota)?.policy, self.world.quota_name(*quota));
                self.check_before(of, "policy", &**before, &policy)?;
                self.change(*quota).policy = **after;
                Ok(())
            }
            QuotaScaled { quota, from, to, .. } => self.scaled(*quota, from, to),
            Overdrawn { quota, by } => self.overdrawn(*quota, by),
            Settled { quota } => self.settled(*quota),
            QuotaDeleted { quota } => self.quota_deleted(*quota),
            CapsSet { workspace, quota, before, after } => {
                let of = self.world.quota(*quota).map(|_| self.world.quota_name(*quota))?;
                let known = self.world.caps.remove(&(*workspace, *quota)).unwrap_or_default();
                self.check_before(of, "caps", before, &known)?;
                self.world.caps.insert((*workspace, *quota), after.clone());
                Ok(())
            }
            Queued { workload, spec, .. } => self.queued(*workload, spec),
            PassedOver { workload } => self.world.workload(*workload).map(|_| ()),
            Reserved { workload, accounts, nodes } => {
                self.world.workload(*workload)?;
                let kept = Reservation { accounts: accounts.clone(), nodes: nodes.clone() };
                self.world.reservations.insert(*workload, kept);
                Ok(())
            }
            ReservationEnded { workload } => {
                self.world.reservations.remove(workload);
                Ok(())
            }
            Held { workload, grants } => {
                self.within_caps(*workload, |checker| checker.held(*workload, grants))
            }
            HoldLost { workload, units, by } => self.hold_lost(*workload, units, *by),
            Started { workload, kind, replicas, grants } => {
                self.within_caps(*workload, |checker| checker.started(*workload, *kind, *replicas, grants))
            }
            Evicted { workload, units, exit, replicas, deadline, cause } => {
                self.evicted(*workload, units, *exit, *replicas, *deadline, cause)
            }
            Released { workload, units, requeued } => self.released(*workload, units, *requeued),
            Moved { workload, unit, draws } => self.moved(*workload, *unit, draws),
            Lost { workload, units, node, replicas } => self.lost(*workload, units, *node, *replicas),
            Finished { workload } => self.ended(*workload, "finished", false),
            Failed { workload, restarts_left } => self.ended(*workload, "failed", restarts_left.is_some()),
            Stopped { workload, .. } => self.ended(*workload, "stopped", false),
            PriorityChanged { workload, from, to } => {
                let priority = self.world.workload(*workload)?.priority();
                self.check_before(self.world.name(*workload), "priority", from, &priority)?;
                self.workload_mut(*workload).spec.priority = *to;
                Ok(())
            }
            Resized { workload, from, to } => {
                let replicas = self.world.workload(*workload)?.spec.replicas();
                self.check_before(self.world.name(*workload), "replicas", from, &replicas)?;
                self.workload_mut(*workload).spec.roles[0].replicas = *to;
                Ok(())
            }
            Checkpointed { workload, .. } => self.world.workload(*workload).map(|_| ()),
            Forgotten { workload } => self.forgotten(*workload),
        }
    }

    fn workload_mut(&mut self, id: WorkloadId) -> &mut crate::workloads::Workload {
        self.world.workloads.get_mut(&id).expect("looked up before")
    }

    fn change(&mut self, id: QuotaId) -> &mut Quota {
        self.world.quotas.get_mut(&id).expect("looked up before")
    }

    fn check_before<T: PartialEq + std::fmt::Debug>(
        &self,
        of: String,
        what: &'static str,
        said: &T,
        known: &T,
    ) -> Checked {
        if said == known {
            return Ok(());
        }
        let (said, counted) = (format!("{said:?}"), format!("{known:?}"));
        self.world.broken(Breach::WrongRecord { of, what, said, counted })
    }

    fn supply(&mut self, kind: &EventKind) -> Checked {
        match kind {
            EventKind::PoolCreated { pool, name, .. } => {
                let fresh = Pool { name: name.to_string(), nodes: BTreeMap::new(), roots: BTreeSet::new() };
                if self.world.pools.insert(*pool, fresh).is_some() {
                    return self.world.broken(Breach::Repeated { noun: "pool", name: name.to_string() });
                }
            }
            EventKind::NodeAdded { pool, node, spec, .. } => {
                self.world.pool(*pool)?;
                let nodes = &mut self.world.pools.get_mut(pool).expect("looked up above").nodes;
                if nodes.insert(*node, Node::new(spec)).is_some() {
                    return self.world.broken(Breach::Repeated { noun: "node", name: spec.name.to_string() });
                }
            }
            EventKind::NodeRemoved { pool, node } => {
                let found = self.world.node(*pool, *node)?;
                if let Some((workload, _)) = found.units.first() {
                    let (node, workload) = (found.spec.name.to_string(), self.world.name(*workload));
                    return self.world.broken(Breach::NodeInUse { node, workload, why: "was removed" });
                }
                self.world.pools.get_mut(pool).expect("looked up above").nodes.remove(node);
                self.batch.pools.insert(*pool);
            }
            EventKind::NodeChanged { pool, node, state, .. } => {
                self.world.node(*pool, *node)?;
                let nodes = &mut self.world.pools.get_mut(pool).expect("looked up above").nodes;
                nodes.get_mut(node).expect("looked up above").state = *state;
                if *state == NodeState::Lost {
                    self.batch.lost.insert((*pool, *node));
                }
            }
            EventKind::DeviceChanged { pool, node, device, out, .. } => {
                self.world.node(*pool, *node)?;
                let nodes = &mut self.world.pools.get_mut(pool).expect("looked up above").nodes;
                let found = nodes.get_mut(node).expect("looked up above");
                if usize::from(*device) >= found.devices.len() {
                    let (of, said) = (found.spec.name.to_string(), format!("device {device}"));
                    let counted = format!("{} devices", found.devices.len());
                    return self.world.broken(Breach::WrongRecord { of, what: "it has", said, counted });
                }
                if *out {
                    found.out.insert(*device);
                    self.batch.broken.insert((*pool, *node));
                } else {
                    found.out.remove(device);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn quota_created(&mut self, id: QuotaId, spec: &QuotaSpec) -> Checked {
        if self.world.quotas.contains_key(&id) {
            return self.world.broken(Breach::Repeated { noun: "quota", name: spec.name.to_string() });
        }
        let (pool, root, parent, depth) = match spec.source {
            Source::Pool(pool) => (self.world.pool(pool).map(|_| pool)?, id, None, 0),
            Source::Parent(parent) => {
                let above = self.world.quota(parent)?;
                (above.pool, above.root, Some(parent), above.depth + 1)
            }
        };
        let quota = Quota {
            name: spec.name.to_string(),
            pool,
            root,
            parent,
            children: BTreeSet::new(),
            depth,
            guarantee: spec.guarantee,
            policy: spec.policy,
            lines: [Default::default(); DIMENSIONS],
            by_rule: BTreeMap::new(),
            overdraft: None,
            live: 0,
        };
        self.world.quotas.insert(id, quota);
        self.world.touched_accounts.insert(id);
        match parent {
            Some(parent) => {
                self.change(parent).children.insert(id);
                self.world.touched_accounts.insert(parent);
                self.batch.shrunk.insert(parent);
            }
            None => {
                self.world.pools.get_mut(&pool).expect("looked up above").roots.insert(id);
                self.batch.pools.insert(pool);
            }
        }
        self.batch.trees.insert(root);
        Ok(())
    }

    fn quota_deleted(&mut self, id: QuotaId) -> Checked {
        let quota = self.world.quota(id)?;
        let why = match quota {
            q if !q.children.is_empty() => "it has children",
            q if q.live > 0 => "it has live workloads",
            q if !q.is_unused() => "its account is drawn on",
            _ => "",
        };
        if !why.is_empty() {
            return self.world.broken(Breach::QuotaInUse { quota: quota.name.clone(), why });
        }
        let (pool, parent, root) = (quota.pool, quota.parent, quota.root);
        self.world.quotas.remove(&id);
        self.world.touched_accounts.remove(&id);
        match parent {
            Some(parent) => {
                self.change(parent).children.remove(&id);
                self.world.touched_accounts.insert(parent);
                self.batch.trees.insert(root);
            }
            None => {
                self.world.pools.get_mut(&pool).expect("a quota's pool exists").roots.remove(&id);
                self.batch.trees.remove(&id);
            }
        }
        Ok(())
    }

    fn scaled(&mut self, id: QuotaId, from: &Resources, to: &Resources) -> Checked {
        let quota = self.world.quota(id)?;
        let (name, guarantee, parent, root, pool) =
            (quota.name.clone(), quota.guarantee, quota.parent, quota.root, quota.pool);
        if *from != guarantee {
            let both = from.plus(&guarantee);
            let (said, counted) = (amounts(from, &both, &[]), amounts(&guarantee, &both, &[]));
            return self.world.broken(Breach::WrongRecord {
                of: name,
                what: "its guarantee was",
                said,
                counted,
            });
        }
        self.change(id).guarantee = *to;
        self.batch.scaled.push((id, *from, *to));
        self.batch.trees.insert(root);
        self.world.touched_accounts.insert(id);
        if Dimension::all().any(|d| to[d] < from[d]) {
            self.batch.shrunk.insert(id);
        }
        match parent {
            Some(parent) => {
                self.world.touched_accounts.insert(parent);
                if Dimension::all().any(|d| to[d] > from[d]) {
                    self.batch.shrunk.insert(parent);
                }
            }
            None => {
                self.batch.pools.insert(pool);
            }
        }
        Ok(())
    }
}

/// The checker's books, for comparison with the engine's.
impl Checker {
    pub fn quotas(&self) -> impl Iterator<Item = QuotaId> + '_ {
        self.world.quotas.keys().copied()
    }

    /// `guarantee` less the children's; `None` if there is no such quota.
    pub fn share(&self, quota: QuotaId) -> Option<Resources> {
        self.world.quotas.contains_key(&quota).then(|| share(&self.world.quotas, quota))
    }

    /// What is left of a declared overdraft.
    pub fn overdraft(&self, quota: QuotaId) -> Option<Resources> {
        self.world.quotas.get(&quota)?.overdraft.as_ref().map(|_| excess(&self.world.quotas, quota))
    }

    /// What runs, leaves and is held on an account.
    pub fn line(&self, quota: QuotaId, dimension: Dimension) -> crate::Line {
        self.world.quotas.get(&quota).map(|q| *q.line(dimension)).unwrap_or_default()
    }
}
