//! Completions and man pages, made from the same definitions as the help.

use crate::exit::{Exit, Failure, Outcome, note, print};
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;

pub(crate) const COMPLETION_EXAMPLES: &str = "Examples:
  source <(tidegate completion bash)
  tidegate completion zsh > ~/.zfunc/_tidegate
  tidegate completion fish > ~/.config/fish/completions/tidegate.fish";

pub(crate) fn completion(shell: Shell) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut crate::Arguments::command(), "tidegate", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// One page for each command, `tidegate-quota-scale.1` and so on.
pub(crate) fn man(dir: &Path) -> Outcome {
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Failure, format!("cannot write man pages to {}: {error}", dir.display()))
    };
    std::fs::create_dir_all(dir).map_err(failed)?;
    let command = crate::Arguments::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, dir).map_err(failed)?;
    note(format!("man pages are in {}", dir.display()));
    Ok(())
}
