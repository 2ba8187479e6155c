//! Comma-separated values, as RFC 4180 has them.

use super::app::App;
use super::auth::Caller;
use super::eyes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

/// The type of the content.
pub const CSV: &str = "text/csv";

/// One line.
pub fn line<S: AsRef<str>>(fields: &[S]) -> String {
    let field = |text: &S| {
        let text = text.as_ref();
        match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_string(),
        }
    };
    fields.iter().map(field).collect::<Vec<_>>().join(",") + "\n"
}

/// All of it at once, as its caller may read it.
pub fn answer(app: &App, caller: &Caller, text: &str) -> Response {
    let text = eyes::open(app, caller, text);
    ([(CONTENT_TYPE, CSV), (CACHE_CONTROL, "no-store")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_a_line_is_quoted() {
        assert_eq!(line(&["a", "b,c", "say \"so\""]), "a,\"b,c\",\"say \"\"so\"\"\"\n");
    }
}
