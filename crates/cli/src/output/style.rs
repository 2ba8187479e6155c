//! Colours: on a terminal only, and not where NO_COLOR is set.

use std::io::IsTerminal;
use tidegate_api::workload::WorkloadState;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Plain,
    Bold,
    Dim,
    Good,
    Waiting,
    Bad,
}

impl Style {
    pub(crate) fn of(state: WorkloadState) -> Style {
        match state {
            WorkloadState::Running => Style::Good,
            WorkloadState::Queued
            | WorkloadState::Suspended
            | WorkloadState::Held
            | WorkloadState::Leaving => Style::Waiting,
            WorkloadState::Failed => Style::Bad,
            WorkloadState::Finished | WorkloadState::Stopped => Style::Dim,
        }
    }

    /// The text between the codes of the terminal, if stdout is one.
    pub(crate) fn paint(self, text: &str) -> String {
        let code = match self {
            Style::Plain => return text.into(),
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Waiting => "33",
            Style::Bad => "31",
        };
        if is_coloured() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.into() }
    }
}

fn is_coloured() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none()
        && set("TERM").is_some_and(|term| term != "dumb")
        && std::io::stdout().is_terminal()
}
