//! `tidegate price`: what use costs.

use super::period::span;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Failure, Outcome};
use crate::follow::Listing;
use crate::manifest::read;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Output, list, one};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tidegate_api::bill::{NewPriceBook, PriceBook, PriceBookList, PriceBookSpec, PriceVersion, Tariff};
use tidegate_api::name::Name;
use tidegate_api::resource::NewMetadata;
use tidegate_api::time::Time;
use ureq::http::Method;

const PATH: &str = "/api/v1/prices";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make a price book; `default` is the one that statements go by
    #[command(after_help = "Examples:
  tidegate price create default --currency EUR --price quota:gpu:H100=2.50 --price quota:cpu=0.04 --idle-discount quota=60
  tidegate price create default --currency EUR --price quota:gpu:H100=2.50 --from 2026-01-01T00:00:00Z
  tidegate price create -f prices.yaml")]
    Create(Create),
    /// List price books
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate price list --watch"
    )]
    List {
        #[command(flatten)]
        listing: Listing,
    },
    /// Show a price book, with all of its versions
    #[command(after_help = "Examples:
  tidegate price show default
  tidegate price show default -o yaml > prices.yaml")]
    Show {
        /// The price book
        name: Name,
        #[command(flatten)]
        output: Output,
    },
    /// Set prices from now or from a later time on: those that are named change, the others stay
    #[command(after_help = "Examples:
  tidegate price set default --price quota:gpu:H100=2.20
  tidegate price set default --price shared:gpu:H100=3 --from 2027-01-01T00:00:00Z
  tidegate price set default -f prices.yaml --dry-run")]
    Set(Set),
}

/// Prices by options.
#[derive(Args, Debug)]
struct Prices {
    /// MODE:RESOURCE=PRICE for a GPU, core or GiB and hour: MODE is shared, reserved, byUsage or quota, RESOURCE is
    /// gpu:MODEL, cpu or memory
    #[arg(long = "price", value_name = "PRICE")]
    prices: Vec<String>,
    /// MODE=PERCENT off what is used as idle capacity of others
    #[arg(long = "idle-discount", value_name = "DISCOUNT")]
    discounts: Vec<String>,
    /// From when on; from now on if absent
    #[arg(long, value_name = "TIME")]
    from: Option<Time>,
    /// A file with a PriceBook, or - for standard input
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["prices", "discounts", "from"])]
    file: Option<PathBuf>,
}

impl Prices {
    /// Puts what was said in place of what is there.
    fn onto(&self, tariffs: &mut BTreeMap<String, Tariff>) -> Outcome {
        for given in &self.prices {
            let wrong = || {
                Failure::usage(format!(
                    "--price {given}: it is MODE:RESOURCE=PRICE, such as quota:gpu:H100=2.50"
                ))
            };
            let (what, price) = given.split_once('=').ok_or_else(wrong)?;
            let (mode, resource) = what.split_once(':').ok_or_else(wrong)?;
            let tariff = tariffs.entry(mode.into()).or_default();
            match resource.strip_prefix("gpu:") {
                Some(model) => _ = tariff.gpu.insert(model.parse().map_err(|_| wrong())?, price.into()),
                None if resource == "cpu" => tariff.cpu = Some(price.into()),
                None if resource == "memory" => tariff.memory = Some(price.into()),
                None => return Err(wrong()),
            }
        }
        for given in &self.discounts {
            let wrong =
                || Failure::usage(format!("--idle-discount {given}: it is MODE=PERCENT, such as quota=60"));
            let (mode, percent) = given.split_once('=').ok_or_else(wrong)?;
            tariffs.entry(mode.into()).or_default().idle_discount = Some(percent.into());
        }
        Ok(())
    }
}

fn from_file(file: &Path) -> Outcome<NewPriceBook> {
    let wrong = |why: String| {
        Failure::usage(format!("{}: {why}", file.display()))
            .hint("`tidegate price show NAME -o yaml` prints one to begin with")
    };
    let bytes = read(file)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| wrong(error.to_string()))?;
    serde_saphyr::from_str(text).map_err(|error| wrong(error.to_string()))
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// Its name
    #[arg(required_unless_present = "file")]
    name: Option<Name>,
    /// What it counts in, such as EUR; nothing is converted
    #[arg(long, required_unless_present = "file")]
    currency: Option<String>,
    /// Decimals of what is charged; 2 if absent
    #[arg(long)]
    decimals: Option<u8>,
    #[command(flatten)]
    prices: Prices,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Create {
    fn run(self, client: &Client) -> Outcome {
        let new = match (&self.prices.file, self.name, self.currency) {
            (Some(file), None, None) => from_file(file)?,
            (None, Some(name), Some(currency)) => {
                let mut prices = BTreeMap::new();
                self.prices.onto(&mut prices)?;
                let spec =
                    PriceBookSpec { currency, decimals: self.decimals, valid_from: self.prices.from, prices };
                NewPriceBook::new(NewMetadata::named(name), spec)
            }
            _ => return Err(Failure::usage("say what it shall be: by a file, or by options, not by both")),
        };
        let changed: Changed<PriceBook> = client.change(Ask::post(PATH, &new)?, self.options.dry_run)?;
        self.options.print(&changed, |book| format!("{} created", book.metadata.name), |book, _| text(book))
    }
}

#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The price book
    name: Name,
    #[command(flatten)]
    prices: Prices,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Set {
    fn run(self, client: &Client) -> Outcome {
        let path = format!("{PATH}/{}", self.name);
        let before: PriceBook = client.get(&path)?;
        let version = before.metadata.version;
        let new = match &self.prices.file {
            Some(file) => from_file(file)?,
            None if self.prices.prices.is_empty() && self.prices.discounts.is_empty() => {
                return Err(Failure::usage("nothing is to be set").hint("see `tidegate price set --help`"));
            }
            None => {
                // What holds last is what goes on.
                let mut prices =
                    before.status.versions.last().map(|last| last.prices.clone()).unwrap_or_default();
                self.prices.onto(&mut prices)?;
                let spec = PriceBookSpec { valid_from: self.prices.from, prices, ..before.spec };
                NewPriceBook::new(NewMetadata::named(self.name), spec)
            }
        };
        let ask = Ask { if_match: Some(&version), ..Ask::change(Method::PUT, &path).json(&new)? };
        let changed: Changed<PriceBook> = client.change(ask, self.options.dry_run)?;
        self.options.print(&changed, |book| format!("{} set", book.metadata.name), |book, _| text(book))
    }
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => create.run(client),
            Verb::List { listing } => listing.print(client, "price-book", |format| {
                let books = client.all::<PriceBookList>(PATH, &Vec::new())?;
                list(format, &books, |_| table(&books))
            }),
            Verb::Show { name, output } => {
                let book: PriceBook = client.get(format!("{PATH}/{name}"))?;
                one(output.output, &book, |_| text(&book))
            }
            Verb::Set(set) => set.run(client),
        }
    }
}

fn table(books: &[PriceBook]) -> Table {
    let mut table = Table::new(&["NAME", "CURRENCY", ">VERSIONS", "SINCE", "MODES"]);
    for book in books {
        let modes: Vec<&str> = book.spec.prices.keys().map(String::as_str).collect();
        table.row(vec![
            Cell::from(&book.metadata.name),
            Cell::from(&book.spec.currency),
            Cell::from(book.status.versions.len()),
            Cell::maybe(book.spec.valid_from),
            Cell::from(modes.join(", ")),
        ]);
    }
    table
}

fn text(book: &PriceBook) -> String {
    let mut facts = Facts::default();
    let decimals = book.spec.decimals.unwrap_or_default();
    facts
        .add("name", &book.metadata.name)
        .add("currency", format!("{}, {decimals} decimals", book.spec.currency));
    let mut text = facts.text();
    let mut table = Table::new(&["VALID", "MODE", "RESOURCE", ">PRICE", ">IDLE OFF"]);
    for version in &book.status.versions {
        for (mode, tariff) in &version.prices {
            rows(version, mode, tariff, &mut table);
        }
    }
    text.push('\n');
    text.push_str(&table.text());
    text
}

fn rows(version: &PriceVersion, mode: &str, tariff: &Tariff, table: &mut Table) {
    let valid = match version.valid_to {
        Some(to) => span(version.valid_from, to),
        None => format!("from {}", version.valid_from),
    };
    let gpus = tariff.gpu.iter().map(|(model, price)| (format!("gpu:{model}"), price));
    let cpu = tariff.cpu.iter().map(|price| ("cpu".to_string(), price));
    let memory = tariff.memory.iter().map(|price| ("memory".to_string(), price));
    for (resource, price) in gpus.chain(cpu).chain(memory) {
        let off = tariff.idle_discount.as_ref().map(|percent| format!("{percent}%"));
        table.row(vec![
            Cell::from(&valid),
            Cell::from(mode),
            Cell::from(resource),
            Cell::from(price),
            Cell::maybe(off),
        ]);
    }
}
