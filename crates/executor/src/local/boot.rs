//! The machine's own time: since when it is up, and which of its lives this is.

use rustix::time::{ClockId, clock_gettime};
use std::io;

/// Milliseconds since the machine was started, sleep included. The same for all processes, and never set back.
pub(crate) fn since_boot() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec as u64 * 1_000 + time.tv_nsec as u64 / 1_000_000
}

/// Another one after each start of the machine.
pub fn boot_id() -> io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_string())
}
