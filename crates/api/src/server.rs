//! About the server itself, and who is asking.

use crate::people::Membership;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who is asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"user": "admin", "administrator": true, "workspaces": [{"workspace": "default", "role": "owner"}]})))]
pub struct Whoami {
    pub user: String,
    /// May do everything.
    pub administrator: bool,
    /// Where the caller is a member.
    #[serde(default)]
    pub workspaces: Vec<Membership>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,
}

/// Answer of `/version`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"version": "0.1.0", "apiVersion": "tidegate.dev/v1"})))]
pub struct Version {
    pub version: String,
    pub api_version: crate::resource::ApiVersion,
}

/// Answer of `/healthz` and `/readyz`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"status": "ok"})))]
pub struct Health {
    /// `ok`, or what is the matter: `starting`, `stopping`, `store-failing`, `storage-full`.
    pub status: String,
    /// How far a start has come, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
