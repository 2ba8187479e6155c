//! What happens in a world, step by step. A step names things by picking among those that are there, so that
//! a shorter list of steps still means something.

use crate::world::{self, NodeSeed, POOL, QuotaSeed, eighths};
use proptest::prelude::*;
use tidegate_engine::ids::{NodeId, QuotaId, Span, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::policy::{QuotaSpec, Source};
use tidegate_engine::resources::{ModelSet, Shape};
use tidegate_engine::words::{IdleUse, Mode, Module, ModuleSet, OnPreempt, Priority, Strategy as Queueing};
use tidegate_engine::workload::{Role, WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine, PolicyChange};

#[derive(Clone, Debug)]
pub struct AskSeed {
    pub quota: usize,
    pub module: Module,
    pub priority: Priority,
    pub roles: Vec<Role>,
    pub min: Option<u32>,
    pub models: u16,
    pub node: Option<usize>,
    pub idle: IdleUse,
    pub grace: Span,
    pub suspend: bool,
    pub restarts: u32,
    pub on_preempt: OnPreempt,
    pub max_run: Option<Span>,
    pub workspace: u32,
}

#[derive(Clone, Debug)]
pub enum Deed {
    Submit(Box<AskSeed>),
    Finish(usize),
    Fail(usize),
    Stop(usize),
    Priority(usize, Priority),
    Resize(usize, u32),
    /// All work but the last so many milliseconds is safe.
    Checkpoint(usize, u64),
    Forget(usize),
    Scale(usize, i64, Mode),
    Transfer(usize, usize, i64, Mode),
    Create(Box<QuotaSeed>),
    Delete(usize),
    SetPolicy(usize, Box<PolicyChange>),
    SetNode(usize, NodeState),
    SetDevice(usize, u16, bool),
    Drain(usize, ModuleSet),
    RemoveNode(usize),
    AddNode(NodeSeed),
    /// Units that leave are gone: those whose bit is set, in one report or one by one, first or last first.
    Release {
        chosen: u16,
        together: bool,
        reverse: bool,
    },
    Wake,
    /// Waits until the engine has something to do, and tells it.
    Due,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// Milliseconds since the step before.
    pub after: u64,
    pub deed: Deed,
}

fn shape() -> impl Strategy<Value = Shape> {
    let gpu = prop::sample::select(vec![
        0, 100, 250, 300, 500, 700, 1_000, 1_000, 1_000, 2_000, 2_000, 3_000, 4_000, 8_000,
    ]);
    let size = prop::sample::select(vec![(1_000, 2), (1_000, 2), (0, 0), (6_000, 12), (500, 1)]);
    (gpu, size).prop_map(|(gpu, (cpu, gib))| Shape { gpu, cpu, memory: gib << 30 })
}

fn roles() -> impl Strategy<Value = Vec<Role>> {
    let role = || (1..5_u32, shape()).prop_map(|(replicas, shape)| Role { replicas, shape });
    prop_oneof![6 => prop::collection::vec(role(), 1), 1 => prop::collection::vec(role(), 2..4)]
}

fn module() -> impl Strategy<Value = Module> {
    prop_oneof![5 => Just(Module::Training), 2 => Just(Module::Notebook), 3 => Just(Module::Service), 1 => Just(Module::Task)]
}

pub fn ask() -> impl Strategy<Value = AskSeed> {
    let what = (0..9_usize, module(), world::priority(), roles(), prop::option::of(1..4_u32));
    let idle = prop_oneof![4 => Just(IdleUse::Never), 2 => Just(IdleUse::Accept), 1 => Just(IdleUse::Only)];
    let grace = prop::sample::select(vec![Span::ZERO, Span::seconds(2), Span::seconds(30)]);
    let stop = prop_oneof![4 => Just(OnPreempt::Requeue), 1 => Just(OnPreempt::Stop)];
    let max_run = prop_oneof![6 => Just(None), 1 => Just(Some(Span::seconds(20)))];
    let node = prop_oneof![8 => Just(None), 1 => (0..8_usize).prop_map(Some)];
    let models = prop_oneof![4 => Just(0), 1 => 1..8_u16];
    let how = (idle, grace, prop::bool::weighted(0.2), 0..2_u32, stop, max_run, 0..3_u32);
    (what, node, models, how).prop_map(|((quota, module, priority, roles, min), node, models, how)| AskSeed {
        quota,
        module,
        priority,
        roles,
        min,
        models,
        node,
        idle: how.0,
        grace: how.1,
        suspend: how.2,
        restarts: how.3,
        on_preempt: how.4,
        max_run: how.5,
        workspace: how.6,
    })
}

fn change() -> impl Strategy<Value = PolicyChange> {
    let queue = (
        prop::option::of(prop::sample::select(Queueing::ALL)),
        prop::option::weighted(0.2, world::span()),
        prop::option::weighted(0.2, world::span()),
        prop::option::weighted(0.2, world::span()),
    );
    let child = prop::option::of(prop::option::of(world::child_level()));
    let levels = (child, prop::option::of(prop::option::of(world::self_level())));
    let idle = prop::option::weighted(0.3, any::<bool>());
    let protect = prop::option::weighted(0.2, world::span());
    (queue, levels, idle, protect).prop_map(|(queue, levels, idle_sharing, protect_for)| PolicyChange {
        strategy: queue.0,
        patience: queue.1,
        aging_step: queue.2,
        starvation_guard: queue.3,
        idle_sharing,
        protect_for,
        child_level: levels.0,
        self_level: levels.1,
    })
}

fn deed() -> impl Strategy<Value = Deed> {
    let mode = || prop::sample::select(Mode::ALL);
    let state = prop::sample::select(vec![NodeState::Ready, NodeState::Cordoned, NodeState::Lost]);
    let modules = (1..16_u8).prop_map(|bits| {
        Module::ALL
            .iter()
            .filter(|m| bits >> **m as u8 & 1 == 1)
            .fold(ModuleSet::default(), |s, m| s.with(*m))
    });
    let pick = || 0..12_usize;
    prop_oneof![
        30 => ask().prop_map(|a| Deed::Submit(Box::new(a))),
        8 => pick().prop_map(Deed::Finish),
        2 => pick().prop_map(Deed::Fail),
        2 => pick().prop_map(Deed::Stop),
        3 => (pick(), world::priority()).prop_map(|(w, p)| Deed::Priority(w, p)),
        3 => (pick(), 1..6_u32).prop_map(|(w, n)| Deed::Resize(w, n)),
        2 => (pick(), 0..9_000_u64).prop_map(|(w, b)| Deed::Checkpoint(w, b)),
        1 => pick().prop_map(Deed::Forget),
        4 => (pick(), 0..13_i64, mode()).prop_map(|(q, e, m)| Deed::Scale(q, e, m)),
        4 => (pick(), pick(), 1..9_i64, mode()).prop_map(|(a, b, e, m)| Deed::Transfer(a, b, e, m)),
        2 => world::quota().prop_map(|q| Deed::Create(Box::new(q))),
        1 => pick().prop_map(Deed::Delete),
        4 => (pick(), change()).prop_map(|(q, c)| Deed::SetPolicy(q, Box::new(c))),
        4 => (pick(), state).prop_map(|(n, s)| Deed::SetNode(n, s)),
        3 => (pick(), 0..8_u16, any::<bool>()).prop_map(|(n, d, out)| Deed::SetDevice(n, d, out)),
        2 => (pick(), modules).prop_map(|(n, m)| Deed::Drain(n, m)),
        1 => pick().prop_map(Deed::RemoveNode),
        1 => world::node(2).prop_map(Deed::AddNode),
        16 => (any::<u16>(), any::<bool>(), any::<bool>())
            .prop_map(|(chosen, together, reverse)| Deed::Release { chosen, together, reverse }),
        3 => Just(Deed::Wake),
        6 => Just(Deed::Due),
    ]
}

pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let after = prop_oneof![3 => Just(0), 3 => 0..3_000_u64, 2 => 0..40_000_u64];
    prop::collection::vec((after, deed()).prop_map(|(after, deed)| Step { after, deed }), 1..most)
}

/// The command behind a submission in this engine.
pub fn submission(engine: &Engine, seed: &AskSeed, number: usize) -> Option<WorkloadSpec> {
    let quota = pick(&quotas(engine), seed.quota)?;
    let first = *seed.roles.first()?;
    let mut spec = WorkloadSpec::new(&format!("w{number}"), quota, seed.module, first.replicas, first.shape);
    let several = seed.module != Module::Service;
    spec.roles = seed.roles.iter().copied().take(if several { seed.roles.len() } else { 1 }).collect();
    spec.priority = seed.priority;
    let elastic = matches!(seed.module, Module::Training | Module::Service) && spec.roles.len() == 1;
    spec.min_replicas = seed.min.filter(|_| elastic).map(|min| min.min(first.replicas));
    spec.models = ModelSet(seed.models);
    spec.nodes = seed.node.and_then(|n| pick(&nodes(engine), n)).map(|n| Box::from([n]));
    spec.idle = if seed.module == Module::Training { seed.idle } else { IdleUse::Never };
    spec.grace = seed.grace;
    spec.suspend = seed.suspend;
    spec.restarts = seed.restarts;
    spec.on_preempt = seed.on_preempt;
    spec.max_run = seed.max_run;
    spec.workspace = WorkspaceId(seed.workspace);
    Some(spec)
}

fn pick<T: Copy>(of: &[T], at: usize) -> Option<T> {
    (!of.is_empty()).then(|| of[at % of.len()])
}

fn quotas(engine: &Engine) -> Vec<QuotaId> {
    let mut quotas: Vec<QuotaId> = engine.books().iter().map(|b| b.quota).collect();
    quotas.sort_unstable();
    quotas
}

fn nodes(engine: &Engine) -> Vec<NodeId> {
    engine.pool(POOL).map(|p| p.nodes.iter().map(|n| n.id).collect()).unwrap_or_default()
}

fn workloads(engine: &Engine, is: impl Fn(WorkloadState) -> bool) -> Vec<WorkloadId> {
    engine.workloads().filter(|w| is(w.state)).map(|w| w.id).collect()
}

/// Units that were asked to stop, in order.
pub fn leaving(engine: &Engine) -> Vec<(WorkloadId, u32)> {
    let units = engine.workloads().flat_map(|w| engine.units(w.id));
    units.filter(|u| u.is_leaving()).map(|u| (u.workload, u.number)).collect()
}

impl Step {
    /// The commands of this step, and when.
    pub fn commands(&self, engine: &Engine, now: Tick, number: usize) -> (Tick, Vec<Command>) {
        let mut at = now.after(Span(self.after));
        let running = || workloads(engine, |s| s == WorkloadState::Running);
        let live = || workloads(engine, |s| !s.is_ended());
        let quota = |q: usize| pick(&quotas(engine), q);
        let node = |n: usize| pick(&nodes(engine), n);
        let guarantee = |q: QuotaId| engine.quota(q).map(|q| q.guarantee).unwrap_or_default();
        let one = match &self.deed {
            Deed::Submit(seed) => submission(engine, seed, number).map(|s| Command::Submit(Box::new(s))),
            Deed::Finish(w) => pick(&running(), *w).map(|workload| Command::Finished { workload }),
            Deed::Fail(w) => pick(&running(), *w).map(|workload| Command::Failed { workload }),
            Deed::Stop(w) => pick(&live(), *w).map(|workload| Command::Stop { workload }),
            Deed::Priority(w, p) => {
                pick(&live(), *w).map(|workload| Command::SetPriority { workload, priority: *p })
            }
            Deed::Resize(w, n) => {
                pick(&live(), *w).map(|workload| Command::Resize { workload, replicas: *n })
            }
            Deed::Checkpoint(w, back) => {
                let saved_at = Tick(at.0.saturating_sub(*back));
                pick(&running(), *w).map(|workload| Command::Checkpointed { workload, saved_at })
            }
            Deed::Forget(w) => pick(&workloads(engine, WorkloadState::is_ended), *w)
                .map(|workload| Command::Forget { workload }),
            Deed::Scale(q, parts, mode) => quota(*q).map(|quota| {
                let guarantee = eighths(&guarantee(quota), *parts);
                Command::Scale { quota, guarantee, mode: *mode }
            }),
            Deed::Transfer(a, b, parts, mode) => quota(*a).and_then(|from| {
                let parent = engine.quota(from)?.parent?;
                let siblings = &engine.quota(parent)?.children;
                let to = siblings[*b % siblings.len()];
                Some(Command::Transfer { from, to, amount: eighths(&guarantee(from), *parts), mode: *mode })
            }),
            Deed::Create(seed) => quota(seed.parent).map(|parent| {
                let books = engine.books();
                let share = books.iter().find(|b| b.quota == parent).map(|b| b.share).unwrap_or_default();
                let (name, guarantee) = (format!("r{number}").into(), eighths(&share, seed.eighths));
                let spec = QuotaSpec { name, source: Source::Parent(parent), guarantee, policy: seed.policy };
                Command::CreateQuota(Box::new(spec))
            }),
            Deed::Delete(q) => quota(*q).map(|quota| Command::DeleteQuota { quota }),
            Deed::SetPolicy(q, change) => {
                quota(*q).map(|quota| Command::SetPolicy { quota, change: **change })
            }
            Deed::SetNode(n, state) => node(*n).map(|node| Command::SetNode {
                pool: POOL,
                node,
                state: *state,
                reason: "test".into(),
            }),
            Deed::SetDevice(n, device, out) => node(*n).map(|node| Command::SetDevice {
                pool: POOL,
                node,
                device: *device,
                out: *out,
                reason: "test".into(),
            }),
            Deed::Drain(n, modules) => {
                node(*n).map(|node| Command::DrainNode { pool: POOL, node, modules: *modules })
            }
            Deed::RemoveNode(n) => node(*n).map(|node| Command::RemoveNode { pool: POOL, node }),
            Deed::AddNode(seed) => Some(seed.command(1_000 + number)),
            Deed::Release { chosen, together, reverse } => {
                return (at, releases(engine, *chosen, *together, *reverse));
            }
            Deed::Wake => Some(Command::Wake),
            Deed::Due => {
                at = engine.next_due().map_or(at, |due| due.max(at));
                Some(Command::Wake)
            }
        };
        (at, one.into_iter().collect())
    }
}

fn releases(engine: &Engine, chosen: u16, together: bool, reverse: bool) -> Vec<Command> {
    let mut units: Vec<_> = leaving(engine)
        .into_iter()
        .enumerate()
        .filter(|(i, _)| chosen >> (i % 16) & 1 == 1)
        .map(|(_, u)| u)
        .collect();
    if reverse {
        units.reverse();
    }
    if together {
        return (!units.is_empty()).then_some(Command::Released { units }).into_iter().collect();
    }
    units.into_iter().map(|unit| Command::Released { units: vec![unit] }).collect()
}
