//! The engine: commands in, events out.

use crate::command::Command;
use crate::event::Event;
use crate::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId};
use crate::reason::{Names, Reason};
use crate::refusal::Refusal;
use crate::workload::Workload;

#[derive(Clone, Debug, Default)]
pub struct Engine {}

impl Engine {
    pub fn new() -> Engine {
        unimplemented!()
    }
    /// Carries out a command: decides, applies, and returns what happened. A refusal changes nothing.
    pub fn handle(&mut self, _now: Tick, _command: Command) -> Result<Vec<Event>, Refusal> {
        unimplemented!()
    }
    /// What `handle` would do, without doing it.
    pub fn preview(&self, _now: Tick, _command: Command) -> Result<Vec<Event>, Refusal> {
        unimplemented!()
    }
    /// Applies one event of a log.
    pub fn apply(&mut self, _event: &Event) {
        unimplemented!()
    }
    /// When `Command::Wake` has something to do next.
    pub fn next_due(&self) -> Option<Tick> {
        unimplemented!()
    }
    pub fn explain(&self, _now: Tick, _workload: WorkloadId) -> Option<Explanation> {
        unimplemented!()
    }
    pub fn pool_named(&self, _name: &str) -> Option<PoolId> {
        unimplemented!()
    }
    pub fn node_named(&self, _name: &str) -> Option<(PoolId, NodeId)> {
        unimplemented!()
    }
    pub fn quota_named(&self, _name: &str) -> Option<QuotaId> {
        unimplemented!()
    }
    /// The latest workload of that name that has not been forgotten.
    pub fn workload_named(&self, _name: &str) -> Option<WorkloadId> {
        unimplemented!()
    }
    pub fn workload(&self, _id: WorkloadId) -> Option<&Workload> {
        unimplemented!()
    }
    /// Quotas that exist, in tree order.
    pub fn books(&self) -> Vec<QuotaBooks> {
        unimplemented!()
    }
}

impl Names for Engine {
    fn quota_name(&self, _id: QuotaId) -> &str {
        unimplemented!()
    }
    fn workload_name(&self, _id: WorkloadId) -> &str {
        unimplemented!()
    }
    fn model_names(&self, _pool: PoolId) -> &[Box<str>] {
        unimplemented!()
    }
}

/// Why a workload is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub workload: WorkloadId,
    /// Place in its queue, from 1, and who is ahead; `None` if it does not wait.
    pub ahead: Option<Vec<WorkloadId>>,
    pub reasons: Vec<Reason>,
    /// Its latest eviction.
    pub evicted: Option<(Tick, crate::event::Cause)>,
}

/// The books of one quota, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaBooks {
    pub quota: QuotaId,
    pub pool: PoolId,
    pub parent: Option<QuotaId>,
    pub depth: u8,
    pub guarantee: crate::resources::Resources,
    pub share: crate::resources::Resources,
    /// What its account is drawn for, by rule in the order of `Rule::ALL`.
    pub drawn: [crate::resources::Resources; 4],
    pub held: crate::resources::Resources,
    pub balance: crate::resources::Resources,
    pub in_transit: crate::resources::Resources,
    /// Workloads that wait in its queue.
    pub queued: u32,
    pub overdrawn: bool,
}
