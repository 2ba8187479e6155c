//! A set for a handful of members that keeps its memory: work lists fill and empty with every command.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SortedSet<T>(Vec<T>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        SortedSet(Vec::new())
    }
}

impl<T: Ord + Copy> SortedSet<T> {
    pub(crate) fn insert(&mut self, member: T) {
        // Kept in descending order, so that the first to go is at the end.
        let at = self.0.partition_point(|m| *m > member);
        if self.0.get(at) != Some(&member) {
            self.0.insert(at, member);
        }
    }

    pub(crate) fn pop_first(&mut self) -> Option<T> {
        self.0.pop()
    }

    pub(crate) fn first(&self) -> Option<&T> {
        self.0.last()
    }

    pub(crate) fn contains(&self, member: T) -> bool {
        self.0.binary_search_by(|m| member.cmp(m)).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_once_and_in_order() {
        let mut s = SortedSet::default();
        [5, 1, 3, 5, 1].into_iter().for_each(|n| s.insert(n));
        assert_eq!(s.iter().copied().collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!((s.first().copied(), s.pop_first(), s.pop_first()), (Some(1), Some(1), Some(3)));
        assert!(!s.is_empty());
    }
}
