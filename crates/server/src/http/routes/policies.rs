//! The scheduling center: what a workspace allows in each of its quotas.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Pair, Params, is_about};
use super::{DryRunParams, PageParams, page, workspaces};
use crate::center::wire::{of_policy, to_policy};
use crate::core::deck::Deck;
use crate::core::world::World;
use axum::extract::State;
use axum::response::Response;
use tidegate_api::name::Name;
use tidegate_api::policy::{Policy, PolicyList};
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::Command;
use tidegate_engine::ids::{QuotaId, WorkspaceId};
use tidegate_identity::{Action, Record, policy};

/// A quota that a workspace may use.
fn usable(world: &World, room: WorkspaceId, name: &str) -> Result<QuotaId, Problem> {
    let found = world.engine.quota_named(name).filter(|id| world.engine.quota(*id).is_some());
    found.filter(|id| world.people.may_use(room, *id)).ok_or_else(|| {
        Problem::new(Code::NotFound, format!("no quota {name} is attached to the workspace"))
            .hint("`tidegate workspace show` lists what is attached")
    })
}

fn show(world: &World, room: WorkspaceId, quota: QuotaId) -> Option<Policy> {
    let people = &world.people;
    let name: Name = world.engine.quota(quota)?.name.parse().ok()?;
    Some(Policy {
        workspace: Some(world.room_name(room)),
        quota: Some(name),
        version: Some(people.version(room).to_string()),
        spec: people.policy(room, quota).map(|policy| of_policy(people, policy)).unwrap_or_default(),
    })
}

fn gone() -> Problem {
    Problem::new(Code::NotFound, "the quota is gone")
}

/// List the policies of a workspace: of each quota that has any.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/policies", tag = "workspaces",
    params(("name" = String, Path, description = "The workspace"), PageParams),
    responses((status = 200, body = PolicyList), (status = "default", body = Problem)), operation_id = "policies")]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
    Params(params): Params<PageParams>,
) -> Answered<PolicyList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let room = workspaces::find(&world.people, &caller, Action::WorkspaceRead, &name)?.id;
        let all = world.people.policies(room).filter_map(|(quota, _)| show(world, room, quota));
        let (items, next_page_token) = page.cut(all);
        Ok(PolicyList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// What a workspace allows in a quota. One that says nothing is empty, and allows everything.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/policies/{quota}", tag = "workspaces",
    params(("name" = String, Path, description = "The workspace"), ("quota" = String, Path, description = "The quota")),
    responses((status = 200, body = Policy), (status = "default", body = Problem)), operation_id = "policy")]
pub async fn get(State(app): State<App>, caller: Caller, Pair(name, quota): Pair) -> Answered<Policy> {
    let outcome = app.control.read(|world, _| {
        let room = workspaces::find(&world.people, &caller, Action::WorkspaceRead, &name)?.id;
        show(world, room, usable(world, room, &quota)?).ok_or_else(gone)
    });
    let policy = read(outcome.await)?;
    Ok(Answer { version: policy.version.clone(), body: policy })
}

/// Set what a workspace allows in a quota. Needs If-Match with the workspace's version. Limits count at once; what is
/// refused or stopped by time counts for what is submitted, or waits or idles, from now on.
#[utoipa::path(put, path = "/api/v1/workspaces/{name}/policies/{quota}", tag = "workspaces", request_body = Policy,
    params(("name" = String, Path, description = "The workspace"), ("quota" = String, Path, description = "The quota"), DryRunParams,
        ("If-Match" = String, Header, description = "The workspace's version that is changed")),
    responses((status = 200, body = Policy), (status = "default", body = Problem)), operation_id = "set_policy")]
pub async fn set(
    State(app): State<App>,
    Pair(name, quota): Pair,
    change: Change,
    body: Json<Policy>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "policy.set", body.sent, move |deck, change| {
            let room =
                workspaces::find(&deck.world().people, change.caller(), Action::PolicyUpdate, &name)?.id;
            let id = usable(deck.world(), room, &quota)?;
            change.must_match(deck.world().people.version(room))?;
            for (given, path, at) in [(&new.workspace, &name, "/workspace"), (&new.quota, &quota, "/quota")] {
                given.as_ref().map_or(Ok(()), |given| is_about(given, path, at))?;
            }
            set_on(deck, room, id, &new)?;
            let body = show(deck.world(), room, id).ok_or_else(gone)?;
            Ok(Made { version: body.version.clone(), ..Made::ok(body) })
        })
        .await
}

fn set_on(deck: &mut Deck<'_>, workspace: WorkspaceId, quota: QuotaId, new: &Policy) -> Result<(), Problem> {
    let people = &deck.world().people;
    let before = people.policy(workspace, quota).cloned();
    let after = to_policy(people, workspace, before.as_ref(), &new.spec)?;
    let after = (after != policy::Policy::default()).then_some(after);
    replace(deck, workspace, quota, after)
}

/// Puts a policy in place of what there is, with its caps.
pub fn replace(
    deck: &mut Deck<'_>,
    workspace: WorkspaceId,
    quota: QuotaId,
    after: Option<policy::Policy>,
) -> Result<(), Problem> {
    let before = deck.world().people.policy(workspace, quota).cloned();
    if before == after {
        return Ok(());
    }
    let caps = |policy: &Option<policy::Policy>| policy.as_ref().map_or(Vec::new(), |p| p.caps.clone());
    let (old, new) = (caps(&before), caps(&after));
    let record = |policy: Option<policy::Policy>| {
        policy.map(|policy| Record::Policy(workspace, quota, Box::new(policy)))
    };
    if old != new {
        deck.command(Command::SetCaps { workspace, quota, caps: new })?;
    }
    deck.put(record(before), record(after));
    Ok(())
}
