//! Reads everything and checks it, part by part: one damaged part does not hide another.

use std::path::Path;

use rusqlite::Connection;

use super::connection::open_reader;
use super::failure::Context;
use super::reader::{self, PAGE, SqliteReader, begin, head_row, number};
use super::{DATABASE_FILE, past, schema, snapshots};
use crate::error::StoreError;
use crate::past::PastQuery;
use crate::store::Reader;
use crate::verified::{Progress, Verified};

/// Messages of SQLite's own check that are worth showing.
const MESSAGES: u32 = 10;

/// Checks a data directory, a backup or an archive, without changing it. The server may be running.
pub fn verify(path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError> {
    let path = if path.is_dir() { path.join(DATABASE_FILE) } else { path.to_path_buf() };
    if !super::create::exists(&path)? {
        let what = "no such file".to_owned();
        return Err(StoreError::Io { path, what });
    }
    let connection = open_reader(&path)?;
    let stamp = schema::stamp(&connection, &path)?;
    if stamp.application != schema::ARCHIVE_ID {
        schema::check_stamp(stamp, schema::APPLICATION_ID, schema::KNOWN, &path)?;
    }
    drop(connection);
    SqliteReader::open(&path, None)?.verify(progress)
}

pub(crate) fn everything(reader: &SqliteReader, progress: &mut dyn FnMut(Progress)) -> Verified {
    let mut verified = Verified::default();
    let mut damage = Vec::new();
    let mut note = |result: Result<(), StoreError>| damage.extend(result.err());
    note(log(reader, &mut verified, progress));
    note(
        snapshots::checked(&reader.connection, &reader.path)
            .map(|kept| verified.snapshots = kept.len() as u64),
    );
    note(documents(reader, &mut verified, progress));
    note(past_rows(reader, &mut verified, progress));
    note(receipts(reader, &mut verified, progress));
    note(meta(reader));
    note(tables(&reader.connection, &reader.path, progress));
    verified.damage = damage;
    verified
}

fn log(
    reader: &SqliteReader,
    verified: &mut Verified,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), StoreError> {
    let head = reader::checked_head(&reader.connection, &reader.path)?;
    (verified.base, verified.next) = (head.base, head.base);
    while verified.next < head.next {
        let page = match reader.entries(verified.next, PAGE) {
            // Archived meanwhile, and checked on the way.
            Err(StoreError::Archived { base, .. }) => {
                (verified.base, verified.next) = (base, base);
                continue;
            }
            page => page?,
        };
        let Some(last) = page.last() else { break };
        verified.next = last.next();
        verified.entries += page.len() as u64;
        progress(Progress { part: "log", done: verified.next - head.base, total: head.next - head.base });
    }
    Ok(())
}

fn documents(
    reader: &SqliteReader,
    verified: &mut Verified,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), StoreError> {
    let total = counted(&reader.connection, &reader.path)?[0];
    let mut from = 0;
    loop {
        let page = reader.documents(from, PAGE)?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        from = last + 1;
        verified.documents += page.len() as u64;
        progress(Progress { part: "documents", done: verified.documents, total });
    }
}

fn past_rows(
    reader: &SqliteReader,
    verified: &mut Verified,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), StoreError> {
    let total = counted(&reader.connection, &reader.path)?[1];
    let mut query = PastQuery::all(PAGE);
    let context = Context::new(&reader.path, "past workloads");
    loop {
        let page = past::find(&reader.connection, context, &query)?;
        let Some(last) = page.last() else { return Ok(()) };
        query.below = Some(last.id);
        verified.past += page.len() as u64;
        progress(Progress { part: "past workloads", done: verified.past, total });
    }
}

fn receipts(
    reader: &SqliteReader,
    verified: &mut Verified,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), StoreError> {
    let total = counted(&reader.connection, &reader.path)?[2];
    let mut after = String::new();
    loop {
        let page = reader.receipt_keys(&after)?;
        let Some(last) = page.last() else { return Ok(()) };
        after.clone_from(last);
        for key in &page {
            // Swept meanwhile is no damage.
            verified.receipts += u64::from(reader.receipt(key)?.is_some());
        }
        progress(Progress { part: "receipts", done: verified.receipts, total });
    }
}

fn meta(reader: &SqliteReader) -> Result<(), StoreError> {
    reader.meta_keys()?.iter().try_for_each(|key| reader.meta(key).map(drop))
}

/// How many documents, past workloads and receipts there should be.
fn counted(connection: &Connection, path: &Path) -> Result<[u64; 3], StoreError> {
    let sql = "SELECT documents, past, receipts FROM head WHERE id = 0";
    let read = |row: &rusqlite::Row<'_>| Ok([number(row, 0)?, number(row, 1)?, number(row, 2)?]);
    Context::new(path, "head of the log").wrap(connection.query_row(sql, [], read))
}

/// The tables against the head, against each other and against SQLite's own rules, at one instant.
fn tables(
    connection: &Connection,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), StoreError> {
    progress(Progress { part: "tables", done: 0, total: 1 });
    let context = Context::new(path, "tables");
    let transaction = begin(connection, path)?;
    head_row(&transaction, path)?;
    let expected = counted(&transaction, path)?;
    let found = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        context.wrap(transaction.query_row(&sql, [], |row| number(row, 0)))
    };
    let compare = [("documents", 0), ("past", 1), ("past_bodies", 1), ("receipts", 2)];
    for (table, index) in compare {
        let (found, expected) = (found(table)?, expected[index]);
        if found != expected {
            return Err(context.corrupt(format!("{table} has {found} rows, it should be {expected}")));
        }
    }
    let sql = format!("PRAGMA integrity_check({MESSAGES})");
    let mut statement = context.wrap(transaction.prepare(&sql))?;
    let messages = context.wrap(statement.query_map([], |row| row.get::<_, String>(0)))?;
    let messages: Vec<String> = context.wrap(messages.collect())?;
    if messages != ["ok"] {
        return Err(context.corrupt(messages.join("; ")));
    }
    progress(Progress { part: "tables", done: 1, total: 1 });
    Ok(())
}
