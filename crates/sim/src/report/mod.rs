//! What a run tells people and programs: values first, then text or JSON.

pub(crate) mod books;
pub mod explained;
pub mod figures;
pub mod json;
pub mod labels;
pub mod note;
mod policy;
#[cfg(test)]
mod tests;
pub mod text;

use serde_json::{Value, json};

/// All that a run has to tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// In the order of decision.
    pub notes: Vec<note::Note>,
    /// The books at the end.
    pub books: Vec<books::Row>,
    /// By name, in order of submission.
    pub workloads: Vec<(String, End)>,
}

/// How a workload stood at the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub state: &'static str,
    pub preemptions: u32,
    pub failures: u32,
}

impl End {
    fn json(&self) -> Value {
        json!({ "state": self.state, "preemptions": self.preemptions, "failures": self.failures })
    }
}
