//! Nodes and who occupies their devices, kept naively.

use crate::line::{Line, Standing};
use std::collections::BTreeSet;
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::resources::{Dimension, Resources, Shape, WHOLE};
use tidegate_engine::slot::{Devices, Slot};

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) spec: NodeSpec,
    pub(crate) state: NodeState,
    /// Thousandths of each device.
    pub(crate) devices: Vec<Line>,
    pub(crate) cpu: Line,
    pub(crate) memory: Line,
    pub(crate) units: BTreeSet<(WorkloadId, u32)>,
    /// Devices that are out of service.
    pub(crate) out: BTreeSet<u16>,
}

/// Thousandths that a slot takes, device by device.
pub(crate) fn taken(devices: &Devices) -> Vec<(u16, i64)> {
    match devices {
        Devices::None => Vec::new(),
        Devices::Part { device, milli } => vec![(*device, i64::from(*milli))],
        Devices::Mask(mask) => {
            (0..64u16).filter(|i| mask >> i & 1 == 1).map(|i| (i, i64::from(WHOLE))).collect()
        }
        Devices::List(list) => list.iter().map(|i| (*i, i64::from(WHOLE))).collect(),
    }
}

/// What a slot must look like for a replica of this shape.
pub(crate) fn matches(slot: &Slot, shape: &Shape) -> bool {
    let devices = match &slot.devices {
        Devices::None => shape.gpu == 0,
        Devices::Part { milli, .. } => shape.gpu > 0 && shape.gpu < WHOLE && u32::from(*milli) == shape.gpu,
        Devices::Mask(mask) => shape.gpu >= WHOLE && mask.count_ones() * WHOLE == shape.gpu,
        Devices::List(list) => {
            shape.gpu >= WHOLE
                && list.len() as u64 * u64::from(WHOLE) == u64::from(shape.gpu)
                && list.windows(2).all(|pair| pair[0] < pair[1])
        }
    };
    devices && slot.cpu == shape.cpu && slot.memory == shape.memory
}

impl Node {
    pub(crate) fn new(spec: &NodeSpec) -> Node {
        Node {
            spec: spec.clone(),
            state: NodeState::Ready,
            devices: vec![Line::default(); spec.gpus as usize],
            cpu: Line::default(),
            memory: Line::default(),
            units: BTreeSet::new(),
            out: BTreeSet::new(),
        }
    }

    /// What it adds to its pool's supply, whatever its state.
    pub(crate) fn supply(&self) -> Resources {
        let mut supply = Resources::default();
        if let Some(model) = self.spec.model {
            supply[Dimension::gpu(model)] = i64::from(self.spec.gpus) * i64::from(WHOLE);
        }
        supply[Dimension::CPU] = self.spec.cpu as i64;
        supply[Dimension::MEMORY] = self.spec.memory as i64;
        supply
    }

    /// The slot's devices exist.
    pub(crate) fn has(&self, slot: &Slot) -> bool {
        taken(&slot.devices).iter().all(|(device, _)| usize::from(*device) < self.devices.len())
    }

    /// Thousandths of each device that can be had once all that leaves is gone and all that is held has started.
    pub(crate) fn free(&self) -> Vec<i64> {
        let all = (0..).zip(&self.devices);
        all.map(|(device, line)| match self.out.contains(&device) {
            true => 0,
            false => i64::from(WHOLE) - line.promised(),
        })
        .collect()
    }

    /// The slot's devices must exist.
    pub(crate) fn post(&mut self, slot: &Slot, standing: Standing, sign: i64) {
        for (device, milli) in taken(&slot.devices) {
            self.devices[usize::from(device)].add(standing, sign * milli);
        }
        self.cpu.add(standing, sign * i64::from(slot.cpu));
        self.memory.add(standing, sign * slot.memory as i64);
    }
}
