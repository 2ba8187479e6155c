//! Simulations: a scenario in, the simulator's JSON out.

use crate::body::{Check, Wrong};
use crate::limits::{MAX_SCENARIO, MAX_SCENARIO_LINES};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Body of `POST /simulations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"scenario": "pool a 2x8 H100\nquota Q 16 pool=a\nat 0s submit x Q training p1 1x8 for 1h\n"})))]
pub struct SimulationRequest {
    /// A text in the scenario language.
    #[schema(max_length = 262144)]
    pub scenario: String,
    /// Start from the present state of the server; the scenario then declares nothing that exists.
    #[serde(default)]
    pub from_server: bool,
}

impl Check for SimulationRequest {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/scenario", self.scenario.len(), MAX_SCENARIO, "bytes");
        wrong.bound("/scenario", self.scenario.lines().count(), MAX_SCENARIO_LINES, "lines");
    }
}

/// What happened in virtual time, as `tidegate simulate -o json` prints it. Times are seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<Map<String, Value>>,
    /// Books and workloads at the end.
    #[serde(rename = "final")]
    #[schema(value_type = Object)]
    pub end: Map<String, Value>,
}
