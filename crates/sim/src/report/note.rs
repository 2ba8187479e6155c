//! One line of a report as a value, before it is text or JSON.

use super::figures::Figures;
use super::labels::Directory;
use tidegate_engine::event::{Cause, Event, EventKind, StartKind, StopCause};
use tidegate_engine::ids::Tick;
use tidegate_engine::unit::{Draw, Grant, class_of};
use tidegate_engine::words::{Class, EvictionRule};
use tidegate_engine::workload::Exit;
use tidegate_engine::{Refusal, nodes::NodeState};

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Workload(String),
    Quota(String),
    Node(String),
    /// The whole: a `show`.
    Everything,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub at: Tick,
    pub subject: Subject,
    /// The event's word.
    pub word: &'static str,
    pub detail: Detail,
}

/// Amounts by account, in tree order.
pub type AccountDraws = Vec<(String, Figures)>;

#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    None,
    Queued {
        queue: String,
        reasons: Vec<String>,
    },
    /// `total` counts all that run, `replicas` those that started now.
    Started {
        replicas: u32,
        total: u32,
        draws: AccountDraws,
        class: Class,
    },
    Moved {
        draws: AccountDraws,
        class: Class,
    },
    /// `replicas` that are left, if any. `why` is told in previews; afterwards `explain` tells it.
    Evicted {
        by: Option<String>,
        rule: EvictionRule,
        replicas: u32,
        why: String,
    },
    Lost {
        node: String,
        replicas: u32,
    },
    /// Which restart of how many follows.
    Failed {
        restart: Option<(u32, u32)>,
    },
    Stopped {
        why: Option<&'static str>,
    },
    Refused {
        command: &'static str,
        code: &'static str,
        what: String,
        hint: String,
    },
    Scaled {
        from: Figures,
        to: Figures,
    },
    Amount(Figures),
    Set(Vec<(&'static str, String)>),
    NodeState {
        reason: String,
    },
    Device {
        device: u16,
        reason: String,
    },
    Books(Vec<super::books::Row>),
    Explained(Box<super::explained::Explained>),
    Would {
        command: &'static str,
        notes: Vec<Note>,
    },
}

impl Note {
    pub fn refused(at: Tick, subject: Subject, command: &'static str, refusal: &Refusal) -> Note {
        let detail =
            Detail::Refused { command, code: refusal.code(), what: refusal.what(), hint: refusal.hint() };
        Note { at, subject, word: "refused", detail }
    }

    /// The note of an event; `None` for what people are not told.
    pub fn of(event: &Event, labels: &dyn Directory) -> Option<Note> {
        let (subject, word, detail) = match &event.kind {
            EventKind::QuotaCreated { quota, spec } => {
                let figures = labels.figures(*quota, &spec.guarantee);
                (Subject::Quota(labels.quota(*quota)), "created", Detail::Amount(figures))
            }
            EventKind::QuotaDeleted { quota } => {
                (Subject::Quota(labels.quota(*quota)), "deleted", Detail::None)
            }
            EventKind::QuotaScaled { quota, from, to, .. } => {
                let (from, to) = (labels.figures(*quota, from), labels.figures(*quota, to));
                (Subject::Quota(labels.quota(*quota)), "scaled", Detail::Scaled { from, to })
            }
            EventKind::Overdrawn { quota, by } => {
                let by = Detail::Amount(labels.figures(*quota, by));
                (Subject::Quota(labels.quota(*quota)), "overdrawn", by)
            }
            EventKind::PolicySet { quota, before, after } => {
                let changes = super::policy::changes(before, after);
                (Subject::Quota(labels.quota(*quota)), "set", Detail::Set(changes))
            }
            EventKind::NodeChanged { pool, node, state, reason } => {
                let word = match state {
                    NodeState::Ready => "ready",
                    NodeState::Cordoned => "cordoned",
                    NodeState::Lost => "lost",
                };
                let detail = Detail::NodeState { reason: reason.to_string() };
                (Subject::Node(labels.node(*pool, *node)), word, detail)
            }
            EventKind::DeviceChanged { pool, node, device, out, reason } => {
                let word = if *out { "quarantined" } else { "restored" };
                let detail = Detail::Device { device: *device, reason: reason.to_string() };
                (Subject::Node(labels.node(*pool, *node)), word, detail)
            }
            other => return of_workload(event.at, other, labels),
        };
        Some(Note { at: labels.clock(event.at), subject, word, detail })
    }

    /// The note of work that a program said is saved. The simulator prints none: there it follows from the scenario.
    pub fn saved(event: &Event, labels: &dyn Directory) -> Option<Note> {
        let EventKind::Checkpointed { workload, .. } = &event.kind else { return None };
        let subject = Subject::Workload(labels.workload(*workload));
        Some(Note { at: labels.clock(event.at), subject, word: "saved", detail: Detail::None })
    }
}

fn of_workload(at: Tick, kind: &EventKind, labels: &dyn Directory) -> Option<Note> {
    let (workload, word, detail) = match kind {
        EventKind::Queued { workload, reasons, .. } => {
            let reasons = reasons.iter().map(|reason| reason.text(labels)).collect();
            (workload, "queued", Detail::Queued { queue: labels.queue(*workload), reasons })
        }
        EventKind::HoldLost { workload, by, .. } => {
            let reasons = vec![match by {
                Some(by) => format!("hold taken over by {}", labels.workload(*by)),
                None => "hold lost".into(),
            }];
            (workload, "queued", Detail::Queued { queue: labels.queue(*workload), reasons })
        }
        EventKind::Started { workload, kind, replicas, grants } => {
            let word = match kind {
                StartKind::Started => "started",
                StartKind::Resumed => "resumed",
                StartKind::Grown => "grown",
            };
            (workload, word, started(*replicas, grants, labels))
        }
        EventKind::Moved { workload, draws, .. } => (
            workload,
            "moved",
            Detail::Moved { draws: labels.draws(&draws.iter().collect::<Vec<_>>()), class: class_of(draws) },
        ),
        // Who was asked to stop, and is gone when its grace is over, is reported as stopped then.
        EventKind::Evicted { cause, .. }
            if matches!(cause.rule, EvictionRule::Stop | EvictionRule::MaxRun) =>
        {
            return None;
        }
        EventKind::Evicted { workload, exit, replicas, cause, .. } => {
            let word = match exit {
                _ if *replicas > 0 => "shrunk",
                Exit::Suspend => "suspended",
                _ => "preempted",
            };
            (workload, word, evicted(*replicas, cause, labels))
        }
        EventKind::Lost { workload, node, replicas, .. } => {
            (workload, "lost", Detail::Lost { node: labels.node_of(*workload, *node), replicas: *replicas })
        }
        EventKind::Finished { workload } => (workload, "finished", Detail::None),
        EventKind::Failed { workload, restarts_left } => {
            let all = labels.restarts(*workload);
            let restart = restarts_left.map(|left| (all.saturating_sub(left), all));
            (workload, "failed", Detail::Failed { restart })
        }
        EventKind::Stopped { workload, cause } => {
            let why = match cause {
                StopCause::Asked => None,
                StopCause::MaxRun => Some("max-run"),
                StopCause::OnPreempt => Some("on-preempt"),
            };
            (workload, "stopped", Detail::Stopped { why })
        }
        _ => return None,
    };
    let at = labels.clock(at);
    Some(Note { at, subject: Subject::Workload(labels.workload(*workload)), word, detail })
}

fn started(total: u32, grants: &[Grant], labels: &dyn Directory) -> Detail {
    let draws: Vec<&Draw> = grants.iter().flat_map(|grant| grant.draws.iter()).collect();
    Detail::Started {
        replicas: grants.iter().map(|grant| grant.slots.len() as u32).sum(),
        total,
        draws: labels.draws(&draws),
        class: grants.iter().map(Grant::class).min().unwrap_or(Class::Firm),
    }
}

fn evicted(replicas: u32, cause: &Cause, labels: &dyn Directory) -> Detail {
    let by = cause.by.map(|by| labels.workload(by));
    Detail::Evicted { by, rule: cause.rule, replicas, why: cause.why() }
}
