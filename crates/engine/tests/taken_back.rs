//! A start that is taken back in the same pass leaves no trace.

use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::policy::{Policy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, ModuleSet, PoolKind, Priority, PrioritySet, Scope};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine, Event};

const POOL: PoolId = PoolId(0);
const NODE: NodeId = NodeId(0);
const GIVER: QuotaId = QuotaId(1);
const BORROWER: QuotaId = QuotaId(2);

fn p(n: u8) -> Priority {
    Priority::new(n).expect("in range")
}

#[derive(Default)]
struct Stage {
    engine: Engine,
    log: Vec<Event>,
}

impl Stage {
    /// One node. All GPUs of the tree are the giver's; the borrower's priorities 4 to 8 borrow from it, and may
    /// evict its training jobs of priority 1 to 3.
    fn new(node: u32, gpus: i64) -> Stage {
        let mut stage = Stage::default();
        stage.ask(0, Command::CreatePool { name: "h100".into(), kind: PoolKind::General });
        let spec = NodeSpec { name: "n0".into(), model: None, gpus: node, cpu: 128_000, memory: 1 << 40 };
        stage.ask(0, Command::AddNode { pool: POOL, model: Some("H100".into()), spec });
        let modules = ModuleSet::default().with(Module::Training);
        let (high, low) = (PrioritySet::range(p(4), p(8)), PrioritySet::range(p(1), p(3)));
        let self_level = SelfLevel::new(high, low, modules, Scope::Siblings).ok();
        let plain = Policy { idle_sharing: false, ..Policy::default() };
        let root = Source::Parent(QuotaId(0));
        stage.quota("root", Source::Pool(POOL), gpus, plain);
        stage.quota("giver", root, gpus, plain);
        stage.quota("borrower", root, 0, Policy { self_level, ..plain });
        stage
    }

    fn ask(&mut self, now: u64, command: Command) {
        self.log.extend(self.engine.handle(Tick(now), command).expect("nothing is refused here"));
        assert!(
            self.replayed() == self.engine,
            "replaying the events gives the same state: {:?}",
            self.log.last()
        );
    }

    fn replayed(&self) -> Engine {
        let mut copy = Engine::new();
        self.log.iter().for_each(|event| copy.apply(event));
        copy
    }

    fn quota(&mut self, name: &str, source: Source, gpus: i64, policy: Policy) {
        let guarantee = Resources::of(Dimension(0), gpus * 1_000);
        self.ask(
            0,
            Command::CreateQuota(Box::new(QuotaSpec { name: name.into(), source, guarantee, policy })),
        );
    }

    fn set_node(&mut self, now: u64, state: NodeState) {
        self.ask(now, Command::SetNode { pool: POOL, node: NODE, state, reason: "test".into() });
    }
}

fn job(name: &str, quota: QuotaId, priority: u8, replicas: u32, gpus: u32, min: Option<u32>) -> Command {
    let mut spec = WorkloadSpec::new(name, quota, Module::Training, replicas, Shape::with_gpu(gpus * 1_000));
    (spec.priority, spec.min_replicas) = (p(priority), min);
    Command::Submit(Box::new(spec))
}

/// A job would grow into what another lost, until that takes it as a loan: what runs of it has not been started
/// again.
#[test]
fn a_job_that_would_have_grown_runs_since_when_it_ran() {
    let mut stage = Stage::new(8, 5);
    stage.ask(0, job("borrows", BORROWER, 8, 2, 2, None));
    stage.ask(1, job("grows", GIVER, 3, 3, 1, Some(1)));
    let reason = "test".into();
    stage.ask(2, Command::SetDevice { pool: POOL, node: NODE, device: 3, out: true, reason });
}

/// A job starts with three replicas, is taken back for a loan, and starts with two. An engine that has only read
/// what became of it evicts the same one of them.
#[test]
fn whom_a_plan_evicts_does_not_rest_on_starts_that_were_taken_back() {
    let mut stage = Stage::new(6, 6);
    stage.set_node(0, NodeState::Cordoned);
    stage.ask(1, job("shrinks", GIVER, 3, 3, 1, Some(1)));
    stage.ask(2, job("borrows", BORROWER, 8, 2, 2, None));
    stage.set_node(3, NodeState::Ready);
    let next = job("evicts", BORROWER, 8, 1, 1, None);
    let (here, there) =
        (stage.engine.preview(Tick(4), next.clone()), stage.replayed().preview(Tick(4), next));
    assert!(here.as_ref().is_ok_and(|events| format!("{events:?}").contains("Evicted")), "{here:?}");
    assert_eq!(here, there);
}
