//! From what a file says to commands of the engine: names are looked up, amounts get their dimensions.

use crate::language::Place;
use crate::language::tree::{
    AmountText, Change, Gpus, Name, NodeAction, PolicyText, PoolText, QuotaText, SourceText, SubmitText,
};
use crate::report::note::Subject;
use crate::runner::Work;
use smallvec::SmallVec;
use tidegate_engine::ids::{ModelId, NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::policy::{ChildLevel, Policy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::reason::Names;
use tidegate_engine::resources::{Dimension, ModelSet, Resources, Shape, WHOLE};
use tidegate_engine::words::{Module, ModuleSet};
use tidegate_engine::workload::{Role, WorkloadSpec};
use tidegate_engine::{Command, Engine, PolicyChange, Refusal};

/// A node that does not say has so much for each of its GPUs, and at least so much in all: enough that
/// replicas with default CPU and memory are never limited by them.
const CPU_PER_GPU: u64 = 16 * WHOLE as u64;
const LEAST_CPU: u64 = 64 * WHOLE as u64;
const MEMORY_PER_GPU: u64 = 128 << 30;
const LEAST_MEMORY: u64 = 512 << 30;

/// What a line asks for.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Command(Command),
    Submit(Box<WorkloadSpec>, Work),
}

/// What is known of the file's own names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lowering {
    /// Workspaces in order of appearance; the default one has no name.
    workspaces: Vec<Box<str>>,
}

/// The nodes of one pool line; `first` is the number of the first.
pub(crate) fn nodes(pool: PoolId, text: &PoolText, first: u32) -> impl Iterator<Item = Command> + '_ {
    let gpus = u64::from(text.gpus);
    let cpu = text.cpu.unwrap_or(LEAST_CPU.max(gpus * CPU_PER_GPU));
    let memory = text.memory.unwrap_or(LEAST_MEMORY.max(gpus * MEMORY_PER_GPU));
    (first..first + text.nodes).map(move |number| {
        let name = format!("{}-{number}", text.name.value).into();
        let spec = NodeSpec { name, model: None, gpus: text.gpus, cpu, memory };
        Command::AddNode { pool, model: text.model.clone(), spec }
    })
}

/// Where in a `quota` line the fault lies.
pub(crate) fn fault(text: &QuotaText, refusal: &Refusal) -> Place {
    let (SourceText::Pool(source) | SourceText::Parent(source)) = &text.source;
    let policy = |name| match name {
        "child-level" => text.policy.child_level.as_ref().map(|p| p.place),
        _ => text.policy.self_level.as_ref().map(|p| p.place),
    };
    let place = match refusal {
        Refusal::UnknownPool { .. } | Refusal::UnknownQuota { .. } | Refusal::TreeTooDeep { .. } => {
            Some(source.place)
        }
        Refusal::EmptyPolicySet { policy: name, .. } => policy(name),
        Refusal::LowNotBelowHigh { .. } => policy("self-level"),
        Refusal::BadName { .. } | Refusal::NameTaken { .. } | Refusal::TooMany { .. } => None,
        _ => Some(text.amount.place),
    };
    place.unwrap_or(text.name.place)
}

/// What a change is about.
pub(crate) fn subject(change: &Change) -> Subject {
    let name = |name: &Name| name.value.to_string();
    match change {
        Change::Submit(submit) => Subject::Workload(name(&submit.name)),
        Change::Finish(w) | Change::Stop(w) | Change::Fail(w) | Change::Checkpoint(w) => {
            Subject::Workload(name(w))
        }
        Change::Priority(w, _) | Change::Resize(w, _) => Subject::Workload(name(w)),
        Change::Transfer { from: q, .. } | Change::Scale { quota: q, .. } => Subject::Quota(name(q)),
        Change::Delete(q) | Change::Set { quota: q, .. } => Subject::Quota(name(q)),
        Change::Quota(text) => Subject::Quota(name(&text.name)),
        Change::Node(n, _) => Subject::Node(name(n)),
    }
}

impl Lowering {
    pub(crate) fn change(&mut self, engine: &Engine, now: Tick, change: &Change) -> Result<Asked, Refusal> {
        Ok(Asked::Command(match change {
            Change::Submit(text) => {
                return Ok(Asked::Submit(Box::new(self.submit(engine, text)?), text.work));
            }
            Change::Finish(name) => Command::Finished { workload: workload(engine, name)? },
            Change::Stop(name) => Command::Stop { workload: workload(engine, name)? },
            Change::Fail(name) => Command::Failed { workload: workload(engine, name)? },
            Change::Checkpoint(name) => {
                Command::Checkpointed { workload: workload(engine, name)?, saved_at: now }
            }
            Change::Priority(name, priority) => {
                Command::SetPriority { workload: workload(engine, name)?, priority: *priority }
            }
            Change::Resize(name, replicas) => {
                Command::Resize { workload: workload(engine, name)?, replicas: *replicas }
            }
            Change::Transfer { amount, from, to, mode } => {
                let (from, to) = (quota(engine, from)?, quota(engine, to)?);
                let amount = resources(engine, pool_of(engine, from), amount, Resources::default())?;
                Command::Transfer { from, to, amount, mode: *mode }
            }
            Change::Scale { quota: name, amount, mode } => {
                let quota = quota(engine, name)?;
                // What the line does not state stays as it is.
                let before = engine.quota(quota).map(|q| q.guarantee);
                let guarantee =
                    resources(engine, pool_of(engine, quota), amount, before.unwrap_or_default())?;
                Command::Scale { quota, guarantee, mode: *mode }
            }
            Change::Quota(text) => Command::CreateQuota(Box::new(quota_spec(engine, text)?)),
            Change::Delete(name) => Command::DeleteQuota { quota: quota(engine, name)? },
            Change::Set { quota: name, policy } => {
                Command::SetPolicy { quota: quota(engine, name)?, change: policy_change(policy)? }
            }
            Change::Node(name, action) => {
                let (pool, node) = node(engine, name)?;
                let state = match action {
                    NodeAction::Lost => NodeState::Lost,
                    NodeAction::Ready => NodeState::Ready,
                    NodeAction::Cordoned => NodeState::Cordoned,
                    NodeAction::Drain => {
                        let modules = Module::ALL.iter().fold(ModuleSet::default(), |set, m| set.with(*m));
                        return Ok(Asked::Command(Command::DrainNode { pool, node, modules }));
                    }
                };
                Command::SetNode { pool, node, state, reason: "".into() }
            }
        }))
    }

    fn submit(&mut self, engine: &Engine, text: &SubmitText) -> Result<WorkloadSpec, Refusal> {
        let quota = quota(engine, &text.quota)?;
        let pool = pool_of(engine, quota);
        let shape = |gpu| Shape {
            gpu,
            cpu: text.cpu.unwrap_or(Shape::DEFAULT_CPU),
            memory: text.memory.unwrap_or(Shape::DEFAULT_MEMORY),
        };
        let roles: SmallVec<[Role; 1]> =
            text.roles.iter().map(|&(replicas, gpu)| Role { replicas, shape: shape(gpu) }).collect();
        let mut models = ModelSet::ANY;
        for name in &text.models {
            models = models.with(model(engine, pool, name)?);
        }
        let mut nodes = Vec::new();
        for name in &text.nodes {
            match node(engine, name)? {
                (of, node) if of == pool => nodes.push(node),
                _ => return Err(Refusal::UnknownNode { node: name.value.to_string() }),
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        Ok(WorkloadSpec {
            name: text.name.value.clone(),
            quota,
            workspace: text.workspace.as_deref().map_or(WorkspaceId::DEFAULT, |name| self.workspace(name)),
            owner: None,
            module: text.module,
            priority: text.priority,
            roles,
            min_replicas: text.min,
            models,
            nodes: (!nodes.is_empty()).then(|| nodes.into()),
            idle: text.idle,
            grace: text.grace,
            suspend: text.suspend,
            restarts: text.restarts,
            on_preempt: text.on_preempt,
            max_run: text.max_run,
        })
    }

    fn workspace(&mut self, name: &str) -> WorkspaceId {
        let known = self.workspaces.iter().position(|known| **known == *name);
        let index = known.unwrap_or_else(|| {
            self.workspaces.push(name.into());
            self.workspaces.len() - 1
        });
        WorkspaceId(index as u32 + 1)
    }
}

pub(crate) fn quota_spec(engine: &Engine, text: &QuotaText) -> Result<QuotaSpec, Refusal> {
    let (source, pool) = match &text.source {
        SourceText::Pool(name) => {
            let pool = engine.pool_named(&name.value);
            let pool = pool.ok_or_else(|| Refusal::UnknownPool { pool: name.value.to_string() })?;
            (Source::Pool(pool), pool)
        }
        SourceText::Parent(name) => {
            let parent = quota(engine, name)?;
            (Source::Parent(parent), pool_of(engine, parent))
        }
    };
    let change = policy_change(&text.policy)?;
    Ok(QuotaSpec {
        name: text.name.value.clone(),
        source,
        guarantee: resources(engine, pool, &text.amount, Resources::default())?,
        policy: initial_policy(&change),
    })
}

/// Defaults, with what is stated put in their place.
fn initial_policy(change: &PolicyChange) -> Policy {
    let mut policy = Policy::default();
    let queue = &mut policy.queue;
    queue.strategy = change.strategy.unwrap_or(queue.strategy);
    queue.patience = change.patience.unwrap_or(queue.patience);
    queue.aging_step = change.aging_step.unwrap_or(queue.aging_step);
    queue.starvation_guard = change.starvation_guard.unwrap_or(queue.starvation_guard);
    policy.idle_sharing = change.idle_sharing.unwrap_or(policy.idle_sharing);
    policy.protect_for = change.protect_for.unwrap_or(policy.protect_for);
    policy.child_level = change.child_level.flatten();
    policy.self_level = change.self_level.flatten();
    policy
}

fn policy_change(text: &PolicyText) -> Result<PolicyChange, Refusal> {
    let child = |c: crate::language::tree::ChildLevelText| ChildLevel::new(c.victims, c.modules);
    let own = |s: crate::language::tree::SelfLevelText| SelfLevel::new(s.high, s.low, s.modules, s.scope);
    Ok(PolicyChange {
        strategy: text.strategy,
        patience: text.patience,
        aging_step: text.aging_step,
        starvation_guard: text.starvation_guard,
        idle_sharing: text.idle_sharing,
        protect_for: text.protect_for,
        child_level: text.child_level.as_ref().map(|p| p.value.map(child).transpose()).transpose()?,
        self_level: text.self_level.as_ref().map(|p| p.value.map(own).transpose()).transpose()?,
    })
}

/// The amounts stated, on top of `base`. A bare number means the pool's only GPU model.
fn resources(
    engine: &Engine,
    pool: PoolId,
    text: &AmountText,
    base: Resources,
) -> Result<Resources, Refusal> {
    let mut all = base;
    match &text.gpus {
        Gpus::PerModel(list) => {
            for (name, milli) in list {
                all[Dimension::gpu(model(engine, pool, name)?)] = *milli;
            }
        }
        Gpus::Bare(milli) => match engine.model_names(pool) {
            [_] => all[Dimension::gpu(ModelId(0))] = *milli,
            _ if *milli == 0 => {}
            [] => {
                let value = tidegate_engine::amounts::Amount::milli(*milli);
                let why = "cannot be had: the pool has no GPUs";
                return Err(Refusal::BadAmount { what: "a number of GPUs,".into(), value, why });
            }
            models => {
                let known = models.iter().map(ToString::to_string).collect();
                return Err(Refusal::WhichModel { pool: pool_name(engine, pool), known });
            }
        },
    }
    if let Some(cpu) = text.cpu {
        all[Dimension::CPU] = cpu;
    }
    if let Some(memory) = text.memory {
        all[Dimension::MEMORY] = memory;
    }
    Ok(all)
}

fn model(engine: &Engine, pool: PoolId, name: &Name) -> Result<ModelId, Refusal> {
    let index = engine.model_names(pool).iter().position(|known| *known == name.value);
    index.map(|index| ModelId(index as u8)).ok_or_else(|| Refusal::UnknownModel {
        model: name.value.to_string(),
        pool: pool_name(engine, pool),
        known: engine.model_names(pool).iter().map(ToString::to_string).collect(),
    })
}

fn pool_name(engine: &Engine, pool: PoolId) -> String {
    engine.pool(pool).map_or_else(String::new, |p| p.name.to_string())
}

/// A statement names no workspace: of several the latest is meant.
pub(crate) fn workload(engine: &Engine, name: &Name) -> Result<WorkloadId, Refusal> {
    let unknown = || Refusal::UnknownWorkload { workload: name.value.to_string() };
    engine.workloads_named(&name.value, |_| true).last().copied().ok_or_else(unknown)
}

fn quota(engine: &Engine, name: &Name) -> Result<QuotaId, Refusal> {
    engine.quota_named(&name.value).ok_or_else(|| Refusal::UnknownQuota { quota: name.value.to_string() })
}

fn node(engine: &Engine, name: &Name) -> Result<(PoolId, NodeId), Refusal> {
    engine.node_named(&name.value).ok_or_else(|| Refusal::UnknownNode { node: name.value.to_string() })
}

fn pool_of(engine: &Engine, quota: QuotaId) -> PoolId {
    engine.quota(quota).map_or(PoolId(0), |q| q.pool)
}
