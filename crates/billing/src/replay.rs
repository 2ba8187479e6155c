//! Tasks in virtual time on the real engine, in a quota of their own.

use crate::scaling::{Scaling, Seen, Step, decide};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;
use tidegate_engine::ids::{ModelId, PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, MAX_DEVICES, ModelSet, Resources, Shape};
use tidegate_engine::words::{Mode, Module, PoolKind};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine, Event, EventKind};

/// When it comes, how long it runs, what it asks for.
pub(crate) type Job = (Tick, Span, Shape, Option<ModelId>, Resources);

/// What the quota has.
pub(crate) enum Plan {
    Fixed(Resources),
    Scaled(Box<Scaling>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Replayed {
    /// Of each job, in order of their starts.
    pub(crate) waits: Vec<Span>,
    /// Of a quota that scales: from when to when it had how much.
    pub(crate) held: Vec<(Tick, Tick, Resources)>,
}

struct Run<'a> {
    engine: Engine,
    jobs: &'a [Job],
    quota: QuotaId,
    ends: BinaryHeap<Reverse<(Tick, WorkloadId)>>,
    /// Jobs that wait or run, by their workloads.
    live: BTreeMap<WorkloadId, usize>,
    /// Those that wait: the one that came first is the first.
    line: BTreeMap<usize, WorkloadId>,
    drawn: Resources,
    waiting: Resources,
    held: Resources,
    changed: Option<Tick>,
    calm: Option<Tick>,
    replayed: Replayed,
}

/// Runs jobs, in order of their coming, until the last has ended. `whole` is what there is at most.
pub(crate) fn replay(jobs: &[Job], models: &[Arc<str>], whole: &Resources, plan: Plan) -> Replayed {
    let mut engine = Engine::new();
    let begin = jobs.first().map_or(Tick::ZERO, |job| job.0);
    stage(&mut engine, begin, models, whole);
    let (guarantee, scaling) = match plan {
        Plan::Fixed(size) => (size, None),
        Plan::Scaled(rule) => (*whole, Some(*rule)),
    };
    let supply = quota(&mut engine, begin, Source::Pool(PoolId(0)), guarantee, None);
    let own = match &scaling {
        None => supply,
        Some(rule) => supply.and_then(|supply| {
            let ceiling = Some(rule.maximum);
            quota(&mut engine, begin, Source::Parent(supply), Resources::default(), ceiling)
        }),
    };
    let Some(quota) = own else { return Replayed::default() };
    let mut run = Run {
        engine,
        jobs,
        quota,
        ends: BinaryHeap::new(),
        live: BTreeMap::new(),
        line: BTreeMap::new(),
        drawn: Resources::default(),
        waiting: Resources::default(),
        held: Resources::default(),
        changed: None,
        calm: None,
        replayed: Replayed::default(),
    };
    run.run(scaling.as_ref());
    run.replayed
}

/// Nodes that have all that is needed, however it is divided.
fn stage(engine: &mut Engine, at: Tick, models: &[Arc<str>], whole: &Resources) {
    let _ = engine.handle(at, Command::CreatePool { name: "past".into(), kind: PoolKind::General });
    // Where an account does not count cores or memory, they are no limit here either.
    let cpu = whole[Dimension::CPU].unsigned_abs().max(128_000);
    let memory = whole[Dimension::MEMORY].unsigned_abs().max(1 << 40);
    let mut add = |model: Option<&str>, gpus: u32, number: usize| {
        let spec = NodeSpec { name: format!("n{number}").into(), model: None, gpus, cpu, memory };
        let model = model.map(Into::into);
        let _ = engine.handle(at, Command::AddNode { pool: PoolId(0), model, spec });
    };
    let mut number = 0;
    for (index, model) in models.iter().enumerate() {
        let gpus = whole[Dimension::gpu(ModelId(index as u8))].unsigned_abs().div_ceil(1_000);
        let mut left = u32::try_from(gpus).unwrap_or(u32::MAX).max(1);
        while left > 0 {
            let some = left.min(MAX_DEVICES);
            add(Some(model), some, number);
            (left, number) = (left - some, number + 1);
        }
    }
    if models.is_empty() {
        add(None, 0, 0);
    }
}

fn quota(
    engine: &mut Engine,
    at: Tick,
    source: Source,
    guarantee: Resources,
    ceiling: Option<Resources>,
) -> Option<QuotaId> {
    let policy = Policy { ceiling, idle_sharing: false, ..Policy::default() };
    let name = if ceiling.is_some() { "own" } else { "supply" };
    let spec = QuotaSpec { name: name.into(), source, guarantee, policy };
    let events = engine.handle(at, Command::CreateQuota(Box::new(spec))).ok()?;
    events.iter().find_map(|event| match event.kind {
        EventKind::QuotaCreated { quota, .. } => Some(quota),
        _ => None,
    })
}

impl Run<'_> {
    fn run(&mut self, scaling: Option<&Scaling>) {
        let mut next = 0;
        let mut look = None;
        let mut now = Tick::ZERO;
        loop {
            let comes = self.jobs.get(next).map(|job| job.0);
            let ends = self.ends.peek().map(|end| end.0.0);
            let looks = look.filter(|_| !self.live.is_empty() || self.held != Resources::default());
            let timer = self.engine.next_due().filter(|_| !self.live.is_empty());
            let Some(due) = [ends, comes, looks, timer].into_iter().flatten().min() else { break };
            now = now.max(due);
            if ends == Some(due) {
                self.ends.pop().into_iter().for_each(|Reverse((_, workload))| self.end(now, workload));
            } else if comes == Some(due) {
                // It scales before the task is there: nobody waits for the next look.
                if let Some(rule) = scaling {
                    look = self.look(rule, now, Some(&self.jobs[next].4.clone()));
                }
                self.submit(now, next);
                next += 1;
            } else if timer == Some(due) {
                self.command(now, Command::Wake);
            }
            if let Some(rule) = scaling {
                look = self.look(rule, now, None);
            }
        }
        self.hold(now, Resources::default());
    }

    fn submit(&mut self, now: Tick, index: usize) {
        let (_, _, shape, model, demand) = &self.jobs[index];
        let shape = Shape { cpu: shape.cpu.max(1), memory: shape.memory.max(1), ..*shape };
        let mut spec = WorkloadSpec::new(&format!("t{index}"), self.quota, Module::Task, 1, shape);
        spec.models = model.map_or(ModelSet::ANY, |model| ModelSet::ANY.with(model));
        // What was queued gets its number before it starts.
        let Ok(events) = self.engine.handle(now, Command::Submit(Box::new(spec))) else { return };
        let queued = events.iter().find_map(|event| match event.kind {
            EventKind::Queued { workload, .. } => Some(workload),
            _ => None,
        });
        if let Some(workload) = queued {
            self.live.insert(workload, index);
            self.line.insert(index, workload);
            self.waiting = self.waiting.plus(demand);
        }
        self.follow(&events);
    }

    fn end(&mut self, now: Tick, workload: WorkloadId) {
        if let Some(index) = self.live.remove(&workload) {
            self.drawn = self.drawn.minus(&self.jobs[index].4);
        }
        self.command(now, Command::Finished { workload });
        self.command(now, Command::Forget { workload });
    }

    fn command(&mut self, now: Tick, command: Command) {
        if let Ok(events) = self.engine.handle(now, command) {
            self.follow(&events);
        }
    }

    fn follow(&mut self, events: &[Event]) {
        for event in events {
            let EventKind::Started { workload, .. } = &event.kind else { continue };
            let Some(&index) = self.live.get(workload) else { continue };
            if self.line.remove(&index).is_some() {
                let (queued, runs, _, _, demand) = &self.jobs[index];
                self.waiting = self.waiting.minus(demand);
                self.drawn = self.drawn.plus(demand);
                self.replayed.waits.push(event.at.since(*queued));
                self.ends.push(Reverse((event.at.after(*runs), *workload)));
            }
        }
    }

    /// Decides, does it, and says when to look again if nothing happens until then.
    fn look(&mut self, rule: &Scaling, now: Tick, coming: Option<&Resources>) -> Option<Tick> {
        let oldest = self.line.keys().next().map(|index| now.since(self.jobs[*index].0));
        let seen = Seen {
            now,
            held: self.held,
            changed: self.changed,
            drawn: self.drawn,
            waiting: coming.map_or(self.waiting, |more| self.waiting.plus(more)),
            oldest: oldest.or(coming.map(|_| Span::ZERO)),
            free: rule.maximum.minus(&self.held),
            calm: self.calm,
        };
        let verdict = decide(rule, &seen);
        self.calm = verdict.calm;
        if let Step::Out { to, .. } | Step::In { to } = verdict.step {
            self.hold(now, to);
            self.command(now, Command::Scale { quota: self.quota, guarantee: to, mode: Mode::Drain });
            // What follows from it is seen at once.
            return Some(Tick(now.0 + 1));
        }
        let calm = self.calm.map(|since| since.after(rule.cool_down));
        let waited = oldest.map(|oldest| Tick((now.0 - oldest.0).saturating_add(rule.wait.0)));
        let again = self.changed.filter(|_| oldest.is_some()).map(|changed| changed.after(rule.wait));
        [calm, waited, again].into_iter().flatten().filter(|at| *at > now).min()
    }

    fn hold(&mut self, now: Tick, to: Resources) {
        let since = self.changed.unwrap_or(now);
        if since < now && self.held != Resources::default() {
            self.replayed.held.push((since, now, self.held));
        }
        (self.held, self.changed) = (to, Some(now));
    }
}
