//! Whether a replica can be sent requests: somebody listens on its port, or answers at a path.

use super::limits::MAX_LOOKS;
use super::replica::{Replica, Seen};
use super::site::Site;
use super::upstream::{Link, Outgoing};
use crate::core::control::Control;
use axum::http::header::{CONNECTION, HOST, USER_AGENT};
use axum::http::{Request, StatusCode};
use std::sync::Arc;
use std::time::Duration;
use tidegate_api::workload::ReadinessSpec;
use tidegate_engine::ids::Span;
use tidegate_executor::local::{Listening, who_listens};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Time between two looks at who is ready, if nothing else is said.
const PERIOD: Span = Span::seconds(2);
/// Longest wait for an answer to a look, if nothing else is said.
const TIMEOUT: Span = Span::seconds(1);
/// The first pause while it starts: most programs listen within moments. It doubles up to the period.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// How a workload's replicas are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    pub(super) path: Option<Box<str>>,
    pub(super) period: Duration,
    pub(super) timeout: Duration,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe::of(None)
    }
}

impl Probe {
    pub(super) fn of(spec: Option<&ReadinessSpec>) -> Probe {
        let time = |given: Option<tidegate_api::duration::Duration>, otherwise: Span| {
            Duration::from_millis(given.map_or(otherwise, |time| time.span()).0)
        };
        Probe {
            path: spec.and_then(|spec| spec.path.as_deref()).map(Into::into),
            period: time(spec.and_then(|spec| spec.period), PERIOD),
            timeout: time(spec.and_then(|spec| spec.timeout), TIMEOUT),
        }
    }
}

/// Looks at all replicas, a bounded number at once.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    slots: Arc<Semaphore>,
    /// The executor's thread, which tells of replicas, is none of the runtime's.
    runtime: Handle,
}

impl Looks {
    pub(super) fn on(runtime: Handle) -> Looks {
        Looks { slots: Arc::new(Semaphore::new(MAX_LOOKS)), runtime }
    }

    /// Looks at a replica until it is retired.
    pub(super) fn begin(&self, site: &Site, replica: &Arc<Replica>, control: Control) {
        let (probe, looked_at) = (site.about.probe.clone(), replica.clone());
        let slots = self.slots.clone();
        let task =
            self.runtime.spawn(async move { keep_looking(&probe, &looked_at, &slots, &control).await });
        replica.looked_after_by(task.abort_handle());
        if replica.leaves() {
            task.abort();
        }
    }
}

async fn keep_looking(probe: &Probe, replica: &Replica, slots: &Semaphore, control: &Control) {
    let mut pause = FIRST_PAUSE;
    loop {
        let slot = slots.acquire().await;
        let mut seen = look(probe, replica.port).await;
        if seen == Seen::Ready && !replica.takes_requests() {
            seen = known(replica).await;
        }
        drop(slot);
        let is_ready = seen == Seen::Ready;
        replica.saw(seen, control.clock().now());
        replica.sweep();
        pause = if is_ready { FIRST_PAUSE } else { (pause * 2).min(probe.period) };
        let rest = if is_ready { probe.period } else { pause };
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            () = replica.look.notified() => {}
        }
    }
}

/// Whether it is the replica that listens on its port: anybody could.
async fn known(replica: &Replica) -> Seen {
    let (port, Some(supervisor)) = (replica.port, replica.supervisor()) else { return Seen::Ready };
    match tokio::task::spawn_blocking(move || who_listens(port, supervisor)).await {
        Ok(Ok(Listening::Other)) => Seen::Failing(format!("another program listens on port {port}")),
        Ok(Ok(Listening::Nobody)) => Seen::Absent(format!("nobody listens on port {port} any more")),
        Ok(Ok(Listening::Kin)) => Seen::Ready,
        // Where the kernel does not tell, there is nothing to compare.
        Ok(Err(_)) | Err(_) => Seen::Ready,
    }
}

/// One look.
async fn look(probe: &Probe, port: u16) -> Seen {
    let path = probe.path.as_deref();
    let what = path.map_or(format!("port {port}"), |path| format!("readiness {path}"));
    match tokio::time::timeout(probe.timeout, ask(path, port)).await {
        Ok(Ok(None)) => Seen::Ready,
        Ok(Ok(Some(status))) if status.is_success() || status.is_redirection() => Seen::Ready,
        Ok(Ok(Some(status))) => Seen::Failing(format!("{what} answers {}", status.as_u16())),
        Ok(Err(Deaf::Connect(why))) => Seen::Absent(format!("nobody listens on port {port}: {why}")),
        Ok(Err(Deaf::Answer(why))) => Seen::Failing(format!("{what} does not answer: {why}")),
        Err(_) => Seen::Failing(format!("{what} does not answer within {} ms", probe.timeout.as_millis())),
    }
}

enum Deaf {
    Connect(std::io::Error),
    Answer(hyper::Error),
}

async fn ask(path: Option<&str>, port: u16) -> Result<Option<StatusCode>, Deaf> {
    let stream = Link::connect(port).await.map_err(Deaf::Connect)?;
    let Some(path) = path else { return Ok(None) };
    let link = Link::over(stream).await.map_err(Deaf::Answer)?;
    let request = Request::get(path)
        .header(HOST, format!("127.0.0.1:{port}"))
        .header(USER_AGENT, concat!("tidegate/", env!("CARGO_PKG_VERSION")))
        .header(CONNECTION, "close")
        .body(Outgoing::empty());
    let Ok(request) = request else { return Ok(Some(StatusCode::BAD_REQUEST)) };
    let (answer, _) = link.send(request).await.map_err(|(error, _)| Deaf::Answer(error))?;
    Ok(Some(answer.status()))
}
