//! The local executor keeps the contract with real processes.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::words::Module;
use tidegate_executor::contract::{CASES, Driver, Play};
use tidegate_executor::local::{FaultFiles, Isolation, LocalExecutor, Places, Settings};
use tidegate_executor::{Executor, Launch, Report, Running, Work};

const STEP: Span = Span(2_000);
const SLACK: Span = Span(900);

struct Local {
    directory: TempDir,
    executor: Option<LocalExecutor>,
    /// Reports that came while nobody asked for them.
    early: Vec<Report>,
}

#[allow(clippy::disallowed_methods, reason = "real processes take real time")]
fn now() -> Tick {
    Tick(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64)
}

#[allow(clippy::disallowed_methods, reason = "real processes take real time")]
fn sleep(millis: u64) {
    std::thread::sleep(Duration::from_millis(millis));
}

fn executor(directory: &TempDir) -> LocalExecutor {
    let care = FaultFiles::in_directory(directory.path().join("faults"));
    let settings = Settings {
        places: Places::below(directory.path()),
        supervisor: vec![env!("CARGO_BIN_EXE_supervise").into()],
        isolation: Isolation::None { why: "this is a test".into(), is_shared: true },
        groups: None,
        work_limit: None,
        log_limit: 1 << 20,
        log_keep: 2,
        ports: 21_000..=21_999,
        env: vec![("PATH".into(), std::env::var("PATH").expect("a path").into())],
        device_names: Default::default(),
        gpu_meter: None,
    };
    LocalExecutor::new(settings, Box::new(care), Box::new(now)).expect("it starts")
}

impl Local {
    fn new() -> Local {
        let directory = tempfile::tempdir().expect("a directory");
        let executor = Some(executor(&directory));
        Local { directory, executor, early: Vec::new() }
    }

    fn real(&mut self) -> &mut LocalExecutor {
        self.executor.as_mut().expect("it is there")
    }
}

impl Driver for Local {
    fn executor(&mut self) -> &mut dyn Executor {
        self.real()
    }

    /// A shell that behaves so.
    fn launch(&self, module: Module, work: Work) -> Arc<Launch> {
        let mut script = String::new();
        if work.hang {
            script += "trap '' TERM\n";
        }
        let seconds = |span: Span| format!("{}.{:03}", span.0 / 1_000, span.0 % 1_000);
        if let Some(every) = work.checkpoint {
            script += &format!(
                "(while sleep {}; do touch \"$TIDEGATE_CHECKPOINT_SAVED\"; done) &\n",
                seconds(every)
            );
        }
        script += &match (work.duration, work.fails) {
            (Some(length), _) => {
                let left = format!("awk \"BEGIN {{ print {} - $TIDEGATE_SAVED_SECONDS }}\"", seconds(length));
                format!("sleep $({left})\n")
            }
            (None, Some(_)) => String::new(),
            (None, None) => "while true; do sleep 0.1; done\n".into(),
        };
        script += &format!("exit {}\n", work.fails.unwrap_or(0));
        let mut launch = Launch::of_work(module, work);
        launch.command = vec!["/bin/sh".into(), "-c".into(), script.into()];
        Arc::new(launch)
    }

    fn now(&self) -> Tick {
        now()
    }

    fn pass(&mut self, to: Tick) -> Vec<Report> {
        let mut reports = std::mem::take(&mut self.early);
        loop {
            reports.extend(self.real().poll(now()));
            if now() >= to {
                return reports;
            }
            sleep(to.since(now()).0.min(20));
        }
    }

    fn restart(&mut self, at: Tick) {
        self.executor = None;
        sleep(at.since(now()).0);
        self.executor = Some(executor(&self.directory));
    }

    fn running(&mut self) -> Vec<Running> {
        // What is asked to die needs a moment.
        let to = now().after(Span(300));
        while now() < to {
            let reports = self.real().poll(now());
            self.early.extend(reports);
            sleep(20);
        }
        self.real().running()
    }

    fn step(&self) -> Span {
        STEP
    }

    fn slack(&self) -> Span {
        SLACK
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        // Nothing is left behind.
        if let Some(executor) = &mut self.executor {
            executor.reconcile(Vec::new());
            for _ in 0..200 {
                executor.poll(now());
                if executor.running().is_empty() {
                    break;
                }
                sleep(20);
            }
        }
    }
}

#[test]
fn the_local_executor_keeps_the_contract() {
    let cases = CASES.iter().map(|case| {
        std::thread::spawn(move || {
            let mut driver = Local::new();
            let outcome = (case.run)(&mut Play::new(&mut driver));
            outcome.err().map(|why| format!("{}: {why}", case.name))
        })
    });
    let cases: Vec<_> = cases.collect();
    let failures: Vec<String> = cases.into_iter().filter_map(|c| c.join().expect("no panic")).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
