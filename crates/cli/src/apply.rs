//! `tidegate apply -f FILE`: resources as they shall be.

use crate::client::{Ask, Changed, Client};
use crate::exit::{Failure, Outcome, note, print};
use crate::manifest;
use crate::output::change::{ChangeOptions, print_would};
use crate::output::style::Style;
use crate::output::{Format, document};
use clap::Args;
use std::path::PathBuf;
use tidegate_api::actions::{Applied, ApplyResult, Outcome as Became};
use ureq::http::Method;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate apply -f quotas.yaml
  tidegate apply -f quotas.yaml --dry-run       what would change, and who would be preempted
  cat *.yaml | tidegate apply -f -

Each manifest is created, configured, left unchanged or refused by itself; if any is refused, the exit code says why.";

#[derive(Args, Debug)]
pub(crate) struct Apply {
    /// Manifests in YAML or JSON, one or several; - reads standard input. May be repeated
    #[arg(short, long = "filename", visible_alias = "file", value_name = "FILE", required = true)]
    file: Vec<PathBuf>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Apply {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut refused = None;
        for file in &self.file {
            let outcome = apply(client, file, self.options)?;
            refused = refused.or(outcome);
        }
        refused.map_or(Ok(()), Err)
    }
}

/// The failure of the first manifest that was refused, if any was.
fn apply(client: &Client, file: &std::path::Path, options: ChangeOptions) -> Outcome<Option<Failure>> {
    let bytes = manifest::read(file)?;
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|b| b"{[".contains(b));
    let kind = if is_json { "application/json" } else { "application/yaml" };
    let mut ask = Ask::change(Method::POST, "/api/v1/apply");
    ask.body = Some((kind, bytes));
    let result = match client.change::<ApplyResult>(ask, options.dry_run)? {
        Changed::Made(result) => {
            print_result(&result, options.output)?;
            result
        }
        Changed::Would(would) => {
            let result: ApplyResult = serde_json::from_value(would.result.clone()).map_err(|error| {
                Failure::new(crate::exit::Exit::Failure, format!("the answer cannot be read: {error}"))
            })?;
            if matches!(options.output, Some(Format::Json | Format::Yaml)) {
                print_would(&would, options.output, None)?;
            } else {
                print_result(&result, options.output)?;
                print_would(&would, None, None)?;
            }
            result
        }
    };
    let problems: Vec<&Applied> = result.results.iter().filter(|applied| applied.problem.is_some()).collect();
    for applied in problems.iter().skip(1) {
        note(format!("{}: {}", place(applied), applied.problem.as_ref().map_or("", |p| p.detail.as_str())));
    }
    Ok(problems.first().and_then(|applied| {
        let problem = applied.problem.clone()?;
        let failure = Failure::from(problem);
        Some(failure.figure(format!("manifest {}: {}", applied.document, place(applied))))
    }))
}

fn place(applied: &Applied) -> String {
    format!("{}/{}", applied.kind.to_lowercase(), applied.name)
}

fn print_result(result: &ApplyResult, format: Option<Format>) -> Outcome {
    match format {
        Some(format @ (Format::Json | Format::Yaml)) => document(format, result),
        Some(Format::Name) => {
            print(&result.results.iter().map(|a| format!("{}\n", place(a))).collect::<String>())
        }
        _ => print(&result.results.iter().map(line).collect::<String>()),
    }
}

fn line(applied: &Applied) -> String {
    let (word, style) = match applied.outcome {
        Became::Created => ("created", Style::Good),
        Became::Configured => ("configured", Style::Good),
        Became::Unchanged => ("unchanged", Style::Dim),
        Became::Refused => ("refused", Style::Bad),
    };
    let changed =
        if applied.changed.is_empty() { String::new() } else { format!(" ({})", applied.changed.join(", ")) };
    format!("{} {}{changed}\n", place(applied), style.paint(word))
}
