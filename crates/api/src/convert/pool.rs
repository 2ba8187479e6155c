//! Pools: nodes to add, and what there is.

use super::name;
use crate::amounts::{Amounts, Figure};
use crate::decimal::Cores;
use crate::memory::Memory;
use crate::name::Name;
use crate::pool::{ModelFigures, NodeCounts, NodeGroup, PoolSpec, PoolStatus};
use crate::problem::{Code, Problem};
use tidegate_engine::ids::{ModelId, PoolId};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::reason::Names;
use tidegate_engine::resources::{Dimension, Resources, WHOLE};
use tidegate_engine::{Command, Engine};

/// A node that does not say has so much for each of its GPUs, and at least so much in all: enough that replicas with
/// default CPU and memory are never limited by them. The scenario language has the same defaults.
const CPU_PER_GPU: u64 = 16 * WHOLE as u64;
const LEAST_CPU: u64 = 64 * WHOLE as u64;
const MEMORY_PER_GPU: u64 = 128 << 30;
const LEAST_MEMORY: u64 = 512 << 30;

/// Thousandths of cores and bytes of a node with so many GPUs.
pub(super) fn machine(gpus: u32, cpu: Option<Cores>, memory: Option<Memory>) -> (u64, u64) {
    let gpus = u64::from(gpus);
    let cpu = cpu.map_or(LEAST_CPU.max(gpus * CPU_PER_GPU), |cores| cores.milli() as u64);
    let memory = memory.map_or(LEAST_MEMORY.max(gpus * MEMORY_PER_GPU), Memory::bytes);
    (cpu, memory)
}

impl PoolSpec {
    /// Commands that add all nodes to the pool, named `POOL-FIRST` and so on.
    pub fn nodes(&self, pool_name: &Name, pool: PoolId, first: u32) -> Result<Vec<Command>, Problem> {
        let mut commands = Vec::new();
        let mut number = first;
        for group in &self.nodes {
            let (cpu, memory) = machine(group.gpus, group.cpu, group.memory);
            for _ in 0..group.count {
                let text = format!("{pool_name}-{number}");
                if Name::new(&text).is_err() {
                    let detail = format!("{text} is too long for the name of a node");
                    return Err(Problem::new(Code::BadName, detail)
                        .hint("give the pool a shorter name")
                        .at("/metadata/name"));
                }
                let spec = NodeSpec { name: text.into(), model: None, gpus: group.gpus, cpu, memory };
                let model = group.model.as_ref().filter(|_| group.gpus > 0).map(|m| m.as_str().into());
                commands.push(Command::AddNode { pool, model, spec });
                number = number.saturating_add(1);
            }
        }
        Ok(commands)
    }

    /// As the pool would be read back: every default written out, equal groups that follow each other as one.
    pub fn normal(&self) -> PoolSpec {
        let mut groups: Vec<NodeGroup> = Vec::new();
        for group in &self.nodes {
            let (cpu, memory) = machine(group.gpus, group.cpu, group.memory);
            let (cpu, memory) = (Cores::from_milli(cpu as i64), Memory::new(memory).ok());
            let model = group.model.clone().filter(|_| group.gpus > 0);
            let group = NodeGroup { cpu, memory, model, ..group.clone() };
            match groups.last_mut() {
                Some(last) if (NodeGroup { count: group.count, ..last.clone() }) == group => {
                    last.count = last.count.saturating_add(group.count);
                }
                _ => groups.push(group),
            }
        }
        let kind = self.kind.unwrap_or(tidegate_engine::words::PoolKind::General.into());
        PoolSpec { kind: Some(kind), nodes: groups }
    }

    /// The nodes that this pool has beyond another one; `None` if it is not just larger. Both are normal.
    pub fn beyond(&self, present: &PoolSpec) -> Option<PoolSpec> {
        let mut more = Vec::new();
        for (index, group) in self.nodes.iter().enumerate() {
            match present.nodes.get(index) {
                None => more.push(group.clone()),
                Some(there) if (NodeGroup { count: group.count, ..there.clone() }) != *group => return None,
                Some(there) if there.count > group.count => return None,
                Some(there) if there.count < group.count => {
                    more.push(NodeGroup { count: group.count - there.count, ..group.clone() });
                }
                Some(_) => {}
            }
        }
        let whole = self.kind == present.kind && self.nodes.len() >= present.nodes.len();
        whole.then_some(PoolSpec { kind: self.kind, nodes: more })
    }

    /// The pool as it is now: equal nodes that follow each other are one group.
    pub fn of(engine: &Engine, pool: PoolId) -> Option<PoolSpec> {
        let pool = engine.pool(pool)?;
        let mut groups: Vec<NodeGroup> = Vec::new();
        for node in pool.nodes.iter() {
            let model = node.spec.model.and_then(|m| pool.models.get(m.index())).map(|m| name(m));
            let group = NodeGroup {
                count: 1,
                gpus: node.spec.gpus,
                model,
                cpu: Cores::from_milli(node.spec.cpu as i64),
                memory: Memory::new(node.spec.memory).ok(),
            };
            match groups.last_mut() {
                Some(last) if (NodeGroup { count: 1, ..last.clone() }) == group => last.count += 1,
                _ => groups.push(group),
            }
        }
        Some(PoolSpec { kind: Some(pool.kind.into()), nodes: groups })
    }
}

impl PoolStatus {
    /// Looks at every node: for people, not for decisions. `names` knows what the reader may see.
    pub fn of(engine: &Engine, names: &dyn Names, id: PoolId) -> Option<PoolStatus> {
        let pool = engine.pool(id)?;
        let mut counts = NodeCounts::default();
        let (mut supply, mut ready) = (Resources::default(), Resources::default());
        for node in pool.nodes.iter() {
            let mut has = Resources::default();
            if let Some(model) = node.spec.model {
                has[Dimension::gpu(model)] = i64::from(node.spec.gpus) * i64::from(WHOLE);
            }
            has[Dimension::CPU] = node.spec.cpu as i64;
            has[Dimension::MEMORY] = node.spec.memory as i64;
            supply = supply.plus(&has);
            counts.total += 1;
            match node.state {
                NodeState::Ready => {
                    counts.ready += 1;
                    ready = ready.plus(&has);
                }
                NodeState::Cordoned => counts.cordoned += 1,
                NodeState::Lost => counts.lost += 1,
            }
        }
        let guaranteed = (pool.roots.iter())
            .filter_map(|&root| engine.quota(root))
            .fold(Resources::default(), |sum, root| sum.plus(&root.guarantee));
        let mut short = Resources::default();
        Dimension::all().for_each(|d| short[d] = (guaranteed[d] - ready[d]).max(0));
        let models = pool.models.iter().enumerate().map(|(index, model)| {
            let model_id = ModelId(index as u8);
            let (all, up) =
                (pool.nodes.figures_of(Some(model_id)), pool.nodes.figures(Some(model_id), NodeState::Ready));
            let total = all.devices.saturating_mul(u64::from(WHOLE));
            ModelFigures {
                model: name(model),
                total: all.devices,
                ready: up.devices,
                used: Figure(total.saturating_sub(all.free_milli) as i64),
                free: Figure(up.free_milli as i64),
                free_devices: up.free_devices,
            }
        });
        let amounts = |r: &Resources| Amounts::of(engine, id, r, &Resources::default());
        let roots = pool.roots.iter().filter(|&&root| engine.quota(root).is_some());
        Some(PoolStatus {
            nodes: counts,
            gpus: models.collect(),
            supply: amounts(&supply),
            guaranteed: amounts(&guaranteed),
            short_by: (short != Resources::default()).then(|| amounts(&short)),
            roots: roots.map(|&root| names.quota_name(root).into_owned()).collect(),
        })
    }
}
