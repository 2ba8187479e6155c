//! A group of entries goes into the log: one transaction, one wait for the disk.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::connection::int;
use super::failure::Context;
use crate::chain::{self, Hash};
use crate::entry::{Entry, Head, Receipt};
use crate::error::StoreError;
use crate::past::PastRow;

/// A group that continues the log: the head before and after it, and the hash of each entry.
pub(crate) struct Plan<'a> {
    group: &'a [Entry<'a>],
    hashes: Vec<Hash>,
    before: Head,
    pub(crate) after: Head,
}

impl Plan<'_> {
    /// About how much it writes.
    pub(crate) fn bytes(&self) -> usize {
        let past = |rows: &[PastRow<'_>]| rows.iter().map(|row| row.body.len() + 200).sum::<usize>();
        let documents = |rows: &[(u64, &[u8])]| rows.iter().map(|(_, body)| body.len() + 20).sum::<usize>();
        let receipt = |receipt: Option<Receipt<'_>>| receipt.map_or(0, |receipt| receipt.body.len() + 100);
        let entry = |entry: &Entry<'_>| {
            entry.body.len() + 50 + documents(entry.documents) + past(entry.past) + receipt(entry.receipt)
        };
        self.group.iter().map(entry).sum()
    }
}

/// What appending the group comes to, or why it does not continue the log.
pub(crate) fn plan<'a>(before: Head, group: &'a [Entry<'a>]) -> Result<Plan<'a>, StoreError> {
    let mut after = before;
    let mut hashes = Vec::with_capacity(group.len());
    for entry in group {
        if entry.first != after.next {
            let what = format!("an entry begins at event {}, the log ends at {}", entry.first, after.next);
            return Err(StoreError::misuse(what));
        }
        if entry.events == 0 {
            return Err(StoreError::misuse(format!("the entry at event {} has no events", entry.first)));
        }
        if entry.at < after.at {
            let what =
                format!("the entry at event {} is of {}, the log is at {}", entry.first, entry.at, after.at);
            return Err(StoreError::misuse(what));
        }
        let next = entry.first.saturating_add(u64::from(entry.events));
        int(next, "the number of an event")?;
        int(entry.at, "the time of an entry")?;
        let hash = chain::link(after.hash, entry.first, entry.events, entry.at, entry.body);
        hashes.push(hash);
        after = Head { next, at: entry.at, hash, ..after };
    }
    Ok(Plan { group, hashes, before, after })
}

/// Rows that came to lie beside the log.
#[derive(Default)]
struct Beside {
    documents: i64,
    past: i64,
    receipts: i64,
}

/// Writes the group, durably.
pub(crate) fn write(connection: &mut Connection, path: &Path, plan: &Plan<'_>) -> Result<(), StoreError> {
    if plan.group.is_empty() {
        return Ok(());
    }
    let context = Context::new(path, "appending");
    // Dropped without a commit, the transaction is rolled back.
    let transaction = context.wrap(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
    let mut beside = Beside::default();
    for (entry, hash) in plan.group.iter().zip(&plan.hashes) {
        let row = params![
            int(entry.first, "event")?,
            entry.events,
            int(entry.at, "time")?,
            &hash.0[..],
            entry.body
        ];
        run(&transaction, context, "INSERT INTO log VALUES (?1, ?2, ?3, ?4, ?5)", row)?;
        for (id, body) in entry.documents {
            beside.documents += put_document(&transaction, context, *id, body)?;
        }
        for row in entry.past {
            beside.past += put_past(&transaction, context, row)?;
        }
        if let Some(receipt) = &entry.receipt {
            beside.receipts += put_receipt(&transaction, context, receipt, entry.at)?;
        }
    }
    move_head(&transaction, context, plan, &beside)?;
    context.wrap(transaction.commit())
}

fn move_head(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    plan: &Plan<'_>,
    beside: &Beside,
) -> Result<(), StoreError> {
    let sql = "UPDATE head SET next = ?1, at = ?2, hash = ?3, \
               documents = documents + ?4, past = past + ?5, receipts = receipts + ?6 WHERE next = ?7 AND hash = ?8";
    let (before, after) = (&plan.before, &plan.after);
    let row = params![
        int(after.next, "event")?,
        int(after.at, "time")?,
        &after.hash.0[..],
        beside.documents,
        beside.past,
        beside.receipts,
        int(before.next, "event")?,
        &before.hash.0[..],
    ];
    match run(transaction, context, sql, row)? {
        1 => Ok(()),
        _ => Err(context.corrupt("the end of the log is not where this process left it")),
    }
}

/// Runs a statement that stays prepared, and says how many rows it changed.
pub(crate) fn run(
    connection: &Connection,
    context: Context<'_>,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<usize, StoreError> {
    let mut statement = context.wrap(connection.prepare_cached(sql))?;
    context.wrap(statement.execute(values))
}

pub(crate) fn document_sum(id: u64, body: &[u8]) -> [u8; 8] {
    chain::sum("document", &[&id.to_be_bytes(), body])
}

/// How many rows were added: 0 if one was overwritten.
fn put_document(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    id: u64,
    body: &[u8],
) -> Result<i64, StoreError> {
    let row = params![int(id, "the id of a document")?, &document_sum(id, body)[..], body];
    let insert = "INSERT OR IGNORE INTO documents VALUES (?1, ?2, ?3)";
    let added = run(transaction, context, insert, row)?;
    if added == 0 {
        let replace = "UPDATE documents SET sum = ?2, body = ?3 WHERE id = ?1";
        run(transaction, context, replace, row)?;
    }
    Ok(added as i64)
}

/// One label as it stands in the column: framed, so that a search for it finds whole labels only.
pub(crate) fn framed(key: &str, value: &str) -> String {
    format!("\u{1}{key}\u{2}{value}\u{1}")
}

pub(crate) fn past_sum(row: &PastRow<'_>, labels: &str) -> [u8; 8] {
    let texts = [row.name, row.workspace, row.quota, row.module, row.state, labels].map(str::as_bytes);
    let [name, workspace, quota, module, state, labels] = texts;
    let (id, ended_at) = (row.id.to_be_bytes(), row.ended_at.to_be_bytes());
    chain::sum("past", &[&id, name, workspace, quota, module, state, labels, &ended_at, row.body])
}

fn put_past(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    row: &PastRow<'_>,
) -> Result<i64, StoreError> {
    let labels: String = row.labels.iter().map(|(key, value)| framed(key, value)).collect();
    let id = int(row.id, "the id of a workload")?;
    let sum = past_sum(row, &labels);
    let values = params![
        id,
        row.name,
        row.workspace,
        row.quota,
        row.module,
        row.state,
        labels,
        int(row.ended_at, "the end of a workload")?,
        &sum[..],
        row.private_of.map(|owner| int(owner, "the owner of a workload")).transpose()?,
    ];
    let insert = "INSERT OR IGNORE INTO past VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let added = run(transaction, context, insert, values)?;
    if added == 0 {
        let replace = "INSERT OR REPLACE INTO past VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        run(transaction, context, replace, values)?;
    }
    let body = "INSERT OR REPLACE INTO past_bodies VALUES (?1, ?2)";
    run(transaction, context, body, params![id, row.body])?;
    Ok(added as i64)
}

pub(crate) fn receipt_sum(receipt: &Receipt<'_>, at: u64) -> [u8; 8] {
    let (status, at) = (receipt.status.to_be_bytes(), at.to_be_bytes());
    chain::sum("receipt", &[receipt.key.as_bytes(), receipt.request, &status, &at, receipt.body])
}

/// A key that exists gets a new number: numbers go with time.
fn put_receipt(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    receipt: &Receipt<'_>,
    at: u64,
) -> Result<i64, StoreError> {
    let sum = receipt_sum(receipt, at);
    let at = int(at, "the time of a receipt")?;
    let row = params![receipt.key, receipt.request, receipt.status, at, &sum[..], receipt.body];
    let insert = "INSERT OR IGNORE INTO receipts VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6)";
    let added = run(transaction, context, insert, row)?;
    if added == 0 {
        let remove = "DELETE FROM receipts WHERE key = ?1";
        run(transaction, context, remove, [receipt.key])?;
        run(transaction, context, insert, row)?;
    }
    Ok(added as i64)
}

pub(crate) fn meta_sum(key: &str, value: &[u8]) -> [u8; 8] {
    chain::sum("meta", &[key.as_bytes(), value])
}

pub(crate) fn set_meta(
    connection: &Connection,
    context: Context<'_>,
    key: &str,
    value: &[u8],
) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2, ?3)";
    run(connection, context, sql, params![key, &meta_sum(key, value)[..], value]).map(drop)
}
