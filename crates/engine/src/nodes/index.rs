//! Ready nodes, filed by what they have left, so that a search looks at a few words and one node.

use super::balance::CLASSES;
use super::bitset::BitSet;
use super::node::{Filed, MODEL_SLOTS, Row};
use crate::resources::WHOLE;
use serde::{Deserialize, Serialize};

/// Each node is filed twice: by its free whole devices, and by the most that is left on a broken one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    Whole,
    Part,
}

/// Classes by free whole devices, and by what is left on a broken one.
const WHOLES: usize = 32;
const PARTS: usize = 100;
/// Free devices up to here have a class each; above, a class per power of two.
const EXACT: u32 = 16;
/// Thousandths per class of what is left on a broken device. People ask for hundredths: a class then
/// holds what fits exactly, and nothing that just does not.
const PART_STEP: u32 = WHOLE / PARTS as u32;

/// The class of a node with `count` free devices.
#[inline]
pub(super) fn whole_class(count: u32) -> u8 {
    if count <= EXACT { count as u8 } else { (EXACT + 1 + count.ilog2() - EXACT.ilog2()) as u8 }
}

/// The most free devices of a node in this class.
fn most_whole(class: u32) -> u32 {
    if class <= EXACT { class } else { (2 << (class - EXACT - 1 + EXACT.ilog2())) - 1 }
}

/// The class of a broken device with `milli` left.
#[inline]
pub(super) fn part_class(milli: u32) -> u8 {
    (milli / PART_STEP) as u8
}

/// Nodes without GPUs are filed by cores instead of devices, two classes per power of two.
#[inline]
pub(super) fn core_class(cpu: u64) -> u8 {
    let halves = cpu / 500 + 1;
    let log = halves.ilog2();
    let upper = log > 0 && halves & (1 << (log - 1)) != 0;
    (2 * log + u32::from(upper)).min(WHOLES as u32 - 1) as u8
}

/// Nodes of one class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Bucket {
    nodes: BitSet,
    len: u32,
}

impl Bucket {
    #[inline]
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        self.nodes.next(from)
    }

    fn insert(&mut self, node: usize) {
        self.nodes.insert(node);
        self.len += 1;
    }

    fn remove(&mut self, node: usize) {
        self.nodes.remove(node);
        self.len -= 1;
    }
}

/// Which classes of a model are not empty, one bit each, by balance.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(align(64))]
struct Filled {
    part: [u128; CLASSES],
    whole: [u32; CLASSES],
}

impl Filled {
    fn set(&mut self, view: View, balance: u8, class: u8, filled: bool) {
        match view {
            View::Whole => {
                let bits = &mut self.whole[usize::from(balance)];
                *bits = *bits & !(1 << class) | u32::from(filled) << class;
            }
            View::Part => {
                let bits = &mut self.part[usize::from(balance)];
                *bits = *bits & !(1 << class) | u128::from(filled) << class;
            }
        }
    }
}

/// All ready nodes: the words that say where to look, and the buckets behind them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    filled: [Filled; MODEL_SLOTS],
    /// Empty until the model has a node.
    buckets: [Vec<Bucket>; MODEL_SLOTS],
    /// Nodes by free devices, for upper bounds.
    count: [[u32; WHOLES]; MODEL_SLOTS],
}

fn position(view: View, balance: u8, class: u8) -> usize {
    let before = match view {
        View::Whole => 0,
        View::Part => WHOLES,
    };
    usize::from(balance) * (WHOLES + PARTS) + before + usize::from(class)
}

impl Index {
    /// Non-empty classes of a view, one bit each.
    #[inline]
    pub(super) fn classes(&self, view: View, balance: u8, slot: usize) -> u128 {
        match view {
            View::Whole => u128::from(self.filled[slot].whole[usize::from(balance)]),
            View::Part => self.filled[slot].part[usize::from(balance)],
        }
    }

    #[inline]
    pub(super) fn bucket(&self, view: View, balance: u8, class: u8, slot: usize) -> &Bucket {
        &self.buckets[slot][position(view, balance, class)]
    }

    /// The words that say which classes are filled, all of them.
    pub(super) fn glance(&self, slot: usize) -> u64 {
        let Filled { part, whole } = &self.filled[slot];
        (part.iter().step_by(4).fold(u128::from(whole[0]), |all, word| all ^ word)) as u64
    }

    /// Replicas of `k` devices that the free devices of a model's ready nodes allow, at most.
    pub(super) fn at_most(&self, slot: usize, k: u32) -> u64 {
        let classes = self.count[slot].iter().zip(0..);
        classes.map(|(&nodes, class)| u64::from(nodes) * u64::from(most_whole(class) / k)).sum()
    }

    /// Moves a node to where `to` says; `None` takes it out.
    pub(super) fn file(&mut self, rows: &mut [Row], node: usize, to: Option<Filed>) {
        let from = std::mem::replace(&mut rows[node].filed, to);
        let slot = usize::from(rows[node].slot);
        let whole = |filed: Filed| (filed.balance, filed.whole);
        let part = |filed: Filed| filed.part.map(|part| (filed.balance, part));
        if self.shift(View::Whole, slot, node, from.map(whole), to.map(whole)) {
            if let Some(filed) = from {
                self.count[slot][usize::from(filed.whole)] -= 1;
            }
            if let Some(filed) = to {
                self.count[slot][usize::from(filed.whole)] += 1;
            }
        }
        self.shift(View::Part, slot, node, from.and_then(part), to.and_then(part));
    }

    /// Says whether the node changed its bucket.
    fn shift(
        &mut self,
        view: View,
        slot: usize,
        node: usize,
        from: Option<(u8, u8)>,
        to: Option<(u8, u8)>,
    ) -> bool {
        if from == to {
            return false;
        }
        if self.buckets[slot].is_empty() {
            self.buckets[slot].resize(CLASSES * (WHOLES + PARTS), Bucket::default());
        }
        if let Some((balance, class)) = from {
            let bucket = &mut self.buckets[slot][position(view, balance, class)];
            bucket.remove(node);
            if bucket.len == 0 {
                self.filled[slot].set(view, balance, class, false);
            }
        }
        if let Some((balance, class)) = to {
            self.buckets[slot][position(view, balance, class)].insert(node);
            self.filled[slot].set(view, balance, class, true);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_monotone_and_bounded() {
        for count in 0..crate::resources::MAX_DEVICES {
            assert!(whole_class(count) <= whole_class(count + 1));
            assert!(u32::from(whole_class(count + 1)) < WHOLES as u32);
            assert!(most_whole(u32::from(whole_class(count))) >= count);
        }
        assert!((0..1_000).all(|milli| usize::from(part_class(milli)) < PARTS));
        let cores: Vec<u8> = (0..63).map(|bit| core_class(1 << bit)).collect();
        assert!(cores.is_sorted() && cores.iter().all(|&class| usize::from(class) < WHOLES));
    }
}
