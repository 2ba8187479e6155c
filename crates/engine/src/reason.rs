//! Why something waits: values that travel with the decision, and the sentences for people.

use crate::amounts::Amount;
use crate::caps::{Broken, Counted, Holder};
use crate::ids::{PoolId, QuotaId, Tick, WorkloadId};
use crate::nodes::NodeReasons;
use crate::resources::Dimension;
use crate::words::{EvictionRule, Module, ModuleSet, PrioritySet, Rule, Strategy};
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// `1 unit`, `2 units`.
fn count(n: u32, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// `1 GPU`, `0.5 GPUs`, `8 GPUs`.
fn gpus(milli: i64) -> String {
    Amount { dimension: Dimension(0), value: milli, models: &[] }.to_string()
}

/// Looks up what ids stand for, for one reader: of what the reader may not see, it says what it is instead.
pub trait Names {
    fn quota_name(&self, id: QuotaId) -> Cow<'_, str>;
    fn workload_name(&self, id: WorkloadId) -> Cow<'_, str>;

    /// Whether the reader may know which workload it is.
    fn sees_workload(&self, _: WorkloadId) -> bool {
        true
    }

    fn model_names(&self, pool: PoolId) -> &[Box<str>];

    /// Whom a cap is for.
    fn holder_name(&self, holder: Holder) -> String {
        match holder {
            Holder::Member(member) => format!("member #{}", member.0),
            Holder::Role(role) => format!("a member with role #{}", role.0),
        }
    }

    /// A point in time as its readers count it; by default since the start of the log's epoch.
    fn time(&self, at: Tick) -> String {
        at.to_string()
    }
}

/// What stands for a workload where the reader may not see it: `a service of another workspace, priority 5, 32 GPUs`.
pub fn described(w: &Workload) -> String {
    let what = match w.spec.module {
        Module::Training => "a training job",
        Module::Notebook => "a notebook",
        Module::Service => "a service",
        Module::Task => "a task",
    };
    format!("{what} of another workspace, priority {}, {}", w.spec.priority, gpus(w.spec.gpus()))
}

/// Names listed in one sentence; more are counted.
const LISTED: usize = 3;

/// Why a group of possible victims was not considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Exemption {
    /// Its priority is not in the policy's set.
    Priority,
    /// Its module is not in the policy's set.
    Module,
    /// It started less than `protectFor` ago; when the first and the last of them lose that.
    Protected { first: Tick, last: Tick },
    /// Its own policy could evict the preemptor straight back.
    WouldReturn,
    /// It is no lower in class than the preemptor would be.
    SameClass,
}

/// One blocker, or one thing considered on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// All accounts that it may use together have too little free.
    Short { pool: PoolId, dimension: Dimension, short: i64, need: i64 },
    /// One account on its way: of its share (`limit`) so much is drawn, so much is held for others whose victims
    /// leave, and so much has not arrived yet.
    Account {
        pool: PoolId,
        quota: QuotaId,
        rule: Rule,
        dimension: Dimension,
        used: i64,
        limit: i64,
        held: i64,
        holders: Vec<WorkloadId>,
        transit: i64,
    },
    /// The account is overdrawn: nothing starts on it until that is gone.
    Overdrawn { pool: PoolId, quota: QuotaId, dimension: Dimension, by: i64 },
    /// It would break a cap of the scheduling center.
    Cap(Broken),
    /// Too few nodes can host its replicas. `why` is counted on demand only.
    Nodes { need: u32, fit: u32, gpu: u32, why: Option<NodeReasons> },
    /// Others come first in its queue. `position` counts from 1.
    Behind { quota: QuotaId, strategy: Strategy, position: u32, blocker: WorkloadId },
    /// The same, for whoever knows its position already: how many of the first in the queue are tried.
    Strategy { quota: QuotaId, strategy: Strategy, tried: u32 },
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
    /// What the rule offers; nobody has tried yet whether it is enough.
    Untried { rule: EvictionRule, quota: QuotaId, units: u32, gpu: i64 },
    /// It has become impossible.
    Never(Never),
    /// What would let it start, or, of what runs, grow.
    Unblock { growth: bool, by: Unblock },
}

/// Why something cannot run however much comes free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Never {
    /// The shares of all accounts that it may use are too small.
    Funded { pool: PoolId, quota: QuotaId, dimension: Dimension, need: i64, shares: i64 },
    /// The pool's nodes, empty, could not host it.
    Placed { replicas: u32, gpu: u32, hosts: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleOff {
    /// The policy is switched off at the quota.
    Off,
    /// Its priority is not among the high ones.
    NotHigh(PrioritySet),
    /// It uses idle capacity only, and idle units recall nobody.
    IdleOnly,
    /// Further replicas of a training job evict nobody.
    Growth,
    /// Nobody draws on its accounts by loan or idle.
    NoBorrowers,
    /// It lacks nodes, and nobody in the pool draws by loan or idle.
    NobodyBorrows,
    /// The policy is on and nobody runs within its reach.
    NobodyThere(PrioritySet, ModuleSet),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unblock {
    /// So much coming free on the accounts that it may use.
    Balance { pool: PoolId, quota: QuotaId, dimension: Dimension, amount: i64 },
    /// The holder of a cap using so much less; or, where its limit is below the need, a higher limit.
    Cap(Broken),
    /// So many nodes with room for a replica.
    Slots { count: u32, gpu: u32 },
    /// Those ahead that block it leaving the queue: the first of them, and how many more.
    Ahead { first: WorkloadId, more: u32 },
    /// Under `balance`, the window growing up to its position.
    Window { at: Tick, position: u32 },
    /// Capacity that is not kept for this one.
    Unreserved(WorkloadId),
    /// Larger shares.
    Shares { pool: PoolId, dimension: Dimension, amount: i64 },
    /// More nodes, with room for so many replicas.
    Nodes { count: u32, gpu: u32 },
}

impl Reason {
    /// Makes no claim on whether what a rule offers would be enough.
    pub(crate) fn untried(&mut self) {
        if let Reason::NotEnough { rule, quota, units, gpu } = *self {
            *self = Reason::Untried { rule, quota, units, gpu };
        }
    }

    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Short { .. } => "short",
            Reason::Account { .. } => "account",
            Reason::Overdrawn { .. } => "overdrawn",
            Reason::Cap(_) => "cap",
            Reason::Nodes { .. } => "nodes",
            Reason::Behind { .. } | Reason::Strategy { .. } => "behind",
            Reason::Reserved { .. } => "reserved",
            Reason::Keeps { .. } => "keeps",
            Reason::RuleOff { .. } => "rule-off",
            Reason::Exempt { .. } => "exempt",
            Reason::NotEnough { .. } => "not-enough",
            Reason::Untried { .. } => "untried",
            Reason::Never(_) => "never",
            Reason::Unblock { .. } => "unblock",
        }
    }

    pub fn text(&self, names: &dyn Names) -> String {
        let quota = |q: &QuotaId| names.quota_name(*q).into_owned();
        let amount = |pool: &PoolId, dimension: &Dimension, value: i64| {
            Amount { dimension: *dimension, value, models: names.model_names(*pool) }.to_string()
        };
        let figure =
            |d: &Dimension, v: i64| if *d == Dimension::MEMORY { Amount::bytes(v) } else { Amount::milli(v) };
        match self {
            Reason::Short { pool, dimension, short, need } => {
                let what = if *dimension == Dimension::MEMORY { " memory" } else { "" };
                format!("short {} of {}{what}", figure(dimension, *short), amount(pool, dimension, *need))
            }
            Reason::Account { pool, quota: q, rule, dimension, used, limit, held, holders, transit } => {
                let of = amount(pool, dimension, *limit);
                let mut text = format!("{} ({rule}): {} of {of} used", quota(q), figure(dimension, *used));
                if *held > 0 {
                    text += &format!(", {} held{}", figure(dimension, *held), held_for(holders, names));
                }
                if *transit > 0 {
                    text += &format!(", {} in transit", figure(dimension, *transit));
                }
                let free = (limit - used - held - transit).max(0);
                text + &format!(", {} free", figure(dimension, free))
            }
            Reason::Overdrawn { pool, quota: q, dimension, by } => {
                format!("{} is overdrawn by {}", quota(q), amount(pool, dimension, *by))
            }
            Reason::Cap(cap) => format!(
                "{} may use {} with priorities {}: {} used, short {} of {}",
                names.holder_name(cap.holder),
                counted(cap.what, cap.limit),
                cap.priorities,
                figure(&dimension(cap.what), cap.used),
                figure(&dimension(cap.what), cap.short()),
                counted(cap.what, cap.need)
            ),
            Reason::Nodes { need, fit, gpu, why } => {
                format!(
                    "nodes have room for {fit} of {} of {}{}",
                    count(*need, "replica"),
                    gpus(i64::from(*gpu)),
                    why.map(|w| w.text()).unwrap_or_default()
                )
            }
            Reason::Behind { quota: q, strategy, position, blocker } => format!(
                "position {position} in the {strategy} queue of {}, behind {}",
                quota(q),
                names.workload_name(*blocker)
            ),
            Reason::Strategy { strategy: Strategy::Intelligent, .. } => {
                "intelligent: a waiting priority 7 to 9 blocks all behind it".into()
            }
            Reason::Strategy { quota: q, strategy, tried: 1 } => {
                format!("{strategy}: only the first in the queue of {} is tried", quota(q))
            }
            Reason::Strategy { quota: q, strategy, tried } => {
                format!("{strategy}: only the first {tried} in the queue of {} are tried", quota(q))
            }
            Reason::Reserved { workload } => {
                format!(
                    "capacity is reserved for {}, which has waited longer",
                    names.workload_name(*workload)
                )
            }
            Reason::Keeps { pool, dimension, filled, need } => {
                format!(
                    "a reservation has kept {} of {} for it",
                    figure(dimension, *filled),
                    amount(pool, dimension, *need)
                )
            }
            Reason::RuleOff { rule, quota: q, why } => why.text(*rule, &quota(q)),
            Reason::Exempt { rule, quota: q, why, units, gpu } => {
                format!("{rule} by {}: {} {}", quota(q), group(*units, *gpu), why.text(*units, names))
            }
            Reason::NotEnough { rule, quota: q, units, gpu } => {
                let all = if *units == 1 { "" } else { "all " };
                format!("{rule} by {}: evicting {all}{} would not do", quota(q), group(*units, *gpu))
            }
            Reason::Untried { rule, quota: q, units, gpu } => {
                format!("{rule} by {}: {} may be evicted when its turn comes", quota(q), group(*units, *gpu))
            }
            Reason::Never(Never::Funded { pool, quota: q, dimension, need, shares }) => {
                never_funded(&amount(pool, dimension, *need), &quota(q), &amount(pool, dimension, *shares))
            }
            Reason::Never(Never::Placed { replicas, gpu, hosts }) => {
                never_placed(*replicas, *gpu, "its pool", *hosts)
            }
            Reason::Unblock { growth, by } => by.text(if *growth { "grows" } else { "starts" }, names),
        }
    }
}

/// The dimension in whose units a cap is written.
fn dimension(what: Counted) -> Dimension {
    match what {
        Counted::Gpu => Dimension(0),
        Counted::Cpu => Dimension::CPU,
        Counted::Memory => Dimension::MEMORY,
    }
}

/// `8 GPUs`, `4 cores`, `16 GiB`: GPUs of all models together.
fn counted(what: Counted, value: i64) -> String {
    Amount { dimension: dimension(what), value, models: &[] }.to_string()
}

/// `1 unit with 8 GPUs`.
fn group(units: u32, gpu: i64) -> String {
    format!("{} with {}", count(units, "unit"), gpus(gpu))
}

/// ` for gang`, ` for a, b, c and 2 more`.
fn held_for(holders: &[WorkloadId], names: &dyn Names) -> String {
    if holders.is_empty() {
        return String::new();
    }
    let listed: Vec<Cow<'_, str>> = holders.iter().take(LISTED).map(|w| names.workload_name(*w)).collect();
    let more = holders.len() - listed.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(" for {}{more}", listed.join(", "))
}

/// Why accounts will never do: the same sentence when it is refused and when it waits.
pub(crate) fn never_funded(need: &str, quota: &str, shares: &str) -> String {
    format!("needs {need}, and all accounts that {quota} may use have shares of {shares}")
}

/// Why nodes will never do.
pub(crate) fn never_placed(replicas: u32, gpu: u32, pool: &str, hosts: u64) -> String {
    let needs = format!("{} of {}", count(replicas, "replica"), gpus(i64::from(gpu)));
    format!("needs {needs}, and the nodes of {pool}, empty, would host {hosts}")
}

impl RuleOff {
    fn text(&self, rule: EvictionRule, quota: &str) -> String {
        match self {
            RuleOff::Off => format!("{rule}: off at {quota}"),
            RuleOff::NotHigh(high) => format!("{rule}: {quota} lets only priorities {high} preempt"),
            RuleOff::IdleOnly => format!("{rule}: it uses idle capacity only"),
            RuleOff::Growth => "further replicas of a training job evict nobody".into(),
            RuleOff::NoBorrowers => format!("{rule}: nobody borrows from its accounts"),
            RuleOff::NobodyBorrows => format!("{rule}: nobody borrows in its pool"),
            RuleOff::NobodyThere(priorities, modules) => {
                format!("{rule}: {quota} may evict priorities {priorities} of {modules}, and none runs")
            }
        }
    }
}

impl Exemption {
    fn text(&self, units: u32, names: &dyn Names) -> String {
        let (is, has) = if units == 1 { ("is", "has") } else { ("are", "have") };
        match self {
            Exemption::Priority => format!("{has} another priority"),
            Exemption::Module => format!("{is} of another module"),
            Exemption::Protected { first, last } if first == last => {
                format!("started too recently and {is} spared until {}", names.time(*last))
            }
            Exemption::Protected { first, last } => format!(
                "started too recently and {is} spared, the first until {}, the last until {}",
                names.time(*first),
                names.time(*last)
            ),
            Exemption::WouldReturn => "could evict it straight back".into(),
            Exemption::SameClass => {
                format!("{} there with the same right", if units == 1 { "borrows" } else { "borrow" })
            }
        }
    }
}

impl Unblock {
    fn text(&self, starts: &str, names: &dyn Names) -> String {
        let amount = |pool: &PoolId, dimension: &Dimension, value: i64| {
            Amount { dimension: *dimension, value, models: names.model_names(*pool) }.to_string()
        };
        match self {
            Unblock::Balance { pool, quota, dimension, amount: a } => {
                let come = if Amount::is_one(*dimension, *a) { "comes" } else { "come" };
                let quota = names.quota_name(*quota);
                format!("{starts} when {} {come} free for {quota}", amount(pool, dimension, *a))
            }
            Unblock::Cap(cap) if cap.need > cap.limit => {
                format!("{starts} only if this cap grows by {}", counted(cap.what, cap.need - cap.limit))
            }
            Unblock::Cap(cap) => {
                let less = counted(cap.what, cap.short());
                format!("{starts} when {} uses {less} less", names.holder_name(cap.holder))
            }
            Unblock::Slots { count, gpu } => format!(
                "{starts} when nodes have room for {} more of {}",
                self::count(*count, "replica"),
                gpus(i64::from(*gpu))
            ),
            Unblock::Ahead { first, more: 0 } => {
                format!("is tried when {} has left the queue", names.workload_name(*first))
            }
            Unblock::Ahead { first, more } => {
                let others = if *more == 1 { "the next one".into() } else { format!("the next {more}") };
                format!("is tried when {} and {others} have left the queue", names.workload_name(*first))
            }
            Unblock::Window { at, position } => {
                format!("is tried at {}, when the window reaches position {position}", names.time(*at))
            }
            Unblock::Unreserved(w) => {
                format!("{starts} when what is free is not reserved for {}", names.workload_name(*w))
            }
            Unblock::Shares { pool, dimension, amount: a } => {
                format!("{starts} only if these shares grow by {}", amount(pool, dimension, *a))
            }
            Unblock::Nodes { count, gpu } => format!(
                "{starts} only if the pool gets nodes with room for {} more of {}",
                self::count(*count, "replica"),
                gpus(i64::from(*gpu))
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Shape;
    use crate::workload::{WorkloadSpec, WorkloadState};
    use smallvec::SmallVec;
    use std::sync::Arc;

    fn workload(module: Module, replicas: u32, gpu: u32) -> Workload {
        let spec = WorkloadSpec::new("secret", QuotaId(0), module, replicas, Shape::with_gpu(gpu));
        Workload {
            id: WorkloadId(0),
            spec: Arc::new(spec),
            state: WorkloadState::Queued,
            enqueued: Tick::ZERO,
            passed_over: None,
            units: SmallVec::new(),
            lane: None,
            shape: Default::default(),
            suspended: false,
            failures: 0,
            preemptions: 0,
            evicted: None,
            cleared: None,
        }
    }

    #[test]
    fn what_may_not_be_seen_is_described_without_its_name() {
        let text = |module, replicas, gpu| described(&workload(module, replicas, gpu));
        let service = text(Module::Service, 4, 8_000);
        assert_eq!(service, "a service of another workspace, priority 1, 32 GPUs");
        assert_eq!(
            text(Module::Training, 1, 1_000),
            "a training job of another workspace, priority 1, 1 GPU"
        );
        assert_eq!(text(Module::Notebook, 1, 500), "a notebook of another workspace, priority 1, 0.5 GPUs");
        assert_eq!(text(Module::Task, 1, 0), "a task of another workspace, priority 1, 0 GPUs");
    }
}
