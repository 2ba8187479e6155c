//! The order of plans: the smallest does the least harm.

use crate::ids::{Tick, WorkloadId};
use crate::words::Priority;
use std::cmp::Reverse;

/// Work lost by band, the highest band first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LostByBand([u128; 9]);

impl LostByBand {
    pub(crate) fn add(&mut self, band: Priority, lost: u128) {
        self.0[usize::from(9 - band.get())] += lost;
    }
}

/// Ordering is the order of the fields, top to bottom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlanCost {
    pub(crate) tier: u8,
    /// The highest band touched in that tier.
    pub(crate) band: u8,
    /// In recall: a loan is touched. In self-level: a sibling is.
    pub(crate) dearer: bool,
    pub(crate) lost: LostByBand,
    pub(crate) workloads: usize,
    /// Starts of the victims, latest first.
    pub(crate) starts: Vec<Reverse<Tick>>,
    pub(crate) ids: Vec<(WorkloadId, u32)>,
}
