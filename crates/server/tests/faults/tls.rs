//! TLS with certificate and key files; without them nobody outside this machine is listened to.

use super::house::PATIENCE;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tidegate_server::config::{Config, ExecutorKind};
use tidegate_server::serve::{ServeError, Server};
use tokio::sync::watch;

/// A certificate for localhost, and its key.
struct Identity {
    certificate: PathBuf,
    key: PathBuf,
    authority: rustls::pki_types::CertificateDer<'static>,
}

fn identity(home: &Path, name: &str) -> Identity {
    let made = rcgen::generate_simple_self_signed(["localhost".into()]).expect("a certificate");
    let (certificate, key) = (home.join(format!("{name}.crt")), home.join(format!("{name}.key")));
    std::fs::write(&certificate, made.cert.pem()).expect("a file");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("a file");
    Identity { certificate, key, authority: made.cert.der().clone() }
}

fn config(listen: &str, certificate: Option<&Path>, key: Option<&Path>) -> Config {
    Config {
        listen: listen.parse().expect("an address"),
        executor: ExecutorKind::Virtual,
        virtual_gpus: Some("1x8".into()),
        tls_cert: certificate.map(Into::into),
        tls_key: key.map(Into::into),
        ..Config::default()
    }
}

fn client(address: SocketAddr, trusted: &Identity) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.authority.clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).expect("a client"), stream)
}

#[test]
fn requests_are_answered_over_tls_to_whom_trusts_the_certificate() {
    let home = tempfile::tempdir().expect("a directory");
    let (ours, other) = (identity(home.path(), "ours"), identity(home.path(), "other"));
    let config = config("127.0.0.1:0", Some(&ours.certificate), Some(&ours.key));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let data = home.path().join("data");
    let server = runtime.block_on(Server::open(&config, &data)).expect("it starts");
    let address = server.address().expect("an address");
    let (closing, closed) = watch::channel(false);
    let running = runtime.spawn(server.run(closed));
    let token = tidegate_server::token::read(&data.join("admin.token")).expect("a token");

    let mut stream = client(address, &ours);
    let head = format!(
        "GET /api/v1/whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("a handshake");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it ends in order");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"admin\""), "{answer}");

    assert!(client(address, &other).write_all(head.as_bytes()).is_err(), "a stranger is not trusted");
    let mut plain = TcpStream::connect(address).expect("it listens");
    plain.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    plain.write_all(head.as_bytes()).expect("it is there");
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(!String::from_utf8_lossy(&said).contains("HTTP"), "nothing is said in the open");
    closing.send_replace(true);
    runtime.block_on(running).expect("it ends").expect("in order");
}

/// What a server says that does not start; nothing if it does.
fn refused(config: &Config) -> Option<String> {
    let data = tempfile::tempdir().expect("a directory");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let opened: Result<Server, ServeError> = runtime.block_on(Server::open(config, data.path()));
    opened.err().map(|error| error.to_string())
}

#[test]
fn files_that_do_not_serve_are_named() {
    let home: TempDir = tempfile::tempdir().expect("a directory");
    let (ours, other) = (identity(home.path(), "ours"), identity(home.path(), "other"));
    let missing = home.path().join("missing.pem");
    let empty = home.path().join("empty.pem");
    std::fs::write(&empty, "").expect("a file");
    for (certificate, key, says) in [
        (Some(&ours.certificate), Some(&other.key), "belong together"),
        (Some(&missing), Some(&ours.key), "missing.pem"),
        (Some(&ours.certificate), Some(&missing), "missing.pem"),
        (Some(&ours.certificate), Some(&empty), "empty.pem"),
        (Some(&empty), Some(&ours.key), "empty.pem"),
        (Some(&ours.key), Some(&ours.key), "ours.key"),
        (Some(&ours.certificate), None, "--tls-key"),
        (None, Some(&ours.key), "--tls-cert"),
    ] {
        let config = config("127.0.0.1:0", certificate.map(PathBuf::as_path), key.map(PathBuf::as_path));
        let error = refused(&config).expect(says);
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn an_address_that_others_reach_wants_tls_or_a_word() {
    let home = tempfile::tempdir().expect("a directory");
    let ours = identity(home.path(), "ours");
    let error = refused(&config("0.0.0.0:0", None, None)).expect("it is refused");
    assert!(error.contains("0.0.0.0:0") && error.contains("--insecure-listen"), "{error}");
    assert_eq!(refused(&Config { insecure_listen: true, ..config("0.0.0.0:0", None, None) }), None);
    assert_eq!(refused(&config("0.0.0.0:0", Some(&ours.certificate), Some(&ours.key))), None);
}
