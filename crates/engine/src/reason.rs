//! Why something waits: values that travel with the decision, and the sentences for people.

use crate::amounts::Amount;
use crate::ids::{PoolId, QuotaId, WorkloadId};
use crate::nodes::NodeReasons;
use crate::resources::Dimension;
use crate::words::{EvictionRule, ModuleSet, PrioritySet, Rule, Strategy};
use serde::{Deserialize, Serialize};

/// `1 unit`, `2 units`.
fn count(n: u32, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Looks up what ids stand for.
pub trait Names {
    fn quota_name(&self, id: QuotaId) -> &str;
    fn workload_name(&self, id: WorkloadId) -> &str;
    fn model_names(&self, pool: PoolId) -> &[Box<str>];
}

/// Why a group of possible victims was not considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Exemption {
    /// Its priority is not in the policy's set.
    Priority,
    /// Its module is not in the policy's set.
    Module,
    /// It started less than `protectFor` ago.
    Protected,
    /// Its own policy could evict the preemptor straight back.
    WouldReturn,
}

/// One blocker, or one thing considered on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// All accounts that it may use together have too little free.
    Short { pool: PoolId, dimension: Dimension, short: i64, need: i64 },
    /// One account on its way.
    Account { pool: PoolId, quota: QuotaId, rule: Rule, dimension: Dimension, used: i64, limit: i64 },
    /// The account is overdrawn: nothing starts on it until that is gone.
    Overdrawn { pool: PoolId, quota: QuotaId, dimension: Dimension, by: i64 },
    /// Too few nodes can host its replicas. `why` is counted on demand only.
    Nodes { need: u32, fit: u32, gpu: u32, why: Option<NodeReasons> },
    /// Others come first in its queue. `position` counts from 1.
    Behind { quota: QuotaId, strategy: Strategy, position: u32, blocker: WorkloadId },
    /// Capacity that it could use is kept for another that waits longer.
    Reserved { workload: WorkloadId },
    /// The starvation guard keeps capacity for it; so much of its account's balance has come free.
    Keeps { pool: PoolId, dimension: Dimension, filled: i64, need: i64 },
    /// The rule does not apply to it.
    RuleOff { rule: EvictionRule, quota: QuotaId, why: RuleOff },
    /// Units under the rule that may not be evicted for it.
    Exempt { rule: EvictionRule, quota: QuotaId, why: Exemption, units: u32, gpu: i64 },
    /// All that the rule offers together is not enough.
    NotEnough { rule: EvictionRule, quota: QuotaId, units: u32, gpu: i64 },
    /// What would let it start.
    Unblock(Unblock),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleOff {
    /// The policy is switched off at the quota.
    Off,
    /// Its priority is not among the high ones.
    NotHigh(PrioritySet),
    /// It uses idle capacity only, and idle units recall nobody.
    IdleOnly,
    /// Nobody draws on its accounts by loan or idle.
    NoBorrowers,
    /// The policy is on and nobody runs within its reach.
    NobodyThere(PrioritySet, ModuleSet),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unblock {
    /// So much coming free on the accounts that it may use.
    Balance { pool: PoolId, quota: QuotaId, dimension: Dimension, amount: i64 },
    /// So many nodes with room for a replica.
    Slots { count: u32, gpu: u32 },
    /// The workload ahead leaving the queue.
    Ahead(WorkloadId),
}

impl Reason {
    pub fn text(&self, names: &dyn Names) -> String {
        let quota = |q: &QuotaId| names.quota_name(*q).to_string();
        let amount = |pool: &PoolId, dimension: &Dimension, value: i64| {
            Amount { dimension: *dimension, value, models: names.model_names(*pool) }.to_string()
        };
        match self {
            Reason::Short { pool, dimension, short, need } => {
                let all = amount(pool, dimension, *need);
                if *dimension == Dimension::MEMORY {
                    format!("short {} of {all} memory", Amount::bytes(*short))
                } else {
                    format!("short {} of {all}", Amount::milli(*short))
                }
            }
            Reason::Account { pool, quota: q, rule, dimension, used, limit } => {
                let free = (limit - used).max(0);
                let figure = |v: i64| {
                    if *dimension == Dimension::MEMORY { Amount::bytes(v) } else { Amount::milli(v) }
                };
                format!(
                    "{} ({rule}): {} of {} used, {} free",
                    quota(q),
                    figure(*used),
                    amount(pool, dimension, *limit),
                    figure(free)
                )
            }
            Reason::Overdrawn { pool, quota: q, dimension, by } => {
                format!("{} is overdrawn by {}", quota(q), amount(pool, dimension, *by))
            }
            Reason::Nodes { need, fit, gpu, why } => {
                format!(
                    "nodes have room for {fit} of {} of {} GPUs{}",
                    count(*need, "replica"),
                    Amount::milli(i64::from(*gpu)),
                    why.map(|w| w.text()).unwrap_or_default()
                )
            }
            Reason::Behind { quota: q, strategy, position, blocker } => format!(
                "position {position} in the {strategy} queue of {}, behind {}",
                quota(q),
                names.workload_name(*blocker)
            ),
            Reason::Reserved { workload } => {
                format!(
                    "capacity is reserved for {}, which has waited longer",
                    names.workload_name(*workload)
                )
            }
            Reason::Keeps { pool, dimension, filled, need } => {
                format!(
                    "a reservation has kept {} of {} for it",
                    Amount::milli(*filled),
                    amount(pool, dimension, *need)
                )
            }
            Reason::RuleOff { rule, quota: q, why } => match why {
                RuleOff::Off => format!("{rule}: off at {}", quota(q)),
                RuleOff::NotHigh(high) => format!("{rule}: {} lets only priorities {high} preempt", quota(q)),
                RuleOff::IdleOnly => format!("{rule}: it uses idle capacity only"),
                RuleOff::NoBorrowers => format!("{rule}: nobody borrows from its accounts"),
                RuleOff::NobodyThere(priorities, modules) => {
                    format!(
                        "{rule}: {} may evict priorities {priorities} of {modules}, and none runs",
                        quota(q)
                    )
                }
            },
            Reason::Exempt { rule, quota: q, why, units, gpu } => {
                let why = match why {
                    Exemption::Priority => "have another priority",
                    Exemption::Module => "are of another module",
                    Exemption::Protected => "started too recently",
                    Exemption::WouldReturn => "could evict it straight back",
                };
                format!(
                    "{rule} by {}: {} with {} GPUs {why}",
                    quota(q),
                    count(*units, "unit"),
                    Amount::milli(*gpu)
                )
            }
            Reason::NotEnough { rule, quota: q, units, gpu } => {
                format!(
                    "{rule} by {}: evicting all {} with {} GPUs would not do",
                    quota(q),
                    count(*units, "unit"),
                    Amount::milli(*gpu)
                )
            }
            Reason::Unblock(Unblock::Balance { pool, quota: q, dimension, amount: a }) => {
                format!("starts when {} come free for {}", amount(pool, dimension, *a), quota(q))
            }
            Reason::Unblock(Unblock::Slots { count, gpu }) => {
                format!(
                    "starts when nodes have room for {} more of {} GPUs",
                    self::count(*count, "replica"),
                    Amount::milli(i64::from(*gpu))
                )
            }
            Reason::Unblock(Unblock::Ahead(w)) => {
                format!("is tried when {} has left the queue", names.workload_name(*w))
            }
        }
    }
}
