//! The engine in random worlds, with the checker watching every command.

use tidegate_check::{Checker, Metering};
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::policy::{ChildLevel, Policy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::resources::{Dimension, ModelSet, Resources, Shape};
use tidegate_engine::words::{
    IdleUse, Mode, Module, ModuleSet, OnPreempt, PoolKind, Priority, PrioritySet, Scope, Strategy,
};
use tidegate_engine::workload::{Role, WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine, PolicyChange};

/// Worlds that are tried, and commands in each of them.
const WORLDS: u64 = 120;
const COMMANDS: u64 = 250;
/// Further worlds that are always tried: each has once shown a mistake.
const SHOWN: [u64; 10] = [2179, 2549, 2892, 3345, 3398, 3435, 3628, 4162, 4430, 4981];

/// SplitMix64: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    /// One time in `n`.
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

struct World {
    dice: Dice,
    engine: Engine,
    checker: Checker,
    metering: Metering,
    now: Tick,
    nodes: u32,
    quotas: Vec<QuotaId>,
    keeps_cpu: bool,
}

fn priority(n: u64) -> Priority {
    Priority::new(n as u8).expect("1 to 9")
}

impl World {
    fn new(seed: u64) -> World {
        let mut dice = Dice(seed);
        let (nodes, keeps_cpu) = (2 + dice.below(4) as u32, dice.one_in(4));
        World {
            dice,
            engine: Engine::new(),
            checker: Checker::new(),
            metering: Metering::new(),
            now: Tick::ZERO,
            nodes,
            quotas: Vec::new(),
            keeps_cpu,
        }
    }

    /// Carries out a command; what the engine refuses is no matter here.
    fn order(&mut self, command: Command) -> Result<(), String> {
        let Ok(events) = self.engine.handle(self.now, command) else { return Ok(()) };
        self.checker.observe(&events).map_err(|violation| violation.to_string())?;
        self.metering.observe(&events, &self.checker).map_err(|violation| violation.to_string())?;
        self.checker.check_books(&self.engine.books()).map_err(|violation| violation.to_string())
    }

    fn amount(&self, gpus: u64) -> Resources {
        let cpu = if self.keeps_cpu { gpus as i64 * 4_000 } else { 0 };
        Resources::of(Dimension(0), gpus as i64 * 1_000).plus(&Resources::of(Dimension::CPU, cpu))
    }

    fn policy(&mut self, root: bool) -> Policy {
        let modules = ModuleSet::default().with(Module::Training).with(self.dice.pick(Module::ALL));
        let child = PrioritySet::range(priority(1), priority(1 + self.dice.below(9)));
        let low = 1 + self.dice.below(4);
        let high = PrioritySet::range(priority(low + 1 + self.dice.below(4)), Priority::MAX);
        let low = PrioritySet::range(Priority::MIN, priority(low));
        let scope = if root { Scope::SameQuota } else { self.dice.pick(Scope::ALL) };
        let mut policy = Policy { idle_sharing: !self.dice.one_in(4), ..Policy::default() };
        policy.queue.strategy = self.dice.pick(Strategy::ALL);
        policy.queue.starvation_guard = self.dice.pick(&[Span::seconds(20), Span::hours(1)]);
        policy.protect_for = self.dice.pick(&[Span::ZERO, Span::ZERO, Span::seconds(15)]);
        policy.child_level = self.dice.one_in(2).then(|| ChildLevel::new(child, modules).expect("not empty"));
        policy.self_level = self
            .dice
            .one_in(2)
            .then(|| SelfLevel::new(high, low, modules, scope).expect("low is below high"));
        policy
    }

    fn build(&mut self) -> Result<(), String> {
        self.order(Command::CreatePool { name: "pool".into(), kind: PoolKind::General })?;
        for n in 0..self.nodes {
            let name = format!("n{n}").into();
            let spec = NodeSpec { name, model: None, gpus: 8, cpu: 64_000, memory: 1 << 40 };
            self.order(Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec })?;
        }
        let supply = u64::from(self.nodes) * 8;
        for n in 0..3 + self.dice.below(5) as u32 {
            let parent = (n > 0).then(|| QuotaId(self.dice.below(u64::from(n)) as u32));
            let source = parent.map_or(Source::Pool(PoolId(0)), Source::Parent);
            let guarantee = if n == 0 { supply } else { 1 + self.dice.below(supply / 2) };
            let (guarantee, policy) = (self.amount(guarantee), self.policy(n == 0));
            let name = format!("q{n}").into();
            self.order(Command::CreateQuota(Box::new(QuotaSpec { name, source, guarantee, policy })))?;
        }
        self.quotas = self.engine.books().iter().map(|books| books.quota).collect();
        Ok(())
    }

    fn spec(&mut self, number: u64) -> WorkloadSpec {
        let quota = self.dice.pick(&self.quotas.clone());
        let module = self.dice.pick(&[Module::Training, Module::Training, Module::Notebook, Module::Service]);
        let gpu = self.dice.pick(&[0, 250, 500, 1_000, 1_000, 2_000, 4_000, 8_000]);
        let replicas = 1 + self.dice.below(4) as u32;
        let mut spec =
            WorkloadSpec::new(&format!("w{number}"), quota, module, replicas, Shape::with_gpu(gpu));
        spec.priority = priority(1 + self.dice.below(9));
        spec.models = ModelSet::ANY;
        let elastic = matches!(module, Module::Training | Module::Service) && self.dice.one_in(2);
        spec.min_replicas = elastic.then(|| 1 + self.dice.below(u64::from(replicas)) as u32);
        if module == Module::Training && !elastic && self.dice.one_in(4) {
            spec.roles.push(Role { replicas: 1, shape: Shape::with_gpu(self.dice.pick(&[0, 1_000, 3_000])) });
        }
        if module == Module::Training {
            spec.idle = self.dice.pick(IdleUse::ALL);
        }
        spec.suspend = self.dice.one_in(4);
        spec.restarts = self.dice.below(2) as u32;
        spec.on_preempt = self.dice.pick(&[OnPreempt::Requeue, OnPreempt::Requeue, OnPreempt::Stop]);
        spec.nodes = self.dice.one_in(8).then(|| (0..2).map(NodeId).collect());
        spec
    }

    fn workload(&mut self, is: impl Fn(WorkloadState) -> bool) -> Option<WorkloadId> {
        let found: Vec<_> = self.engine.workloads().filter(|w| is(w.state)).map(|w| w.id).collect();
        (!found.is_empty()).then(|| self.dice.pick(&found))
    }

    /// Some of the units that leave are gone.
    fn release(&mut self) -> Result<(), String> {
        let mut gone = Vec::new();
        for workload in self.engine.workloads() {
            let leaving = self.engine.units(workload.id).filter(|unit| unit.is_leaving());
            gone.extend(leaving.map(|unit| (workload.id, unit.number)));
        }
        let some = self.dice.one_in(2);
        let mut kept = Vec::new();
        for unit in gone {
            if !some || self.dice.one_in(2) {
                kept.push(unit);
            }
        }
        if kept.is_empty() { Ok(()) } else { self.order(Command::Released { units: kept }) }
    }

    fn step(&mut self, number: u64) -> Result<(), String> {
        self.now = self.now.after(Span(self.dice.below(4) * 1_000));
        let running = |state| state == WorkloadState::Running;
        let live = |state: WorkloadState| !state.is_ended();
        let quota = self.dice.pick(&self.quotas.clone());
        let node = NodeId(self.dice.below(u64::from(self.nodes)) as u32);
        let amount = 1 + self.dice.below(8);
        let (amount, mode) = (self.amount(amount), self.dice.pick(Mode::ALL));
        let command = match self.dice.below(40) {
            0..16 => Some(Command::Submit(Box::new(self.spec(number)))),
            16..22 => return self.release(),
            22..27 => self.workload(running).map(|workload| Command::Finished { workload }),
            27 => self.workload(running).map(|workload| Command::Failed { workload }),
            28 => self.workload(live).map(|workload| Command::Stop { workload }),
            29 => {
                let priority = priority(1 + self.dice.below(9));
                self.workload(live).map(|workload| Command::SetPriority { workload, priority })
            }
            30 => {
                let replicas = 1 + self.dice.below(4) as u32;
                self.workload(live).map(|workload| Command::Resize { workload, replicas })
            }
            31 | 32 => Some(Command::Scale { quota, guarantee: amount, mode }),
            33 | 34 => {
                let to = self.dice.pick(&self.quotas.clone());
                Some(Command::Transfer { from: quota, to, amount, mode })
            }
            35 => {
                let policy = self.policy(quota == QuotaId(0));
                let change = PolicyChange {
                    idle_sharing: Some(policy.idle_sharing),
                    child_level: Some(policy.child_level),
                    self_level: Some(policy.self_level),
                    ..PolicyChange::default()
                };
                Some(Command::SetPolicy { quota, change })
            }
            36 => {
                let state = self.dice.pick(&[NodeState::Ready, NodeState::Cordoned, NodeState::Lost]);
                Some(Command::SetNode { pool: PoolId(0), node, state, reason: "test".into() })
            }
            37 => {
                let modules = ModuleSet::default().with(Module::Training).with(Module::Service);
                Some(Command::DrainNode { pool: PoolId(0), node, modules })
            }
            38 => {
                let state = NodeState::Ready;
                Some(Command::SetNode { pool: PoolId(0), node, state, reason: "test".into() })
            }
            _ => Some(Command::Wake),
        };
        command.map_or(Ok(()), |command| self.order(command))?;
        match self.engine.next_due() {
            Some(due) if due <= self.now => self.order(Command::Wake),
            _ => Ok(()),
        }
    }

    fn live(&mut self) -> Result<(), String> {
        self.build()?;
        for number in 0..COMMANDS {
            self.step(number)?;
        }
        self.checker.finish().map_err(|violation| violation.to_string())?;
        self.metering.finish().map_err(|violation| violation.to_string())
    }
}

#[test]
fn nothing_is_wrong_in_random_worlds() {
    let number = |variable| std::env::var(variable).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, worlds) = (number("FIRST").unwrap_or(0), number("WORLDS").unwrap_or(WORLDS));
    let mut failures = Vec::new();
    for seed in (first..first + worlds).chain(SHOWN) {
        if let Err(wrong) = World::new(seed).live() {
            failures.push(format!("world {seed}: {wrong}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        worlds + SHOWN.len() as u64,
        failures.join("\n")
    );
}
