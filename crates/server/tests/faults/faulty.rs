//! A store that does as it is told when something is written, and is itself otherwise.

use tidegate_store::{Entry, Head, Keeper, Reader, SqliteStore, Store, StoreError};

/// What a store does when something is written.
pub(super) type Append = fn(&mut SqliteStore, &[Entry<'_>]) -> Result<(), StoreError>;

pub(super) struct Faulty(pub(super) SqliteStore, pub(super) Append);

impl Store for Faulty {
    fn append(&mut self, group: &[Entry<'_>]) -> Result<(), StoreError> {
        (self.1)(&mut self.0, group)
    }

    fn head(&self) -> Head {
        self.0.head()
    }

    fn set_meta(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.0.set_meta(key, value)
    }

    fn reader(&self) -> Result<Box<dyn Reader>, StoreError> {
        self.0.reader()
    }

    fn keeper(&self) -> Result<Box<dyn Keeper>, StoreError> {
        self.0.keeper()
    }
}
