//! Caps against a naive computation: where there is plenty of everything, a job waits exactly if it breaks a cap, and
//! what it is told are the figures that adding up everything from the beginning gives.

use tidegate_engine::caps::{Broken, Cap, Counted, Holder, Limit, Owner, RoleSet};
use tidegate_engine::ids::{MemberId, PoolId, QuotaId, RoleId, Span, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::reason::Reason;
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, PoolKind, Priority, PrioritySet};
use tidegate_engine::workload::{Workload, WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine};

const Q: QuotaId = QuotaId(0);
const GIB: i64 = 1 << 30;
const NODES: u32 = 64;
const LIVE: usize = 14;
const STEPS: u32 = 150;
const SEEDS: u64 = 30;

/// Numbers that look random, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn priority(&mut self) -> Priority {
        Priority::new(1 + self.below(9) as u8).expect("1 to 9")
    }

    fn priorities(&mut self) -> PrioritySet {
        let (a, b) = (self.priority(), self.priority());
        PrioritySet::range(a.min(b), a.max(b))
    }

    fn cap(&mut self) -> Cap {
        let holder = match self.below(2) {
            0 => Holder::Member(MemberId(self.below(3) as u32)),
            _ => Holder::Role(RoleId(self.below(3) as u8)),
        };
        let mut maybe = |most: u64, unit: i64| {
            let (is_there, amount) = (self.below(2) == 0, self.below(most) as i64 * unit);
            is_there.then_some(amount)
        };
        let limit = Limit { gpu: maybe(12, 1_000), cpu: maybe(12, 1_000), memory: maybe(24, GIB) };
        Cap { holder, priorities: self.priorities(), limit }
    }

    fn job(&mut self, number: u32) -> WorkloadSpec {
        let (gpu, cpu, memory) = (self.below(3) as u32, 1 + self.below(4) as u32, 1 + self.below(6));
        let shape = Shape { gpu: gpu * 1_000, cpu: cpu * 1_000, memory: memory << 30 };
        let replicas = 1 + self.below(2) as u32;
        let mut spec = WorkloadSpec::new(&format!("w{number}"), Q, Module::Training, replicas, shape);
        let roles =
            (0..3).filter(|_| self.below(2) == 0).fold(RoleSet::NONE, |set, role| set.with(RoleId(role)));
        spec.owner = Some(Owner { member: MemberId(self.below(3) as u32), roles });
        (spec.workspace, spec.priority) = (WorkspaceId(self.below(2) as u32), self.priority());
        spec.grace = Span(0);
        spec
    }
}

fn engine() -> Engine {
    let mut engine = Engine::new();
    let mut ask = |command| engine.handle(Tick::ZERO, command).map(drop).expect("nothing is refused here");
    ask(Command::CreatePool { name: "pool".into(), kind: PoolKind::General });
    for i in 0..NODES {
        let spec =
            NodeSpec { name: format!("n{i}").into(), model: None, gpus: 8, cpu: 256_000, memory: 1 << 42 };
        ask(Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec });
    }
    let guarantee = Resources::of(Dimension(0), i64::from(NODES) * 8_000);
    let source = Source::Pool(PoolId(0));
    ask(Command::CreateQuota(Box::new(QuotaSpec {
        name: "Q".into(),
        source,
        guarantee,
        policy: Policy::default(),
    })));
    engine
}

fn demand(w: &Workload, what: Counted) -> i64 {
    let each = |shape: &Shape| match what {
        Counted::Gpu => i64::from(shape.gpu),
        Counted::Cpu => i64::from(shape.cpu),
        Counted::Memory => shape.memory as i64,
    };
    w.spec.roles.iter().map(|role| i64::from(role.replicas) * each(&role.shape)).sum()
}

fn limit(cap: &Cap, what: Counted) -> Option<i64> {
    match what {
        Counted::Gpu => cap.limit.gpu,
        Counted::Cpu => cap.limit.cpu,
        Counted::Memory => cap.limit.memory,
    }
}

/// Every cap that a job would break, added up from the beginning.
fn broken(engine: &Engine, caps: &[Cap], w: &Workload) -> Vec<Broken> {
    let owner = w.spec.owner.expect("everybody has one");
    let runs = |other: &&Workload| {
        other.state == WorkloadState::Running
            && (other.spec.workspace, other.spec.quota) == (w.spec.workspace, w.spec.quota)
            && other.spec.owner.is_some_and(|of| of.member == owner.member)
    };
    let mut found = Vec::new();
    for cap in caps.iter().filter(|cap| cap.priorities.contains(w.spec.priority)) {
        let holds = match cap.holder {
            Holder::Member(member) => member == owner.member,
            Holder::Role(role) => owner.roles.contains(role),
        };
        for what in [Counted::Gpu, Counted::Cpu, Counted::Memory] {
            let Some(limit) = limit(cap, what).filter(|_| holds) else { continue };
            let counted =
                engine.workloads().filter(runs).filter(|o| cap.priorities.contains(o.spec.priority));
            let (used, need) = (counted.map(|o| demand(o, what)).sum::<i64>(), demand(w, what));
            if need > 0 && used + need > limit {
                let (holder, priorities) = (cap.holder, cap.priorities);
                found.push(Broken { holder, priorities, what, used, limit, need });
            }
        }
    }
    found
}

/// Whoever waits breaks a cap, and is told of the one that it breaks by most, of each thing that is counted.
fn check(engine: &Engine, caps: &[Vec<Cap>; 2], seed: u64) {
    for w in engine.workloads().filter(|w| w.state == WorkloadState::Queued) {
        let broken = broken(engine, &caps[w.spec.workspace.0 as usize], w);
        assert!(!broken.is_empty(), "seed {seed}: {} waits for nothing", w.spec.name);
        let explanation = engine.explain(Tick::ZERO, w.id).expect("it is known");
        let told = explanation.reasons.iter().filter_map(|reason| match reason {
            Reason::Cap(cap) => Some(*cap),
            _ => None,
        });
        let told: Vec<Broken> = told.collect();
        for what in [Counted::Gpu, Counted::Cpu, Counted::Memory] {
            let most = broken.iter().filter(|b| b.what == what).map(Broken::short).max();
            let said = told.iter().find(|b| b.what == what);
            assert_eq!(said.map(Broken::short), most, "seed {seed}: {} and {what:?}", w.spec.name);
            assert!(said.is_none_or(|said| broken.contains(said)), "seed {seed}: {said:?} in {broken:?}");
        }
    }
}

#[test]
fn a_job_waits_exactly_if_it_breaks_a_cap() {
    let (mut started, mut waited) = (0, 0);
    for seed in 0..SEEDS {
        let (mut dice, mut engine) = (Dice(seed), engine());
        let mut caps: [Vec<Cap>; 2] = [Vec::new(), Vec::new()];
        for step in 0..STEPS {
            let live: Vec<WorkloadId> =
                engine.workloads().filter(|w| !w.state.is_ended()).map(|w| w.id).collect();
            let any = live.get(dice.below(live.len().max(1) as u64) as usize).copied();
            let command = match (dice.below(10), any) {
                (0, _) => {
                    let room = dice.below(2) as usize;
                    caps[room] = (0..dice.below(6)).map(|_| dice.cap()).collect();
                    let workspace = WorkspaceId(room as u32);
                    Command::SetCaps { workspace, quota: Q, caps: caps[room].clone() }
                }
                (1..=2, Some(workload)) => Command::Stop { workload },
                (3, Some(workload)) => Command::SetPriority { workload, priority: dice.priority() },
                (_, Some(workload)) if live.len() >= LIVE => Command::Stop { workload },
                _ => Command::Submit(Box::new(dice.job(step))),
            };
            let before: Vec<WorkloadId> =
                engine.workloads().filter(|w| w.state == WorkloadState::Queued).map(|w| w.id).collect();
            // A priority that it has, or caps that are so already, are no change.
            let Ok(events) = engine.handle(Tick::ZERO, command) else { continue };
            let leaving: Vec<(WorkloadId, u32)> = engine
                .workloads()
                .flat_map(|w| {
                    engine.units(w.id).filter(|unit| unit.is_leaving()).map(|unit| (w.id, unit.number))
                })
                .collect();
            if !leaving.is_empty() {
                engine.handle(Tick::ZERO, Command::Released { units: leaving }).expect("they are gone");
            }
            check(&engine, &caps, seed);
            let waits = engine.workloads().filter(|w| w.state == WorkloadState::Queued).count();
            waited += waits;
            started += before.len().saturating_sub(waits) + events.len();
        }
    }
    assert!(started > 1_000 && waited > 1_000, "{started} and {waited}: the test tests something");
}
