//! Pools and nodes: supply comes and goes.

use super::check_name;
use crate::apply::node_key;
use crate::event::{EventKind, StopCause};
use crate::ids::{ModelId, NodeId, PoolId, WorkloadId};
use crate::nodes::{NodeSpec, NodeState};
use crate::plan::Victim;
use crate::refusal::Refusal;
use crate::resources::{MAX_AMOUNT, MAX_DEVICES, MAX_MODELS};
use crate::session::Session;
use crate::slot::Slot;
use crate::state::{Pool, State, node_supply};
use crate::unit::UnitState;
use crate::words::{EvictionRule, ModuleSet, PoolKind};
use crate::workload::{Exit, WorkloadState};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Pools in all.
const MAX_POOLS: usize = 1_024;
/// Nodes of one pool, removed ones included.
const MAX_NODES: usize = 1 << 20;

impl Session<'_> {
    pub(super) fn create_pool(&mut self, name: &str, kind: PoolKind) -> Result<(), Refusal> {
        check_name(name)?;
        if self.s.pool_names.get(name).is_some() {
            return Err(Refusal::NameTaken { noun: "pool", name: name.into() });
        }
        if self.s.pools.len() >= MAX_POOLS {
            return Err(Refusal::TooMany { noun: "pools", limit: MAX_POOLS as u64 });
        }
        let pool = PoolId(self.s.pools.len() as u16);
        self.emit(EventKind::PoolCreated { pool, name: name.into(), kind });
        Ok(())
    }

    pub(super) fn add_node(
        &mut self,
        pool: PoolId,
        model: Option<&str>,
        mut spec: NodeSpec,
    ) -> Result<(), Refusal> {
        let p = self.s.known_pool(pool)?;
        check_name(&spec.name)?;
        let name = spec.name.to_string();
        if self.s.node_names.get(&node_key(pool, &spec.name)).is_some() {
            return Err(Refusal::NodeExists { node: name });
        }
        let number = p.nodes.next_id();
        if number.index() >= MAX_NODES {
            return Err(Refusal::TooMany { noun: "nodes", limit: MAX_NODES as u64 });
        }
        if spec.gpus > MAX_DEVICES {
            return Err(Refusal::BadAmount {
                what: format!("{name}:"),
                value: spec.gpus.to_string(),
                why: "GPUs are too many",
            });
        }
        let bound = (MAX_AMOUNT / MAX_NODES as i64) as u64;
        if spec.cpu > bound || spec.memory > bound.saturating_mul(1 << 10) {
            return Err(Refusal::BadAmount {
                what: format!("{name}:"),
                value: "cores or memory".into(),
                why: "are too many",
            });
        }
        spec.model = match (spec.gpus, model) {
            (0, _) => None,
            (_, None) => return Err(Refusal::NoGpuModel { node: name }),
            (_, Some(m)) => {
                check_name(m)?;
                let known = p.models.iter().position(|k| **k == *m).unwrap_or(p.models.len());
                if known >= MAX_MODELS {
                    return Err(Refusal::TooMany { noun: "GPU models in a pool", limit: MAX_MODELS as u64 });
                }
                Some(ModelId(known as u8))
            }
        };
        let model = spec.model.and(model).map(Into::into);
        self.emit(EventKind::NodeAdded { pool, node: number, model, spec });
        Ok(())
    }

    pub(super) fn remove_node(&mut self, pool: PoolId, node: NodeId) -> Result<(), Refusal> {
        let p = self.s.known_node(pool, node)?;
        let n = p.nodes.node(node);
        let name = n.spec.name.to_string();
        if !n.residents.is_empty() {
            let ids: BTreeSet<WorkloadId> =
                n.residents.iter().map(|r| self.s.units[r.unit].workload).collect();
            let workloads = ids.into_iter().map(|id| self.s.w(id).spec.name.to_string()).collect();
            return Err(Refusal::NodeBusy { node: name, workloads });
        }
        let left = self.s.supply(pool).minus(&node_supply(n.spec));
        let guaranteed = self.s.promised_by(pool);
        if guaranteed.stated().any(|(d, a)| a > left[d]) {
            let (models, pool) = (p.models.clone(), p.name.to_string());
            return Err(Refusal::NodeNeeded { node: name, pool, models, guaranteed, left });
        }
        self.end_reservations_at(pool, node);
        self.emit(EventKind::NodeRemoved { pool, node });
        Ok(())
    }

    pub(super) fn set_node(
        &mut self,
        pool: PoolId,
        node: NodeId,
        state: NodeState,
        reason: &str,
    ) -> Result<(), Refusal> {
        let p = self.s.known_node(pool, node)?;
        if p.nodes.node(node).state == state && p.reasons.get(&node).map_or("", |r| r) == reason {
            return Err(Refusal::NothingToChange { quota: p.nodes.node(node).spec.name.to_string() });
        }
        self.change_node(pool, node, state, reason);
        Ok(())
    }

    pub(super) fn change_node(&mut self, pool: PoolId, node: NodeId, state: NodeState, reason: &str) {
        self.emit(EventKind::NodeChanged { pool, node, state, reason: reason.into() });
        if state == NodeState::Ready {
            return;
        }
        self.end_reservations_at(pool, node);
        self.drop_holds(pool, |slot| slot.node == node);
        if state == NodeState::Lost {
            let residents = self.s.pools[pool.index()].nodes.residents(node);
            let units = residents.iter().map(|r| r.unit).collect();
            self.lose(node, units);
        }
    }

    pub(super) fn set_device(
        &mut self,
        pool: PoolId,
        node: NodeId,
        device: u16,
        out: bool,
        reason: &str,
    ) -> Result<(), Refusal> {
        let nodes = &self.s.known_node(pool, node)?.nodes;
        let spec = nodes.node(node).spec;
        if u32::from(device) >= spec.gpus {
            let (node, gpus) = (spec.name.to_string(), spec.gpus);
            return Err(Refusal::UnknownDevice { node, device, gpus });
        }
        if nodes.out_of_service(node, device) == out.then_some(reason) {
            return Err(Refusal::NothingToChange { quota: format!("GPU {device} of {}", spec.name) });
        }
        self.emit(EventKind::DeviceChanged { pool, node, device, out, reason: reason.into() });
        if out {
            self.end_reservations_at(pool, node);
            let on_it = |slot: &Slot| slot.node == node && slot.uses(device);
            self.drop_holds(pool, on_it);
            let residents = self.s.pools[pool.index()].nodes.residents(node).iter().map(|r| r.unit);
            let touched = residents.filter(|&u| self.s.units[u].grant.slots.iter().any(on_it)).collect();
            self.lose(node, touched);
        }
        Ok(())
    }

    /// Reservations on a node that takes nothing new are chosen anew.
    fn end_reservations_at(&mut self, pool: PoolId, node: NodeId) {
        let here = self.s.reservations.iter().filter(|r| {
            r.nodes.iter().any(|n| n.0 == node) && self.s.tree[self.s.w(r.workload).spec.quota].pool == pool
        });
        let ids: Vec<WorkloadId> = here.map(|r| r.workload).collect();
        ids.into_iter().for_each(|id| self.end_reservation_of(id));
    }

    /// Holds on what takes nothing new go back to their queues and are planned anew.
    fn drop_holds(&mut self, pool: PoolId, closed: impl Fn(&Slot) -> bool) {
        let on_it = |s: &State, u: u32| {
            let unit = &s.units[u];
            s.tree[unit.quota].pool == pool && unit.grant.slots.iter().any(&closed)
        };
        let ids: BTreeSet<WorkloadId> =
            self.s.held.iter().filter(|h| on_it(self.s, h.1.unit)).map(|h| h.1.workload).collect();
        for id in ids {
            self.drop_holds_of(id);
        }
    }

    /// Units that sat on a node, or on a GPU of it, are lost with it.
    fn lose(&mut self, node: NodeId, residents: Vec<u32>) {
        let ids: BTreeSet<WorkloadId> = residents.iter().map(|&u| self.s.units[u].workload).collect();
        for id in ids {
            let w = self.s.w(id);
            let on_it = |u: &u32| residents.contains(u);
            let running: Vec<u32> =
                w.units.iter().copied().filter(|&u| self.s.units[u].is_running()).collect();
            let left = running.iter().filter(|u| !on_it(u)).count() as u32;
            // Of a service the replicas on the node are lost; a job below its minimum is lost whole.
            let short = !w.spec.is_service() && left < w.spec.min();
            let whole = !running.iter().any(on_it) || !w.spec.by_replica() || short;
            let gone = |u: &u32| on_it(u) || (whole && running.contains(u) && running.iter().any(on_it));
            let units: SmallVec<[u32; 2]> =
                w.units.iter().filter(|u| gone(u)).map(|&u| self.s.units[u].number).collect();
            let replicas = if whole && running.iter().any(on_it) { 0 } else { left };
            if replicas == 0 && running.iter().any(on_it) {
                self.drop_holds_of(id);
            }
            let stopping = self.s.w(id).state == WorkloadState::Leaving(Exit::Stop);
            self.emit(EventKind::Lost { workload: id, units, node, replicas });
            if stopping && self.s.w(id).units.is_empty() {
                self.emit(EventKind::Stopped { workload: id, cause: StopCause::Asked });
            }
        }
    }

    pub(super) fn drain_node(
        &mut self,
        pool: PoolId,
        node: NodeId,
        modules: ModuleSet,
    ) -> Result<(), Refusal> {
        let p = self.s.known_node(pool, node)?;
        if p.nodes.node(node).state == NodeState::Ready {
            self.change_node(pool, node, NodeState::Cordoned, "drain");
        }
        let residents = self.s.pools[pool.index()].nodes.residents(node);
        let chosen = |u: &crate::unit::Unit| {
            u.state == UnitState::Running && (modules.is_empty() || modules.contains(u.module))
        };
        let mut units: BTreeSet<u32> =
            residents.iter().map(|r| r.unit).filter(|&u| chosen(&self.s.units[u])).collect();
        let ids: BTreeSet<WorkloadId> = units.iter().map(|&u| self.s.units[u].workload).collect();
        for id in ids {
            let w = self.s.w(id);
            let running: Vec<u32> =
                w.units.iter().copied().filter(|&u| self.s.units[u].is_running()).collect();
            if w.spec.by_replica()
                && (running.iter().filter(|u| !units.contains(u)).count() as u32) < w.spec.min()
            {
                units.extend(running);
            }
        }
        let mut units: Vec<u32> = units.into_iter().collect();
        units.sort_unstable_by_key(|&unit| self.s.key(unit));
        let victims: Vec<Victim> = units
            .into_iter()
            .map(|unit| Victim { unit, rule: EvictionRule::Drain, policy_of: None })
            .collect();
        self.evict_all(&victims, None, None);
        Ok(())
    }
}

impl State {
    fn known_pool(&self, pool: PoolId) -> Result<&Pool, Refusal> {
        self.pools.get(pool.index()).ok_or_else(|| Refusal::UnknownPool { pool: format!("#{}", pool.0) })
    }

    fn known_node(&self, pool: PoolId, node: NodeId) -> Result<&Pool, Refusal> {
        let p = self.known_pool(pool)?;
        if p.nodes.contains(node) {
            Ok(p)
        } else {
            Err(Refusal::UnknownNode { node: format!("#{}", node.0) })
        }
    }
}
