//! About the server itself.

use super::super::answer::{Answer, Answered};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::problem::Refused;
use super::users;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::server::{Health, Version, Whoami};
use tidegate_api::time::Time;

/// The server is there.
#[utoipa::path(get, path = "/healthz", tag = "server", security(()), responses((status = 200, body = Health)))]
pub async fn healthz() -> Answer<Health> {
    Answer::new(Health { status: "ok".into(), progress: None, detail: None })
}

/// The server takes requests, and its store takes writes.
#[utoipa::path(get, path = "/readyz", tag = "server", security(()),
    responses((status = 200, body = Health), (status = 503, body = Problem)))]
pub async fn readyz(State(app): State<App>) -> Response {
    match app.control.ready().await {
        Ok(()) => healthz().await.into_response(),
        Err(why) => Refused(super::super::change::unavailable(why)).into_response(),
    }
}

/// Which release this is.
#[utoipa::path(get, path = "/version", tag = "server", security(()), responses((status = 200, body = Version)))]
pub async fn version() -> Answer<Version> {
    Answer::new(Version { version: env!("CARGO_PKG_VERSION").into(), api_version: Default::default() })
}

/// Who is asking.
#[utoipa::path(get, path = "/api/v1/whoami", tag = "server",
    responses((status = 200, body = Whoami), (status = "default", body = Problem)))]
pub async fn whoami(State(app): State<App>, caller: Caller) -> Answered<Whoami> {
    let people = app.control.people();
    Ok(Answer::new(Whoami {
        user: caller.name.to_string(),
        administrator: caller.sees_all(&people),
        workspaces: users::memberships(&people, caller.who.user),
        expires_at: caller.expires.map(Time::of),
    }))
}

/// What is at no route.
pub async fn nowhere() -> Refused {
    Refused(Problem::new(Code::NotFound, "there is nothing at this address").hint("see /api/v1/openapi.json"))
}

/// A route that is there, with another method.
pub async fn wrong_method() -> Refused {
    Refused(Problem::new(Code::MethodNotAllowed, "this address does not have this method"))
}
