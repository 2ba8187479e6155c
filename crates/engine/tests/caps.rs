//! Caps of the scheduling center, asked after the accounts and before the queue.

use tidegate_engine::caps::{Cap, Holder, Limit, Owner, RoleSet};
use tidegate_engine::ids::{MemberId, PoolId, QuotaId, RoleId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{ChildLevel, Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Resources, Shape};
use tidegate_engine::words::{Module, ModuleSet, PoolKind, Priority, PrioritySet, Strategy};
use tidegate_engine::workload::{WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine, Event, PolicyChange};

const Q: QuotaId = QuotaId(0);
const SPACE: WorkspaceId = WorkspaceId(1);
const ANN: Owner = Owner { member: MemberId(1), roles: RoleSet::NONE };
const BOB: Owner = Owner { member: MemberId(2), roles: RoleSet::NONE };

fn p(n: u8) -> Priority {
    Priority::new(n).expect("in range")
}

/// One quota over so many nodes of 8 GPUs, and the log of what happened.
struct World {
    engine: Engine,
    log: Vec<Event>,
    now: Tick,
}

impl World {
    fn new(nodes: u32) -> World {
        let mut world = World { engine: Engine::new(), log: Vec::new(), now: Tick::ZERO };
        world.ask(Command::CreatePool { name: "h100".into(), kind: PoolKind::General });
        for i in 0..nodes {
            let name = format!("n{i}").into();
            let spec = NodeSpec { name, model: None, gpus: 8, cpu: 128_000, memory: 1 << 40 };
            world.ask(Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec });
        }
        let guarantee = Resources::of(tidegate_engine::resources::Dimension(0), i64::from(nodes) * 8_000);
        let source = Source::Pool(PoolId(0));
        let spec = QuotaSpec { name: "Q".into(), source, guarantee, policy: Policy::default() };
        world.ask(Command::CreateQuota(Box::new(spec)));
        world
    }

    fn ask(&mut self, command: Command) {
        let events = self.engine.handle(self.now, command).expect("nothing is refused here");
        self.log.extend(events);
    }

    fn queue(&mut self, strategy: Strategy) {
        if strategy == Policy::default().queue.strategy {
            return;
        }
        let change = PolicyChange { strategy: Some(strategy), ..PolicyChange::default() };
        self.ask(Command::SetPolicy { quota: Q, change });
    }

    fn cap(&mut self, caps: &[(Holder, u8, u8, i64)]) {
        let cap = |&(holder, low, high, gpus): &(Holder, u8, u8, i64)| Cap {
            holder,
            priorities: PrioritySet::range(p(low), p(high)),
            limit: Limit { gpu: Some(gpus * 1_000), ..Limit::default() },
        };
        let caps = caps.iter().map(cap).collect();
        self.ask(Command::SetCaps { workspace: SPACE, quota: Q, caps });
    }

    fn submit(&mut self, name: &str, owner: Owner, priority: u8, replicas: u32, gpus: u32) -> WorkloadId {
        self.submit_as(name, owner, priority, Module::Training, replicas, gpus)
    }

    fn submit_as(
        &mut self,
        name: &str,
        owner: Owner,
        priority: u8,
        module: Module,
        replicas: u32,
        gpus: u32,
    ) -> WorkloadId {
        let mut spec = WorkloadSpec::new(name, Q, module, replicas, Shape::with_gpu(gpus * 1_000));
        (spec.workspace, spec.owner, spec.priority) = (SPACE, Some(owner), p(priority));
        self.ask(Command::Submit(Box::new(spec)));
        self.engine.workload_named(SPACE, name).expect("it was submitted")
    }

    fn runs(&self, id: WorkloadId) -> bool {
        self.engine.workload(id).is_some_and(|w| w.state == WorkloadState::Running)
    }

    fn why(&self, id: WorkloadId) -> Vec<String> {
        let explanation = self.engine.explain(self.now, id).expect("it is known");
        explanation.reasons.iter().map(|r| r.text(&self.engine)).collect()
    }
}

impl Drop for World {
    /// Every test ends with a replay: the log alone gives the same books.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let mut copy = Engine::new();
        self.log.iter().for_each(|event| copy.apply(event));
        assert!(copy == self.engine, "replaying the events gives the same state");
    }
}

const ALL: (u8, u8) = (1, 9);

fn member(owner: Owner, gpus: i64) -> (Holder, u8, u8, i64) {
    (Holder::Member(owner.member), ALL.0, ALL.1, gpus)
}

#[test]
fn who_breaks_a_cap_stays_queued_with_that_reason_and_starts_when_it_uses_less() {
    let mut world = World::new(4);
    world.cap(&[member(ANN, 8)]);
    let first = world.submit("first", ANN, 1, 1, 8);
    let second = world.submit("second", ANN, 1, 1, 4);
    assert!(world.runs(first) && !world.runs(second));
    let why = [
        "member #1 may use 8 GPUs with priorities 1-9: 8 used, short 4 of 4 GPUs",
        "starts when member #1 uses 4 GPUs less",
    ];
    assert_eq!(world.why(second), why);
    world.ask(Command::Finished { workload: first });
    assert!(world.runs(second));
}

#[test]
fn a_demand_beyond_the_cap_waits_for_a_higher_one() {
    let mut world = World::new(4);
    world.cap(&[member(ANN, 8)]);
    let big = world.submit("big", ANN, 1, 2, 8);
    assert_eq!(world.why(big)[1], "starts only if this cap grows by 8 GPUs");
    world.cap(&[member(ANN, 16)]);
    assert!(world.runs(big));
}

#[test]
fn who_is_held_back_only_by_a_cap_is_stepped_over_in_every_strategy() {
    for &strategy in Strategy::ALL {
        let mut world = World::new(2);
        world.queue(strategy);
        world.cap(&[member(ANN, 0)]);
        let head = world.submit("head", ANN, 9, 1, 8);
        let next = world.submit("next", BOB, 8, 1, 8);
        let last = world.submit("last", BOB, 1, 1, 8);
        assert!(!world.runs(head) && world.runs(next) && world.runs(last), "{strategy}");
    }
}

#[test]
fn who_is_held_back_by_more_than_a_cap_keeps_its_place_in_line() {
    let mut world = World::new(3);
    world.queue(Strategy::Fifo);
    let (run, mine) = (world.submit("run", BOB, 1, 1, 8), world.submit("mine", ANN, 1, 1, 8));
    world.cap(&[member(ANN, 16)]);
    // It lacks balance as well: three nodes of which two are taken.
    let head = world.submit("head", ANN, 9, 2, 8);
    let next = world.submit("next", BOB, 1, 1, 8);
    assert!(world.runs(run) && world.runs(mine) && !world.runs(head) && !world.runs(next));
    let why = world.why(head);
    assert!(why.iter().any(|r| r == "short 8 of 16 GPUs"), "{why:?}");
    assert!(why.iter().any(|r| r.starts_with("member #1 may use 16 GPUs")), "every answer is kept: {why:?}");
    world.ask(Command::Finished { workload: run });
    assert!(!world.runs(head) && world.runs(next), "now nothing but the cap holds it back");
}

#[test]
fn who_never_starts_because_of_its_cap_holds_up_nobody() {
    for &strategy in Strategy::ALL {
        let mut world = World::new(2);
        world.queue(strategy);
        world.cap(&[member(ANN, 8)]);
        let run = world.submit("run", BOB, 1, 1, 8);
        // It is short of GPUs, too, but those would not help it.
        let head = world.submit("head", ANN, 9, 2, 8);
        let next = world.submit("next", BOB, 1, 1, 8);
        assert!(world.runs(run) && !world.runs(head) && world.runs(next), "{strategy}");
        world.cap(&[member(ANN, 16)]);
        world.ask(Command::Finished { workload: run });
        let last = world.submit("last", BOB, 1, 1, 8);
        if strategy == Strategy::Fifo {
            assert!(!world.runs(last), "with a higher cap it is waited for again");
        }
    }
}

#[test]
fn the_place_that_one_is_told_is_the_place_in_the_list() {
    for &strategy in Strategy::ALL {
        let mut world = World::new(2);
        world.queue(strategy);
        world.cap(&[member(ANN, 8)]);
        let waiting = [
            world.submit("run", BOB, 1, 2, 8),
            world.submit("capped", ANN, 9, 2, 8),
            world.submit("first", BOB, 8, 1, 8),
            world.submit("second", BOB, 5, 1, 8),
            world.submit("third", ANN, 5, 1, 8),
        ];
        let list = world.engine.queue(world.now, Q);
        assert_eq!(list.len(), 4, "{strategy}");
        let told = waiting.map(|id| world.engine.position(world.now, id));
        let listed = waiting.map(|id| list.iter().position(|w| *w == id).map(|at| at as u32 + 1));
        assert_eq!(told, listed, "{strategy}");
        for id in list {
            let ahead = world.engine.explain(world.now, id).and_then(|e| e.ahead).map(|a| a.len() as u32 + 1);
            assert_eq!(ahead, world.engine.position(world.now, id), "{strategy}");
        }
    }
}

#[test]
fn the_strictest_wins_and_roles_count_for_each_member_by_itself() {
    let developer = RoleId(3);
    let with = |owner: Owner| Owner { roles: owner.roles.with(developer), ..owner };
    let mut world = World::new(4);
    world.cap(&[member(ANN, 16), (Holder::Role(developer), 1, 9, 8)]);
    let a1 = world.submit("a1", with(ANN), 1, 1, 8);
    let a2 = world.submit("a2", with(ANN), 1, 1, 8);
    let b1 = world.submit("b1", with(BOB), 1, 1, 8);
    assert!(world.runs(a1) && !world.runs(a2) && world.runs(b1));
    assert_eq!(
        world.why(a2)[0],
        "a member with role #3 may use 8 GPUs with priorities 1-9: 8 used, short 8 of 8 GPUs"
    );
}

#[test]
fn a_cap_counts_its_priorities_alone_and_follows_changes() {
    let mut world = World::new(4);
    world.cap(&[(Holder::Member(ANN.member), 7, 9, 8)]);
    let low = world.submit("low", ANN, 1, 1, 8);
    let high = world.submit("high", ANN, 7, 1, 8);
    let over = world.submit("over", ANN, 9, 1, 8);
    assert!(world.runs(low) && world.runs(high) && !world.runs(over));
    world.ask(Command::SetPriority { workload: high, priority: p(6) });
    assert!(world.runs(over), "what was high no longer counts");
    let third = world.submit("third", ANN, 8, 1, 8);
    assert!(!world.runs(third));
    world.ask(Command::SetPriority { workload: third, priority: p(6) });
    assert!(world.runs(third));
}

#[test]
fn a_service_starts_with_as_many_replicas_as_its_cap_allows() {
    let mut world = World::new(4);
    world.cap(&[member(ANN, 20)]);
    let service = world.submit_as("service", ANN, 1, Module::Service, 4, 8);
    assert_eq!(world.engine.units(service).count(), 2);
    let why = world.why(service);
    assert_eq!(why[0], "member #1 may use 20 GPUs with priorities 1-9: 16 used, short 4 of 8 GPUs");
    assert_eq!(why[1], "grows when member #1 uses 4 GPUs less");
    world.cap(&[member(ANN, 24)]);
    assert_eq!(world.engine.units(service).count(), 3);
}

#[test]
fn who_breaks_a_cap_evicts_nobody_and_gets_no_reservation() {
    let mut world = World::new(1);
    let victims = ModuleSet::default().with(Module::Training);
    let policy = ChildLevel::new(PrioritySet::range(p(1), p(9)), victims).expect("names somebody");
    let change = PolicyChange { child_level: Some(Some(policy)), ..PolicyChange::default() };
    world.ask(Command::SetPolicy { quota: Q, change });
    let spec = QuotaSpec {
        name: "child".into(),
        source: Source::Parent(Q),
        guarantee: Resources::of(tidegate_engine::resources::Dimension(0), 8_000),
        policy: Policy::default(),
    };
    world.ask(Command::CreateQuota(Box::new(spec)));
    let victim = WorkloadSpec::new("victim", QuotaId(1), Module::Training, 1, Shape::with_gpu(8_000));
    world.ask(Command::Submit(Box::new(victim)));
    let victim = world.engine.workload_named(WorkspaceId::DEFAULT, "victim").expect("it was submitted");
    world.cap(&[member(ANN, 4)]);
    let ann = world.submit("ann", ANN, 9, 1, 8);
    assert!(world.runs(victim) && !world.runs(ann));
    world.now = Tick(10 * 3_600_000);
    world.ask(Command::Wake);
    let late = WorkloadSpec::new("late", QuotaId(1), Module::Training, 1, Shape::with_gpu(8_000));
    world.ask(Command::Finished { workload: victim });
    world.ask(Command::Submit(Box::new(late)));
    let late = world.engine.workload_named(WorkspaceId::DEFAULT, "late").expect("it was submitted");
    assert!(world.runs(late) && !world.runs(ann));
}

#[test]
fn caps_that_make_no_sense_are_refused() {
    let mut world = World::new(1);
    let cap = Cap {
        holder: Holder::Role(RoleId(64)),
        priorities: PrioritySet::range(p(1), p(9)),
        limit: Limit::default(),
    };
    let mut ask = |caps| {
        let command = Command::SetCaps { workspace: SPACE, quota: Q, caps };
        world.engine.handle(world.now, command).map_err(|refusal| refusal.code())
    };
    assert_eq!(ask(vec![cap]), Err("bad-amount"));
    let holder = Holder::Role(RoleId(63));
    assert_eq!(ask(vec![Cap { holder, priorities: PrioritySet::default(), ..cap }]), Err("bad-policy"));
    let limit = Limit { cpu: Some(-1), ..Limit::default() };
    assert_eq!(ask(vec![Cap { holder, limit, ..cap }]), Err("bad-amount"));
    assert_eq!(ask(vec![Cap { holder, ..cap }; 257]), Err("limit-exceeded"));
    assert_eq!(ask(Vec::new()), Err("nothing-to-change"));
    assert!(ask(vec![Cap { holder, ..cap }; 256]).is_ok_and(|events| events.len() == 1));
    let unknown = Command::SetCaps { workspace: SPACE, quota: QuotaId(9), caps: Vec::new() };
    assert!(world.engine.handle(world.now, unknown).is_err());
    world.log = Vec::new();
    world.engine = Engine::new();
}
