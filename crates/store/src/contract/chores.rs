//! Cases about snapshots, sweeping, archives, and checking everything.

use super::Fixture;
use super::sample::{entry, fill, parts, reader};
use crate::entry::{Archived, Entry, Receipt};
use crate::error::StoreError;
use crate::past::PastRow;
use crate::snapshot::Snapshot;
use crate::store::Store;

fn save(store: &dyn Store, next: u64, body: &[u8]) -> Result<(), StoreError> {
    store.keeper().expect("a keeper").save_snapshot(Snapshot { next, format: 3, body })
}

pub(super) fn a_snapshot_is_read_back(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 3, 2);
    // Longer than any part that a store may cut it into.
    let body: Vec<u8> = (0..=250).cycle().take(3_000_001).collect();
    save(&*store, 4, &body).expect("saved");
    drop(store);
    let found = reader(&*fixture.open()).newest_snapshot().expect("readable").expect("there");
    assert_eq!((found.next, found.format, found.passed_over), (4, 3, vec![]));
    assert!(found.body == body, "{} bytes of {}", found.body.len(), body.len());
}

pub(super) fn the_two_newest_snapshots_are_kept(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 9, 1);
    for next in [0, 5, 3, 9] {
        save(&*store, next, format!("at {next}").as_bytes()).expect("saved");
    }
    save(&*store, 9, b"again").expect("saved over");
    let reader = reader(&*store);
    let below = |below| {
        reader
            .snapshot_below(below)
            .expect("readable")
            .map(|found| (found.next, String::from_utf8(found.body)))
    };
    assert_eq!(below(u64::MAX), Some((9, Ok("again".into()))));
    assert_eq!(below(9), Some((5, Ok("at 5".into()))));
    assert_eq!(below(5), None);
    save(&*store, 9, b"").expect("an empty one");
    assert_eq!(below(u64::MAX), Some((9, Ok(String::new()))));
}

pub(super) fn a_snapshot_stands_between_entries(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 2, 3);
    for next in [1, 2, 4, 5, 7, u64::MAX] {
        let saved = save(&*store, next, b"x");
        assert!(matches!(saved, Err(StoreError::Misuse { .. })), "inside an entry or past the end: {next}");
    }
    assert_eq!(reader(&*store).newest_snapshot(), Ok(None));
    for next in [0, 3, 6] {
        save(&*store, next, b"x").expect("between entries");
    }
}

pub(super) fn old_receipts_are_swept(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let keys: Vec<String> = (0..2490).map(|at| format!("key-{at}")).collect();
    let entry = |at, key| {
        let receipt = Receipt { key, request: b"r", status: 200, body: b"{}" };
        Entry { first: at, events: 1, at, body: b"x", receipt: Some(receipt), ..Entry::default() }
    };
    let group: Vec<Entry<'_>> = (0..).zip(&keys).map(|(at, key)| entry(at, key)).collect();
    store.append(&group).expect("many receipts");
    let mut keeper = store.keeper().expect("a keeper");
    assert_eq!(keeper.sweep(2400), Ok(2400));
    assert_eq!(keeper.sweep(2400), Ok(0));
    let reader = reader(&*store);
    assert_eq!(reader.receipt("key-2399"), Ok(None));
    assert_eq!(reader.receipt("key-2400").map(|found| found.map(|found| found.at)), Ok(Some(2400)));
    assert_eq!(keeper.sweep(u64::MAX), Ok(90));
    assert_eq!(
        reader.verify(&mut |_| {}).and_then(|verified| verified.sound()).map(|found| found.receipts),
        Ok(0)
    );
}

pub(super) fn nothing_is_archived_before_two_snapshots_cover_it(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let expected = fill(&mut *store, 10, 1);
    let file = fixture.scratch().join("archive");
    let mut keeper = store.keeper().expect("a keeper");
    assert_eq!(keeper.archive(10, &file).map(|archived| archived.entries), Ok(0));
    save(&*store, 8, b"x").expect("saved");
    assert_eq!(keeper.archive(10, &file).map(|archived| archived.entries), Ok(0));
    assert!(!file.exists());
    assert_eq!(parts(reader(&*store).entries(0, 100).expect("entries")), expected);
}

pub(super) fn the_beginning_of_the_log_is_archived(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let mut expected = fill(&mut *store, 1500, 2);
    save(&*store, 2400, b"older").expect("saved");
    save(&*store, 3000, b"newer").expect("saved");
    let mut keeper = store.keeper().expect("a keeper");
    let (one, two) = (fixture.scratch().join("one"), fixture.scratch().join("two"));
    let archived = keeper.archive(2101, &one).expect("archived");
    assert_eq!(
        (archived.first, archived.next, archived.entries),
        (0, 2100, 1050),
        "whole entries below 2101"
    );
    let archived = keeper.archive(u64::MAX, &two).expect("archived");
    assert_eq!(
        (archived.first, archived.next, archived.entries),
        (2100, 2400, 150),
        "below the older snapshot"
    );
    drop(keeper);

    assert_eq!(store.head().base, 2400);
    expected.extend(fill(&mut *store, 3, 1));
    drop(store);
    let store = fixture.open();
    let head = store.head();
    assert_eq!((head.base, head.next), (2400, 3003));
    let reader = reader(&*store);
    assert_eq!(reader.entries(2399, 1), Err(StoreError::Archived { asked: 2399, base: 2400 }));
    assert_eq!(parts(reader.entries(2400, 10_000).expect("entries")), expected[1200..]);
    let files: Vec<Archived> = reader.archives().expect("archives");
    assert_eq!(files.iter().map(|archived| &archived.file).collect::<Vec<_>>(), [&one, &two]);
    assert!(reader.verify(&mut |_| {}).and_then(|verified| verified.sound()).is_ok());
    assert_eq!(reader.snapshot_below(2400).map(drop).map_err(|error| error.code()), Err("storage-corrupt"));
}

pub(super) fn everything_can_be_archived(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 5, 1);
    save(&*store, 5, b"x").expect("saved");
    let head = store.head();
    fill(&mut *store, 1, 1);
    save(&*store, 6, b"y").expect("saved");
    let archived =
        store.keeper().expect("a keeper").archive(u64::MAX, &fixture.scratch().join("a")).expect("archived");
    assert_eq!((archived.next, archived.hash), (5, head.hash), "the log goes on from the archive's hash");
    drop(store);
    let mut store = fixture.open();
    fill(&mut *store, 2, 1);
    assert_eq!(reader(&*store).entries(5, 10).map(|found| found.len()), Ok(3));
}

pub(super) fn an_archive_overwrites_nothing(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 5, 1);
    save(&*store, 4, b"x").expect("saved");
    save(&*store, 5, b"x").expect("saved");
    let file = fixture.scratch().join("precious");
    std::fs::write(&file, "precious").expect("written");
    let archived = store.keeper().expect("a keeper").archive(u64::MAX, &file);
    assert_eq!(archived, Err(StoreError::Exists { path: file.clone() }));
    assert_eq!(std::fs::read(&file).expect("still there"), b"precious");
    assert_eq!(store.head().base, 0);
}

pub(super) fn all_is_well_in_a_used_store(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 2100, 2);
    for round in 0..3_u64 {
        let past = [PastRow { id: round % 2, name: "w", body: b"p", ..PastRow::default() }];
        let receipt =
            Receipt { key: if round < 2 { "a" } else { "b" }, request: b"r", status: 200, body: b"{}" };
        let documents: [(u64, &[u8]); 2] = [(round % 2, b"d"), (round + 10, b"e")];
        let entry =
            Entry { documents: &documents, past: &past, receipt: Some(receipt), ..entry(&*store, b"x") };
        store.append(&[entry]).expect("appended");
    }
    store.set_meta("key", b"value").expect("set");
    save(&*store, 4200, b"snapshot").expect("saved");
    let (mut reports, mut parts) = (0, Vec::new());
    let verified = reader(&*store).verify(&mut |progress| {
        assert!(progress.done <= progress.total, "{progress:?}");
        reports += 1;
        if parts.last() != Some(&progress.part) {
            parts.push(progress.part);
        }
    });
    let verified = verified.expect("begins").sound().expect("all is well");
    assert_eq!((verified.base, verified.next, verified.entries), (0, 4203, 2103));
    assert_eq!((verified.documents, verified.past, verified.receipts, verified.snapshots), (5, 2, 2, 1));
    assert_eq!(parts, ["log", "documents", "past workloads", "receipts", "tables"]);
    assert!(reports >= 7, "{reports} reports");
}

/// Threads that write, keep and read at once: nobody fails, nothing is missed.
pub(super) fn chores_run_beside_appends(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 10, 1);
    let (mut keeper, reader) = (store.keeper().expect("a keeper"), reader(&*store));
    let scratch = fixture.scratch();
    std::thread::scope(|scope| {
        let appends = scope.spawn(|| (0..30).for_each(|_| drop(fill(&mut *store, 5, 1))));
        let chores = scope.spawn(|| {
            let body = vec![7; 1_000_000];
            for round in 0..5 {
                keeper.save_snapshot(Snapshot { next: 2 * round, format: 0, body: &body }).expect("saved");
                keeper.sweep(round).expect("swept");
                keeper.archive(u64::MAX, &scratch.join(format!("{round}"))).expect("archived");
            }
        });
        let reads = scope.spawn(move || {
            for _ in 0..20 {
                let verified = reader.verify(&mut |_| {}).expect("begins");
                assert_eq!(verified.damage, []);
            }
        });
        for thread in [appends, chores, reads] {
            thread.join().expect("no thread fails");
        }
    });
    assert_eq!((store.head().base, store.head().next), (6, 160));
}
