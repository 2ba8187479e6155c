//! Where one replica sits: the entry of the placement book.

use crate::ids::NodeId;
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
