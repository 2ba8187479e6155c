//! Webhooks of a workspace, and what became of the messages to them.

use super::super::answer::{Answer, Answered};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Pair, Params};
use super::super::problem::Refused;
use super::{DryRunParams, PageParams, workspaces};
use crate::hooks::{Kept, Outcome, State as Stage};
use crate::token;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::limits::MAX_WEBHOOKS;
use tidegate_api::name::Name;
use tidegate_api::page::{PageQuery, PageToken};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_api::webhook::{
    Delivery, DeliveryList, DeliveryState, NewWebhook, Notice, Webhook, WebhookList, WebhookTest,
};
use tidegate_identity::{Action, People, Record, record};

use super::super::extract::Named;

/// What secrets begin with, so that people and scanners know one when they see it.
const SECRET_PREFIX: &str = "tgh_";

fn missing(hook: &str, workspace: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no webhook {hook} in {workspace}"))
        .hint(format!("`tidegate webhook list --workspace {workspace}` lists them"))
}

fn word(notice: record::Notice) -> Notice {
    match notice {
        record::Notice::Preempted => Notice::Preempted,
        record::Notice::WaitingTooLong => Notice::WaitingTooLong,
        record::Notice::Failed => Notice::Failed,
        record::Notice::Finished => Notice::Finished,
        record::Notice::Budget => Notice::Budget,
    }
}

fn notices(wanted: &[Notice]) -> Vec<record::Notice> {
    let all = record::Notice::ALL.into_iter();
    let mut notices: Vec<_> =
        all.filter(|notice| wanted.is_empty() || wanted.contains(&word(*notice))).collect();
    notices.sort_unstable();
    notices
}

fn shown(people: &People, hook: &record::Webhook) -> Option<Webhook> {
    Some(Webhook {
        name: hook.name.parse().ok()?,
        workspace: people.workspace(hook.workspace)?.name.parse().ok()?,
        url: hook.url.to_string(),
        notices: hook.notices.iter().copied().map(word).collect(),
        created_at: Time::of(hook.created),
        secret: None,
    })
}

/// The webhook of a path, if the caller may look at it: whoever may change webhooks may.
fn find(people: &People, caller: &Caller, workspace: &str, hook: &str) -> Result<record::Webhook, Problem> {
    let room = workspaces::find(people, caller, Action::WebhookUpdate, workspace)?;
    people.webhook(room.id, hook).cloned().ok_or_else(|| missing(hook, workspace))
}

fn gone() -> Problem {
    Problem::new(Code::NotFound, "the webhook is gone")
}

/// The webhooks of a workspace, without their secrets.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/webhooks", tag = "webhooks", params(("name" = String, Path, description = "The workspace")),
    responses((status = 200, body = WebhookList), (status = "default", body = Problem)), operation_id = "webhooks")]
pub async fn list(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<WebhookList> {
    let people = app.control.people();
    let room = workspaces::find(&people, &caller, Action::WebhookUpdate, &name)?.id;
    let items = people.webhooks(room).filter_map(|hook| shown(&people, hook)).collect();
    Ok(Answer::new(WebhookList { items }))
}

/// One webhook, without its secret.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/webhooks/{hook}", tag = "webhooks",
    params(("name" = String, Path, description = "The workspace"), ("hook" = String, Path, description = "The webhook")),
    responses((status = 200, body = Webhook), (status = "default", body = Problem)), operation_id = "webhook")]
pub async fn get(State(app): State<App>, caller: Caller, Pair(name, hook): Pair) -> Answered<Webhook> {
    let people = app.control.people();
    let found = find(&people, &caller, &name, &hook)?;
    let version = Some(people.version(found.workspace).to_string());
    Ok(Answer { version, body: shown(&people, &found).ok_or_else(gone)? })
}

/// Make a webhook, or change where it leads and what it is told. The secret is in the answer that makes it and nowhere
/// else, so an Idempotency-Key is not remembered.
#[utoipa::path(put, path = "/api/v1/workspaces/{name}/webhooks/{hook}", tag = "webhooks", request_body = NewWebhook,
    params(("name" = String, Path, description = "The workspace"), ("hook" = String, Path, description = "The webhook"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The workspace's version that is changed")),
    responses((status = 200, body = Webhook), (status = 201, body = Webhook), (status = "default", body = Problem)), operation_id = "set_webhook")]
pub async fn put(
    State(app): State<App>,
    Pair(name, hook): Pair,
    change: Change,
    body: Json<NewWebhook>,
) -> Result<Response, Refused> {
    let new = body.value;
    // Before anything is looked up for somebody who may not ask for it.
    workspaces::find(&app.control.people(), change.caller(), Action::WebhookUpdate, &name)?;
    let invalid = |why: String| {
        Problem::new(Code::Invalid, why)
            .hint("name http:// or https:// and a public host; `webhook-allow-private` of the server allows others")
            .at("/url")
    };
    app.hooks.check(&new.url).await.map_err(invalid)?;
    let secret = token::secret().map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
    let secret = format!("{SECRET_PREFIX}{secret}");
    let carried = change.not_remembered().carry_out(&app, "webhook.set", body.sent, move |deck, change| {
        let people = &deck.world().people;
        let room = workspaces::find(people, change.caller(), Action::WebhookUpdate, &name)?.id;
        change.may_match(people.version(room))?;
        let before = people.webhook(room, &hook).cloned();
        if before.is_none() && people.webhooks(room).count() >= MAX_WEBHOOKS {
            let detail = format!("{name} has {MAX_WEBHOOKS} webhooks, no more can be");
            return Err(Problem::new(Code::LimitExceeded, detail).hint("delete one that nobody listens to"));
        }
        let called: Name = hook.parse().map_err(|why: String| Problem::new(Code::BadName, why))?;
        let (url, notices) = (new.url.as_str().into(), notices(&new.notices));
        let is_new = before.is_none();
        let after = match &before {
            Some(before) => record::Webhook { url, notices, ..before.clone() },
            None => record::Webhook {
                workspace: room,
                name: called.as_str().into(),
                url,
                notices,
                secret: secret.as_str().into(),
                created: deck.now(),
            },
        };
        if before.as_ref() != Some(&after) {
            deck.put(before.map(Record::Webhook), Some(Record::Webhook(after.clone())));
        }
        let shown = shown(&deck.world().people, &after).ok_or_else(gone)?;
        let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
        let version = Some(deck.world().people.version(room).to_string());
        Ok(Made { status, version, body: Webhook { secret: is_new.then_some(secret), ..shown } })
    });
    Ok(carried.await)
}

/// Delete a webhook. Messages that wait for it go with it.
#[utoipa::path(delete, path = "/api/v1/workspaces/{name}/webhooks/{hook}", tag = "webhooks",
    params(("name" = String, Path, description = "The workspace"), ("hook" = String, Path, description = "The webhook"), DryRunParams),
    responses((status = 200, body = Webhook), (status = "default", body = Problem)), operation_id = "delete_webhook")]
pub async fn delete(
    State(app): State<App>,
    Pair(name, hook): Pair,
    change: Change,
) -> Result<Response, Refused> {
    let found = find(&app.control.people(), change.caller(), &name, &hook)?;
    let is_dry_run = change.is_dry_run();
    let carried = change.carry_out(&app, "webhook.delete", Bytes::new(), move |deck, change| {
        let people = &deck.world().people;
        let found = find(people, change.caller(), &name, &hook)?;
        let last = shown(people, &found).ok_or_else(gone)?;
        deck.put(Some(Record::Webhook(found)), None);
        Ok(Made::ok(last))
    });
    let response = carried.await;
    if response.status().is_success() && !is_dry_run {
        app.hooks.forget(found.workspace, &found.name, found.created).await;
    }
    Ok(response)
}

/// Send a message that says nothing, at once and once, and say how it went.
#[utoipa::path(post, path = "/api/v1/workspaces/{name}/webhooks/{hook}:test", tag = "webhooks",
    params(("name" = String, Path, description = "The workspace"), ("hook" = String, Path, description = "The webhook")),
    responses((status = 200, body = WebhookTest), (status = "default", body = Problem)), operation_id = "test_webhook")]
pub async fn test(State(app): State<App>, caller: Caller, Pair(name, hook): Pair) -> Answered<WebhookTest> {
    let found = find(&app.control.people(), &caller, &name, &hook)?;
    Ok(Answer::new(match app.hooks.test(&found, &name).await {
        Outcome::Taken(status) => WebhookTest { delivered: true, status: Some(status), error: None },
        Outcome::Refused { status, why } => WebhookTest { delivered: false, status, error: Some(why) },
    }))
}

fn delivery(kept: Kept) -> Delivery {
    let state = match kept.state {
        Stage::Pending => DeliveryState::Pending,
        Stage::Delivered => DeliveryState::Delivered,
        Stage::Dead => DeliveryState::Dead,
    };
    Delivery {
        id: format!("d-{}", kept.id),
        event: kept.event,
        workload: kept.workload,
        number: kept.number,
        at: Time::of(kept.at),
        state,
        tries: kept.tries,
        next_try_at: (state == DeliveryState::Pending).then(|| Time::of(kept.due)),
        last_try_at: kept.tried.map(Time::of),
        last_error: kept.error,
    }
}

fn failing(why: String) -> Problem {
    Problem::new(Code::StoreFailing, why)
}

/// Messages to a webhook, newest first: those that wait, were delivered, or are dead because nobody took them.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/webhooks/{hook}/deliveries", tag = "webhooks",
    params(("name" = String, Path, description = "The workspace"), ("hook" = String, Path, description = "The webhook"), PageParams),
    responses((status = 200, body = DeliveryList), (status = "default", body = Problem)), operation_id = "deliveries")]
pub async fn deliveries(
    State(app): State<App>,
    caller: Caller,
    Pair(name, hook): Pair,
    Params(params): Params<PageParams>,
) -> Answered<DeliveryList> {
    let found = find(&app.control.people(), &caller, &name, &hook)?;
    let limit = PageQuery { limit: params.limit, page_token: None }.limit()?;
    let below = match params.page_token {
        None => i64::MAX,
        Some(token) => {
            let token: PageToken =
                token.parse().map_err(|why: String| Problem::new(Code::BadParameter, why))?;
            let id = token.state().and_then(|state| state.strip_prefix("d-")?.parse().ok());
            id.ok_or_else(|| Problem::new(Code::BadParameter, "this page token belongs to another list"))?
        }
    };
    let mut kept = app.hooks.list(&found, below, limit + 1).await.map_err(failing)?;
    let more = kept.len() > limit;
    kept.truncate(limit);
    let next_page_token = kept.last().filter(|_| more).map(|last| PageToken::of(&format!("d-{}", last.id)));
    Ok(Answer::new(DeliveryList { items: kept.into_iter().map(delivery).collect(), next_page_token }))
}

/// The workspace, the webhook and the message of a path.
pub type Letter = Result<Path<(String, String, String)>, axum::extract::rejection::PathRejection>;

/// Send a message again, whatever became of it.
#[utoipa::path(post, path = "/api/v1/workspaces/{name}/webhooks/{hook}/deliveries/{id}:retry", tag = "webhooks",
    params(("name" = String, Path, description = "The workspace"), ("hook" = String, Path, description = "The webhook"), ("id" = String, Path, description = "The message, such as d-3")),
    responses((status = 200, body = Delivery), (status = "default", body = Problem)), operation_id = "retry_delivery")]
pub async fn retry(State(app): State<App>, caller: Caller, path: Letter) -> Answered<Delivery> {
    let Path((name, hook, id)) =
        path.map_err(|error| Refused(Problem::new(Code::BadParameter, error.body_text())))?;
    let found = find(&app.control.people(), &caller, &name, &hook)?;
    let missing = || {
        Problem::new(Code::NotFound, format!("there is no message {id} to {hook}"))
            .hint(format!("`tidegate webhook show {hook}` lists them"))
    };
    let number: i64 = id.strip_prefix("d-").and_then(|id| id.parse().ok()).ok_or_else(missing)?;
    let kept = app.hooks.again(&found, number).await.map_err(failing)?;
    Ok(Answer::new(delivery(kept.ok_or_else(missing)?)))
}
