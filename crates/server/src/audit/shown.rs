//! An entry of the log as somebody may read it.

use super::gone::Gone;
use super::scan::Asked;
use super::{business, record};
use crate::core::entry::Happened;
use crate::core::past;
use crate::core::people_lines::is_only_use;
use crate::core::shell::workload_of;
use crate::core::was::{device_shown, named};
use crate::core::world::World;
use crate::http::auth::Caller;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tidegate_api::amounts::{Figure, Guarantee};
use tidegate_api::audit::{AuditChange, AuditEntry};
use tidegate_api::decimal::Cores;
use tidegate_api::memory::Memory;
use tidegate_api::node::NodeState;
use tidegate_api::quota::QuotaSpec;
use tidegate_api::time::Time;
use tidegate_billing::{Change as BusinessChange, Record as BusinessRecord};
use tidegate_engine::event::StopCause;
use tidegate_engine::ids::{QuotaId, WorkloadId, WorkspaceId};
use tidegate_engine::policy::{self, Source};
use tidegate_engine::reason::Names;
use tidegate_engine::words::EvictionRule;
use tidegate_engine::workload::{Exit, WorkloadSpec};
use tidegate_engine::{Event, EventKind};
use tidegate_identity::{Change, Record};
use tidegate_sim::report::labels::Directory;

/// Said of a change in which nothing else is to be seen.
const SECRET: &str = "what has changed is secret, and is not shown";

/// Who reads, and of which workspace; `None`: of everything.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) world: &'a World,
    pub(super) caller: &'a Caller,
    pub(super) room: Option<WorkspaceId>,
    pub(super) gone: &'a BTreeMap<WorkloadId, Gone>,
}

impl View<'_> {
    /// `None` if it changed nothing that this reader is told of.
    pub(super) fn entry(&self, asked: &Asked) -> Option<AuditEntry> {
        let happened = (asked.first..).zip(asked.body.happened());
        let changes: Vec<AuditChange> = happened
            .filter_map(|(number, happened)| match happened {
                Happened::Event(event) => self.event(number, event, asked.was(number)),
                Happened::People(change) => self.change(number, change),
                Happened::Business(change) => self.business(number, change),
            })
            .collect();
        let origin = &asked.body.origin;
        (!changes.is_empty()).then(|| AuditEntry {
            number: asked.first,
            at: Time::of(asked.at),
            by: origin.by.to_string(),
            operation: origin.operation.to_string(),
            request_id: origin.request.as_deref().map(Into::into),
            from: origin.from.as_deref().map(Into::into),
            changes,
        })
    }

    fn is_told_of(&self, room: Option<WorkspaceId>) -> bool {
        self.room.is_none() || self.room == room
    }

    fn change(&self, number: u64, change: &Change) -> Option<AuditChange> {
        let record = change.after.as_ref().or(change.before.as_ref())?;
        if is_only_use(change) {
            return None;
        }
        let room = record::room(self.world, record);
        if !self.is_told_of(room) {
            return None;
        }
        let shown =
            |side: &Option<Box<Record>>| side.as_ref().map(|record| record::shown(self.world, record));
        let (before, mut after) = (shown(&change.before), shown(&change.after));
        if before == after
            && let Some(after) = &mut after
        {
            after["note"] = json!(SECRET);
        }
        Some(AuditChange {
            number,
            kind: record::kind(record).into(),
            name: record::name(self.world, record),
            workspace: room.map(|room| record::room_name(self.world, room)),
            event: became(change.before.is_some(), change.after.is_some()).into(),
            before,
            after,
        })
    }

    fn business(&self, number: u64, change: &BusinessChange) -> Option<AuditChange> {
        let record = change.after.as_ref().or(change.before.as_ref())?;
        let room = business::room(record);
        if !self.is_told_of(room) {
            return None;
        }
        let shown = |side: &Option<Box<BusinessRecord>>| {
            side.as_ref().map(|record| business::shown(self.world, record))
        };
        Some(AuditChange {
            number,
            kind: business::kind(record).into(),
            name: business::name(self.world, record),
            workspace: room.map(|room| record::room_name(self.world, room)),
            event: became(change.before.is_some(), change.after.is_some()).into(),
            before: shown(&change.before),
            after: shown(&change.after),
        })
    }

    /// `was` is what it changed, where the event itself does not tell.
    fn event(&self, number: u64, event: &Event, was: Option<&Value>) -> Option<AuditChange> {
        match workload_of(&event.kind) {
            Some(id) => self.workload(number, event, id, was),
            None if self.room.is_none() => self.platform(number, event, was),
            None => None,
        }
    }

    /// What was asked to become of a workload. What follows from it for others is told by their own events.
    fn workload(
        &self,
        number: u64,
        event: &Event,
        id: WorkloadId,
        was: Option<&Value>,
    ) -> Option<AuditChange> {
        use EventKind::*;
        let state = |word: &str| Some(json!({"state": word}));
        let (word, before, after) = match &event.kind {
            Queued { spec, .. } => ("submitted", None, Some(self.submitted(spec))),
            Stopped { cause: StopCause::Asked, .. } => ("stopped", was.cloned(), state("stopped")),
            Evicted { cause, exit, replicas, .. } => match (cause.rule, cause.by) {
                (EvictionRule::Stop, _) => {
                    ("stopped", was.cloned().or_else(|| state("running")), state("stopped"))
                }
                (EvictionRule::Restart, _) => ("restarted", state("running"), state("queued")),
                (EvictionRule::Resize | EvictionRule::MaxRun, _) | (_, Some(_)) => return None,
                (rule, None) => ("preempted", state("running"), Some(left(*exit, *replicas, rule.word()))),
            },
            Lost { replicas, .. } => {
                ("preempted", state("running"), Some(left(Exit::Requeue, *replicas, "lost")))
            }
            PriorityChanged { from, to, .. } => {
                let side = |priority: &tidegate_engine::words::Priority| json!({"priority": priority.get()});
                ("changed", Some(side(from)), Some(side(to)))
            }
            Resized { from, to, .. } => {
                ("changed", Some(json!({"replicas": from})), Some(json!({"replicas": to})))
            }
            Forgotten { .. } => {
                let spec = self.gone.get(&id).and_then(|gone| gone.spec.as_deref());
                ("deleted", spec.map(|spec| self.submitted(spec)), None)
            }
            _ => return None,
        };
        let (name, workspace) = self.whose(event, id)?;
        let (kind, event) = ("workload".into(), word.into());
        Some(AuditChange { number, kind, name, workspace, event, before, after })
    }

    fn submitted(&self, spec: &WorkloadSpec) -> Value {
        json!({
            "quota": self.world.quota_name(spec.quota),
            "module": spec.module.word(),
            "priority": spec.priority.get(),
            "replicas": spec.replicas(),
            "gpu": Figure(spec.gpus()),
            "owner": spec.owner.map(|owner| record::user(self.world, owner.member)),
        })
    }

    /// What a workload is called, and its workspace; `None` if the reader is not told of it.
    fn whose(&self, event: &Event, id: WorkloadId) -> Option<(String, Option<String>)> {
        if let Some(of) = self.world.rooms.of(id) {
            let name = self.world.workload_name(id).into_owned();
            let room = record::room_name(self.world, of.workspace);
            return self.is_told_of(Some(of.workspace)).then_some((name, Some(room)));
        }
        if let Some(gone) = self.gone.get(&id) {
            if !self.is_told_of(gone.of.map(|of| of.workspace)) {
                return None;
            }
            let sees = gone.of.is_none_or(|of| self.caller.may_see(&self.world.people, of.into()));
            let name = if sees { gone.name.clone() } else { "a private workload".into() };
            return Some((name, Some(gone.workspace.clone())));
        }
        // The log itself begins later.
        let name = match &event.kind {
            EventKind::Queued { spec, .. } => spec.name.to_string(),
            _ => tidegate_api::uid::workload(id),
        };
        self.room.is_none().then_some((name, None))
    }

    /// Pools, nodes and quotas.
    fn platform(&self, number: u64, event: &Event, was: Option<&Value>) -> Option<AuditChange> {
        use EventKind::*;
        let line = || past::lines(self.world, &[(number, event.clone())], None).pop();
        let (known, was) = was.map(named).unzip();
        let node = |pool, id| known.flatten().unwrap_or_else(|| self.world.node(pool, id));
        let quota = |id| self.world.quota_name(id).into_owned();
        let guarantee =
            |key: &str| line().and_then(|line| line.rest.get(key).map(|of| json!({"guarantee": of})));
        let (kind, name, word, before, after) = match &event.kind {
            PoolCreated { name, kind, .. } => {
                ("pool", name.to_string(), "created", None, Some(json!({"kind": kind.word()})))
            }
            NodeAdded { pool, model, spec, .. } => {
                let after = json!({
                    "pool": self.world.engine.pool(*pool).map(|pool| &pool.name),
                    "gpus": spec.gpus,
                    "model": model,
                    "cpu": Cores::from_milli(spec.cpu as i64),
                    "memory": Memory::new(spec.memory).ok(),
                });
                ("node", spec.name.to_string(), "created", None, Some(after))
            }
            NodeRemoved { pool, node: id } => ("node", node(*pool, *id), "deleted", was, None),
            NodeChanged { pool, node: id, state, reason } => {
                let reason = Some(reason).filter(|reason| !reason.is_empty());
                let after = json!({"state": NodeState::from(*state), "reason": reason});
                ("node", node(*pool, *id), "changed", was, Some(after))
            }
            DeviceChanged { pool, node: id, device, out, reason } => {
                let word = if *out { "quarantined" } else { "restored" };
                let after = device_shown(*device, out.then_some(&**reason));
                ("node", node(*pool, *id), word, was, Some(after))
            }
            QuotaCreated { quota: id, spec } => {
                ("quota", quota(*id), "created", None, Some(self.created(*id, spec)))
            }
            QuotaScaled { quota: id, .. } => {
                ("quota", quota(*id), "scaled", guarantee("from"), guarantee("to"))
            }
            PolicySet { quota: id, before, after } => {
                let policy = |policy| {
                    let mut said = json!(QuotaSpec::with_policy(policy));
                    // No policy says what is guaranteed.
                    said.as_object_mut()?.remove("guarantee");
                    Some(said)
                };
                ("quota", quota(*id), "changed", policy(before), policy(after))
            }
            QuotaDeleted { quota: id } => ("quota", quota(*id), "deleted", was, None),
            _ => return None,
        };
        let (kind, event) = (kind.into(), word.into());
        Some(AuditChange { number, kind, name, workspace: None, event, before, after })
    }

    /// A quota as it was created.
    fn created(&self, id: QuotaId, spec: &policy::QuotaSpec) -> Value {
        let engine = &self.world.engine;
        let (pool, parent) = match spec.source {
            Source::Pool(pool) => (engine.pool(pool).and_then(|pool| pool.name.parse().ok()), None),
            Source::Parent(parent) => (None, engine.quota_name(parent).parse().ok()),
        };
        let guarantee = Guarantee::of(engine, self.world.pool_of(id), &spec.guarantee);
        json!(QuotaSpec { pool, parent, guarantee, ..QuotaSpec::with_policy(&spec.policy) })
    }
}

/// What is left of a workload from which somebody took what it ran on.
fn left(exit: Exit, replicas: u32, rule: &str) -> Value {
    let state = match exit {
        _ if replicas > 0 => "running",
        Exit::Requeue | Exit::Shrink => "queued",
        Exit::Suspend => "suspended",
        Exit::Stop => "stopped",
    };
    json!({"state": state, "replicas": replicas, "rule": rule})
}

/// What became of a record that was there before, or is there after.
fn became(before: bool, after: bool) -> &'static str {
    match (before, after) {
        (false, _) => "created",
        (true, true) => "changed",
        (true, false) => "deleted",
    }
}
