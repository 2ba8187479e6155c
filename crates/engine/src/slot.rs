//! Where one replica sits: the entry of the placement book.

use crate::ids::NodeId;
use crate::resources::WHOLE;
use serde::{Deserialize, Serialize};

/// Devices that a replica occupies on its node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Devices {
    /// It asked for none.
    None,
    /// A share of one device, in thousandths.
    Part { device: u16, milli: u16 },
    /// Whole devices among the node's first 64, one bit each.
    Mask(u64),
    /// Whole devices of a larger node, ascending.
    List(Box<[u16]>),
}

impl Slot {
    /// Whether it has a part of this device, or all of it.
    pub fn uses(&self, device: u16) -> bool {
        match &self.devices {
            Devices::None => false,
            Devices::Part { device: part, .. } => *part == device,
            Devices::Mask(mask) => device < 64 && mask >> device & 1 == 1,
            Devices::List(list) => list.contains(&device),
        }
    }

    /// GPUs in thousandths.
    pub fn milli(&self) -> i64 {
        match &self.devices {
            Devices::None => 0,
            Devices::Part { milli, .. } => i64::from(*milli),
            Devices::Mask(mask) => i64::from(mask.count_ones() * WHOLE),
            Devices::List(list) => list.len() as i64 * i64::from(WHOLE),
        }
    }
}

/// One replica on one node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Slot {
    pub node: NodeId,
    pub devices: Devices,
    /// Thousandths of a core.
    pub cpu: u32,
    /// Bytes.
    pub memory: u64,
}
