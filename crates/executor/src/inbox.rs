//! From reports to the engine's commands.

use crate::dispatch::Dispatch;
use crate::report::Report;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::workload::WorkloadState;
use tidegate_engine::{Command, Engine};

/// Reports that were heard and not yet acted upon, and the exits so far of gangs that have not ended. None of it is
/// in the log: after a start of the server it begins empty, and `Executor::reconcile` fills it again.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    saves: VecDeque<(WorkloadId, u64, Tick)>,
    exits: BTreeMap<WorkloadId, Vec<Ended>>,
    /// Workloads with exits that have not been judged.
    unjudged: BTreeSet<WorkloadId>,
    gone: BTreeSet<(WorkloadId, u32, u64)>,
    unclean: VecDeque<(Arc<str>, u16, Box<str>)>,
}

#[derive(Clone, Debug)]
struct Ended {
    unit: u32,
    index: u32,
    run: u64,
    code: i32,
    detail: Option<Box<str>>,
    warm: Option<bool>,
}

/// What follows from reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub command: Command,
    /// The exit that decided it.
    pub exit: Option<ExitStatus>,
}

/// How a replica ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitStatus {
    pub workload: WorkloadId,
    pub unit: u32,
    pub index: u32,
    pub code: i32,
    pub detail: Option<Box<str>>,
    pub warm: Option<bool>,
}

impl Inbox {
    pub fn new() -> Inbox {
        Inbox::default()
    }

    /// Takes in what one poll brought.
    pub fn hear(&mut self, reports: Vec<Report>) {
        for report in reports {
            match report {
                Report::Checkpointed { workload, run, saved_at } => {
                    self.saves.push_back((workload, run, saved_at));
                }
                Report::Exited { workload, unit, index, run, code, detail, warm } => {
                    let ended = Ended { unit, index, run, code, detail, warm };
                    self.exits.entry(workload).or_default().push(ended);
                    self.unjudged.insert(workload);
                }
                Report::Gone { workload, unit, run } => {
                    self.gone.insert((workload, unit, run));
                }
                Report::Unclean { node, device, reason } => self.unclean.push_back((node, device, reason)),
            }
        }
    }

    /// A workload has ended: its exits are of no interest any more.
    pub fn forget(&mut self, workload: WorkloadId) {
        self.exits.remove(&workload);
    }

    /// The next command that follows from what was heard; `None` once all of it is done. To be carried out, and
    /// its events followed by `dispatch`, before the next is asked for: an earlier one may overtake a later one.
    /// Saved work comes first, then ends, then all that is gone as one, so that who ends by itself is not evicted
    /// by what a release lets start.
    pub fn next(&mut self, engine: &Engine, dispatch: &Dispatch) -> Option<Finding> {
        while let Some((node, device, reason)) = self.unclean.pop_front() {
            if let Some((pool, node)) = engine.node_named(&node) {
                let command = Command::SetDevice { pool, node, device, out: true, reason };
                return Some(Finding { command, exit: None });
            }
        }
        while let Some((workload, run, saved_at)) = self.saves.pop_front() {
            if is_news(engine, dispatch, workload, run, saved_at) {
                let command = Command::Checkpointed { workload, saved_at };
                return Some(Finding { command, exit: None });
            }
        }
        while let Some(workload) = self.unjudged.pop_first() {
            let finding = self.judge(engine, dispatch, workload);
            if finding.is_some() || dispatch.progress(workload).is_none() {
                self.exits.remove(&workload);
            }
            if finding.is_some() {
                return finding;
            }
        }
        let leaves = |&(workload, unit, run): &(WorkloadId, u32, u64)| {
            let known = dispatch.progress(workload).and_then(|p| p.unit(unit));
            known.is_some_and(|u| u.leaves && u.run == run)
                && engine.units(workload).any(|u| u.number == unit && u.is_leaving())
        };
        let gone = std::mem::take(&mut self.gone);
        let units: Vec<_> = gone.into_iter().filter(leaves).map(|(w, unit, _)| (w, unit)).collect();
        (!units.is_empty()).then_some(Finding { command: Command::Released { units }, exit: None })
    }

    /// Whether a workload's exits so far end it. It has finished when all replicas of its run exited with zero, and
    /// has failed as soon as one exited otherwise. A service has no end of its own: that a replica exits, with
    /// whatever code, is its failure, unless all have. Who was asked to leave is gone, not failed.
    fn judge(&mut self, engine: &Engine, dispatch: &Dispatch, workload: WorkloadId) -> Option<Finding> {
        let exits = self.exits.get_mut(&workload)?;
        let progress = dispatch.progress(workload)?;
        exits.retain(|e| progress.unit(e.unit).is_some_and(|u| u.run == e.run));
        exits.sort_by_key(|e| (e.unit, e.index));
        exits.dedup_by_key(|e| (e.unit, e.index));
        let w = engine.workload(workload)?;
        // A gang that had done its work before it was asked to leave has finished.
        let leaving = match w.state {
            WorkloadState::Running => false,
            WorkloadState::Leaving(_) if !w.spec.is_service() => true,
            _ => return None,
        };
        let latest = progress.units.iter().map(|u| u.run).max();
        let counts = |unit: u32| {
            progress.unit(unit).is_some_and(|u| u.leaves == leaving && (!leaving || Some(u.run) == latest))
        };
        let mut counted = exits.iter().filter(|e| counts(e.unit));
        let wanted: usize =
            engine.units(workload).filter(|u| counts(u.number)).map(|u| u.grant.slots.len()).sum();
        let finding = |e: &Ended, command| {
            let Ended { unit, index, code, detail, warm, .. } = e.clone();
            Some(Finding { command, exit: Some(ExitStatus { workload, unit, index, code, detail, warm }) })
        };
        if let Some(bad) = counted.clone().find(|e| e.code != 0) {
            return if leaving { None } else { finding(bad, Command::Failed { workload }) };
        }
        let first = counted.next()?;
        match counted.count() + 1 == wanted {
            true => finding(first, Command::Finished { workload }),
            false if w.spec.is_service() => finding(first, Command::Failed { workload }),
            false => None,
        }
    }
}

/// Whether a report of saved work says more than is known, of the present run.
fn is_news(engine: &Engine, dispatch: &Dispatch, workload: WorkloadId, run: u64, saved_at: Tick) -> bool {
    let runs = engine.workload(workload).is_some_and(|w| w.state == WorkloadState::Running);
    let known = dispatch.progress(workload);
    runs && known.is_some_and(|p| p.run.is_some_and(|r| r.number == run) && p.saved_at < saved_at)
}
