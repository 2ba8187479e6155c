//! What a store does by itself: it keeps its write-ahead log short while appends go on.

#![allow(clippy::unwrap_used, reason = "a test")]

use tidegate_store::{Entry, Options, SqliteStore, Store};

/// Fills the log in groups of a megabyte.
fn append_megabytes(store: &mut SqliteStore, megabytes: usize) {
    let body = vec![7; 256 << 10];
    for _ in 0..megabytes {
        let next = store.head().next;
        let entries: Vec<Entry<'_>> = (next..next + 4)
            .map(|first| Entry { first, events: 1, body: &body, ..Entry::default() })
            .collect();
        store.append(&entries).unwrap();
    }
}

#[test]
fn the_write_ahead_log_stays_short_while_appends_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(dir.path(), Options::default()).unwrap();
    let reader = store.reader().unwrap();
    let mut most = 0;
    for _ in 0..30 {
        append_megabytes(&mut store, 5);
        most = most.max(reader.size().unwrap().pending);
    }
    let size = reader.size().unwrap();
    assert!(size.database > 60 << 20, "the database has {} bytes: nothing was moved into it", size.database);
    assert!(most < 110 << 20, "the log had {most} bytes");
}
