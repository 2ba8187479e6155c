//! Every bound on a body holds at the limit and not one past it.

#![allow(clippy::unwrap_used, reason = "a test")]

use serde_json::{Value, json};
use tidegate_api::actions::{BatchRequest, ResizeRequest};
use tidegate_api::body::{Check, read};
use tidegate_api::limits::*;
use tidegate_api::node::{CordonRequest, DrainRequest, NewNode};
use tidegate_api::page::{PageQuery, PageToken};
use tidegate_api::policy::Policy;
use tidegate_api::pool::NewPool;
use tidegate_api::series::SeriesQuery;
use tidegate_api::simulation::SimulationRequest;
use tidegate_api::time::Time;
use tidegate_api::workload::NewWorkload;
use tidegate_engine::ids::Tick;

/// Reads a body; the pointer of the first fault if it is refused.
fn pointer<T: serde::de::DeserializeOwned + Check>(body: &Value) -> Option<String> {
    let problem = read::<T>(body.to_string().as_bytes()).err()?;
    Some(problem.pointers.first().map_or(problem.detail, |p| p.pointer.clone()))
}

/// The bound holds at `limit` and is broken, at `at`, by one more.
fn bound<T: serde::de::DeserializeOwned + Check>(limit: usize, at: &str, body: impl Fn(usize) -> Value) {
    assert_eq!(pointer::<T>(&body(limit)), None, "{limit} at {at}");
    assert_eq!(pointer::<T>(&body(limit + 1)).as_deref(), Some(at), "{limit} + 1");
}

fn object(count: usize, key: &str) -> Value {
    (0..count).map(|i| (format!("{key}{i}"), json!("v"))).collect::<serde_json::Map<_, _>>().into()
}

fn spec(spec: Value) -> Value {
    json!({"metadata": {"name": "a"}, "spec": spec})
}

#[test]
fn labels() {
    let labels = |labels: Value| json!({"metadata": {"name": "a", "labels": labels}, "spec": {}});
    bound::<NewWorkload>(MAX_LABELS, "/metadata/labels", |n| labels(object(n, "k")));
    bound::<NewWorkload>(MAX_LABEL_VALUE, "/metadata/labels/k", |n| labels(json!({"k": "ä".repeat(n)})));
    let at = format!("/metadata/labels/{}", "k".repeat(MAX_LABEL_KEY + 1));
    bound::<NewWorkload>(MAX_LABEL_KEY, &at, |n| labels(json!({"k".repeat(n): "v"})));
}

#[test]
fn launch() {
    bound::<NewWorkload>(MAX_ARGS, "/spec/command", |n| spec(json!({"command": vec!["a"; n]})));
    bound::<NewWorkload>(MAX_ARGS_BYTES, "/spec/command", |n| spec(json!({"command": ["a".repeat(n)]})));
    bound::<NewWorkload>(MAX_ENV, "/spec/env", |n| spec(json!({"env": object(n, "K")})));
    bound::<NewWorkload>(MAX_ENV_BYTES, "/spec/env", |n| spec(json!({"env": {"K": "v".repeat(n - 1)}})));
    bound::<NewWorkload>(MAX_PATH, "/spec/workingDir", |n| spec(json!({"workingDir": "d".repeat(n)})));
}

#[test]
fn demand() {
    let names = |n: usize| (0..n).map(|i| format!("x{i}")).collect::<Vec<_>>();
    let roles = |n: usize| names(n).iter().map(|r| json!({"name": r, "replicas": 1})).collect::<Vec<_>>();
    bound::<NewWorkload>(MAX_REPLICAS as usize, "/spec/replicas", |n| spec(json!({"replicas": n})));
    bound::<NewWorkload>(MAX_REPLICAS as usize, "/spec/minReplicas", |n| spec(json!({"minReplicas": n})));
    bound::<NewWorkload>(MAX_RESTARTS as usize, "/spec/restarts", |n| spec(json!({"restarts": n})));
    bound::<NewWorkload>(MAX_ROLES, "/spec/roles", |n| spec(json!({"roles": roles(n)})));
    bound::<NewWorkload>(MAX_NAMED_MODELS, "/spec/gpuModels", |n| spec(json!({"gpuModels": names(n)})));
    bound::<NewWorkload>(MAX_NAMED_NODES, "/spec/nodes", |n| spec(json!({"nodes": names(n)})));
    bound::<NewWorkload>(MAX_GRACE.0 as usize, "/spec/gracePeriod", |n| {
        spec(json!({"gracePeriod": format!("{n}ms")}))
    });
    bound::<NewWorkload>(MAX_DURATION.0 as usize, "/spec/maxRunTime", |n| {
        spec(json!({"maxRunTime": format!("{n}ms")}))
    });
    bound::<NewWorkload>(MAX_WHOLE as usize, "/spec/resources/gpu", |n| {
        spec(json!({"resources": {"gpu": n}}))
    });
    bound::<ResizeRequest>(MAX_REPLICAS as usize, "/replicas", |n| json!({"replicas": n}));
}

#[test]
fn pools_and_nodes() {
    let group = |count: usize| json!({"count": count, "gpus": 1, "model": "m"});
    bound::<NewPool>(MAX_NODE_GROUPS, "/spec/nodes", |n| spec(json!({"nodes": vec![group(1); n]})));
    bound::<NewPool>(MAX_NODES_AT_ONCE as usize, "/spec/nodes", |n| spec(json!({"nodes": [group(n)]})));
    bound::<NewNode>(MAX_DEVICES as usize, "/spec/gpus", |n| {
        spec(json!({"pool": "p", "gpus": n, "model": "m"}))
    });
    bound::<CordonRequest>(MAX_REASON, "/reason", |n| json!({"reason": "ä".repeat(n)}));
    bound::<DrainRequest>(MAX_REASON, "/reason", |n| json!({"reason": "ä".repeat(n)}));
    bound::<DrainRequest>(4, "/modules", |n| json!({"modules": vec!["training"; n]}));
}

#[test]
fn batches_and_simulations() {
    let item = || json!({"metadata": {}, "spec": {}});
    bound::<BatchRequest>(MAX_BATCH, "/items", |n| json!({"items": vec![item(); n]}));
    assert_eq!(pointer::<BatchRequest>(&json!({"items": []})).as_deref(), Some("/items"));
    bound::<SimulationRequest>(MAX_SCENARIO, "/scenario", |n| json!({"scenario": "x".repeat(n)}));
    bound::<SimulationRequest>(MAX_SCENARIO_LINES, "/scenario", |n| json!({"scenario": "x\n".repeat(n)}));
}

#[test]
fn policies() {
    let names = |n: usize| (0..n).map(|i| format!("x{i}")).collect::<Vec<_>>();
    let each = |n: usize, one: &Value| vec![one.clone(); n];
    let (limit, priority) = (json!({"role": "a", "gpu": 1}), json!({"member": "a", "priority": 1}));
    bound::<Policy>(MAX_LIMITS, "/spec/limits", |n| json!({"spec": {"limits": each(n, &limit)}}));
    bound::<Policy>(
        MAX_LIMITS,
        "/spec/maxPriority",
        |n| json!({"spec": {"maxPriority": each(n, &priority)}}),
    );
    bound::<Policy>(
        MAX_EXEMPT,
        "/spec/notebook/exempt",
        |n| json!({"spec": {"notebook": {"exempt": names(n)}}}),
    );
    let preset = |name: &String| json!({"name": name, "resources": {}});
    let presets = |n: usize| names(n).iter().map(preset).collect::<Vec<_>>();
    bound::<Policy>(MAX_PRESETS, "/spec/presets", |n| json!({"spec": {"presets": presets(n)}}));
    let idle = |after: &str| json!({"spec": {"notebook": {"idle": {"after": after}}}});
    assert_eq!(pointer::<Policy>(&idle("1m")), None);
    assert_eq!(pointer::<Policy>(&idle("59s")).as_deref(), Some("/spec/notebook/idle/after"));
    for (wrong, at) in [
        (json!({"limits": [{"gpu": 1}]}), "/spec/limits/0"),
        (json!({"limits": [{"role": "a", "member": "b", "gpu": 1}]}), "/spec/limits/0"),
        (json!({"limits": [{"role": "a"}]}), "/spec/limits/0"),
        (json!({"maxPriority": [{"priority": 1}]}), "/spec/maxPriority/0"),
        (json!({"modules": []}), "/spec/modules"),
        (json!({"training": {"maxWait": "0s"}}), "/spec/training/maxWait"),
        (json!({"notebook": {"idle": {"after": "1h", "cpuPercent": 0}}}), "/spec/notebook/idle/cpuPercent"),
    ] {
        assert_eq!(pointer::<Policy>(&json!({"spec": wrong})).as_deref(), Some(at), "{wrong}");
    }
}

#[test]
fn pages() {
    let limit = |limit| PageQuery { limit, page_token: None }.limit().ok();
    assert_eq!([limit(None), limit(Some(1)), limit(Some(MAX_PAGE))], [Some(100), Some(1), Some(1000)]);
    assert_eq!([limit(Some(0)), limit(Some(MAX_PAGE + 1))], [None, None]);
    let token = |length: usize| PageToken::of(&"x".repeat(length)).to_string();
    let most = MAX_PAGE_TOKEN / 2 - 1;
    assert_eq!(token(most).parse::<PageToken>().unwrap().state(), Some("x".repeat(most)));
    assert!(token(most + 1).parse::<PageToken>().is_err());
    for text in ["", "p1a", "p1zz", "p1AB", "p1ff", "100", "p1ä", "p1+1"] {
        assert!(text.parse::<PageToken>().is_err(), "{text:?}");
    }
}

#[test]
fn series() {
    let points = |from: u64, to: u64, step: &str| {
        let (from, to) = (Time::of(Tick(from)), Time::of(Tick(to)));
        SeriesQuery { from, to, step: step.parse().unwrap() }.points().ok()
    };
    assert_eq!(points(0, 0, "1s"), Some(1));
    assert_eq!(points(0, (MAX_POINTS - 1) * 1_000, "1s"), Some(MAX_POINTS));
    assert_eq!(points(0, MAX_POINTS * 1_000, "1s"), None);
    assert_eq!([points(1, 0, "1s"), points(0, 1, "999ms"), points(0, 1, "0s")], [None, None, None]);
}
