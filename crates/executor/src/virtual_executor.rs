//! The executor that starts nothing. Durations are given, so all that will happen is known in advance.

use crate::assignment::{Assignment, Leaving};
use crate::executor::Executor;
use crate::report::{Report, Running};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::{Span, Tick, WorkloadId};

/// What happens to a workload next. At one instant work is saved before it ends, and who ends by itself is not
/// evicted by what a release lets start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Save,
    Exit,
    Gone,
}

/// Ordering is the order of the fields, top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: Tick,
    kind: Kind,
    workload: WorkloadId,
}

/// One workload, as it pretends to run.
#[derive(Clone, Debug)]
struct Pretence {
    assignment: Assignment,
    /// When its work is done.
    ends: Option<Tick>,
    /// The latest save that was reported.
    saved_at: Tick,
    /// By position in `assignment.replicas`: its exit was reported.
    exited: Vec<bool>,
    /// Units that are gone, by position in `assignment.leaving`.
    gone: Vec<bool>,
    /// Units that had ended before they were asked to leave, by position in `assignment.leaving`.
    over: Vec<bool>,
}

/// Starts nothing, and reports what would have happened, when it would have.
#[derive(Clone, Debug, Default)]
pub struct VirtualExecutor {
    workloads: BTreeMap<WorkloadId, Pretence>,
    due: BTreeSet<Due>,
}

impl Pretence {
    fn new(assignment: Assignment, before: Option<&Pretence>) -> Pretence {
        let had_ended = |unit, index: Option<u32>, run| {
            let Some(before) = before else { return false };
            let same = before.assignment.replicas.iter().zip(&before.exited).filter(|(r, _)| {
                (r.unit, r.run) == (unit, run) && index.is_none_or(|index| r.index == index)
            });
            let mut same = same.map(|(_, exited)| *exited).peekable();
            same.peek().is_some() && same.all(|exited| exited)
        };
        let left = |l: &Leaving, flags: fn(&Pretence) -> &[bool]| {
            before.is_some_and(|b| {
                let same = |(old, _): &(&Leaving, &bool)| (old.unit, old.run) == (l.unit, l.run);
                b.assignment.leaving.iter().zip(flags(b)).find(same).is_some_and(|(_, flag)| *flag)
            })
        };
        let exited = assignment.replicas.iter().map(|r| had_ended(r.unit, Some(r.index), r.run)).collect();
        let gone = assignment.leaving.iter().map(|l| left(l, |b| &b.gone)).collect();
        let over = assignment.leaving.iter().map(|l| left(l, |b| &b.over) || had_ended(l.unit, None, l.run));
        let over = over.collect();
        let reported = before.filter(|b| b.assignment.run == assignment.run).map(|b| b.saved_at);
        let work = assignment.launch.work;
        let length = work.duration.or(work.fails.map(|_| Span::ZERO));
        let left = length.map(|length| Span(length.0.saturating_sub(assignment.saved.0)));
        Pretence {
            ends: left.map(|left| assignment.began.after(left)),
            saved_at: assignment.saved_at.max(assignment.began).max(reported.unwrap_or_default()),
            exited,
            gone,
            over,
            assignment,
        }
    }

    fn runs(&self) -> bool {
        self.exited.iter().any(|exited| !exited)
    }

    /// The save with this number, counted from the beginning of the run; none at or after the end.
    fn save(&self, number: u64) -> Option<Tick> {
        let every = self.assignment.launch.work.checkpoint?;
        let at = self.assignment.began.after(Span(every.0.checked_mul(number)?));
        Some(at).filter(|at| self.ends.is_none_or(|end| *at < end))
    }

    /// How many saves there were up to `now`, had it not ended.
    fn saves_up_to(&self, now: Tick) -> u64 {
        let every = self.assignment.launch.work.checkpoint.map_or(0, |every| every.0);
        now.since(self.assignment.began).0.checked_div(every).unwrap_or(0)
    }

    /// The latest save up to `now`.
    fn latest_save(&self, now: Tick) -> Option<Tick> {
        let last = self.ends.map_or(now, |end| now.min(Tick(end.0.saturating_sub(1))));
        self.save(self.saves_up_to(last))
    }

    /// What happens next, if nobody asks for anything else.
    fn due(&self) -> impl Iterator<Item = Due> {
        let (a, workload) = (&self.assignment, self.assignment.workload);
        let runs = self.runs();
        let next = self.save(self.saves_up_to(self.saved_at) + 1);
        let save = next.filter(|_| runs && a.launch.work.checkpoint != Some(Span::ZERO));
        let save = save.map(|at| Due { at, kind: Kind::Save, workload });
        let exit = self.ends.filter(|_| runs).map(|at| Due { at, kind: Kind::Exit, workload });
        let leaving = a.leaving.iter().zip(self.gone.iter().zip(&self.over));
        let gone = leaving.filter_map(move |(l, (gone, over))| {
            let at = goes_at(l, *over);
            let goes = !gone && (*over || !a.launch.work.hang);
            goes.then_some(Due { at, kind: Kind::Gone, workload })
        });
        save.into_iter().chain(exit).chain(gone)
    }

    /// Something that was due happens.
    fn happen(&mut self, due: Due, now: Tick, reports: &mut Vec<Report>) {
        let workload = self.assignment.workload;
        match due.kind {
            Kind::Save => {
                let Some(saved_at) = self.latest_save(now) else { return };
                self.saved_at = saved_at;
                reports.push(Report::Checkpointed { workload, run: self.assignment.run, saved_at });
            }
            Kind::Exit => {
                let code = self.assignment.launch.work.fails.unwrap_or(0);
                for (r, exited) in self.assignment.replicas.iter().zip(&mut self.exited) {
                    if !std::mem::replace(exited, true) {
                        let (unit, index, run) = (r.unit, r.index, r.run);
                        let (detail, warm) = (None, None);
                        reports.push(Report::Exited { workload, unit, index, run, code, detail, warm });
                    }
                }
            }
            Kind::Gone => {
                let leaving = self.assignment.leaving.iter().zip(self.gone.iter_mut().zip(&self.over));
                for (l, (gone, over)) in leaving {
                    if goes_at(l, *over) == due.at && !std::mem::replace(gone, true) {
                        reports.push(Report::Gone { workload, unit: l.unit, run: l.run });
                    }
                }
            }
        }
    }
}

/// A unit uses all of its grace, unless it had ended before.
fn goes_at(leaving: &Leaving, over: bool) -> Tick {
    if over { Tick::ZERO } else { leaving.kill_at }
}

impl VirtualExecutor {
    pub fn new() -> VirtualExecutor {
        VirtualExecutor::default()
    }

    /// What runs now, those that are leaving included. Of a unit that was leaving when it was first heard of the
    /// replicas are not known: they count as one.
    pub fn running(&self) -> Vec<Running> {
        let mut all = Vec::new();
        for (&workload, p) in &self.workloads {
            let running = p.assignment.replicas.iter().zip(&p.exited).filter(|(_, exited)| !**exited);
            all.extend(running.map(|(r, _)| Running { workload, unit: r.unit, index: r.index, run: r.run }));
            let leaving = p.assignment.leaving.iter().zip(p.gone.iter().zip(&p.over));
            let leaving = leaving.filter(|(_, (gone, over))| !**gone && !**over);
            all.extend(leaving.map(|(l, _)| Running { workload, unit: l.unit, index: 0, run: l.run }));
        }
        all.sort();
        all
    }

    fn put(&mut self, pretence: Pretence) {
        self.due.extend(pretence.due());
        self.workloads.insert(pretence.assignment.workload, pretence);
    }

    fn take(&mut self, workload: WorkloadId) -> Option<Pretence> {
        let pretence = self.workloads.remove(&workload)?;
        for due in pretence.due() {
            self.due.remove(&due);
        }
        Some(pretence)
    }
}

impl Executor for VirtualExecutor {
    fn assign(&mut self, assignment: Assignment) {
        let known = self.workloads.get(&assignment.workload);
        if known.is_some_and(|known| assignment.generation < known.assignment.generation) {
            return;
        }
        let before = self.take(assignment.workload);
        self.put(Pretence::new(assignment, before.as_ref()));
    }

    fn forget(&mut self, workload: WorkloadId) {
        self.take(workload);
    }

    fn reconcile(&mut self, all: Vec<Assignment>) {
        (self.workloads, self.due) = Default::default();
        all.into_iter().for_each(|assignment| self.put(Pretence::new(assignment, None)));
    }

    fn next_due(&self) -> Option<Tick> {
        self.due.first().map(|due| due.at)
    }

    fn poll(&mut self, now: Tick) -> Vec<Report> {
        let mut reports = Vec::new();
        while let Some(&due) = self.due.first().filter(|due| due.at <= now) {
            let Some(mut pretence) = self.take(due.workload) else {
                self.due.remove(&due);
                continue;
            };
            pretence.happen(due, now, &mut reports);
            self.put(pretence);
        }
        reports
    }
}
