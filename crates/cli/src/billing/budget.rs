//! `tidegate budget`: what a workspace means to spend in a month.

use super::period::span;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Exit, Outcome};
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Output, Printed, list, one};
use clap::{Args, Subcommand};
use tidegate_api::budget::{Budget, BudgetAlert, BudgetList, NewBudget};
use tidegate_api::name::Name;
use ureq::http::Method;

const PATH: &str = "/api/v1/budgets";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Set what a workspace means to spend in each month; it is told at 50, 80 and 100 percent
    #[command(after_help = "Examples:
  tidegate budget set team-b 500
  tidegate budget set team-b 500 --stop true
  tidegate budget set team-b 750 --book partner --dry-run")]
    Set(Set),
    /// List budgets
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate budget list
  tidegate budget list -o json
  tidegate budget list --watch"
    )]
    List {
        #[command(flatten)]
        listing: Listing,
    },
    /// Show the budget of a workspace, and what is spent of it this month
    #[command(after_help = "Examples:
  tidegate budget show team-b")]
    Show {
        /// The workspace
        workspace: Name,
        #[command(flatten)]
        output: Output,
    },
    /// Remove the budget of a workspace
    #[command(after_help = "Examples:
  tidegate budget delete team-b")]
    Delete {
        /// The workspace
        workspace: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The workspace
    workspace: Name,
    /// For each month (UTC), in the currency of the price book
    amount: String,
    /// By the prices of this book; by `default`, or the only one, if absent; what it was, if there is a budget
    #[arg(long)]
    book: Option<Name>,
    /// Whether no task begins on shared compute once all of it is spent; what it was, or false
    #[arg(long, value_name = "BOOL")]
    stop: Option<bool>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Printed for Budget {
    fn name(&self) -> String {
        self.workspace.to_string()
    }
}

impl Set {
    fn run(self, client: &Client) -> Outcome {
        let path = format!("{PATH}/{}", self.workspace);
        let before = match client.get::<Budget>(path.clone()) {
            Ok(before) => Some(before),
            Err(failure) if failure.is(Exit::NotFound) => None,
            Err(failure) => return Err(failure),
        };
        let book = before.as_ref().and_then(|before| before.price_book.parse().ok());
        let new = NewBudget {
            amount: self.amount,
            price_book: self.book.or(book),
            stop: self.stop.or(before.as_ref().map(|before| before.stop)),
        };
        let version = before.map(|before| before.version);
        let ask = Ask { if_match: version.as_deref(), ..Ask::change(Method::PUT, &path).json(&new)? };
        let changed: Changed<Budget> = client.change(ask, self.options.dry_run)?;
        let sentence = |budget: &Budget| {
            let stop = if budget.stop { ", then no shared task begins" } else { "" };
            format!("{}: {} {} a month{stop}", budget.workspace, budget.amount, budget.currency)
        };
        self.options.print(&changed, sentence, |budget, _| text(budget))
    }
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Set(set) => set.run(client),
            Verb::List { listing } => listing.print(client, "budget", |format| {
                let budgets = client.all::<BudgetList>(PATH, &Vec::new())?;
                list(format, &budgets, |_| table(&budgets))
            }),
            Verb::Show { workspace, output } => {
                let budget: Budget = client.get(format!("{PATH}/{workspace}"))?;
                one(output.output, &budget, |_| text(&budget))
            }
            Verb::Delete { workspace, options } => {
                let path = format!("{PATH}/{workspace}");
                let before: Budget = client.get(path.clone())?;
                let ask = Ask { if_match: Some(&before.version), ..Ask::change(Method::DELETE, &path) };
                let changed: Changed<Budget> = client.change(ask, options.dry_run)?;
                options.print(
                    &changed,
                    |budget| format!("{} has no budget", budget.workspace),
                    |budget, _| text(budget),
                )
            }
        }
    }
}

fn table(budgets: &[Budget]) -> Table {
    let mut table = Table::new(&["WORKSPACE", ">AMOUNT", ">SPENT", ">PERCENT", "CURRENCY", "STOP", "STATE"]);
    for budget in budgets {
        table.row(vec![
            Cell::from(&budget.workspace),
            Cell::from(&budget.amount),
            Cell::maybe(budget.spent.as_ref()),
            Cell::maybe(budget.percent),
            Cell::from(&budget.currency),
            Cell::from(if budget.stop { "yes" } else { "no" }),
            Cell::from(state(budget)),
        ]);
    }
    table
}

fn state(budget: &Budget) -> String {
    match (&budget.problem, budget.exhausted, budget.alerts.last()) {
        (Some(problem), ..) => problem.clone(),
        (None, true, _) => "exhausted: no shared task begins".into(),
        (None, false, Some(alert)) => format!("{} % reached", alert.percent),
        (None, false, None) => "-".into(),
    }
}

fn text(budget: &Budget) -> String {
    let money = |amount: &String| format!("{amount} {}", budget.currency);
    let percent = budget.percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
    let mut facts = Facts::default();
    facts
        .add("workspace", &budget.workspace)
        .add("amount", format!("{} a month", money(&budget.amount)))
        .add("month", span(budget.from, budget.to))
        .maybe("spent", budget.spent.as_ref().map(|spent| format!("{}{percent}", money(spent))))
        .maybe("problem", budget.problem.as_ref())
        .add("prices", &budget.price_book)
        .add("stop", if budget.stop { "no shared task begins once it is spent" } else { "no" });
    let alert = |alert: &BudgetAlert| format!("{} % at {}", alert.percent, alert.at);
    facts.lines("reached", budget.alerts.iter().map(alert).collect());
    if budget.exhausted {
        facts.add("state", "exhausted: no shared task begins this month");
    }
    facts.text()
}
