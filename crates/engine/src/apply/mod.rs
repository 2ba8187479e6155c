//! The only place where state changes: one event, one change.

mod at_once;
mod holds;
mod quotas;
mod units;
mod workloads;

use crate::event::{Event, EventKind};
use crate::ids::{NodeId, PoolId, QuotaId, Tick};
use crate::nodes::{NodeSpec, NodeState};
use crate::pins::Cells;
use crate::resources::WHOLE;
use crate::state::{Cramped, Pool, State};
use smallvec::SmallVec;

impl State {
    pub(crate) fn apply(&mut self, event: &Event) {
        let at = event.at;
        self.now = self.now.max(at);
        match &event.kind {
            EventKind::PoolCreated { pool, name, kind } => {
                assert_eq!(pool.index(), self.pools.len(), "pools are numbered in order of creation");
                self.pool_names.insert(name, u32::from(pool.0));
                self.low.push(Default::default());
                self.pins.push(Default::default());
                self.pools.push(Pool {
                    id: *pool,
                    name: name.clone(),
                    kind: *kind,
                    models: Vec::new(),
                    nodes: Default::default(),
                    reasons: Default::default(),
                    roots: Vec::new(),
                });
            }
            EventKind::NodeAdded { pool, node, model, spec } => {
                self.add_node(*pool, *node, model.as_deref(), spec)
            }
            EventKind::NodeRemoved { pool, node } => self.remove_node(*pool, *node),
            EventKind::NodeChanged { pool, node, state, reason } => {
                self.set_node(*pool, *node, *state, reason)
            }
            EventKind::DeviceChanged { pool, node, device, out, reason } => {
                self.pools[pool.index()].nodes.set_device(*node, *device, out.then_some(reason));
                if !out {
                    self.wake_pool(*pool);
                }
            }

            EventKind::QuotaCreated { quota, spec } => self.create_quota(*quota, spec),
            EventKind::PolicySet { quota, after, .. } => self.set_policy(*quota, after),
            EventKind::QuotaScaled { quota, from, to, giver, .. } => self.scale(*quota, from, to, *giver),
            EventKind::Overdrawn { quota, .. } => {
                self.overdrawn.insert(*quota);
            }
            EventKind::Settled { quota } => {
                self.overdrawn.remove(quota);
                self.arrive(self.tree[*quota].pool, &[*quota], &[]);
            }
            EventKind::QuotaDeleted { quota } => self.delete_quota(*quota),
            EventKind::CapsSet { workspace, quota, after, .. } => self.set_caps(*workspace, *quota, after),

            EventKind::Queued { workload, spec, .. } => self.enqueue(at, *workload, spec),
            EventKind::PassedOver { workload } => self.pass_over(at, *workload),
            EventKind::Reserved { workload, accounts, nodes } => self.reserve(*workload, accounts, nodes),
            EventKind::ReservationEnded { workload } => self.end_reservation(*workload),
            EventKind::Held { workload, grants } => self.hold(at, *workload, grants),
            EventKind::HoldLost { workload, units, .. } => self.lose_hold(*workload, units),
            EventKind::Started { workload, kind, grants, .. } => self.start(at, *workload, *kind, grants),
            EventKind::Evicted { workload, units, exit, deadline, cause, .. } => {
                self.evict(at, *workload, units, *exit, *deadline, cause);
            }
            EventKind::Released { workload, units, .. } => self.release(*workload, units),
            EventKind::Moved { workload, unit, draws } => self.move_draws(*workload, *unit, draws),
            EventKind::Lost { workload, units, .. } => self.lose(at, *workload, units),
            EventKind::Finished { workload } => self.end(*workload, crate::workload::WorkloadState::Finished),
            EventKind::Failed { workload, restarts_left } => self.fail(*workload, restarts_left.is_some()),
            EventKind::Stopped { workload, .. } => {
                self.end(*workload, crate::workload::WorkloadState::Stopped)
            }

            EventKind::PriorityChanged { workload, to, .. } => self.set_priority(*workload, *to),
            EventKind::Resized { workload, to, .. } => self.resize(*workload, *to),
            EventKind::Checkpointed { workload, saved_at } => self.save(*workload, *saved_at),
            EventKind::Forgotten { workload } => self.forget(*workload),
        }
        if cfg!(debug_assertions) {
            self.assert_conserved();
        }
    }

    fn add_node(&mut self, pool: PoolId, node: NodeId, model: Option<&str>, spec: &NodeSpec) {
        let p = &mut self.pools[pool.index()];
        if let (Some(id), Some(name)) = (spec.model, model)
            && id.index() == p.models.len()
        {
            p.models.push(name.into());
        }
        assert_eq!(p.nodes.add(spec.clone()), node, "nodes are numbered in order of addition");
        self.pins[pool.index()].add_node(spec);
        let key = node_key(pool, &spec.name);
        self.node_names.insert(&key, node.0);
        self.wake_pool(pool);
    }

    fn remove_node(&mut self, pool: PoolId, node: NodeId) {
        let p = &mut self.pools[pool.index()];
        let key = node_key(pool, &p.nodes.node(node).spec.name);
        p.nodes.remove(node);
        p.reasons.remove(&node);
        self.pins[pool.index()].remove_node(node);
        self.node_names.remove(&key, node.0);
    }

    fn set_node(&mut self, pool: PoolId, node: NodeId, state: NodeState, reason: &str) {
        let p = &mut self.pools[pool.index()];
        p.nodes.set_state(node, state);
        if state == NodeState::Ready {
            p.reasons.remove(&node);
            self.wake_pool(pool);
        } else {
            p.reasons.insert(node, reason.into());
        }
    }

    /// A pool has a node more, or one less that is kept for somebody: everybody who waits may look again.
    pub(crate) fn wake_pool(&mut self, pool: PoolId) {
        self.guard_again();
        self.agenda.node_blocked.remove(&pool);
        for i in 0..self.pools[pool.index()].roots.len() {
            let root = self.pools[pool.index()].roots[i];
            for j in 0..self.tree.tree(root).order.len() {
                self.wake(self.tree.tree(root).order[j]);
            }
        }
    }

    /// Devices came free on a node: wakes whoever lacked nodes and might have room there, or clear it by recall.
    pub(crate) fn wake_at(&mut self, pool: PoolId, node: NodeId) {
        if !self.agenda.node_blocked.contains_key(&pool) {
            return;
        }
        let n = self.pools[pool.index()].nodes.node(node);
        let open = self.pins[pool.index()].open(Cells::NONE, node);
        let devices = open.map_or(0, |o| u32::from(o.devices)) * WHOLE;
        let gpu = devices.max(n.free_devices * WHOLE).max(n.free_milli.min(WHOLE - 1));
        let (cpu, memory) = open.map_or((n.free_cpu, n.free_memory), |o| (o.cpu, o.memory));
        self.wake_cramped(pool, gpu, cpu, memory);
        if self.coming_at.contains_key(&(pool, node)) {
            self.wake_by_leaving(pool, node);
        }
    }

    /// Devices are to come free on a node: whoever lacked nodes may be able to hold them.
    pub(crate) fn wake_by_leaving(&mut self, pool: PoolId, node: NodeId) {
        let coming = self.coming_at.get(&(pool, node)).copied().unwrap_or(0).max(0);
        let free = self.pools[pool.index()].nodes.node(node).free_milli;
        let open =
            self.pins[pool.index()].open(Cells::NONE, node).map_or(0, |o| u32::from(o.devices) * WHOLE);
        let gpu = free.saturating_add(u32::try_from(coming).unwrap_or(u32::MAX)).max(open);
        self.wake_cramped(pool, gpu, u64::MAX, u64::MAX);
    }

    /// Wakes whoever lacked nodes and has a replica that asks for at most so much.
    fn wake_cramped(&mut self, pool: PoolId, gpu: u32, cpu: u64, memory: u64) {
        let Some(cramped) = self.agenda.node_blocked.get_mut(&pool) else { return };
        let most = Cramped { gpu, cpu: u64::MAX, memory: u64::MAX, quota: QuotaId(u32::MAX) };
        let fits = |c: &&Cramped| c.cpu <= cpu && c.memory <= memory;
        let woken: SmallVec<[Cramped; 4]> = cramped.range(..=most).filter(fits).copied().collect();
        woken.iter().for_each(|c| _ = cramped.remove(c));
        woken.iter().for_each(|c| self.wake(c.quota));
    }

    /// Something changed that concerns a queue.
    pub(crate) fn wake(&mut self, q: QuotaId) {
        let queue = &mut self.queues[q.index()];
        if !queue.is_idle() {
            queue.wake();
            self.agenda.dirty.insert(q);
        }
    }

    pub(crate) fn set_timer(&mut self, at: Tick, timer: crate::state::Timer) {
        self.timers.insert((at, timer));
    }
}

/// Node names are unique within their pool.
pub(crate) fn node_key(pool: PoolId, name: &str) -> String {
    format!("{}/{name}", pool.0)
}
