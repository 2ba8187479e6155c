//! What a supervisor is told once, and what it leaves behind.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a supervisor is to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub node: Box<str>,
    pub devices: Vec<u16>,
    /// A group of the kernel's for it and all that it starts.
    pub cgroup: Option<PathBuf>,
}

/// Where output goes, and how much of it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFile {
    pub path: PathBuf,
    /// A file that has grown beyond this is put aside.
    pub limit: u64,
    /// How many files that were put aside are kept.
    pub keep: u32,
}

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
    /// It never ran.
    pub fn before_start(code: i32, detail: impl Into<Box<str>>) -> Exit {
        Exit { code, detail: Some(detail.into()), ran: 0 }
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
