//! What must be remembered until a batch of events is complete.

use crate::plan::{Eviction, Takeover};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, WorkloadId};
use tidegate_engine::resources::Resources;
use tidegate_engine::unit::Grant;

/// All events that one command returned: a pass, committed as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    /// Evictions whose preemptor has not been given anything yet.
    pub(crate) pending: BTreeMap<WorkloadId, Vec<Eviction>>,
    /// Holds that workloads lost to nobody.
    pub(crate) dropped: BTreeMap<WorkloadId, Vec<Grant>>,
    /// Evictions by a scale or transfer.
    pub(crate) operator: Vec<Eviction>,
    /// Units of plans that evicted under tiers 2 or 3.
    pub(crate) firm: BTreeSet<(WorkloadId, u32)>,
    pub(crate) started: BTreeSet<(WorkloadId, u32)>,
    /// Holds that were taken over, by who took them.
    pub(crate) takeovers: BTreeMap<WorkloadId, Vec<Takeover>>,
    pub(crate) scaled: Vec<(QuotaId, Resources, Resources)>,
    /// Accounts whose share became smaller in some dimension.
    pub(crate) shrunk: BTreeSet<QuotaId>,
    pub(crate) trees: BTreeSet<QuotaId>,
    pub(crate) pools: BTreeSet<PoolId>,
    /// Nodes that were lost, and nodes that units said they lost.
    pub(crate) lost: BTreeSet<(PoolId, NodeId)>,
    /// Nodes of which a device went out of service.
    pub(crate) broken: BTreeSet<(PoolId, NodeId)>,
}
