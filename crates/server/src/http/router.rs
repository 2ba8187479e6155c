//! Which address leads where. The OpenAPI document says the same; a test compares the two.

use super::access::access;
use super::app::App;
use super::auth::authenticate;
use super::console;
use super::routes::{
    advice, apply, audit, bills, budgets, corrections, invitations, links, login, logs, members, metering,
    nodes, oidc, policies, pools, prices, queue, quotas, resource_configs, resource_requests, roles, series,
    simulations, system, task_results, tasks, templates, tokens, usage, users, watch, webhooks,
    workload_lists, workloads, workspaces,
};
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post, put};

/// Stands before every route of the API. Written out at each: a nested router makes a new address for every request.
pub const API: &str = "/api/v1";

/// Everything that the server answers, once verbs are split off.
pub fn router(app: App) -> Router {
    let closed = api()
        .route("/metrics", get(super::metrics::metrics))
        .layer(from_fn_with_state(app.clone(), authenticate));
    let open = Router::new()
        .route("/healthz", get(system::healthz))
        .route("/readyz", get(system::readyz))
        .route("/version", get(system::version));
    open.merge(entrance())
        .merge(closed)
        .fallback(console::console)
        .method_not_allowed_fallback(system::wrong_method)
        .layer(from_fn_with_state(app.clone(), access))
        .with_state(app)
}

/// Ways in: whoever comes here is not known yet.
fn entrance() -> Router<App> {
    Router::new()
        .route("/api/v1/login", get(login::ways).post(login::login))
        .route("/api/v1/login/oidc", get(oidc::begin))
        .route("/api/v1/login/oidc/callback", get(oidc::callback))
        .route("/api/v1/invitations/-accept", post(invitations::accept))
}

fn api() -> Router<App> {
    let at = |path: &str| format!("{API}{path}");
    Router::new()
        .route(&at("/pools"), get(pools::list).post(pools::create))
        .route(&at("/pools/{name}"), get(pools::get))
        .route(&at("/nodes"), get(nodes::list).post(nodes::add))
        .route(&at("/nodes/{name}"), get(nodes::get).delete(nodes::remove))
        .route(&at("/nodes/{name}/-cordon"), post(nodes::cordon))
        .route(&at("/nodes/{name}/-uncordon"), post(nodes::uncordon))
        .route(&at("/nodes/{name}/-drain"), post(nodes::drain))
        .route(&at("/nodes/{name}/-quarantine"), post(nodes::quarantine))
        .route(&at("/nodes/{name}/-restore"), post(nodes::restore))
        .route(&at("/nodes/{name}/series"), get(series::of_node))
        .route(&at("/quotas"), get(quotas::list).post(quotas::create))
        .route(&at("/quotas/-tree"), get(quotas::tree))
        .route(&at("/quotas/{name}"), get(quotas::get).put(quotas::put).delete(quotas::delete))
        .route(&at("/quotas/{name}/-scale"), post(quotas::scale))
        .route(&at("/quotas/{name}/-transfer"), post(quotas::transfer))
        .route(&at("/quotas/{name}/history"), get(quotas::history))
        .route(&at("/quotas/{name}/queue"), get(queue::queue))
        .route(&at("/quotas/{name}/usage"), get(usage::of_quota))
        .route(&at("/quotas/{name}/series"), get(series::of_quota))
        .route(&at("/workloads"), get(workload_lists::list).post(workloads::submit))
        .route(&at("/workloads/-batch"), post(workloads::batch))
        .route(&at("/workloads/{name}"), get(workloads::get).delete(workloads::delete))
        .route(&at("/workloads/{name}/-start"), post(workloads::start))
        .route(&at("/workloads/{name}/-stop"), post(workloads::stop))
        .route(&at("/workloads/{name}/-restart"), post(workloads::restart))
        .route(&at("/workloads/{name}/-open"), post(workloads::open))
        .route(&at("/workloads/{name}/-resize"), post(workloads::resize))
        .route(&at("/workloads/{name}/-priority"), post(workloads::priority))
        .route(&at("/workloads/{name}/-explain"), get(workloads::explain))
        .route(&at("/workloads/{name}/events"), get(workload_lists::events))
        .route(&at("/workloads/{name}/logs"), get(logs::logs))
        .route(&at("/workloads/{name}/series"), get(series::of_workload))
        .route(&at("/workspaces"), get(workspaces::list).post(workspaces::create))
        .route(
            &at("/workspaces/{name}"),
            get(workspaces::get).put(workspaces::put).delete(workspaces::delete),
        )
        .route(&at("/workspaces/{name}/-attach"), post(workspaces::attach))
        .route(&at("/workspaces/{name}/-detach"), post(workspaces::detach))
        .route(&at("/workspaces/{name}/policies"), get(policies::list))
        .route(&at("/workspaces/{name}/policies/{quota}"), get(policies::get).put(policies::set))
        .route(&at("/workspaces/{name}/usage"), get(usage::of_workspace))
        .route(&at("/workspaces/{name}/series"), get(series::of_workspace))
        .route(&at("/workspaces/{name}/members"), get(members::list))
        .route(&at("/workspaces/{name}/members/{user}"), put(members::set).delete(members::remove))
        .route(&at("/workspaces/{name}/service-accounts"), post(members::create_account))
        .route(&at("/workspaces/{name}/service-accounts/{user}"), delete(members::delete_account))
        .route(&at("/workspaces/{name}/webhooks"), get(webhooks::list))
        .route(
            &at("/workspaces/{name}/webhooks/{hook}"),
            get(webhooks::get).put(webhooks::put).delete(webhooks::delete),
        )
        .route(&at("/workspaces/{name}/webhooks/{hook}/-test"), post(webhooks::test))
        .route(&at("/workspaces/{name}/webhooks/{hook}/deliveries"), get(webhooks::deliveries))
        .route(&at("/workspaces/{name}/webhooks/{hook}/deliveries/{id}/-retry"), post(webhooks::retry))
        .route(&at("/workspaces/{name}/audit"), get(audit::of_workspace))
        .route(&at("/audit"), get(audit::all))
        .route(&at("/usage"), get(metering::sums))
        .route(&at("/usage/records"), get(metering::records))
        .route(&at("/usage/corrections"), get(corrections::list).post(corrections::create))
        .route(&at("/prices"), get(prices::list).post(prices::create))
        .route(&at("/prices/{name}"), get(prices::get).put(prices::put))
        .route(&at("/bills"), get(bills::bill))
        .route(&at("/advice"), get(advice::advice))
        .route(&at("/budgets"), get(budgets::list))
        .route(&at("/budgets/{name}"), get(budgets::get).put(budgets::put).delete(budgets::delete))
        .route(&at("/users"), get(users::list).post(users::create))
        .route(&at("/users/{name}"), get(users::get).put(users::put).delete(users::delete))
        .route(&at("/users/{name}/-invite"), post(invitations::invite))
        .route(&at("/users/{name}/-link"), post(links::link))
        .route(&at("/users/{name}/-unlink"), post(links::unlink))
        .route(&at("/password"), put(login::password))
        .route(&at("/logout"), post(login::logout))
        .route(&at("/tokens"), get(tokens::list).post(tokens::create))
        .route(&at("/tokens/{name}"), delete(tokens::revoke))
        .route(&at("/roles"), get(roles::list).post(roles::create))
        .route(&at("/roles/{name}"), get(roles::get).put(roles::put).delete(roles::delete))
        .route(&at("/templates"), get(templates::list).post(templates::create))
        .route(&at("/templates/{name}"), get(templates::get).put(templates::put).delete(templates::delete))
        .route(&at("/tasks"), get(tasks::list).post(tasks::submit))
        .route(&at("/tasks/{name}"), get(tasks::get))
        .route(&at("/tasks/{name}/-cancel"), post(tasks::cancel))
        .route(&at("/tasks/{name}/result"), get(task_results::result))
        .route(&at("/tasks/{name}/file"), get(task_results::file))
        .route(&at("/resource-requests"), get(resource_requests::list).post(resource_requests::create))
        .route(&at("/resource-requests/{name}"), get(resource_requests::get))
        .route(&at("/resource-requests/{name}/-approve"), post(resource_requests::approve))
        .route(&at("/resource-requests/{name}/-decline"), post(resource_requests::decline))
        .route(&at("/resource-requests/{name}/-withdraw"), post(resource_requests::withdraw))
        .route(&at("/resource-configs"), get(resource_configs::list))
        .route(&at("/resource-configs/{name}"), get(resource_configs::get))
        .route(&at("/resource-configs/{name}/-set"), post(resource_configs::set))
        .route(&at("/resource-configs/{name}/-extend"), post(resource_configs::extend))
        .route(&at("/resource-configs/{name}/-release"), post(resource_configs::release))
        .route(&at("/simulations"), post(simulations::run))
        .route(&at("/apply"), post(apply::apply))
        .route(&at("/watch"), get(watch::watch))
        .route(&at("/whoami"), get(system::whoami))
        .route(&at("/openapi.json"), get(super::openapi::document))
}
