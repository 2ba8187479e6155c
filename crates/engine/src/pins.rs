//! How many devices of each node no plan could ever clear: a "no" about the shape of nodes, from counters.
//!
//! A filter is the set of priorities and modules that a quota's policies may evict. A device is pinned under it
//! if a firm unit outside the filter has it whole. What is not pinned might be cleared, so the count of nodes
//! by unpinned devices bounds from above what any plan of that quota can place.

use crate::ids::{ModelId, NodeId};
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
    /// Pinned devices, by node.
    pinned: Vec<u16>,
    /// By model: how many nodes have so many devices that are not pinned.
    nodes: Vec<Vec<u32>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pins {
    /// Model and devices of each node; removed ones have none.
    shapes: Vec<(Option<ModelId>, u16)>,
    filters: Vec<Filter>,
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

    fn pin(&mut self, shapes: &[(Option<ModelId>, u16)], slot: &Slot, sign: i32) {
        let n = devices(slot);
        if n == 0 {
            return;
        }
        let (model, gpus) = shapes[slot.node.index()];
        let before = self.pinned[slot.node.index()];
        let after = if sign > 0 { before + n } else { before - n };
        self.pinned[slot.node.index()] = after;
        self.count(model, gpus - before, -1);
        self.count(model, gpus - after, 1);
    }
}

impl Pins {
    pub(crate) fn add_node(&mut self, model: Option<ModelId>, gpus: u32) {
        let gpus = gpus as u16;
        self.shapes.push((model, gpus));
        for f in &mut self.filters {
            f.pinned.push(0);
            f.count(model, gpus, 1);
        }
    }

    /// The node is empty, so nothing on it is pinned.
    pub(crate) fn remove_node(&mut self, node: NodeId) {
        let (model, gpus) = std::mem::take(&mut self.shapes[node.index()]);
        for f in &mut self.filters {
            f.count(model, gpus, -1);
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
            pinned: vec![0; self.shapes.len()],
            nodes: vec![Vec::new(); MAX_MODELS],
        };
        for &(model, gpus) in &self.shapes {
            f.count(model, gpus, 1);
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

    /// Devices of a node that are not pinned under a filter.
    pub(crate) fn open_devices(&self, cells: Cells, node: NodeId) -> Option<u32> {
        let f = self.filters.iter().find(|f| f.cells == cells)?;
        Some(u32::from(self.shapes[node.index()].1 - f.pinned[node.index()]))
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
        Slot { node: NodeId(node), devices: Devices::Mask(mask), cpu: 0, memory: 0 }
    }

    #[test]
    fn what_the_filter_does_not_name_pins_devices() {
        let mut pins = Pins::default();
        (0..3).for_each(|_| pins.add_node(Some(ModelId(0)), 8));
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
        pins.count(service, &[slot(1, 0b11)], -1);
        pins.count(service, &early, -1);
        pins.remove_node(NodeId(0));
        assert_eq!(pins.hosts(training, ModelId(0), 8), Some(2));
        pins.unregister(training);
        assert_eq!(pins.hosts(training, ModelId(0), 8), None);
    }
}
