//! Moves what was appended from the write-ahead log into the database file, on a thread of its own, so that no append
//! waits for it.
//!
//! A checkpoint that runs beside appends never quite catches up, and the log is only begun anew when one does. So once
//! the log is large, the rest is done in one turn: by then nearly all is moved and on the disk, and the turn is short.

use std::fs;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::connection::Shared;
use super::create::with_suffix;
use super::failure::Context;
use crate::error::StoreError;

/// Written bytes after which a checkpoint is worth its while; about what SQLite itself takes.
const ROUND_BYTES: u64 = 4 << 20;
/// A log of this size is begun anew: reading through a longer one is slow.
const RESTART_BYTES: u64 = 16 << 20;
/// A log file that once was larger (a long read held it, or a snapshot was saved) is cut. Below, its blocks are kept:
/// writing over them is cheaper than allocating new ones.
const TRUNCATE_BYTES: u64 = 128 << 20;

/// What the writers tell the checkpointer.
#[derive(Debug, Default)]
pub(crate) struct Written {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    bytes: u64,
    stop: bool,
}

impl Written {
    /// About so many bytes went into the write-ahead log.
    pub(crate) fn add(&self, bytes: u64) {
        let mut state = self.lock();
        state.bytes += bytes;
        if state.bytes >= ROUND_BYTES {
            self.changed.notify_one();
        }
    }

    fn stop(&self) {
        self.lock().stop = true;
        self.changed.notify_one();
    }

    /// Waits for enough to do; false when there will be no more.
    fn wait(&self) -> bool {
        let mut state = self.lock();
        while state.bytes < ROUND_BYTES && !state.stop {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.bytes = 0;
        !state.stop
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(shared: Arc<Shared>) -> Result<Checkpointer, StoreError> {
        let context = Context::new(&shared.path, "checkpoint");
        let connection = shared.writer()?;
        // It takes what it can get: what a reader still needs is left for the next round.
        context.wrap(connection.busy_timeout(Duration::ZERO))?;
        let failed = |error: std::io::Error| StoreError::io(&shared.path, &error);
        let rounds = Arc::clone(&shared);
        let body = move || {
            while rounds.written.wait() {
                // Nothing is lost by a round that fails, as on a full disk: the log grows until one succeeds.
                let _ = round(&connection, &rounds);
            }
        };
        let thread = std::thread::Builder::new().name("checkpoint".into()).spawn(body).map_err(failed)?;
        Ok(Checkpointer { shared, thread: Some(thread) })
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.shared.written.stop();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing to hand over.
            let _ = thread.join();
        }
    }
}

fn round(connection: &Connection, shared: &Shared) -> Result<(), StoreError> {
    let frames = checkpoint(connection, shared, "PRAGMA wal_checkpoint(PASSIVE)")?;
    if frames * shared.page_bytes < RESTART_BYTES {
        return Ok(());
    }
    // The expensive part of the turn to come is waiting for the disk; this takes it out of the turn.
    shared.file.sync_data().map_err(|error| StoreError::io(&shared.path, &error))?;
    let log = with_suffix(&shared.path, "-wal");
    let large = fs::metadata(&log).is_ok_and(|found| found.len() > TRUNCATE_BYTES);
    let _turn = shared.turns.chore();
    checkpoint(connection, shared, "PRAGMA wal_checkpoint(PASSIVE)")?;
    if large {
        checkpoint(connection, shared, "PRAGMA wal_checkpoint(TRUNCATE)")?;
    }
    Ok(())
}

/// How many pages the log holds.
fn checkpoint(connection: &Connection, shared: &Shared, pragma: &str) -> Result<u64, StoreError> {
    let frames: i64 =
        Context::new(&shared.path, "checkpoint").wrap(connection.query_row(pragma, [], |row| row.get(1)))?;
    Ok(u64::try_from(frames).unwrap_or(0))
}
