//! The state at some number, so that a start need not replay the whole log.

/// A snapshot to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// Number of the first event that is not in it. An entry begins there, or the log ends there.
    pub next: u64,
    /// How the body is written, so that a later version can tell whether it can read it.
    pub format: u32,
    pub body: &'a [u8],
}

/// A snapshot as it was saved. Its checksum has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSnapshot {
    pub next: u64,
    pub format: u32,
    pub body: Vec<u8>,
    /// Newer snapshots that were asked for and are unreadable, by their `next`: worth a warning.
    pub passed_over: Vec<u64>,
}
