//! Totals by model and state, kept as counters.

use super::node::{MODEL_SLOTS, NodeState, Row};
use serde::{Deserialize, Serialize};

/// What nodes of one model, in one state, have and have left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    pub nodes: u64,
    pub devices: u64,
    /// Devices that are entirely free.
    pub free_devices: u64,
    /// Thousandths of devices, broken ones included.
    pub free_milli: u64,
    pub free_cpu: u64,
    pub free_memory: u64,
}

impl Figures {
    pub(super) fn plus(&mut self, row: &Row) {
        self.nodes += 1;
        self.devices += u64::from(row.gpus);
        self.free_devices += u64::from(row.whole);
        self.free_milli += u64::from(row.milli);
        self.free_cpu += row.cpu;
        self.free_memory += row.memory;
    }

    pub(super) fn minus(&mut self, row: &Row) {
        self.nodes -= 1;
        self.devices -= u64::from(row.gpus);
        self.free_devices -= u64::from(row.whole);
        self.free_milli -= u64::from(row.milli);
        self.free_cpu -= row.cpu;
        self.free_memory -= row.memory;
    }

    pub(super) fn sum(self, other: Figures) -> Figures {
        Figures {
            nodes: self.nodes + other.nodes,
            devices: self.devices + other.devices,
            free_devices: self.free_devices + other.free_devices,
            free_milli: self.free_milli + other.free_milli,
            free_cpu: self.free_cpu + other.free_cpu,
            free_memory: self.free_memory + other.free_memory,
        }
    }
}

/// One row of figures per model (and one for nodes without GPUs) and state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Totals([[Figures; NodeState::COUNT]; MODEL_SLOTS]);

impl Totals {
    pub(super) fn ready(&self, slot: usize) -> &Figures {
        &self.0[slot][NodeState::Ready as usize]
    }

    pub(super) fn get(&self, slot: usize, state: NodeState) -> &Figures {
        &self.0[slot][state as usize]
    }

    pub(super) fn of(&mut self, row: &Row) -> &mut Figures {
        &mut self.0[usize::from(row.slot)][row.state as usize]
    }
}
