//! A world that was read from a snapshot and the rest of the log is the world that the whole log tells.

use super::history::History;
use std::path::Path;
use tidegate_engine::Command;
use tidegate_engine::ids::{Span, Tick};
use tidegate_server::core::recovery::{Read, encode_world, read_world};
use tidegate_server::core::world::World;
use tidegate_server::core::writer::Habits;
use tidegate_store::{
    Archived, Head, Options, PastQuery, Progress, Reader, Size, Snapshot, SqliteStore, Store, StoreError,
    StoredEntry, StoredPast, StoredReceipt, StoredSnapshot, Verified, open_read_only,
};

/// Histories; `TIDEGATE_HISTORIES` asks for more.
const HISTORIES: u64 = 4;
const STEPS: u32 = 250;

/// A reader that knows no snapshots.
struct Plain(Box<dyn Reader>);

impl Reader for Plain {
    fn another(&self) -> Result<Box<dyn Reader>, StoreError> {
        self.0.another()
    }
    fn head(&self) -> Result<Head, StoreError> {
        self.0.head()
    }
    fn entries(&self, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        self.0.entries(from, limit)
    }
    fn snapshot_below(&self, _: u64) -> Result<Option<StoredSnapshot>, StoreError> {
        Ok(None)
    }
    fn document(&self, id: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.document(id)
    }
    fn documents(&self, from: u64, limit: usize) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.0.documents(from, limit)
    }
    fn past(&self, query: &PastQuery) -> Result<Vec<StoredPast>, StoreError> {
        self.0.past(query)
    }
    fn receipt(&self, key: &str) -> Result<Option<StoredReceipt>, StoreError> {
        self.0.receipt(key)
    }
    fn meta(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.meta(key)
    }
    fn size(&self) -> Result<Size, StoreError> {
        self.0.size()
    }
    fn archives(&self) -> Result<Vec<Archived>, StoreError> {
        self.0.archives()
    }
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError> {
        self.0.verify(progress)
    }
    fn backup(&self, file: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError> {
        self.0.backup(file, progress)
    }
}

fn habits(snapshot_every: u64) -> Habits {
    Habits { snapshot_every, retain: Span::seconds(60), ..Habits::default() }
}

fn read(data: &Path) -> (Read, World) {
    let open = || open_read_only(data).expect("the store");
    let whole = read_world(&Plain(open())).expect("a world").world;
    (read_world(&*open()).expect("a world"), whole)
}

/// Both are the same now, and stay so when time passes.
fn same(mut a: World, mut b: World, of: &str) {
    for later in [0, 1, 60_000] {
        let at = Tick(a.at.max(b.at).0 + later);
        let woken = [&mut a, &mut b].map(|world| world.engine.handle(at, Command::Wake));
        assert_eq!(woken[0], woken[1], "{of}: after {later} ms");
        assert!(a.engine == b.engine, "{of}: the engines differ after {later} ms");
    }
    assert_eq!(a.people, b.people, "{of}");
    assert_eq!(a.business, b.business, "{of}");
    assert_eq!(a.shell, b.shell, "{of}");
    assert_eq!(a.next, b.next, "{of}");
    assert_eq!(format!("{:?}", a.dispatch), format!("{:?}", b.dispatch), "{of}");
    assert_eq!(a.documents, b.documents, "{of}");
}

#[test]
fn a_snapshot_and_the_rest_tell_what_the_whole_log_tells() {
    let histories =
        std::env::var("TIDEGATE_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(HISTORIES);
    for seed in 0..histories {
        let data = tempfile::tempdir().expect("a directory");
        let mut history = History::begin(data.path(), habits(40), seed);
        (0..STEPS).for_each(|_| history.step());
        let live = history.control.read_blocking(Clone::clone);
        history.end();
        let (read, whole) = read(data.path());
        assert!(read.snapshot > 0, "no snapshot was saved");
        same(live, whole.clone(), &format!("history {seed}, live and replayed"));
        same(read.world, whole, &format!("history {seed}, from a snapshot and replayed"));
    }
}

#[test]
fn a_snapshot_that_cannot_be_read_is_passed_over() {
    let data = tempfile::tempdir().expect("a directory");
    let mut history = History::begin(data.path(), habits(u64::MAX >> 1), 1);
    (0..60).for_each(|_| history.step());
    history.end();
    let (_, whole) = read(data.path());
    let (format, good) = encode_world(&whole).expect("a world can be written");
    let half = &good[..good.len() / 2];
    for (format, body, passed) in
        [(format + 1, &good[..], true), (format, half, true), (format, b"", true), (format, &good[..], false)]
    {
        let store = SqliteStore::open(data.path(), Options::default()).expect("the store");
        let snapshot = Snapshot { next: whole.next, format, body };
        store.keeper().expect("a keeper").save_snapshot(snapshot).expect("it is saved");
        drop(store);
        let (read, again) = read(data.path());
        assert_eq!(read.snapshot, if passed { 0 } else { whole.next });
        same(read.world, again, "after a snapshot that cannot be read");
    }
}
