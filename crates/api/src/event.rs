//! Events on the wire: the same words and fields as the simulator's JSON, and `saved`.

use crate::page::PageToken;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Something that happened. Further fields depend on the word: `queued` has `queue` and `reasons`, `started` has
/// `replicas`, `draws` and `class`, `preempted` has `by` and `rule`, `scaled` has `from` and `to`, and so on. `saved` has
/// none: a workload said that its work is saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(examples(
    json!({"number": 41, "at": "2026-01-31T08:00:00Z", "workload": "b1", "uid": "w-7", "event": "preempted",
        "by": "a1", "rule": "child-level"}),
    json!({"number": 57, "at": "2026-01-31T09:00:00Z", "quota": "Quota1.1", "event": "scaled", "from": 48, "to": 56})
))]
pub struct Event {
    /// Its number in the log, also the id of the watch. Absent in what a dry run says would happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    pub at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The uid of the workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The word: `queued`, `started`, `preempted`, `scaled`, ...
    pub event: String,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub rest: Map<String, Value>,
}

/// A page of events, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventList {
    pub items: Vec<Event>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}

/// What a change would do: the answer to `?dryRun=true`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    /// Always true.
    pub dry_run: bool,
    /// What would happen, in order.
    pub would: Vec<Event>,
    /// What the change would have answered.
    #[schema(value_type = Object)]
    pub result: Value,
}
