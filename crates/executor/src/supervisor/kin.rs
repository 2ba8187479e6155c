//! All that a replica has started, and all that those have: nothing of it outlives the replica.

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};
use std::fs;
use std::path::{Path, PathBuf};

/// What runs below the supervisor. Whoever forks away becomes its child, since it is a subreaper.
#[derive(Debug)]
pub(super) struct Kin {
    cgroup: Option<PathBuf>,
}

impl Kin {
    pub(super) fn new(cgroup: Option<PathBuf>) -> Kin {
        Kin { cgroup }
    }

    /// What is started from now on belongs to the group, and so does this process until `step_out`.
    pub(super) fn step_in(&mut self) {
        if let Some(group) = &self.cgroup
            && fs::write(group.join("cgroup.procs"), "0").is_err()
        {
            self.cgroup = None;
        }
    }

    pub(super) fn step_out(&self) {
        if let Some(above) = self.cgroup.as_deref().and_then(Path::parent) {
            // Failing that, the supervisor would die with those that it kills: they are then killed one by one.
            let _ = fs::write(above.join("cgroup.procs"), "0");
        }
    }

    /// Kills all of them. Those that were below others are found by the next call.
    pub(super) fn kill(&self) {
        if let Some(group) = self.cgroup.as_deref().filter(|group| !is_in(group)) {
            let _ = fs::write(group.join("cgroup.kill"), "1");
        }
        for child in children() {
            // A child that nobody has waited for keeps its number: nobody else can be meant.
            let _ = kill_process(child, Signal::KILL);
        }
    }

    /// Whether anything is left.
    pub(super) fn is_empty(&self) -> bool {
        let populated = |group: &PathBuf| {
            fs::read_to_string(group.join("cgroup.procs")).is_ok_and(|procs| !procs.trim().is_empty())
        };
        children().is_empty() && !self.cgroup.as_ref().is_some_and(populated)
    }
}

impl Drop for Kin {
    fn drop(&mut self) {
        if let Some(group) = &self.cgroup {
            // Refused as long as anything is in it.
            let _ = fs::remove_dir(group);
        }
    }
}

/// Children that have ended.
pub(super) fn reap() -> Option<(Pid, WaitStatus)> {
    wait(WaitOptions::NOHANG).ok().flatten()
}

fn children() -> Vec<Pid> {
    let own = std::process::id();
    let list = fs::read_to_string(format!("/proc/self/task/{own}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}

fn is_in(group: &Path) -> bool {
    let own = std::process::id().to_string();
    fs::read_to_string(group.join("cgroup.procs")).is_ok_and(|procs| procs.lines().any(|pid| pid == own))
}
