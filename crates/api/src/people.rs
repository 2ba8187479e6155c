//! Users, service accounts, their tokens, and roles.

use crate::body::{Check, Wrong};
use crate::duration::Duration;
use crate::limits::{MAX_ACTIONS, MAX_PASSWORD, MAX_SUBJECT, MIN_PASSWORD};
use crate::name::Name;
use crate::page::PageToken;
use crate::resource::{NewMetadata, resource};
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a user is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"platformAdmin": false})))]
pub struct UserSpec {
    /// May do everything: pools, nodes, quotas, prices, users, all workspaces.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub platform_admin: bool,
    /// Nobody can act as this user; what it did stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

impl Check for UserSpec {
    fn check(&self, _: &mut Wrong) {}
}

/// How a user can log in, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserStatus {
    /// Has set a password.
    pub password: bool,
    /// Who vouches for it, if that is somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What that one calls it, for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The workspace that a service account belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_of: Option<Name>,
    /// Where it is a member.
    pub workspaces: Vec<Membership>,
}

/// A role in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    pub workspace: Name,
    pub role: Name,
}

resource! {
    /// Somebody who may act: a person, or a program with an account of its own.
    User { kind: UserResource, spec: UserSpec, status: UserStatus }
    /// A user to create or change.
    #[schema(examples(json!({"metadata": {"name": "berta"}, "spec": {}})))]
    NewUser { metadata: NewMetadata }
    UserList
}

/// A link that lets somebody choose a password, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    pub user: Name,
    /// Where the console takes it; whoever follows it first chooses the password.
    pub url: String,
    /// The same without a browser: `tidegate login --invitation`.
    pub secret: String,
    pub expires_at: Time,
}

/// Whom the provider of identities means by a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"subject": "248289761001"})))]
pub struct LinkRequest {
    /// The provider; the one of the configuration if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 255)]
    pub issuer: Option<String>,
    /// What it calls the user for good, the claim `sub`: to the letter.
    #[schema(min_length = 1, max_length = 255)]
    pub subject: String,
}

impl Check for LinkRequest {
    fn check(&self, wrong: &mut Wrong) {
        for (at, text) in
            self.issuer.iter().map(|issuer| ("/issuer", issuer)).chain([("/subject", &self.subject)])
        {
            wrong.bound(at, text.len(), MAX_SUBJECT, "bytes");
            if text.is_empty() {
                wrong.add(at, "it is empty");
            }
        }
    }
}

/// A service account to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"name": "ci", "role": "developer"})))]
pub struct NewServiceAccount {
    pub name: Name,
    pub role: Name,
}

impl Check for NewServiceAccount {
    fn check(&self, _: &mut Wrong) {}
}

/// A token to make.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"name": "laptop", "expiresIn": "720h"}), json!({"name": "prometheus", "actions": ["metrics:read"]})))]
pub struct NewToken {
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Whose it shall be: the caller's own if absent. Others' are made by platform administrators; those of service
    /// accounts by whoever changes the members of their workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Name>,
    /// The only actions that it is good for; all that its user may, if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 64)]
    pub actions: Vec<String>,
    /// 90 days if absent, at most a year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<Duration>,
}

impl Check for NewToken {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/actions", self.actions.len(), MAX_ACTIONS, "actions");
    }
}

/// A token. Its secret is shown once, when it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"id": "t-3", "name": "laptop", "user": "berta", "createdAt": "2026-01-01T00:00:00Z"})))]
pub struct Token {
    pub id: String,
    pub name: String,
    pub user: Name,
    /// `token`, or `session` of a browser.
    pub kind: String,
    /// The only actions that it is good for; all that its user may, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
    pub created_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,
    /// To the hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Time>,
    /// Only in the answer that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// A page of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenList {
    pub items: Vec<Token>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}

/// A role: what whoever has it in a workspace may do there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"name": "auditor", "actions": ["workload:read", "audit:read"], "builtIn": false})))]
pub struct Role {
    pub name: Name,
    pub actions: Vec<String>,
    /// It is always there, and cannot be changed.
    pub built_in: bool,
}

/// A role to make or change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"name": "auditor", "actions": ["workload:read", "audit:read"]})))]
pub struct NewRole {
    pub name: Name,
    /// Actions within a workspace, such as `workload:read`; `GET /api/v1/roles` lists all.
    #[schema(min_items = 1, max_items = 64)]
    pub actions: Vec<String>,
}

impl Check for NewRole {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/actions", self.actions.len(), MAX_ACTIONS, "actions");
        if self.actions.is_empty() {
            wrong.add("/actions", "a role allows at least one action");
        }
    }
}

/// All roles, and all actions that there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleList {
    pub items: Vec<Role>,
    /// What roles are made of, and what it means.
    pub actions: Vec<ActionHelp>,
}

/// An action, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionHelp {
    pub action: String,
    pub about: String,
}

/// A password to set.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPassword {
    /// The one until now; not needed by who has none, or with an invitation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    #[schema(min_length = 12, max_length = 1024)]
    pub new: String,
}

impl Check for NewPassword {
    fn check(&self, wrong: &mut Wrong) {
        check_password("/new", &self.new, wrong);
    }
}

impl std::fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewPassword").finish_non_exhaustive()
    }
}

/// Adds what is wrong with a password that somebody chose.
pub fn check_password(at: &str, password: &str, wrong: &mut Wrong) {
    let length = password.chars().count();
    if !(MIN_PASSWORD..=MAX_PASSWORD).contains(&length) {
        wrong.add(
            at,
            format!("a password has {MIN_PASSWORD} to {MAX_PASSWORD} characters, this one has {length}"),
        );
    }
}
