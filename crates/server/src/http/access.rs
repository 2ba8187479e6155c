//! The way of every request: it gets an id, is timed, counted, and written to the server's own log.

use super::app::App;
use super::change::RequestId;
use crate::metrics::Stopwatch;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// The header that names a request, in every answer and in the server's log.
pub const REQUEST_ID: &str = "x-request-id";
/// Requests that took longer are told of without being asked.
pub const SLOW: Duration = Duration::from_secs(1);

pub async fn access(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let watch = Stopwatch::start();
    let mut text = Uuid::encode_buffer();
    let id: &str = Uuid::now_v7().as_hyphenated().encode_lower(&mut text);
    let id: Arc<str> = id.into();
    request.extensions_mut().insert(RequestId(id.clone()));
    let route = request.extensions().get::<MatchedPath>().cloned();
    // A copy: a part of the request would keep the whole buffer that it was read into.
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    // Who asks to wait is no sign of trouble.
    let waits = request.uri().query().is_some_and(|q| q.split('&').any(|pair| pair.starts_with("wait=")));
    let mut response = next.run(request).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let (status, took) = (response.status().as_u16(), watch.elapsed());
    let route = route.as_ref().map(MatchedPath::as_str);
    app.control.metrics().answered(route, word(&method), status, took);
    let (id, path, ms) = (&*id, &*path, took.as_secs_f64() * 1_000.0);
    if took >= SLOW && !waits {
        tracing::warn!(request = id, method = method.as_str(), path, status, ms, "a slow request");
    } else {
        tracing::debug!(request = id, method = method.as_str(), path, status, ms, "request");
    }
    response
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
