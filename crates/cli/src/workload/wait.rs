//! Waits until a workload has ended, and says as it said.

use super::PATH;
use super::show::{exit, sentence, why};
use crate::client::Client;
use crate::clock;
use crate::exit::{Exit, Failure, Outcome, note};
use std::time::Duration;
use tidegate_api::duration;
use tidegate_api::workload::{Workload, WorkloadState};

/// Time between two looks at first, and at most: short jobs are seen at once, long ones cost nothing.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const SLOWEST: Duration = Duration::from_secs(1);

/// `at_end` is called once it has ended, before that is told.
pub(crate) fn wait(
    client: &Client,
    submitted: &Workload,
    timeout: Option<duration::Duration>,
    at_end: impl FnOnce(),
) -> Outcome {
    let begun = clock::instant();
    let limit = timeout.map(|timeout| Duration::from_millis(timeout.span().0));
    let uid = &submitted.metadata.uid;
    let mut told = sentence(submitted);
    let mut look = FIRST_LOOK;
    loop {
        let workload: Workload = client.get(format!("{PATH}/{uid}"))?;
        if workload.status.state.is_ended() {
            at_end();
            return ended(&workload);
        }
        let now = sentence(&workload);
        if now != told {
            note(&now);
            told = now;
        }
        let passed = clock::instant().duration_since(begun);
        let left = limit.map(|limit| limit.saturating_sub(passed));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(late(&workload, limit.unwrap_or(passed)));
        }
        clock::pause(left.map_or(look, |left| left.min(look)));
        look = (look * 2).min(SLOWEST);
    }
}

fn late(workload: &Workload, passed: Duration) -> Failure {
    let (name, state) = (&workload.metadata.name, workload.status.state.word());
    let after = clock::short(passed.as_millis() as u64);
    let mut failure = Failure::new(Exit::TimedOut, format!("{name} is still {state} after {after}"));
    let why = why(workload, true);
    if !why.is_empty() {
        failure = failure.figure(why);
    }
    failure.hint(format!("it goes on by itself; `tidegate stop {name}` ends it"))
}

/// As the job ended, so do we.
fn ended(workload: &Workload) -> Outcome {
    let name = &workload.metadata.name;
    match workload.status.state {
        WorkloadState::Finished => Ok(()),
        WorkloadState::Stopped => Err(Failure::new(Exit::Failure, format!("{name} was stopped"))),
        _ => {
            let code = workload.status.exit_code;
            note(match exit(workload) {
                Some(exit) => format!("{name} failed with {exit}"),
                None => format!("{name} failed"),
            });
            let code = code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0);
            Err(Failure::silent(code.unwrap_or(Exit::Failure as u8)))
        }
    }
}
