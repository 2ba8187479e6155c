//! One entry of the log: what one request, report or timer brought about.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tidegate_billing::Change as BusinessChange;
use tidegate_engine::Event;
use tidegate_engine::ids::WorkloadId;
use tidegate_identity::Change;

/// The version of entries that this release writes. It reads all up to it.
pub const VERSION: u32 = 3;

/// Who asked, and in which words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// A user; `system` for timers, `executor` for reports.
    pub by: Arc<str>,
    /// What was asked for, such as `quota.scale`.
    pub operation: Arc<str>,
    /// The id of the request, as in its answer and in the server's own log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Arc<str>>,
    /// The address that the request came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Arc<str>>,
}

impl Origin {
    pub fn new(by: &str, operation: &str) -> Origin {
        Origin { by: by.into(), operation: operation.into(), request: None, from: None }
    }
}

/// What the engine is not told and people want to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Fact {
    /// A unit's processes ended by themselves.
    Exited {
        workload: WorkloadId,
        unit: u32,
        code: i32,
        /// What the code does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<Box<str>>,
        /// Of a task for workers: whether one that waited took it, or one was started for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warm: Option<bool>,
    },
    /// It is stopped, and nobody asked for it.
    Stopped {
        workload: WorkloadId,
        /// Who stops it and why, for people.
        why: Box<str>,
    },
}

/// Writes and reads as JSON; fields that are added later need a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    pub v: u32,
    #[serde(flatten)]
    pub origin: Arc<Origin>,
    pub events: Vec<Event>,
    /// How many events each of its commands brought about; empty if it was one command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// What became of users and workspaces, each with its place among all that the entry counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<(u32, Change)>,
    /// What became of price books, templates and the like, with their places, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub business: Vec<(u32, BusinessChange)>,
    /// How things were that were changed by events which do not say it, as the audit shows them, with the places of
    /// those events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<(u32, serde_json::Value)>,
}

/// One thing of an entry that has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened<'a> {
    Event(&'a Event),
    People(&'a Change),
    Business(&'a BusinessChange),
}

/// Why an entry cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// A later release wrote it.
    Newer {
        found: u32,
    },
    Malformed(serde_json::Error),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unreadable::Newer { found } => {
                write!(f, "it has version {found}, and this release reads versions up to {VERSION}")
            }
            Unreadable::Malformed(error) => write!(f, "it is not an entry: {error}"),
        }
    }
}

impl Body {
    /// How many numbers it takes.
    pub fn count(&self) -> usize {
        self.events.len() + self.people.len() + self.business.len()
    }

    /// All that happened, in order.
    pub fn happened(&self) -> impl Iterator<Item = Happened<'_>> {
        let (mut events, mut people) = (self.events.iter(), self.people.iter().peekable());
        let mut business = self.business.iter().peekable();
        (0..self.count()).map_while(move |place| {
            if let Some((_, change)) = people.next_if(|(at, _)| *at as usize == place) {
                return Some(Happened::People(change));
            }
            if let Some((_, change)) = business.next_if(|(at, _)| *at as usize == place) {
                return Some(Happened::Business(change));
            }
            events.next().map(Happened::Event)
        })
    }

    /// Its events, command by command.
    pub fn commands(&self) -> impl Iterator<Item = &[Event]> {
        let mut rest = &self.events[..];
        let one = self.steps.is_empty().then_some(self.events.len());
        one.into_iter().chain(self.steps.iter().map(|step| *step as usize)).map(move |count| {
            let (command, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            command
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        // Room for a submission that starts at once: growing on the way costs as much as writing.
        let mut bytes = Vec::with_capacity(1_536);
        self.encode_into(&mut bytes);
        bytes
    }

    /// Writes it after what is there.
    pub fn encode_into(&self, bytes: &mut Vec<u8>) {
        serde_json::to_writer(bytes, self).expect("events are plain data");
    }

    pub fn decode(bytes: &[u8]) -> Result<Body, Unreadable> {
        #[derive(Deserialize)]
        struct Head {
            v: u32,
        }
        serde_json::from_slice(bytes).map_err(|error| match serde_json::from_slice::<Head>(bytes) {
            Ok(Head { v }) if v > VERSION => Unreadable::Newer { found: v },
            _ => Unreadable::Malformed(error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_engine::EventKind;
    use tidegate_engine::ids::{PoolId, Tick};
    use tidegate_engine::words::PoolKind;

    fn body() -> Body {
        let kind = EventKind::PoolCreated { pool: PoolId(0), name: "h100".into(), kind: PoolKind::General };
        Body {
            v: VERSION,
            origin: Arc::new(Origin { request: Some("r-1".into()), ..Origin::new("admin", "pool.create") }),
            events: vec![Event { at: Tick(1_000), kind }],
            steps: Vec::new(),
            facts: vec![
                Fact::Exited {
                    workload: WorkloadId(7),
                    unit: 0,
                    code: 137,
                    detail: Some("killed".into()),
                    warm: None,
                },
                Fact::Exited { workload: WorkloadId(8), unit: 0, code: 1, detail: None, warm: Some(true) },
                Fact::Stopped { workload: WorkloadId(9), why: "nobody used it".into() },
            ],
            people: Vec::new(),
            business: Vec::new(),
            was: vec![(0, serde_json::json!({"state": "ready"}))],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Body::decode(&body().encode()).expect("reads"), body());
    }

    #[test]
    fn each_thing_comes_at_its_place() {
        let mut body = body();
        body.events = vec![body.events[0].clone(); 3];
        let nobody = Change { at: Tick(1), before: None, after: None };
        let nothing = BusinessChange { at: Tick(1), before: None, after: None };
        body.people = vec![(1, nobody.clone()), (4, nobody)];
        body.business = vec![(0, nothing.clone()), (5, nothing)];
        let told: String = body
            .happened()
            .map(|happened| match happened {
                Happened::Event(_) => 'e',
                Happened::People(_) => 'p',
                Happened::Business(_) => 'b',
            })
            .collect();
        assert_eq!(told, "bpeepbe");
        assert_eq!(Body::decode(&body.encode()).expect("reads"), body);
    }

    #[test]
    fn commands_are_told_apart() {
        let mut body = body();
        body.events = vec![body.events[0].clone(); 5];
        let lengths = |body: &Body| body.commands().map(<[Event]>::len).collect::<Vec<_>>();
        assert_eq!(lengths(&body), [5]);
        body.steps = vec![2, 0, 3];
        assert_eq!(lengths(&body), [2, 0, 3]);
    }

    #[test]
    fn a_later_version_is_told_from_garbage() {
        assert!(matches!(Body::decode(br#"{"v":4,"new":1}"#), Err(Unreadable::Newer { found: 4 })));
        assert!(matches!(Body::decode(br#"{"v":1}"#), Err(Unreadable::Malformed(_))));
        assert!(matches!(Body::decode(b"\xff"), Err(Unreadable::Malformed(_))));
    }
}
