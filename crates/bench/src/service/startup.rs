//! How soon a server is ready that has a long past.

use super::attempt;
use super::client::{Connection, request};
use super::grown::{self, Course, grow};
use super::house::{House, clients, directory};
use crate::bench::Bench;
use crate::clock::{Start, cpu_by_thread};
use crate::samples::thousands;
use crate::table::Measure;
use std::io;

/// Seconds until it is ready.
const READY: f64 = 5.0;
/// Events of one workload that has to wait, from its submission until it leaves memory.
const EVENTS: u32 = 5;

fn cpu_seconds() -> f64 {
    cpu_by_thread().values().sum()
}

pub fn run(bench: &mut Bench) {
    attempt(bench, "startup", measure);
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    let all: u32 = if bench.quick { 50_000 } else { 1_000_000 };
    let (alive, tail) = (all / 10, all / 10 / EVENTS);
    let data = directory()?;
    let data = data.path();
    bench.progress(&format!("startup: {} workloads", thousands(all.into())));
    let made = Start::now();
    let course = grow(bench, data, None, Course::default(), all - tail, alive)?;
    bench.progress(&format!("startup: replay of the whole log; made in {:.0} s", made.seconds()));
    let (start, cpu) = (Start::now(), cpu_seconds());
    let read = grown::read(data)?;
    let (replay, replay_cpu) = (start.seconds(), cpu_seconds() - cpu);
    let (events, snapshot) = (read.world.next, read.world.next);
    grown::save_snapshot(data, &read)?;
    let course = grow(bench, data, Some(read), course, all, alive)?;
    bench.progress("startup: open");
    let runtime = clients()?;
    let (start, cpu) = (Start::now(), cpu_seconds());
    let house = House::open(data, grown::CLUSTER)?;
    let ready = request("GET", "/readyz", &house.token, "", "");
    runtime.block_on(async { Connection::open(house.address).await?.ask(&ready).await })?;
    let (opened, opened_cpu) = (start.seconds(), cpu_seconds() - cpu);
    let old = house.control.read_blocking(|world| world.next) - snapshot;
    bench.table.row(
        format!(
            "start-up, {} workloads ({} ended), snapshot {} events old",
            thousands(course.submitted.into()),
            thousands(course.ended.into()),
            thousands(old)
        ),
        format!("ready in {opened:.2} s, {opened_cpu:.2} s of CPU"),
        Measure::target("", "<= 5 s", opened <= READY),
    );
    bench.table.row(
        format!("replay of a whole log of {} events", thousands(events)),
        format!("{replay:.1} s, {replay_cpu:.1} s of CPU"),
        Measure::plain(format!("{} events/s", thousands((events as f64 / replay) as u64))),
    );
    bench.table.note("startup: the files are as the writer left them, in the page cache as far as they fit.");
    Ok(())
}
