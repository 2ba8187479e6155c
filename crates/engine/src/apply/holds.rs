//! Holds: a claim on what is leaving, plus what was free. Taken at once where free, topped up as units go.

use crate::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId};
use crate::nodes::Capacity;
use crate::resources::WHOLE;
use crate::slot::{Devices, Slot};
use crate::state::State;
use crate::unit::{Grant, Pending, UnitState};
use crate::workload::WorkloadState;

impl State {
    pub(super) fn hold(&mut self, at: Tick, w: WorkloadId, grants: &[Grant]) {
        for grant in grants {
            let unit = self.new_unit(at, w, grant, UnitState::Held);
            self.held.insert(unit);
            let slots = grant.slots.iter().map(|s| Slot { devices: Devices::None, cpu: 0, memory: 0, ..s.clone() }).collect();
            self.units[unit].pending = Some(Box::new(Pending { drawn: vec![0; grant.draws.len()], slots }));
            for d in &grant.draws {
                self.ledger.adjust(&self.tree, d.account, d.dimension, |c| c.coming -= d.amount);
                self.missing_on.entry(d.account).or_default().insert(unit);
            }
            let pool = self.tree[self.units[unit].quota].pool;
            for s in &grant.slots {
                self.missing_at.entry((pool, s.node)).or_default().insert(unit);
            }
            self.top_up(unit);
        }
        if self.w(w).state.is_waiting() {
            self.w_mut(w).state = WorkloadState::Held;
        }
        self.file(w);
    }

    /// Takes what has come free of a held grant. True if something was taken.
    pub(crate) fn top_up(&mut self, unit: u32) {
        let Some(mut pending) = self.units[unit].pending.take() else { return };
        let (w, quota) = (self.units[unit].workload, self.units[unit].quota);
        let pool = self.tree[quota].pool;
        let draws = self.units[unit].grant.draws.clone();
        let mut missing = false;
        for (d, have) in draws.iter().zip(&mut pending.drawn) {
            let take = (d.amount - *have).min(self.ledger.cell(d.account, d.dimension).balance()).max(0);
            if take > 0 {
                self.ledger.adjust(&self.tree, d.account, d.dimension, |c| {
                    c.held += take;
                    c.coming += take;
                });
                *have += take;
            }
            missing |= *have < d.amount;
        }
        let planned = self.units[unit].grant.slots.clone();
        for (plan, have) in planned.iter().zip(&mut pending.slots) {
            if have == plan {
                continue;
            }
            let nodes = &mut self.pools[pool.index()].nodes;
            let more = grow(&nodes.capacity(plan.node), plan, have);
            if more != *have {
                if !is_nothing(have) {
                    nodes.vacate(have, unit);
                }
                nodes.occupy(&more, unit);
                *have = more;
            }
            missing |= have != plan;
        }
        if missing {
            self.units[unit].pending = Some(pending);
        } else {
            self.forget_missing(unit);
            self.agenda.complete.insert(w);
        }
    }

    /// Tops up whoever still misses something on these nodes and accounts.
    pub(super) fn top_up_others(&mut self, accounts: &[QuotaId], pool: PoolId, nodes: &[NodeId]) {
        if self.missing_on.is_empty() && self.missing_at.is_empty() {
            return;
        }
        let mut units: Vec<u32> = Vec::new();
        for a in accounts {
            let waiting: Vec<u32> = self.missing_on.get(a).into_iter().flatten().copied().collect();
            for u in waiting {
                if !self.ledger.has_balance(*a) {
                    break;
                }
                self.top_up(u);
            }
        }
        for n in nodes {
            units.extend(self.missing_at.get(&(pool, *n)).into_iter().flatten());
        }
        for u in units {
            self.top_up(u);
        }
    }

    fn forget_missing(&mut self, unit: u32) {
        let u = &self.units[unit];
        let pool = self.tree[u.quota].pool;
        let accounts: Vec<QuotaId> = u.grant.draws.iter().map(|d| d.account).collect();
        let nodes: Vec<NodeId> = u.grant.slots.iter().map(|s| s.node).collect();
        for a in accounts {
            if let Some(set) = self.missing_on.get_mut(&a) {
                set.remove(&unit);
                if set.is_empty() {
                    self.missing_on.remove(&a);
                }
            }
        }
        for n in nodes {
            if let Some(set) = self.missing_at.get_mut(&(pool, n)) {
                set.remove(&unit);
                if set.is_empty() {
                    self.missing_at.remove(&(pool, n));
                }
            }
        }
    }

    /// Gives back what a hold has taken.
    pub(super) fn drop_hold(&mut self, unit: u32) {
        self.held.remove(&unit);
        self.forget_missing(unit);
        let u = &mut self.units[unit];
        let pending = u.pending.take();
        let (draws, slots, quota) = (u.grant.draws.clone(), u.grant.slots.clone(), u.quota);
        let pool = self.tree[quota].pool;
        for (i, d) in draws.iter().enumerate() {
            let have = pending.as_ref().map_or(d.amount, |p| p.drawn[i]);
            self.ledger.adjust(&self.tree, d.account, d.dimension, |c| {
                c.held -= have;
                c.coming += d.amount - have;
            });
        }
        for (i, s) in slots.iter().enumerate() {
            let have = pending.as_ref().map_or(s, |p| &p.slots[i]);
            if !is_nothing(have) {
                self.pools[pool.index()].nodes.vacate(have, unit);
            }
        }
    }

    pub(super) fn lose_hold(&mut self, w: WorkloadId, numbers: &[u32]) {
        let mut accounts = Vec::new();
        let mut nodes = Vec::new();
        for &n in numbers {
            let unit = self.unit_of(w, n).expect("a hold is lost once");
            accounts.extend(self.units[unit].grant.draws.iter().map(|d| d.account));
            nodes.extend(self.units[unit].grant.slots.iter().map(|s| s.node));
            self.drop_hold(unit);
            self.remove_unit(w, unit);
        }
        if self.w(w).state == WorkloadState::Held && self.w(w).units.is_empty() {
            self.w_mut(w).state = WorkloadState::Queued;
        }
        self.came_free(w, &accounts, &nodes);
        self.file(w);
    }
}

fn is_nothing(slot: &Slot) -> bool {
    slot.devices == Devices::None && slot.cpu == 0 && slot.memory == 0
}

/// `have` and as much more of `plan` as is free.
fn grow(free: &Capacity, plan: &Slot, have: &Slot) -> Slot {
    let is_free = |d: u16| free.milli.get(usize::from(d)).is_some_and(|&m| u32::from(m) == WHOLE);
    let devices = match (&plan.devices, &have.devices) {
        (Devices::None, _) => Devices::None,
        (Devices::Part { device, milli }, had) => {
            let had = if let Devices::Part { milli, .. } = had { *milli } else { 0 };
            let now = (had + free.milli.get(usize::from(*device)).copied().unwrap_or(0)).min(*milli);
            if now == 0 { Devices::None } else { Devices::Part { device: *device, milli: now } }
        }
        (Devices::Mask(mask), had) => {
            let had = if let Devices::Mask(m) = had { *m } else { 0 };
            let now = (0..64u16).filter(|d| mask >> d & 1 == 1 && (had >> d & 1 == 1 || is_free(*d)));
            let now = now.fold(0u64, |m, d| m | 1 << d);
            if now == 0 { Devices::None } else { Devices::Mask(now) }
        }
        (Devices::List(list), had) => {
            let had: &[u16] = if let Devices::List(l) = had { l } else { &[] };
            let now: Box<[u16]> = list.iter().copied().filter(|d| had.contains(d) || is_free(*d)).collect();
            if now.is_empty() { Devices::None } else { Devices::List(now) }
        }
    };
    let cpu = u64::from(plan.cpu).min(u64::from(have.cpu) + free.cpu) as u32;
    let memory = plan.memory.min(have.memory + free.memory);
    Slot { node: plan.node, devices, cpu, memory }
}
