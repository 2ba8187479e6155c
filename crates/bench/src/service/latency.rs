//! How long one durable submission takes when nobody else asks.

use super::attempt;
use super::client::{Connection, request};
use super::disk::Disk;
use super::house::{House, clients, directory};
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::samples::{Samples, duration};
use crate::table::Measure;
use std::io;

/// Nanoseconds that a submission may take beyond two waits for the disk.
const BEYOND: f64 = 2e6;

pub fn run(bench: &mut Bench) {
    attempt(bench, "latency", measure);
}

/// Submissions and bare writes take turns, so that both meet the same disk.
fn measure(bench: &mut Bench) -> io::Result<()> {
    let count = if bench.quick { 300 } else { 2_000 };
    bench.progress(&format!("latency: {count} submissions"));
    let data = directory()?;
    let runtime = clients()?;
    let mut disk = Disk::open(data.path())?;
    let house = House::open(&data.path().join("data"), "1000x8")?;
    let mut connection = runtime.block_on(Connection::open(house.address))?;
    let (mut submissions, mut syncs) = (Samples::default(), Samples::default());
    for number in 0..count {
        let body = format!(r#"{{"metadata":{{"name":"one-{number}"}},"spec":{{"resources":{{"gpu":1}}}}}}"#);
        let bytes = request("POST", "/api/v1/workloads", &house.token, "", &body);
        let task = async move {
            let start = Start::now();
            connection.ask(&bytes).await?;
            Ok::<_, io::Error>((connection, start.nanoseconds()))
        };
        let nanoseconds;
        (connection, nanoseconds) = runtime.block_on(runtime.spawn(task))??;
        submissions.push(nanoseconds);
        syncs.push(disk.sample()?);
    }
    let (ours, disks) = (submissions.p99(), syncs.p99());
    let most = 2.0 * disks + BEYOND;
    bench.table.row(
        "latency of one durable submission, one client",
        spread(&submissions),
        Measure::target(
            format!("fdatasync {}", spread(&syncs)),
            format!("p99 <= 2 x fdatasync + 2 ms: {}", duration(most)),
            ours <= most,
        ),
    );
    Ok(())
}
