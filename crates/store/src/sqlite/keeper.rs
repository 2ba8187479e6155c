//! Chores beside the writer, on a connection of their own.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, params};

use super::append::run;
use super::connection::{Shared, int};
use super::failure::Context;
use super::{archive, snapshots};
use crate::entry::Archived;
use crate::error::StoreError;
use crate::snapshot::Snapshot;
use crate::store::Keeper;

/// Receipts dropped in one step.
const RECEIPTS_SWEPT: i64 = 1000;

#[derive(Debug)]
pub(crate) struct SqliteKeeper {
    connection: Connection,
    /// After the connection: see [`super::connection::Shared`].
    shared: Arc<Shared>,
}

impl SqliteKeeper {
    pub(crate) fn open(shared: Arc<Shared>) -> Result<SqliteKeeper, StoreError> {
        Ok(SqliteKeeper { connection: shared.writer()?, shared })
    }
}

impl Keeper for SqliteKeeper {
    fn save_snapshot(&mut self, snapshot: Snapshot<'_>) -> Result<(), StoreError> {
        let _one = self.shared.chores();
        snapshots::save(&mut self.connection, &self.shared, snapshot)
    }

    fn sweep(&mut self, before: u64) -> Result<u64, StoreError> {
        let context = Context::new(&self.shared.path, "receipts");
        let before = int(before.min(i64::MAX as u64), "time")?;
        // Numbers go with time: the oldest are the first.
        let sql = "DELETE FROM receipts WHERE at < ?1 AND number IN (SELECT number FROM receipts ORDER BY number LIMIT ?2)";
        let _one = self.shared.chores();
        let mut swept = 0;
        loop {
            let step = self.shared.chore(0, || {
                let transaction = context.wrap(self.connection.transaction())?;
                let step = run(&transaction, context, sql, params![before, RECEIPTS_SWEPT])? as i64;
                run(&transaction, context, "UPDATE head SET receipts = receipts - ?1", [step])?;
                context.wrap(transaction.commit())?;
                Ok(step)
            })?;
            swept += step as u64;
            if step < RECEIPTS_SWEPT {
                return Ok(swept);
            }
        }
    }

    fn archive(&mut self, before: u64, file: &Path) -> Result<Archived, StoreError> {
        let _one = self.shared.chores();
        archive::archive(&mut self.connection, &self.shared, before, file)
    }
}
