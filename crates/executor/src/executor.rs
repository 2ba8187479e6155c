//! What an executor can be asked.

use crate::assignment::Assignment;
use crate::report::Report;
use std::sync::Arc;
use tidegate_engine::ids::{Tick, WorkloadId};

/// Called from any thread when there is something to poll before `next_due`.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// Makes assignments real. `contract` holds the cases that every executor passes.
///
/// No call waits for a process: what has to be waited for is reported by a later `poll`. Assignments are sent only
/// once the events behind them are durable, so that nothing runs that a restart of the server would not know.
pub trait Executor: Send {
    /// This is what should run of one workload from now on. An older generation than the one known is ignored;
    /// the same again changes nothing.
    fn assign(&mut self, assignment: Assignment);

    /// The workload has ended: whatever is left of it is killed, and its memory is dropped. Its number never
    /// comes back.
    fn forget(&mut self, workload: WorkloadId);

    /// The server has started, or has lost what it was told: these are all assignments. Whatever else runs is an
    /// orphan and is killed. Generations start afresh. What has ended of these runs is reported, again if need be.
    fn reconcile(&mut self, all: Vec<Assignment>);

    /// When `poll` has something to say at the latest, as far as it is known now.
    fn next_due(&self) -> Option<Tick>;

    /// What was seen up to `now`, in order of time. At one instant: saved, exited, gone.
    fn poll(&mut self, now: Tick) -> Vec<Report>;

    /// Whom to wake when something is seen before `next_due`. Who knows everything in advance wakes nobody.
    fn set_waker(&mut self, _waker: Waker) {}
}
