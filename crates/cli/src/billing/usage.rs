//! `tidegate usage`: who uses how much now, and who has used what.

use super::export::export;
use super::period::{Which, hours, span};
use crate::center::usage as now;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Outcome, note, print};
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Printed, document, list};
use clap::{Args, Subcommand, ValueEnum};
use tidegate_api::metering::{
    Correction, CorrectionList, NewCorrection, UsageRecord, UsageRecordList, UsageReport,
};
use tidegate_api::name::Name;
use tidegate_api::time::Time;

const PATH: &str = "/api/v1/usage";

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate usage
  tidegate usage --quota Quota1.1 -o json
  tidegate usage report --month 2026-01 --by workspace,user
  tidegate usage records --since 24h --workspace team-b -o csv > usage.csv";

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Usage {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    now: now::Show,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// What was used in a period, added up: hours of GPUs, cores and GiB of memory
    #[command(after_help = "Examples:
  tidegate usage report
  tidegate usage report --month 2026-01 --by workspace,user,class
  tidegate usage report --month 2026-01 --by config
  tidegate usage report --since 168h --step 1d --workspace team-b -o csv")]
    Report(Report),
    /// What was used in a period, record by record
    #[command(after_help = "Examples:
  tidegate usage records --since 24h
  tidegate usage records --month 2026-01 --workspace team-b -o csv > usage.csv
  tidegate usage records -o jsonl")]
    Records(Records),
    /// Correct what was metered, by a record of its own
    #[command(after_help = "Examples:
  tidegate usage correct --workspace team-b --user berta --quota Quota1.1 --resource gpu:H100 --hours=-12.5 \\
    --at 2026-01-15T08:00:00Z --reason 'the node was broken'")]
    Correct(Correct),
    /// List corrections that count in a period
    #[command(after_help = "Examples:
  tidegate usage corrections --month 2026-01")]
    Corrections {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        listing: Listing,
    },
}

impl Usage {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self.verb {
            None => self.now.run(client),
            Some(Verb::Report(report)) => report.run(client),
            Some(Verb::Records(records)) => records.run(client),
            Some(Verb::Correct(correct)) => correct.run(client),
            Some(Verb::Corrections { which, listing }) => listing.print(client, "correction", |format| {
                let path = format!("{PATH}/corrections");
                let all = client.all::<CorrectionList>(&path, &which.query())?;
                list(format, &all, |_| corrections(&all))
            }),
        }
    }
}

/// How sums and records are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// Columns for people
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
    /// Comma-separated values
    Csv,
    /// One JSON document on each line; of records
    Jsonl,
}

#[derive(Args, Debug)]
struct Report {
    #[command(flatten)]
    which: Which,
    /// Told apart by: workspace, user, quota, lender, mode, module, class, config; capacity of dedicated compute always
    /// from work
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "workspace,quota")]
    by: Vec<String>,
    /// Cut the period into parts of this length, such as 1d
    #[arg(long, value_name = "DURATION")]
    step: Option<String>,
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Shape,
}

impl Report {
    fn run(self, client: &Client) -> Outcome {
        let mut query = self.which.query();
        query.push(("groupBy", self.by.join(",")));
        query.extend(self.step.map(|step| ("step", step)));
        if self.output == Shape::Csv {
            return export(client, PATH.into(), query, "csv");
        }
        let report: UsageReport = client.get_with(PATH, query)?;
        match self.output {
            Shape::Yaml => document(Format::Yaml, &report),
            Shape::Table if report.items.is_empty() => {
                note(format!("nothing was used from {}", span(report.from, report.to)));
                Ok(())
            }
            Shape::Table => print(&sums(&report).text()),
            _ => document(Format::Json, &report),
        }
    }
}

fn sums(report: &UsageReport) -> Table {
    let first = &report.items[0];
    // Only what was told apart has a column; and what is held from what works there, where there is any.
    let has_capacity = report.items.iter().any(|sum| sum.kind != "work");
    let told = [
        ("FROM", first.from.is_some()),
        ("WORKSPACE", first.workspace.is_some()),
        ("USER", first.user.is_some()),
        ("QUOTA", first.quota.is_some()),
        ("LENDER", first.lender.is_some()),
        ("MODE", first.mode.is_some()),
        ("MODULE", first.module.is_some()),
        ("CLASS", first.class.is_some()),
        ("CONFIG", first.config.is_some()),
        ("KIND", has_capacity),
        ("RESOURCE", true),
        (">HOURS", true),
    ];
    let columns: Vec<&'static str> = told.iter().filter(|(_, told)| *told).map(|(name, _)| *name).collect();
    let mut table = Table::new(&columns);
    for sum in &report.items {
        let from = sum.from.map(|from| from.to_string());
        let config = sum.config.as_ref().map(|id| if id.is_empty() { "-".into() } else { id.clone() });
        let kind = has_capacity.then(|| sum.kind.clone());
        let groups = [
            &from,
            &sum.workspace,
            &sum.user,
            &sum.quota,
            &sum.lender,
            &sum.mode,
            &sum.module,
            &sum.class,
            &config,
            &kind,
        ];
        let mut cells: Vec<Cell> = groups.into_iter().flatten().map(Cell::from).collect();
        cells.extend([Cell::from(&sum.resource), Cell::from(hours(sum.hours))]);
        table.row(cells);
    }
    table
}

#[derive(Args, Debug)]
struct Records {
    #[command(flatten)]
    which: Which,
    /// At most so many; csv and jsonl print all
    #[arg(long, default_value = "1000")]
    limit: usize,
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Shape,
}

impl Printed for UsageRecord {
    fn name(&self) -> String {
        let running = || self.workload_id.clone().or_else(|| self.config.clone());
        self.id.clone().or_else(running).unwrap_or_default()
    }
}

impl Records {
    fn run(self, client: &Client) -> Outcome {
        let (path, query) = (format!("{PATH}/records"), self.which.query());
        match self.output {
            Shape::Csv => return export(client, path, query, "csv"),
            Shape::Jsonl => return export(client, path, query, "jsonl"),
            _ => {}
        }
        let records = client.list::<UsageRecordList>(&path, &query, self.limit)?;
        let format = match self.output {
            Shape::Json => Format::Json,
            Shape::Yaml => Format::Yaml,
            _ => Format::Table,
        };
        print(&list(format, &records, |_| self::records(&records))?)
    }
}

pub(super) fn records(records: &[UsageRecord]) -> Table {
    let columns = [
        "RECORD",
        "WORKLOAD",
        "WORKSPACE",
        "USER",
        "QUOTA",
        "LENDER",
        "MODE",
        "CLASS",
        "RESOURCE",
        ">AMOUNT",
        "FROM",
        "TO",
        ">HOURS",
    ];
    let mut table = Table::new(&columns);
    for one in records {
        table.row(vec![
            Cell::from(one.id.as_deref().unwrap_or("open")),
            Cell::from(one.workload.as_deref().unwrap_or(&one.kind)),
            Cell::from(&one.workspace),
            Cell::from(&one.user),
            Cell::from(&one.quota),
            Cell::maybe(one.lender.as_ref()),
            Cell::from(&one.mode),
            Cell::from(&one.class),
            Cell::from(&one.resource),
            Cell::from(one.amount),
            Cell::from(one.from),
            Cell::from(one.to),
            Cell::from(hours(one.hours)),
        ]);
    }
    table
}

#[derive(Args, Debug)]
struct Correct {
    /// Whose use it is
    #[arg(long)]
    workspace: Name,
    #[arg(long, help = "Whose use it is")]
    user: Name,
    /// The quota of the work
    #[arg(long)]
    quota: Name,
    /// gpu:MODEL, cpu or memory
    #[arg(long)]
    resource: String,
    /// Hours of GPUs, cores or GiB that are added; negative takes back
    #[arg(long, allow_hyphen_values = true)]
    hours: String,
    /// When it counts: it belongs to the period that holds this time, at the prices of then
    #[arg(long, value_name = "TIME", value_parser = crate::audit::moment)]
    at: Time,
    /// Why
    #[arg(long)]
    reason: String,
    /// shared, reserved, byUsage or quota
    #[arg(long)]
    mode: Option<String>,
    /// firm, loan or idle
    #[arg(long)]
    class: Option<String>,
    /// The workload that it is about, such as w-12
    #[arg(long, value_name = "ID")]
    workload: Option<String>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Printed for Correction {
    fn name(&self) -> String {
        self.id.clone()
    }
}

impl Correct {
    fn run(self, client: &Client) -> Outcome {
        let new = NewCorrection {
            workspace: self.workspace,
            user: self.user,
            quota: self.quota,
            resource: self.resource,
            at: self.at,
            hours: self.hours,
            mode: self.mode,
            class: self.class,
            workload_id: self.workload,
            reason: self.reason,
        };
        let ask = Ask::post(format!("{PATH}/corrections"), &new)?;
        let changed: Changed<Correction> = client.change(ask, self.options.dry_run)?;
        let sentence = |one: &Correction| {
            format!(
                "{}: {} hours of {} for {} in {}",
                one.id,
                hours(one.hours),
                one.resource,
                one.user,
                one.workspace
            )
        };
        self.options.print(&changed, sentence, |one, _| {
            let mut facts = Facts::default();
            facts.add("correction", &one.id).add("hours", hours(one.hours)).add("reason", &one.reason);
            facts.text()
        })
    }
}

fn corrections(all: &[Correction]) -> Table {
    let mut table =
        Table::new(&["CORRECTION", "AT", "WORKSPACE", "USER", "QUOTA", "RESOURCE", ">HOURS", "BY", "REASON"]);
    for one in all {
        table.row(vec![
            Cell::from(&one.id),
            Cell::from(one.at),
            Cell::from(&one.workspace),
            Cell::from(&one.user),
            Cell::from(&one.quota),
            Cell::from(&one.resource),
            Cell::from(hours(one.hours)),
            Cell::from(&one.by),
            Cell::from(&one.reason),
        ]);
    }
    table
}
