//! What the service knows beside the books: when, by whom, how it ended. Derived from the log alone.

use super::entry::{Fact, Origin};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId};
use tidegate_engine::{Event, EventKind};

/// Changes of one quota that are kept at hand; older ones are in the log.
pub const MAX_HISTORY: usize = 1_000;
/// Events of one workload that are kept at hand: its first and its latest ones.
pub const MAX_EVENTS: usize = 200;

/// A change of a quota.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    pub number: u64,
    pub at: Tick,
    pub by: Arc<str>,
    /// What was asked for.
    pub operation: Arc<str>,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuotaRecord {
    pub created: Tick,
    /// Number of the latest event that changed it: its ETag.
    pub version: u64,
    pub history: Vec<Operation>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadRecord {
    pub created: Tick,
    /// Number of the latest event that changed it.
    pub version: u64,
    pub by: Arc<str>,
    pub first_started: Option<Tick>,
    /// Latest start.
    pub started: Option<Tick>,
    /// Since when it waits, if it does: when it was submitted, or when the last of it left.
    pub waits_since: Tick,
    pub ended: Option<Tick>,
    /// How its processes ended last.
    pub exit_code: Option<i32>,
    /// What the code does not say.
    pub exit_detail: Option<Box<str>>,
    /// Whether a worker that waited took it last, if workers do it.
    pub warm: Option<bool>,
    /// Who stopped it and why, if that was not asked for by somebody.
    pub stop_reason: Option<Box<str>>,
    /// Numbers of its events.
    pub events: SmallVec<[u64; 3]>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shell {
    pub pools: BTreeMap<PoolId, Tick>,
    pub nodes: BTreeMap<(PoolId, NodeId), Tick>,
    pub quotas: BTreeMap<QuotaId, QuotaRecord>,
    pub workloads: BTreeMap<WorkloadId, WorkloadRecord>,
    /// Ended workloads by the time of their end: who leaves memory first.
    pub ended: BTreeSet<(Tick, WorkloadId)>,
}

impl Shell {
    /// Takes in one event of the log. `number` is its own.
    pub fn observe(&mut self, number: u64, event: &Event, origin: &Arc<Origin>) {
        use EventKind::*;
        let at = event.at;
        match &event.kind {
            PoolCreated { pool, .. } => {
                self.pools.insert(*pool, at);
            }
            NodeAdded { pool, node, .. } => {
                self.nodes.insert((*pool, *node), at);
            }
            NodeRemoved { pool, node } => {
                self.nodes.remove(&(*pool, *node));
            }
            QuotaCreated { quota, .. } => {
                self.quotas.insert(*quota, QuotaRecord { created: at, version: number, history: Vec::new() });
                self.change_quota(*quota, number, event, origin);
            }
            PolicySet { quota, .. }
            | QuotaScaled { quota, .. }
            | Overdrawn { quota, .. }
            | Settled { quota }
            | QuotaDeleted { quota } => self.change_quota(*quota, number, event, origin),
            Queued { workload, .. } => {
                let record = WorkloadRecord {
                    created: at,
                    version: number,
                    by: origin.by.clone(),
                    first_started: None,
                    started: None,
                    waits_since: at,
                    ended: None,
                    exit_code: None,
                    exit_detail: None,
                    warm: None,
                    stop_reason: None,
                    events: SmallVec::from_slice(&[number]),
                };
                self.workloads.insert(*workload, record);
            }
            Forgotten { workload } => {
                if let Some(record) = self.workloads.remove(workload) {
                    self.ended.remove(&(record.ended.unwrap_or_default(), *workload));
                }
            }
            kind => {
                if let Some(id) = workload_of(kind) {
                    self.change_workload(id, number, event);
                }
            }
        }
    }

    pub fn learn(&mut self, fact: &Fact) {
        let (Fact::Exited { workload, .. } | Fact::Stopped { workload, .. }) = fact;
        let Some(record) = self.workloads.get_mut(workload) else { return };
        match fact {
            Fact::Exited { code, detail, warm, .. } => {
                (record.exit_code, record.exit_detail) = (Some(*code), detail.clone());
                record.warm = *warm;
            }
            Fact::Stopped { why, .. } => record.stop_reason = Some(why.clone()),
        }
    }

    fn change_quota(&mut self, id: QuotaId, number: u64, event: &Event, origin: &Arc<Origin>) {
        let Some(record) = self.quotas.get_mut(&id) else { return };
        record.version = number;
        if record.history.len() == MAX_HISTORY {
            record.history.remove(0);
        }
        let (by, operation) = (origin.by.clone(), origin.operation.clone());
        record.history.push(Operation { number, at: event.at, by, operation, kind: event.kind.clone() });
    }

    fn change_workload(&mut self, id: WorkloadId, number: u64, event: &Event) {
        let Some(record) = self.workloads.get_mut(&id) else { return };
        record.version = number;
        if record.events.len() == MAX_EVENTS {
            record.events.remove(MAX_EVENTS / 2);
        }
        record.events.push(number);
        match &event.kind {
            EventKind::Started { .. } => {
                record.first_started.get_or_insert(event.at);
                record.started = Some(event.at);
            }
            // Whoever is sent back to the queue waits from when the last of it has left.
            EventKind::Evicted { .. }
            | EventKind::Released { .. }
            | EventKind::Lost { .. }
            | EventKind::Failed { restarts_left: Some(_), .. } => record.waits_since = event.at,
            EventKind::Finished { .. }
            | EventKind::Stopped { .. }
            | EventKind::Failed { restarts_left: None, .. } => {
                record.ended = Some(event.at);
                self.ended.insert((event.at, id));
            }
            _ => {}
        }
    }
}

/// The workload that an event is about.
pub fn workload_of(kind: &EventKind) -> Option<WorkloadId> {
    use EventKind::*;
    match kind {
        Queued { workload, .. }
        | PassedOver { workload }
        | Reserved { workload, .. }
        | ReservationEnded { workload }
        | Held { workload, .. }
        | HoldLost { workload, .. }
        | Started { workload, .. }
        | Evicted { workload, .. }
        | Released { workload, .. }
        | Moved { workload, .. }
        | Lost { workload, .. }
        | Finished { workload }
        | Failed { workload, .. }
        | Stopped { workload, .. }
        | PriorityChanged { workload, .. }
        | Resized { workload, .. }
        | Checkpointed { workload, .. }
        | Forgotten { workload } => Some(*workload),
        _ => None,
    }
}
