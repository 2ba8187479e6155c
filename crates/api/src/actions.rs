//! Requests that change workloads, in part or many at once, and what manifests came to.

use crate::body::{Check, Wrong};
use crate::limits::{MAX_BATCH, MAX_REPLICAS};
use crate::priorities::Priority;
use crate::problem::Problem;
use crate::time::Time;
use crate::workload::{NewWorkload, Workload};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Body of `:resize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"replicas": 6})))]
pub struct ResizeRequest {
    #[schema(minimum = 1, maximum = 16384)]
    pub replicas: u32,
}

impl Check for ResizeRequest {
    fn check(&self, wrong: &mut Wrong) {
        if self.replicas == 0 {
            wrong.add("/replicas", "ask for at least one replica; :stop ends a workload");
        }
        wrong.bound("/replicas", self.replicas as usize, MAX_REPLICAS as usize, "replicas");
    }
}

/// Body of `:priority`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"priority": 7})))]
pub struct PriorityRequest {
    pub priority: Priority,
}

impl Check for PriorityRequest {
    fn check(&self, _: &mut Wrong) {}
}

/// Answer of `:open`: lets a browser in, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenLink {
    /// Whoever follows it first may use the workload, from that browser alone.
    pub url: String,
    /// It must be followed before then.
    pub expires_at: Time,
}

/// Body of `POST /workloads:batch`. Each item is accepted or refused by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchRequest {
    #[schema(min_items = 1, max_items = 1000)]
    pub items: Vec<NewWorkload>,
}

impl Check for BatchRequest {
    fn check(&self, wrong: &mut Wrong) {
        if self.items.is_empty() {
            wrong.add("/items", "a batch has at least one item");
        }
        wrong.bound("/items", self.items.len(), MAX_BATCH, "items");
        for (index, item) in self.items.iter().take(MAX_BATCH).enumerate() {
            wrong.below(&format!("/items/{index}"), item);
        }
    }
}

/// What became of a batch, in the order of its items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchResult {
    pub accepted: u32,
    pub refused: u32,
    pub results: Vec<BatchItem>,
}

/// One of the two is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchItem {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// What became of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Created,
    Configured,
    Unchanged,
    Refused,
}

/// What became of one manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// Number of the manifest, counted from 1.
    pub document: u32,
    /// `Pool`, `Quota`, `Workspace` or `Workload`.
    pub kind: String,
    pub name: String,
    pub outcome: Outcome,
    /// Pointers to the fields of `spec` that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// What became of all manifests, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyResult {
    pub results: Vec<Applied>,
}
