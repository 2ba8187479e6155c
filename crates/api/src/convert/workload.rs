//! Workloads: the demand that the engine sees, and how far they have come.

use super::explain::{preempted, reasons_of};
use super::{entry, name, node::parts};
use crate::amounts::{Amounts, Figure, model};
use crate::decimal::{Cores, Gpus};
use crate::limits::MAX_DEVICES;
use crate::memory::Memory;
use crate::name::Name;
use crate::priorities::Priority;
use crate::problem::{Code, Problem};
use crate::resource::Metadata;
use crate::time::Time;
use crate::uid;
use crate::words::Class;
use crate::workload::{
    Document, DrawStatus, Placement, ReplicaCounts, ReplicaResources, Workload, WorkloadSpec, WorkloadState,
    WorkloadStatus,
};
use tidegate_engine::Engine;
use tidegate_engine::caps::Owner;
use tidegate_engine::ids::{PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::reason::{Names, Reason};
use tidegate_engine::resources::{ModelSet, Resources, Shape, WHOLE};
use tidegate_engine::unit::{Draw, Unit, UnitState};
use tidegate_engine::words::{IdleUse, Module, OnPreempt};
use tidegate_engine::workload::{self, Role, Roles};

impl ReplicaResources {
    /// As the engine keeps it; `at` points to this value.
    pub fn shape(&self, at: &str) -> Result<Shape, Problem> {
        let too_much = |key: &str, value: &dyn std::fmt::Display, what: &str| {
            let detail = format!("{value} {what} are more than a node can have");
            Problem::new(Code::BadAmount, detail).at(entry(at, key))
        };
        let gpu = self.gpu.unwrap_or_default();
        let most = i64::from(MAX_DEVICES) * i64::from(WHOLE);
        if gpu.milli() > most {
            return Err(too_much("gpu", &gpu, "GPUs"));
        }
        if gpu.milli() > i64::from(WHOLE) && gpu.milli() % i64::from(WHOLE) != 0 {
            let detail = format!("{gpu} GPUs per replica is neither under one nor a whole number");
            return Err(Problem::new(Code::BadAmount, detail)
                .hint("ask for a fraction below 1 or for whole GPUs")
                .at(entry(at, "gpu")));
        }
        let cpu = match self.cpu {
            Some(cores) => u32::try_from(cores.milli()).map_err(|_| too_much("cpu", &cores, "cores"))?,
            None => Shape::DEFAULT_CPU,
        };
        let memory = self.memory.map_or(Shape::DEFAULT_MEMORY, |m| m.bytes());
        // Bounded above, so it fits.
        Ok(Shape { gpu: gpu.milli() as u32, cpu, memory })
    }
}

impl From<Shape> for ReplicaResources {
    fn from(shape: Shape) -> ReplicaResources {
        ReplicaResources {
            gpu: Some(Gpus::nearest(i64::from(shape.gpu))),
            cpu: Some(Cores::nearest(i64::from(shape.cpu))),
            memory: Memory::new(shape.memory).ok(),
        }
    }
}

/// Where a workload goes, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub quota: QuotaId,
    pub workspace: WorkspaceId,
    pub owner: Option<Owner>,
}

impl WorkloadSpec {
    /// What the engine is asked for, in the quota and for the owner that were found for it.
    pub fn to_engine(
        &self,
        engine: &Engine,
        name: &Name,
        place: Place,
    ) -> Result<workload::WorkloadSpec, Problem> {
        let quota = place.quota;
        let pool = engine.quota(quota).map_or(PoolId(0), |q| q.pool);
        let mut models = ModelSet::ANY;
        for (index, name) in self.gpu_models.iter().enumerate() {
            models = models.with(model(engine, pool, name, || entry("/spec/gpuModels", index))?);
        }
        Ok(workload::WorkloadSpec {
            name: name.as_str().into(),
            quota,
            workspace: place.workspace,
            owner: place.owner,
            module: self.module.map_or(Module::Training, Into::into),
            priority: self.priority.unwrap_or_default().0,
            roles: self.roles()?,
            min_replicas: self.min_replicas,
            models,
            nodes: self.allowed_nodes(engine, pool)?,
            idle: self.idle.map_or(IdleUse::Never, Into::into),
            grace: self.grace_period.map_or(crate::limits::DEFAULT_GRACE, |d| d.span()),
            suspend: self.suspend.unwrap_or(false),
            restarts: self.restarts.unwrap_or(0),
            on_preempt: self.on_preempt.map_or(OnPreempt::Requeue, Into::into),
            max_run: self.max_run_time.map(|d| d.span()),
        })
    }

    fn roles(&self) -> Result<Roles, Problem> {
        if self.roles.is_empty() {
            let shape = self.resources.unwrap_or_default().shape("/spec/resources")?;
            return Ok(Roles::from_elem(Role { replicas: self.replicas.unwrap_or(1), shape }, 1));
        }
        let role = |(index, role): (usize, &crate::workload::RoleSpec)| {
            let shape = role.resources.shape(&format!("/spec/roles/{index}/resources"))?;
            Ok(Role { replicas: role.replicas, shape })
        };
        self.roles.iter().enumerate().map(role).collect()
    }

    fn allowed_nodes(
        &self,
        engine: &Engine,
        pool: PoolId,
    ) -> Result<Option<Box<[tidegate_engine::ids::NodeId]>>, Problem> {
        let mut nodes = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            match engine.node_named(node) {
                Some((of, id)) if of == pool => nodes.push(id),
                _ => {
                    let pool = engine.pool(pool).map_or("", |p| &p.name);
                    let detail = format!("pool {pool} has no node {node}");
                    let problem = Problem::new(Code::UnknownReference, detail);
                    return Err(problem.at(entry("/spec/nodes", index)));
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        Ok((!nodes.is_empty()).then(|| nodes.into()))
    }
}

impl From<workload::WorkloadState> for WorkloadState {
    fn from(state: workload::WorkloadState) -> WorkloadState {
        use workload::WorkloadState as Engine;
        match state {
            Engine::Queued => WorkloadState::Queued,
            Engine::Suspended => WorkloadState::Suspended,
            Engine::Held => WorkloadState::Held,
            Engine::Running => WorkloadState::Running,
            Engine::Leaving(_) => WorkloadState::Leaving,
            Engine::Finished => WorkloadState::Finished,
            Engine::Failed => WorkloadState::Failed,
            Engine::Stopped => WorkloadState::Stopped,
        }
    }
}

/// What the engine does not know of a workload.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadFacts<'a> {
    pub workspace: &'a Name,
    pub document: &'a Document,
    pub created: Tick,
    /// Number of its latest event.
    pub version: u64,
    /// Latest start, kept when it has ended.
    pub started: Option<Tick>,
    pub ended: Option<Tick>,
    pub exit_code: Option<i32>,
    pub exit_detail: Option<&'a str>,
    /// Of a task for warm workers: whether one that waited took it.
    pub warm_worker: Option<bool>,
    /// Who stopped it and why, where nobody asked for it.
    pub stop_reason: Option<&'a str>,
    /// Why it waits, nearest first: of `Engine::reasons`, or none where that would be too much to ask.
    pub reasons: &'a [Reason],
    /// Its place in the queue, counted from 1.
    pub position: Option<u32>,
}

impl Workload {
    /// `names` knows what the reader may see.
    pub fn of(
        engine: &Engine,
        names: &dyn Names,
        id: WorkloadId,
        facts: &WorkloadFacts<'_>,
    ) -> Option<Workload> {
        let metadata = Metadata {
            name: facts.document.name.clone(),
            uid: uid::workload(id),
            created_at: Time::of(facts.created),
            version: facts.version.to_string(),
            labels: facts.document.labels.clone(),
        };
        let status = WorkloadStatus::of(engine, names, id, facts)?;
        Some(Workload::new(metadata, facts.document.spec.clone(), status))
    }
}

impl WorkloadStatus {
    pub fn of(
        engine: &Engine,
        names: &dyn Names,
        id: WorkloadId,
        facts: &WorkloadFacts<'_>,
    ) -> Option<WorkloadStatus> {
        let w = engine.workload(id)?;
        let pool = engine.quota(w.spec.quota).map_or(PoolId(0), |q| q.pool);
        let units: Vec<&Unit> = engine.units(id).collect();
        let count = |is: fn(&Unit) -> bool| -> u32 {
            units.iter().filter(|u| is(u)).map(|u| u.grant.slots.len() as u32).sum()
        };
        // What is held is a claim on what others still draw.
        let here: Vec<&Unit> = units.iter().copied().filter(|u| u.state != UnitState::Held).collect();
        let started = here.iter().map(|u| u.started).max();
        let saved = here.iter().filter(|u| u.saved_at > u.started).map(|u| u.saved_at);
        Some(WorkloadStatus {
            state: w.state.into(),
            quota: names.quota_name(w.spec.quota).into_owned(),
            workspace: facts.workspace.clone(),
            module: w.spec.module.into(),
            priority: Priority(w.spec.priority),
            owner: facts.document.owner.clone(),
            reasons: reasons_of(names, facts.reasons),
            position: facts.position.filter(|_| w.state.is_waiting()),
            replicas: ReplicaCounts {
                wanted: w.spec.replicas(),
                running: count(|u| u.is_running()),
                held: count(|u| u.state == UnitState::Held),
                leaving: count(|u| u.is_leaving()),
                // Whoever sends the requests knows.
                ready: None,
            },
            gpu: Figure(w.spec.gpus()),
            placements: units.iter().flat_map(|u| placements(engine, pool, u)).collect(),
            draws: draws(engine, names, pool, here.iter().flat_map(|u| u.grant.draws.iter())),
            class: units.iter().map(|u| u.class).min().map(Class),
            enqueued_at: Time::of(w.enqueued),
            started_at: started.or(facts.started).map(Time::of),
            saved_at: saved.max().map(Time::of),
            ended_at: facts.ended.filter(|_| w.state.is_ended()).map(Time::of),
            restarts: w.failures,
            over_memory: false,
            over_gpu: false,
            preemptions: w.preemptions,
            last_preemption: w.evicted.as_deref().map(|(at, cause)| preempted(names, *at, cause)),
            exit_code: facts.exit_code,
            exit_detail: facts.exit_detail.map(Into::into),
            warm_worker: facts.warm_worker,
            stop_reason: facts.stop_reason.map(Into::into),
            url: None,
        })
    }
}

/// Replicas of a unit, each on its node.
fn placements<'a>(engine: &'a Engine, pool: PoolId, unit: &'a Unit) -> impl Iterator<Item = Placement> + 'a {
    let model = unit.grant.model.and_then(|m| engine.model_names(pool).get(m.index())).map(|m| name(m));
    let nodes = engine.pool(pool).map(|p| &p.nodes);
    unit.grant.slots.iter().enumerate().filter_map(move |(index, slot)| {
        let node = nodes.filter(|n| n.contains(slot.node))?.node(slot.node);
        Some(Placement {
            unit: unit.number,
            replica: index as u32,
            number: None,
            node: name(&node.spec.name),
            devices: parts(&slot.devices).into_iter().map(|(device, _)| device).collect(),
            gpu: Figure(slot.milli()),
            model: model.clone(),
            state: unit.state.into(),
            usage: None,
            readiness: None,
        })
    })
}

/// Draws by account, rule and class; accounts in order of creation.
pub(super) fn draws<'a>(
    engine: &Engine,
    names: &dyn Names,
    pool: PoolId,
    all: impl Iterator<Item = &'a Draw>,
) -> Vec<DrawStatus> {
    // Few: most have one.
    let mut sums = Vec::with_capacity(1);
    for draw in all {
        let key = (draw.account, draw.rule, draw.class);
        let at = match sums.binary_search_by_key(&key, |(of, _): &(_, Resources)| *of) {
            Ok(at) => at,
            Err(at) => {
                sums.insert(at, (key, Resources::default()));
                at
            }
        };
        sums[at].1[draw.dimension] += draw.amount;
    }
    let status = |((account, rule, class), sum): (_, Resources)| DrawStatus {
        account: names.quota_name(account).into_owned(),
        rule: crate::words::Rule(rule),
        class: Class(class),
        amounts: Amounts::of(engine, pool, &sum, &Resources::default()),
    };
    sums.into_iter().map(status).collect()
}
