//! Levels of harm, in the order in which they are tried.

use super::hunt::Hunt;
use crate::herd::{class_tag, module_tag};
use crate::ids::QuotaId;
use crate::unit::{Unit, UnitState};
use crate::words::{Class, EvictionRule, Module, Priority};

pub(super) const RECALL: u8 = 1;
pub(super) const SELF_LEVEL: u8 = 2;
pub(super) const CHILD_LEVEL: u8 = 3;

/// Everybody of earlier tiers, and of `tier` up to `band`; the dearer kind only if `dearer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level {
    pub(super) tier: u8,
    pub(super) band: Priority,
    pub(super) dearer: bool,
}

/// The first tier that names a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) tier: u8,
    pub(super) dearer: bool,
    pub(super) policy_of: Option<QuotaId>,
    /// Tiers 2 or 3 name it, be it after recall.
    pub(super) by_policy: bool,
}

impl Named {
    pub(super) fn rule(&self) -> EvictionRule {
        match self.tier {
            SELF_LEVEL => EvictionRule::SelfLevel,
            CHILD_LEVEL => EvictionRule::ChildLevel,
            _ => EvictionRule::Recall,
        }
    }

    /// Whether a draw is what the plan takes. Tiers 2 and 3 take all of it. A recall takes back what is lent
    /// below the plan's class, never what is a unit's own; from whoever is in the way on nodes alone it takes
    /// nothing.
    pub(super) fn takes(&self, draw: Class, plan: Class) -> bool {
        self.by_policy || (self.policy_of.is_some() && draw < plan)
    }

    /// It borrows nothing from the plan: it is in the way on nodes, or goes along.
    pub(super) fn is_bystander(&self) -> bool {
        self.policy_of.is_none() && !self.by_policy
    }

    pub(super) fn within(&self, level: Level, priority: Priority) -> bool {
        self.tier < level.tier
            || (self.tier == level.tier && priority <= level.band && self.dearer <= level.dearer)
    }
}

impl Hunt<'_> {
    /// False for whom neither recall nor a policy could name.
    #[inline]
    pub(super) fn might_name(&self, u: &Unit) -> bool {
        u.class < self.tiers.class || self.is_forced()
    }

    /// Who may be evicted for this plan, and under which rule.
    pub(super) fn names(&self, u: &Unit) -> Option<Named> {
        if !self.might_name(u)
            || u.state != UnitState::Running
            || u.workload == self.id
            || self.is_just_started(u)
        {
            return None;
        }
        if u.class < self.tiers.class
            && let Some(policy_of) = self.lent_by(u)
            && !self.s.could_evict(u, self.id)
        {
            let by_policy = self.is_forced() && self.named_by_policy(u).is_some();
            return Some(Named { tier: RECALL, dearer: u.class == Class::Loan, policy_of, by_policy });
        }
        self.named_by_policy(u)
    }

    pub(super) fn named_by_policy(&self, u: &Unit) -> Option<Named> {
        if self.is_protected(u) {
            return None;
        }
        let tree = &self.s.tree;
        let (policy_of, by_policy) = (Some(self.quota), true);
        if let Some(policy) = self.tiers.self_level
            && policy.names(u.priority, u.module)
        {
            let own = u.quota == self.quota;
            if (own && policy.reaches_own())
                || (policy.reaches_siblings() && tree.are_siblings(u.quota, self.quota))
            {
                return Some(Named { tier: SELF_LEVEL, dearer: !own, policy_of, by_policy });
            }
        }
        if let Some(policy) = self.tiers.child_level
            && policy.names(u.priority, u.module)
            && tree.is_descendant(u.quota, self.quota)
        {
            return Some(Named { tier: CHILD_LEVEL, dearer: false, policy_of, by_policy });
        }
        None
    }

    pub(super) fn named_at(&self, level: Level, u: &Unit) -> Option<Named> {
        self.names(u).filter(|n| n.within(level, u.priority))
    }

    /// The account that a unit borrows from this plan; `Some(None)` if it is in the way on nodes alone.
    fn lent_by(&self, u: &Unit) -> Option<Option<QuotaId>> {
        let lent = |d: &&crate::unit::Draw| {
            d.class < self.tiers.class
                && crate::funding::rule_for(&self.s.tree, self.quota, self.tiers.rules, d.account).is_some()
        };
        match u.grant.draws.iter().find(lent) {
            Some(d) => Some(Some(d.account)),
            None => (self.for_nodes && self.s.tree[u.quota].pool == self.pool).then_some(None),
        }
    }

    /// A hold that became a start in this very pass is not evicted in it.
    fn is_just_started(&self, u: &Unit) -> bool {
        let started = &self.s.agenda.just_started;
        !started.is_empty()
            && started.iter().any(|&s| {
                self.s.units.get(s).is_some_and(|o| o.workload == u.workload && o.number == u.number)
            })
    }

    pub(super) fn is_protected(&self, u: &Unit) -> bool {
        let protect = self.s.tree[u.quota].policy.protect_for;
        protect.0 > 0 && self.now.since(u.started) < protect
    }

    /// Levels that have somebody at all, least harmful first.
    pub(super) fn levels(&self) -> Vec<Level> {
        let mut levels = Vec::new();
        let tier = if self.tiers.child_level.is_some() {
            CHILD_LEVEL
        } else if self.tiers.self_level.is_some() {
            SELF_LEVEL
        } else {
            RECALL
        };
        for band in Priority::all() {
            let (cheap, dear) = self.units_in_band(tier, band);
            if cheap > 0 {
                levels.push(Level { tier, band, dearer: false });
            }
            // The dearer kind of lower bands joins at every band above.
            if dear > 0 || (cheap > 0 && tier != CHILD_LEVEL) {
                levels.push(Level { tier, band, dearer: true });
            }
        }
        levels
    }

    /// Units of the tier in one band, from counters: those of the cheaper kind, and those of the dearer one.
    fn units_in_band(&self, tier: u8, band: Priority) -> (u32, u32) {
        let herds = &self.s.herds;
        let q = self.quota.index();
        let count = |herd: Option<&crate::herd::Herd>, modules: crate::words::ModuleSet| {
            herd.map_or(0, |h| modules.iter().map(|m: Module| h.count(band, module_tag(m)).0).sum())
        };
        match tier {
            RECALL => {
                let low = &self.s.low[self.pool.index()];
                let loans = if self.tiers.class == Class::Firm {
                    low.count(band, class_tag(Class::Loan)).0
                } else {
                    0
                };
                (low.count(band, class_tag(Class::Idle)).0, loans)
            }
            SELF_LEVEL => {
                let Some(policy) = self.tiers.self_level.filter(|p| p.low().contains(band)) else {
                    return (0, 0);
                };
                let parent = self.s.tree[self.quota].parent;
                let siblings = if policy.reaches_siblings() {
                    parent.and_then(|p| herds[p.index()].children.as_ref())
                } else {
                    None
                };
                (count(herds[q].own.as_ref(), policy.modules()), count(siblings, policy.modules()))
            }
            _ => {
                let Some(policy) = self.tiers.child_level.filter(|p| p.victims().contains(band)) else {
                    return (0, 0);
                };
                (count(herds[q].below.as_ref(), policy.modules()), 0)
            }
        }
    }
}
