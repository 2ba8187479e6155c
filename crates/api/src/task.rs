//! Tasks: short work made of a template and inputs.

use crate::body::{Check, Wrong};
use crate::duration::Duration;
use crate::explain::Reason;
use crate::limits::{MAX_INPUTS, MAX_TEMPLATE_NAME};
use crate::memory::Memory;
use crate::name::Name;
use crate::page::PageToken;
use crate::resource::Labels;
use crate::template::WarmSpec;
use crate::time::Time;
use crate::workload::{VirtualRun, Visibility, Workload, WorkloadState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The header that says where a task runs.
pub const RESOURCE_CONFIG: &str = "x-tidegate-resource-config";

/// A task to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"template": "generate@stable", "inputs": {"prompt": "a lighthouse"}})))]
pub struct NewTask {
    /// A template of the task's workspace, or one for everybody: `NAME`, or `NAME@VERSION` with the number of a
    /// version or an alias.
    #[schema(max_length = 127)]
    pub template: String,
    /// What the program finds in the file that `TIDEGATE_INPUT` names, or a warm worker is told; null if absent.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub inputs: Value,
    /// The caller's only workspace if absent; whoever has several must say which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    /// The server chooses one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Who of the workspace sees it; `public` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// What the virtual executor plays.
    #[serde(default, rename = "virtual", skip_serializing_if = "Option::is_none")]
    pub virtual_run: Option<VirtualRun>,
}

impl Check for NewTask {
    fn check(&self, wrong: &mut Wrong) {
        wrong.below("/labels", &self.labels);
        wrong.bound("/template", self.template.len(), MAX_TEMPLATE_NAME, "characters of a template");
        wrong.bound("/inputs", self.inputs.to_string().len(), MAX_INPUTS, "bytes of inputs");
        if self.name.as_ref().is_some_and(|name| crate::uid::as_workload(name).is_some()) {
            wrong.add("/name", "it reads as the uid of a workload: choose another name");
        }
    }
}

/// What makes a workload a task of a template: kept with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskRun {
    /// The template's name when it was submitted.
    pub template: Name,
    pub template_uid: String,
    pub version: u32,
    /// Where it runs: `default` is shared compute.
    pub resource_config: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub inputs: Value,
    pub output_limit: Memory,
    pub files_limit: Memory,
    /// A warm worker does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm: Option<WarmSpec>,
}

/// How far a task has come: one function of its workload's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    /// It has not begun, or begins again.
    Waiting,
    Running,
    Succeeded,
    /// It ended with an error, or was stopped because it ran for too long.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl TaskState {
    /// `stopped_by_itself`: nobody asked for it, a limit was reached.
    pub fn of(state: WorkloadState, stopped_by_itself: bool) -> TaskState {
        match state {
            WorkloadState::Queued | WorkloadState::Suspended | WorkloadState::Held => TaskState::Waiting,
            // It runs until it is gone.
            WorkloadState::Running | WorkloadState::Leaving => TaskState::Running,
            WorkloadState::Finished => TaskState::Succeeded,
            WorkloadState::Failed => TaskState::Failed,
            WorkloadState::Stopped if stopped_by_itself => TaskState::Failed,
            WorkloadState::Stopped => TaskState::Cancelled,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            TaskState::Waiting => "waiting",
            TaskState::Running => "running",
            TaskState::Succeeded => "succeeded",
            TaskState::Failed => "failed",
            TaskState::Cancelled => "cancelled",
        }
    }

    pub fn is_ended(self) -> bool {
        matches!(self, TaskState::Succeeded | TaskState::Failed | TaskState::Cancelled)
    }
}

impl std::str::FromStr for TaskState {
    type Err = String;
    fn from_str(text: &str) -> Result<TaskState, String> {
        use TaskState::*;
        let all = [Waiting, Running, Succeeded, Failed, Cancelled];
        let found = all.into_iter().find(|state| state.word() == text);
        found.ok_or_else(|| format!("{text:?} is none of waiting, running, succeeded, failed, cancelled"))
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The uid of its workload.
    pub id: String,
    pub name: Name,
    pub workspace: Name,
    /// Who submitted it.
    pub owner: String,
    pub state: TaskState,
    /// Why it waits, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Its place in the queue, counted from 1; absent if it does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Absent if it was submitted as a workload, without a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_version: Option<u32>,
    /// Where it runs: `default` is shared compute. Absent if it was submitted to a quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_config: Option<String>,
    /// How long tasks of this version of the template waited before they began: the median of the latest. Null if
    /// none is known.
    pub estimated_wait: Option<Duration>,
    /// How long they ran, those that succeeded. Null if none is known.
    pub estimated_duration: Option<Duration>,
    pub created_at: Time,
    /// Latest start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// How often it was tried again after a failure.
    pub retries: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What the code does not say: which signal killed it, which limit it broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Of a template that keeps its processes, once the task has ended by itself: whether a worker that waited took it
    /// (true), or one had to be started for it (false).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_worker: Option<bool>,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// As they were given; lists leave them out.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub inputs: Value,
}

impl Task {
    /// A workload of the module task, seen as a task. What past runs tell is not known yet.
    pub fn of(workload: Workload) -> Task {
        let Workload { metadata, spec, status, .. } = workload;
        let task = spec.task;
        Task {
            id: metadata.uid,
            name: metadata.name,
            workspace: status.workspace,
            owner: status.owner,
            state: TaskState::of(status.state, status.stop_reason.is_some()),
            reasons: status.reasons,
            position: status.position,
            template: task.as_ref().map(|task| task.template.to_string()),
            template_version: task.as_ref().map(|task| task.version),
            resource_config: task.as_ref().map(|task| task.resource_config.clone()),
            estimated_wait: None,
            estimated_duration: None,
            created_at: metadata.created_at,
            started_at: status.started_at,
            ended_at: status.ended_at,
            retries: status.restarts,
            exit_code: status.exit_code,
            detail: status.stop_reason.or(status.exit_detail),
            warm_worker: status.warm_worker,
            labels: metadata.labels,
            inputs: task.map_or(Value::Null, |task| task.inputs),
        }
    }
}

/// A page of tasks, the latest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskList {
    pub items: Vec<Task>,
    /// Give this as `pageToken` to get the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}

/// What a task gave back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    pub id: String,
    pub state: TaskState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What the program wrote to `TIDEGATE_OUTPUT`, or a warm worker answered; null if there is nothing, or it did not
    /// succeed.
    #[schema(value_type = Object)]
    pub output: Value,
    /// What it left in `TIDEGATE_OUTPUT_DIR`, by path.
    pub files: Vec<TaskFile>,
    /// Why there is less than one may expect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A file that a task left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskFile {
    /// Below `TIDEGATE_OUTPUT_DIR`, with slashes.
    pub path: String,
    /// Bytes.
    pub size: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_a_workload_is_one_of_a_task() {
        use WorkloadState as W;
        for (state, by_itself, word) in [
            (W::Queued, false, "waiting"),
            (W::Suspended, false, "waiting"),
            (W::Held, false, "waiting"),
            (W::Running, false, "running"),
            (W::Leaving, false, "running"),
            (W::Leaving, true, "running"),
            (W::Finished, false, "succeeded"),
            (W::Failed, false, "failed"),
            (W::Failed, true, "failed"),
            (W::Stopped, true, "failed"),
            (W::Stopped, false, "cancelled"),
        ] {
            let task = TaskState::of(state, by_itself);
            assert_eq!(task.word(), word, "{state:?}");
            assert_eq!(task.is_ended(), state.is_ended(), "{state:?}");
            assert_eq!(word.parse(), Ok(task));
        }
        assert!("queued".parse::<TaskState>().is_err());
    }
}
