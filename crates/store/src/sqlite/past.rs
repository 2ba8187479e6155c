//! Past workloads: filters and paging.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::append::{framed, past_sum};
use super::failure::Context;
use super::reader::number;
use crate::error::StoreError;
use crate::past::{PastQuery, PastRow, Privacy, StoredPast};

pub(crate) fn find(
    connection: &Connection,
    context: Context<'_>,
    query: &PastQuery,
) -> Result<Vec<StoredPast>, StoreError> {
    let (conditions, mut values) = conditions(query);
    values.push(Value::Integer(i64::try_from(query.limit).unwrap_or(i64::MAX)));
    // The bodies are joined to the rows that are left.
    let sql = format!(
        "SELECT id, name, workspace, quota, module, state, labels, ended_at, sum, body FROM \
         (SELECT * FROM past WHERE {conditions} ORDER BY id DESC LIMIT ?) LEFT JOIN past_bodies USING (id) ORDER BY id DESC"
    );
    let mut statement = context.wrap(connection.prepare_cached(&sql))?;
    let mut rows = context.wrap(statement.query(params_from_iter(values)))?;
    let mut found = Vec::new();
    while let Some(row) = context.wrap(rows.next())? {
        let (past, labels, sum) = context.wrap(read(row))?;
        if sum != past_sum(&written(&past), &labels) {
            return Err(context.corrupt(format!("past workload {} is not what was written", past.id)));
        }
        found.push(past);
    }
    Ok(found)
}

/// The filters as SQL, and their values in the same order.
fn conditions(query: &PastQuery) -> (String, Vec<Value>) {
    let mut conditions = vec!["TRUE"];
    let mut values = Vec::new();
    // An id that does not fit the column is above all that do.
    let id = |id: u64| Value::Integer(i64::try_from(id).unwrap_or(i64::MAX));
    if let Some(wanted) = query.id {
        conditions.push("id = ?");
        values.push(id(wanted));
    }
    if let Some(below) = query.below {
        conditions.push("id < ?");
        values.push(id(below));
    }
    let equal = [
        ("name = ?", &query.name),
        // Names are rarer than workspaces: their index is the one to use.
        (if query.name.is_some() { "+workspace = ?" } else { "workspace = ?" }, &query.workspace),
        ("quota = ?", &query.quota),
        ("module = ?", &query.module),
        ("state = ?", &query.state),
    ];
    for (condition, wanted) in equal {
        if let Some(wanted) = wanted {
            conditions.push(condition);
            values.push(Value::Text(wanted.clone()));
        }
    }
    match query.privacy {
        Privacy::Any => {}
        Privacy::Public => conditions.push("private_of IS NULL"),
        Privacy::Private => conditions.push("private_of IS NOT NULL"),
        Privacy::PrivateOf(owner) => {
            conditions.push("private_of = ?");
            values.push(id(owner));
        }
    }
    if let Some(prefix) = &query.name_prefix {
        // U+10FFFF sorts after every name that begins with the prefix.
        conditions.push("name >= ? AND name < ?");
        values.push(Value::Text(prefix.clone()));
        values.push(Value::Text(format!("{prefix}\u{10FFFF}")));
    }
    for (key, value) in &query.labels {
        conditions.push("instr(labels, ?) > 0");
        values.push(Value::Text(framed(key, value)));
    }
    (conditions.join(" AND "), values)
}

fn read(row: &Row<'_>) -> rusqlite::Result<(StoredPast, String, [u8; 8])> {
    let past = StoredPast {
        id: number(row, 0)?,
        name: row.get(1)?,
        workspace: row.get(2)?,
        quota: row.get(3)?,
        module: row.get(4)?,
        state: row.get(5)?,
        ended_at: number(row, 7)?,
        // A body that is gone fails the sum.
        body: row.get::<_, Option<Vec<u8>>>(9)?.unwrap_or_default(),
    };
    Ok((past, row.get(6)?, row.get(8)?))
}

fn written(past: &StoredPast) -> PastRow<'_> {
    PastRow {
        id: past.id,
        name: &past.name,
        workspace: &past.workspace,
        quota: &past.quota,
        module: &past.module,
        state: &past.state,
        labels: &[],
        // No part of the sum: files of before have none.
        private_of: None,
        ended_at: past.ended_at,
        body: &past.body,
    }
}
