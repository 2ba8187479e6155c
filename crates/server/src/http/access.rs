//! The way of every request: it gets an id, is timed, counted, and written to the server's own log.

use super::app::App;
use super::change::RequestId;
use crate::metrics::Stopwatch;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// The header that names a request, in every answer and in the server's log.
pub const REQUEST_ID: &str = "x-request-id";
/// Requests that took longer are told of without being asked.
pub const SLOW: Duration = Duration::from_secs(1);
/// The route of what is at no route.
const NOWHERE: &str = "none";

pub async fn access(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let watch = Stopwatch::start();
    let id: Arc<str> = uuid::Uuid::now_v7().to_string().into();
    request.extensions_mut().insert(RequestId(id.clone()));
    let route = request.extensions().get::<MatchedPath>().cloned();
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    let mut response = next.run(request).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let (status, took) = (response.status().as_u16(), watch.elapsed());
    let route = route.as_ref().map_or(Cow::Borrowed(NOWHERE), |route| pattern(route.as_str()));
    app.control.metrics().answered(&route, word(&method), status, took);
    let (id, ms) = (&*id, took.as_secs_f64() * 1_000.0);
    if took >= SLOW {
        tracing::warn!(request = id, method = method.as_str(), path, status, ms, "a slow request");
    } else {
        tracing::debug!(request = id, method = method.as_str(), path, status, ms, "request");
    }
    response
}

/// The route as the OpenAPI document writes it.
fn pattern(route: &str) -> Cow<'_, str> {
    match route.rsplit_once("/-") {
        Some((before, verb)) => Cow::Owned(format!("{before}:{verb}")),
        None => Cow::Borrowed(route),
    }
}

/// Somebody may invent methods; a label takes no part in that.
fn word(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_told_as_they_are_documented() {
        assert_eq!(pattern("/api/v1/quotas/{name}/-scale"), "/api/v1/quotas/{name}:scale");
        assert_eq!(pattern("/api/v1/quotas/{name}"), "/api/v1/quotas/{name}");
    }
}
