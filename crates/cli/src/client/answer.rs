//! What a server answered, and what it means if it did not.

use super::find::Found;
use crate::exit::{Exit, Failure, Outcome, exit_of_status};
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::time::Duration;
use tidegate_api::Problem;
use tidegate_server::apps::SESSION_COOKIE;
use ureq::http::{Response, StatusCode, header};
use ureq::{Body, BodyReader};

/// Bytes of an answer: a page of 1,000 workloads with large environments.
const MAX_ANSWER: u64 = 256 << 20;

/// Whoever is to wait longer is told so instead.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Answer {
    status: StatusCode,
    /// The secret of a session that it begins.
    session: Option<String>,
    retry_after: Option<Duration>,
    body: Content,
}

/// All of it, or what comes as it happens.
enum Content {
    Whole(Vec<u8>),
    Stream(BodyReader<'static>),
}

impl Answer {
    /// A stream is left to be read, unless it is an error.
    pub(super) fn read(response: Response<Body>, stream: bool) -> Result<Answer, ureq::Error> {
        let (parts, mut body) = response.into_parts();
        let retry =
            parts.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let set = parts.headers.get_all(header::SET_COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        let mut set =
            set.filter_map(|line| line.strip_prefix(SESSION_COOKIE)?.strip_prefix('=')?.split(';').next());
        let session = set.next();
        let session = session.map(str::to_string);
        let body = if stream && parts.status.is_success() {
            Content::Stream(body.into_with_config().limit(u64::MAX).reader())
        } else {
            Content::Whole(body.with_config().limit(MAX_ANSWER).read_to_vec()?)
        };
        Ok(Answer { status: parts.status, session, retry_after: retry.map(Duration::from_secs), body })
    }

    /// The server took the request for no reason but that it is busy; it was not carried out.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.status.as_u16(), 429 | 503) && self.retry_after.is_some_and(|wait| wait <= PATIENCE)
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Itself if it is what was asked for.
    pub(super) fn refused(self) -> Outcome<Answer> {
        if self.status.is_success() {
            return Ok(self);
        }
        let bytes = match &self.body {
            Content::Whole(bytes) => bytes.as_slice(),
            Content::Stream(_) => &[],
        };
        if let Ok(problem) = serde_json::from_slice::<Problem>(bytes) {
            return Err(problem.into());
        }
        // A later server may know codes that we do not.
        let told: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
        let what = match told["detail"].as_str() {
            Some(detail) => detail.to_string(),
            None => format!("the server answered {}", self.status),
        };
        let failure = Failure::new(exit_of_status(self.status.as_u16()), what);
        Err(match told["hint"].as_str() {
            Some(hint) => failure.hint(hint),
            None => failure.hint("is this the address of a Tidegate server? `tidegate whoami` shows it"),
        })
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, server: &str) -> Outcome<T> {
        serde_json::from_slice(self.bytes()).map_err(|error| {
            Failure::new(
                Exit::Failure,
                format!("{server} answered something else than was expected: {error}"),
            )
            .hint("the server may be of another version: see `tidegate version` and its /version")
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.body {
            Content::Whole(bytes) => bytes,
            Content::Stream(_) => &[],
        }
    }

    /// What comes as it happens.
    pub(crate) fn stream(self) -> Option<BodyReader<'static>> {
        match self.body {
            Content::Stream(reader) => Some(reader),
            Content::Whole(_) => None,
        }
    }
}

/// Whether the server was reached: then it may have carried out the request, and a repetition may help.
pub(super) fn reached(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::UnexpectedEof
                | ErrorKind::BrokenPipe
        ),
        ureq::Error::Protocol(_) => true,
        _ => false,
    }
}

/// Whether somebody answered who could not show to be who was meant.
fn is_untrusted(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => true,
        // What fails while the two greet each other comes as an error of the connection.
        ureq::Error::Io(error) => error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()),
        _ => false,
    }
}

/// What is behind an error, without what is around it.
fn innermost(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => error.get_ref().map_or_else(|| error.to_string(), ToString::to_string),
        _ => error.to_string(),
    }
}

pub(super) fn failure_of_transport(error: &ureq::Error, found: &Found) -> Failure {
    let server = &found.server;
    match error {
        ureq::Error::Timeout(_) => {
            Failure::new(Exit::TimedOut, format!("{server} did not answer in time: {error}"))
                .hint("look at the server's log, or try again")
        }
        _ if is_untrusted(error) => {
            Failure::new(Exit::Unreachable, format!("{server} cannot be trusted: {}", innermost(error)))
                .hint("name the certificate of who signed it with --ca-file, if you know where it is from")
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            Failure::usage(format!("{server} is not the address of a server: {error}"))
        }
        _ => {
            Failure::new(Exit::Unreachable, format!("cannot reach {server} (found by {}): {error}", found.by))
                .hint("is it running? `tidegate serve` starts one here; --server names another")
        }
    }
}
