//! TLS from certificate and key files.

use rustls::ServerConfig;
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Why the server does not listen as asked.
#[derive(Debug)]
pub enum TlsError {
    /// A certificate without a key, or a key without a certificate.
    Half,
    Unreadable {
        file: PathBuf,
        what: &'static str,
        why: String,
    },
    Rejected {
        why: String,
    },
    /// Anybody on the network could read tokens.
    Open {
        address: SocketAddr,
    },
}

impl std::fmt::Display for TlsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TlsError::Half => write!(f, "TLS needs both; hint: give --tls-cert and --tls-key together"),
            TlsError::Unreadable { file, what, why } => {
                write!(f, "no {what} in {}: {why}; hint: PEM files are expected", file.display())
            }
            TlsError::Rejected { why } => {
                write!(f, "the certificate and the key do not serve: {why}; hint: do they belong together?")
            }
            TlsError::Open { address } => write!(
                f,
                "{address} can be reached from other machines, and without TLS tokens would travel in the open; \
                 hint: give --tls-cert and --tls-key, listen on 127.0.0.1, or say --insecure-listen \
                 if something in front of it does TLS"
            ),
        }
    }
}

impl std::error::Error for TlsError {}

/// What to encrypt with, if anything.
pub fn acceptor(
    address: SocketAddr,
    certificate: Option<&Path>,
    key: Option<&Path>,
    insecure: bool,
) -> Result<Option<TlsAcceptor>, TlsError> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => load(certificate, key).map(Some),
        (None, None) if address.ip().is_loopback() || insecure => Ok(None),
        (None, None) => Err(TlsError::Open { address }),
        _ => Err(TlsError::Half),
    }
}

fn load(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let unreadable = |file: &Path, what, why: Error| TlsError::Unreadable {
        file: file.into(),
        what,
        why: why.to_string(),
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .and_then(|chain: Vec<_>| if chain.is_empty() { Err(Error::NoItemsFound) } else { Ok(chain) })
        .map_err(|why| unreadable(certificate, "certificate", why))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|why| unreadable(key, "private key", why))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|why| TlsError::Rejected { why: why.to_string() })?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_open_without_tls() {
        let open = |address: &str, insecure| {
            acceptor(address.parse().expect("an address"), None, None, insecure).map(|tls| tls.is_some())
        };
        assert!(matches!(open("127.0.0.1:7070", false), Ok(false)));
        assert!(matches!(open("[::1]:7070", false), Ok(false)));
        assert!(matches!(open("0.0.0.0:7070", false), Err(TlsError::Open { .. })));
        assert!(matches!(open("192.168.1.4:7070", false), Err(TlsError::Open { .. })));
        assert!(matches!(open("0.0.0.0:7070", true), Ok(false)));
    }

    #[test]
    fn one_file_alone_is_refused_and_so_is_a_wrong_one() {
        let address = "127.0.0.1:7070".parse().expect("an address");
        let missing = Path::new("no-such-file.pem");
        assert!(matches!(acceptor(address, Some(missing), None, false), Err(TlsError::Half)));
        let wrong = acceptor(address, Some(missing), Some(missing), false);
        assert!(matches!(wrong, Err(TlsError::Unreadable { what: "certificate", .. })));
    }
}
