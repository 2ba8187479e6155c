//! Nodes: what they carry, and whether they take more.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::change::{Change, Made};
use super::super::extract::{Json, MaybeJson, Named, Params};
use super::{DryRunParams, page};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::view;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tidegate_api::convert::blame;
use tidegate_api::node::{
    CordonRequest, DrainRequest, NewNode, Node, NodeList, QuarantineRequest, RestoreRequest,
};
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::Command;
use tidegate_engine::ids::{NodeId, PoolId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::words::ModuleSet;
use utoipa::IntoParams;

/// Which nodes are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct NodeQuery {
    /// Only nodes of this pool.
    pool: Option<String>,
    /// Only nodes in this state.
    state: Option<tidegate_api::node::NodeState>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

pub fn find(world: &World, name: &str) -> Result<(PoolId, NodeId), Problem> {
    world.engine.node_named(name).ok_or_else(|| {
        Problem::new(Code::NotFound, format!("there is no node {name}"))
            .hint("`tidegate node list` lists them")
    })
}

fn show(world: &World, (pool, node): (PoolId, NodeId)) -> Result<Node, Problem> {
    view::node(world, pool, node).ok_or_else(|| Problem::new(Code::NotFound, "the node is gone"))
}

/// List nodes, pools in order of creation.
#[utoipa::path(get, path = "/api/v1/nodes", tag = "nodes", params(NodeQuery),
    responses((status = 200, body = NodeList), (status = "default", body = Problem)))]
pub async fn list(State(app): State<App>, Params(query): Params<NodeQuery>) -> Answered<NodeList> {
    let page = page(query.limit, query.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let pools = world.shell.pools.keys().filter_map(|pool| world.engine.pool(*pool));
        let pools = pools.filter(|pool| query.pool.as_ref().is_none_or(|name| **name == *pool.name));
        let wanted = query.state;
        let ids = pools.flat_map(|pool| {
            let in_state = move |state: NodeState| wanted.is_none_or(|wanted| wanted == state.into());
            pool.nodes.iter().filter(move |node| in_state(node.state)).map(move |node| (pool.id, node.id))
        });
        let (ids, next_page_token) = page.cut(ids);
        let nodes = ids.into_iter().filter_map(|(pool, node)| view::node(world, pool, node));
        let items = nodes.map(|node| app.work.here.node(node)).collect();
        Ok(NodeList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// One node with what its devices carry.
#[utoipa::path(get, path = "/api/v1/nodes/{name}", tag = "nodes", params(("name" = String, Path, description = "The node")),
    responses((status = 200, body = Node), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, Named(name): Named) -> Answered<Node> {
    let node = read(app.control.read(|world, _| show(world, find(world, &name)?)).await)?;
    Ok(Answer::new(app.work.here.node(node)))
}

/// Add a node to a pool.
#[utoipa::path(post, path = "/api/v1/nodes", tag = "nodes", params(DryRunParams), request_body = NewNode,
    responses((status = 201, body = Node), (status = "default", body = Problem)))]
pub async fn add(State(app): State<App>, change: Change, body: Json<NewNode>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "node.add", body.sent, move |deck, _| {
            let command = new.spec.command(&deck.world().engine, &new.metadata.name)?;
            deck.command(command).map_err(blame)?;
            let node = show(deck.world(), find(deck.world(), &new.metadata.name)?)?;
            Ok(Made { status: StatusCode::CREATED, version: None, body: node })
        })
        .await
}

/// Remove a node that no guarantee needs and on which nothing runs.
#[utoipa::path(delete, path = "/api/v1/nodes/{name}", tag = "nodes", params(("name" = String, Path, description = "The node"), DryRunParams),
    responses((status = 200, body = Node), (status = "default", body = Problem)))]
pub async fn remove(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "node.remove", Bytes::new(), move |deck, _| {
            let (pool, node) = find(deck.world(), &name)?;
            let last = show(deck.world(), (pool, node))?;
            deck.command(Command::RemoveNode { pool, node })?;
            Ok(Made::ok(last))
        })
        .await
}

fn set(deck: &mut Deck<'_>, name: &str, state: NodeState, reason: &str) -> Result<Made<Node>, Problem> {
    let (pool, node) = find(deck.world(), name)?;
    deck.command(Command::SetNode { pool, node, state, reason: reason.into() })?;
    Ok(Made::ok(show(deck.world(), (pool, node))?))
}

/// Take no new work; what runs stays.
#[utoipa::path(post, path = "/api/v1/nodes/{name}:cordon", tag = "nodes", params(("name" = String, Path, description = "The node"), DryRunParams),
    request_body = Option<CordonRequest>, responses((status = 200, body = Node), (status = "default", body = Problem)))]
pub async fn cordon(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: MaybeJson<CordonRequest>,
) -> Response {
    let reason = body.value.reason.unwrap_or_default();
    change
        .carry_out(&app, "node.cordon", body.sent, move |deck, _| {
            set(deck, &name, NodeState::Cordoned, &reason)
        })
        .await
}

/// Take new work again.
#[utoipa::path(post, path = "/api/v1/nodes/{name}:uncordon", tag = "nodes", params(("name" = String, Path, description = "The node"), DryRunParams),
    responses((status = 200, body = Node), (status = "default", body = Problem)))]
pub async fn uncordon(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "node.uncordon", Bytes::new(), move |deck, _| set(deck, &name, NodeState::Ready, ""))
        .await
}

fn set_device(
    deck: &mut Deck<'_>,
    name: &str,
    device: u16,
    out: bool,
    reason: &str,
) -> Result<Made<Node>, Problem> {
    let (pool, node) = find(deck.world(), name)?;
    deck.command(Command::SetDevice { pool, node, device, out, reason: reason.into() })?;
    Ok(Made::ok(show(deck.world(), (pool, node))?))
}

/// Take one GPU out of service. What runs on it returns to its queue, as if the GPU were lost.
#[utoipa::path(post, path = "/api/v1/nodes/{name}:quarantine", tag = "nodes", params(("name" = String, Path, description = "The node"), DryRunParams),
    request_body = QuarantineRequest, responses((status = 200, body = Node), (status = "default", body = Problem)))]
pub async fn quarantine(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<QuarantineRequest>,
) -> Response {
    let QuarantineRequest { device, reason } = body.value;
    change
        .carry_out(&app, "node.quarantine", body.sent, move |deck, _| {
            set_device(deck, &name, device, true, &reason)
        })
        .await
}

/// Take one GPU back into service.
#[utoipa::path(post, path = "/api/v1/nodes/{name}:restore", tag = "nodes", params(("name" = String, Path, description = "The node"), DryRunParams),
    request_body = RestoreRequest, responses((status = 200, body = Node), (status = "default", body = Problem)))]
pub async fn restore(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<RestoreRequest>,
) -> Response {
    let device = body.value.device;
    change
        .carry_out(&app, "node.restore", body.sent, move |deck, _| set_device(deck, &name, device, false, ""))
        .await
}

/// Take no new work, and send what runs back to its queues.
#[utoipa::path(post, path = "/api/v1/nodes/{name}:drain", tag = "nodes", params(("name" = String, Path, description = "The node"), DryRunParams),
    request_body = Option<DrainRequest>, responses((status = 200, body = Node), (status = "default", body = Problem)))]
pub async fn drain(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: MaybeJson<DrainRequest>,
) -> Response {
    let request = body.value;
    change
        .carry_out(&app, "node.drain", body.sent, move |deck, _| {
            let (pool, node) = find(deck.world(), &name)?;
            // A lost node stays lost; what it lost its work for is said already.
            let now = show(deck.world(), (pool, node))?.status;
            let is_lost = now.state == tidegate_api::node::NodeState::Lost;
            if let Some(reason) =
                request.reason.filter(|reason| !is_lost && now.reason.as_ref() != Some(reason))
            {
                let state = NodeState::Cordoned;
                deck.command(Command::SetNode { pool, node, state, reason: reason.into() })?;
            }
            let named = request.modules.iter().flatten();
            let modules = named.fold(ModuleSet::default(), |set, module| set.with(module.0));
            deck.command(Command::DrainNode { pool, node, modules })?;
            Ok(Made::ok(show(deck.world(), (pool, node))?))
        })
        .await
}
