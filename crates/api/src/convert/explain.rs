//! Why a workload is where it is, in words.

use super::name;
use super::workload::draws;
use crate::explain::{EvictedForIt, Explanation, Holds, Preempted, Reason};
use crate::limits::MAX_AHEAD;
use crate::name::Name;
use crate::time::Time;
use crate::uid;
use crate::words::{Class, EvictionRule};
use std::collections::BTreeSet;
use tidegate_engine::Engine;
use tidegate_engine::event::Cause;
use tidegate_engine::ids::{PoolId, Tick, WorkloadId};
use tidegate_engine::reason::{self, Names};
use tidegate_engine::unit::{Unit, UnitState};

pub(super) fn reasons_of(engine: &Engine, reasons: &[reason::Reason]) -> Vec<Reason> {
    reasons.iter().map(|r| Reason { code: r.code().into(), text: r.text(engine) }).collect()
}

pub(super) fn preempted(engine: &Engine, at: Tick, cause: &Cause) -> Preempted {
    Preempted {
        by: cause.by.map(|by| name(engine.workload_name(by))),
        rule: EvictionRule(cause.rule),
        policy_of: cause.policy_of.map(|quota| name(engine.quota_name(quota))),
        at: Time::of(at),
        why: cause.why(),
    }
}

impl Explanation {
    /// `None` if there is no such workload.
    pub fn of(engine: &Engine, now: Tick, id: WorkloadId) -> Option<Explanation> {
        let explained = engine.explain(now, id)?;
        let w = engine.workload(id)?;
        let pool = engine.quota(w.spec.quota).map_or(PoolId(0), |q| q.pool);
        let names = |ids: &[WorkloadId]| -> Vec<Name> {
            ids.iter().take(MAX_AHEAD).map(|&id| name(engine.workload_name(id))).collect()
        };
        let (held, drawn): (Vec<&Unit>, Vec<&Unit>) =
            engine.units(id).partition(|unit| unit.state == UnitState::Held);
        let nodes = |units: &[&Unit]| -> Vec<Name> {
            let ids: BTreeSet<_> = units.iter().flat_map(|u| u.grant.slots.iter().map(|s| s.node)).collect();
            let nodes = engine.pool(pool).map(|p| &p.nodes);
            let known = ids.into_iter().filter_map(|id| Some(nodes.filter(|n| n.contains(id))?.node(id)));
            known.map(|node| name(&node.spec.name)).collect()
        };
        let class = |units: &[&Unit]| units.iter().map(|unit| unit.class).min().map(Class);
        let all = |units: &[&Unit]| draws(engine, pool, units.iter().flat_map(|u| u.grant.draws.iter()));
        let holds = class(&held).map(|class| Holds {
            draws: all(&held),
            class,
            nodes: nodes(&held),
            until: names(&explained.waits_for),
        });
        let gone = |c: &tidegate_engine::workload::Cleared| EvictedForIt {
            at: Time::of(c.at),
            workload: name(engine.workload_name(c.workload)),
            rule: EvictionRule(c.rule),
        };
        Some(Explanation {
            workload: name(&w.spec.name),
            uid: uid::workload(id),
            state: w.state.into(),
            queue: name(engine.quota_name(w.spec.quota)),
            position: explained.ahead.as_ref().map(|ahead| ahead.len() as u32 + 1),
            ahead: names(explained.ahead.as_deref().unwrap_or_default()),
            replicas: explained.partly.map(|(running, _)| running),
            wanted: explained.partly.map(|(_, wanted)| wanted),
            reasons: reasons_of(engine, &explained.reasons),
            draws: all(&drawn),
            class: class(&drawn),
            nodes: nodes(&drawn),
            holds,
            evicted: explained.evicted.as_ref().map(|(at, cause)| preempted(engine, *at, cause)),
            evicted_for_it: explained.cleared.0.iter().map(gone).collect(),
        })
    }
}
