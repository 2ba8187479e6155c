//! What is admitted and evicted as one.

use crate::ids::{ModelId, QuotaId, Tick, WorkloadId};
use crate::resources::Dimension;
use crate::slot::Slot;
use crate::words::{Class, Module, Priority, Rule};
use crate::workload::Exit;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// One entry of the ledger: so much of this account is used by one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Draw {
    pub account: QuotaId,
    pub dimension: Dimension,
    pub rule: Rule,
    pub class: Class,
    pub amount: i64,
}

pub type Draws = SmallVec<[Draw; 1]>;

/// What a unit is given: its entries in both books.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Number within the workload: 0 for a gang. Of a service or an elastic job every replica has its own number,
    /// from 0; its minimum is whichever of them have the highest class, and leaves as one.
    pub unit: u32,
    /// The GPU model of its nodes; `None` if it asks for no GPU.
    pub model: Option<ModelId>,
    pub draws: Draws,
    /// One per replica.
    pub slots: SmallVec<[Slot; 1]>,
}

impl Clone for Grant {
    fn clone(&self) -> Grant {
        let slots = match self.slots.as_slice() {
            [one] => SmallVec::from_buf([one.clone()]),
            many => many.into(),
        };
        Grant { unit: self.unit, model: self.model, draws: SmallVec::from_slice(&self.draws), slots }
    }
}

impl Grant {
    pub fn class(&self) -> Class {
        class_of(&self.draws)
    }
}

/// A unit's class is the lowest among its draws; whoever draws nothing is firm.
pub fn class_of(draws: &[Draw]) -> Class {
    draws.iter().map(|d| d.class).min().unwrap_or(Class::Firm)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnitState {
    /// Its draws and devices are held; what is missing comes from units that leave.
    Held,
    Running,
    /// Asked to stop; if it is not gone by `deadline`, its nodes are fenced.
    Leaving {
        exit: Exit,
        deadline: Tick,
    },
}

/// The rank of a unit: class, then the shallower quota, then priority. Larger is higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rank {
    pub class: Class,
    pub depth: std::cmp::Reverse<u8>,
    pub priority: Priority,
}

/// A unit among others, by its name first: a table that was filled from the log may have it at another position,
/// so that no order may rest on positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct UnitKey {
    pub(crate) workload: WorkloadId,
    pub(crate) number: u32,
    /// Its position in the table.
    pub(crate) unit: u32,
}

impl UnitKey {
    pub(crate) const FIRST: UnitKey = UnitKey { workload: WorkloadId(0), number: 0, unit: 0 };
}

/// An admitted unit. Fields that victim search reads come first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    pub workload: WorkloadId,
    pub number: u32,
    pub quota: QuotaId,
    pub priority: Priority,
    pub module: Module,
    pub class: Class,
    pub state: UnitState,
    /// It is one replica of a service or of an elastic job.
    pub is_replica: bool,
    /// It may leave though no rule names it: others of its workload that are named would take it along, below
    /// their common minimum.
    pub(crate) goes_along: bool,
    /// It can be suspended: leaving costs it no work.
    pub suspend: bool,
    /// Tells its present entries in herds from old ones.
    pub(crate) stamp: u32,
    /// Latest start.
    pub started: Tick,
    /// Work since then is lost on eviction: latest start or reported checkpoint.
    pub saved_at: Tick,
    /// GPUs in thousandths.
    pub gpu: i64,
    pub grant: Grant,
    /// What a hold has taken so far; `None` once it has all.
    pub(crate) pending: Option<Box<Pending>>,
    /// Whom it was evicted for.
    pub(crate) claimant: Option<WorkloadId>,
}

/// The part of a held grant that has been taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// By draw.
    pub(crate) drawn: Vec<i64>,
    /// By slot: the pieces of it that are occupied. Of a device that others still share, what they have left.
    pub(crate) slots: Vec<SmallVec<[Slot; 1]>>,
}

impl Unit {
    pub fn is_running(&self) -> bool {
        self.state == UnitState::Running
    }

    /// Whether recall could never clear what it occupies.
    pub(crate) fn is_pinned(&self) -> bool {
        self.class == Class::Firm && !self.goes_along
    }

    pub fn is_leaving(&self) -> bool {
        matches!(self.state, UnitState::Leaving { .. })
    }

    /// Work lost per millisecond since `saved_at`.
    pub(crate) fn rate(&self) -> i64 {
        if self.suspend { 0 } else { self.gpu }
    }

    /// Work that an eviction at `now` would lose, in thousandths of a GPU times milliseconds.
    pub(crate) fn lost(&self, now: Tick) -> u128 {
        self.rate() as u128 * u128::from(now.since(self.saved_at).0)
    }
}
