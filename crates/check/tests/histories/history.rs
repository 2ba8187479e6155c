//! Short ways to write events by hand. Amounts are whole GPUs, nodes have 8 of them.

use tidegate_check::{Checker, Metering, Violation};
use tidegate_engine::event::{Cause, Event, EventKind, StartKind, StopCause};
use tidegate_engine::ids::{ModelId, NodeId, PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::policy::{ChildLevel, Policy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::slot::{Devices, Slot};
use tidegate_engine::unit::{Draw, Grant};
use tidegate_engine::words::{
    Class, EvictionRule, Mode, Module, ModuleSet, PoolKind, Priority, PrioritySet, Rule, Scope,
};
use tidegate_engine::workload::{Exit, WorkloadSpec};

pub(crate) const POOL: PoolId = PoolId(0);
pub(crate) const GPU: Dimension = Dimension(0);
/// The root and two children of 8 GPUs each, on two nodes.
pub(crate) const R: QuotaId = QuotaId(0);
pub(crate) const A: QuotaId = QuotaId(1);
pub(crate) const B: QuotaId = QuotaId(2);

pub(crate) type Batch = Vec<EventKind>;

pub(crate) fn w(n: u32) -> WorkloadId {
    WorkloadId(n)
}

pub(crate) fn p(n: u8) -> Priority {
    Priority::new(n).expect("1 to 9")
}

pub(crate) fn gpus(n: i64) -> Resources {
    Resources::of(GPU, n * 1_000)
}

pub(crate) fn node(n: u32, model: u8) -> EventKind {
    let name = format!("n{n}").into();
    let spec = NodeSpec { name, model: Some(ModelId(model)), gpus: 8, cpu: 64_000, memory: 1 << 40 };
    EventKind::NodeAdded { pool: POOL, node: NodeId(n), model: Some("H100".into()), spec }
}

pub(crate) fn node_is(n: u32, state: NodeState) -> EventKind {
    EventKind::NodeChanged { pool: POOL, node: NodeId(n), state, reason: "".into() }
}

pub(crate) fn pool(nodes: u32) -> Batch {
    let mut batch = vec![EventKind::PoolCreated { pool: POOL, name: "pool".into(), kind: PoolKind::General }];
    batch.extend((0..nodes).map(|n| node(n, 0)));
    batch
}

pub(crate) fn root(id: QuotaId, n: i64, policy: Policy) -> EventKind {
    quota(id, Source::Pool(POOL), gpus(n), policy)
}

pub(crate) fn child(id: QuotaId, parent: QuotaId, n: i64, policy: Policy) -> EventKind {
    quota(id, Source::Parent(parent), gpus(n), policy)
}

pub(crate) fn quota(id: QuotaId, source: Source, guarantee: Resources, policy: Policy) -> EventKind {
    let name = format!("q{}", id.0).into();
    EventKind::QuotaCreated { quota: id, spec: Box::new(QuotaSpec { name, source, guarantee, policy }) }
}

pub(crate) fn modules() -> ModuleSet {
    ModuleSet::default().with(Module::Training).with(Module::Notebook)
}

pub(crate) fn child_level() -> Policy {
    let policy = ChildLevel::new(PrioritySet::range(p(1), p(3)), modules()).expect("a legal policy");
    Policy { child_level: Some(policy), ..Policy::default() }
}

/// High 6 to 9, low 4, training and notebooks.
pub(crate) fn self_level(scope: Scope) -> Policy {
    let policy =
        SelfLevel::new(PrioritySet::range(p(6), p(9)), PrioritySet::range(p(4), p(4)), modules(), scope);
    Policy { self_level: Some(policy.expect("a legal policy")), ..Policy::default() }
}

/// Two nodes; R of 16 with `top`, A and B of 8 each with `a` and `b`.
pub(crate) fn world(top: Policy, a: Policy, b: Policy) -> Vec<Batch> {
    vec![pool(2), vec![root(R, 16, top)], vec![child(A, R, 8, a)], vec![child(B, R, 8, b)]]
}

pub(crate) fn plain() -> Vec<Batch> {
    world(Policy::default(), Policy::default(), Policy::default())
}

pub(crate) fn training(quota: QuotaId, replicas: u32, gpu: u32) -> WorkloadSpec {
    WorkloadSpec::new("w", quota, Module::Training, replicas, Shape::with_gpu(gpu * 1_000))
}

pub(crate) fn service(quota: QuotaId, replicas: u32, gpu: u32) -> WorkloadSpec {
    WorkloadSpec { module: Module::Service, ..training(quota, replicas, gpu) }
}

pub(crate) fn prio(spec: WorkloadSpec, n: u8) -> WorkloadSpec {
    WorkloadSpec { priority: p(n), ..spec }
}

pub(crate) fn queued(id: u32, spec: WorkloadSpec) -> EventKind {
    let spec = WorkloadSpec { name: format!("w{id}").into(), ..spec };
    EventKind::Queued { workload: w(id), spec: std::sync::Arc::new(spec), reasons: Vec::new() }
}

pub(crate) fn draw(account: QuotaId, rule: Rule, class: Class, n: i64) -> Draw {
    Draw { account, dimension: GPU, rule, class, amount: n * 1_000 }
}

pub(crate) fn own(account: QuotaId, n: i64) -> Draw {
    draw(account, Rule::Own, Class::Firm, n)
}

pub(crate) fn below(account: QuotaId, n: i64) -> Draw {
    draw(account, Rule::ChildLevel, Class::Firm, n)
}

pub(crate) fn loan(account: QuotaId, n: i64) -> Draw {
    draw(account, Rule::SelfLevel, Class::Loan, n)
}

pub(crate) fn idle(account: QuotaId, n: i64) -> Draw {
    draw(account, Rule::Idle, Class::Idle, n)
}

/// Whole devices `first..first + n` of a node.
pub(crate) fn slot(node: u32, first: u32, n: u32) -> Slot {
    let devices = Devices::Mask(((1 << n) - 1) << first);
    Slot { node: NodeId(node), devices, cpu: Shape::DEFAULT_CPU, memory: Shape::DEFAULT_MEMORY }
}

pub(crate) fn grant(unit: u32, draws: &[Draw], slots: &[Slot]) -> Grant {
    let (draws, slots) = (draws.iter().copied().collect(), slots.iter().cloned().collect());
    Grant { unit, model: Some(ModelId(0)), draws, slots }
}

pub(crate) fn start(id: u32, kind: StartKind, replicas: u32, grants: &[Grant]) -> EventKind {
    EventKind::Started { workload: w(id), kind, replicas, grants: grants.iter().cloned().collect() }
}

/// A first start, with as many replicas as there are slots.
pub(crate) fn started(id: u32, grants: &[Grant]) -> EventKind {
    start(id, StartKind::Started, grants.iter().map(|g| g.slots.len() as u32).sum(), grants)
}

pub(crate) fn held(id: u32, grants: &[Grant]) -> EventKind {
    EventKind::Held { workload: w(id), grants: grants.to_vec() }
}

/// Queued and started in one batch.
pub(crate) fn run(id: u32, spec: WorkloadSpec, grants: &[Grant]) -> Batch {
    vec![queued(id, spec), started(id, grants)]
}

pub(crate) fn cause(rule: EvictionRule, by: Option<u32>, class: Class, priority: u8) -> Cause {
    let policy_of = by.map(|_| A);
    Cause { rule, by: by.map(w), policy_of, class, priority: p(priority), lost: 0, spared: None }
}

pub(crate) fn evicted(id: u32, units: &[u32], exit: Exit, replicas: u32, cause: Cause) -> EventKind {
    let units = units.iter().copied().collect();
    EventKind::Evicted { workload: w(id), units, exit, replicas, deadline: Tick(u64::MAX), cause }
}

/// All of a gang leaves.
pub(crate) fn preempted(id: u32, cause: Cause) -> EventKind {
    evicted(id, &[0], Exit::Requeue, 0, cause)
}

pub(crate) fn released(id: u32, units: &[u32], requeued: bool) -> EventKind {
    EventKind::Released { workload: w(id), units: units.iter().copied().collect(), requeued }
}

pub(crate) fn hold_lost(id: u32, units: &[u32], by: Option<u32>) -> EventKind {
    EventKind::HoldLost { workload: w(id), units: units.iter().copied().collect(), by: by.map(w) }
}

pub(crate) fn moved(id: u32, unit: u32, draws: &[Draw]) -> EventKind {
    EventKind::Moved { workload: w(id), unit, draws: draws.iter().copied().collect() }
}

pub(crate) fn lost(id: u32, units: &[u32], node: u32, replicas: u32) -> EventKind {
    let units = units.iter().copied().collect();
    EventKind::Lost { workload: w(id), units, node: NodeId(node), replicas }
}

pub(crate) fn finished(id: u32) -> EventKind {
    EventKind::Finished { workload: w(id) }
}

pub(crate) fn stopped(id: u32) -> EventKind {
    EventKind::Stopped { workload: w(id), cause: StopCause::Asked }
}

pub(crate) fn scaled(quota: QuotaId, from: i64, to: i64) -> EventKind {
    EventKind::QuotaScaled {
        quota,
        from: gpus(from).into(),
        to: gpus(to).into(),
        mode: Mode::Evict,
        giver: None,
    }
}

pub(crate) fn overdrawn(quota: QuotaId, n: i64) -> EventKind {
    EventKind::Overdrawn { quota, by: gpus(n).into() }
}

pub(crate) fn settled(quota: QuotaId) -> EventKind {
    EventKind::Settled { quota }
}

pub(crate) fn protect(policy: Policy, seconds: u64) -> Policy {
    Policy { protect_for: Span::seconds(seconds), ..policy }
}

/// Reads the batches one second apart, with the metering beside it.
pub(crate) fn read(batches: &[Batch]) -> Result<Checker, Violation> {
    let (mut checker, mut metering) = (Checker::new(), Metering::new());
    for (i, batch) in batches.iter().enumerate() {
        let at = Tick(i as u64 * 1_000);
        let events: Vec<Event> = batch.iter().map(|kind| Event { at, kind: kind.clone() }).collect();
        checker.observe(&events)?;
        metering.observe(&events, &checker)?;
    }
    checker.finish()?;
    metering.finish()?;
    Ok(checker)
}

/// The histories of `before`, then `after`, are legal.
#[track_caller]
pub(crate) fn passes(before: &[Batch], after: &[Batch]) -> Checker {
    match read(&[before, after].concat()) {
        Ok(checker) => checker,
        Err(violation) => panic!("{violation}"),
    }
}

/// `before` is legal; with `after` a breach is found: `Name`, or `Name: part of its sentence`.
#[track_caller]
pub(crate) fn breaks(before: &[Batch], after: &[Batch], breach: &str) {
    passes(before, &[]);
    match read(&[before, after].concat()) {
        Ok(_) => panic!("{breach} was not found"),
        Err(violation) => {
            let (name, sentence) = breach.split_once(": ").unwrap_or((breach, ""));
            let found = format!("{:?}", violation.breach);
            assert_eq!(found.split(' ').next(), Some(name), "{violation}");
            assert!(violation.to_string().contains(sentence), "{breach} was expected, found: {violation}");
        }
    }
}
