//! Durable log, snapshots and what lies beside them. Knows bytes, not meanings.
//!
//! | to find | look in |
//! |---|---|
//! | what a store can do | [`Store`] (one writer), [`Reader`] (any thread), [`Keeper`] (slow chores beside the writer) |
//! | what goes in and comes out | [`Entry`], [`Snapshot`], [`PastRow`], [`Receipt`] and their stored twins |
//! | what can go wrong, and what to do | [`StoreError`] |
//! | how damage is noticed | `chain.rs`: every entry's hash covers the hash before it |
//! | the embedded store | [`SqliteStore`], `sqlite/` |
//! | what every store must do | [`contract`] |
//!
//! **Invariant:** what [`Store::append`] has returned `Ok` for survives a crash of process or machine.
//!
//! **Invariant:** the log has no holes: entries follow each other by number, from [`Head::base`] to [`Head::next`].
//!
//! **Invariant:** nothing is handed out unchecked: a row that is not what was written is [`StoreError::Corrupt`].

mod chain;
pub mod contract;
mod entry;
mod error;
mod lock;
mod past;
mod snapshot;
mod sqlite;
mod store;
mod verified;

pub use chain::Hash;
pub use entry::{Archived, Entry, Head, Receipt, Size, StoredEntry, StoredReceipt};
pub use error::StoreError;
pub use past::{PastQuery, PastRow, Privacy, StoredPast};
pub use snapshot::{Snapshot, StoredSnapshot};
pub use sqlite::{DATABASE_FILE, Options, SqliteStore, open_archive, open_read_only, restore, verify};
pub use store::{Keeper, Reader, Store};
pub use verified::{Progress, Verified};
