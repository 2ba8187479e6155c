//! The virtual executor keeps the contract, and what it promises beyond.

use std::sync::Arc;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::words::Module;
use tidegate_executor::contract::{self, Driver};
use tidegate_executor::{Assignment, Executor, Launch, Leaving, Report, Running, VirtualExecutor, Work};

struct Virtual {
    executor: VirtualExecutor,
    now: Tick,
}

impl Virtual {
    fn boxed() -> Box<dyn Driver> {
        Box::new(Virtual { executor: VirtualExecutor::new(), now: Tick(1_000_000) })
    }
}

impl Driver for Virtual {
    fn executor(&mut self) -> &mut dyn Executor {
        &mut self.executor
    }

    fn launch(&self, module: Module, work: Work) -> Arc<Launch> {
        Arc::new(Launch::of_work(module, work))
    }

    fn now(&self) -> Tick {
        self.now
    }

    /// Looks only when something is due: nothing else can happen.
    fn pass(&mut self, to: Tick) -> Vec<Report> {
        let mut reports = Vec::new();
        while let Some(due) = self.executor.next_due().filter(|due| *due <= to) {
            self.now = self.now.max(due);
            reports.extend(self.executor.poll(self.now));
        }
        self.now = self.now.max(to);
        reports
    }

    fn restart(&mut self, at: Tick) {
        self.executor = VirtualExecutor::new();
        self.now = at;
    }

    fn running(&mut self) -> Vec<Running> {
        self.executor.running()
    }

    fn step(&self) -> Span {
        Span::minutes(1)
    }

    fn slack(&self) -> Span {
        Span::ZERO
    }
}

#[test]
fn the_virtual_executor_keeps_the_contract() {
    let failures = contract::failures(Virtual::boxed);
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn what_hangs_never_goes_by_itself() {
    let mut executor = VirtualExecutor::new();
    let launch = Launch::of_work(Module::Training, Work { hang: true, ..Work::default() });
    let leaving = Leaving { unit: 0, run: 1, kill_at: Tick(5), suspend: false };
    executor.assign(Assignment {
        workload: WorkloadId(0),
        name: "stuck".into(),
        generation: 2,
        launch: Arc::new(launch),
        run: 0,
        began: Tick::ZERO,
        saved: Span::ZERO,
        saved_at: Tick::ZERO,
        replicas: Vec::new(),
        leaving: vec![leaving],
    });
    assert_eq!((executor.next_due(), executor.poll(Tick(u64::MAX))), (None, vec![]));
}

/// Suites that cannot fail are no use: one that starts whatever it is told, whenever, breaks several rules.
#[test]
fn an_executor_without_a_memory_is_found_out() {
    struct Forgetful(Virtual);
    impl Executor for Forgetful {
        fn assign(&mut self, assignment: Assignment) {
            self.0.executor.forget(assignment.workload);
            self.0.executor.assign(assignment);
        }
        fn forget(&mut self, _: WorkloadId) {}
        fn reconcile(&mut self, all: Vec<Assignment>) {
            all.into_iter().for_each(|a| self.assign(a));
        }
        fn next_due(&self) -> Option<Tick> {
            self.0.executor.next_due()
        }
        fn poll(&mut self, now: Tick) -> Vec<Report> {
            self.0.executor.poll(now)
        }
    }
    impl Driver for Forgetful {
        fn executor(&mut self) -> &mut dyn Executor {
            self
        }
        fn launch(&self, module: Module, work: Work) -> Arc<Launch> {
            self.0.launch(module, work)
        }
        fn now(&self) -> Tick {
            self.0.now
        }
        fn pass(&mut self, to: Tick) -> Vec<Report> {
            self.0.pass(to)
        }
        fn restart(&mut self, at: Tick) {
            // Real processes outlive the server.
            self.0.now = at;
        }
        fn running(&mut self) -> Vec<Running> {
            self.0.running()
        }
        fn step(&self) -> Span {
            self.0.step()
        }
        fn slack(&self) -> Span {
            self.0.slack()
        }
    }
    let make = || -> Box<dyn Driver> {
        Box::new(Forgetful(Virtual { executor: VirtualExecutor::new(), now: Tick(1_000_000) }))
    };
    let broken: Vec<String> =
        contract::failures(make).iter().filter_map(|f| Some(f.split_once(':')?.0.to_string())).collect();
    let expected = [
        "an_older_generation_is_ignored",
        "a_stop_that_overtakes_its_start_wins",
        "who_had_ended_before_is_gone",
        "who_is_forgotten_is_killed_without_a_word",
        "orphans_are_killed",
    ];
    assert_eq!(broken, expected);
}
