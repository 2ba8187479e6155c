//! From a submission to the process that runs.

use super::binary::Serving;
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::samples::Samples;
use crate::service::attempt;
use crate::service::client::Connection;
use crate::service::house::clients;
use crate::table::Measure;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::process::Command;

/// Nanoseconds that half of them may take.
const MOST: f64 = 20e6;

pub fn run(bench: &mut Bench) {
    attempt(bench, "started", measure);
}

/// Each process says that it runs by writing into a pipe.
fn measure(bench: &mut Bench) -> io::Result<()> {
    let count = bench.samples(300);
    bench.progress(&format!("started: {count} submissions, one after the other"));
    let serving = Serving::start(8)?;
    let pipe = serving.directory().join("started");
    // Written into by the user of a workspace.
    if !Command::new("mkfifo").args(["-m", "666"]).arg(&pipe).status()?.success() {
        return Err(io::Error::other("mkfifo failed"));
    }
    // Opened for both, it is there before anybody writes.
    let mut started = OpenOptions::new().read(true).write(true).open(&pipe)?;
    let script = format!("echo > '{}'", pipe.display());
    let submission = serving.submission(&["sh", "-c", &script]);
    let runtime = clients()?;
    let mut connection = runtime.block_on(Connection::open(serving.address))?;
    let mut samples = Samples::default();
    for _ in 0..count {
        let start = Start::now();
        runtime.block_on(connection.ask(&submission))?;
        started.read_exact(&mut [0])?;
        samples.push(start.nanoseconds());
    }
    serving.stop_all()?;
    bench.table.row(
        "submit -> process running, one client",
        spread(&samples),
        Measure::target("", "p50 <= 20 ms", samples.p50() <= MOST),
    );
    Ok(())
}
