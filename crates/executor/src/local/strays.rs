//! Processes that lost their supervisor, or their run.

use super::groups;
use crate::proc::{self, Stat};
use crate::supervisor::{Group, RunDir};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Every process of a run has this in its environment: the directory of its run.
pub const MARK: &str = "TIDEGATE_RUN";

/// Kills all that is left of a run whose supervisor is gone. How many there were: they may need a moment to die.
pub(super) fn kill(dir: &RunDir, group: Option<&Group>, supervisor: &[OsString]) -> usize {
    if let Some(group) = group {
        groups::kill(&group.path);
    }
    // A supervisor begins a session. As long as anybody is in it, nobody else is given its number; and who began
    // another one under that number since would be there.
    let session = dir.supervisor().map(|s| s.0.pid.as_raw_nonzero().get());
    let session = session.filter(|session| Stat::of(*session).is_none_or(|leader| leader.is_zombie));
    let left = end_all(|stat| {
        Some(stat.session) == session || run_of(stat.pid, supervisor).is_some_and(|run| run == dir.path())
    });
    match group {
        // Who hides from all else is killed there, and may need a moment, too.
        Some(group) if left == 0 && groups::is_populated(&group.path) => 1,
        Some(group) if left == 0 => {
            groups::remove(&group.path);
            0
        }
        _ => left,
    }
}

/// Kills all that belongs to a run below `runs` whose directory is gone. How many there were.
pub(super) fn sweep(runs: &Path, supervisor: &[OsString]) -> usize {
    end_all(|stat| run_of(stat.pid, supervisor).is_some_and(|run| run.starts_with(runs) && !run.exists()))
}

fn end_all(is_meant: impl Fn(&Stat) -> bool) -> usize {
    let mut killed = 0;
    for stat in proc::all().filter(|stat| !stat.is_zombie && is_meant(stat)) {
        // If the number went to another process meanwhile, the handle means that one, which began later.
        let Some(handle) = Pid::from_raw(stat.pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
        else {
            continue;
        };
        if Stat::of(stat.pid).is_some_and(|now| now.start == stat.start) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
            killed += 1;
        }
    }
    killed
}

/// The run that a process belongs to: by the mark in its environment, or, as its supervisor, by its arguments.
fn run_of(pid: i32, supervisor: &[OsString]) -> Option<PathBuf> {
    let words = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    let environ = words("environ");
    let mut variables = environ.split(|byte| *byte == 0);
    let marked = variables.find_map(|variable| variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="));
    if let Some(run) = marked {
        return Some(path(run));
    }
    // Another release may have started it, so the program may be another.
    let line = words("cmdline");
    let mut arguments = line.strip_suffix(&[0])?.split(|byte| *byte == 0).skip(1);
    let verbs = supervisor.iter().skip(1).all(|verb| arguments.next() == Some(verb.as_bytes()));
    let run = arguments.next().filter(|run| verbs && run.starts_with(b"/"))?;
    arguments.next().is_none().then(|| path(run))
}
