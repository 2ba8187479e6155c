//! What an administrator sets on a quota. An invalid policy cannot be built.

use crate::ids::{PoolId, QuotaId, Span};
use crate::refusal::Refusal;
use crate::resources::Resources;
use crate::words::{Module, ModuleSet, Priority, PrioritySet, Scope, Strategy};
use serde::{Deserialize, Serialize};

/// Child-level preemption: whom the quota's workloads may evict among its descendants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildLevel {
    victims: PrioritySet,
    modules: ModuleSet,
}

impl ChildLevel {
    pub fn new(victims: PrioritySet, modules: ModuleSet) -> Result<ChildLevel, Refusal> {
        if victims.is_empty() {
            return Err(Refusal::EmptyPolicySet { policy: "child-level", set: "preemptible priorities" });
        }
        if modules.is_empty() {
            return Err(Refusal::EmptyPolicySet { policy: "child-level", set: "preemptible modules" });
        }
        Ok(ChildLevel { victims, modules })
    }

    pub fn victims(&self) -> PrioritySet {
        self.victims
    }

    pub fn modules(&self) -> ModuleSet {
        self.modules
    }

    #[inline]
    pub fn names(&self, priority: Priority, module: Module) -> bool {
        self.victims.contains(priority) && self.modules.contains(module)
    }
}

/// Self-level preemption: high priorities borrow from siblings, and evict low ones here and there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfLevel {
    high: PrioritySet,
    low: PrioritySet,
    modules: ModuleSet,
    scope: Scope,
}

impl SelfLevel {
    pub fn new(
        high: PrioritySet,
        low: PrioritySet,
        modules: ModuleSet,
        scope: Scope,
    ) -> Result<SelfLevel, Refusal> {
        for (set, name) in [(high, "high priorities"), (low, "low priorities")] {
            if set.is_empty() {
                return Err(Refusal::EmptyPolicySet { policy: "self-level", set: name });
            }
        }
        if modules.is_empty() {
            return Err(Refusal::EmptyPolicySet { policy: "self-level", set: "preemptible modules" });
        }
        if low.highest() >= high.lowest() {
            return Err(Refusal::LowNotBelowHigh { low, high });
        }
        Ok(SelfLevel { high, low, modules, scope })
    }

    pub fn high(&self) -> PrioritySet {
        self.high
    }

    pub fn low(&self) -> PrioritySet {
        self.low
    }

    pub fn modules(&self) -> ModuleSet {
        self.modules
    }

    pub fn scope(&self) -> Scope {
        self.scope
    }

    pub fn reaches_own(&self) -> bool {
        self.scope != Scope::Siblings
    }

    pub fn reaches_siblings(&self) -> bool {
        self.scope != Scope::SameQuota
    }

    #[inline]
    pub fn names(&self, priority: Priority, module: Module) -> bool {
        self.low.contains(priority) && self.modules.contains(module)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePolicy {
    pub strategy: Strategy,
    /// `balance`: how long the head waits before the window widens by one.
    pub patience: Span,
    /// `intelligent`: how long a workload waits to age by one priority.
    pub aging_step: Span,
    /// How long after it was first passed over a workload gets a reservation.
    pub starvation_guard: Span,
}

impl Default for QueuePolicy {
    fn default() -> Self {
        QueuePolicy {
            strategy: Strategy::Intelligent,
            patience: Span::minutes(3),
            aging_step: Span::minutes(10),
            starvation_guard: Span::hours(1),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub queue: QueuePolicy,
    /// Whether others may draw on this account by the idle rule.
    pub idle_sharing: bool,
    /// How long after its latest start a unit is spared from tiers 2 and 3.
    pub protect_for: Span,
    pub child_level: Option<ChildLevel>,
    pub self_level: Option<SelfLevel>,
    /// What the guarantee may grow to, where somebody lets it grow with its use: what fits this is queued, though it
    /// does not fit the guarantee of now. Set when the quota is made.
    #[serde(default)]
    pub ceiling: Option<Resources>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            queue: QueuePolicy::default(),
            idle_sharing: true,
            protect_for: Span::ZERO,
            child_level: None,
            self_level: None,
            ceiling: None,
        }
    }
}

/// Where a quota's guarantee is carved out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    Pool(PoolId),
    Parent(QuotaId),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaSpec {
    pub name: Box<str>,
    pub source: Source,
    pub guarantee: Resources,
    pub policy: Policy,
}
