//! What reading and checking everything came to.

use crate::error::StoreError;

/// How far a long job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is at: `log`, `documents`, ...
    pub part: &'static str,
    pub done: u64,
    pub total: u64,
}

/// What was checked, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Number of the first event, and the number after the last one that is good: the log is whole between them.
    pub base: u64,
    pub next: u64,
    pub entries: u64,
    pub documents: u64,
    pub past: u64,
    pub receipts: u64,
    pub snapshots: u64,
    /// The first damage of each part; empty if all is well.
    pub damage: Vec<StoreError>,
}

impl Verified {
    /// The first damage as an error.
    pub fn sound(self) -> Result<Verified, StoreError> {
        match self.damage.first() {
            Some(damage) => Err(damage.clone()),
            None => Ok(self),
        }
    }
}
