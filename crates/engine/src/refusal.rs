//! Why a command was not carried out: what happened, the figures, a hint. State is unchanged.

use crate::amounts::{Amount, amounts};
use crate::reason::{never_funded, never_placed};
use crate::resources::{Dimension, Resources};
use crate::words::PrioritySet;
use crate::workload::{MAX_NAME, MAX_REPLICAS, MAX_ROLES};
use serde::Serialize;

/// Names of dimensions travel with the figures, so that a refusal can be printed without the state.
pub type ModelNames = Vec<Box<str>>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Refusal {
    UnknownPool {
        pool: String,
    },
    UnknownDevice {
        node: String,
        device: u16,
        gpus: u32,
    },
    UnknownNode {
        node: String,
    },
    UnknownQuota {
        quota: String,
    },
    UnknownWorkload {
        workload: String,
    },
    BadName {
        name: String,
        why: &'static str,
    },
    NameTaken {
        noun: &'static str,
        name: String,
    },
    TooMany {
        noun: &'static str,
        limit: u64,
    },
    BadAmount {
        what: String,
        value: String,
        why: &'static str,
    },
    NoGpuModel {
        node: String,
    },
    UnknownModel {
        model: String,
        pool: String,
        known: Vec<String>,
    },
    WhichModel {
        pool: String,
        known: Vec<String>,
    },
    EmptyPolicySet {
        policy: &'static str,
        set: &'static str,
    },
    LowNotBelowHigh {
        low: PrioritySet,
        high: PrioritySet,
    },
    TreeTooDeep {
        quota: String,
        depth: u8,
        limit: u8,
    },
    ShareTooSmall {
        parent: String,
        models: ModelNames,
        share: Resources,
        asked: Resources,
    },
    PoolTooSmall {
        pool: String,
        models: ModelNames,
        supply: Resources,
        asked: Resources,
    },
    DimensionNotKept {
        quota: String,
        models: ModelNames,
        dimension: Dimension,
        root: String,
    },
    DimensionMissing {
        quota: String,
        models: ModelNames,
        dimension: Dimension,
        root: String,
    },
    BelowChildren {
        quota: String,
        models: ModelNames,
        children: Resources,
        asked: Resources,
    },
    InUse {
        quota: String,
        account: String,
        models: ModelNames,
        drawn: Resources,
        share: Resources,
        workloads: Vec<String>,
    },
    NotSiblings {
        from: String,
        to: String,
    },
    QuotaNotEmpty {
        quota: String,
        children: Vec<String>,
        workloads: Vec<String>,
    },
    NodeNeeded {
        node: String,
        pool: String,
        models: ModelNames,
        guaranteed: Resources,
        left: Resources,
    },
    NodeBusy {
        node: String,
        workloads: Vec<String>,
    },
    NodeExists {
        node: String,
    },
    TooManyReplicas {
        replicas: u64,
    },
    TooManyRoles {
        roles: usize,
    },
    NoReplicas,
    ServiceRoles {
        roles: usize,
    },
    BadMinimum {
        min: u32,
        replicas: u32,
        why: &'static str,
    },
    BadGpus {
        milli: u64,
    },
    IdleNotTraining {
        module: &'static str,
    },
    NeverFunded {
        quota: String,
        models: ModelNames,
        demand: Resources,
        shares: Resources,
    },
    NeverPlaced {
        pool: String,
        replicas: u32,
        gpu: u32,
        hosts: u64,
    },
    WrongState {
        workload: String,
        state: &'static str,
        command: &'static str,
        allowed: &'static str,
    },
    NotResizable {
        workload: String,
        why: &'static str,
    },
    NoSuchUnit {
        workload: String,
        unit: u32,
    },
    NothingToChange {
        quota: String,
    },
    ClockBackwards {
        now: u64,
        last: u64,
    },
}

/// Names listed in one refusal; more are counted.
const LISTED: usize = 10;

fn list(names: &[String]) -> String {
    let mut text = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        text.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    text
}

impl Refusal {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        use Refusal::*;
        match self {
            UnknownPool { .. }
            | UnknownNode { .. }
            | UnknownDevice { .. }
            | UnknownQuota { .. }
            | UnknownWorkload { .. }
            | UnknownModel { .. } => "not-found",
            BadName { .. } => "bad-name",
            NameTaken { .. } | NodeExists { .. } => "name-taken",
            TooMany { .. }
            | TooManyReplicas { .. }
            | TooManyRoles { .. }
            | ServiceRoles { .. }
            | TreeTooDeep { .. } => "limit-exceeded",
            BadAmount { .. } | BadGpus { .. } | NoReplicas | NoGpuModel { .. } | WhichModel { .. } => {
                "bad-amount"
            }
            EmptyPolicySet { .. } | LowNotBelowHigh { .. } => "bad-policy",
            ShareTooSmall { .. } | PoolTooSmall { .. } => "share-too-small",
            DimensionNotKept { .. } | DimensionMissing { .. } => "wrong-dimensions",
            BelowChildren { .. } => "below-children",
            InUse { .. } => "in-use",
            NotSiblings { .. } => "not-siblings",
            QuotaNotEmpty { .. } => "quota-not-empty",
            NodeNeeded { .. } | NodeBusy { .. } => "node-needed",
            BadMinimum { .. } => "bad-minimum",
            IdleNotTraining { .. } => "idle-not-training",
            NeverFunded { .. } | NeverPlaced { .. } => "never-fits",
            WrongState { .. } | NoSuchUnit { .. } => "wrong-state",
            NotResizable { .. } => "not-resizable",
            NothingToChange { .. } => "nothing-to-change",
            ClockBackwards { .. } => "clock-backwards",
        }
    }

    /// What happened, with the figures.
    pub fn what(&self) -> String {
        use Refusal::*;
        match self {
            UnknownPool { pool } => format!("there is no pool {pool}"),
            UnknownNode { node } => format!("there is no node {node}"),
            UnknownDevice { node, device, gpus } => {
                format!("{node} has no GPU {device}: it has {gpus}, counted from 0")
            }
            UnknownQuota { quota } => format!("there is no quota {quota}"),
            UnknownWorkload { workload } => format!("there is no workload {workload}"),
            BadName { name, why } => format!("{name:?} is not a name: {why}"),
            NameTaken { noun, name } => format!("a {noun} named {name} exists already"),
            TooMany { noun, limit } => format!("there may be at most {limit} {noun}"),
            BadAmount { what, value, why } => format!("{what} {value} {why}"),
            NoGpuModel { node } => format!("node {node} has GPUs but no GPU model"),
            UnknownModel { model, pool, known } => {
                format!("pool {pool} has no GPU model {model}; it has {}", list(known))
            }
            WhichModel { pool, known } => format!("pool {pool} has several GPU models: {}", list(known)),
            EmptyPolicySet { policy, set } => format!("the {policy} policy names no {set}"),
            LowNotBelowHigh { low, high } => {
                format!("low priorities {low} are not all below high priorities {high}")
            }
            TreeTooDeep { quota, depth, limit } => {
                format!("{quota} would be at level {depth}; a quota tree has at most {limit} levels")
            }
            ShareTooSmall { parent, models, share, asked } => {
                format!(
                    "the share of {parent} is {}, asked are {}",
                    amounts(share, asked, models),
                    amounts(asked, asked, models)
                )
            }
            PoolTooSmall { pool, models, supply, asked } => format!(
                "pool {pool} has {} not promised to other roots, asked are {}",
                amounts(supply, asked, models),
                amounts(asked, asked, models)
            ),
            DimensionNotKept { quota, models, dimension, root } => {
                format!(
                    "{quota} states {}, which the books of {root} do not keep",
                    Amount::name(*dimension, models)
                )
            }
            DimensionMissing { quota, models, dimension, root } => {
                format!(
                    "{quota} does not state {}, which the books of {root} keep",
                    Amount::name(*dimension, models)
                )
            }
            BelowChildren { quota, models, children, asked } => format!(
                "the children of {quota} are guaranteed {}, more than {}",
                amounts(children, children, models),
                amounts(asked, children, models)
            ),
            InUse { account, models, drawn, share, workloads, .. } => format!(
                "{account} would be left with {}, but {} are drawn on it, by {}",
                amounts(share, drawn, models),
                amounts(drawn, drawn, models),
                list(workloads)
            ),
            NotSiblings { from, to } => format!("{from} and {to} do not have the same parent"),
            QuotaNotEmpty { quota, children, workloads } => {
                let mut parts = Vec::new();
                if !children.is_empty() {
                    parts.push(format!("children {}", list(children)));
                }
                if !workloads.is_empty() {
                    parts.push(format!("live workloads {}", list(workloads)));
                }
                format!("{quota} has {}", parts.join(" and "))
            }
            NodeNeeded { node, pool, models, guaranteed, left } => format!(
                "without {node}, pool {pool} has {}, and its roots are guaranteed {}",
                amounts(left, guaranteed, models),
                amounts(guaranteed, guaranteed, models)
            ),
            NodeBusy { node, workloads } => format!("{node} still runs {}", list(workloads)),
            NodeExists { node } => format!("a node named {node} exists already"),
            TooManyReplicas { replicas } => format!("{replicas} replicas are more than {MAX_REPLICAS}"),
            TooManyRoles { roles } => format!("{roles} roles are more than {MAX_ROLES}"),
            NoReplicas => "there is no replica".into(),
            ServiceRoles { roles } => format!("a service has one role, not {roles}"),
            BadMinimum { min, replicas, why } => format!("a minimum of {min} of {replicas} replicas {why}"),
            BadGpus { milli } => format!(
                "{} GPUs per replica is neither under one nor a whole number",
                Amount::milli(*milli as i64)
            ),
            IdleNotTraining { module } => format!("a {module} cannot use idle capacity"),
            NeverFunded { quota, models, demand, shares } => {
                never_funded(&amounts(demand, demand, models), quota, &amounts(shares, demand, models))
            }
            NeverPlaced { pool, replicas, gpu, hosts } => {
                never_placed(*replicas, *gpu, &format!("pool {pool}"), *hosts)
            }
            WrongState { workload, state, command, allowed } => {
                format!("{workload} is {state}; {command} needs it to be {allowed}")
            }
            NotResizable { workload, why } => format!("{workload} cannot be resized: {why}"),
            NoSuchUnit { workload, unit } => format!("unit {unit} of {workload} is not leaving"),
            NothingToChange { quota } => format!("{quota} would not change"),
            ClockBackwards { now, last } => format!("time went back from {last} ms to {now} ms"),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        use Refusal::*;
        match self {
            UnknownPool { .. }
            | UnknownNode { .. }
            | UnknownDevice { .. }
            | UnknownQuota { .. }
            | UnknownWorkload { .. } => "list what there is".into(),
            BadName { .. } => format!(
                "use 1 to {MAX_NAME} letters, digits, '-', '_' or '.', starting with a letter or digit"
            ),
            NameTaken { .. } | NodeExists { .. } => "choose another name".into(),
            TooMany { .. } => "remove what is not needed".into(),
            BadAmount { .. } => "state a positive amount within bounds".into(),
            UnknownModel { .. } => "name one of the pool's models".into(),
            WhichModel { .. } => "state an amount for each model, as in H100:48,A100:16".into(),
            NoGpuModel { .. } => "name the model of the node's GPUs".into(),
            EmptyPolicySet { .. } => "name at least one, or switch the policy off".into(),
            LowNotBelowHigh { .. } => "make every low priority smaller than every high one".into(),
            TreeTooDeep { .. } => "attach it higher up".into(),
            ShareTooSmall { .. } => "ask for less, or scale the parent up first".into(),
            PoolTooSmall { .. } => "ask for less, add nodes, or scale another root down".into(),
            DimensionNotKept { .. } | DimensionMissing { .. } => {
                "state exactly the dimensions that the root states".into()
            }
            BelowChildren { .. } => "scale the children down first".into(),
            InUse { .. } => "stop them, or use mode drain or evict; a preview shows who would leave".into(),
            NotSiblings { .. } => "transfer between children of one parent; scale otherwise".into(),
            QuotaNotEmpty { .. } => "delete or move them first".into(),
            NodeNeeded { .. } => "scale a root down first".into(),
            NodeBusy { .. } => "drain the node first".into(),
            TooManyReplicas { .. } | TooManyRoles { .. } | ServiceRoles { .. } => {
                "split it into several workloads".into()
            }
            NoReplicas => "ask for at least one replica".into(),
            BadMinimum { .. } => "choose a minimum between 1 and the number of replicas".into(),
            BadGpus { .. } => "ask for a fraction below 1 or for whole GPUs".into(),
            IdleNotTraining { .. } => "leave idle out, or submit it as training".into(),
            NeverFunded { .. } => "ask for less, use a larger quota, or have this one scaled up".into(),
            NeverPlaced { .. } => "ask for smaller or fewer replicas, or add nodes".into(),
            WrongState { .. } | NoSuchUnit { .. } => "look at its present state".into(),
            NotResizable { .. } => "stop it and submit it with the size that you want".into(),
            NothingToChange { .. } => "state another target".into(),
            ClockBackwards { .. } => "set the clock right".into(),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; hint: {}", self.what(), self.hint())
    }
}

impl std::error::Error for Refusal {}
