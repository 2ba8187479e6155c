//! Requests for dedicated compute.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params};
use super::super::submission;
use super::{DryRunParams, page};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::dedicated::{agree, wire};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tidegate_api::dedicated::{
    Decision, NewResourceRequest, RequestState, ResourceRequest, ResourceRequestList,
};
use tidegate_api::problem::{Code, Problem};
use tidegate_billing::dedicated::{self as record, RequestId};
use tidegate_engine::ids::{MemberId, WorkspaceId};
use tidegate_identity::{Action, Resource};
use utoipa::IntoParams;

/// Which requests are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RequestQuery {
    state: Option<RequestState>,
    /// Only of this workspace; all that the caller sees if absent.
    workspace: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

fn missing(id: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no resource request {id}"))
        .hint("`tidegate resource-config requests` lists them")
}

/// Whether the caller sees what a workspace has asked for.
pub(super) fn sees(world: &World, caller: &Caller, room: WorkspaceId) -> bool {
    caller.may(&world.people, Action::WorkspaceRead, Resource::Workspace(room))
}

/// The request of this id, if the caller sees it.
fn find<'a>(world: &'a World, caller: &Caller, id: &str) -> Result<&'a record::ResourceRequest, Problem> {
    let found = RequestId::parse(id).and_then(|id| world.business.request(id));
    let request = &found.ok_or_else(|| missing(id))?.record;
    caller.check(&world.people, Action::WorkspaceRead, Resource::Workspace(request.workspace), || {
        missing(id)
    })?;
    Ok(request)
}

fn made(deck: &Deck<'_>, status: StatusCode, id: RequestId) -> Result<Made<ResourceRequest>, Problem> {
    let world = deck.world();
    let request = world.business.request(id).ok_or_else(|| missing(&id.to_string()))?;
    let body = wire::request(world, request);
    Ok(Made { status, version: Some(body.version.clone()), body })
}

/// List requests, the latest first.
#[utoipa::path(get, path = "/api/v1/resource-requests", tag = "dedicated", params(RequestQuery),
    responses((status = 200, body = ResourceRequestList), (status = "default", body = Problem)), operation_id = "resource_requests")]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<RequestQuery>,
) -> Answered<ResourceRequestList> {
    caller.good_for(Action::WorkspaceRead)?;
    let page = page(query.limit, query.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let seen = world.business.requests().rev().filter(|r| sees(world, &caller, r.record.workspace));
        let shown = seen.map(|request| wire::request(world, request)).filter(|request| {
            query.state.is_none_or(|state| state == request.state)
                && query.workspace.as_ref().is_none_or(|name| request.workspace.as_str() == name)
        });
        let (items, next_page_token) = page.cut(shown);
        Ok(ResourceRequestList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// One request, by its id.
#[utoipa::path(get, path = "/api/v1/resource-requests/{name}", tag = "dedicated", params(("name" = String, Path, description = "The request's id")),
    responses((status = 200, body = ResourceRequest), (status = "default", body = Problem)), operation_id = "resource_request")]
pub async fn get(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<ResourceRequest> {
    let outcome = app.control.read(|world, _| {
        let id = find(world, &caller, &name)?.id;
        let request = world.business.request(id).ok_or_else(|| missing(&name))?;
        Ok(wire::request(world, request))
    });
    let body = read(outcome.await)?;
    Ok(Answer { version: Some(body.version.clone()), body })
}

/// Ask for dedicated compute. A platform administrator approves or declines it.
#[utoipa::path(post, path = "/api/v1/resource-requests", tag = "dedicated", params(DryRunParams), request_body = NewResourceRequest,
    responses((status = 201, body = ResourceRequest), (status = "default", body = Problem)), operation_id = "request_resources")]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewResourceRequest>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "resource-request.create", body.sent, move |deck, change| {
            let (caller, action) = (change.caller(), Action::ResourceRequestCreate);
            let room =
                submission::room(deck.world(), caller, new.workspace.as_ref(), action, "/workspace")?.id;
            let id = agree::request(deck, caller, room, &new)?;
            made(deck, StatusCode::CREATED, id)
        })
        .await
}

/// What an administrator makes of a request, with a note.
async fn decide(
    app: App,
    name: String,
    change: Change,
    body: Json<Decision>,
    operation: &'static str,
    decision: fn(&mut Deck<'_>, MemberId, RequestId, &str) -> Result<(), Problem>,
) -> Response {
    let note = body.value.note.unwrap_or_default();
    change
        .carry_out(&app, operation, body.sent, move |deck, change| {
            change.platform(deck, Action::ResourceConfigApprove)?;
            let id = find(deck.world(), change.caller(), &name)?.id;
            decision(deck, change.caller().who.user, id, &note)?;
            made(deck, StatusCode::OK, id)
        })
        .await
}

/// Approve a request: a resource config is made of it, and booked.
#[utoipa::path(post, path = "/api/v1/resource-requests/{name}:approve", tag = "dedicated", request_body = Decision,
    params(("name" = String, Path, description = "The request's id"), DryRunParams),
    responses((status = 200, body = ResourceRequest), (status = "default", body = Problem)), operation_id = "approve_resources")]
pub async fn approve(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<Decision>,
) -> Response {
    decide(app, name, change, body, "resource-request.approve", |deck, by, id, note| {
        agree::approve(deck, by, id, note).map(|_| ())
    })
    .await
}

/// Decline a request, with a note.
#[utoipa::path(post, path = "/api/v1/resource-requests/{name}:decline", tag = "dedicated", request_body = Decision,
    params(("name" = String, Path, description = "The request's id"), DryRunParams),
    responses((status = 200, body = ResourceRequest), (status = "default", body = Problem)), operation_id = "decline_resources")]
pub async fn decline(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<Decision>,
) -> Response {
    decide(app, name, change, body, "resource-request.decline", agree::decline).await
}

/// Take a request back that nobody has decided yet: for whoever made it, and for admins of the workspace.
#[utoipa::path(post, path = "/api/v1/resource-requests/{name}:withdraw", tag = "dedicated",
    params(("name" = String, Path, description = "The request's id"), DryRunParams),
    responses((status = 200, body = ResourceRequest), (status = "default", body = Problem)), operation_id = "withdraw_resources")]
pub async fn withdraw(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "resource-request.withdraw", Bytes::new(), move |deck, change| {
            let (world, caller) = (deck.world(), change.caller());
            let request = find(world, caller, &name)?;
            let id = request.id;
            agree::may_undo(world, caller, request.workspace, request.by, || missing(&name))?;
            agree::withdraw(deck, caller.who.user, id)?;
            made(deck, StatusCode::OK, id)
        })
        .await
}
