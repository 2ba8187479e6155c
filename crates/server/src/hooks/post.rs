//! One message to one address. It goes to the address that was checked, and nowhere that is answered.

use super::HookLimits;
use super::address::Target;
use super::sign::signature;
use crate::net::outgoing;
use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT};
use axum::http::{Method, Request};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use tidegate_engine::ids::Tick;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

/// Sends messages.
#[derive(Debug)]
pub(super) struct Post {
    allow_private: bool,
    limits: HookLimits,
    /// Read when somebody first wants it.
    tls: OnceLock<Arc<ClientConfig>>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Some status of 200 to 299.
    Taken(u16),
    Refused {
        status: Option<u16>,
        why: String,
    },
}

impl Outcome {
    fn failed(why: impl std::fmt::Display) -> Outcome {
        Outcome::Refused { status: None, why: why.to_string() }
    }
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub(super) url: &'a str,
    pub(super) secret: &'a str,
    /// For receivers that tell messages apart before they read them.
    pub(super) event: &'a str,
    pub(super) delivery: &'a str,
    pub(super) body: &'a str,
}

/// Ends a task when nobody waits for it any more.
struct Driven(JoinHandle<()>);

impl Drop for Driven {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Post {
    pub(super) fn new(allow_private: bool, limits: HookLimits) -> Post {
        Post { allow_private, limits, tls: OnceLock::new() }
    }

    /// Whether an address can be a webhook's: why not otherwise.
    pub(super) async fn check(&self, url: &str) -> Result<(), String> {
        let target = Target::parse(url)?;
        self.within(target.resolve(self.allow_private)).await?.map(drop)
    }

    async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, String> {
        tokio::time::timeout(self.limits.timeout, work)
            .await
            .map_err(|_| format!("no answer within {} seconds", self.limits.timeout.as_secs_f32()))
    }

    pub(super) async fn send(&self, message: Message<'_>, now: Tick) -> Outcome {
        match self.within(self.exchange(message, now)).await {
            Ok(Ok(status @ 200..=299)) => Outcome::Taken(status),
            Ok(Ok(status @ 300..=399)) => Outcome::Refused {
                status: Some(status),
                why: format!("answered {status}: redirects are not followed"),
            },
            Ok(Ok(status)) => Outcome::Refused { status: Some(status), why: format!("answered {status}") },
            Ok(Err(why)) | Err(why) => Outcome::failed(why),
        }
    }

    async fn exchange(&self, message: Message<'_>, now: Tick) -> Result<u16, String> {
        let target = Target::parse(message.url)?;
        let addresses = target.resolve(self.allow_private).await?;
        let request = request(&target, message, now).map_err(|error| error.to_string())?;
        let stream = connect(&addresses).await?;
        if !target.secure {
            return talk(stream, request).await;
        }
        let name = ServerName::try_from(target.host.clone()).map_err(|error| error.to_string())?;
        let tls = TlsConnector::from(self.tls()).connect(name, stream).await;
        talk(tls.map_err(|error| format!("TLS: {error}"))?, request).await
    }

    fn tls(&self) -> Arc<ClientConfig> {
        let make = || {
            let mut roots = RootCertStore::empty();
            let found = rustls_native_certs::load_native_certs();
            for error in &found.errors {
                tracing::warn!(%error, "some certificates of this machine cannot be read");
            }
            roots.add_parsable_certificates(found.certs);
            roots.add_parsable_certificates(self.limits.roots.iter().cloned());
            outgoing::tls(roots)
        };
        self.tls.get_or_init(make).clone()
    }
}

/// The first of the addresses that answers. They were checked: nothing is looked up again.
async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, String> {
    let mut last = String::from("it has no address");
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error.to_string(),
        }
    }
    Err(last)
}

fn request(target: &Target, message: Message<'_>, now: Tick) -> Result<Request<Body>, axum::http::Error> {
    let body = message.body.as_bytes();
    Request::builder()
        .method(Method::POST)
        .uri(&target.path)
        .header(HOST, &target.authority)
        .header(CONNECTION, "close")
        .header(USER_AGENT, concat!("tidegate/", env!("CARGO_PKG_VERSION")))
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, body.len())
        .header("x-tidegate-event", message.event)
        .header("x-tidegate-delivery", message.delivery)
        .header("x-tidegate-signature", signature(message.secret, now.0 / 1_000, body))
        .body(Body::from(body.to_vec()))
}

/// The status of the answer. Its body is nobody's business.
async fn talk<S>(stream: S, request: Request<Body>) -> Result<u16, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let _driven = Driven(tokio::spawn(async move {
        // What goes wrong is told to who waits for the answer.
        let _ = connection.await;
    }));
    let answer = sender.send_request(request).await.map_err(|error| format!("no answer: {error}"))?;
    Ok(answer.status().as_u16())
}
