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
const FORMAT: u32 = 13;
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
    /// From this number on no line is missing.
    pub oldest: u64,
}

/// Reads all that is in the store.
pub fn read_world(reader: &dyn Reader) -> Result<Read, RecoveryError> {
    let world = from_snapshot(reader)?;
    let snapshot = world.next;
    // No event has more than one line: those before would fall out of the ring.
    let oldest = reader.head()?.next.saturating_sub(RING as u64).max(snapshot);
    let mut read = Read { world, snapshot, lines: VecDeque::new(), oldest };
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
    read.world.learn_anew();
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
            Ok(mut world) => {
                world.business.index();
                return Ok(world);
            }
            Err(error) => tracing::warn!(%error, next = snapshot.next, "a snapshot is passed over"),
        }
    }
    Ok(World::default())
}

fn replay(read: &mut Read, entry: &StoredEntry) -> Result<(), RecoveryError> {
    let first = entry.first;
    let body = Body::decode(&entry.body).map_err(|why| RecoveryError::Entry { first, why })?;
    read.world.replay(body, |world, event| {
        if world.next >= read.oldest {
            let why = world.stop_reason(event);
            read.lines.extend(lines::line(world, &world.engine, world.next, event, why));
        }
    });
    Ok(())
}

/// Documents of those that are in memory. All others stay where they are: there may be very many.
fn read_documents(reader: &dyn Reader, world: &mut World) -> Result<(), RecoveryError> {
    let ids: Vec<WorkloadId> = world.shell.workloads.keys().copied().collect();
    // Neighbours are read together.
    for run in ids.chunk_by(|a, b| b.0 - a.0 == 1) {
        let mut from = u64::from(run[0].0);
        let end = from + run.len() as u64;
        while from < end {
            let batch = reader.documents(from, ((end - from) as usize).min(BATCH))?;
            from = batch.last().map_or(end, |(last, _)| last + 1);
            for (id, bytes) in batch.into_iter().filter(|(id, _)| *id < end) {
                let workload = WorkloadId(u32::try_from(id).unwrap_or(u32::MAX));
                let document: Document = serde_json::from_slice(&bytes)
                    .map_err(|why| RecoveryError::Document { workload: id, why })?;
                world.file(workload, Arc::new(document));
            }
        }
    }
    Ok(())
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
