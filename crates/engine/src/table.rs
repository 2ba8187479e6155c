//! Tables that grow without moving what they hold, so that one insertion never costs a copy of all.

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// Rows of one page. A page is allocated at once and never moves.
const PAGE: usize = 1_024;

/// Rows numbered from 0, never removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table<T> {
    pages: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { pages: Vec::new(), len: 0 }
    }
}

impl<T> Table<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Rows on the last page: a way to have it brought near.
    pub(crate) fn glance(&self) -> usize {
        self.pages.last().map_or(0, Vec::len)
    }

    pub(crate) fn push(&mut self, row: T) -> usize {
        if self.len.is_multiple_of(PAGE) {
            self.pages.push(Vec::with_capacity(PAGE));
        }
        let page = self.len / PAGE;
        self.pages[page].push(row);
        self.len += 1;
        self.len - 1
    }

    #[inline]
    pub(crate) fn get(&self, i: usize) -> Option<&T> {
        self.pages.get(i / PAGE)?.get(i % PAGE)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pages.iter().flatten()
    }
}

impl<T> std::ops::Index<usize> for Table<T> {
    type Output = T;
    #[inline]
    fn index(&self, i: usize) -> &T {
        &self.pages[i / PAGE][i % PAGE]
    }
}

impl<T> std::ops::IndexMut<usize> for Table<T> {
    #[inline]
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.pages[i / PAGE][i % PAGE]
    }
}

impl<T: Serialize> Serialize for Table<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.len))?;
        self.iter().try_for_each(|row| rows.serialize_element(row))?;
        rows.end()
    }
}

/// Row by row, so that pages are as if they had grown.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Rows(PhantomData))
    }
}

struct Rows<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Rows<T> {
    type Value = Table<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the rows of a table")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Table<T>, A::Error> {
        let mut table = Table::default();
        while let Some(row) = rows.next_element()? {
            table.push(row);
        }
        Ok(table)
    }
}

/// Rows that come and go; positions are reused, latest freed first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Slab<T> {
    rows: Table<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { rows: Table::default(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub(crate) fn insert(&mut self, row: T) -> u32 {
        match self.free.pop() {
            Some(i) => {
                self.rows[i as usize] = Some(row);
                i
            }
            None => u32::try_from(self.rows.push(Some(row))).expect("fewer than 2^32 units run at once"),
        }
    }

    /// Whether the row that is used next is free: a way to have it brought near.
    pub(crate) fn glance(&self) -> bool {
        self.free.last().is_some_and(|&i| self.rows[i as usize].is_none())
    }

    pub(crate) fn remove(&mut self, i: u32) -> T {
        self.free.push(i);
        self.rows[i as usize].take().expect("a row is removed once")
    }

    #[inline]
    pub(crate) fn get(&self, i: u32) -> Option<&T> {
        self.rows.get(i as usize)?.as_ref()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.rows.iter().enumerate().filter_map(|(i, row)| row.as_ref().map(|r| (i as u32, r)))
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, i: u32) -> &T {
        self.rows[i as usize].as_ref().expect("the row is in use")
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, i: u32) -> &mut T {
        self.rows[i as usize].as_mut().expect("the row is in use")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_rows_across_pages() {
        let mut t = Table::default();
        for i in 0..3 * PAGE {
            assert_eq!(t.push(i), i);
        }
        assert_eq!(t[2 * PAGE + 1], 2 * PAGE + 1);
        assert_eq!(t.get(3 * PAGE), None);
    }

    #[test]
    fn slabs_reuse_positions() {
        let mut s = Slab::default();
        let (a, b) = (s.insert('a'), s.insert('b'));
        assert_eq!(s.remove(a), 'a');
        assert_eq!(s.get(a), None);
        assert_eq!(s.insert('c'), a);
        assert_eq!(s.iter().map(|(_, c)| *c).collect::<String>(), "cb");
        assert_eq!(s[b], 'b');
    }
}
