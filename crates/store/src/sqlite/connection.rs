//! How a connection is opened, and what all connections of a store share.

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::Options;
use super::checkpoint::Written;
use super::failure::Context;
use super::reader::number;
use super::turn::Turns;
use crate::error::StoreError;

/// Only another program can make us wait for its lock: our own threads take turns.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// All statements of a connection stay prepared.
const STATEMENTS: usize = 64;

/// Shared by the writer, the keepers, the readers and the checkpointer of one store. Whoever has it drops it after
/// its connection: see [`open_file`].
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) path: PathBuf,
    options: Options,
    pub(crate) file: File,
    pub(crate) page_bytes: u64,
    pub(crate) turns: Turns,
    pub(crate) written: Written,
    /// [`crate::Head::base`], moved by a keeper and read by the writer.
    pub(crate) base: AtomicU64,
    /// One chore at a time: two would tread on each other's half-done work.
    chores: Mutex<()>,
}

impl Shared {
    pub(crate) fn new(path: PathBuf, options: Options) -> Result<Shared, StoreError> {
        let file = open_file(&path)?;
        let connection = open_reader(&path)?;
        let context = Context::new(&path, "its header");
        let page_bytes =
            context.wrap(connection.pragma_query_value(None, "page_size", |row| number(row, 0)))?;
        drop(connection);
        let (turns, written) = (Turns::default(), Written::default());
        let (base, chores) = (AtomicU64::new(0), Mutex::new(()));
        Ok(Shared { path, options, file, page_bytes, turns, written, base, chores })
    }

    pub(crate) fn writer(&self) -> Result<Connection, StoreError> {
        open_writer(&self.path, &self.options)
    }

    /// Nothing is guarded but the order: a chore that panicked has rolled back.
    pub(crate) fn chores(&self) -> MutexGuard<'_, ()> {
        self.chores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One step of a chore, in its turn; `bytes` is what it writes beyond a few pages.
    pub(crate) fn chore<T>(
        &self,
        bytes: usize,
        step: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = {
            let _turn = self.turns.chore();
            step()
        };
        self.wrote(bytes);
        done
    }

    /// Tells the checkpointer. Whole pages are written, of several tables; the figure need not be exact.
    pub(crate) fn wrote(&self, bytes: usize) {
        self.written.add(bytes as u64 + 4 * self.page_bytes);
    }
}

/// Opens the file for [`File::sync_data`]. It must stay open as long as any connection of this process: closing it
/// would drop the locks that SQLite holds on the file.
fn open_file(path: &Path) -> Result<File, StoreError> {
    File::open(path).map_err(|error| StoreError::io(path, &error))
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

/// Reads a file that nobody writes, without leaving the files beside it that readers of a live one need.
pub(crate) fn open_still(path: &Path) -> Result<Connection, StoreError> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte))
            }
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    let context = Context::new(path, "opening");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = context.wrap(Connection::open_with_flags(&uri, flags))?;
    prepare(&connection, context)?;
    Ok(connection)
}

/// For a file that nobody knows yet: it is synced as a whole once it is done, and thrown away if it is not.
pub(crate) fn open_scratch(path: &Path) -> Result<Connection, StoreError> {
    let context = Context::new(path, "opening");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = context.wrap(Connection::open_with_flags(path, flags))?;
    prepare(&connection, context)?;
    context.wrap(connection.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(())))?;
    context.wrap(connection.pragma_update(None, "synchronous", "OFF"))?;
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
