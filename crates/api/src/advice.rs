//! What other compute would have cost.

use crate::duration::Duration;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// How long tasks waited for their start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvisedWaiting {
    /// Half of them waited no longer.
    pub p50: Duration,
    /// 95 of 100 waited no longer.
    pub p95: Duration,
    pub max: Duration,
}

/// One way to have run all tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvisedWay {
    /// `shared`: as it was; `reserved`: this size for all of the period; `byUsage`: as much as was needed.
    pub mode: String,
    /// GPUs (`gpu:MODEL`), cores and GiB that were its own, at most at once. Nothing on shared compute.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub size: BTreeMap<String, f64>,
    /// Absent where something has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub waiting: AdvisedWaiting,
}

/// The tasks of some weeks, once more through the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    pub workspace: String,
    pub from: Time,
    pub to: Time,
    /// That were submitted in the period and have ended.
    pub tasks: u64,
    pub price_book: String,
    pub currency: String,
    /// Shared, the best size of what is reserved, and by usage. Empty if there were no tasks.
    pub ways: Vec<AdvisedWay>,
    /// All sizes that were tried for a reservation, ascending.
    pub tried: Vec<AdvisedWay>,
    /// The mode of the cheapest way in which 95 of 100 tasks wait no longer than they did, or than ten seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
}
