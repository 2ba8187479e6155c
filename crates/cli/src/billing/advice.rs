//! `tidegate bill advise`: what other compute would have cost.

use super::period::span;
use crate::client::Client;
use crate::exit::Outcome;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Output, Printed, one};
use clap::Args;
use tidegate_api::advice::{Advice, AdvisedWay};
use tidegate_api::name::Name;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate bill advise team-b
  tidegate bill advise team-b --weeks 8
  tidegate bill advise team-b --tried -o json";

#[derive(Args, Debug)]
pub(crate) struct Advise {
    /// Whose tasks
    workspace: Name,
    /// Of the last so many weeks
    #[arg(long, default_value = "4")]
    weeks: u32,
    /// By the prices of this book; by `default`, or the only one, if absent
    #[arg(long)]
    book: Option<Name>,
    /// With all sizes that were tried for a reservation
    #[arg(long)]
    tried: bool,
    #[command(flatten)]
    output: Output,
}

impl Printed for Advice {
    fn name(&self) -> String {
        self.workspace.clone()
    }
}

impl Advise {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut query = vec![("workspace", self.workspace.to_string()), ("weeks", self.weeks.to_string())];
        query.extend(self.book.map(|book| ("book", book.to_string())));
        let advice: Advice = client.get_with("/api/v1/advice", query)?;
        one(self.output.output, &advice, |_| text(&advice, self.tried))
    }
}

fn text(advice: &Advice, with_tried: bool) -> String {
    let mut facts = Facts::default();
    facts
        .add("workspace", &advice.workspace)
        .add("period", span(advice.from, advice.to))
        .add("tasks", advice.tasks)
        .add("prices", format!("{}, in {}", advice.price_book, advice.currency))
        .maybe("best", advice.best.as_ref());
    let mut text = facts.text();
    if !advice.ways.is_empty() {
        text.push('\n');
        text.push_str(&table(&advice.ways).text());
    }
    if with_tried && !advice.tried.is_empty() {
        text.push_str("\nreservations that were tried:\n");
        text.push_str(&table(&advice.tried).text());
    }
    text
}

fn table(ways: &[AdvisedWay]) -> Table {
    let mut table = Table::new(&["MODE", "SIZE", ">COST", ">WAIT P50", ">P95", ">MAX", "NOTE"]);
    for way in ways {
        let size = way.size.iter().map(|(resource, amount)| format!("{amount} {resource}"));
        let size = size.collect::<Vec<_>>().join(", ");
        table.row(vec![
            Cell::from(&way.mode),
            Cell::maybe((!size.is_empty()).then_some(size)),
            Cell::maybe(way.cost.as_ref()),
            Cell::from(way.waiting.p50),
            Cell::from(way.waiting.p95),
            Cell::from(way.waiting.max),
            Cell::from(way.problem.clone().unwrap_or_default()),
        ]);
    }
    table
}
