//! The engine: commands in, events out.

pub use crate::books::{AccountFigures, QuotaBooks};
use crate::command::Command;
use crate::event::Event;
pub use crate::explain::Explanation;
use crate::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use crate::quota_tree::Quota;
use crate::reason::{Names, Reason};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{Pool, State};
use crate::unit::Unit;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::borrow::Cow;

/// All books and queues, and the decisions over them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    state: State,
}

impl Engine {
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Carries out a command: decides, applies, and returns what happened. A refusal changes nothing.
    pub fn handle(&mut self, now: Tick, command: Command) -> Result<Vec<Event>, Refusal> {
        if now < self.state.now {
            return Err(Refusal::ClockBackwards { now: now.0, last: self.state.now.0 });
        }
        let before = std::mem::replace(&mut self.state.now, now);
        if !self.state.agenda.just_started.is_empty() {
            self.state.agenda.just_started.clear();
        }
        let mut session = Session { s: &mut self.state, now, events: Vec::new() };
        match session.carry_out(command) {
            Ok(()) => Ok(session.events),
            Err(refusal) => {
                debug_assert!(session.events.is_empty(), "a refusal changes nothing");
                self.state.now = before;
                Err(refusal)
            }
        }
    }

    /// What `handle` would do, without doing it: the same code, on a copy.
    pub fn preview(&self, now: Tick, command: Command) -> Result<Vec<Event>, Refusal> {
        self.clone().handle(now, command)
    }

    /// Applies one event of a log.
    pub fn apply(&mut self, event: &Event) {
        self.state.apply(event);
    }

    /// When `Command::Wake` has something to do next.
    pub fn next_due(&self) -> Option<Tick> {
        self.state.timers.first().map(|t| t.0)
    }

    pub fn explain(&self, now: Tick, workload: WorkloadId) -> Option<Explanation> {
        self.state.explain(now, workload)
    }

    /// What keeps a workload waiting, nearest first: as `explain`, without what takes a look at every node.
    /// Empty if it has no place in a queue.
    pub fn reasons(&self, now: Tick, id: WorkloadId) -> Vec<Reason> {
        let waits = self.state.workload(id).is_some_and(|w| w.lane.is_some());
        if waits { self.state.reasons(id, now, false) } else { Vec::new() }
    }

    /// A workload's place in its queue as [`Engine::queue`] lists it, counted from 1; `None` if it does not wait.
    pub fn position(&self, now: Tick, id: WorkloadId) -> Option<u32> {
        let w = self.state.workload(id).filter(|w| w.state.is_waiting())?;
        let queue = &self.state.queues[w.spec.quota.index()];
        let policy = &self.state.tree[w.spec.quota].policy.queue;
        Some(queue.before(policy, now, w.lane?, w.entry()) + 1)
    }

    pub fn pool_named(&self, name: &str) -> Option<PoolId> {
        self.state.pool_names.get(name).map(|p| PoolId(p as u16))
    }

    /// The first node of that name, pools in order of creation.
    pub fn node_named(&self, name: &str) -> Option<(PoolId, NodeId)> {
        let found =
            |p: &Pool| Some((p.id, NodeId(self.state.node_names.get(&crate::apply::node_key(p.id, name))?)));
        self.state.pools.iter().find_map(found)
    }

    pub fn quota_named(&self, name: &str) -> Option<QuotaId> {
        self.state.quota_names.get(name).map(QuotaId)
    }

    /// The latest workload of that name in a workspace that has not been forgotten.
    pub fn workload_named(&self, workspace: WorkspaceId, name: &str) -> Option<WorkloadId> {
        self.state.workload_names.get(&self.state.workloads, workspace, name)
    }

    /// The latest workload of that name in each workspace that `sees` says yes to, in order of submission.
    pub fn workloads_named(
        &self,
        name: &str,
        sees: impl Fn(WorkspaceId) -> bool,
    ) -> SmallVec<[WorkloadId; 2]> {
        self.state.workload_names.all(&self.state.workloads, name, sees)
    }

    pub fn workload(&self, id: WorkloadId) -> Option<&Workload> {
        self.state.workload(id)
    }

    /// All workloads that have not been forgotten, in order of submission.
    pub fn workloads(&self) -> impl Iterator<Item = &Workload> {
        self.state.workloads.iter().filter_map(|w| w.as_deref())
    }

    /// Units of a workload that hold draws.
    pub fn units(&self, id: WorkloadId) -> impl Iterator<Item = &Unit> {
        let units = self.state.workload(id).map_or(&[][..], |w| &w.units);
        units.iter().map(|&u| &self.state.units[u])
    }

    /// The unit behind the handle of a node's resident.
    pub fn unit(&self, handle: u32) -> Option<&Unit> {
        self.state.units.get(handle)
    }

    /// All pools, in order of creation.
    pub fn pools(&self) -> &[Pool] {
        &self.state.pools
    }

    pub fn quota(&self, id: QuotaId) -> Option<&Quota> {
        self.state.tree.get(id)
    }

    pub fn pool(&self, id: PoolId) -> Option<&Pool> {
        self.state.pools.get(id.index())
    }

    /// Workloads that wait in a quota's queue, in order.
    pub fn queue(&self, now: Tick, id: QuotaId) -> Vec<WorkloadId> {
        let Some(q) = self.state.tree.get(id) else { return Vec::new() };
        self.state.queues[id.index()].list(&q.policy.queue, now)
    }

    /// Figures of all accounts, in tree order, from counters.
    pub fn account_figures(&self) -> impl Iterator<Item = AccountFigures> {
        self.state.account_figures()
    }

    /// The same of one quota.
    pub fn account(&self, quota: QuotaId) -> Option<AccountFigures> {
        self.quota(quota).map(|quota| self.state.figures_of(quota.id))
    }

    /// Who waits in a quota's queue, by kind: the first of those that differ in nothing but arrival, and how many
    /// they are.
    pub fn waiting(&self, quota: QuotaId) -> impl Iterator<Item = (WorkloadId, u32)> {
        self.state.queues.get(quota.index()).into_iter().flat_map(|queue| queue.kinds())
    }

    /// Books of all quotas, in tree order.
    pub fn books(&self) -> Vec<QuotaBooks> {
        self.state.books()
    }
}

impl Names for Engine {
    fn quota_name(&self, id: QuotaId) -> Cow<'_, str> {
        let known = id.index() < self.state.tree.len();
        Cow::Borrowed(if known { &self.state.tree[id].name } else { "?" })
    }

    fn workload_name(&self, id: WorkloadId) -> Cow<'_, str> {
        Cow::Borrowed(self.state.workload(id).map_or("?", |w| &w.spec.name))
    }

    fn model_names(&self, pool: PoolId) -> &[Box<str>] {
        self.state.pools.get(pool.index()).map_or(&[], |p| &p.models)
    }
}
