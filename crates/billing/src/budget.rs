//! What a workspace means to spend in a month, and how far it has come.

use crate::money::Money;
use crate::price::PriceBookId;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use tidegate_engine::ids::{MemberId, Tick, WorkspaceId};

/// Percent of a budget that people are told of.
pub const LEVELS: [u32; 3] = [50, 80, 100];
const ALL: u32 = 100;

/// For each calendar month in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub workspace: WorkspaceId,
    /// Whose prices and currency it goes by.
    pub book: PriceBookId,
    /// Above zero.
    pub amount: Money,
    /// Whether no task begins on shared compute once all of it is spent.
    pub stop: bool,
    pub set: Tick,
    pub by: MemberId,
    /// What was found at the last look that made a difference. Another amount begins anew.
    pub spent: Option<Spent>,
}

/// How much of a month's budget was spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Its first instant.
    pub month: Tick,
    pub due: Money,
    /// The highest of [`LEVELS`] that `due` has come to; 0 is none.
    pub level: u32,
    /// Levels that people were told of in this month, each once, and when.
    pub told: Vec<(u32, Tick)>,
}

/// The month that holds an instant, from its first instant to that of the next one.
pub fn month(at: Tick) -> (Tick, Tick) {
    let ms = i64::try_from(at.0).unwrap_or(i64::MAX).min(Timestamp::MAX.as_millisecond());
    let time = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX).to_zoned(TimeZone::UTC);
    let first = time.first_of_month().and_then(|day| day.start_of_day());
    let next = time.last_of_month().and_then(|day| day.tomorrow()).and_then(|day| day.start_of_day());
    let tick = |zoned: Result<jiff::Zoned, jiff::Error>, none: Tick| {
        let ms = zoned.ok().and_then(|zoned| u64::try_from(zoned.timestamp().as_millisecond()).ok());
        ms.map_or(none, Tick)
    };
    (tick(first, Tick::ZERO), tick(next, Tick(u64::MAX)))
}

impl Budget {
    fn level(&self, due: Money) -> u32 {
        let reached = |level: &u32| due.0.saturating_mul(ALL.into()) >= self.amount.0 * i128::from(*level);
        LEVELS.into_iter().filter(reached).max().unwrap_or(0)
    }

    /// The budget after a look, if that makes a difference: a level was reached, or a correction took it back.
    pub fn looked(&self, now: Tick, due: Money) -> Option<Budget> {
        let (month, level) = (month(now).0, self.level(due));
        let before = self.spent.as_ref().filter(|spent| spent.month == month);
        if before.map_or(0, |spent| spent.level) == level {
            return None;
        }
        let mut told = before.map(|spent| spent.told.clone()).unwrap_or_default();
        let news = LEVELS.into_iter().filter(|one| *one <= level);
        let news: Vec<u32> = news.filter(|one| told.iter().all(|(known, _)| known != one)).collect();
        told.extend(news.into_iter().map(|one| (one, now)));
        Some(Budget { spent: Some(Spent { month, due, level, told }), ..self.clone() })
    }

    /// What was spent of this month's, where that is known to keep tasks from beginning.
    pub fn exhausted(&self, now: Tick) -> Option<&Spent> {
        let this = |spent: &&Spent| spent.month == month(now).0 && spent.level >= ALL;
        self.spent.as_ref().filter(|_| self.stop).filter(this)
    }

    /// Levels that were told for the first time by a change from `before` to this.
    pub fn news(&self, before: Option<&Budget>) -> Option<&Spent> {
        let spent = self.spent.as_ref()?;
        let known = before.and_then(|before| before.spent.as_ref());
        let told = |of: &Spent| of.told.len();
        let is_more = known.filter(|known| known.month == spent.month).map_or(0, told) < told(spent);
        is_more.then_some(spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(text: &str) -> Tick {
        Tick(text.parse::<Timestamp>().expect("a time").as_millisecond() as u64)
    }

    fn budget(amount: i128) -> Budget {
        Budget {
            workspace: WorkspaceId(1),
            book: PriceBookId(0),
            amount: Money(amount),
            stop: true,
            set: Tick(0),
            by: MemberId(0),
            spent: None,
        }
    }

    #[test]
    fn a_month_ends_where_the_next_begins() {
        for (at, from, to) in [
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
            ("2024-02-29T23:59:59.999Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
            ("2026-12-31T12:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ] {
            assert_eq!(month(tick(at)), (tick(from), tick(to)), "{at}");
        }
        let (from, to) = month(Tick(u64::MAX));
        assert!(from < to);
    }

    #[test]
    fn each_level_is_told_once_a_month() {
        let (january, february) = (tick("2026-01-10T00:00:00Z"), tick("2026-02-01T00:00:00Z"));
        let levels = |budget: &Budget| {
            let spent = budget.spent.as_ref().expect("it was looked at");
            (spent.level, spent.told.iter().map(|(level, _)| *level).collect::<Vec<_>>())
        };
        let fresh = budget(1_000);
        assert_eq!(fresh.looked(january, Money(499)), None);
        let half = fresh.looked(january, Money(500)).expect("half is spent");
        assert_eq!(levels(&half), (50, vec![50]));
        assert!(half.news(Some(&fresh)).is_some());
        assert_eq!(half.looked(january, Money(799)), None);
        let all = half.looked(january, Money(1_200)).expect("all is spent");
        assert_eq!(levels(&all), (100, vec![50, 80, 100]));
        assert!(all.exhausted(january).is_some() && half.exhausted(january).is_none());
        assert!(all.exhausted(february).is_none(), "the next month begins anew");
        // A correction takes back what was spent, and nobody is told again.
        let less = all.looked(january, Money(900)).expect("it is less");
        assert_eq!(levels(&less), (80, vec![50, 80, 100]));
        assert!(less.exhausted(january).is_none() && less.news(Some(&all)).is_none());
        let again = less.looked(january, Money(1_000)).expect("it is all again");
        assert!(again.exhausted(january).is_some() && again.news(Some(&less)).is_none());
        assert_eq!(all.looked(february, Money(100)), None);
        let next = all.looked(february, Money(600)).expect("half of the next");
        assert_eq!(levels(&next), (50, vec![50]));
        assert!(next.news(Some(&all)).is_some());
    }

    #[test]
    fn only_who_is_to_stop_is_stopped() {
        let now = tick("2026-01-10T00:00:00Z");
        let all = Budget { stop: false, ..budget(1) }.looked(now, Money(i128::MAX / 1_000)).expect("spent");
        assert!(all.exhausted(now).is_none());
    }
}
