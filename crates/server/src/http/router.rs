//! Which address leads where. The OpenAPI document says the same; a test compares the two.

use super::access::access;
use super::app::App;
use super::auth::authenticate;
use super::routes::{
    apply, nodes, pools, quotas, series, simulations, system, watch, workload_lists, workloads,
};
use crate::net::rewrite::split_verb;
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tower::Layer;

/// Everything that the server answers.
pub fn router(app: App) -> Router {
    let closed = api()
        .route("/metrics", get(super::metrics::metrics))
        .layer(from_fn_with_state(app.clone(), authenticate));
    let open = Router::new()
        .route("/healthz", get(system::healthz))
        .route("/readyz", get(system::readyz))
        .route("/version", get(system::version));
    let routes = open
        .merge(closed)
        .fallback(system::nowhere)
        .method_not_allowed_fallback(system::wrong_method)
        .layer(from_fn_with_state(app.clone(), access))
        .with_state(app);
    // The verb is split off before a route is looked for.
    let split = tower::util::MapRequestLayer::new(split_verb::<axum::body::Body>).layer(routes);
    Router::new().fallback_service(split)
}

fn api() -> Router<App> {
    let v1 = Router::new()
        .route("/pools", get(pools::list).post(pools::create))
        .route("/pools/{name}", get(pools::get))
        .route("/nodes", get(nodes::list).post(nodes::add))
        .route("/nodes/{name}", get(nodes::get).delete(nodes::remove))
        .route("/nodes/{name}/-cordon", post(nodes::cordon))
        .route("/nodes/{name}/-uncordon", post(nodes::uncordon))
        .route("/nodes/{name}/-drain", post(nodes::drain))
        .route("/nodes/{name}/-quarantine", post(nodes::quarantine))
        .route("/nodes/{name}/-restore", post(nodes::restore))
        .route("/nodes/{name}/series", get(series::of_node))
        .route("/quotas", get(quotas::list).post(quotas::create))
        .route("/quotas/-tree", get(quotas::tree))
        .route("/quotas/{name}", get(quotas::get).put(quotas::put).delete(quotas::delete))
        .route("/quotas/{name}/-scale", post(quotas::scale))
        .route("/quotas/{name}/-transfer", post(quotas::transfer))
        .route("/quotas/{name}/history", get(quotas::history))
        .route("/quotas/{name}/queue", get(quotas::queue))
        .route("/quotas/{name}/series", get(series::of_quota))
        .route("/workloads", get(workload_lists::list).post(workloads::submit))
        .route("/workloads/-batch", post(workloads::batch))
        .route("/workloads/{name}", get(workloads::get).delete(workloads::delete))
        .route("/workloads/{name}/-start", post(workloads::start))
        .route("/workloads/{name}/-stop", post(workloads::stop))
        .route("/workloads/{name}/-restart", post(workloads::restart))
        .route("/workloads/{name}/-resize", post(workloads::resize))
        .route("/workloads/{name}/-priority", post(workloads::priority))
        .route("/workloads/{name}/-explain", get(workloads::explain))
        .route("/workloads/{name}/events", get(workload_lists::events))
        .route("/workloads/{name}/logs", get(series::logs))
        .route("/workloads/{name}/series", get(series::of_workload))
        .route("/simulations", post(simulations::run))
        .route("/apply", post(apply::apply))
        .route("/watch", get(watch::watch))
        .route("/whoami", get(system::whoami))
        .route("/openapi.json", get(super::openapi::document));
    Router::new().nest("/api/v1", v1)
}
