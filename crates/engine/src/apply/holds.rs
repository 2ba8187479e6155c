//! Holds: a claim on what is leaving, plus what was free. Taken at once where free, topped up as units go.

use crate::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId};
use crate::nodes::Capacity;
use crate::resources::WHOLE;
use crate::slot::{Devices, Slot};
use crate::state::State;
use crate::unit::{Grant, Pending, UnitState};
use crate::workload::WorkloadState;
use smallvec::SmallVec;
use std::ops::Bound;

impl State {
    pub(super) fn hold(&mut self, at: Tick, w: WorkloadId, grants: &[Grant]) {
        for grant in grants {
            let unit = self.new_unit(at, w, grant, UnitState::Held);
            self.enter_held(unit);
            let key = self.key(unit);
            let slots = vec![SmallVec::new(); grant.slots.len()];
            self.units[unit].pending = Some(Box::new(Pending { drawn: vec![0; grant.draws.len()], slots }));
            for d in &grant.draws {
                self.ledger.adjust(&self.tree, d.account, d.dimension, |c| c.coming -= d.amount);
                self.missing_on.entry(d.account).or_default().insert(key);
            }
            let pool = self.tree[self.units[unit].quota].pool;
            self.count_coming(pool, &grant.slots, -1);
            for s in &grant.slots {
                self.missing_at.entry((pool, s.node)).or_default().insert(key);
            }
            self.top_up(unit, false);
        }
        if self.w(w).state.is_waiting() {
            self.w_mut(w).state = WorkloadState::Held;
        }
        self.file(w);
    }

    pub(super) fn enter_held(&mut self, unit: u32) {
        let rank = self.rank(&self.units[unit]);
        self.held.insert((rank, self.key(unit)));
        self.held_gpu += self.units[unit].gpu;
    }

    pub(super) fn leave_held(&mut self, unit: u32) {
        let rank = self.rank(&self.units[unit]);
        self.held.remove(&(rank, self.key(unit)));
        self.held_gpu -= self.units[unit].gpu;
    }

    /// Takes what has come free of a held grant. An heir takes what its own victim has just given back; others
    /// take balance only where the units that leave do not cover all that holds miss.
    pub(crate) fn top_up(&mut self, unit: u32, is_heir: bool) {
        let Some(mut pending) = self.units[unit].pending.take() else { return };
        let (w, quota) = (self.units[unit].workload, self.units[unit].quota);
        let pool = self.tree[quota].pool;
        let draws = self.units[unit].grant.draws.clone();
        let mut missing = false;
        for (d, have) in draws.iter().zip(&mut pending.drawn) {
            let cell = self.ledger.cell(d.account, d.dimension);
            let uncovered = if is_heir { i64::MAX } else { -cell.coming };
            let take = (d.amount - *have).min(cell.balance()).min(uncovered).max(0);
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
        let mut taken: SmallVec<[(NodeId, i64); 2]> = SmallVec::new();
        let nodes = &mut self.pools[pool.index()].nodes;
        for (plan, have) in planned.iter().zip(&mut pending.slots) {
            if have.as_slice() == std::slice::from_ref(plan) {
                continue;
            }
            have.iter().for_each(|piece| nodes.vacate(piece, unit));
            let before: i64 = have.iter().map(Slot::milli).sum();
            *have = pieces(&nodes.capacity(plan.node), plan);
            have.iter().for_each(|piece| nodes.occupy(piece, unit));
            missing |= have.as_slice() != std::slice::from_ref(plan);
            let more = have.iter().map(Slot::milli).sum::<i64>() - before;
            if more > 0 {
                taken.push((plan.node, more));
            }
        }
        for (node, milli) in taken {
            self.count_coming_at(pool, node, milli);
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
            let mut after = Bound::Unbounded;
            while self.ledger.has_uncovered(*a)
                && let Some(&key) =
                    self.missing_on.get(a).and_then(|keys| keys.range((after, Bound::Unbounded)).next())
            {
                self.top_up(key.unit, false);
                after = Bound::Excluded(key);
            }
        }
        for n in nodes {
            units.extend(self.missing_at.get(&(pool, *n)).into_iter().flatten().map(|key| key.unit));
        }
        for u in units {
            self.top_up(u, false);
        }
    }

    fn forget_missing(&mut self, unit: u32) {
        let (u, key) = (&self.units[unit], self.key(unit));
        let pool = self.tree[u.quota].pool;
        let accounts: Vec<QuotaId> = u.grant.draws.iter().map(|d| d.account).collect();
        let nodes: Vec<NodeId> = u.grant.slots.iter().map(|s| s.node).collect();
        for a in accounts {
            if let Some(set) = self.missing_on.get_mut(&a) {
                set.remove(&key);
                if set.is_empty() {
                    self.missing_on.remove(&a);
                }
            }
        }
        for n in nodes {
            if let Some(set) = self.missing_at.get_mut(&(pool, n)) {
                set.remove(&key);
                if set.is_empty() {
                    self.missing_at.remove(&(pool, n));
                }
            }
        }
    }

    /// Gives back what a hold has taken.
    pub(super) fn drop_hold(&mut self, unit: u32) {
        self.leave_held(unit);
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
            let have = pending.as_ref().map_or(std::slice::from_ref(s), |p| &p.slots[i]);
            let missing = s.milli() - have.iter().map(Slot::milli).sum::<i64>();
            if missing > 0 {
                self.count_coming_at(pool, s.node, missing);
            }
            have.iter().for_each(|piece| self.pools[pool.index()].nodes.vacate(piece, unit));
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
            self.w_mut(w).state =
                if self.w(w).suspended { WorkloadState::Suspended } else { WorkloadState::Queued };
            self.w_mut(w).cleared = None;
        }
        self.came_free(w, &accounts, &nodes);
        self.file(w);
    }
}

/// As much of a planned slot as is free: whole devices together with cores and memory, then parts of devices.
fn pieces(free: &Capacity, plan: &Slot) -> SmallVec<[Slot; 1]> {
    let left = |d: u16| free.milli.get(usize::from(d)).copied().unwrap_or(0);
    let is_whole = |d: &u16| u32::from(left(*d)) == WHOLE;
    let part = |device: u16, most: u16| (device, left(device).min(most));
    let mut parts: SmallVec<[(u16, u16); 2]> = SmallVec::new();
    let devices = match &plan.devices {
        Devices::None => Devices::None,
        Devices::Part { device, milli } => match part(*device, *milli) {
            (_, 0) => Devices::None,
            (device, milli) => Devices::Part { device, milli },
        },
        Devices::Mask(mask) => {
            let (whole, rest): (Vec<u16>, Vec<u16>) =
                (0..64).filter(|d| mask >> d & 1 == 1).partition(is_whole);
            parts.extend(rest.into_iter().map(|d| part(d, WHOLE as u16)));
            if whole.is_empty() {
                Devices::None
            } else {
                Devices::Mask(whole.iter().fold(0, |m, d| m | 1 << d))
            }
        }
        Devices::List(list) => {
            let (whole, rest): (Vec<u16>, Vec<u16>) = list.iter().copied().partition(is_whole);
            parts.extend(rest.into_iter().map(|d| part(d, WHOLE as u16)));
            if whole.is_empty() { Devices::None } else { Devices::List(whole.into()) }
        }
    };
    let cpu = u64::from(plan.cpu).min(free.cpu) as u32;
    let memory = plan.memory.min(free.memory);
    let mut out = SmallVec::new();
    if devices != Devices::None || cpu > 0 || memory > 0 || plan.devices == Devices::None {
        out.push(Slot { node: plan.node, devices, cpu, memory });
    }
    let some = parts.into_iter().filter(|p| p.1 > 0);
    out.extend(some.map(|(device, milli)| Slot {
        node: plan.node,
        devices: Devices::Part { device, milli },
        cpu: 0,
        memory: 0,
    }));
    out
}
