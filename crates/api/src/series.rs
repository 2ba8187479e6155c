//! Figures over time, for nodes, quotas and workloads.

use crate::duration::Duration;
use crate::limits::{MAX_POINTS, MIN_STEP};
use crate::name::Name;
use crate::problem::{Code, Problem};
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Which part of a series is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeriesQuery {
    pub from: Time,
    pub to: Time,
    pub step: Duration,
}

impl SeriesQuery {
    /// Points that the answer has.
    pub fn points(&self) -> Result<u64, Problem> {
        let wrong = |detail: String| Err(Problem::new(Code::BadParameter, detail));
        let (from, to, step) = (self.from.tick(), self.to.tick(), self.step.span());
        if to < from {
            return wrong(format!("to, {}, is before from, {}", self.to, self.from));
        }
        if step < MIN_STEP {
            return wrong(format!("a step of {} is under {}", self.step, Duration::of(MIN_STEP)));
        }
        let points = to.since(from).0 / step.0 + 1;
        if points > MAX_POINTS {
            return wrong(format!("{points} points are more than {MAX_POINTS}: choose a larger step"));
        }
        Ok(points)
    }
}

/// Figures at regular instants: value `i` is the one at `from + i * step`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "name": "Quota1.1", "from": "2026-01-31T08:00:00Z", "to": "2026-01-31T08:02:00Z", "step": "1m",
    "metrics": {"drawn": {"unit": "gpu", "values": [40, 48, 48]}}
})))]
pub struct Series {
    /// The node, quota, workspace or workload.
    pub name: Name,
    pub from: Time,
    pub to: Time,
    pub step: Duration,
    pub metrics: BTreeMap<String, Metric>,
}

/// One figure over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metric {
    /// `gpu`, `cpu`, `bytes`, `workloads`, `replicas` or `ratio`.
    pub unit: String,
    /// `null` where nothing is known.
    pub values: Vec<Option<f64>>,
}
