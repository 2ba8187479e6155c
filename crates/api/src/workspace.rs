//! Workspaces: each team's room, the quotas that it may use, and who is in it.

use crate::body::{Check, Wrong};
use crate::limits::{MAX_ATTACHED, MAX_DESCRIPTION};
use crate::name::Name;
use crate::resource::{NewMetadata, resource};
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a workspace is for, and what it may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"description": "Team B", "quotas": ["Quota1.1"], "defaultQuota": "Quota1.1"})))]
pub struct WorkspaceSpec {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 1024)]
    pub description: String,
    /// Quotas that its members may submit to. Attached and detached by platform administrators.
    #[serde(default)]
    #[schema(max_items = 1024)]
    pub quotas: Vec<Name>,
    /// Where work goes that names no quota. If absent: the only quota that is attached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_quota: Option<Name>,
}

impl Check for WorkspaceSpec {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/description", self.description.chars().count(), MAX_DESCRIPTION, "characters");
        wrong.bound("/quotas", self.quotas.len(), MAX_ATTACHED, "quotas");
    }
}

/// What there is in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceStatus {
    pub members: u64,
    /// Workloads that have not ended.
    pub workloads: u64,
    /// The caller's role in it; absent for who is no member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// It is open to every quota: the room of who has no other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_quotas: bool,
}

resource! {
    /// A team's room: members with roles, the quotas that it may use, its policies.
    Workspace { kind: WorkspaceResource, spec: WorkspaceSpec, status: WorkspaceStatus }
    /// A workspace to create or change.
    #[schema(examples(json!({
        "apiVersion": "tidegate.dev/v1", "kind": "Workspace", "metadata": {"name": "workspace-b"},
        "spec": {"description": "Team B", "quotas": ["Quota1.1"]}
    })))]
    NewWorkspace { metadata: NewMetadata }
    WorkspaceList
}

/// A quota to attach or detach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"quota": "Quota1.1"})))]
pub struct AttachRequest {
    pub quota: Name,
}

impl Check for AttachRequest {
    fn check(&self, _: &mut Wrong) {}
}

/// The role that somebody shall have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"role": "developer"})))]
pub struct MemberRequest {
    /// owner, admin, developer, operator, guest, or a role that was made.
    pub role: Name,
}

impl Check for MemberRequest {
    fn check(&self, _: &mut Wrong) {}
}

/// Somebody in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"user": "berta", "role": "developer", "since": "2026-01-01T00:00:00Z"})))]
pub struct Member {
    pub user: Name,
    pub role: Name,
    /// It is a program's account, and not a person's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub service_account: bool,
    pub since: Time,
}

/// A page of members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberList {
    pub items: Vec<Member>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<crate::page::PageToken>,
}
