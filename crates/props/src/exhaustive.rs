//! The best plan among all sets of victims.

use crate::naive::books::units;
use crate::naive::eviction::{Reach, child_level, is_protected, recall, self_level};
use crate::naive::queue::price;
use crate::naive::room::{Load, Room};
use crate::naive::rules::{Payer, accounts};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::Engine;
use tidegate_engine::ids::{ModelId, Tick, WorkloadId};
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::unit::{Draw, Unit};
use tidegate_engine::words::{Class, Module, Scope};
use tidegate_engine::workload::WorkloadSpec;

/// Units that may be chosen among: every set of them is looked at.
pub const MAX_CANDIDATES: usize = 14;

/// A unit by its workload and number.
pub type Name = (WorkloadId, u32);

/// Ordering is the order of the fields, top to bottom: the smallest does the least harm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    pub phase: usize,
    pub tier: u8,
    /// The highest band touched in that tier.
    pub band: u8,
    /// In recall a loan is touched; in self-level a sibling is.
    pub dearer: bool,
    /// By band, from the top.
    pub lost: [u128; 9],
    pub workloads: usize,
    /// Of the workloads, latest first.
    pub starts: Vec<Reverse<Tick>>,
    pub ids: Vec<WorkloadId>,
}

impl Cost {
    /// Equal in harm; how ties are broken aside.
    pub fn same_harm(&self, other: &Cost) -> bool {
        let harm = |c: &Cost| (c.phase, c.tier, c.band, c.dearer, c.lost, c.workloads);
        harm(self) == harm(other)
    }
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub victims: BTreeSet<Name>,
    pub cost: Cost,
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// It fits without a victim.
    Fits,
    Plan(Box<Plan>),
    None,
    /// Too many candidates, or a placement that is too hard.
    Open,
}

/// One way to pay and to choose victims, tried in order.
#[derive(Clone, Copy, Debug)]
struct Phase {
    class: Class,
    reach: Reach,
    self_level: bool,
    child_level: bool,
}

impl Phase {
    fn forced(&self) -> bool {
        self.self_level || self.child_level
    }
}

const PHASES: [Phase; 6] = {
    const fn recall(class: Class, reach: Reach) -> Phase {
        Phase { class, reach, self_level: false, child_level: false }
    }
    const fn forced(child_level: bool) -> Phase {
        Phase { class: Class::Firm, reach: Reach::Pool, self_level: true, child_level }
    }
    [
        recall(Class::Firm, Reach::Accounts),
        recall(Class::Firm, Reach::Pool),
        recall(Class::Loan, Reach::Accounts),
        recall(Class::Loan, Reach::Pool),
        forced(false),
        forced(true),
    ]
};

/// What a recall pays with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pay {
    /// What was lent: a plan that needs no more must be found.
    Lent,
    /// All that comes free: a plan may count on it.
    All,
}

/// A unit that a phase may evict.
#[derive(Clone, Copy, Debug)]
struct Candidate<'a> {
    unit: &'a Unit,
    tier: u8,
    dearer: bool,
    /// No rule names this replica, but another of the same workload: below its minimum it leaves whole.
    along: bool,
    /// Recall names it for want of nodes alone; whoever is not needed for that shows this later tier.
    later: Option<(u8, bool)>,
}

/// The question: may `replicas` of this workload be had, and by whose leaving?
#[derive(Clone, Debug)]
pub struct Question<'a> {
    engine: &'a Engine,
    now: Tick,
    /// Its own units are no victims.
    id: Option<WorkloadId>,
    payer: Payer,
    load: Load,
    price: Resources,
    room: Room,
}

impl<'a> Question<'a> {
    pub fn new(
        engine: &'a Engine,
        now: Tick,
        id: Option<WorkloadId>,
        spec: &WorkloadSpec,
        model: Option<ModelId>,
        replicas: u32,
    ) -> Question<'a> {
        let load = Load::of(spec, model, replicas);
        let price = price(engine, spec.quota, &load);
        let pool = engine.quota(spec.quota).expect("a workload's quota exists").pool;
        let room = Room::of(engine, pool, |_| true);
        Question { engine, now, id, payer: Payer::of(spec), load, price, room }
    }

    fn candidate(&self, phase: &Phase, unit: &'a Unit) -> Option<Candidate<'a>> {
        if !unit.is_running() || Some(unit.workload) == self.id {
            return None;
        }
        let (e, p) = (self.engine, &self.payer);
        let later = self.is_forced(phase, unit);
        if recall(e, p, phase.class, phase.forced(), phase.reach, unit) {
            let lent = recall(e, p, phase.class, phase.forced(), Reach::Accounts, unit);
            let (dearer, later) = (unit.class == Class::Loan, later.filter(|_| !lent));
            return Some(Candidate { unit, tier: 1, dearer, along: false, later });
        }
        let (tier, dearer) = later?;
        Some(Candidate { unit, tier, dearer, along: false, later: None })
    }

    /// These victims, each with the first tier that names it, now that it is known what they are needed for: whom
    /// recall names for want of nodes alone gives it no more than nodes.
    fn named(&self, phase: &Phase, mut gone: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
        let mut pays: Vec<&Unit> = gone.iter().map(|c| c.unit).collect();
        for c in gone.iter_mut() {
            let Some(later) = c.later else { continue };
            let others: Vec<&Unit> = pays.iter().copied().filter(|u| !std::ptr::eq(*u, c.unit)).collect();
            let recalled = self.pays(phase, Pay::All, &others);
            (c.tier, c.dearer) = if recalled { (1, c.unit.class == Class::Loan) } else { later };
            if recalled {
                pays = others;
            }
        }
        gone
    }

    /// Whether the accounts pay once these are gone.
    fn pays(&self, phase: &Phase, pay: Pay, gone: &[&Unit]) -> bool {
        let usable = accounts(self.engine, &self.payer, phase.class, phase.forced());
        let mut free = Resources::default();
        for b in self.engine.books().iter().filter(|b| usable.contains(&b.quota) && !b.overdrawn) {
            let mut balance = b.balance;
            for unit in gone {
                let here = unit.grant.draws.iter().filter(|d| d.account == b.quota);
                for draw in here.filter(|d| self.counts(phase, pay, d, unit, gone)) {
                    balance[draw.dimension] += draw.amount;
                }
            }
            Dimension::all().for_each(|d| free[d] += balance[d].max(0));
        }
        Dimension::all().all(|d| free[d] >= self.price[d])
    }

    /// Whether both books have room once these are gone.
    fn feasible(&self, phase: &Phase, pay: Pay, gone: &[&Unit]) -> Option<bool> {
        if !self.pays(phase, pay, gone) {
            return Some(false);
        }
        let mut room = self.room.clone();
        gone.iter().for_each(|u| room.give_back(u));
        room.holds(&self.load)
    }

    /// Whether tiers 2 or 3 name a unit, whatever recall says of it.
    fn is_forced(&self, phase: &Phase, unit: &Unit) -> Option<(u8, bool)> {
        let (e, p) = (self.engine, &self.payer);
        if is_protected(e, unit, self.now) {
            return None;
        }
        if phase.self_level && self_level(e, p.quota, p.priority, unit.quota, unit.priority, unit.module) {
            let policy = e.quota(p.quota).and_then(|q| q.policy.self_level)?;
            return Some((2, policy.scope() == Scope::Both && unit.quota != p.quota));
        }
        let child = phase.child_level && child_level(e, p.quota, unit.quota, unit.priority, unit.module);
        child.then_some((3, false))
    }

    /// Whether a draw of somebody who leaves counts for the plan.
    fn counts(&self, phase: &Phase, pay: Pay, draw: &Draw, unit: &Unit, gone: &[&Unit]) -> bool {
        if pay == Pay::All || self.is_forced(phase, unit).is_some() {
            return true;
        }
        // Whoever is recalled for want of nodes alone gives nodes only.
        let (e, p) = (self.engine, &self.payer);
        let lent = |u: &&Unit| recall(e, p, phase.class, phase.forced(), Reach::Accounts, u);
        let pays = gone.iter().filter(|u| u.workload == unit.workload).any(lent);
        pays && draw.class < phase.class
    }

    fn cost(&self, at: usize, gone: &[Candidate<'a>]) -> Cost {
        let tier = gone.iter().map(|c| c.tier).max().unwrap_or(0);
        let latest = || gone.iter().filter(|c| c.tier == tier);
        let mut by_workload: BTreeMap<WorkloadId, Vec<&Unit>> = BTreeMap::new();
        gone.iter().for_each(|c| by_workload.entry(c.unit.workload).or_default().push(c.unit));
        let mut lost = [0; 9];
        for (id, leaving) in &by_workload {
            let all = self.engine.workload(*id).is_some_and(|w| w.spec.module == Module::Training);
            let counted = self.engine.units(*id).filter(|u| u.is_running());
            for u in counted.filter(|u| all || leaving.iter().any(|l| l.number == u.number)) {
                let rate = if u.suspend { 0 } else { u.gpu as u128 };
                lost[usize::from(9 - u.priority.get())] += rate * u128::from(self.now.0 - u.saved_at.0);
            }
        }
        let mut starts: Vec<_> = gone.iter().map(|c| Reverse(c.unit.started)).collect();
        starts.sort_unstable();
        Cost {
            phase: at,
            tier,
            band: latest().map(|c| c.unit.priority.get()).max().unwrap_or(0),
            dearer: latest().any(|c| c.dearer),
            lost,
            workloads: by_workload.len(),
            starts,
            ids: by_workload.into_keys().collect(),
        }
    }

    /// Whether a set of units can leave: gangs whole; of what is admitted by replica, its minimum of the
    /// highest class stays, or nothing does.
    fn is_whole(&self, gone: &[Candidate<'a>]) -> bool {
        let ids: BTreeSet<WorkloadId> = gone.iter().map(|c| c.unit.workload).collect();
        ids.into_iter().all(|id| {
            let spec = &self.engine.workload(id).expect("a unit's workload exists").spec;
            let of_it = || gone.iter().filter(|c| c.unit.workload == id);
            let running = || self.engine.units(id).filter(|u| u.is_running());
            let sorted = |mut classes: Vec<Reverse<Class>>| {
                classes.sort_unstable();
                classes
            };
            let kept = running().filter(|u| of_it().all(|c| c.unit.number != u.number));
            let kept = sorted(kept.map(|u| Reverse(u.class)).collect());
            if kept.is_empty() {
                let along = of_it().filter(|c| c.along).count();
                return along == 0 || along < spec.min() as usize;
            }
            let (all, min) = (sorted(running().map(|u| Reverse(u.class)).collect()), spec.min() as usize);
            let named = of_it().all(|c| !c.along);
            named && spec.by_replica() && kept.len() >= min && kept[..min] == all[..min]
        })
    }

    fn candidates(&self, phase: &Phase) -> Vec<Candidate<'a>> {
        let named: Vec<Candidate<'a>> = units(self.engine).filter_map(|u| self.candidate(phase, u)).collect();
        let mut all = named.clone();
        for u in units(self.engine).filter(|u| u.is_running()) {
            let of_it = || named.iter().filter(|c| c.unit.workload == u.workload);
            if of_it().any(|c| c.unit.number == u.number) {
                continue;
            }
            if let Some(first) = of_it().min_by_key(|c| (c.tier, c.dearer))
                && (first.tier == 1 || !is_protected(self.engine, u, self.now))
            {
                all.push(Candidate { unit: u, along: true, ..*first });
            }
        }
        all
    }

    /// In a plan of tiers 2 or 3: whether recall alone would give enough room, and the others only go so that
    /// the plan is firm. They could be struck out, so that it is no plan; not so the rest of a workload that would
    /// fall below its minimum without those who are recalled.
    fn is_pretext(&self, phase: &Phase, gone: &[Candidate<'a>]) -> bool {
        let recalled: Vec<Candidate<'a>> = gone.iter().filter(|c| c.tier == 1).copied().collect();
        let units: Vec<&Unit> = recalled.iter().map(|c| c.unit).collect();
        phase.forced() && self.is_whole(&recalled) && self.feasible(phase, Pay::Lent, &units) == Some(true)
    }

    /// The least harmful plan of all.
    pub fn best(&self) -> Answer {
        for (at, phase) in PHASES.iter().enumerate() {
            match self.feasible(phase, Pay::Lent, &[]) {
                Some(true) if !phase.forced() => return Answer::Fits,
                None => return Answer::Open,
                _ => {}
            }
            let candidates = self.candidates(phase);
            if candidates.len() > MAX_CANDIDATES {
                return Answer::Open;
            }
            let mut best: Option<Plan> = None;
            for set in 1..1_u32 << candidates.len() {
                let gone: Vec<Candidate<'a>> = candidates
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| set >> i & 1 == 1)
                    .map(|(_, c)| *c)
                    .collect();
                let gone = self.named(phase, gone);
                let cost = self.cost(at, &gone);
                if (phase.forced() && cost.tier < 2) || best.as_ref().is_some_and(|b| b.cost <= cost) {
                    continue;
                }
                if !self.is_whole(&gone) || self.is_pretext(phase, &gone) {
                    continue;
                }
                let gone: Vec<&Unit> = gone.iter().map(|c| c.unit).collect();
                match self.feasible(phase, Pay::Lent, &gone) {
                    None => return Answer::Open,
                    Some(false) => {}
                    Some(true) => {
                        let victims = gone.iter().map(|u| (u.workload, u.number)).collect();
                        best = Some(Plan { victims, cost });
                    }
                }
            }
            if let Some(plan) = best {
                return Answer::Plan(Box::new(plan));
            }
        }
        Answer::None
    }

    /// What a given set of victims costs, in the first phase that allows it; an error if none does, or if some
    /// of them could stay.
    pub fn judge(&self, victims: &BTreeSet<Name>) -> Result<Cost, String> {
        let mut why = "no tier names all victims".to_string();
        for (at, phase) in PHASES.iter().enumerate() {
            let all = self.candidates(phase);
            let gone: Vec<Candidate<'a>> =
                all.into_iter().filter(|c| victims.contains(&(c.unit.workload, c.unit.number))).collect();
            let gone = self.named(phase, gone);
            let cost = self.cost(at, &gone);
            if gone.len() < victims.len() || (phase.forced() && cost.tier < 2) {
                continue;
            }
            let leaving: Vec<&Unit> = gone.iter().map(|c| c.unit).collect();
            if self.feasible(phase, Pay::All, &leaving) != Some(true) {
                why = "it is not feasible".into();
                continue;
            }
            for set in 1..(1_u32 << gone.len()) - 1 {
                let fewer: Vec<Candidate<'a>> =
                    gone.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, c)| *c).collect();
                let fewer = self.named(phase, fewer);
                let tier = self.cost(at, &fewer).tier;
                let allowed = (!phase.forced() || tier >= 2) && self.is_whole(&fewer);
                let fewer: Vec<&Unit> = fewer.iter().map(|c| c.unit).collect();
                if allowed && self.feasible(phase, Pay::Lent, &fewer) == Some(true) {
                    let left: Vec<_> = fewer.iter().map(|u| (u.workload.0, u.number)).collect();
                    return Err(format!("it is not minimal: {left:?} suffice"));
                }
            }
            return Ok(cost);
        }
        Err(why)
    }
}
