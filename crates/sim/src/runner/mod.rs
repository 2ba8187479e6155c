//! Virtual time on the real engine: what an executor would report, at the time when it would.

mod error;
mod follow;
mod start;
mod work;

pub use error::RunError;
pub use start::{Bounds, Going, Start};
pub use work::Work;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tidegate_check::Checker;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine, Event, Refusal};
use work::Progress;

/// Timers in a row that do nothing before a run without anything else due counts as ended.
pub const MAX_FRUITLESS_WAKES: u32 = 10_000;
/// Things done at one instant before time counts as stuck. The largest trace has far fewer workloads.
pub const MAX_STEPS_PER_INSTANT: u32 = 10_000_000;

/// No run goes on for longer than two hundred years: timers that find something to do for ever would.
const LONGEST: Span = Span(200 * 365 * 24 * 3_600 * 1_000);

/// Sees every event, with the engine as it is after the command that caused it.
pub trait Watch {
    fn events(&mut self, engine: &Engine, events: &[Event]);
}

impl<F: FnMut(&Engine, &[Event])> Watch for F {
    fn events(&mut self, engine: &Engine, events: &[Event]) {
        self(engine, events);
    }
}

/// Something that an executor reports. At one instant work is saved before it ends, and who ends by itself
/// is not evicted by what a release lets start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Save,
    End,
    Release { unit: u32 },
}

/// Ordering is the order of the fields, top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: Tick,
    kind: Kind,
    workload: WorkloadId,
}

/// An engine in virtual time.
#[derive(Clone, Debug)]
pub struct Runner {
    engine: Engine,
    checker: Option<Checker>,
    now: Tick,
    due: BinaryHeap<Reverse<Due>>,
    /// Ends and releases among `due`: what can change anything.
    moving: usize,
    /// By workload id.
    progress: Vec<Option<Box<Progress>>>,
    /// The behaviour of the workload that is being submitted.
    submitted: Option<Work>,
    steps: u32,
    /// When this run began.
    began: Tick,
    bounds: Bounds,
    /// Events so far.
    seen: u64,
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
            moving: 0,
            progress: Vec::new(),
            submitted: None,
            steps: 0,
            began: Tick::ZERO,
            bounds: Bounds::default(),
            seen: 0,
        }
    }

    /// On an engine that has pools and quotas, and no workloads yet.
    pub fn on(engine: Engine) -> Runner {
        Runner { engine, ..Runner::new() }
    }

    /// Verifies every event and the state after it.
    #[must_use]
    pub fn with_check(mut self, check: bool) -> Runner {
        self.checker = check.then(Checker::new);
        self
    }

    /// Ends with an error what costs more than this.
    #[must_use]
    pub fn with_bounds(mut self, bounds: Bounds) -> Runner {
        self.bounds = bounds;
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

    /// Goes on until nothing is due that could change anything. Work without an end may save itself for ever,
    /// and timers may look in vain for ever: neither keeps a run going.
    pub fn finish(&mut self, watch: &mut impl Watch) -> Result<(), RunError> {
        let last = self.began.after(self.bounds.time.unwrap_or(LONGEST));
        let mut fruitless = 0;
        while fruitless < MAX_FRUITLESS_WAKES && (self.moving > 0 || self.engine.next_due().is_some()) {
            fruitless = match self.step(last, watch)? {
                None if self.moving > 0 && self.bounds.time.is_some() => {
                    return Err(RunError::TooLong { at: self.now, events: self.seen });
                }
                None => return Ok(()),
                Some(Done::Report) if self.moving > 0 => 0,
                Some(Done::Wake { events }) if self.moving > 0 || events > 0 => 0,
                Some(_) => fruitless + 1,
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
            if let Some(due) = self.pop() {
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

    /// Whether the engine's books, as it shows them, follow from its events. Without the checker: yes.
    pub fn check_books(&self) -> Result<(), RunError> {
        let Some(checker) = &self.checker else { return Ok(()) };
        let violation = checker.check_books(&self.engine.books());
        violation.map_err(|v| RunError::Violation { at: self.now, text: v.to_string() })
    }

    fn set_clock(&mut self, to: Tick) {
        if to > self.now {
            self.now = to;
            self.steps = 0;
        }
    }

    /// Reports what is due, unless it was overtaken. Units that are gone at one instant are one report.
    fn report(&mut self, due: Due, watch: &mut impl Watch) -> Result<(), RunError> {
        let workload = due.workload;
        let Some(Some(progress)) = self.progress.get(workload.index()) else { return Ok(()) };
        let command = match due.kind {
            Kind::Save if progress.saves == Some(due.at) => {
                Command::Checkpointed { workload, saved_at: due.at }
            }
            Kind::End if progress.ends == Some(due.at) => Command::Finished { workload },
            Kind::Release { unit } => {
                let units = self.gone(due.at, (workload, unit));
                if units.is_empty() {
                    return Ok(());
                }
                Command::Released { units }
            }
            _ => return Ok(()),
        };
        self.command(command, watch)?.map_err(|refusal| RunError::refused("a report", due.at, refusal))
    }

    /// All units that leave at `at`, beginning with `first`, which was taken from the list already.
    fn gone(&mut self, at: Tick, first: (WorkloadId, u32)) -> Vec<(WorkloadId, u32)> {
        let mut units = Vec::new();
        let mut next = Some(first);
        while let Some((workload, unit)) = next {
            let progress = self.progress.get(workload.index()).and_then(Option::as_ref);
            let leaves = self.engine.units(workload).any(|u| u.number == unit && u.is_leaving());
            if leaves && progress.is_some_and(|p| p.leaves_at(unit, at)) {
                units.push((workload, unit));
            }
            next = None;
            if let Some(Reverse(Due { at: due, kind: Kind::Release { unit }, workload })) =
                self.due.peek().copied()
                && due == at
            {
                self.pop();
                next = Some((workload, unit));
            }
        }
        // What goes of one workload goes together.
        units.sort_unstable();
        units.dedup();
        units
    }

    fn observe(&mut self, events: &[Event]) -> Result<(), RunError> {
        self.seen += events.len() as u64;
        if self.bounds.events.is_some_and(|most| self.seen > most) {
            return Err(RunError::TooLong { at: self.now, events: self.seen });
        }
        if self.bounds.is_cut() {
            return Err(RunError::Cut { at: self.now });
        }
        if let Some(checker) = &mut self.checker {
            checker.observe(events).map_err(|v| RunError::Violation { at: self.now, text: v.to_string() })?;
        }
        for event in events {
            self.follow(event);
        }
        Ok(())
    }

    fn pop(&mut self) -> Option<Due> {
        let Reverse(due) = self.due.pop()?;
        self.moving -= usize::from(due.kind != Kind::Save);
        Some(due)
    }

    fn schedule(&mut self, at: Tick, workload: WorkloadId, kind: Kind) {
        self.moving += usize::from(kind != Kind::Save);
        self.due.push(Reverse(Due { at, kind, workload }));
    }

    /// Whether the workload does work at present.
    pub fn runs(&self, workload: WorkloadId) -> bool {
        self.progress.get(workload.index()).is_some_and(|p| p.as_ref().is_some_and(|p| p.runs()))
    }
}

/// What a step was.
enum Done {
    Report,
    Wake { events: usize },
}
