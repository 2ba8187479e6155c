//! Names of workloads are unique within a workspace.

use proptest::prelude::*;
use std::collections::BTreeMap;
use tidegate_engine::ids::{PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, PoolKind};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine, Refusal};

/// One quota of 8 GPUs.
fn house() -> Engine {
    let mut engine = Engine::new();
    let node = NodeSpec { name: "n0".into(), model: None, gpus: 8, cpu: 128_000, memory: 1 << 40 };
    let quota = QuotaSpec {
        name: "Q".into(),
        source: Source::Pool(PoolId(0)),
        guarantee: Resources::of(Dimension(0), 8_000),
        policy: Policy::default(),
    };
    for command in [
        Command::CreatePool { name: "h100".into(), kind: PoolKind::General },
        Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec: node },
        Command::CreateQuota(Box::new(quota)),
    ] {
        engine.handle(Tick::ZERO, command).expect("nothing is refused here");
    }
    engine
}

fn submit(engine: &mut Engine, workspace: u32, name: &str) -> Result<(), Refusal> {
    let mut spec = WorkloadSpec::new(name, QuotaId(0), Module::Training, 1, Shape::with_gpu(1_000));
    spec.workspace = WorkspaceId(workspace);
    engine.handle(Tick::ZERO, Command::Submit(Box::new(spec))).map(|_| ())
}

fn end(engine: &mut Engine, workload: WorkloadId) {
    engine.handle(Tick::ZERO, Command::Stop { workload }).expect("it has not ended");
    let units: Vec<_> = engine.units(workload).map(|unit| (workload, unit.number)).collect();
    if !units.is_empty() {
        engine.handle(Tick::ZERO, Command::Released { units }).expect("they were asked to stop");
    }
}

#[test]
fn each_workspace_has_its_own_names() {
    let mut engine = house();
    submit(&mut engine, 1, "job").unwrap();
    submit(&mut engine, 2, "job").unwrap();
    let taken = submit(&mut engine, 1, "job").unwrap_err();
    assert_eq!(taken.code(), "name-taken");
    assert_eq!(engine.workload_named(WorkspaceId(1), "job"), Some(WorkloadId(0)));
    assert_eq!(engine.workload_named(WorkspaceId(2), "job"), Some(WorkloadId(1)));
    assert_eq!(engine.workload_named(WorkspaceId(3), "job"), None);
    assert_eq!(engine.workloads_named("job", |_| true)[..], [WorkloadId(0), WorkloadId(1)]);
    assert_eq!(engine.workloads_named("job", |w| w == WorkspaceId(2))[..], [WorkloadId(1)]);
    assert!(engine.workloads_named("jo", |_| true).is_empty());
}

/// More than a table of hashes takes side by side; what there is no room for is found all the same.
#[test]
fn a_name_that_everybody_likes_is_found_in_each_workspace() {
    const WORKSPACES: u32 = 300;
    let mut engine = house();
    for round in 0..2 {
        for workspace in 0..WORKSPACES {
            submit(&mut engine, workspace, "train").unwrap();
            assert!(submit(&mut engine, workspace, "train").is_err());
        }
        let first = round * WORKSPACES;
        for workspace in 0..WORKSPACES {
            let id = engine.workload_named(WorkspaceId(workspace), "train");
            assert_eq!(id, Some(WorkloadId(first + workspace)));
        }
        let all: Vec<WorkloadId> = (first..first + WORKSPACES).map(WorkloadId).collect();
        assert_eq!(engine.workloads_named("train", |_| true)[..], all);
        all.into_iter().for_each(|id| end(&mut engine, id));
    }
    let old = Command::Forget { workload: WorkloadId(299) };
    engine.handle(Tick::ZERO, old).unwrap();
    assert_eq!(engine.workload_named(WorkspaceId(299), "train"), Some(WorkloadId(599)));
    for id in WORKSPACES..2 * WORKSPACES {
        engine.handle(Tick::ZERO, Command::Forget { workload: WorkloadId(id) }).unwrap();
    }
    assert!(engine.workloads_named("train", |_| true).is_empty());
}

proptest! {
    #[test]
    fn agrees_with_an_ordered_map(ops in prop::collection::vec((0u8..4, 0u32..3, 0u8..3), 1..80)) {
        let mut engine = house();
        let mut latest: BTreeMap<(String, u32), (WorkloadId, bool)> = BTreeMap::new();
        let mut submitted = 0;
        for (op, workspace, name) in ops {
            let name = format!("n{name}");
            let key = (name.clone(), workspace);
            match (op, latest.get(&key).copied()) {
                (0, Some((id, true))) => {
                    end(&mut engine, id);
                    latest.insert(key, (id, false));
                }
                (1, Some((id, false))) => {
                    engine.handle(Tick::ZERO, Command::Forget { workload: id }).unwrap();
                    latest.remove(&key);
                }
                (_, there) => {
                    let is_live = there.is_some_and(|(_, is_live)| is_live);
                    prop_assert_eq!(submit(&mut engine, workspace, &name).is_err(), is_live);
                    if !is_live {
                        latest.insert(key, (WorkloadId(submitted), true));
                        submitted += 1;
                    }
                }
            }
            let there = latest.get(&(name.clone(), workspace)).map(|there| there.0);
            prop_assert_eq!(engine.workload_named(WorkspaceId(workspace), &name), there);
            let bears = |of: &(&(String, u32), &(WorkloadId, bool))| of.0.0 == name && of.0.1 != 1;
            let mut seen: Vec<WorkloadId> = latest.iter().filter(bears).map(|(_, there)| there.0).collect();
            seen.sort();
            prop_assert_eq!(engine.workloads_named(&name, |w| w.0 != 1).to_vec(), seen);
        }
    }
}
