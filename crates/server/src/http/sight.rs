//! What somebody sees of quotas: those attached to their workspaces, and of the ancestors of these name and guarantee.

use super::auth::Caller;
use crate::core::seal;
use crate::core::world::World;
use crate::view;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::quota::Quota;
use tidegate_engine::ids::QuotaId;
use tidegate_identity::{Action, Resource};

/// How much somebody sees of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    Nothing,
    /// Name and guarantee: it is above one that is attached.
    Outline,
    All,
}

pub fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no quota {name}")).hint("`tidegate quota list` lists them")
}

/// How much the caller sees of a quota.
pub fn of_quota(world: &World, caller: &Caller, quota: QuotaId) -> Detail {
    let people = &world.people;
    if caller.may(people, Action::QuotaRead, Resource::Quota(quota)) {
        return Detail::All;
    }
    // Who has a resource config sees its quota.
    if let Some(config) = world.business.config_of(quota)
        && caller.may(people, Action::WorkspaceRead, Resource::Workspace(config.record.workspace))
    {
        return Detail::All;
    }
    let attached =
        people.rooms(caller.who.user).filter_map(|id| people.workspace(id)).flat_map(|r| &r.quotas);
    let above = attached.copied().any(|below| ancestors(world, below).any(|id| id == quota));
    if above { Detail::Outline } else { Detail::Nothing }
}

/// Whether the caller may know that there is such a quota.
pub fn knows_quota(world: &World, caller: &Caller, quota: QuotaId) -> bool {
    of_quota(world, caller, quota) > Detail::Nothing
}

fn ancestors(world: &World, quota: QuotaId) -> impl Iterator<Item = QuotaId> {
    let parent = |id: QuotaId| world.engine.quota(id).and_then(|quota| quota.parent);
    std::iter::successors(parent(quota), move |id| parent(*id))
}

/// All quotas that the caller sees, in tree order.
pub fn quotas(world: &World, caller: &Caller) -> Vec<Quota> {
    let all = view::quotas(world).into_iter();
    let seen = all.filter(|quota| find_quota(world, caller, &quota.metadata.name).is_ok());
    seen.map(|quota| trim(world, caller, quota)).collect()
}

/// A quota with the names that the caller sees.
pub fn trim(world: &World, caller: &Caller, mut quota: Quota) -> Quota {
    let status = &mut quota.status;
    status.children.retain(|child| find_quota(world, caller, &seal::open_all(child)).is_ok());
    let Some(id) = world.engine.quota_named(&quota.metadata.name) else { return quota };
    let rooms = world
        .people
        .attached(id)
        .filter(|room| caller.may(&world.people, Action::WorkspaceRead, Resource::Workspace(room.id)));
    status.workspaces = rooms.filter_map(|room| room.name.parse().ok()).collect();
    quota
}

/// The quota of this name, if the caller sees all of it.
pub fn find_quota(world: &World, caller: &Caller, name: &str) -> Result<QuotaId, Problem> {
    caller.good_for(Action::QuotaRead)?;
    let id = world.engine.quota_named(name).filter(|id| world.engine.quota(*id).is_some());
    let id = id.ok_or_else(|| missing(name))?;
    match of_quota(world, caller, id) {
        Detail::All => Ok(id),
        Detail::Outline => {
            let detail =
                format!("of {name} you see name and guarantee alone: no workspace of yours may use it");
            Err(Problem::new(Code::Denied, detail))
        }
        Detail::Nothing => Err(missing(name)),
    }
}
