//! Damaged files: whatever is flipped or cut, a store says so or shows exactly what was durable, and never panics.

#![allow(clippy::unwrap_used, reason = "a test")]

mod history;

use std::fs;
use std::path::Path;

use history::{History, Random};
use tempfile::TempDir;
use tidegate_store::{DATABASE_FILE, Options, Reader, SqliteStore, Store, StoreError, verify};

/// Each test tries so many damages; `TIDEGATE_STORE_TIMES` multiplies it.
const CASES: u64 = 120;

fn cases() -> u64 {
    let times = std::env::var("TIDEGATE_STORE_TIMES").ok().and_then(|times| times.parse().ok());
    CASES * times.unwrap_or(1)
}

/// Durability is not at stake here: memory is quicker where there is some.
fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in [DATABASE_FILE, "tidegate.db-wal"] {
        if from.join(file).exists() {
            fs::copy(from.join(file), to.join(file)).unwrap();
        }
    }
}

/// What became of a damaged directory.
#[derive(Debug, PartialEq)]
enum Outcome {
    Refused,
    Reported,
    /// All is well; so many groups are there.
    Whole(usize),
}

fn examine(dir: &Path, history: &History) -> Outcome {
    let store = match SqliteStore::open(dir, Options::default()) {
        Ok(store) => store,
        Err(error) => {
            told(&error);
            return Outcome::Refused;
        }
    };
    let reader = match store.reader() {
        Ok(reader) => reader,
        Err(error) => {
            told(&error);
            return Outcome::Refused;
        }
    };
    let readable = nothing_wrong_is_handed_out(&*reader, history);
    let verified = match reader.verify(&mut |_| {}) {
        Ok(verified) => verified,
        Err(error) => {
            told(&error);
            return Outcome::Reported;
        }
    };
    verified.damage.iter().for_each(told);
    if !verified.damage.is_empty() {
        return Outcome::Reported;
    }
    assert!(readable, "verified, and yet unreadable");
    Outcome::Whole(history.groups_in(&*reader).expect("verified, and yet not what was written"))
}

/// The kinds of error that damage may lead to: a flipped stamp makes a file look like somebody else's.
fn told(error: &StoreError) {
    let code = error.code();
    let kinds = ["storage-corrupt", "storage-not-ours", "storage-too-new", "storage-io", "storage-full"];
    assert!(kinds.contains(&code), "{error}");
}

/// Reads all there is; what is not an error must be what was written. Whether nothing was an error.
fn nothing_wrong_is_handed_out(reader: &dyn Reader, history: &History) -> bool {
    let mut whole = true;
    let mut next = 0;
    loop {
        match reader.entries(next, 7) {
            Ok(page) => {
                let Some(last) = page.last() else { break };
                next = last.next();
                for entry in page {
                    assert_eq!(Some(&entry.body), history.bodies.get(&entry.first), "event {}", entry.first);
                }
            }
            Err(error) => {
                told(&error);
                whole = false;
                break;
            }
        }
    }
    for (id, versions) in &history.documents {
        match reader.document(*id) {
            Ok(None) => {}
            Ok(Some(found)) => assert!(versions.contains(&found), "document {id}"),
            Err(error) => {
                told(&error);
                whole = false;
            }
        }
    }
    match reader.newest_snapshot() {
        Ok(None) => {}
        Ok(Some(found)) => assert_eq!(Some(&found.body), history.snapshots.get(&found.next)),
        Err(error) => {
            told(&error);
            whole = false;
        }
    }
    whole
}

/// A closed store: one file.
fn closed() -> (TempDir, History) {
    let dir = scratch();
    let mut history = History::default();
    let mut store = SqliteStore::open(dir.path(), Options::default()).unwrap();
    history.write(&mut store, 40);
    drop(store);
    assert!(!dir.path().join("tidegate.db-wal").exists());
    (dir, history)
}

/// A store that crashed: a file that is behind, and the write-ahead log with the rest. With `moved`, a part of the
/// log was already moved into the file.
fn crashed(moved: bool) -> (TempDir, History, usize) {
    let (dir, mut history) = closed();
    let mut store = SqliteStore::open(dir.path(), Options::default()).unwrap();
    let least = history.ends.len();
    history.write(&mut store, 15);
    if moved {
        let other = rusqlite::Connection::open(dir.path().join(DATABASE_FILE)).unwrap();
        other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
        history.write(&mut store, 15);
    }
    let after = scratch();
    copy(dir.path(), after.path());
    (after, history, least)
}

#[test]
fn without_damage_all_is_there() {
    let (dir, history) = closed();
    assert_eq!(examine(dir.path(), &history), Outcome::Whole(history.ends.len()));
    for moved in [false, true] {
        let (dir, history, _) = crashed(moved);
        assert_eq!(examine(dir.path(), &history), Outcome::Whole(history.ends.len()));
    }
}

#[test]
fn a_flipped_bit_of_the_database_is_told_or_harmless() {
    let (dir, history) = closed();
    let bytes = fs::read(dir.path().join(DATABASE_FILE)).unwrap();
    let mut random = Random::new(1);
    let mut told = 0;
    for case in 0..cases() {
        let victim = scratch();
        let mut damaged = bytes.clone();
        // The first cases go through the header, the rest anywhere.
        let at = if case < 40 { random.below(100) } else { random.below(bytes.len() as u64) } as usize;
        damaged[at] ^= 1 << random.below(8);
        fs::write(victim.path().join(DATABASE_FILE), &damaged).unwrap();
        match examine(victim.path(), &history) {
            Outcome::Whole(groups) => {
                assert_eq!(groups, history.ends.len(), "byte {at}: something is gone, unsaid")
            }
            Outcome::Refused | Outcome::Reported => told += 1,
        }
    }
    assert!(told > cases() / 4, "only {told} damages were noticed: does the test damage anything?");
}

#[test]
fn a_page_of_rubbish_is_told_or_harmless() {
    let (dir, history) = closed();
    let bytes = fs::read(dir.path().join(DATABASE_FILE)).unwrap();
    let mut random = Random::new(2);
    for _ in 0..cases() {
        let victim = scratch();
        let mut damaged = bytes.clone();
        let page = random.below(bytes.len() as u64 / 4096) as usize * 4096;
        let other = random.below(bytes.len() as u64 / 4096) as usize * 4096;
        match random.below(3) {
            0 => damaged[page..page + 4096].fill(0),
            1 => damaged.copy_within(other..other + 4096, page),
            _ => damaged[page..page + 4096].iter_mut().for_each(|byte| *byte = random.below(256) as u8),
        }
        if damaged == bytes {
            continue;
        }
        fs::write(victim.path().join(DATABASE_FILE), &damaged).unwrap();
        if let Outcome::Whole(groups) = examine(victim.path(), &history) {
            assert_eq!(groups, history.ends.len(), "page at {page}: something is gone, unsaid");
        }
    }
}

#[test]
fn a_cut_database_is_told() {
    let (dir, history) = closed();
    let bytes = fs::read(dir.path().join(DATABASE_FILE)).unwrap();
    let mut random = Random::new(3);
    let edges = [0, 1, 99, 100, 511, 512, 4095, 4096, 4097, 8192, bytes.len() - 4096, bytes.len() - 1];
    let anywhere = (0..cases() / 2).map(|_| random.below(bytes.len() as u64) as usize);
    for length in edges.into_iter().chain(anywhere.collect::<Vec<_>>()) {
        let victim = scratch();
        fs::write(victim.path().join(DATABASE_FILE), &bytes[..length]).unwrap();
        let outcome = examine(victim.path(), &history);
        assert!(!matches!(outcome, Outcome::Whole(_)), "cut to {length} of {}: {outcome:?}", bytes.len());
    }
}

#[test]
fn a_damaged_write_ahead_log_gives_a_durable_prefix_or_is_told() {
    for moved in [false, true] {
        let (dir, history, least) = crashed(moved);
        let path = |dir: &TempDir| dir.path().join("tidegate.db-wal");
        let bytes = fs::read(path(&dir)).unwrap();
        let mut random = Random::new(4 + u64::from(moved));
        let mut seen = std::collections::BTreeSet::new();
        for case in 0..cases() {
            let victim = scratch();
            copy(dir.path(), victim.path());
            let at = random.below(bytes.len() as u64) as usize;
            let mut damaged = bytes.clone();
            match case % 2 {
                0 => damaged.truncate(at),
                _ => damaged[at] ^= 1 << random.below(8),
            }
            fs::write(path(&victim), damaged).unwrap();
            match examine(victim.path(), &history) {
                Outcome::Whole(groups) => {
                    assert!(groups >= least, "{groups} groups, {least} were in the database file");
                    seen.insert(groups);
                }
                outcome => assert!(moved, "byte {at}: {outcome:?}"),
            }
        }
        assert!(moved || seen.len() > 5, "only these prefixes: {seen:?}");
    }
}

#[test]
fn a_lost_database_is_told_while_its_log_is_there() {
    let (dir, _, _) = crashed(false);
    fs::remove_file(dir.path().join(DATABASE_FILE)).unwrap();
    let opened = SqliteStore::open(dir.path(), Options::default()).map(drop);
    assert_eq!(opened.unwrap_err().code(), "storage-corrupt");
}

#[test]
fn the_older_snapshot_stands_in_for_a_damaged_one() {
    let (dir, history) = closed();
    let path = dir.path().join(DATABASE_FILE);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute("UPDATE snapshot_parts SET body = x'00' WHERE save = (SELECT save FROM snapshots ORDER BY next DESC)", [])
        .unwrap();
    drop(connection);
    let store = SqliteStore::open(dir.path(), Options::default()).unwrap();
    let found = store.reader().unwrap().newest_snapshot().unwrap().unwrap();
    let mut kept = history.snapshots.iter().rev();
    assert_eq!(found.passed_over, [*kept.next().unwrap().0]);
    assert_eq!((&found.next, &found.body), kept.next().unwrap());
    drop(store);
    assert_eq!(verify(dir.path(), &mut |_| {}).unwrap().damage.len(), 1);
}
