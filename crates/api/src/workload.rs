//! Workloads: what members submit.

use crate::amounts::Amounts;
use crate::decimal::{Cores, Gpus};
use crate::duration::Duration;
use crate::explain::{Preempted, Reason};
use crate::memory::Memory;
use crate::name::Name;
use crate::priorities::Priority;
use crate::resource::{Labels, resource};
use crate::task::TaskRun;
use crate::time::Time;
use crate::words::{Class, IdleUse, Module, OnPreempt, Rule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What is asked for, and what is to be started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({
    "quota": "Quota1.1", "module": "training", "priority": 5, "replicas": 4, "resources": {"gpu": 8},
    "command": ["python", "train.py"], "env": {"EPOCHS": "3"}, "maxRunTime": "12h"
})))]
pub struct WorkloadSpec {
    /// The quota whose queue it waits in; the default one of its workspace if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Name>,
    /// The caller's only workspace if absent; whoever has several must say which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    /// Who of the workspace sees it; `public` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// `training` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Module>,
    /// 1 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Equal replicas, 1 if absent. Not together with `roles`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 16384)]
    pub replicas: Option<u32>,
    /// Replicas below which it does not run: all of them if absent, or 1 for a service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 16384)]
    pub min_replicas: Option<u32>,
    /// A size that the scheduling center of the workspace offers in the quota, instead of `resources`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Name>,
    /// What each replica asks of its node. Not together with `roles`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ReplicaResources>,
    /// A gang of several kinds of replicas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub roles: Vec<RoleSpec>,
    /// GPU models that it may run on; any if absent. A gang runs on one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub gpu_models: Vec<Name>,
    /// Nodes that it may run on; any if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1024)]
    pub nodes: Vec<Name>,
    /// Whether a training job uses idle capacity of others; `never` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<IdleUse>,
    /// Time between being asked to stop and being killed; 30s if absent, at most 24h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_period: Option<Duration>,
    /// It can be suspended, so that an eviction costs no work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// Restarts after failures; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 10000)]
    pub restarts: Option<u32>,
    /// What becomes of it when it is preempted; `requeue` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_preempt: Option<OnPreempt>,
    /// Longest time to run, counted from each start; it is stopped then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<Duration>,
    /// A notebook is stopped when nobody has asked it for so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Duration>,
    /// How it is found out whether a replica of a notebook or service can be sent requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<ReadinessSpec>,
    /// The program and its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1024)]
    pub command: Vec<String>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The directory that it is started in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 4096)]
    pub working_dir: Option<String>,
    /// What the virtual executor plays.
    #[serde(default, rename = "virtual", skip_serializing_if = "Option::is_none")]
    pub virtual_run: Option<VirtualRun>,
    /// Of what template it is a task: tasks are submitted at `/api/v1/tasks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Box<TaskRun>>,
}

/// Who sees a workload within its workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// All members.
    #[default]
    Public,
    /// Its owner, and those who operate everybody's.
    Private,
}

/// What one replica asks of its node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"gpu": 8}), json!({"gpu": 0.5, "cpu": 4, "memory": "16Gi"})))]
pub struct ReplicaResources {
    /// A part of one GPU below 1, or whole GPUs; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpus>,
    /// 1 core if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cores>,
    /// 2 GiB if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

/// Replicas of one kind within a gang.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"name": "worker", "replicas": 4, "resources": {"gpu": 8}})))]
pub struct RoleSpec {
    pub name: Name,
    #[schema(minimum = 1, maximum = 16384)]
    pub replicas: u32,
    #[serde(default)]
    pub resources: ReplicaResources,
}

/// How it is found out whether a replica can be sent requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"path": "/health", "period": "2s", "timeout": "1s"})))]
pub struct ReadinessSpec {
    /// A GET of this path answers 200 to 399. Without it, it is enough that somebody listens on the port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 1024, pattern = "^/[!-~]*$")]
    pub path: Option<String>,
    /// Time between two looks; 2s if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Duration>,
    /// Longest wait for an answer; 1s if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
}

/// A run that is played, not started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"duration": "10m", "checkpoint": "1m"})))]
pub struct VirtualRun {
    /// How long it runs; until it is stopped if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
    /// How often its work is saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Duration>,
    /// It does not stop when it is asked to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hang: bool,
    /// It ends with this exit code instead of 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 255)]
    pub fails: Option<u8>,
}

/// What an executor starts. The engine never sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    pub command: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub working_dir: Option<String>,
    pub virtual_run: Option<VirtualRun>,
}

/// A workload as it was submitted: kept beside the log, so that it can be shown, started and submitted again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    pub name: Name,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Who submitted it.
    pub owner: String,
    pub spec: WorkloadSpec,
    /// Number of the workload whose directory it goes on in: it was started again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory_of: Option<u32>,
}

impl Document {
    pub fn launch(&self) -> Launch {
        let spec = &self.spec;
        Launch {
            command: spec.command.clone(),
            env: spec.env.clone(),
            working_dir: spec.working_dir.clone(),
            virtual_run: spec.virtual_run,
        }
    }
}

/// How far a workload has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorkloadState {
    /// It waits in its quota's queue.
    Queued,
    /// As `queued`, with its work kept.
    Suspended,
    /// Capacity is held for it while others leave.
    Held,
    Running,
    /// All of it was asked to stop.
    Leaving,
    Finished,
    Failed,
    Stopped,
}

impl WorkloadState {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            WorkloadState::Queued => "queued",
            WorkloadState::Suspended => "suspended",
            WorkloadState::Held => "held",
            WorkloadState::Running => "running",
            WorkloadState::Leaving => "leaving",
            WorkloadState::Finished => "finished",
            WorkloadState::Failed => "failed",
            WorkloadState::Stopped => "stopped",
        }
    }

    pub fn is_ended(self) -> bool {
        matches!(self, WorkloadState::Finished | WorkloadState::Failed | WorkloadState::Stopped)
    }
}

/// What is known of a workload now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadStatus {
    pub state: WorkloadState,
    /// The quota whose queue it waits in, or waited in: its name, or what it is if the reader may not see it.
    pub quota: String,
    pub workspace: Name,
    pub module: Module,
    /// The present priority; it may differ from the one that was submitted.
    pub priority: Priority,
    /// Who submitted it.
    pub owner: String,
    /// Why it waits, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Its place in the queue, counted from 1; absent if it does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    pub replicas: ReplicaCounts,
    /// GPUs of all replicas that it wants.
    pub gpu: crate::amounts::Figure,
    /// Where its replicas are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placements: Vec<Placement>,
    /// Which accounts it draws on. What is held for it is not drawn yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<DrawStatus>,
    /// How strong its claim is: the lowest among its draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// When it first entered its queue.
    pub enqueued_at: Time,
    /// Latest start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// When it last said that its work is saved, in its present run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// Restarts after failures so far; of a service also those of its replicas where they are.
    pub restarts: u32,
    /// A replica takes more memory than it asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_memory: bool,
    /// A replica that has a part of a GPU uses more than that. The device does not bound it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_gpu: bool,
    /// How often it was preempted.
    pub preemptions: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_preemption: Option<Preempted>,
    /// Exit code of the replica that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What the code does not say, such as which signal killed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_detail: Option<String>,
    /// Of a task whose template keeps its processes, once it has ended by itself: whether a worker that waited took it
    /// (true), or one had to be started for it (false).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_worker: Option<bool>,
    /// Who stopped it and why, where nobody asked for it: the scheduling center, or its own idle timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Where a notebook or service is reached, by those who may; `:open` gives a link for a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Replicas by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaCounts {
    pub wanted: u32,
    pub running: u32,
    /// Held until others are gone.
    pub held: u32,
    /// Asked to stop.
    pub leaving: u32,
    /// Of those that run, how many can be sent requests; absent where nobody can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<u32>,
}

/// One replica on its node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    /// Number of the unit within the workload.
    pub unit: u32,
    /// Number of the replica within the unit.
    pub replica: u32,
    /// Its number as in `TIDEGATE_REPLICA`, by which its output and its figures over time are asked for; absent where
    /// no process runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    pub node: Name,
    /// Indexes of its devices.
    pub devices: Vec<u32>,
    /// How much of the devices, in GPUs.
    pub gpu: crate::amounts::Figure,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Name>,
    pub state: UnitState,
    /// What it takes, measured every few seconds; absent where no process runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<ReplicaUsage>,
    /// Whether it can be sent requests; absent where nobody can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<ReadinessStatus>,
}

/// What a replica takes: all of its processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaUsage {
    /// Cores in use, on average over the last seconds; absent until it was looked at twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<crate::amounts::Figure>,
    /// The cores that it asked for.
    pub requested_cpu: crate::amounts::Figure,
    /// Resident memory, in bytes.
    pub memory: u64,
    /// The memory that it asked for, in bytes.
    pub requested_memory: u64,
    /// Processor time since it was started, in milliseconds.
    pub processor_millis: u64,
    pub processes: u32,
    /// What it does with its GPUs; absent without any, and where nothing is known of them, as of virtual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuUsage>,
}

impl ReplicaUsage {
    pub fn is_over_memory(&self) -> bool {
        self.requested_memory > 0 && self.memory > self.requested_memory
    }
}

/// What a replica does with its GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GpuUsage {
    /// Part of the time in which they computed for it, from 0 to 1, their mean; absent if it cannot be told from what
    /// others do there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duty: Option<crate::amounts::Figure>,
    /// Memory of GPUs in use, in bytes; absent as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Memory that is its own, in bytes: all of its GPUs', or its part of one.
    pub granted_memory: u64,
    /// It has a part of a GPU, and computes for more of the time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_duty: bool,
    /// It has a part of a GPU, and uses more of its memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_memory: bool,
}

/// Whether a replica can be sent requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadinessStatus {
    pub ready: bool,
    /// Since when it is so.
    pub since: Time,
    /// What was seen last, if it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How far a unit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UnitState {
    Held,
    Running,
    Leaving,
}

/// What the workload draws on one account under one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawStatus {
    /// The quota: its name, or what it is if the reader may not see it.
    pub account: String,
    pub rule: Rule,
    pub class: Class,
    #[serde(flatten)]
    pub amounts: Amounts,
}

/// Who a workload shall be. Without a name the server chooses one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkloadMetadata {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Ignored: it may be sent back as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Ignored: it may be sent back as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Time>,
    /// Ignored: it may be sent back as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

resource! {
    /// What a member submitted: training, a notebook, a service or a task.
    Workload { kind: WorkloadResource, spec: WorkloadSpec, status: WorkloadStatus }
    /// A workload to submit.
    #[schema(examples(json!({
        "apiVersion": "tidegate.dev/v1", "kind": "Workload", "metadata": {"name": "b1"},
        "spec": {"quota": "Quota1.1", "replicas": 6, "resources": {"gpu": 8}, "command": ["python", "train.py"]}
    })))]
    NewWorkload { #[serde(default)] metadata: WorkloadMetadata }
    WorkloadList
}
