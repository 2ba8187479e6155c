//! Records in a file beside the log. How far the log was followed, what goes on, and the records that this brought
//! about are written as one: each record is there once, whatever is killed.

use super::capacity::Holding;
use super::follower::{Follower, Kind, Live, News, Places, Use};
use crate::beside::{Durable, ms, set_up};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tidegate_billing::dedicated::ConfigId;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_store::Hash;

/// Changes with the tables, and with how records are derived: a file of another version is made anew from the log.
const VERSION: i64 = 2;
const TABLES: &str = "
    CREATE TABLE place (
        id INTEGER PRIMARY KEY CHECK (id = 0),
        next INTEGER NOT NULL, hash BLOB NOT NULL, record INTEGER NOT NULL, kept_from INTEGER NOT NULL, places BLOB NOT NULL
    ) STRICT;
    CREATE TABLE live (workload INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE config (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE kind (id INTEGER PRIMARY KEY, body BLOB NOT NULL, total TEXT NOT NULL) STRICT;
    CREATE TABLE workload (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, until INTEGER NOT NULL, queued INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE record (
        id INTEGER PRIMARY KEY,
        kind INTEGER NOT NULL, workload INTEGER, unit INTEGER NOT NULL, priority INTEGER NOT NULL,
        key INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, amount INTEGER NOT NULL,
        noted INTEGER NOT NULL
    ) STRICT;
    PRAGMA user_version = 2;";

/// Records that are dropped at once.
const SWEEP: i64 = 10_000;

/// How far the log was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of the next event.
    pub next: u64,
    /// Of the last entry that was followed: whether it is still the same log.
    pub hash: Hash,
}

#[derive(Debug)]
pub struct Ledger {
    pub(super) connection: Connection,
    pub(super) state: State,
}

/// What is in memory: what the file says.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) follower: Follower,
    place: Place,
    /// Records that were ever made.
    record: i64,
    /// Of what ended before this time nothing is left.
    kept_from: Tick,
    kinds: Arc<Vec<Kind>>,
    numbers: BTreeMap<Kind, usize>,
    /// Of each kind, what all records together say, with those that are not kept any more.
    totals: Vec<i128>,
}

impl State {
    fn read(connection: &Connection) -> rusqlite::Result<State> {
        let row = connection
            .query_row("SELECT next, hash, record, kept_from, places FROM place", [], |row| {
                let (next, kept_from): (i64, i64) = (row.get(0)?, row.get(3)?);
                let place = Place { next: next as u64, hash: Hash(row.get(1)?) };
                Ok((
                    place,
                    row.get(2)?,
                    Tick(kept_from as u64),
                    parsed::<Places>(&row.get::<_, Vec<u8>>(4)?)?,
                ))
            })
            .optional()?;
        let (place, record, kept_from, places) = row.unwrap_or_default();
        let mut live = Vec::new();
        for row in connection
            .prepare("SELECT workload, body FROM live")?
            .query_map([], |row| Ok((WorkloadId(row.get(0)?), parsed::<Live>(&row.get::<_, Vec<u8>>(1)?)?)))?
        {
            live.push(row?);
        }
        let mut configs = Vec::new();
        for row in connection.prepare("SELECT id, body FROM config")?.query_map([], |row| {
            Ok((ConfigId(row.get(0)?), parsed::<Holding>(&row.get::<_, Vec<u8>>(1)?)?))
        })? {
            configs.push(row?);
        }
        let (mut kinds, mut totals) = (Vec::new(), Vec::new());
        for row in connection.prepare("SELECT body, total FROM kind ORDER BY id")?.query_map([], |row| {
            let total: String = row.get(1)?;
            Ok((parsed::<Kind>(&row.get::<_, Vec<u8>>(0)?)?, total.parse().unwrap_or_default()))
        })? {
            let (kind, total) = row?;
            kinds.push(kind);
            totals.push(total);
        }
        let numbers = kinds.iter().cloned().zip(0..).collect();
        let follower = Follower::resume(places, live, configs);
        Ok(State { follower, place, record, kept_from, kinds: Arc::new(kinds), numbers, totals })
    }

    fn number(&mut self, kind: &Kind) -> usize {
        if let Some(number) = self.numbers.get(kind) {
            return *number;
        }
        let number = self.kinds.len();
        Arc::make_mut(&mut self.kinds).push(kind.clone());
        self.numbers.insert(kind.clone(), number);
        self.totals.push(0);
        number
    }
}

fn bytes(value: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("plain data")
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> rusqlite::Result<T> {
    let wrong =
        |error| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Blob, Box::new(error));
    postcard::from_bytes(bytes).map_err(wrong)
}

impl Ledger {
    pub fn open(path: &Path) -> rusqlite::Result<Ledger> {
        Ledger::on(Connection::open(path)?)
    }

    pub(super) fn in_memory() -> rusqlite::Result<Ledger> {
        Ledger::on(Connection::open_in_memory()?)
    }

    fn on(connection: Connection) -> rusqlite::Result<Ledger> {
        // The log is archived up to what was followed: that must not be lost with the machine.
        set_up(&connection, Durable::Commits, TABLES, VERSION)?;
        let state = State::read(&connection)?;
        Ok(Ledger { connection, state })
    }

    pub(super) fn place(&self) -> Place {
        self.state.place
    }

    pub(super) fn kept_from(&self) -> Tick {
        self.state.kept_from
    }

    /// What records refer to, by number.
    pub(super) fn kinds(&self) -> Arc<Vec<Kind>> {
        self.state.kinds.clone()
    }

    /// What was ever metered of each kind and has ended.
    pub(super) fn totals(&self) -> impl Iterator<Item = (&Kind, i128)> {
        self.state.kinds.iter().zip(self.state.totals.iter().copied())
    }

    /// Drops everything: the log is followed from its beginning.
    pub(super) fn begin_anew(&mut self) -> rusqlite::Result<()> {
        self.connection.execute_batch(
            "BEGIN; DELETE FROM place; DELETE FROM live; DELETE FROM config; DELETE FROM kind; DELETE FROM workload; DELETE FROM record; COMMIT;",
        )?;
        self.state = State::default();
        Ok(())
    }

    /// Reads the file again: after an error memory is ahead of it.
    pub(super) fn undo(&mut self) -> rusqlite::Result<()> {
        self.state = State::read(&self.connection)?;
        Ok(())
    }

    /// Writes down where the follower has got to and what that brought about. After an error nothing of it is there.
    pub fn commit(&mut self, news: &News, place: Place) -> rusqlite::Result<()> {
        let first_kind = self.state.kinds.len();
        let mut changed: BTreeMap<usize, i128> = BTreeMap::new();
        let mut rows: Vec<(i64, &Use)> = Vec::with_capacity(news.uses.len());
        for one in &news.uses {
            let number = self.state.number(&one.kind);
            *changed.entry(number).or_default() +=
                i128::from(one.amount) * i128::from(one.to.since(one.from).0);
            rows.push((number as i64, one));
        }
        for (number, more) in &changed {
            self.state.totals[*number] += more;
        }
        let transaction = self.connection.transaction()?;
        for (number, kind) in self.state.kinds.iter().enumerate().skip(first_kind) {
            transaction
                .prepare_cached("INSERT INTO kind VALUES (?, ?, '0')")?
                .execute(params![number as i64, bytes(kind)])?;
        }
        for number in changed.keys() {
            transaction
                .prepare_cached("UPDATE kind SET total = ? WHERE id = ?")?
                .execute(params![self.state.totals[*number].to_string(), *number as i64])?;
        }
        let mut record = self.state.record;
        for (index, (kind, one)) in rows.into_iter().enumerate() {
            record += 1;
            let noted = news.noted.get(index).map_or(one.to, |noted| one.to.max(*noted));
            insert(&transaction, record, kind, one, noted)?;
        }
        for id in &news.touched {
            match self.state.follower.live(*id) {
                Some(live) => transaction
                    .prepare_cached("INSERT OR REPLACE INTO live VALUES (?, ?)")?
                    .execute(params![id.0, bytes(&live)])?,
                None => transaction.prepare_cached("DELETE FROM live WHERE workload = ?")?.execute([id.0])?,
            };
        }
        for id in &news.configs {
            if let Some(holding) = self.state.follower.holding(*id) {
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO config VALUES (?, ?)")?
                    .execute(params![id.0, bytes(holding)])?;
            }
        }
        let (next, hash, kept) = (place.next as i64, &place.hash.0[..], ms(self.state.kept_from));
        // A place that is not where this began was written by somebody else: all of this is undone.
        let moved = match self.state.place.next {
            0 => {
                let places = bytes(self.state.follower.places());
                transaction
                    .prepare_cached("INSERT INTO place VALUES (0, ?, ?, ?, ?, ?)")?
                    .execute(params![next, hash, record, kept, places])?
            }
            before => transaction
                .prepare_cached("UPDATE place SET next = ?, hash = ?, record = ? WHERE next = ?")?
                .execute(params![next, hash, record, before as i64])?,
        };
        if moved != 1 {
            return Err(rusqlite::Error::StatementChangedRows(moved));
        }
        if news.places_changed {
            let places = bytes(self.state.follower.places());
            transaction.prepare_cached("UPDATE place SET places = ?")?.execute([places])?;
        }
        transaction.commit()?;
        (self.state.place, self.state.record) = (place, record);
        Ok(())
    }

    /// Drops some of what ended before a time; whether there may be more.
    pub(super) fn sweep(&mut self, now: Tick, retain: Span) -> rusqlite::Result<bool> {
        let before = Tick(now.0.saturating_sub(retain.0));
        let transaction = self.connection.transaction()?;
        let first: Option<i64> = transaction.query_row("SELECT min(id) FROM record", [], |row| row.get(0))?;
        let Some(first) = first else { return Ok(false) };
        // Records ascend by when they were noted, which is no earlier than when they ended.
        let sql = "DELETE FROM record WHERE id < ?1 AND noted < ?2";
        let dropped = transaction.prepare_cached(sql)?.execute(params![first + SWEEP, ms(before)])?;
        let kept_from = if dropped > 0 { self.state.kept_from.max(before) } else { self.state.kept_from };
        if dropped > 0 {
            transaction.execute("DELETE FROM workload WHERE until < ?", [ms(before)])?;
            transaction.execute("UPDATE place SET kept_from = ?", [ms(kept_from)])?;
        }
        transaction.commit()?;
        self.state.kept_from = kept_from;
        Ok(dropped as i64 == SWEEP)
    }
}

fn insert(transaction: &Transaction<'_>, id: i64, kind: i64, one: &Use, noted: Tick) -> rusqlite::Result<()> {
    let (key, amount, priority) = (one.key as i64, one.amount, one.priority.get());
    transaction.prepare_cached("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?.execute(
        params![
            id,
            kind,
            one.workload.map(|id| id.0),
            one.unit,
            priority,
            key,
            ms(one.from),
            ms(one.to),
            amount,
            ms(noted)
        ],
    )?;
    let Some(workload) = one.workload else { return Ok(()) };
    transaction
        .prepare_cached(
            "INSERT INTO workload VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until",
        )?
        .execute(params![workload.0, &*one.name, ms(one.to), ms(one.queued)])?;
    Ok(())
}
