//! What workloads write: all of it, the last lines, or as it comes.

use super::super::app::App;
use super::super::extract::{Named, Params};
use super::super::problem::Refused;
use super::super::scope::Scope;
use super::workloads;
use crate::output::reading::{Piece, Reading, Wish};
use crate::output::trail::Place;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;
use tidegate_api::limits::{HELD_LINE_TIME, MAX_FOLLOWED, WATCH_HEARTBEAT};
use tidegate_api::output::{Braid, Output};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::uid;
use tidegate_api::workload::Workload;
use tidegate_engine::ids::WorkloadId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use utoipa::IntoParams;

/// Time between two looks for more output at first, and at most: what is written in bursts is seen at once, what is
/// silent costs little.
const FIRST_LOOK: Duration = Duration::from_millis(10);
const SLOWEST: Duration = Duration::from_millis(250);
/// Whoever asks for this gets pieces with their places, and heartbeats.
const EVENTS: &str = "text/event-stream";

/// Which part of the output is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LogsQuery {
    /// This replica only, by its number as in `TIDEGATE_REPLICA`. Of several replicas every line begins with `[n] `.
    replica: Option<u32>,
    /// So many lines from the end of each replica's output.
    tail: Option<u32>,
    /// Go on with what is written, until the workload has ended.
    #[serde(default)]
    #[param(default = false, required = false)]
    follow: bool,
    /// Go on behind these places, separated by commas: the latest `at` of each replica.
    after: Option<String>,
    /// The workload's workspace, where the caller has several.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    workspace: Option<String>,
}

impl LogsQuery {
    fn wish(&self) -> Result<Wish, Problem> {
        let places = self.after.iter().flat_map(|after| after.split(',')).filter(|place| !place.is_empty());
        let after = places.map(place).collect::<Result<BTreeMap<_, _>, _>>()?;
        Ok(Wish { replica: self.replica, tail: self.tail.map(u64::from), after, follow: self.follow })
    }
}

/// `REPLICA-FILE-OFFSET`, as `Output::at` has it.
fn place(text: &str) -> Result<(u32, Place), Problem> {
    let wrong =
        || Problem::new(Code::BadParameter, format!("{text:?} is not the place of a piece of output"));
    let parts: Vec<&str> = text.split('-').collect();
    let [replica, file, offset] = parts[..] else { return Err(wrong()) };
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let replica = replica.parse().map_err(|_| wrong())?;
    Ok((replica, Place { file: number(file)?, offset: number(offset)? }))
}

/// What a workload has written: the bytes as they were written, over all its runs.
#[utoipa::path(get, path = "/api/v1/workloads/{name}/logs", tag = "workloads",
    params(("name" = String, Path, description = "Name or uid"), LogsQuery),
    responses((status = 200, content((String = "text/plain"), (Output = "text/event-stream"))), (status = "default", body = Problem)))]
pub async fn logs(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    Params(query): Params<LogsQuery>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let wish = query.wish()?;
    let workload: Workload = workloads::any(&app, &scope, &name).await?;
    let id = uid::as_workload(&workload.metadata.uid).ok_or_else(|| nothing(&workload, "it is gone"))?;
    let Some(places) = &app.work.places else {
        return Err(nothing(&workload, "the virtual executor starts nothing"));
    };
    let directory = places.logs(id);
    let was_kept = directory.is_dir();
    let wanted = wish.clone();
    let opened = blocking(move || Reading::new(directory, wanted)).await;
    let reading = opened.map_err(|error| unreadable(&error))?;
    let telling = Telling {
        seat: if query.follow { Some(app.seat()?) } else { None },
        follow: query.follow,
        is_over: !query.follow || has_ended(&app, id).await,
        style: Style::wanted(&headers, &query, &workload, &reading),
        reading: None,
        app: app.clone(),
        id,
        latest: None,
        heard: Instant::now(),
        told: Instant::now(),
        pause: FIRST_LOOK,
    };
    if telling.is_over && reading.replicas().next().is_none() {
        match query.replica {
            Some(number) if was_kept => {
                return Err(nothing(&workload, &format!("there is no output of replica {number}")));
            }
            // It is there, and has not said anything.
            _ if was_kept || !workload.status.state.is_ended() => {}
            _ => {
                return Err(nothing(
                    &workload,
                    "it never started, or that is longer ago than output is kept",
                ));
            }
        }
    }
    if query.follow && reading.replicas().count() >= MAX_FOLLOWED {
        let detail = format!("{MAX_FOLLOWED} replicas can be followed at once, {name} has more");
        return Err(Refused(Problem::new(Code::BadParameter, detail).hint("choose one with `replica`")));
    }
    Ok(telling.answer(reading))
}

fn nothing(workload: &Workload, why: &str) -> Refused {
    let name = workload.metadata.name.as_str();
    let problem = Problem::new(Code::NotFound, format!("nothing is kept that {name} wrote: {why}"));
    Refused(problem.hint(format!("`tidegate events {name}` tells what happened")))
}

fn unreadable(error: &io::Error) -> Refused {
    Refused(Problem::new(Code::Internal, format!("the output cannot be read: {error}")))
}

/// Files are read where a disk may be waited for.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("reading does not panic, and is not cancelled")
}

async fn has_ended(app: &App, id: WorkloadId) -> bool {
    let over = app.control.read(|world, _| world.engine.workload(id).is_none_or(|w| w.state.is_ended()));
    over.await.unwrap_or(true)
}

/// How output is written down.
enum Style {
    /// The bytes as they are.
    Text(Braid),
    /// Each piece as an event.
    Events,
}

impl Style {
    fn wanted(headers: &HeaderMap, query: &LogsQuery, workload: &Workload, reading: &Reading) -> Style {
        let accepts = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        if accepts.is_some_and(|accepts| accepts.contains(EVENTS)) {
            return Style::Events;
        }
        let several = workload.status.replicas.wanted > 1 || reading.is_several();
        Style::Text(Braid::new(several && query.replica.is_none()))
    }

    fn kind(&self) -> HeaderValue {
        match self {
            Style::Text(_) => HeaderValue::from_static("text/plain; charset=utf-8"),
            Style::Events => HeaderValue::from_static(EVENTS),
        }
    }

    fn tell(&mut self, piece: &Piece, is_several: bool) -> Vec<u8> {
        let Piece { replica, place, bytes } = piece;
        match self {
            Style::Events => {
                let at = format!("{replica}-{}-{}", place.file, place.offset);
                let output = Output::new(*replica, at, bytes);
                let json = serde_json::to_string(&output).expect("output is plain data");
                format!("event: output\ndata: {json}\n\n").into_bytes()
            }
            Style::Text(braid) => {
                let mut text = Vec::with_capacity(bytes.len() + 64);
                if is_several {
                    braid.number();
                }
                braid.add(*replica, bytes, &mut text);
                text
            }
        }
    }

    /// What is said when nothing more comes.
    fn end(&mut self) -> Vec<u8> {
        match self {
            Style::Events => b"event: end\ndata: {}\n\n".to_vec(),
            Style::Text(_) => self.held(),
        }
    }

    /// What was held back.
    fn held(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        if let Style::Text(braid) = self {
            braid.flush(&mut text);
        }
        text
    }
}

/// Output on its way.
struct Telling {
    app: App,
    id: WorkloadId,
    follow: bool,
    /// Nothing more will be written.
    is_over: bool,
    style: Style,
    /// Absent once all is told.
    reading: Option<Reading>,
    /// Whose output was read last.
    latest: Option<u32>,
    /// When something was read, and when something was sent.
    heard: Instant,
    told: Instant,
    pause: Duration,
    seat: Option<OwnedSemaphorePermit>,
}

impl Telling {
    fn answer(mut self, reading: Reading) -> Response {
        self.reading = Some(reading);
        let headers = [
            (CONTENT_TYPE, self.style.kind()),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
            // Whatever a program wrote, a browser is not to run it.
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ];
        let stream = futures_util::stream::unfold(self, |mut telling| async move {
            let chunk = telling.chunk().await?;
            Some((Ok::<_, std::convert::Infallible>(chunk), telling))
        });
        (headers, Body::from_stream(stream)).into_response()
    }

    /// The next bytes to send; `None` at the end.
    async fn chunk(&mut self) -> Option<Bytes> {
        loop {
            let mut reading = self.reading.take()?;
            let (reading, next) = blocking(move || {
                let next = reading.piece();
                (reading, next)
            })
            .await;
            let is_several = reading.is_several();
            let text = match next {
                Ok(Some(piece)) => {
                    self.reading = Some(reading);
                    (self.heard, self.pause) = (Instant::now(), FIRST_LOOK);
                    self.tell(&piece, is_several)
                }
                Ok(None) if self.is_over => {
                    self.seat = None;
                    self.style.end()
                }
                Ok(None) => {
                    self.reading = Some(reading);
                    self.wait().await?
                }
                Err(error) => {
                    tracing::warn!(%error, "output cannot be read");
                    return None;
                }
            };
            if !text.is_empty() {
                self.told = Instant::now();
                return Some(text.into());
            }
        }
    }

    fn tell(&mut self, piece: &Piece, is_several: bool) -> Vec<u8> {
        let before = self.latest.replace(piece.replica);
        // One after the other: nothing more comes of the one before.
        let is_next = !self.follow && before.is_some_and(|before| before != piece.replica);
        let mut text = if is_next { self.style.held() } else { Vec::new() };
        text.extend(self.style.tell(piece, is_several));
        text
    }

    /// Nothing is there to be read. What is to be said about that; `None` if the server goes down.
    async fn wait(&mut self) -> Option<Vec<u8>> {
        if self.app.control.hub().is_closed() {
            return None;
        }
        // What was written before the end is read after it was seen.
        self.is_over = has_ended(&self.app, self.id).await;
        if self.is_over {
            return Some(Vec::new());
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(SLOWEST);
        let silent = |since: Instant, span: tidegate_engine::ids::Span| {
            since.elapsed() >= Duration::from_millis(span.0)
        };
        let is_due = silent(self.told, WATCH_HEARTBEAT);
        Some(match &mut self.style {
            Style::Events if is_due => b": still here\n\n".to_vec(),
            Style::Text(_) if silent(self.heard, HELD_LINE_TIME) => self.style.held(),
            _ => Vec::new(),
        })
    }
}
