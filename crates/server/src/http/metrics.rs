//! Figures for Prometheus.

use super::app::App;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, content_type = "text/plain", body = String)))]
pub async fn metrics(State(app): State<App>) -> Response {
    let text = format!("tidegate_log_events_total {}\n", app.control.hub().next());
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
