//! Quotas: the tree, its books, and changes of both.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params, is_about};
use super::super::sight;
use super::{DryRunParams, PageParams, page, policies};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::dedicated::supply;
use crate::tasks::place;
use crate::view;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tidegate_api::convert::blame;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::quota::{
    NewQuota, Quota, QuotaForest, QuotaHistory, QuotaList, QuotaSpec, ScaleRequest, TransferRequest,
};
use tidegate_api::words::Mode;
use tidegate_billing::record::ComputeKind;
use tidegate_engine::ids::{QuotaId, WorkspaceId};
use tidegate_engine::{Command, EventKind};
use tidegate_identity::Action;
use utoipa::IntoParams;

/// Which quotas are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct QuotaQuery {
    /// Only trees of this pool.
    pool: Option<String>,
    /// Only children of this quota.
    parent: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

/// The quota of this name, for those from whom none is hidden.
pub fn named(world: &World, name: &str) -> Result<QuotaId, Problem> {
    let found = world.engine.quota_named(name).filter(|id| world.engine.quota(*id).is_some());
    found.ok_or_else(|| sight::missing(name))
}

fn show(world: &World, id: QuotaId) -> Result<Quota, Problem> {
    view::quota(world, id).ok_or_else(|| Problem::new(Code::NotFound, "the quota is gone"))
}

fn version(world: &World, id: QuotaId) -> u64 {
    world.shell.quotas.get(&id).map_or(0, |record| record.version)
}

fn made(deck: &Deck<'_>, status: StatusCode, id: QuotaId) -> Result<Made<Quota>, Problem> {
    let quota = show(deck.world(), id)?;
    Ok(Made { status, version: Some(quota.metadata.version.clone()), body: quota })
}

/// List quotas, in tree order.
#[utoipa::path(get, path = "/api/v1/quotas", tag = "quotas", params(QuotaQuery),
    responses((status = 200, body = QuotaList), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<QuotaQuery>,
) -> Answered<QuotaList> {
    let page = page(query.limit, query.page_token.as_deref())?;
    caller.good_for(Action::QuotaRead)?;
    let outcome = app.control.read(|world, _| {
        let all = sight::quotas(world, &caller).into_iter().filter(|quota| {
            query.pool.as_ref().is_none_or(|pool| quota.status.pool.as_str() == pool)
                && query
                    .parent
                    .as_ref()
                    .is_none_or(|p| quota.spec.parent.as_ref().is_some_and(|n| n.as_str() == p))
        });
        let (items, next_page_token) = page.cut(all);
        Ok(QuotaList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// All quotas as trees.
#[utoipa::path(get, path = "/api/v1/quotas:tree", tag = "quotas",
    responses((status = 200, body = QuotaForest), (status = "default", body = Problem)))]
pub async fn tree(State(app): State<App>, caller: Caller) -> Answered<QuotaForest> {
    caller.good_for(Action::QuotaRead)?;
    let forest = app.control.read(|world, _| Ok(view::forest(sight::quotas(world, &caller))));
    read(forest.await).map(Answer::new)
}

/// One quota with its books.
#[utoipa::path(get, path = "/api/v1/quotas/{name}", tag = "quotas", params(("name" = String, Path, description = "The quota")),
    responses((status = 200, body = Quota), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<Quota> {
    let outcome = app.control.read(|world, _| {
        let id = sight::find_quota(world, &caller, &name)?;
        Ok(sight::trim(world, &caller, show(world, id)?))
    });
    let quota = read(outcome.await)?;
    Ok(Answer { version: Some(quota.metadata.version.clone()), body: quota })
}

/// Create a quota.
#[utoipa::path(post, path = "/api/v1/quotas", tag = "quotas", params(DryRunParams), request_body = NewQuota,
    responses((status = 201, body = Quota), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewQuota>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "quota.create", body.sent, move |deck, _| {
            let id = create_on(deck, &new)?;
            made(deck, StatusCode::CREATED, id)
        })
        .await
}

/// What a quota is marked as.
fn kind(spec: &QuotaSpec) -> Option<ComputeKind> {
    match (spec.shared == Some(true), spec.dedicated == Some(true)) {
        (true, _) => Some(ComputeKind::Shared),
        (_, true) => Some(ComputeKind::Dedicated),
        _ => None,
    }
}

pub fn create_on(deck: &mut Deck<'_>, new: &NewQuota) -> Result<QuotaId, Problem> {
    supply::may_create(deck.world(), &new.metadata.name, new.spec.parent.as_ref())?;
    let spec = new.spec.to_engine(&deck.world().engine, &new.metadata.name)?;
    let events = deck.command(Command::CreateQuota(Box::new(spec))).map_err(blame)?;
    let created = events.iter().find_map(|event| match event.kind {
        EventKind::QuotaCreated { quota, .. } => Some(quota),
        _ => None,
    });
    let id = created.expect("a quota that was created has an id");
    place::mark(deck, id, kind(&new.spec));
    Ok(id)
}

/// What `PUT` does beside the new specification.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PutParams {
    /// What happens to work in the way when the guarantee shrinks: refuse, drain or evict.
    mode: Option<Mode>,
    /// Say what would happen, and change nothing.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    dry_run: Option<bool>,
}

/// Change a quota's policies, and its guarantee. Needs If-Match.
#[utoipa::path(put, path = "/api/v1/quotas/{name}", tag = "quotas", request_body = NewQuota,
    params(("name" = String, Path, description = "The quota"), PutParams, ("If-Match" = String, Header, description = "The version that is changed")),
    responses((status = 200, body = Quota), (status = "default", body = Problem)))]
pub async fn put(
    State(app): State<App>,
    Named(name): Named,
    Params(params): Params<PutParams>,
    change: Change,
    body: Json<NewQuota>,
) -> Response {
    let new = body.value;
    let mode = params.mode.map_or(tidegate_engine::words::Mode::Refuse, Into::into);
    change
        .carry_out(&app, "quota.set", body.sent, move |deck, change| {
            let id = named(deck.world(), &name)?;
            change.must_match(version(deck.world(), id))?;
            is_about(&new.metadata.name, &name, "/metadata/name")?;
            set_on(deck, id, &new, mode)?;
            made(deck, StatusCode::OK, id)
        })
        .await
}

/// Makes a quota as it is described.
pub fn set_on(
    deck: &mut Deck<'_>,
    quota: QuotaId,
    new: &NewQuota,
    mode: tidegate_engine::words::Mode,
) -> Result<(), Problem> {
    supply::by_hand(deck.world(), quota)?;
    supply::may_mark(deck.world(), quota, kind(&new.spec))?;
    let guarantee = new.spec.guarantee_for(&deck.world().engine, quota)?;
    supply::may_have(deck.world(), quota, &guarantee, deck.now())?;
    let change = new.spec.change()?;
    let present = deck.world().engine.quota(quota).map(|q| (q.guarantee, q.policy));
    if present.is_some_and(|(present, _)| present != guarantee) {
        deck.command(Command::Scale { quota, guarantee, mode }).map_err(blame)?;
    }
    if present.map(|(_, policy)| policy) != new.spec.policy().ok() {
        deck.command(Command::SetPolicy { quota, change }).map_err(blame)?;
    }
    place::mark(deck, quota, kind(&new.spec));
    Ok(())
}

/// Set a quota's guarantee. Needs If-Match.
#[utoipa::path(post, path = "/api/v1/quotas/{name}:scale", tag = "quotas", request_body = ScaleRequest,
    params(("name" = String, Path, description = "The quota"), DryRunParams, ("If-Match" = String, Header, description = "The version that is changed")),
    responses((status = 200, body = Quota), (status = "default", body = Problem)))]
pub async fn scale(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<ScaleRequest>,
) -> Response {
    let request = body.value;
    change
        .carry_out(&app, "quota.scale", body.sent, move |deck, change| {
            let id = named(deck.world(), &name)?;
            change.must_match(version(deck.world(), id))?;
            supply::by_hand(deck.world(), id)?;
            let command = request.command(&deck.world().engine, id)?;
            if let Command::Scale { guarantee, .. } = &command {
                supply::may_have(deck.world(), id, guarantee, deck.now())?;
            }
            deck.command(command)?;
            made(deck, StatusCode::OK, id)
        })
        .await
}

/// Move an amount to a quota with the same parent, in one step or not at all. Needs If-Match for the giver.
#[utoipa::path(post, path = "/api/v1/quotas/{name}:transfer", tag = "quotas", request_body = TransferRequest,
    params(("name" = String, Path, description = "The quota that gives"), DryRunParams, ("If-Match" = String, Header, description = "The version that is changed")),
    responses((status = 200, body = Quota), (status = "default", body = Problem)))]
pub async fn transfer(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<TransferRequest>,
) -> Response {
    let request = body.value;
    change
        .carry_out(&app, "quota.transfer", body.sent, move |deck, change| {
            let id = named(deck.world(), &name)?;
            change.must_match(version(deck.world(), id))?;
            let command = request.command(&deck.world().engine, id)?;
            if let Command::Transfer { to, amount, .. } = &command {
                supply::by_hand(deck.world(), id)?;
                supply::by_hand(deck.world(), *to)?;
                let left = deck.world().engine.quota(id).map(|quota| quota.guarantee.minus(amount));
                left.map_or(Ok(()), |left| supply::may_have(deck.world(), id, &left, deck.now()))?;
            }
            deck.command(command)?;
            made(deck, StatusCode::OK, id)
        })
        .await
}

/// Delete an empty quota. Needs If-Match.
#[utoipa::path(delete, path = "/api/v1/quotas/{name}", tag = "quotas",
    params(("name" = String, Path, description = "The quota"), DryRunParams, ("If-Match" = String, Header, description = "The version that is deleted")),
    responses((status = 200, body = Quota), (status = "default", body = Problem)))]
pub async fn delete(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "quota.delete", Bytes::new(), move |deck, change| {
            let id = named(deck.world(), &name)?;
            change.must_match(version(deck.world(), id))?;
            let last = show(deck.world(), id)?;
            may_delete(deck.world(), id)?;
            supply::by_hand(deck.world(), id)?;
            remove(deck, id)?;
            Ok(Made::ok(last))
        })
        .await
}

/// Deletes an empty quota, with what was said of it.
pub fn remove(deck: &mut Deck<'_>, id: QuotaId) -> Result<(), Problem> {
    // The workspace default may have policies for it without its being attached.
    let people = &deck.world().people;
    let rooms: Vec<WorkspaceId> =
        people.all_policies().filter(|(_, quota, _)| *quota == id).map(|(room, ..)| room).collect();
    for room in rooms {
        policies::replace(deck, room, id, None)?;
    }
    deck.command(Command::DeleteQuota { quota: id })?;
    place::mark(deck, id, None);
    Ok(())
}

/// A quota that workspaces may use is not deleted from under them.
fn may_delete(world: &World, id: QuotaId) -> Result<(), Problem> {
    let rooms: Vec<&str> = world.people.attached(id).map(|room| &*room.name).collect();
    if rooms.is_empty() {
        return Ok(());
    }
    let name = world.engine.quota(id).map_or("it", |quota| &quota.name);
    let detail = format!("{name} is attached to workspaces: {}", rooms.join(", "));
    Err(Problem::new(Code::QuotaNotEmpty, detail).hint("detach it first: `tidegate workspace detach`"))
}

/// Every change of a quota, newest first.
#[utoipa::path(get, path = "/api/v1/quotas/{name}/history", tag = "quotas", params(("name" = String, Path, description = "The quota"), PageParams),
    responses((status = 200, body = QuotaHistory), (status = "default", body = Problem)))]
pub async fn history(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
    Params(params): Params<PageParams>,
) -> Answered<QuotaHistory> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let id = sight::find_quota(world, &caller, &name)?;
        let (items, next_page_token) = page.cut(view::history(world, id).into_iter());
        Ok(QuotaHistory { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}
