//! Reading, on a connection of its own. Whatever is handed out has been checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::connection::{Shared, int, open_reader};
use super::create::with_suffix;
use super::failure::Context;
use super::{append, archive, backup, past, snapshots, verify};
use crate::chain::{self, Hash};
use crate::entry::{Archived, Head, Receipt, Size, StoredEntry, StoredReceipt};
use crate::error::StoreError;
use crate::past::{PastQuery, StoredPast};
use crate::snapshot::StoredSnapshot;
use crate::store::Reader;
use crate::verified::{Progress, Verified};

/// A page ends once it holds this many bytes: a caller that asks for many small rows must not get gigabytes of
/// large ones.
pub(crate) const PAGE_BYTES: usize = 32 << 20;
/// Rows of a page where the store itself reads page by page.
pub(crate) const PAGE: usize = 1000;

#[derive(Debug)]
pub(crate) struct SqliteReader {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// After the connection; absent if the store is not open in this process.
    shared: Option<Arc<Shared>>,
}

impl SqliteReader {
    pub(crate) fn open(path: &Path, shared: Option<Arc<Shared>>) -> Result<SqliteReader, StoreError> {
        Ok(SqliteReader { connection: open_reader(path)?, path: path.to_path_buf(), shared })
    }

    /// Keys of receipts after `after`, in the order of keys.
    pub(crate) fn receipt_keys(&self, after: &str) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT key FROM receipts WHERE key > ?1 ORDER BY key LIMIT ?2";
        self.keys("receipts", sql, params![after, PAGE as i64])
    }

    pub(crate) fn meta_keys(&self) -> Result<Vec<String>, StoreError> {
        self.keys("meta", "SELECT key FROM meta", [])
    }

    fn keys(&self, part: &str, sql: &str, values: impl rusqlite::Params) -> Result<Vec<String>, StoreError> {
        let context = self.context(part);
        let mut statement = context.wrap(self.connection.prepare_cached(sql))?;
        let keys = context.wrap(statement.query_map(values, |row| row.get(0)))?;
        context.wrap(keys.collect())
    }

    fn context<'a>(&'a self, part: &'a str) -> Context<'a> {
        Context::new(&self.path, part)
    }
}

/// The row about the log: its head, and the hash before its first entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadRow {
    pub(crate) head: Head,
    pub(crate) base_hash: Hash,
}

pub(crate) fn head_row(connection: &Connection, path: &Path) -> Result<HeadRow, StoreError> {
    let context = Context::new(path, "head of the log");
    let read = |row: &Row<'_>| {
        Ok(HeadRow {
            head: Head {
                base: number(row, 0)?,
                next: number(row, 2)?,
                at: number(row, 3)?,
                hash: Hash(row.get(4)?),
            },
            base_hash: Hash(row.get(1)?),
        })
    };
    let mut statement = context
        .wrap(connection.prepare_cached("SELECT base, base_hash, next, at, hash FROM head WHERE id = 0"))?;
    context.wrap(statement.query_row([], read).optional())?.ok_or_else(|| context.corrupt("it is gone"))
}

/// The head, compared with the last entry.
pub(crate) fn checked_head(connection: &Connection, path: &Path) -> Result<Head, StoreError> {
    let transaction = begin(connection, path)?;
    let row = head_row(&transaction, path)?;
    let head = row.head;
    let context = Context::new(path, "head of the log");
    let sql = "SELECT first, events, at, hash FROM log ORDER BY first DESC LIMIT 1";
    let read = |row: &Row<'_>| {
        let events: u32 = row.get(1)?;
        Ok(Head {
            base: head.base,
            next: number(row, 0)?.saturating_add(events.into()),
            at: number(row, 2)?,
            hash: Hash(row.get(3)?),
        })
    };
    let last = context.wrap(transaction.query_row(sql, [], read).optional())?;
    // Everything may have been archived: then the head alone knows.
    let archived = head.next == head.base && head.hash == row.base_hash;
    match last {
        Some(last) if last == head => Ok(head),
        None if archived => Ok(head),
        Some(last) => Err(context.corrupt(format!(
            "the last entry ends at event {} with hash {}, it should be {} with {}",
            last.next, last.hash, head.next, head.hash
        ))),
        None => {
            Err(context.corrupt(format!("no entries, events {} to {} are missing", head.base, head.next)))
        }
    }
}

/// All statements of one call see the same state.
pub(crate) fn begin<'a>(connection: &'a Connection, path: &Path) -> Result<Transaction<'a>, StoreError> {
    Context::new(path, "reading").wrap(connection.unchecked_transaction())
}

/// Our numbers are never negative; one that is was not written by us.
pub(crate) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

fn stored_entry(row: &Row<'_>) -> rusqlite::Result<StoredEntry> {
    Ok(StoredEntry {
        first: number(row, 0)?,
        events: row.get(1)?,
        at: number(row, 2)?,
        hash: Hash(row.get(3)?),
        body: row.get(4)?,
    })
}

/// Entries from the one that contains `from`, checked link by link against the entry before them.
pub(crate) fn entries(
    connection: &Connection,
    path: &Path,
    from: u64,
    limit: usize,
) -> Result<Vec<StoredEntry>, StoreError> {
    let transaction = begin(connection, path)?;
    let HeadRow { head, base_hash } = head_row(&transaction, path)?;
    if from < head.base {
        return Err(StoreError::Archived { asked: from, base: head.base });
    }
    if from >= head.next || limit == 0 {
        return Ok(Vec::new());
    }
    let context = Context::new(path, "log");
    let missing = |event: u64| context.corrupt(format!("the entry with event {event} is missing"));
    let sql = "SELECT first, events, hash FROM log WHERE first <= ?1 ORDER BY first DESC LIMIT 2";
    let mut statement = context.wrap(transaction.prepare_cached(sql))?;
    let read = |row: &Row<'_>| Ok((number(row, 0)?, row.get::<_, u32>(1)?, Hash(row.get(2)?)));
    let rows = context.wrap(statement.query_map([int(from, "event")?], read))?;
    let rows = context.wrap(rows.collect::<rusqlite::Result<Vec<_>>>())?;
    let (start, mut hash) = match rows[..] {
        [] => return Err(missing(from)),
        [(first, ..)] => (first, base_hash),
        [(first, ..), (_, _, before), ..] => (first, before),
    };
    let mut next = match rows[..] {
        [_, (first, events, _), ..] => first.saturating_add(events.into()),
        _ => head.base,
    };
    let sql = "SELECT first, events, at, hash, body FROM log WHERE first >= ?1 ORDER BY first LIMIT ?2";
    let mut statement = context.wrap(transaction.prepare_cached(sql))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = context.wrap(statement.query_map(params![int(start, "event")?, limit], stored_entry))?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    for row in rows {
        let entry = context.wrap(row)?;
        if entry.first != next || entry.events == 0 {
            return Err(missing(next));
        }
        let expected = chain::link(hash, entry.first, entry.events, entry.at, &entry.body);
        if expected != entry.hash {
            let what =
                format!("the entry at event {} has hash {}, its content {expected}", entry.first, entry.hash);
            return Err(context.corrupt(what));
        }
        (next, hash) = (entry.next(), entry.hash);
        bytes += entry.body.len();
        found.push(entry);
        if bytes >= PAGE_BYTES {
            return Ok(found);
        }
    }
    let ended = (found.len() as i64) < limit;
    if ended && (next, hash) != (head.next, head.hash) || from >= next {
        return Err(missing(next));
    }
    Ok(found)
}

impl Reader for SqliteReader {
    fn another(&self) -> Result<Box<dyn Reader>, StoreError> {
        Ok(Box::new(SqliteReader::open(&self.path, self.shared.clone())?))
    }

    fn head(&self) -> Result<Head, StoreError> {
        head_row(&self.connection, &self.path).map(|row| row.head)
    }

    fn entries(&self, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        entries(&self.connection, &self.path, from, limit)
    }

    fn snapshot_below(&self, below: u64) -> Result<Option<StoredSnapshot>, StoreError> {
        snapshots::newest(&self.connection, &self.path, below)
    }

    fn document(&self, id: u64) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.documents(id, 1)?.into_iter().next().filter(|(found, _)| *found == id).map(|(_, body)| body))
    }

    fn documents(&self, from: u64, limit: usize) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        let context = self.context("documents");
        let sql = "SELECT id, sum, body FROM documents WHERE id >= ?1 ORDER BY id LIMIT ?2";
        let mut statement = context.wrap(self.connection.prepare_cached(sql))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let mut rows = context.wrap(statement.query(params![from, limit]))?;
        let (mut found, mut bytes) = (Vec::new(), 0);
        while let Some(row) = context.wrap(rows.next())? {
            let (id, sum, body): (u64, [u8; 8], Vec<u8>) =
                context.wrap((|| Ok((number(row, 0)?, row.get(1)?, row.get(2)?)))())?;
            if sum != append::document_sum(id, &body) {
                return Err(context.corrupt(format!("document {id} is not what was written")));
            }
            bytes += body.len();
            found.push((id, body));
            if bytes >= PAGE_BYTES {
                break;
            }
        }
        Ok(found)
    }

    fn past(&self, query: &PastQuery) -> Result<Vec<StoredPast>, StoreError> {
        past::find(&self.connection, self.context("past workloads"), query)
    }

    fn receipt(&self, key: &str) -> Result<Option<StoredReceipt>, StoreError> {
        let context = self.context("receipts");
        let sql = "SELECT request, status, at, sum, body FROM receipts WHERE key = ?1";
        let mut statement = context.wrap(self.connection.prepare_cached(sql))?;
        let read = |row: &Row<'_>| {
            let receipt = StoredReceipt {
                key: key.to_owned(),
                request: row.get(0)?,
                status: row.get(1)?,
                at: number(row, 2)?,
                body: row.get(4)?,
            };
            Ok((receipt, row.get::<_, [u8; 8]>(3)?))
        };
        let Some((found, sum)) = context.wrap(statement.query_row([key], read).optional())? else {
            return Ok(None);
        };
        let written =
            Receipt { key: &found.key, request: &found.request, status: found.status, body: &found.body };
        if sum != append::receipt_sum(&written, found.at) {
            return Err(context.corrupt(format!("the receipt for {key} is not what was written")));
        }
        Ok(Some(found))
    }

    fn meta(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let context = self.context("meta");
        let mut statement =
            context.wrap(self.connection.prepare_cached("SELECT sum, value FROM meta WHERE key = ?1"))?;
        let read = |row: &Row<'_>| Ok((row.get::<_, [u8; 8]>(0)?, row.get::<_, Vec<u8>>(1)?));
        match context.wrap(statement.query_row([key], read).optional())? {
            Some((sum, value)) if sum != append::meta_sum(key, &value) => {
                Err(context.corrupt(format!("{key} is not what was written")))
            }
            found => Ok(found.map(|(_, value)| value)),
        }
    }

    fn size(&self) -> Result<Size, StoreError> {
        let bytes = |path: &Path| match fs::metadata(path) {
            Ok(found) => Ok(found.len()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(StoreError::io(path, &error)),
        };
        Ok(Size { database: bytes(&self.path)?, pending: bytes(&with_suffix(&self.path, "-wal"))? })
    }

    fn archives(&self) -> Result<Vec<Archived>, StoreError> {
        archive::list(&self.connection, &self.path)
    }

    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError> {
        Ok(verify::everything(self, progress))
    }

    fn backup(&self, file: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError> {
        backup::backup(self, file, progress)
    }
}
