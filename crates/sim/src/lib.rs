//! Virtual time on the real engine: the scenario language, its runner, its output as text and JSON.
//!
//! | module | what |
//! |---|---|
//! | `language` | text to a tree of statements, or an error with line and column |
//! | `lower` | statements to commands: names are looked up, amounts get their dimensions |
//! | `runner` | virtual time: reports what an executor would; knows nothing of files |
//! | `scenario_run` | a file on the runner |
//! | `report` | events to notes, notes to text or JSON |

pub mod language;
mod lower;
pub mod report;
pub mod runner;
mod scenario_run;

pub use report::Report;
pub use runner::{Bounds, Going, RunError, Runner, Start, Watch, Work};
pub use scenario_run::{Recording, SimError, run, run_within};

/// Reads and runs a file.
pub fn simulate(text: &[u8]) -> Result<Recording, SimError> {
    let scenario = language::parse_bytes(text).map_err(SimError::File)?;
    run(&scenario, &String::from_utf8_lossy(text))
}
