//! `tidegate simulate FILE`: a scenario in virtual time, here or from the state of a server.

use crate::client::find::Connection;
use crate::client::{Ask, Client};
use crate::clock::short;
use crate::exit::{Exit, Failure, Outcome, print};
use crate::output::event_line::in_words;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use tidegate_api::simulation::{Simulation, SimulationRequest};
use tidegate_sim::language::MAX_BYTES;
use tidegate_sim::report::{json, text};
use tidegate_sim::{SimError, simulate as run};

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate simulate scenarios/worked-example.tide
  tidegate simulate scenarios/worked-example.tide -o json
  printf 'pool h100 1x8 H100\\nquota Q 8 pool=h100\\nat 0s submit a Q training p5 1x8 for 1h\\n' | tidegate simulate -
  echo 'at 0s submit x Quota1 service p5 4x8' | tidegate simulate - --from-server

The language is described in docs/scenario-language.md.";

#[derive(Args, Debug)]
pub(crate) struct Simulate {
    /// A scenario file; - reads standard input
    file: PathBuf,
    /// Start from the present state of the server; it declares nothing that exists
    #[arg(long)]
    from_server: bool,
    /// Lines for people, or one document for programs
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Simulate {
    pub(crate) fn run(self, connection: &Connection) -> Outcome {
        let source = read(&self.file)?;
        if self.from_server {
            return self.on_server(connection, source);
        }
        match run(&source) {
            Ok(recording) => match self.output {
                Format::Text => print(&text::render(&recording.report)),
                Format::Json => print(&json::render(&recording.report)),
            },
            Err(error @ SimError::File(_)) => {
                Err(Failure::new(Exit::Usage, format!("{}: {error}", self.file.display())))
            }
            Err(error @ SimError::Run(_)) => Err(Failure::new(Exit::Failure, error)),
        }
    }

    fn on_server(&self, connection: &Connection, source: Vec<u8>) -> Outcome {
        let client = Client::new(connection.find()?)?;
        let scenario = String::from_utf8(source)
            .map_err(|_| Failure::usage(format!("{}: expected UTF-8 text", self.file.display())))?;
        let ask = Ask::post("/api/v1/simulations", &SimulationRequest { scenario, from_server: true })?;
        let answer = client.send(&ask)?;
        match self.output {
            Format::Json => print(&format!("{}\n", String::from_utf8_lossy(answer.bytes()).trim_end())),
            Format::Text => {
                let simulation: Simulation = answer.json(client.server())?;
                print(&simulation.events.iter().map(event_line).collect::<String>())
            }
        }
    }
}

/// `TIME NAME WORD details`.
fn event_line(event: &Map<String, Value>) -> String {
    let at = event.get("at").and_then(Value::as_f64).unwrap_or(0.0);
    format!("{}  {}\n", short((at * 1_000.0) as u64), in_words(event))
}

/// Reads one byte more than is allowed, so that a file without end is refused like any that is too long.
pub(crate) fn read(file: &Path) -> Outcome<Vec<u8>> {
    let failed = |error: std::io::Error| {
        let exit = if error.kind() == ErrorKind::NotFound { Exit::NotFound } else { Exit::Failure };
        Failure::new(exit, format!("cannot read {}: {error}", file.display()))
            .hint("name a scenario file, or - for standard input")
    };
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    if file == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        std::fs::File::open(file).and_then(|f| f.take(limit).read_to_end(&mut bytes)).map_err(failed)?;
    }
    Ok(bytes)
}
