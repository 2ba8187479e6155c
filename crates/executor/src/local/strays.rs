//! Processes that lost their supervisor.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;
use std::path::Path;

/// Every process of a run has this in its environment: the directory of its run.
pub const MARK: &str = "TIDEGATE_RUN";

/// Kills all that is left of a run whose supervisor is gone. How many that were.
pub(super) fn kill(run: &Path, cgroup: Option<&Path>) -> usize {
    if let Some(group) = cgroup {
        let _ = fs::write(group.join("cgroup.kill"), "1");
        let _ = fs::remove_dir(group);
    }
    let mark = format!("{MARK}={}", run.display());
    let mut killed = 0;
    for pid in processes() {
        // The handle is taken first: if the number goes to another process meanwhile, that one has no mark, or the
        // handle means nobody any more.
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
        let environ = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
        if environ.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            killed += usize::from(pidfd_send_signal(&handle, Signal::KILL).is_ok());
        }
    }
    killed
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}
