//! What happened. The log of events is the truth; `apply` is the only reader that changes state.

use crate::amounts::gpu_time;
use crate::caps::Cap;
use crate::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use crate::nodes::{NodeSpec, NodeState};
use crate::policy::{Policy, QuotaSpec};
use crate::reason::Reason;
use crate::resources::Resources;
use crate::unit::{Draws, Grant};
use crate::words::{Class, EvictionRule, Mode, PoolKind, Priority};
use crate::workload::{Exit, WorkloadSpec};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub at: Tick,
    pub kind: EventKind,
}

/// How a start is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartKind {
    /// A first start or a restart.
    Started,
    /// A return from suspension.
    Resumed,
    /// Further replicas of a workload that runs.
    Grown,
}

/// Why a unit was chosen to leave: printed as it stands, nobody derives it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    pub rule: EvictionRule,
    /// The workload that needs the capacity; `None` for an operator's change.
    pub by: Option<WorkloadId>,
    /// The quota whose policy names the victim (tiers 2 and 3), or whose account is taken back.
    pub policy_of: Option<QuotaId>,
    pub class: Class,
    pub priority: Priority,
    /// Work lost, in thousandths of a GPU times milliseconds.
    pub lost: u128,
    /// Eligible units that were dearer and were spared; `None` if the search did not count them.
    pub spared: Option<u32>,
}

impl Cause {
    /// Why it was chosen: what it was, what it lost, who was dearer.
    pub fn why(&self) -> String {
        let mut text = format!("priority {}, {}, {} lost", self.priority, self.class, gpu_time(self.lost));
        if let Some(spared) = self.spared.filter(|spared| *spared > 0) {
            let units = if spared == 1 { "unit" } else { "units" };
            text.push_str(&format!(", {spared} dearer {units} spared"));
        }
        text
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    PoolCreated {
        pool: PoolId,
        name: Box<str>,
        kind: PoolKind,
    },
    /// `model` is the name behind `spec.model`.
    NodeAdded {
        pool: PoolId,
        node: NodeId,
        model: Option<Box<str>>,
        spec: NodeSpec,
    },
    NodeRemoved {
        pool: PoolId,
        node: NodeId,
    },
    NodeChanged {
        pool: PoolId,
        node: NodeId,
        state: NodeState,
        reason: Box<str>,
    },
    /// A GPU is out of service, or back.
    DeviceChanged {
        pool: PoolId,
        node: NodeId,
        device: u16,
        out: bool,
        reason: Box<str>,
    },

    QuotaCreated {
        quota: QuotaId,
        spec: Box<QuotaSpec>,
    },
    PolicySet {
        quota: QuotaId,
        before: Box<Policy>,
        after: Box<Policy>,
    },
    /// The guarantee changed. In a transfer the giver's event comes first, then the receiver's, which names the giver.
    QuotaScaled {
        quota: QuotaId,
        from: Box<Resources>,
        to: Box<Resources>,
        mode: Mode,
        giver: Option<QuotaId>,
    },
    /// An account is drawn beyond its share by these amounts; nothing new starts on it.
    Overdrawn {
        quota: QuotaId,
        by: Box<Resources>,
    },
    /// The overdraft is gone, gains that were in transit have arrived.
    Settled {
        quota: QuotaId,
    },
    QuotaDeleted {
        quota: QuotaId,
    },
    /// The scheduling center changed what members of a workspace may use of a quota.
    CapsSet {
        workspace: WorkspaceId,
        quota: QuotaId,
        before: Vec<Cap>,
        after: Vec<Cap>,
    },

    /// `reasons` is empty if it did not have to wait.
    Queued {
        workload: WorkloadId,
        spec: Arc<WorkloadSpec>,
        reasons: Vec<Reason>,
    },
    /// It was tried for the first time and did not fit.
    PassedOver {
        workload: WorkloadId,
    },
    /// The starvation guard keeps capacity for it: amounts by account, whole devices by node.
    Reserved {
        workload: WorkloadId,
        accounts: Draws,
        nodes: Vec<(NodeId, u32)>,
    },
    ReservationEnded {
        workload: WorkloadId,
    },
    /// Capacity is held for it while units leave. Its victims' events come before it.
    Held {
        workload: WorkloadId,
        grants: Vec<Grant>,
    },
    /// Somebody of higher rank took its hold over; it is back in its queue.
    HoldLost {
        workload: WorkloadId,
        units: SmallVec<[u32; 2]>,
        by: Option<WorkloadId>,
    },
    /// These units run from now on. `replicas` counts all that run.
    Started {
        workload: WorkloadId,
        kind: StartKind,
        replicas: u32,
        grants: SmallVec<[Grant; 1]>,
    },
    /// These units were asked to stop; they keep draws and devices until they are released.
    /// `replicas` counts what goes on running (0: it leaves whole).
    Evicted {
        workload: WorkloadId,
        units: SmallVec<[u32; 2]>,
        exit: Exit,
        replicas: u32,
        deadline: Tick,
        cause: Cause,
    },
    /// These units gave up draws and devices. `requeued`: the workload is back in its queue.
    Released {
        workload: WorkloadId,
        units: SmallVec<[u32; 2]>,
        requeued: bool,
    },
    /// A running unit's draws moved; its devices stay.
    Moved {
        workload: WorkloadId,
        unit: u32,
        draws: Draws,
    },
    /// A node was lost under these units; they gave up draws and devices.
    Lost {
        workload: WorkloadId,
        units: SmallVec<[u32; 2]>,
        node: NodeId,
        replicas: u32,
    },
    Finished {
        workload: WorkloadId,
    },
    /// `restarts_left` is `None` if it ended.
    Failed {
        workload: WorkloadId,
        restarts_left: Option<u32>,
    },
    Stopped {
        workload: WorkloadId,
        cause: StopCause,
    },

    PriorityChanged {
        workload: WorkloadId,
        from: Priority,
        to: Priority,
    },
    Resized {
        workload: WorkloadId,
        from: u32,
        to: u32,
    },
    Checkpointed {
        workload: WorkloadId,
        saved_at: Tick,
    },
    Forgotten {
        workload: WorkloadId,
    },
}

impl EventKind {
    /// Whether it changes what a workload draws or occupies.
    pub(crate) fn changes(&self, id: WorkloadId) -> bool {
        use EventKind::*;
        match self {
            Held { workload, .. }
            | HoldLost { workload, .. }
            | Started { workload, .. }
            | Evicted { workload, .. } => *workload == id,
            Released { workload, .. } | Moved { workload, .. } | Lost { workload, .. } => *workload == id,
            Finished { workload } | Failed { workload, .. } | Stopped { workload, .. } => *workload == id,
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopCause {
    Asked,
    MaxRun,
    OnPreempt,
}
