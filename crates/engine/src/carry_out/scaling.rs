//! Scaling and transferring quotas in use: refuse, drain or evict.

use super::quotas::check_guarantee;
use crate::event::EventKind;
use crate::ids::QuotaId;
use crate::plan::Victim;
use crate::refusal::Refusal;
use crate::resources::{Dimension, Resources};
use crate::session::Session;
use crate::state::State;
use crate::words::{EvictionRule, Mode};
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl Session<'_> {
    pub(super) fn scale(&mut self, quota: QuotaId, to: Resources, mode: Mode) -> Result<(), Refusal> {
        let q = self.s.known_quota(quota)?;
        let (from, parent, root, pool, name) = (q.guarantee, q.parent, q.root, q.pool, q.name.to_string());
        check_guarantee(&to)?;
        if to == from {
            return Err(Refusal::NothingToChange { quota: name });
        }
        match parent {
            Some(_) => self.s.check_dimensions(&name, root, &to)?,
            None => self.s.check_kept(quota, &to)?,
        }
        self.s.check_children(quota, &to)?;
        let (mut grows, mut shrinks) = (Resources::default(), Resources::default());
        for d in Dimension::all() {
            grows[d] = (to[d] - from[d]).max(0);
            shrinks[d] = (from[d] - to[d]).max(0);
        }
        match parent {
            Some(p) => self.s.check_share(p, &grows)?,
            None => {
                let supply = self.s.supply(pool).minus(&self.s.promised_by(pool));
                if grows.stated().any(|(d, a)| a > supply[d]) {
                    let models = self.s.pools[pool.index()].models.clone();
                    let pool = self.s.pools[pool.index()].name.to_string();
                    return Err(Refusal::PoolTooSmall { pool, models, supply, asked: grows });
                }
            }
        }
        let givers = [(Some(quota), shrinks), (parent, grows)];
        for (giver, amount) in givers {
            if let Some(g) = giver {
                self.give_up(g, &amount, mode, &name)?;
            }
        }
        self.emit(EventKind::QuotaScaled { quota, from, to, mode, giver: None });
        self.renew_reservations(quota);
        for (giver, amount) in givers {
            if let Some(g) = giver {
                self.after_giving(g, &amount, mode, EvictionRule::Scale);
            }
        }
        Ok(())
    }

    pub(super) fn transfer(&mut self, from: QuotaId, to: QuotaId, amount: Resources, mode: Mode) -> Result<(), Refusal> {
        let (f, t) = (self.s.known_quota(from)?, self.s.known_quota(to)?);
        let (giver, name) = (f.guarantee, t.name.to_string());
        let receiver = t.guarantee;
        if !self.s.tree.are_siblings(from, to) {
            return Err(Refusal::NotSiblings { from: f.name.to_string(), to: name });
        }
        check_guarantee(&amount)?;
        if amount == Resources::default() {
            return Err(Refusal::NothingToChange { quota: f.name.to_string() });
        }
        let (less, more) = (giver.minus(&amount), receiver.plus(&amount));
        if less.0.iter().any(|a| *a < 0) {
            let models = self.s.pool_of(from).models.clone();
            return Err(Refusal::ShareTooSmall { parent: f.name.to_string(), models, share: giver, asked: amount });
        }
        self.s.check_children(from, &less)?;
        check_guarantee(&more)?;
        self.give_up(from, &amount, mode, &name)?;
        self.emit(EventKind::QuotaScaled { quota: from, from: giver, to: less, mode, giver: None });
        self.emit(EventKind::QuotaScaled { quota: to, from: receiver, to: more, mode, giver: Some(from) });
        self.renew_reservations(from);
        self.after_giving(from, &amount, mode, EvictionRule::Transfer);
        Ok(())
    }

    /// A new child takes from its parent's share: only from what is not drawn, after re-funding.
    pub(super) fn make_way(&mut self, parent: QuotaId, amount: &Resources, child: &str) -> Result<(), Refusal> {
        self.give_up(parent, amount, Mode::Refuse, child)
    }

    /// Makes an account ready to lose a part of its share; under `refuse` it must not be drawn beyond the rest.
    fn give_up(&mut self, account: QuotaId, amount: &Resources, mode: Mode, receiver: &str) -> Result<(), Refusal> {
        let amounts: Vec<(Dimension, i64)> = amount.stated().collect();
        if self.clear_share(account, &amounts, mode != Mode::Refuse) || mode != Mode::Refuse {
            return Ok(());
        }
        let (mut drawn, mut share) = (Resources::default(), Resources::default());
        for (d, a) in amounts {
            let cell = self.s.ledger.cell(account, d);
            (drawn[d], share[d]) = (cell.drawn + cell.held, cell.share - a);
        }
        Err(Refusal::InUse {
            quota: receiver.to_string(),
            account: self.s.tree[account].name.to_string(),
            models: self.s.pool_of(account).models.clone(),
            drawn,
            share,
            workloads: self.s.drawers(account),
        })
    }

    /// Holds on an account that shrinks below them go back to their queues: a hold is no draw.
    fn drop_holds_on(&mut self, account: QuotaId) {
        let held = self.s.held.iter().map(|h| &self.s.units[h.1]);
        let on_it = held.filter(|u| u.grant.draws.iter().any(|d| d.account == account));
        let ids: BTreeSet<_> = on_it.map(|u| u.workload).collect();
        ids.into_iter().for_each(|id| self.drop_holds_of(id));
    }

    /// Declares or removes what the account is now drawn beyond its share.
    fn after_giving(&mut self, account: QuotaId, amount: &Resources, mode: Mode, rule: EvictionRule) {
        let over = |s: &State| {
            let mut r = Resources::default();
            Dimension::all().for_each(|d| r[d] = s.ledger.cell(account, d).over());
            r
        };
        if amount.stated().all(|(d, _)| self.s.ledger.cell(account, d).over() == 0) {
            return;
        }
        if over(self.s) != Resources::default() {
            self.drop_holds_on(account);
        }
        let over = over(self.s);
        if over == Resources::default() {
            return;
        }
        self.emit(EventKind::Overdrawn { quota: account, by: over });
        if mode == Mode::Evict {
            let victims = self.s.whom_to_evict(account, &over, self.now, rule);
            self.evict_all(&victims, None, None);
        }
    }
}

impl State {
    /// A root keeps the dimensions it was made with.
    fn check_kept(&self, root: QuotaId, to: &Resources) -> Result<(), Refusal> {
        for d in [Dimension::CPU, Dimension::MEMORY] {
            let (quota, models) = (self.tree[root].name.to_string(), self.pool_of(root).models.clone());
            match (self.tree.keeps(root, d), to[d] > 0) {
                (true, false) => return Err(Refusal::DimensionMissing { root: quota.clone(), quota, models, dimension: d }),
                (false, true) => return Err(Refusal::DimensionNotKept { root: quota.clone(), quota, models, dimension: d }),
                _ => {}
            }
        }
        Ok(())
    }

    fn check_children(&self, quota: QuotaId, to: &Resources) -> Result<(), Refusal> {
        let children = self.tree.promised(quota);
        if children.stated().all(|(d, a)| a <= to[d]) {
            return Ok(());
        }
        let name = self.tree[quota].name.to_string();
        Err(Refusal::BelowChildren { quota: name, models: self.pool_of(quota).models.clone(), children, asked: *to })
    }

    /// Units that draw on an account, until what they give back covers `over`: idle, then loan, then firm, each by
    /// priority and work lost; then whoever is not needed is spared, the dearest first. A scan: for operators.
    fn whom_to_evict(&self, account: QuotaId, over: &Resources, now: crate::ids::Tick, rule: EvictionRule) -> Vec<Victim> {
        let leaving = |d: Dimension| -> i64 {
            let gone = self.leaving.iter().flat_map(|&u| &self.units[u].grant.draws);
            gone.filter(|x| x.account == account && x.dimension == d).map(|x| x.amount).sum()
        };
        let need: Vec<(Dimension, i64)> = over.stated().map(|(d, a)| (d, a - leaving(d))).filter(|n| n.1 > 0).collect();
        let gives = |unit: u32, d: Dimension| -> i64 {
            self.units[unit].grant.draws.iter().filter(|x| x.account == account && x.dimension == d).map(|x| x.amount).sum()
        };
        let useful = |u: u32| need.iter().any(|&(d, _)| gives(u, d) > 0);
        let mut candidates: Vec<u32> = self.units.iter().filter(|(_, u)| u.is_running()).map(|(i, _)| i).filter(|&u| useful(u)).collect();
        candidates.sort_by_key(|&u| {
            let u = &self.units[u];
            (u.class, u.priority, u.lost(now), Reverse(u.started), u.workload, u.number)
        });
        let covered = |chosen: &BTreeSet<u32>| need.iter().all(|&(d, a)| chosen.iter().map(|&u| gives(u, d)).sum::<i64>() >= a);
        let mut chosen: BTreeSet<u32> = BTreeSet::new();
        for &unit in &candidates {
            if covered(&chosen) {
                break;
            }
            chosen.extend(self.leaves_with(unit, &chosen));
        }
        for &unit in candidates.iter().rev().filter(|u| !self.units[**u].is_replica) {
            if chosen.remove(&unit) && !covered(&chosen) {
                chosen.insert(unit);
            }
        }
        let mut ids: Vec<_> = chosen.iter().map(|&u| &self.units[u]).filter(|u| u.is_replica).map(|u| (Reverse(u.priority), u.workload)).collect();
        ids.sort_unstable();
        ids.dedup();
        for (_, id) in ids {
            self.spare_replicas(id, &mut chosen, &covered);
        }
        let mut victims: Vec<u32> = chosen.into_iter().collect();
        victims.sort_by_key(|&u| (self.units[u].class, self.units[u].priority, self.units[u].lost(now), self.units[u].workload, self.units[u].number));
        victims.into_iter().map(|unit| Victim { unit, rule, policy_of: Some(account) }).collect()
    }

    /// A unit, or all that is left of a workload that would fall below its minimum.
    fn leaves_with(&self, unit: u32, chosen: &BTreeSet<u32>) -> Vec<u32> {
        let w = self.w(self.units[unit].workload);
        let left: Vec<u32> = w.units.iter().copied().filter(|&u| self.units[u].is_running() && !chosen.contains(&u)).collect();
        if !self.units[unit].is_replica || left.len() as u32 > w.spec.min() { vec![unit] } else { left }
    }

    /// Spares replicas of a workload that need not go: all, or down to its minimum, then one by one.
    fn spare_replicas(&self, id: crate::ids::WorkloadId, chosen: &mut BTreeSet<u32>, covered: &dyn Fn(&BTreeSet<u32>) -> bool) {
        let w = self.w(id);
        let running: Vec<u32> = w.units.iter().copied().filter(|&u| self.units[u].is_running()).collect();
        let mut going: Vec<u32> = running.iter().copied().filter(|u| chosen.contains(u)).collect();
        going.sort_by_key(|&u| (Reverse(self.units[u].class), self.units[u].started, self.units[u].number));
        let spared = running.len() - going.len();
        // Below the minimum it leaves whole, so that many must be spared at once.
        let at_once = (w.spec.min() as usize).saturating_sub(spared);
        let mut rest = going.split_off(at_once.min(going.len()));
        for batch in std::iter::once(going).chain(rest.drain(..).map(|u| vec![u])).filter(|b| !b.is_empty()) {
            batch.iter().for_each(|u| {
                chosen.remove(u);
            });
            if !covered(chosen) {
                chosen.extend(batch);
                if at_once > 0 && spared == 0 && running.iter().all(|u| chosen.contains(u)) {
                    return;
                }
            }
        }
    }
}
