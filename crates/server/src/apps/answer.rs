//! What the server itself answers: a problem for programs, a small page for people.

use super::upstream::Answered;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, RETRY_AFTER,
    SET_COOKIE,
};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use tidegate_api::problem::{Code, MEDIA_TYPE, Problem};

/// Seconds after which what is not ready may be.
const RETRY_SECONDS: &str = "2";

/// What is sent back: a replica's answer, or a few words of our own.
#[derive(Debug)]
pub struct Answer(Kind);

#[derive(Debug)]
enum Kind {
    Passed(Answered),
    Own(Option<Bytes>),
}

impl Answer {
    pub(super) fn passed(answered: Answered) -> Answer {
        Answer(Kind::Passed(answered))
    }

    pub(super) fn empty() -> Answer {
        Answer(Kind::Own(None))
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Kind::Passed(answered) => Pin::new(answered).poll_frame(cx),
            Kind::Own(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Passed(answered) => answered.is_end_stream(),
            Kind::Own(text) => text.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Passed(answered) => answered.size_hint(),
            Kind::Own(text) => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
        }
    }
}

/// A person looks at it.
pub(super) fn is_browser(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    accepted.into_iter().any(|accepted| accepted.contains("text/html"))
}

/// The same for whatever is not there and whatever the caller may not know of.
pub(super) fn nowhere() -> Problem {
    Problem::new(Code::NotFound, "there is nothing at this address, or it is not for you").hint(
        "`tidegate open NAME` gives a link to a notebook or service; each link is good once, for a minute",
    )
}

pub(super) fn problem(problem: &Problem, is_browser: bool) -> Response<Answer> {
    let (kind, text) = if is_browser {
        ("text/html; charset=utf-8", page(problem))
    } else {
        (MEDIA_TYPE, serde_json::to_string(problem).expect("a problem is plain data"))
    };
    let mut response = Response::new(Answer(Kind::Own(Some(text.into()))));
    *response.status_mut() =
        StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    if problem.code.is_temporary() {
        headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY_SECONDS));
    }
    response
}

fn page(problem: &Problem) -> String {
    // What is not ready yet is looked for again.
    let again = if problem.code.is_temporary() {
        format!("<meta http-equiv=\"refresh\" content=\"{RETRY_SECONDS}\">")
    } else {
        String::new()
    };
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">{again}<title>{}</title>\
         <h1>{}</h1><p>{}</p><p>{}</p></html>\n",
        escaped(&problem.title),
        escaped(&problem.title),
        escaped(&problem.detail),
        escaped(&problem.hint),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Leads on to another path of ours.
pub(super) fn redirect(to: &str, cookie: Option<&str>) -> Response<Answer> {
    let mut response = Response::new(Answer::empty());
    *response.status_mut() =
        if cookie.is_some() { StatusCode::SEE_OTHER } else { StatusCode::TEMPORARY_REDIRECT };
    let headers = response.headers_mut();
    let mut set = |name, value: &str| {
        // Paths are made of names, and cookies of digits.
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(LOCATION, to);
    if let Some(cookie) = cookie {
        set(SET_COOKIE, cookie);
        set(CACHE_CONTROL, "no-store");
        set(REFERRER_POLICY, "no-referrer");
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_text_as_text() {
        let shown = page(&Problem::new(Code::NoneReady, "<script>\"&"));
        assert!(shown.contains("&lt;script&gt;&quot;&amp;") && shown.contains("refresh"), "{shown}");
        assert!(!page(&nowhere()).contains("refresh"));
    }
}
