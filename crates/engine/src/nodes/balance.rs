//! How much CPU and memory a node has left for the GPUs it has left.
//!
//! A node whose free GPUs outnumber what its free cores can serve strands GPUs. The **balance** of a
//! node says by how much, in thousandths of a GPU: `free cores / cores per GPU - free GPUs`, memory
//! likewise, whichever is less. A request has a balance too, and taking it subtracts. So a request
//! strands GPUs only where its balance is above the node's, and one that is light on cores mends a
//! node that is short of them.

use super::kinds::Kinds;
use crate::resources::WHOLE;
use serde::{Deserialize, Serialize};

/// Classes are narrow around zero, where a single request decides, and wide where nothing is tight.
const EDGES: [i64; 11] = [-4_000, -2_000, -1_000, -500, -250, 0, 250, 500, 1_000, 2_000, 4_000];
pub(super) const CLASSES: usize = EDGES.len() + 1;
const TOP: u8 = EDGES.len() as u8;

/// The cores and memory that one GPU is expected to need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Yardstick {
    cpu: u64,
    memory: u64,
}

impl Default for Yardstick {
    fn default() -> Self {
        Yardstick { cpu: u64::from(WHOLE), memory: 1 << 30 }
    }
}

impl Yardstick {
    /// Two fifths of what the median device of the pool has beside it: machines are bought to suit
    /// their work, with room to spare. On the openb traces three quarters allocate 0.2 points more; but
    /// were those nodes a fifth poorer in cores, two fifths would allocate 1 to 5 points more.
    pub(super) fn of(kinds: &Kinds) -> Yardstick {
        let part = |median: u64| (median / 5 * 2).max(1);
        match kinds.medians_per_device() {
            Some((cpu, memory)) => Yardstick { cpu: part(cpu), memory: part(memory) },
            None => Yardstick::default(),
        }
    }

    /// What `amount` could serve, in thousandths of a GPU; saturates far beyond any node.
    fn serves(amount: u64, per_gpu: u64) -> i64 {
        i64::try_from(amount.saturating_mul(u64::from(WHOLE)) / per_gpu).unwrap_or(i64::MAX / 2)
    }

    /// The class of a node with this much free.
    #[inline]
    pub(super) fn class(&self, cpu: u64, memory: u64, milli: u32) -> u8 {
        let served = Self::serves(cpu, self.cpu).min(Self::serves(memory, self.memory));
        let balance = served - i64::from(milli);
        EDGES.iter().map(|&edge| u8::from(balance >= edge)).sum()
    }

    /// The order in which a request that takes this much should try the classes.
    pub(super) fn order(&self, cpu: u64, memory: u64, milli: u64) -> Order {
        let served = Self::serves(cpu, self.cpu).max(Self::serves(memory, self.memory));
        let milli = i64::try_from(milli).unwrap_or(i64::MAX / 2);
        Order::of(served - milli)
    }
}

/// Classes in groups, best group first; within a group the choice makes no difference to what is
/// stranded, so that fragmentation decides there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    groups: [(u8, u8); CLASSES],
    len: u8,
}

impl Order {
    fn of(balance: i64) -> Order {
        let mut order = Order { groups: [(0, 0); CLASSES], len: 0 };
        if balance > 0 {
            // It strands nothing above its own balance; below, the less the higher; nodes that are
            // already short all lose the same.
            let first = EDGES.iter().position(|&low| low >= balance).map_or(TOP + 1, |e| e as u8 + 1);
            let short = EDGES.iter().filter(|&&low| low <= 0).count() as u8;
            order.push(first, TOP);
            (short + 1..first).rev().for_each(|class| order.push(class, class));
            order.push(0, short.min(first - 1));
        } else {
            // It mends most where the shortage is at least its own surplus; then the more the lower;
            // nodes that are short of nothing gain nothing.
            let first = EDGES.iter().filter(|&&high| high <= balance).count() as u8;
            let ample = EDGES.iter().filter(|&&high| high < 0).count() as u8;
            let mending = first.min(ample);
            if mending > 0 {
                order.push(0, mending - 1);
            }
            (mending..ample).for_each(|class| order.push(class, class));
            order.push(ample, TOP);
        }
        order
    }

    fn push(&mut self, low: u8, high: u8) {
        if low <= high {
            self.groups[usize::from(self.len)] = (low, high);
            self.len += 1;
        }
    }

    /// Lowest and highest class of each group, in the order of preference.
    pub(super) fn groups(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.groups[..usize::from(self.len)].iter().copied()
    }

    /// The place of a class's group in the order.
    pub(super) fn rank(&self, class: u8) -> u8 {
        let found = self.groups().position(|(low, high)| (low..=high).contains(&class));
        found.expect("every class is in a group") as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_in_exactly_one_group() {
        for balance in (-9_000..9_000).step_by(50).chain(EDGES) {
            let mut seen = [0; CLASSES];
            for (low, high) in Order::of(balance).groups() {
                (low..=high).for_each(|class| seen[usize::from(class)] += 1);
            }
            assert_eq!(seen, [1; CLASSES], "balance {balance}");
        }
    }

    #[test]
    fn a_request_heavy_on_cores_tries_nodes_with_cores_to_spare_first() {
        let groups: Vec<_> = Order::of(400).groups().collect();
        assert_eq!(groups, [(8, 11), (7, 7), (0, 6)]);
    }

    #[test]
    fn a_request_light_on_cores_mends_nodes_that_are_short_of_them() {
        let groups: Vec<_> = Order::of(-600).groups().collect();
        assert_eq!(groups, [(0, 2), (3, 3), (4, 4), (5, 11)]);
    }
}
