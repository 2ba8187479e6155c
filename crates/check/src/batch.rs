//! What must be remembered until a batch of events is complete.

use crate::plan::{Eviction, Plan};
use crate::world::Rank;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::event::{Event, EventKind, StartKind};
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
    /// Who took over a hold, and of what rank the losers were.
    pub(crate) takeovers: BTreeMap<WorkloadId, Vec<(WorkloadId, Rank)>>,
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

/// What a plan grants: all that its preemptor is given from here on, up to its next evictions.
/// Elastic training is planned for its minimum, what it grows by later is no part of the plan.
pub(crate) fn plan(by: WorkloadId, service: bool, evictions: Vec<Eviction>, rest: &[Event]) -> Plan {
    let mut grants: BTreeMap<u32, Grant> = BTreeMap::new();
    for event in rest {
        let given: &[Grant] = match &event.kind {
            EventKind::Evicted { cause, .. } if cause.by == Some(by) => break,
            EventKind::Held { workload, grants } if *workload == by => grants,
            EventKind::Started { workload, kind, grants, .. }
                if *workload == by && (service || *kind != StartKind::Grown) =>
            {
                grants
            }
            _ => continue,
        };
        for grant in given {
            grants.entry(grant.unit).or_insert_with(|| grant.clone());
        }
    }
    Plan { by, evictions, grants: grants.into_values().collect() }
}
