//! A run that begins with an engine that has lived already.

use super::work::Progress;
use super::{Runner, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tidegate_engine::Engine;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::plan::DRAIN_DEADLINE;
use tidegate_engine::unit::UnitState;

/// Where a run begins.
#[derive(Clone, Debug)]
pub struct Start {
    pub engine: Engine,
    /// The instant that the scenario calls 0s.
    pub now: Tick,
    /// What is known of work in progress. Work that nobody knows of goes on until it is finished or stopped.
    pub going: Vec<Going>,
}

/// How far a workload has come that waits or runs when a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Going {
    pub workload: WorkloadId,
    pub work: Work,
    /// Work that no eviction can undo.
    pub saved: Span,
    /// Since when unsaved work is being done; `None` while it does not run.
    pub since: Option<Tick>,
}

/// What a run may cost. Without bounds, as much as it takes.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Events, those of declarations included.
    pub events: Option<u64>,
    /// Virtual time.
    pub time: Option<Span>,
    /// Turns true when nobody waits for the outcome any more.
    pub cut: Option<Arc<AtomicBool>>,
}

impl Bounds {
    pub(super) fn is_cut(&self) -> bool {
        self.cut.as_ref().is_some_and(|cut| cut.load(Ordering::Relaxed))
    }
}

impl Runner {
    /// Goes on with an engine. There is no checker: it would have to see every event from the first on.
    pub fn resume(start: Start) -> Runner {
        let Start { engine, now, going } = start;
        let mut runner = Runner { engine, now, began: now, ..Runner::new() };
        let live: Vec<WorkloadId> =
            runner.engine.workloads().filter(|w| !w.state.is_ended()).map(|w| w.id).collect();
        let going: BTreeMap<WorkloadId, Going> =
            going.into_iter().map(|going| (going.workload, going)).collect();
        for workload in live {
            runner.take_up(workload, going.get(&workload));
        }
        runner
    }

    fn take_up(&mut self, workload: WorkloadId, going: Option<&Going>) {
        let Some(w) = self.engine.workload(workload) else { return };
        let work = going.map_or(Work::default(), |going| going.work);
        let mut progress = Progress::new(work, w.spec.grace, w.spec.suspend, w.spec.is_service());
        if let Some(going) = going {
            progress.resume(going.saved, going.since, self.now);
        }
        let leaving = self.engine.units(workload).filter_map(|unit| match unit.state {
            UnitState::Leaving { deadline, .. } if !work.hang => {
                let gone = Tick(deadline.0.saturating_sub(DRAIN_DEADLINE.0)).max(self.now);
                Some((unit.number, gone))
            }
            _ => None,
        });
        progress.leaving.extend(leaving);
        self.put(workload, progress);
        self.schedule_all(workload);
    }
}
