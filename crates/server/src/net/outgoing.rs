//! Requests that the server itself makes of others: over TLS, or to this machine.

use axum::body::{Body, Bytes};
use axum::http::header::{CONNECTION, HOST};
use axum::http::uri::{PathAndQuery, Scheme};
use axum::http::{HeaderValue, Request, StatusCode, Uri};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// How long an answer may take, all of it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer.
const MAX_ANSWER: usize = 1 << 20;

/// Asks others, and trusts whom the machine trusts.
#[derive(Clone)]
pub struct Outgoing {
    tls: TlsConnector,
}

impl std::fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outgoing").finish_non_exhaustive()
    }
}

impl Outgoing {
    /// With certificates (PEM) to trust instead of the machine's.
    pub fn new(ca_file: Option<&Path>) -> Result<Outgoing, String> {
        let mut roots = RootCertStore::empty();
        match ca_file {
            None => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
            Some(file) => {
                for certificate in certificates(file)? {
                    roots.add(certificate).map_err(|why| no_certificates(file, &why))?;
                }
            }
        }
        Ok(Outgoing { tls: TlsConnector::from(tls(roots)) })
    }

    /// Sends a request to the address in it; status and body. Follows nowhere.
    pub async fn exchange(&self, request: Request<Body>) -> Result<(StatusCode, Bytes), String> {
        let address = request.uri().to_string();
        let asked = tokio::time::timeout(PATIENCE, self.send(request));
        match asked.await {
            Ok(answered) => answered.map_err(|why| format!("{address}: {why}")),
            Err(_) => Err(format!("{address} did not answer within {} seconds", PATIENCE.as_secs())),
        }
    }

    async fn send(&self, mut request: Request<Body>) -> Result<(StatusCode, Bytes), String> {
        let uri = request.uri().clone();
        check(&uri)?;
        let is_tls = uri.scheme() == Some(&Scheme::HTTPS);
        let authority = uri.authority().ok_or("no host")?.as_str();
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_string();
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let headers = request.headers_mut();
        headers.insert(HOST, HeaderValue::from_str(authority).map_err(|why| why.to_string())?);
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        let path = uri.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
        *request.uri_mut() = Uri::from(path);
        let stream = TcpStream::connect((host.as_str(), port)).await.map_err(|why| why.to_string())?;
        if !is_tls {
            return talk(stream, request).await;
        }
        let name = ServerName::try_from(host).map_err(|why| why.to_string())?;
        let stream = self.tls.connect(name, stream).await.map_err(|why| why.to_string())?;
        talk(stream, request).await
    }
}

fn no_certificates(file: &Path, why: &dyn std::fmt::Display) -> String {
    format!("no certificates in {}: {why}", file.display())
}

/// Certificates of a file (PEM), at least one.
pub fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found = CertificateDer::pem_file_iter(file).map_err(|why| no_certificates(file, &why))?;
    let found: Result<Vec<_>, _> = found.collect();
    let found = found.map_err(|why| no_certificates(file, &why))?;
    if found.is_empty() { Err(no_certificates(file, &"it holds none")) } else { Ok(found) }
}

/// TLS with whoever these roots vouch for.
pub fn tls(roots: RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the versions of TLS that it has");
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

async fn talk<I>(stream: I, request: Request<Body>) -> Result<(StatusCode, Bytes), String>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|why| why.to_string())?;
    let driven = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(|why| why.to_string())?;
    let status = answer.status();
    let body = axum::body::to_bytes(Body::new(answer.into_body()), MAX_ANSWER).await;
    driven.abort();
    body.map(|body| (status, body)).map_err(|why| why.to_string())
}

/// Whether an address may be asked: what is said there is said over TLS, or leaves the machine not at all.
pub fn check(uri: &Uri) -> Result<(), String> {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match uri.scheme_str() {
        Some("https") if !host.is_empty() => Ok(()),
        Some("http") if is_here => Ok(()),
        _ => Err(format!("{uri} is neither https:// nor an http:// address of this machine")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_in_the_open() {
        for (uri, is_fine) in [
            ("https://id.example/x", true),
            ("http://127.0.0.1:8080/x", true),
            ("http://[::1]:8080", true),
            ("http://localhost/x", true),
            ("http://id.example/x", false),
            ("http://localhost.evil.example", false),
            ("http://127.0.0.1.evil.example", false),
            ("file:///etc/passwd", false),
            ("/x", false),
        ] {
            let parsed: Result<Uri, _> = uri.parse();
            assert_eq!(parsed.is_ok_and(|uri| check(&uri).is_ok()), is_fine, "{uri}");
        }
    }
}
