//! The way of every change: dry or not, once or again, answered when durable.

use super::answer::json;
use super::app::App;
use super::auth::Caller;
use super::eyes;
use super::problem::Refused;
use super::repeat::{Asked, same};
use super::router::API;
use crate::core::control::Unavailable;
use crate::core::deck::{Deck, Receipt};
use crate::core::entry::Origin;
use crate::core::recovery;
use crate::core::seal::{self, Known};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequestParts, OptionalFromRequestParts};
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::RawValue;
use std::net::SocketAddr;
use std::str::from_utf8;
use std::sync::Arc;
use tidegate_api::limits::MAX_IDEMPOTENCY_KEY;
use tidegate_api::problem::{Code, Problem};
use tidegate_identity::Action;

/// How a change was asked for. Taken from the head of a request.
#[derive(Clone, Debug)]
pub struct Change {
    caller: Caller,
    request: Arc<str>,
    /// Where it came from.
    from: Option<Arc<str>>,
    dry_run: bool,
    /// The Idempotency-Key, made the caller's own.
    key: Option<Box<str>>,
    /// Method and path, for the hash of a request that has a key.
    target: Option<Box<str>>,
    if_match: Option<Box<str>>,
}

/// What a change answers.
#[derive(Debug)]
pub struct Made<T> {
    pub status: StatusCode,
    pub version: Option<String>,
    pub body: T,
}

impl<T> Made<T> {
    pub fn ok(body: T) -> Made<T> {
        Made { status: StatusCode::OK, version: None, body }
    }
}

/// The id of a request, given by a layer before all others.
#[derive(Clone, Debug)]
pub struct RequestId(pub Arc<str>);

impl FromRequestParts<App> for Change {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Change, Refused> {
        let caller =
            parts.extensions.get::<Caller>().expect("routes that change something are authenticated");
        let request = parts.extensions.get::<RequestId>().expect("every request has an id");
        let header = |name: &str| parts.headers.get(name).map(HeaderValue::to_str).transpose();
        let text = |name: &'static str| {
            header(name).map_err(|_| {
                Refused(Problem::new(Code::BadParameter, format!("the header {name} is not plain text")))
            })
        };
        let key = text("idempotency-key")?;
        if let Some(key) = key.filter(|key| key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY) {
            let detail = format!(
                "an Idempotency-Key has 1 to {MAX_IDEMPOTENCY_KEY} characters, this one has {}",
                key.len()
            );
            return Err(Refused(Problem::new(Code::BadParameter, detail)));
        }
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(Change {
            caller: caller.clone(),
            request: request.0.clone(),
            from: peer.map(|ConnectInfo(peer)| peer.ip().to_string().into()),
            dry_run: dry_run(parts)?,
            key: key.map(|key| format!("{}/{key}", caller.who.user.0).into()),
            target: key.map(|_| target(parts)),
            if_match: text("if-match")?.map(Into::into),
        })
    }
}

impl OptionalFromRequestParts<App> for Change {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Change>, Refused> {
        <Change as FromRequestParts<App>>::from_request_parts(parts, app).await.map(Some)
    }
}

/// Method and path within the API.
fn target(parts: &Parts) -> Box<str> {
    let uri = parts.uri.to_string();
    format!("{} {}", parts.method, uri.strip_prefix(API).unwrap_or(&uri)).into()
}

/// `?dryRun=true`, wherever it stands in the query.
fn dry_run(parts: &Parts) -> Result<bool, Refused> {
    let query = parts.uri.query().unwrap_or_default();
    let given = query.split('&').find_map(|pair| pair.strip_prefix("dryRun="));
    match given {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => {
            let detail = format!("dryRun is {other:?}; it is true or false");
            Err(Refused(Problem::new(Code::BadParameter, detail)))
        }
    }
}

/// An answer, ready to be sent and to be remembered.
struct Settled {
    status: StatusCode,
    version: Option<String>,
    body: Bytes,
}

/// What the writer hands back.
enum Decided<T> {
    Made(Made<T>),
    /// With an Idempotency-Key the answer is part of what was decided.
    Settled(Settled),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Preview<'a> {
    dry_run: bool,
    would: Vec<&'a RawValue>,
    result: &'a RawValue,
}

impl Change {
    /// Whether nothing is to be changed.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// Forgets its Idempotency-Key: the answer carries a secret, which is kept nowhere.
    #[must_use]
    pub fn not_remembered(self) -> Change {
        Change { key: None, ..self }
    }

    /// Who asks.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Whether who asks may do something to the platform as a whole. Asked again where it is done: rights may have
    /// gone meanwhile.
    pub fn platform(&self, deck: &Deck<'_>, action: Action) -> Result<(), Problem> {
        self.caller.platform(&deck.world().people, action)
    }

    /// What must be the version of a resource for it to be changed; an error if nothing is said.
    pub fn must_match(&self, version: u64) -> Result<(), Problem> {
        let version = version.to_string();
        let given = self.if_match.as_deref().ok_or_else(|| {
            Problem::new(Code::VersionRequired, "this change wants to know which version it changes")
                .hint("read the resource and send its ETag as If-Match")
        })?;
        let named = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"') == version;
        if given.trim() == "*" || given.split(',').any(named) {
            return Ok(());
        }
        let detail = format!("it has version \"{version}\" by now, the request is for {given}");
        Err(Problem::new(Code::StaleVersion, detail).hint("read it again, see what has changed, then decide"))
    }

    /// The same where nothing needs to be said: what is said counts.
    pub fn may_match(&self, version: u64) -> Result<(), Problem> {
        if self.if_match.is_some() { self.must_match(version) } else { Ok(()) }
    }

    /// Carries out a change and answers. `sent` is the body of the request: with an Idempotency-Key, the same
    /// request by who may as much is answered as it was the first time, and another one is refused.
    pub async fn carry_out<T, F>(self, app: &App, operation: &'static str, sent: Bytes, work: F) -> Response
    where
        T: Serialize + Send + 'static,
        F: FnOnce(&mut Deck<'_>, &Change) -> Result<Made<T>, Problem> + Send + 'static,
    {
        match self.decide(app, operation, sent, work).await {
            Ok(settled) => settled.into_response(),
            Err(problem) => Refused(problem).into_response(),
        }
    }

    async fn decide<T, F>(
        self,
        app: &App,
        operation: &'static str,
        sent: Bytes,
        work: F,
    ) -> Result<Settled, Problem>
    where
        T: Serialize + Send + 'static,
        F: FnOnce(&mut Deck<'_>, &Change) -> Result<Made<T>, Problem> + Send + 'static,
    {
        let origin = Origin {
            by: self.caller.name.clone(),
            operation: operation.into(),
            request: Some(self.request.clone()),
            from: self.from.clone(),
        };
        if self.dry_run {
            let previewed = app.control.preview(origin, move |deck| {
                let settled = settle(work(deck, &self)?);
                Ok(previewed(deck, &self.caller, &settled))
            });
            return previewed.await.map_err(unavailable)?.0;
        }
        let asked = self.target.as_deref().map(|target| Asked::new(target, &sent));
        // Part of the buffer that the connection reads into: free again while this waits.
        drop(sent);
        let earlier = self.earlier(app).await?;
        let decided = app.control.write(origin, move |deck| {
            let Some((key, asked)) = self.key.clone().zip(asked) else {
                return work(deck, &self).map(Decided::Made);
            };
            let hash = asked.by(&deck.world().people, &self.caller.who);
            let known = deck.world().receipts.get(&key, deck.now()).cloned().or(earlier);
            if let Some(receipt) = known {
                same(&receipt, hash)?;
                let status = StatusCode::from_u16(receipt.status).unwrap_or(StatusCode::OK);
                let body = Bytes::copy_from_slice(&receipt.body);
                return Ok(Decided::Settled(Settled { status, version: None, body }));
            }
            let settled = settle(work(deck, &self)?);
            let (status, body) = (settled.status.as_u16(), Arc::from(settled.body.as_ref()));
            deck.remember(Receipt { key, request: hash, status, body, at: deck.now() });
            Ok(Decided::Settled(settled))
        });
        // Written out here, not by the writer: others wait for it.
        decided.await.map_err(unavailable)?.map(|decided| match decided {
            Decided::Made(made) => settle(made),
            Decided::Settled(settled) => settled,
        })
    }

    /// The receipt of a key from before the last start, if there is one.
    async fn earlier(&self, app: &App) -> Result<Option<Receipt>, Problem> {
        let Some(key) = self.key.clone() else { return Ok(None) };
        let now = app.control.clock().now();
        let found = app.with_reader(move |reader| reader.receipt(&key)).await;
        let found = found.map_err(|error| super::problem::of_store(&error))?;
        let fresh = |receipt: &Receipt| now.since(receipt.at) < crate::core::receipts::REMEMBERED;
        Ok(found.and_then(recovery::receipt).filter(fresh))
    }
}

/// What would happen, as its caller reads it. What the preview alone has made is known in its world and nowhere else:
/// its names are opened there, all others with the answer.
fn previewed(deck: &Deck<'_>, caller: &Caller, settled: &Settled) -> Settled {
    // Of users and workspaces the result says it all.
    let lines = deck.lines().iter().filter(|line| line.topic.whose.is_none());
    let would = lines.map(|line| raw(line.data())).collect();
    let preview = json(&Preview { dry_run: true, would, result: raw_bytes(&settled.body) });
    let knows = |what| eyes::knows(deck.world(), caller, what) == Known::Name;
    let body = match from_utf8(&preview) {
        Ok(text) if seal::is_sealed(text) => seal::open_some(text, knows).into(),
        _ => preview.into(),
    };
    Settled { status: StatusCode::OK, version: None, body }
}

fn settle<T: Serialize>(made: Made<T>) -> Settled {
    Settled { status: made.status, version: made.version, body: json(&made.body).into() }
}

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).expect("a line is JSON")
}

fn raw_bytes(json: &[u8]) -> &RawValue {
    serde_json::from_slice(json).expect("an answer is JSON")
}

pub fn unavailable(why: Unavailable) -> Problem {
    match why {
        Unavailable::Busy => {
            Problem::new(Code::QueueFull, "more requests wait than the server can answer soon")
        }
        Unavailable::Store { what, full: true } => Problem::new(Code::StorageFull, what.to_string()),
        Unavailable::Store { what, full: false } => Problem::new(Code::StoreFailing, what.to_string()),
        Unavailable::Closing => Problem::new(Code::NotReady, "the server is going down"),
        Unavailable::Defect => {
            Problem::new(Code::Internal, "the preview came upon a defect; nothing was changed")
        }
    }
}

impl IntoResponse for Settled {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let tag = self.version.and_then(|version| HeaderValue::from_str(&format!("\"{version}\"")).ok());
        if let Some(tag) = tag {
            headers.insert(ETAG, tag);
        }
        response
    }
}
