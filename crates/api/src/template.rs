//! Templates of tasks: whoever names one gives inputs only.

use crate::body::{Check, Wrong};
use crate::duration::Duration;
use crate::limits::{
    MAX_ALIASES, MAX_DESCRIPTION, MAX_NAMED_MODELS, MAX_RETRIES, MAX_TASK_FILES, MAX_TASK_OUTPUT,
    MAX_WARM_IDLE, MAX_WARM_START, MAX_WARM_WORKERS,
};
use crate::memory::Memory;
use crate::name::Name;
use crate::resource::{NewMetadata, resource};
use crate::time::Time;
use crate::workload::{ReplicaResources, WorkloadSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The alias that every template has: its last version.
pub const LATEST: &str = "latest";

/// What a task runs, and what it may be given and give back. When any of it changes but description and aliases, the
/// template gets another version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({
    "workspace": "workspace-b", "command": ["python", "generate.py"], "resources": {"gpu": 1},
    "inputSchema": {"type": "object", "required": ["prompt"], "properties": {"prompt": {"type": "string"}}},
    "maxRunTime": "5m", "retries": 1, "aliases": {"stable": 1}
})))]
pub struct TemplateSpec {
    /// The workspace that may use it; every one if absent, which is for platform administrators to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 1024)]
    pub description: String,
    /// The program and its arguments. On the virtual executor there may be none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1024)]
    pub command: Vec<String>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub resources: ReplicaResources,
    /// GPU models that it may run on; any if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub gpu_models: Vec<Name>,
    /// A JSON schema that inputs must fit, of the words that the guide to tasks lists; any JSON if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub input_schema: Option<Value>,
    /// What it may answer as JSON; 1Mi if absent, at most 8Mi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<Memory>,
    /// What all files that it leaves may take; 64Mi if absent, at most 1Ti.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_limit: Option<Memory>,
    /// Longest time to run, counted from each start; the task fails then. None if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<Duration>,
    /// How often it is tried again after a failure; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 100)]
    pub retries: Option<u32>,
    /// One process does task after task, instead of one for each. It is told through its stdin and answers through
    /// its stdout, as the guide to warm workers says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm: Option<WarmSpec>,
    /// Other names of versions. `latest` is always there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, u32>)]
    pub aliases: BTreeMap<Name, u32>,
}

/// Processes that do task after task, and wait in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"workers": 2, "idleTimeout": "5m", "maxTasks": 1000})))]
pub struct WarmSpec {
    /// So many at most wait for another task, for each workspace.
    #[schema(minimum = 1, maximum = 64)]
    pub workers: u32,
    /// How long one waits before it is ended; 5m if absent, at most 24h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Duration>,
    /// Another takes its place after so many tasks; any number if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_tasks: Option<u32>,
    /// How long one may take until it says that it is ready; 10m if absent, at most 24h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_timeout: Option<Duration>,
}

impl Check for WarmSpec {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/workers", self.workers as usize, MAX_WARM_WORKERS as usize, "warm workers");
        if self.workers == 0 {
            wrong.add("/workers", "without workers that wait nothing is warm: leave `warm` out");
        }
        if self.max_tasks == Some(0) {
            wrong.add("/maxTasks", "a worker does at least one task");
        }
        let times = [
            ("/idleTimeout", self.idle_timeout, MAX_WARM_IDLE),
            ("/startTimeout", self.start_timeout, MAX_WARM_START),
        ];
        for (at, given, most) in times {
            if let Some(given) = given.filter(|given| given.span() > most || given.span().0 == 0) {
                wrong.add(at, format!("{given} is not between 1ms and {}", Duration::of(most)));
            }
        }
    }
}

impl Check for TemplateSpec {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound(
            "/description",
            self.description.chars().count(),
            MAX_DESCRIPTION,
            "characters of a description",
        );
        // A program is bounded alike wherever it is started from.
        let launch =
            WorkloadSpec { command: self.command.clone(), env: self.env.clone(), ..WorkloadSpec::default() };
        launch.check(wrong);
        wrong.bound("/gpuModels", self.gpu_models.len(), MAX_NAMED_MODELS, "GPU models");
        wrong.bound("/retries", self.retries.unwrap_or(0) as usize, MAX_RETRIES as usize, "retries");
        let limits = [
            ("/outputLimit", self.output_limit, MAX_TASK_OUTPUT),
            ("/filesLimit", self.files_limit, MAX_TASK_FILES),
        ];
        for (at, given, most) in limits {
            if let Some(given) = given.filter(|given| given.bytes() > most) {
                wrong.add(at, format!("{given} is more than {} bytes", most));
            }
        }
        if self.max_run_time.is_some_and(|time| time.span().0 == 0) {
            wrong.add("/maxRunTime", "a time to run is not 0s");
        }
        if let Some(warm) = &self.warm {
            wrong.below("/warm", warm);
        }
        wrong.bound("/aliases", self.aliases.len(), MAX_ALIASES, "aliases");
        for alias in self.aliases.keys() {
            let at = format!("/aliases/{alias}");
            if alias.as_str() == LATEST {
                wrong.add(&at, "latest is always the last version");
            }
            if alias.bytes().all(|b| b.is_ascii_digit()) {
                wrong.add(&at, format!("{alias} reads as the number of a version"));
            }
        }
    }
}

/// What is known of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateStatus {
    /// The version that the specification is of.
    pub version: u32,
    pub latest: u32,
    /// All of them, the latest first.
    pub versions: Vec<TemplateVersion>,
}

/// A version, from afar: `?version=` shows one with all that it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateVersion {
    pub version: u32,
    pub created_at: Time,
    /// Who made it.
    pub by: String,
    pub command: Vec<String>,
}

resource! {
    /// What tasks are made of: a program, what it needs, and what its inputs look like.
    Template { kind: TemplateResource, spec: TemplateSpec, status: TemplateStatus }
    /// A template to create, or its new specification.
    #[schema(examples(json!({
        "apiVersion": "tidegate.dev/v1", "kind": "Template", "metadata": {"name": "resize"},
        "spec": {"workspace": "workspace-b", "command": ["./resize"], "maxRunTime": "1m"}
    })))]
    NewTemplate { metadata: NewMetadata }
    TemplateList
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::read;
    use serde_json::json;

    #[test]
    fn what_is_out_of_bounds_is_named() {
        for (spec, at) in [
            (json!({"retries": 101}), "/spec/retries"),
            (json!({"outputLimit": "9Mi"}), "/spec/outputLimit"),
            (json!({"filesLimit": "2Ti"}), "/spec/filesLimit"),
            (json!({"maxRunTime": "0s"}), "/spec/maxRunTime"),
            (json!({"warm": {"workers": 0}}), "/spec/warm/workers"),
            (json!({"warm": {"workers": 65}}), "/spec/warm/workers"),
            (json!({"warm": {"workers": 1, "maxTasks": 0}}), "/spec/warm/maxTasks"),
            (json!({"warm": {"workers": 1, "idleTimeout": "0s"}}), "/spec/warm/idleTimeout"),
            (json!({"warm": {"workers": 1, "idleTimeout": "25h"}}), "/spec/warm/idleTimeout"),
            (json!({"warm": {"workers": 1, "startTimeout": "25h"}}), "/spec/warm/startTimeout"),
            (json!({"warm": {"workers": 1, "idle": "1m"}}), "/spec/warm/idle"),
            (json!({"aliases": {"latest": 1}}), "/spec/aliases/latest"),
            (json!({"aliases": {"12": 1}}), "/spec/aliases/12"),
            (json!({"command": [""]}), "/spec/command/0"),
            (json!({"description": "x".repeat(1_025)}), "/spec/description"),
            (json!({"comand": []}), "/spec/comand"),
        ] {
            let body = json!({"metadata": {"name": "t"}, "spec": spec}).to_string();
            let problem = read::<NewTemplate>(body.as_bytes()).expect_err("refused");
            assert_eq!(problem.pointers[0].pointer, at, "{problem:?}");
        }
        let fits = json!({"metadata": {"name": "t"}, "spec": {"retries": 100, "outputLimit": "8Mi", "filesLimit": "1Ti",
            "warm": {"workers": 64, "idleTimeout": "24h", "startTimeout": "24h", "maxTasks": 1}}});
        read::<NewTemplate>(fits.to_string().as_bytes()).expect("at the bounds");
    }
}
