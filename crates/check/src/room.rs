//! What a plan could have used: free capacity once all that leaves is gone.

use crate::grant::allows;
use crate::nodes::taken;
use crate::quotas::share;
use crate::workloads::Workload;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::{ModelId, NodeId, QuotaId, WorkloadId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::resources::{Dimension, Resources, Shape, WHOLE};
use tidegate_engine::unit::Grant;

/// Free room of one node.
#[derive(Clone, Debug)]
struct Free {
    model: Option<ModelId>,
    /// Thousandths of each device.
    devices: Vec<i64>,
    cpu: i64,
    memory: i64,
    /// Whole devices that the starvation guard keeps for somebody else.
    reserved: i64,
}

/// Equal replicas, by the model that the plan chose for them.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    pub(crate) shape: Shape,
    pub(crate) replicas: BTreeMap<Option<ModelId>, i64>,
    pub(crate) keeps_cpu: bool,
    pub(crate) keeps_memory: bool,
}

/// Capacity that one preemptor may use. Not in it: what others run on, what is held for others, what is
/// reserved for others, gains in transit, overdrawn accounts, nodes that are not ready.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    accounts: BTreeMap<QuotaId, Resources>,
    nodes: BTreeMap<NodeId, Free>,
}

impl World {
    pub(crate) fn room(&self, id: WorkloadId, workload: &Workload, accounts: &BTreeSet<QuotaId>) -> Room {
        let mut room = Room { accounts: BTreeMap::new(), nodes: BTreeMap::new() };
        for &account in accounts.iter().filter(|a| self.quotas[a].overdraft.is_none()) {
            let mut free = share(&self.quotas, account);
            for d in Dimension::all() {
                free[d] -= self.quotas[&account].line(d).promised();
            }
            room.accounts.insert(account, free.minus(&self.in_transit(account)));
        }
        let nodes = &self.pools[&self.quota_of(workload).pool].nodes;
        for (&n, node) in
            nodes.iter().filter(|(n, node)| node.state == NodeState::Ready && allows(workload, **n))
        {
            let free = Free {
                model: node.spec.model,
                devices: node.free(),
                cpu: node.spec.cpu as i64 - node.cpu.promised(),
                memory: node.spec.memory as i64 - node.memory.promised(),
                reserved: 0,
            };
            room.nodes.insert(n, free);
        }
        for (_, reservation) in self.reservations.iter().filter(|(holder, _)| **holder != id) {
            for draw in &reservation.accounts {
                if let Some(free) = room.accounts.get_mut(&draw.account) {
                    free[draw.dimension] -= draw.amount;
                }
            }
            for (n, devices) in &reservation.nodes {
                if let Some(free) = room.nodes.get_mut(n) {
                    free.reserved += i64::from(*devices);
                }
            }
        }
        room
    }
}

impl Room {
    /// `sign` 1: the unit goes, -1: it stays.
    pub(crate) fn change(&mut self, grant: &Grant, sign: i64) {
        self.change_accounts(grant, sign);
        self.change_nodes(grant, sign);
    }

    pub(crate) fn change_accounts(&mut self, grant: &Grant, sign: i64) {
        for draw in &grant.draws {
            if let Some(free) = self.accounts.get_mut(&draw.account) {
                free[draw.dimension] += sign * draw.amount;
            }
        }
    }

    pub(crate) fn change_nodes(&mut self, grant: &Grant, sign: i64) {
        for slot in &grant.slots {
            let Some(free) = self.nodes.get_mut(&slot.node) else { continue };
            for (device, milli) in taken(&slot.devices) {
                free.devices[usize::from(device)] += sign * milli;
            }
            free.cpu += sign * i64::from(slot.cpu);
            free.memory += sign * slot.memory as i64;
        }
    }

    /// The accounts together have enough, each dimension for itself.
    pub(crate) fn funds(&self, need: &Need) -> bool {
        let free = |d: Dimension| self.accounts.values().map(|free| free[d].max(0)).sum::<i64>();
        let all: i64 = need.replicas.values().sum();
        need.replicas.iter().all(|(model, n)| {
            model.is_none_or(|model| free(Dimension::gpu(model)) >= n * i64::from(need.shape.gpu))
        }) && (!need.keeps_cpu || free(Dimension::CPU) >= all * i64::from(need.shape.cpu))
            && (!need.keeps_memory || free(Dimension::MEMORY) >= all * need.shape.memory as i64)
    }

    /// The nodes have enough slots. Exact, since all replicas are equal.
    pub(crate) fn places(&self, need: &Need) -> bool {
        need.replicas.iter().all(|(model, n)| {
            let nodes = self.nodes.values().filter(|free| model.is_none() || free.model == *model);
            let mut slots = 0;
            nodes.map(|free| free.slots(&need.shape)).any(|here| {
                slots += here;
                slots >= *n
            }) || slots >= *n
        })
    }

    /// The grants as they stand fit the accounts and the nodes.
    pub(crate) fn fits(&self, grants: &[Grant]) -> bool {
        self.fits_accounts(grants) && self.fits_nodes(grants)
    }

    fn fits_accounts(&self, grants: &[Grant]) -> bool {
        let mut after = self.clone();
        grants.iter().for_each(|grant| after.change_accounts(grant, -1));
        grants
            .iter()
            .flat_map(|grant| &grant.draws)
            .all(|draw| after.accounts.get(&draw.account).is_some_and(|free| free[draw.dimension] >= 0))
    }

    pub(crate) fn fits_nodes(&self, grants: &[Grant]) -> bool {
        let mut after = self.clone();
        grants.iter().for_each(|grant| after.change_nodes(grant, -1));
        grants.iter().flat_map(|grant| &grant.slots).all(|slot| {
            after.nodes.get(&slot.node).is_some_and(|free| {
                let devices = taken(&slot.devices);
                free.cpu >= 0
                    && free.memory >= 0
                    && (devices.is_empty() || free.whole() >= free.reserved)
                    && devices.iter().all(|(device, _)| free.devices[usize::from(*device)] >= 0)
            })
        })
    }
}

impl Free {
    /// Devices that are entirely free.
    fn whole(&self) -> i64 {
        self.devices.iter().filter(|free| **free >= i64::from(WHOLE)).count() as i64
    }

    /// Replicas of this shape that fit.
    fn slots(&self, shape: &Shape) -> i64 {
        let whole = i64::from(WHOLE);
        let by_devices = match (i64::from(shape.devices()), i64::from(shape.fraction())) {
            (0, 0) => i64::MAX,
            (0, part) => {
                let slots: i64 = self.devices.iter().map(|free| (*free).max(0) / part).sum();
                slots - self.reserved * (whole / part)
            }
            (count, _) => (self.whole() - self.reserved) / count,
        };
        let by = |free: i64, each: i64| if each == 0 { i64::MAX } else { free / each };
        let rest = by(self.cpu, i64::from(shape.cpu)).min(by(self.memory, shape.memory as i64));
        // Nodes together must not overflow when a shape asks for nothing at all.
        by_devices.min(rest).clamp(0, i64::from(u32::MAX))
    }
}
