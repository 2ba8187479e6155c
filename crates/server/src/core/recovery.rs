//! From the store to the world: the newest snapshot, and the log after it.

use super::deck::Receipt;
use super::entry::{Body, Unreadable};
use super::hub::{Line, RING};
use super::lines;
use super::world::{Document, World};
use std::collections::VecDeque;
use std::sync::Arc;
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_store::{Reader, StoreError, StoredEntry, StoredReceipt};

/// How snapshots are written. Another number is not read: the log is replayed instead.
const FORMAT: u32 = 1;
/// Entries and documents read at once.
const BATCH: usize = 4_096;

/// Why there is no world.
#[derive(Debug)]
pub enum RecoveryError {
    Store(StoreError),
    Entry { first: u64, why: Unreadable },
    Document { workload: u64, why: serde_json::Error },
}

impl std::fmt::Display for RecoveryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hint = "hint: a release that is at least as new as the one that wrote it can read it; \
                    `tidegate log verify` checks the whole log, `tidegate restore` brings a backup back";
        match self {
            RecoveryError::Store(error) => error.fmt(f),
            RecoveryError::Entry { first, why } => {
                write!(f, "the log's entry at event {first} cannot be read: {why}; {hint}")
            }
            RecoveryError::Document { workload, why } => {
                write!(f, "what was submitted as w-{workload} cannot be read: {why}; {hint}")
            }
        }
    }
}

impl std::error::Error for RecoveryError {}

impl From<StoreError> for RecoveryError {
    fn from(error: StoreError) -> Self {
        RecoveryError::Store(error)
    }
}

/// A world that was read, and how.
#[derive(Debug)]
pub struct Read {
    pub world: World,
    /// Number of the first event after the snapshot; zero without one.
    pub snapshot: u64,
    /// The latest events after the snapshot, for watchers that come back.
    pub lines: VecDeque<Line>,
}

/// Reads all that is in the store.
pub fn read_world(reader: &dyn Reader) -> Result<Read, RecoveryError> {
    let mut read = Read { world: from_snapshot(reader)?, snapshot: 0, lines: VecDeque::new() };
    read.snapshot = read.world.next;
    loop {
        let entries = reader.entries(read.world.next, BATCH)?;
        if entries.is_empty() {
            break;
        }
        for entry in entries {
            replay(&mut read, &entry)?;
        }
    }
    read_documents(reader, &mut read.world)?;
    Ok(read)
}

/// The newest snapshot that this release can read. None is no error: the log tells it all.
fn from_snapshot(reader: &dyn Reader) -> Result<World, RecoveryError> {
    let mut below = u64::MAX;
    while let Some(snapshot) = reader.snapshot_below(below)? {
        below = snapshot.next;
        if snapshot.format != FORMAT {
            tracing::info!(format = snapshot.format, "a snapshot of another release is passed over");
            continue;
        }
        match postcard::from_bytes::<World>(&snapshot.body) {
            Ok(world) => return Ok(world),
            Err(error) => tracing::warn!(%error, next = snapshot.next, "a snapshot is passed over"),
        }
    }
    Ok(World::default())
}

fn replay(read: &mut Read, entry: &StoredEntry) -> Result<(), RecoveryError> {
    let first = entry.first;
    let body = Body::decode(&entry.body).map_err(|why| RecoveryError::Entry { first, why })?;
    read.world.replay(body, |world, event| {
        if let Some(line) = lines::line(world, world.next, event) {
            if read.lines.len() == RING {
                read.lines.pop_front();
            }
            read.lines.push_back(line);
        }
    });
    Ok(())
}

fn read_documents(reader: &dyn Reader, world: &mut World) -> Result<(), RecoveryError> {
    let mut from = 0;
    loop {
        let batch = reader.documents(from, BATCH)?;
        let Some((last, _)) = batch.last() else { return Ok(()) };
        from = last + 1;
        for (id, bytes) in batch {
            let workload = WorkloadId(u32::try_from(id).unwrap_or(u32::MAX));
            if world.engine.workload(workload).is_some() {
                let document: Document = serde_json::from_slice(&bytes)
                    .map_err(|why| RecoveryError::Document { workload: id, why })?;
                world.documents.insert(workload, Arc::new(document));
            }
        }
    }
}

/// A snapshot's format and body.
pub fn encode_world(world: &World) -> Result<(u32, Vec<u8>), postcard::Error> {
    postcard::to_stdvec(world).map(|body| (FORMAT, body))
}

/// A receipt from before the last start.
pub fn receipt(stored: StoredReceipt) -> Option<Receipt> {
    Some(Receipt {
        key: stored.key.into(),
        request: stored.request.try_into().ok()?,
        status: stored.status,
        body: stored.body.into(),
        at: Tick(stored.at),
    })
}
