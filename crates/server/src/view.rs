//! The world as resources. Names of others are under seal.

use crate::core::shell::Operation;
use crate::core::world::World;
use crate::core::{notices, seal};
use crate::dedicated::pools;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_api::amounts::Figure;
use tidegate_api::convert::{QuotaUse, WorkloadFacts, uses};
use tidegate_api::name::Name;
use tidegate_api::node::{Node, NodeSpec, NodeStatus};
use tidegate_api::pool::{Pool, PoolSpec, PoolStatus};
use tidegate_api::priorities::Priority;
use tidegate_api::quota::{QueueEntry, Quota, QuotaChange, QuotaForest, QuotaSpec, QuotaStatus, QuotaTree};
use tidegate_api::resource::{Labels, Metadata};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_api::workload::Workload;
use tidegate_billing::record::ComputeKind;
use tidegate_engine::EventKind;
use tidegate_engine::engine::QuotaBooks;
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId};
use tidegate_engine::reason::Names;

fn metadata(name: &str, uid: String, created: Tick, version: u64) -> Option<Metadata> {
    let name: Name = name.parse().ok()?;
    Some(Metadata {
        name,
        uid,
        created_at: Time::of(created),
        version: version.to_string(),
        labels: Labels::default(),
    })
}

pub fn pool(world: &World, id: PoolId) -> Option<Pool> {
    let created = *world.shell.pools.get(&id)?;
    let metadata = metadata(&world.engine.pool(id)?.name, uid::pool(id), created, 0)?;
    Some(Pool::new(metadata, PoolSpec::of(&world.engine, id)?, PoolStatus::of(&world.engine, world, id)?))
}

pub fn node(world: &World, pool: PoolId, id: NodeId) -> Option<Node> {
    let created = *world.shell.nodes.get(&(pool, id))?;
    let name = &world.engine.pool(pool)?.nodes.node(id).spec.name;
    let metadata = metadata(name, uid::node(pool, id), created, 0)?;
    Some(Node::new(
        metadata,
        NodeSpec::of(&world.engine, pool, id)?,
        NodeStatus::of(&world.engine, world, pool, id)?,
    ))
}

/// All quotas, in tree order.
pub fn quotas(world: &World) -> Vec<Quota> {
    let uses = uses(&world.engine, world.dispatch.assigned());
    world.engine.books().iter().filter_map(|books| of_books(world, books, &uses)).collect()
}

pub fn quota(world: &World, id: QuotaId) -> Option<Quota> {
    let uses = uses(&world.engine, world.dispatch.assigned());
    let all = world.engine.books();
    of_books(world, all.iter().find(|books| books.quota == id)?, &uses)
}

fn of_books(world: &World, books: &QuotaBooks, uses: &[QuotaUse]) -> Option<Quota> {
    let id = books.quota;
    let record = world.shell.quotas.get(&id)?;
    let metadata = metadata(&world.engine.quota_name(id), uid::quota(id), record.created, record.version)?;
    let none = QuotaUse::default();
    let used = uses.get(id.index()).unwrap_or(&none);
    let status = QuotaStatus::of(&world.engine, world, books, used)?;
    let kind = world.business.compute(id).map(|compute| compute.kind);
    let shared = (kind == Some(ComputeKind::Shared)).then_some(true);
    let dedicated = (kind == Some(ComputeKind::Dedicated)).then_some(true);
    let spec = QuotaSpec { shared, dedicated, ..QuotaSpec::of(&world.engine, id)? };
    Some(Quota::new(metadata, spec, status))
}

/// Quotas as trees; one whose parent is not among them stands at the top.
pub fn forest(quotas: Vec<Quota>) -> QuotaForest {
    let mut below: BTreeMap<Option<Name>, Vec<Quota>> = BTreeMap::new();
    let names: BTreeSet<Name> = quotas.iter().map(|quota| quota.metadata.name.clone()).collect();
    for quota in quotas {
        let parent = quota.spec.parent.clone().filter(|parent| names.contains(parent));
        below.entry(parent).or_default().push(quota);
    }
    QuotaForest { roots: grow(&mut below, None) }
}

/// Trees are at most as deep as the engine allows.
fn grow(below: &mut BTreeMap<Option<Name>, Vec<Quota>>, parent: Option<&Name>) -> Vec<QuotaTree> {
    let here = below.remove(&parent.cloned()).unwrap_or_default();
    let tree = |quota: Quota| {
        let children = grow(below, Some(&quota.metadata.name));
        QuotaTree { quota, children }
    };
    here.into_iter().map(tree).collect()
}

/// Changes of a quota, newest first.
pub fn history(world: &World, id: QuotaId) -> Vec<QuotaChange> {
    let record = world.shell.quotas.get(&id);
    let changes = record.iter().flat_map(|record| record.history.iter().rev());
    changes.filter_map(|operation| change(world, operation)).collect()
}

fn change(world: &World, operation: &Operation) -> Option<QuotaChange> {
    let event = tidegate_engine::Event { at: operation.at, kind: operation.kind.clone() };
    let line = crate::core::lines::line(world, &world.engine, operation.number, &event, None)?;
    let (before, after) = match &operation.kind {
        EventKind::PolicySet { before, after, .. } => (Some(before), Some(after)),
        _ => (None, None),
    };
    let policy = |policy: &tidegate_engine::policy::Policy| QuotaSpec::with_policy(policy);
    Some(QuotaChange {
        number: operation.number,
        at: Time::of(operation.at),
        by: operation.by.to_string(),
        operation: operation.operation.to_string(),
        before: before.map(|before| policy(before)),
        after: after.map(|after| policy(after)),
        event: serde_json::from_str(line.data()).ok()?,
    })
}

pub fn workload(world: &World, id: WorkloadId, now: Tick) -> Option<Workload> {
    let w = world.engine.workload(id)?;
    let record = world.shell.workloads.get(&id)?;
    let waits = w.state.is_waiting();
    let reasons = if waits { world.engine.reasons(now, id) } else { Vec::new() };
    let workspace = world.room_name(w.spec.workspace);
    let facts = WorkloadFacts {
        workspace: &workspace,
        document: world.documents.get(&id)?,
        created: record.created,
        version: record.version,
        started: record.started,
        ended: record.ended,
        exit_code: record.exit_code,
        exit_detail: record.exit_detail.as_deref(),
        warm_worker: record.warm,
        stop_reason: record.stop_reason.as_deref(),
        reasons: &reasons,
        position: waits.then(|| world.engine.position(now, id)).flatten(),
    };
    let mut workload = Workload::of(&world.engine, world, id, &facts)?;
    workload.status.reasons.extend(notices::waits_too_long(world, w, now));
    workload.status.reasons.splice(0..0, pools::used_up(world, w, now));
    Some(workload)
}

/// A workload in the queue of its quota, or that was there.
pub fn queue_entry(world: &World, id: WorkloadId, position: Option<u32>, now: Tick) -> Option<QueueEntry> {
    let w = world.engine.workload(id)?;
    let record = world.shell.workloads.get(&id)?;
    // A service that runs may have lost a part of itself since.
    let left = position.is_none() && record.started.is_some_and(|started| started < record.waits_since);
    let enqueued = if left { w.enqueued } else { record.waits_since };
    let workload = workload(world, id, now)?;
    let name = world.workload_name(id).into_owned();
    Some(QueueEntry {
        position,
        uid: Some(seal::uid_like(&name, id)),
        name,
        module: w.spec.module.into(),
        priority: Priority(w.spec.priority),
        user: Some(workload.status.owner),
        workspace: Some(workload.status.workspace),
        enqueued_at: Time::of(enqueued),
        dequeued_at: record.started.filter(|_| position.is_none()).map(Time::of),
        gpu: Figure(w.spec.gpus()),
        reasons: workload.status.reasons,
    })
}
