//! Dedicated compute: what is asked for, what was agreed, and what became of it.

use crate::amounts::{Amounts, Figure, Guarantee};
use crate::body::{Check, Wrong};
use crate::duration::Duration;
use crate::limits::{MAX_CAP, MAX_COOL_DOWN, MAX_DESCRIPTION, MIN_COOL_DOWN};
use crate::name::Name;
use crate::page::PageToken;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Compute for a time, used or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"size": {"gpu": 8}, "start": "2026-03-01T08:00:00Z", "end": "2026-03-01T18:00:00Z"})))]
pub struct Reserved {
    pub size: Guarantee,
    /// When it begins; now if absent. What has begun when it is approved begins then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Time>,
    /// When it is over: this instant is no part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Time>,
    /// Again every week, instead of once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weekly: Option<Weekly>,
}

/// A period on some days of each week, by the clocks of a time zone. A local time is the first instant at which a clock
/// there shows it or a later one, also in the nights when clocks are set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"days": ["mon", "tue", "wed", "thu", "fri"], "from": "09:00", "to": "18:00",
    "timeZone": "Europe/Berlin", "firstDay": "2026-03-02", "lastDay": "2026-06-26"})))]
pub struct Weekly {
    /// Days on which a period begins: some of `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.
    #[schema(min_items = 1, max_items = 7)]
    pub days: Vec<String>,
    /// Time of day, such as 09:00.
    pub from: String,
    /// On the next day if it is not later than `from`; 24:00 is midnight.
    pub to: String,
    /// IANA name, such as Europe/Berlin.
    pub time_zone: String,
    /// The first and the last day on which a period may begin, such as 2026-03-02. At most 1000 periods.
    pub first_day: String,
    pub last_day: String,
}

/// Compute that grows and shrinks with its use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"step": {"gpu": 2}, "maximum": {"gpu": 16}, "threshold": 80, "wait": "10s", "coolDown": "5m"})))]
pub struct ByUsage {
    /// It grows when so much of what it has is in use, in percent; 80 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100)]
    pub threshold: Option<u32>,
    /// It grows when a task has waited for so long; 10s if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Duration>,
    /// By how much it grows and shrinks.
    pub step: Guarantee,
    /// What it always has; nothing if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Guarantee>,
    /// What it never exceeds.
    pub maximum: Guarantee,
    /// It shrinks by a step when it could have done with less for so long, and not sooner after it grew; 5m if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cool_down: Option<Duration>,
    /// When it is over; when it is released if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

/// Somebody asks for dedicated compute: reserved for a time, or by usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"reserved": {"size": {"gpu": 8}, "start": "2026-03-01T08:00:00Z", "end": "2026-03-01T18:00:00Z"},
    "reason": "the demonstration"})))]
pub struct NewResourceRequest {
    /// The caller's only workspace if absent; whoever has several must say which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Name>,
    /// The dedicated quota that it is taken from; the only one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supply: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_usage: Option<ByUsage>,
    /// What it is for, for whoever decides.
    #[schema(min_length = 1, max_length = 1024)]
    pub reason: String,
    /// Whether others may use what its tasks do not, until they need it; false if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lend: Option<bool>,
    /// Tasks are sent there until they ask for so much of it, in percent; 100 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000)]
    pub cap: Option<u32>,
}

impl Check for NewResourceRequest {
    fn check(&self, wrong: &mut Wrong) {
        match (&self.reserved, &self.by_usage) {
            (None, None) => wrong.add("", "say how: `reserved` for a time, or `byUsage`; neither is given"),
            (Some(_), Some(_)) => wrong.add("/byUsage", "it is reserved or by usage, not both"),
            _ => {}
        }
        if let Some(reserved) = &self.reserved {
            wrong.below("/reserved", reserved);
        }
        if let Some(by_usage) = &self.by_usage {
            wrong.below("/byUsage", by_usage);
        }
        wrong.bound("/reason", self.reason.chars().count(), MAX_DESCRIPTION, "characters");
        if self.reason.trim().is_empty() {
            wrong.add("/reason", "say what it is for: somebody decides by it");
        }
        check_cap(self.cap, wrong);
    }
}

impl Check for Reserved {
    fn check(&self, wrong: &mut Wrong) {
        match (self.start, self.end, &self.weekly) {
            (None, None, Some(_)) => {}
            (_, _, Some(_)) => {
                wrong.add("/weekly", "it is once, with its end, or again every week, not both")
            }
            (_, None, None) => wrong.add("/end", "say when it is over, or that it is `weekly`"),
            (Some(start), Some(end), None) if start >= end => {
                wrong.add("/end", format!("it ends at {end}, which is not after its start at {start}"));
            }
            _ => {}
        }
    }
}

impl Check for ByUsage {
    fn check(&self, wrong: &mut Wrong) {
        if self.threshold.is_some_and(|percent| !(1..=100).contains(&percent)) {
            wrong.add("/threshold", "a threshold is 1 to 100 percent");
        }
        if let Some(wait) = self.wait.filter(|wait| wait.span() > MAX_COOL_DOWN) {
            wrong.add("/wait", format!("{wait} is more than {}", Duration::of(MAX_COOL_DOWN)));
        }
        let within = MIN_COOL_DOWN..=MAX_COOL_DOWN;
        if let Some(cool_down) = self.cool_down.filter(|cool_down| !within.contains(&cool_down.span())) {
            let (least, most) = (Duration::of(MIN_COOL_DOWN), Duration::of(MAX_COOL_DOWN));
            wrong.add("/coolDown", format!("{cool_down} is not between {least} and {most}"));
        }
    }
}

/// What somebody decides of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"note": "after the conference"})))]
pub struct Decision {
    /// For whoever asked. Whoever declines says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1024)]
    pub note: Option<String>,
}

impl Check for Decision {
    fn check(&self, wrong: &mut Wrong) {
        let length = self.note.as_ref().map_or(0, |note| note.chars().count());
        wrong.bound("/note", length, MAX_DESCRIPTION, "characters");
    }
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RequestState {
    Pending,
    Approved,
    Declined,
    Withdrawn,
}

impl RequestState {
    pub fn word(self) -> &'static str {
        match self {
            RequestState::Pending => "pending",
            RequestState::Approved => "approved",
            RequestState::Declined => "declined",
            RequestState::Withdrawn => "withdrawn",
        }
    }
}

/// A request for dedicated compute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRequest {
    /// `rr-7`.
    pub id: String,
    pub state: RequestState,
    pub workspace: Name,
    /// Who asks.
    pub by: String,
    pub made_at: Time,
    /// The dedicated quota that it is taken from.
    pub supply: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_usage: Option<ByUsage>,
    pub reason: String,
    pub lend: bool,
    /// In percent.
    pub cap: u32,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Changes with every change; also the ETag.
    pub version: String,
}

/// A page of requests, the latest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRequestList {
    pub items: Vec<ResourceRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}

/// Whether a config takes tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfigState {
    /// Its next period has not begun.
    Scheduled,
    Active,
    Ended,
}

impl ConfigState {
    pub fn word(self) -> &'static str {
        match self {
            ConfigState::Scheduled => "scheduled",
            ConfigState::Active => "active",
            ConfigState::Ended => "ended",
        }
    }
}

/// From `start` up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Period {
    pub start: Time,
    /// Absent: until it is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Time>,
}

/// Capacity that a config has, and pays for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    pub amount: Amounts,
    pub since: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

/// Dedicated compute of a workspace. Tasks name it in the header `X-Tidegate-Resource-Config`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceConfig {
    /// `rc-7`; its quota has the same name.
    pub id: String,
    pub state: ConfigState,
    pub workspace: Name,
    /// Who asked for it.
    pub by: String,
    pub request: String,
    pub created_at: Time,
    /// The dedicated quota that it is taken from.
    pub supply: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_usage: Option<ByUsage>,
    pub lend: bool,
    /// In percent.
    pub cap: u32,
    /// The period that goes on, or the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// What its tasks draw.
    pub used: Amounts,
    /// What its tasks ask for, running and waiting, as a part of the most that it can have: 1 is all of it.
    pub utilisation: Figure,
    /// Tasks.
    pub running: u32,
    pub waiting: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// Changes with every change; also the ETag.
    pub version: String,
}

/// A page of configs, the latest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceConfigList {
    pub items: Vec<ResourceConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}

/// Body of `:extend`: when it is over instead, or the last day of what comes again every week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"end": "2026-03-02T18:00:00Z"})))]
pub struct ExtendRequest {
    /// Later than it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Time>,
    /// Later than it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_day: Option<String>,
}

impl Check for ExtendRequest {
    fn check(&self, wrong: &mut Wrong) {
        if self.end.is_some() == self.last_day.is_some() {
            wrong.add("", "say when it is over instead: `end`, or `lastDay` of what comes again every week");
        }
    }
}

/// Body of `:set`: what the workspace decides by itself. What is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"lend": true, "cap": 80})))]
pub struct ConfigChange {
    /// Whether others may use what its tasks do not, until they need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lend: Option<bool>,
    /// Tasks are sent there until they ask for so much of it, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000)]
    pub cap: Option<u32>,
}

impl Check for ConfigChange {
    fn check(&self, wrong: &mut Wrong) {
        if self.lend.is_none() && self.cap.is_none() {
            wrong.add("", "say what is to change: `lend`, `cap` or both");
        }
        check_cap(self.cap, wrong);
    }
}

fn check_cap(cap: Option<u32>, wrong: &mut Wrong) {
    if cap.is_some_and(|cap| !(1..=MAX_CAP).contains(&cap)) {
        wrong.add("/cap", format!("a cap is 1 to {MAX_CAP} percent"));
    }
}
