//! The service as its clients see it: a real server on a real directory, over loopback HTTP.
//!
//! Client and server share this process and this machine's cores. The client has a thread of its own and does as
//! little as it can; how much of the CPU it took is printed.

pub mod client;
pub mod disk;
pub mod grown;
pub mod house;
pub mod latency;
pub mod scrape;
pub mod startup;
pub mod submit;
pub mod teams;
pub mod watch;

use crate::bench::Bench;

/// Runs one benchmark of the service; what stops it becomes a note.
pub(crate) fn attempt(bench: &mut Bench, name: &str, run: impl FnOnce(&mut Bench) -> std::io::Result<()>) {
    if let Err(error) = run(bench) {
        bench.table.note(format!("{name}: not finished, {error}"));
    }
}
