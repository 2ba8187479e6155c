//! Who uses how much: per user and workspace, in a quota or across the quotas of a workspace.

use crate::amounts::Figure;
use crate::name::Name;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What somebody has submitted, and what it uses. GPUs of all models together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Workloads that have not ended.
    pub submitted: u32,
    /// Of these, how many wait.
    pub queued: u32,
    /// Of these, how many run.
    pub running: u32,
    /// GPUs that those which have not ended ask for.
    pub requested: Figure,
    /// GPUs in use. In a quota: of its account.
    pub drawn: Figure,
    /// GPUs of the quota that are lent to work of other quotas, by loan or idle. Of a user or workspace: lent to them.
    pub lent: Figure,
    /// GPUs of other quotas that are borrowed by loan or idle, and given back when they are needed there.
    pub borrowed: Figure,
}

/// What one user uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserUsage {
    /// Absent: everybody whom the reader may not see, together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    #[serde(flatten)]
    pub usage: Usage,
}

/// What one workspace uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomUsage {
    /// Absent: all workspaces that the reader may not see, together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    #[serde(flatten)]
    pub usage: Usage,
}

/// What is used of one quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountUsage {
    pub quota: Name,
    #[serde(flatten)]
    pub usage: Usage,
}

/// Who uses a quota: its own work, and what others draw on its account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaUsage {
    pub quota: Name,
    pub total: Usage,
    pub users: Vec<UserUsage>,
    pub workspaces: Vec<RoomUsage>,
}

/// What a workspace uses, in all of its quotas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceUsage {
    pub workspace: Name,
    pub total: Usage,
    pub users: Vec<UserUsage>,
    pub quotas: Vec<AccountUsage>,
}
