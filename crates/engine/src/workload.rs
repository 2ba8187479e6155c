//! What a member submits, and how far it has come.

use crate::caps::Owner;
use crate::event::Cause;
use crate::ids::{NodeId, QuotaId, Span, Tick, WorkloadId, WorkspaceId};
use crate::queue::{Entry, LaneKey};
use crate::resources::{ModelSet, Shape};
use crate::words::{EvictionRule, IdleUse, Module, OnPreempt, Priority};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

/// Replicas of one workload, over all its roles. Bounds gangs and thereby the length of an event.
pub const MAX_REPLICAS: u32 = 16_384;
/// Roles of one gang: masters, workers, evaluators and the like.
pub const MAX_ROLES: usize = 8;
/// Longest name of anything, in characters.
pub const MAX_NAME: usize = 63;

/// Replicas of one kind within a gang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Role {
    pub replicas: u32,
    pub shape: Shape,
}

pub type Roles = SmallVec<[Role; 1]>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkloadSpec {
    pub name: Box<str>,
    pub quota: QuotaId,
    pub workspace: WorkspaceId,
    /// Whose caps it counts against; `None`: nobody's.
    #[serde(default)]
    pub owner: Option<Owner>,
    pub module: Module,
    pub priority: Priority,
    /// One role, unless it is a gang of several.
    pub roles: Roles,
    /// Replicas below which it does not run. `None`: all of them, or one for a service.
    pub min_replicas: Option<u32>,
    pub models: ModelSet,
    /// Nodes that it may run on, ascending; `None` is any.
    pub nodes: Option<Box<[NodeId]>>,
    pub idle: IdleUse,
    /// Time between being asked to stop and being killed.
    pub grace: Span,
    /// Its executor can suspend it, so that an eviction costs no work.
    pub suspend: bool,
    /// Restarts allowed after failures.
    pub restarts: u32,
    pub on_preempt: OnPreempt,
    /// Longest run time, counted from each start; it is stopped then.
    pub max_run: Option<Span>,
}

impl WorkloadSpec {
    /// A workload with one role and defaults for all else.
    pub fn new(name: &str, quota: QuotaId, module: Module, replicas: u32, shape: Shape) -> WorkloadSpec {
        WorkloadSpec {
            name: name.into(),
            quota,
            workspace: WorkspaceId::DEFAULT,
            owner: None,
            module,
            priority: Priority::DEFAULT,
            roles: SmallVec::from_elem(Role { replicas, shape }, 1),
            min_replicas: None,
            models: ModelSet::ANY,
            nodes: None,
            idle: IdleUse::Never,
            grace: Span::seconds(30),
            suspend: false,
            restarts: 0,
            on_preempt: OnPreempt::Requeue,
            max_run: None,
        }
    }

    pub fn replicas(&self) -> u32 {
        self.roles.iter().map(|r| r.replicas).sum()
    }

    /// Replicas that must run together for it to run at all.
    pub fn min(&self) -> u32 {
        match (self.min_replicas, self.module) {
            (Some(min), _) => min,
            (None, Module::Service) => 1.min(self.replicas()),
            (None, _) => self.replicas(),
        }
    }

    pub fn is_service(&self) -> bool {
        self.module == Module::Service
    }

    /// Its replicas are admitted and evicted one by one, above its minimum.
    pub fn by_replica(&self) -> bool {
        self.is_service() || self.min() < self.replicas()
    }

    /// GPUs of all replicas, in thousandths.
    pub fn gpus(&self) -> i64 {
        self.roles.iter().map(|r| i64::from(r.replicas) * i64::from(r.shape.gpu)).sum()
    }
}

/// The one state machine of all modules.
///
/// | state | meaning | leaves by | survives a restart of the server |
/// |---|---|---|---|
/// | `Queued` | waits in its quota's queue | started, held, stopped | yes |
/// | `Suspended` | as `Queued`, with its work kept | resumed, held, stopped | yes |
/// | `Held` | capacity is held for it, its victims are leaving | started, hold lost, stopped | yes |
/// | `Running` | at least its minimum runs | finished, failed, evicted, lost, stopped | yes, with its processes |
/// | `Leaving` | all of it was asked to stop | released | yes, the deadline goes on |
/// | `Finished` `Failed` `Stopped` | ended | - | yes, until forgotten |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkloadState {
    Queued,
    Suspended,
    Held,
    Running,
    Leaving(Exit),
    Finished,
    Failed,
    Stopped,
}

/// Where a unit that leaves goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// Back to its queue.
    Requeue,
    /// Back to its queue, with its work kept.
    Suspend,
    /// Nowhere: the workload ends as stopped.
    Stop,
    /// Nowhere: the workload goes on with fewer replicas.
    Shrink,
}

impl WorkloadState {
    pub fn word(self) -> &'static str {
        match self {
            WorkloadState::Queued => "queued",
            WorkloadState::Suspended => "suspended",
            WorkloadState::Held => "held",
            WorkloadState::Running => "running",
            WorkloadState::Leaving(_) => "leaving",
            WorkloadState::Finished => "finished",
            WorkloadState::Failed => "failed",
            WorkloadState::Stopped => "stopped",
        }
    }

    pub fn is_ended(self) -> bool {
        matches!(self, WorkloadState::Finished | WorkloadState::Failed | WorkloadState::Stopped)
    }

    pub fn is_waiting(self) -> bool {
        matches!(self, WorkloadState::Queued | WorkloadState::Suspended)
    }
}

/// A workload as the engine keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    pub id: WorkloadId,
    pub spec: Arc<WorkloadSpec>,
    pub state: WorkloadState,
    /// First time that it entered its queue; kept over preemptions.
    pub enqueued: Tick,
    /// First time since it last entered the queue that it was tried and did not fit.
    pub passed_over: Option<Tick>,
    /// Its units that hold draws: table positions, in order of admission.
    pub(crate) units: SmallVec<[u32; 2]>,
    /// Where it stands in its queue, if it does.
    pub(crate) lane: Option<LaneKey>,
    /// Equal for workloads with equal demands.
    pub(crate) shape: u32,
    /// Its work is kept: its next start is a return.
    pub suspended: bool,
    pub failures: u32,
    pub preemptions: u32,
    /// Its latest eviction.
    pub evicted: Option<Box<(Tick, Cause)>>,
    /// Who had to go so that it could run, since it last waited.
    pub cleared: Option<Box<ClearedAll>>,
}

/// One eviction, seen from who gained by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleared {
    pub at: Tick,
    pub workload: WorkloadId,
    pub rule: EvictionRule,
}

/// Evictions that a workload remembers; further ones are counted. Nobody reads a longer list.
pub const MAX_CLEARED: usize = 100;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearedAll {
    pub listed: Vec<Cleared>,
    pub more: u32,
}

impl ClearedAll {
    /// A victim that shrinks step by step is one.
    pub(crate) fn add(&mut self, cleared: Cleared) {
        let same = |c: &&mut Cleared| (c.workload, c.rule) == (cleared.workload, cleared.rule);
        if let Some(known) = self.listed.iter_mut().find(same) {
            known.at = cleared.at;
        } else if self.listed.len() < MAX_CLEARED {
            self.listed.push(cleared);
        } else {
            self.more += 1;
        }
    }
}

impl Workload {
    pub(crate) fn entry(&self) -> Entry {
        Entry { enqueued: self.enqueued, id: self.id }
    }
}
