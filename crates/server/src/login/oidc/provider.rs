//! What a provider says of itself: where its doors are, and which keys are its own.

use super::jwt::{self, Key};
use crate::net::outgoing::{self, Outgoing};
use axum::body::{Body, Bytes};
use axum::http::header::ACCEPT;
use axum::http::{Request, Uri};
use serde::Deserialize;
use tidegate_engine::ids::{Span, Tick};

/// How long it is believed without asking again.
const BELIEVED: Span = Span::hours(1);
/// How long a provider that could not be asked is left in peace.
const PEACE: Span = Span::seconds(5);

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Provider {
    issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    jwks_uri: String,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

impl Provider {
    /// Whether it takes the secret of a client in a header, as all do that do not say otherwise.
    pub(super) fn takes_basic(&self) -> bool {
        let methods = self.token_endpoint_auth_methods_supported.as_ref();
        methods.is_none_or(|all| all.iter().any(|method| method == "client_secret_basic"))
    }
}

/// Its doors and its keys, or why they are not known.
pub(super) type Found = Result<(Provider, Vec<Key>), String>;

/// What is known of the provider, since when.
#[derive(Debug, Default)]
pub(super) struct Known(Option<(Tick, Found)>);

impl Known {
    /// As known, or as the provider says now. One asks for all who wait.
    pub(super) async fn get(&mut self, outgoing: &Outgoing, issuer: &str, now: Tick) -> Found {
        if let Some((since, known)) = &self.0 {
            let good_for = if known.is_ok() { BELIEVED } else { PEACE };
            if now.since(*since) < good_for {
                return known.clone();
            }
        }
        let found = find(outgoing, issuer).await;
        if let Err(why) = &found {
            tracing::warn!(why, "the provider of identities cannot be asked");
        }
        self.0 = Some((now, found.clone()));
        found
    }

    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}

async fn find(outgoing: &Outgoing, issuer: &str) -> Found {
    let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    let document = get(outgoing, &address).await?;
    let provider: Provider =
        serde_json::from_slice(&document).map_err(|why| format!("{address} cannot be read: {why}"))?;
    if provider.issuer != issuer {
        return Err(format!("{address} says that it is {}, not {issuer}", provider.issuer));
    }
    for door in [&provider.authorization_endpoint, &provider.token_endpoint, &provider.jwks_uri] {
        let address: Uri = door.parse().map_err(|_| format!("{door:?} is not an address"))?;
        outgoing::check(&address)?;
        // Who is elsewhere does not send us to this machine.
        if issuer.starts_with("https://") && address.scheme_str() != Some("https") {
            return Err(format!("{door} is not https://, as {issuer} is"));
        }
    }
    let keys = jwt::keys(&get(outgoing, &provider.jwks_uri).await?)?;
    Ok((provider, keys))
}

async fn get(outgoing: &Outgoing, address: &str) -> Result<Bytes, String> {
    let request = Request::get(address).header(ACCEPT, "application/json").body(Body::empty());
    let (status, body) = outgoing.exchange(request.map_err(|why| why.to_string())?).await?;
    if status.is_success() { Ok(body) } else { Err(format!("{address} answered {}", status.as_u16())) }
}
