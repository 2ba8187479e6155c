//! Who changed what: the audit on the wire.

use crate::page::PageToken;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// One request that changed something, and all that it changed as far as the reader may know of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "number": 57, "at": "2026-01-31T09:00:00Z", "by": "admin", "operation": "quota.scale",
    "requestId": "019c1e6a-7d2b-7c3e-9d52-6f0e3f4a5b6c", "from": "10.0.0.7",
    "changes": [{"number": 57, "kind": "quota", "name": "Quota1.1", "event": "scaled",
        "before": {"guarantee": 48}, "after": {"guarantee": 56}}]
})))]
pub struct AuditEntry {
    /// Number of its first event in the log.
    pub number: u64,
    pub at: Time,
    /// Who asked.
    pub by: String,
    /// What was asked for, such as `quota.scale`.
    pub operation: String,
    /// As in the answer and in the server's own log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The address that the request came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub changes: Vec<AuditChange>,
}

/// One thing that a request changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditChange {
    /// Its own number in the log.
    pub number: u64,
    /// user, workspace, member, role, token, policy, webhook, pool, node, quota or workload.
    pub kind: String,
    pub name: String,
    /// The workspace that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// created, changed, deleted, or what else became of it.
    pub event: String,
    /// As it was, without secrets; absent if there was nothing, or nothing is worth saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub before: Option<Value>,
    /// As it is since, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub after: Option<Value>,
}

/// A page of the audit, newest first. One that is asked for with filters may be short, or empty, and have a next one:
/// the log is looked through piece by piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditList {
    pub items: Vec<AuditEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
    /// Events below this number were archived: what they changed is in the archive's files, not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_below: Option<u64>,
}
