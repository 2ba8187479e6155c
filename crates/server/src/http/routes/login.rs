//! Logging in and out, and one's own password.

use super::super::answer::Answer;
use super::super::app::App;
use super::super::change::{Change, Made, unavailable};
use super::super::extract::Json;
use super::super::visit::{NotLetIn, Visit};
use super::DryRunParams;
use crate::login::password::Busy;
use crate::login::throttle::Attempt;
use crate::login::{may_log_in, session};
use crate::token;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::response::{IntoResponse, Response};
use tidegate_api::login::{Credentials, Ended, LoginWays, Session};
use tidegate_api::name::Name;
use tidegate_api::people::NewPassword;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_engine::ids::MemberId;
use tidegate_identity::record::{TokenKind, User, UserKind};
use tidegate_identity::{Action, People, Record};

/// The same whatever was wrong: nobody learns who there is.
fn wrong() -> Problem {
    Problem::new(Code::BadCredentials, "name or password is wrong")
}

pub(super) fn busy(_: Busy) -> Problem {
    Problem::new(Code::QueueFull, "more people log in than the server can check soon")
}

pub(super) fn secret(prefix: &str) -> Result<String, Problem> {
    token::generate_with(prefix).map_err(|error| Problem::new(Code::Internal, error.to_string()))
}

/// Which ways there are to log in.
#[utoipa::path(get, path = "/api/v1/login", tag = "login", operation_id = "ways", security(()),
    responses((status = 200, body = LoginWays)))]
pub async fn ways(State(app): State<App>) -> Answer<LoginWays> {
    let oidc = app.login.oidc.as_ref().map(|oidc| oidc.config.issuer.0.clone());
    Answer::new(LoginWays { password: true, oidc })
}

/// Log in. The answer sets a cookie that scripts cannot read; whoever cannot use cookies makes a token.
#[utoipa::path(post, path = "/api/v1/login", tag = "login", security(()), request_body = Credentials,
    responses((status = 200, body = Session), (status = "default", body = Problem)))]
pub async fn login(
    State(app): State<App>,
    visit: Visit,
    body: Json<Credentials>,
) -> Result<Response, NotLetIn> {
    app.login.not_foreign(&visit.headers)?;
    let Credentials { user: name, password } = body.value;
    let attempt = Attempt::new(&name, visit.from);
    let throttle = &app.login.throttle;
    throttle.begin(&attempt, app.control.clock().now()).map_err(NotLetIn::TooMany)?;
    let people = app.control.people();
    let found = app.login.identify(&people, &name, password).await.map_err(|why| {
        throttle.withdraw(&attempt);
        busy(why)
    })?;
    let Some(user) = found.and_then(|id| people.user(id)) else {
        tracing::info!(from = ?visit.from, "a log-in failed");
        return Err(wrong().into());
    };
    throttle.succeeded(&attempt);
    // What was looked at is what must still be so.
    let (id, hash) = (user.id, user.password.clone());
    let is_same = move |people: &People| people.user(id).is_some_and(|user| user.password == hash);
    begin(&app, &visit, user, "session.begin", is_same).await
}

/// Lets a browser in, if what was seen of the user still holds when it is its turn.
pub(super) async fn begin(
    app: &App,
    visit: &Visit,
    user: &User,
    operation: &str,
    still: impl FnOnce(&People) -> bool + Send + 'static,
) -> Result<Response, NotLetIn> {
    let secret = secret(session::SESSION_PREFIX)?;
    let (id, kept) = (user.id, secret.clone());
    let written = app.control.write(visit.origin(&user.name, operation), move |deck| {
        let people = &deck.world().people;
        let holds = people.user(id).is_some_and(may_log_in) && still(people);
        holds.then(|| session::begin(deck, id, &kept))
    });
    let expires = written.await.map_err(unavailable)?.ok_or_else(wrong)?;
    let user = name_of(&app.control.people(), id)?;
    Ok(let_in(app, Session { user, expires_at: Time::of(expires) }, &secret))
}

/// The answer that carries a session.
pub(super) fn let_in(app: &App, body: Session, secret: &str) -> Response {
    with_cookie(Answer::new(body).into_response(), &app.login.cookie(secret))
}

pub(super) fn with_cookie(mut response: Response, cookie: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        headers.append(SET_COOKIE, cookie);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub(super) fn name_of(people: &People, id: MemberId) -> Result<Name, Problem> {
    let name = people.user(id).and_then(|user| user.name.parse().ok());
    name.ok_or_else(|| Problem::new(Code::NotFound, "this user is gone"))
}

/// Log out: the session, or the token, that this request carries is good no longer.
#[utoipa::path(post, path = "/api/v1/logout", tag = "login", params(DryRunParams),
    responses((status = 200, body = Ended), (status = "default", body = Problem)))]
pub async fn logout(State(app): State<App>, change: Change) -> Response {
    let is_dry = change.is_dry_run();
    let response = change
        .carry_out(&app, "session.end", Bytes::new(), move |deck, change| {
            let people = &deck.world().people;
            let user = name_of(people, change.caller().who.user)?;
            let Some(id) = change.caller().token else {
                let detail = "the administrator's token is the file admin.token of the data directory";
                return Err(Problem::new(Code::WrongState, detail)
                    .hint("remove the file and start the server again: it makes another"));
            };
            let token = people.token(id).cloned();
            let ended = usize::from(token.is_some());
            token.into_iter().for_each(|token| deck.put(Some(Record::Token(token)), None));
            Ok(Made::ok(Ended { user, ended }))
        })
        .await;
    if is_dry || !response.status().is_success() {
        return response;
    }
    with_cookie(response, &app.login.no_cookie())
}

/// Choose another password for oneself. Ends all other sessions; tokens stay.
#[utoipa::path(put, path = "/api/v1/password", tag = "login", params(DryRunParams), request_body = NewPassword,
    responses((status = 200, body = Ended), (status = "default", body = Problem)))]
pub async fn password(
    State(app): State<App>,
    visit: Visit,
    change: Change,
    body: Json<NewPassword>,
) -> Response {
    let NewPassword { old, new } = body.value;
    let checked = match check(&app, &visit, &change, old).await {
        Ok(user) => {
            app.login.passwords.hash(new).await.map(|hash| (user, hash)).map_err(|why| busy(why).into())
        }
        Err(why) => Err(why),
    };
    let (seen, hash) = match checked {
        Ok(checked) => checked,
        Err(why) => return why.into_response(),
    };
    // The body is no part of what is remembered: it is a secret.
    change
        .not_remembered()
        .carry_out(&app, "user.password", Bytes::new(), move |deck, change| {
            let people = &deck.world().people;
            change.caller().platform(people, Action::SelfUpdate)?;
            let user = people.user(seen.id).cloned().filter(|user| user.password == seen.password);
            let user = user.ok_or_else(|| {
                Problem::new(Code::WrongState, "the password was changed meanwhile")
                    .hint("give the one that it was changed to as the old one")
            })?;
            let but = change.caller().token;
            let before = people.tokens_of(user.id, TokenKind::Session).count();
            session::set_password(deck, &user, hash, but);
            let people = &deck.world().people;
            let ended = before - people.tokens_of(user.id, TokenKind::Session).count();
            Ok(Made::ok(Ended { user: name_of(people, user.id)?, ended }))
        })
        .await
}

/// Whether whoever asks may choose a password, and knows the present one if there is one. Tries are counted: a
/// session that was left open is no way to find the password out.
async fn check(app: &App, visit: &Visit, change: &Change, old: Option<String>) -> Result<User, NotLetIn> {
    let (people, caller) = (app.control.people(), change.caller());
    caller.platform(&people, Action::SelfUpdate)?;
    let user = people.user(caller.who.user).cloned();
    let user = user.ok_or_else(|| Problem::new(Code::NotFound, "this user is gone"))?;
    if user.kind != UserKind::Person {
        let detail = "a service account has no password: it has tokens";
        let hint = format!("`tidegate token create --user {}` makes one", user.name);
        return Err(Problem::new(Code::WrongState, detail).hint(hint).into());
    }
    let Some(hash) = user.password.clone() else { return Ok(user) };
    let attempt = Attempt::new(&user.name, visit.from);
    let throttle = &app.login.throttle;
    throttle.begin(&attempt, app.control.clock().now()).map_err(NotLetIn::TooMany)?;
    let is_right = app.login.passwords.verify(old.unwrap_or_default(), Some(hash)).await.map_err(|why| {
        throttle.withdraw(&attempt);
        busy(why)
    })?;
    if !is_right {
        let hint = "type the present one; an administrator can invite you to choose a new one";
        return Err(Problem::new(Code::Denied, "the old password is not right").hint(hint).at("/old").into());
    }
    throttle.succeeded(&attempt);
    Ok(user)
}
