//! A provider of identities, as small as one can be: it keeps to the protocol, and lies when it is told to.

use super::authority;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use rustls::ServerConfig;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    Nonce,
    Audience,
    Issuer,
    Expired,
    Future,
    Signature,
    OtherKey,
    Unsigned,
    Subject,
}

struct Inner {
    address: SocketAddr,
    /// Under TLS, if it is there.
    tls: Option<Arc<ServerConfig>>,
    key: EcdsaKeyPair,
    key_id: u32,
    name: String,
    subject: String,
    lie: Option<Lie>,
    /// By code: the challenge and the nonce.
    codes: BTreeMap<String, (String, String)>,
    is_over: bool,
}

pub(crate) struct Provider(Arc<Mutex<Inner>>);

fn key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let bytes = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes.as_ref(), &random).expect("a key")
}

impl Provider {
    pub(crate) fn start(name: &str, subject: &str) -> Provider {
        Provider::with(None, name, subject)
    }

    /// One that is reached over TLS.
    pub(crate) fn secure(tls: Arc<ServerConfig>, name: &str, subject: &str) -> Provider {
        Provider::with(Some(tls), name, subject)
    }

    fn with(tls: Option<Arc<ServerConfig>>, name: &str, subject: &str) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let inner = Inner {
            address,
            tls,
            key: key(),
            key_id: 1,
            name: name.into(),
            subject: subject.into(),
            lie: None,
            codes: BTreeMap::new(),
            is_over: false,
        };
        let inner = Arc::new(Mutex::new(inner));
        let shared = inner.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                let mut inner = shared.lock().expect("nobody panics here");
                if inner.is_over {
                    break;
                }
                let _ = match inner.tls.clone() {
                    None => inner.talk(stream),
                    Some(tls) => inner.talk(authority::accept(&tls, stream)),
                };
            }
        });
        Provider(inner)
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().expect("nobody panics here")
    }

    pub(crate) fn issuer(&self) -> String {
        self.inner().issuer()
    }

    pub(crate) fn is_called(&self, name: &str) {
        self.inner().name = name.into();
    }

    pub(crate) fn lies(&self, lie: Option<Lie>) {
        self.inner().lie = lie;
    }

    pub(crate) fn changes_key(&self) {
        let mut inner = self.inner();
        (inner.key, inner.key_id) = (key(), inner.key_id + 1);
    }

    /// Somebody comes with a question and agrees; what the browser is sent back with.
    pub(crate) fn visit(&self, to: &str) -> String {
        let mut inner = self.inner();
        let (door, query) = to.split_once('?').expect("a question");
        assert_eq!(door, format!("{}/authorize", inner.issuer()));
        let asked = fields(query);
        assert!(asked["redirect_uri"].ends_with("/api/v1/login/oidc/callback"), "{asked:?}");
        let code = format!("code {}", inner.codes.len());
        inner.codes.insert(code.clone(), (asked["code_challenge"].clone(), asked["nonce"].clone()));
        format!("state={}&code={}", asked["state"], code.replace(' ', "%20"))
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let address = {
            let mut inner = self.inner();
            inner.is_over = true;
            inner.address
        };
        // The thread sees it with the next connection, and closes the door.
        let _ = TcpStream::connect(address);
        while TcpStream::connect(address).is_ok() {
            std::thread::yield_now();
        }
    }
}

impl Inner {
    fn issuer(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}/realm", self.address)
    }

    fn talk(&mut self, stream: impl Read + Write) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        let mut head = Vec::new();
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            head.push(line.trim().to_string());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body = String::from_utf8(body).expect("text");
        let (status, answer) = self.answer(&head, &body);
        let text = answer.to_string();
        write!(
            reader.get_mut(),
            "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
            text.len()
        )
    }

    fn answer(&mut self, head: &[String], body: &str) -> (u16, Value) {
        let issuer = self.issuer();
        let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        match path {
            "/realm/.well-known/openid-configuration" => (
                200,
                json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"),
                    "jwks_uri": format!("{issuer}/keys"),
                }),
            ),
            "/realm/keys" => {
                let point = self.key.public_key().as_ref();
                let part = |range| URL_SAFE_NO_PAD.encode(&point[range]);
                let key = json!({
                    "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.key_id.to_string(),
                    "x": part(1..33), "y": part(33..65),
                });
                (200, json!({ "keys": [key] }))
            }
            "/realm/token" => self.redeem(head, body),
            _ => (404, json!({})),
        }
    }

    fn redeem(&mut self, head: &[String], body: &str) -> (u16, Value) {
        let asked = fields(body);
        let basic = format!("Basic {}", STANDARD.encode("tide%20gate:a%3Ab%20c"));
        let is_client = head.iter().any(|line| {
            line.split_once(": ")
                .is_some_and(|(name, value)| name.eq_ignore_ascii_case("authorization") && value == basic)
        });
        let Some((challenge, nonce)) = self.codes.remove(&asked["code"]) else { return (400, json!({})) };
        let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(asked["code_verifier"].as_bytes()));
        if !is_client || asked["grant_type"] != "authorization_code" || proof != challenge {
            return (400, json!({"error": "invalid_grant"}));
        }
        (200, json!({"access_token": "x", "token_type": "Bearer", "id_token": self.token(nonce)}))
    }

    fn token(&self, nonce: String) -> String {
        let lies = |lie| self.lie == Some(lie);
        let now = now();
        let (nonce, audience) = (
            if lies(Lie::Nonce) { "another".into() } else { nonce },
            if lies(Lie::Audience) { "others" } else { "tide gate" },
        );
        let issuer = if lies(Lie::Issuer) { "https://evil.example".into() } else { self.issuer() };
        let issued = if lies(Lie::Future) { now + 3_600 } else { now };
        let expires = if lies(Lie::Expired) { now - 3_600 } else { issued + 300 };
        let subject = if lies(Lie::Subject) { "" } else { self.subject.as_str() };
        let claims = json!({
            "iss": issuer, "aud": audience, "nonce": nonce, "sub": subject, "iat": issued, "exp": expires,
            "preferred_username": self.name,
        });
        let alg = if lies(Lie::Unsigned) { "none" } else { "ES256" };
        let header = json!({"alg": alg, "kid": self.key_id.to_string()});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        if lies(Lie::Unsigned) {
            return format!("{signed}.");
        }
        let other = key();
        let key = if lies(Lie::OtherKey) { &other } else { &self.key };
        let signature = key.sign(&SystemRandom::new(), signed.as_bytes()).expect("a signature");
        let mut signature = signature.as_ref().to_vec();
        if lies(Lie::Signature) {
            signature[10] ^= 1;
        }
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

#[allow(clippy::disallowed_methods, reason = "a provider has a clock of its own")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

/// A form, with the escapes that ours has.
fn fields(text: &str) -> BTreeMap<String, String> {
    let decoded = |text: &str| {
        let mut parts = text.split('%');
        let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            out.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
            out.extend(&part.as_bytes()[2..]);
        }
        String::from_utf8(out).expect("text")
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_string(), decoded(value))).collect()
}
