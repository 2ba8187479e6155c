//! Who is asking. Every route but health and version wants a token.

use super::app::App;
use super::problem::Refused;
use crate::token::TokenHash;
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tidegate_api::problem::{Code, Problem};

/// The administrator, until there are more people.
pub const ADMIN: &str = "admin";

/// Whoever a token belongs to.
#[derive(Clone, Debug)]
pub struct Caller {
    pub name: Arc<str>,
}

/// Lets nobody pass without a token that is known.
pub async fn authenticate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(token) = given.and_then(|value| value.strip_prefix("Bearer ")) else {
        let problem = Problem::new(Code::Unauthenticated, "the request carries no token")
            .hint("send `Authorization: Bearer TOKEN`; the administrator's token is DIR/admin.token");
        return Refused(problem).into_response();
    };
    // Comparing hashes tells nobody how much of a guess was right.
    if TokenHash::of(token.trim()) != app.admin {
        let problem = Problem::new(Code::Unauthenticated, "the token is not known")
            .hint("it may belong to another server, or have been replaced; see DIR/admin.token");
        return Refused(problem).into_response();
    }
    request.extensions_mut().insert(Caller { name: app.admin_name.clone() });
    next.run(request).await
}
