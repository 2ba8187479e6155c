//! The one way to a server: blocking requests, with a token, tried again where that is safe.

pub(crate) mod answer;
pub(crate) mod events;
pub(crate) mod find;
pub(crate) mod output;
pub(crate) mod pages;
pub(crate) mod profile;

use crate::clock;
use crate::exit::{Exit, Failure, Outcome};
use answer::{Answer, failure_of_transport, reached};
use find::Found;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tidegate_api::event::DryRun;
use tidegate_api::task::RESOURCE_CONFIG;
use tidegate_server::apps::SESSION_COOKIE;
use tidegate_server::login::session::SESSION_PREFIX;
use ureq::http::{Method, Request, header};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Proxy};

/// A server on another continent answers within a second; one that is being started has not read its log yet.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest wait for bytes of an answer: a batch waits for the disk, and heartbeats of a watch come every 15 seconds.
const READ: Duration = Duration::from_secs(60);
/// Bytes that are sent or read at once. The client's own eighth of a MiB for each is cleared before it is used, which
/// takes longer than most answers do.
const BUFFER: usize = 16 << 10;
/// Tries after the first one.
const RETRIES: u32 = 3;
/// Pause before the first repetition; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause, whatever a server asks for in Retry-After.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(crate) struct Client {
    agent: Agent,
    found: Found,
}

/// Names and values after the question mark.
pub(crate) type Query = Vec<(&'static str, String)>;

/// What is asked of a server.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    /// Below the server's address, beginning with a slash.
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) body: Option<(&'static str, Vec<u8>)>,
    pub(crate) if_match: Option<&'a str>,
    pub(crate) last_event: Option<u64>,
    /// Where a task runs.
    pub(crate) resource_config: Option<&'a str>,
    /// The media type that is asked for, where there are several.
    pub(crate) accept: Option<&'static str>,
    /// The answer is read as it comes.
    pub(crate) is_stream: bool,
}

impl Ask<'_> {
    fn new(method: Method, path: impl Into<String>, query: Query) -> Self {
        Ask {
            method,
            path: path.into(),
            query,
            body: None,
            if_match: None,
            last_event: None,
            resource_config: None,
            accept: None,
            is_stream: false,
        }
    }

    pub(crate) fn get(path: impl Into<String>, query: Query) -> Self {
        Ask::new(Method::GET, path, query)
    }

    /// A change without a body.
    pub(crate) fn change(method: Method, path: impl Into<String>) -> Self {
        Ask::new(method, path, Vec::new())
    }

    pub(crate) fn post(path: impl Into<String>, body: &impl Serialize) -> Outcome<Self> {
        Ask::change(Method::POST, path).json(body)
    }

    pub(crate) fn json(mut self, body: &impl Serialize) -> Outcome<Self> {
        let bytes = serde_json::to_vec(body)
            .map_err(|error| Failure::new(Exit::Failure, format!("cannot write the request: {error}")))?;
        self.body = Some(("application/json", bytes));
        Ok(self)
    }
}

/// What became of a change: it was made, or this is what it would do.
#[derive(Clone, Debug)]
pub(crate) enum Changed<T> {
    Made(T),
    Would(Box<DryRun>),
}

impl Client {
    pub(crate) fn new(found: Found) -> Outcome<Client> {
        let mut tls = TlsConfig::builder();
        if let Some(file) = &found.ca_file {
            tls = tls.root_certs(certificates(file)?);
        }
        // A proxy does not lead to this machine.
        let proxy = if is_loopback(&found.server) { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(READ))
            .user_agent(concat!("tidegate/", env!("CARGO_PKG_VERSION")))
            .proxy(proxy)
            .input_buffer_size(BUFFER)
            .output_buffer_size(BUFFER)
            .tls_config(tls.build());
        Ok(Client { agent: Agent::new_with_config(config.build()), found })
    }

    pub(crate) fn server(&self) -> &str {
        &self.found.server
    }

    pub(crate) fn found(&self) -> &Found {
        &self.found
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, path: impl Into<String>) -> Outcome<T> {
        self.get_with(path, Vec::new())
    }

    pub(crate) fn get_with<T: DeserializeOwned>(&self, path: impl Into<String>, query: Query) -> Outcome<T> {
        self.send(&Ask::get(path, query))?.json(self.server())
    }

    /// Makes a change, or asks what it would do.
    pub(crate) fn change<T: DeserializeOwned>(&self, mut ask: Ask<'_>, dry_run: bool) -> Outcome<Changed<T>> {
        if dry_run {
            ask.query.push(("dryRun", "true".into()));
            return self.send(&ask)?.json(self.server()).map(|would| Changed::Would(Box::new(would)));
        }
        self.send(&ask)?.json(self.server()).map(Changed::Made)
    }

    /// Sends a request. What is safe to repeat is repeated a few times: reads, and posts, which carry an
    /// Idempotency-Key. What a server was too busy for was not carried out, whatever it is.
    pub(crate) fn send(&self, ask: &Ask<'_>) -> Outcome<Answer> {
        let key = (ask.method == Method::POST).then(new_key).transpose()?;
        let repeatable = matches!(ask.method, Method::GET | Method::POST);
        let mut pause = FIRST_PAUSE;
        for left in (0..=RETRIES).rev() {
            let wait = match self.try_once(ask, key.as_deref()) {
                Ok(answer) if left > 0 && answer.is_busy() => answer.retry_after().unwrap_or(pause),
                Ok(answer) => return answer.refused(),
                Err(error) if left > 0 && repeatable && reached(&error) => pause,
                Err(error) => return Err(failure_of_transport(&error, &self.found)),
            };
            clock::pause(wait.min(LONGEST_PAUSE));
            pause *= 2;
        }
        Err(Failure::new(Exit::Unreachable, format!("{} does not answer", self.server())))
    }

    fn try_once(&self, ask: &Ask<'_>, key: Option<&str>) -> Result<Answer, ureq::Error> {
        let mut uri = format!("{}{}", self.server(), ask.path);
        for (index, (name, value)) in ask.query.iter().enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            uri.push_str(&format!("{mark}{name}={}", encoded(value)));
        }
        let mut request = Request::builder().method(ask.method.clone()).uri(uri);
        if self.found.token.starts_with(SESSION_PREFIX) {
            // As a page of the server itself would ask.
            request = request
                .header(header::COOKIE, format!("{SESSION_COOKIE}={}", self.found.token))
                .header(header::ORIGIN, self.server())
                .header("x-tidegate-csrf", "1");
        } else if !self.found.token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.found.token));
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(version) = ask.if_match {
            request = request.header(header::IF_MATCH, format!("\"{version}\""));
        }
        if let Some(number) = ask.last_event {
            request = request.header("last-event-id", number.to_string());
        }
        if let Some(configs) = ask.resource_config {
            request = request.header(RESOURCE_CONFIG, configs);
        }
        if let Some(kind) = ask.accept {
            request = request.header(header::ACCEPT, kind);
        }
        let response = match &ask.body {
            Some((kind, bytes)) => {
                self.agent.run(request.header(header::CONTENT_TYPE, *kind).body(bytes.as_slice())?)
            }
            None if ask.method == Method::POST => self.agent.run(request.body(&[][..])?),
            None => self.agent.run(request.body(())?),
        };
        Answer::read(response?, ask.is_stream)
    }
}

fn is_loopback(server: &str) -> bool {
    let host = server.split("://").nth(1).unwrap_or(server);
    ["127.", "localhost", "[::1]"].iter().any(|local| host.starts_with(local))
}

fn certificates(file: &std::path::Path) -> Outcome<RootCerts> {
    let unusable = |why: String| {
        Failure::usage(format!("{} holds no certificates: {why}", file.display()))
            .hint("name a PEM file with the certificate of the server, or of who signed it")
    };
    let bytes = std::fs::read(file).map_err(|error| unusable(error.to_string()))?;
    let mut found = Vec::new();
    for item in parse_pem(&bytes) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| unusable(error.to_string()))? {
            found.push(certificate);
        }
    }
    if found.is_empty() { Err(unusable("nothing in it is one".into())) } else { Ok(RootCerts::from(found)) }
}

/// A key that no other request has.
fn new_key() -> Outcome<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|error| Failure::new(Exit::Failure, format!("no random numbers: {error}")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A value as it may stand in an address.
fn encoded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~,".contains(&byte);
    let one = |byte: u8| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    value.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_stay_one_value() {
        assert_eq!(encoded("a=b&c d/ä"), "a%3Db%26c%20d%2F%C3%A4");
        assert_eq!(encoded("workload,quota"), "workload,quota");
    }

    #[test]
    fn keys_differ() {
        assert_ne!(new_key().expect("random"), new_key().expect("random"));
    }

    #[test]
    fn a_proxy_is_not_asked_for_this_machine() {
        for server in ["http://127.0.0.1:7070", "https://localhost", "http://[::1]:1"] {
            assert!(is_loopback(server), "{server}");
        }
        assert!(!is_loopback("https://tidegate.example"));
    }
}
