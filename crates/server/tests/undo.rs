//! A store that refuses: what was decided and could not be written never happened.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::ids::PoolId;
use tidegate_engine::words::PoolKind;
use tidegate_engine::{Command, Refusal};
use tidegate_server::core::control::{Control, Unavailable};
use tidegate_server::core::deck::Receipt;
use tidegate_server::core::entry::Origin;
use tidegate_server::core::outbox::Outbox;
use tidegate_server::core::recovery::read_world;
use tidegate_server::core::writer::{self, Habits};
use tidegate_store::{Entry, Head, Keeper, Options, Reader, SqliteStore, Store, StoreError};

/// Refuses to append while it is told to.
struct Moody {
    inner: SqliteStore,
    refuses: Arc<AtomicBool>,
}

impl Store for Moody {
    fn append(&mut self, group: &[Entry<'_>]) -> Result<(), StoreError> {
        if self.refuses.load(Ordering::SeqCst) {
            return Err(StoreError::Io { path: "disk".into(), what: "not today".into() });
        }
        self.inner.append(group)
    }

    fn head(&self) -> Head {
        self.inner.head()
    }

    fn set_meta(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.inner.set_meta(key, value)
    }

    fn reader(&self) -> Result<Box<dyn Reader>, StoreError> {
        self.inner.reader()
    }

    fn keeper(&self) -> Result<Box<dyn Keeper>, StoreError> {
        self.inner.keeper()
    }
}

async fn create(control: Control, name: String) -> Result<Result<(), Refusal>, Unavailable> {
    let command = Command::CreatePool { name: name.into(), kind: PoolKind::General };
    control.write(Origin::new("admin", "pool.create"), move |deck| deck.command(command).map(|_| ())).await
}

/// A writer over a store that refuses on demand.
fn moody(data: &Path) -> (Control, JoinHandle<()>, Arc<AtomicBool>) {
    let inner = SqliteStore::open(data, Options::default()).expect("a store");
    let read = read_world(&*inner.reader().expect("a reader")).expect("a world");
    let refuses = Arc::new(AtomicBool::new(false));
    let store = Box::new(Moody { inner, refuses: refuses.clone() });
    let outbox = Outbox::new(channel().0);
    // It is asked again at once.
    let habits = Habits { rest: Duration::ZERO, ..Habits::default() };
    let (control, thread) = writer::start(read, store, outbox, habits).expect("a writer");
    (control, thread, refuses)
}

/// Whoever asks with a key looks into the store before it asks the writer. What became durable in between, and was
/// read again from the log because of somebody else, must still be known by its key.
#[test]
fn a_key_is_known_after_another_request_was_undone() {
    let data = tempfile::tempdir().expect("a directory");
    let (control, thread, refuses) = moody(data.path());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ask = |key: &'static str| {
        let origin = Origin::new("admin", "pool.create");
        let outcome = runtime.block_on(control.write(origin, move |deck| {
            if deck.world().receipts.get(key, deck.now()).is_some() {
                return "again";
            }
            let command = Command::CreatePool { name: key.into(), kind: PoolKind::General };
            deck.command(command).expect("a pool");
            let at = deck.now();
            deck.remember(Receipt { key: key.into(), request: [0; 32], status: 201, body: [].into(), at });
            "new"
        }));
        outcome.map_err(|_| "undone")
    };
    assert_eq!(ask("a"), Ok("new"));
    refuses.store(true, Ordering::SeqCst);
    assert_eq!(ask("b"), Err("undone"));
    refuses.store(false, Ordering::SeqCst);
    assert_eq!(ask("a"), Ok("again"), "it is durable, and done once");
    assert_eq!(ask("b"), Ok("new"), "it was undone, and its key with it");
    assert_eq!(ask("b"), Ok("again"));
    control.close();
    drop(control);
    thread.join().expect("it ends in order");
}

#[test]
fn what_cannot_be_written_never_happened() {
    let data = tempfile::tempdir().expect("a directory");
    let (control, thread, refuses) = moody(data.path());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let many = |names: std::ops::Range<u32>| {
        let ask = |n| runtime.spawn(create(control.clone(), format!("pool-{n}")));
        let asked: Vec<_> = names.map(ask).collect();
        asked.into_iter().map(|task| runtime.block_on(task).expect("an answer")).collect::<Vec<_>>()
    };
    let created = |outcome: &Result<Result<(), Refusal>, Unavailable>| matches!(outcome, Ok(Ok(())));
    let undone = |outcome: &Result<Result<(), Refusal>, Unavailable>| {
        matches!(outcome, Err(Unavailable::Store { .. }))
    };
    for round in 0..20 {
        assert!(many(round * 10..round * 10 + 5).iter().all(created));
        refuses.store(true, Ordering::SeqCst);
        let answers = many(round * 10 + 5..round * 10 + 10);
        assert!(answers.iter().all(undone), "{answers:?}");
        refuses.store(false, Ordering::SeqCst);
        let next = runtime.block_on(control.read(|world, _| world.next)).expect("readable");
        assert_eq!(next, u64::from(round + 1) * 5);
    }
    let pools = |world: &tidegate_server::core::world::World| {
        (0..200)
            .filter_map(|n| world.engine.pool(PoolId(n)).map(|pool| pool.name.to_string()))
            .collect::<Vec<_>>()
    };
    let before = control.read_blocking(pools);
    assert_eq!(before.len(), 100);
    control.close();
    drop(control);
    thread.join().expect("it ends in order");
    let store = SqliteStore::open(data.path(), Options::default()).expect("a store");
    let after = read_world(&*store.reader().expect("a reader")).expect("a world");
    assert_eq!(pools(&after.world), before);
    assert_eq!(store.head().next, 100);
}
