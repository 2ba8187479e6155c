//! Templates of tasks: whoever names one gives inputs only.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tidegate_engine::ids::{MemberId, Span, Tick, WorkspaceId};
use tidegate_engine::resources::Shape;

/// A template, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TemplateId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    pub id: TemplateId,
    pub name: Box<str>,
    /// Where it may be used; `None`: everywhere.
    pub workspace: Option<WorkspaceId>,
    pub description: Box<str>,
    /// Ascending by number, at least one.
    pub versions: Vec<TemplateVersion>,
    /// Other names of versions, such as `stable`.
    pub aliases: BTreeMap<Box<str>, u32>,
    pub created: Tick,
}

/// What is run. Never changed: a change is another version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateVersion {
    /// From 1.
    pub number: u32,
    pub created: Tick,
    pub by: MemberId,
    pub command: Vec<Box<str>>,
    pub env: BTreeMap<Box<str>, Box<str>>,
    pub shape: Shape,
    /// Names of GPU models that it may run on; none: any.
    pub models: Vec<Box<str>>,
    /// A JSON schema that inputs must fit, as text; `None`: any JSON.
    pub input_schema: Option<Box<str>>,
    pub limits: TaskLimits,
    /// One process does task after task; `None`: each is a process of its own.
    #[serde(default)]
    pub warm: Option<Warm>,
}

/// Processes that do task after task, and wait in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warm {
    /// So many at most wait for another task, for each workspace.
    pub workers: u32,
    /// How long.
    pub idle: Span,
    /// Each does so many; `None`: any number.
    pub tasks: Option<u32>,
    /// How long one may take until it is ready.
    pub start: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskLimits {
    /// Longest run, from each start.
    pub max_run: Option<Span>,
    /// Times that a task is tried again when it fails.
    pub retries: u32,
    /// Bytes of what it may answer as JSON.
    pub output: u64,
    /// Bytes of all files that it may leave.
    pub files: u64,
}

impl Template {
    /// The version of a number, or of an alias; the latest when none is named.
    pub fn version(&self, named: Option<&str>) -> Option<&TemplateVersion> {
        let number = match named {
            None => return self.versions.last(),
            Some(named) => self.aliases.get(named).copied().or_else(|| named.parse().ok())?,
        };
        self.versions.iter().find(|version| version.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_by_number_and_alias_and_the_latest_by_default() {
        let version = |number| TemplateVersion {
            number,
            created: Tick(0),
            by: MemberId(0),
            command: vec!["true".into()],
            env: BTreeMap::new(),
            shape: Shape::with_gpu(0),
            models: Vec::new(),
            input_schema: None,
            limits: TaskLimits { max_run: None, retries: 0, output: 1 << 20, files: 0 },
            warm: None,
        };
        let template = Template {
            id: TemplateId(0),
            name: "resize".into(),
            workspace: None,
            description: "".into(),
            versions: vec![version(1), version(2), version(3)],
            aliases: BTreeMap::from([("stable".into(), 2), ("lost".into(), 9)]),
            created: Tick(0),
        };
        let found = |named| template.version(named).map(|version| version.number);
        assert_eq!(found(None), Some(3));
        assert_eq!(found(Some("1")), Some(1));
        assert_eq!(found(Some("stable")), Some(2));
        for missing in ["lost", "4", "0", "", "beta"] {
            assert_eq!(found(Some(missing)), None, "{missing}");
        }
    }
}
