//! Finding places without taking them.

use super::capacity::whole_devices;
use super::devices::{parts_in_broken, tightest};
use super::index::{core_class, part_class, whole_class};
use super::need::{Need, besides_devices};
use super::node::{NO_GPUS, Row};
use super::walk::{EVERY_SLOT, Preference, Slots, Stage, Walk, Want};
use super::{Barred, Nodes};
use crate::ids::NodeId;
use crate::resources::{MAX_MODELS, ModelSet, Shape, WHOLE};
use crate::slot::{Devices, Slot};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Equal replicas that are to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Plays no part when the shape needs no GPU.
    pub models: ModelSet,
    pub shape: Shape,
    pub count: u32,
    /// Ascending; None allows every node.
    pub allowed: Option<&'a [NodeId]>,
    pub barred: Barred<'a>,
}

impl Ask<'_> {
    /// What `n` replicas need when they share a node.
    fn want(&self, n: u32) -> Want {
        let need = match Need::of(&self.shape) {
            Need::Whole(k) => Need::Whole(k.saturating_mul(n)),
            need => need,
        };
        let cpu = u64::from(self.shape.cpu).saturating_mul(u64::from(n));
        Want { need, cpu, memory: self.shape.memory.saturating_mul(u64::from(n)) }
    }

    fn slots(&self) -> Slots {
        match (self.shape.gpu, self.models) {
            (0, _) => EVERY_SLOT,
            (_, ModelSet::ANY) => (1 << MAX_MODELS) - 1,
            (_, ModelSet(models)) => Slots::from(models),
        }
    }
}

impl Nodes {
    /// Places up to `ask.count` replicas, best nodes first, and changes nothing; appends to `out` and
    /// says how many were placed. All of them use one GPU model: the one that holds most of them.
    pub fn place(&self, ask: &Ask, out: &mut Vec<Slot>) -> u32 {
        let slots = ask.slots() & self.models;
        if ask.count == 0 || slots == 0 {
            return 0;
        }
        if ask.count == 1 {
            let found = self.place_one(ask);
            let placed = u32::from(found.is_some());
            out.extend(found);
            return placed;
        }
        let need = Need::of(&ask.shape);
        // A gang that fits one node goes to one node.
        if matches!(need, Need::Whole(_)) && self.place_together(ask, slots, ask.count, None, out) {
            return ask.count;
        }
        if need == Need::None || slots.is_power_of_two() {
            return self.place_spread(ask, slots, out);
        }
        self.place_on_one_model(ask, slots, out)
    }

    /// The place of one replica, whatever `ask.count` says.
    pub fn place_one(&self, ask: &Ask) -> Option<Slot> {
        let slots = ask.slots() & self.models;
        if slots == 0 {
            return None;
        }
        let (i, stage) = self.find(ask, slots, ask.want(1), None)?;
        Some(self.slot(i, stage, &ask.shape))
    }

    /// How many replicas `place` would place.
    pub fn fit(&self, ask: &Ask) -> u32 {
        let slots = ask.slots() & self.models;
        if ask.count == 1 && slots != 0 {
            return u32::from(self.find(ask, slots, ask.want(1), None).is_some());
        }
        self.place(ask, &mut Vec::new())
    }

    /// At most this many replicas can be placed now: from counters, so that a no needs no search.
    pub fn at_most(&self, ask: &Ask) -> u32 {
        let by_slot = |slot: usize| match Need::of(&ask.shape) {
            Need::None => u64::from(u32::MAX),
            Need::Part(part) => self.figures.ready(slot).free_milli / u64::from(part),
            Need::Whole(k) => self.index.at_most(slot, k),
        };
        let slots = ask.slots() & self.models;
        let most = (0..=NO_GPUS).filter(|&slot| slots & (1 << slot) != 0).map(by_slot).max();
        ask.count.min(u32::try_from(most.unwrap_or(0)).unwrap_or(u32::MAX))
    }

    /// The model with the best place for one replica first, then the others in order; the first that
    /// holds all wins, else the one that holds most.
    fn place_on_one_model(&self, ask: &Ask, slots: Slots, out: &mut Vec<Slot>) -> u32 {
        let one = Ask { count: 1, ..*ask };
        let mut tried = Vec::new();
        if !self.place_together(&one, slots, 1, None, &mut tried) {
            return 0;
        }
        let best = self.rows[tried[0].node.index()].slot;
        let others = (0..MAX_MODELS as u8).filter(|&slot| slot != best && slots & (1 << slot) != 0);
        let mut kept: Vec<Slot> = Vec::new();
        for slot in std::iter::once(best).chain(others) {
            let alone = Ask { models: ModelSet(1 << slot), ..*ask };
            if self.at_most(&alone) as usize <= kept.len() {
                continue;
            }
            tried.clear();
            self.place_spread(&alone, 1 << slot, &mut tried);
            if tried.len() > kept.len() {
                std::mem::swap(&mut kept, &mut tried);
            }
            if kept.len() == ask.count as usize {
                break;
            }
        }
        let placed = kept.len() as u32;
        out.append(&mut kept);
        placed
    }

    /// Places `n` replicas on one node, or none; `used` nodes are left alone.
    fn place_together(
        &self,
        ask: &Ask,
        slots: Slots,
        n: u32,
        used: Option<&BTreeSet<usize>>,
        out: &mut Vec<Slot>,
    ) -> bool {
        let found = self.find(ask, slots, ask.want(n), used);
        if let Some((i, stage)) = found {
            self.fill(i, stage, n, &ask.shape, out);
        }
        found.is_some()
    }

    /// The node that all of `want` fits most tightly; `used` nodes are left alone.
    fn find(
        &self,
        ask: &Ask,
        slots: Slots,
        want: Want,
        used: Option<&BTreeSet<usize>>,
    ) -> Option<(usize, Stage)> {
        let found = self.walk(ask, slots, want, Preference::Tightest, |i, stage| {
            if self.fits_one(i, &want, stage, ask.barred) && !used.is_some_and(|used| used.contains(&i)) {
                return ControlFlow::Break((i, stage));
            }
            ControlFlow::Continue(())
        });
        found.break_value()
    }

    /// Places as many as fit, node by node, each filled before the next.
    fn place_spread(&self, ask: &Ask, slots: Slots, out: &mut Vec<Slot>) -> u32 {
        let mut left = ask.count;
        let mut used = BTreeSet::new();
        let whole = matches!(Need::of(&ask.shape), Need::Whole(_));
        let _ = self.walk(ask, slots, ask.want(1), Preference::Emptiest, |i, stage| {
            let here = self.room(i, stage, &ask.shape, ask.barred);
            // The rest of a gang goes where it leaves the smallest hole.
            if whole && here >= left && self.place_together(ask, slots, left, Some(&used), out) {
                left = 0;
            } else if here > 0 {
                self.fill(i, stage, here.min(left), &ask.shape, out);
                left -= here.min(left);
                if whole {
                    used.insert(i);
                }
            }
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        ask.count - left
    }

    fn walk<F, B>(&self, ask: &Ask, slots: Slots, want: Want, preference: Preference, f: F) -> ControlFlow<B>
    where
        F: FnMut(usize, Stage) -> ControlFlow<B>,
    {
        let milli = match want.need {
            Need::None => 0,
            Need::Part(part) => u64::from(part),
            Need::Whole(k) => u64::from(k) * u64::from(WHOLE),
        };
        let order = self.yardstick.order(want.cpu, want.memory, milli);
        let walk = Walk { index: &self.index, ceilings: &self.ceilings, order, want, slots };
        match ask.allowed {
            None => walk.run(preference, f),
            Some(list) => {
                let known = list.iter().map(|node| node.index()).filter(|&i| i < self.rows.len());
                walk.over(preference, &self.rows, known, f)
            }
        }
    }

    /// Replicas that a node takes at this stage. At the stage of free devices it has already been
    /// filled at the stage of broken ones.
    fn room(&self, i: usize, stage: Stage, shape: &Shape, barred: Barred) -> u32 {
        let row = &self.rows[i];
        let besides = besides_devices(row.cpu, row.memory, shape);
        match (Need::of(shape), stage) {
            (Need::None, _) => besides,
            (Need::Whole(k), _) => besides.min(row.open(i, barred) / k),
            (Need::Part(part), stage) => {
                let broken = parts_in_broken(self.devices.of(row.devices_at, row.gpus), part).min(besides);
                match stage {
                    Stage::Broken => broken,
                    Stage::Free => (besides - broken).min(row.open(i, barred) * (WHOLE / part)),
                }
            }
        }
    }

    /// One replica's slot on a node that has room for it.
    fn slot(&self, i: usize, stage: Stage, shape: &Shape) -> Slot {
        let row = &self.rows[i];
        let devices = match Need::of(shape) {
            Need::None => Devices::None,
            Need::Whole(k) if row.gpus <= 64 => Devices::Mask(self.devices.lowest_free(row.masks_at, k)),
            Need::Part(part) if stage == Stage::Broken || u32::from(row.part) < part => {
                let device = tightest(self.devices.of(row.devices_at, row.gpus), part);
                let device = device.expect("the search saw room on a device");
                Devices::Part { device, milli: part as u16 }
            }
            Need::Whole(k) => {
                let free = self.devices.first_free(row.masks_at, row.gpus, k);
                whole_devices(&free.collect::<SmallVec<[u16; 16]>>())
            }
            _ => {
                let mut one = Vec::with_capacity(1);
                self.fill(i, stage, 1, shape, &mut one);
                return one.pop().expect("the search saw room on the node");
            }
        };
        Slot { node: NodeId(i as u32), devices, cpu: shape.cpu, memory: shape.memory }
    }

    /// Appends `n` slots on a node that has room for them.
    fn fill(&self, i: usize, stage: Stage, n: u32, shape: &Shape, out: &mut Vec<Slot>) {
        let row = &self.rows[i];
        let node = NodeId(i as u32);
        let Shape { cpu, memory, .. } = *shape;
        match Need::of(shape) {
            Need::None => out.extend((0..n).map(|_| Slot { node, devices: Devices::None, cpu, memory })),
            Need::Whole(k) => {
                let mut free = self.devices.first_free(row.masks_at, row.gpus, k.saturating_mul(n));
                for _ in 0..n {
                    let chosen: SmallVec<[u16; 16]> = free.by_ref().take(k as usize).collect();
                    out.push(Slot { node, devices: whole_devices(&chosen), cpu, memory });
                }
            }
            Need::Part(part) => {
                let mut capacity = self.capacity(node);
                if stage == Stage::Free {
                    (0..parts_in_broken(&capacity.milli, part))
                        .for_each(|_| drop(capacity.take(node, shape)));
                }
                out.extend((0..n).map_while(|_| capacity.take(node, shape)));
            }
        }
    }
}

impl Nodes {
    /// Whether a node has room for what is wanted, at this stage.
    #[inline]
    fn fits_one(&self, i: usize, want: &Want, stage: Stage, barred: Barred) -> bool {
        let row = &self.rows[i];
        row.cpu >= want.cpu
            && row.memory >= want.memory
            && match (want.need, stage) {
                (Need::None, _) => true,
                (Need::Part(part), Stage::Broken) => u32::from(row.part) >= part,
                (Need::Part(_), Stage::Free) => row.open(i, barred) >= 1,
                (Need::Whole(k), _) => row.open(i, barred) >= k,
            }
    }

    /// Where the index should file a node: nowhere unless it takes new work.
    pub(super) fn filing(&self, row: &Row) -> Option<super::node::Filed> {
        if row.state != super::NodeState::Ready || row.removed {
            return None;
        }
        if usize::from(row.slot) == NO_GPUS {
            let balance = super::balance::CLASSES as u8 - 1;
            return Some(super::node::Filed { balance, whole: core_class(row.cpu), part: None });
        }
        Some(super::node::Filed {
            balance: self.yardstick.class(row.cpu, row.memory, row.milli),
            whole: whole_class(u32::from(row.whole)),
            part: (row.part > 0).then(|| part_class(u32::from(row.part))),
        })
    }
}
