//! What becomes of reports: a gang, a service, and news that come late.

use std::sync::Arc;
use tidegate_engine::ids::{PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::{Module, PoolKind};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine};
use tidegate_executor::{Change, Dispatch, Inbox, Launch, Report, Work};

const W: WorkloadId = WorkloadId(0);

/// An engine with eight GPUs and one workload, which has started.
struct World {
    engine: Engine,
    dispatch: Dispatch,
    inbox: Inbox,
    number: u64,
    changes: Vec<Change>,
}

impl World {
    fn with(module: Module, replicas: u32) -> World {
        let (engine, dispatch, inbox) = Default::default();
        let mut world = World { engine, dispatch, inbox, number: 0, changes: Vec::new() };
        world.command(0, Command::CreatePool { name: "pool".into(), kind: PoolKind::General });
        let node = NodeSpec { name: "pool-0".into(), model: None, gpus: 8, cpu: 64_000, memory: 1 << 40 };
        world.command(0, Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec: node });
        let mut guarantee = Resources::default();
        guarantee[Dimension(0)] = 8_000;
        let (source, policy) = (Source::Pool(PoolId(0)), Policy::default());
        let quota = QuotaSpec { name: "main".into(), source, guarantee, policy };
        world.command(0, Command::CreateQuota(Box::new(quota)));
        let mut spec = WorkloadSpec::new("job", QuotaId(0), module, replicas, Shape::with_gpu(2_000));
        spec.restarts = 1;
        world.command(0, Command::Submit(Box::new(spec)));
        assert_eq!(world.changes, [Change::Assigned(W)]);
        world
    }

    fn command(&mut self, at: u64, command: Command) {
        self.changes.clear();
        for event in self.engine.handle(Tick(at), command).expect("it is allowed") {
            self.changes.extend(self.dispatch.follow(&self.engine, self.number, &event));
            self.number += 1;
        }
    }

    fn run(&self) -> u64 {
        self.dispatch.progress(W).and_then(|p| p.run).expect("it runs").number
    }

    fn exit(&mut self, unit: u32, index: u32, run: u64, code: i32) {
        self.inbox.hear(vec![Report::Exited {
            workload: W,
            unit,
            index,
            run,
            code,
            detail: None,
            warm: None,
        }]);
    }

    /// The command that follows from what was heard, and the exit code that decided it.
    fn next(&mut self) -> Option<(Command, Option<i32>)> {
        let finding = self.inbox.next(&self.engine, &self.dispatch)?;
        Some((finding.command, finding.exit.map(|e| e.code)))
    }
}

const FINISHED: Command = Command::Finished { workload: W };
const FAILED: Command = Command::Failed { workload: W };

#[test]
fn a_gang_has_finished_when_all_of_it_has() {
    let mut world = World::with(Module::Training, 2);
    let run = world.run();
    world.exit(0, 1, run, 0);
    world.exit(0, 1, run, 0);
    assert_eq!(world.next(), None);
    world.exit(0, 0, run, 0);
    assert_eq!(world.next(), Some((FINISHED, Some(0))));
    world.command(9, FINISHED);
    assert_eq!(world.changes, [Change::Ended(W)]);
    world.exit(0, 0, run, 0);
    assert_eq!(world.next(), None);
}

#[test]
fn a_gang_has_failed_when_one_of_it_has() {
    let mut world = World::with(Module::Training, 2);
    let run = world.run();
    world.exit(0, 0, run, 0);
    world.exit(0, 1, run, 7);
    assert_eq!(world.next(), Some((FAILED, Some(7))));
    world.command(9, FAILED);
    // It starts again at once: what the first run still has to say is of no interest.
    assert!(world.run() > run);
    world.exit(0, 0, run, 1);
    world.inbox.hear(vec![Report::Checkpointed { workload: W, run, saved_at: Tick(9) }]);
    assert_eq!(world.next(), None);
}

#[test]
fn a_service_fails_with_any_of_its_replicas_unless_all_end() {
    let mut world = World::with(Module::Service, 2);
    let run = world.run();
    world.exit(1, 0, run, 0);
    assert_eq!(world.next(), Some((FAILED, Some(0))));
    world.exit(0, 0, run, 0);
    world.exit(1, 0, run, 0);
    assert_eq!(world.next(), Some((FINISHED, Some(0))));
}

#[test]
fn who_was_asked_to_leave_is_gone_unless_its_work_was_done() {
    let mut world = World::with(Module::Training, 1);
    let run = world.run();
    world.command(5, Command::Stop { workload: W });
    world.exit(0, 0, run, 143);
    assert_eq!(world.next(), None);
    world.inbox.hear(vec![Report::Gone { workload: W, unit: 0, run }]);
    world.inbox.hear(vec![Report::Gone { workload: W, unit: 0, run: run + 1 }]);
    assert_eq!(world.next(), Some((Command::Released { units: vec![(W, 0)] }, None)));

    let mut world = World::with(Module::Training, 1);
    world.command(5, Command::Stop { workload: W });
    world.exit(0, 0, run, 0);
    world.inbox.hear(vec![Report::Gone { workload: W, unit: 0, run }]);
    assert_eq!(world.next(), Some((FINISHED, Some(0))));
    world.command(6, FINISHED);
    assert_eq!(world.next(), None);
}

#[test]
fn an_assignment_says_where_and_until_when() {
    let mut world = World::with(Module::Training, 2);
    let launch = Arc::new(Launch::of_work(Module::Training, Work::default()));
    let runs = world.dispatch.assignment(&world.engine, W, &launch).expect("it runs");
    let places: Vec<_> = runs.replicas.iter().map(|r| (r.unit, r.index, r.rank, &*r.node)).collect();
    assert_eq!(places, [(0, 0, 0, "pool-0"), (0, 1, 1, "pool-0")]);
    assert_eq!(runs.replicas[0].model.as_deref(), Some("H100"));
    world.command(5, Command::Checkpointed { workload: W, saved_at: Tick(3) });
    world.command(8, Command::Stop { workload: W });
    let leaves = world.dispatch.assignment(&world.engine, W, &launch).expect("it leaves");
    assert!(leaves.generation > runs.generation && leaves.replicas.is_empty());
    assert_eq!(leaves.leaving[0].kill_at, Tick(8).after(Span::seconds(30)));
    assert_eq!((leaves.saved, leaves.leaving[0].run), (Span(3), runs.run));
}
