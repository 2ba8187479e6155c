//! Which use is meant: of when, of whom.

use crate::audit::moment;
use crate::client::Query;
use clap::Args;
use tidegate_api::name::Name;
use tidegate_api::time::Time;
use tidegate_engine::ids::{Span, Tick};

/// A month from its first instant to that of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Month(Time, Time);

fn month(text: &str) -> Result<Month, String> {
    let wrong = || format!("{text:?} is no month such as 2026-01");
    if text.len() != 7 {
        return Err(wrong());
    }
    let begin: Time = format!("{text}-01T00:00:00Z").parse().map_err(|_| wrong())?;
    // The first instant of the month that holds the 32nd day.
    let next = Time::of(begin.tick().after(Span::hours(31 * 24))).beginning_of_month();
    Ok(Month(begin, next))
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Which {
    /// In this month, such as 2026-01 (UTC); in this month so far if no period is named
    #[arg(long, value_name = "MONTH", value_parser = month, conflicts_with_all = ["since", "until"])]
    month: Option<Month>,
    /// From a time on, such as 2026-01-31T08:00:00Z, or from how long ago on, such as 24h
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Time>,
    /// Before a time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Time>,
    /// Only of this workspace
    #[arg(long)]
    workspace: Option<Name>,
    /// Only of this user
    #[arg(long)]
    user: Option<Name>,
    /// Only of work in this quota
    #[arg(long)]
    quota: Option<Name>,
    /// Only of this dedicated compute, such as rc-7: its capacity, and work there
    #[arg(long, value_name = "CONFIG")]
    config: Option<String>,
    /// Only of this mode: shared, reserved, byUsage or quota
    #[arg(long)]
    mode: Option<String>,
    /// Only of this resource: gpu:MODEL, cpu or memory
    #[arg(long)]
    resource: Option<String>,
    /// Only of this class: firm, loan or idle
    #[arg(long)]
    class: Option<String>,
}

impl Which {
    pub(crate) fn query(&self) -> Query {
        let (from, to) = match self.month {
            Some(Month(from, to)) => (Some(from), Some(to)),
            None => (self.since, self.until),
        };
        let mut query = Query::new();
        let name = |name: &Option<Name>| name.as_ref().map(ToString::to_string);
        let all = [
            ("from", from.map(|time| time.to_string())),
            ("to", to.map(|time| time.to_string())),
            ("workspace", name(&self.workspace)),
            ("user", name(&self.user)),
            ("quota", name(&self.quota)),
            ("config", self.config.clone()),
            ("mode", self.mode.clone()),
            ("resource", self.resource.clone()),
            ("class", self.class.clone()),
        ];
        query.extend(all.into_iter().filter_map(|(key, value)| Some((key, value?))));
        query
    }
}

/// Hours, as people read them.
pub(crate) fn hours(hours: f64) -> String {
    format!("{hours:.3}")
}

/// From when to when, without what both have in common.
pub(crate) fn span(from: Time, to: Time) -> String {
    let is_midnight = |time: Time| time.tick() == Tick(time.tick().0 / 86_400_000 * 86_400_000);
    let short = |time: Time| time.to_string().chars().take(10).collect::<String>();
    match is_midnight(from) && is_midnight(to) {
        true => format!("{} to {}", short(from), short(to)),
        false => format!("{from} to {to}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_ends_where_the_next_begins() {
        for (text, begin, end) in [
            ("2026-01", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
            ("2024-02", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
            ("2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ] {
            let Month(from, to) = month(text).expect("a month");
            assert_eq!((from.to_string(), to.to_string()), (begin.to_string(), end.to_string()));
        }
        for wrong in ["2026-13", "2026-1", "january", "2026-01-05", ""] {
            assert!(month(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn whole_days_are_written_short() {
        let time = |text: &str| text.parse::<Time>().expect("a time");
        let (a, b) = (time("2026-01-01T00:00:00Z"), time("2026-02-01T00:00:00Z"));
        assert_eq!(span(a, b), "2026-01-01 to 2026-02-01");
        assert_eq!(span(a, time("2026-01-01T08:00:00Z")), "2026-01-01T00:00:00Z to 2026-01-01T08:00:00Z");
    }
}
