//! Connections: accepted up to a bound, encrypted where asked for, cut off when they dawdle.

use super::lanes::Lanes;
use super::limits::Limits;
use super::rewrite::split_verb;
use super::stall::Stalling;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::connect_info::ConnectInfo;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;
use tower::util::Oneshot;

/// Bytes that the kernel takes for a client before we notice that it does not read. Without a bound it takes some
/// megabytes, which is much for each of many watchers.
const SEND_BUFFER: u32 = 128 << 10;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;
/// Listens on an address.
pub fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // As `TcpListener::bind` has it: a server that restarts need not wait for old connections.
    socket.set_reuseaddr(true)?;
    // Connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Answers the requests of one connection.
pub trait Answers<B>:
    Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send> + Send + 'static
{
}

impl<B, S> Answers<B> for S where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send> + Send + 'static
{
}

/// What is sent in answers.
pub trait Sent: HttpBody<Data: Send, Error: Into<Cause>> + Send + 'static {}

impl<B> Sent for B where B: HttpBody<Data: Send, Error: Into<Cause>> + Send + 'static {}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A router for one connection.
#[derive(Clone, Debug)]
pub struct Routed {
    pub router: Router,
    pub peer: SocketAddr,
}

impl Service<Request<Incoming>> for Routed {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Oneshot<Router, Request<Body>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(ConnectInfo(self.peer));
        // The verb is split off before a route is looked for.
        self.router.clone().oneshot(split_verb(request.map(Body::new)))
    }
}

/// Serves until `closing` turns true; then lets requests in flight end. `for_peer` makes what answers a connection.
/// Without lanes, all threads of the runtime look after all connections.
pub async fn serve<S: Answers<B>, B: Sent>(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    for_peer: impl Fn(SocketAddr) -> S,
    limits: Limits,
    lanes: Option<&Lanes>,
    mut closing: watch::Receiver<bool>,
) {
    let slots = Arc::new(Semaphore::new(limits.connections));
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &slots) => accepted,
            () = closed(&mut closing) => break,
        };
        let (stream, peer, slot) = accepted;
        let (tls, service, limits, closing) = (tls.clone(), for_peer(peer), limits.clone(), closing.clone());
        let conversation = move |stream: TcpStream| async move {
            // Small answers go out at once.
            let _ = stream.set_nodelay(true);
            match tls {
                None => talk(stream, peer, service, &limits, closing).await,
                Some(tls) => match tokio::time::timeout(limits.head, tls.accept(stream)).await {
                    Ok(Ok(stream)) => talk(stream, peer, service, &limits, closing).await,
                    Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS"),
                    Err(_) => tracing::debug!(%peer, "the TLS handshake took too long"),
                },
            }
            drop(slot);
        };
        match lanes {
            None => drop(tokio::spawn(conversation(stream))),
            Some(lanes) => {
                if let Err(error) = lanes.take(stream, conversation) {
                    tracing::warn!(%peer, %error, "a connection was not taken over");
                }
            }
        }
    }
    // Each connection ends within its time.
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let _ = slots.acquire_many(all).await;
}

/// The next connection. Above the bound those who wait stay in the listener's backlog.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    loop {
        let slot = slots.clone().acquire_owned().await.expect("the semaphore is never closed");
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, slot),
            Err(error) => {
                // Out of descriptors, or the client is gone already: others may have more luck a moment later.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Returns when the server goes down.
pub async fn closed(closing: &mut watch::Receiver<bool>) {
    // If nobody is left to say so, it has gone down already.
    let _ = closing.wait_for(|closing| *closing).await;
}

async fn talk<I, S: Answers<B>, B: Sent>(
    stream: I,
    peer: SocketAddr,
    service: S,
    limits: &Limits,
    mut closing: watch::Receiver<bool>,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(Stalling::new(stream, limits.stall)), service)
        .with_upgrades();
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            match tokio::time::timeout(limits.linger, connection).await {
                Ok(ended) => ended,
                Err(_) => return tracing::debug!(%peer, "a connection was cut off: the server goes down"),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection broke");
    }
}
