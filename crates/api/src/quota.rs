//! Quotas: shares of a pool, arranged as a tree.

use crate::amounts::{Amounts, Guarantee};
use crate::body::{Check, Wrong};
use crate::duration::Duration;
use crate::event::Event;
use crate::name::Name;
use crate::page::PageToken;
use crate::priorities::{Priorities, Priority};
use crate::resource::{NewMetadata, resource};
use crate::time::Time;
use crate::words::{Mode, Module, Scope, Strategy};
use serde::{Deserialize, Serialize};
use tidegate_engine::words;
use utoipa::ToSchema;

/// What a quota is given, and its policies. A root names its pool, a child its parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({
    "parent": "Quota1",
    "guarantee": {"gpu": 48},
    "queue": {"strategy": "intelligent"},
    "idleSharing": true,
    "preemption": {
        "selfLevel": {
            "preemptors": "6-9",
            "victims": {"priorities": 4, "modules": ["training", "notebook"]},
            "scope": "both"
        },
        "childLevel": {"victims": {"priorities": "1-3", "modules": ["training", "notebook"]}}
    }
})))]
pub struct QuotaSpec {
    /// The pool that a root quota draws on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<Name>,
    /// The quota that a child is carved out of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Name>,
    pub guarantee: Guarantee,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueSpec>,
    /// Whether others may draw on this account by the idle rule; true if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_sharing: Option<bool>,
    /// How long after its latest start a unit is spared from preemption; 0s if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protect_for: Option<Duration>,
    /// Off if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemption: Option<Preemption>,
    /// Tasks of every workspace run here unless they name other compute; its queue is `fair`. False if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Resource configs are taken from it; it runs no work itself. False if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedicated: Option<bool>,
}

/// How the quota's queue is worked off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueueSpec {
    /// `intelligent` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// `balance`: how long the head waits before the window widens by one; 3m if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<Duration>,
    /// `intelligent`: how long a workload waits to age by one priority; 10m if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aging_step: Option<Duration>,
    /// How long after it was first passed over a workload gets a reservation; 1h if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starvation_guard: Option<Duration>,
}

/// Whom the quota's workloads may evict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preemption {
    /// High priorities borrow from siblings, and evict low ones here and there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_level: Option<SelfLevel>,
    /// Its workloads draw on its descendants, and evict there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_level: Option<ChildLevel>,
}

/// High priorities borrow from siblings, and evict low ones here and there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SelfLevel {
    /// Priorities that may preempt. All of them are above all of the victims'.
    pub preemptors: Priorities,
    pub victims: Victims,
    /// `both` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

/// Workloads of the quota draw on its descendants, and evict there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChildLevel {
    pub victims: Victims,
}

/// Who may be evicted: of one of these priorities and of one of these modules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Victims {
    pub priorities: Priorities,
    #[schema(min_items = 1, max_items = 4)]
    pub modules: Vec<Module>,
}

impl Check for Victims {
    fn check(&self, wrong: &mut Wrong) {
        if self.modules.is_empty() {
            wrong.add("/modules", "name at least one module: none is preemptible unless it is named");
        }
        wrong.bound("/modules", self.modules.len(), words::Module::ALL.len(), "modules");
    }
}

impl Check for QuotaSpec {
    fn check(&self, wrong: &mut Wrong) {
        match (&self.pool, &self.parent) {
            (None, None) => {
                wrong.add("", "a root quota names its pool, a child its parent; neither is given")
            }
            (Some(_), Some(_)) => {
                wrong.add("", "a root quota names its pool, a child its parent; both are given")
            }
            _ => {}
        }
        let strategy = self.queue.as_ref().and_then(|queue| queue.strategy).map(|strategy| strategy.0);
        if self.shared == Some(true) && strategy != Some(words::Strategy::Fair) {
            let given = strategy.unwrap_or(words::Strategy::Intelligent).word();
            wrong.add(
                "/queue/strategy",
                format!(
                    "it is {given}; the queue of a shared quota is fair, so that nobody waits for all others"
                ),
            );
        }
        if self.shared == Some(true) && self.dedicated == Some(true) {
            wrong.add("/dedicated", "a quota is shared or dedicated, not both");
        }
        if let Some(preemption) = &self.preemption {
            if let Some(policy) = &preemption.self_level {
                wrong.below("/preemption/selfLevel/victims", &policy.victims);
            }
            if let Some(policy) = &preemption.child_level {
                wrong.below("/preemption/childLevel/victims", &policy.victims);
            }
        }
    }
}

/// Whether an account is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuotaState {
    Ready,
    /// An overdraft drains: nothing new starts on this account until it is gone.
    Scaling,
}

/// The quota's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaStatus {
    pub state: QuotaState,
    /// The pool that its tree draws on.
    pub pool: Name,
    /// 1 for a root.
    pub depth: u8,
    /// The guarantee less the guarantees of its children.
    pub share: Amounts,
    /// What its account is drawn for.
    pub drawn: Drawn,
    /// What is held for workloads that wait until others are gone.
    pub held: Amounts,
    /// What is free.
    pub balance: Amounts,
    /// Gains that arrive as an overdraft elsewhere goes.
    pub in_transit: Amounts,
    /// What others draw on this account by loan or idle, and give back when it is needed.
    pub lent: Amounts,
    /// What its workloads draw on other accounts by loan or idle.
    pub borrowed: Amounts,
    /// Part of the balance that is kept for somebody who has waited too long.
    pub reserved: Amounts,
    /// Workloads that wait in its queue.
    pub queued: u32,
    /// Workloads of this quota that run.
    pub running: u32,
    /// Its children: of each its name, or what it is if the reader may not see it.
    pub children: Vec<String>,
    /// What it is carved out of, from the root down: of these, members of workspaces see no more than this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<QuotaOutline>,
    /// Workspaces that may use it, as far as the caller sees them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<Name>,
}

/// A quota from afar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaOutline {
    pub name: Name,
    pub guarantee: Amounts,
}

/// What an account is drawn for, by rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drawn {
    /// All rules together.
    pub total: Amounts,
    pub own: Amounts,
    pub child_level: Amounts,
    pub self_level: Amounts,
    pub idle: Amounts,
}

resource! {
    /// A share of a pool. Quotas form trees: a root draws on a pool, a child is carved out of its parent.
    Quota { kind: QuotaResource, spec: QuotaSpec, status: QuotaStatus }
    /// A quota to create, or its new specification.
    #[schema(examples(json!({
        "apiVersion": "tidegate.dev/v1", "kind": "Quota", "metadata": {"name": "Quota1.1"},
        "spec": {"parent": "Quota1", "guarantee": {"gpu": 48}}
    })))]
    NewQuota { metadata: NewMetadata }
    QuotaList
}

/// All quotas, as trees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaForest {
    pub roots: Vec<QuotaTree>,
}

/// A quota with all that is below it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaTree {
    pub quota: Quota,
    #[schema(no_recursion)]
    pub children: Vec<QuotaTree>,
}

/// Body of `:scale`: the new guarantee, absolute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"guarantee": {"gpu": 56}, "mode": "drain"})))]
pub struct ScaleRequest {
    pub guarantee: Guarantee,
    /// `refuse` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

impl Check for ScaleRequest {
    fn check(&self, _: &mut Wrong) {}
}

/// Body of `:transfer`: the quota in the path gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"to": "Quota1.1", "amount": {"gpu": 8}})))]
pub struct TransferRequest {
    /// A quota with the same parent.
    pub to: Name,
    pub amount: Guarantee,
    /// `refuse` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

impl Check for TransferRequest {
    fn check(&self, _: &mut Wrong) {}
}

/// One change of a quota.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaChange {
    /// Number of the event in the log.
    pub number: u64,
    pub at: Time,
    /// Who asked for it.
    pub by: String,
    /// What was asked for: `quota.create`, `quota.scale`, ...
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<QuotaSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<QuotaSpec>,
    /// The event as it was published.
    pub event: Event,
}

/// A page of a quota's history, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaHistory {
    pub items: Vec<QuotaChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}

/// A workload that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueEntry {
    /// Counted from 1, in the whole queue; absent for who does not wait any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Its name, or what it is if the reader may not see it.
    pub name: String,
    /// Absent if the reader may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    pub module: Module,
    pub priority: Priority,
    /// Who submitted it; absent if the reader may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Absent if the reader may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    /// When it came into the queue: at first, or the last time that it was sent back.
    pub enqueued_at: Time,
    /// When it left the queue; absent while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dequeued_at: Option<Time>,
    /// GPUs of all replicas.
    pub gpu: crate::amounts::Figure,
    /// Why it waits, nearest first.
    pub reasons: Vec<crate::explain::Reason>,
}

/// A page of a quota's queue, first in line first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaQueue {
    pub items: Vec<QueueEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}
