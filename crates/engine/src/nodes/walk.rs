//! The order in which a search looks at nodes.

use super::balance::{CLASSES, Order};
use super::ceilings::{Ceilings, Floor};
use super::index::{Index, View, core_class, part_class, whole_class};
use super::need::Need;
use super::node::{Filed, MODEL_SLOTS, NO_GPUS, Row};
use std::ops::ControlFlow;

/// What a search looks for on one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want {
    pub(super) need: Need,
    pub(super) cpu: u64,
    pub(super) memory: u64,
}

/// Where on a node a replica would sit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// On devices that are partly used.
    Broken,
    /// On devices that are entirely free; or on none.
    Free,
}

/// Which nodes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preference {
    /// Those that the request fits most tightly.
    Tightest,
    /// Those with most free devices: fewest nodes for a gang.
    Emptiest,
}

/// Model slots as bits.
pub(super) type Slots = u32;

fn slots_of(mut slots: Slots) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (slots != 0).then(|| {
            let slot = slots.trailing_zeros() as usize;
            slots &= slots - 1;
            slot
        })
    })
}

/// A walk over the index.
pub(super) struct Walk<'a> {
    pub(super) index: &'a Index,
    pub(super) ceilings: &'a Ceilings,
    pub(super) order: Order,
    pub(super) want: Want,
    pub(super) slots: Slots,
}

impl Walk<'_> {
    fn floor(&self) -> Floor {
        Floor { cpu: self.want.cpu, memory: self.want.memory }
    }

    /// Calls `f` with nodes in the order of preference. Nodes that the index rules out are left out;
    /// the others still need a look.
    pub(super) fn run<F, B>(&self, preference: Preference, mut f: F) -> ControlFlow<B>
    where
        F: FnMut(usize, Stage) -> ControlFlow<B>,
    {
        match (self.want.need, preference) {
            // Many buckets, little to tell them apart: where no node has the cores, do not open any.
            (Need::None, _) if !self.ceilings.any(&self.floor()) => {}
            (Need::None, _) => {
                if self.slots & (1 << NO_GPUS) != 0 {
                    let top = CLASSES as u8 - 1;
                    let least = core_class(self.want.cpu);
                    self.ascend(View::Whole, (top, top), 1 << NO_GPUS, least, Stage::Free, &mut f)?;
                }
                let slots = self.slots & !(1 << NO_GPUS);
                for (low, high) in self.order.groups() {
                    for class in (low..=high).rev() {
                        self.ascend(View::Whole, (class, class), slots, 0, Stage::Free, &mut f)?;
                    }
                }
            }
            (Need::Part(part), _) => {
                for group in self.order.groups() {
                    self.ascend(View::Part, group, self.slots, part_class(part), Stage::Broken, &mut f)?;
                    self.ascend(View::Whole, group, self.slots, 1, Stage::Free, &mut f)?;
                }
            }
            (Need::Whole(k), Preference::Tightest) => {
                for group in self.order.groups() {
                    self.ascend(View::Whole, group, self.slots, whole_class(k), Stage::Free, &mut f)?;
                }
            }
            (Need::Whole(k), Preference::Emptiest) => {
                let mut classes =
                    self.classes(View::Whole, (0, CLASSES as u8 - 1), self.slots, whole_class(k));
                while classes != 0 {
                    let class = classes.ilog2() as u8;
                    classes &= !(1 << class);
                    for group in self.order.groups() {
                        self.visit(View::Whole, group, self.slots, class, Stage::Free, &mut f)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Non-empty classes from `from` up, in any of the balance classes and models.
    fn classes(&self, view: View, (low, high): (u8, u8), slots: Slots, from: u8) -> u128 {
        let mut any = 0;
        for balance in low..=high {
            for slot in slots_of(slots) {
                any |= self.index.classes(view, balance, slot);
            }
        }
        any & u128::MAX.checked_shl(u32::from(from)).unwrap_or(0)
    }

    // One copy for all callers: a search is short, and its code is fetched from memory as its data is.
    #[inline(never)]
    fn ascend<F, B>(
        &self,
        view: View,
        group: (u8, u8),
        slots: Slots,
        from: u8,
        stage: Stage,
        f: &mut F,
    ) -> ControlFlow<B>
    where
        F: FnMut(usize, Stage) -> ControlFlow<B>,
    {
        let mut classes = self.classes(view, group, slots, from);
        while classes != 0 {
            let class = classes.trailing_zeros() as u8;
            classes &= classes - 1;
            self.visit(view, group, slots, class, stage, f)?;
        }
        ControlFlow::Continue(())
    }

    fn visit<F, B>(
        &self,
        view: View,
        (low, high): (u8, u8),
        slots: Slots,
        class: u8,
        stage: Stage,
        f: &mut F,
    ) -> ControlFlow<B>
    where
        F: FnMut(usize, Stage) -> ControlFlow<B>,
    {
        let floor = self.floor();
        for balance in low..=high {
            for slot in slots_of(slots) {
                if self.index.classes(view, balance, slot) & (1 << class) == 0 {
                    continue;
                }
                let bucket = self.index.bucket(view, balance, class, slot);
                let mut at = bucket.next(0);
                while let Some(node) = at {
                    let from = if self.ceilings.may_hold(node >> 6, &floor) {
                        f(node, stage)?;
                        node + 1
                    } else {
                        (node | 63) + 1
                    };
                    at = bucket.next(from);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The same order over a list of nodes, for callers that allow only a few.
    pub(super) fn over<F, B>(
        &self,
        preference: Preference,
        rows: &[Row],
        list: impl Iterator<Item = usize>,
        mut f: F,
    ) -> ControlFlow<B>
    where
        F: FnMut(usize, Stage) -> ControlFlow<B>,
    {
        let mut found = Vec::new();
        for node in list {
            let row = &rows[node];
            if let Some(filed) = row.filed
                && self.slots & (1 << row.slot) != 0
            {
                self.ranks(preference, row.slot, filed, |rank, stage| found.push((rank, node, stage)));
            }
        }
        found.sort_unstable();
        found.into_iter().try_for_each(|(_, node, stage)| f(node, stage))
    }

    /// Where the walk comes across a node that is filed like this, if at all.
    fn ranks(&self, preference: Preference, slot: u8, filed: Filed, mut push: impl FnMut([u8; 5], Stage)) {
        let Filed { balance, whole, part } = filed;
        let group = self.order.rank(balance);
        match (self.want.need, preference) {
            (Need::None, _) if usize::from(slot) == NO_GPUS => {
                if whole >= core_class(self.want.cpu) {
                    push([0, whole, 0, 0, slot], Stage::Free);
                }
            }
            (Need::None, _) => push([1, group, CLASSES as u8 - balance, whole, slot], Stage::Free),
            (Need::Part(milli), _) => {
                if let Some(part) = part.filter(|&part| part >= part_class(milli)) {
                    push([group, 0, part, balance, slot], Stage::Broken);
                }
                if whole >= 1 {
                    push([group, 1, whole, balance, slot], Stage::Free);
                }
            }
            (Need::Whole(k), _) if whole < whole_class(k) => {}
            (Need::Whole(_), Preference::Tightest) => push([group, whole, balance, slot, 0], Stage::Free),
            (Need::Whole(_), Preference::Emptiest) => {
                push([u8::MAX - whole, group, balance, slot, 0], Stage::Free)
            }
        }
    }
}

/// All models, and nodes without GPUs.
pub(super) const EVERY_SLOT: Slots = (1 << MODEL_SLOTS) - 1;
