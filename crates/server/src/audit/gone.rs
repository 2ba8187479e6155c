//! Workloads that have left memory: what they were called, and whose they were.

use super::scan::Asked;
use super::submitted;
use crate::core::past;
use crate::core::rooms::Ownership;
use crate::core::shell::workload_of;
use crate::core::world::{DELETED_ROOM, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::workload::WorkloadSpec;
use tidegate_identity::People;
use tidegate_identity::people::ADMIN;
use tidegate_store::{PastQuery, Reader, StoreError};

/// What is left of a workload.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    pub(crate) name: String,
    pub(crate) workspace: String,
    /// Whose it was; `None` if nothing is known of its workspace any more.
    pub(crate) of: Option<Ownership>,
    /// What was submitted, if the log alone knows it.
    pub(crate) spec: Option<Arc<WorkloadSpec>>,
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
        let gone = match row.as_ref().and_then(past::remains) {
            Some(remains) => Some(Gone {
                of: remains.ownership(people),
                spec: None,
                name: remains.resource.metadata.name.to_string(),
                workspace: remains.resource.status.workspace.to_string(),
            }),
            None => submitted::find(reader, id)?.map(|spec| deleted(people, spec)),
        };
        found.extend(gone.map(|gone| (id, gone)));
    }
    Ok(found)
}

/// What the log says of a workload that somebody deleted. It does not say whether it was private: it is told like one.
fn deleted(people: &People, spec: Arc<WorkloadSpec>) -> Gone {
    let owner = spec.owner.map_or(ADMIN, |owner| owner.member);
    Gone {
        name: spec.name.to_string(),
        workspace: people.workspace_name(spec.workspace).unwrap_or(DELETED_ROOM).to_string(),
        of: Some(Ownership { workspace: spec.workspace, owner, private: true }),
        spec: Some(spec),
    }
}
