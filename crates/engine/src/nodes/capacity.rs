//! What one node could give, as a value: a victim search adds to it and draws from it.

use super::devices::tightest;
use super::need::{Need, besides_devices};
use crate::ids::NodeId;
use crate::resources::{Shape, WHOLE};
use crate::slot::{Devices, Slot};
use smallvec::SmallVec;

/// Free thousandths of each device, free cores and memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    pub milli: SmallVec<[u16; 8]>,
    /// Thousandths of a core.
    pub cpu: u64,
    /// Bytes.
    pub memory: u64,
    /// Whole devices that stay free for somebody else.
    pub kept: u32,
}

impl Capacity {
    /// Adds what `slot` holds. Panics if it holds what is free already: the books disagree.
    pub fn give_back(&mut self, slot: &Slot) {
        each_device(&slot.devices, |device, milli| {
            let left = &mut self.milli[usize::from(device)];
            assert!(*left + milli <= WHOLE as u16, "device {device} is given back twice");
            *left += milli;
        });
        self.cpu += u64::from(slot.cpu);
        self.memory += slot.memory;
    }

    /// Undoes `give_back`. Panics if that was not done: the books disagree.
    pub fn take_out(&mut self, slot: &Slot) {
        each_device(&slot.devices, |device, milli| {
            let left = &mut self.milli[usize::from(device)];
            assert!(*left >= milli, "device {device} is taken out twice");
            *left -= milli;
        });
        self.cpu -= u64::from(slot.cpu);
        self.memory -= slot.memory;
    }

    /// Devices that are entirely free.
    pub fn whole(&self) -> u32 {
        // Counted in 16 bits, as devices are numbered: so many at once.
        u32::from(self.milli.iter().map(|&m| u16::from(u32::from(m) == WHOLE)).sum::<u16>())
    }

    /// Those of them that are not kept for somebody else.
    fn open(&self) -> u32 {
        self.whole().saturating_sub(self.kept)
    }

    /// How many replicas of the shape it holds.
    pub fn fits(&self, shape: &Shape) -> u32 {
        let devices = match Need::of(shape) {
            Need::None => u32::MAX,
            Need::Part(part) => {
                let all: u32 = self.milli.iter().map(|&m| u32::from(m) / part).sum();
                all - if self.kept == 0 { 0 } else { self.kept.min(self.whole()) * (WHOLE / part) }
            }
            Need::Whole(k) => self.open() / k,
        };
        devices.min(besides_devices(self.cpu, self.memory, shape))
    }

    /// Draws one replica; nothing changes when it does not fit. Broken devices are used up before a
    /// free one is broken.
    pub fn take(&mut self, node: NodeId, shape: &Shape) -> Option<Slot> {
        if self.cpu < u64::from(shape.cpu) || self.memory < shape.memory {
            return None;
        }
        let devices = match Need::of(shape) {
            Need::None => Devices::None,
            Need::Part(part) => {
                let device = tightest(&self.milli, part)?;
                let breaks = u32::from(self.milli[usize::from(device)]) == WHOLE;
                if breaks && self.kept > 0 && self.open() == 0 {
                    return None;
                }
                self.milli[usize::from(device)] -= part as u16;
                Devices::Part { device, milli: part as u16 }
            }
            Need::Whole(k) => {
                let full = self.milli.iter().enumerate().filter(|&(_, &m)| u32::from(m) == WHOLE);
                let chosen: SmallVec<[u16; 8]> = full.map(|(d, _)| d as u16).take(k as usize).collect();
                if (chosen.len() as u32) < k || (self.kept > 0 && self.open() < k) {
                    return None;
                }
                for &d in &chosen {
                    self.milli[usize::from(d)] = 0;
                }
                whole_devices(&chosen)
            }
        };
        self.cpu -= u64::from(shape.cpu);
        self.memory -= shape.memory;
        Some(Slot { node, devices, cpu: shape.cpu, memory: shape.memory })
    }
}

/// The short form where all devices are among the first 64.
pub(super) fn whole_devices(ascending: &[u16]) -> Devices {
    match ascending.last() {
        Some(&last) if last >= 64 => Devices::List(ascending.into()),
        _ => Devices::Mask(ascending.iter().fold(0, |mask, &d| mask | 1 << d)),
    }
}

/// Calls `f` with every device of a slot and the thousandths it holds there.
#[inline]
pub(super) fn each_device(devices: &Devices, mut f: impl FnMut(u16, u16)) {
    match devices {
        Devices::None => {}
        Devices::Part { device, milli } => f(*device, *milli),
        Devices::Mask(mask) => super::devices::ones(*mask).for_each(|d| f(d, WHOLE as u16)),
        Devices::List(list) => list.iter().for_each(|&d| f(d, WHOLE as u16)),
    }
}
