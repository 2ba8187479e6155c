//! Where submitted work goes, whose it is, and whether the scheduling center lets it in.

use super::auth::Caller;
use crate::center::wire;
use crate::core::world::World;
use crate::dedicated::supply::may_run;
use std::borrow::Cow;
use tidegate_api::convert::Place;
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::workload::WorkloadSpec;
use tidegate_engine::caps::{Owner, RoleSet};
use tidegate_engine::ids::{MemberId, QuotaId, RoleId, Span, WorkspaceId};
use tidegate_engine::words::{Module, Priority};
use tidegate_identity::may::only_room;
use tidegate_identity::policy::{Policy, Preset};
use tidegate_identity::record::Workspace;
use tidegate_identity::role::BuiltIn;
use tidegate_identity::{Action, People, Resource};

/// The quota of those who name none in the workspace default: the root that a first start creates.
pub const DEFAULT_QUOTA: &str = "main";

/// Where a workload goes.
pub fn place(world: &World, caller: &Caller, spec: &WorkloadSpec) -> Result<Place, Problem> {
    let room = room(world, caller, spec.workspace.as_ref(), Action::WorkloadSubmit, "/spec/workspace")?;
    let quota = quota(world, caller, room, spec)?;
    may_run(world, quota)?;
    let place = Place { quota, workspace: room.id, owner: Some(owner(world, caller, room.id)) };
    let module = spec.module.map_or(Module::Training, Into::into);
    is_allowed(world, caller, &place, module, spec.priority.unwrap_or_default().0)?;
    Ok(place)
}

/// Whose caps work counts against that somebody submits to a workspace.
pub fn owner(world: &World, caller: &Caller, room: WorkspaceId) -> Owner {
    let role = role_in(world, caller, room);
    Owner { member: caller.who.user, roles: RoleSet::NONE.with(role) }
}

/// The same for somebody who does not ask; `None` if it does not belong to the workspace any more.
pub fn owner_in(people: &People, user: MemberId, room: WorkspaceId) -> Option<Owner> {
    let admin = people.user(user)?.platform_admin.then(|| BuiltIn::Owner.id());
    let role = people.member(room, user).map(|member| member.role).or(admin)?;
    Some(Owner { member: user, roles: RoleSet::NONE.with(role) })
}

/// Whether the scheduling center of its workspace lets a module of the default priority in.
pub fn admitted(world: &World, caller: &Caller, place: &Place, module: Module) -> Result<(), Problem> {
    is_allowed(world, caller, place, module, Priority::DEFAULT)
}

fn is_allowed(
    world: &World,
    caller: &Caller,
    place: &Place,
    module: Module,
    priority: Priority,
) -> Result<(), Problem> {
    let role = role_in(world, caller, place.workspace);
    let Some(policy) = world.people.policy(place.workspace, place.quota) else { return Ok(()) };
    admits(world, place, policy, role, module)?;
    admits_priority(policy, caller.who.user, role, priority)
}

/// The role that counts for caps and policies; platform administrators count as owners where they are no members.
fn role_in(world: &World, caller: &Caller, room: WorkspaceId) -> RoleId {
    world.people.member(room, caller.who.user).map_or(BuiltIn::Owner.id(), |member| member.role)
}

/// The workspace that somebody submits to: the one that is named, or the only one. `at` points to where it is named.
pub fn room<'a>(
    world: &'a World,
    caller: &Caller,
    named: Option<&Name>,
    action: Action,
    at: &str,
) -> Result<&'a Workspace, Problem> {
    let people = &world.people;
    let room = match named {
        Some(name) => {
            let unknown = || {
                let detail = format!("there is no workspace {name}");
                Problem::new(Code::UnknownReference, detail)
                    .hint("`tidegate workspace list` lists yours")
                    .at(at)
            };
            let room = people.workspace_named(name).ok_or_else(unknown)?;
            caller.check(people, action, Resource::Workspace(room.id), unknown)?;
            return Ok(room);
        }
        None => {
            let user = people
                .user(caller.who.user)
                .ok_or_else(|| Problem::new(Code::Denied, "this user is gone"))?;
            only_room(people, user).map_err(|rooms| {
                if rooms.is_empty() {
                    let hint = "ask an owner or admin of one to add you: `tidegate workspace member add`";
                    let detail = "you are a member of no workspace";
                    return Problem::new(Code::WorkspaceRequired, detail).hint(hint).at(at);
                }
                let detail = format!("you are a member of several workspaces: {}", rooms.join(", "));
                Problem::new(Code::WorkspaceRequired, detail).at(at)
            })?
        }
    };
    let room = people.workspace(room).ok_or_else(|| Problem::new(Code::NotFound, "the workspace is gone"))?;
    let gone = || Problem::new(Code::NotFound, "the workspace is gone");
    caller.check(people, action, Resource::Workspace(room.id), gone)?;
    Ok(room)
}

fn quota(world: &World, caller: &Caller, room: &Workspace, spec: &WorkloadSpec) -> Result<QuotaId, Problem> {
    let Some(name) = &spec.quota else {
        return default_quota(world, room).ok_or_else(|| {
            let attached = room.quotas.iter().filter_map(|id| world.engine.quota(*id)).map(|q| &*q.name);
            let attached: Vec<&str> = attached.collect();
            let detail = match (attached.is_empty(), room.id) {
                (true, WorkspaceId::DEFAULT) => "no quota is named, and there is no quota main".into(),
                (true, _) => format!("no quota is attached to {}: nothing can run there", room.name),
                (false, _) => {
                    format!("no quota is named, and {} has several: {}", room.name, attached.join(", "))
                }
            };
            let hint = match attached.is_empty() && room.id != WorkspaceId::DEFAULT {
                true => "a platform administrator attaches quotas: `tidegate workspace attach`",
                false => "name a quota: --quota, or quota in the spec",
            };
            Problem::new(Code::Invalid, detail).hint(hint).at("/spec/quota")
        });
    };
    let unknown = || {
        Problem::new(Code::UnknownReference, format!("there is no quota {name}"))
            .hint("`tidegate quota list` lists those that you may use")
            .at("/spec/quota")
    };
    let quota =
        world.engine.quota_named(name).filter(|id| world.engine.quota(*id).is_some()).ok_or_else(unknown)?;
    if world.people.may_use(room.id, quota) {
        return Ok(quota);
    }
    match super::sight::knows_quota(world, caller, quota) {
        true => {
            let detail = format!("the quota {name} is not attached to the workspace {}", room.name);
            let hint = "a platform administrator attaches quotas: `tidegate workspace attach`";
            Err(Problem::new(Code::Denied, detail).hint(hint).at("/spec/quota"))
        }
        false => Err(unknown()),
    }
}

/// Where work of a workspace goes that names no quota.
fn default_quota(world: &World, room: &Workspace) -> Option<QuotaId> {
    let only = match room.quotas[..] {
        [one] => Some(one),
        _ => None,
    };
    let main = || world.engine.quota_named(DEFAULT_QUOTA).filter(|_| room.id == WorkspaceId::DEFAULT);
    room.default_quota.or(only).or_else(main)
}

/// Whether the scheduling center lets somebody submit this.
fn admits(
    world: &World,
    place: &Place,
    policy: &Policy,
    role: RoleId,
    module: Module,
) -> Result<(), Problem> {
    let (room, people) = (world.room_name(place.workspace), &world.people);
    let quota = world.engine.quota(place.quota).map_or("this quota", |quota| &quota.name);
    let listed = |words: Vec<&str>| if words.is_empty() { "none".into() } else { words.join(", ") };
    let forbids = |detail: String| Problem::new(Code::PolicyForbids, detail);
    if !policy.allows_module(module) {
        let allowed = policy.modules.iter().flat_map(|set| set.iter()).map(Module::word).collect();
        let detail = format!(
            "the scheduling center of {room} does not allow {} in {quota}; it allows: {}",
            module.word(),
            listed(allowed)
        );
        return Err(forbids(detail).at("/spec/module"));
    }
    if !policy.allows_role(role) {
        let allowed = policy.roles.iter().flatten().map(|role| people.role_name(*role)).collect();
        let detail = format!(
            "the scheduling center of {room} does not let the role {} submit to {quota}; it lets: {}",
            people.role_name(role),
            listed(allowed)
        );
        return Err(forbids(detail));
    }
    Ok(())
}

fn admits_priority(
    policy: &Policy,
    member: MemberId,
    role: RoleId,
    priority: Priority,
) -> Result<(), Problem> {
    match policy.priority_limit(member, role).filter(|most| priority > *most) {
        None => Ok(()),
        Some(most) => {
            let detail =
                format!("you may use priorities up to {} here, this is {}", most.get(), priority.get());
            let hint = format!(
                "ask for {} or less; `tidegate workspace policy show` shows who may more",
                most.get()
            );
            Err(Problem::new(Code::PolicyForbids, detail).hint(hint).at("/spec/priority"))
        }
    }
}

/// Whether a workload's priority may be changed to this by whoever asks.
pub fn may_have_priority(
    world: &World,
    caller: &Caller,
    room: WorkspaceId,
    quota: QuotaId,
    priority: Priority,
) -> Result<(), Problem> {
    let role = role_in(world, caller, room);
    world
        .people
        .policy(room, quota)
        .map_or(Ok(()), |policy| admits_priority(policy, caller.who.user, role, priority))
}

/// What a workload asks for that names a size: the size is what the scheduling center says now.
pub fn sized<'a>(
    world: &World,
    place: &Place,
    spec: &'a WorkloadSpec,
) -> Result<Cow<'a, WorkloadSpec>, Problem> {
    let Some(size) = &spec.size else { return Ok(Cow::Borrowed(spec)) };
    let policy = world.people.policy(place.workspace, place.quota);
    let presets = policy.map_or(&[][..], |policy| &policy.presets);
    let module: Module = spec.module.map_or(Module::Training, Into::into);
    let fits = |preset: &&Preset| preset.modules.is_none_or(|modules| modules.contains(module));
    if let Some(preset) = presets.iter().filter(fits).find(|preset| *preset.name == **size) {
        let resources = Some(wire::resources(preset));
        return Ok(Cow::Owned(WorkloadSpec { resources, ..spec.clone() }));
    }
    let offered: Vec<&str> = presets.iter().filter(fits).map(|preset| &*preset.name).collect();
    let offered = if offered.is_empty() { "none".into() } else { offered.join(", ") };
    let detail = format!("there is no size {size} for {} here; there are: {offered}", module.word());
    Err(Problem::new(Code::UnknownReference, detail)
        .hint("`tidegate workspace policy show` lists sizes")
        .at("/spec/size"))
}

/// How long a workload may run: what it asks for, or less if the scheduling center says so.
pub fn longest_run(world: &World, place: &Place, module: Module, asked: Option<Span>) -> Option<Span> {
    let policy = world.people.policy(place.workspace, place.quota);
    let exempt = |policy: &Policy| {
        module == Module::Notebook
            && place.owner.is_some_and(|owner| policy.notebook_exempt.contains(&owner.member))
    };
    let allowed = policy.filter(|policy| !exempt(policy)).and_then(|policy| policy.longest_run(module));
    [asked, allowed].into_iter().flatten().min()
}
