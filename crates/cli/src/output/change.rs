//! What a change did, or would do.

use super::event_line::line;
use super::{Format, Printed, document, one};
use crate::client::Changed;
use crate::exit::{Outcome, note, print, print_line};
use clap::Args;
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
    pub(crate) fn print<T: Printed>(
        &self,
        changed: &Changed<T>,
        sentence: impl FnOnce(&T) -> String,
        text: impl FnOnce(&T, bool) -> String,
    ) -> Outcome {
        match (changed, self.output) {
            (Changed::Would(would), format) => print_would(would, format),
            (Changed::Made(made), None) => print_line(sentence(made)),
            (Changed::Made(made), Some(format)) => one(format, made, |wide| text(made, wide)),
        }
    }
}

/// What would happen, line by line.
pub(crate) fn print_would(would: &DryRun, format: Option<Format>) -> Outcome {
    match format {
        Some(format @ (Format::Json | Format::Yaml)) => document(format, would)?,
        Some(Format::Name) => {
            let names: Vec<&str> = would.would.iter().map(super::event_line::subject).collect();
            print(&names.iter().map(|name| format!("{name}\n")).collect::<String>())?;
        }
        _ if would.would.is_empty() => print_line("nothing would happen")?,
        _ => print(&would.would.iter().map(|event| format!("would: {}\n", line(event))).collect::<String>())?,
    }
    note("dry run: nothing was changed");
    Ok(())
}
