//! What the configuration says of a provider of identities.

use crate::net::outgoing;
use axum::http::Uri;
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OidcConfig {
    pub issuer: Issuer,
    pub client_id: String,
    pub client_secret: Option<Secret>,
    /// Where the secret lies instead.
    pub client_secret_file: Option<PathBuf>,
    /// Whether who is not known yet becomes a user.
    #[serde(default = "yes")]
    pub create_users: bool,
    /// What a new user is called after; without it: `preferred_username`, then `email`.
    pub username_claim: Option<String>,
    /// Certificates to trust instead of the machine's.
    pub ca_file: Option<PathBuf>,
}

fn yes() -> bool {
    true
}

/// The provider's own name for itself, to the letter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Issuer(pub String);

impl TryFrom<String> for Issuer {
    type Error = String;
    fn try_from(text: String) -> Result<Issuer, String> {
        let uri: Uri = text.parse().map_err(|_| format!("{text:?} is not an address"))?;
        outgoing::check(&uri)?;
        match uri.query() {
            None => Ok(Issuer(text)),
            Some(_) => Err(format!("{text:?} has a query; the address of an issuer has none")),
        }
    }
}

/// Shown to nobody.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl OidcConfig {
    /// The secret that the server shows to the provider, if it has one.
    pub(super) fn secret(&self) -> Result<Option<Secret>, String> {
        match (&self.client_secret, &self.client_secret_file) {
            (Some(_), Some(_)) => Err("client-secret and client-secret-file are both given".into()),
            (secret, None) => Ok(secret.clone()),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|why| format!("cannot read {}: {why}", file.display()))?;
                Ok(Some(Secret(text.trim().into())))
            }
        }
    }
}
