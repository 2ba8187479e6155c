//! A node as it will be once units that leave are gone.

use super::hunt::Hunt;
use crate::ids::NodeId;
use crate::nodes::{Capacity, NodeState};
use crate::resources::WHOLE;
use crate::slot::{Devices, Slot};

impl Hunt<'_> {
    /// What a node has free, plus what leaving units give back, less what holds still wait for.
    pub(super) fn future(&self, node: NodeId) -> Capacity {
        let nodes = &self.s.pools[self.pool.index()].nodes;
        let mut capacity = nodes.capacity(node);
        capacity.kept = self.bars.kept_at(node);
        if self.s.leaving.is_empty() {
            return capacity;
        }
        for r in nodes.residents(node) {
            let Some(u) = self.s.units.get(r.unit).filter(|u| u.is_leaving()) else { continue };
            u.grant.slots.iter().filter(|s| s.node == node).for_each(|s| capacity.give_back(s));
        }
        for key in self.s.missing_at.get(&(self.pool, node)).into_iter().flatten() {
            let u = &self.s.units[key.unit];
            let Some(pending) = &u.pending else { continue };
            for (plan, have) in u.grant.slots.iter().zip(&pending.slots).filter(|(p, _)| p.node == node) {
                withhold(&mut capacity, plan, have);
            }
        }
        capacity
    }

    /// How many of the wanted replicas a node would host: what asks for nothing fits any number of times.
    pub(super) fn wanted_of(&self, capacity: &Capacity) -> u32 {
        capacity.fits(&self.roles[0].shape).min(self.roles[0].replicas)
    }

    /// Adds what a unit has on a node to what is free there.
    pub(super) fn give_back_at(&self, node: NodeId, unit: u32, free: &mut Capacity) {
        let slots = self.s.units[unit].grant.slots.iter();
        slots.filter(|s| s.node == node).for_each(|s| free.give_back(s));
    }

    /// Whether the plan may place replicas on a node.
    pub(super) fn may_use(&self, node: NodeId) -> bool {
        let nodes = &self.s.pools[self.pool.index()].nodes;
        let spec = &self.s.w(self.id).spec;
        nodes.node(node).state == NodeState::Ready
            && (self.model.is_none() || nodes.model(node) == self.model)
            && spec.nodes.as_deref().is_none_or(|list| list.binary_search(&node).is_ok())
    }
}

/// Takes out of `capacity` what a hold has planned there and not yet got.
fn withhold(capacity: &mut Capacity, plan: &Slot, pieces: &[Slot]) {
    pieces.iter().for_each(|p| capacity.give_back(p));
    let mut take = |device: u16, milli: u16| {
        if let Some(left) = capacity.milli.get_mut(usize::from(device)) {
            *left = left.saturating_sub(milli);
        }
    };
    match &plan.devices {
        Devices::Part { device, milli } => take(*device, *milli),
        Devices::Mask(mask) => (0..64).filter(|d| mask >> d & 1 == 1).for_each(|d| take(d, WHOLE as u16)),
        Devices::List(list) => list.iter().for_each(|&d| take(d, WHOLE as u16)),
        Devices::None => {}
    }
    capacity.cpu = capacity.cpu.saturating_sub(u64::from(plan.cpu));
    capacity.memory = capacity.memory.saturating_sub(plan.memory);
}
