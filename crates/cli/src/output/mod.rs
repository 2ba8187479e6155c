//! What stdout gets: tables for people, documents for programs, names for pipes.

pub(crate) mod bar;
pub(crate) mod change;
pub(crate) mod event_line;
pub(crate) mod facts;
pub(crate) mod figures;
pub(crate) mod style;
pub(crate) mod table;

use crate::exit::{Exit, Failure, Outcome, print};
use clap::ValueEnum;
use serde::Serialize;
use table::Table;

/// How a list or a resource is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    #[default]
    Table,
    /// More columns
    Wide,
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
    /// Names, one on each line
    Name,
}

/// `-o` of whatever lists or shows.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Output {
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub(crate) output: Format,
}

/// Something that can be printed in every format.
pub(crate) trait Printed: Serialize {
    /// `kind/name`, as other commands take it.
    fn name(&self) -> String;
}

macro_rules! printed {
    ($($type:path),+) => { $(impl Printed for $type {
        fn name(&self) -> String {
            self.metadata.name.to_string()
        }
    })+ };
}

printed!(
    tidegate_api::pool::Pool,
    tidegate_api::node::Node,
    tidegate_api::quota::Quota,
    tidegate_api::workload::Workload,
    tidegate_api::template::Template,
    tidegate_api::workspace::Workspace,
    tidegate_api::people::User,
    tidegate_api::bill::PriceBook
);

/// A list in the format that was asked for. JSON and YAML have the shape of the API's lists.
pub(crate) fn list<T: Printed>(
    format: Format,
    items: &[T],
    table: impl FnOnce(bool) -> Table,
) -> Outcome<String> {
    #[derive(Serialize)]
    struct Items<'a, T> {
        items: &'a [T],
    }
    match format {
        Format::Table => Ok(table(false).text()),
        Format::Wide => Ok(table(true).text()),
        Format::Json | Format::Yaml => rendered(format, &Items { items }),
        Format::Name => Ok(items.iter().map(|item| item.name() + "\n").collect()),
    }
}

/// One resource in the format that was asked for.
pub(crate) fn one<T: Printed>(format: Format, item: &T, text: impl FnOnce(bool) -> String) -> Outcome {
    match format {
        Format::Table => print(&text(false)),
        Format::Wide => print(&text(true)),
        Format::Json | Format::Yaml => document(format, item),
        Format::Name => print(&(item.name() + "\n")),
    }
}

/// Anything as a document: YAML if that was asked for, otherwise JSON.
pub(crate) fn document(format: Format, value: &impl Serialize) -> Outcome {
    print(&rendered(format, value)?)
}

pub(crate) fn rendered(format: Format, value: &impl Serialize) -> Outcome<String> {
    let failed = |why: String| Failure::new(Exit::Failure, format!("cannot write the answer: {why}"));
    if format != Format::Yaml {
        let mut text = serde_json::to_string_pretty(value).map_err(|error| failed(error.to_string()))?;
        text.push('\n');
        return Ok(text);
    }
    // Through JSON, so that both formats have the same fields in the same words.
    let value = serde_json::to_value(value).map_err(|error| failed(error.to_string()))?;
    let mut text = serde_saphyr::to_string(&value).map_err(|error| failed(error.to_string()))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// One line of JSON, for streams.
pub(crate) fn line(value: &impl Serialize) -> Outcome {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::new(Exit::Failure, format!("cannot write the answer: {error}")))?;
    print(&(text + "\n"))
}
