//! The binary `tidegate`: arguments, files, exit codes. Data goes to stdout, everything else to stderr.

mod exit;
mod simulate;

use clap::{Parser, Subcommand, ValueEnum};
use exit::Exit;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  tidegate simulate scenarios/worked-example.tide
  tidegate simulate - -o json < what-if.tide
  tidegate version

Exit codes:
  0  ok (a command that a scenario's engine refuses is an event, not a failure)
  1  failure
  2  usage, a syntax error, or a declaration that breaks a rule
  3  not found";

const SIMULATE_EXAMPLES: &str = "Examples:
  tidegate simulate scenarios/worked-example.tide
  tidegate simulate scenarios/worked-example.tide -o json
  printf 'pool h100 1x8 H100\\nquota Q 8 pool=h100\\nat 0s submit a Q training p5 1x8 for 1h\\n' | tidegate simulate -

The language is described in docs/scenario-language.md.";

/// Shares GPUs between teams and keeps the books like a bank
#[derive(Debug, Parser)]
#[command(name = "tidegate", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run a scenario in virtual time, on the real engine
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate {
        /// A scenario file; - reads standard input
        file: PathBuf,
        /// Lines for people, or one document for programs
        #[arg(short, long, value_name = "FORMAT", default_value = "text")]
        output: Format,
    },
    /// Print the version
    Version,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help that was asked for is data; a broken pipe is nothing to complain about.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    let outcome = match arguments.verb {
        Verb::Simulate { file, output } => simulate::simulate(&file, output),
        Verb::Version => exit::print(concat!("tidegate ", env!("CARGO_PKG_VERSION"), "\n")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err((exit, message)) => {
            exit::complain(&message);
            exit.into()
        }
    }
}
