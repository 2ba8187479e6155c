//! Messages in a file beside the log. How far the log was followed is written together with what that brought about.

use super::HookLimits;
use super::post::Outcome;
use crate::beside::{Durable, ms, set_up};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::path::Path;
use tidegate_engine::ids::{Tick, WorkloadId, WorkspaceId};

/// Changes with the tables.
const VERSION: i64 = 1;
const TABLES: &str = "
    CREATE TABLE place (id INTEGER PRIMARY KEY CHECK (id = 0), next INTEGER NOT NULL) STRICT;
    CREATE TABLE letter (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        room INTEGER NOT NULL, hook TEXT NOT NULL, created INTEGER NOT NULL,
        event TEXT NOT NULL, workload TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
        body TEXT NOT NULL, state INTEGER NOT NULL, tries INTEGER NOT NULL, due INTEGER NOT NULL,
        tried INTEGER, error TEXT,
        UNIQUE (room, hook, created, event, number)
    ) STRICT;
    CREATE INDEX letter_by_state ON letter (state, room, hook, due);
    CREATE TABLE late (workload INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (workload, since)) STRICT;
    PRAGMA user_version = 1;";

/// Messages of one webhook that wait; further ones are dead from the beginning.
const MAX_PENDING: i64 = 10_000;
/// Messages of one webhook that were delivered, and that are dead, which are kept for people to look at.
const MAX_SETTLED: i64 = 1_000;

const PENDING: i64 = 0;
const DELIVERED: i64 = 1;
const DEAD: i64 = 2;

/// A message to be sent.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    pub(super) room: WorkspaceId,
    pub(super) hook: String,
    /// Of the webhook: one that is made anew is another one.
    pub(super) created: Tick,
    pub(super) event: &'static str,
    pub(super) workload: String,
    pub(super) number: u64,
    pub(super) at: Tick,
    pub(super) body: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Pending,
    Delivered,
    Dead,
}

/// A message as it is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    pub id: i64,
    pub room: WorkspaceId,
    pub hook: String,
    pub created: Tick,
    pub event: String,
    pub workload: String,
    pub number: u64,
    pub at: Tick,
    pub body: String,
    pub state: State,
    pub tries: u32,
    pub due: Tick,
    pub tried: Option<Tick>,
    pub error: Option<String>,
}

const COLUMNS: &str =
    "id, room, hook, created, event, workload, number, at, body, state, tries, due, tried, error";

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    let tick = |column: usize| row.get::<_, i64>(column).map(|ms| Tick(ms as u64));
    Ok(Kept {
        id: row.get(0)?,
        room: WorkspaceId(row.get(1)?),
        hook: row.get(2)?,
        created: tick(3)?,
        event: row.get(4)?,
        workload: row.get(5)?,
        number: row.get::<_, i64>(6)? as u64,
        at: tick(7)?,
        body: row.get(8)?,
        state: match row.get(9)? {
            PENDING => State::Pending,
            DELIVERED => State::Delivered,
            _ => State::Dead,
        },
        tries: row.get(10)?,
        due: tick(11)?,
        tried: row.get::<_, Option<i64>>(12)?.map(|ms| Tick(ms as u64)),
        error: row.get(13)?,
    })
}

#[derive(Debug)]
pub(super) struct Ledger {
    connection: Connection,
    /// Events below this number were followed.
    next: u64,
}

impl Ledger {
    /// A new one begins with the event `next`: what was before is nobody's news.
    pub(super) fn open(path: &Path, next: u64) -> rusqlite::Result<Ledger> {
        Ledger::on(Connection::open(path)?, next)
    }

    pub(super) fn in_memory(next: u64) -> rusqlite::Result<Ledger> {
        Ledger::on(Connection::open_in_memory()?, next)
    }

    fn on(connection: Connection, next: u64) -> rusqlite::Result<Ledger> {
        // What a crash of the machine takes away is followed, or sent, again.
        set_up(&connection, Durable::Mostly, TABLES, VERSION)?;
        connection.execute("INSERT OR IGNORE INTO place VALUES (0, ?)", [next as i64])?;
        let found: i64 = connection.query_row("SELECT next FROM place", [], |row| row.get(0))?;
        // A log that is shorter than what was followed of it was restored from a backup: it goes on from its end.
        Ok(Ledger { connection, next: (found as u64).min(next) })
    }

    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Goes on without a note: nobody wanted to be told of anything until there.
    pub(super) fn skip_to(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Takes in messages, and how far the log was followed for them.
    pub(super) fn add(&mut self, letters: &[Letter], next: u64, now: Tick) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        letters.iter().try_for_each(|letter| insert(&transaction, letter, now))?;
        transaction.execute("UPDATE place SET next = ?", [next as i64])?;
        transaction.commit()?;
        self.next = next;
        Ok(())
    }

    /// Takes in messages about those who have waited for too long, unless that was done before. `late` are all of them,
    /// with since when: who is not among them any more is forgotten.
    pub(super) fn add_late(
        &mut self,
        late: &[(WorkloadId, Tick)],
        write: impl Fn(WorkloadId) -> Vec<Letter>,
        now: Tick,
    ) -> rusqlite::Result<()> {
        let known: Vec<(u32, i64)> = {
            let mut statement = self.connection.prepare_cached("SELECT workload, since FROM late")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        let current: Vec<(u32, i64)> = late.iter().map(|(id, since)| (id.0, ms(*since))).collect();
        let (over, fresh): (Vec<_>, Vec<_>) = (
            known.iter().filter(|one| !current.contains(one)).collect(),
            current.iter().filter(|one| !known.contains(one)).collect(),
        );
        if over.is_empty() && fresh.is_empty() {
            return Ok(());
        }
        let transaction = self.connection.transaction()?;
        for (workload, since) in over {
            transaction
                .execute("DELETE FROM late WHERE workload = ? AND since = ?", params![workload, since])?;
        }
        for (workload, since) in fresh {
            write(WorkloadId(*workload)).iter().try_for_each(|letter| insert(&transaction, letter, now))?;
            transaction.execute("INSERT OR IGNORE INTO late VALUES (?, ?)", params![workload, since])?;
        }
        transaction.commit()
    }

    /// The oldest message of each webhook that is due.
    pub(super) fn due(&self, now: Tick) -> rusqlite::Result<Vec<Kept>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM letter WHERE id IN (SELECT min(id) FROM letter WHERE state = {PENDING} AND due <= ? GROUP BY room, hook)"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_map([ms(now)], kept)?.collect()
    }

    /// Writes down how a try went.
    pub(super) fn tried(
        &mut self,
        letter: &Kept,
        outcome: &Outcome,
        limits: &HookLimits,
        now: Tick,
    ) -> rusqlite::Result<()> {
        let tries = letter.tries + 1;
        let due = ms(now.after(limits.pause(tries)));
        let (state, error) = match outcome {
            Outcome::Taken(_) => (DELIVERED, None),
            Outcome::Refused { why, .. } if tries >= limits.tries => (DEAD, Some(why)),
            Outcome::Refused { why, .. } => (PENDING, Some(why)),
        };
        let sql = "UPDATE letter SET state = ?, tries = ?, due = ?, tried = ?, error = ? WHERE id = ?";
        self.connection.execute(sql, params![state, tries, due, ms(now), error, letter.id])?;
        if state != PENDING {
            let sql = "DELETE FROM letter WHERE state = ?1 AND room = ?2 AND hook = ?3 AND id <= \
                (SELECT id FROM letter WHERE state = ?1 AND room = ?2 AND hook = ?3 ORDER BY id DESC LIMIT 1 OFFSET ?4)";
            self.connection.execute(sql, params![state, letter.room.0, letter.hook, MAX_SETTLED])?;
        }
        Ok(())
    }

    /// Messages of a webhook with ids below one, the latest first.
    pub(super) fn list(
        &self,
        room: WorkspaceId,
        hook: &str,
        created: Tick,
        below: i64,
        limit: usize,
    ) -> rusqlite::Result<Vec<Kept>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM letter WHERE room = ? AND hook = ? AND created = ? AND id < ? ORDER BY id DESC LIMIT ?"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_map(params![room.0, hook, ms(created), below, limit as i64], kept)?.collect()
    }

    /// Lets a message be sent anew; `None` if the webhook has none of that number.
    pub(super) fn again(
        &mut self,
        room: WorkspaceId,
        hook: &str,
        created: Tick,
        id: i64,
        now: Tick,
    ) -> rusqlite::Result<Option<Kept>> {
        let sql = "UPDATE letter SET state = ?, tries = 0, due = ? WHERE id = ? AND room = ? AND hook = ? AND created = ?";
        self.connection.execute(sql, params![PENDING, ms(now), id, room.0, hook, ms(created)])?;
        let found = self.list(room, hook, created, id.saturating_add(1), 1)?.into_iter().next();
        Ok(found.filter(|letter| letter.id == id))
    }

    /// Drops all messages of a webhook that is gone.
    pub(super) fn forget(&mut self, room: WorkspaceId, hook: &str, created: Tick) -> rusqlite::Result<()> {
        let sql = "DELETE FROM letter WHERE room = ? AND hook = ? AND created = ?";
        self.connection.execute(sql, params![room.0, hook, ms(created)]).map(drop)
    }

    /// All webhooks that there are messages of.
    pub(super) fn hooks(&self) -> rusqlite::Result<Vec<(WorkspaceId, String, Tick)>> {
        let mut statement = self.connection.prepare("SELECT DISTINCT room, hook, created FROM letter")?;
        let read =
            |row: &Row<'_>| Ok((WorkspaceId(row.get(0)?), row.get(1)?, Tick(row.get::<_, i64>(2)? as u64)));
        statement.query_map([], read)?.collect()
    }
}

fn insert(connection: &Connection, letter: &Letter, now: Tick) -> rusqlite::Result<()> {
    let Letter { room, hook, created, event, workload, number, at, body } = letter;
    let sql = format!("SELECT count(*) FROM letter WHERE state = {PENDING} AND room = ? AND hook = ?");
    let waiting: Option<i64> =
        connection.prepare_cached(&sql)?.query_row(params![room.0, hook], |row| row.get(0)).optional()?;
    let (state, error) = match waiting.unwrap_or(0) {
        0..MAX_PENDING => (PENDING, None),
        _ => (DEAD, Some(format!("{MAX_PENDING} messages wait already"))),
    };
    let sql = "INSERT OR IGNORE INTO letter \
        (room, hook, created, event, workload, number, at, body, state, tries, due, error) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)";
    let values = params![
        room.0,
        hook,
        ms(*created),
        event,
        workload,
        *number as i64,
        ms(*at),
        body,
        state,
        ms(now),
        error
    ];
    connection.prepare_cached(sql)?.execute(values).map(drop)
}
