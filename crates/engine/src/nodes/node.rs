//! One node: what it was added with, and what of it is free.

use crate::ids::{ModelId, NodeId};
use crate::resources::MAX_MODELS;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Whether a node takes new work. What already runs there stays until it is vacated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    Ready,
    Cordoned,
    Lost,
}

impl NodeState {
    pub(super) const COUNT: usize = 3;
}

/// A machine as it was registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSpec {
    pub name: Box<str>,
    /// None: it has no GPUs.
    pub model: Option<ModelId>,
    pub gpus: u32,
    /// Thousandths of a core.
    pub cpu: u64,
    /// Bytes.
    pub memory: u64,
}

/// A unit that sits on a node, by the handle its owner gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Resident {
    pub unit: u32,
    /// Replicas of the unit on this node.
    pub replicas: u32,
}

pub(super) type Residents = SmallVec<[Resident; 8]>;

/// A node as a reader sees it.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    pub id: NodeId,
    pub spec: &'a NodeSpec,
    pub state: NodeState,
    /// Whole devices that are free, barred ones included.
    pub free_devices: u32,
    /// Thousandths of devices that are free, broken devices included.
    pub free_milli: u32,
    pub free_cpu: u64,
    pub free_memory: u64,
    /// Whole devices that a reservation keeps.
    pub barred: u32,
    /// Ascending by unit.
    pub residents: &'a [Resident],
}

/// Index of a model in tables that also have a place for nodes without GPUs.
pub(super) const NO_GPUS: usize = MAX_MODELS;
pub(super) const MODEL_SLOTS: usize = MAX_MODELS + 1;

/// Where the index has filed a node. Equal keys: nothing to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Filed {
    pub(super) balance: u8,
    pub(super) whole: u8,
    /// None: no broken device has anything left.
    pub(super) part: Option<u8>,
}

/// The fields of a node that a search and a booking touch: one cache line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub(super) struct Row {
    pub(super) cpu: u64,
    pub(super) memory: u64,
    /// Thousandths free on all devices together.
    pub(super) milli: u32,
    /// Where the node's devices begin in the flat arrays.
    pub(super) devices_at: u32,
    pub(super) masks_at: u32,
    pub(super) kind: u32,
    pub(super) gpus: u16,
    /// Devices that are entirely free.
    pub(super) whole: u16,
    /// Most that is left on a device that is partly used.
    pub(super) part: u16,
    pub(super) barred: u16,
    pub(super) slot: u8,
    pub(super) state: NodeState,
    pub(super) removed: bool,
    /// Set while the index knows the node: it is ready and not removed.
    pub(super) filed: Option<Filed>,
}

const _: () = assert!(size_of::<Row>() == 64);

impl Row {
    pub(super) fn model(&self) -> Option<ModelId> {
        (usize::from(self.slot) < NO_GPUS).then_some(ModelId(self.slot))
    }

    /// Whole devices that a caller may use; the node is the table's `i`th.
    #[inline]
    pub(super) fn open(&self, i: usize, barred: super::Barred) -> u32 {
        let kept = if self.barred > 0 && barred.binds_at(i) { self.barred } else { 0 };
        u32::from(self.whole.saturating_sub(kept))
    }
}
