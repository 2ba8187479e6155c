//! All that a replica has started, and all that those have: nothing of it outlives the replica.

use super::order::Group;
use crate::local::groups;
use crate::size::in_words;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};
use std::collections::BTreeSet;
use std::fs;

/// How often it is looked for more in one go, so that who starts others all the time is outrun.
const ROUNDS: u32 = 1_000;

/// What runs below the supervisor. Whoever forks away becomes its child, since it is a subreaper.
#[derive(Debug)]
pub(super) struct Kin {
    group: Option<Group>,
}

impl Kin {
    /// With a group of its own, if one was ordered and can be had.
    pub(super) fn new(group: Option<Group>) -> Kin {
        let made = |group: &Group| {
            groups::make(group).inspect_err(|error| eprintln!("without a control group: {error}")).is_ok()
        };
        Kin { group: group.filter(made) }
    }

    /// What is started from now on belongs to the group, and so does this process until `step_out`.
    pub(super) fn step_in(&mut self) {
        if let Some(group) = self.group.take_if(|group| groups::enter(&group.path).is_err()) {
            groups::remove(&group.path);
        }
    }

    pub(super) fn step_out(&self) {
        if let Some(group) = &self.group {
            // Failing that, the supervisor would die with those that it kills: they are then killed one by one.
            let _ = groups::enter(&group.home);
        }
    }

    /// Kills all of them. Those that were below others come to light when those are gone.
    pub(super) fn kill(&self) {
        if let Some(group) = self.group.as_ref().filter(|group| !groups::is_in(&group.path)) {
            groups::kill(&group.path);
        }
        let mut killed = BTreeSet::new();
        for _ in 0..ROUNDS {
            let new: Vec<Pid> =
                children().into_iter().filter(|c| killed.insert(c.as_raw_nonzero())).collect();
            if new.is_empty() {
                break;
            }
            for child in new {
                // A child that nobody has waited for keeps its number: nobody else can be meant.
                let _ = kill_process(child, Signal::KILL);
            }
        }
    }

    /// Whether anything is left.
    pub(super) fn is_empty(&self) -> bool {
        children().is_empty() && !self.group.as_ref().is_some_and(|group| groups::is_populated(&group.path))
    }

    /// What the kernel killed for want of memory, in words.
    pub(super) fn out_of_memory(&self) -> Option<String> {
        let group = self.group.as_ref().filter(|group| groups::out_of_memory(&group.path))?;
        let limit = group.memory.map_or(String::new(), |limit| format!(", limit {}", in_words(limit)));
        Some(format!("killed by the kernel: out of memory{limit}"))
    }
}

impl Drop for Kin {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            // Refused as long as anything is in it.
            groups::remove(&group.path);
        }
    }
}

/// Children that have ended.
pub(super) fn reap() -> Option<(Pid, WaitStatus)> {
    wait(WaitOptions::NOHANG).ok().flatten()
}

/// Those that nobody has waited for, ended or not.
fn children() -> Vec<Pid> {
    let own = std::process::id();
    match fs::read_to_string(format!("/proc/self/task/{own}/children")) {
        Ok(list) => list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect(),
        // A kernel without this list.
        Err(_) => {
            let ours = crate::proc::all().filter(|stat| stat.parent == own as i32);
            ours.filter_map(|stat| Pid::from_raw(stat.pid)).collect()
        }
    }
}
