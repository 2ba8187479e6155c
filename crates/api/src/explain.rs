//! Why a workload is where it is.

use crate::name::Name;
use crate::time::Time;
use crate::words::{Class, EvictionRule};
use crate::workload::{DrawStatus, WorkloadState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One blocker, or one thing considered on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"code": "short", "text": "short 16 of 16 GPUs"})))]
pub struct Reason {
    /// A stable word for programs.
    pub code: String,
    /// A sentence for people, with the figures.
    pub text: String,
}

/// An eviction: by whom, under which rule and policy, and why this one was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preempted {
    /// The workload that needed the capacity: its name, or what it is if the reader may not see it. Absent for an
    /// operator's change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    pub rule: EvictionRule,
    /// The quota whose policy names it, or whose account was taken back: its name, or what it is if the reader may not
    /// see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_of: Option<String>,
    pub at: Time,
    pub why: String,
}

/// Why a workload is where it is, and what would let it start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub workload: Name,
    pub uid: String,
    pub state: WorkloadState,
    /// The quota whose queue it waits in: its name, or what it is if the reader may not see it.
    pub queue: String,
    /// Its place in the queue, counted from 1; absent if it does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Who is ahead of it, first in line first; at most 100. Of each its name, or what it is if the reader may not
    /// see it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ahead: Vec<String>,
    /// Of one that runs with fewer replicas than it asks for: how many run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// And how many it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u32>,
    /// Every blocker, nearest first, then what would let it start, or grow.
    pub reasons: Vec<Reason>,
    /// What it draws, if it draws anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<DrawStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// Nodes that it occupies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Name>,
    /// What is held for it while others leave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<Holds>,
    /// Its latest eviction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evicted: Option<Preempted>,
    /// Who had to go so that it could run as it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicted_for_it: Vec<EvictedForIt>,
}

/// What is held for a workload while others leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Holds {
    pub draws: Vec<DrawStatus>,
    pub class: Class,
    pub nodes: Vec<Name>,
    /// Who has to leave first: of each its name, or what it is if the reader may not see it.
    pub until: Vec<String>,
}

/// An eviction, seen from who gained by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvictedForIt {
    pub at: Time,
    /// Its name, or what it is if the reader may not see it.
    pub workload: String,
    pub rule: EvictionRule,
}
