//! Points in time: RFC 3339 in UTC on the wire, milliseconds since 1970 inside.

use crate::schema::{Text, shown, text_type};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tidegate_engine::ids::Tick;

/// Latest time that RFC 3339 can write, with its four digits for a year.
const LATEST: i64 = 253_402_300_799_999;

/// A point in time, exact to the millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(Tick);

impl Time {
    /// Times after the year 9999 become its end.
    pub fn of(tick: Tick) -> Time {
        Time(Tick(tick.0.min(LATEST as u64)))
    }

    /// Midnight of the first day of its month, in UTC.
    pub fn beginning_of_month(self) -> Time {
        let time = Timestamp::from_millisecond(self.0.0.min(LATEST as u64) as i64).unwrap_or(Timestamp::MAX);
        let month = time.to_zoned(TimeZone::UTC).first_of_month().and_then(|day| day.start_of_day());
        let ms = month.map_or(0, |month| month.timestamp().as_millisecond());
        Time::of(Tick(u64::try_from(ms).unwrap_or_default()))
    }

    pub fn tick(self) -> Tick {
        self.0
    }
}

impl From<Tick> for Time {
    fn from(tick: Tick) -> Time {
        Time::of(tick)
    }
}

impl std::str::FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        let wrong =
            || format!("{} is not a time such as \"2026-01-31T08:00:00Z\", from 1970 to 9999", shown(text));
        let time: Timestamp = text.parse().map_err(|_| wrong())?;
        let ms = u64::try_from(time.as_millisecond()).map_err(|_| wrong())?;
        Ok(Time::of(Tick(ms)))
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match Timestamp::from_millisecond(self.0.0.min(LATEST as u64) as i64) {
            Ok(time) => write!(f, "{time}"),
            // jiff ends a day early, so that every time zone can show its last instant.
            Err(_) => write!(f, "{}", Timestamp::MAX),
        }
    }
}

text_type!(Time);

impl Text for Time {
    const NAME: &str = "Time";
    const ABOUT: &str = "A point in time, RFC 3339, written in UTC.";
    const PATTERN: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$";
    const EXAMPLE: &str = "2026-01-31T08:00:00Z";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(Time::of(Tick(0)).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(Time::of(Tick(1_769_846_400_250)).to_string(), "2026-01-31T08:00:00.25Z");
        assert_eq!("2026-01-31T09:00:00+01:00".parse::<Time>().unwrap().tick(), Tick(1_769_846_400_000));
    }

    #[test]
    fn a_month_begins_at_midnight_of_its_first_day() {
        for (time, begins) in [
            ("2026-01-31T08:00:00.25Z", "2026-01-01T00:00:00Z"),
            ("2024-02-29T23:59:59Z", "2024-02-01T00:00:00Z"),
            ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z"),
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(time.parse::<Time>().unwrap().beginning_of_month().to_string(), begins);
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-01-31",
            "2026-01-31T08:00:00",
            "1969-12-31T23:59:59Z",
            "12026-01-01T00:00:00Z",
        ] {
            assert!(text.parse::<Time>().unwrap_err().contains("from 1970 to 9999"), "{text:?}");
        }
    }

    #[test]
    fn the_end_of_time_does_not_panic() {
        assert!(Time::of(Tick(u64::MAX)).to_string().starts_with("9999-12-3"));
    }

    proptest! {
        #[test]
        fn every_time_reads_as_it_is_written(ms in 0..4_000_000_000_000u64) {
            let time = Time::of(Tick(ms));
            prop_assert_eq!(time.to_string().parse::<Time>(), Ok(time));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = text.parse::<Time>();
        }
    }
}
