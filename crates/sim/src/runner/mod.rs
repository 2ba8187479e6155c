//! Virtual time on the real engine: what an executor would report, at the time when it would.

mod error;
mod work;

pub use error::RunError;
pub use work::Work;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tidegate_check::Checker;
use tidegate_engine::event::{EventKind, StartKind};
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::workload::{Exit, WorkloadSpec};
use tidegate_engine::{Command, Engine, Event, Refusal};
use work::Progress;

/// Timers in a row that do nothing before a run without anything else due counts as ended.
pub const MAX_FRUITLESS_WAKES: u32 = 10_000;
/// Things done at one instant before time counts as stuck. The largest trace has far fewer workloads.
pub const MAX_STEPS_PER_INSTANT: u32 = 10_000_000;

/// Sees every event, with the engine as it is after the command that caused it.
pub trait Watch {
    fn events(&mut self, engine: &Engine, events: &[Event]);
}

impl<F: FnMut(&Engine, &[Event])> Watch for F {
    fn events(&mut self, engine: &Engine, events: &[Event]) {
        self(engine, events);
    }
}

/// Something that an executor reports. Releases sort before saves and ends, so that at one instant
/// capacity comes free in the order in which it was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Report {
    Release { unit: u32 },
    Save,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: Tick,
    /// Order of scheduling, so that one instant has one order.
    number: u64,
    workload: WorkloadId,
    report: Report,
}

/// An engine in virtual time.
#[derive(Clone, Debug)]
pub struct Runner {
    engine: Engine,
    checker: Option<Checker>,
    now: Tick,
    due: BinaryHeap<Reverse<Due>>,
    scheduled: u64,
    /// By workload id.
    progress: Vec<Option<Progress>>,
    /// The behaviour of the workload that is being submitted.
    submitted: Option<Work>,
    steps: u32,
}

impl Default for Runner {
    fn default() -> Self {
        Runner::new()
    }
}

impl Runner {
    pub fn new() -> Runner {
        Runner {
            engine: Engine::new(),
            checker: None,
            now: Tick::ZERO,
            due: BinaryHeap::new(),
            scheduled: 0,
            progress: Vec::new(),
            submitted: None,
            steps: 0,
        }
    }

    /// Verifies every event and the state after it.
    #[must_use]
    pub fn with_check(mut self, check: bool) -> Runner {
        self.checker = check.then(Checker::new);
        self
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn now(&self) -> Tick {
        self.now
    }

    /// Carries out a command now. A refusal changes nothing; what follows at this instant is done by `advance`.
    pub fn command(
        &mut self,
        command: Command,
        watch: &mut impl Watch,
    ) -> Result<Result<(), Refusal>, RunError> {
        let events = match self.engine.handle(self.now, command) {
            Ok(events) => events,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.observe(&events)?;
        watch.events(&self.engine, &events);
        Ok(Ok(()))
    }

    /// Submits a workload now.
    pub fn submit(
        &mut self,
        spec: WorkloadSpec,
        work: Work,
        watch: &mut impl Watch,
    ) -> Result<Result<(), Refusal>, RunError> {
        self.submitted = Some(work);
        let outcome = self.command(Command::Submit(Box::new(spec)), watch);
        self.submitted = None;
        outcome
    }

    /// Does everything that is due up to `to`, and sets the clock to `to`.
    pub fn advance(&mut self, to: Tick, watch: &mut impl Watch) -> Result<(), RunError> {
        while self.step(to, watch)?.is_some() {}
        self.set_clock(to);
        Ok(())
    }

    /// Goes on until nothing is due.
    pub fn finish(&mut self, watch: &mut impl Watch) -> Result<(), RunError> {
        let mut fruitless = 0;
        while fruitless < MAX_FRUITLESS_WAKES {
            fruitless = match self.step(Tick(u64::MAX), watch)? {
                None => return Ok(()),
                // Timers that change nothing, with no report to come, may go on for ever.
                Some(Done::Wake { events: 0 }) if self.due.is_empty() => fruitless + 1,
                Some(_) => 0,
            };
        }
        Ok(())
    }

    /// Does the next thing that is due up to `to`: at one instant reports come before timers.
    fn step(&mut self, to: Tick, watch: &mut impl Watch) -> Result<Option<Done>, RunError> {
        let report = self.due.peek().map(|due| due.0.at);
        let timer = self.engine.next_due().map(|at| at.max(self.now));
        let (at, is_report) = match (report, timer) {
            (Some(report), Some(timer)) => (report.min(timer), report <= timer),
            (Some(report), None) => (report, true),
            (None, Some(timer)) => (timer, false),
            (None, None) => return Ok(None),
        };
        if at > to {
            return Ok(None);
        }
        self.set_clock(at);
        self.steps += 1;
        if self.steps > MAX_STEPS_PER_INSTANT {
            return Err(RunError::Stuck { at, steps: self.steps });
        }
        if is_report {
            if let Some(Reverse(due)) = self.due.pop() {
                self.report(due, watch)?;
            }
            return Ok(Some(Done::Report));
        }
        let events =
            self.engine.handle(self.now, Command::Wake).map_err(|r| RunError::refused("a timer", at, r))?;
        if events.is_empty() && self.engine.next_due().is_some_and(|next| next <= at) {
            return Err(RunError::Stuck { at, steps: self.steps });
        }
        self.observe(&events)?;
        watch.events(&self.engine, &events);
        Ok(Some(Done::Wake { events: events.len() }))
    }

    fn set_clock(&mut self, to: Tick) {
        if to > self.now {
            self.now = to;
            self.steps = 0;
        }
    }

    /// Reports what is due, unless it was overtaken.
    fn report(&mut self, due: Due, watch: &mut impl Watch) -> Result<(), RunError> {
        let workload = due.workload;
        let Some(Some(progress)) = self.progress.get_mut(workload.index()) else { return Ok(()) };
        let command = match due.report {
            Report::Release { unit } if progress.leaves_at(unit, due.at) => {
                Command::Released { workload, unit }
            }
            Report::Save if progress.saves == Some(due.at) => {
                Command::Checkpointed { workload, saved_at: due.at }
            }
            Report::End if progress.ends == Some(due.at) => Command::Finished { workload },
            _ => return Ok(()),
        };
        self.command(command, watch)?.map_err(|refusal| RunError::refused("a report", due.at, refusal))
    }

    fn observe(&mut self, events: &[Event]) -> Result<(), RunError> {
        if let Some(checker) = &mut self.checker {
            checker
                .observe(self.now, events)
                .map_err(|v| RunError::Violation { at: self.now, text: v.to_string() })?;
        }
        for event in events {
            self.follow(event);
        }
        Ok(())
    }

    /// What an event means for work in progress.
    fn follow(&mut self, event: &Event) {
        let now = event.at;
        match &event.kind {
            EventKind::Queued { workload, spec, .. } => {
                let work = self.submitted.take().unwrap_or_default();
                let progress = Progress::new(work, spec.grace, spec.suspend, spec.is_service());
                if self.progress.len() <= workload.index() {
                    self.progress.resize_with(workload.index() + 1, || None);
                }
                self.progress[workload.index()] = Some(progress);
            }
            EventKind::Started { workload, kind, .. } => self.change(*workload, |p| {
                // Growing restarts a training job, and is nothing to a service.
                if !(p.service && *kind == StartKind::Grown) {
                    if p.suspend {
                        p.save(now);
                    }
                    p.start(now);
                }
            }),
            EventKind::Evicted { workload, units, exit, replicas, .. } => {
                self.change(*workload, |p| {
                    if p.suspend {
                        p.save(now);
                    }
                    if *replicas == 0 {
                        p.halt();
                    } else if !p.service && *exit == Exit::Shrink {
                        p.start(now);
                    }
                });
                self.will_leave(*workload, units, now);
            }
            EventKind::Released { workload, units, .. } => self.change(*workload, |p| p.gone(units)),
            EventKind::Lost { workload, units, replicas, .. } => self.change(*workload, |p| {
                p.gone(units);
                if *replicas == 0 {
                    p.halt();
                } else if !p.service {
                    p.start(now);
                }
            }),
            EventKind::Checkpointed { workload, .. } => self.change(*workload, |p| match p.saves {
                Some(at) if at == now => p.saved_on_time(now),
                _ => p.save(now),
            }),
            EventKind::Failed { workload, .. }
            | EventKind::Finished { workload }
            | EventKind::Stopped { workload, .. } => self.change(*workload, Progress::halt),
            _ => {}
        }
    }

    /// Changes a workload's progress and schedules what follows from it.
    fn change(&mut self, workload: WorkloadId, change: impl FnOnce(&mut Progress)) {
        let Some(Some(progress)) = self.progress.get_mut(workload.index()) else { return };
        let before = (progress.ends, progress.saves);
        change(progress);
        let (ends, saves) = (progress.ends, progress.saves);
        // A save at or after the end would report on a workload that is gone.
        let saves = saves.filter(|at| ends.is_none_or(|end| *at < end));
        if let Some(at) = saves.filter(|_| before.1 != saves) {
            self.schedule(at, workload, Report::Save);
        }
        if let Some(at) = ends.filter(|_| before.0 != ends) {
            self.schedule(at, workload, Report::End);
        }
    }

    fn will_leave(&mut self, workload: WorkloadId, units: &[u32], now: Tick) {
        let Some(Some(progress)) = self.progress.get_mut(workload.index()) else { return };
        if progress.work.hang {
            return;
        }
        let at = now.after(progress.grace);
        progress.leaving.extend(units.iter().map(|unit| (*unit, at)));
        for unit in units {
            self.schedule(at, workload, Report::Release { unit: *unit });
        }
    }

    fn schedule(&mut self, at: Tick, workload: WorkloadId, report: Report) {
        self.scheduled += 1;
        self.due.push(Reverse(Due { at, number: self.scheduled, workload, report }));
    }

    /// Whether the workload does work at present.
    pub fn runs(&self, workload: WorkloadId) -> bool {
        self.progress.get(workload.index()).is_some_and(|p| p.as_ref().is_some_and(Progress::runs))
    }
}

/// What a step was.
enum Done {
    Report,
    Wake { events: usize },
}
