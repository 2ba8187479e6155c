//! What is read back from the store: workloads that left memory, and events by their numbers.

use super::entry::{Body, Happened};
use super::lines;
use super::rooms::Ownership;
use super::seal;
use super::world::{DELETED_ROOM, World};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tidegate_api::event::Event as ApiEvent;
use tidegate_api::uid;
use tidegate_api::workload::{Visibility, Workload};
use tidegate_engine::Event;
use tidegate_engine::caps::Holder;
use tidegate_engine::ids::{MemberId, NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::reason::Names;
use tidegate_engine::resources::Dimension;
use tidegate_identity::People;
use tidegate_sim::report::labels::Directory;
use tidegate_store::{Reader, StoreError, StoredPast};

/// A workload as it was when it left memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Remains {
    pub resource: Workload,
    /// Numbers of its events.
    pub events: Vec<u64>,
    /// As in [`tidegate_api::workload::Document`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory_of: Option<u32>,
    /// Its workspace and its owner by number: their names may be others' by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whose: Option<(WorkspaceId, MemberId)>,
}

impl Remains {
    /// Whose it was; `None` if its workspace was deleted. Whoever submitted it may have gone: then it is nobody's own.
    pub fn ownership(&self, people: &People) -> Option<Ownership> {
        let private = self.resource.spec.visibility == Some(Visibility::Private);
        let (workspace, owner) = match self.whose {
            Some((workspace, owner)) => (people.workspace(workspace)?.id, owner),
            None => self.by_names(people)?,
        };
        Some(Ownership { workspace, owner, private })
    }

    /// Without numbers names count, of those who were there when it was submitted: a successor has no business here.
    fn by_names(&self, people: &People) -> Option<(WorkspaceId, MemberId)> {
        let (status, submitted) = (&self.resource.status, self.resource.metadata.created_at.tick());
        // What stands for a workspace that is gone is no name of one.
        if status.workspace.as_str() == DELETED_ROOM {
            return None;
        }
        let room = people.workspace_named(&status.workspace).filter(|room| room.created <= submitted)?;
        let owner = people.user_named(&status.owner).filter(|user| user.created <= submitted);
        Some((room.id, owner.map_or(MemberId(u32::MAX), |user| user.id)))
    }
}

/// What is left of a workload; `None` if a later release wrote it otherwise.
pub fn remains(row: &StoredPast) -> Option<Remains> {
    serde_json::from_slice(&row.body).ok()
}

/// The events with these numbers, ascending; those that were archived are left out.
pub fn events(reader: &dyn Reader, numbers: &[u64]) -> Result<Vec<(u64, Event)>, StoreError> {
    let mut found = Vec::new();
    let mut entry: Option<(u64, Body)> = None;
    for &number in numbers {
        let inside = |(first, body): &(u64, Body)| {
            let place = number.checked_sub(*first)?;
            match body.happened().nth(place as usize)? {
                Happened::Event(event) => Some(event.clone()),
                Happened::People(_) | Happened::Business(_) => None,
            }
        };
        if let Some(event) = entry.as_ref().and_then(inside) {
            found.push((number, event));
            continue;
        }
        let stored = match reader.entries(number, 1) {
            Ok(stored) => stored,
            Err(StoreError::Archived { .. }) => continue,
            Err(error) => return Err(error),
        };
        entry = stored
            .into_iter()
            .next()
            .and_then(|stored| Body::decode(&stored.body).ok().map(|body| (stored.first, body)));
        found.extend(entry.as_ref().and_then(inside).map(|event| (number, event)));
    }
    Ok(found)
}

/// Events as they were published, with the names of today. `gone` is a workload that has left memory: whoever asks sees
/// it.
pub fn lines(world: &World, events: &[(u64, Event)], gone: Option<&Workload>) -> Vec<ApiEvent> {
    let id = gone.and_then(|gone| uid::as_workload(&gone.metadata.uid));
    let name = gone.map(|gone| gone.metadata.name.as_str());
    let quota = gone.and_then(|gone| world.engine.quota_named(&seal::open_all(&gone.status.quota)));
    let names = Remembering { names: world, gone: id.zip(name), quota };
    let why = gone.and_then(|gone| gone.status.stop_reason.as_deref());
    let line = |(number, event): &(u64, Event)| {
        let why = world.stop_reason(event).or(why);
        lines::line(&names, &world.engine, *number, event, why)
    };
    events.iter().filter_map(line).filter_map(|line| serde_json::from_str(line.data()).ok()).collect()
}

/// Names, and that of one workload that has been forgotten.
struct Remembering<'a> {
    names: &'a World,
    gone: Option<(WorkloadId, &'a str)>,
    /// Where it waited, if that is still there.
    quota: Option<QuotaId>,
}

impl Names for Remembering<'_> {
    fn quota_name(&self, id: QuotaId) -> Cow<'_, str> {
        self.names.quota_name(id)
    }

    fn workload_name(&self, id: WorkloadId) -> Cow<'_, str> {
        match self.gone {
            Some((gone, name)) if gone == id => Cow::Borrowed(name),
            _ => self.names.workload_name(id),
        }
    }

    fn model_names(&self, pool: PoolId) -> &[Box<str>] {
        self.names.model_names(pool)
    }

    fn holder_name(&self, holder: Holder) -> String {
        self.names.holder_name(holder)
    }

    fn time(&self, at: Tick) -> String {
        self.names.time(at)
    }
}

impl Directory for Remembering<'_> {
    fn node(&self, pool: PoolId, id: NodeId) -> String {
        self.names.node(pool, id)
    }

    fn queue_of(&self, workload: WorkloadId) -> Option<QuotaId> {
        match self.gone {
            Some((gone, _)) if gone == workload => self.quota,
            _ => self.names.queue_of(workload),
        }
    }

    fn restarts(&self, workload: WorkloadId) -> u32 {
        self.names.restarts(workload)
    }

    fn pool_of(&self, quota: QuotaId) -> PoolId {
        self.names.pool_of(quota)
    }

    fn clock(&self, at: Tick) -> Tick {
        self.names.clock(at)
    }

    fn stated(&self, root: QuotaId) -> Vec<Dimension> {
        self.names.stated(root)
    }

    fn path(&self, quota: QuotaId) -> Vec<QuotaId> {
        self.names.path(quota)
    }
}
