//! What a reading route answers.

use super::change::unavailable;
use super::problem::Refused;
use crate::core::control::Unavailable;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tidegate_api::problem::Problem;

pub type Answered<T> = Result<Answer<T>, Refused>;

/// JSON, with an ETag if it has a version.
#[derive(Debug)]
pub struct Answer<T> {
    pub body: T,
    pub version: Option<String>,
}

impl<T> Answer<T> {
    pub fn new(body: T) -> Answer<T> {
        Answer { body, version: None }
    }
}

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        let mut response = json(&self.body).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(tag) = self.version.and_then(|v| HeaderValue::from_str(&format!("\"{v}\"")).ok()) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// An answer, written out.
pub fn json(body: &impl Serialize) -> Vec<u8> {
    // Room for one resource: growing on the way costs as much as writing.
    let mut bytes = Vec::with_capacity(2_048);
    serde_json::to_writer(&mut bytes, body).expect("an answer is plain data");
    bytes
}

/// What was read, or why it was not.
pub fn read<T>(outcome: Result<Result<T, Problem>, Unavailable>) -> Result<T, Refused> {
    outcome.map_err(unavailable)?.map_err(Refused)
}
