//! Nodes: one to add, and what sits on each device.

use super::pool::machine;
use super::{name, pool_at};
use crate::amounts::Figure;
use crate::decimal::Cores;
use crate::memory::Memory;
use crate::name::Name;
use crate::node::{Device, NodeFree, NodeSpec, NodeState, NodeStatus, Occupant};
use crate::problem::Problem;
use crate::uid;
use crate::workload::UnitState;
use tidegate_engine::ids::{NodeId, PoolId};
use tidegate_engine::nodes;
use tidegate_engine::reason::Names;
use tidegate_engine::resources::WHOLE;
use tidegate_engine::slot::Devices;
use tidegate_engine::unit::Unit;
use tidegate_engine::{Command, Engine};

impl NodeSpec {
    /// The command that adds the node.
    pub fn command(&self, engine: &Engine, name: &Name) -> Result<Command, Problem> {
        let pool = pool_at(engine, &self.pool, "/spec/pool")?;
        let (cpu, memory) = machine(self.gpus, self.cpu, self.memory);
        let spec = nodes::NodeSpec { name: name.as_str().into(), model: None, gpus: self.gpus, cpu, memory };
        let model = self.model.as_ref().filter(|_| self.gpus > 0).map(|m| m.as_str().into());
        Ok(Command::AddNode { pool, model, spec })
    }

    pub fn of(engine: &Engine, pool: PoolId, node: NodeId) -> Option<NodeSpec> {
        let pool = engine.pool(pool).filter(|p| p.nodes.contains(node))?;
        let spec = pool.nodes.node(node).spec;
        Some(NodeSpec {
            pool: name(&pool.name),
            gpus: spec.gpus,
            model: spec.model.and_then(|m| pool.models.get(m.index())).map(|m| name(m)),
            cpu: Cores::from_milli(spec.cpu as i64),
            memory: Memory::new(spec.memory).ok(),
        })
    }
}

impl From<nodes::NodeState> for NodeState {
    fn from(state: nodes::NodeState) -> NodeState {
        match state {
            nodes::NodeState::Ready => NodeState::Ready,
            nodes::NodeState::Cordoned => NodeState::Cordoned,
            nodes::NodeState::Lost => NodeState::Lost,
        }
    }
}

impl NodeStatus {
    /// `names` knows what the reader may see.
    pub fn of(engine: &Engine, names: &dyn Names, pool: PoolId, id: NodeId) -> Option<NodeStatus> {
        let pool = engine.pool(pool).filter(|p| p.nodes.contains(id))?;
        let node = pool.nodes.node(id);
        let device = |index: u32| {
            let quarantined = pool.nodes.out_of_service(id, index as u16).map(str::to_string);
            Device { index, quarantined, workloads: Vec::new() }
        };
        let mut devices: Vec<Device> = (0..node.spec.gpus).map(device).collect();
        let mut without_devices = Vec::new();
        for unit in node.residents.iter().filter_map(|r| engine.unit(r.unit)) {
            for slot in unit.grant.slots.iter().filter(|slot| slot.node == id) {
                if slot.devices == Devices::None {
                    without_devices.push(occupant(names, unit, 0));
                }
                for (index, milli) in parts(&slot.devices) {
                    if let Some(device) = devices.get_mut(index as usize) {
                        device.workloads.push(occupant(names, unit, milli));
                    }
                }
            }
        }
        let reason = pool.reasons.get(&id).filter(|reason| !reason.is_empty());
        Some(NodeStatus {
            state: node.state.into(),
            reason: reason.map(|text| text.to_string()),
            free: NodeFree {
                gpu: Figure(i64::from(node.free_milli)),
                devices: node.free_devices,
                cpu: Figure(node.free_cpu as i64),
                memory: node.free_memory,
            },
            devices,
            without_devices,
            isolation: None,
            isolation_detail: None,
            limits: None,
        })
    }
}

fn occupant(names: &dyn Names, unit: &Unit, milli: u32) -> Occupant {
    Occupant {
        name: names.workload_name(unit.workload).into_owned(),
        uid: names.sees_workload(unit.workload).then(|| uid::workload(unit.workload)),
        unit: unit.number,
        gpu: Figure(i64::from(milli)),
        state: unit.state.into(),
    }
}

impl From<tidegate_engine::unit::UnitState> for UnitState {
    fn from(state: tidegate_engine::unit::UnitState) -> UnitState {
        use tidegate_engine::unit::UnitState as Engine;
        match state {
            Engine::Held => UnitState::Held,
            Engine::Running => UnitState::Running,
            Engine::Leaving { .. } => UnitState::Leaving,
        }
    }
}

/// Indexes of devices, and the thousandths of each.
pub(super) fn parts(devices: &Devices) -> Vec<(u32, u32)> {
    match devices {
        Devices::None => Vec::new(),
        Devices::Part { device, milli } => vec![(u32::from(*device), u32::from(*milli))],
        Devices::Mask(mask) => {
            (0..u64::BITS).filter(|bit| mask & (1 << bit) != 0).map(|bit| (bit, WHOLE)).collect()
        }
        Devices::List(list) => list.iter().map(|&device| (u32::from(device), WHOLE)).collect(),
    }
}
