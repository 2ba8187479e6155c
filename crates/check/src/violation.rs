//! What can be wrong, said in plain words.

use std::fmt;
use tidegate_engine::amounts::Amount;
use tidegate_engine::ids::Tick;
use tidegate_engine::resources::Dimension;

/// A rule was broken. The checker's books are of no use after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub at: Tick,
    pub breach: Breach,
}

/// An amount for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    pub dimension: Dimension,
    pub value: i64,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.dimension.model().filter(|m| m.0 > 0).map(|m| format!(" (model {})", m.0));
        let amount = Amount { dimension: self.dimension, value: self.value, models: &[] };
        write!(f, "{amount}{}", model.unwrap_or_default())
    }
}

type Name = String;

/// Workloads, quotas, nodes and pools appear by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    // The log itself.
    ClockBackwards {
        last: Tick,
    },
    Unknown {
        noun: &'static str,
        id: u64,
    },
    Repeated {
        noun: &'static str,
        name: Name,
    },
    /// Its owner would use more than a cap allows.
    CapBroken {
        workload: Name,
        holder: Name,
    },
    /// A figure of an event contradicts the events before it.
    WrongRecord {
        of: Name,
        what: &'static str,
        said: Name,
        counted: Name,
    },

    // The state machine.
    WrongState {
        workload: Name,
        state: &'static str,
        event: &'static str,
    },
    WrongUnit {
        workload: Name,
        unit: u32,
        event: &'static str,
        why: &'static str,
    },
    BelowMinimum {
        workload: Name,
        replicas: u32,
        min: u32,
    },
    GangSplit {
        workload: Name,
    },
    StrongerFirst {
        workload: Name,
        unit: u32,
    },
    WrongStartKind {
        workload: Name,
        said: Name,
        expected: &'static str,
    },
    WrongExit {
        workload: Name,
        said: Name,
        why: &'static str,
    },
    Dangling {
        workload: Name,
        why: &'static str,
    },
    HoldNotKept {
        workload: Name,
        unit: u32,
    },

    // Grants.
    WrongDemand {
        workload: Name,
        unit: u32,
        drawn: Figure,
        demand: i64,
    },
    DrawNotAllowed {
        workload: Name,
        account: Name,
        rule: Name,
        why: &'static str,
    },
    WrongClass {
        workload: Name,
        account: Name,
        rule: Name,
        said: Name,
        expected: &'static str,
    },
    DrawOnOverdrawn {
        workload: Name,
        account: Name,
    },
    ReservationBroken {
        workload: Name,
        account: Name,
        reserved_for: Name,
    },
    WrongShape {
        workload: Name,
        unit: u32,
        why: &'static str,
    },
    WrongNode {
        workload: Name,
        unit: u32,
        node: Name,
        why: &'static str,
    },
    WrongModel {
        workload: Name,
        unit: u32,
        why: &'static str,
    },
    WrongMove {
        workload: Name,
        unit: u32,
        why: &'static str,
    },

    // The ledger.
    Overdrawn {
        account: Name,
        used: Figure,
        limit: i64,
    },
    OverdraftGrew {
        account: Name,
        by: Figure,
        allowed: i64,
    },
    OverdraftUnfounded {
        account: Name,
        why: &'static str,
    },
    OverdraftNotSettled {
        account: Name,
    },
    SettledTooEarly {
        account: Name,
        by: Figure,
    },
    UsedInTransit {
        root: Name,
        over: Figure,
        in_transit: i64,
    },
    TreeOverdrawn {
        root: Name,
        drawn: Figure,
        guarantee: i64,
    },
    SharesDoNotAddUp {
        root: Name,
        shares: Figure,
        guarantee: i64,
    },
    NegativeShare {
        quota: Name,
        share: Figure,
    },
    PoolOversold {
        pool: Name,
        promised: Figure,
        supply: i64,
    },
    QuotaInUse {
        quota: Name,
        why: &'static str,
    },
    /// The engine's books, as it shows them, are not the checker's.
    BooksDiffer {
        quota: Name,
        what: String,
        said: Figure,
        counted: i64,
    },

    // The placement.
    DeviceOverfull {
        node: Name,
        device: u16,
        milli: i64,
    },
    NodeOverfull {
        node: Name,
        used: Figure,
        capacity: i64,
    },
    NodeInUse {
        node: Name,
        workload: Name,
        why: &'static str,
    },

    // Plans.
    NothingGranted {
        preemptor: Name,
        victims: usize,
    },
    NotEligible {
        preemptor: Name,
        victim: Name,
        unit: u32,
        rule: Name,
        why: &'static str,
    },
    NotFirstTier {
        preemptor: Name,
        victim: Name,
        unit: u32,
        said: Name,
        first: &'static str,
    },
    RankNotRaised {
        preemptor: Name,
        victim: Name,
        unit: u32,
    },
    NotMinimal {
        preemptor: Name,
        victim: Name,
        units: Vec<u32>,
    },
    TierNotNeeded {
        preemptor: Name,
        tier: Name,
    },
    WrongPlan {
        preemptor: Name,
        why: &'static str,
    },
    EvictedInStartingPass {
        victim: Name,
        unit: u32,
    },
    TakeoverNotHigher {
        loser: Name,
        by: Name,
    },

    // Evictions by an operator.
    WrongOrder {
        victim: Name,
        spared: Name,
        account: Name,
    },
    Needless {
        victim: Name,
        units: Vec<u32>,
    },
    NotThere {
        victim: Name,
        unit: u32,
    },

    // Metering.
    NotMetered {
        account: Name,
        at: Tick,
        drawn: Figure,
        metered: i64,
    },
    WrongInterval {
        workload: Name,
        why: &'static str,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, milli) = (self.at.0 / 1_000, self.at.0 % 1_000);
        write!(f, "at {seconds}.{milli:03}s: {}", self.breach)
    }
}

impl std::error::Error for Violation {}

fn value(figure: &Figure, value: i64) -> Figure {
    Figure { value, ..*figure }
}

fn list(units: &[u32]) -> String {
    units.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Breach::*;
        match self {
            ClockBackwards { last } => write!(f, "the clock went back from {} ms", last.0),
            Unknown { noun, id } => write!(f, "an event speaks of {noun} {id}, which does not exist"),
            Repeated { noun, name } => write!(f, "{noun} {name} appears a second time"),
            CapBroken { workload, holder } => {
                write!(f, "{workload} starts, and breaks a cap of {holder}")
            }
            WrongRecord { of, what, said, counted } => {
                write!(f, "{of}: the event says {what} {said}, the events before it say {counted}")
            }
            WrongState { workload, state, event } => write!(f, "{workload} is {state} and cannot be {event}"),
            WrongUnit { workload, unit, event, why } => {
                write!(f, "unit {unit} of {workload} cannot be {event}: {why}")
            }
            BelowMinimum { workload, replicas, min } => {
                write!(f, "{workload} goes on with {replicas} replicas, its minimum is {min}")
            }
            GangSplit { workload } => write!(f, "{workload} is a gang, and only a part of it runs"),
            StrongerFirst { workload, unit } => {
                write!(f, "{workload} gives up unit {unit}, and weaker replicas become its minimum")
            }
            WrongStartKind { workload, said, expected } => {
                write!(f, "the start of {workload} is called {said} and is {expected}")
            }
            WrongExit { workload, said, why } => write!(f, "{workload} leaves by {said}: {why}"),
            Dangling { workload, why } => write!(f, "{workload} {why}"),
            HoldNotKept { workload, unit } => {
                write!(
                    f,
                    "unit {unit} of {workload} starts with other draws or devices than were held for it"
                )
            }
            WrongDemand { workload, unit, drawn, demand } => {
                write!(f, "unit {unit} of {workload} asks for {} and draws {drawn}", value(drawn, *demand))
            }
            DrawNotAllowed { workload, account, rule, why } => {
                write!(f, "{workload} may not draw on {account} under the rule {rule}: {why}")
            }
            WrongClass { workload, account, rule, said, expected } => {
                write!(
                    f,
                    "{workload} draws on {account} under the rule {rule} as {said}, should be {expected}"
                )
            }
            DrawOnOverdrawn { workload, account } => {
                write!(f, "{workload} gets new draws on {account}, which is overdrawn")
            }
            ReservationBroken { workload, account, reserved_for } => {
                write!(f, "{workload} takes of {account} what is reserved for {reserved_for}, of higher rank")
            }
            WrongShape { workload, unit, why } => write!(f, "the slots of unit {unit} of {workload}: {why}"),
            WrongNode { workload, unit, node, why } => {
                write!(f, "unit {unit} of {workload} may not be placed on {node}: {why}")
            }
            WrongModel { workload, unit, why } => {
                write!(f, "the GPU model of unit {unit} of {workload}: {why}")
            }
            WrongMove { workload, unit, why } => write!(f, "unit {unit} of {workload} was re-funded: {why}"),
            Overdrawn { account, used, limit } => {
                write!(f, "{account} is used for {used}, its share is {}", value(used, *limit))
            }
            OverdraftGrew { account, by, allowed } => write!(
                f,
                "{account} is overdrawn by {by}, at most {} were declared and left",
                value(by, *allowed)
            ),
            OverdraftUnfounded { account, why } => write!(f, "an overdraft of {account} was declared: {why}"),
            OverdraftNotSettled { account } => {
                write!(f, "the overdraft of {account} is gone and was not settled")
            }
            SettledTooEarly { account, by } => write!(f, "{account} was settled while overdrawn by {by}"),
            UsedInTransit { root, over, in_transit } => write!(
                f,
                "accounts of the tree of {root} are drawn {over} beyond what has arrived, {} are in transit",
                value(over, *in_transit)
            ),
            TreeOverdrawn { root, drawn, guarantee } => {
                write!(f, "the tree of {root} draws {drawn}, guaranteed are {}", value(drawn, *guarantee))
            }
            SharesDoNotAddUp { root, shares, guarantee } => write!(
                f,
                "the shares below {root} add up to {shares}, its guarantee is {}",
                value(shares, *guarantee)
            ),
            NegativeShare { quota, share } => write!(f, "the share of {quota} is {share}"),
            PoolOversold { pool, promised, supply } => {
                write!(
                    f,
                    "the roots of {pool} are guaranteed {promised}, its nodes have {}",
                    value(promised, *supply)
                )
            }
            QuotaInUse { quota, why } => write!(f, "{quota} was deleted: {why}"),
            BooksDiffer { quota, what, said, counted } => {
                write!(f, "{quota}: the engine shows {said} {what}, its events say {}", value(said, *counted))
            }
            DeviceOverfull { node, device, milli } => {
                write!(f, "device {device} of {node} is occupied to {} of 1", Amount::milli(*milli))
            }
            NodeOverfull { node, used, capacity } => {
                write!(f, "{node} has {}, occupied are {used}", value(used, *capacity))
            }
            NodeInUse { node, workload, why } => write!(f, "{workload} occupies {node}, which {why}"),
            NothingGranted { preemptor, victims } => {
                write!(f, "{victims} evictions for {preemptor}, which was given nothing")
            }
            NotEligible { preemptor, victim, unit, rule, why } => {
                write!(f, "{preemptor} may not evict unit {unit} of {victim} under the rule {rule}: {why}")
            }
            NotFirstTier { preemptor, victim, unit, said, first } => write!(
                f,
                "the eviction of unit {unit} of {victim} by {preemptor} shows {said}; {first} comes first and names it"
            ),
            RankNotRaised { preemptor, victim, unit } => {
                write!(f, "{preemptor} evicts unit {unit} of {victim}, whose rank is not lower")
            }
            NotMinimal { preemptor, victim, units } => {
                write!(f, "{preemptor} fits without evicting unit {} of {victim}", list(units))
            }
            TierNotNeeded { preemptor, tier } => {
                write!(f, "{preemptor} evicts under the rule {tier}, and earlier tiers would have sufficed")
            }
            WrongPlan { preemptor, why } => write!(f, "the plan for {preemptor}: {why}"),
            EvictedInStartingPass { victim, unit } => {
                write!(f, "unit {unit} of {victim} was started and evicted in one pass")
            }
            TakeoverNotHigher { loser, by } => {
                write!(f, "{by} took over the hold of {loser}, whose rank is not lower")
            }
            WrongOrder { victim, spared, account } => write!(
                f,
                "{victim} left {account} before {spared}, which is of a lower class and draws no less there"
            ),
            Needless { victim, units } => {
                write!(f, "the change fits without evicting unit {} of {victim}", list(units))
            }
            NotThere { victim, unit } => {
                write!(f, "unit {unit} of {victim} was drained from a node that it does not occupy")
            }
            NotMetered { account, at, drawn, metered } => write!(
                f,
                "from {} ms on {account} is drawn for {drawn} and metered for {}",
                at.0,
                value(drawn, *metered)
            ),
            WrongInterval { workload, why } => write!(f, "a usage record of {workload} {why}"),
        }
    }
}
