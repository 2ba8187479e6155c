//! What the engine cannot be asked for is refused with a pointer to the field.

#![allow(clippy::unwrap_used, reason = "a test")]

use serde_json::{Value, json};
use tidegate_api::convert::Place;
use tidegate_api::name::Name;
use tidegate_api::node::NodeSpec;
use tidegate_api::pool::PoolSpec;
use tidegate_api::quota::{QuotaSpec, ScaleRequest, TransferRequest};
use tidegate_api::workload::WorkloadSpec;
use tidegate_api::{Code, Problem};
use tidegate_engine::ids::{Tick, WorkspaceId};
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::{Command, Engine};

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn of<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

fn quota_of(engine: &mut Engine, called: &str, spec: Value) {
    let spec = of::<QuotaSpec>(spec).to_engine(engine, &name(called)).unwrap();
    engine.handle(Tick(0), Command::CreateQuota(Box::new(spec))).unwrap();
}

/// Pool `one` has H100, pool `two` H100 and A100, pool `none` no GPUs.
fn world() -> Engine {
    let mut engine = Engine::new();
    for (pool, nodes) in [
        ("one", json!([{"count": 2, "gpus": 8, "model": "H100"}])),
        ("two", json!([{"count": 1, "gpus": 8, "model": "H100"}, {"count": 1, "gpus": 4, "model": "A100"}])),
        ("none", json!([{"count": 1, "gpus": 0}])),
    ] {
        let kind = tidegate_engine::words::PoolKind::General;
        engine.handle(Tick(0), Command::CreatePool { name: pool.into(), kind }).unwrap();
        let id = engine.pool_named(pool).unwrap();
        let spec: PoolSpec = of(json!({"nodes": nodes}));
        for command in spec.nodes(&name(pool), id, 0).unwrap() {
            engine.handle(Tick(0), command).unwrap();
        }
    }
    quota_of(&mut engine, "Q", json!({"pool": "one", "guarantee": {"gpu": 16, "cpu": 64}}));
    quota_of(&mut engine, "Q.a", json!({"parent": "Q", "guarantee": {"gpu": 4, "cpu": 16}}));
    quota_of(&mut engine, "R", json!({"pool": "two", "guarantee": {"gpu": {"H100": 8, "A100": 2.5}}}));
    engine
}

fn blamed<T: std::fmt::Debug>(result: Result<T, Problem>) -> (Code, String) {
    let problem = result.unwrap_err();
    (problem.code, problem.pointers[0].pointer.clone())
}

#[test]
fn quotas() {
    let engine = world();
    let refused = |spec: Value| blamed(of::<QuotaSpec>(spec).to_engine(&engine, &name("x")));
    for (spec, code, pointer) in [
        (json!({"pool": "x", "guarantee": {"gpu": 1}}), Code::UnknownReference, "/spec/pool"),
        (json!({"parent": "x", "guarantee": {"gpu": 1}}), Code::UnknownReference, "/spec/parent"),
        (json!({"guarantee": {"gpu": 1}}), Code::Invalid, "/spec"),
        (json!({"pool": "two", "guarantee": {"gpu": 1}}), Code::BadAmount, "/spec/guarantee/gpu"),
        (json!({"pool": "none", "guarantee": {"gpu": 1}}), Code::BadAmount, "/spec/guarantee/gpu"),
        (
            json!({"pool": "two", "guarantee": {"gpu": {"B200": 1}}}),
            Code::UnknownReference,
            "/spec/guarantee/gpu/B200",
        ),
        (
            json!({"pool": "one", "guarantee": {"gpu": 1}, "preemption": {"selfLevel":
                {"preemptors": "4-9", "victims": {"priorities": "1-5", "modules": ["training"]}}}}),
            Code::BadPolicy,
            "/spec/preemption/selfLevel",
        ),
        (
            json!({"pool": "one", "guarantee": {"gpu": 1}, "preemption": {"childLevel":
                {"victims": {"priorities": 1, "modules": []}}}}),
            Code::BadPolicy,
            "/spec/preemption/childLevel",
        ),
    ] {
        assert_eq!(refused(spec.clone()), (code, pointer.into()), "{spec}");
    }
}

#[test]
fn a_quota_keeps_its_place() {
    let engine = world();
    let id = engine.quota_named("Q.a").unwrap();
    let asked = |spec: Value| of::<QuotaSpec>(spec).guarantee_for(&engine, id);
    let moved = json!({"parent": "R", "guarantee": {"gpu": {"H100": 1}}});
    assert_eq!(blamed(asked(moved)), (Code::ImmutableField, "/spec/parent".into()));
    let moved = json!({"pool": "one", "guarantee": {"gpu": 1}});
    assert_eq!(blamed(asked(moved)), (Code::ImmutableField, "/spec/pool".into()));
    let guarantee = asked(json!({"parent": "Q", "guarantee": {"gpu": 1.5, "cpu": 2}})).unwrap();
    assert_eq!((guarantee[Dimension(0)], guarantee[Dimension::CPU]), (1_500, 2_000));
}

#[test]
fn scaling_keeps_what_is_not_stated_and_a_transfer_moves_what_is() {
    let engine = world();
    let id = engine.quota_named("Q.a").unwrap();
    let scale: ScaleRequest = of(json!({"guarantee": {"gpu": 6}, "mode": "evict"}));
    let mut expected = Resources::of(Dimension(0), 6_000);
    expected[Dimension::CPU] = 16_000;
    let mode = tidegate_engine::words::Mode::Evict;
    assert_eq!(scale.command(&engine, id), Ok(Command::Scale { quota: id, guarantee: expected, mode }));
    let transfer: TransferRequest = of(json!({"to": "x", "amount": {"gpu": 1}}));
    assert_eq!(blamed(transfer.command(&engine, id)), (Code::UnknownReference, "/to".into()));
    let transfer: TransferRequest = of(json!({"to": "Q", "amount": {"gpu": {"B200": 1}}}));
    assert_eq!(blamed(transfer.command(&engine, id)), (Code::UnknownReference, "/amount/gpu/B200".into()));
}

fn place(engine: &Engine) -> Place {
    let quota = engine.quota_named("Q").unwrap();
    Place { quota, workspace: WorkspaceId::DEFAULT, owner: None }
}

#[test]
fn workloads() {
    let engine = world();
    let place = place(&engine);
    let refused = |spec: Value| blamed(of::<WorkloadSpec>(spec).to_engine(&engine, &name("x"), place));
    for (spec, code, pointer) in [
        (json!({"quota": "Q", "gpuModels": ["H100", "A100"]}), Code::UnknownReference, "/spec/gpuModels/1"),
        (json!({"quota": "Q", "nodes": ["one-0", "two-0"]}), Code::UnknownReference, "/spec/nodes/1"),
        (json!({"quota": "Q", "resources": {"gpu": 1.5}}), Code::BadAmount, "/spec/resources/gpu"),
        (json!({"quota": "Q", "resources": {"gpu": 4097}}), Code::BadAmount, "/spec/resources/gpu"),
        (json!({"quota": "Q", "resources": {"cpu": 5_000_000}}), Code::BadAmount, "/spec/resources/cpu"),
        (
            json!({"quota": "Q", "roles": [{"name": "a", "replicas": 1, "resources": {"gpu": 2.5}}]}),
            Code::BadAmount,
            "/spec/roles/0/resources/gpu",
        ),
    ] {
        assert_eq!(refused(spec.clone()), (code, pointer.into()), "{spec}");
    }
}

#[test]
fn a_workload_that_says_little_gets_defaults() {
    let engine = world();
    let spec = of::<WorkloadSpec>(json!({})).to_engine(&engine, &name("x"), place(&engine)).unwrap();
    let quota = engine.quota_named("Q").unwrap();
    let shape = tidegate_engine::resources::Shape::with_gpu(0);
    let module = tidegate_engine::words::Module::Training;
    assert_eq!(spec, tidegate_engine::workload::WorkloadSpec::new("x", quota, module, 1, shape));
    let spec = json!({"quota": "Q", "workspace": "default", "nodes": ["one-1", "one-0", "one-1"]});
    let nodes =
        of::<WorkloadSpec>(spec).to_engine(&engine, &name("x"), place(&engine)).unwrap().nodes.unwrap();
    assert_eq!(nodes.iter().map(|n| n.0).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn nodes_and_pools() {
    let engine = world();
    let spec: NodeSpec = of(json!({"pool": "x", "gpus": 0}));
    assert_eq!(blamed(spec.command(&engine, &name("n"))), (Code::UnknownReference, "/spec/pool".into()));
    let spec: NodeSpec = of(json!({"pool": "one", "gpus": 16, "model": "H100"}));
    let Command::AddNode { spec, .. } = spec.command(&engine, &name("n")).unwrap() else { panic!("a node") };
    assert_eq!((spec.cpu, spec.memory), (256_000, 2 << 40));
    let long = name(&"p".repeat(60));
    let nodes = |count: u32| of::<PoolSpec>(json!({"nodes": [{"count": count, "gpus": 0}]}));
    let id = engine.pool_named("one").unwrap();
    assert_eq!(nodes(100).nodes(&long, id, 0).unwrap().len(), 100);
    assert_eq!(blamed(nodes(101).nodes(&long, id, 0)), (Code::BadName, "/metadata/name".into()));
}
