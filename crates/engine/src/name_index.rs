//! From names to numbers. The one place with a hash map: it is looked up in, never walked.

#![allow(clippy::disallowed_types)]

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A fixed hash, so that two runs do the same work in the same order.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex(HashMap<Box<str>, u32, BuildHasherDefault<DefaultHasher>>);

impl NameIndex {
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        self.0.get(name).copied()
    }

    pub(crate) fn insert(&mut self, name: &str, id: u32) {
        self.0.insert(name.into(), id);
    }

    /// Forgets the name, if it still stands for `id`.
    pub(crate) fn remove(&mut self, name: &str, id: u32) {
        if self.0.get(name) == Some(&id) {
            self.0.remove(name);
        }
    }
}
