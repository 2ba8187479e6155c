//! An executor with real processes in a directory of its own.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tidegate_engine::ids::{Span, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::slot::Devices;
use tidegate_engine::words::Module;
use tidegate_executor::local::{FaultFiles, Groups, Isolation, LocalExecutor, Places, Settings};
use tidegate_executor::{Assignment, Executor, Launch, Replica, Report, Work};

/// Longest wait for anything, on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Stage {
    pub(crate) directory: TempDir,
    settings: Settings,
    pub(crate) executor: LocalExecutor,
    pub(crate) reports: Vec<Report>,
    assignments: Vec<Assignment>,
    /// What whoever is started is given.
    pub(crate) devices: Devices,
    pub(crate) node_memory: u64,
}

#[allow(clippy::disallowed_methods, reason = "real processes take real time")]
pub(crate) fn now() -> Tick {
    Tick(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64)
}

pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// Everybody is whoever runs the test.
pub(crate) fn together() -> Isolation {
    Isolation::None { why: "this is a test".into(), is_shared: true }
}

/// Control groups of this machine, if it lends any.
pub(crate) fn groups() -> Option<Groups> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Whose groups they are is told by their name.
    let tag = format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    Groups::find(&tag).inspect_err(|why| eprintln!("no control groups here: {why}")).ok()
}

fn executor(settings: &Settings) -> LocalExecutor {
    let care = FaultFiles::in_directory("/nonexistent");
    LocalExecutor::new(settings.clone(), Box::new(care), Box::new(now)).expect("it starts")
}

impl Stage {
    pub(crate) fn new(change: impl FnOnce(&mut Settings)) -> Stage {
        let directory = tempfile::tempdir().expect("a directory");
        // Users of workspaces have to pass.
        std::fs::set_permissions(directory.path(), Permissions::from_mode(0o711)).expect("it is ours");
        let mut settings = Settings {
            places: Places::below(directory.path()),
            supervisor: vec![env!("CARGO_BIN_EXE_supervise").into()],
            isolation: together(),
            groups: None,
            work_limit: None,
            log_limit: 1 << 20,
            log_keep: 2,
            ports: 22_000..=22_999,
            env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            device_names: Default::default(),
            gpu_meter: None,
        };
        change(&mut settings);
        let executor = executor(&settings);
        Stage {
            directory,
            settings,
            executor,
            reports: Vec::new(),
            assignments: Vec::new(),
            devices: Devices::None,
            node_memory: 1 << 30,
        }
    }

    pub(crate) fn places(&self) -> &Places {
        &self.settings.places
    }

    /// Starts a shell that does this, as the only replica of a workload.
    pub(crate) fn start(&mut self, workload: u32, workspace: u32, script: &str) {
        let mut launch = Launch::of_work(Module::Training, Work::default());
        launch.command = vec!["/bin/sh".into(), "-c".into(), script.into()];
        launch.workspace = WorkspaceId(workspace);
        launch.grace = Span(0);
        self.start_as(workload, launch);
    }

    pub(crate) fn start_as(&mut self, workload: u32, launch: Launch) {
        let (run, at) = (u64::from(workload), now());
        let replica = Replica {
            unit: 0,
            index: 0,
            rank: 0,
            role: 0,
            run,
            since: at,
            node: "node-0".into(),
            devices: self.devices.clone(),
            model: None,
            cpu: 1_000,
            memory: 16 << 20,
            node_memory: self.node_memory,
        };
        let assignment = Assignment {
            workload: WorkloadId(workload),
            name: "case".into(),
            generation: run,
            launch: Arc::new(launch),
            run,
            began: at,
            saved: Span::ZERO,
            saved_at: at,
            replicas: vec![replica],
            leaving: Vec::new(),
        };
        self.assignments.push(assignment.clone());
        self.executor.assign(assignment);
    }

    /// The engine has heard of the end of a workload, or has ended it.
    pub(crate) fn forget(&mut self, workload: u32) {
        self.assignments.retain(|a| a.workload.0 != workload);
        self.executor.forget(WorkloadId(workload));
    }

    /// One look.
    pub(crate) fn executor_poll(&mut self) -> Vec<Report> {
        self.executor.poll(now())
    }

    /// The server is killed, and comes back.
    pub(crate) fn restart(&mut self) {
        self.executor = executor(&self.settings);
        self.executor.reconcile(self.assignments.clone());
    }

    /// Looks until it has happened.
    #[track_caller]
    #[allow(clippy::disallowed_methods, reason = "real processes take real time")]
    pub(crate) fn until<T>(&mut self, what: &str, mut happened: impl FnMut(&mut Stage) -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            let reports = self.executor.poll(now());
            self.reports.extend(reports);
            if let Some(found) = happened(self) {
                return found;
            }
            let seen = || format!("{:?}, {:?}", self.executor.running(), self.reports);
            assert!(begun.elapsed() < PATIENCE, "{what} did not happen in time: {}", seen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// How a workload ended.
    #[track_caller]
    pub(crate) fn exit(&mut self, id: u32) -> (i32, String) {
        self.until("its end", |stage| {
            stage.reports.iter().find_map(|report| match report {
                Report::Exited { workload, code, detail, .. } if workload.0 == id => {
                    Some((*code, detail.as_deref().unwrap_or_default().to_string()))
                }
                _ => None,
            })
        })
    }

    pub(crate) fn output(&self, workload: u32) -> String {
        let log = self.places().log(WorkloadId(workload), 0);
        String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()).into_owned()
    }

    /// A file that a workload wrote where it was started, once it is there with a line in it.
    #[track_caller]
    pub(crate) fn line_of(&mut self, workload: u32, workspace: u32, name: &str) -> String {
        let path = self.places().directory(WorkspaceId(workspace), WorkloadId(workload), "case").join(name);
        self.until(name, |_| std::fs::read_to_string(&path).ok()?.strip_suffix('\n').map(str::to_string))
    }

    /// Where the runs of a workload are.
    pub(crate) fn runs(&self, workload: u32) -> Vec<PathBuf> {
        let runs = std::fs::read_dir(self.directory.path().join("runs").join(workload.to_string()));
        let paths = runs.into_iter().flatten().flatten().map(|entry| entry.path());
        paths.filter(|path| path.is_dir()).collect()
    }

    /// The number of a supervisor that has begun.
    #[track_caller]
    pub(crate) fn supervisor(&mut self, workload: u32) -> i32 {
        self.until("a supervisor", |stage| {
            let text = std::fs::read_to_string(stage.runs(workload).first()?.join("pid")).ok()?;
            text.split_whitespace().next()?.parse().ok()
        })
    }
}

pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

pub(crate) fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a number");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it is there");
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Nothing is left behind.
        self.executor.reconcile(Vec::new());
        if !std::thread::panicking() {
            self.until("the end of all", |stage| stage.executor.running().is_empty().then_some(()));
        }
        self.executor.poll(now());
    }
}
