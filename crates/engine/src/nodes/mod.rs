//! The placement book of one pool: which devices, cores and memory are taken, by whom, and where the
//! next replica should sit.
//!
//! **Policy.** Three rules, in this order:
//!
//! 1. *Strand no GPU.* A free GPU on a node without free cores is lost, so a request goes where it
//!    leaves the fewest GPUs without the cores and memory to use them (`balance`): requests heavy on
//!    cores to nodes with cores to spare, light ones to nodes that are short. Requests without GPUs
//!    go to nodes without GPUs, else to the node with most to spare.
//! 2. *Break nothing that is whole.* A fraction goes to the broken device that it fits most tightly,
//!    and breaks a free device only if it must; whole devices come from the node with fewest free
//!    ones. So whole nodes stay whole for large replicas.
//! 3. *Lowest number.* Equal nodes are taken in their order; the same book gives the same answer,
//!    whatever its history.
//!
//! A gang of whole devices takes one node if one holds it; else the emptiest nodes, as few as
//! possible, and its rest the tightest node that holds the rest.
//!
//! On the openb traces this allocates more than fragmentation gradient descent, which scores every
//! node against the distribution of past requests; these rules need neither scan nor statistics.
//!
//! **Index.** Ready nodes are filed by model, balance and free devices, and again by the largest
//! part left on a broken device; words of bits say which of these buckets are not empty, and a bucket
//! is a set of bits that yields the lowest number first. Blocks of 64 nodes know the most cores and
//! memory that any of them has. Whatever passes these is checked node by node, to the last: a search
//! never misses a place.

mod balance;
mod bitset;
mod book;
mod capacity;
mod ceilings;
mod devices;
mod figures;
mod index;
mod kinds;
mod need;
mod node;
mod place;
mod reasons;
#[cfg(test)]
mod tests;
mod walk;
mod withdrawn;

pub use capacity::Capacity;
pub use figures::Figures;
pub use node::{Node, NodeSpec, NodeState, Resident};
pub use place::Ask;
pub use reasons::NodeReasons;

use crate::ids::{ModelId, NodeId};
use crate::resources::{MAX_DEVICES, MAX_MODELS, ModelSet, Shape};
use balance::Yardstick;
use ceilings::Ceilings;
use devices::DeviceBook;
use figures::Totals;
use index::Index;
use kinds::Kinds;
use node::{NO_GPUS, Residents, Row};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use withdrawn::Withdrawn;

/// Whether a search leaves barred devices alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Barred<'a> {
    Respect,
    /// On these nodes, ascending.
    RespectOn(&'a [NodeId]),
    /// For whoever the bar was set for, and whoever ranks higher.
    Ignore,
}

impl Barred<'_> {
    #[inline]
    fn binds_at(self, i: usize) -> bool {
        match self {
            Barred::Respect => true,
            Barred::RespectOn(nodes) => nodes.binary_search(&NodeId(i as u32)).is_ok(),
            Barred::Ignore => false,
        }
    }
}

/// The nodes of one pool, by number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Nodes {
    rows: Vec<Row>,
    /// Shared by clones: a preview copies no names.
    specs: Arc<Vec<NodeSpec>>,
    residents: Vec<Residents>,
    devices: DeviceBook,
    kinds: Kinds,
    figures: Totals,
    /// Model slots that ever had a node.
    models: walk::Slots,
    yardstick: Yardstick,
    /// Nodes added and removed since the yardstick was last looked at.
    untuned: usize,
    index: Index,
    ceilings: Ceilings,
    len: usize,
    withdrawn: Withdrawn,
}

/// The books agree. The index follows from them; handles of residents are their owner's business.
impl PartialEq for Nodes {
    fn eq(&self, other: &Self) -> bool {
        let state = |nodes: &Nodes| {
            nodes.rows.iter().map(|row| (row.state, row.removed, row.barred)).collect::<Vec<_>>()
        };
        self.specs == other.specs
            && self.devices == other.devices
            && self.figures == other.figures
            && self.yardstick == other.yardstick
            && self.withdrawn == other.withdrawn
            && state(self) == state(other)
    }
}

impl Eq for Nodes {}

impl Nodes {
    pub fn new() -> Self {
        Nodes::default()
    }

    /// Adds an empty, ready node. GPUs without a model, and a model without GPUs, count as none.
    pub fn add(&mut self, mut spec: NodeSpec) -> NodeId {
        assert!(spec.gpus <= MAX_DEVICES, "a node has at most {MAX_DEVICES} devices, not {}", spec.gpus);
        if spec.gpus == 0 || spec.model.is_none() {
            (spec.gpus, spec.model) = (0, None);
        }
        assert!(
            spec.model.is_none_or(|model| model.index() < MAX_MODELS),
            "a pool has at most {MAX_MODELS} models"
        );
        let slot = spec.model.map_or(NO_GPUS, ModelId::index);
        let (devices_at, masks_at) = self.devices.add(spec.gpus);
        let row = Row {
            cpu: spec.cpu,
            memory: spec.memory,
            milli: spec.gpus * crate::resources::WHOLE,
            devices_at,
            masks_at,
            kind: self.kinds.add(&spec),
            gpus: spec.gpus as u16,
            whole: spec.gpus as u16,
            part: 0,
            barred: 0,
            slot: slot as u8,
            state: NodeState::Ready,
            removed: false,
            filed: None,
        };
        self.figures.of(&row).plus(&row);
        self.models |= 1 << slot;
        self.rows.push(row);
        Arc::make_mut(&mut self.specs).push(spec);
        self.residents.push(Residents::new());
        self.len += 1;
        self.refile(self.rows.len() - 1);
        self.ceilings.raise(&self.rows, self.rows.len() - 1);
        self.tune();
        NodeId(self.rows.len() as u32 - 1)
    }

    /// The number that the next node to be added will have.
    pub fn next_id(&self) -> NodeId {
        NodeId(self.rows.len() as u32)
    }

    /// Takes an empty node out. Its number is not used again.
    pub fn remove(&mut self, node: NodeId) {
        let i = self.at(node);
        assert!(self.residents[i].is_empty(), "{node:?} is removed with units on it");
        let row = &mut self.rows[i];
        self.figures.of(row).minus(row);
        row.removed = true;
        self.kinds.remove(row.kind);
        self.withdrawn.retain(|(of, _), _| *of != node);
        self.len -= 1;
        self.refile(i);
        self.relevel(i);
        self.tune();
    }

    /// Cordoned and lost nodes take nothing new; what is on them stays until it is vacated.
    pub fn set_state(&mut self, node: NodeId, state: NodeState) {
        let i = self.at(node);
        let row = &mut self.rows[i];
        self.figures.of(row).minus(row);
        row.state = state;
        self.figures.of(row).plus(row);
        self.refile(i);
        self.relevel(i);
    }

    /// Corrects the ceilings for a node that the index has taken in or let go.
    fn relevel(&mut self, i: usize) {
        match self.rows[i].filed {
            Some(_) => self.ceilings.raise(&self.rows, i),
            None => self.ceilings.lower(&self.rows, i, u64::MAX, u64::MAX),
        }
    }

    /// Follows the pool's make-up; every node is filed again when that changed. Looked at once per
    /// eighth of the pool, so that adding nodes one by one stays cheap.
    fn tune(&mut self) {
        self.untuned += 1;
        if self.untuned * 8 < self.len {
            return;
        }
        self.untuned = 0;
        let yardstick = Yardstick::of(&self.kinds);
        if yardstick != self.yardstick {
            self.yardstick = yardstick;
            (0..self.rows.len()).for_each(|i| self.refile(i));
        }
    }

    pub fn contains(&self, node: NodeId) -> bool {
        self.rows.get(node.index()).is_some_and(|row| !row.removed)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Panics if the pool does not have the node.
    pub fn node(&self, node: NodeId) -> Node<'_> {
        let i = self.at(node);
        let row = &self.rows[i];
        Node {
            id: node,
            spec: &self.specs[i],
            state: row.state,
            free_devices: u32::from(row.whole),
            free_milli: row.milli,
            free_cpu: row.cpu,
            free_memory: row.memory,
            barred: u32::from(row.barred),
            residents: &self.residents[i],
        }
    }

    /// All nodes, ascending by number.
    pub fn iter(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.rows.len() as u32)
            .map(NodeId)
            .filter(|&node| self.contains(node))
            .map(|node| self.node(node))
    }

    /// Reads what every search reads, and uses none of it: a way to have it brought near.
    pub(crate) fn glance(&self, model: ModelId) -> u64 {
        self.index.glance(model.index()) ^ self.figures.ready(model.index()).nodes
    }

    /// Units on a node, ascending.
    pub fn residents(&self, node: NodeId) -> &[Resident] {
        &self.residents[self.at(node)]
    }

    /// The GPU model of a node.
    pub fn model(&self, node: NodeId) -> Option<ModelId> {
        self.rows[self.at(node)].model()
    }

    /// What a node has free, whatever its state and bars.
    pub fn capacity(&self, node: NodeId) -> Capacity {
        let row = &self.rows[self.at(node)];
        let milli = self.devices.of(row.devices_at, row.gpus).into();
        Capacity { milli, cpu: row.cpu, memory: row.memory, kept: 0 }
    }

    /// Replicas that a node could host now, whatever its state and bars.
    pub fn fits_now(&self, node: NodeId, shape: &Shape) -> u32 {
        self.capacity(node).fits(shape)
    }

    /// Replicas that a node could host if it were empty.
    pub fn fits_empty(&self, node: NodeId, shape: &Shape) -> u32 {
        self.kinds.get(self.rows[self.at(node)].kind).hosts(shape)
    }

    /// Replicas that the nodes of the best suited model could host, if they were empty and ready.
    pub fn hosts_empty(&self, models: ModelSet, shape: &Shape, allowed: Option<&[NodeId]>) -> u64 {
        let Some(list) = allowed else { return self.kinds.host(models, shape) };
        let mut by_model = [0u64; node::MODEL_SLOTS];
        for &node in list.iter().filter(|&&node| self.contains(node)) {
            let row = &self.rows[node.index()];
            let kind = self.kinds.get(row.kind);
            if kind.allowed_by(models, shape) {
                let slot = if shape.gpu == 0 { NO_GPUS } else { usize::from(row.slot) };
                by_model[slot] += u64::from(kind.hosts(shape));
            }
        }
        by_model.into_iter().max().unwrap_or(0)
    }

    /// Whether `count` replicas could ever run here.
    pub fn could_host_empty(
        &self,
        models: ModelSet,
        shape: &Shape,
        allowed: Option<&[NodeId]>,
        count: u32,
    ) -> bool {
        self.hosts_empty(models, shape, allowed) >= u64::from(count)
    }

    /// Totals over the nodes of a model (None: those without GPUs) in one state.
    pub fn figures(&self, model: Option<ModelId>, state: NodeState) -> Figures {
        *self.figures.get(model.map_or(NO_GPUS, ModelId::index), state)
    }

    /// Totals over the nodes of a model, whatever their state.
    pub fn figures_of(&self, model: Option<ModelId>) -> Figures {
        let states = [NodeState::Ready, NodeState::Cordoned, NodeState::Lost];
        states.map(|state| self.figures(model, state)).into_iter().fold(Figures::default(), Figures::sum)
    }

    /// Whole devices of a model that are free on ready nodes, barred ones included.
    pub fn free_devices(&self, model: ModelId) -> u64 {
        self.figures.ready(model.index()).free_devices
    }

    /// Thousandths of a model's devices that are free on ready nodes, broken devices included.
    pub fn free_milli(&self, model: ModelId) -> u64 {
        self.figures.ready(model.index()).free_milli
    }
}
