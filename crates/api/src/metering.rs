//! What was used: records, sums, corrections.

use crate::body::{Check, Wrong};
use crate::limits::MAX_DESCRIPTION;
use crate::name::Name;
use crate::page::PageToken;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What somebody has held for a time, cut to the period that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"id": "ur-7", "kind": "work", "workload": "train-1", "workloadId": "w-12", "workspace": "team-b", "user": "berta",
    "quota": "Quota1.1", "mode": "quota", "module": "training", "priority": 3, "resource": "gpu:H100", "class": "firm",
    "rule": "own", "amount": 8.0, "from": "2026-01-01T08:00:00Z", "to": "2026-01-01T09:30:00Z", "hours": 12.0,
    "quantity": "43200000000", "open": false, "event": 42})))]
pub struct UsageRecord {
    /// Absent: it goes on, and has no record yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `work`; or `capacity`: what dedicated compute has held, used or not.
    #[serde(default)]
    pub kind: String,
    /// Absent for capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_id: Option<String>,
    /// Of a task, while it is remembered: template and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    pub workspace: String,
    pub user: String,
    /// The workload's quota: it borrows, if there is a lender.
    pub quota: String,
    /// Whose capacity it was, if it was another quota's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lender: Option<String>,
    /// The dedicated compute that it is, or that the work ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// `shared`, `reserved`, `byUsage` or `quota`.
    pub mode: String,
    /// Absent for capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Absent for capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// `gpu:MODEL`, `cpu` or `memory`.
    pub resource: String,
    /// `firm`, `loan` or `idle`.
    pub class: String,
    /// `own`, `child-level`, `self-level` or `idle`.
    pub rule: String,
    /// GPUs, cores or GiB.
    pub amount: f64,
    pub from: Time,
    pub to: Time,
    /// Amount times hours, for people.
    pub hours: f64,
    /// The same, exact: thousandths of a GPU or core, or bytes, times milliseconds.
    pub quantity: String,
    /// It goes on: counted up to now.
    pub open: bool,
    /// Number in the log of the event that began it.
    pub event: u64,
}

/// A page of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageRecordList {
    pub items: Vec<UsageRecord>,
    /// Give this as `pageToken` to get the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}

/// What records of a period add up to. Fields that are absent were not asked to be told apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageSum {
    /// Of which part of the period, if it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<String>,
    /// Whose capacity it was; the quota itself, where nothing was borrowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lender: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The dedicated compute; empty for what is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// `work`, or `capacity` of dedicated compute: always told apart, as work there is part of what is held.
    #[serde(default)]
    pub kind: String,
    pub resource: String,
    /// Hours of GPUs, cores or GiB, for people.
    pub hours: f64,
    /// The same, exact: thousandths of a GPU or core, or bytes, times milliseconds.
    pub quantity: String,
}

/// What was used in a period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    pub from: Time,
    pub to: Time,
    /// Up to when it is known: what goes on is counted up to then.
    pub as_of: Time,
    /// Corrections are counted in.
    pub items: Vec<UsageSum>,
}

/// Use that was metered wrongly, or shall not be charged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"workspace": "team-b", "user": "berta", "quota": "Quota1.1", "resource": "gpu:H100",
    "at": "2026-01-15T08:00:00Z", "hours": "-12.5", "reason": "the node was broken"})))]
pub struct NewCorrection {
    pub workspace: Name,
    pub user: Name,
    pub quota: Name,
    /// `gpu:MODEL`, `cpu` or `memory`.
    pub resource: String,
    /// It belongs to the period that holds this instant, at the prices of then. Not in the future.
    pub at: Time,
    /// Hours of GPUs, cores or GiB that are added, up to six decimals; negative takes back.
    pub hours: String,
    /// `shared`, `reserved`, `byUsage` or `quota`; quota if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// `firm`, `loan` or `idle`; firm if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The workload that it is about, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_id: Option<String>,
    #[schema(min_length = 1, max_length = 1024)]
    pub reason: String,
}

impl Check for NewCorrection {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/reason", self.reason.chars().count(), MAX_DESCRIPTION, "characters");
        if self.reason.trim().is_empty() {
            wrong.add("/reason", "a correction says why it is made");
        }
    }
}

/// A correction that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    pub id: String,
    pub made_at: Time,
    pub by: String,
    pub reason: String,
    pub at: Time,
    pub workspace: String,
    pub user: String,
    pub quota: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_id: Option<String>,
    pub mode: String,
    pub resource: String,
    pub class: String,
    pub hours: f64,
    pub quantity: String,
}

/// A page of corrections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorrectionList {
    pub items: Vec<Correction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}
