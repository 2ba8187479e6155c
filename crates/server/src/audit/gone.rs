//! Workloads that have left memory: what they were called, and whose they were.

use super::scan::Asked;
use crate::core::past;
use crate::core::rooms::Ownership;
use crate::core::shell::workload_of;
use crate::core::world::World;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_api::workload::Visibility;
use tidegate_engine::ids::{MemberId, WorkloadId, WorkspaceId};
use tidegate_identity::People;
use tidegate_store::{PastQuery, Reader, StoreError};

/// What is left of a workload.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    pub(crate) name: String,
    pub(crate) workspace: String,
    /// Whose it was; `None` if its workspace is gone, too.
    pub(crate) of: Option<Ownership>,
}

/// The workloads of some entries that are not in memory.
pub(super) fn missing(world: &World, entries: &[Asked]) -> BTreeSet<WorkloadId> {
    let events = entries.iter().flat_map(|asked| &asked.body.events);
    let ids = events.filter_map(|event| workload_of(&event.kind));
    ids.filter(|id| world.rooms.of(*id).is_none()).collect()
}

pub(crate) fn find(
    reader: &dyn Reader,
    people: &People,
    ids: BTreeSet<WorkloadId>,
) -> Result<BTreeMap<WorkloadId, Gone>, StoreError> {
    let mut found = BTreeMap::new();
    for id in ids {
        let row = reader.past(&PastQuery::id(id.0.into()))?.into_iter().next();
        let Some(resource) = row.as_ref().and_then(past::remains).map(|remains| remains.resource) else {
            continue;
        };
        let workspace = resource.status.workspace.to_string();
        // A workspace that was deleted may have a successor of the same name, whose people have no business here.
        let room = people.workspace_named(&workspace).filter(|room| {
            room.id == WorkspaceId::DEFAULT || room.created <= resource.metadata.created_at.tick()
        });
        let owner = people.user_named(&resource.status.owner).map_or(MemberId(u32::MAX), |user| user.id);
        let private = resource.spec.visibility == Some(Visibility::Private);
        let of = room.map(|room| Ownership { workspace: room.id, owner, private });
        found.insert(id, Gone { name: resource.metadata.name.to_string(), workspace, of });
    }
    Ok(found)
}
