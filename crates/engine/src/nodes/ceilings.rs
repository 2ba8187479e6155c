//! The most cores and memory that any node of a block of 64 has free.
//!
//! A block is a word of the index's bit sets: where the block's ceiling is too low, 64 nodes are passed
//! over unseen. Ceilings are exact, so that a pool without cores says no without a search.

use super::node::Row;
use serde::{Deserialize, Serialize};

/// Least that a node must have for a search to look at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    pub(super) cpu: u64,
    pub(super) memory: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Ceiling {
    cpu: u64,
    memory: u64,
}

impl Ceiling {
    fn raise(&mut self, row: &Row) {
        self.cpu = self.cpu.max(row.cpu);
        self.memory = self.memory.max(row.memory);
    }
}

/// One ceiling per block, over the nodes that the index knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ceilings(Vec<Ceiling>);

impl Ceilings {
    #[inline]
    pub(super) fn may_hold(&self, block: usize, floor: &Floor) -> bool {
        self.0[block].cpu >= floor.cpu && self.0[block].memory >= floor.memory
    }

    /// Whether any block may hold it.
    pub(super) fn any(&self, floor: &Floor) -> bool {
        (0..self.0.len()).any(|block| self.may_hold(block, floor))
    }

    /// A node has more than before, or is new.
    pub(super) fn raise(&mut self, rows: &[Row], node: usize) {
        let block = node >> 6;
        if block >= self.0.len() {
            self.0.resize(block + 1, Ceiling::default());
        }
        self.0[block].raise(&rows[node]);
    }

    /// A node that had this much has less.
    pub(super) fn lower(&mut self, rows: &[Row], node: usize, had_cpu: u64, had_memory: u64) {
        let block = node >> 6;
        let before = self.0[block];
        if had_cpu < before.cpu && had_memory < before.memory {
            return;
        }
        let mut ceiling = Ceiling::default();
        for row in rows[block << 6..].iter().take(64).filter(|row| row.filed.is_some()) {
            ceiling.raise(row);
            // Another node is as high: nothing changes.
            if ceiling == before {
                return;
            }
        }
        self.0[block] = ceiling;
    }

    /// Whether every ceiling is what its nodes say.
    #[cfg(test)]
    pub(super) fn are_exact(&self, rows: &[Row]) -> bool {
        let exact = |(block, ceiling): (&[Row], &Ceiling)| {
            let mut expected = Ceiling::default();
            block.iter().filter(|row| row.filed.is_some()).for_each(|row| expected.raise(row));
            expected == *ceiling
        };
        rows.len().div_ceil(64) == self.0.len() && rows.chunks(64).zip(&self.0).all(exact)
    }
}
