//! What a change did, or would do.

use super::event_line::line;
use super::{Format, Printed, document, one};
use crate::client::Changed;
use crate::exit::{Outcome, note, print, print_line};
use clap::Args;
use serde::de::DeserializeOwned;
use tidegate_api::event::DryRun;

/// Options of everything that changes something.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ChangeOptions {
    /// Change nothing: print what would happen, who would be preempted and why
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the answer in this format instead of a sentence
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<Format>,
}

impl ChangeOptions {
    /// Prints what became of a change: a sentence, unless a format was asked for.
    pub(crate) fn print<T: Printed + DeserializeOwned>(
        &self,
        changed: &Changed<T>,
        sentence: impl FnOnce(&T) -> String,
        text: impl FnOnce(&T, bool) -> String,
    ) -> Outcome {
        match (changed, self.output) {
            (Changed::Would(would), None) => {
                // How it would stand right after, before anything that takes time.
                let then = serde_json::from_value(would.result.clone()).ok();
                print_would(would, None, then.as_ref().map(sentence))
            }
            (Changed::Would(would), format) => print_would(would, format, None),
            (Changed::Made(made), None) => print_line(sentence(made)),
            (Changed::Made(made), Some(format)) => one(format, made, |wide| text(made, wide)),
        }
    }
}

/// What would happen, line by line, and how it would then stand.
pub(crate) fn print_would(would: &DryRun, format: Option<Format>, then: Option<String>) -> Outcome {
    match format {
        Some(format @ (Format::Json | Format::Yaml)) => document(format, would)?,
        Some(Format::Name) => {
            let names: Vec<&str> = would.would.iter().map(super::event_line::subject).collect();
            print(&names.iter().map(|name| format!("{name}\n")).collect::<String>())?;
        }
        _ if would.would.is_empty() && then.is_none() => print_line("nothing would happen")?,
        _ => {
            let events = would.would.iter().map(|event| format!("would: {}\n", line(event)));
            let then = then.iter().map(|then| format!("then: {then}\n"));
            print(&events.chain(then).collect::<String>())?;
        }
    }
    note("dry run: nothing was changed");
    Ok(())
}
