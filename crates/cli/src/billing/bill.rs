//! `tidegate bill`: what use of a period costs.

use super::export::export;
use super::period::{Which, hours, span};
use super::{advice, usage};
use crate::client::Client;
use crate::exit::Outcome;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Printed, one};
use clap::{Args, Subcommand, ValueEnum};
use tidegate_api::bill::{Bill, BillLine};
use tidegate_api::name::Name;

const PATH: &str = "/api/v1/bills";

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate bill --workspace team-b --month 2026-01
  tidegate bill --user berta --since 24h
  tidegate bill --config rc-7 --month 2026-01
  tidegate bill --workspace team-b --month 2026-01 --lines
  tidegate bill --workspace team-b --month 2026-01 --step 1d -o csv > january.csv
  tidegate bill --book partner -o json
  tidegate bill advise team-b --weeks 4";

/// A bill, or advice for the next ones.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Bills {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    show: Show,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// What shared, reserved and by-usage compute would have cost for the tasks of some weeks, and the waiting of each
    #[command(after_help = advice::EXAMPLES)]
    Advise(advice::Advise),
}

impl Bills {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self.verb {
            None => self.show.run(client),
            Some(Verb::Advise(advise)) => advise.run(client),
        }
    }
}

#[derive(Args, Debug)]
struct Show {
    #[command(flatten)]
    which: Which,
    /// By the prices of this book; by `default`, or the only one, if absent
    #[arg(long)]
    book: Option<Name>,
    /// With the records that each line is the sum of
    #[arg(long)]
    lines: bool,
    /// Charges over time: cut the period into parts of this length, such as 1d
    #[arg(long, value_name = "DURATION")]
    step: Option<String>,
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Shape,
}

/// How a bill is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// Columns for people
    #[default]
    Table,
    /// The same
    Wide,
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
    /// Its period
    Name,
    /// Its lines as comma-separated values
    Csv,
}

impl Printed for Bill {
    fn name(&self) -> String {
        span(self.from, self.to)
    }
}

impl Show {
    fn run(self, client: &Client) -> Outcome {
        let mut query = self.which.query();
        query.extend(self.book.map(|book| ("book", book.to_string())));
        query.extend(self.lines.then(|| ("expand", "true".to_string())));
        let is_cut = self.step.is_some();
        query.extend(self.step.map(|step| ("step", step)));
        let format = match self.output {
            Shape::Csv => return export(client, PATH.into(), query, "csv"),
            Shape::Table => Format::Table,
            Shape::Wide => Format::Wide,
            Shape::Json => Format::Json,
            Shape::Yaml => Format::Yaml,
            Shape::Name => Format::Name,
        };
        let bill: Bill = client.get_with(PATH, query)?;
        one(format, &bill, |_| text(&bill, is_cut))
    }
}

/// With the beginning of each line, if it is one of several parts.
pub(crate) fn text(bill: &Bill, is_cut: bool) -> String {
    let mut facts = Facts::default();
    let end = if bill.is_final { String::new() } else { format!(" (so far, as of {})", bill.as_of) };
    facts
        .add("period", format!("{}{end}", span(bill.from, bill.to)))
        .maybe("workspace", bill.workspace.as_ref())
        .maybe("user", bill.user.as_ref())
        .maybe("quota", bill.quota.as_ref())
        .maybe("config", bill.config.as_ref())
        .add("prices", &bill.price_book)
        .add("due", format!("{} {}", bill.due, bill.currency))
        .add("showback", format!("{} {}", bill.showback, bill.currency));
    let mut text = facts.text();
    if bill.lines.is_empty() {
        return text;
    }
    text.push('\n');
    text.push_str(&table(&bill.lines, is_cut).text());
    for (number, line) in bill.lines.iter().enumerate().filter(|(_, line)| !line.records.is_empty()) {
        text.push_str(&format!("\nline {}: {}\n", number + 1, line.resource));
        text.push_str(&usage::records(&line.records).text());
    }
    text
}

fn table(lines: &[BillLine], is_cut: bool) -> Table {
    let mut columns = vec![">LINE"];
    columns.extend(is_cut.then_some("FROM"));
    columns.extend([
        "WORKSPACE",
        "QUOTA",
        "MODE",
        "RESOURCE",
        "CLASS",
        ">HOURS",
        ">PRICE",
        ">OFF",
        ">COST",
        "NOTE",
    ]);
    let mut table = Table::new(&columns);
    for (number, line) in lines.iter().enumerate() {
        let note = match (&line.correction, &line.config) {
            (Some(id), _) => format!("correction {id}"),
            (None, Some(_)) => "capacity, used or not".into(),
            (None, None) => String::new(),
        };
        let mut row = vec![Cell::from(number + 1)];
        row.extend(is_cut.then(|| Cell::from(line.from)));
        row.extend([
            Cell::from(&line.workspace),
            Cell::from(&line.quota),
            Cell::from(&line.mode),
            Cell::from(&line.resource),
            Cell::from(&line.class),
            Cell::from(hours(line.hours)),
            Cell::from(&line.price),
            Cell::maybe(line.discount.as_ref().map(|percent| format!("{percent}%"))),
            Cell::from(&line.cost),
            Cell::from(note),
        ]);
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_without_use_has_no_table() {
        let time = |text: &str| text.parse().expect("a time");
        let bill = Bill {
            from: time("2026-01-01T00:00:00Z"),
            to: time("2026-02-01T00:00:00Z"),
            is_final: true,
            as_of: time("2026-02-02T00:00:00Z"),
            workspace: Some("team-b".into()),
            user: None,
            quota: None,
            config: None,
            price_book: "default".into(),
            currency: "EUR".into(),
            lines: Vec::new(),
            due: "0.00".into(),
            showback: "0.00".into(),
        };
        let expected = "period     2026-01-01 to 2026-02-01\nworkspace  team-b\nprices     default\n\
                        due        0.00 EUR\nshowback   0.00 EUR\n";
        assert_eq!(text(&bill, false), expected);
    }
}
