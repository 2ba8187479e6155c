//! `tidegate config`: whether a file is one, and what may stand in it.

use crate::exit::{Outcome, print, print_line};
use crate::serving::serve::failure;
use clap::Subcommand;
use std::path::PathBuf;
use tidegate_server::config::{Config, DOCUMENTED};

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Say whether a configuration file can be used
    #[command(after_help = "Examples:
  tidegate config check /etc/tidegate/config.toml && systemctl restart tidegate")]
    Check {
        /// The file
        file: PathBuf,
    },
    /// Print a configuration file with every option at its default, and what it means
    #[command(after_help = "Examples:
  tidegate config show > config.toml")]
    Show,
}

impl Verb {
    pub(crate) fn run(self) -> Outcome {
        match self {
            Verb::Check { file } => {
                Config::read(&file).map_err(|error| failure(&error))?;
                print_line(format!("{} is fine", file.display()))
            }
            Verb::Show => print(DOCUMENTED),
        }
    }
}
