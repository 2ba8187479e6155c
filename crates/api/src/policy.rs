//! The scheduling center: what a workspace allows its members in one of its quotas.

use crate::body::{Check, Wrong};
use crate::decimal::{Cores, Gpus};
use crate::duration::Duration;
use crate::limits::{MAX_EXEMPT, MAX_LIMITS, MAX_PRESETS, MIN_IDLE};
use crate::memory::Memory;
use crate::name::Name;
use crate::page::PageToken;
use crate::priorities::{Priorities, Priority};
use crate::words::Module;
use crate::workload::ReplicaResources;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a workspace allows in one of its quotas. Everything absent allows everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({
    "modules": ["training", "notebook"],
    "limits": [
        {"role": "admin", "priorities": "1-7", "gpu": 100},
        {"member": "berta", "priorities": "7-9", "gpu": 10}
    ],
    "maxPriority": [{"role": "developer", "priority": 5}],
    "training": {"maxRunTime": "2d", "maxWait": "4h"},
    "notebook": {"idle": {"after": "30m", "cpuPercent": 5, "gpuPercent": 5}, "maxWait": "10m", "exempt": ["berta"]},
    "presets": [{"name": "small", "modules": ["notebook"], "resources": {"gpu": 1, "cpu": 4, "memory": "16Gi"}}]
})))]
pub struct PolicySpec {
    /// Modules that may be submitted; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 4)]
    pub modules: Option<Vec<Module>>,
    /// Roles that may submit; all that may submit at all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 64)]
    pub roles: Option<Vec<Name>>,
    /// How much each may use at a time, by priority. Where several are about the same work, the strictest counts. Who
    /// breaks one waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 256)]
    pub limits: Vec<UseLimit>,
    /// The highest priority of each; of several the lowest counts. Who asks for more is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 256)]
    pub max_priority: Vec<PriorityLimit>,
    #[serde(default, skip_serializing_if = "TrainingPolicy::is_empty")]
    pub training: TrainingPolicy,
    #[serde(default, skip_serializing_if = "NotebookPolicy::is_empty")]
    pub notebook: NotebookPolicy,
    /// Sizes to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 100)]
    pub presets: Vec<SizePreset>,
}

/// The most that each member with a role, or one member, may use at a time with work of some priorities.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"role": "developer", "priorities": "1-5", "gpu": 16})))]
pub struct UseLimit {
    /// Each member with this role, by itself. A role or a member is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Name>,
    /// Priorities that are counted together; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priorities: Option<Priorities>,
    /// GPUs of all models together; without limit if absent, none at all if 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cores>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

/// The highest priority that each member with a role, or one member, may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"role": "developer", "priority": 5})))]
pub struct PriorityLimit {
    /// A role or a member is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Name>,
    pub priority: Priority,
}

/// What becomes of training jobs by time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrainingPolicy {
    /// It is stopped when it has run so long; counts for what is submitted from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<Duration>,
    /// Somebody is told when it has waited so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_wait: Option<Duration>,
}

/// What becomes of notebooks by time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotebookPolicy {
    /// It is stopped when it has run so long; counts for what is submitted from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<Duration>,
    /// It is stopped when it has waited so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_wait: Option<Duration>,
    /// It is stopped when it has done nothing for so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<IdlePolicy>,
    /// Members whose notebooks are not stopped for idleness or run time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1000)]
    pub exempt: Vec<Name>,
}

/// When a notebook does nothing: both its cores and its GPUs are used less than this for the whole time, as measured.
/// Where it is not known what its GPUs do, its cores count alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"after": "30m", "cpuPercent": 5, "gpuPercent": 5})))]
pub struct IdlePolicy {
    /// At least a minute.
    pub after: Duration,
    /// Percent of the cores that it asked for; 5 if absent.
    #[serde(default = "five")]
    #[schema(minimum = 1, maximum = 100)]
    pub cpu_percent: u8,
    /// Percent of the time in which its GPUs compute; 5 if absent.
    #[serde(default = "five")]
    #[schema(minimum = 1, maximum = 100)]
    pub gpu_percent: u8,
}

fn five() -> u8 {
    5
}

/// A size to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"name": "small", "resources": {"gpu": 1, "cpu": 4, "memory": "16Gi"}})))]
pub struct SizePreset {
    pub name: Name,
    /// What it is meant for; everything if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 4)]
    pub modules: Option<Vec<Module>>,
    /// Of each replica.
    pub resources: ReplicaResources,
}

impl TrainingPolicy {
    fn is_empty(&self) -> bool {
        *self == TrainingPolicy::default()
    }
}

impl NotebookPolicy {
    fn is_empty(&self) -> bool {
        *self == NotebookPolicy::default()
    }
}

fn holder(wrong: &mut Wrong, at: &str, role: &Option<Name>, member: &Option<Name>) {
    if role.is_some() == member.is_some() {
        wrong.add(at, "name a role or a member: one of them");
    }
}

fn modules(wrong: &mut Wrong, at: &str, modules: &Option<Vec<Module>>) {
    let Some(modules) = modules else { return };
    if modules.is_empty() {
        wrong.add(at, "name at least one module, or leave it out to allow all");
    }
    wrong.bound(at, modules.len(), tidegate_engine::words::Module::ALL.len(), "modules");
}

impl Check for PolicySpec {
    fn check(&self, wrong: &mut Wrong) {
        modules(wrong, "/modules", &self.modules);
        wrong.bound("/roles", self.roles.as_ref().map_or(0, Vec::len), 64, "roles");
        wrong.bound("/limits", self.limits.len(), MAX_LIMITS, "limits");
        for (index, limit) in self.limits.iter().enumerate() {
            let at = format!("/limits/{index}");
            holder(wrong, &at, &limit.role, &limit.member);
            if limit.gpu.is_none() && limit.cpu.is_none() && limit.memory.is_none() {
                wrong.add(&at, "say how much: gpu, cpu or memory");
            }
        }
        wrong.bound("/maxPriority", self.max_priority.len(), MAX_LIMITS, "limits");
        for (index, limit) in self.max_priority.iter().enumerate() {
            holder(wrong, &format!("/maxPriority/{index}"), &limit.role, &limit.member);
        }
        let times = [
            ("/training/maxRunTime", self.training.max_run_time),
            ("/training/maxWait", self.training.max_wait),
            ("/notebook/maxRunTime", self.notebook.max_run_time),
            ("/notebook/maxWait", self.notebook.max_wait),
        ];
        for (at, time) in times {
            if time.is_some_and(|time| time.span().0 == 0) {
                wrong.add(at, "a time is longer than nothing");
            }
        }
        if let Some(idle) = &self.notebook.idle {
            if idle.after.span() < MIN_IDLE {
                wrong.add("/notebook/idle/after", "at least 1m: it is looked every ten seconds");
            }
            for (at, percent) in [("cpuPercent", idle.cpu_percent), ("gpuPercent", idle.gpu_percent)] {
                if !(1..=100).contains(&percent) {
                    wrong.add(&format!("/notebook/idle/{at}"), "a percentage is between 1 and 100");
                }
            }
        }
        wrong.bound("/notebook/exempt", self.notebook.exempt.len(), MAX_EXEMPT, "members");
        wrong.bound("/presets", self.presets.len(), MAX_PRESETS, "presets");
        for (index, preset) in self.presets.iter().enumerate() {
            modules(wrong, &format!("/presets/{index}/modules"), &preset.modules);
            if self.presets[..index].iter().any(|other| other.name == preset.name) {
                wrong.add(&format!("/presets/{index}/name"), format!("there are two named {}", preset.name));
            }
        }
    }
}

/// The scheduling center of a workspace in one of its quotas: read, or what it shall be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"spec": {"modules": ["training"], "training": {"maxRunTime": "2d"}}})))]
pub struct Policy {
    /// As in the path; may be left out of a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    /// As in the path; may be left out of a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Name>,
    /// The workspace's version: changes of its policies need it as If-Match. Ignored when it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default)]
    pub spec: PolicySpec,
}

impl Check for Policy {
    fn check(&self, wrong: &mut Wrong) {
        wrong.below("/spec", &self.spec);
    }
}

/// A page of a workspace's policies, one for each quota that has any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyList {
    pub items: Vec<Policy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}
