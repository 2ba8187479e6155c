//! What a scenario file says, before any name is looked up.

use super::piece::{Place, Placed};
use crate::runner::Work;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::words::{
    IdleUse, Mode, Module, ModuleSet, OnPreempt, PoolKind, Priority, PrioritySet, Scope, Strategy,
};

pub type Name = Placed<Box<str>>;

/// A file: declarations, then lines with a time that never goes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    pub declarations: Vec<Declaration>,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    Pool(PoolText),
    Quota(Box<QuotaText>),
}

/// Nodes of one kind, added to a pool that exists or that they found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolText {
    pub name: Name,
    pub nodes: u32,
    pub gpus: u32,
    pub model: Option<Box<str>>,
    /// Thousandths of a core, per node.
    pub cpu: Option<u64>,
    /// Bytes, per node.
    pub memory: Option<u64>,
    pub kind: Option<PoolKind>,
}

/// GPUs in thousandths: of the pool's only model, or by model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gpus {
    Bare(i64),
    PerModel(Vec<(Name, i64)>),
}

/// Amounts of a quota, of a scale or of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmountText {
    pub gpus: Gpus,
    pub place: Place,
    /// Thousandths of a core.
    pub cpu: Option<i64>,
    /// Bytes.
    pub memory: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceText {
    Pool(Name),
    Parent(Name),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaText {
    pub name: Name,
    pub amount: AmountText,
    pub source: SourceText,
    pub policy: PolicyText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildLevelText {
    pub victims: PrioritySet,
    pub modules: ModuleSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfLevelText {
    pub high: PrioritySet,
    pub low: PrioritySet,
    pub modules: ModuleSet,
    pub scope: Scope,
}

/// Options of a quota; `None` was not written. In the last two, an inner `None` is `off`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyText {
    pub strategy: Option<Strategy>,
    pub patience: Option<Span>,
    pub aging_step: Option<Span>,
    pub starvation_guard: Option<Span>,
    pub idle_sharing: Option<bool>,
    pub protect_for: Option<Span>,
    pub child_level: Option<Placed<Option<ChildLevelText>>>,
    pub self_level: Option<Placed<Option<SelfLevelText>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub at: Tick,
    pub place: Place,
    pub statement: Statement,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Change(Change),
    Preview(Change),
    Explain(Name),
    Show,
}

/// Anything that can be done, and therefore previewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Submit(Box<SubmitText>),
    Finish(Name),
    Stop(Name),
    Fail(Name),
    Checkpoint(Name),
    Priority(Name, Priority),
    Resize(Name, u32),
    Transfer { amount: AmountText, from: Name, to: Name, mode: Mode },
    Scale { quota: Name, amount: AmountText, mode: Mode },
    Quota(Box<QuotaText>),
    Delete(Name),
    Set { quota: Name, policy: Box<PolicyText> },
    Node(Name, NodeAction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeAction {
    Lost,
    Ready,
    Cordoned,
    Drain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitText {
    pub name: Name,
    pub quota: Name,
    pub module: Module,
    pub priority: Priority,
    /// Replicas and thousandths of a GPU, by role.
    pub roles: Vec<(u32, u32)>,
    pub min: Option<u32>,
    pub models: Vec<Name>,
    pub nodes: Vec<Name>,
    pub workspace: Option<Box<str>>,
    pub idle: IdleUse,
    pub on_preempt: OnPreempt,
    pub restarts: u32,
    pub max_run: Option<Span>,
    /// Thousandths of a core, per replica.
    pub cpu: Option<u32>,
    /// Bytes, per replica.
    pub memory: Option<u64>,
    pub grace: Span,
    pub suspend: bool,
    pub work: Work,
}

impl Change {
    /// The word that the line begins with.
    pub fn word(&self) -> &'static str {
        match self {
            Change::Submit(_) => "submit",
            Change::Finish(_) => "finish",
            Change::Stop(_) => "stop",
            Change::Fail(_) => "fail",
            Change::Checkpoint(_) => "checkpoint",
            Change::Priority(..) => "priority",
            Change::Resize(..) => "resize",
            Change::Transfer { .. } => "transfer",
            Change::Scale { .. } => "scale",
            Change::Quota(_) => "quota",
            Change::Delete(_) => "delete",
            Change::Set { .. } => "set",
            Change::Node(..) => "node",
        }
    }
}
