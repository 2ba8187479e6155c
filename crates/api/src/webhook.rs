//! Webhooks: addresses that are told what happens in a workspace.

use crate::body::{Check, Wrong};
use crate::limits::MAX_URL;
use crate::name::Name;
use crate::page::PageToken;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a webhook can be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// Somebody else took capacity that a workload ran on.
    Preempted,
    /// A training job has waited for longer than the workspace's policy likes.
    WaitingTooLong,
    /// A workload ended by failing, with no restart left.
    Failed,
    Finished,
    /// 50, 80 or 100 percent of the workspace's budget of this month are spent.
    Budget,
}

/// A webhook to make or change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"url": "https://hooks.example/tidegate", "notices": ["preempted", "failed"]})))]
pub struct NewWebhook {
    /// `http` or `https`, at a public address unless the server's configuration allows others.
    #[schema(max_length = 2048)]
    pub url: String,
    /// What it is told of; everything if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub notices: Vec<Notice>,
}

impl Check for NewWebhook {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/url", self.url.len(), MAX_URL, "bytes");
        wrong.bound("/notices", self.notices.len(), 16, "notices");
    }
}

/// An address that is told what happens in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"name": "chat", "workspace": "team-b", "url": "https://hooks.example/tidegate",
    "notices": ["failed", "preempted"], "createdAt": "2026-01-01T00:00:00Z"})))]
pub struct Webhook {
    pub name: Name,
    pub workspace: Name,
    pub url: String,
    pub notices: Vec<Notice>,
    pub created_at: Time,
    /// What messages are signed with. Only in the answer that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// All webhooks of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookList {
    pub items: Vec<Webhook>,
}

/// How a test went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"delivered": true, "status": 204}), json!({"delivered": false, "error": "connection refused"})))]
pub struct WebhookTest {
    pub delivered: bool,
    /// The status that was answered, if there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Where a message has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryState {
    /// It will be tried, or tried again.
    Pending,
    Delivered,
    /// It was tried as often as messages are; it can be sent again by hand.
    Dead,
}

/// A message for a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"id": "d-12", "event": "preempted", "workload": "b1", "number": 41,
    "at": "2026-01-31T08:00:00Z", "state": "dead", "tries": 10, "lastError": "answered 500"})))]
pub struct Delivery {
    pub id: String,
    pub event: String,
    /// Empty where it is about none.
    pub workload: String,
    /// Number of the event in the log.
    pub number: u64,
    /// When it happened.
    pub at: Time,
    pub state: DeliveryState,
    pub tries: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_try_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// A page of messages, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryList {
    pub items: Vec<Delivery>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}
