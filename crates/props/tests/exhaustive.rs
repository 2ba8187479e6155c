//! The yardstick itself: cases small enough to be checked by hand.

use std::collections::BTreeSet;
use tidegate_engine::ids::{ModelId, PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{ChildLevel, Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, ModuleSet, PoolKind, Priority, PrioritySet};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine};
use tidegate_props::exhaustive::{Answer, Name, Question};

const NOW: Tick = Tick(100_000);

fn spec(name: &str, quota: u32, module: Module, priority: u8, replicas: u32, gpus: u32) -> WorkloadSpec {
    let mut spec = WorkloadSpec::new(name, QuotaId(quota), module, replicas, Shape::with_gpu(gpus * 1_000));
    spec.priority = Priority::new(priority).expect("1 to 9");
    spec
}

/// Two nodes of 4, a root that may evict everybody in its child, which has all. One workload starts each second.
fn cluster(runs: &[WorkloadSpec]) -> Engine {
    let mut engine = Engine::new();
    let mut order = |at, command| engine.handle(at, command).expect("a valid command");
    order(Tick::ZERO, Command::CreatePool { name: "pool".into(), kind: PoolKind::General });
    for n in 0..2 {
        let name = format!("n{n}").into();
        let spec = NodeSpec { name, model: None, gpus: 4, cpu: 1_000_000, memory: 1 << 40 };
        order(Tick::ZERO, Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec });
    }
    let modules = Module::ALL.iter().fold(ModuleSet::default(), |set, m| set.with(*m));
    let victims = PrioritySet::range(Priority::MIN, Priority::MAX);
    let child_level = ChildLevel::new(victims, modules).ok();
    let guarantee = Resources::of(Dimension(0), 8_000);
    for (name, source, child_level) in
        [("root", Source::Pool(PoolId(0)), child_level), ("child", Source::Parent(QuotaId(0)), None)]
    {
        let policy = Policy { child_level, ..Policy::default() };
        order(
            Tick::ZERO,
            Command::CreateQuota(Box::new(QuotaSpec { name: name.into(), source, guarantee, policy })),
        );
    }
    for (i, spec) in runs.iter().enumerate() {
        order(Tick::ZERO.after(Span::seconds(i as u64)), Command::Submit(Box::new(spec.clone())));
    }
    engine
}

fn names(units: &[(u32, u32)]) -> BTreeSet<Name> {
    units.iter().map(|(w, u)| (WorkloadId(*w), *u)).collect()
}

fn best(engine: &Engine, spec: &WorkloadSpec) -> Option<BTreeSet<Name>> {
    let question = Question::new(engine, NOW, None, spec, Some(ModelId(0)), spec.replicas());
    match question.best() {
        Answer::Plan(plan) => Some(plan.victims),
        Answer::None => None,
        other => panic!("{other:?}"),
    }
}

fn preemptor(replicas: u32, gpus: u32) -> WorkloadSpec {
    spec("big", 0, Module::Training, 9, replicas, gpus)
}

#[test]
fn the_lowest_band_goes_even_if_it_loses_more() {
    let (old, young) =
        (spec("old", 1, Module::Training, 2, 1, 4), spec("young", 1, Module::Training, 3, 1, 4));
    assert_eq!(best(&cluster(&[old, young]), &preemptor(1, 2)), Some(names(&[(0, 0)])));
}

#[test]
fn in_one_band_the_least_work_is_lost() {
    let runs = [spec("old", 1, Module::Training, 2, 1, 4), spec("young", 1, Module::Training, 2, 1, 4)];
    assert_eq!(best(&cluster(&runs), &preemptor(1, 2)), Some(names(&[(1, 0)])));
}

#[test]
fn a_gang_goes_whole_and_a_service_gives_up_a_replica() {
    let gang = spec("gang", 1, Module::Training, 1, 2, 2);
    let service = spec("service", 1, Module::Service, 2, 2, 2);
    let engine = cluster(&[gang, service]);
    assert_eq!(best(&engine, &preemptor(1, 4)), Some(names(&[(0, 0)])));
    let whole = best(&engine, &preemptor(2, 4));
    assert_eq!(whole, Some(names(&[(0, 0), (1, 0), (1, 1)])));
}

#[test]
fn scattered_room_is_no_room() {
    let runs = [spec("a", 1, Module::Training, 1, 2, 3)];
    let engine = cluster(&runs);
    assert_eq!(best(&engine, &preemptor(1, 2)), Some(names(&[(0, 0)])));
    assert_eq!(best(&engine, &preemptor(3, 4)), None);
}

#[test]
fn a_victim_too_many_is_found() {
    let runs = [spec("a", 1, Module::Training, 1, 1, 4), spec("b", 1, Module::Training, 1, 1, 4)];
    let engine = cluster(&runs);
    let question = Question::new(&engine, NOW, None, &preemptor(1, 4), Some(ModelId(0)), 1);
    assert!(question.judge(&names(&[(0, 0)])).is_ok());
    assert!(question.judge(&names(&[(0, 0), (1, 0)])).is_err_and(|why| why.contains("not minimal")));
    assert!(question.judge(&names(&[(7, 0)])).is_err());
}
