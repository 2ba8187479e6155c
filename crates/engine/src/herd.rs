//! Units that somebody may have to evict, kept in the order in which it would be done.
//!
//! A herd is one scope: the descendants of a quota, its children, the quota itself, whoever borrows from an
//! account, or whoever borrows at all in a pool. Within a herd, units are kept by priority and by a tag (module or
//! class), and there by size. Units of one size lose the less work the later they were saved, and units are
//! saved as time goes on, so each bucket is in order by itself: a new unit goes to its end.

use crate::ids::{Tick, WorkloadId};
use crate::words::{Class, Module, ModuleSet, Priority, PrioritySet};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::cmp::Reverse;

/// Modules, or classes below firm.
pub(crate) type Tag = u8;

pub(crate) fn module_tag(m: Module) -> Tag {
    m as u8
}

pub(crate) fn class_tag(c: Class) -> Tag {
    c as u8
}

const TAGS: usize = 4;
const CELLS: usize = 9 * TAGS;

fn cell_of(priority: Priority, tag: Tag) -> usize {
    usize::from(priority.get() - 1) * TAGS + usize::from(tag)
}

/// Where a unit stands in a herd. Entries of units that left stay until they are swept: they are
/// told from live ones by their stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) saved_at: Tick,
    /// Among equals the latest start goes first, then the lowest id.
    pub(crate) started: Reverse<Tick>,
    pub(crate) workload: WorkloadId,
    pub(crate) number: u32,
    pub(crate) unit: u32,
    /// The unit's stamp when the entry was made.
    pub(crate) stamp: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Bucket {
    /// Work lost per millisecond since `saved_at`: GPUs in thousandths, or zero if it can be suspended.
    pub(crate) rate: i64,
    /// Ascending. The latest saved are the cheapest victims; among those saved together, the first.
    pub(crate) marks: Vec<Mark>,
    live: u32,
}

/// A walk over a bucket, the cheapest victim first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) bucket: &'a Bucket,
    /// Marks saved together: from `low` to `high`, and the next of them.
    low: usize,
    high: usize,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bucket: &'a Bucket) -> Cursor<'a> {
        let end = bucket.marks.len();
        Cursor { bucket, low: end, high: end, at: end }
    }
}

impl Iterator for Cursor<'_> {
    type Item = Mark;

    fn next(&mut self) -> Option<Mark> {
        let marks = &self.bucket.marks;
        if self.at == self.high {
            self.high = self.low;
            let saved_at = marks[..self.high].last()?.saved_at;
            // Most were saved at an instant of their own: look near the end first.
            let mut step = 1;
            while step < self.high && marks[self.high - 1 - step].saved_at == saved_at {
                step *= 2;
            }
            let from = self.high.saturating_sub(step + 1);
            self.low = from + marks[from..self.high].partition_point(|m| m.saved_at < saved_at);
            self.at = self.low;
        }
        self.at += 1;
        Some(marks[self.at - 1])
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Cell {
    units: u32,
    /// GPUs of its units in thousandths.
    gpu: i64,
    buckets: SmallVec<[Bucket; 1]>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Herd {
    #[serde(with = "cells")]
    cells: Option<Box<[Cell; CELLS]>>,
    units: u32,
    gpu: i64,
}

/// Serde has no arrays of this length.
mod cells {
    use super::{CELLS, Cell};
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    type Cells = Option<Box<[Cell; CELLS]>>;

    pub(super) fn serialize<S: Serializer>(cells: &Cells, serializer: S) -> Result<S::Ok, S::Error> {
        cells.as_ref().map(|cells| &cells[..]).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cells, D::Error> {
        let Some(cells) = Option::<Box<[Cell]>>::deserialize(deserializer)? else { return Ok(None) };
        let cells = Box::<[Cell; CELLS]>::try_from(cells);
        cells
            .map(Some)
            .map_err(|cells| Error::invalid_length(cells.len(), &"a cell for each priority and tag"))
    }
}

/// What a herd needs to know of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beast {
    pub(crate) priority: Priority,
    pub(crate) tag: Tag,
    pub(crate) rate: i64,
    pub(crate) gpu: i64,
    pub(crate) mark: Mark,
}

impl Herd {
    pub(crate) fn is_empty(&self) -> bool {
        self.units == 0
    }

    pub(crate) fn units(&self) -> u32 {
        self.units
    }

    pub(crate) fn gpu(&self) -> i64 {
        self.gpu
    }

    pub(crate) fn join(&mut self, b: &Beast) {
        let cells = self.cells.get_or_insert_with(|| Box::new(std::array::from_fn(|_| Cell::default())));
        let cell = &mut cells[cell_of(b.priority, b.tag)];
        let at = cell.buckets.iter().position(|k| k.rate == b.rate).unwrap_or_else(|| {
            cell.buckets.push(Bucket { rate: b.rate, ..Bucket::default() });
            cell.buckets.len() - 1
        });
        let bucket = &mut cell.buckets[at];
        match bucket.marks.last() {
            Some(last) if *last > b.mark => {
                let place = bucket.marks.partition_point(|m| *m < b.mark);
                bucket.marks.insert(place, b.mark);
            }
            _ => bucket.marks.push(b.mark),
        }
        bucket.live += 1;
        cell.units += 1;
        cell.gpu += b.gpu;
        self.units += 1;
        self.gpu += b.gpu;
    }

    /// The entry stays behind until a sweep; `stamp_of` tells the present stamp of a unit.
    pub(crate) fn leave(&mut self, b: &Beast, stamp_of: impl Fn(u32) -> Option<u32>) {
        let cells = self.cells.as_mut().expect("who leaves a herd was in it");
        let cell = &mut cells[cell_of(b.priority, b.tag)];
        let at = cell.buckets.iter().position(|k| k.rate == b.rate).expect("who leaves a bucket was in it");
        let bucket = &mut cell.buckets[at];
        bucket.live -= 1;
        let dead = |m: &Mark| stamp_of(m.unit) != Some(m.stamp);
        while bucket.marks.last().is_some_and(dead) {
            bucket.marks.pop();
        }
        if bucket.live == 0 {
            cell.buckets.swap_remove(at);
        } else if bucket.marks.len() > 2 * bucket.live as usize + 16 {
            bucket.marks.retain(|m| !dead(m));
        }
        cell.units -= 1;
        cell.gpu -= b.gpu;
        self.units -= 1;
        self.gpu -= b.gpu;
    }

    /// Takes a unit out at once, entry and all: for herds of one account, which are small, and for units
    /// that keep their stamp.
    pub(crate) fn strike(&mut self, b: &Beast) {
        let cells = self.cells.as_mut().expect("who is struck from a herd was in it");
        let cell = &mut cells[cell_of(b.priority, b.tag)];
        let at = cell.buckets.iter().position(|k| k.rate == b.rate).expect("who is struck was in a bucket");
        let bucket = &mut cell.buckets[at];
        let mark = bucket.marks.binary_search(&b.mark).expect("who is struck has a mark");
        bucket.marks.remove(mark);
        bucket.live -= 1;
        if bucket.live == 0 {
            cell.buckets.swap_remove(at);
        }
        cell.units -= 1;
        cell.gpu -= b.gpu;
        self.units -= 1;
        self.gpu -= b.gpu;
    }

    /// Units and GPUs of one cell.
    pub(crate) fn count(&self, priority: Priority, tag: Tag) -> (u32, i64) {
        self.cells.as_ref().map_or((0, 0), |c| {
            let cell = &c[cell_of(priority, tag)];
            (cell.units, cell.gpu)
        })
    }

    /// Units and GPUs of all cells with these priorities and modules.
    pub(crate) fn sum(&self, priorities: PrioritySet, modules: ModuleSet) -> (u32, i64) {
        let cells = priorities.iter().flat_map(|p| modules.iter().map(move |m| (p, module_tag(m))));
        cells.map(|(p, t)| self.count(p, t)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    pub(crate) fn buckets(&self, priority: Priority, tag: Tag) -> &[Bucket] {
        self.cells.as_ref().map_or(&[], |c| &c[cell_of(priority, tag)].buckets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beast(unit: u32, saved: u64, rate: i64) -> Beast {
        let started = Reverse(Tick(saved));
        let mark =
            Mark { saved_at: Tick(saved), started, workload: WorkloadId(unit), number: 0, unit, stamp: 0 };
        Beast { priority: Priority::MIN, tag: 0, rate, gpu: rate, mark }
    }

    #[test]
    fn the_latest_saved_comes_first_and_then_the_lowest_id() {
        let mut h = Herd::default();
        for (u, t) in [(0, 5), (1, 9), (2, 9), (3, 9), (4, 9), (5, 9), (6, 7)] {
            h.join(&beast(u, t, 8));
        }
        let bucket = &h.buckets(Priority::MIN, 0)[0];
        assert_eq!(Cursor::new(bucket).map(|m| m.unit).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 0]);
    }

    #[test]
    fn buckets_stay_in_order_and_are_swept() {
        let mut h = Herd::default();
        let gone = std::cell::Cell::new(0u32);
        let stamp = |u: u32| (u >= gone.get()).then_some(0);
        for (u, t) in [(0, 5), (1, 9), (2, 7)] {
            h.join(&beast(u, t, 8));
        }
        let order: Vec<u32> = h.buckets(Priority::MIN, 0)[0].marks.iter().map(|m| m.unit).collect();
        assert_eq!(order, [0, 2, 1]);
        assert_eq!(h.count(Priority::MIN, 0), (3, 24));
        gone.set(1);
        h.leave(&beast(0, 5, 8), stamp);
        assert_eq!(h.count(Priority::MIN, 0), (2, 16));
        gone.set(3);
        h.leave(&beast(1, 9, 8), stamp);
        h.leave(&beast(2, 7, 8), stamp);
        assert!(h.is_empty() && h.buckets(Priority::MIN, 0).is_empty());
    }

    #[test]
    fn who_is_struck_leaves_no_entry() {
        let mut h = Herd::default();
        for (u, t) in [(0, 5), (1, 9), (2, 7)] {
            h.join(&beast(u, t, 8));
        }
        h.strike(&beast(2, 7, 8));
        let order: Vec<u32> = h.buckets(Priority::MIN, 0)[0].marks.iter().map(|m| m.unit).collect();
        assert_eq!((order, h.count(Priority::MIN, 0)), (vec![0, 1], (2, 16)));
        h.strike(&beast(1, 9, 8));
        h.strike(&beast(0, 5, 8));
        assert!(h.is_empty() && h.buckets(Priority::MIN, 0).is_empty());
    }
}
