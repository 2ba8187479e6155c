//! Workspaces: each team's room, and the quotas that it may use.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params, is_about};
use super::super::sight;
use super::{DryRunParams, PageParams, page, policies, quotas, users};
use crate::core::deck::Deck;
use crate::core::world::World;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::limits::{MAX_ATTACHED, MAX_WORKSPACES};
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::resource::{Labels, Metadata};
use tidegate_api::time::Time;
use tidegate_api::workspace::{
    AttachRequest, NewWorkspace, Workspace, WorkspaceList, WorkspaceSpec, WorkspaceStatus,
};
use tidegate_engine::ids::{QuotaId, WorkloadId, WorkspaceId};
use tidegate_identity::record::{Member, UserKind};
use tidegate_identity::role::BuiltIn;
use tidegate_identity::{Action, People, Record, Resource, record};

/// Names listed in one sentence; more are counted.
const LISTED: usize = 10;

pub fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no workspace {name}"))
        .hint("`tidegate workspace list` lists yours")
}

/// The workspace of this name, if the caller may do this to it.
pub fn find<'a>(
    people: &'a People,
    caller: &Caller,
    action: Action,
    name: &str,
) -> Result<&'a record::Workspace, Problem> {
    let room = people.workspace_named(name).ok_or_else(|| missing(name))?;
    caller.check(people, action, Resource::Workspace(room.id), || missing(name))?;
    Ok(room)
}

/// A workspace as one of its members sees it.
pub fn show(world: &World, caller: &Caller, id: WorkspaceId) -> Option<Workspace> {
    let people = &world.people;
    let room = people.workspace(id)?;
    let quota = |id: QuotaId| world.engine.quota(id).and_then(|quota| quota.name.parse::<Name>().ok());
    let role = people.member(id, caller.who.user).map(|member| people.role_name(member.role).to_string());
    let metadata = Metadata {
        name: room.name.parse().ok()?,
        uid: format!("ws-{}", id.0),
        created_at: Time::of(room.created),
        version: people.version(id).to_string(),
        labels: Labels::default(),
    };
    let spec = WorkspaceSpec {
        description: room.description.to_string(),
        quotas: room.quotas.iter().filter_map(|id| quota(*id)).collect(),
        default_quota: room.default_quota.and_then(quota),
    };
    let status = WorkspaceStatus {
        members: people.members(id).count() as u64,
        workloads: live(world, id, None).count() as u64,
        role,
        all_quotas: id == WorkspaceId::DEFAULT,
    };
    Some(Workspace::new(metadata, spec, status))
}

/// Names of a workspace's workloads that have not ended, in one quota or all.
fn live(world: &World, room: WorkspaceId, quota: Option<QuotaId>) -> impl Iterator<Item = &str> {
    let of_room = world.rooms.all(room, WorkloadId(u32::MAX));
    let workloads = of_room.filter_map(|id| world.engine.workload(id));
    workloads
        .filter(move |w| !w.state.is_ended() && quota.is_none_or(|quota| w.spec.quota == quota))
        .map(|w| &*w.spec.name)
}

/// `a, b and 3 more`.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    let more = names.len().saturating_sub(LISTED);
    let first = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match (names.is_empty(), more) {
        (true, _) => None,
        (_, 0) => Some(first),
        _ => Some(format!("{first} and {more} more")),
    }
}

fn made(
    deck: &Deck<'_>,
    change: &Change,
    status: StatusCode,
    id: WorkspaceId,
) -> Result<Made<Workspace>, Problem> {
    let body = show(deck.world(), change.caller(), id)
        .ok_or_else(|| Problem::new(Code::NotFound, "the workspace is gone"))?;
    Ok(Made { status, version: Some(body.metadata.version.clone()), body })
}

/// List workspaces: all of them for platform administrators, their own for everybody else.
#[utoipa::path(get, path = "/api/v1/workspaces", tag = "workspaces", params(PageParams),
    responses((status = 200, body = WorkspaceList), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<PageParams>,
) -> Answered<WorkspaceList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let people = &world.people;
        let (ids, next_page_token) = match caller.sees_all(people) {
            true => page.cut(people.workspaces().map(|room| room.id)),
            false => page.cut(people.rooms(caller.who.user)),
        };
        let sees = |id: &WorkspaceId| caller.may(people, Action::WorkspaceRead, Resource::Workspace(*id));
        let items = ids.into_iter().filter(sees).filter_map(|id| show(world, &caller, id)).collect();
        Ok(WorkspaceList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// One workspace.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}", tag = "workspaces", params(("name" = String, Path, description = "The workspace")),
    responses((status = 200, body = Workspace), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<Workspace> {
    let outcome = app.control.read(|world, _| {
        let id = find(&world.people, &caller, Action::WorkspaceRead, &name)?.id;
        show(world, &caller, id).ok_or_else(|| missing(&name))
    });
    let room = read(outcome.await)?;
    Ok(Answer { version: Some(room.metadata.version.clone()), body: room })
}

/// Create a workspace. Whoever creates it becomes its owner, unless that is a platform administrator.
#[utoipa::path(post, path = "/api/v1/workspaces", tag = "workspaces", params(DryRunParams), request_body = NewWorkspace,
    responses((status = 201, body = Workspace), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewWorkspace>) -> Response {
    let (new, apart) = (body.value, app.work.here.keeps_apart());
    change
        .carry_out(&app, "workspace.create", body.sent, move |deck, change| {
            change.platform(deck, Action::WorkspaceCreate)?;
            kept_apart(apart)?;
            let id = create_on(deck, change.caller(), &new)?;
            made(deck, change, StatusCode::CREATED, id)
        })
        .await
}

/// A second workspace needs walls, or somebody who says that it does not.
pub fn kept_apart(apart: Result<(), String>) -> Result<(), Problem> {
    apart.map_err(|why| {
        Problem::new(Code::WrongState, why)
            .hint("run the server as root, or say allow-shared-user = true in its configuration")
    })
}

pub fn create_on(deck: &mut Deck<'_>, caller: &Caller, new: &NewWorkspace) -> Result<WorkspaceId, Problem> {
    let people = &deck.world().people;
    let name = new.metadata.name.as_str();
    if let Some(other) = people.workspace_alike(name) {
        return Err(taken("workspace", &other.name, name).at("/metadata/name"));
    }
    if people.workspaces().count() >= MAX_WORKSPACES {
        let detail = format!("there are {MAX_WORKSPACES} workspaces, no more can be");
        return Err(Problem::new(Code::LimitExceeded, detail).hint("delete workspaces that nobody uses"));
    }
    let id = people.next_workspace();
    let (quotas, default_quota) = wanted(deck.world(), caller, id, &new.spec)?;
    let room = record::Workspace {
        id,
        name: name.into(),
        description: new.spec.description.as_str().into(),
        quotas,
        default_quota,
        created: deck.now(),
    };
    deck.put(None, Some(Record::Workspace(room)));
    Ok(id)
}

/// A name that somebody has, or one that only upper and lower case tell from it.
pub fn taken(what: &str, present: &str, wanted: &str) -> Problem {
    let detail = match present == wanted {
        true => format!("there is a {what} {wanted} already"),
        false => format!(
            "there is a {what} {present} already, and upper and lower case alone do not tell {wanted} from it"
        ),
    };
    Problem::new(Code::NameTaken, detail).hint("choose another name")
}

/// The quotas that a specification names, ascending, and the default one among them. What the caller does not see is
/// not there.
fn wanted(
    world: &World,
    caller: &Caller,
    id: WorkspaceId,
    spec: &WorkspaceSpec,
) -> Result<(Vec<QuotaId>, Option<QuotaId>), Problem> {
    let known =
        |quota: &QuotaId| world.people.may_use(id, *quota) || sight::knows_quota(world, caller, *quota);
    let quota = |name: &Name, at: String| {
        world.engine.quota_named(name).filter(known).ok_or_else(|| {
            Problem::new(Code::UnknownReference, format!("there is no quota {name}"))
                .hint("`tidegate quota list` lists those that you see")
                .at(at)
        })
    };
    let mut quotas = Vec::new();
    for (index, name) in spec.quotas.iter().enumerate() {
        quotas.push(quota(name, format!("/spec/quotas/{index}"))?);
    }
    quotas.sort_unstable();
    quotas.dedup();
    if id == WorkspaceId::DEFAULT && !quotas.is_empty() {
        return Err(open_to_all().at("/spec/quotas"));
    }
    let default =
        spec.default_quota.as_ref().map(|name| quota(name, "/spec/defaultQuota".into())).transpose()?;
    if let Some(name) = spec
        .default_quota
        .as_ref()
        .filter(|_| id != WorkspaceId::DEFAULT && default.is_some_and(|default| !quotas.contains(&default)))
    {
        let named: Vec<&str> = spec.quotas.iter().map(|name| name.as_str()).collect();
        let named = if named.is_empty() { "none".into() } else { named.join(", ") };
        let detail = format!("{name} is not among the quotas of the workspace, which are: {named}");
        return Err(Problem::new(Code::Invalid, detail)
            .hint("choose one of these, or have it attached first: `tidegate workspace attach`")
            .at("/spec/defaultQuota"));
    }
    Ok((quotas, default))
}

fn open_to_all() -> Problem {
    Problem::new(
        Code::WrongState,
        "the workspace default may use every quota: nothing is attached to it or detached",
    )
    .hint("make a workspace for each team, and attach to it what it may use")
}

/// Change a workspace: its description, its default quota, and, for platform administrators, its quotas.
#[utoipa::path(put, path = "/api/v1/workspaces/{name}", tag = "workspaces", request_body = NewWorkspace,
    params(("name" = String, Path, description = "The workspace"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The version that is changed")),
    responses((status = 200, body = Workspace), (status = "default", body = Problem)))]
pub async fn put(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<NewWorkspace>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "workspace.set", body.sent, move |deck, change| {
            let id = find(&deck.world().people, change.caller(), Action::WorkspaceUpdate, &name)?.id;
            is_about(&new.metadata.name, &name, "/metadata/name")?;
            change.may_match(deck.world().people.version(id))?;
            set_on(deck, change, id, &new.spec)?;
            made(deck, change, StatusCode::OK, id)
        })
        .await
}

/// Makes a workspace as it is described. Whether anything changed.
pub fn set_on(
    deck: &mut Deck<'_>,
    change: &Change,
    id: WorkspaceId,
    spec: &WorkspaceSpec,
) -> Result<bool, Problem> {
    let (quotas, default_quota) = wanted(deck.world(), change.caller(), id, spec)?;
    let Some(before) = deck.world().people.workspace(id).cloned() else { return Ok(false) };
    if before.quotas != quotas {
        change.platform(deck, Action::WorkspaceCreate)?;
        for gone in before.quotas.iter().filter(|id| !quotas.contains(id)) {
            may_detach(deck.world(), id, *gone)?;
        }
    }
    let description = spec.description.as_str().into();
    replace(deck, before.clone(), record::Workspace { description, quotas, default_quota, ..before })
}

/// Puts a workspace in place of itself. What it may no longer use, it has no policies for.
fn replace(
    deck: &mut Deck<'_>,
    before: record::Workspace,
    after: record::Workspace,
) -> Result<bool, Problem> {
    if before == after {
        return Ok(false);
    }
    let gone: Vec<QuotaId> =
        before.quotas.iter().copied().filter(|quota| !after.quotas.contains(quota)).collect();
    for quota in gone {
        policies::replace(deck, before.id, quota, None)?;
    }
    deck.put(Some(Record::Workspace(before)), Some(Record::Workspace(after)));
    Ok(true)
}

pub fn may_detach(world: &World, room: WorkspaceId, quota: QuotaId) -> Result<(), Problem> {
    match listed(live(world, room, Some(quota))) {
        None => Ok(()),
        Some(names) => {
            let (room, quota) = (world.people.workspace(room), world.engine.quota(quota));
            let (room, quota) =
                (room.map_or("it", |room| &room.name), quota.map_or("it", |quota| &quota.name));
            let detail = format!("workloads of {room} live in {quota}: {names}");
            Err(Problem::new(Code::WorkspaceNotEmpty, detail))
        }
    }
}

/// What is attached or detached to each other.
fn room_and_quota(
    deck: &Deck<'_>,
    change: &Change,
    name: &str,
    quota: &Name,
) -> Result<(record::Workspace, QuotaId), Problem> {
    let room = find(&deck.world().people, change.caller(), Action::WorkspaceCreate, name)?.clone();
    let quota = quotas::named(deck.world(), quota).map_err(|problem| problem.at("/quota"))?;
    if room.id == WorkspaceId::DEFAULT {
        return Err(open_to_all());
    }
    Ok((room, quota))
}

fn listed_by(workspace: &str) -> String {
    format!("`tidegate workspace show {workspace}` lists what is attached")
}

/// Let a workspace use a quota.
#[utoipa::path(post, path = "/api/v1/workspaces/{name}:attach", tag = "workspaces", request_body = AttachRequest,
    params(("name" = String, Path, description = "The workspace"), DryRunParams),
    responses((status = 200, body = Workspace), (status = "default", body = Problem)))]
pub async fn attach(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<AttachRequest>,
) -> Response {
    let quota = body.value.quota;
    change
        .carry_out(&app, "workspace.attach", body.sent, move |deck, change| {
            let (before, id) = room_and_quota(deck, change, &name, &quota)?;
            let mut after = before.clone();
            let Err(place) = after.quotas.binary_search(&id) else {
                let detail = format!("{quota} is attached to {name} already");
                return Err(Problem::new(Code::NothingToChange, detail).hint(listed_by(&name)));
            };
            if after.quotas.len() >= MAX_ATTACHED {
                let detail = format!("{name} may use {MAX_ATTACHED} quotas, no more can be attached");
                return Err(Problem::new(Code::LimitExceeded, detail).hint("detach some that nobody uses"));
            }
            after.quotas.insert(place, id);
            let id = before.id;
            replace(deck, before, after)?;
            made(deck, change, StatusCode::OK, id)
        })
        .await
}

/// Take a quota away from a workspace. Refused while workloads of the workspace live there. Deletes nothing.
#[utoipa::path(post, path = "/api/v1/workspaces/{name}:detach", tag = "workspaces", request_body = AttachRequest,
    params(("name" = String, Path, description = "The workspace"), DryRunParams),
    responses((status = 200, body = Workspace), (status = "default", body = Problem)))]
pub async fn detach(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<AttachRequest>,
) -> Response {
    let quota = body.value.quota;
    change
        .carry_out(&app, "workspace.detach", body.sent, move |deck, change| {
            let (before, id) = room_and_quota(deck, change, &name, &quota)?;
            if before.quotas.binary_search(&id).is_err() {
                let detail = format!("{quota} is not attached to {name}");
                return Err(Problem::new(Code::NothingToChange, detail).hint(listed_by(&name)));
            }
            may_detach(deck.world(), before.id, id)?;
            let mut after = before.clone();
            after.quotas.retain(|other| *other != id);
            after.default_quota = after.default_quota.filter(|default| *default != id);
            let id = before.id;
            replace(deck, before, after)?;
            made(deck, change, StatusCode::OK, id)
        })
        .await
}

/// Delete a workspace in which nothing lives. Its members stay users, its service accounts go with it.
#[utoipa::path(delete, path = "/api/v1/workspaces/{name}", tag = "workspaces",
    params(("name" = String, Path, description = "The workspace"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The version that is deleted")),
    responses((status = 200, body = Workspace), (status = "default", body = Problem)))]
pub async fn delete(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "workspace.delete", Bytes::new(), move |deck, change| {
            let room = find(&deck.world().people, change.caller(), Action::WorkspaceCreate, &name)?.clone();
            if room.id == WorkspaceId::DEFAULT {
                let detail = "the workspace default is always there";
                return Err(
                    Problem::new(Code::WrongState, detail).hint("it needs nothing: leave it as it is")
                );
            }
            if let Some(names) = listed(live(deck.world(), room.id, None)) {
                let detail = format!("workloads of {name} have not ended: {names}");
                return Err(Problem::new(Code::WorkspaceNotEmpty, detail));
            }
            let configs = deck.world().business.configs().map(|config| &config.record);
            let open = configs.filter(|config| config.workspace == room.id && config.ended.is_none());
            let open: Vec<String> = open.map(|config| config.id.to_string()).collect();
            if !open.is_empty() {
                let detail = format!("{name} has dedicated compute: {}", open.join(", "));
                return Err(Problem::new(Code::WorkspaceNotEmpty, detail).hint("release it first"));
            }
            change.may_match(deck.world().people.version(room.id))?;
            let last = made(deck, change, StatusCode::OK, room.id)?;
            delete_on(deck, room)?;
            Ok(last)
        })
        .await
}

fn delete_on(deck: &mut Deck<'_>, room: record::Workspace) -> Result<(), Problem> {
    for quota in room.quotas.clone() {
        policies::replace(deck, room.id, quota, None)?;
    }
    let templates = deck.world().business.templates().map(|template| &template.record);
    let templates: Vec<_> = templates.filter(|t| t.workspace == Some(room.id)).cloned().collect();
    for template in templates {
        deck.put_business(Some(tidegate_billing::Record::Template(template)), None);
    }
    if let Some(budget) = deck.world().business.budget(room.id).map(|budget| budget.record.clone()) {
        deck.put_business(Some(tidegate_billing::Record::Budget(budget)), None);
    }
    let people = &deck.world().people;
    let hooks: Vec<Record> = people.webhooks(room.id).cloned().map(Record::Webhook).collect();
    let members: Vec<Member> = people.members(room.id).copied().collect();
    let accounts = members.iter().filter_map(|member| people.user(member.user));
    let accounts: Vec<record::User> =
        accounts.filter(|user| user.kind == UserKind::ServiceAccount(room.id)).cloned().collect();
    accounts.iter().for_each(|account| users::remove_tokens(deck, account.id));
    let members = members.into_iter().map(Record::Member);
    let accounts = accounts.into_iter().map(Record::User);
    let gone: Vec<Record> = hooks.into_iter().chain(members).chain(accounts).collect();
    gone.into_iter().for_each(|record| deck.put(Some(record), None));
    deck.put(Some(Record::Workspace(room)), None);
    Ok(())
}

/// Whether a workspace would be left without an owner if somebody went or got another role.
pub fn is_last_owner(people: &People, member: &Member) -> bool {
    let owner = BuiltIn::Owner.id();
    member.role == owner
        && !people.members(member.workspace).any(|other| other.role == owner && other.user != member.user)
}
