//! What a shape needs of a node's devices.

use crate::resources::{Shape, WHOLE};

/// The three ways in which a replica uses devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// No device.
    None,
    /// This many thousandths of a single device.
    Part(u32),
    /// This many whole devices.
    Whole(u32),
}

impl Need {
    /// A request of one GPU or more that is no whole number is refused at the door; here it is
    /// rounded up, so that a book never promises less than was asked.
    #[inline]
    pub(super) fn of(shape: &Shape) -> Need {
        match shape.gpu {
            0 => Need::None,
            g if g < WHOLE => Need::Part(g),
            g => Need::Whole(g.div_ceil(WHOLE)),
        }
    }
}

/// How often `each` goes into `free`; what asks for nothing fits without end.
#[inline]
pub(super) fn times(free: u64, each: u64) -> u32 {
    match free.checked_div(each) {
        Some(n) => u32::try_from(n).unwrap_or(u32::MAX),
        None => u32::MAX,
    }
}

/// How many replicas the cores and the memory allow.
#[inline]
pub(super) fn besides_devices(cpu: u64, memory: u64, shape: &Shape) -> u32 {
    times(cpu, u64::from(shape.cpu)).min(times(memory, shape.memory))
}
