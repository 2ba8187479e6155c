//! Tokens: what lets programs and the command line act for somebody.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params};
use super::{DryRunParams, page, users};
use crate::core::deck::Deck;
use crate::token::{self, TokenHash};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegate_api::limits::{DEFAULT_TOKEN_TIME, MAX_TOKEN_TIME, MAX_TOKENS};
use tidegate_api::people::{NewToken, Token, TokenList};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_engine::ids::{MemberId, WorkspaceId};
use tidegate_identity::may::may_grant;
use tidegate_identity::record::{self, TokenId, TokenKind, UserKind};
use tidegate_identity::{Action, ActionSet, People, Record, Resource, Verdict, Who};
use utoipa::IntoParams;

pub fn shown(people: &People, token: &record::Token) -> Option<Token> {
    Some(Token {
        id: format!("t-{}", token.id.0),
        name: token.name.to_string(),
        user: people.user(token.user)?.name.parse().ok()?,
        kind: match token.kind {
            TokenKind::Bearer => "token",
            TokenKind::Session => "session",
            TokenKind::Invitation => "invitation",
        }
        .into(),
        actions: token.scope.map(Into::into),
        created_at: Time::of(token.created),
        expires_at: token.expires.map(Time::of),
        last_used_at: token.last_used.map(Time::of),
        secret: None,
    })
}

/// Whether somebody may make, see and revoke what lets a user in. Hidden from who may not.
pub fn governs(people: &People, caller: &Caller, user: MemberId) -> Result<(), Problem> {
    if user == caller.who.user {
        return caller.platform(people, Action::SelfUpdate);
    }
    match people.user(user).map(|user| user.kind) {
        Some(UserKind::ServiceAccount(room))
            if caller.may(people, Action::MemberUpdate, Resource::Workspace(room)) =>
        {
            governs_account(people, caller, room, user)
        }
        _ => caller.platform(people, Action::UserUpdate),
    }
}

/// Whoever has a token of an account acts with its role: nobody makes one who could not give that role. What the
/// caller's own token is not good for, the new one is not either, so that its scope does not count here.
fn governs_account(
    people: &People,
    caller: &Caller,
    room: WorkspaceId,
    account: MemberId,
) -> Result<(), Problem> {
    let Some(member) = people.member(room, account) else { return Ok(()) };
    let who = Who { scope: None, ..caller.who };
    match may_grant(people, &who, room, member.role) {
        Verdict::Allowed => Ok(()),
        Verdict::Denied { because } => Err(Problem::new(Code::Denied, because)),
        Verdict::Hidden => caller.platform(people, Action::UserUpdate),
    }
}

/// Whose tokens are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TokenQuery {
    /// The caller's own if absent.
    user: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

/// List tokens and sessions of browsers, without their secrets.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "tokens", params(TokenQuery),
    responses((status = 200, body = TokenList), (status = 404, body = Problem), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<TokenQuery>,
) -> Answered<TokenList> {
    let page = page(query.limit, query.page_token.as_deref())?;
    let outcome = app.control.read(|world, now| {
        let people = &world.people;
        let user = match &query.user {
            None => {
                governs(people, &caller, caller.who.user)?;
                caller.who.user
            }
            Some(name) => {
                let user = people.user_named(name).map(|user| user.id);
                // Who may not look at users is not told whether there is one.
                governs(people, &caller, user.unwrap_or(MemberId(u32::MAX)))?;
                user.ok_or_else(|| users::missing(name))?
            }
        };
        let shows = |token: &&record::Token| token.kind != TokenKind::Invitation && token.is_good(now);
        let tokens = people.tokens().filter(|token| token.user == user).filter(shows);
        let (tokens, next_page_token) = page.cut(tokens);
        Ok(TokenList {
            items: tokens.into_iter().filter_map(|t| shown(people, t)).collect(),
            next_page_token,
        })
    });
    read(outcome.await).map(Answer::new)
}

/// Make a token. Its secret is in this answer and nowhere else, so a retry makes another: an Idempotency-Key is not
/// remembered.
#[utoipa::path(post, path = "/api/v1/tokens", tag = "tokens", params(DryRunParams), request_body = NewToken,
    responses((status = 201, body = Token), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewToken>) -> Response {
    let new = body.value;
    let secret = match token::generate() {
        Ok(secret) => secret,
        Err(error) => {
            return super::super::problem::Refused(Problem::new(Code::Internal, error.to_string()))
                .into_response();
        }
    };
    change
        .not_remembered()
        .carry_out(&app, "token.create", body.sent, move |deck, change| {
            let token = wanted(deck, change.caller(), &new, &secret)?;
            let shown =
                shown(&deck.world().people, &token).map(|shown| Token { secret: Some(secret), ..shown });
            deck.put(None, Some(Record::Token(token)));
            let body = shown.ok_or_else(|| Problem::new(Code::NotFound, "its user is gone"))?;
            Ok(Made { status: StatusCode::CREATED, version: None, body })
        })
        .await
}

fn wanted(deck: &Deck<'_>, caller: &Caller, new: &NewToken, secret: &str) -> Result<record::Token, Problem> {
    let people = &deck.world().people;
    let user = match &new.user {
        None => caller.who.user,
        Some(name) => people.user_named(name).map_or(MemberId(u32::MAX), |user| user.id),
    };
    governs(people, caller, user)?;
    let name = new.user.as_ref().map_or("", |name| name.as_str());
    people.user(user).ok_or_else(|| {
        Problem::new(Code::UnknownReference, format!("there is no user {name}"))
            .hint("`tidegate user list` lists them")
            .at("/user")
    })?;
    let scope = scope(caller, new)?;
    if people.tokens_of(user, TokenKind::Bearer).filter(|token| token.is_good(deck.now())).count()
        >= MAX_TOKENS
    {
        let detail = format!("there are {MAX_TOKENS} tokens of this user, no more can be");
        return Err(
            Problem::new(Code::LimitExceeded, detail).hint("revoke some with `tidegate token revoke`")
        );
    }
    let time = new.expires_in.map_or(DEFAULT_TOKEN_TIME, |time| time.span());
    if time > MAX_TOKEN_TIME || time.0 == 0 {
        let asked = new.expires_in.map_or_else(String::new, |time| time.to_string());
        let detail = format!(
            "a token is good for at most 8784h, a year, and for some time at least; asked are {asked}"
        );
        let hint = "ask for less than a year, and make another one then";
        return Err(Problem::new(Code::Invalid, detail).hint(hint).at("/expiresIn"));
    }
    // A token does not outlive the one that made it. Whoever has just logged in is there in person.
    let expires = deck.now().after(time);
    let own = caller.expires.filter(|_| caller.who.kind == TokenKind::Bearer);
    let expires = own.map_or(expires, |own| own.min(expires));
    Ok(record::Token {
        id: people.next_token(),
        user,
        name: new.name.as_ref().map_or("", |name| name.as_str()).into(),
        kind: TokenKind::Bearer,
        hash: TokenHash::of(secret).0,
        scope,
        created: deck.now(),
        expires: Some(expires),
        last_used: None,
    })
}

/// What the token shall be good for: nothing that the caller's own is not good for.
fn scope(caller: &Caller, new: &NewToken) -> Result<Option<ActionSet>, Problem> {
    let asked = match new.actions.is_empty() {
        true => None,
        false => {
            let set = ActionSet::try_from(new.actions.clone());
            Some(set.map_err(|why| Problem::new(Code::Invalid, why).at("/actions"))?)
        }
    };
    match (asked, caller.who.scope) {
        (asked, None) => Ok(asked),
        (None, Some(own)) => Ok(Some(own)),
        (Some(asked), Some(own)) => match asked.iter().find(|action| !own.contains(*action)) {
            None => Ok(Some(asked)),
            Some(more) => {
                let detail = format!("the token that asks is itself not good for {}", more.word());
                let hint = "leave it out, or ask with a token that is good for it";
                Err(Problem::new(Code::Denied, detail).hint(hint).at("/actions"))
            }
        },
    }
}

/// Revoke a token, or end a session: it lets nobody in any more, from now on.
#[utoipa::path(delete, path = "/api/v1/tokens/{name}", tag = "tokens", params(("name" = String, Path, description = "Its id, such as t-3"), DryRunParams),
    responses((status = 200, body = Token), (status = "default", body = Problem)))]
pub async fn revoke(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "token.revoke", Bytes::new(), move |deck, change| {
            let missing = || {
                Problem::new(Code::NotFound, format!("there is no token {name}"))
                    .hint("`tidegate token list` lists yours with their ids")
            };
            let people = &deck.world().people;
            let id = name.strip_prefix("t-").and_then(|number| number.parse().ok()).map(TokenId);
            let token = id.and_then(|id| people.token(id)).cloned().ok_or_else(missing)?;
            governs(people, change.caller(), token.user).map_err(|_| missing())?;
            let last = shown(people, &token).ok_or_else(missing)?;
            deck.put(Some(Record::Token(token)), None);
            Ok(Made::ok(last))
        })
        .await
}
