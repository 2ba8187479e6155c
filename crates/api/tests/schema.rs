//! The schemas of the OpenAPI document: complete, strict about what clients send, and true to their examples.

#![allow(clippy::unwrap_used, reason = "a test")]

use serde_json::Value;
use tidegate_api::{
    actions, event, explain, manifest, node, policy, pool, problem, quota, series, server, simulation, usage,
    workload,
};
use utoipa::OpenApi;

#[derive(OpenApi)]
#[openapi(components(schemas(
    pool::Pool,
    pool::NewPool,
    pool::PoolList,
    node::Node,
    node::NewNode,
    node::NodeList,
    node::CordonRequest,
    node::DrainRequest,
    quota::Quota,
    quota::NewQuota,
    quota::QuotaList,
    quota::QuotaForest,
    quota::ScaleRequest,
    quota::TransferRequest,
    quota::QuotaHistory,
    quota::QuotaQueue,
    policy::Policy,
    policy::PolicyList,
    usage::QuotaUsage,
    usage::WorkspaceUsage,
    workload::Workload,
    workload::NewWorkload,
    workload::WorkloadList,
    actions::ResizeRequest,
    actions::PriorityRequest,
    actions::BatchRequest,
    actions::BatchResult,
    actions::ApplyResult,
    manifest::ApplyRequest,
    explain::Explanation,
    event::EventList,
    event::DryRun,
    simulation::SimulationRequest,
    simulation::Simulation,
    series::Series,
    server::Whoami,
    server::Version,
    server::Health,
    problem::Problem
)))]
struct Document;

fn document() -> Value {
    serde_json::to_value(Document::openapi()).unwrap()
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get("$ref") {
                found.push(target.clone());
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 100, "{}", found.len());
    for target in found {
        assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target} leads nowhere");
    }
}

#[test]
fn what_clients_send_has_no_further_properties() {
    let document = document();
    let sent = [
        "NewPool",
        "PoolSpec",
        "NodeGroup",
        "NewNode",
        "NodeSpec",
        "NewQuota",
        "QuotaSpec",
        "QueueSpec",
        "Preemption",
        "SelfLevel",
        "ChildLevel",
        "Victims",
        "Guarantee",
        "NewWorkload",
        "WorkloadSpec",
        "ReplicaResources",
        "RoleSpec",
        "VirtualRun",
        "NewMetadata",
        "WorkloadMetadata",
        "ScaleRequest",
        "TransferRequest",
        "CordonRequest",
        "DrainRequest",
        "ResizeRequest",
        "PriorityRequest",
        "BatchRequest",
        "SimulationRequest",
    ];
    for name in sent {
        let schema = &document["components"]["schemas"][name];
        assert_eq!(schema["additionalProperties"], Value::Bool(false), "{name}: {schema}");
    }
}

#[test]
fn every_schema_and_every_new_resource_is_described() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let bare: Vec<&String> = schemas
        .iter()
        .filter(|(_, schema)| !schema["description"].is_string())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(bare, Vec::<&String>::new(), "these are not described");
    for name in
        ["NewPool", "NewNode", "NewQuota", "NewWorkload", "QuotaSpec", "WorkloadSpec", "Problem", "Event"]
    {
        assert!(document["components"]["schemas"][name]["examples"].is_array(), "{name} has no example");
    }
}

/// Examples are read by the same code as requests.
#[test]
fn examples_of_requests_are_accepted() {
    fn accepted<T: serde::de::DeserializeOwned + tidegate_api::body::Check>(document: &Value, name: &str) {
        let examples = document["components"]["schemas"][name]["examples"].as_array();
        for example in examples.unwrap_or_else(|| panic!("{name} has no example")) {
            if let Err(problem) = tidegate_api::body::read::<T>(example.to_string().as_bytes()) {
                panic!("{name}: {problem}");
            }
        }
    }
    let document = document();
    accepted::<pool::NewPool>(&document, "NewPool");
    accepted::<node::NewNode>(&document, "NewNode");
    accepted::<quota::NewQuota>(&document, "NewQuota");
    accepted::<quota::QuotaSpec>(&document, "QuotaSpec");
    accepted::<workload::NewWorkload>(&document, "NewWorkload");
    accepted::<workload::WorkloadSpec>(&document, "WorkloadSpec");
    accepted::<quota::ScaleRequest>(&document, "ScaleRequest");
    accepted::<quota::TransferRequest>(&document, "TransferRequest");
    accepted::<node::CordonRequest>(&document, "CordonRequest");
    accepted::<node::DrainRequest>(&document, "DrainRequest");
    accepted::<actions::ResizeRequest>(&document, "ResizeRequest");
    accepted::<actions::PriorityRequest>(&document, "PriorityRequest");
    accepted::<simulation::SimulationRequest>(&document, "SimulationRequest");
}
