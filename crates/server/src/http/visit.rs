//! Somebody who is not known yet: what is needed of the head of a request that logs in.

use super::change::RequestId;
use super::problem::Refused;
use crate::core::entry::Origin;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::header::RETRY_AFTER;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::ids::Span;

#[derive(Clone, Debug)]
pub struct Visit {
    pub headers: HeaderMap,
    pub from: Option<IpAddr>,
    request: Arc<str>,
}

impl<S: Sync> FromRequestParts<S> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Visit, Infallible> {
        let request = parts.extensions.get::<RequestId>().expect("every request has an id");
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(Visit {
            headers: parts.headers.clone(),
            from: peer.map(|ConnectInfo(peer)| peer.ip()),
            request: request.0.clone(),
        })
    }
}

impl Visit {
    /// Who does what, for the log, once it is known.
    pub fn origin(&self, by: &str, operation: &str) -> Origin {
        Origin {
            by: by.into(),
            operation: operation.into(),
            request: Some(self.request.clone()),
            from: self.from.map(|from| from.to_string().into()),
        }
    }
}

/// Why somebody was not let in.
#[derive(Debug)]
pub enum NotLetIn {
    Problem(Problem),
    /// Too many tries; how long to wait.
    TooMany(Span),
}

impl From<Problem> for NotLetIn {
    fn from(problem: Problem) -> NotLetIn {
        NotLetIn::Problem(problem)
    }
}

impl IntoResponse for NotLetIn {
    fn into_response(self) -> Response {
        match self {
            NotLetIn::Problem(problem) => Refused(problem).into_response(),
            NotLetIn::TooMany(wait) => {
                let seconds = wait.0.div_ceil(1_000).max(1);
                let detail = format!("too many log-ins failed; the next try is in {seconds} seconds");
                let mut response = Refused(Problem::new(Code::TooManyAttempts, detail)).into_response();
                response.headers_mut().insert(RETRY_AFTER, seconds.into());
                response
            }
        }
    }
}
