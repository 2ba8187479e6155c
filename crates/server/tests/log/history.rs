//! A history through the real control loop, the same for the same seed: time is set by hand.

use super::records;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use tidegate_api::workload::Document;
use tidegate_engine::caps::{Cap, Holder, Limit, Owner};
use tidegate_engine::ids::{MemberId, ModelId, NodeId, PoolId, QuotaId, Span, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::policy::{ChildLevel, Policy, QueuePolicy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::resources::{Resources, Shape};
use tidegate_engine::words::{
    IdleUse, Mode, Module, ModuleSet, OnPreempt, PoolKind, Priority, PrioritySet, Scope, Strategy,
};
use tidegate_engine::workload::{WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine, PolicyChange};
use tidegate_server::core::clock::Clock;
use tidegate_server::core::control::Control;
use tidegate_server::core::deck::Receipt;
use tidegate_server::core::entry::{Fact, Origin};
use tidegate_server::core::outbox::{Notice, Outbox};
use tidegate_server::core::recovery::read_world;
use tidegate_server::core::writer::{Habits, start_by};
use tidegate_store::{Options, SqliteStore, Store};

/// 2026-01-01, in milliseconds.
const BEGIN: u64 = 1_767_225_600_000;
const POOL: PoolId = PoolId(0);

pub(crate) struct History {
    pub(crate) control: Control,
    hand: Arc<AtomicU64>,
    dice: Dice,
    number: u32,
    writer: JoinHandle<()>,
    _notices: Receiver<Vec<Notice>>,
}

/// Numbers from a seed (splitmix64).
#[derive(Clone, Copy)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Below `end`.
    pub(crate) fn roll(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        (!of.is_empty()).then(|| of[self.roll(of.len() as u64) as usize])
    }
}

impl History {
    pub(crate) fn begin(data: &Path, habits: Habits, seed: u64) -> History {
        let store = SqliteStore::open(data, Options::default()).expect("a store");
        let reader = store.reader().expect("a reader");
        let read = read_world(&*reader).expect("a world");
        let hand = Arc::new(AtomicU64::new(BEGIN));
        let clock = Clock::by_hand(hand.clone(), read.world.at);
        let (sender, notices) = channel();
        let (control, writer) =
            start_by(clock, read, Box::new(store), Outbox::new(sender), habits).expect("a writer");
        let mut history = History { control, hand, dice: Dice(seed), number: 0, writer, _notices: notices };
        history.order("first-run", first());
        history
    }

    pub(crate) fn end(self) {
        self.control.close();
        self.writer.join().expect("it ends in order");
    }

    /// Carries out commands as one request; what is refused is left out.
    fn order(&mut self, operation: &'static str, commands: Vec<Command>) {
        self.number += 1;
        let number = self.number;
        let origin =
            Origin { request: Some(format!("r-{number}").into()), ..Origin::new("admin", operation) };
        let work = move |deck: &mut tidegate_server::core::deck::Deck<'_>| {
            for command in commands {
                let ended = match &command {
                    Command::Finished { workload } => Some((*workload, 0)),
                    Command::Failed { workload } => Some((*workload, 3)),
                    _ => None,
                };
                let before = deck.world().next;
                let done = match command {
                    Command::Submit(spec) => {
                        let document = document(&spec.name);
                        deck.submit(*spec, document).is_ok()
                    }
                    command => deck.command(command).is_ok(),
                };
                if let Some((workload, code)) = ended.filter(|_| done && deck.world().next > before) {
                    let warm = (number % 4 == 1).then_some(number % 8 == 1);
                    deck.note(Fact::Exited { workload, unit: 0, code, detail: None, warm });
                }
            }
            if number.is_multiple_of(15) {
                records::change(deck, number);
            }
            if number.is_multiple_of(10) {
                let (key, at) = (format!("admin/k-{number}").into(), deck.now());
                deck.remember(Receipt {
                    key,
                    request: [7; 32],
                    status: 200,
                    body: Arc::from(&b"{}"[..]),
                    at,
                });
            }
        };
        self.control.write_blocking(origin, work).expect("the store takes it");
    }

    /// One thing more happens.
    pub(crate) fn step(&mut self) {
        let after = [0, 0, 500, 3_000, 40_000][self.dice.roll(5) as usize];
        self.hand.fetch_add(after, Ordering::Relaxed);
        let (mut dice, number) = (self.dice, self.number);
        let now = self.control.clock().now();
        let (operation, commands) =
            self.control.read_blocking(|world| deed(&mut dice, &world.engine, now, number));
        self.dice = dice;
        self.order(operation, commands);
    }
}

fn document(name: &str) -> Arc<Document> {
    Arc::new(Document {
        name: name.parse().expect("a name"),
        labels: Default::default(),
        owner: "admin".into(),
        spec: Default::default(),
        directory_of: None,
    })
}

fn add_node(name: String, model: &str, gpus: u32) -> Command {
    let spec = NodeSpec { name: name.into(), model: None, gpus, cpu: 64_000, memory: 512 << 30 };
    Command::AddNode { pool: POOL, model: Some(model.into()), spec }
}

fn p(n: u64) -> Priority {
    Priority::new(n as u8).expect("1 to 9")
}

fn modules() -> ModuleSet {
    Module::ALL.iter().fold(ModuleSet::default(), |set, module| set.with(*module))
}

/// Two models, a root, a team with two groups, a second team.
fn first() -> Vec<Command> {
    let gpus =
        |a: i64, b: i64| Resources::gpus(ModelId(0), a * 1_000).plus(&Resources::gpus(ModelId(1), b * 1_000));
    let child = ChildLevel::new(PrioritySet::range(p(1), p(5)), modules()).expect("a policy");
    let own = SelfLevel::new(
        PrioritySet::range(p(6), p(9)),
        PrioritySet::range(p(1), p(3)),
        modules(),
        Scope::ALL[0],
    );
    let queue = QueuePolicy {
        strategy: Strategy::Intelligent,
        patience: Span::seconds(5),
        aging_step: Span::seconds(20),
        starvation_guard: Span::seconds(10),
    };
    let policy = Policy {
        queue,
        child_level: Some(child),
        self_level: Some(own.expect("a policy")),
        ..Policy::default()
    };
    let quota = |name: &str, source, guarantee| {
        Command::CreateQuota(Box::new(QuotaSpec { name: name.into(), source, guarantee, policy }))
    };
    let below = |n| Source::Parent(QuotaId(n));
    let mut commands = vec![Command::CreatePool { name: "pool".into(), kind: PoolKind::General }];
    commands.extend((0..3).map(|n| add_node(format!("h-{n}"), "H100", 4)));
    commands.extend((0..2).map(|n| add_node(format!("a-{n}"), "A100", 4)));
    commands.extend([
        quota("root", Source::Pool(POOL), gpus(12, 8)),
        quota("team", below(0), gpus(6, 4)),
        quota("other", below(0), gpus(4, 2)),
        quota("left", below(1), gpus(3, 2)),
        quota("right", below(1), gpus(2, 1)),
    ]);
    commands
}

fn quotas(engine: &Engine) -> Vec<QuotaId> {
    engine.books().iter().map(|books| books.quota).collect()
}

fn workloads(engine: &Engine, is: impl Fn(WorkloadState) -> bool) -> Vec<WorkloadId> {
    engine.workloads().filter(|w| is(w.state)).map(|w| w.id).collect()
}

fn leaving(engine: &Engine) -> Vec<(WorkloadId, u32)> {
    let units = engine.workloads().flat_map(|w| engine.units(w.id));
    units.filter(|unit| unit.is_leaving()).map(|unit| (unit.workload, unit.number)).collect()
}

fn eighths(of: &Resources, parts: u64) -> Resources {
    let mut scaled = Resources::default();
    of.stated().for_each(|(d, amount)| scaled[d] = amount * parts as i64 / 8 / 1_000 * 1_000);
    scaled
}

fn submission(dice: &mut Dice, quota: QuotaId, number: u32) -> WorkloadSpec {
    let module = dice.pick(&[Module::Training, Module::Training, Module::Service, Module::Notebook]);
    let module = module.expect("there are some");
    let replicas = 1 + dice.roll(4) as u32;
    let gpu = dice.pick(&[250, 500, 1_000, 1_000, 2_000, 4_000]).expect("there are some");
    let mut spec = WorkloadSpec::new(&format!("w{number}"), quota, module, replicas, Shape::with_gpu(gpu));
    spec.priority = p(1 + dice.roll(9));
    spec.min_replicas = (module != Module::Notebook && dice.roll(2) == 0).then_some(1);
    if module == Module::Training {
        spec.idle = dice.pick(&[IdleUse::Never, IdleUse::Accept, IdleUse::Only]).expect("there are some");
    }
    spec.grace = Span::seconds(dice.roll(2) * 5);
    spec.suspend = dice.roll(4) == 0;
    spec.restarts = dice.roll(2) as u32;
    spec.on_preempt = dice.pick(OnPreempt::ALL).expect("there are some");
    spec.max_run = (dice.roll(6) == 0).then_some(Span::seconds(30));
    spec.workspace = WorkspaceId(dice.roll(2) as u32);
    spec.owner = (dice.roll(3) == 0).then(|| Owner { member: MemberId(1), roles: Default::default() });
    spec
}

/// What happens next, in the words of an operation. Nothing if there is nobody to whom it could.
fn deed(dice: &mut Dice, engine: &Engine, now: Tick, number: u32) -> (&'static str, Vec<Command>) {
    let running = workloads(engine, |state| state == WorkloadState::Running);
    let live = workloads(engine, |state| !state.is_ended());
    let quota = dice.pick(&quotas(engine)).expect("the root stays");
    let guarantee = engine.quota(quota).map(|q| q.guarantee).unwrap_or_default();
    let nodes: Vec<NodeId> =
        engine.pool(POOL).map(|p| p.nodes.iter().map(|n| n.id).collect()).unwrap_or_default();
    let node = dice.pick(&nodes).unwrap_or(NodeId(0));
    let mode = dice.pick(Mode::ALL).expect("there are some");
    let of = |workload: Option<WorkloadId>, make: &dyn Fn(WorkloadId) -> Command| {
        workload.map(make).into_iter().collect::<Vec<_>>()
    };
    match dice.roll(40) {
        0..14 => ("workload.submit", vec![Command::Submit(Box::new(submission(dice, quota, number)))]),
        14..17 => ("report", of(dice.pick(&running), &|workload| Command::Finished { workload })),
        17 => ("report", of(dice.pick(&running), &|workload| Command::Failed { workload })),
        18 => ("workload.stop", of(dice.pick(&live), &|workload| Command::Stop { workload })),
        19 => ("workload.restart", of(dice.pick(&running), &|workload| Command::Restart { workload })),
        20 => {
            let priority = p(1 + dice.roll(9));
            (
                "workload.priority",
                of(dice.pick(&live), &|workload| Command::SetPriority { workload, priority }),
            )
        }
        21 => {
            let replicas = 1 + dice.roll(5) as u32;
            ("workload.resize", of(dice.pick(&live), &|workload| Command::Resize { workload, replicas }))
        }
        22 => {
            ("report", of(dice.pick(&running), &|workload| Command::Checkpointed { workload, saved_at: now }))
        }
        23 => {
            let ended = workloads(engine, WorkloadState::is_ended);
            ("workload.retire", of(dice.pick(&ended), &|workload| Command::Forget { workload }))
        }
        24 | 25 => {
            let guarantee = eighths(&guarantee, 4 + dice.roll(9));
            ("quota.scale", vec![Command::Scale { quota, guarantee, mode }])
        }
        26 | 27 => {
            let siblings =
                engine.quota(quota).and_then(|q| engine.quota(q.parent?)).map(|q| q.children.to_vec());
            let to = dice.pick(&siblings.unwrap_or_default());
            let amount = eighths(&guarantee, 1 + dice.roll(8));
            let transfer = |to| Command::Transfer { from: quota, to, amount, mode };
            ("quota.transfer", to.map(transfer).into_iter().collect())
        }
        28 => {
            let (name, source) = (format!("q{number}").into(), Source::Parent(quota));
            let guarantee = eighths(&guarantee, dice.roll(4));
            let spec = QuotaSpec { name, source, guarantee, policy: Policy::default() };
            ("quota.create", vec![Command::CreateQuota(Box::new(spec))])
        }
        29 => ("quota.delete", vec![Command::DeleteQuota { quota }]),
        30 => {
            let change = PolicyChange {
                strategy: dice.pick(Strategy::ALL),
                idle_sharing: Some(dice.roll(3) > 0),
                protect_for: (dice.roll(3) == 0).then_some(Span::seconds(5)),
                ..PolicyChange::default()
            };
            ("quota.update", vec![Command::SetPolicy { quota, change }])
        }
        31 | 32 => {
            let states = [NodeState::Ready, NodeState::Ready, NodeState::Cordoned, NodeState::Lost];
            let state = dice.pick(&states).expect("there are some");
            ("node.set", vec![Command::SetNode { pool: POOL, node, state, reason: "test".into() }])
        }
        33 => ("node.drain", vec![Command::DrainNode { pool: POOL, node, modules: modules() }]),
        34 => {
            let swap = [Command::RemoveNode { pool: POOL, node }, add_node(format!("n-{number}"), "H100", 4)];
            ("node.swap", swap.into())
        }
        35 => {
            let limit = Limit { gpu: Some(4_000 * dice.roll(3) as i64), ..Limit::default() };
            let priorities = PrioritySet::range(p(1), p(9));
            let caps = vec![Cap { holder: Holder::Member(MemberId(1)), priorities, limit }];
            ("caps.set", vec![Command::SetCaps { workspace: WorkspaceId(0), quota, caps }])
        }
        _ => {
            let units = leaving(engine);
            let all = Command::Released { units: units.clone() };
            ("report", if units.is_empty() { Vec::new() } else { vec![all] })
        }
    }
}
