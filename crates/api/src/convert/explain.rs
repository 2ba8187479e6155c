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

pub(super) fn reasons_of(names: &dyn Names, reasons: &[reason::Reason]) -> Vec<Reason> {
    reasons.iter().map(|r| Reason { code: r.code().into(), text: r.text(names) }).collect()
}

pub(super) fn preempted(names: &dyn Names, at: Tick, cause: &Cause) -> Preempted {
    Preempted {
        by: cause.by.map(|by| names.workload_name(by).into_owned()),
        rule: EvictionRule(cause.rule),
        policy_of: cause.policy_of.map(|quota| names.quota_name(quota).into_owned()),
        at: Time::of(at),
        why: cause.why(),
    }
}

impl Explanation {
    /// `None` if there is no such workload. `names` knows what the reader may see.
    pub fn of(engine: &Engine, names: &dyn Names, now: Tick, id: WorkloadId) -> Option<Explanation> {
        let explained = engine.explain(now, id)?;
        let w = engine.workload(id)?;
        let pool = engine.quota(w.spec.quota).map_or(PoolId(0), |q| q.pool);
        let listed = |ids: &[WorkloadId]| -> Vec<String> {
            ids.iter().take(MAX_AHEAD).map(|&id| names.workload_name(id).into_owned()).collect()
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
        let all =
            |units: &[&Unit]| draws(engine, names, pool, units.iter().flat_map(|u| u.grant.draws.iter()));
        let holds = class(&held).map(|class| Holds {
            draws: all(&held),
            class,
            nodes: nodes(&held),
            until: listed(&explained.waits_for),
        });
        let gone = |c: &tidegate_engine::workload::Cleared| EvictedForIt {
            at: Time::of(c.at),
            workload: names.workload_name(c.workload).into_owned(),
            rule: EvictionRule(c.rule),
        };
        Some(Explanation {
            workload: name(&w.spec.name),
            uid: uid::workload(id),
            state: w.state.into(),
            queue: names.quota_name(w.spec.quota).into_owned(),
            position: explained.ahead.as_ref().map(|ahead| ahead.len() as u32 + 1),
            ahead: listed(explained.ahead.as_deref().unwrap_or_default()),
            replicas: explained.partly.map(|(running, _)| running),
            wanted: explained.partly.map(|(_, wanted)| wanted),
            reasons: reasons_of(names, &explained.reasons),
            draws: all(&drawn),
            class: class(&drawn),
            nodes: nodes(&drawn),
            holds,
            evicted: explained.evicted.as_ref().map(|(at, cause)| preempted(names, *at, cause)),
            evicted_for_it: explained.cleared.0.iter().map(gone).collect(),
        })
    }
}
