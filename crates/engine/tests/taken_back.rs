//! A start that is taken back in the same pass leaves no trace.

use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, ModuleSet, PoolKind, Priority, PrioritySet, Scope};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine, Event};

fn p(n: u8) -> Priority {
    Priority::new(n).expect("in range")
}

/// A job would grow into what another lost, until that takes it as a loan: what runs of it has not been started
/// again.
#[test]
fn a_job_that_would_have_grown_runs_since_when_it_ran() {
    let (mut engine, mut log): (Engine, Vec<Event>) = (Engine::new(), Vec::new());
    let mut ask = |now: u64, command: Command| {
        log.extend(engine.handle(Tick(now), command).expect("nothing is refused here"));
        let mut copy = Engine::new();
        log.iter().for_each(|event| copy.apply(event));
        assert!(copy == engine, "replaying the events gives the same state: {:?}", log.last());
    };
    let pool = PoolId(0);
    ask(0, Command::CreatePool { name: "h100".into(), kind: PoolKind::General });
    let spec = NodeSpec { name: "n0".into(), model: None, gpus: 8, cpu: 128_000, memory: 1 << 40 };
    ask(0, Command::AddNode { pool, model: Some("H100".into()), spec });
    let policy = Policy { idle_sharing: false, ..Policy::default() };
    let mut quota = |name: &str, source, gpus: i64, policy| {
        let guarantee = Resources::of(Dimension(0), gpus * 1_000);
        ask(0, Command::CreateQuota(Box::new(QuotaSpec { name: name.into(), source, guarantee, policy })));
    };
    quota("root", Source::Pool(pool), 5, policy);
    quota("giver", Source::Parent(QuotaId(0)), 5, policy);
    let modules = ModuleSet::default().with(Module::Training);
    let (high, low) = (PrioritySet::range(p(4), p(8)), PrioritySet::range(p(1), p(3)));
    let self_level = SelfLevel::new(high, low, modules, Scope::Siblings).ok();
    quota("borrower", Source::Parent(QuotaId(0)), 0, Policy { self_level, ..policy });
    let mut submit = |now, name, quota, priority, replicas, gpus: u32, min| {
        let mut spec =
            WorkloadSpec::new(name, quota, Module::Training, replicas, Shape::with_gpu(gpus * 1_000));
        (spec.priority, spec.min_replicas) = (p(priority), min);
        ask(now, Command::Submit(Box::new(spec)));
    };
    submit(0, "borrows", QuotaId(2), 8, 2, 2, None);
    submit(1, "grows", QuotaId(1), 3, 3, 1, Some(1));
    let reason = "test".into();
    ask(2, Command::SetDevice { pool, node: NodeId(0), device: 3, out: true, reason });
}
