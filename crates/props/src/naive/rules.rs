//! Who may draw on which account.

use tidegate_engine::Engine;
use tidegate_engine::ids::QuotaId;
use tidegate_engine::words::{Class, IdleUse, Module, Priority, Rule};
use tidegate_engine::workload::WorkloadSpec;

/// What of a workload decides about accounts.
#[derive(Clone, Copy, Debug)]
pub struct Payer {
    pub quota: QuotaId,
    pub priority: Priority,
    pub module: Module,
    pub idle: IdleUse,
}

impl Payer {
    pub fn of(spec: &WorkloadSpec) -> Payer {
        Payer { quota: spec.quota, priority: spec.priority, module: spec.module, idle: spec.idle }
    }
}

/// From the parent of `below` up, is `above` met?
pub fn is_descendant(engine: &Engine, below: QuotaId, above: QuotaId) -> bool {
    let mut at = engine.quota(below).and_then(|q| q.parent);
    while let Some(q) = at {
        if q == above {
            return true;
        }
        at = engine.quota(q).and_then(|q| q.parent);
    }
    false
}

pub fn are_siblings(engine: &Engine, a: QuotaId, b: QuotaId) -> bool {
    let parent = |q| engine.quota(q).and_then(|q| q.parent);
    a != b && parent(a).is_some() && parent(a) == parent(b)
}

/// How a new draw on `account` may be made, the first rule that applies; `forced` by a plan of tier 2 or 3.
pub fn rule(engine: &Engine, payer: &Payer, account: QuotaId, forced: bool) -> Option<(Rule, Class)> {
    let (Some(q), Some(a)) = (engine.quota(payer.quota), engine.quota(account)) else { return None };
    if payer.idle != IdleUse::Only {
        if account == payer.quota {
            return Some((Rule::Own, Class::Firm));
        }
        if q.policy.child_level.is_some() && is_descendant(engine, account, payer.quota) {
            return Some((Rule::ChildLevel, Class::Firm));
        }
        if let Some(own) = q.policy.self_level
            && own.reaches_siblings()
            && own.high().contains(payer.priority)
            && are_siblings(engine, account, payer.quota)
        {
            return Some((Rule::SelfLevel, if forced { Class::Firm } else { Class::Loan }));
        }
    }
    let takes = payer.module == Module::Training && payer.idle != IdleUse::Never && !forced;
    let lends = a.policy.idle_sharing || account == payer.quota;
    (takes && lends && a.root == q.root).then_some((Rule::Idle, Class::Idle))
}

/// Accounts that an admission of at least this class may use.
pub fn accounts(engine: &Engine, payer: &Payer, least: Class, forced: bool) -> Vec<QuotaId> {
    let all = engine.books();
    let usable = |q: &QuotaId| rule(engine, payer, *q, forced).is_some_and(|(_, class)| class >= least);
    all.iter().map(|b| b.quota).filter(usable).collect()
}
