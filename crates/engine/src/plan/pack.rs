//! Concrete places on the state after release: the certificate of a plan.

use super::cover::{Cover, Trial};
use crate::ids::NodeId;
use crate::nodes::Capacity;
use crate::slot::Slot;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Replicas and nodes up to which more is tried than first-fit, and how often one is seated for that.
const FEW_REPLICAS: u32 = 8;
const FEW_NODES: usize = 32;
const MAX_TRIES: u32 = 256;

impl Cover<'_, '_> {
    /// Concrete places on the state after release: the certificate.
    pub(super) fn slots(&self) -> Option<Vec<Slot>> {
        let [role] = self.hunt.roles.as_slice() else { return self.pack() };
        let need = role.replicas as usize;
        let mut slots = Vec::with_capacity(need);
        let take = |pick: &dyn Fn(&Trial) -> bool, slots: &mut Vec<Slot>| {
            for (&node, trial) in self.trials.iter().filter(|(_, t)| t.usable && pick(t)) {
                let mut capacity = trial.capacity.clone();
                while slots.len() < need
                    && let Some(slot) = capacity.take(node, &role.shape)
                {
                    slots.push(slot);
                }
            }
        };
        take(&|t| t.freed > 0, &mut slots);
        let free = self.base.iter().filter(|s| !self.trials.contains_key(&s.node));
        slots.extend(free.take(need - slots.len()).cloned());
        take(&|t| t.freed == 0, &mut slots);
        (slots.len() == need).then_some(slots)
    }

    /// Places for several roles, over nodes on trial and nodes with free places: first-fit decreasing, and what
    /// that leaves over by trying, where it is little.
    pub(super) fn pack(&self) -> Option<Vec<Slot>> {
        let roles = &self.hunt.roles;
        let free: BTreeSet<NodeId> = self.base.iter().map(|s| s.node).collect();
        let mut nodes: BTreeMap<NodeId, Capacity> =
            self.trials.iter().filter(|(_, t)| t.usable).map(|(&n, t)| (n, t.capacity.clone())).collect();
        for node in free {
            nodes.entry(node).or_insert_with(|| self.hunt.future(node));
        }
        let mut order: Vec<usize> = (0..roles.len()).collect();
        order.sort_by_key(|&i| Reverse(roles[i].shape));
        let replicas: u32 = roles.iter().map(|r| r.replicas).sum();
        if replicas <= FEW_REPLICAS && nodes.len() <= FEW_NODES {
            let items =
                order.iter().flat_map(|&i| std::iter::repeat_n(i, roles[i].replicas as usize)).collect();
            let hosts = nodes.iter().map(|(&n, c)| (n, c.clone())).collect();
            return Seating { cover: self, items, hosts, tries: MAX_TRIES }.seat();
        }
        let mut placed: Vec<Vec<Slot>> = vec![Vec::new(); roles.len()];
        for i in order {
            for (&node, capacity) in &mut nodes {
                if !self.may_seat(i, node) {
                    continue;
                }
                while placed[i].len() < roles[i].replicas as usize
                    && let Some(slot) = capacity.take(node, &roles[i].shape)
                {
                    placed[i].push(slot);
                }
            }
            if placed[i].len() < roles[i].replicas as usize {
                return None;
            }
        }
        Some(placed.concat())
    }

    /// Only a replica without GPUs may sit on nodes of another model.
    fn may_seat(&self, role: usize, node: NodeId) -> bool {
        let model = self.hunt.s.pools[self.hunt.pool.index()].nodes.model(node);
        self.hunt.roles[role].shape.gpu == 0 || model == self.hunt.model
    }
}

/// Seating few replicas of several roles on few nodes, the largest first, each on the first node from which
/// the others still find one.
struct Seating<'c, 'h, 'a> {
    cover: &'c Cover<'h, 'a>,
    /// The role of each replica.
    items: SmallVec<[usize; FEW_REPLICAS as usize]>,
    hosts: SmallVec<[(NodeId, Capacity); 8]>,
    tries: u32,
}

impl Seating<'_, '_, '_> {
    fn seat(mut self) -> Option<Vec<Slot>> {
        let mut slots: Vec<(usize, Slot)> = Vec::with_capacity(self.items.len());
        if !self.seat_next(0, &mut slots) {
            return None;
        }
        slots.sort_by_key(|s| s.0);
        Some(slots.into_iter().map(|s| s.1).collect())
    }

    /// Seats the replicas from here on; those of one role on nodes in order.
    fn seat_next(&mut self, from: usize, slots: &mut Vec<(usize, Slot)>) -> bool {
        let Some(&role) = self.items.get(slots.len()) else { return true };
        for at in from..self.hosts.len() {
            if self.tries == 0 {
                return false;
            }
            let (node, before) = (self.hosts[at].0, self.hosts[at].1.clone());
            if !self.cover.may_seat(role, node) {
                continue;
            }
            let shape = &self.cover.hunt.roles[role].shape;
            let Some(slot) = self.hosts[at].1.take(node, shape) else { continue };
            self.tries -= 1;
            slots.push((role, slot));
            let same = self.items.get(slots.len()) == Some(&role);
            if self.seat_next(if same { at } else { 0 }, slots) {
                return true;
            }
            slots.pop();
            self.hosts[at].1 = before;
        }
        false
    }
}
