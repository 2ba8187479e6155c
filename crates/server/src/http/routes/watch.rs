//! Watching: events as they happen, as server-sent events.

use super::super::app::App;
use super::super::auth::Caller;
use super::super::extract::Params;
use super::super::eyes;
use super::super::problem::Refused;
use crate::core::hub::{Hub, Kind, Line, Look, Topic};
use crate::core::seal;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tidegate_api::limits::{MAX_FILTER, WATCH_HEARTBEAT};
use tidegate_api::problem::{Code, Problem};
use tokio::sync::{OwnedSemaphorePermit, watch};
use utoipa::IntoParams;

/// What is watched.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WatchQuery {
    /// Kinds, separated by commas: workload, quota, node, workspace, member, policy, webhook, user, role, token,
    /// price-book, template, resource-request, resource-config, budget, correction.
    kinds: Option<String>,
    /// Only this quota and its workloads.
    quota: Option<String>,
    /// Only this workload.
    workload: Option<String>,
    /// Only this node.
    node: Option<String>,
    /// Where to go on, as `Last-Event-ID`: events after this number.
    after: Option<u64>,
}

impl WatchQuery {
    fn check(&self) -> Result<(), Problem> {
        let kinds: Vec<&str> = self.kinds.iter().flat_map(|kinds| kinds.split(',')).collect();
        let unknown = kinds.iter().find(|kind| !Kind::ALL.iter().any(|known| known.word() == **kind));
        match unknown {
            Some(kind) => {
                let known = Kind::ALL.map(Kind::word).join(", ");
                let detail = format!("{kind:?} is no kind of event; there are {known}");
                Err(Problem::new(Code::BadParameter, detail))
            }
            None if kinds.len() > MAX_FILTER => {
                Err(Problem::new(Code::BadParameter, format!("more than {MAX_FILTER} kinds")))
            }
            None => Ok(()),
        }
    }

    fn wants(&self, topic: &Topic) -> bool {
        let kind = topic.kind.word();
        let named = |filter: &Option<String>, of: &str| {
            filter.as_ref().is_none_or(|name| kind == of && **name == *topic.name)
        };
        self.kinds.as_ref().is_none_or(|kinds| kinds.split(',').any(|k| k == kind))
            && self.quota.as_ref().is_none_or(|name| topic.quota.as_deref() == Some(name.as_str()))
            && named(&self.workload, "workload")
            && named(&self.node, "node")
    }
}

/// Watch events as they happen. `Last-Event-ID` resumes; 410 if that is too long ago.
#[utoipa::path(get, path = "/api/v1/watch", tag = "events",
    params(WatchQuery, ("Last-Event-ID" = Option<u64>, Header, description = "Number of the last event that was seen")),
    responses((status = 200, content_type = "text/event-stream", body = tidegate_api::event::Event), (status = "default", body = Problem)))]
pub async fn watch(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<WatchQuery>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    query.check()?;
    let hub = app.control.hub();
    let seat = app.seat()?;
    let from = match resumed(&headers, query.after)? {
        Some(last) => last.saturating_add(1),
        None => hub.next(),
    };
    if let Look::TooOld(oldest) = hub.look(from) {
        let detail = format!("events before {oldest} are no longer kept for watchers, {from} was asked for");
        return Err(Refused(Problem::new(Code::Expired, detail)));
    }
    let body = Body::from_stream(stream(app.clone(), caller, query, from, seat));
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, body).into_response())
}

fn resumed(headers: &HeaderMap, after: Option<u64>) -> Result<Option<u64>, Problem> {
    let Some(given) = headers.get("last-event-id") else { return Ok(after) };
    let number = given.to_str().ok().and_then(|text| text.trim().parse().ok());
    number
        .map(Some)
        .ok_or_else(|| Problem::new(Code::BadParameter, "Last-Event-ID is not the number of an event"))
}

/// A watcher's place.
struct Watching {
    app: App,
    caller: Caller,
    query: WatchQuery,
    next: u64,
    news: watch::Receiver<u64>,
    /// It was told that it watches: without a first byte it would see nothing of the answer until something happens.
    is_greeted: bool,
    /// It fell behind: it is told, and cut off.
    lost: bool,
    _seat: OwnedSemaphorePermit,
}

fn stream(
    app: App,
    caller: Caller,
    query: WatchQuery,
    next: u64,
    seat: OwnedSemaphorePermit,
) -> impl futures_core::Stream<Item = Result<Bytes, std::convert::Infallible>> {
    let news = app.control.hub().subscribe();
    let start = Watching { app, caller, query, next, news, is_greeted: false, lost: false, _seat: seat };
    futures_util::stream::unfold(start, |mut watching| async move {
        let chunk = watching.chunk().await?;
        Some((Ok(chunk), watching))
    })
}

impl Watching {
    /// The next bytes to send; `None` ends the watch.
    async fn chunk(&mut self) -> Option<Bytes> {
        if self.lost {
            return None;
        }
        if !self.is_greeted {
            self.is_greeted = true;
            return Some(Bytes::from_static(b": watching\n\n"));
        }
        loop {
            match self.look() {
                Ok(text) if !text.is_empty() => return Some(text.into()),
                Ok(_) => {}
                Err(oldest) => {
                    self.lost = true;
                    return Some(format!("event: expired\ndata: {{\"oldest\":{oldest}}}\n\n").into());
                }
            }
            if self.app.control.hub().is_closed() {
                return None;
            }
            let heartbeat = Duration::from_millis(WATCH_HEARTBEAT.0);
            match tokio::time::timeout(heartbeat, self.news.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some(Bytes::from_static(b": still here\n\n")),
            }
        }
    }

    /// Lines that the caller may be told of, with the names that it may know.
    fn read_as_caller(&self, lines: &[&Arc<Line>], text: &mut String) {
        let (app, caller) = (&self.app, &self.caller);
        app.control.read_blocking(|world| {
            for line in lines.iter().filter(|line| app.tells(world, caller, &line.topic)) {
                text.push_str(&seal::open(line.frame(), |what| eyes::knows(world, caller, what)));
            }
        });
    }

    /// What happened since, as text; the oldest number there is if that is too long ago.
    fn look(&mut self) -> Result<String, u64> {
        let hub: &Hub = self.app.control.hub();
        let mut text = String::new();
        self.news.mark_unchanged();
        match hub.look(self.next) {
            Look::TooOld(oldest) => return Err(oldest),
            Look::Lines(lines, next) => {
                let wanted = lines.iter().filter(|line| self.query.wants(&line.topic));
                let wanted: Vec<&Arc<Line>> = wanted.collect();
                // A token that is good for little is told little, whoever it belongs to.
                if self.caller.who.scope.is_none() && self.caller.sees_all(&self.app.control.people()) {
                    wanted.iter().for_each(|line| text.push_str(line.opened()));
                } else if !wanted.is_empty() {
                    self.read_as_caller(&wanted, &mut text);
                }
                self.next = next;
            }
        }
        if text.is_empty() && self.next < hub.next() {
            self.news.mark_changed();
        }
        Ok(text)
    }
}
