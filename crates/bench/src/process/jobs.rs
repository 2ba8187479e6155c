//! Many short jobs, submitted one by one: from the first submission to the last end.

use super::binary::Serving;
use crate::bench::Bench;
use crate::clock::Start;
use crate::samples::thousands;
use crate::service::attempt;
use crate::service::client::{Connection, request};
use crate::service::house::clients;
use crate::table::Measure;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// How many.
const JOBS: &str = "TIDEGATE_BENCH_JOBS";
/// What Slurm took for as many, in milliseconds: scripts/slurm.sh says it.
const SLURM: &str = "TIDEGATE_BENCH_SLURM_MS";
/// Jobs per second of Slurm on a machine like this, if it was not measured.
const SLURM_RATE: f64 = 29.0;
/// So many times as fast it should be.
const TIMES: f64 = 10.0;

pub fn run(bench: &mut Bench) {
    attempt(bench, "jobs", measure);
}

fn number(name: &str) -> Option<f64> {
    std::env::var(name).ok()?.parse().ok()
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    let count = number(JOBS).map_or_else(|| bench.samples(500), |jobs| jobs as usize);
    let at_once = 4 * std::thread::available_parallelism()?.get();
    let slurm = number(SLURM).map(|ms| count as f64 / ms * 1e3);
    for (way, submit) in [("the API", by_api as Submit), ("the command line", by_command_line)] {
        bench.progress(&format!("jobs: {count} by {way}"));
        let seconds = once(count, at_once, submit)?;
        let rate = count as f64 / seconds;
        let (times, of) = match slurm {
            Some(slurm) => (rate / slurm, "Slurm beside it"),
            None => (rate / SLURM_RATE, "Slurm on a machine like this"),
        };
        bench.table.row(
            format!("{count} x true by {way}, {at_once} at once"),
            format!("{:.0} ms, {} jobs/s", seconds * 1e3, thousands(rate as u64)),
            Measure::target(format!("{times:.1} x {of}"), ">= 10 x", times >= TIMES),
        );
    }
    if slurm.is_none() {
        bench
            .table
            .note(format!("jobs: compared with {SLURM_RATE} jobs/s; scripts/slurm.sh measures Slurm here."));
    }
    Ok(())
}

type Submit = fn(&Serving, &Runtime, usize) -> io::Result<()>;

/// Seconds from the first submission to the last end.
fn once(count: usize, at_once: usize, submit: Submit) -> io::Result<f64> {
    let serving = Serving::start(at_once)?;
    let runtime = clients()?;
    let ends = runtime.block_on(ends(&serving, count))?;
    let start = Start::now();
    submit(&serving, &runtime, count)?;
    runtime.block_on(ends)??;
    let seconds = start.seconds();
    serving.stop_all()?;
    Ok(seconds)
}

fn by_api(serving: &Serving, runtime: &Runtime, count: usize) -> io::Result<()> {
    let submission = serving.submission(&["true"]);
    runtime.block_on(async {
        let mut connection = Connection::open(serving.address).await?;
        for _ in 0..count {
            connection.ask(&submission).await?;
        }
        Ok(())
    })
}

fn by_command_line(serving: &Serving, _: &Runtime, count: usize) -> io::Result<()> {
    for _ in 0..count {
        let ended = serving.command(&["submit", "--gpus", "1", "--", "true"])?.status()?;
        if !ended.success() {
            return Err(io::Error::other(format!("a submission ended with {ended}")));
        }
    }
    Ok(())
}

/// Watches until so many have finished. It watches when this returns.
async fn ends(serving: &Serving, count: usize) -> io::Result<JoinHandle<io::Result<()>>> {
    let mut stream = Connection::open(serving.address).await?.stream;
    stream.write_all(&request("GET", "/api/v1/watch?kinds=workload", &serving.token, "", "")).await?;
    let mut text = Vec::new();
    while !text.windows(4).any(|part| part == b"\r\n\r\n") {
        if stream.read_buf(&mut text).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(tokio::spawn(async move {
        const END: &[u8] = b"event: finished\n";
        const FAILURE: &[u8] = b"event: failed\n";
        let (mut left, mut rest) = (count, Vec::new());
        while left > 0 {
            if stream.read_buf(&mut rest).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if rest.windows(FAILURE.len()).any(|part| part == FAILURE) {
                return Err(io::Error::other("a job failed"));
            }
            left = left.saturating_sub(rest.windows(END.len()).filter(|part| *part == END).count());
            // The last bytes may be the beginning of another.
            let keep = rest.len().min(END.len() - 1);
            rest.drain(..rest.len() - keep);
        }
        Ok(())
    }))
}
