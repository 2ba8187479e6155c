//! How something was before a command, where the events tell only how it is after: kept in the log for the audit.

use super::world::World;
use serde_json::{Value, json};
use tidegate_api::node::{NodeSpec, NodeState};
use tidegate_api::quota::QuotaSpec;
use tidegate_engine::ids::{NodeId, PoolId, WorkloadId};
use tidegate_engine::nodes::Node;
use tidegate_engine::state::Pool;
use tidegate_engine::{Command, Event, EventKind};

/// Where the name of a node stands.
const NAME: &str = "name";

/// How something was, and which event of the command changed it.
pub(super) struct Was {
    pub(super) shown: Value,
    changed: Changed,
}

enum Changed {
    Node,
    Device,
    NodeRemoved,
    QuotaDeleted,
    Workload(WorkloadId),
}

impl Was {
    /// Looks before the command is carried out; `None` if its events say it all.
    pub(super) fn before(world: &World, command: &Command) -> Option<Was> {
        let engine = &world.engine;
        let (changed, shown) = match command {
            Command::SetNode { pool, node, .. } | Command::DrainNode { pool, node, .. } => {
                let shown = |pool: &Pool, node: Node<'_>| {
                    let reason = pool.reasons.get(&node.id).filter(|reason| !reason.is_empty());
                    Some(json!({"state": NodeState::from(node.state), "reason": reason}))
                };
                (Changed::Node, of_node(world, *pool, *node, shown)?)
            }
            Command::SetDevice { pool, node, device, .. } => {
                let shown = |pool: &Pool, node: Node<'_>| {
                    let is_one = u32::from(*device) < node.spec.gpus;
                    is_one.then(|| device_shown(*device, pool.nodes.out_of_service(node.id, *device)))
                };
                (Changed::Device, of_node(world, *pool, *node, shown)?)
            }
            Command::RemoveNode { pool, node } => {
                let shown =
                    |pool: &Pool, node: Node<'_>| Some(json!(NodeSpec::of(engine, pool.id, node.id)?));
                (Changed::NodeRemoved, of_node(world, *pool, *node, shown)?)
            }
            Command::DeleteQuota { quota } => (Changed::QuotaDeleted, json!(QuotaSpec::of(engine, *quota)?)),
            Command::Stop { workload } => {
                let state = engine.workload(*workload)?.state.word();
                (Changed::Workload(*workload), json!({"state": state}))
            }
            _ => return None,
        };
        Some(Was { shown, changed })
    }

    /// The place of the event that changed it.
    pub(super) fn place(&self, events: &[Event]) -> Option<usize> {
        events.iter().position(|event| match (&self.changed, &event.kind) {
            (Changed::Node, EventKind::NodeChanged { .. })
            | (Changed::Device, EventKind::DeviceChanged { .. })
            | (Changed::NodeRemoved, EventKind::NodeRemoved { .. })
            | (Changed::QuotaDeleted, EventKind::QuotaDeleted { .. }) => true,
            (
                Changed::Workload(id),
                EventKind::Stopped { workload, .. } | EventKind::Evicted { workload, .. },
            ) => workload == id,
            _ => false,
        })
    }
}

/// A GPU of a node, and why it is out of service if it is.
pub(crate) fn device_shown(device: u16, out: Option<&str>) -> Value {
    json!({"device": device, "outOfService": out.is_some(), "reason": out.filter(|why| !why.is_empty())})
}

/// What is shown of a node, with its name: once it is removed, nobody else knows it.
fn of_node(
    world: &World,
    pool: PoolId,
    node: NodeId,
    shown: impl FnOnce(&Pool, Node<'_>) -> Option<Value>,
) -> Option<Value> {
    let pool = world.engine.pool(pool).filter(|pool| pool.nodes.contains(node))?;
    let node = pool.nodes.node(node);
    let mut shown = shown(pool, node)?;
    shown[NAME] = json!(node.spec.name);
    Some(shown)
}

/// The name of something that may be there no longer, and how it was.
pub(crate) fn named(was: &Value) -> (Option<String>, Value) {
    let mut was = was.clone();
    let name = was.as_object_mut().and_then(|was| was.remove(NAME));
    (name.and_then(|name| name.as_str().map(str::to_string)), was)
}
