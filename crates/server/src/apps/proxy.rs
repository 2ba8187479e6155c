//! The way of a request: to whom it is passed on, again if that does no harm, and what comes back.

use super::Apps;
use super::answer::Answer;
use super::headers::{self, Origin};
use super::limits::MAX_TRIES;
use super::path;
use super::replica::{Occupied, Seen};
use super::site::Site;
use super::tunnel;
use super::upstream::{Answered, Link, Outgoing};
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, Uri, Version};
use hyper::body::{Body, Incoming};
use hyper::upgrade::OnUpgrade;
use smallvec::SmallVec;
use std::net::SocketAddr;
use std::sync::Arc;
use tidegate_api::problem::{Code, Problem};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// Why a try came to nothing.
enum Failed {
    /// It may be tried elsewhere: nothing of it was sent.
    Unsent(Request<Outgoing>, String),
    /// The connection broke before an answer began. Some of the request may have been read.
    Broken(String),
    /// Elsewhere it would be no better.
    Final(Problem),
}

/// What a try came to.
struct Reached {
    answer: Response<Incoming>,
    link: Option<Link>,
    occupied: Occupied,
}

/// A request to change over to another protocol.
struct Upgrade {
    protocol: HeaderValue,
    caller: OnUpgrade,
    permit: OwnedSemaphorePermit,
}

/// Asking twice does what asking once does.
fn is_idempotent(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE | Method::TRACE
    )
}

/// Passes a request on to a site that its caller may use.
pub(super) async fn pass_on(
    apps: &Apps,
    site: Arc<Site>,
    mut request: Request<Incoming>,
    peer: SocketAddr,
) -> Result<Response<Answer>, Problem> {
    let visit = site.enter(apps.now());
    let upgrade = match headers::upgrade(request.headers()) {
        Some(protocol) => {
            let permit = apps.tunnels.clone().try_acquire_owned().map_err(|_| {
                let most = apps.limits.tunnels;
                Problem::new(
                    Code::QueueFull,
                    format!("{most} connections have gone over to another protocol"),
                )
            })?;
            Some(Upgrade { protocol, caller: hyper::upgrade::on(&mut request), permit })
        }
        None => None,
    };
    let mut request = prepare(apps, &site, request, peer)?;
    if let Some(upgrade) = &upgrade {
        request.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
        request.headers_mut().insert(UPGRADE, upgrade.protocol.clone());
    }
    let reached = reach(apps, &site, request, upgrade.is_some()).await?;
    let Reached { mut answer, link, occupied } = reached;
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
        let Some(upgrade) = upgrade else {
            let detail = format!("{} changes the protocol unasked", site.replica_name(occupied.replica()));
            return Err(Problem::new(Code::UpstreamFailed, detail));
        };
        let replica = hyper::upgrade::on(&mut answer);
        let protocol = answer.headers().get(UPGRADE).cloned();
        tunnel::open(apps, &site, upgrade.caller, replica, occupied, upgrade.permit);
        let mut answer = answer.map(|_| Answer::empty());
        headers::clean_answer(answer.headers_mut(), site.prefix());
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
        protocol.map(|protocol| answer.headers_mut().insert(UPGRADE, protocol));
        return Ok(answer);
    }
    headers::clean_answer(answer.headers_mut(), site.prefix());
    *answer.version_mut() = Version::HTTP_11;
    Ok(answer.map(|body| Answer::passed(Answered::new(body, link, occupied, visit))))
}

/// The request as the program is to see it.
fn prepare(
    apps: &Apps,
    site: &Site,
    request: Request<Incoming>,
    peer: SocketAddr,
) -> Result<Request<Outgoing>, Problem> {
    let (mut parts, body) = request.into_parts();
    let prefix = site.prefix();
    let whole = parts.uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let rest = if site.keeps_path() { whole } else { whole.strip_prefix(prefix).unwrap_or(whole) };
    if path::climbs(rest.split('?').next().unwrap_or_default()) {
        return Err(Problem::new(Code::BadParameter, "the path climbs above where it begins")
            .hint("write the path without `..`"));
    }
    let target = match rest.chars().next() {
        Some('/') => PathAndQuery::try_from(rest),
        // Nothing, or a query alone.
        _ => PathAndQuery::try_from(format!("/{rest}")),
    };
    let target =
        target.map_err(|error| Problem::new(Code::BadParameter, format!("the path is none: {error}")))?;
    headers::clean_request(&mut parts.headers, |token| apps.is_ours(token));
    let (is_secure, is_fronted) = (apps.is_secure, apps.is_fronted);
    headers::forward(&mut parts.headers, Origin { peer: peer.ip(), is_secure, is_fronted, prefix });
    let mut passed = Request::new(Outgoing::of(body, apps.limits.net.body));
    *passed.method_mut() = parts.method;
    *passed.uri_mut() = Uri::from(target);
    *passed.headers_mut() = parts.headers;
    Ok(passed)
}

/// Tries replicas until one answers.
async fn reach(
    apps: &Apps,
    site: &Site,
    request: Request<Outgoing>,
    is_upgrade: bool,
) -> Result<Reached, Problem> {
    let is_repeatable = is_idempotent(request.method()) && request.body().is_end_stream();
    let spare = is_repeatable.then(|| copy(&request));
    let mut next = Some(request);
    let (mut tried, mut last): (SmallVec<[u16; MAX_TRIES]>, String) = Default::default();
    for _ in 0..MAX_TRIES {
        let Some(request) = next.take() else { break };
        let Some(occupied) = site.pick(&tried) else {
            return Err(Problem::new(Code::NoneReady, site.why_not()));
        };
        let replica = occupied.replica().clone();
        tried.push(replica.port);
        let failed = match attempt(apps, occupied, request, is_upgrade).await {
            Ok(reached) => return Ok(reached),
            Err(failed) => failed,
        };
        let name = site.replica_name(&replica);
        match failed {
            Failed::Unsent(request, why) => {
                last = format!("{name} takes no connections: {why}");
                next = Some(request);
            }
            Failed::Broken(why) => {
                last = format!("{name} closed the connection before it answered: {why}");
                next = spare.as_ref().map(copy);
            }
            Failed::Final(problem) => {
                let detail = format!("{name} {}", problem.detail);
                return Err(Problem { detail, ..problem });
            }
        }
    }
    Err(Problem::new(Code::UpstreamFailed, last))
}

/// The same request, which has no body.
fn copy(request: &Request<Outgoing>) -> Request<Outgoing> {
    let mut copy = Request::new(Outgoing::empty());
    copy.method_mut().clone_from(request.method());
    copy.uri_mut().clone_from(request.uri());
    copy.headers_mut().clone_from(request.headers());
    copy
}

/// One try: over a connection that was kept, or else over a new one.
async fn attempt(
    apps: &Apps,
    occupied: Occupied,
    mut request: Request<Outgoing>,
    is_upgrade: bool,
) -> Result<Reached, Failed> {
    let replica = occupied.replica().clone();
    while let Some(mut link) = replica.take_idle().filter(|_| !is_upgrade) {
        if !link.is_usable().await {
            continue;
        }
        match in_time(apps, link.send(request)).await? {
            Ok((answer, link)) => return Ok(Reached { answer, link: Some(link), occupied }),
            Err((_, Some(unsent))) => request = unsent,
            Err((error, None)) => return Err(broken(&error)),
        }
    }
    let connected = timeout(apps.limits.connect, Link::connect(replica.port)).await;
    let connected = connected.unwrap_or_else(|late| Err(late.into()));
    let stream = match connected {
        Ok(stream) => stream,
        Err(error) => {
            // Nobody else need find out in the same way.
            let why = format!("nobody listens on port {}: {error}", replica.port);
            replica.saw(Seen::Absent(why), apps.now());
            replica.look.notify_one();
            return Err(Failed::Unsent(request, error.to_string()));
        }
    };
    let link = match Link::over(stream).await {
        Ok(link) => link,
        Err(error) => return Err(Failed::Unsent(request, error.to_string())),
    };
    let sent = async move {
        match is_upgrade {
            true => link.send_upgrade(request).await.map(|answer| (answer, None)),
            false => link.send(request).await.map(|(answer, link)| (answer, Some(link))),
        }
    };
    match in_time(apps, sent).await? {
        Ok((answer, link)) => Ok(Reached { answer, link, occupied }),
        Err((error, Some(unsent))) => Err(Failed::Unsent(unsent, error.to_string())),
        Err((error, None)) => Err(broken(&error)),
    }
}

async fn in_time<T>(apps: &Apps, answer: impl Future<Output = T>) -> Result<T, Failed> {
    let most = apps.limits.answer;
    timeout(most, answer).await.map_err(|_| {
        let detail = format!("did not begin to answer within {} s", most.as_secs_f32());
        Failed::Final(Problem::new(Code::UpstreamTimeout, detail))
    })
}

fn broken(error: &hyper::Error) -> Failed {
    if error.is_user() {
        return Failed::Final(Problem::new(Code::RequestTimeout, "got a request whose body broke off"));
    }
    if error.is_parse() {
        return Failed::Final(Problem::new(Code::UpstreamFailed, format!("does not speak HTTP: {error}")));
    }
    Failed::Broken(error.to_string())
}
