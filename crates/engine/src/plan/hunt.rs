//! The search for one plan: one preemptor, one set of tiers, one GPU model.

use super::cover::Cover;
use super::level::{Level, RECALL};
use super::{Plan, PlanCost, Victim};
use crate::admit::Amounts;
use crate::funding::{self, Credits, Payer, Rules};
use crate::ids::{ModelId, PoolId, QuotaId, Tick, WorkloadId};
use crate::pins::Cells;
use crate::policy::{ChildLevel, SelfLevel};
use crate::reservation::Bars;
use crate::resources::Dimension;
use crate::state::State;
use crate::unit::UnitKey;
use crate::words::{Class, Rule};
use crate::workload::Role;
use smallvec::SmallVec;

/// Holds that are looked at one by one for what they have on the accounts of a plan; of more, all counts.
const COUNTED_HOLDS: usize = 64;

/// Which tiers are open, and how the plan pays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiers {
    pub(crate) rules: Rules,
    /// The class of the plan: it recalls what is below.
    pub(crate) class: Class,
    pub(crate) self_level: Option<SelfLevel>,
    pub(crate) child_level: Option<ChildLevel>,
}

#[derive(Clone, Debug)]
pub(crate) struct Hunt<'a> {
    pub(super) s: &'a State,
    pub(super) now: Tick,
    pub(super) id: WorkloadId,
    pub(super) quota: QuotaId,
    pub(super) pool: PoolId,
    pub(super) tiers: Tiers,
    pub(super) model: Option<ModelId>,
    /// Pieces wanted.
    pub(super) n: u32,
    /// What has to be placed.
    pub(super) roles: SmallVec<[Role; 1]>,
    /// What has to be paid, in all.
    pub(super) amounts: Amounts,
    /// Any unit of a lower class in the pool may be recalled: the accounts would do, the nodes do not.
    pub(super) for_nodes: bool,
    pub(super) bars: Bars,
}

impl<'a> Hunt<'a> {
    pub(crate) fn new(
        s: &'a State,
        id: WorkloadId,
        tiers: Tiers,
        model: Option<ModelId>,
        n: u32,
    ) -> Hunt<'a> {
        let w = s.w(id);
        let mut roles = State::piece(w);
        if w.spec.by_replica() {
            roles[0].replicas = n;
        }
        let amounts = s.amounts(w.spec.quota, model, &roles);
        let quota = w.spec.quota;
        let bars = s.bars(id, tiers.rules);
        let pool = s.tree[quota].pool;
        Hunt { s, now: s.now, id, quota, pool, tiers, model, n, roles, amounts, for_nodes: false, bars }
    }

    /// Tiers 2 or 3 are open.
    pub(super) fn is_forced(&self) -> bool {
        self.tiers.self_level.is_some() || self.tiers.child_level.is_some()
    }

    pub(super) fn payer(&self) -> Payer<'_> {
        Payer { quota: self.quota, rules: self.tiers.rules, barred: &self.bars.draws }
    }

    /// Whether the accounts, with these credits, can pay.
    pub(super) fn can_pay(&self, credits: &Credits) -> bool {
        self.amounts.iter().all(|&(d, need)| {
            funding::available(&self.s.tree, &self.s.ledger, &self.payer(), d, Some(credits), need) >= need
        })
    }

    /// Units of lower rank that hold what this plan may use.
    pub(super) fn holds_to_take(&self) -> Vec<u32> {
        let depth = std::cmp::Reverse(self.s.tree[self.quota].depth);
        let mine =
            crate::unit::Rank { class: self.tiers.class, depth, priority: self.s.w(self.id).spec.priority };
        let usable = |u: &crate::unit::Unit| {
            u.grant
                .draws
                .iter()
                .any(|d| funding::rule_for(&self.s.tree, self.quota, self.tiers.rules, d.account).is_some())
        };
        let lower = self.s.held.range(..(mine, UnitKey::FIRST)).map(|h| h.1.unit);
        lower.filter(|&u| self.s.units[u].workload != self.id && usable(&self.s.units[u])).collect()
    }

    /// The cheapest cover at the least harmful level that has one, with what it costs.
    pub(crate) fn plan(mut self) -> Option<(PlanCost, Plan)> {
        let forced = self.is_forced();
        self.for_nodes = forced;
        if !forced && let Some(found) = Cover::without_victims(&self).and_then(|c| self.finish(c, 0)) {
            return Some(found);
        }
        if let Some(found) = self.search(forced) {
            return Some(found);
        }
        if forced {
            return None;
        }
        // For want of nodes: only if the accounts would do.
        if !self.can_pay(&Credits::default()) && self.is_lent_nothing() {
            return None;
        }
        self.for_nodes = true;
        self.search(false)
    }

    fn search(&self, forced: bool) -> Option<(PlanCost, Plan)> {
        if self.cannot_pay() || self.cannot_host() || (!forced && !self.for_nodes && self.is_lent_nothing()) {
            return None;
        }
        let levels = self.levels();
        let finish = |cover: Cover<'_, 'a>, &level: &Level| {
            if cover.is_within(level) { self.finish(cover, self.eligible_units(level)) } else { None }
        };
        let found = levels.iter().find_map(|level| finish(Cover::search(self, *level)?, level));
        found.or_else(|| levels.last().and_then(|last| finish(Cover::of_all(self, *last)?, last)))
    }

    /// A "no" from counters: even all that may be evicted would not pay.
    pub(super) fn cannot_pay(&self) -> bool {
        let Some(&(d, need)) = self.amounts.iter().find(|a| a.0.model().is_some()) else { return false };
        let payer = self.payer();
        let free = funding::at_most(&self.s.tree, &self.s.ledger, &payer, d);
        let low = if self.is_forced() { self.s.low[self.pool.index()].gpu() } else { self.lent(d) };
        let sure = free + low + self.evictable_gpu();
        if sure >= need {
            return false;
        }
        // Of what is coming and of what others hold, what is on accounts of the plan.
        let s = self.s;
        let usable = |a: QuotaId| funding::rule_for(&s.tree, self.quota, self.tiers.rules, a).is_some();
        let coming =
            s.ledger.coming.iter().filter(|a| usable(**a)).map(|&a| s.ledger.cell(a, d).coming.max(0));
        let held = if s.held.len() <= COUNTED_HOLDS {
            let draws = s.held.iter().flat_map(|h| &s.units[h.1.unit].grant.draws);
            draws.filter(|h| h.dimension == d && usable(h.account)).map(|h| h.amount).sum()
        } else {
            s.held_gpu
        };
        sure + coming.sum::<i64>() + held < need
    }

    /// What is drawn by loan or idle on the accounts of the plan: what a recall takes back at most.
    fn lent(&self, d: Dimension) -> i64 {
        let lent = |a: QuotaId| self.s.ledger.cell(a, d).lent;
        let (tree, rules) = (&self.s.tree, self.tiers.rules);
        let below: i64 =
            if rules.child { tree.descendants(self.quota).iter().map(|&a| lent(a)).sum() } else { 0 };
        let beside: i64 =
            if rules.siblings.is_some() { tree.siblings(self.quota).map(lent).sum() } else { 0 };
        lent(self.quota) + below + beside
    }

    fn is_lent_nothing(&self) -> bool {
        self.amounts.iter().all(|a| self.lent(a.0) == 0)
    }

    /// A "no" from counters: even if all that tiers 2 and 3 name were gone, too few nodes would have room.
    fn cannot_host(&self) -> bool {
        let filters = self.s.herds[self.quota.index()].filters;
        let cells = match (self.tiers.child_level.is_some(), self.tiers.self_level.is_some()) {
            (true, _) => filters[1],
            (false, true) => filters[0],
            (false, false) => Some(Cells::NONE),
        };
        let ([role], Some(cells), Some(model)) = (self.roles.as_slice(), cells, self.model) else {
            return false;
        };
        let devices = role.shape.devices();
        let hosts =
            (devices > 0).then(|| self.s.pins[self.pool.index()].hosts(cells, model, devices)).flatten();
        hosts.is_some_and(|n| n < u64::from(role.replicas))
    }

    /// GPUs of all units that tiers 2 and 3 name, from counters.
    fn evictable_gpu(&self) -> i64 {
        let herds = &self.s.herds;
        let mut sum = 0;
        if let Some(p) = self.tiers.self_level {
            let parent = self.s.tree[self.quota].parent;
            let children = if p.reaches_siblings() {
                parent.and_then(|p| herds[p.index()].children.as_ref())
            } else {
                None
            };
            for herd in [herds[self.quota.index()].own.as_ref(), children].into_iter().flatten() {
                sum += herd.sum(p.low(), p.modules()).1;
            }
        }
        if let Some(p) = self.tiers.child_level
            && let Some(herd) = &herds[self.quota.index()].below
        {
            sum += herd.sum(p.victims(), p.modules()).1;
        }
        sum
    }

    /// How many units are eligible at a level, as far as counters tell.
    fn eligible_units(&self, level: Level) -> u32 {
        let herds = &self.s.herds;
        let low = self.s.low[self.pool.index()].units();
        if level.tier == RECALL {
            return low;
        }
        let own = herds[self.quota.index()].own.as_ref();
        let below = herds[self.quota.index()].below.as_ref();
        let by_self = self.tiers.self_level.map_or(0, |p| own.map_or(0, |h| h.sum(p.low(), p.modules()).0));
        let by_child =
            self.tiers.child_level.map_or(0, |p| below.map_or(0, |h| h.sum(p.victims(), p.modules()).0));
        low + by_self + by_child
    }

    /// Turns a cover into a plan with its certificate.
    fn finish(&self, cover: Cover<'_, 'a>, eligible: u32) -> Option<(PlanCost, Plan)> {
        let slots = cover.slots()?;
        let w = self.s.w(self.id);
        let piece = State::piece(w);
        let amounts = self.s.amounts(self.quota, self.model, &piece);
        let draws = self.s.fund(&self.payer(), &amounts, self.n, Some(cover.credits()))?;
        let grants = self.s.grants(w, self.model, draws, slots.into());
        let tier = cover.tier();
        // Whoever only recalls borrows from siblings at best.
        let plain = tier == RECALL && self.tiers.class == Class::Firm;
        if plain && grants.iter().flat_map(|g| &g.draws).any(|d| d.rule == Rule::SelfLevel) {
            return None;
        }
        let cost = cover.cost();
        let (holds, victims) = cover.into_chosen();
        let spared = eligible.saturating_sub(victims.len() as u32);
        let victims = victims
            .into_iter()
            .map(|(unit, n)| Victim { unit, rule: n.rule(), policy_of: n.policy_of })
            .collect();
        Some((cost, Plan { victims, holds, grants: grants.into_vec(), spared }))
    }
}
