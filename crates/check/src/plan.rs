//! A plan: evictions for one preemptor, and what it is given.

use crate::grant::demand;
use crate::line::Standing;
use crate::quotas::{are_siblings, is_descendant};
use crate::room::{Need, Room};
use crate::violation::Breach;
use crate::workloads::{Unit, Workload};
use crate::world::{Checked, Rank, World};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::event::Cause;
use tidegate_engine::ids::{ModelId, QuotaId, WorkloadId};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::unit::Grant;
use tidegate_engine::words::{Class, EvictionRule, IdleUse};

/// One `Evicted` event.
#[derive(Clone, Debug)]
pub(crate) struct Eviction {
    pub(crate) victim: WorkloadId,
    /// Ascending.
    pub(crate) units: Vec<u32>,
    pub(crate) cause: Cause,
    /// Holds of its own that it loses by leaving whole.
    pub(crate) dropped: Vec<Grant>,
}

/// A hold that somebody lost to a higher rank.
#[derive(Clone, Debug)]
pub(crate) struct Takeover {
    pub(crate) loser: WorkloadId,
    pub(crate) rank: Rank,
    pub(crate) grant: Grant,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) by: WorkloadId,
    pub(crate) evictions: Vec<Eviction>,
    pub(crate) takeovers: Vec<Takeover>,
    pub(crate) grants: Vec<Grant>,
}

impl Plan {
    /// It evicts under tiers 2 or 3, and is firm as a whole.
    pub(crate) fn is_late(&self) -> bool {
        self.evictions.iter().any(|e| e.cause.rule != EvictionRule::Recall)
    }

    fn class(&self) -> Class {
        let lowest = self.grants.iter().map(Grant::class).min().unwrap_or(Class::Firm);
        if self.is_late() { Class::Firm } else { lowest }
    }
}

/// What a plan is judged by.
struct Judge<'a> {
    world: &'a World,
    plan: &'a Plan,
    by: &'a Workload,
    class: Class,
    accounts: BTreeSet<QuotaId>,
    /// With all victims gone.
    room: Room,
    need: Need,
    /// Workloads that started or grew in this pass: it evicts none of them.
    fresh: BTreeSet<WorkloadId>,
}

impl World {
    /// The victims are leaving, the grants are not yet in the books. `started`: units of this pass.
    pub(crate) fn check_plan(&self, plan: &Plan, started: &BTreeSet<(WorkloadId, u32)>) -> Checked {
        let by = self.workload(plan.by)?;
        let wrong = |why| self.broken(Breach::WrongPlan { preemptor: self.name(plan.by), why });
        if by.spec.idle == IdleUse::Only {
            return wrong("a workload that uses idle capacity only evicts nobody");
        }
        if !by.spec.is_service() && by.running() > 0 {
            return wrong("growth evicts nobody");
        }
        let replicas: usize = plan.grants.iter().map(|grant| grant.slots.len()).sum();
        if !by.spec.is_service() && replicas > by.spec.min() as usize {
            return wrong("it evicts for more than the minimum of a job");
        }
        let class = plan.class();
        let accounts = self.plan_accounts(by, class != Class::Firm || plan.is_late());
        let room = self.room(plan.by, by, &accounts, class);
        let fresh = started.iter().map(|unit| unit.0).collect();
        let judge = Judge { world: self, plan, by, class, accounts, room, need: self.need(by, plan), fresh };
        for eviction in &plan.evictions {
            judge.check_eviction(eviction)?;
        }
        judge.check_minimal()?;
        judge.check_tier()
    }

    fn need(&self, by: &Workload, plan: &Plan) -> Need {
        let quota = self.quota_of(by);
        let mut price = Resources::default();
        plan.grants.iter().for_each(|grant| price = price.plus(&demand(grant)));
        Dimension::all().filter(|d| !self.keeps(quota, *d)).for_each(|d| price[d] = 0);
        let mut roles: BTreeMap<(Option<ModelId>, Shape), i64> = BTreeMap::new();
        for grant in &plan.grants {
            match by.spec.roles.as_slice() {
                [one] => *roles.entry((grant.model, one.shape)).or_default() += grant.slots.len() as i64,
                many => many.iter().for_each(|role| {
                    *roles.entry((grant.model, role.shape)).or_default() += i64::from(role.replicas);
                }),
            }
        }
        Need { roles, price }
    }

    /// `a`'s policies of tier 2 or 3 name `b`, whatever time protects.
    fn could_evict(&self, a: &Workload, b: &Workload) -> bool {
        a.spec.idle != IdleUse::Only && (self.self_level(a, b).is_ok() || self.child_level(a, b).is_ok())
    }

    fn self_level(&self, by: &Workload, victim: &Workload) -> Result<(), &'static str> {
        let Some(policy) = &self.quota_of(by).policy.self_level else {
            return Err("self-level preemption is off");
        };
        if !policy.high().contains(by.priority()) {
            return Err("the preemptor's priority is not high");
        }
        let (q, v) = (by.spec.quota, victim.spec.quota);
        let reached = (q == v && policy.reaches_own())
            || (are_siblings(&self.quotas, q, v) && policy.reaches_siblings());
        if !reached {
            return Err("its quota is not within the scope");
        }
        if !policy.low().contains(victim.priority()) {
            return Err("its priority is not low");
        }
        if policy.modules().contains(victim.spec.module) {
            Ok(())
        } else {
            Err("its module is not preemptible")
        }
    }

    fn child_level(&self, by: &Workload, victim: &Workload) -> Result<(), &'static str> {
        let Some(policy) = &self.quota_of(by).policy.child_level else {
            return Err("child-level preemption is off");
        };
        if !is_descendant(&self.quotas, victim.spec.quota, by.spec.quota) {
            return Err("its quota is not below the preemptor's");
        }
        if !policy.victims().contains(victim.priority()) {
            return Err("its priority is not preemptible");
        }
        if policy.modules().contains(victim.spec.module) {
            Ok(())
        } else {
            Err("its module is not preemptible")
        }
    }

    /// It started less than `protectFor` of its quota ago.
    fn is_protected(&self, victim: &Workload, unit: &Unit) -> bool {
        self.now.since(unit.started) < self.quota_of(victim).policy.protect_for
    }
}

impl Judge<'_> {
    fn check_eviction(&self, eviction: &Eviction) -> Checked {
        let world = self.world;
        let victim = world.workload(eviction.victim)?;
        let not = |unit, why| {
            let (preemptor, victim) = (world.name(self.plan.by), world.name(eviction.victim));
            let rule = eviction.cause.rule.word().to_string();
            world.broken(Breach::NotEligible { preemptor, victim, unit, rule, why })
        };
        if eviction.victim == self.plan.by {
            return not(0, "it is the preemptor itself");
        }
        let late = eviction.cause.rule != EvictionRule::Recall;
        if late && eviction.cause.policy_of != Some(self.by.spec.quota) {
            return not(0, "the policy shown is not that of the preemptor's quota");
        }
        // What falls below its minimum leaves whole: such units go along with the ones that are named.
        let goes_whole = victim.running() == 0 && victim.is_by_replica();
        let mut along = if goes_whole { victim.spec.min().max(1) - 1 } else { 0 };
        for &number in &eviction.units {
            let unit = &victim.units[&number];
            let rises = world.rank(victim, unit.class()) < world.rank(self.by, self.class);
            let named = self.names(eviction, victim, number, unit);
            if along > 0 && (!rises || named.is_err()) {
                along -= 1;
                continue;
            }
            // Lower classes go first: with one who is named, those below it go as well.
            if rises && self.goes_before(eviction, victim, unit, &eviction.units) {
                continue;
            }
            if !rises {
                let (preemptor, victim) = (world.name(self.plan.by), world.name(eviction.victim));
                return world.broken(Breach::RankNotRaised { preemptor, victim, unit: number });
            }
            if let Err(why) = named {
                return not(number, why);
            }
        }
        // What leaves together shows the latest tier that it needs.
        let recalled =
            |n: &u32| self.recalls(victim, &victim.units[n]).is_ok() && self.borrows(&victim.units[n]);
        if late && eviction.units.iter().all(recalled) {
            let (preemptor, victim) = (world.name(self.plan.by), world.name(eviction.victim));
            let (said, first) = (eviction.cause.rule.word().into(), EvictionRule::Recall.word());
            return world.broken(Breach::NotFirstTier {
                preemptor,
                victim,
                unit: eviction.units[0],
                said,
                first,
            });
        }
        Ok(())
    }

    /// Of those who leave with it, another replica of a higher class is named.
    fn goes_before(&self, eviction: &Eviction, victim: &Workload, unit: &Unit, leaving: &[u32]) -> bool {
        victim.is_by_replica()
            && leaving.iter().any(|n| {
                let other = &victim.units[n];
                other.class() > unit.class() && self.names(eviction, victim, *n, other).is_ok()
            })
    }

    /// The rule that the eviction shows names this unit, or recall does: what leaves together shows one rule.
    fn names(&self, e: &Eviction, victim: &Workload, number: u32, unit: &Unit) -> Result<(), &'static str> {
        let world = self.world;
        let by_policy = match e.cause.rule {
            EvictionRule::Recall => return self.is_recalled(e, victim, number, unit),
            EvictionRule::SelfLevel => world.self_level(self.by, victim),
            EvictionRule::ChildLevel => world.child_level(self.by, victim),
            _ => return Err("it is an operator's rule"),
        };
        let protected = "it is protected, it started too recently";
        let by_policy = by_policy.and(if world.is_protected(victim, unit) { Err(protected) } else { Ok(()) });
        by_policy.or_else(|why| self.is_recalled(e, victim, number, unit).map_err(|_| why))
    }

    fn is_recalled(
        &self,
        e: &Eviction,
        victim: &Workload,
        number: u32,
        unit: &Unit,
    ) -> Result<(), &'static str> {
        self.recalls(victim, unit)?;
        let growth = !victim.spec.is_service() && victim.running() > 0;
        if !growth && self.world.could_evict(victim, self.by) {
            return Err("its own policy could evict the preemptor straight back");
        }
        if !self.borrows(unit) && !self.needs_nodes_of(victim, e, number) {
            return Err("it borrows nothing that the preemptor may use, and its nodes are not needed");
        }
        Ok(())
    }

    fn recalls(&self, victim: &Workload, unit: &Unit) -> Result<(), &'static str> {
        if self.world.quota_of(victim).pool != self.world.quota_of(self.by).pool {
            return Err("it runs in another pool");
        }
        if unit.class() < self.class { Ok(()) } else { Err("its class is not below the preemptor's") }
    }

    /// It draws by loan or idle on an account that the plan may use.
    fn borrows(&self, unit: &Unit) -> bool {
        unit.grant.draws.iter().any(|d| d.class < self.class && self.accounts.contains(&d.account))
    }

    /// If it stayed, the nodes would not do.
    fn needs_nodes_of(&self, victim: &Workload, eviction: &Eviction, number: u32) -> bool {
        victim.could_stay(&eviction.units).into_iter().all(|mut set| {
            if !set.contains(&number) {
                set.push(number);
            }
            !self.with(eviction, victim, &set).places(&self.need)
        })
    }

    /// The room if these units stayed, and with them what the workload holds.
    fn with(&self, eviction: &Eviction, victim: &Workload, units: &[u32]) -> Room {
        let mut room = self.room.clone();
        eviction.dropped.iter().for_each(|grant| room.change(grant, -1));
        units.iter().for_each(|n| room.change(&victim.units[n].grant, -1));
        room
    }

    fn check_minimal(&self) -> Checked {
        for eviction in &self.plan.evictions {
            let victim = self.world.workload(eviction.victim)?;
            // Who is not needed for what it has does not make a plan firm just by leaving.
            let is_ticket = self.is_last_of_late(eviction)
                && self.suffices(&self.with(eviction, victim, &eviction.units));
            for units in victim.could_stay(&eviction.units) {
                let mut room = self.with(eviction, victim, &units);
                // With them stays who goes only because they do.
                let leaving: Vec<u32> =
                    eviction.units.iter().copied().filter(|n| !units.contains(n)).collect();
                for n in &leaving {
                    let unit = &victim.units[n];
                    let goes = self.names(eviction, victim, *n, unit).is_ok()
                        || self.goes_before(eviction, victim, unit, &leaving);
                    if !goes {
                        room.change(&unit.grant, -1);
                    }
                }
                if is_ticket {
                    self.take_out_owned(&mut room)?;
                }
                if self.suffices(&room) {
                    let (preemptor, victim) =
                        (self.world.name(self.plan.by), self.world.name(eviction.victim));
                    return self.world.broken(Breach::NotMinimal { preemptor, victim, units });
                }
            }
        }
        Ok(())
    }

    fn suffices(&self, room: &Room) -> bool {
        room.funds(&self.need) && room.places(&self.need)
    }

    /// Without this eviction the plan would be a recall.
    fn is_last_of_late(&self, eviction: &Eviction) -> bool {
        let late = |e: &&Eviction| e.cause.rule != EvictionRule::Recall;
        let mut others = self.plan.evictions.iter().filter(|e| e.victim != eviction.victim);
        late(&eviction) && !others.any(|e| late(&e))
    }

    /// A recall takes back what is lent; what its victims draw by right comes free, but not for the plan.
    fn take_out_owned(&self, room: &mut Room) -> Checked {
        for eviction in self.plan.evictions.iter().filter(|e| e.cause.rule == EvictionRule::Recall) {
            let victim = self.world.workload(eviction.victim)?;
            let late = self.world.self_level(self.by, victim).is_ok()
                || self.world.child_level(self.by, victim).is_ok();
            for unit in eviction.units.iter().map(|n| &victim.units[n]) {
                if !late || self.world.is_protected(victim, unit) {
                    let mut owned = unit.grant.clone();
                    owned.draws.retain(|d| d.class >= self.class);
                    room.change_accounts(&owned, -1);
                }
            }
        }
        Ok(())
    }

    /// The latest tier of the plan was opened for a reason: all that earlier ones offer would not do.
    fn check_tier(&self) -> Checked {
        let rules = || self.plan.evictions.iter().map(|e| e.cause.rule);
        let Some(latest) = rules().max().filter(|latest| *latest > EvictionRule::Recall) else {
            return Ok(());
        };
        let mut attempts = vec![(Class::Firm, false, false), (Class::Loan, true, false)];
        if latest == EvictionRule::ChildLevel {
            attempts.push((Class::Firm, true, true));
        }
        for (class, siblings, second_tier) in attempts {
            // Without a victim of tier 2 a plan is no firmer than what it borrows.
            let is_loan = second_tier && self.would_suffice(class, siblings, false);
            if !is_loan && self.would_suffice(class, siblings, second_tier) {
                let (preemptor, tier) = (self.world.name(self.plan.by), latest.word().to_string());
                return self.world.broken(Breach::TierNotNeeded { preemptor, tier });
            }
        }
        Ok(())
    }

    /// Whether recall for a plan of this class would do, with `second_tier` together with self-level. A recall takes
    /// back what is lent and never what its victims draw by right: it does not suffice because of what comes free
    /// with them on top, be it that a plan which is made counts on that to spare others.
    fn would_suffice(&self, class: Class, siblings: bool, second_tier: bool) -> bool {
        let world = self.world;
        let accounts = world.plan_accounts(self.by, siblings);
        let mut room = world.room(self.plan.by, self.by, &accounts, class);
        for eviction in &self.plan.evictions {
            let victim = &world.workloads[&eviction.victim];
            eviction.units.iter().for_each(|n| room.change(&victim.units[n].grant, -1));
            // Whoever stays keeps what it holds.
            eviction.dropped.iter().for_each(|grant| room.change(grant, -1));
        }
        // So does whoever is not of lower rank than a plan of this class, or holds what it may not use.
        let rank = world.rank(self.by, class);
        let usable = |taken: &Takeover| taken.grant.draws.iter().any(|d| accounts.contains(&d.account));
        let kept = self.plan.takeovers.iter().filter(|taken| taken.rank >= rank || !usable(taken));
        kept.for_each(|taken| room.change(&taken.grant, -1));
        let mine = self.plan.evictions.iter().flat_map(|e| e.units.iter().map(|n| (e.victim, *n)));
        let mine: BTreeSet<_> = mine.collect();
        let pool = world.quota_of(self.by).pool;
        for id in world.occupied.iter().filter(|id| **id != self.plan.by) {
            let other = &world.workloads[id];
            if world.quota_of(other).pool != pool {
                continue;
            }
            let returns = world.could_evict(other, self.by);
            for (number, unit) in &other.units {
                let stays = unit.standing != Standing::Running || self.fresh.contains(id);
                if stays && !mine.contains(&(*id, *number)) {
                    continue;
                }
                let named = second_tier && world.self_level(self.by, other).is_ok();
                if named && !world.is_protected(other, unit) {
                    room.change(&unit.grant, 1);
                } else if unit.class() < class && !returns {
                    // Recalled: what it draws by right is not taken back.
                    let mut lent = unit.grant.clone();
                    lent.draws.retain(|d| d.class < class);
                    room.change(&lent, 1);
                }
            }
        }
        self.suffices(&room)
    }
}
