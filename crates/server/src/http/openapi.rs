//! The OpenAPI document: served, and committed as `openapi.json`.

use super::routes::{
    advice, apply, audit, bills, budgets, corrections, invitations, links, login, logs, members, metering,
    nodes, oidc, policies, pools, prices, queue, quotas, resource_configs, resource_requests, roles, series,
    simulations, system, task_results, tasks, templates, tokens, usage, users, watch, webhooks,
    workload_lists, workloads, workspaces,
};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::sync::LazyLock;
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};

#[derive(OpenApi)]
#[openapi(
    info(title = "Tidegate", description = "Shares GPUs between teams and keeps the books like a bank."),
    paths(
        system::healthz,
        system::readyz,
        system::version,
        system::whoami,
        document,
        super::metrics::metrics,
        pools::list,
        pools::get,
        pools::create,
        nodes::list,
        nodes::get,
        nodes::add,
        nodes::remove,
        nodes::cordon,
        nodes::uncordon,
        nodes::drain,
        nodes::quarantine,
        nodes::restore,
        quotas::list,
        quotas::tree,
        quotas::get,
        quotas::create,
        quotas::put,
        quotas::scale,
        quotas::transfer,
        quotas::delete,
        quotas::history,
        queue::queue,
        usage::of_quota,
        workload_lists::list,
        workload_lists::events,
        workloads::get,
        workloads::submit,
        workloads::batch,
        workloads::start,
        workloads::stop,
        workloads::restart,
        workloads::open,
        workloads::resize,
        workloads::priority,
        workloads::delete,
        workloads::explain,
        series::of_node,
        series::of_quota,
        series::of_workload,
        logs::logs,
        workspaces::list,
        workspaces::get,
        workspaces::create,
        workspaces::put,
        workspaces::attach,
        workspaces::detach,
        workspaces::delete,
        policies::list,
        policies::get,
        policies::set,
        usage::of_workspace,
        series::of_workspace,
        members::list,
        members::set,
        members::remove,
        members::create_account,
        members::delete_account,
        webhooks::list,
        webhooks::get,
        webhooks::put,
        webhooks::delete,
        webhooks::test,
        webhooks::deliveries,
        webhooks::retry,
        audit::all,
        audit::of_workspace,
        metering::sums,
        metering::records,
        corrections::list,
        corrections::create,
        prices::list,
        prices::get,
        prices::create,
        prices::put,
        bills::bill,
        advice::advice,
        budgets::list,
        budgets::get,
        budgets::put,
        budgets::delete,
        users::list,
        users::get,
        users::create,
        users::put,
        users::delete,
        invitations::invite,
        links::link,
        links::unlink,
        invitations::accept,
        login::ways,
        login::login,
        oidc::begin,
        oidc::callback,
        login::logout,
        login::password,
        tokens::list,
        tokens::create,
        tokens::revoke,
        roles::list,
        roles::get,
        roles::create,
        roles::put,
        roles::delete,
        templates::list,
        templates::get,
        templates::create,
        templates::put,
        templates::delete,
        tasks::list,
        tasks::get,
        tasks::submit,
        tasks::cancel,
        task_results::result,
        task_results::file,
        resource_requests::list,
        resource_requests::get,
        resource_requests::create,
        resource_requests::approve,
        resource_requests::decline,
        resource_requests::withdraw,
        resource_configs::list,
        resource_configs::get,
        resource_configs::set,
        resource_configs::extend,
        resource_configs::release,
        simulations::run,
        apply::apply,
        watch::watch,
    ),
    components(schemas(tidegate_api::event::DryRun))
)]
struct Document;

/// The document as it is committed, and served. To write it anew for every server would take two megabytes of code.
const COMMITTED: &str = include_str!("../../../../openapi.json");

/// The document as the code has it: what is committed must be the same.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut document = Document::openapi();
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        document.components.get_or_insert_default().add_security_scheme("token", token);
        document.security = Some(vec![SecurityRequirement::new("token", [] as [&str; 0])]);
        let mut document = serde_json::to_value(document).expect("the document is plain data");
        super::describe::describe(&mut document);
        let mut text = serde_json::to_string_pretty(&document).expect("the document is plain data");
        text.push('\n');
        text
    });
    &TEXT
}

/// This document.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "server", responses((status = 200, body = Object)))]
pub async fn document() -> Response {
    ([(CONTENT_TYPE, "application/json")], COMMITTED).into_response()
}
