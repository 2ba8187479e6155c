//! Asking for dedicated compute.

use super::{REQUESTS, request_text, sentence};
use crate::client::{Ask, Changed, Client};
use crate::clock;
use crate::exit::{Failure, Outcome};
use crate::manifest::read;
use crate::output::change::ChangeOptions;
use crate::quota::flags::gpus;
use clap::Args;
use std::path::{Path, PathBuf};
use tidegate_api::amounts::Guarantee;
use tidegate_api::dedicated::{ByUsage, NewResourceRequest, Reserved, ResourceRequest, Weekly};
use tidegate_api::duration::Duration;
use tidegate_api::name::Name;
use tidegate_api::time::Time;
use tidegate_engine::ids::Tick;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate resource-config request 8 --for 10h --reason 'the demonstration'
  tidegate resource-config request 8 --start 2026-03-01T08:00:00Z --end 2026-03-01T18:00:00Z --reason 'the demonstration'
  tidegate resource-config request 8 --weekly mon-fri --hours 09:00-18:00 --zone Europe/Berlin --first-day 2026-03-02 --last-day 2026-06-26 --reason 'the course'
  tidegate resource-config request 16 --step 2 --reason 'the public service'       up to 16, by usage
  tidegate resource-config request 8,cpu=64,memory=512Gi --for 2h --lend --reason 'a workshop'
  tidegate resource-config request -f request.yaml --dry-run";

fn now() -> Tick {
    Tick(clock::now_ms())
}

/// A point in time, or how long from now.
pub(super) fn ahead(text: &str) -> Result<Time, String> {
    match text.parse::<Duration>() {
        Ok(length) => Ok(Time::of(now().after(length.span()))),
        Err(_) => text.parse().map_err(|why| format!("{why}, nor how long from now, such as 2h")),
    }
}

/// `8`, `H100:8,A100:2`, `8,cpu=64,memory=512Gi`.
fn amount(text: &str) -> Result<Guarantee, String> {
    let (mut cpu, mut memory, mut rest) = (None, None, Vec::new());
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("cpu", cores)) => cpu = Some(cores.parse()?),
            Some(("memory", size)) => memory = Some(size.parse()?),
            Some((other, _)) => return Err(format!("{other:?} is neither cpu nor memory")),
            None => rest.push(part),
        }
    }
    Ok(Guarantee { gpu: gpus(&rest.join(","))?, cpu, memory })
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Days of the week, as the server takes them.
#[derive(Clone, Debug)]
struct DaysOfWeek(Vec<String>);

/// `mon,wed`, or `mon-fri`.
fn days(text: &str) -> Result<DaysOfWeek, String> {
    let place = |name: &str| {
        let known = DAYS.iter().position(|day| *day == name);
        known.ok_or_else(|| format!("{name:?} is none of {}", DAYS.join(", ")))
    };
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (place(first)?, place(last)?);
        if last < first {
            return Err(format!("{part}: the first day comes after the last"));
        }
        all.extend(DAYS[first..=last].iter().map(|day| day.to_string()));
    }
    Ok(DaysOfWeek(all))
}

#[derive(Args, Debug)]
pub(crate) struct Request {
    /// How much: GPUs, or GPUs of each model, and cores and memory where there are books of them, as in
    /// 8,cpu=64,memory=512Gi. With --step the most that it may grow to
    #[arg(value_name = "SIZE", value_parser = amount, required_unless_present = "file")]
    size: Option<Guarantee>,
    /// What it is for
    #[arg(long, required_unless_present = "file")]
    reason: Option<String>,
    /// When it begins, such as 2026-03-01T08:00:00Z, or in how long; now if absent
    #[arg(long, value_name = "TIME", value_parser = ahead, conflicts_with = "step")]
    start: Option<Time>,
    /// When it is over, or in how long. By usage, when it is released if absent
    #[arg(long, value_name = "TIME", value_parser = ahead)]
    end: Option<Time>,
    /// How long it lasts, instead of --end
    #[arg(long = "for", value_name = "TIME", conflicts_with_all = ["end", "step"])]
    length: Option<Duration>,
    /// Again every week on these days: mon-fri, or mon,wed,fri
    #[arg(long, value_name = "DAYS", value_parser = days, conflicts_with_all = ["start", "end", "length", "step"])]
    weekly: Option<DaysOfWeek>,
    /// Weekly: from when to when, such as 09:00-18:00; over midnight if it ends earlier than it begins
    #[arg(long, value_name = "HOURS", requires = "weekly")]
    hours: Option<String>,
    /// Weekly: whose clocks are meant, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", requires = "weekly")]
    zone: Option<String>,
    /// Weekly: the first day on which it may begin, such as 2026-03-02
    #[arg(long, value_name = "DATE", requires = "weekly")]
    first_day: Option<String>,
    /// Weekly: the last day on which it may begin
    #[arg(long, value_name = "DATE", requires = "weekly")]
    last_day: Option<String>,
    /// By usage: by how much it grows and shrinks
    #[arg(long, value_name = "SIZE", value_parser = amount)]
    step: Option<Guarantee>,
    /// By usage: what it always has; nothing if absent
    #[arg(long, value_name = "SIZE", value_parser = amount, requires = "step")]
    minimum: Option<Guarantee>,
    /// By usage: it grows when so many percent are in use; 80 if absent
    #[arg(long, value_name = "PERCENT", requires = "step")]
    threshold: Option<u32>,
    /// By usage: it grows when a task has waited for so long; 10s if absent
    #[arg(long, value_name = "TIME", requires = "step")]
    wait: Option<Duration>,
    /// By usage: it shrinks when it could have done with less for so long; 5m if absent
    #[arg(long, value_name = "TIME", requires = "step")]
    cool_down: Option<Duration>,
    /// Let others use what its tasks do not, until they need it
    #[arg(long)]
    lend: bool,
    /// Send tasks there until they ask for so many percent of it; 100 if absent
    #[arg(long, value_name = "PERCENT")]
    cap: Option<u32>,
    /// The workspace that asks, where you are a member of several
    #[arg(long)]
    workspace: Option<Name>,
    /// The dedicated quota that it is taken from, where there are several
    #[arg(long)]
    supply: Option<Name>,
    /// A file with all of this, or - for standard input
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["size", "reason", "start", "end", "length", "weekly", "step", "lend", "cap", "workspace", "supply"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    options: ChangeOptions,
}

fn from_file(file: &Path) -> Outcome<NewResourceRequest> {
    let wrong = |why: String| Failure::usage(format!("{}: {why}", file.display()));
    let bytes = read(file)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| wrong(error.to_string()))?;
    serde_saphyr::from_str(text).map_err(|error| wrong(error.to_string()))
}

impl Request {
    pub(super) fn run(self, client: &Client) -> Outcome {
        let new = match &self.file {
            Some(file) => from_file(file)?,
            None => self.new_request()?,
        };
        let changed: Changed<ResourceRequest> =
            client.change(Ask::post(REQUESTS, &new)?, self.options.dry_run)?;
        self.options.print(&changed, sentence, |request, _| request_text(request))
    }

    fn new_request(&self) -> Outcome<NewResourceRequest> {
        let missing = || Failure::usage("say how much, and what for");
        let (size, reason) =
            (self.size.clone().ok_or_else(missing)?, self.reason.clone().ok_or_else(missing)?);
        let (reserved, by_usage) = match &self.step {
            Some(step) => {
                let by_usage = ByUsage {
                    threshold: self.threshold,
                    wait: self.wait,
                    step: step.clone(),
                    minimum: self.minimum.clone(),
                    maximum: size,
                    cool_down: self.cool_down,
                    until: self.end,
                };
                (None, Some(by_usage))
            }
            None => {
                let weekly = self.weekly()?;
                let end = if weekly.is_some() { None } else { Some(self.end()?) };
                (Some(Reserved { size, start: self.start, end, weekly }), None)
            }
        };
        Ok(NewResourceRequest {
            workspace: self.workspace.clone(),
            supply: self.supply.clone(),
            reserved,
            by_usage,
            reason,
            lend: self.lend.then_some(true),
            cap: self.cap,
        })
    }

    fn weekly(&self) -> Outcome<Option<Weekly>> {
        let Some(days) = &self.weekly else { return Ok(None) };
        let missing = || {
            Failure::usage("--weekly also wants --hours, --zone, --first-day and --last-day")
                .hint("--hours 09:00-18:00 --zone Europe/Berlin --first-day 2026-03-02 --last-day 2026-06-26")
        };
        let (from, to) = self.hours.as_deref().and_then(|hours| hours.split_once('-')).ok_or_else(missing)?;
        Ok(Some(Weekly {
            days: days.0.clone(),
            from: from.into(),
            to: to.into(),
            time_zone: self.zone.clone().ok_or_else(missing)?,
            first_day: self.first_day.clone().ok_or_else(missing)?,
            last_day: self.last_day.clone().ok_or_else(missing)?,
        }))
    }

    fn end(&self) -> Outcome<Time> {
        match (self.end, self.length) {
            (Some(end), _) => Ok(end),
            (None, Some(length)) => {
                let start = self.start.map_or_else(now, Time::tick);
                Ok(Time::of(start.after(length.span())))
            }
            (None, None) => Err(Failure::usage("say when it is over: --end or --for")
                .hint("with --step it grows with its use, and needs no end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_say_gpus_cores_and_memory() {
        for (text, json) in [
            ("8", r#"{"gpu":8}"#),
            ("0.5", r#"{"gpu":0.5}"#),
            ("H100:8,A100:2", r#"{"gpu":{"A100":2,"H100":8}}"#),
            ("8,cpu=64,memory=512Gi", r#"{"gpu":8,"cpu":64,"memory":"512Gi"}"#),
        ] {
            let amount = amount(text).expect("an amount");
            assert_eq!(serde_json::to_string(&amount).expect("JSON"), json);
        }
        for wrong in ["", "cpu=4", "8,disk=1", "8,cpu=", "-1"] {
            assert!(amount(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn days_are_listed_or_spanned() {
        assert_eq!(days("mon-wed,sun").map(|days| days.0.join(" ")).as_deref(), Ok("mon tue wed sun"));
        for wrong in ["", "monday", "fri-mon", "mon,"] {
            assert!(days(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn times_are_told_from_lengths() {
        assert_eq!(
            ahead("2026-03-01T08:00:00Z").map(|time| time.to_string()).as_deref(),
            Ok("2026-03-01T08:00:00Z")
        );
        assert!(ahead("2h").is_ok_and(|time| time.tick() > now()));
        assert!(ahead("tomorrow").is_err());
    }
}
