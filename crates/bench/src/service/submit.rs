//! Durable submissions per second.

use super::attempt;
use super::client::{Connection, request};
use super::disk::Disk;
use super::house::{Cpu, House, clients, directory};
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::samples::{Samples, thousands};
use crate::table::Measure;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::Runtime;

const CLIENTS: usize = 64;
/// Workloads of one request.
const BATCH: u64 = 100;
/// All that is submitted starts at once.
const CLUSTER: &str = "10000x8";
const ROOM: u64 = 80_000;

/// What all clients of one measurement do.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Get,
    Submit,
    Batch,
}

/// How it went.
struct Outcome {
    requests: u64,
    seconds: f64,
    latencies: Samples,
    cpu: String,
}

pub fn run(bench: &mut Bench) {
    attempt(bench, "submit", measure);
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    let seconds = if bench.quick { 2.0 } else { 8.0 };
    let data = directory()?;
    let runtime = clients()?;
    let mut disk = Disk::open(data.path())?;
    let mut syncs = Samples::default();
    let mut sync = |bench: &Bench| {
        bench.progress("submit: fdatasync alone");
        disk.measure(seconds / 4.0, &mut syncs)
    };
    let go = |bench: &Bench, place: &str, shape: Shape| {
        let house = House::open(&data.path().join(place), CLUSTER)?;
        load(bench, &runtime, &house, shape, seconds)
    };
    sync(bench)?;
    let read = go(bench, "a", Shape::Get)?;
    let written = go(bench, "a", Shape::Submit)?;
    sync(bench)?;
    let batched = go(bench, "b", Shape::Batch)?;
    sync(bench)?;
    report(bench, &syncs, &read, &written, &batched);
    Ok(())
}

fn report(bench: &mut Bench, syncs: &Samples, read: &Outcome, written: &Outcome, batched: &Outcome) {
    let alone = 1e9 / syncs.mean();
    let rate = |outcome: &Outcome| outcome.requests as f64 / outcome.seconds;
    let (reads, writes, many) = (rate(read), rate(written), rate(batched) * BATCH as f64);
    let figure = |rate: f64, outcome: &Outcome| {
        format!("{} /s, {}", thousands(rate as u64), spread(&outcome.latencies))
    };
    bench.table.row(
        "unbatched fdatasync of 4 KiB in the same directory",
        format!("{} /s, {}", thousands(alone as u64), spread(syncs)),
        Measure::plain(""),
    );
    bench.table.row(
        format!("GET of one workload, authenticated, {CLIENTS} clients"),
        figure(reads, read),
        Measure::plain(""),
    );
    let (times, part) = (writes / alone, 100.0 * writes / reads);
    bench.table.row(
        format!("durable submissions, {CLIENTS} clients, one each"),
        figure(writes, written),
        Measure::target(
            format!("{times:.1} x fdatasync, {part:.0} % of GET"),
            ">= 8 x, >= 60 %",
            times >= 8.0 && part >= 60.0,
        ),
    );
    bench.table.row(
        format!("durable submissions, {CLIENTS} clients, {BATCH} in a request"),
        figure(many, batched),
        Measure::target(format!("{:.1} x fdatasync", many / alone), ">= 30 x", many / alone >= 30.0),
    );
    if 8.0 * alone > reads {
        bench.table.note(format!(
            "submit: 8 x fdatasync would be {} /s, more than the {} /s at which this machine answers a GET: on a disk \
             this fast, only the part of GET can be reached.",
            thousands((8.0 * alone) as u64),
            thousands(reads as u64)
        ));
    }
    for (what, outcome) in [("GET", read), ("one each", written), ("batches", batched)] {
        bench.table.note(format!(
            "submit, {what}: {} requests, {}.",
            thousands(outcome.requests),
            outcome.cpu
        ));
    }
}

/// All clients, one request after the other, for so many seconds or until the cluster is full.
fn load(bench: &Bench, runtime: &Runtime, house: &House, shape: Shape, seconds: f64) -> io::Result<Outcome> {
    bench.progress(&format!("submit: {shape:?}, {CLIENTS} clients"));
    let (most, bodies) = match shape {
        Shape::Get => (u64::MAX, Bodies::get(&house.token)),
        Shape::Submit => (ROOM, Bodies::submit(&house.token, 1)),
        Shape::Batch => (ROOM / BATCH, Bodies::submit(&house.token, BATCH)),
    };
    let address = house.address;
    if matches!(shape, Shape::Get) {
        let mut first = Bodies::submit(&house.token, 1);
        first.number(0);
        let first = async move { Connection::open(address).await?.ask(&first.bytes).await };
        runtime.block_on(runtime.spawn(first))??;
    }
    let cpu = Cpu::now();
    let start = Start::now();
    let duty = Arc::new(Duty { address, bodies, most, seconds, start, taken: AtomicU64::new(0) });
    let tasks: Vec<_> = (0..CLIENTS).map(|_| runtime.spawn(client(duty.clone()))).collect();
    let mut latencies = Samples::default();
    for task in tasks {
        latencies.extend(runtime.block_on(task)??);
    }
    let (seconds, requests) = (start.seconds(), latencies.len() as u64);
    let per = if matches!(shape, Shape::Batch) { requests * BATCH } else { requests };
    Ok(Outcome { requests, seconds, latencies, cpu: cpu.since(per) })
}

/// What every client does.
struct Duty {
    address: SocketAddr,
    bodies: Bodies,
    /// Requests of all clients together, and seconds: whichever is over first.
    most: u64,
    seconds: f64,
    start: Start,
    taken: AtomicU64,
}

async fn client(duty: Arc<Duty>) -> io::Result<Samples> {
    let mut connection = Connection::open(duty.address).await?;
    let mut bodies = duty.bodies.clone();
    let mut samples = Samples::default();
    while duty.start.seconds() < duty.seconds {
        let turn = duty.taken.fetch_add(1, Ordering::Relaxed);
        if turn >= duty.most {
            break;
        }
        // The first workload is the one that is read.
        bodies.number(1 + turn * bodies.places.len() as u64);
        let sent = Start::now();
        connection.ask(&bodies.bytes).await?;
        samples.push(sent.nanoseconds());
    }
    Ok(samples)
}

/// A request, and where in it the numbers of workloads stand.
#[derive(Clone)]
struct Bodies {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

/// What a number is written as before it is known.
const NUMBER: &str = "########";

impl Bodies {
    fn get(token: &str) -> Bodies {
        let name = format!("/api/v1/workloads/bench-{:0width$}", 0, width = NUMBER.len());
        Bodies { bytes: request("GET", &name, token, "", ""), places: Vec::new() }
    }

    fn submit(token: &str, count: u64) -> Bodies {
        let one = format!(
            r#"{{"metadata":{{"name":"bench-{NUMBER}"}},"spec":{{"resources":{{"gpu":1}},"priority":5,"command":["python","train.py"]}}}}"#
        );
        let bytes = if count == 1 {
            request("POST", "/api/v1/workloads", token, "", &one)
        } else {
            let items = vec![one; count as usize].join(",");
            request("POST", "/api/v1/workloads:batch", token, "", &format!(r#"{{"items":[{items}]}}"#))
        };
        let here = |(at, window): (usize, &[u8])| (window == NUMBER.as_bytes()).then_some(at);
        let places = bytes.windows(NUMBER.len()).enumerate().filter_map(here).collect();
        Bodies { bytes, places }
    }

    /// Numbers the workloads from `first` on.
    fn number(&mut self, first: u64) {
        for (place, number) in self.places.iter().zip(first..) {
            let mut rest = number;
            for byte in self.bytes[*place..*place + NUMBER.len()].iter_mut().rev() {
                *byte = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        }
    }
}
