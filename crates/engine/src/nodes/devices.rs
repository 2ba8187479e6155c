//! The devices of all nodes: what is left on each, and which are entirely free.

use crate::resources::WHOLE;
use serde::{Deserialize, Serialize};

const FULL: u16 = WHOLE as u16;

/// Flat arrays over all nodes, so that a clone is a copy and a node's devices share a cache line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DeviceBook {
    /// Thousandths left on each device.
    milli: Vec<u16>,
    /// One bit per device that is entirely free; each node starts a word of its own.
    free: Vec<u64>,
}

impl DeviceBook {
    /// Appends `count` free devices; says where they begin in both arrays.
    pub(super) fn add(&mut self, count: u32) -> (u32, u32) {
        let at = (self.milli.len() as u32, self.free.len() as u32);
        self.milli.resize(self.milli.len() + count as usize, FULL);
        let mut left = count;
        while left > 0 {
            let here = left.min(64);
            self.free.push(u64::MAX >> (64 - here));
            left -= here;
        }
        at
    }

    /// Thousandths left on each device of a node.
    #[inline]
    pub(super) fn of(&self, at: u32, gpus: u16) -> &[u16] {
        &self.milli[at as usize..at as usize + usize::from(gpus)]
    }

    /// The first `count` free devices of a node of at most 64, one bit each.
    #[inline]
    pub(super) fn lowest_free(&self, masks_at: u32, count: u32) -> u64 {
        let mut rest = self.free[masks_at as usize];
        let all = rest;
        for _ in 0..count {
            rest &= rest.wrapping_sub(1);
        }
        all ^ rest
    }

    /// The first `count` free devices of a node, ascending.
    pub(super) fn first_free(&self, masks_at: u32, gpus: u16, count: u32) -> impl Iterator<Item = u16> {
        let words = usize::from(gpus).div_ceil(64);
        let masks = &self.free[masks_at as usize..masks_at as usize + words];
        masks
            .iter()
            .enumerate()
            .flat_map(|(w, &mask)| ones(mask).map(move |b| (w * 64) as u16 + b))
            .take(count as usize)
    }

    /// Takes `milli` of one device; returns what was left before.
    pub(super) fn take(&mut self, devices_at: u32, masks_at: u32, device: u16, milli: u16) -> u16 {
        let left = &mut self.milli[devices_at as usize + usize::from(device)];
        let before = *left;
        assert!(before >= milli, "device {device} has {before} thousandths left, {milli} are to be taken");
        *left = before - milli;
        if before == FULL {
            self.free[masks_at as usize + usize::from(device >> 6)] &= !(1 << (device & 63));
        }
        before
    }

    /// Gives `milli` of one device back; returns what is left then.
    pub(super) fn give(&mut self, devices_at: u32, masks_at: u32, device: u16, milli: u16) -> u16 {
        let left = &mut self.milli[devices_at as usize + usize::from(device)];
        assert!(FULL - *left >= milli, "device {device} is given {milli} thousandths more than were taken");
        *left += milli;
        if *left == FULL {
            self.free[masks_at as usize + usize::from(device >> 6)] |= 1 << (device & 63);
        }
        *left
    }
}

/// The set bits of a word, ascending.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let b = word.trailing_zeros() as u16;
            word &= word - 1;
            b
        })
    })
}

/// Most that is left on a device that is partly used.
pub(super) fn largest_part(milli: &[u16]) -> u16 {
    milli.iter().copied().map(|m| if m == FULL { 0 } else { m }).max().unwrap_or(0)
}

/// Replicas of `part` thousandths that fit the devices that are partly used.
pub(super) fn parts_in_broken(milli: &[u16], part: u32) -> u32 {
    milli.iter().filter(|&&m| m != FULL).map(|&m| u32::from(m) / part).sum()
}

/// The partly used device with the least room that still holds `part`; a free one if there is none.
pub(super) fn tightest(milli: &[u16], part: u32) -> Option<u16> {
    let fits = milli.iter().enumerate().filter(|&(_, &m)| u32::from(m) >= part);
    fits.min_by_key(|&(d, &m)| (m, d)).map(|(d, _)| d as u16)
}
