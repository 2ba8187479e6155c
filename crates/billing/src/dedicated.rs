//! Dedicated compute: what somebody asks for, and what was agreed.
//!
//! A request is approved or declined. What is approved is a resource config: a quota of its own, below a quota that is
//! marked as dedicated, whose guarantee is the supply.

use crate::recurrence::Recurrence;
use crate::scaling::Scaling;
use serde::{Deserialize, Serialize};
use tidegate_engine::ids::{MemberId, QuotaId, Span, Tick, WorkspaceId};
use tidegate_engine::resources::Resources;

/// Of what it has, in percent: tasks are sent there until so much is asked for.
pub const DEFAULT_CAP: u32 = 100;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl $name {
            /// Reads it as it is written, and in no other way: an id has one spelling.
            pub fn parse(text: &str) -> Option<$name> {
                let id = $name(text.strip_prefix($prefix)?.parse().ok()?);
                (id.to_string() == text).then_some(id)
            }
        }
    };
}

id!(
    /// A resource request, by number.
    RequestId,
    "rr-"
);
id!(
    /// A resource config, by number. Its quota has the same name.
    ConfigId,
    "rc-"
);

impl ConfigId {
    /// Whether a quota of this name could be one of a config. Nobody makes such a quota by hand.
    pub fn is_name(name: &str) -> bool {
        name.strip_prefix("rc-").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    }
}

/// How capacity is had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Terms {
    /// All of it for a time, used or not.
    Reserved { size: Resources, when: When },
    /// As much as is needed, when it is needed.
    ByUsage(Box<ByUsage>),
}

impl Terms {
    /// The most that it ever has.
    pub fn most(&self) -> Resources {
        match self {
            Terms::Reserved { size, .. } => *size,
            Terms::ByUsage(by_usage) => by_usage.maximum,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum When {
    /// From `start` up to but not including `end`.
    Once { start: Tick, end: Tick },
    /// Again every week. The instants are kept: what was agreed does not move when a government changes its clocks.
    Weekly { rule: Recurrence, periods: Vec<(Tick, Tick)> },
}

/// When it grows and shrinks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByUsage {
    /// It grows when so much of what it has is drawn, in percent.
    pub threshold: u32,
    /// It grows when somebody has waited for so long.
    pub wait: Span,
    pub step: Resources,
    pub minimum: Resources,
    pub maximum: Resources,
    /// It shrinks when it could have been smaller for so long.
    pub cool_down: Span,
    /// When it ends; `None` is until it is released.
    pub until: Option<Tick>,
}

impl ByUsage {
    /// The same as it is decided by.
    pub fn scaling(&self) -> Scaling {
        Scaling {
            threshold: self.threshold * 10,
            wait: self.wait,
            step: self.step,
            minimum: self.minimum,
            maximum: self.maximum,
            cool_down: self.cool_down,
        }
    }
}

/// Somebody asks for dedicated compute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceRequest {
    pub id: RequestId,
    pub workspace: WorkspaceId,
    pub by: MemberId,
    pub made: Tick,
    /// The quota marked as dedicated that it is to come from.
    pub supply: QuotaId,
    pub terms: Terms,
    pub reason: Box<str>,
    /// Whether others may use what it does not, until it does.
    pub lend: bool,
    /// In percent.
    pub cap: u32,
    pub state: RequestState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestState {
    Pending,
    Approved { config: ConfigId, by: MemberId, at: Tick, note: Box<str> },
    Declined { by: MemberId, at: Tick, note: Box<str> },
    Withdrawn { by: MemberId, at: Tick },
}

impl RequestState {
    pub fn word(&self) -> &'static str {
        match self {
            RequestState::Pending => "pending",
            RequestState::Approved { .. } => "approved",
            RequestState::Declined { .. } => "declined",
            RequestState::Withdrawn { .. } => "withdrawn",
        }
    }
}

/// Dedicated compute of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceConfig {
    pub id: ConfigId,
    pub request: RequestId,
    pub workspace: WorkspaceId,
    /// Who asked for it.
    pub by: MemberId,
    pub made: Tick,
    pub supply: QuotaId,
    /// Its own, below the supply. Deleted when it has ended; the number is not used again.
    pub quota: QuotaId,
    pub terms: Terms,
    pub lend: bool,
    /// In percent.
    pub cap: u32,
    /// What it has now, and pays for.
    pub hold: Option<Hold>,
    /// Periods that were over by then have been on the books, also those that nobody was there to see.
    pub settled: Tick,
    /// When it was over: nothing more comes of it.
    pub ended: Option<Tick>,
}

/// Whether a config takes tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Scheduled(Period),
    Active(Period),
    Ended { since: Tick },
}

/// From `start` up to but not including `end`; without an end, until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub start: Tick,
    pub end: Option<Tick>,
}

impl Period {
    fn is_over(&self, now: Tick) -> bool {
        self.end.is_some_and(|end| end <= now)
    }
}

impl Terms {
    /// When it is had, in order. By usage that is from `made` on.
    pub fn periods(&self, made: Tick) -> impl Iterator<Item = Period> + '_ {
        let (once, weekly) = match self {
            Terms::Reserved { when: When::Once { start, end }, .. } => {
                (Some(Period { start: *start, end: Some(*end) }), &[][..])
            }
            Terms::Reserved { when: When::Weekly { periods, .. }, .. } => (None, &periods[..]),
            Terms::ByUsage(by_usage) => (Some(Period { start: made, end: by_usage.until }), &[][..]),
        };
        let weekly = weekly.iter().map(|(start, end)| Period { start: *start, end: Some(*end) });
        once.into_iter().chain(weekly)
    }

    /// What is booked of the supply for it in each period: all that is reserved, and of what grows with its use what
    /// it always has.
    pub fn booked(&self) -> Resources {
        match self {
            Terms::Reserved { size, .. } => *size,
            Terms::ByUsage(by_usage) => by_usage.minimum,
        }
    }
}

impl ResourceConfig {
    pub fn stage(&self, now: Tick) -> Stage {
        if let Some(since) = self.ended {
            return Stage::Ended { since };
        }
        let mut last = self.made;
        for period in self.terms.periods(self.made) {
            match (period.is_over(now), period.start <= now) {
                (true, _) => last = period.end.unwrap_or(last),
                (false, true) => return Stage::Active(period),
                (false, false) => return Stage::Scheduled(period),
            }
        }
        Stage::Ended { since: last }
    }

    /// The first period that is not on the books yet.
    pub fn next_period(&self) -> Option<Period> {
        let mut periods = self.terms.periods(self.made);
        periods.find(|period| !period.is_over(self.settled) && self.ended.is_none())
    }

    /// What is booked for it, as `[from, to)`. What was given back early is not.
    pub fn bookings(&self) -> impl Iterator<Item = (Tick, Tick)> + '_ {
        let over = self.ended.unwrap_or(Tick(u64::MAX));
        let periods = self.terms.periods(self.made);
        periods.map(move |period| (period.start, period.end.map_or(over, |end| end.min(over))))
    }

    /// Whether the same is booked for both.
    pub fn is_booked_as(&self, other: &ResourceConfig) -> bool {
        let terms = |config: &ResourceConfig| (config.supply, config.made, config.ended);
        terms(self) == terms(other) && self.terms == other.terms
    }
}

/// Capacity that a config has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    pub amount: Resources,
    /// As agreed, which may differ from when the books changed: capacity is carved out a little before a period.
    pub since: Tick,
    /// As agreed; nothing is paid for later, however late it was returned.
    pub until: Option<Tick>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        assert_eq!(ConfigId::parse("rc-12"), Some(ConfigId(12)));
        assert_eq!(RequestId(7).to_string(), "rr-7");
        for wrong in ["rc-", "rc-012", "rc-+1", "RC-1", "rr-1", "rc-1 ", "rc-99999999999", "1", ""] {
            assert_eq!(ConfigId::parse(wrong), None, "{wrong:?}");
        }
    }

    fn config(start: u64, end: u64) -> ResourceConfig {
        let when = When::Once { start: Tick(start), end: Tick(end) };
        ResourceConfig {
            id: ConfigId(0),
            request: RequestId(0),
            workspace: WorkspaceId(0),
            by: MemberId(0),
            made: Tick(5),
            supply: QuotaId(0),
            quota: QuotaId(1),
            terms: Terms::Reserved { size: Resources::default(), when },
            lend: false,
            cap: DEFAULT_CAP,
            hold: None,
            settled: Tick(5),
            ended: None,
        }
    }

    #[test]
    fn a_period_begins_with_its_start_and_is_over_at_its_end() {
        let mut config = config(10, 20);
        let period = Period { start: Tick(10), end: Some(Tick(20)) };
        for (now, stage) in [
            (9, Stage::Scheduled(period)),
            (10, Stage::Active(period)),
            (19, Stage::Active(period)),
            (20, Stage::Ended { since: Tick(20) }),
            (99, Stage::Ended { since: Tick(20) }),
        ] {
            assert_eq!(config.stage(Tick(now)), stage, "{now}");
        }
        assert_eq!(config.next_period(), Some(period));
        config.settled = Tick(20);
        assert_eq!(config.next_period(), None);
    }

    #[test]
    fn what_is_given_back_early_is_not_booked_any_more() {
        let mut config = config(10, 20);
        assert_eq!(config.bookings().collect::<Vec<_>>(), [(Tick(10), Tick(20))]);
        config.ended = Some(Tick(15));
        assert_eq!(config.bookings().collect::<Vec<_>>(), [(Tick(10), Tick(15))]);
        assert_eq!(config.stage(Tick(16)), Stage::Ended { since: Tick(15) });
    }

    #[test]
    fn names_of_configs_are_told_from_others() {
        for name in ["rc-0", "rc-012", "rc-99999999999"] {
            assert!(ConfigId::is_name(name), "{name}");
        }
        for name in ["rc-", "rc-a", "rc-1a", "rc1", "arc-1"] {
            assert!(!ConfigId::is_name(name), "{name}");
        }
    }
}
