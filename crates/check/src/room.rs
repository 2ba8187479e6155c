//! What a plan could have used: free capacity once all that leaves is gone.

use crate::grant::allows;
use crate::nodes::taken;
use crate::quotas::share;
use crate::workloads::Workload;
use crate::world::World;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::{ModelId, NodeId, QuotaId, WorkloadId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::resources::{Dimension, Resources, Shape, WHOLE};
use tidegate_engine::unit::Grant;
use tidegate_engine::words::Class;

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

/// What a plan is for: replicas, by shape and by the model that the plan chose for them.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    pub(crate) roles: BTreeMap<(Option<ModelId>, Shape), i64>,
    /// What has to be paid, in the dimensions that the tree keeps.
    pub(crate) price: Resources,
}

/// Capacity that one preemptor may use. Not in it: what others run on, what is held for others, what is
/// reserved for others, gains in transit, overdrawn accounts, nodes that are not ready.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    accounts: BTreeMap<QuotaId, Resources>,
    nodes: BTreeMap<NodeId, Free>,
}

impl World {
    /// For a plan of this class.
    pub(crate) fn room(
        &self,
        id: WorkloadId,
        workload: &Workload,
        accounts: &BTreeSet<QuotaId>,
        class: Class,
    ) -> Room {
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
        // Higher ranks may take reservations over. Of equals in one queue the first has it: it may be this one.
        let binds = |holder: &WorkloadId| {
            let claim = &self.workloads[holder];
            let (mine, theirs) = (self.rank(workload, class), self.rank(claim, Class::Firm));
            *holder != id && (mine < theirs || mine == theirs && claim.spec.quota == workload.spec.quota)
        };
        for (_, reservation) in self.reservations.iter().filter(|(holder, _)| binds(holder)) {
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
        need.price.stated().all(|(d, amount)| free(d) >= amount)
    }

    /// The nodes have enough slots. Exact if all replicas are equal: then counting will do. Otherwise the largest
    /// come first, each on the first node that has room.
    pub(crate) fn places(&self, need: &Need) -> bool {
        let mut roles: Vec<_> = need.roles.iter().map(|((model, shape), n)| (*model, *shape, *n)).collect();
        if roles.windows(2).all(|pair| pair[0].1 == pair[1].1) {
            return roles.iter().all(|(model, shape, n)| self.slots(*model, shape, *n) >= *n);
        }
        let mut nodes = self.nodes.clone();
        roles.sort_by_key(|role| Reverse(role.1));
        roles.into_iter().all(|(model, shape, n)| {
            let model = model.filter(|_| shape.gpu > 0);
            let usable = nodes.values_mut().filter(|free| model.is_none() || free.model == model);
            let mut left = n;
            for free in usable {
                while left > 0 && free.take(&shape) {
                    left -= 1;
                }
            }
            left == 0
        })
    }

    /// Up to `enough` slots of a shape.
    fn slots(&self, model: Option<ModelId>, shape: &Shape, enough: i64) -> i64 {
        let nodes = self.nodes.values().filter(|free| model.is_none() || free.model == model);
        nodes.fold(0, |sum, free| if sum >= enough { sum } else { sum + free.slots(shape) })
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
                slots - self.reserved.min(self.whole()) * (whole / part)
            }
            (count, _) => (self.whole() - self.reserved) / count,
        };
        let by = |free: i64, each: i64| if each == 0 { i64::MAX } else { free / each };
        let rest = by(self.cpu, i64::from(shape.cpu)).min(by(self.memory, shape.memory as i64));
        // Nodes together must not overflow when a shape asks for nothing at all.
        by_devices.min(rest).clamp(0, i64::from(u32::MAX))
    }

    /// Seats one replica, on the fullest devices that have room; false if there is none.
    fn take(&mut self, shape: &Shape) -> bool {
        if self.slots(shape) < 1 {
            return false;
        }
        let part = i64::from(shape.fraction());
        for _ in 0..shape.devices() {
            let free = self.devices.iter_mut().find(|free| **free >= i64::from(WHOLE));
            *free.expect("counted above") = 0;
        }
        if part > 0 {
            let fullest = self.devices.iter_mut().filter(|free| **free >= part).min();
            *fullest.expect("counted above") -= part;
        }
        self.cpu -= i64::from(shape.cpu);
        self.memory -= shape.memory as i64;
        true
    }
}
