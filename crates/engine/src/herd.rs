//! Units that somebody may have to evict, kept in the order in which it would be done.
//!
//! A herd is one scope: the descendants of a quota, its children, the quota itself, whoever borrows from an
//! account, or whoever borrows at all in a pool. Within a herd, units are kept by priority and by a tag (module or
//! class), and there by size. Units of one size lose the less work the later they were saved, and units are
//! saved as time goes on, so each bucket is in order by itself: a new unit goes to its end.

use crate::ids::Tick;
use crate::words::{Class, Module, ModuleSet, Priority, PrioritySet};
use smallvec::SmallVec;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) saved_at: Tick,
    pub(crate) unit: u32,
    /// The unit's stamp when the entry was made.
    pub(crate) stamp: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Bucket {
    /// Work lost per millisecond since `saved_at`: GPUs in thousandths, or zero if it can be suspended.
    pub(crate) rate: i64,
    /// Ascending; the cheapest victim is at the end.
    pub(crate) marks: Vec<Mark>,
    live: u32,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    units: u32,
    /// GPUs of its units in thousandths.
    gpu: i64,
    buckets: SmallVec<[Bucket; 1]>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Herd {
    cells: Option<Box<[Cell; CELLS]>>,
    units: u32,
    gpu: i64,
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
        let mark = Mark { saved_at: Tick(saved), unit, stamp: 0 };
        Beast { priority: Priority::MIN, tag: 0, rate, gpu: rate, mark }
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
}
