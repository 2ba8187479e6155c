//! What should run of one workload.

use crate::launch::Launch;
use std::sync::Arc;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::slot::Devices;

/// What should run of one workload: the whole truth, sent whenever it changes and again after every start of the
/// server. What is in neither list has no right to run: it is killed at once, and what it occupied is handed on
/// only when it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub workload: WorkloadId,
    pub name: Box<str>,
    /// Number of the event that made it so: a larger one replaces a smaller one, whatever the order of arrival.
    pub generation: u64,
    pub launch: Arc<Launch>,
    /// Number of the event that started it as a whole, and when that was. Growing or shrinking begins a new run,
    /// except of a service.
    pub run: u64,
    pub began: Tick,
    /// Work that was saved before `began`: what is left to do is its duration less this.
    pub saved: Span,
    /// Work up to then is known to be saved: checkpoints up to then need not be reported again.
    pub saved_at: Tick,
    /// By unit and index. A gang is complete: its world is as large as this list.
    pub replicas: Vec<Replica>,
    /// Units that were asked to leave.
    pub leaving: Vec<Leaving>,
}

/// One replica that should run, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The engine's unit: what is admitted and evicted as one.
    pub unit: u32,
    /// Position within the unit.
    pub index: u32,
    /// Position among the replicas of its role.
    pub rank: u32,
    /// Position in `Launch::roles`.
    pub role: u16,
    /// Number of the event that started it: another number is another process. `Assignment::run`, except of a
    /// service.
    pub run: u64,
    pub since: Tick,
    /// The node's name.
    pub node: Arc<str>,
    pub devices: Devices,
    /// Name of the GPU model; `None` without GPUs.
    pub model: Option<Arc<str>>,
    /// Thousandths of a core.
    pub cpu: u32,
    /// Bytes.
    pub memory: u64,
    /// Bytes that its node has, for all.
    pub node_memory: u64,
}

/// A unit that was asked to leave: all its replicas are gone at `kill_at` at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    pub unit: u32,
    /// The run that leaves.
    pub run: u64,
    /// End of its grace.
    pub kill_at: Tick,
    /// Its work is to be kept.
    pub suspend: bool,
}

impl Assignment {
    /// The workload whose directory it is started in.
    pub fn home(&self) -> WorkloadId {
        self.launch.directory_of.unwrap_or(self.workload)
    }

    /// Nothing is to run, and nothing is leaving.
    pub fn is_empty(&self) -> bool {
        self.replicas.is_empty() && self.leaving.is_empty()
    }
}
