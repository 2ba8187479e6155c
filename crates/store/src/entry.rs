//! What is appended, and what is read back.

use std::path::PathBuf;

use crate::chain::Hash;
use crate::past::PastRow;

/// One step of the log: some events that belong together, and what is put beside the log with them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry<'a> {
    /// Number of its first event: [`Head::next`], or for a later entry of a group the number after the one before it.
    pub first: u64,
    /// How many events it holds; at least one.
    pub events: u32,
    /// Milliseconds since 1970; never less than that of the entry before.
    pub at: u64,
    /// The store does not look into it.
    pub body: &'a [u8],
    /// (id, document), such as the launch spec of a workload. An id that exists is overwritten.
    pub documents: &'a [(u64, &'a [u8])],
    /// What leaves memory with this entry. An id that exists is overwritten.
    pub past: &'a [PastRow<'a>],
    /// What the request that caused the entry was answered. A key that exists is overwritten.
    pub receipt: Option<Receipt<'a>>,
}

/// An entry as it lies in the log. Its chained hash has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    pub first: u64,
    pub events: u32,
    pub at: u64,
    pub hash: Hash,
    pub body: Vec<u8>,
}

impl StoredEntry {
    /// Number of the first event after this entry.
    pub fn next(&self) -> u64 {
        self.first + u64::from(self.events)
    }
}

/// Where the log begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Number of the first event that is still in the log; those before it were archived.
    pub base: u64,
    /// Number of the next event. Numbers begin at 0.
    pub next: u64,
    /// The latest time that was appended, in milliseconds since 1970; 0 if nothing was.
    pub at: u64,
    /// Hash of the last entry.
    pub hash: Hash,
}

/// What a request with an idempotency key was answered, so that its repetition gets the same.
#[derive(Clone, Copy, Debug)]
pub struct Receipt<'a> {
    pub key: &'a str,
    /// Hash of the request: the same key with another request is a mistake of the client.
    pub request: &'a [u8],
    pub status: u16,
    pub body: &'a [u8],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReceipt {
    pub key: String,
    pub request: Vec<u8>,
    pub status: u16,
    pub body: Vec<u8>,
    /// Time of the entry that it came with; [`crate::Keeper::sweep`] goes by it.
    pub at: u64,
}

/// What went into an archive file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archived {
    /// Number of the first event in the archive, and the number after its last one. Equal if nothing was archived:
    /// then no file was written.
    pub first: u64,
    pub next: u64,
    pub entries: u64,
    /// Hash of the last entry: the one that the log goes on from.
    pub hash: Hash,
    /// As the caller named it.
    pub file: PathBuf,
}

/// Bytes on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The database file.
    pub database: u64,
    /// What has been appended and not yet been moved into the database file.
    pub pending: u64,
}
