//! Resource configs: dedicated compute of workspaces.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params};
use super::resource_requests::sees;
use super::{DryRunParams, page};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::dedicated::{agree, wire};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tidegate_api::dedicated::{ConfigChange, ConfigState, ExtendRequest, ResourceConfig, ResourceConfigList};
use tidegate_api::problem::{Code, Problem};
use tidegate_billing::dedicated::{self as record, ConfigId};
use tidegate_identity::{Action, Resource};
use utoipa::IntoParams;

/// Which configs are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ConfigQuery {
    state: Option<ConfigState>,
    /// Only of this workspace; all that the caller sees if absent.
    workspace: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

fn missing(id: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no resource config {id}"))
        .hint("`tidegate resource-config list` lists them")
}

/// The config of this id, if the caller sees it.
fn find<'a>(world: &'a World, caller: &Caller, id: &str) -> Result<&'a record::ResourceConfig, Problem> {
    let found = ConfigId::parse(id).and_then(|id| world.business.config(id));
    let config = &found.ok_or_else(|| missing(id))?.record;
    caller
        .check(&world.people, Action::WorkspaceRead, Resource::Workspace(config.workspace), || missing(id))?;
    Ok(config)
}

/// The config of this id, if the caller may decide what becomes of it.
fn own(world: &World, caller: &Caller, id: &str) -> Result<ConfigId, Problem> {
    let config = find(world, caller, id)?;
    agree::may_undo(world, caller, config.workspace, config.by, || missing(id))?;
    Ok(config.id)
}

fn shown(world: &World, id: ConfigId, now: tidegate_engine::ids::Tick) -> Result<ResourceConfig, Problem> {
    let config = world.business.config(id).ok_or_else(|| missing(&id.to_string()))?;
    Ok(wire::config(world, config, now))
}

fn made(deck: &Deck<'_>, id: ConfigId) -> Result<Made<ResourceConfig>, Problem> {
    let body = shown(deck.world(), id, deck.now())?;
    Ok(Made { status: StatusCode::OK, version: Some(body.version.clone()), body })
}

/// List resource configs, the latest first.
#[utoipa::path(get, path = "/api/v1/resource-configs", tag = "dedicated", params(ConfigQuery),
    responses((status = 200, body = ResourceConfigList), (status = "default", body = Problem)), operation_id = "resource_configs")]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<ConfigQuery>,
) -> Answered<ResourceConfigList> {
    caller.good_for(Action::WorkspaceRead)?;
    let page = page(query.limit, query.page_token.as_deref())?;
    let outcome = app.control.read(|world, now| {
        let seen = world.business.configs().rev().filter(|c| sees(world, &caller, c.record.workspace));
        let shown = seen.map(|config| wire::config(world, config, now)).filter(|config| {
            query.state.is_none_or(|state| state == config.state)
                && query.workspace.as_ref().is_none_or(|name| config.workspace.as_str() == name)
        });
        let (items, next_page_token) = page.cut(shown);
        Ok(ResourceConfigList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// One resource config with what it has and how much of it is in use, by its id.
#[utoipa::path(get, path = "/api/v1/resource-configs/{name}", tag = "dedicated", params(("name" = String, Path, description = "The config's id")),
    responses((status = 200, body = ResourceConfig), (status = "default", body = Problem)), operation_id = "resource_config")]
pub async fn get(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<ResourceConfig> {
    let outcome = app.control.read(|world, now| {
        let id = find(world, &caller, &name)?.id;
        shown(world, id, now)
    });
    let body = read(outcome.await)?;
    Ok(Answer { version: Some(body.version.clone()), body })
}

/// Let a resource config go on for longer.
#[utoipa::path(post, path = "/api/v1/resource-configs/{name}:extend", tag = "dedicated", request_body = ExtendRequest,
    params(("name" = String, Path, description = "The config's id"), DryRunParams),
    responses((status = 200, body = ResourceConfig), (status = "default", body = Problem)), operation_id = "extend_resources")]
pub async fn extend(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<ExtendRequest>,
) -> Response {
    let asked = body.value;
    change
        .carry_out(&app, "resource-config.extend", body.sent, move |deck, change| {
            change.platform(deck, Action::ResourceConfigApprove)?;
            let id = find(deck.world(), change.caller(), &name)?.id;
            agree::extend(deck, id, &asked)?;
            made(deck, id)
        })
        .await
}

/// Change whether a resource config lends what it does not use, and how full it may be. For whoever asked for it, and for
/// admins of the workspace.
#[utoipa::path(post, path = "/api/v1/resource-configs/{name}:set", tag = "dedicated", request_body = ConfigChange,
    params(("name" = String, Path, description = "The config's id"), DryRunParams),
    responses((status = 200, body = ResourceConfig), (status = "default", body = Problem)), operation_id = "set_resources")]
pub async fn set(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<ConfigChange>,
) -> Response {
    let asked = body.value;
    change
        .carry_out(&app, "resource-config.set", body.sent, move |deck, change| {
            let id = own(deck.world(), change.caller(), &name)?;
            agree::set(deck, id, &asked)?;
            made(deck, id)
        })
        .await
}

/// End a resource config before its time: its tasks are stopped. For whoever asked for it, and for admins of the workspace.
#[utoipa::path(post, path = "/api/v1/resource-configs/{name}:release", tag = "dedicated",
    params(("name" = String, Path, description = "The config's id"), DryRunParams),
    responses((status = 200, body = ResourceConfig), (status = "default", body = Problem)), operation_id = "release_resources")]
pub async fn release(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "resource-config.release", Bytes::new(), move |deck, change| {
            let id = own(deck.world(), change.caller(), &name)?;
            agree::release(deck, id)?;
            made(deck, id)
        })
        .await
}
