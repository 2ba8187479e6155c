//! What an executor has seen.

use std::sync::Arc;
use tidegate_engine::ids::{Tick, WorkloadId};

/// What an executor has seen. It names the run that it speaks of: whoever hears of a run that is over ignores it,
/// so a report may come late or twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// A replica ended without having been asked to, for good: the executor will not try again.
    Exited {
        workload: WorkloadId,
        unit: u32,
        index: u32,
        run: u64,
        /// As a shell gives it: 128 and the signal's number for who was killed, 127 for a missing program.
        code: i32,
        /// What the code does not say.
        detail: Option<Box<str>>,
        /// Of a task for workers: whether one that waited took it, or one was started for it.
        warm: Option<bool>,
    },
    /// Nothing is left of a unit that was asked to leave.
    Gone { workload: WorkloadId, unit: u32, run: u64 },
    /// Work of the run as a whole is safe up to `saved_at`. Of several that fell due together the latest is reported.
    Checkpointed { workload: WorkloadId, run: u64, saved_at: Tick },
    /// A GPU cannot be handed on. Whoever was to run there has not been started.
    Unclean { node: Arc<str>, device: u16, reason: Box<str> },
}

/// A replica that runs, and the run that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Running {
    pub workload: WorkloadId,
    pub unit: u32,
    pub index: u32,
    pub run: u64,
}
