//! Logging in, and following an invitation.

use crate::body::{Check, Wrong};
use crate::limits::{MAX_PASSWORD, MAX_SECRET};
use crate::name::Name;
use crate::people::check_password;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How people can log in at a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"password": true, "oidc": "https://id.example"})))]
pub struct LoginWays {
    /// With name and password.
    pub password: bool,
    /// Through this provider of identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc: Option<String>,
}

/// Who somebody is, and what shows it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"user": "berta", "password": "correct horse battery"})))]
pub struct Credentials {
    #[schema(max_length = 1024)]
    pub user: String,
    #[schema(max_length = 1024)]
    pub password: String,
}

impl Check for Credentials {
    fn check(&self, wrong: &mut Wrong) {
        // What no user can have is not looked at more closely: it is as wrong as any other.
        wrong.bound("/user", self.user.chars().count(), MAX_SECRET, "characters");
        wrong.bound("/password", self.password.chars().count(), MAX_PASSWORD, "characters");
    }
}

/// What an invitation is followed with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"secret": "tgi_51f0", "password": "correct horse battery"})))]
pub struct Acceptance {
    #[schema(max_length = 1024)]
    pub secret: String,
    #[schema(min_length = 12, max_length = 1024)]
    pub password: String,
}

impl Check for Acceptance {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/secret", self.secret.chars().count(), MAX_SECRET, "characters");
        check_password("/password", &self.password, wrong);
    }
}

/// Somebody has logged in. What lets the browser in is in a cookie that scripts cannot read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"user": "berta", "expiresAt": "2026-01-01T12:00:00Z"})))]
pub struct Session {
    pub user: Name,
    pub expires_at: Time,
}

/// Sessions have ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"user": "berta", "ended": 1})))]
pub struct Ended {
    pub user: Name,
    /// How many sessions and tokens are good no longer.
    pub ended: usize,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Acceptance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Acceptance").finish_non_exhaustive()
    }
}
