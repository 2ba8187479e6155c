//! Who is asking. Every route but health, version and log-in wants a token.

use super::app::App;
use super::eyes;
use super::problem::Refused;
use super::rights::{Need, is_known, need};
use super::unread::{Left, take_in};
use crate::login::cookie;
use crate::token::TokenHash;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::convert::Infallible;
use std::sync::Arc;
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::ids::Tick;
use tidegate_identity::people::{ADMIN, ADMIN_NAME};
use tidegate_identity::record::{TokenId, TokenKind};
use tidegate_identity::{Action, People, Resource, Verdict, Who, may};

/// Whoever a credential belongs to.
#[derive(Clone, Debug)]
pub struct Caller {
    pub name: Arc<str>,
    pub who: Who,
    /// What lets it in; `None`: the administrator's token of the data directory.
    pub token: Option<TokenId>,
    pub expires: Option<Tick>,
}

impl Caller {
    /// Whoever has the data directory.
    pub fn administrator() -> Caller {
        let who = Who { user: ADMIN, scope: None, kind: TokenKind::Bearer };
        Caller { name: ADMIN_NAME.into(), who, token: None, expires: None }
    }

    /// Whom a bearer's token lets in.
    pub fn of(people: &People, admin: &TokenHash, secret: &str, now: Tick) -> Option<Caller> {
        // Comparing hashes tells nobody how much of a guess was right.
        let hash = TokenHash::of(secret);
        if hash == *admin {
            return Some(Caller::administrator());
        }
        Caller::by(people, hash, TokenKind::Bearer, now)
    }

    /// Whom a cookie lets in.
    pub fn of_session(people: &People, secret: &str, now: Tick) -> Option<Caller> {
        Caller::by(people, TokenHash::of(secret), TokenKind::Session, now)
    }

    /// A secret is good for the way that it was made for.
    fn by(people: &People, hash: TokenHash, kind: TokenKind, now: Tick) -> Option<Caller> {
        let token = people.token_with(&hash.0)?;
        let user = people.user(token.user).filter(|user| !user.disabled)?;
        let good = token.is_good(now) && token.kind == kind;
        good.then(|| Caller {
            name: (*user.name).into(),
            who: Who { user: user.id, scope: token.scope, kind: token.kind },
            token: Some(token.id),
            expires: token.expires,
        })
    }

    /// Whether it may do something; `missing` is the answer to who may not know that it is there.
    pub fn check(
        &self,
        people: &People,
        action: Action,
        resource: Resource,
        missing: impl FnOnce() -> Problem,
    ) -> Result<(), Problem> {
        match may(people, &self.who, action, resource) {
            Verdict::Allowed => Ok(()),
            Verdict::Denied { because } => Err(Problem::new(Code::Denied, because)),
            Verdict::Hidden => Err(missing()),
        }
    }

    /// Whether it may do something to the platform as a whole.
    pub fn platform(&self, people: &People, action: Action) -> Result<(), Problem> {
        let gone =
            || Problem::new(Code::Denied, "this user is disabled or gone: nothing is allowed to it any more");
        self.check(people, action, Resource::Platform, gone)
    }

    pub fn may(&self, people: &People, action: Action, resource: Resource) -> bool {
        may(people, &self.who, action, resource).is_allowed()
    }

    /// Whether its token is good for something at all, whoever it belongs to.
    pub fn good_for(&self, action: Action) -> Result<(), Problem> {
        match self.who.scope {
            Some(scope) if !scope.contains(action) => {
                let because = format!("this token is not good for {}", action.word());
                Err(Problem::new(Code::Denied, because))
            }
            _ => Ok(()),
        }
    }

    /// Whether nothing is hidden from it.
    pub fn sees_all(&self, people: &People) -> bool {
        people.user(self.who.user).is_some_and(|user| user.platform_admin && !user.disabled)
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Caller, Infallible> {
        Ok(parts.extensions.get::<Caller>().expect("the route is authenticated").clone())
    }
}

/// Lets nobody pass without a credential that is known.
pub async fn authenticate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let admitted = app.caller(&request).and_then(|caller| admit(&app, &caller, &request).map(|()| caller));
    let caller = match admitted {
        Ok(caller) => caller,
        Err(problem) => {
            take_in(request.into_body()).await;
            return Refused(problem).into_response();
        }
    };
    request.extensions_mut().insert(caller.clone());
    let left = Left::default();
    let response = next.run(request.map(|body| left.lend(body))).await;
    left.take_in().await;
    eyes::open_answer(&app, &caller, response).await
}

/// Whether somebody may come to a route at all; what the route is about is looked at there.
fn admit(app: &App, caller: &Caller, request: &Request) -> Result<(), Problem> {
    // Where there is no route there is nothing to protect.
    let Some(route) = request.extensions().get::<MatchedPath>() else { return Ok(()) };
    match need(request.method().as_str(), route.as_str()) {
        Some(Need::Known | Need::Thing(_)) => Ok(()),
        Some(Need::Platform(action)) => caller.platform(&app.control.people(), action),
        // The router then says that there is no such method.
        None if is_known(route.as_str()) => Ok(()),
        None => Err(Problem::new(Code::Denied, "nobody has said who may come here")),
    }
}

impl App {
    /// Who sends a request: whose token it carries, or whose cookie if it has no token.
    fn caller(&self, request: &Request) -> Result<Caller, Problem> {
        let headers = request.headers();
        let (people, now) = (self.control.people(), self.control.clock().now());
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let caller = match given.and_then(|value| value.strip_prefix("Bearer ")) {
            Some(token) => Caller::of(&people, &self.admin, token.trim(), now).ok_or_else(|| {
                Problem::new(Code::Unauthenticated, "the token is not known, or is good no longer")
                    .hint("it may have expired or been revoked; the administrator's is in DIR/admin.token")
            })?,
            None => {
                let mut cookies = cookie::sessions(headers).peekable();
                let is_none = cookies.peek().is_none();
                let found = cookies.find_map(|secret| Caller::of_session(&people, secret, now));
                let caller = found.ok_or_else(|| nobody(is_none))?;
                self.login.same_origin(request.method(), headers)?;
                caller
            }
        };
        if let Some(token) = caller.token.and_then(|id| people.token(id)) {
            self.login.noted.used(&self.control, token, now);
        }
        Ok(caller)
    }
}

fn nobody(is_silent: bool) -> Problem {
    if is_silent {
        return Problem::new(Code::Unauthenticated, "the request carries no token")
            .hint("send `Authorization: Bearer TOKEN`; the administrator's token is DIR/admin.token");
    }
    Problem::new(Code::Unauthenticated, "the session is over").hint("log in again")
}
