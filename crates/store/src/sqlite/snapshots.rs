//! Snapshots: written in parts, so that an append waits for one part at most; the row that makes them count comes last.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::append::run;
use super::connection::{Shared, int};
use super::failure::Context;
use super::reader::{begin, head_row, number};
use crate::chain;
use crate::entry::Head;
use crate::error::StoreError;
use crate::snapshot::{Snapshot, StoredSnapshot};

/// How many are kept: should the newest be unreadable, there is the one before.
pub(crate) const KEPT: usize = 2;
/// Bytes per part: a few milliseconds of writing.
const PART_BYTES: usize = 256 << 10;
/// Parts of dropped snapshots removed in one step.
const PARTS_DROPPED: i64 = 64;

fn sum(next: u64, format: u32, body: &[u8]) -> [u8; 8] {
    chain::sum("snapshot", &[&next.to_be_bytes(), &format.to_be_bytes(), body])
}

pub(crate) fn save(
    connection: &mut Connection,
    shared: &Shared,
    snapshot: Snapshot<'_>,
) -> Result<(), StoreError> {
    let context = Context::new(&shared.path, "snapshots");
    let next = int(snapshot.next, "the number of a snapshot")?;
    check_boundary(connection, shared, snapshot.next)?;
    let unused = "SELECT 1 + max(coalesce((SELECT max(save) FROM snapshots), 0), coalesce((SELECT max(save) FROM snapshot_parts), 0))";
    let save: i64 = context.wrap(connection.query_row(unused, [], |row| row.get(0)))?;
    // Parts need not be on the disk before the last step is, and its wait covers them.
    context.wrap(connection.pragma_update(None, "synchronous", "NORMAL"))?;
    let mut parts = 0_i64;
    for part in snapshot.body.chunks(PART_BYTES) {
        shared.chore(part.len(), || {
            run(
                connection,
                context,
                "INSERT INTO snapshot_parts VALUES (?1, ?2, ?3)",
                params![save, parts, part],
            )
        })?;
        parts += 1;
    }
    context.wrap(connection.pragma_update(None, "synchronous", "FULL"))?;
    let sum = sum(snapshot.next, snapshot.format, snapshot.body);
    shared.chore(0, || {
        let transaction = context.wrap(connection.transaction())?;
        let row = params![next, snapshot.format, save, parts, &sum[..]];
        run(&transaction, context, "INSERT OR REPLACE INTO snapshots VALUES (?1, ?2, ?3, ?4, ?5)", row)?;
        let drop = "DELETE FROM snapshots WHERE next NOT IN (SELECT next FROM snapshots ORDER BY next DESC LIMIT ?1)";
        run(&transaction, context, drop, [KEPT as i64])?;
        context.wrap(transaction.commit())
    })?;
    drop_parts(connection, shared, context)
}

/// A snapshot between the events of one entry could not be continued from.
fn check_boundary(connection: &Connection, shared: &Shared, next: u64) -> Result<(), StoreError> {
    let context = Context::new(&shared.path, "snapshots");
    let transaction = begin(connection, &shared.path)?;
    let head = head_row(&transaction, &shared.path)?.head;
    let begins = || {
        let sql = "SELECT 1 FROM log WHERE first = ?1";
        context.wrap(transaction.query_row(sql, [int(next, "event")?], |_| Ok(())).optional())
    };
    if next == head.next || (head.base..head.next).contains(&next) && begins()?.is_some() {
        return Ok(());
    }
    let what = format!(
        "a snapshot at event {next}: no entry begins there, the log has {} to {}",
        head.base, head.next
    );
    Err(StoreError::misuse(what))
}

/// Removes parts that belong to no snapshot: of those just dropped, and of a save that did not finish.
fn drop_parts(connection: &Connection, shared: &Shared, context: Context<'_>) -> Result<(), StoreError> {
    let sql = "DELETE FROM snapshot_parts WHERE rowid IN \
               (SELECT rowid FROM snapshot_parts WHERE save NOT IN (SELECT save FROM snapshots) LIMIT ?1)";
    loop {
        let dropped = shared.chore(0, || run(connection, context, sql, [PARTS_DROPPED]))?;
        if (dropped as i64) < PARTS_DROPPED {
            return Ok(());
        }
    }
}

/// The rows about snapshots below `below`, newest first.
fn rows(connection: &Connection, context: Context<'_>, below: u64) -> Result<Vec<SnapshotRow>, StoreError> {
    let sql = "SELECT next, format, save, parts, sum FROM snapshots WHERE next < ?1 ORDER BY next DESC";
    let mut statement = context.wrap(connection.prepare_cached(sql))?;
    let read = |row: &Row<'_>| {
        Ok(SnapshotRow {
            next: number(row, 0)?,
            format: row.get(1)?,
            save: row.get(2)?,
            parts: number(row, 3)?,
            sum: row.get(4)?,
        })
    };
    let found = context.wrap(statement.query_map([i64::try_from(below).unwrap_or(i64::MAX)], read))?;
    context.wrap(found.collect())
}

struct SnapshotRow {
    next: u64,
    format: u32,
    save: i64,
    parts: u64,
    sum: [u8; 8],
}

/// Its content, if it is what was written and the log goes on from it.
fn body(
    connection: &Connection,
    context: Context<'_>,
    head: Head,
    row: &SnapshotRow,
) -> Result<Vec<u8>, StoreError> {
    if row.next < head.base || row.next > head.next {
        let what =
            format!("the snapshot at event {} is outside the log, {} to {}", row.next, head.base, head.next);
        return Err(context.corrupt(what));
    }
    let sql = "SELECT part, body FROM snapshot_parts WHERE save = ?1 ORDER BY part";
    let mut statement = context.wrap(connection.prepare_cached(sql))?;
    let mut parts = context.wrap(statement.query([row.save]))?;
    let (mut body, mut count) = (Vec::new(), 0);
    while let Some(part) = context.wrap(parts.next())? {
        let bytes = context.wrap(part.get_ref(1))?;
        body.extend_from_slice(context.wrap(bytes.as_blob().map_err(rusqlite::Error::from))?);
        count += 1;
    }
    if count != row.parts || sum(row.next, row.format, &body) != row.sum {
        return Err(context.corrupt(format!("the snapshot at event {} is not what was written", row.next)));
    }
    Ok(body)
}

/// See [`crate::Reader::snapshot_below`].
pub(crate) fn newest(
    connection: &Connection,
    path: &std::path::Path,
    below: u64,
) -> Result<Option<StoredSnapshot>, StoreError> {
    let context = Context::new(path, "snapshots");
    let transaction = begin(connection, path)?;
    let head = head_row(&transaction, path)?.head;
    let mut passed_over = Vec::new();
    for row in rows(&transaction, context, below)? {
        match body(&transaction, context, head, &row) {
            Ok(body) => {
                return Ok(Some(StoredSnapshot { next: row.next, format: row.format, body, passed_over }));
            }
            Err(StoreError::Corrupt { .. }) => passed_over.push(row.next),
            Err(error) => return Err(error),
        }
    }
    let base = head.base;
    if base > 0 {
        let what = format!(
            "none is readable (unreadable: {passed_over:?}), and the log before event {base} is archived"
        );
        return Err(context.corrupt(what));
    }
    Ok(None)
}

/// Where those that are kept lie, newest first; an error if one of them is unreadable.
pub(crate) fn checked(connection: &Connection, path: &std::path::Path) -> Result<Vec<u64>, StoreError> {
    let context = Context::new(path, "snapshots");
    let transaction = begin(connection, path)?;
    let head = head_row(&transaction, path)?.head;
    let rows = rows(&transaction, context, u64::MAX)?;
    rows.iter().map(|row| body(&transaction, context, head, row).map(|_| row.next)).collect()
}
