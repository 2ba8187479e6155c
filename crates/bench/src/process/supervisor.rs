//! What looking after a process takes in memory.

use super::binary::{Serving, until};
use crate::bench::Bench;
use crate::service::attempt;
use crate::service::client::Connection;
use crate::service::house::clients;
use crate::table::Measure;
use std::io;

/// Processes that are looked after.
const COUNT: usize = 8;
/// KiB that each may take.
const MOST: u64 = 4 << 10;

pub fn run(bench: &mut Bench) {
    attempt(bench, "supervisor", measure);
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    bench.progress(&format!("supervisor: {COUNT} processes"));
    let serving = Serving::start(COUNT)?;
    let runtime = clients()?;
    let mut connection = runtime.block_on(Connection::open(serving.address))?;
    let submission = serving.submission(&["sh", "-c", "echo started; exec sleep 1000"]);
    for _ in 0..COUNT {
        runtime.block_on(connection.ask(&submission))?;
    }
    // All of them look after a process that has written something.
    let supervisors = until(|| {
        let all = children(serving.id());
        let busy = all.iter().filter(|id| children(**id).len() == 1).count();
        (busy == COUNT).then_some(all)
    })?;
    let mut figures: Vec<Figures> = supervisors.iter().filter_map(|id| Figures::of(*id)).collect();
    figures.sort_by_key(|figures| figures.resident);
    serving.stop_all()?;
    let Some(most) = figures.last() else { return Err(io::Error::other("no supervisor was found")) };
    bench.table.row(
        "resident memory of a supervisor",
        format!("{:.1} MiB at most, {:.1} MiB of it its own", mib(most.resident), mib(most.own)),
        Measure::target("", "<= 4 MiB", most.resident <= MOST),
    );
    bench.table.note(format!(
        "supervisor: of the resident {:.1} MiB, {:.1} MiB are pages of the binary and of the C library that all share.",
        mib(most.resident),
        mib(most.resident - most.own)
    ));
    Ok(())
}

/// KiB.
struct Figures {
    resident: u64,
    /// Not shared with anybody.
    own: u64,
}

impl Figures {
    fn of(process: u32) -> Option<Figures> {
        let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let figure = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().strip_suffix(" kB")?.parse().ok()
        };
        Some(Figures { resident: figure("VmRSS:")?, own: figure("RssAnon:")? })
    }
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}
