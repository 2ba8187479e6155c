//! An authority of a test's own, for receivers and providers that are reached over TLS.
#![allow(unreachable_pub, reason = "each file of tests uses a part of it")]

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    home: TempDir,
}

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("nothing is wrong with no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        let authority =
            Authority { issuer: Issuer::new(params, key), home: tempfile::tempdir().expect("a directory") };
        std::fs::write(authority.file(), certificate.pem()).expect("written");
        authority
    }

    /// Its own certificate, for those who trust it.
    pub fn file(&self) -> PathBuf {
        self.home.path().join("ca.pem")
    }

    /// What a server on 127.0.0.1 shows that it vouches for.
    pub fn vouches(&self) -> Arc<ServerConfig> {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["127.0.0.1".into()]).expect("an address");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("they belong together");
        Arc::new(config)
    }
}

/// The server's end of a connection.
pub fn accept(config: &Arc<ServerConfig>, stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
    StreamOwned::new(ServerConnection::new(config.clone()).expect("a connection"), stream)
}
