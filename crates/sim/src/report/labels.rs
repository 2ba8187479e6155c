//! What ids stand for: asked of the engine, or learnt from the events, also those that the engine forgets.

use super::figures::Figures;
use std::borrow::Cow;
use tidegate_engine::Engine;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{ModelId, NodeId, PoolId, QuotaId, Tick, WorkloadId};
use tidegate_engine::policy::Source;
use tidegate_engine::reason::Names;
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::unit::Draw;

/// Who knows what ids stand for.
pub trait Directory: Names {
    fn node(&self, pool: PoolId, id: NodeId) -> String;

    /// The quota that a workload was submitted to.
    fn queue_of(&self, workload: WorkloadId) -> Option<QuotaId>;

    /// Restarts that a workload is allowed.
    fn restarts(&self, workload: WorkloadId) -> u32;

    fn pool_of(&self, quota: QuotaId) -> PoolId;

    /// A point in time as the report counts it.
    fn clock(&self, at: Tick) -> Tick {
        at
    }

    /// Dimensions in which a root has been guaranteed anything, in order.
    fn stated(&self, root: QuotaId) -> Vec<Dimension>;

    /// Ids from the root down to the quota: sorts in tree order.
    fn path(&self, quota: QuotaId) -> Vec<QuotaId>;

    /// Dimensions in which the amounts of a quota are told: what its root states, and GPUs always.
    fn kept(&self, quota: QuotaId) -> Vec<Dimension> {
        let Some(root) = self.path(quota).first().copied() else { return Vec::new() };
        let mut kept = self.stated(root);
        let models = self.model_names(self.pool_of(quota)).len();
        if models == 1 && !kept.iter().any(|d| d.model().is_some()) {
            kept.insert(0, Dimension::gpu(ModelId(0)));
        }
        kept
    }

    fn quota(&self, id: QuotaId) -> String {
        self.quota_name(id).into_owned()
    }

    fn workload(&self, id: WorkloadId) -> String {
        self.workload_name(id).into_owned()
    }

    /// A node of the pool that the workload's quota belongs to.
    fn node_of(&self, workload: WorkloadId, id: NodeId) -> String {
        self.queue_of(workload).map_or("unknown".into(), |quota| self.node(self.pool_of(quota), id))
    }

    /// The name of the quota that the workload was submitted to.
    fn queue(&self, workload: WorkloadId) -> String {
        self.queue_of(workload).map_or("unknown".into(), |quota| self.quota(quota))
    }

    /// Amounts in the dimensions that the quota's tree keeps.
    fn figures(&self, quota: QuotaId, r: &Resources) -> Figures {
        Figures::of(r, &self.kept(quota), self.model_names(self.pool_of(quota)))
    }

    /// Amounts by account, in tree order.
    fn draws(&self, draws: &[&Draw]) -> Vec<(String, Figures)> {
        let mut accounts: Vec<QuotaId> = draws.iter().map(|d| d.account).collect();
        accounts.sort_unstable();
        accounts.dedup();
        if accounts.len() > 1 {
            accounts.sort_by_cached_key(|q| self.path(*q));
        }
        let figures = |account: QuotaId| {
            let models = self.model_names(self.pool_of(account));
            Figures::of_draws(draws.iter().copied().filter(|d| d.account == account), models)
        };
        accounts.into_iter().map(|account| (self.quota(account), figures(account))).collect()
    }
}

/// As the engine stands: what it has forgotten has no name any more.
impl Directory for Engine {
    fn node(&self, pool: PoolId, id: NodeId) -> String {
        let pool = self.pool(pool).filter(|pool| pool.nodes.contains(id));
        pool.map_or("unknown".into(), |pool| pool.nodes.node(id).spec.name.to_string())
    }

    fn queue_of(&self, workload: WorkloadId) -> Option<QuotaId> {
        Engine::workload(self, workload).map(|w| w.spec.quota)
    }

    fn restarts(&self, workload: WorkloadId) -> u32 {
        Engine::workload(self, workload).map_or(0, |w| w.spec.restarts)
    }

    fn pool_of(&self, quota: QuotaId) -> PoolId {
        Engine::quota(self, quota).map_or(PoolId(0), |q| q.pool)
    }

    fn stated(&self, root: QuotaId) -> Vec<Dimension> {
        Engine::quota(self, root).map_or(Vec::new(), |q| q.guarantee.stated().map(|(d, _)| d).collect())
    }

    fn path(&self, quota: QuotaId) -> Vec<QuotaId> {
        let parent = |id: &QuotaId| Engine::quota(self, *id).and_then(|q| q.parent);
        let mut path: Vec<QuotaId> = std::iter::successors(Some(quota), parent).collect();
        path.reverse();
        path
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    pools: Vec<PoolLabel>,
    quotas: Vec<QuotaLabel>,
    workloads: Vec<WorkloadLabel>,
    /// What is called 0s.
    zero: Tick,
}

#[derive(Clone, Debug, Default)]
struct PoolLabel {
    nodes: Vec<Box<str>>,
    models: Vec<Box<str>>,
}

#[derive(Clone, Debug, Default)]
struct QuotaLabel {
    name: Box<str>,
    pool: Option<PoolId>,
    /// Of a root: dimensions in which it has ever been guaranteed anything, in order.
    stated: Vec<Dimension>,
    /// Ids from the root down: sorts in tree order.
    path: Vec<QuotaId>,
}

#[derive(Clone, Debug, Default)]
struct WorkloadLabel {
    name: Box<str>,
    quota: Option<QuotaId>,
    restarts: u32,
}

/// Ids are numbered in order of creation, so a label's place is its id. Gaps are what was gone before the report began.
fn put<T: Default>(table: &mut Vec<T>, index: usize, label: T) {
    table.resize_with(index, T::default);
    table.push(label);
}

impl Labels {
    /// What an engine knows at `zero`.
    pub(crate) fn of(engine: &Engine, zero: Tick) -> Labels {
        let mut labels = Labels { zero, ..Labels::default() };
        for pool in engine.pools() {
            let mut label = PoolLabel { nodes: Vec::new(), models: pool.models.to_vec() };
            pool.nodes.iter().for_each(|node| put(&mut label.nodes, node.id.index(), node.spec.name.clone()));
            put(&mut labels.pools, pool.id.index(), label);
        }
        let mut quotas: Vec<QuotaId> = engine.books().iter().map(|books| books.quota).collect();
        quotas.sort_unstable();
        for id in quotas {
            let Some(quota) = engine.quota(id) else { continue };
            let (pool, path) = (Some(quota.pool), engine.path(id));
            let label = QuotaLabel { name: quota.name.clone(), pool, stated: Vec::new(), path };
            put(&mut labels.quotas, id.index(), label);
            labels.learn_dimensions(id, &quota.guarantee);
        }
        for w in engine.workloads() {
            let label = WorkloadLabel {
                name: w.spec.name.clone(),
                quota: Some(w.spec.quota),
                restarts: w.spec.restarts,
            };
            put(&mut labels.workloads, w.id.index(), label);
        }
        labels
    }

    pub(crate) fn learn(&mut self, event: &Event) {
        match &event.kind {
            EventKind::PoolCreated { pool, .. } => put(&mut self.pools, pool.index(), PoolLabel::default()),
            EventKind::NodeAdded { pool, node, model, spec } => {
                let Some(label) = self.pools.get_mut(pool.index()) else { return };
                put(&mut label.nodes, node.index(), spec.name.clone());
                if let Some(model) = model.as_ref().filter(|model| !label.models.contains(model)) {
                    label.models.push(model.clone());
                }
            }
            EventKind::QuotaCreated { quota, spec } => {
                let (pool, mut path) = match spec.source {
                    Source::Pool(pool) => (Some(pool), Vec::new()),
                    Source::Parent(parent) => match self.quotas.get(parent.index()) {
                        Some(parent) => (parent.pool, parent.path.clone()),
                        None => return,
                    },
                };
                path.push(*quota);
                let label = QuotaLabel { name: spec.name.clone(), pool, stated: Vec::new(), path };
                put(&mut self.quotas, quota.index(), label);
                self.learn_dimensions(*quota, &spec.guarantee);
            }
            EventKind::QuotaScaled { quota, to, .. } => self.learn_dimensions(*quota, to),
            EventKind::Queued { workload, spec, .. } => {
                let label = WorkloadLabel {
                    name: spec.name.clone(),
                    quota: Some(spec.quota),
                    restarts: spec.restarts,
                };
                put(&mut self.workloads, workload.index(), label);
            }
            _ => {}
        }
    }

    fn learn_dimensions(&mut self, quota: QuotaId, guarantee: &Resources) {
        let Some(label) = self.quotas.get_mut(quota.index()) else { return };
        label.stated.extend(guarantee.stated().map(|(d, _)| d));
        label.stated.sort_unstable();
        label.stated.dedup();
    }

    /// Everything that was ever submitted, in that order.
    pub(crate) fn workload_ids(&self) -> impl Iterator<Item = WorkloadId> + use<> {
        (0..self.workloads.len() as u32).map(WorkloadId)
    }
}

impl Directory for Labels {
    fn clock(&self, at: Tick) -> Tick {
        Tick(at.since(self.zero).0)
    }

    fn node(&self, pool: PoolId, id: NodeId) -> String {
        let name = self.pools.get(pool.index()).and_then(|p| p.nodes.get(id.index()));
        name.map_or("unknown".into(), |name| name.to_string())
    }

    fn queue_of(&self, workload: WorkloadId) -> Option<QuotaId> {
        self.workloads.get(workload.index()).and_then(|w| w.quota)
    }

    fn restarts(&self, workload: WorkloadId) -> u32 {
        self.workloads.get(workload.index()).map_or(0, |w| w.restarts)
    }

    fn pool_of(&self, quota: QuotaId) -> PoolId {
        self.quotas.get(quota.index()).and_then(|q| q.pool).unwrap_or(PoolId(0))
    }

    fn stated(&self, root: QuotaId) -> Vec<Dimension> {
        self.quotas.get(root.index()).map_or(Vec::new(), |q| q.stated.clone())
    }

    fn path(&self, quota: QuotaId) -> Vec<QuotaId> {
        self.quotas.get(quota.index()).map_or(Vec::new(), |q| q.path.clone())
    }
}

impl Names for Labels {
    fn quota_name(&self, id: QuotaId) -> Cow<'_, str> {
        Cow::Borrowed(self.quotas.get(id.index()).map_or("unknown", |q| &q.name))
    }

    fn workload_name(&self, id: WorkloadId) -> Cow<'_, str> {
        Cow::Borrowed(self.workloads.get(id.index()).map_or("unknown", |w| &w.name))
    }

    fn model_names(&self, pool: PoolId) -> &[Box<str>] {
        self.pools.get(pool.index()).map_or(&[], |p| &p.models)
    }

    fn time(&self, at: Tick) -> String {
        self.clock(at).to_string()
    }
}
