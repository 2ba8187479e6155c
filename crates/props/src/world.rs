//! Random pools, quota trees and policies.

use proptest::prelude::*;
use tidegate_engine::Command;
use tidegate_engine::ids::{ModelId, PoolId, QuotaId, Span};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{ChildLevel, Policy, QueuePolicy, QuotaSpec, SelfLevel, Source};
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::words::{
    Module, ModuleSet, PoolKind, Priority, PrioritySet, Scope, Strategy as Queueing,
};

pub const POOL: PoolId = PoolId(0);
const MODELS: [&str; 3] = ["H100", "A100", "L40"];
/// Levels that a quota tree may have.
const MAX_DEPTH: usize = 8;

#[derive(Clone, Debug)]
pub struct NodeSeed {
    pub model: usize,
    pub gpus: u32,
    /// Cores and GiB for each device; one node more when it has none.
    pub cores: u64,
    pub gib: u64,
}

#[derive(Clone, Debug)]
pub struct QuotaSeed {
    /// Which of the quotas before it is its parent; beyond them it is a root.
    pub parent: usize,
    /// Eighths of its parent's share, or of what the pool has left.
    pub eighths: i64,
    pub policy: Policy,
}

#[derive(Clone, Debug)]
pub struct World {
    pub nodes: Vec<NodeSeed>,
    pub keeps_cpu: bool,
    pub keeps_memory: bool,
    pub quotas: Vec<QuotaSeed>,
}

pub fn priority() -> impl Strategy<Value = Priority> {
    (1..=9_u8).prop_map(|p| Priority::new(p).expect("1 to 9"))
}

fn modules() -> impl Strategy<Value = ModuleSet> {
    (1..16_u8).prop_map(|bits| {
        let chosen = Module::ALL.iter().filter(|m| bits >> **m as u8 & 1 == 1);
        chosen.fold(ModuleSet::default(), |set, m| set.with(*m))
    })
}

fn priorities(low: u8, high: u8) -> impl Strategy<Value = PrioritySet> {
    (low..=high, low..=high).prop_map(|(a, b)| {
        let p = |n| Priority::new(n).expect("1 to 9");
        PrioritySet::range(p(a.min(b)), p(a.max(b)))
    })
}

pub fn child_level() -> impl Strategy<Value = ChildLevel> {
    (priorities(1, 9), modules()).prop_map(|(p, m)| ChildLevel::new(p, m).expect("not empty"))
}

pub fn self_level() -> impl Strategy<Value = SelfLevel> {
    let sets = (1..=8_u8).prop_flat_map(|cut| (priorities(cut + 1, 9), priorities(1, cut)));
    let scope = prop::sample::select(Scope::ALL);
    (sets, modules(), scope).prop_map(|((high, low), m, s)| SelfLevel::new(high, low, m, s).expect("valid"))
}

/// Short or long, so that both are met within a run.
pub fn span() -> impl Strategy<Value = Span> {
    prop::sample::select(vec![Span::seconds(7), Span::seconds(40), Span::hours(1), Span::ZERO, Span(1)])
}

pub fn policy() -> impl Strategy<Value = Policy> {
    let queue = (prop::sample::select(Queueing::ALL), span(), span(), span());
    let idle = prop::bool::weighted(0.8);
    let protect = prop_oneof![3 => Just(Span::ZERO), 1 => span()];
    let levels = (prop::option::of(child_level()), prop::option::of(self_level()));
    (queue, idle, protect, levels).prop_map(|(queue, idle_sharing, protect_for, levels)| Policy {
        queue: QueuePolicy {
            strategy: queue.0,
            patience: queue.1,
            aging_step: queue.2,
            starvation_guard: queue.3,
        },
        idle_sharing,
        protect_for,
        ceiling: None,
        child_level: levels.0,
        self_level: levels.1,
    })
}

pub fn node(models: usize) -> impl Strategy<Value = NodeSeed> {
    let gpus = prop_oneof![4 => Just(8), 3 => 1..=8_u32, 1 => Just(0)];
    let per_device = prop::sample::select(vec![(16, 64), (16, 64), (16, 64), (2, 64), (16, 4), (1, 2)]);
    (0..models, gpus, per_device).prop_map(|(model, gpus, (cores, gib))| NodeSeed { model, gpus, cores, gib })
}

pub fn quota() -> impl Strategy<Value = QuotaSeed> {
    (0..9_usize, 1..=8_i64, policy()).prop_map(|(parent, eighths, policy)| QuotaSeed {
        parent,
        eighths,
        policy,
    })
}

pub fn world() -> impl Strategy<Value = World> {
    let models = prop_oneof![3 => Just(1_usize), 1 => Just(2), 1 => Just(3)];
    models.prop_flat_map(|models| {
        let nodes = prop::collection::vec(node(models), 1..6);
        let keeps = prop_oneof![3 => Just((false, false)), 1 => Just((true, false)), 1 => Just((true, true))];
        let quotas = prop::collection::vec(quota(), 1..9);
        (nodes, keeps, quotas).prop_map(|(nodes, keeps, quotas)| World {
            nodes,
            keeps_cpu: keeps.0,
            keeps_memory: keeps.1,
            quotas,
        })
    })
}

impl NodeSeed {
    pub fn command(&self, number: usize) -> Command {
        let size = u64::from(self.gpus.max(1));
        let spec = NodeSpec {
            name: format!("n{number}").into(),
            model: None,
            gpus: self.gpus,
            cpu: self.cores * size * 1_000,
            memory: (self.gib * size) << 30,
        };
        let model = (self.gpus > 0).then(|| MODELS[self.model].into());
        Command::AddNode { pool: POOL, model, spec }
    }
}

/// A part of each amount: whole GPUs, and something of each dimension that is kept.
pub fn eighths(of: &Resources, parts: i64) -> Resources {
    let mut part = Resources::default();
    for (d, amount) in of.stated() {
        part[d] = amount * parts / 8;
        if d.model().is_some() {
            part[d] -= part[d] % 1_000;
        }
    }
    part
}

impl World {
    /// What the nodes have, in the dimensions that the trees keep. Models are numbered as nodes bring them.
    fn supply(&self) -> Resources {
        let mut order: Vec<usize> = Vec::new();
        let mut supply = Resources::default();
        for node in &self.nodes {
            let size = i64::from(node.gpus.max(1));
            if node.gpus > 0 {
                let known = order.iter().position(|m| *m == node.model);
                let model = known.unwrap_or_else(|| {
                    order.push(node.model);
                    order.len() - 1
                });
                supply[Dimension::gpu(ModelId(model as u8))] += i64::from(node.gpus) * 1_000;
            }
            supply[Dimension::CPU] += node.cores as i64 * size * 1_000;
            supply[Dimension::MEMORY] += (node.gib as i64 * size) << 30;
        }
        for (keeps, d) in [(self.keeps_cpu, Dimension::CPU), (self.keeps_memory, Dimension::MEMORY)] {
            supply[d] *= i64::from(keeps);
        }
        supply
    }

    /// The commands that build it. Some may be refused: a share can be too small for the dimensions kept.
    pub fn commands(&self) -> Vec<Command> {
        let mut commands = vec![Command::CreatePool { name: "pool".into(), kind: PoolKind::General }];
        commands.extend(self.nodes.iter().enumerate().map(|(i, node)| node.command(i)));
        let mut left = self.supply();
        let mut built: Vec<(Resources, usize)> = Vec::new();
        for (i, quota) in self.quotas.iter().enumerate() {
            let parent =
                (i > 0).then(|| quota.parent % (i + 1)).filter(|p| *p < i && built[*p].1 < MAX_DEPTH);
            let from = parent.map_or(&mut left, |p| &mut built[p].0);
            let guarantee = eighths(from, quota.eighths);
            *from = from.minus(&guarantee);
            let depth = parent.map_or(1, |p| built[p].1 + 1);
            built.push((guarantee, depth));
            let source = parent.map_or(Source::Pool(POOL), |p| Source::Parent(QuotaId(p as u32)));
            let name = format!("q{i}").into();
            commands.push(Command::CreateQuota(Box::new(QuotaSpec {
                name,
                source,
                guarantee,
                policy: quota.policy,
            })));
        }
        commands
    }
}
