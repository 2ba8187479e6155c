//! How much of each node no plan could ever clear: a "no" about the shape of nodes, from counters.
//!
//! A filter is the set of priorities and modules that a quota's policies may evict. A device is pinned under it
//! if a firm unit outside the filter has it whole; so are the unit's cores and memory. What is not pinned might be
//! cleared, so the count of nodes by unpinned devices bounds from above what any plan of that quota can place. A unit
//! that may leave along with others of its workload pins nothing.

use crate::ids::{ModelId, NodeId};
use crate::nodes::NodeSpec;
use crate::resources::MAX_MODELS;
use crate::slot::{Devices, Slot};
use crate::words::{Module, ModuleSet, Priority, PrioritySet};
use serde::{Deserialize, Serialize};

/// One bit for each priority and module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cells(u64);

impl Cells {
    pub(crate) fn of(priority: Priority, module: Module) -> Cells {
        Cells(1 << (u32::from(priority.get()) * 4 + module as u32))
    }

    pub(crate) fn all(priorities: PrioritySet, modules: ModuleSet) -> Cells {
        let cells = priorities.iter().flat_map(|p| modules.iter().map(move |m| Cells::of(p, m)));
        cells.fold(Cells::default(), Cells::or)
    }

    /// Names nobody: what is not pinned under it is free or can be recalled.
    pub(crate) const NONE: Cells = Cells(0);

    pub(crate) fn or(self, other: Cells) -> Cells {
        Cells(self.0 | other.0)
    }

    fn includes(self, cell: Cells) -> bool {
        self.0 & cell.0 != 0
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Filter {
    cells: Cells,
    /// Quotas whose policies use it.
    users: u32,
    /// By node.
    pinned: Vec<Room>,
    /// By model: how many nodes have so many devices that are not pinned.
    nodes: Vec<Vec<u32>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pins {
    /// Model of each node, and what it has; removed ones have none.
    shapes: Vec<(Option<ModelId>, Room)>,
    filters: Vec<Filter>,
}

/// What a node has, what is pinned of it, or what is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Room {
    pub(crate) devices: u16,
    pub(crate) cpu: u64,
    pub(crate) memory: u64,
}

impl Room {
    fn of(slot: &Slot) -> Room {
        Room { devices: devices(slot), cpu: u64::from(slot.cpu), memory: slot.memory }
    }

    fn plus(self, other: Room) -> Room {
        Room {
            devices: self.devices + other.devices,
            cpu: self.cpu + other.cpu,
            memory: self.memory + other.memory,
        }
    }

    fn minus(self, other: Room) -> Room {
        Room {
            devices: self.devices - other.devices,
            cpu: self.cpu - other.cpu,
            memory: self.memory - other.memory,
        }
    }
}

fn devices(slot: &Slot) -> u16 {
    match &slot.devices {
        Devices::None | Devices::Part { .. } => 0,
        Devices::Mask(mask) => mask.count_ones() as u16,
        Devices::List(list) => list.len() as u16,
    }
}

impl Filter {
    fn count(&mut self, model: Option<ModelId>, free: u16, by: i32) {
        let Some(m) = model else { return };
        let nodes = &mut self.nodes[m.index()];
        if nodes.len() <= usize::from(free) {
            nodes.resize(usize::from(free) + 1, 0);
        }
        nodes[usize::from(free)] = nodes[usize::from(free)].wrapping_add_signed(by);
    }

    fn pin(&mut self, shapes: &[(Option<ModelId>, Room)], slot: &Slot, sign: i32) {
        let (model, Room { devices, .. }) = shapes[slot.node.index()];
        let pinned = &mut self.pinned[slot.node.index()];
        let (before, taken) = (*pinned, Room::of(slot));
        *pinned = if sign > 0 { before.plus(taken) } else { before.minus(taken) };
        let after = *pinned;
        if after.devices != before.devices {
            self.count(model, devices - before.devices, -1);
            self.count(model, devices - after.devices, 1);
        }
    }
}

impl Pins {
    pub(crate) fn add_node(&mut self, spec: &NodeSpec) {
        let devices = spec.gpus as u16;
        self.shapes.push((spec.model, Room { devices, cpu: spec.cpu, memory: spec.memory }));
        for f in &mut self.filters {
            f.pinned.push(Room::default());
            f.count(spec.model, devices, 1);
        }
    }

    /// The node is empty, so nothing on it is pinned.
    pub(crate) fn remove_node(&mut self, node: NodeId) {
        let (model, room) = std::mem::take(&mut self.shapes[node.index()]);
        for f in &mut self.filters {
            f.count(model, room.devices, -1);
        }
    }

    /// Starts to count under a filter; `firm` lists the firm units that run.
    pub(crate) fn register<'a>(&mut self, cells: Cells, firm: impl Iterator<Item = (Cells, &'a [Slot])>) {
        if let Some(f) = self.filters.iter_mut().find(|f| f.cells == cells) {
            f.users += 1;
            return;
        }
        let mut f = Filter {
            cells,
            users: 1,
            pinned: vec![Room::default(); self.shapes.len()],
            nodes: vec![Vec::new(); MAX_MODELS],
        };
        for &(model, room) in &self.shapes {
            f.count(model, room.devices, 1);
        }
        for (_, slots) in firm.filter(|(cell, _)| !cells.includes(*cell)) {
            slots.iter().for_each(|s| f.pin(&self.shapes, s, 1));
        }
        self.filters.push(f);
    }

    pub(crate) fn unregister(&mut self, cells: Cells) {
        if let Some(i) = self.filters.iter().position(|f| f.cells == cells) {
            self.filters[i].users -= 1;
            if self.filters[i].users == 0 {
                self.filters.remove(i);
            }
        }
    }

    /// A firm unit came (`sign` 1) or went (-1).
    #[inline]
    pub(crate) fn count(&mut self, cell: Cells, slots: &[Slot], sign: i32) {
        for f in self.filters.iter_mut().filter(|f| !f.cells.includes(cell)) {
            slots.iter().for_each(|s| f.pin(&self.shapes, s, sign));
        }
    }

    pub(crate) fn is_registered(&self, cells: Cells) -> bool {
        self.filters.iter().any(|f| f.cells == cells)
    }

    /// What of a node is not pinned under a filter.
    pub(crate) fn open(&self, cells: Cells, node: NodeId) -> Option<Room> {
        let f = self.filters.iter().find(|f| f.cells == cells)?;
        Some(self.shapes[node.index()].1.minus(f.pinned[node.index()]))
    }

    /// At most so many replicas of whole devices could be placed by clearing all that the filter names.
    pub(crate) fn hosts(&self, cells: Cells, model: ModelId, devices: u32) -> Option<u64> {
        let f = self.filters.iter().find(|f| f.cells == cells)?;
        let nodes = f.nodes[model.index()].iter().enumerate();
        Some(nodes.map(|(free, &n)| u64::from(n) * (free as u64 / u64::from(devices))).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(node: u32, mask: u64) -> Slot {
        Slot { node: NodeId(node), devices: Devices::Mask(mask), cpu: 2, memory: 3 }
    }

    #[test]
    fn what_the_filter_does_not_name_pins_devices() {
        let mut pins = Pins::default();
        let spec = NodeSpec { name: "n".into(), model: Some(ModelId(0)), gpus: 8, cpu: 9, memory: 9 };
        (0..3).for_each(|_| pins.add_node(&spec));
        let training = Cells::of(Priority::MIN, Module::Training);
        let service = Cells::of(Priority::MIN, Module::Service);
        let early = [slot(0, 1)];
        pins.register(training, [(service, &early[..])].into_iter());
        assert_eq!(pins.hosts(training, ModelId(0), 8), Some(2));
        pins.count(training, &[slot(1, 0xff)], 1);
        assert_eq!(pins.hosts(training, ModelId(0), 8), Some(2));
        pins.count(service, &[slot(1, 0b11)], 1);
        assert_eq!(pins.hosts(training, ModelId(0), 8), Some(1));
        assert_eq!(pins.hosts(training, ModelId(0), 2), Some(3 + 3 + 4));
        assert_eq!(pins.open(training, NodeId(1)), Some(Room { devices: 6, cpu: 7, memory: 6 }));
        pins.count(service, &[slot(1, 0b11)], -1);
        pins.count(service, &early, -1);
        pins.remove_node(NodeId(0));
        assert_eq!(pins.hosts(training, ModelId(0), 8), Some(2));
        pins.unregister(training);
        assert_eq!(pins.hosts(training, ModelId(0), 8), None);
    }
}
