//! The binary `tidegate`: arguments, files, exit codes. Data goes to stdout, everything else to stderr.
//!
//! | where | what |
//! |---|---|
//! | `client` | the one way to a server: finding it, asking it, watching it |
//! | `output` | tables, documents, names; what a change did or would do |
//! | `workload`, `quota`, `supply`, `task`, `team`, `apply`, `account`, `audit`, `webhook` | verbs that ask a server |
//! | `login` | a server remembered, with what lets one in |
//! | `billing` | what was used, prices, what it costs |
//! | `center` | what a workspace allows, and who uses how much |
//! | `serving` | a server in this process: `serve` and `demo` |
//! | `top` | everything, live |
//! | `local` | verbs that need none: simulations, backups, configuration |
//! | `exit` | exit codes, stdout and stderr |
//! | `hidden` | what is typed and not shown |
//! | `typed`, `lazy` | what was typed; arguments that are described when their verb is typed |

mod account;
mod apply;
mod audit;
mod billing;
mod center;
mod client;
mod clock;
mod dedicated;
mod exit;
mod follow;
mod hidden;
mod lazy;
mod local;
mod login;
mod manifest;
mod output;
mod pages;
mod progress;
mod quota;
#[cfg(test)]
mod reference;
mod serving;
mod stated;
mod supply;
mod task;
mod team;
mod top;
mod typed;
mod verbs;
mod webhook;
mod workload;

use clap::Parser;
use client::find::Connection;
use exit::Exit;
use std::process::ExitCode;
use tidegate_executor::supervisor::supervise;
use tidegate_server::local::SUPERVISE;

const NAME: &str = "tidegate";
const EXAMPLES: &str = "Examples:
  tidegate simulate scenarios/worked-example.tide
  tidegate demo
  tidegate serve
  tidegate submit -- echo hi
  tidegate list
  tidegate quota tree

";

/// Shares GPUs between teams and keeps the books like a bank
#[derive(Debug, Parser)]
#[command(name = NAME, version, after_help = format!("{EXAMPLES}{}", exit::EXIT_CODES))]
pub(crate) struct Arguments {
    #[command(flatten)]
    connection: Connection,
    #[command(subcommand)]
    verb: verbs::Verb,
}

fn main() -> ExitCode {
    // Before anything else: there is one for each process that is looked after, so it is to be small.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == SUPERVISE) {
        return words.next().map_or(ExitCode::from(Exit::Usage as u8), |dir| supervise(dir.as_ref()));
    }
    let arguments = match typed::read(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help that was asked for is data; a broken pipe is nothing to complain about.
            let _ = error.print();
            let code = if error.use_stderr() { Exit::Usage as u8 } else { 0 };
            return ExitCode::from(code);
        }
    };
    match arguments.verb.run(&arguments.connection) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            exit::complain(&failure);
            ExitCode::from(failure.code)
        }
    }
}
