//! Plans: whom to evict so that a workload fits both books, with the least harm.
//!
//! A plan is sought level by level, a level being a tier, the highest band in it, and whether it needs the
//! dearer kind (loans in recall, siblings in self-level). The first level that suffices is the least harmful;
//! within it the cover is made cheap, then minimal.

mod all;
mod bite;
mod cost;
mod cover;
mod first_tier;
mod hunt;
mod level;
mod nodes;
mod pack;
mod prune;
mod stream;
mod trial;

pub(crate) use cost::PlanCost;
pub(crate) use hunt::{Hunt, Tiers};
pub(crate) use prune::in_turns;

use crate::admit::Outcome;
use crate::event::{Cause, EventKind};
use crate::funding::Rules;
use crate::ids::{QuotaId, Span, WorkloadId};
use crate::pass::Pass;
use crate::session::Session;
use crate::state::State;
use crate::take_back::Return;
use crate::unit::{Grant, UnitState};
use crate::words::{Class, EvictionRule, Module, OnPreempt};
use crate::workload::{Exit, Workload, WorkloadState};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// How long after its grace a unit may take to be gone before its nodes are fenced.
pub const DRAIN_DEADLINE: Span = Span::seconds(60);

/// One unit that must go, and the first tier that names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Victim {
    pub(crate) unit: u32,
    pub(crate) rule: EvictionRule,
    pub(crate) policy_of: Option<QuotaId>,
}

/// What evicting them brings: certified by concrete draws and slots.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) victims: Vec<Victim>,
    /// Units whose hold is taken over.
    pub(crate) holds: Vec<u32>,
    pub(crate) grants: Vec<Grant>,
    /// Eligible units that are spared.
    pub(crate) spared: u32,
}

impl State {
    /// The tiers that a workload's quota and priority open, least harmful first.
    pub(crate) fn tiers(&self, id: WorkloadId, rules: Rules) -> SmallVec<[Tiers; 4]> {
        let spec = &self.w(id).spec;
        let policy = &self.tree[spec.quota].policy;
        let self_level = policy.self_level.filter(|s| s.high().contains(spec.priority));
        let mut tiers = SmallVec::new();
        tiers.push(Tiers { rules: rules.firm(), class: Class::Firm, self_level: None, child_level: None });
        if rules.siblings.is_some() {
            tiers.push(Tiers {
                rules: rules.loan(),
                class: Class::Loan,
                self_level: None,
                child_level: None,
            });
        }
        if self_level.is_some() {
            tiers.push(Tiers { rules: rules.by_force(), class: Class::Firm, self_level, child_level: None });
        }
        if policy.child_level.is_some() {
            tiers.push(Tiers {
                rules: rules.by_force(),
                class: Class::Firm,
                self_level,
                child_level: policy.child_level,
            });
        }
        tiers
    }

    /// A "no" from counters: nobody in the pool is below firm, leaves or holds anything, and no policy names anybody.
    fn is_nobody_to_evict(&self, w: &Workload) -> bool {
        let q = &self.tree[w.spec.quota];
        let named = q.policy.self_level.is_some_and(|s| s.high().contains(w.spec.priority));
        self.low[q.pool.index()].is_empty()
            && self.leaving.is_empty()
            && self.held.is_empty()
            && q.policy.child_level.is_none()
            && !named
    }

    /// The least harmful plan for `n` pieces.
    pub(crate) fn plan(&self, id: WorkloadId, rules: Rules, n: u32) -> Option<Plan> {
        let models = self.models_for(self.w(id));
        self.tiers(id, rules).into_iter().find_map(|tiers| {
            let plans = models.iter().filter_map(|&model| Hunt::new(self, id, tiers, model, n).plan());
            plans.min_by(|a, b| a.0.cmp(&b.0)).map(|(_, plan)| plan)
        })
    }

    /// Whether what is leaving, and whoever could be evicted, might pay, so that nodes are missing: it looks again
    /// when more of them are to come free.
    fn might_pay(&self, id: WorkloadId, rules: Rules, n: u32) -> bool {
        let models = self.models_for(self.w(id));
        self.tiers(id, rules)
            .into_iter()
            .any(|tiers| models.iter().any(|&m| !Hunt::new(self, id, tiers, m, n).cannot_pay()))
    }

    /// Pieces that a plan is for, at least and at most. With victims it is for a training job's minimum.
    pub(crate) fn plan_size(&self, w: &Workload) -> (u32, u32) {
        let want = self.want(w);
        let least = State::pieces(w, want.least);
        let most = if w.spec.is_service() { State::pieces(w, want.most) } else { least };
        (least, self.within_caps(w, most))
    }

    /// The largest number of pieces, from `least` to `most`, for which there is a plan.
    pub(crate) fn largest_plan(&self, id: WorkloadId, rules: Rules, least: u32, most: u32) -> Option<Plan> {
        if let Some(plan) = self.plan(id, rules, most) {
            return Some(plan);
        }
        let (mut good, mut bad) = (None, most);
        let mut known = least.checked_sub(1)?;
        while known + 1 < bad {
            let n = if good.is_none() { least } else { known + (bad - known) / 2 };
            match self.plan(id, rules, n) {
                Some(plan) => (good, known) = (Some(plan), n),
                None if good.is_none() => return None,
                None => bad = n,
            }
        }
        good
    }
}

impl Session<'_> {
    /// The third round: makes room by eviction.
    pub(crate) fn try_evict(&mut self, pass: &mut Pass, id: WorkloadId, rules: Rules) -> Outcome {
        let w = self.s.w(id);
        let growth = w.state == WorkloadState::Running;
        if (growth && !w.spec.is_service()) || self.s.is_nobody_to_evict(w) {
            return Outcome::NotForIt;
        }
        let (least, most) = self.s.plan_size(w);
        if rules.idle && self.s.would_start(id, rules) {
            return Outcome::NotForIt;
        }
        let Some(mut plan) = self.s.largest_plan(id, rules, least, most) else {
            if self.s.might_pay(id, rules, least) {
                self.s.note_cramped(id);
            }
            return Outcome::NotForIt;
        };
        loop {
            let back = self.fresh_in(pass, &plan);
            if back.is_empty() {
                self.mark_way_back(pass);
                self.commit(id, plan);
                return Outcome::Started;
            }
            // Who would be started and evicted in the same pass is not started; without them the plan is another.
            match self.return_without(pass, &back, id) {
                Return::TakenBack => {}
                Return::Returned => return Outcome::Returned,
                Return::InVain => return Outcome::NotForIt,
            }
            if [rules.firm(), rules.loan()]
                .into_iter()
                .any(|round| self.try_start(id, round) == Outcome::Started)
            {
                return Outcome::Started;
            }
            match self.s.largest_plan(id, rules, least, most) {
                Some(other) => plan = other,
                None => {
                    pass.vain.insert(id);
                    return Outcome::NotForIt;
                }
            }
        }
    }

    /// Carries a plan out.
    fn commit(&mut self, id: WorkloadId, plan: Plan) {
        for unit in plan.holds {
            let u = &self.s.units[unit];
            let (workload, number) = (u.workload, u.number);
            self.emit(EventKind::HoldLost { workload, units: SmallVec::from_elem(number, 1), by: Some(id) });
        }
        self.evict_all(&plan.victims, Some(id), Some(plan.spared));
        self.end_reservation_of(id);
        self.emit(EventKind::Held { workload: id, grants: plan.grants });
    }

    /// Asks units to stop, one event for each workload, in the order in which they were chosen.
    pub(crate) fn evict_all(&mut self, victims: &[Victim], by: Option<WorkloadId>, spared: Option<u32>) {
        let mut by_workload: BTreeMap<WorkloadId, SmallVec<[u32; 2]>> = BTreeMap::new();
        for v in victims {
            by_workload.entry(self.s.units[v.unit].workload).or_default().push(v.unit);
        }
        for v in victims {
            let id = self.s.units[v.unit].workload;
            let Some(of_it) = by_workload.remove(&id) else { continue };
            let units: SmallVec<[u32; 2]> = of_it.iter().map(|&u| self.s.units[u].number).collect();
            let gone: u32 = of_it.iter().map(|&u| self.s.units[u].grant.slots.len() as u32).sum();
            let w = self.s.w(id);
            let replicas = self.s.running_replicas(w) - gone;
            let exit = match (replicas, w.spec.on_preempt, w.spec.suspend) {
                (1.., ..) => Exit::Shrink,
                (0, OnPreempt::Stop, _) => Exit::Stop,
                (0, OnPreempt::Requeue, true) => Exit::Suspend,
                (0, OnPreempt::Requeue, false) => Exit::Requeue,
            };
            // A hold of its own further replicas is worth nothing once it leaves whole.
            if exit != Exit::Shrink {
                self.drop_holds_of(id);
            }
            // What leaves together shows the latest tier that it needs.
            let latest = victims
                .iter()
                .filter(|o| self.s.units[o.unit].workload == id)
                .max_by_key(|o| o.rule)
                .unwrap_or(v);
            let u = &self.s.units[latest.unit];
            let cause = Cause {
                rule: latest.rule,
                by,
                policy_of: latest.policy_of,
                class: u.class,
                priority: u.priority,
                lost: self.s.lost_by(id, &units, self.now),
                spared,
            };
            let deadline = self.now.after(self.s.w(id).spec.grace).after(DRAIN_DEADLINE);
            self.emit(EventKind::Evicted { workload: id, units, exit, replicas, deadline, cause });
        }
    }

    pub(crate) fn drop_holds_of(&mut self, id: WorkloadId) {
        let w = self.s.w(id);
        let held = w.units.iter().filter(|&&u| self.s.units[u].state == UnitState::Held);
        let units: SmallVec<[u32; 2]> = held.map(|&u| self.s.units[u].number).collect();
        if !units.is_empty() {
            self.emit(EventKind::HoldLost { workload: id, units, by: None });
        }
    }
}

impl State {
    /// Work that a workload loses when these units go: all of a training job that must restart, else theirs alone.
    pub(crate) fn lost_by(&self, id: WorkloadId, numbers: &[u32], now: crate::ids::Tick) -> u128 {
        let w = self.w(id);
        let all = w.spec.module == Module::Training;
        let units = w.units.iter().map(|&u| &self.units[u]);
        units.filter(|u| u.is_running() && (all || numbers.contains(&u.number))).map(|u| u.lost(now)).sum()
    }
}
