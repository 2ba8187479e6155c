//! What a look at the figures costs: it grows with the quotas, not with the workloads.

use super::attempt;
use super::client::{Connection, request};
use super::house::{House, clients, directory};
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::samples::{Samples, thousands};
use crate::table::Measure;
use std::io;

/// Children of the root, each with one node of eight.
const QUOTAS: u32 = 1_000;
/// Workloads of one request.
const BATCH: u32 = 1_000;
/// How much longer it may take with all workloads than with few of them.
const TIMES: f64 = 2.0;

pub fn run(bench: &mut Bench) {
    attempt(bench, "scrape", measure);
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    let many: u32 = if bench.quick { 20_000 } else { 100_000 };
    // Enough that somebody waits in every queue.
    let few = 2 * QUOTAS * 8;
    bench.progress(&format!("scrape: {} quotas", thousands(QUOTAS.into())));
    let data = directory()?;
    let runtime = clients()?;
    let house = House::open(data.path(), "1000x8")?;
    let mut connection = runtime.block_on(Connection::open(house.address))?;
    let mut ask = |method: &str, path: &str, body: &str| {
        let bytes = request(method, path, &house.token, "", body);
        runtime.block_on(connection.ask(&bytes))
    };
    for quota in 0..QUOTAS {
        let spec = r#"{"parent":"main","guarantee":{"gpu":8}}"#;
        ask("POST", "/api/v1/quotas", &format!(r#"{{"metadata":{{"name":"q-{quota}"}},"spec":{spec}}}"#))?;
    }
    let mut submitted = 0;
    let mut taken = Vec::new();
    for upto in [few, many] {
        while submitted < upto {
            bench.progress(&format!("scrape: {} workloads", thousands(submitted.into())));
            let one = |number: u32| {
                let spec = format!(r#"{{"quota":"q-{}","resources":{{"gpu":1}}}}"#, number % QUOTAS);
                format!(r#"{{"metadata":{{"name":"train-{number}"}},"spec":{spec}}}"#)
            };
            let items: Vec<String> = (submitted..submitted + BATCH).map(one).collect();
            ask("POST", "/api/v1/workloads:batch", &format!(r#"{{"items":[{}]}}"#, items.join(",")))?;
            submitted += BATCH;
        }
        let mut samples = Samples::default();
        for _ in 0..bench.samples(50) {
            let start = Start::now();
            ask("GET", "/metrics", "")?;
            samples.push(start.nanoseconds());
        }
        taken.push((submitted, samples));
    }
    let [(_, base), (all, grown)] = &taken[..] else { return Ok(()) };
    bench.table.row(
        format!("scrape of {} quotas and {} workloads", thousands(QUOTAS.into()), thousands((*all).into())),
        spread(grown),
        Measure::target(
            format!("with {} workloads {}", thousands(few.into()), spread(base)),
            format!("p50 <= {TIMES} x"),
            grown.p50() <= TIMES * base.p50(),
        ),
    );
    Ok(())
}
