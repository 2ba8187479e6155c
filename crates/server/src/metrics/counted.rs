//! What is counted as it happens.

use super::PREFIX;
use super::answers::Answers;
use crate::core::deck::Prepared;
use crate::core::world::World;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;
use tidegate_engine::event::StartKind;
use tidegate_engine::ids::Span;
use tidegate_engine::words::{EvictionRule, Module};
use tidegate_engine::{Event, EventKind};

/// Seconds: a decision takes microseconds, a stalled disk seconds.
pub(super) const WORK: [f64; 13] =
    [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];
/// Seconds: from at once to a week in a queue.
const WAIT: [f64; 14] = [
    0.01, 0.1, 1.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3_600.0, 10_800.0, 21_600.0, 86_400.0, 259_200.0,
    604_800.0,
];
/// Requests that share one append, up to the largest group.
const SIZE: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Admission {
    module: &'static str,
    kind: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfModule {
    module: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfRule {
    rule: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct End {
    state: &'static str,
}

/// What was decided together, to be counted once it is durable.
#[derive(Debug, Default)]
pub struct Tally {
    requests: usize,
    entries: usize,
    starts: Vec<Start>,
    evictions: Vec<EvictionRule>,
    /// States in which workloads ended.
    ends: Vec<&'static str>,
}

#[derive(Debug)]
struct Start {
    module: Module,
    kind: StartKind,
    /// Time since submission, of a first start.
    waited: Option<Span>,
}

impl Tally {
    pub fn add(&mut self, later: Tally) {
        self.requests += later.requests;
        self.entries += later.entries;
        self.starts.extend(later.starts);
        self.evictions.extend(later.evictions);
        self.ends.extend(later.ends);
    }

    fn event(&mut self, world: &World, event: &Event) {
        match &event.kind {
            EventKind::Started { workload, kind, .. } => {
                let Some(w) = world.engine.workload(*workload) else { return };
                let record = world.shell.workloads.get(workload);
                let first =
                    record.filter(|r| *kind == StartKind::Started && r.first_started == Some(event.at));
                let waited = first.map(|record| event.at.since(record.created));
                self.starts.push(Start { module: w.spec.module, kind: *kind, waited });
            }
            EventKind::Evicted { cause, .. } if !cause.rule.is_owners() => self.evictions.push(cause.rule),
            EventKind::Finished { .. } => self.ends.push("finished"),
            EventKind::Failed { restarts_left: None, .. } => self.ends.push("failed"),
            EventKind::Stopped { .. } => self.ends.push("stopped"),
            _ => {}
        }
    }
}

#[derive(Debug)]
pub struct Counted {
    pub(super) registry: Registry,
    admissions: Family<Admission, Counter>,
    wait: Family<OfModule, Histogram>,
    preemptions: Family<OfRule, Counter>,
    ended: Family<End, Counter>,
    decision: Histogram,
    commit: Histogram,
    group: Histogram,
    failures: Counter,
    answers: Answers,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted::new()
    }
}

fn kind(kind: StartKind) -> &'static str {
    match kind {
        StartKind::Started => "started",
        StartKind::Resumed => "resumed",
        StartKind::Grown => "grown",
    }
}

impl Counted {
    /// Everything at zero, so that a rate is there before the first of its kind.
    pub fn new() -> Counted {
        let wait = Family::<OfModule, Histogram>::new_with_constructor(|| Histogram::new(WAIT));
        let (admissions, preemptions) =
            (Family::<Admission, Counter>::default(), Family::<OfRule, Counter>::default());
        let ended = Family::<End, Counter>::default();
        let (decision, commit, group) = (Histogram::new(WORK), Histogram::new(WORK), Histogram::new(SIZE));
        let failures = Counter::default();
        for module in Module::ALL.iter().map(|module| module.word()) {
            for kind in [StartKind::Started, StartKind::Resumed, StartKind::Grown].map(kind) {
                let _ = admissions.get_or_create(&Admission { module, kind });
            }
            let _ = wait.get_or_create(&OfModule { module });
        }
        for rule in EvictionRule::ALL.iter().filter(|rule| !rule.is_owners()) {
            let _ = preemptions.get_or_create(&OfRule { rule: rule.word() });
        }
        for state in ["finished", "failed", "stopped"] {
            let _ = ended.get_or_create(&End { state });
        }
        let mut r = Registry::with_prefix(PREFIX);
        let seconds = Unit::Seconds;
        r.register("admissions", "Starts, by what kind of start it was", admissions.clone());
        r.register_with_unit("wait", "Time from submission to first start", seconds.clone(), wait.clone());
        r.register(
            "preemptions",
            "Evictions in favour of somebody or by an operator, by rule",
            preemptions.clone(),
        );
        r.register("ended_workloads", "Workloads that ended, by how", ended.clone());
        r.register_with_unit(
            "decision_duration",
            "Time to decide one group of requests",
            seconds.clone(),
            decision.clone(),
        );
        r.register_with_unit(
            "commit_duration",
            "Time to make one group of requests durable",
            seconds,
            commit.clone(),
        );
        r.register("group_requests", "Requests that shared one append", group.clone());
        r.register(
            "commit_failures",
            "Groups that the store did not take, and that were undone",
            failures.clone(),
        );
        let answers = Answers::new(&mut r);
        Counted {
            registry: r,
            admissions,
            wait,
            preemptions,
            ended,
            decision,
            commit,
            group,
            failures,
            answers,
        }
    }

    /// Times what was decided at one go, and takes down what is to be counted when it is durable.
    pub fn decided(&self, world: &World, prepared: &[Prepared], requests: usize, took: Duration) -> Tally {
        let entries = prepared.iter().filter(|prepared| !prepared.is_empty()).count();
        let mut tally = Tally { requests, entries, ..Tally::default() };
        if requests > 0 || entries > 0 {
            self.decision.observe(took.as_secs_f64());
        }
        let events = prepared.iter().flat_map(|prepared| &prepared.body.events);
        events.for_each(|event| tally.event(world, event));
        tally
    }

    /// Counts what is durable now; to make it so took so long.
    pub fn settled(&self, tally: &Tally, took: Duration) {
        if tally.requests > 0 {
            self.group.observe(tally.requests as f64);
        }
        if tally.entries > 0 {
            self.commit.observe(took.as_secs_f64());
        }
        for start in &tally.starts {
            let (module, kind) = (start.module.word(), kind(start.kind));
            self.admissions.get_or_create(&Admission { module, kind }).inc();
            if let Some(waited) = start.waited {
                self.wait.get_or_create(&OfModule { module }).observe(waited.0 as f64 / 1_000.0);
            }
        }
        for rule in &tally.evictions {
            self.preemptions.get_or_create(&OfRule { rule: rule.word() }).inc();
        }
        for state in &tally.ends {
            self.ended.get_or_create(&End { state }).inc();
        }
    }

    /// Counts a group that the store did not take.
    pub fn failed(&self) {
        self.failures.inc();
    }

    /// Counts an answer. `route` is a pattern of the router, never a path that somebody chose.
    pub fn answered(&self, route: Option<&str>, method: &'static str, status: u16, took: Duration) {
        self.answers.count(route, method, status, took);
    }
}
