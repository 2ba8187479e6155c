//! All that the engine knows. Changed by `apply` alone.

use crate::caps::Caps;
use crate::demand::Demands;
use crate::herd::Herd;
use crate::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use crate::ledger::Ledger;
use crate::name_index::NameIndex;
use crate::nodes::Nodes;
use crate::pins::{Cells, Pins};
use crate::queue::{LaneKey, Queue};
use crate::quota_tree::QuotaTree;
use crate::resources::Resources;
use crate::slot::Slot;
use crate::sorted_set::SortedSet;
use crate::table::Slab;
use crate::turn::{Ratio, Turn};
use crate::unit::{Draws, Rank, Unit, UnitKey, UnitState};
use crate::words::{IdleUse, PoolKind};
use crate::workload::{Workload, WorkloadSpec, WorkloadState};
use crate::workload_names::WorkloadNames;
use crate::workload_table::WorkloadTable;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pool {
    pub id: PoolId,
    pub name: Box<str>,
    pub kind: PoolKind,
    /// Names of its GPU models, by `ModelId`.
    pub models: Vec<Box<str>>,
    pub nodes: Nodes,
    /// Why a node is not ready.
    pub reasons: BTreeMap<NodeId, Box<str>>,
    pub roots: Vec<QuotaId>,
}

/// Which units count against a quota's policies or account.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Herds {
    /// Units of descendants; kept while child-level is on.
    pub(crate) below: Option<Herd>,
    /// Units of children; kept while a child's self-level reaches siblings.
    pub(crate) children: Option<Herd>,
    /// Units of the quota itself; kept while its self-level reaches its own.
    pub(crate) own: Option<Herd>,
    /// Units that draw on the account by loan or idle, by class.
    pub(crate) borrowers: Herd,
    /// What its policies name: by self-level, and by both together.
    pub(crate) filters: [Option<Cells>; 2],
}

/// Order of re-funding: rank, first enqueue time, id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Seniority {
    pub(crate) rank: Reverse<Rank>,
    pub(crate) enqueued: Tick,
    pub(crate) workload: WorkloadId,
    pub(crate) number: u32,
    pub(crate) unit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Timer {
    /// A leaving unit should be gone.
    Deadline(WorkloadId, u32),
    /// A workload has run for as long as it may.
    MaxRun(WorkloadId),
    /// A unit's protection ends: those who wait may look again.
    Unprotect(WorkloadId),
    /// Somebody in the queue may have been passed over for long enough.
    Guard(QuotaId),
    /// The window of a `balance` queue widens.
    Window(QuotaId),
}

impl Timer {
    /// The queue that the starvation guard is to look at.
    pub(crate) fn guards(self) -> Option<QuotaId> {
        match self {
            Timer::Guard(quota) => Some(quota),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reservation {
    pub(crate) workload: WorkloadId,
    pub(crate) accounts: Draws,
    pub(crate) nodes: Vec<(NodeId, u32)>,
}

/// Somebody whom only nodes kept from starting: the least that one of its replicas asks of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Cramped {
    pub(crate) gpu: u32,
    pub(crate) cpu: u64,
    pub(crate) memory: u64,
    pub(crate) quota: QuotaId,
}

/// Work for the next pass. Derived: not part of the state's identity.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Agenda {
    /// Queues in which something may have become possible.
    pub(crate) dirty: SortedSet<QuotaId>,
    /// Accounts on which balance came free.
    pub(crate) freed: SortedSet<QuotaId>,
    /// Accounts on which draws may stand that an earlier rule allows since policies or priorities changed.
    pub(crate) rising: BTreeSet<QuotaId>,
    /// Held units that were started by the command at hand.
    pub(crate) just_started: BTreeSet<u32>,
    /// Held units that have all they need.
    pub(crate) complete: SortedSet<WorkloadId>,
    /// Queues with somebody whom only nodes kept from starting, by pool.
    pub(crate) node_blocked: BTreeMap<PoolId, BTreeSet<Cramped>>,
    /// Queues in which somebody was passed over for long enough, and nothing could be kept for anybody.
    pub(crate) unguarded: BTreeSet<QuotaId>,
    /// Trees, by root, in which shared balance came free.
    pub(crate) idle_freed: SortedSet<QuotaId>,
    /// Queues with somebody who accepts idle capacity, by root and in the order of their turns, and the least that
    /// any of its workloads needs.
    pub(crate) idle_waiters: BTreeMap<(QuotaId, Turn, QuotaId), i64>,
    /// Where each queue stands there.
    pub(crate) idle_turn: BTreeMap<QuotaId, Turn>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) now: Tick,
    pub(crate) pools: Vec<Pool>,
    pub(crate) tree: QuotaTree,
    pub(crate) ledger: Ledger,
    pub(crate) queues: Vec<Queue>,
    pub(crate) herds: Vec<Herds>,
    /// By pool: units below firm, wherever they draw.
    pub(crate) low: Vec<Herd>,
    /// By quota: its units that draw on other accounts or by other rules than `own`, and have an earlier rule to
    /// come home by.
    pub(crate) abroad: Vec<BTreeSet<Seniority>>,
    /// By account: units that draw on it by another rule than `own`.
    pub(crate) foreign: Vec<BTreeSet<Seniority>>,
    /// Queues in which somebody waits or grows, by root.
    pub(crate) waiting: BTreeSet<(QuotaId, QuotaId)>,
    /// Accounts that have units of `foreign`, by root.
    pub(crate) lenders: BTreeSet<(QuotaId, QuotaId)>,
    pub(crate) workloads: WorkloadTable,
    pub(crate) units: Slab<Unit>,
    pub(crate) stamps: u32,
    pub(crate) pool_names: NameIndex,
    pub(crate) node_names: NameIndex,
    pub(crate) quota_names: NameIndex,
    pub(crate) workload_names: WorkloadNames,
    pub(crate) demands: Demands,
    /// By pool.
    pub(crate) pins: Vec<Pins>,
    pub(crate) timers: BTreeSet<(Tick, Timer)>,
    pub(crate) reservations: Vec<Reservation>,
    pub(crate) caps: Caps,
    /// Accounts with a declared overdraft.
    pub(crate) overdrawn: BTreeSet<QuotaId>,
    /// Units in these states: few, and looked for often.
    pub(crate) held: BTreeSet<(Rank, UnitKey)>,
    pub(crate) held_gpu: i64,
    pub(crate) leaving: BTreeSet<u32>,
    /// GPUs that leaving units will give back on a node beyond what holds still miss there.
    pub(crate) coming_at: BTreeMap<(PoolId, NodeId), i64>,
    /// Holds that miss something, by account and by node.
    pub(crate) missing_on: BTreeMap<QuotaId, BTreeSet<UnitKey>>,
    pub(crate) missing_at: BTreeMap<(PoolId, NodeId), BTreeSet<UnitKey>>,
    pub(crate) agenda: Agenda,
}

impl State {
    pub(crate) fn workload(&self, id: WorkloadId) -> Option<&Workload> {
        self.workloads.get(id.index())?.as_deref()
    }

    /// A workload that the caller knows to be there.
    #[inline]
    pub(crate) fn w(&self, id: WorkloadId) -> &Workload {
        self.workloads[id.index()].as_deref().expect("a workload in use is not forgotten")
    }

    #[inline]
    pub(crate) fn w_mut(&mut self, id: WorkloadId) -> &mut Workload {
        self.workloads.change(id)
    }

    /// Nothing is left for a pass to do.
    pub(crate) fn is_settled(&self) -> bool {
        let todo = &self.agenda;
        todo.dirty.is_empty()
            && todo.freed.is_empty()
            && todo.complete.is_empty()
            && todo.idle_freed.is_empty()
            && self.overdrawn.is_empty()
    }

    pub(crate) fn pool_of(&self, quota: QuotaId) -> &Pool {
        &self.pools[self.tree[quota].pool.index()]
    }

    /// Counts GPUs that will come free on nodes, or that a hold waits for there.
    pub(crate) fn count_coming(&mut self, pool: PoolId, slots: &[Slot], sign: i64) {
        slots.iter().for_each(|slot| self.count_coming_at(pool, slot.node, sign * slot.milli()));
    }

    pub(crate) fn count_coming_at(&mut self, pool: PoolId, node: NodeId, milli: i64) {
        let coming = self.coming_at.entry((pool, node)).or_default();
        *coming += milli;
        if *coming == 0 {
            self.coming_at.remove(&(pool, node));
        }
    }

    /// The unit of a workload with this number.
    pub(crate) fn unit_of(&self, w: WorkloadId, number: u32) -> Option<u32> {
        self.w(w).units.iter().copied().find(|&u| self.units[u].number == number)
    }

    pub(crate) fn rank(&self, u: &Unit) -> Rank {
        Rank { class: u.class, depth: Reverse(self.tree[u.quota].depth), priority: u.priority }
    }

    pub(crate) fn key(&self, unit: u32) -> UnitKey {
        let u = &self.units[unit];
        UnitKey { workload: u.workload, number: u.number, unit }
    }

    pub(crate) fn seniority(&self, unit: u32) -> Seniority {
        let u = &self.units[unit];
        Seniority {
            rank: Reverse(self.rank(u)),
            enqueued: self.w(u.workload).enqueued,
            workload: u.workload,
            number: u.number,
            unit,
        }
    }

    /// Replicas that run or are held.
    pub(crate) fn replicas_in(&self, w: &Workload, counts: impl Fn(UnitState) -> bool) -> u32 {
        w.units
            .iter()
            .map(|&u| &self.units[u])
            .filter(|u| counts(u.state))
            .map(|u| u.grant.slots.len() as u32)
            .sum()
    }

    pub(crate) fn running_replicas(&self, w: &Workload) -> u32 {
        self.replicas_in(w, |s| s == UnitState::Running)
    }

    pub(crate) fn demand_id(&mut self, spec: &WorkloadSpec) -> u32 {
        let tells_apart = |caps: &Caps| !caps.is_empty() && !caps.of(spec.workspace, spec.quota).is_empty();
        let owner = spec.owner.filter(|_| tells_apart(&self.caps));
        self.demands.number(spec, owner)
    }

    /// Where a workload belongs in its queue, as it stands.
    fn lane_for(&self, w: &Workload) -> Option<LaneKey> {
        let growth = match w.state {
            WorkloadState::Queued | WorkloadState::Suspended => false,
            WorkloadState::Running if w.spec.by_replica() => {
                let here = self.replicas_in(w, |s| matches!(s, UnitState::Running | UnitState::Held));
                if here >= w.spec.replicas() {
                    return None;
                }
                true
            }
            _ => return None,
        };
        Some(LaneKey {
            priority: Reverse(w.spec.priority),
            growth,
            workspace: w.spec.workspace,
            shape: w.shape,
        })
    }

    /// Puts a workload where it belongs in its queue after a change.
    pub(crate) fn file(&mut self, id: WorkloadId) {
        let w = self.w(id);
        let (old, new, entry, quota) = (w.lane, self.lane_for(w), w.entry(), w.spec.quota);
        let (passed, idle) = (w.passed_over, w.spec.idle);
        if old == new {
            return;
        }
        let waits = new.is_some_and(|k| !k.growth);
        let queue = &mut self.queues[quota.index()];
        let was_idle = queue.is_idle();
        if let Some(key) = old {
            queue.remove(key, entry);
        }
        if let Some(key) = new {
            queue.insert(key, entry);
            self.agenda.dirty.insert(quota);
        }
        match (was_idle, queue.is_idle()) {
            (true, false) => _ = self.waiting.insert((self.tree[quota].root, quota)),
            (false, true) => _ = self.waiting.remove(&(self.tree[quota].root, quota)),
            _ => {}
        }
        if waits && let Some(at) = passed {
            queue.pass_over(at, id);
        }
        if !waits && let Some(at) = passed {
            queue.passed.remove(&(at, id));
            if queue.passed.is_empty() {
                let guard = self.tree[quota].policy.queue.starvation_guard;
                self.timers.remove(&(at.after(guard), Timer::Guard(quota)));
            }
            self.w_mut(id).passed_over = None;
        }
        self.w_mut(id).lane = new;
        self.agenda.dirty.insert(quota);
        // Who waited here came before those who run elsewhere: now they may come home.
        if !waits && !self.abroad[quota.index()].is_empty() {
            self.agenda.freed.insert(quota);
        }
        if idle != IdleUse::Never {
            self.queues[quota.index()].idlers += i64::from(new.is_some()) - i64::from(old.is_some());
        }
        self.file_idle(quota);
    }

    /// Puts a queue where it belongs among those that wait for idle capacity.
    pub(crate) fn file_idle(&mut self, quota: QuotaId) {
        if self.queues[quota.index()].idlers > 0 || !self.agenda.idle_turn.is_empty() {
            self.file_idlers(quota);
        }
    }

    #[inline(never)]
    fn file_idlers(&mut self, quota: QuotaId) {
        let queue = &self.queues[quota.index()];
        let root = self.tree[quota].root;
        let first = if queue.idlers > 0 { queue.first_of_all() } else { None };
        let Some((priority, entry)) = first else {
            if let Some(old) = self.agenda.idle_turn.remove(&quota) {
                self.agenda.idle_waiters.remove(&(root, old, quota));
            }
            return;
        };
        let q = &self.tree[quota];
        let drawn = Ratio { used: self.ledger.account(quota).used, of: q.guarantee.all_gpus() };
        let turn = Turn { depth: q.depth, priority, drawn, enqueued: entry.enqueued, workload: entry.id };
        let least = queue.shapes().map(|s| self.demands.least(s)).min().unwrap_or(0);
        if let Some(old) = self.agenda.idle_turn.insert(quota, turn)
            && old != turn
        {
            self.agenda.idle_waiters.remove(&(root, old, quota));
        }
        self.agenda.idle_waiters.insert((root, turn, quota), least);
    }

    /// What the pool's nodes have in all, whatever their state.
    pub(crate) fn supply(&self, pool: PoolId) -> Resources {
        self.pools[pool.index()]
            .nodes
            .iter()
            .fold(Resources::default(), |sum, n| sum.plus(&node_supply(n.spec)))
    }

    /// What the pool's roots are guaranteed together.
    pub(crate) fn promised_by(&self, pool: PoolId) -> Resources {
        self.pools[pool.index()]
            .roots
            .iter()
            .fold(Resources::default(), |sum, &r| sum.plus(&self.tree[r].guarantee))
    }

    pub(crate) fn workspace_of(&self, w: WorkloadId) -> WorkspaceId {
        self.w(w).spec.workspace
    }
}

/// What a node brings.
pub(crate) fn node_supply(spec: &crate::nodes::NodeSpec) -> Resources {
    use crate::resources::{Dimension, WHOLE};
    let mut r = Resources::default();
    if let Some(m) = spec.model {
        r[Dimension::gpu(m)] = i64::from(spec.gpus) * i64::from(WHOLE);
    }
    r[Dimension::CPU] = i64::try_from(spec.cpu).unwrap_or(i64::MAX);
    r[Dimension::MEMORY] = i64::try_from(spec.memory).unwrap_or(i64::MAX);
    r
}

/// The books are equal; what is derived from them is not compared.
impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.pools == other.pools
            && self.tree == other.tree
            && self.ledger == other.ledger
            && self.queues == other.queues
            && self.units_by_workload() == other.units_by_workload()
            && self.reservations == other.reservations
            && self.caps == other.caps
            && self.workloads.iter().zip(other.workloads.iter()).all(|(a, b)| match (a, b) {
                (Some(a), Some(b)) => {
                    (&a.spec, a.state, a.enqueued, a.passed_over, a.failures, a.preemptions)
                        == (&b.spec, b.state, b.enqueued, b.passed_over, b.failures, b.preemptions)
                }
                (a, b) => a.is_none() && b.is_none(),
            })
    }
}

impl State {
    fn units_by_workload(&self) -> BTreeMap<(WorkloadId, u32), (UnitState, &crate::unit::Grant, Tick, Tick)> {
        self.units
            .iter()
            .map(|(_, u)| ((u.workload, u.number), (u.state, &u.grant, u.started, u.saved_at)))
            .collect()
    }
}
