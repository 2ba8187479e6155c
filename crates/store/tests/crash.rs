//! A writer that is killed in the middle of its work: whatever it had acknowledged is there, and nothing is half done.

#![allow(clippy::unwrap_used, reason = "a test")]

mod history;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use history::{Group, History, Random};
use tidegate_store::{Options, Snapshot, SqliteStore, Store};

/// Kills; `TIDEGATE_STORE_TIMES` multiplies it.
const ROUNDS: u64 = 12;
/// Names the data directory to the process that is to be killed.
const CHILD: &str = "TIDEGATE_STORE_CRASH_DIR";
const TEST: &str = "what_was_acknowledged_survives_a_kill";

#[test]
fn what_was_acknowledged_survives_a_kill() {
    if let Some(dir) = std::env::var_os(CHILD) {
        write_until_killed(Path::new(&dir));
    }
    let times: u64 =
        std::env::var("TIDEGATE_STORE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut random = Random::new(7);
    for round in 0..ROUNDS * times {
        let acknowledged = kill_after(&data, random.below(60));
        let store = SqliteStore::open(&data, Options::default()).unwrap();
        let reader = store.reader().unwrap();
        let next = store.head().next;
        assert!(
            next >= acknowledged,
            "round {round}: {acknowledged} was acknowledged, the log ends at {next}"
        );
        let verified = reader.verify(&mut |_| {}).unwrap();
        assert_eq!(verified.damage, [], "round {round}");
        History::up_to(next).groups_in(&*reader).unwrap_or_else(|what| panic!("round {round}: {what}"));
        let snapshot = reader.newest_snapshot().unwrap();
        assert!(
            snapshot.is_none_or(|found| found.body == snapshot_body(found.next)),
            "round {round}: snapshot"
        );
        let mut next = 0;
        for archived in reader.archives().unwrap() {
            assert!(archived.first <= next, "round {round}: events {next} to {} are nowhere", archived.first);
            next = archived.next;
            let archive = tidegate_store::verify(&archived.file, &mut |_| {}).unwrap().sound().unwrap();
            assert_eq!((archive.base, archive.next), (archived.first, archived.next));
        }
        assert!(
            store.head().base <= next,
            "round {round}: events {next} to {} are nowhere",
            store.head().base
        );
    }
}

/// Starts a writer, kills it after so many acknowledgements, and says how far it had come by its own word.
fn kill_after(data: &Path, acknowledgements: u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture"])
        .env(CHILD, data)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let acknowledged =
        |line: String| line.strip_prefix("acknowledged ").and_then(|next| next.parse::<u64>().ok());
    let mut last = 0;
    let mut seen = 0;
    while seen <= acknowledgements {
        let line = lines.next().expect("the writer ended by itself");
        if let Some(next) = acknowledged(line) {
            (last, seen) = (next, seen + 1);
        }
    }
    child.kill().unwrap();
    // What it said before it died counts too. The last line may be cut short.
    let rest: Vec<u64> = lines.filter_map(acknowledged).collect();
    child.wait().unwrap();
    let whole = rest.len().saturating_sub(1);
    rest[..whole].last().copied().unwrap_or(last)
}

fn snapshot_body(next: u64) -> Vec<u8> {
    vec![next as u8; 300_000 + next as usize % 1000]
}

/// Appends without end, while another thread saves snapshots, sweeps and archives.
fn write_until_killed(data: &Path) {
    let mut store = SqliteStore::open(data, Options::default()).unwrap();
    let mut index = History::up_to(store.head().next).ends.len() as u64;
    let (mut keeper, reader) = (store.keeper().unwrap(), store.reader().unwrap());
    let archives = data.join("archives");
    std::fs::create_dir_all(&archives).unwrap();
    std::thread::spawn(move || {
        loop {
            let next = reader.head().unwrap().next;
            keeper.save_snapshot(Snapshot { next, format: 1, body: &snapshot_body(next) }).unwrap();
            keeper.sweep(0).unwrap();
            let file = archives.join(format!("{next}"));
            if !file.exists() {
                keeper.archive(u64::MAX, &file).unwrap();
            }
        }
    });
    loop {
        let group = Group::new(index, store.head().next);
        group.append(&mut store).unwrap();
        println!("acknowledged {}", group.end);
        index += 1;
    }
}
