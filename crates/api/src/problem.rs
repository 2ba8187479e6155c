//! Errors as RFC 9457 problem details: a stable code, figures, a hint, pointers to invalid fields.

use crate::limits::MAX_POINTERS;
use crate::pointer::Pointer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tidegate_engine::Refusal;
use utoipa::ToSchema;

pub use crate::code::Code;

/// The media type of a problem.
pub const MEDIA_TYPE: &str = "application/problem+json";
/// What the pages of all codes begin with.
pub const TYPE_PREFIX: &str = "https://tidegate.dev/problems/";

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "type": "https://tidegate.dev/problems/share-too-small",
    "title": "Not enough is left to give",
    "status": 409,
    "code": "share-too-small",
    "detail": "the share of Quota1 is 16 GPUs, asked are 48 GPUs",
    "hint": "ask for less, or scale the parent up first"
})))]
pub struct Problem {
    /// The page about this code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The code in words.
    pub title: Cow<'static, str>,
    /// The HTTP status.
    pub status: u16,
    pub code: Code,
    /// What happened, with the figures.
    pub detail: String,
    /// What to do about it.
    pub hint: String,
    /// Invalid fields of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<Pointer>,
    /// Why not, one by one, where there are several reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

impl Problem {
    /// With the code's own hint.
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem {
            kind: format!("{TYPE_PREFIX}{}", code.word()),
            title: code.title().into(),
            status: code.status(),
            code,
            detail: detail.into(),
            hint: code.hint().into(),
            pointers: Vec::new(),
            reasons: Vec::new(),
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = hint.into();
        self
    }

    /// Points to the field that the detail is about.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Problem {
        let detail = self.detail.clone();
        self.pointers.push(Pointer::new(pointer, detail));
        self
    }

    #[must_use]
    pub fn reasons(mut self, reasons: Vec<String>) -> Problem {
        self.reasons = reasons;
        self
    }

    /// The code `invalid`, for fields that break a rule; `None` if there are none.
    pub fn invalid(mut pointers: Vec<Pointer>) -> Option<Problem> {
        let first = pointers.first()?;
        let detail = match (pointers.len(), first.pointer.as_str()) {
            (1, "") => first.detail.clone(),
            (1, at) => format!("{at}: {}", first.detail),
            (more, at) => format!("{more} fields are invalid; the first is {at}: {}", first.detail),
        };
        let mut problem = Problem::new(Code::Invalid, detail);
        pointers.truncate(MAX_POINTERS);
        problem.pointers = pointers;
        Some(problem)
    }

    /// The same problem with all pointers one level deeper, for a value that stands inside a larger one.
    #[must_use]
    pub fn within(mut self, prefix: &str) -> Problem {
        self.pointers.iter_mut().for_each(|p| p.pointer.insert_str(0, prefix));
        self
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        // Every code of the engine is one of ours; a test holds it.
        let code = Code::parse(refusal.code()).unwrap_or(Code::Invalid);
        Problem::new(code, refusal.what()).hint(refusal.hint())
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; hint: {}", self.detail, self.hint)
    }
}

impl std::error::Error for Problem {}
