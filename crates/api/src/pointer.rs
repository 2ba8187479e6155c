//! JSON pointers (RFC 6901) to what is wrong in a request.

use serde::Serialize;
use serde_path_to_error::{Path, Segment};

/// One invalid field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, utoipa::ToSchema)]
#[schema(examples(json!({"pointer": "/spec/guarantee/gpu", "detail": "invalid type: string, expected a number"})))]
pub struct Pointer {
    /// A JSON pointer into the request's body. Empty: the body as a whole.
    pub pointer: String,
    /// What is wrong there.
    pub detail: String,
    /// Line in the text that was sent, counted from 1; only for manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Column in that line, counted from 1; only for manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

impl Pointer {
    pub fn new(pointer: impl Into<String>, detail: impl Into<String>) -> Pointer {
        Pointer { pointer: pointer.into(), detail: detail.into(), line: None, column: None }
    }
}

/// A key as one segment of a pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The pointer to where a value could not be read.
pub(crate) fn of_path(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => pointer.push_str(&format!("/{}", escape(key))),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}
