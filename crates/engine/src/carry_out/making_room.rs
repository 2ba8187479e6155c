//! Whom an operator's change evicts: until an account fits its new share.

use crate::ids::{QuotaId, Tick, WorkloadId};
use crate::plan::{Victim, in_turns};
use crate::resources::Dimension;
use crate::state::State;
use crate::words::EvictionRule;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Units that leave, as far as the search has come.
struct Choice<'a> {
    s: &'a State,
    account: QuotaId,
    /// What must come free on the account.
    need: Vec<(Dimension, i64)>,
    chosen: BTreeSet<u32>,
}

impl State {
    /// Units that draw on an account, until what they give back covers what it is drawn beyond its share: idle,
    /// then loan, then firm, each by priority and work lost; then whoever is not needed is spared, the dearest
    /// first. What is in transit to it comes by itself. A scan: for operators.
    pub(super) fn whom_to_evict(&self, account: QuotaId, now: Tick, rule: EvictionRule) -> Vec<Victim> {
        let leaving = |d: Dimension| -> i64 {
            let gone = self.leaving.iter().flat_map(|&u| &self.units[u].grant.draws);
            gone.filter(|x| x.account == account && x.dimension == d).map(|x| x.amount).sum()
        };
        let need = Dimension::all().map(|d| (d, self.ledger.cell(account, d).beyond_share() - leaving(d)));
        let need: Vec<(Dimension, i64)> = need.filter(|n| n.1 > 0).collect();
        let mut choice = Choice { s: self, account, need, chosen: BTreeSet::new() };
        let running = self.units.iter().filter(|(_, u)| u.is_running()).map(|(i, _)| i);
        let mut candidates: Vec<u32> = running.filter(|&u| choice.is_useful(u)).collect();
        let price = |u: u32| {
            let u = &self.units[u];
            (u.class, u.priority, u.lost(now), Reverse(u.started), u.workload, u.number)
        };
        candidates.sort_by_key(|&u| price(u));
        for &unit in &candidates {
            if choice.is_enough() {
                break;
            }
            choice.take(unit);
        }
        let mut chosen: Vec<u32> = choice.chosen.iter().copied().collect();
        chosen.sort_by_key(|&u| Reverse(price(u)));
        chosen.iter().for_each(|&unit| choice.spare(unit));
        let mut victims: Vec<u32> = choice.chosen.into_iter().collect();
        victims.sort_by_key(|&u| price(u));
        victims.into_iter().map(|unit| Victim { unit, rule, policy_of: Some(account) }).collect()
    }
}

impl Choice<'_> {
    fn gives(&self, unit: u32, d: Dimension) -> i64 {
        let draws = self.s.units[unit].grant.draws.iter();
        draws.filter(|x| x.account == self.account && x.dimension == d).map(|x| x.amount).sum()
    }

    fn is_useful(&self, unit: u32) -> bool {
        self.need.iter().any(|&(d, _)| self.gives(unit, d) > 0)
    }

    fn is_enough(&self) -> bool {
        self.need.iter().all(|&(d, a)| self.chosen.iter().map(|&u| self.gives(u, d)).sum::<i64>() >= a)
    }

    fn left_of(&self, id: WorkloadId) -> Vec<u32> {
        let units = self.s.w(id).units.iter().copied();
        units.filter(|&u| self.s.units[u].is_running() && !self.chosen.contains(&u)).collect()
    }

    /// Chooses a unit, or all that is left of a workload that would fall below its minimum.
    fn take(&mut self, unit: u32) {
        let u = &self.s.units[unit];
        let left = self.left_of(u.workload);
        if u.is_replica && left.len() as u32 <= self.s.w(u.workload).spec.min() {
            self.chosen.extend(left);
        } else {
            self.chosen.insert(unit);
        }
    }

    /// Spares a unit that need not go; of a workload that leaves whole, at least its minimum.
    fn spare(&mut self, unit: u32) {
        if !self.chosen.contains(&unit) {
            return;
        }
        let u = &self.s.units[unit];
        if u.is_replica && self.left_of(u.workload).is_empty() {
            return self.spare_minimum(u.workload);
        }
        self.chosen.remove(&unit);
        if !self.is_enough() {
            self.chosen.insert(unit);
        }
    }

    fn spare_minimum(&mut self, id: WorkloadId) {
        let w = self.s.w(id);
        let mut units: Vec<u32> = w.units.iter().copied().filter(|u| self.chosen.contains(u)).collect();
        units.sort_by_key(|&u| (Reverse(self.s.units[u].class), self.s.units[u].number));
        for order in in_turns(&units, |u| self.s.units[u].class) {
            let all = self.chosen.clone();
            let mut spared = 0;
            for unit in order {
                self.chosen.remove(&unit);
                if self.is_enough() {
                    spared += 1;
                } else {
                    self.chosen.insert(unit);
                }
            }
            if spared >= w.spec.min().max(1) {
                return;
            }
            self.chosen = all;
        }
    }
}
