//! Nodes of equal make, counted: what the pool could host if it were empty.

use super::need::{Need, besides_devices};
use super::node::NodeSpec;
use crate::ids::ModelId;
use crate::resources::{MAX_MODELS, ModelSet, Shape, WHOLE};
use serde::{Deserialize, Serialize};

/// One make of node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kind {
    model: Option<ModelId>,
    gpus: u32,
    cpu: u64,
    memory: u64,
    nodes: u64,
}

impl Kind {
    fn is(&self, spec: &NodeSpec) -> bool {
        (self.model, self.gpus, self.cpu, self.memory) == (spec.model, spec.gpus, spec.cpu, spec.memory)
    }

    /// Whether a node of this kind has so much when it is empty.
    pub(super) fn has(&self, cpu: u64, memory: u64) -> bool {
        cpu <= self.cpu && memory <= self.memory
    }

    /// Replicas that one empty node of this kind hosts.
    pub(super) fn hosts(&self, shape: &Shape) -> u32 {
        let devices = match Need::of(shape) {
            Need::None => u32::MAX,
            Need::Part(part) => (WHOLE / part).saturating_mul(self.gpus),
            Need::Whole(k) => self.gpus / k,
        };
        devices.min(besides_devices(self.cpu, self.memory, shape))
    }

    pub(super) fn allowed_by(&self, models: ModelSet, shape: &Shape) -> bool {
        shape.gpu == 0 || self.model.is_some_and(|model| models.allows(model))
    }

    fn slot(&self) -> usize {
        self.model.map_or(MAX_MODELS, |model| model.index())
    }
}

/// All kinds of one pool, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kinds(Vec<Kind>);

impl Kinds {
    pub(super) fn add(&mut self, spec: &NodeSpec) -> u32 {
        let at = self.0.iter().position(|kind| kind.is(spec)).unwrap_or_else(|| {
            let NodeSpec { model, gpus, cpu, memory, .. } = *spec;
            self.0.push(Kind { model, gpus, cpu, memory, nodes: 0 });
            self.0.len() - 1
        });
        self.0[at].nodes += 1;
        at as u32
    }

    pub(super) fn remove(&mut self, kind: u32) {
        self.0[kind as usize].nodes -= 1;
    }

    pub(super) fn get(&self, kind: u32) -> &Kind {
        &self.0[kind as usize]
    }

    /// Replicas that the empty nodes of the best suited model host together; of all nodes for a
    /// shape that needs no GPU.
    pub(super) fn host(&self, models: ModelSet, shape: &Shape) -> u64 {
        let mut by_model = [0u64; MAX_MODELS + 1];
        for kind in self.0.iter().filter(|kind| kind.nodes > 0 && kind.allowed_by(models, shape)) {
            let slot = if shape.gpu == 0 { MAX_MODELS } else { kind.slot() };
            let more = u64::from(kind.hosts(shape)).saturating_mul(kind.nodes);
            by_model[slot] = by_model[slot].saturating_add(more);
        }
        by_model.into_iter().max().unwrap_or(0)
    }

    /// Cores and memory beside the median device, each by itself. None without GPUs.
    pub(super) fn medians_per_device(&self) -> Option<(u64, u64)> {
        Some((self.median(|kind| kind.cpu)?, self.median(|kind| kind.memory)?))
    }

    fn median(&self, of: impl Fn(&Kind) -> u64) -> Option<u64> {
        let with_gpus = self.0.iter().filter(|kind| kind.gpus > 0);
        let mut shares: Vec<(u64, u64)> = with_gpus
            .map(|kind| (of(kind) / u64::from(kind.gpus), kind.nodes * u64::from(kind.gpus)))
            .collect();
        shares.sort_unstable();
        let mut half = shares.iter().map(|&(_, devices)| devices).sum::<u64>().div_ceil(2);
        if half == 0 {
            return None;
        }
        shares.into_iter().find_map(|(share, devices)| {
            half = half.saturating_sub(devices);
            (half == 0).then_some(share)
        })
    }
}
