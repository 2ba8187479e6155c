//! Growing old: workloads that ended long ago leave memory, and stay readable from the store.

use super::deck::{Deck, Past, Prepared};
use super::entry::Origin;
use super::past::Remains;
use super::world::World;
use crate::view;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::reason::Names;

/// Workloads that leave at once: the writer has others to serve.
const MAX_AT_ONCE: usize = 64;

/// Lets go of some workloads that ended at least `retain` ago.
pub(super) fn retire(world: &mut World, now: Tick, retain: Span, out: &mut Vec<Prepared>) {
    let due = |&&(at, _): &&(Tick, WorkloadId)| at.after(retain) <= now;
    let ids: Vec<WorkloadId> =
        world.shell.ended.iter().take_while(due).take(MAX_AT_ONCE).map(|(_, id)| *id).collect();
    if ids.is_empty() {
        return;
    }
    let mut deck = Deck::new(world, now, Origin::new("system", "workload.retire"));
    for id in ids {
        let Some(past) = past(deck.world(), id, now) else { continue };
        if let Err(refusal) = deck.retire(past) {
            tracing::error!(what = refusal.what(), "an ended workload was not let go");
        }
    }
    out.push(deck.finish());
}

fn past(world: &World, id: WorkloadId, now: Tick) -> Option<Past> {
    let resource = view::workload(world, id, now)?;
    let w = world.engine.workload(id)?;
    let record = world.shell.workloads.get(&id)?;
    let (workspace, quota) =
        (resource.status.workspace.as_str().into(), world.engine.quota_name(w.spec.quota).as_ref().into());
    let labels = resource.metadata.labels.clone();
    let directory_of = world.documents.get(&id)?.directory_of;
    let of = world.rooms.of(id);
    let whose = of.map(|of| (of.workspace, of.owner));
    let remains = Remains { resource, events: record.events.to_vec(), directory_of, whose };
    Some(Past {
        id,
        name: w.spec.name.clone(),
        workspace,
        quota,
        module: w.spec.module.word(),
        state: w.state.word(),
        ended: record.ended.unwrap_or(now),
        labels,
        private_of: of.filter(|of| of.private).map(|of| of.owner),
        body: serde_json::to_vec(&remains).expect("a resource is plain data"),
    })
}
