//! How much is killed for how much is needed, on large clusters that are full.

use tidegate_engine::event::EventKind;
use tidegate_engine::ids::{PoolId, QuotaId, Span, Tick};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{ChildLevel, Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, ModuleSet, PoolKind, Priority, PrioritySet, Strategy};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine};
use tidegate_props::dice::Dice;
use tidegate_props::trial;

const CASES: u32 = 150;
const NODES: u64 = 128;
const DEVICES: u64 = 8;
/// GPUs killed per GPU needed, at most.
const LIMIT: f64 = 1.19;

fn priority(n: u64) -> Priority {
    Priority::new(n as u8).expect("1 to 9")
}

/// A cluster of 128 nodes of 8, filled to the last device by jobs of a child of the root.
fn full(dice: &mut Dice) -> (Engine, Tick) {
    let mut engine = Engine::new();
    let mut now = Tick::ZERO;
    let mut order = |now: Tick, command: Command| engine.handle(now, command).expect("a valid command");
    order(now, Command::CreatePool { name: "pool".into(), kind: PoolKind::General });
    for n in 0..NODES {
        let name = format!("n{n}").into();
        let spec = NodeSpec { name, model: None, gpus: DEVICES as u32, cpu: 1_000_000, memory: 1 << 40 };
        order(now, Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec });
    }
    let all = Resources::of(Dimension(0), (NODES * DEVICES * 1_000) as i64);
    let modules = ModuleSet::default().with(Module::Training).with(Module::Notebook);
    let child = ChildLevel::new(PrioritySet::range(priority(1), priority(9)), modules).expect("not empty");
    let mut policy = Policy { child_level: Some(child), ..Policy::default() };
    policy.queue.strategy = Strategy::RoundRobin;
    let quota = |name: &str, source, policy| {
        Command::CreateQuota(Box::new(QuotaSpec { name: name.into(), source, guarantee: all, policy }))
    };
    order(now, quota("root", Source::Pool(PoolId(0)), policy));
    order(now, quota("child", Source::Parent(QuotaId(0)), Policy::default()));
    let (mut left, mut number) = (NODES * DEVICES, 0);
    while left > 0 {
        let (replicas, each) = match dice.between(0, 9) {
            0 => (dice.between(2, 4), 8),
            1 => (1, 8),
            2 | 3 => (1, 4),
            4 | 5 => (1, 2),
            6 => (2, 4),
            _ => (1, 1),
        };
        let (replicas, each) = if replicas * each > left { (1, 1) } else { (replicas, each) };
        let module = if dice.one_in(4) { Module::Notebook } else { Module::Training };
        let shape = Shape::with_gpu(each as u32 * 1_000);
        let mut spec = WorkloadSpec::new(&format!("w{number}"), QuotaId(1), module, replicas as u32, shape);
        spec.priority = priority(dice.between(1, 9));
        now = now.after(Span::seconds(dice.between(0, 60)));
        let events = order(now, Command::Submit(Box::new(spec)));
        if events.iter().any(|e| matches!(e.kind, EventKind::Started { .. })) {
            left -= replicas * each;
        }
        number += 1;
    }
    (engine, now)
}

#[test]
fn little_more_is_killed_than_is_needed() {
    let (mut killed, mut needed) = (0, 0);
    for seed in 0..u64::from(trial::cases(CASES)) {
        let mut dice = Dice::new(trial::number(trial::SEED, 0) * 1_000_000 + seed);
        let (mut engine, now) = full(&mut dice);
        let shape = Shape::with_gpu(dice.pick(&[1_000, 2_000, 4_000, 8_000]));
        let replicas = dice.between(1, 16) as u32;
        let mut spec = WorkloadSpec::new("big", QuotaId(0), Module::Training, replicas, shape);
        spec.priority = priority(dice.between(1, 9));
        needed += spec.gpus();
        let before = engine.clone();
        let events = engine
            .handle(now.after(Span::seconds(60)), Command::Submit(Box::new(spec)))
            .expect("it is valid");
        assert!(events.iter().any(|e| matches!(e.kind, EventKind::Held { .. })), "case {seed} finds no plan");
        for event in &events {
            if let EventKind::Evicted { workload, units, .. } = &event.kind {
                killed +=
                    before.units(*workload).filter(|u| units.contains(&u.number)).map(|u| u.gpu).sum::<i64>();
            }
        }
    }
    let ratio = killed as f64 / needed as f64;
    println!("GPUs killed per GPU needed: {ratio:.3} ({} for {})", killed / 1_000, needed / 1_000);
    assert!(ratio <= LIMIT, "{ratio:.3} GPUs are killed per GPU needed");
}
