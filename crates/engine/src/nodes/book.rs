//! Taking and giving back: the only places where what is free changes.

use super::Nodes;
use super::capacity::each_device;
use super::devices::largest_part;
use super::node::{Resident, Row};
use crate::ids::NodeId;
use crate::resources::WHOLE;
use crate::slot::{Devices, Slot};

const FULL: u16 = WHOLE as u16;

impl Nodes {
    /// Books a slot for a unit. Panics if any of it is not free: the books disagree. The state of the
    /// node plays no part, so that a log can be replayed.
    pub fn occupy(&mut self, slot: &Slot, unit: u32) {
        let i = self.at(slot.node);
        self.check(slot, i);
        let row = &mut self.rows[i];
        self.figures.of(row).minus(row);
        assert!(
            row.cpu >= u64::from(slot.cpu),
            "{:?} has {} thousandths of a core left, not {}",
            slot.node,
            row.cpu,
            slot.cpu
        );
        assert!(
            row.memory >= slot.memory,
            "{:?} has {} bytes left, not {}",
            slot.node,
            row.memory,
            slot.memory
        );
        row.cpu -= u64::from(slot.cpu);
        row.memory -= slot.memory;
        let mut shrank = false;
        each_device(&slot.devices, |device, milli| {
            let before = self.devices.take(row.devices_at, row.masks_at, device, milli);
            row.milli -= u32::from(milli);
            row.whole -= u16::from(before == FULL);
            match before {
                FULL if milli < FULL => row.part = row.part.max(FULL - milli),
                FULL => {}
                before => shrank |= before == row.part,
            }
        });
        let had = (row.cpu + u64::from(slot.cpu), row.memory + slot.memory);
        self.rebook(i, shrank);
        if self.rows[i].filed.is_some() {
            self.ceilings.lower(&self.rows, i, had.0, had.1);
        }
        let residents = &mut self.residents[i];
        match residents.binary_search_by_key(&unit, |resident| resident.unit) {
            Ok(at) => residents[at].replicas += 1,
            Err(at) => residents.insert(at, Resident { unit, replicas: 1 }),
        }
    }

    /// Frees a slot of a unit. Panics if it was not booked for it: the books disagree.
    pub fn vacate(&mut self, slot: &Slot, unit: u32) {
        let i = self.at(slot.node);
        self.check(slot, i);
        let residents = &mut self.residents[i];
        let at = residents.binary_search_by_key(&unit, |resident| resident.unit);
        let at = at.unwrap_or_else(|_| panic!("unit {unit} is not on {:?}", slot.node));
        residents[at].replicas -= 1;
        if residents[at].replicas == 0 {
            residents.remove(at);
        }
        let row = &mut self.rows[i];
        self.figures.of(row).minus(row);
        row.cpu += u64::from(slot.cpu);
        row.memory += slot.memory;
        assert!(
            self.kinds.get(row.kind).has(row.cpu, row.memory),
            "{:?} is given back more than it has",
            slot.node
        );
        let mut shrank = false;
        each_device(&slot.devices, |device, milli| {
            let after = self.devices.give(row.devices_at, row.masks_at, device, milli);
            row.milli += u32::from(milli);
            match after {
                FULL => {
                    row.whole += 1;
                    shrank |= milli < FULL && FULL - milli == row.part;
                }
                after => row.part = row.part.max(after),
            }
        });
        self.rebook(i, shrank);
        if self.rows[i].filed.is_some() {
            self.ceilings.raise(&self.rows, i);
        }
        if !self.withdrawn.is_empty() {
            each_device(&slot.devices, |device, _| self.keep_withdrawn(slot.node, device));
        }
    }

    /// Keeps whole devices of a node for a reservation: who respects bars leaves them free.
    pub fn bar(&mut self, node: NodeId, devices: u32) {
        let i = self.at(node);
        let barred = &mut self.rows[i].barred;
        *barred = barred.saturating_add(u16::try_from(devices).unwrap_or(u16::MAX));
    }

    /// Takes a bar back. Panics if more is taken back than was barred: the books disagree.
    pub fn unbar(&mut self, node: NodeId, devices: u32) {
        let i = self.at(node);
        let barred = &mut self.rows[i].barred;
        assert!(u32::from(*barred) >= devices, "{node:?} has {barred} barred devices, not {devices}");
        *barred -= devices as u16;
    }

    /// The table position of a node. Panics if the pool never had it or has it no more.
    pub(super) fn at(&self, node: NodeId) -> usize {
        assert!(self.contains(node), "{node:?} is not in the pool");
        node.index()
    }

    fn check(&self, slot: &Slot, i: usize) {
        let gpus = self.rows[i].gpus;
        let sound = match &slot.devices {
            Devices::None => true,
            Devices::Part { device, milli } => *device < gpus && (1..FULL).contains(milli),
            Devices::Mask(mask) => 64 - mask.leading_zeros() <= u32::from(gpus),
            Devices::List(list) => list.iter().all(|&device| device < gpus),
        };
        assert!(sound, "{:?} names devices that the node does not have", slot);
    }

    /// Brings counters and index in line with a row that changed. `shrank`: the largest part may be
    /// smaller now.
    pub(super) fn rebook(&mut self, i: usize, shrank: bool) {
        let row = &mut self.rows[i];
        if shrank {
            row.part = largest_part(self.devices.of(row.devices_at, row.gpus));
        }
        self.figures.of(row).plus(row);
        self.refile(i);
    }

    pub(super) fn refile(&mut self, i: usize) {
        let row: &Row = &self.rows[i];
        let to = self.filing(row);
        self.index.file(&mut self.rows, i, to);
    }
}
