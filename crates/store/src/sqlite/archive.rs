//! Moves the beginning of the log into a file of its own. The file has the same tables as the store, so the same code
//! reads and checks it; another stamp keeps it from being opened as one.

use std::path::Path;
use std::sync::atomic::Ordering;

use rusqlite::{Connection, Row, TransactionBehavior, params};

use super::append::run;
use super::connection::{Shared, int, open_scratch};
use super::create::{create_private, discard, exists, put_in_place, with_suffix};
use super::failure::{Context, sqlite_failure};
use super::reader::{self, HeadRow, entries, head_row, number};
use super::{schema, snapshots};
use crate::chain::Hash;
use crate::entry::{Archived, StoredEntry};
use crate::error::StoreError;

/// Entries copied, and entries removed, in one step.
const STEP: usize = 1000;

pub(crate) fn archive(
    connection: &mut Connection,
    shared: &Shared,
    before: u64,
    file: &Path,
) -> Result<Archived, StoreError> {
    if exists(file)? {
        return Err(StoreError::Exists { path: file.to_path_buf() });
    }
    let start = head_row(connection, &shared.path)?;
    // What no snapshot covers is still needed, and both must be readable before anything leaves.
    let end = match snapshots::checked(connection, &shared.path)?[..] {
        [_, older, ..] => older.min(before),
        _ => start.head.base,
    };
    let partial = with_suffix(file, ".partial");
    discard(&partial)?;
    create_private(&partial)?;
    let copied = copy(connection, shared, &start, end, &partial).and_then(|archived| {
        check(&partial, &archived)?;
        Ok(Archived { file: file.to_path_buf(), ..archived })
    });
    let archived = match copied {
        Ok(archived) if archived.entries > 0 => archived,
        nothing_or_error => {
            discard(&partial)?;
            return nothing_or_error;
        }
    };
    put_in_place(&partial, file)?;
    remove(connection, shared, &archived)?;
    Ok(archived)
}

/// Copies the entries from the beginning of the log whose events all lie below `end`.
fn copy(
    connection: &Connection,
    shared: &Shared,
    start: &HeadRow,
    end: u64,
    partial: &Path,
) -> Result<Archived, StoreError> {
    let context = Context::new(partial, "archive");
    let mut target = open_scratch(partial)?;
    schema::migrate(&mut target, schema::MIGRATIONS, partial)?;
    context.wrap(target.pragma_update(None, "application_id", schema::ARCHIVE_ID))?;
    let transaction = context.wrap(target.transaction())?;
    let base = start.head.base;
    let mut archived = Archived { first: base, next: base, hash: start.base_hash, ..Archived::default() };
    let mut at = 0;
    'pages: while archived.next < end {
        for entry in entries(connection, &shared.path, archived.next, STEP)? {
            if entry.next() > end {
                break 'pages;
            }
            insert(&transaction, context, &entry)?;
            (archived.next, archived.hash, at) = (entry.next(), entry.hash, entry.at);
            archived.entries += 1;
        }
    }
    let sql = "UPDATE head SET base = ?1, base_hash = ?2, next = ?3, at = ?4, hash = ?5";
    let row = params![
        int(base, "event")?,
        &start.base_hash.0[..],
        int(archived.next, "event")?,
        int(at, "time")?,
        &archived.hash.0[..]
    ];
    run(&transaction, context, sql, row)?;
    context.wrap(transaction.commit())?;
    target.close().map_err(|(_, error)| sqlite_failure(error, partial, "archive"))?;
    Ok(archived)
}

fn insert(connection: &Connection, context: Context<'_>, entry: &StoredEntry) -> Result<(), StoreError> {
    let row = params![
        int(entry.first, "event")?,
        entry.events,
        int(entry.at, "time")?,
        &entry.hash.0[..],
        entry.body
    ];
    run(connection, context, "INSERT INTO log VALUES (?1, ?2, ?3, ?4, ?5)", row).map(drop)
}

/// Reads the copy back.
fn check(partial: &Path, archived: &Archived) -> Result<(), StoreError> {
    let connection = super::connection::open_reader(partial)?;
    let head = reader::checked_head(&connection, partial)?;
    let mut next = head.base;
    while next < head.next {
        let page = entries(&connection, partial, next, STEP)?;
        next = page.last().map_or(head.next, StoredEntry::next);
    }
    if (head.base, head.next, head.hash) != (archived.first, archived.next, archived.hash) {
        return Err(Context::new(partial, "archive").corrupt("it is not what was written"));
    }
    Ok(())
}

/// Removes from the log what is in the archive, from the beginning and in steps; each leaves a whole log.
fn remove(connection: &mut Connection, shared: &Shared, archived: &Archived) -> Result<(), StoreError> {
    let context = Context::new(&shared.path, "archiving");
    let mut base = archived.first;
    while base < archived.next {
        base = shared.chore(0, || {
            let behaviour = TransactionBehavior::Immediate;
            let transaction = context.wrap(connection.transaction_with_behavior(behaviour))?;
            // The last entry of the step: the log then begins after it.
            let sql = "SELECT first, events, hash FROM \
                       (SELECT * FROM log WHERE first < ?1 ORDER BY first LIMIT ?2) ORDER BY first DESC LIMIT 1";
            let read = |row: &Row<'_>| Ok((number(row, 0)?, row.get::<_, u32>(1)?, Hash(row.get(2)?)));
            let limits = params![int(archived.next, "event")?, STEP as i64];
            let (first, events, hash) = context.wrap(transaction.query_row(sql, limits, read))?;
            let next = first + u64::from(events);
            run(&transaction, context, "DELETE FROM log WHERE first <= ?1", [int(first, "event")?])?;
            let move_base = "UPDATE head SET base = ?1, base_hash = ?2";
            run(&transaction, context, move_base, params![int(next, "event")?, &hash.0[..]])?;
            let row = params![
                int(archived.first, "event")?,
                int(archived.next, "event")?,
                int(archived.entries, "entries")?,
                &archived.hash.0[..],
                archived.file.to_string_lossy(),
            ];
            run(&transaction, context, "INSERT OR REPLACE INTO archives VALUES (?1, ?2, ?3, ?4, ?5)", row)?;
            context.wrap(transaction.commit())?;
            shared.base.store(next, Ordering::Relaxed);
            Ok(next)
        })?;
    }
    Ok(())
}

/// See [`crate::Reader::archives`].
pub(crate) fn list(connection: &Connection, path: &Path) -> Result<Vec<Archived>, StoreError> {
    let context = Context::new(path, "archives");
    let sql = "SELECT first, next, entries, hash, file FROM archives ORDER BY first";
    let mut statement = context.wrap(connection.prepare_cached(sql))?;
    let read = |row: &Row<'_>| {
        Ok(Archived {
            first: number(row, 0)?,
            next: number(row, 1)?,
            entries: number(row, 2)?,
            hash: Hash(row.get(3)?),
            file: row.get::<_, String>(4)?.into(),
        })
    };
    let rows = context.wrap(statement.query_map([], read))?;
    context.wrap(rows.collect())
}
