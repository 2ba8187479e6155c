//! Invitations: a link that lets somebody choose a password, once.

use super::super::app::App;
use super::super::change::{Change, Made, unavailable};
use super::super::extract::{Json, Named};
use super::super::problem::Refused;
use super::super::visit::{NotLetIn, Visit};
use super::login::{busy, let_in, name_of, secret};
use super::{DryRunParams, users};
use crate::login::throttle::Attempt;
use crate::login::{may_log_in, session};
use crate::token::TokenHash;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tidegate_api::login::{Acceptance, Session};
use tidegate_api::people::Invitation;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_engine::ids::Tick;
use tidegate_identity::record::{Token, TokenKind};
use tidegate_identity::{Action, People};

/// Invite a user to choose a password. The link is good once, for 7 days, and the one before no longer. It is in this
/// answer and nowhere else, so an Idempotency-Key is not remembered.
#[utoipa::path(post, path = "/api/v1/users/{name}:invite", tag = "users",
    params(("name" = String, Path, description = "The user"), DryRunParams),
    responses((status = 201, body = Invitation), (status = "default", body = Problem)))]
pub async fn invite(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    let secret = match secret(session::INVITATION_PREFIX) {
        Ok(secret) => secret,
        Err(problem) => return Refused(problem).into_response(),
    };
    let url = app.login.invitation(&secret);
    change
        .not_remembered()
        .carry_out(&app, "user.invite", Bytes::new(), move |deck, change| {
            change.platform(deck, Action::UserUpdate)?;
            let people = &deck.world().people;
            let user = people.user_named(&name).ok_or_else(|| users::missing(&name))?;
            users::not_by_a_part(change.caller(), user.platform_admin)?;
            if !may_log_in(user) {
                return Err(users::cannot_log_in(user));
            }
            let (id, user) = (user.id, name_of(people, user.id)?);
            let expires_at = Time::of(session::invite(deck, id, &secret));
            let body = Invitation { user, url, secret, expires_at };
            Ok(Made { status: StatusCode::CREATED, version: None, body })
        })
        .await
}

/// Follow an invitation: sets the password, and logs in.
#[utoipa::path(post, path = "/api/v1/invitations:accept", tag = "login", security(()), request_body = Acceptance,
    responses((status = 200, body = Session), (status = "default", body = Problem)))]
pub async fn accept(
    State(app): State<App>,
    visit: Visit,
    body: Json<Acceptance>,
) -> Result<Response, NotLetIn> {
    app.login.not_foreign(&visit.headers)?;
    let Acceptance { secret: given, password } = body.value;
    let attempt = Attempt::new(&given, visit.from);
    let now = app.control.clock().now();
    app.login.throttle.begin(&attempt, now).map_err(NotLetIn::TooMany)?;
    let hash = TokenHash::of(&given);
    let people = app.control.people();
    // Nothing is hashed for who has only guessed: that would be work for nothing.
    let (_, name) = followed(&people, &hash, now).ok_or_else(void)?;
    let password = app.login.passwords.hash(password).await.map_err(|why| {
        app.login.throttle.withdraw(&attempt);
        busy(why)
    })?;
    let session = secret(session::SESSION_PREFIX)?;
    let kept = session.clone();
    let written = app.control.write(visit.origin(&name, "invitation.accept"), move |deck| {
        let (token, _) = followed(&deck.world().people, &hash, deck.now())?;
        let user = deck.world().people.user(token.user).cloned()?;
        session::set_password(deck, &user, password, None);
        Some((user.id, session::begin(deck, user.id, &kept)))
    });
    let (user, expires) = written.await.map_err(unavailable)?.ok_or_else(void)?;
    app.login.throttle.succeeded(&attempt);
    let user = name_of(&app.control.people(), user)?;
    Ok(let_in(&app, Session { user, expires_at: Time::of(expires) }, &session))
}

/// The invitation that a secret is of, if it is good, and who is invited.
fn followed(people: &People, hash: &TokenHash, now: Tick) -> Option<(Token, Box<str>)> {
    let token = people.token_with(&hash.0).filter(|token| token.kind == TokenKind::Invitation)?;
    let user = people.user(token.user).filter(|user| may_log_in(user))?;
    token.is_good(now).then(|| (token.clone(), user.name.clone()))
}

fn void() -> Problem {
    Problem::new(Code::BadCredentials, "this invitation is not known, was followed already, or has expired")
        .hint("ask an administrator for another: `tidegate user invite NAME`")
}
