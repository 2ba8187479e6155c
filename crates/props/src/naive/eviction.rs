//! Who may be evicted for whom.

use crate::naive::rules::{Payer, are_siblings, is_descendant, rule};
use std::cmp::Reverse;
use tidegate_engine::Engine;
use tidegate_engine::ids::{QuotaId, Tick};
use tidegate_engine::unit::Unit;
use tidegate_engine::words::{Class, EvictionRule, IdleUse, Module, Priority};

/// Class, then the shallower quota, then priority. Larger is higher.
pub fn rank(
    engine: &Engine,
    quota: QuotaId,
    class: Class,
    priority: Priority,
) -> (Class, Reverse<u8>, Priority) {
    (class, Reverse(engine.quota(quota).map_or(u8::MAX, |q| q.depth)), priority)
}

/// Whether the self-level policy of `of`, for a workload of priority `p`, names somebody.
pub fn self_level(
    engine: &Engine,
    of: QuotaId,
    p: Priority,
    quota: QuotaId,
    priority: Priority,
    module: Module,
) -> bool {
    let Some(policy) = engine.quota(of).and_then(|q| q.policy.self_level) else { return false };
    let reached = (quota == of && policy.reaches_own())
        || (policy.reaches_siblings() && are_siblings(engine, of, quota));
    policy.high().contains(p)
        && policy.low().contains(priority)
        && policy.modules().contains(module)
        && reached
}

pub fn child_level(engine: &Engine, of: QuotaId, quota: QuotaId, priority: Priority, module: Module) -> bool {
    let Some(policy) = engine.quota(of).and_then(|q| q.policy.child_level) else { return false };
    policy.victims().contains(priority)
        && policy.modules().contains(module)
        && is_descendant(engine, quota, of)
}

/// Whether the unit's own policies of tiers 2 or 3 could evict the payer straight back. Whoever uses idle
/// capacity only evicts nobody.
pub fn could_return(engine: &Engine, payer: &Payer, u: &Unit) -> bool {
    if engine.workload(u.workload).is_some_and(|w| w.spec.idle == IdleUse::Only) {
        return false;
    }
    self_level(engine, u.quota, u.priority, payer.quota, payer.priority, payer.module)
        || child_level(engine, u.quota, payer.quota, payer.priority, payer.module)
}

pub fn is_protected(engine: &Engine, u: &Unit, now: Tick) -> bool {
    engine.quota(u.quota).is_some_and(|q| now.since(u.started) < q.policy.protect_for)
}

/// How far recall reaches: accounts that an admission may use, or anywhere in the pool for want of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Accounts,
    Pool,
}

pub fn recall(engine: &Engine, payer: &Payer, class: Class, forced: bool, reach: Reach, u: &Unit) -> bool {
    let usable = |account: QuotaId| rule(engine, payer, account, forced).is_some_and(|(_, c)| c >= class);
    let lent = u.grant.draws.iter().any(|d| d.class < Class::Firm && usable(d.account));
    let pool = |q: QuotaId| engine.quota(q).map(|q| q.pool);
    let near = lent || (reach == Reach::Pool && pool(u.quota) == pool(payer.quota));
    u.class < class && near && !could_return(engine, payer, u)
}

/// Whether a rule allows this eviction, for a plan of this class.
pub fn check(
    engine: &Engine,
    now: Tick,
    payer: &Payer,
    class: Class,
    rule: EvictionRule,
    u: &Unit,
) -> Result<(), String> {
    let named = match rule {
        EvictionRule::Recall => {
            [false, true].iter().any(|f| recall(engine, payer, class, *f, Reach::Pool, u))
        }
        EvictionRule::SelfLevel => {
            self_level(engine, payer.quota, payer.priority, u.quota, u.priority, u.module)
                && !is_protected(engine, u, now)
        }
        EvictionRule::ChildLevel => {
            child_level(engine, payer.quota, u.quota, u.priority, u.module) && !is_protected(engine, u, now)
        }
        _ => return Err(format!("a workload evicts under the rule {rule}")),
    };
    if !named {
        return Err(format!("the rule {rule} does not name unit {} of workload {}", u.number, u.workload.0));
    }
    if u.class > class {
        return Err(format!("class {class} evicts class {}", u.class));
    }
    if rank(engine, u.quota, u.class, u.priority) >= rank(engine, payer.quota, class, payer.priority) {
        return Err(format!("the rank of unit {} of workload {} is not lower", u.number, u.workload.0));
    }
    Ok(())
}
