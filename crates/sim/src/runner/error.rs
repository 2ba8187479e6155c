//! Why a run could not go on: a fault of ours, or more than it may cost.

use std::fmt;
use tidegate_engine::Refusal;
use tidegate_engine::ids::Tick;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The checker disagrees with the engine.
    Violation { at: Tick, text: String },
    /// The engine refused what it had asked for.
    Refused { what: &'static str, at: Tick, refusal: String },
    /// Time stands still.
    Stuck { at: Tick, steps: u32 },
    /// It costs more than its bounds allow.
    TooLong { at: Tick, events: u64 },
    /// Nobody waits for it any more.
    Cut { at: Tick },
    /// A preview said something else than the change did.
    Preview { at: Tick },
}

impl RunError {
    pub(super) fn refused(what: &'static str, at: Tick, refusal: Refusal) -> RunError {
        RunError::Refused { what, at, refusal: refusal.to_string() }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Violation { at, text } => write!(f, "the checker found at {} ms: {text}", at.0),
            RunError::Refused { what, at, refusal } => {
                write!(f, "{what} at {} ms was refused: {refusal}", at.0)
            }
            RunError::Stuck { at, steps } => {
                write!(f, "time stands still at {} ms after {steps} steps", at.0)
            }
            RunError::TooLong { at, events } => {
                write!(f, "the run does not end within its bounds: {events} events up to {at}")
            }
            RunError::Cut { at } => write!(f, "the run was cut off at {at}"),
            RunError::Preview { at } => write!(f, "a preview at {} ms disagrees with the change", at.0),
        }
    }
}

impl std::error::Error for RunError {}
