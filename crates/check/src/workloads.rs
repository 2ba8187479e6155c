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

    /// All replicas ask for the same, so that counting slots is exact.
    pub(crate) fn has_equal_replicas(&self) -> bool {
        self.spec.roles.iter().all(|role| role.shape == self.spec.roles[0].shape)
    }

    /// Replicas that a unit of this number has; `None` if there is no such unit.
    pub(crate) fn unit_size(&self, unit: u32) -> Option<u32> {
        let (min, all) = (self.spec.min(), self.spec.replicas());
        match unit {
            _ if self.spec.is_service() => (unit < all).then_some(1),
            0 => Some(min),
            _ => (unit >= min && unit < all).then_some(1),
        }
    }

    /// Smallest sets of these leaving units that could have stayed, alone or together with what runs on.
    pub(crate) fn could_stay(&self, left: &[u32]) -> Vec<Vec<u32>> {
        let single = |n: &u32| vec![*n];
        if self.running() > 0 {
            return left.iter().map(single).collect();
        }
        if !self.spec.is_service() {
            return left.iter().filter(|n| **n == 0).map(single).collect();
        }
        // A service stays with its minimum or not at all; which replicas stay is open.
        let min = (self.spec.min().max(1) as usize).min(left.len());
        left.windows(min).map(<[u32]>::to_vec).collect()
    }
}
