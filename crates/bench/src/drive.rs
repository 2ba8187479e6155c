//! Virtual time for a list of jobs, with as little around the engine as possible.

use crate::clock::Deadline;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tidegate_check::Checker;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine};

/// Seconds after which a run is given up.
const PATIENCE: u64 = 60;

/// Something to run, once it has arrived.
#[derive(Clone, Debug)]
pub struct Job {
    pub arrives: Tick,
    /// Milliseconds of work.
    pub runs: u64,
    pub spec: WorkloadSpec,
}

/// How one job fared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Course {
    pub started: Option<Tick>,
    pub ended: Option<Tick>,
    /// Work left, in milliseconds.
    left: u64,
    /// Since when it runs.
    since: Option<Tick>,
}

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub courses: Vec<Course>,
    pub evictions: u64,
    /// Commands carried out: arrivals, ends, releases, timers.
    pub commands: u64,
    /// It took too long and was given up.
    pub given_up: bool,
    /// What the checker found.
    pub violation: Option<String>,
}

#[derive(Debug)]
struct Drive<'a> {
    engine: &'a mut Engine,
    checker: Option<Checker>,
    /// Ends of jobs. One that was suspended since is recognised by its time.
    ends: BinaryHeap<Reverse<(Tick, WorkloadId)>>,
    leaving: Vec<(WorkloadId, u32)>,
    outcome: Outcome,
}

/// Runs jobs, in order of arrival, on an engine that has had no workloads yet. Who is asked to stop is suspended at
/// once and loses nothing. `checker` has seen the engine's events.
pub fn drive(engine: &mut Engine, jobs: Vec<Job>, checker: Option<Checker>) -> Outcome {
    let courses = jobs.iter().map(|job| Course { left: job.runs, ..Course::default() }).collect();
    let outcome = Outcome { courses, ..Outcome::default() };
    let ends = BinaryHeap::with_capacity(jobs.len());
    let mut drive = Drive { engine, checker, ends, leaving: Vec::new(), outcome };
    let mut jobs = jobs.into_iter().peekable();
    let deadline = Deadline::after(PATIENCE);
    while drive.outcome.violation.is_none() {
        if drive.outcome.commands.is_multiple_of(256) && deadline.passed() {
            drive.outcome.given_up = true;
            break;
        }
        let arrival = jobs.peek().map(|job| job.arrives);
        let end = drive.ends.peek().map(|end| end.0.0);
        let timer = drive.engine.next_due();
        // Timers alone move nothing once all jobs have arrived and none runs.
        if arrival.is_none() && end.is_none() {
            break;
        }
        let Some(now) = [arrival, end, timer].into_iter().flatten().min() else { break };
        if end == Some(now) {
            drive.end(now);
        } else if timer == Some(now) {
            drive.command(now, Command::Wake);
        } else if let Some(job) = jobs.next() {
            drive.command(now, Command::Submit(Box::new(job.spec)));
        }
    }
    drive.outcome
}

impl Drive<'_> {
    fn end(&mut self, now: Tick) {
        let Some(Reverse((_, workload))) = self.ends.pop() else { return };
        let course = &self.outcome.courses[workload.index()];
        if course.since.is_some_and(|since| since.0 + course.left == now.0) {
            self.command(now, Command::Finished { workload });
        }
    }

    fn command(&mut self, now: Tick, command: Command) {
        self.carry_out(now, command);
        while !self.leaving.is_empty() {
            let units = std::mem::take(&mut self.leaving);
            self.carry_out(now, Command::Released { units });
        }
    }

    fn carry_out(&mut self, now: Tick, command: Command) {
        self.outcome.commands += 1;
        let events = match self.engine.handle(now, command) {
            Ok(events) => events,
            Err(refusal) => panic!("refused: {refusal}"),
        };
        if let Some(checker) = &mut self.checker
            && let Err(violation) = checker.observe(&events)
        {
            self.outcome.violation.get_or_insert(violation.to_string());
        }
        for event in &events {
            self.follow(event);
        }
    }

    fn follow(&mut self, event: &Event) {
        let now = event.at;
        match &event.kind {
            EventKind::Started { workload, .. } => {
                let course = &mut self.outcome.courses[workload.index()];
                course.started.get_or_insert(now);
                course.since = Some(now);
                self.ends.push(Reverse((Tick(now.0 + course.left), *workload)));
            }
            EventKind::Evicted { workload, units, .. } => {
                self.outcome.evictions += 1;
                let course = &mut self.outcome.courses[workload.index()];
                let since = course.since.take().unwrap_or(now);
                course.left -= now.since(since).0;
                self.leaving.extend(units.iter().map(|unit| (*workload, *unit)));
            }
            EventKind::Finished { workload } => {
                let course = &mut self.outcome.courses[workload.index()];
                course.since = None;
                course.ended = Some(now);
            }
            _ => {}
        }
    }
}
