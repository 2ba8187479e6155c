//! What a store can do: three narrow doors, so that appending, reading and chores do not wait for each other.

use std::path::Path;

use crate::entry::{Archived, Entry, Head, Size, StoredEntry, StoredReceipt};
use crate::error::StoreError;
use crate::past::{PastQuery, StoredPast};
use crate::snapshot::{Snapshot, StoredSnapshot};
use crate::verified::{Progress, Verified};

/// The one writer. Synchronous: every call returns when its work is durable.
pub trait Store: Send {
    /// Appends a group of entries in one transaction; returns when it is durable. All or nothing.
    ///
    /// After an error the log is as it was before, with one exception: if the disk itself fails while it
    /// confirms the write ([`StoreError::Io`]), a crash that follows may or may not show the group at the next start.
    fn append(&mut self, group: &[Entry<'_>]) -> Result<(), StoreError>;

    /// From memory: costs nothing.
    fn head(&self) -> Head;

    /// Remembers a small fact, such as the id of the cluster; overwrites.
    fn set_meta(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError>;

    /// A reader for another thread.
    fn reader(&self) -> Result<Box<dyn Reader>, StoreError>;

    /// A keeper for another thread.
    fn keeper(&self) -> Result<Box<dyn Keeper>, StoreError>;
}

/// Slow chores. They take turns with the writer in small steps, so that an append waits for one step at most.
pub trait Keeper: Send {
    /// Saves a snapshot. The two newest are kept.
    fn save_snapshot(&mut self, snapshot: Snapshot<'_>) -> Result<(), StoreError>;

    /// Drops the receipts that are older than `before`, and says how many.
    fn sweep(&mut self, before: u64) -> Result<u64, StoreError>;

    /// Moves entries out of the log into a new file: those whose events all lie below `before` and below the older
    /// of two snapshots. The file is durable before the first entry leaves the log; a crash on the way leaves
    /// entries in both, never in neither.
    fn archive(&mut self, before: u64, file: &Path) -> Result<Archived, StoreError>;
}

/// Reads what is durable. Each call sees one state of the store.
pub trait Reader: Send {
    /// Another reader of the same store.
    fn another(&self) -> Result<Box<dyn Reader>, StoreError>;

    fn head(&self) -> Result<Head, StoreError>;

    /// The entry that contains event `from`, and those after it: at most `limit`, and fewer if they are large.
    /// Empty only at the end of the log. [`StoreError::Archived`] below [`Head::base`].
    fn entries(&self, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError>;

    /// The newest readable snapshot whose `next` is below `below`. An error if the log cannot be replayed without one
    /// because its beginning is archived.
    fn snapshot_below(&self, below: u64) -> Result<Option<StoredSnapshot>, StoreError>;

    fn newest_snapshot(&self) -> Result<Option<StoredSnapshot>, StoreError> {
        self.snapshot_below(u64::MAX)
    }

    fn document(&self, id: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Documents from `from` on, by ascending id: at most `limit`, and fewer if they are large. Empty only at the end.
    fn documents(&self, from: u64, limit: usize) -> Result<Vec<(u64, Vec<u8>)>, StoreError>;

    fn past(&self, query: &PastQuery) -> Result<Vec<StoredPast>, StoreError>;

    fn receipt(&self, key: &str) -> Result<Option<StoredReceipt>, StoreError>;

    fn meta(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    fn size(&self) -> Result<Size, StoreError>;

    /// Where the beginning of the log went, oldest first. After a crash while archiving, two may overlap.
    fn archives(&self) -> Result<Vec<Archived>, StoreError>;

    /// Reads everything and checks it. An error only if it cannot even begin; what is wrong is in the result.
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError>;

    /// Writes a copy of the store, as it is at one instant, into a new file, and checks the copy. The writer goes on
    /// meanwhile.
    fn backup(&self, file: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError>;
}
