//! A quota that may grow: what fits its ceiling waits, what does not is refused; and a quota may have nothing.

use tidegate_engine::ids::{PoolId, QuotaId, Tick};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Mode, Module, PoolKind};
use tidegate_engine::workload::{WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine, Refusal};

const SUPPLY: QuotaId = QuotaId(1);
const GROWS: QuotaId = QuotaId(2);

/// GPUs, and cores and memory in proportion.
fn amount(gpus: i64) -> Resources {
    let mut r = Resources::of(Dimension(0), gpus * 1_000);
    (r[Dimension::CPU], r[Dimension::MEMORY]) = (gpus * 4_000, gpus << 34);
    r
}

fn world(ceiling: Option<Resources>) -> Engine {
    let mut engine = Engine::new();
    let mut ask =
        |command: Command| engine.handle(Tick(0), command).map(drop).expect("nothing is refused here");
    ask(Command::CreatePool { name: "h100".into(), kind: PoolKind::General });
    let spec = NodeSpec { name: "n0".into(), model: None, gpus: 8, cpu: 128_000, memory: 1 << 40 };
    ask(Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec });
    for (name, source, guarantee, ceiling) in [
        ("root", Source::Pool(PoolId(0)), amount(8), None),
        ("supply", Source::Parent(QuotaId(0)), amount(6), None),
        ("grows", Source::Parent(SUPPLY), Resources::default(), ceiling),
    ] {
        let policy = Policy { idle_sharing: false, ceiling, ..Policy::default() };
        ask(Command::CreateQuota(Box::new(QuotaSpec { name: name.into(), source, guarantee, policy })));
    }
    engine
}

fn submit(engine: &mut Engine, name: &str, gpus: u32) -> Result<(), Refusal> {
    let spec = WorkloadSpec::new(name, GROWS, Module::Task, 1, Shape::with_gpu(gpus * 1_000));
    engine.handle(Tick(1), Command::Submit(Box::new(spec))).map(drop)
}

#[test]
fn what_fits_the_ceiling_waits_until_the_quota_has_grown() {
    let mut engine = world(Some(amount(4)));
    submit(&mut engine, "fits", 3).expect("it may run one day");
    assert!(matches!(submit(&mut engine, "large", 5), Err(Refusal::NeverFunded { .. })));
    let state = |engine: &Engine| engine.workloads().map(|w| w.state).collect::<Vec<_>>();
    assert_eq!(state(&engine), [WorkloadState::Queued]);
    let scale = |guarantee| Command::Scale { quota: GROWS, guarantee, mode: Mode::Evict };
    engine.handle(Tick(2), scale(amount(4))).expect("the supply has it");
    assert_eq!(state(&engine), [WorkloadState::Running]);
    // The ceiling bounds what is taken in, not what the quota is given.
    engine.handle(Tick(3), scale(amount(6))).expect("the supply has it");
}

#[test]
fn without_a_ceiling_a_quota_of_nothing_takes_nothing() {
    let mut engine = world(None);
    assert!(matches!(submit(&mut engine, "small", 1), Err(Refusal::NeverFunded { .. })));
    let half = Resources::of(Dimension(0), 1_000);
    let scale = Command::Scale { quota: GROWS, guarantee: half, mode: Mode::Refuse };
    let refused = engine.handle(Tick(1), scale);
    assert!(matches!(refused, Err(Refusal::DimensionMissing { .. })), "something of one is something of all");
}
