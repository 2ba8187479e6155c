//! How a connection is opened, and what all connections of a store share.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::Options;
use super::failure::Context;
use crate::error::StoreError;

/// Only another program can make us wait for its lock: our own threads take turns.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// All statements of a connection stay prepared.
const STATEMENTS: usize = 64;

/// Shared by the writer, the keepers, the readers and the checkpointer of one store.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) path: PathBuf,
    pub(crate) options: Options,
    /// Whoever writes holds it: fairer and prompter than SQLite's own waiting, which sleeps.
    turn: Mutex<()>,
    /// [`crate::Head::base`], moved by a keeper and read by the writer.
    pub(crate) base: AtomicU64,
}

impl Shared {
    pub(crate) fn new(path: PathBuf, options: Options) -> Shared {
        Shared { path, options, turn: Mutex::new(()), base: AtomicU64::new(0) }
    }

    /// Nothing is guarded but the turn itself: a writer that panicked has rolled back.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn writer(&self) -> Result<Connection, StoreError> {
        open_writer(&self.path, &self.options)
    }
}

/// Durable at every commit; checkpoints are left to the checkpointer.
pub(crate) fn open_writer(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    let context = Context::new(path, "opening");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = context.wrap(Connection::open_with_flags(path, flags))?;
    prepare(&connection, context)?;
    let mode: String =
        context.wrap(connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)))?;
    if mode != "wal" {
        let what = format!("this file system cannot hold a write-ahead log (journal mode {mode})");
        return Err(StoreError::Io { path: path.to_path_buf(), what });
    }
    context.wrap(connection.pragma_update(None, "synchronous", "FULL"))?;
    context.wrap(connection.pragma_update(None, "wal_autocheckpoint", 0))?;
    if let Some(bytes) = options.max_bytes {
        let page: u64 = context
            .wrap(connection.pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0)))?
            as u64;
        let pages = i64::try_from(bytes / page.max(1)).unwrap_or(i64::MAX);
        context.wrap(connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())))?;
    }
    Ok(connection)
}

pub(crate) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let context = Context::new(path, "opening");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = context.wrap(Connection::open_with_flags(path, flags))?;
    prepare(&connection, context)?;
    Ok(connection)
}

fn prepare(connection: &Connection, context: Context<'_>) -> Result<(), StoreError> {
    context.wrap(connection.busy_timeout(BUSY_TIMEOUT))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Damage is to be reported, not followed.
    context.wrap(connection.pragma_update(None, "cell_size_check", true))?;
    context.wrap(connection.pragma_update(None, "trusted_schema", false))?;
    context.wrap(connection.pragma_update(None, "temp_store", "MEMORY"))
}

/// SQLite's integers have a sign.
pub(crate) fn int(value: u64, of: &str) -> Result<i64, StoreError> {
    i64::try_from(value)
        .map_err(|_| StoreError::misuse(format!("{of} is {value}, the limit is {}", i64::MAX)))
}
