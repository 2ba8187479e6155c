//! GPUs that go out of service, and come back.

use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, PoolKind};
use tidegate_engine::workload::{WorkloadSpec, WorkloadState};
use tidegate_engine::{Command, Engine, Event, Refusal};

const POOL: PoolId = PoolId(0);
const NODE: NodeId = NodeId(0);

/// One node of 4 GPUs, and the log of what happened.
struct World {
    engine: Engine,
    log: Vec<Event>,
}

impl World {
    fn new() -> World {
        let mut world = World { engine: Engine::new(), log: Vec::new() };
        world.ask(Command::CreatePool { name: "h100".into(), kind: PoolKind::General });
        let spec = NodeSpec { name: "n0".into(), model: None, gpus: 4, cpu: 64_000, memory: 1 << 40 };
        world.ask(Command::AddNode { pool: POOL, model: Some("H100".into()), spec });
        let guarantee = Resources::of(Dimension(0), 4_000);
        let source = Source::Pool(POOL);
        let spec = QuotaSpec { name: "Q".into(), source, guarantee, policy: Policy::default() };
        world.ask(Command::CreateQuota(Box::new(spec)));
        world
    }

    fn try_to(&mut self, command: Command) -> Result<(), Refusal> {
        let events = self.engine.handle(Tick::ZERO, command)?;
        self.log.extend(events);
        Ok(())
    }

    fn ask(&mut self, command: Command) {
        self.try_to(command).expect("nothing is refused here");
    }

    fn submit(&mut self, name: &str, replicas: u32, milli: u32) -> WorkloadId {
        let spec = WorkloadSpec::new(name, QuotaId(0), Module::Training, replicas, Shape::with_gpu(milli));
        self.ask(Command::Submit(Box::new(spec)));
        self.engine.workload_named(WorkspaceId::DEFAULT, name).expect("it was submitted")
    }

    fn device(&mut self, device: u16, out: bool) {
        self.ask(set(device, out, "memory was not given back"));
    }

    fn runs(&self, id: WorkloadId) -> bool {
        self.engine.workload(id).is_some_and(|w| w.state == WorkloadState::Running)
    }

    fn uses(&self, id: WorkloadId, device: u16) -> bool {
        self.engine.units(id).any(|u| u.grant.slots.iter().any(|slot| slot.uses(device)))
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

fn set(device: u16, out: bool, reason: &str) -> Command {
    Command::SetDevice { pool: POOL, node: NODE, device, out, reason: reason.into() }
}

#[test]
fn work_goes_elsewhere_while_a_device_is_out_of_service() {
    let mut world = World::new();
    world.device(0, true);
    let three = world.submit("three", 3, 1_000);
    assert!(world.runs(three) && !world.uses(three, 0));
    let one = world.submit("one", 1, 1_000);
    let part = world.submit("part", 1, 250);
    assert!(!world.runs(one) && !world.runs(part), "only the device that is out is free");
    let why = world.engine.explain(Tick::ZERO, one).expect("it waits");
    let why: Vec<String> = why.reasons.iter().map(|r| r.text(&world.engine)).collect();
    assert!(why.iter().any(|text| text.contains("1 with GPUs out of service")), "{why:?}");
    world.device(0, false);
    assert!(world.runs(one) && world.uses(one, 0));
}

#[test]
fn who_sits_on_it_is_lost_and_starts_again_elsewhere() {
    let mut world = World::new();
    let pair = world.submit("pair", 2, 1_000);
    let other = world.submit("other", 1, 500);
    assert!(world.uses(pair, 0) && world.uses(other, 2));
    world.device(0, true);
    assert!(world.runs(pair) && !world.uses(pair, 0), "there was room for it beside");
    assert!(world.runs(other) && world.uses(other, 2), "who is not concerned stays");
}

#[test]
fn what_comes_free_of_it_later_stays_out() {
    let mut world = World::new();
    world.device(3, true);
    let (a, b) = (world.submit("a", 1, 300), world.submit("b", 1, 300));
    world.device(0, true);
    assert!(world.runs(a) && world.runs(b) && !world.uses(a, 0) && !world.uses(b, 0));
    world.ask(Command::Finished { workload: a });
    world.ask(Command::Finished { workload: b });
    let two = world.submit("two", 2, 1_000);
    assert!(world.runs(two) && !world.uses(two, 0) && !world.uses(two, 3));
    for device in [0, 3] {
        world.device(device, false);
    }
    let rest = world.submit("rest", 2, 1_000);
    assert!(world.runs(rest), "all of the node is there again");
}

#[test]
fn what_cannot_be_is_refused() {
    let mut world = World::new();
    let error = world.try_to(set(4, true, "x")).expect_err("there are 4");
    assert_eq!(error.what(), "n0 has no GPU 4: it has 4, counted from 0");
    assert_eq!(world.try_to(set(0, false, "")).expect_err("it is not out").code(), "nothing-to-change");
    world.ask(set(0, true, "x"));
    assert_eq!(world.try_to(set(0, true, "x")).expect_err("it is").code(), "nothing-to-change");
    world.ask(set(0, true, "another reason"));
}
