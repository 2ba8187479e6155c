//! Problems as answers.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tidegate_api::problem::{Code, MEDIA_TYPE, Problem};
use tidegate_store::StoreError;

/// Seconds after which what is temporary is worth another try.
const RETRY_SECONDS: &str = "1";

/// A problem on its way out.
#[derive(Debug)]
pub struct Refused(pub Problem);

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Refused {
        Refused(problem)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.0).expect("a problem is plain data");
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if self.0.code.is_temporary() {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY_SECONDS));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

pub fn of_store(error: &StoreError) -> Problem {
    let code = match error {
        StoreError::Full { .. } => Code::StorageFull,
        _ => Code::StoreFailing,
    };
    Problem::new(code, error.to_string())
}
