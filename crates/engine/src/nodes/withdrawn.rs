//! GPUs that are out of service: what is free of them is kept from everybody, and what comes free, too.

use super::Nodes;
use crate::ids::NodeId;
use crate::resources::WHOLE;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const FULL: u16 = WHOLE as u16;

/// By node and device.
pub(super) type Withdrawn = BTreeMap<(NodeId, u16), Kept>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    reason: Box<str>,
    /// Thousandths of the device that were taken out of the book.
    milli: u16,
}

impl Nodes {
    /// Why a device is out of service, if it is.
    pub fn out_of_service(&self, node: NodeId, device: u16) -> Option<&str> {
        self.withdrawn.get(&(node, device)).map(|kept| &*kept.reason)
    }

    /// Devices of a node that are out of service, ascending, and why.
    pub fn withdrawn(&self, node: NodeId) -> impl Iterator<Item = (u16, &str)> {
        let of_node = self.withdrawn.range((node, 0)..=(node, u16::MAX));
        of_node.map(|((_, device), kept)| (*device, &*kept.reason))
    }

    /// Devices of a node that are kept whole, and the most that is kept of another.
    pub(super) fn kept_at(&self, node: NodeId) -> (u32, u16) {
        let of_node = self.withdrawn.range((node, 0)..=(node, u16::MAX)).map(|(_, kept)| kept.milli);
        of_node.fold((0, 0), |(whole, part), milli| match milli {
            FULL => (whole + 1, part),
            milli => (whole, part.max(milli)),
        })
    }

    /// Takes a device out of service with a reason, or back into it.
    pub fn set_device(&mut self, node: NodeId, device: u16, out: Option<&str>) {
        match (out, self.withdrawn.get_mut(&(node, device))) {
            (Some(reason), Some(kept)) => kept.reason = reason.into(),
            (Some(reason), None) => {
                self.withdrawn.insert((node, device), Kept { reason: reason.into(), milli: 0 });
                self.keep_withdrawn(node, device);
            }
            (None, Some(kept)) => {
                let milli = kept.milli;
                self.withdrawn.remove(&(node, device));
                self.hand_back(node, device, milli);
            }
            (None, None) => {}
        }
    }

    /// What is free of a device that is out of service leaves the book.
    pub(super) fn keep_withdrawn(&mut self, node: NodeId, device: u16) {
        let i = self.at(node);
        let row = &mut self.rows[i];
        let left = self.devices.of(row.devices_at, row.gpus)[usize::from(device)];
        let Some(kept) = self.withdrawn.get_mut(&(node, device)).filter(|_| left > 0) else { return };
        kept.milli += left;
        self.figures.of(row).minus(row);
        self.devices.take(row.devices_at, row.masks_at, device, left);
        row.milli -= u32::from(left);
        row.whole -= u16::from(left == FULL);
        self.rebook(i, true);
    }

    fn hand_back(&mut self, node: NodeId, device: u16, milli: u16) {
        if milli == 0 {
            return;
        }
        let i = self.at(node);
        let row = &mut self.rows[i];
        self.figures.of(row).minus(row);
        let after = self.devices.give(row.devices_at, row.masks_at, device, milli);
        row.milli += u32::from(milli);
        row.whole += u16::from(after == FULL);
        self.rebook(i, true);
    }
}
