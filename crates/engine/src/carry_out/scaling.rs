//! Scaling and transferring quotas in use: refuse, drain or evict.

use super::quotas::check_guarantee;
use crate::event::EventKind;
use crate::ids::QuotaId;
use crate::refusal::Refusal;
use crate::resources::{Dimension, Resources};
use crate::session::Session;
use crate::state::State;
use crate::words::{EvictionRule, Mode};
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
                let to_nobody = g == quota && parent.is_none();
                self.give_up(g, &amount, mode, (!to_nobody).then_some(&name))?;
            }
        }
        let (from, to) = (Box::new(from), Box::new(to));
        self.emit(EventKind::QuotaScaled { quota, from, to, mode, giver: None });
        self.renew_reservations(quota);
        for (giver, amount) in givers {
            if let Some(g) = giver {
                self.after_giving(g, &amount, mode, EvictionRule::Scale);
            }
        }
        Ok(())
    }

    pub(super) fn transfer(
        &mut self,
        from: QuotaId,
        to: QuotaId,
        amount: Resources,
        mode: Mode,
    ) -> Result<(), Refusal> {
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
            return Err(Refusal::ShareTooSmall {
                parent: f.name.to_string(),
                models,
                share: giver,
                asked: amount,
            });
        }
        self.s.check_children(from, &less)?;
        check_guarantee(&more)?;
        self.give_up(from, &amount, mode, Some(&name))?;
        for (quota, before, after, giver) in [(from, giver, less, None), (to, receiver, more, Some(from))] {
            let (before, after) = (Box::new(before), Box::new(after));
            self.emit(EventKind::QuotaScaled { quota, from: before, to: after, mode, giver });
        }
        self.renew_reservations(from);
        self.after_giving(from, &amount, mode, EvictionRule::Transfer);
        Ok(())
    }

    /// A new child takes from its parent's share: only from what is not drawn, after re-funding.
    pub(super) fn make_way(
        &mut self,
        parent: QuotaId,
        amount: &Resources,
        child: &str,
    ) -> Result<(), Refusal> {
        self.give_up(parent, amount, Mode::Refuse, Some(child))
    }

    /// Makes an account ready to lose a part of its share; under `refuse` it must not be drawn beyond the rest.
    /// What has not arrived may be passed on to a receiver; a root that becomes smaller has none.
    fn give_up(
        &mut self,
        account: QuotaId,
        amount: &Resources,
        mode: Mode,
        receiver: Option<&str>,
    ) -> Result<(), Refusal> {
        let amounts: Vec<(Dimension, i64)> = amount.stated().collect();
        if self.clear_share(account, &amounts, mode != Mode::Refuse, receiver.is_some())
            || mode != Mode::Refuse
        {
            return Ok(());
        }
        let (mut drawn, mut share) = (Resources::default(), Resources::default());
        for (d, a) in amounts {
            let cell = self.s.ledger.cell(account, d);
            let late = if receiver.is_some() { 0 } else { cell.transit };
            (drawn[d], share[d]) = (cell.drawn + cell.held + late, cell.share - a);
        }
        let receiver = receiver.unwrap_or(&self.s.tree[account].name);
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
        let held = self.s.held.iter().map(|h| &self.s.units[h.1.unit]);
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
        self.emit(EventKind::Overdrawn { quota: account, by: Box::new(over) });
        if mode == Mode::Evict {
            let victims = self.s.whom_to_evict(account, self.now, rule);
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
                (true, false) => {
                    return Err(Refusal::DimensionMissing {
                        root: quota.clone(),
                        quota,
                        models,
                        dimension: d,
                    });
                }
                (false, true) => {
                    return Err(Refusal::DimensionNotKept {
                        root: quota.clone(),
                        quota,
                        models,
                        dimension: d,
                    });
                }
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
        Err(Refusal::BelowChildren {
            quota: name,
            models: self.pool_of(quota).models.clone(),
            children,
            asked: *to,
        })
    }
}
