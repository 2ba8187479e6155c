//! What can be asked of the engine.

use crate::caps::Cap;
use crate::ids::{NodeId, PoolId, QuotaId, Span, Tick, WorkloadId, WorkspaceId};
use crate::nodes::{NodeSpec, NodeState};
use crate::policy::{ChildLevel, QuotaSpec, SelfLevel};
use crate::resources::Resources;
use crate::words::{Mode, ModuleSet, PoolKind, Priority, Strategy};
use crate::workload::WorkloadSpec;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    CreatePool {
        name: Box<str>,
        kind: PoolKind,
    },
    /// Adds a node. `model` names its GPU model, which need not be known yet; `spec.model` is ignored.
    AddNode {
        pool: PoolId,
        model: Option<Box<str>>,
        spec: NodeSpec,
    },
    RemoveNode {
        pool: PoolId,
        node: NodeId,
    },
    SetNode {
        pool: PoolId,
        node: NodeId,
        state: NodeState,
        reason: Box<str>,
    },
    /// Takes one GPU out of service, or back into it. Whoever sits on it is lost, as with its node.
    SetDevice {
        pool: PoolId,
        node: NodeId,
        device: u16,
        out: bool,
        reason: Box<str>,
    },
    /// Cordons the node and evicts what runs there, of these modules only.
    DrainNode {
        pool: PoolId,
        node: NodeId,
        modules: ModuleSet,
    },

    CreateQuota(Box<QuotaSpec>),
    SetPolicy {
        quota: QuotaId,
        change: PolicyChange,
    },
    Scale {
        quota: QuotaId,
        guarantee: Resources,
        mode: Mode,
    },
    Transfer {
        from: QuotaId,
        to: QuotaId,
        amount: Resources,
        mode: Mode,
    },
    DeleteQuota {
        quota: QuotaId,
    },
    /// Replaces all caps of a workspace in a quota.
    SetCaps {
        workspace: WorkspaceId,
        quota: QuotaId,
        caps: Vec<Cap>,
    },

    Submit(Box<WorkloadSpec>),
    Stop {
        workload: WorkloadId,
    },
    /// Sends what runs of it back to its queue.
    Restart {
        workload: WorkloadId,
    },
    SetPriority {
        workload: WorkloadId,
        priority: Priority,
    },
    Resize {
        workload: WorkloadId,
        replicas: u32,
    },
    /// Drops an ended workload from memory.
    Forget {
        workload: WorkloadId,
    },

    // Reports of the executor.
    /// It ended by itself, successfully.
    Finished {
        workload: WorkloadId,
    },
    /// It ended by itself, with an error: restarted while its limit lasts.
    Failed {
        workload: WorkloadId,
    },
    /// Units that were asked to stop are gone: one report for all that went together.
    Released {
        units: Vec<(WorkloadId, u32)>,
    },
    /// Work up to `saved_at` is safe.
    Checkpointed {
        workload: WorkloadId,
        saved_at: Tick,
    },

    /// Time has passed: timers that are due are carried out.
    Wake,
}

/// A change of a quota's policy; `None` leaves a setting as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyChange {
    pub strategy: Option<Strategy>,
    pub patience: Option<Span>,
    pub aging_step: Option<Span>,
    pub starvation_guard: Option<Span>,
    pub idle_sharing: Option<bool>,
    pub protect_for: Option<Span>,
    /// `Some(None)` switches it off.
    pub child_level: Option<Option<ChildLevel>>,
    pub self_level: Option<Option<SelfLevel>>,
}
