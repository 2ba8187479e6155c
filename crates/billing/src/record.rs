//! What is kept, and how a change is written down.

use crate::budget::Budget;
use crate::charge::Quantity;
use crate::dedicated::{ResourceConfig, ResourceRequest};
use crate::price::{Mode, PriceBook, Resource};
use crate::template::Template;
use serde::{Deserialize, Serialize};
use tidegate_engine::ids::{MemberId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::words::Class;

/// A correction, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CorrectionId(pub u32);

/// Use that was metered wrongly, or should not be charged: a record of its own, beside what was metered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub id: CorrectionId,
    /// When somebody made it, and who.
    pub made: Tick,
    pub by: MemberId,
    pub reason: Box<str>,
    /// When it counts: it belongs to the period that holds this instant, at the prices of then.
    pub at: Tick,
    pub workspace: WorkspaceId,
    pub user: MemberId,
    pub workload: Option<WorkloadId>,
    pub account: QuotaId,
    pub mode: Mode,
    pub resource: Resource,
    pub class: Class,
    /// Added to what was metered; negative takes back.
    pub quantity: Quantity,
}

/// What a quota is for, beside work that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compute {
    pub quota: QuotaId,
    pub kind: ComputeKind,
    pub since: Tick,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ComputeKind {
    /// Tasks of everybody run here.
    Shared,
    /// Nothing runs here: what is dedicated to somebody is taken from it.
    Dedicated,
}

/// One thing that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    PriceBook(PriceBook),
    Template(Template),
    Compute(Compute),
    Correction(Correction),
    ResourceRequest(ResourceRequest),
    ResourceConfig(ResourceConfig),
    Budget(Budget),
}

/// A record came, changed or went. At least one side is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub at: Tick,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<Record>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<Record>>,
}
