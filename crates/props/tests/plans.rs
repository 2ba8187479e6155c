//! Plans against exhaustive search, on clusters small enough to enumerate.

use tidegate_engine::ids::{PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{ChildLevel, Policy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{IdleUse, Module, ModuleSet, PoolKind, Priority, PrioritySet, Scope, Strategy};
use tidegate_engine::workload::{Role, WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine};
use tidegate_props::dice::Dice;
use tidegate_props::differential::{Score, check_refused, plans, scene};
use tidegate_props::step::leaving;
use tidegate_props::trial;

const CLUSTERS: u32 = 250;
const SUBMISSIONS: u64 = 14;
/// Further clusters that are always tried, with equal replicas and with several roles: each has once shown a mistake.
const SHOWN: [u64; 4] = [7_984, 11_368, 3_005_397, 3_006_666];
const SHOWN_WITH_ROLES: [u64; 3] = [8_085, 16_684, 3_003_520];

fn priority(n: u64) -> Priority {
    Priority::new(n as u8).expect("1 to 9")
}

struct Cluster {
    dice: Dice,
    engine: Engine,
    now: Tick,
    devices: u64,
    quotas: u32,
    roles: bool,
}

impl Cluster {
    fn new(seed: u64) -> Cluster {
        let mut dice = Dice::new(seed);
        let (nodes, devices) = (dice.between(2, 5), dice.between(1, 4));
        let mut cluster =
            Cluster { dice, engine: Engine::new(), now: Tick::ZERO, devices, quotas: 0, roles: false };
        cluster.order(Command::CreatePool { name: "pool".into(), kind: PoolKind::General });
        for n in 0..nodes {
            let name = format!("n{n}").into();
            let spec = NodeSpec { name, model: None, gpus: devices as u32, cpu: 1_000_000, memory: 1 << 40 };
            cluster.order(Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec });
        }
        let supply = nodes * devices;
        cluster.quota("root", None, supply);
        let first = cluster.dice.between(0, supply);
        cluster.quota("a", Some(QuotaId(0)), first);
        let second = cluster.dice.between(0, supply - first);
        cluster.quota("b", Some(QuotaId(0)), second);
        if first > 1 && cluster.dice.one_in(2) {
            let below = cluster.dice.between(1, first);
            cluster.quota("a.a", Some(QuotaId(1)), below);
        }
        cluster
    }

    fn policy(&mut self) -> Policy {
        let dice = &mut self.dice;
        let all = Module::ALL.iter().fold(ModuleSet::default(), |s, m| s.with(*m));
        let some = ModuleSet::default().with(Module::Training).with(Module::Notebook);
        let mut policy = Policy::default();
        policy.queue.strategy = Strategy::RoundRobin;
        policy.queue.starvation_guard = Span::hours(10_000);
        if dice.one_in(2) {
            let victims = PrioritySet::range(priority(1), priority(dice.between(1, 9)));
            policy.child_level = ChildLevel::new(victims, dice.pick(&[all, some])).ok();
        }
        if dice.one_in(2) {
            let low = dice.between(1, 6);
            let high = PrioritySet::range(priority(dice.between(low + 1, 9)), Priority::MAX);
            let low = PrioritySet::range(Priority::MIN, priority(low));
            policy.self_level =
                SelfLevel::new(high, low, dice.pick(&[all, some]), dice.pick(Scope::ALL)).ok();
        }
        policy
    }

    fn quota(&mut self, name: &str, parent: Option<QuotaId>, gpus: u64) {
        let guarantee = Resources::of(Dimension(0), gpus as i64 * 1_000);
        let source = parent.map_or(Source::Pool(PoolId(0)), Source::Parent);
        let policy = self.policy();
        self.order(Command::CreateQuota(Box::new(QuotaSpec {
            name: name.into(),
            source,
            guarantee,
            policy,
        })));
        self.quotas += 1;
    }

    fn order(&mut self, command: Command) {
        self.engine.handle(self.now, command).expect("a cluster is built from valid commands");
    }

    fn ask(&mut self, number: u64) -> WorkloadSpec {
        let (most, quotas, roles) = (self.devices, u64::from(self.quotas), self.roles);
        let dice = &mut self.dice;
        let module = dice.pick(&[Module::Training, Module::Training, Module::Notebook, Module::Service]);
        let quota = QuotaId(dice.between(0, quotas - 1) as u32);
        let gpu =
            if dice.one_in(8) { dice.pick(&[250, 500, 700]) } else { dice.between(1, most) as u32 * 1_000 };
        let replicas = if dice.one_in(2) { 1 } else { dice.between(1, 3) as u32 };
        let name = format!("w{number}");
        let mut spec = WorkloadSpec::new(&name, quota, module, replicas, Shape::with_gpu(gpu));
        spec.priority = priority(dice.between(1, 9));
        spec.grace = Span::ZERO;
        spec.suspend = dice.one_in(10);
        let elastic = matches!(module, Module::Training | Module::Service) && dice.one_in(3);
        spec.min_replicas = elastic.then(|| dice.between(1, u64::from(replicas)) as u32);
        if module == Module::Training {
            spec.idle =
                dice.pick(&[IdleUse::Never, IdleUse::Never, IdleUse::Never, IdleUse::Accept, IdleUse::Only]);
        }
        if roles && !elastic && module != Module::Service && dice.one_in(2) {
            let shape = Shape::with_gpu(dice.between(1, most) as u32 * 1_000);
            spec.roles.push(Role { replicas: dice.between(1, 2) as u32, shape });
        }
        spec
    }

    /// Lets all go that was asked to, until nothing leaves.
    fn calm(&mut self) {
        for _ in 0..100 {
            let units = leaving(&self.engine);
            if units.is_empty() {
                return;
            }
            self.order(Command::Released { units });
        }
        panic!("evictions go on and on");
    }
}

/// One cluster after the other, each filled step by step; every eviction on the way is a case.
fn compare(roles: bool, shown: &[u64]) -> (Score, Vec<String>, Vec<String>) {
    let (mut score, mut wrong, mut worse) = (Score::default(), Vec::new(), Vec::new());
    let first = trial::number(trial::SEED, 0) * 1_000_000;
    let clusters = first..first + u64::from(trial::cases(CLUSTERS));
    for seed in clusters.chain(shown.iter().copied()) {
        let mut c = Cluster::new(seed);
        c.roles = roles;
        for number in 0..SUBMISSIONS {
            c.now = c.now.after(Span::seconds(c.dice.between(1, 100)));
            let spec = c.ask(number);
            let before = c.engine.clone();
            let id = WorkloadId(c.engine.workloads().map(|w| w.id.0 + 1).max().unwrap_or(0));
            let Ok(events) = c.engine.handle(c.now, Command::Submit(Box::new(spec))) else { continue };
            let (made, _) = plans(&before, &events);
            for plan in &made {
                let report =
                    |what: String| format!("cluster {seed}, at {}: {what}\n{}", c.now.0, scene(&plan.state));
                match plan.compare(c.now, &mut score) {
                    Ok(None) => {}
                    Ok(Some(w)) => worse.push(report(format!(
                        "{} by {:?}\n ours {:?} {:?}\n best {:?} {:?}",
                        plan.replicas, plan.by, w.ours.0, w.ours.1, w.best.victims, w.best.cost
                    ))),
                    Err(why) => wrong.push(report(format!(
                        "{why}: {:?} for {} replicas of {:?}",
                        plan.victims, plan.replicas, plan.by
                    ))),
                }
            }
            if let Err(why) = check_refused(&c.engine, c.now, id, &mut score) {
                wrong.push(format!("cluster {seed}, at {}: {why}\n{}", c.now.0, scene(&c.engine)));
            }
            c.calm();
            if c.dice.one_in(4) {
                let running: Vec<_> = c
                    .engine
                    .workloads()
                    .filter(|w| w.state == WorkloadState::Running)
                    .map(|w| w.id)
                    .collect();
                if !running.is_empty() {
                    let (workload, saved_at) = (c.dice.pick(&running), c.now);
                    c.order(Command::Checkpointed { workload, saved_at });
                }
            }
        }
    }
    (score, wrong, worse)
}

fn show(name: &str, score: &Score) {
    println!(
        "{name}: optimal in {} of {} ({:.2} %), the very same in {}, rightly none in {}, left open {}",
        score.optimal,
        score.plans,
        score.percent(),
        score.identical,
        score.refused,
        score.open
    );
}

/// The share of plans that must be as good as the best, in percent.
const OPTIMAL: f64 = 99.5;

fn judge(name: &str, (score, wrong, worse): (Score, Vec<String>, Vec<String>)) {
    let shown = trial::number(trial::SHOW, 3) as usize;
    show(name, &score);
    worse.iter().take(shown).for_each(|w| println!("WORSE {w}\n"));
    let first = wrong.iter().take(shown).map(String::as_str).collect::<Vec<_>>().join("\n\n");
    assert!(wrong.is_empty(), "{} wrong, the first:\n{first}", wrong.len());
    assert!(score.percent() >= OPTIMAL, "only {:.1} % are as good as the best", score.percent());
}

#[test]
fn plans_for_equal_replicas_are_the_best() {
    judge("equal replicas", compare(false, &SHOWN));
}

#[test]
fn plans_for_several_roles_are_the_best() {
    judge("several roles", compare(true, &SHOWN_WITH_ROLES));
}
