//! Hashes: a chain over the log, so that no entry can change, vanish or come in between unseen, and sums over the
//! rows beside it.

use std::fmt;

use sha2::{Digest, Sha256};

/// The hash of an entry: the first half of SHA-256 over the hash before it and all that the entry says.
/// It guards against damage, not against forgery; half is plenty.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash(pub [u8; 16]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The hash of the entry that follows an entry with hash `before`.
pub(crate) fn link(before: Hash, first: u64, events: u32, at: u64, body: &[u8]) -> Hash {
    let mut sha = Sha256::new();
    sha.update(before.0);
    sha.update(first.to_be_bytes());
    sha.update(events.to_be_bytes());
    sha.update(at.to_be_bytes());
    sha.update(body);
    let mut hash = Hash::default();
    hash.0.copy_from_slice(&sha.finalize()[..16]);
    hash
}

/// The sum of a row beside the log. `kind` keeps a row of one table from passing for one of another; lengths are
/// hashed too, so that bytes cannot move from one column to the next.
pub(crate) fn sum(kind: &str, parts: &[&[u8]]) -> [u8; 8] {
    let mut sha = Sha256::new();
    for part in std::iter::once(kind.as_bytes()).chain(parts.iter().copied()) {
        sha.update((part.len() as u64).to_be_bytes());
        sha.update(part);
    }
    let mut sum = [0; 8];
    sum.copy_from_slice(&sha.finalize()[..8]);
    sum
}
