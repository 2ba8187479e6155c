//! The embedded store: one SQLite file in write-ahead mode.

mod append;
mod archive;
mod backup;
mod checkpoint;
mod connection;
mod create;
mod failure;
mod keeper;
mod past;
mod reader;
mod schema;
mod snapshots;
mod turn;
mod verify;

pub use backup::restore;
pub use verify::verify;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::Connection;

use crate::entry::{Entry, Head};
use crate::error::StoreError;
use crate::lock::DirLock;
use crate::store::{Keeper, Reader, Store};
use checkpoint::Checkpointer;
use connection::Shared;
use failure::Context;
use keeper::SqliteKeeper;
use reader::SqliteReader;

/// Name of the database in the data directory.
pub const DATABASE_FILE: &str = "tidegate.db";

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Bound on the size of the database file; beyond it every append is [`StoreError::Full`].
    pub max_bytes: Option<u64>,
}

/// The writer of a data directory. Dropping it gives the directory back.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Connection,
    head: Head,
    /// Whether the last append left it open what the file holds; then it is read before the next one.
    unsure: bool,
    _checkpointer: Checkpointer,
    shared: Arc<Shared>,
    /// Last, so that the file is closed before somebody else may open it.
    _lock: DirLock,
}

impl SqliteStore {
    /// Opens the store of a data directory; makes directory and database if there are none.
    pub fn open(dir: &Path, options: Options) -> Result<SqliteStore, StoreError> {
        let lock = create::claim(dir)?;
        let path = dir.join(DATABASE_FILE);
        create::ensure(&path)?;
        let shared = Arc::new(Shared::new(path, options)?);
        let mut connection = shared.writer()?;
        schema::migrate(&mut connection, schema::MIGRATIONS, &shared.path)?;
        schema::check_definitions(&connection, &shared.path)?;
        let head = reader::checked_head(&connection, &shared.path)?;
        shared.base.store(head.base, Ordering::Relaxed);
        let checkpointer = Checkpointer::start(Arc::clone(&shared))?;
        Ok(SqliteStore { connection, head, unsure: false, _checkpointer: checkpointer, shared, _lock: lock })
    }
}

/// A reader of a data directory that another process may have open; takes no lock and changes nothing.
pub fn open_read_only(dir: &Path) -> Result<Box<dyn Reader>, StoreError> {
    let path = dir.join(DATABASE_FILE);
    let stamp = schema::stamp(&connection::open_reader(&path)?, &path)?;
    schema::check_stamp(stamp, schema::APPLICATION_ID, schema::KNOWN, &path)?;
    Ok(Box::new(SqliteReader::open(&path, None)?))
}

/// A reader of an archive, see [`Keeper::archive`].
pub fn open_archive(file: &Path) -> Result<Box<dyn Reader>, StoreError> {
    let stamp = schema::stamp(&connection::open_reader(file)?, file)?;
    schema::check_stamp(stamp, schema::ARCHIVE_ID, schema::KNOWN, file)?;
    Ok(Box::new(SqliteReader::open(file, None)?))
}

impl Store for SqliteStore {
    fn append(&mut self, group: &[Entry<'_>]) -> Result<(), StoreError> {
        if self.unsure {
            self.head = reader::checked_head(&self.connection, &self.shared.path)?;
            self.unsure = false;
        }
        let plan = append::plan(self.head, group)?;
        let appended = {
            let _turn = self.shared.turns.writer();
            append::write(&mut self.connection, &self.shared.path, &plan)
        };
        self.shared.wrote(plan.bytes());
        match appended {
            Ok(()) => self.head = plan.after,
            Err(_) => self.unsure = true,
        }
        appended
    }

    fn head(&self) -> Head {
        Head { base: self.shared.base.load(Ordering::Relaxed), ..self.head }
    }

    fn set_meta(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        let _turn = self.shared.turns.writer();
        append::set_meta(&self.connection, Context::new(&self.shared.path, "meta"), key, value)
    }

    fn reader(&self) -> Result<Box<dyn Reader>, StoreError> {
        Ok(Box::new(SqliteReader::open(&self.shared.path, Some(Arc::clone(&self.shared)))?))
    }

    fn keeper(&self) -> Result<Box<dyn Keeper>, StoreError> {
        Ok(Box::new(SqliteKeeper::open(Arc::clone(&self.shared))?))
    }
}
