//! Tasks that do nothing, from the submission to the result: through warm workers, and as a process each.

use super::binary::Serving;
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::samples::{Samples, thousands};
use crate::service::attempt;
use crate::service::client::{Connection, request};
use crate::service::disk::Disk;
use crate::service::house::clients;
use crate::table::Measure;
use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::{self, BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use tokio::runtime::Runtime;

/// The argument under which the program is a warm worker that answers at once.
pub const ARGUMENT: &str = "--warm-worker";
const WORKERS: usize = 8;
/// Nanoseconds that half of them may take.
const MOST: f64 = 5e6;

pub fn run(bench: &mut Bench) {
    attempt(bench, "warm", measure);
}

/// A worker with as little to do as can be.
pub fn work() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{{\"ready\":true}}")?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let told: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", json!({"task": told["task"], "output": told["inputs"]}))?;
        out.flush()?;
    }
    Ok(())
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    let count = bench.samples(4_000);
    let serving = Serving::start(WORKERS)?;
    let runtime = clients()?;
    // A copy where the users of workspaces may pass.
    let program = serving.directory().join("worker");
    std::fs::copy(std::env::current_exe()?, &program)?;
    std::fs::set_permissions(&program, Permissions::from_mode(0o755))?;
    let shared = ["quota", "set", "main", "--queue", "fair", "--shared", "true"];
    if !serving.command(&shared)?.status()?.success() {
        return Err(io::Error::other("the quota was not marked as shared"));
    }
    let ask = |path: &str, body: &Value| request("POST", path, &serving.token, "", &body.to_string());
    let mut connection = runtime.block_on(Connection::open(serving.address))?;
    let templates = [
        ("warm", json!([program.to_string_lossy(), ARGUMENT]), json!({"workers": WORKERS})),
        ("cold", json!(["true"]), Value::Null),
    ];
    for (name, command, warm) in templates {
        let mut spec = json!({"command": command, "resources": {"gpu": 1}});
        if !warm.is_null() {
            spec["warm"] = warm;
        }
        let body = json!({"metadata": {"name": name}, "spec": spec});
        runtime.block_on(connection.ask(&ask("/api/v1/templates", &body)))?;
    }
    let mut disk = Disk::open(serving.directory())?;
    let mut waits = Samples::default();
    disk.measure(1.0, &mut waits)?;
    for (name, at_once, count, what) in [
        ("warm", WORKERS, count, "a no-op task through 8 warm workers, 8 clients"),
        ("warm", 1, count / 4, "the same, one client"),
        ("cold", WORKERS, count / 8, "a no-op task as a process of its own, 8 clients"),
        ("cold", 1, count / 16, "the same, one client"),
    ] {
        bench.progress(&format!("warm: {what}"));
        let submission = ask("/api/v1/tasks", &json!({"template": name, "inputs": {"n": 1}}));
        // Until all workers are there.
        tasks(&serving, &runtime, &submission, at_once, 4 * WORKERS)?;
        let start = Start::now();
        let samples = tasks(&serving, &runtime, &submission, at_once, count.max(at_once))?;
        let rate = samples.len() as f64 / start.seconds();
        let figure = format!("{}, {} tasks/s", spread(&samples), thousands(rate as u64));
        let measure = match name {
            "warm" => Measure::target("", "p50 <= 5 ms", samples.p50() <= MOST),
            _ => Measure::plain(""),
        };
        bench.table.row(format!("submit -> result, {what}"), figure, measure);
    }
    bench.table.note(format!("warm: a write to this disk and the wait for it takes {}.", spread(&waits)));
    Ok(())
}

/// So many tasks by so many clients at the same time, each from its submission to its result.
fn tasks(
    serving: &Serving,
    runtime: &Runtime,
    submission: &[u8],
    at_once: usize,
    count: usize,
) -> io::Result<Samples> {
    let clients: Vec<_> = (0..at_once)
        .map(|_| {
            let (address, token, submission) = (serving.address, serving.token.clone(), submission.to_vec());
            runtime.spawn(async move {
                let mut connection = Connection::open(address).await?;
                let mut samples = Samples::default();
                for _ in 0..count / at_once {
                    let start = Start::now();
                    connection.ask(&submission).await?;
                    let id = id_of(connection.answer()).ok_or_else(|| io::Error::other("no id"))?;
                    let path = format!("/api/v1/tasks/{id}/result?wait=30s");
                    connection.ask(&request("GET", &path, &token, "", "")).await?;
                    samples.push(start.nanoseconds());
                    let text = String::from_utf8_lossy(connection.answer());
                    if !text.contains("\"succeeded\"") {
                        return Err(io::Error::other(text.into_owned()));
                    }
                }
                Ok(samples)
            })
        })
        .collect();
    let mut all = Samples::default();
    for client in clients {
        all.extend(runtime.block_on(client)??);
    }
    Ok(all)
}

/// The first `"id":"w-…"` of an answer.
fn id_of(answer: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let (_, rest) = text.split_once("\"id\":\"")?;
    Some(rest.split_once('"')?.0.to_string())
}
