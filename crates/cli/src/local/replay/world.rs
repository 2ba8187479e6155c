//! Pools and quotas that a trace is replayed on.

use super::trace::Job;
use crate::exit::{Exit, Failure, Outcome};
use std::collections::BTreeSet;
use std::path::Path;
use tidegate_engine::Engine;
use tidegate_sim::{SimError, language, simulate};

/// The root above the quotas of a trace.
const ROOT: &str = "all-quotas";

/// The declarations of a scenario file.
pub(super) fn of_file(file: &Path) -> Outcome<Engine> {
    let text = crate::local::simulate::read(file)?;
    let wrong = |why: String| Failure::usage(format!("{}: {why}", file.display()));
    let scenario = language::parse_bytes(&text).map_err(|error| wrong(error.to_string()))?;
    if let Some(line) = scenario.lines.first() {
        let what = format!("line {}: a world has no events", line.place.line);
        return Err(wrong(what).hint("keep the lines that begin with pool and quota"));
    }
    declared(&text).map_err(|error| wrong(error.to_string()))
}

/// One pool, split evenly between the quotas that the trace names; what is left goes to the first ones.
pub(super) fn even(jobs: &[Job], (nodes, gpus): (u32, u32)) -> Outcome<Engine> {
    let names: BTreeSet<&str> = jobs.iter().map(|job| &*job.quota).collect();
    let all = u64::from(nodes) * u64::from(gpus);
    let (each, more) = (all / names.len().max(1) as u64, all % names.len().max(1) as u64);
    let mut text = format!("pool replay {nodes}x{gpus} GPU\nquota {ROOT} {all} pool=replay\n");
    for (index, name) in names.iter().enumerate() {
        let share = each + u64::from((index as u64) < more);
        text.push_str(&format!("quota {name} {share} parent={ROOT}\n"));
    }
    declared(text.as_bytes()).map_err(|error| {
        Failure::new(
            Exit::Usage,
            format!("{all} GPUs cannot be split between {} quotas: {error}", names.len()),
        )
        .hint("describe the quotas in a file, and name it with --world")
    })
}

fn declared(text: &[u8]) -> Result<Engine, SimError> {
    simulate(text).map(|recording| recording.engine)
}
