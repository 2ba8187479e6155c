//! Why nodes cannot host a replica, counted by reason.

use super::need::Need;
use super::node::{NodeState, Row};
use super::{Ask, Barred, Nodes};
use crate::ids::NodeId;
use crate::resources::WHOLE;
use serde::{Deserialize, Serialize};

/// Each node is counted once, under the first reason that holds, in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeReasons {
    /// Nodes in the pool.
    pub nodes: u32,
    pub not_allowed: u32,
    pub wrong_model: u32,
    pub lost: u32,
    pub cordoned: u32,
    /// It would do if all of its GPUs were in service.
    #[serde(default)]
    pub out_of_service: u32,
    /// Not enough of its GPUs is free, all added up.
    pub too_few_gpus: u32,
    /// Enough is free, but not on one device, or not as whole devices.
    pub fragmented: u32,
    /// The free devices are kept for a reservation.
    pub reserved: u32,
    pub cpu: u32,
    pub memory: u32,
    /// Nodes that could host a replica now.
    pub fit: u32,
}

impl NodeReasons {
    /// ` (nodes: 3 with too few free GPUs, 1 lost)`; empty when no node is held against the request.
    pub fn text(&self) -> String {
        let against = [
            (self.too_few_gpus, "with too few free GPUs"),
            (self.fragmented, "with free GPUs that are scattered"),
            (self.out_of_service, "with GPUs out of service"),
            (self.reserved, "reserved"),
            (self.cpu, "short of CPU"),
            (self.memory, "short of memory"),
            (self.wrong_model, "of another model"),
            (self.not_allowed, "not eligible"),
            (self.cordoned, "cordoned"),
            (self.lost, "lost"),
        ];
        let stated: Vec<String> = against
            .iter()
            .filter(|(nodes, _)| *nodes > 0)
            .map(|(nodes, why)| format!("{nodes} {why}"))
            .collect();
        if stated.is_empty() { String::new() } else { format!(" (nodes: {})", stated.join(", ")) }
    }
}

impl Nodes {
    /// Why nodes cannot host one replica of the shape. Looks at every node.
    pub fn why_not(&self, ask: &Ask) -> NodeReasons {
        let mut reasons = NodeReasons::default();
        for (row, id) in self.rows.iter().zip((0..).map(NodeId)).filter(|(row, _)| !row.removed) {
            reasons.nodes += 1;
            let allowed = ask.allowed.is_none_or(|list| list.binary_search(&id).is_ok());
            let kept = self.kept_at(id);
            *count(&mut reasons, (id, row), ask, allowed, kept) += 1;
        }
        reasons
    }
}

/// The count that a node belongs to.
fn count<'a>(
    reasons: &'a mut NodeReasons,
    (id, row): (NodeId, &Row),
    ask: &Ask,
    allowed: bool,
    kept: (u32, u16),
) -> &'a mut u32 {
    let shape = &ask.shape;
    let need = Need::of(shape);
    let wanted = match need {
        Need::None => 0,
        Need::Part(part) => u64::from(part),
        Need::Whole(k) => u64::from(k) * u64::from(WHOLE),
    };
    let devices = |open: u32| match need {
        Need::None => true,
        Need::Part(part) => u32::from(row.part) >= part || open >= 1,
        Need::Whole(k) => open >= k,
    };
    // Whether what is kept of its devices would do, together with what is free.
    let healed = |(whole, part): (u32, u16)| match need {
        Need::None => false,
        Need::Part(least) => whole > 0 || u32::from(part) >= least,
        Need::Whole(k) => whole > 0 && row.open(id.index(), Barred::Ignore) + whole >= k,
    };
    match row.state {
        _ if !allowed => &mut reasons.not_allowed,
        _ if shape.gpu > 0 && !row.model().is_some_and(|model| ask.models.allows(model)) => {
            &mut reasons.wrong_model
        }
        NodeState::Lost => &mut reasons.lost,
        NodeState::Cordoned => &mut reasons.cordoned,
        NodeState::Ready if !devices(row.open(id.index(), Barred::Ignore)) && healed(kept) => {
            &mut reasons.out_of_service
        }
        NodeState::Ready if u64::from(row.milli) < wanted => &mut reasons.too_few_gpus,
        NodeState::Ready if !devices(row.open(id.index(), Barred::Ignore)) => &mut reasons.fragmented,
        NodeState::Ready if !devices(row.open(id.index(), ask.barred)) => &mut reasons.reserved,
        NodeState::Ready if row.cpu < u64::from(shape.cpu) => &mut reasons.cpu,
        NodeState::Ready if row.memory < shape.memory => &mut reasons.memory,
        NodeState::Ready => &mut reasons.fit,
    }
}
