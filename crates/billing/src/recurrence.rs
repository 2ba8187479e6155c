//! Periods that come again every week, by the clock on somebody's wall.
//!
//! # When a local time is
//!
//! A local time is the first instant at which the clock of the zone shows it or a later one. So a time that is
//! left out when clocks are set forward is the instant of that change, and one that comes twice when they are set
//! back is the first of the two; beginning and end are told alike. Therefore what ends at a local time and what
//! begins at it meet exactly, on every day of the year: periods of a recurrence never overlap, and those that
//! touch leave no gap. A period lasts as long as the clock needs from one time to the other: 22:00 to 06:00 has
//! seven hours in the night when clocks are set forward, nine when they are set back. One that lies in what is left
//! out as a whole does not take place.
//!
//! The rules of all zones are part of the program, not of the machine. Governments change them: whoever agrees on
//! periods keeps the instants.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use serde::{Deserialize, Serialize};
use tidegate_engine::ids::Tick;

/// Periods of one recurrence: each is a booking. Every day for more than two years.
pub const MAX_OCCURRENCES: usize = 1_000;
/// Minutes of a day.
const DAY: u16 = 24 * 60;
/// Years that a date may have: all instants count from 1970, and no calendar on a wall is ready for the year 10000.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=9998;

/// A time of day, in minutes from midnight: 00:00 to 24:00.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Clock(u16);

impl Clock {
    /// Reads `09:00`. `24:00` is the midnight that ends a day.
    pub fn parse(text: &str) -> Option<Clock> {
        let (hours, minutes) = text.split_once(':')?;
        let two = |digits: &str| {
            let plain = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse::<u16>().ok()).flatten()
        };
        let (hours, minutes) = (two(hours)?, two(minutes)?);
        let all = hours * 60 + minutes;
        (minutes < 60 && all <= DAY).then_some(Clock(all))
    }
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl From<Clock> for String {
    fn from(clock: Clock) -> String {
        clock.to_string()
    }
}

impl TryFrom<String> for Clock {
    type Error = String;

    fn try_from(text: String) -> Result<Clock, String> {
        Clock::parse(&text).ok_or_else(|| format!("{text:?} is no time of day such as 09:00"))
    }
}

/// A date of the calendar, without a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(Date);

impl Day {
    /// Reads `2026-11-15`.
    pub fn parse(text: &str) -> Option<Day> {
        let shaped = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let date = shaped.then(|| text.parse::<Date>().ok()).flatten()?;
        YEARS.contains(&date.year()).then_some(Day(date))
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Day> for String {
    fn from(day: Day) -> String {
        day.to_string()
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Day, String> {
        Day::parse(&text).ok_or_else(|| format!("{text:?} is no date such as 2026-11-15"))
    }
}

/// A set of days of the week.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Days(u8);

/// From Monday on, as people and interfaces write them.
const NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Days {
    /// Reads `mon`, `tue` and so on. None: nothing, something else, or the same twice.
    pub fn parse<S: AsRef<str>>(names: &[S]) -> Option<Days> {
        let mut days = 0;
        for name in names {
            let bit = 1 << NAMES.iter().position(|known| *known == name.as_ref())?;
            if days & bit != 0 {
                return None;
            }
            days |= bit;
        }
        (days != 0).then_some(Days(days))
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().enumerate().filter(move |(n, _)| self.0 & 1 << n != 0).map(|(_, name)| name)
    }

    fn has(self, day: Weekday) -> bool {
        self.0 & 1 << day.to_monday_zero_offset() != 0
    }
}

impl From<Days> for Vec<String> {
    fn from(days: Days) -> Vec<String> {
        days.names().map(String::from).collect()
    }
}

impl TryFrom<Vec<String>> for Days {
    type Error = &'static str;

    fn try_from(names: Vec<String>) -> Result<Days, &'static str> {
        Days::parse(&names).ok_or("days are some of mon, tue, wed, thu, fri, sat, sun, each at most once")
    }
}

/// A period on some days of each week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recurrence {
    /// Those on which a period begins.
    pub days: Days,
    pub from: Clock,
    /// On the next day if it is not later than `from`.
    pub to: Clock,
    /// IANA name, such as `Europe/Berlin`.
    pub zone: Box<str>,
    /// The first and the last day on which a period may begin.
    pub first: Day,
    pub last: Day,
}

/// Why something is no recurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRecurrence {
    UnknownZone(Box<str>),
    /// The last day is before the first.
    Reversed,
    /// No such day of the week is there from the first day to the last.
    Never,
    TooMany,
    /// A period begins at 24:00, which is 00:00 of the next day.
    BeginsAtEnd,
}

impl std::fmt::Display for NoRecurrence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoRecurrence::UnknownZone(zone) => {
                write!(f, "{zone} is no time zone: name one like Europe/Berlin or UTC")
            }
            NoRecurrence::Reversed => f.write_str("the last day is before the first"),
            NoRecurrence::Never => f.write_str("no period lies between the first day and the last"),
            NoRecurrence::TooMany => write!(f, "there are more than {MAX_OCCURRENCES} periods"),
            NoRecurrence::BeginsAtEnd => f.write_str("a period begins at 00:00 of a day, not at 24:00"),
        }
    }
}

impl Recurrence {
    /// All periods, ascending: none empty, none overlapping another.
    pub fn occurrences(&self) -> Result<Vec<(Tick, Tick)>, NoRecurrence> {
        let zone = TimeZoneDatabase::bundled().get(&self.zone);
        let zone = zone.map_err(|_| NoRecurrence::UnknownZone(self.zone.clone()))?;
        if self.last < self.first {
            return Err(NoRecurrence::Reversed);
        }
        if self.from.0 >= DAY {
            return Err(NoRecurrence::BeginsAtEnd);
        }
        let mut periods = Vec::new();
        let days = self.first.0.series(jiff::Span::new().days(1)).take_while(|day| *day <= self.last.0);
        for day in days.filter(|day| self.days.has(day.weekday())) {
            let later = if self.to <= self.from { DAY } else { 0 };
            let (from, to) = (instant(&zone, day, self.from.0), instant(&zone, day, self.to.0 + later));
            if let (Some(from), Some(to)) = (from, to)
                && from < to
            {
                if periods.len() == MAX_OCCURRENCES {
                    return Err(NoRecurrence::TooMany);
                }
                periods.push((from, to));
            }
        }
        if periods.is_empty() { Err(NoRecurrence::Never) } else { Ok(periods) }
    }
}

/// The first instant at which the clock of a zone shows so many minutes of a day, or more. Below two days.
fn instant(zone: &TimeZone, day: Date, minutes: u16) -> Option<Tick> {
    let (mut day, mut minutes) = (day, minutes);
    while minutes >= DAY {
        (day, minutes) = (day.tomorrow().ok()?, minutes - DAY);
    }
    let local: DateTime = day.at((minutes / 60) as i8, (minutes % 60) as i8, 0, 0);
    let at: Timestamp = match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(local).ok()?,
        // The larger offset, which is the earlier instant, holds before clocks are set back.
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(local).ok()?,
        // By the offset of afterwards, a time that is left out lies before the change.
        AmbiguousOffset::Gap { after, .. } => {
            zone.following(after.to_timestamp(local).ok()?).next()?.timestamp()
        }
    };
    u64::try_from(at.as_millisecond()).ok().map(Tick)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weekly(
        days: &[&str],
        (from, to): (&str, &str),
        zone: &str,
        (first, last): (&str, &str),
    ) -> Recurrence {
        Recurrence {
            days: Days::parse(days).expect("days"),
            from: Clock::parse(from).expect("a time"),
            to: Clock::parse(to).expect("a time"),
            zone: zone.into(),
            first: Day::parse(first).expect("a date"),
            last: Day::parse(last).expect("a date"),
        }
    }

    /// Each period in UTC, and its minutes.
    fn told(recurrence: &Recurrence) -> Vec<String> {
        let periods = recurrence.occurrences().expect("periods");
        let one = |&(from, to): &(Tick, Tick)| {
            let begin = Timestamp::from_millisecond(from.0 as i64).expect("an instant");
            format!("{begin} {}m", to.since(from).0 / 60_000)
        };
        periods.iter().map(one).collect()
    }

    #[test]
    fn working_hours_stay_at_their_local_time_when_clocks_change() {
        // Clocks are set back on Sunday, October 25.
        let days = ["mon", "fri"];
        let hours = weekly(&days, ("09:00", "18:00"), "Europe/Berlin", ("2026-10-20", "2026-10-27"));
        assert_eq!(told(&hours), ["2026-10-23T07:00:00Z 540m", "2026-10-26T08:00:00Z 540m"]);
        let hours = weekly(&days, ("09:00", "18:00"), "America/New_York", ("2026-03-06", "2026-03-09"));
        assert_eq!(told(&hours), ["2026-03-06T14:00:00Z 540m", "2026-03-09T13:00:00Z 540m"]);
    }

    #[test]
    fn a_night_is_shorter_or_longer_when_clocks_change_in_it() {
        let night = |zone, first, last| told(&weekly(&NAMES, ("22:00", "06:00"), zone, (first, last)));
        let spring = night("Europe/Berlin", "2026-03-27", "2026-03-29");
        let begins = ["2026-03-27T21:00:00Z 480m", "2026-03-28T21:00:00Z 420m", "2026-03-29T20:00:00Z 480m"];
        assert_eq!(spring, begins);
        assert_eq!(night("Europe/Berlin", "2026-10-24", "2026-10-24"), ["2026-10-24T20:00:00Z 540m"]);
        assert_eq!(night("America/New_York", "2026-10-31", "2026-10-31"), ["2026-11-01T02:00:00Z 540m"]);
        // Lord Howe changes by half an hour.
        assert_eq!(night("Australia/Lord_Howe", "2026-10-03", "2026-10-03"), ["2026-10-03T11:30:00Z 450m"]);
        assert_eq!(night("Australia/Lord_Howe", "2026-04-04", "2026-04-04"), ["2026-04-04T11:00:00Z 510m"]);
    }

    #[test]
    fn a_time_that_is_left_out_is_the_instant_of_the_change() {
        let spring = ("2026-03-29", "2026-03-29");
        let berlin = |hours| weekly(&["sun"], hours, "Europe/Berlin", spring);
        assert_eq!(told(&berlin(("02:30", "05:00"))), ["2026-03-29T01:00:00Z 120m"]);
        assert_eq!(told(&berlin(("01:00", "02:30"))), ["2026-03-29T00:00:00Z 60m"]);
        assert_eq!(berlin(("02:10", "02:50")).occurrences(), Err(NoRecurrence::Never));
        let york = weekly(&["sun"], ("02:15", "03:15"), "America/New_York", ("2026-03-08", "2026-03-08"));
        assert_eq!(told(&york), ["2026-03-08T07:00:00Z 15m"]);
        let howe = weekly(&["sun"], ("02:15", "03:00"), "Australia/Lord_Howe", ("2026-10-04", "2026-10-04"));
        assert_eq!(told(&howe), ["2026-10-03T15:30:00Z 30m"]);
    }

    #[test]
    fn a_time_that_comes_twice_is_the_first_of_both() {
        let autumn = ("2026-10-25", "2026-10-25");
        let berlin = |hours| told(&weekly(&["sun"], hours, "Europe/Berlin", autumn));
        assert_eq!(berlin(("02:30", "05:00")), ["2026-10-25T00:30:00Z 210m"]);
        assert_eq!(berlin(("01:00", "02:30")), ["2026-10-24T23:00:00Z 90m"]);
        let howe = weekly(&["sun"], ("01:45", "02:00"), "Australia/Lord_Howe", ("2026-04-05", "2026-04-05"));
        assert_eq!(told(&howe), ["2026-04-04T14:45:00Z 45m"]);
    }

    #[test]
    fn a_day_that_a_zone_leaves_out_has_no_period() {
        // Samoa went from December 29 to December 31, 2011.
        let days = ("2011-12-29", "2011-12-31");
        let apia = told(&weekly(&NAMES, ("09:00", "10:00"), "Pacific/Apia", days));
        assert_eq!(apia, ["2011-12-29T19:00:00Z 60m", "2011-12-30T19:00:00Z 60m"]);
    }

    #[test]
    fn around_the_clock_leaves_no_gap_and_no_overlap() {
        for zone in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "UTC"] {
            for at in ["00:00", "02:00", "02:15", "02:30", "03:00", "23:59"] {
                let all = weekly(&NAMES, (at, at), zone, ("2026-01-01", "2027-12-31"));
                let periods = all.occurrences().expect("periods");
                assert_eq!(periods.len(), 730, "{zone} {at}");
                assert!(periods.windows(2).all(|pair| pair[0].1 == pair[1].0), "{zone} {at}");
            }
        }
    }

    #[test]
    fn what_is_no_recurrence_is_refused() {
        let with = |zone: &str, first: &str, last: &str| {
            weekly(&["mon"], ("09:00", "18:00"), zone, (first, last)).occurrences().map(|all| all.len())
        };
        assert_eq!(
            with("Mars/Base", "2026-01-01", "2026-02-01"),
            Err(NoRecurrence::UnknownZone("Mars/Base".into()))
        );
        assert_eq!(with("UTC", "2026-02-01", "2026-01-01"), Err(NoRecurrence::Reversed));
        assert_eq!(with("UTC", "2026-11-17", "2026-11-22"), Err(NoRecurrence::Never));
        // A thousand Mondays, and one more.
        assert_eq!(with("UTC", "2026-01-05", "2045-02-27"), Ok(1_000));
        assert_eq!(with("UTC", "2026-01-05", "2045-03-06"), Err(NoRecurrence::TooMany));
        let late = weekly(&["mon"], ("24:00", "01:00"), "UTC", ("2026-01-01", "2026-02-01"));
        assert_eq!(late.occurrences(), Err(NoRecurrence::BeginsAtEnd));
    }

    #[test]
    fn what_is_written_reads_back_and_nothing_else_is_read() {
        let recurrence =
            weekly(&["mon", "sun"], ("22:00", "24:00"), "Europe/Berlin", ("2026-01-01", "2026-02-01"));
        let text = serde_json::to_string(&recurrence).expect("json");
        let expected = r#"{"days":["mon","sun"],"from":"22:00","to":"24:00","zone":"Europe/Berlin","first":"2026-01-01","last":"2026-02-01"}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Recurrence>(&text).expect("a recurrence"), recurrence);
        for clock in ["9:00", "09:60", "24:01", "25:00", "0900", "09:0a", "+9:00", ""] {
            assert_eq!(Clock::parse(clock), None, "{clock}");
        }
        for day in ["2026-02-30", "1969-12-31", "9999-01-01", "20260101", "2026-1-1", ""] {
            assert_eq!(Day::parse(day), None, "{day}");
        }
        for days in [&["monday"][..], &["mon", "mon"], &[]] {
            assert_eq!(Days::parse(days), None, "{days:?}");
        }
    }
}
