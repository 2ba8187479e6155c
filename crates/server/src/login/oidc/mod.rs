//! A provider of identities (OpenID Connect): authorisation code with PKCE. Somebody is sent there with a question
//! that is asked once, and comes back with a code; what the provider says for it is believed if it is signed, for us,
//! and the answer to that very question.
//!
//! | where | what |
//! |---|---|
//! | here | sending somebody there, and what comes back |
//! | `config` | what the configuration says |
//! | `provider` | where the provider's doors are, and its keys |
//! | `jwt` | whether to believe what it says |
//! | `name` | what a new user is called |

pub mod config;
mod jwt;
pub mod name;
mod provider;

use crate::net::outgoing::Outgoing;
use crate::token::{self, TokenHash};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use config::{OidcConfig, Secret};
use jwt::{Expected, Wrong};
use provider::{Known, Provider};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Mutex;
use tidegate_engine::ids::{Span, Tick};

/// Where the provider sends people back to.
pub const CALLBACK: &str = "/api/v1/login/oidc/callback";
/// The cookie of a browser that was sent away.
pub const COOKIE: &str = "tidegate_login";
/// How long somebody may take there.
pub const FLOW_TIME: Span = Span::minutes(10);
/// Those who are there. Above that, who went first starts anew.
const MAX_FLOWS: usize = 4_096;

#[derive(Debug)]
pub struct Oidc {
    pub config: OidcConfig,
    secret: Option<Secret>,
    outgoing: Outgoing,
    callback: String,
    /// By the hash of their state. Kept in memory: a restart lets those who are under way start anew.
    flows: Mutex<BTreeMap<TokenHash, Flow>>,
    known: tokio::sync::Mutex<Known>,
}

/// Somebody who was sent away, and the question.
#[derive(Debug)]
struct Flow {
    verifier: String,
    nonce: String,
    /// Of the secret in the browser's cookie: who comes back is who went.
    browser: TokenHash,
    until: Tick,
}

/// Where to send a browser, and the secret that it is to bring back.
#[derive(Debug)]
pub struct Begun {
    pub to: String,
    pub secret: String,
}

/// Whom the provider vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    pub subject: String,
    /// What it would be called.
    pub name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The provider cannot be asked, or understood.
    Provider(String),
    /// Nobody is let in for this.
    Refused(String),
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

impl Oidc {
    /// For a console at this origin.
    pub fn new(config: &OidcConfig, origin: &str) -> Result<Oidc, String> {
        Ok(Oidc {
            secret: config.secret()?,
            outgoing: Outgoing::new(config.ca_file.as_deref())?,
            config: config.clone(),
            callback: format!("{origin}{CALLBACK}"),
            flows: Mutex::default(),
            known: tokio::sync::Mutex::default(),
        })
    }

    /// Sends somebody to the provider.
    pub async fn begin(&self, now: Tick) -> Result<Begun, Failed> {
        let (provider, _) = self.provider(now).await?;
        let random = || token::secret().map_err(|why| Failed::Provider(why.to_string()));
        let (state, nonce, verifier, secret) = (random()?, random()?, random()?, random()?);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        let mark = if provider.authorization_endpoint.contains('?') { '&' } else { '?' };
        let question = form(&[
            ("response_type", "code"),
            ("client_id", &self.config.client_id),
            ("redirect_uri", &self.callback),
            ("scope", "openid profile email"),
            ("state", &state),
            ("nonce", &nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        let flow = Flow { verifier, nonce, browser: TokenHash::of(&secret), until: now.after(FLOW_TIME) };
        self.keep(&state, flow, now);
        Ok(Begun { to: format!("{}{mark}{question}", provider.authorization_endpoint), secret })
    }

    fn keep(&self, state: &str, flow: Flow, now: Tick) {
        let mut flows = self.flows.lock().expect("nobody panics here");
        if flows.len() >= MAX_FLOWS {
            flows.retain(|_, flow| now < flow.until);
        }
        if flows.len() >= MAX_FLOWS {
            let first = flows.iter().min_by_key(|(_, flow)| flow.until).map(|(key, _)| *key);
            first.map(|key| flows.remove(&key));
        }
        flows.insert(TokenHash::of(state), flow);
    }

    /// Somebody comes back with a code. A state is good once, whatever comes of it.
    pub async fn finish<'a>(
        &self,
        now: Tick,
        state: &str,
        code: &str,
        mut brought: impl Iterator<Item = &'a str>,
    ) -> Result<Identity, Failed> {
        let refused = |why: &str| Failed::Refused(format!("this log-in cannot be finished: {why}"));
        let flow = self.flows.lock().expect("nobody panics here").remove(&TokenHash::of(state));
        let flow = flow.filter(|flow| now < flow.until);
        let flow = flow.ok_or_else(|| refused("it was not begun here, took too long, or is over"))?;
        if !brought.any(|secret| TokenHash::of(secret) == flow.browser) {
            return Err(refused("another browser began it"));
        }
        let (provider, mut keys) = self.provider(now).await?;
        let token = self.redeem(&provider, code, &flow.verifier).await?;
        let expected = Expected {
            issuer: &self.config.issuer.0,
            client: &self.config.client_id,
            nonce: &flow.nonce,
            now,
        };
        let mut verified = jwt::verify(&token, &keys, &expected);
        if verified == Err(Wrong::UnknownKey) {
            // Providers change their keys.
            self.known.lock().await.forget();
            keys = self.provider(now).await?.1;
            verified = jwt::verify(&token, &keys, &expected);
        }
        let claims = verified.map_err(|why| match why {
            Wrong::UnknownKey => refused("what the provider says is signed with a key that is not its own"),
            Wrong::Because(why) => refused(&format!("what the provider says does not hold: {why}")),
        })?;
        let subject = claims.get("sub").and_then(|subject| subject.as_str()).unwrap_or_default().to_string();
        let name = name::suggested(&claims, self.config.username_claim.as_deref());
        Ok(Identity { issuer: self.config.issuer.0.clone(), subject, name })
    }

    async fn provider(&self, now: Tick) -> Result<(Provider, Vec<jwt::Key>), Failed> {
        self.known
            .lock()
            .await
            .get(&self.outgoing, &self.config.issuer.0, now)
            .await
            .map_err(Failed::Provider)
    }

    /// What the provider says for a code.
    async fn redeem(&self, provider: &Provider, code: &str, verifier: &str) -> Result<String, Failed> {
        let id = self.config.client_id.as_str();
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", self.callback.as_str()),
            ("client_id", id),
            ("code_verifier", verifier),
        ];
        let mut request = Request::post(provider.token_endpoint.as_str())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json");
        match &self.secret {
            Some(Secret(secret)) if provider.takes_basic() => {
                let pair = format!("{}:{}", encoded(id), encoded(secret));
                request = request.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
            }
            Some(Secret(secret)) => fields.push(("client_secret", secret)),
            None => {}
        }
        let request =
            request.body(Body::from(form(&fields))).map_err(|why| Failed::Provider(why.to_string()))?;
        let (status, body) = self.outgoing.exchange(request).await.map_err(Failed::Provider)?;
        if !status.is_success() {
            return Err(Failed::Provider(format!(
                "{} answered {}",
                provider.token_endpoint,
                status.as_u16()
            )));
        }
        let tokens: Result<Tokens, _> = serde_json::from_slice(&body);
        // What it says instead may hold secrets.
        let unreadable = || format!("{} answered without an id_token", provider.token_endpoint);
        tokens.map(|tokens| tokens.id_token).map_err(|_| Failed::Provider(unreadable()))
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    pairs.join("&")
}

/// A value as it may stand in an address or a form.
fn encoded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one = |byte: u8| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    value.bytes().map(one).collect()
}
