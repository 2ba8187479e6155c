//! Logging in through the provider of identities that the configuration names.

use super::super::app::App;
use super::super::change::unavailable;
use super::super::extract::Params;
use super::super::visit::{NotLetIn, Visit};
use super::login::{secret, with_cookie};
use super::users;
use crate::core::deck::Deck;
use crate::login::oidc::{self, Failed, Identity, Oidc};
use crate::login::{cookie, may_log_in, session};
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::ids::MemberId;
use tidegate_identity::Record;
use tidegate_identity::record::{User, UserKind};
use utoipa::IntoParams;

fn configured(app: &App) -> Result<Arc<Oidc>, Problem> {
    app.login.oidc.clone().ok_or_else(|| {
        Problem::new(Code::NotFound, "this server knows no provider of identities")
            .hint("log in with a password, or have [oidc] set in the configuration")
    })
}

fn problem(failed: Failed) -> Problem {
    match failed {
        Failed::Provider(why) => Problem::new(Code::ProviderFailed, why),
        Failed::Refused(why) => {
            Problem::new(Code::BadCredentials, why).hint("begin anew at /api/v1/login/oidc")
        }
    }
}

fn see_other(to: &str) -> Result<Response, Problem> {
    let to = HeaderValue::from_str(to).map_err(|why| Problem::new(Code::ProviderFailed, why.to_string()))?;
    let mut response = (StatusCode::SEE_OTHER, "see Location\n").into_response();
    response.headers_mut().insert(LOCATION, to);
    Ok(response)
}

/// The cookie of a browser that is sent away; it comes back from another site.
fn away(app: &App, secret: &str, seconds: u64) -> String {
    let (name, secure) = (oidc::COOKIE, app.login.secure());
    format!("{name}={secret}; Path=/api/v1/login/oidc; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// Log in through the provider of identities: sends the browser there.
#[utoipa::path(get, path = "/api/v1/login/oidc", tag = "login", operation_id = "oidc", security(()),
    responses((status = 303, description = "To the provider", body = String, content_type = "text/plain"),
        (status = 404, body = Problem), (status = 502, body = Problem)))]
pub async fn begin(State(app): State<App>) -> Result<Response, NotLetIn> {
    let begun = configured(&app)?.begin(app.control.clock().now()).await.map_err(problem)?;
    let response = see_other(&begun.to)?;
    Ok(with_cookie(response, &away(&app, &begun.secret, oidc::FLOW_TIME.0 / 1_000)))
}

/// What the provider sends a browser back with.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Back {
    /// What was given to the provider.
    state: Option<String>,
    /// What the provider gives for it.
    code: Option<String>,
    /// Why the provider gives nothing.
    error: Option<String>,
}

/// Come back from the provider of identities: sets the cookie of a session, and leads to the console.
#[utoipa::path(get, path = "/api/v1/login/oidc/callback", tag = "login", operation_id = "oidc_callback",
    security(()), params(Back),
    responses((status = 303, description = "To the console", body = String, content_type = "text/plain"),
        (status = 404, body = Problem), (status = 422, body = Problem), (status = 502, body = Problem)))]
pub async fn callback(
    State(app): State<App>,
    visit: Visit,
    Params(back): Params<Back>,
) -> Result<Response, NotLetIn> {
    let oidc = configured(&app)?;
    let (Some(state), Some(code)) = (back.state, back.code) else {
        let why =
            back.error.map_or("no code came back".into(), |error| format!("the provider says {error:?}"));
        return Err(problem(Failed::Refused(why)).into());
    };
    let brought = cookie::values(&visit.headers, oidc::COOKIE);
    let identity = oidc.finish(app.control.clock().now(), &state, &code, brought).await.map_err(problem)?;
    let secret = secret(session::SESSION_PREFIX)?;
    let (kept, may_create) = (secret.clone(), oidc.config.create_users);
    let by = identity.name.clone().unwrap_or_default();
    let written = app.control.write(visit.origin(&by, "session.begin"), move |deck| {
        let user = known(deck, &identity, may_create)?;
        session::begin(deck, user, &kept);
        Ok(())
    });
    written.await.map_err(unavailable)?.map_err(NotLetIn::Problem)?;
    let response = with_cookie(see_other("/")?, &app.login.cookie(&secret));
    Ok(with_cookie(response, &away(&app, "", 0)))
}

/// The user whom the provider vouches for: found by what the provider calls it for good, or made. Never found by its
/// name: that would make a user of here out of whoever is called alike there.
fn known(deck: &mut Deck<'_>, identity: &Identity, may_create: bool) -> Result<MemberId, Problem> {
    let people = &deck.world().people;
    if let Some(user) = people.user_of_provider(&identity.issuer, &identity.subject) {
        let refused = || {
            problem(Failed::Refused("this user cannot log in".into()))
                .hint("ask an administrator to enable it")
        };
        return may_log_in(user).then_some(user.id).ok_or_else(refused);
    }
    if !may_create {
        let why = "nobody here is known to the provider by that, and none is made";
        return Err(problem(Failed::Refused(why.into())).hint("ask an administrator"));
    }
    let name = identity.name.as_deref().and_then(|wanted| oidc::name::free(people, wanted));
    let name = name.ok_or_else(|| {
        problem(Failed::Refused("the provider says nothing that could be a name".into()))
            .hint("an administrator names the claim to use: username-claim in [oidc]")
    })?;
    let id = users::create_on(deck, &name, UserKind::Person, false)?;
    let user = deck.world().people.user(id).cloned();
    if let Some(before) = user {
        let provider = Some((identity.issuer.as_str().into(), identity.subject.as_str().into()));
        let after = User { provider, ..before.clone() };
        deck.put(Some(Record::User(before)), Some(Record::User(after)));
    }
    Ok(id)
}
