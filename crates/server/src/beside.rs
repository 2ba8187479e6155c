//! Files that lie beside the log: each is a small database of its own.

use rusqlite::Connection;
use tidegate_engine::ids::Tick;

/// What is lost when the machine goes down at once.
#[derive(Clone, Copy, Debug)]
pub enum Durable {
    /// Nothing that was committed.
    Commits,
    /// The latest commits, and never a part of one.
    Mostly,
}

/// Makes the tables of a new file; those of an old one must be of this version. `tables` sets it.
pub fn set_up(connection: &Connection, durable: Durable, tables: &str, version: i64) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    let synchronous = match durable {
        Durable::Commits => "FULL",
        Durable::Mostly => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match found {
        0 => connection.execute_batch(&format!("BEGIN; {tables} COMMIT;")),
        _ if found == version => Ok(()),
        _ => Err(rusqlite::Error::InvalidQuery),
    }
}

/// A time as it is written there.
pub fn ms(at: Tick) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}
