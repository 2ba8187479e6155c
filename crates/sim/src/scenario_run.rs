//! A scenario file on the runner: lines become commands, events become notes.

use crate::language::tree::{Change, Declaration, Line, Name, PoolText, Statement};
use crate::language::{Place, Scenario, SyntaxError};
use crate::lower::{self, Asked, Lowering};
use crate::report::explained::Explained;
use crate::report::labels::{Directory, Labels};
use crate::report::note::{Detail, Note, Subject};
use crate::report::{End, Report, books};
use crate::runner::{Bounds, RunError, Runner, Start, Watch};
use std::collections::BTreeSet;
use std::fmt;
use tidegate_engine::ids::{PoolId, Span, Tick, WorkloadId};
use tidegate_engine::words::PoolKind;
use tidegate_engine::{Command, Engine, Event, Refusal};

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimError {
    /// The file is wrong: its syntax, or a declaration that breaks a rule.
    File(SyntaxError),
    /// We are wrong.
    Run(RunError),
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimError::File(error) => error.fmt(f),
            SimError::Run(error) => write!(f, "internal error: {error}"),
        }
    }
}

impl std::error::Error for SimError {}

impl From<RunError> for SimError {
    fn from(error: RunError) -> SimError {
        SimError::Run(error)
    }
}

/// A run with all that can be compared afterwards.
#[derive(Debug)]
pub struct Recording {
    pub report: Report,
    pub events: Vec<Event>,
    pub engine: Engine,
}

/// Runs a file, with the checker on, until nothing is due. `source` is the file's text, for errors.
pub fn run(scenario: &Scenario, source: &str) -> Result<Recording, SimError> {
    run_within(scenario, source, None, Bounds::default())
}

/// Runs a file within bounds, from nothing and with the checker on, or from where an engine stands.
pub fn run_within(
    scenario: &Scenario,
    source: &str,
    start: Option<Start>,
    bounds: Bounds,
) -> Result<Recording, SimError> {
    if let Some(line) = scenario.lines.iter().find(|line| bounds.time.is_some_and(|time| line.at.0 > time.0))
    {
        let most = bounds.time.map_or(Tick::ZERO, |time| Tick(time.0));
        let message = format!("expected a time of at most {most}, found {}", line.at);
        return Err(SimError::File(SyntaxError::new(line.place, message, source)));
    }
    let mut play = Play::new(start, bounds);
    play.declare(scenario, source)?;
    for line in &scenario.lines {
        let at = play.zero.after(Span(line.at.0));
        play.runner.advance(at, &mut play.scribe)?;
        play.line(line, at)?;
        play.runner.check_books()?;
        // What follows from the line at its own instant comes before the next line.
        play.runner.advance(at, &mut play.scribe)?;
    }
    play.runner.finish(&mut play.scribe)?;
    play.runner.check_books()?;
    Ok(play.recording())
}

/// Takes down what happens.
#[derive(Clone, Debug, Default)]
struct Scribe {
    labels: Labels,
    notes: Vec<Note>,
    events: Vec<Event>,
    /// Declarations are no news.
    silent: bool,
}

impl Watch for Scribe {
    fn events(&mut self, _: &Engine, events: &[Event]) {
        for event in events {
            self.labels.learn(event);
            if !self.silent {
                self.notes.extend(Note::of(event, &self.labels));
            }
        }
        self.events.extend_from_slice(events);
    }
}

#[derive(Debug, Default)]
struct Play {
    runner: Runner,
    lowering: Lowering,
    scribe: Scribe,
    pools: Vec<PoolMade>,
    /// What the file calls 0s.
    zero: Tick,
    /// Ended before that: no part of the report.
    past: BTreeSet<WorkloadId>,
}

/// A pool that some line declared.
#[derive(Debug)]
struct PoolMade {
    name: Box<str>,
    id: PoolId,
    kind: PoolKind,
    nodes: u32,
}

impl Play {
    fn new(start: Option<Start>, bounds: Bounds) -> Play {
        let Some(start) = start else {
            return Play { runner: Runner::new().with_check(true).with_bounds(bounds), ..Play::default() };
        };
        let zero = start.now;
        let labels = Labels::of(&start.engine, zero);
        let past = start.engine.workloads().filter(|w| w.state.is_ended()).map(|w| w.id).collect();
        let runner = Runner::resume(start).with_bounds(bounds);
        Play { runner, scribe: Scribe { labels, ..Scribe::default() }, zero, past, ..Play::default() }
    }

    fn declare(&mut self, scenario: &Scenario, source: &str) -> Result<(), SimError> {
        self.scribe.silent = true;
        for declaration in &scenario.declarations {
            let (outcome, place) = match declaration {
                Declaration::Pool(text) => (self.pool(text, source)?, text.name.place),
                Declaration::Quota(text) => {
                    let outcome = match lower::quota_spec(self.runner.engine(), text) {
                        Ok(spec) => self.command(Command::CreateQuota(Box::new(spec)))?,
                        Err(refusal) => Err(refusal),
                    };
                    let place = outcome.as_ref().err().map(|refusal| lower::fault(text, refusal));
                    (outcome, place.unwrap_or_default())
                }
            };
            outcome.map_err(|refusal| refused(place, &refusal, source))?;
        }
        self.scribe.silent = false;
        Ok(())
    }

    fn pool(&mut self, text: &PoolText, source: &str) -> Result<Result<(), Refusal>, SimError> {
        let known = self.pools.iter().position(|pool| pool.name == text.name.value);
        let index = match known {
            Some(index) => index,
            None => {
                let (name, kind) = (text.name.value.clone(), text.kind.unwrap_or(PoolKind::General));
                if let Err(refusal) = self.command(Command::CreatePool { name: name.clone(), kind })? {
                    return Ok(Err(refusal));
                }
                let id = self.runner.engine().pool_named(&name);
                let id = id.ok_or(Refusal::UnknownPool { pool: name.to_string() });
                match id {
                    Ok(id) => self.pools.push(PoolMade { name, id, kind, nodes: 0 }),
                    Err(refusal) => return Ok(Err(refusal)),
                }
                self.pools.len() - 1
            }
        };
        let (id, kind, first) = (self.pools[index].id, self.pools[index].kind, self.pools[index].nodes);
        if let Some(other) = text.kind.filter(|other| *other != kind) {
            let message = format!("pool {} is {kind}, found kind={other}", text.name.value);
            return Err(SimError::File(SyntaxError::new(text.name.place, message, source)));
        }
        for command in lower::nodes(id, text, first) {
            if let Err(refusal) = self.command(command)? {
                return Ok(Err(refusal));
            }
        }
        self.pools[index].nodes += text.nodes;
        Ok(Ok(()))
    }

    fn command(&mut self, command: Command) -> Result<Result<(), Refusal>, RunError> {
        self.runner.command(command, &mut self.scribe)
    }

    fn line(&mut self, line: &Line, now: Tick) -> Result<(), RunError> {
        match &line.statement {
            Statement::Change(change) => {
                let asked = self.lowering.change(self.runner.engine(), now, change);
                let outcome = match asked {
                    Ok(asked) => ask(&mut self.runner, asked, &mut self.scribe)?,
                    Err(refusal) => Err(refusal),
                };
                if let Err(refusal) = outcome {
                    self.refused(lower::subject(change), change.word(), &refusal);
                }
            }
            Statement::Preview(change) => self.preview(change)?,
            Statement::Explain(name) => self.explain(name),
            Statement::Show => {
                let rows = books::rows(self.runner.engine(), &self.scribe.labels);
                self.note(Subject::Everything, "show", Detail::Books(rows));
            }
        }
        Ok(())
    }

    fn note(&mut self, subject: Subject, word: &'static str, detail: Detail) {
        let at = self.scribe.labels.clock(self.runner.now());
        self.scribe.notes.push(Note { at, subject, word, detail });
    }

    fn refused(&mut self, subject: Subject, command: &'static str, refusal: &Refusal) {
        let at = self.scribe.labels.clock(self.runner.now());
        self.scribe.notes.push(Note::refused(at, subject, command, refusal));
    }

    fn explain(&mut self, name: &Name) {
        let engine = self.runner.engine();
        let subject = Subject::Workload(name.value.to_string());
        let explained = lower::workload(engine, name).and_then(|id| {
            let unknown = || Refusal::UnknownWorkload { workload: name.value.to_string() };
            engine.explain(self.runner.now(), id).ok_or_else(unknown)
        });
        match explained {
            Ok(explanation) => {
                let detail = Explained::new(&explanation, engine, &self.scribe.labels);
                self.note(subject, "explain", Detail::Explained(Box::new(detail)));
            }
            Err(refusal) => self.refused(subject, "explain", &refusal),
        }
    }

    /// Carries the change out on a copy, with all that follows at this instant.
    fn preview(&mut self, change: &Change) -> Result<(), RunError> {
        let now = self.runner.now();
        let mut runner = self.runner.clone();
        let mut scribe = Scribe { labels: self.scribe.labels.clone(), ..Scribe::default() };
        let outcome = match self.lowering.clone().change(runner.engine(), now, change) {
            Ok(asked) => {
                let promised = self.runner.engine().preview(now, asked.command());
                let outcome = ask(&mut runner, asked, &mut scribe)?;
                if promised.as_deref().ok() != outcome.is_ok().then_some(&scribe.events[..]) {
                    return Err(RunError::Preview { at: now });
                }
                runner.advance(now, &mut scribe)?;
                outcome
            }
            Err(refusal) => Err(refusal),
        };
        if let Err(refusal) = outcome {
            let at = scribe.labels.clock(now);
            scribe.notes.push(Note::refused(at, lower::subject(change), change.word(), &refusal));
        }
        let detail = Detail::Would { command: change.word(), notes: scribe.notes };
        self.note(lower::subject(change), "preview", detail);
        Ok(())
    }

    fn recording(self) -> Recording {
        let engine = self.runner.engine().clone();
        let books = books::rows(&engine, &self.scribe.labels);
        let ids = self.scribe.labels.workload_ids().filter(|id| !self.past.contains(id));
        let end = |id| {
            let workload = engine.workload(id)?;
            let end = End {
                state: workload.state.word(),
                preemptions: workload.preemptions,
                failures: workload.failures,
            };
            Some((workload.spec.name.to_string(), end))
        };
        let workloads = ids.filter_map(end).collect();
        let report = Report { notes: self.scribe.notes, books, workloads };
        Recording { report, events: self.scribe.events, engine }
    }
}

fn ask(runner: &mut Runner, asked: Asked, scribe: &mut Scribe) -> Result<Result<(), Refusal>, RunError> {
    match asked {
        Asked::Command(command) => runner.command(command, scribe),
        Asked::Submit(spec, work) => runner.submit(*spec, work, scribe),
    }
}

impl Asked {
    fn command(&self) -> Command {
        match self {
            Asked::Command(command) => command.clone(),
            Asked::Submit(spec, _) => Command::Submit(spec.clone()),
        }
    }
}

fn refused(place: Place, refusal: &Refusal, source: &str) -> SimError {
    SimError::File(SyntaxError::new(place, refusal.to_string(), source))
}
