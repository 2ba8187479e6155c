//! The logs of all releases: each is replayed by every later one, and tells the same.
//!
//! `UPDATE=1` writes the file of this version, and only while it is not released: what a release has written lies on
//! people's disks, and stays as it is.

use super::history::History;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tidegate_check::{Checker, Metering};
use tidegate_engine::Engine;
use tidegate_engine::resources::Resources;
use tidegate_server::core::entry::Body;
use tidegate_server::core::recovery::read_world;
use tidegate_server::core::world::World;
use tidegate_server::core::writer::Habits;
use tidegate_store::{Entry, Options, Reader, SqliteStore, Store, open_read_only};

/// Every kind of event, as it is written. A kind that is added later comes into the log of its release.
const KINDS: [&str; 29] = [
    "PoolCreated",
    "NodeAdded",
    "NodeRemoved",
    "NodeChanged",
    "QuotaCreated",
    "PolicySet",
    "QuotaScaled",
    "Overdrawn",
    "Settled",
    "QuotaDeleted",
    "CapsSet",
    "Queued",
    "PassedOver",
    "Reserved",
    "ReservationEnded",
    "Held",
    "HoldLost",
    "Started",
    "Evicted",
    "Released",
    "Moved",
    "Lost",
    "Finished",
    "Failed",
    "Stopped",
    "PriorityChanged",
    "Resized",
    "Checkpointed",
    "Forgotten",
];
/// What else a log has, as it is written.
const PARTS: [(&str, &str); 16] = [
    ("facts", "\"facts\":["),
    ("steps", "\"steps\":["),
    ("requests", "\"request\":\"r-"),
    ("people", "\"people\":["),
    ("tasks of workers", "\"warm\":true"),
    ("price books", "\"PriceBook\":"),
    ("templates", "\"Template\":"),
    ("compute", "\"Compute\":"),
    ("corrections", "\"Correction\":"),
    ("requests for compute", "\"ResourceRequest\":"),
    ("resource configs", "\"ResourceConfig\":"),
    ("budgets", "\"Budget\":"),
    ("spent budgets", "\"told\":[["),
    ("reservations", "\"once\":"),
    ("weekly reservations", "\"weekly\":"),
    ("compute by usage", "\"byUsage\":"),
];
/// A history with every kind of event.
const SEED: u64 = 0;
/// A history that goes on for longer has missed something.
const LONGEST: u32 = 3_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Whether the changelog has a heading for a version: from then on logs of it are out in the world.
fn is_released(changelog: &str, version: &str) -> bool {
    changelog.lines().any(|line| line.starts_with(&format!("## [{version}]")))
}

#[test]
fn a_version_with_a_heading_is_released() {
    let changelog = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n- [0.1.0] was first\n";
    assert!(is_released(changelog, "0.2.0"));
    assert!(!is_released(changelog, "0.1.0") && !is_released(changelog, "0.2"));
}

/// Tells apart what kinds of events a log has.
fn kinds(log: &str) -> Vec<&'static str> {
    let has = |kind: &&str| log.contains(&format!("\"{kind}\":"));
    KINDS.into_iter().filter(has).collect()
}

fn missing_parts(log: &str) -> Vec<&'static str> {
    PARTS.into_iter().filter(|(_, part)| !log.contains(part)).map(|(of, _)| of).collect()
}

/// A line per entry: its time and its body.
fn lines(reader: &dyn Reader) -> String {
    let mut text = String::new();
    let mut from = 0;
    loop {
        let entries = reader.entries(from, 1_000).expect("the log");
        let Some(last) = entries.last() else { return text };
        from = last.next();
        for entry in &entries {
            let _ = writeln!(text, "{} {}", entry.at, String::from_utf8_lossy(&entry.body));
        }
    }
}

fn figures(r: &Resources) -> String {
    r.stated().map(|(d, amount)| format!("{}:{amount}", d.index())).collect::<Vec<_>>().join(",")
}

/// What the books say, for people to compare.
fn books(engine: &Engine) -> String {
    let mut text = String::new();
    for b in engine.books() {
        let name = engine.quota(b.quota).map(|q| q.name.to_string()).unwrap_or_default();
        let drawn: Vec<String> = b.drawn.iter().map(figures).collect();
        let _ = writeln!(
            text,
            "quota {name} guarantee {} share {} drawn {} held {} transit {} queued {}",
            figures(&b.guarantee),
            figures(&b.share),
            drawn.join("/"),
            figures(&b.held),
            figures(&b.in_transit),
            b.queued
        );
    }
    for w in engine.workloads() {
        let units: Vec<String> =
            engine.units(w.id).map(|u| format!("{}x{}", u.number, u.grant.slots.len())).collect();
        let _ = writeln!(text, "w-{} {} {} {}", w.id.0, w.spec.name, w.state.word(), units.join(" "));
    }
    // A file has no white space at the ends of its lines.
    text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// Writes the lines of a log into a store, as if this release had, and reads it.
fn replayed(log: &str) -> World {
    let data = tempfile::tempdir().expect("a directory");
    let mut store = SqliteStore::open(data.path(), Options::default()).expect("a store");
    for line in log.lines() {
        let (at, body) = line.split_once(' ').expect("a time and a body");
        let events = Body::decode(body.as_bytes()).expect("it can be read").count() as u32;
        let (at, body) = (at.parse().expect("a time"), body.as_bytes());
        let entry = Entry { first: store.head().next, events, at, body, ..Entry::default() };
        store.append(&[entry]).expect("the store takes it");
    }
    read_world(&*store.reader().expect("a reader")).expect("it can be replayed").world
}

fn record() -> String {
    let data = tempfile::tempdir().expect("a directory");
    let habits = Habits { snapshot_every: u64::MAX >> 1, ..Habits::default() };
    let mut history = History::begin(data.path(), habits, SEED);
    let log = || lines(&*open_read_only(data.path()).expect("the store"));
    for step in 0.. {
        history.step();
        let is_whole = |log: &str| kinds(log).len() == KINDS.len() && missing_parts(log).is_empty();
        if step % 25 == 0 && is_whole(&log()) {
            break;
        }
        let missing = || KINDS.into_iter().filter(|kind| !kinds(&log()).contains(kind)).collect::<Vec<_>>();
        assert!(step < LONGEST, "not there: {:?} {:?}", missing(), missing_parts(&log()));
    }
    history.end();
    log()
}

#[test]
fn the_logs_of_all_releases_tell_what_they_told() {
    let own = folder().join(format!("log-{}.jsonl", env!("CARGO_PKG_VERSION")));
    let released = is_released(include_str!("../../../../CHANGELOG.md"), env!("CARGO_PKG_VERSION"));
    if std::env::var_os("UPDATE").is_some() && !(released && own.exists()) {
        let log = record();
        fs::write(own.with_extension("books"), books(&replayed(&log).engine)).expect("the golden folder");
        fs::write(&own, log).expect("the golden folder");
    }
    assert!(own.exists(), "no log of this release; hint: UPDATE=1 writes it");
    let files = fs::read_dir(folder()).expect("the golden folder").map(|file| file.expect("a file").path());
    for file in files.filter(|file| file.extension().is_some_and(|ext| ext == "jsonl")) {
        let log = fs::read_to_string(&file).expect("a log");
        let told = fs::read_to_string(file.with_extension("books")).expect("its books");
        let world = replayed(&log);
        assert_eq!(books(&world.engine), told, "{}", file.display());
        judge(&log, &world);
    }
}

/// The checker agrees with all of it.
fn judge(log: &str, world: &World) {
    let (mut checker, mut metering) = (Checker::default(), Metering::default());
    for line in log.lines() {
        let body = Body::decode(line.split_once(' ').expect("a body").1.as_bytes()).expect("an entry");
        for events in body.commands() {
            checker.observe(events).expect("no violation");
            metering.observe(events, &checker).expect("no violation");
        }
    }
    checker.check_books(&world.engine.books()).expect("the books agree");
}

#[test]
fn the_log_of_this_release_has_every_kind_of_event() {
    let own = folder().join(format!("log-{}.jsonl", env!("CARGO_PKG_VERSION")));
    let log = fs::read_to_string(own).expect("a log");
    assert_eq!(kinds(&log), KINDS);
    for line in log.lines() {
        let body = line.split_once(' ').expect("a body").1;
        let again = Body::decode(body.as_bytes()).expect("it can be read").encode();
        assert_eq!(String::from_utf8_lossy(&again), body, "what is read is written the same");
    }
    assert_eq!(missing_parts(&log), [""; 0]);
}
