//! From names to numbers. The one place with a hash map: it is looked up in, never walked.

#![allow(clippy::disallowed_types)]

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A fixed hash, so that two runs do the same work in the same order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Vec<(Box<str>, u32)>")]
pub(crate) struct NameIndex(HashMap<Box<str>, u32, BuildHasherDefault<DefaultHasher>>);

/// Written in order of the names, so that equal indexes give equal bytes.
impl Serialize for NameIndex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut names: Vec<(&str, u32)> = self.0.iter().map(|(name, id)| (&**name, *id)).collect();
        names.sort_unstable();
        names.serialize(serializer)
    }
}

impl From<Vec<(Box<str>, u32)>> for NameIndex {
    fn from(names: Vec<(Box<str>, u32)>) -> Self {
        NameIndex(names.into_iter().collect())
    }
}

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
