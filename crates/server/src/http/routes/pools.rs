//! Pools: the physical supply.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params};
use super::{DryRunParams, PageParams, page};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::view;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::convert::blame;
use tidegate_api::pool::{NewPool, Pool, PoolList};
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::Command;
use tidegate_engine::ids::PoolId;
use tidegate_engine::words::PoolKind;

pub fn find(world: &World, name: &str) -> Result<PoolId, Problem> {
    world.engine.pool_named(name).ok_or_else(|| {
        Problem::new(Code::NotFound, format!("there is no pool {name}"))
            .hint("`tidegate pool list` lists them")
    })
}

fn show(world: &World, id: PoolId) -> Result<Pool, Problem> {
    view::pool(world, id).ok_or_else(|| Problem::new(Code::NotFound, "the pool is gone"))
}

/// List pools.
#[utoipa::path(get, path = "/api/v1/pools", tag = "pools", params(PageParams),
    responses((status = 200, body = PoolList), (status = "default", body = Problem)))]
pub async fn list(State(app): State<App>, Params(params): Params<PageParams>) -> Answered<PoolList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let (ids, next_page_token) = page.cut(world.shell.pools.keys());
        Ok(PoolList {
            items: ids.into_iter().filter_map(|id| view::pool(world, *id)).collect(),
            next_page_token,
        })
    });
    read(outcome.await).map(Answer::new)
}

/// One pool.
#[utoipa::path(get, path = "/api/v1/pools/{name}", tag = "pools", params(("name" = String, Path, description = "The pool")),
    responses((status = 200, body = Pool), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, Named(name): Named) -> Answered<Pool> {
    read(app.control.read(|world, _| show(world, find(world, &name)?)).await).map(Answer::new)
}

/// Create a pool with its first nodes.
#[utoipa::path(post, path = "/api/v1/pools", tag = "pools", params(DryRunParams), request_body = NewPool,
    responses((status = 201, body = Pool), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewPool>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "pool.create", body.sent, move |deck, _| {
            let id = create_on(deck, &new)?;
            Ok(Made { status: StatusCode::CREATED, version: None, body: show(deck.world(), id)? })
        })
        .await
}

/// Creates a pool and its nodes: all that can be refused is looked at before the first command.
pub fn create_on(deck: &mut Deck<'_>, new: &NewPool) -> Result<PoolId, Problem> {
    let name = &new.metadata.name;
    let next = PoolId(deck.world().shell.pools.len() as u16);
    let nodes = new.spec.nodes(name, next, 0)?;
    let kind = new.spec.kind.map_or(PoolKind::General, Into::into);
    deck.command(Command::CreatePool { name: name.as_str().into(), kind }).map_err(blame)?;
    for node in nodes {
        deck.command(node).map_err(blame)?;
    }
    find(deck.world(), name)
}
