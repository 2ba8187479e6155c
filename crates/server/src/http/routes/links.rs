//! Which user somebody is whom the provider of identities vouches for: said by administrators, never guessed by names.

use super::super::app::App;
use super::super::change::Change;
use super::super::extract::{Json, Named};
use super::{DryRunParams, users};
use crate::core::deck::Deck;
use crate::login::{may_log_in, session};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::people::{LinkRequest, User};
use tidegate_api::problem::{Code, Problem};
use tidegate_identity::{Action, Record, record};

/// Let somebody log in as this user through the provider of identities. Takes the place of the link before.
#[utoipa::path(post, path = "/api/v1/users/{name}:link", tag = "users", request_body = LinkRequest,
    params(("name" = String, Path, description = "The user"), DryRunParams),
    responses((status = 200, body = User), (status = "default", body = Problem)))]
pub async fn link(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<LinkRequest>,
) -> Response {
    let wanted = body.value;
    let known = app.login.oidc.as_ref().map(|oidc| oidc.config.issuer.0.clone());
    change
        .carry_out(&app, "user.link", body.sent, move |deck, change| {
            change.platform(deck, Action::UserUpdate)?;
            let issuer = wanted.issuer.or(known).ok_or_else(|| {
                Problem::new(Code::Invalid, "this server knows no provider of identities")
                    .hint("name the issuer, as [oidc] in the configuration will")
                    .at("/issuer")
            })?;
            let people = &deck.world().people;
            let user = people.user_named(&name).cloned().ok_or_else(|| users::missing(&name))?;
            users::not_by_a_part(change.caller(), user.platform_admin)?;
            if !may_log_in(&user) {
                return Err(users::cannot_log_in(&user));
            }
            let other = people.user_of_provider(&issuer, &wanted.subject).filter(|other| other.id != user.id);
            if let Some(other) = other {
                let detail = format!("whoever {issuer} calls so is {} here", other.name);
                return Err(Problem::new(Code::NameTaken, detail)
                    .hint(format!("`tidegate user unlink {}` first", other.name))
                    .at("/subject"));
            }
            set(deck, user, Some((issuer.as_str().into(), wanted.subject.as_str().into())));
            users::made(deck, StatusCode::OK, &name)
        })
        .await
}

/// Let nobody log in as this user through the provider of identities any more. Its sessions end.
#[utoipa::path(post, path = "/api/v1/users/{name}:unlink", tag = "users",
    params(("name" = String, Path, description = "The user"), DryRunParams),
    responses((status = 200, body = User), (status = "default", body = Problem)))]
pub async fn unlink(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "user.unlink", Bytes::new(), move |deck, change| {
            change.platform(deck, Action::UserUpdate)?;
            let user = deck.world().people.user_named(&name).cloned().ok_or_else(|| users::missing(&name))?;
            if user.provider.is_none() {
                let detail = format!("no provider of identities vouches for {name}");
                let hint = format!("`tidegate user show {name}` shows how they log in");
                return Err(Problem::new(Code::NothingToChange, detail).hint(hint));
            }
            set(deck, user, None);
            users::made(deck, StatusCode::OK, &name)
        })
        .await
}

/// Whoever was let in by the link before is let in by it no longer.
fn set(deck: &mut Deck<'_>, before: record::User, provider: Option<(Box<str>, Box<str>)>) {
    if before.provider == provider {
        return;
    }
    if before.provider.is_some() {
        session::end(deck, before.id, record::TokenKind::Session, |_| true);
    }
    let after = record::User { provider, ..before.clone() };
    deck.put(Some(Record::User(before)), Some(Record::User(after)));
}
