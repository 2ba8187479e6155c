//! Figures for Prometheus.

use super::app::App;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, content_type = "application/openmetrics-text", body = String)))]
pub async fn metrics(State(app): State<App>) -> Response {
    // A store that does not answer costs one figure, not all of them.
    let size = app.with_reader(|reader| reader.size()).await.ok();
    let text = tokio::task::spawn_blocking(move || {
        crate::metrics::scrape(&app.control, &app.work.here, &app.meter, size)
    })
    .await;
    let text = text.expect("looking at figures does not panic, and is not cancelled");
    ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response()
}
