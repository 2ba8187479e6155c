//! What every resource looks like, built from a small world of the engine. `UPDATE=1` rewrites the files.

#![allow(clippy::unwrap_used, reason = "a test")]

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use tidegate_api::convert::{Place, QuotaUse, WorkloadFacts, uses};
use tidegate_api::explain::Explanation;
use tidegate_api::manifest::{Format, Manifest, read};
use tidegate_api::node::{Node, NodeSpec, NodeStatus};
use tidegate_api::pool::{Pool, PoolSpec, PoolStatus};
use tidegate_api::quota::{Quota, QuotaSpec, QuotaStatus};
use tidegate_api::resource::{Labels, Metadata};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_api::workload::{Document, Workload, WorkloadSpec};
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::reason::{Names, described};
use tidegate_engine::{Command, Engine};

/// A Saturday morning.
const START: u64 = 1_769_846_400_000;

const WORLD: &str = "
apiVersion: tidegate.dev/v1
kind: Pool
metadata: {name: h100}
spec: {nodes: [{count: 2, gpus: 4, model: H100, cpu: 32, memory: 256Gi}]}
---
apiVersion: tidegate.dev/v1
kind: Quota
metadata: {name: Q}
spec:
  pool: h100
  guarantee: {gpu: 8}
  preemption: {childLevel: {victims: {priorities: 1-9, modules: [training, notebook]}}}
---
apiVersion: tidegate.dev/v1
kind: Quota
metadata: {name: Q.a}
spec:
  parent: Q
  guarantee: {gpu: 5}
  queue: {strategy: fifo, patience: 5m}
  protectFor: 90s
  preemption:
    selfLevel: {preemptors: 6-9, victims: {priorities: 4, modules: [training, notebook]}, scope: siblings}
---
apiVersion: tidegate.dev/v1
kind: Quota
metadata: {name: Q.b}
spec: {parent: Q, guarantee: {gpu: 3}, idleSharing: false}
---
apiVersion: tidegate.dev/v1
kind: Workload
metadata: {name: b1, labels: {project: atlas}}
spec:
  quota: Q.a
  priority: 4
  resources: {gpu: 4, cpu: 8, memory: 64Gi}
  command: [python, train.py]
  env: {EPOCHS: '3'}
  virtual: {duration: 1h30m, checkpoint: 10m}
---
apiVersion: tidegate.dev/v1
kind: Workload
metadata: {name: n1}
spec: {quota: Q.b, module: DSW, resources: {gpu: 0.5}}
---
apiVersion: tidegate.dev/v1
kind: Workload
metadata: {name: s1}
spec: {quota: Q, module: service, priority: 5, replicas: 2, resources: {gpu: 2}}
";

struct World {
    engine: Engine,
    now: Tick,
    documents: Vec<Document>,
}

impl World {
    fn new() -> World {
        let mut world = World { engine: Engine::new(), now: Tick(START), documents: Vec::new() };
        for manifest in read(WORLD.as_bytes(), Format::Yaml).unwrap() {
            world.apply(manifest);
            world.now = world.now.after(tidegate_engine::ids::Span::minutes(1));
        }
        world
    }

    fn handle(&mut self, command: Command) {
        self.engine.handle(self.now, command).unwrap();
    }

    fn apply(&mut self, manifest: Manifest) {
        match manifest {
            Manifest::Pool(pool) => {
                let name = pool.metadata.name;
                let kind = pool.spec.kind.map_or(tidegate_engine::words::PoolKind::General, Into::into);
                self.handle(Command::CreatePool { name: name.as_str().into(), kind });
                let id = self.engine.pool_named(&name).unwrap();
                for command in pool.spec.nodes(&name, id, 0).unwrap() {
                    self.handle(command);
                }
            }
            Manifest::Quota(quota) => {
                let spec = quota.spec.to_engine(&self.engine, &quota.metadata.name).unwrap();
                self.handle(Command::CreateQuota(Box::new(spec)));
            }
            Manifest::Workspace(_) | Manifest::PriceBook(_) | Manifest::Template(_) => {
                panic!("the engine knows none of these")
            }
            Manifest::Workload(workload) => {
                let name = workload.metadata.name.unwrap();
                let spec = workload
                    .spec
                    .to_engine(&self.engine, &name, place(&self.engine, &workload.spec))
                    .unwrap();
                self.handle(Command::Submit(Box::new(spec)));
                let owner = "admin".into();
                self.documents.push(Document {
                    name,
                    labels: workload.metadata.labels,
                    owner,
                    spec: workload.spec,
                    directory_of: None,
                });
            }
        }
    }

    fn metadata(&self, name: &str, uid: String) -> Metadata {
        let name = name.parse().unwrap();
        Metadata {
            name,
            uid,
            created_at: Time::of(Tick(START)),
            version: "7".into(),
            labels: Labels::default(),
        }
    }

    fn quota(&self, name: &str) -> Quota {
        let id = self.engine.quota_named(name).unwrap();
        let books = self.engine.books().into_iter().find(|b| b.quota == id).unwrap();
        let used = uses(&self.engine, self.engine.workloads().map(|w| w.id))
            .get(id.index())
            .copied()
            .unwrap_or_default();
        let status = QuotaStatus::of(&self.engine, &self.engine, &books, &used).unwrap();
        Quota::new(self.metadata(name, uid::quota(id)), QuotaSpec::of(&self.engine, id).unwrap(), status)
    }

    fn node(&self, name: &str) -> Node {
        let (pool, id) = self.engine.node_named(name).unwrap();
        let status = NodeStatus::of(&self.engine, &self.engine, pool, id).unwrap();
        let spec = NodeSpec::of(&self.engine, pool, id).unwrap();
        Node::new(self.metadata(name, uid::node(pool, id)), spec, status)
    }

    fn pool(&self, name: &str) -> Pool {
        let id = self.engine.pool_named(name).unwrap();
        let status = PoolStatus::of(&self.engine, &self.engine, id).unwrap();
        Pool::new(self.metadata(name, uid::pool(id)), PoolSpec::of(&self.engine, id).unwrap(), status)
    }

    fn workload(&self, name: &str) -> Workload {
        self.workload_for(&self.engine, name)
    }

    fn workload_for(&self, names: &dyn Names, name: &str) -> Workload {
        let id = self.engine.workload_named(WorkspaceId::DEFAULT, name).unwrap();
        let reasons = self.engine.reasons(self.now, id);
        let workspace = "default".parse().unwrap();
        let facts = WorkloadFacts {
            workspace: &workspace,
            document: self.documents.iter().find(|d| *d.name == *name).unwrap(),
            created: Tick(START),
            version: 7,
            started: None,
            ended: None,
            exit_code: None,
            exit_detail: None,
            warm_worker: None,
            stop_reason: None,
            reasons: &reasons,
            position: Some(1),
        };
        Workload::of(&self.engine, names, id, &facts).unwrap()
    }
}

fn place(engine: &Engine, spec: &WorkloadSpec) -> Place {
    let quota = engine.quota_named(spec.quota.as_ref().unwrap()).unwrap();
    Place { quota, workspace: WorkspaceId::DEFAULT, owner: None }
}

/// Compares with the file, and reads what was written back as it was.
fn golden<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(name: &str, value: &T) {
    let text = serde_json::to_string_pretty(value).unwrap() + "\n";
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{name} reads as it is written");
    let file = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, expected, "{name}: UPDATE=1 rewrites it");
}

#[test]
fn pools_nodes_and_quotas() {
    let world = World::new();
    golden("pool", &world.pool("h100"));
    golden("node", &world.node("h100-0"));
    golden("quota-root", &world.quota("Q"));
    golden("quota-child", &world.quota("Q.a"));
}

#[test]
fn workloads_and_explanations() {
    let mut world = World::new();
    golden("workload-running", &world.workload("b1"));
    golden("workload-leaving", &world.workload("n1"));
    golden("workload-partly-held", &world.workload("s1"));
    let s1 = world.engine.workload_named(WorkspaceId::DEFAULT, "s1").unwrap();
    golden("explanation-held", &Explanation::of(&world.engine, &world.engine, world.now, s1).unwrap());
    let n1 = world.engine.workload_named(WorkspaceId::DEFAULT, "n1").unwrap();
    world.handle(Command::Released { units: vec![(n1, 0)] });
    golden("workload-queued", &world.workload("n1"));
    golden("explanation-queued", &Explanation::of(&world.engine, &world.engine, world.now, n1).unwrap());
}

/// The names for somebody who may see one workload and its quota.
struct Veil<'a> {
    engine: &'a Engine,
    own: WorkloadId,
}

impl Names for Veil<'_> {
    fn quota_name(&self, id: QuotaId) -> Cow<'_, str> {
        let is_own = self.engine.workload(self.own).is_some_and(|w| w.spec.quota == id);
        if is_own { self.engine.quota_name(id) } else { "a quota of another workspace".into() }
    }

    fn workload_name(&self, id: WorkloadId) -> Cow<'_, str> {
        let w = self.engine.workload(id).unwrap();
        if self.sees_workload(id) { self.engine.workload_name(id) } else { described(w).into() }
    }

    fn sees_workload(&self, id: WorkloadId) -> bool {
        id == self.own
    }

    fn model_names(&self, pool: PoolId) -> &[Box<str>] {
        self.engine.model_names(pool)
    }
}

#[test]
fn what_the_reader_may_not_see_is_described() {
    let mut world = World::new();
    let [b1, n1, s1] =
        ["b1", "n1", "s1"].map(|name| world.engine.workload_named(WorkspaceId::DEFAULT, name).unwrap());
    let texts = |world: &World, own: WorkloadId, name: &str| {
        let (engine, names) = (&world.engine, Veil { engine: &world.engine, own });
        let (pool, node) = engine.node_named("h100-0").unwrap();
        let nodes = (0..2).map(|n| NodeStatus::of(engine, &names, pool, NodeId(node.0 + n)).unwrap());
        let books = engine.books().into_iter().find(|books| books.depth == 1).unwrap();
        [
            serde_json::to_string(&Explanation::of(engine, &names, world.now, own).unwrap()).unwrap(),
            serde_json::to_string(&world.workload_for(&names, name).status).unwrap(),
            serde_json::to_string(&nodes.collect::<Vec<_>>()).unwrap(),
            serde_json::to_string(&QuotaStatus::of(engine, &names, &books, &QuotaUse::default())).unwrap(),
            serde_json::to_string(&PoolStatus::of(engine, &names, pool).unwrap()).unwrap(),
        ]
    };
    // Names and uids as they stand in JSON, alone or within a sentence.
    let hides = |texts: &[String], hidden: &[&str]| {
        for text in texts {
            let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || "-.".contains(c))).collect();
            for name in hidden {
                assert!(!words.contains(name), "{name} in {text}");
            }
        }
    };
    hides(&texts(&world, s1, "s1"), &["b1", "n1", "w-0", "w-1", "Q.a", "Q.b"]);
    world.handle(Command::Released { units: vec![(n1, 0)] });
    let seen = texts(&world, n1, "n1");
    hides(&seen, &["b1", "s1", "w-0", "w-2", "Q", "Q.a"]);
    assert!(seen[0].contains("a service of another workspace, priority 5, 4 GPUs"), "{}", seen[0]);
    hides(&texts(&world, b1, "b1"), &["n1", "s1", "w-1", "w-2", "Q", "Q.b"]);
    let veil = Veil { engine: &world.engine, own: n1 };
    golden("explanation-veiled", &Explanation::of(&world.engine, &veil, world.now, n1).unwrap());
}

/// The specification that a resource shows asks for exactly what is there.
#[test]
fn what_is_shown_asks_for_what_is_there() {
    let world = World::new();
    for name in ["Q", "Q.a", "Q.b"] {
        let id = world.engine.quota_named(name).unwrap();
        let spec = QuotaSpec::of(&world.engine, id).unwrap();
        let asked = spec.to_engine(&world.engine, &name.parse().unwrap()).unwrap();
        let there = world.engine.quota(id).unwrap();
        assert_eq!((asked.guarantee, asked.policy), (there.guarantee, there.policy));
        assert_eq!(spec.guarantee_for(&world.engine, id).unwrap(), there.guarantee);
    }
    for document in &world.documents {
        let spec = document
            .spec
            .to_engine(&world.engine, &document.name, place(&world.engine, &document.spec))
            .unwrap();
        let id = world.engine.workload_named(WorkspaceId::DEFAULT, &document.name).unwrap();
        assert_eq!(spec, *world.engine.workload(id).unwrap().spec);
        assert_eq!(world.workload(&document.name).spec, document.spec);
    }
}
