//! Workloads and their units, kept naively.

use crate::line::Standing;
use std::collections::BTreeMap;
use tidegate_engine::ids::Tick;
use tidegate_engine::unit::Grant;
use tidegate_engine::words::{Class, Priority};
use tidegate_engine::workload::{Exit, WorkloadSpec};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    /// Nothing runs, capacity is held.
    Held,
    Running,
    /// All of it was asked to stop.
    Leaving(Exit),
    Ended,
}

impl Phase {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Phase::Waiting => "queued",
            Phase::Held => "held",
            Phase::Running => "running",
            Phase::Leaving(_) => "leaving",
            Phase::Ended => "ended",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) grant: Grant,
    pub(crate) standing: Standing,
    pub(crate) started: Tick,
}

impl Unit {
    pub(crate) fn class(&self) -> Class {
        self.grant.draws.iter().map(|d| d.class).min().unwrap_or(Class::Firm)
    }

    pub(crate) fn replicas(&self) -> u32 {
        self.grant.slots.len() as u32
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Workload {
    /// `priority` is the present one.
    pub(crate) spec: WorkloadSpec,
    pub(crate) phase: Phase,
    /// Its work is kept: the next start is a return.
    pub(crate) suspended: bool,
    pub(crate) units: BTreeMap<u32, Unit>,
}

impl Workload {
    pub(crate) fn standing(&self, standing: Standing) -> impl Iterator<Item = (u32, &Unit)> {
        self.units.iter().filter(move |(_, unit)| unit.standing == standing).map(|(n, unit)| (*n, unit))
    }

    pub(crate) fn running(&self) -> u32 {
        self.standing(Standing::Running).map(|(_, unit)| unit.replicas()).sum()
    }

    pub(crate) fn has(&self, standing: Standing) -> bool {
        self.standing(standing).next().is_some()
    }

    pub(crate) fn priority(&self) -> Priority {
        self.spec.priority
    }

    /// A service or an elastic job: each replica is a unit. Otherwise unit 0 is the whole gang.
    pub(crate) fn is_by_replica(&self) -> bool {
        self.spec.is_service() || self.spec.min() < self.spec.replicas()
    }

    /// Replicas that a unit of this number has; `None` if there is no such unit. Numbers of replicas may
    /// pass the size of the workload while others still leave.
    pub(crate) fn unit_size(&self, unit: u32) -> Option<u32> {
        if self.is_by_replica() { Some(1) } else { (unit == 0).then_some(self.spec.replicas()) }
    }

    /// Replicas that run or are to run.
    pub(crate) fn wanted(&self) -> u32 {
        self.units.values().filter(|unit| unit.standing != Standing::Leaving).map(Unit::replicas).sum()
    }

    /// Smallest sets of these leaving units that could have stayed, alone or together with what runs on.
    pub(crate) fn could_stay(&self, left: &[u32]) -> Vec<Vec<u32>> {
        if self.running() > 0 || !self.is_by_replica() {
            return left.iter().map(|n| vec![*n]).collect();
        }
        // It stays with its minimum or not at all. The minimum is made of the highest classes; which of
        // equals belong to it is open.
        let min = (self.spec.min().max(1) as usize).min(left.len());
        let mut classes: Vec<Class> = left.iter().map(|n| self.units[n].class()).collect();
        classes.sort_unstable_by(|a, b| b.cmp(a));
        let of = |keep: fn(&Class, &Class) -> bool| -> Vec<u32> {
            left.iter().filter(|n| keep(&self.units[n].class(), &classes[min - 1])).copied().collect()
        };
        let (above, equal) = (of(|class, last| class > last), of(|class, last| class == last));
        equal.windows(min - above.len()).map(|some| [&above, some].concat()).collect()
    }
}
