//! What a supervisor is told once, and what it leaves behind.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a supervisor is to run. A supervisor of one release may be found by the server of another: what is added
/// needs a default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Program and arguments.
    pub command: Vec<Box<str>>,
    /// The whole environment: nothing is inherited.
    pub env: Vec<(Box<str>, Box<str>)>,
    pub directory: PathBuf,
    /// Whom to run as; who runs the server if absent.
    pub user: Option<u32>,
    /// Milliseconds since the machine was started: not before then.
    pub not_before: u64,
    pub log: LogFile,
    /// Where it listens, if anybody is to reach it.
    pub port: Option<u16>,
    /// Where the replicas of its run meet.
    pub meeting_port: Option<u16>,
    /// The node that it runs on, and its GPUs there.
    #[serde(default)]
    pub node: Box<str>,
    #[serde(default)]
    pub devices: Vec<u16>,
    /// A group of the kernel's for it and all that it starts.
    #[serde(default)]
    pub group: Option<Group>,
    /// So many attempts before it failed in a row.
    #[serde(default)]
    pub failed: u32,
    /// The program is a worker: it does task after task.
    #[serde(default)]
    pub warm: Option<WarmOrder>,
    /// Nothing is started: it is for a worker to do.
    #[serde(default)]
    pub errand: Option<Errand>,
}

/// What is special about a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmOrder {
    /// The run that it is started for.
    pub first: PathBuf,
    /// Where it is told that a task has ended, if anybody listens.
    pub bell: PathBuf,
    /// It says within so many milliseconds that it is ready.
    pub ready_within: u64,
    /// Milliseconds that it waits for another task.
    pub idle: u64,
    /// It does so many tasks; any number if absent.
    pub tasks: Option<u32>,
    /// Whose tasks it can do: what all of these say alike, devices included.
    pub fit: Box<str>,
    /// Workers of one line and workspace count together.
    pub line: Box<str>,
    /// So many of these at most wait.
    pub workers: u32,
    /// Thousandths of each of its devices.
    pub part: u16,
    /// Bytes.
    pub memory: u64,
}

/// A task for a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errand {
    /// The directory of the worker.
    pub worker: PathBuf,
    /// What it is called in messages.
    pub task: Box<str>,
    /// JSON, on one line.
    pub inputs: Box<str>,
    /// Where it gives back files, and where its answer is kept.
    pub tray: PathBuf,
    /// Bytes of its answer.
    pub output_limit: u64,
}

/// A control group, and what it bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its directory. It is made for the run and removed after it.
    pub path: PathBuf,
    /// The group of those who look after runs.
    pub home: PathBuf,
    /// Bytes; who takes more is killed by the kernel.
    pub memory: Option<u64>,
    /// Thousandths of a core.
    pub cpu: Option<u32>,
    /// Processes and threads.
    pub processes: Option<u32>,
}

/// Where output goes, and how much of it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFile {
    pub path: PathBuf,
    /// A file that has grown beyond this is put aside.
    pub limit: u64,
    /// How many files that were put aside are kept.
    pub keep: u32,
}

/// Characters of a detail. A path may be long.
const MAX_DETAIL: usize = 500;

/// How a replica ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// As a shell gives it.
    pub code: i32,
    /// What the code does not say.
    pub detail: Option<Box<str>>,
    /// Milliseconds that it ran.
    pub ran: u64,
}

impl Exit {
    /// As `detail`, cut to what a person reads and a file has room for.
    pub fn because(code: i32, detail: &str, ran: u64) -> Exit {
        let detail: String = detail.chars().take(MAX_DETAIL).collect();
        Exit { code, detail: Some(detail.into()), ran }
    }

    /// It never ran.
    pub fn before_start(code: i32, detail: impl AsRef<str>) -> Exit {
        Exit::because(code, detail.as_ref(), 0)
    }

    /// By the status that the kernel gives.
    pub(super) fn of(status: rustix::process::WaitStatus, ran: u64) -> Exit {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit { code, detail: None, ran },
            (None, Some(signal)) => {
                let detail = Some(format!("killed by {}", signal_name(signal)).into());
                Exit { code: 128 + signal, detail, ran }
            }
            (None, None) => Exit { code: 255, detail: Some("ended without a status".into()), ran },
        }
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.to_string()
}
