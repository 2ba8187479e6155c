//! Which events a workspace is told of, and in which words. Names of others stay hidden, as they are from its members.

use crate::audit::gone::Gone;
use crate::budgets::written;
use crate::core::entry::{Body, Happened};
use crate::core::past;
use crate::core::seal::{self, Known, Sealed};
use crate::core::shell::workload_of;
use crate::core::world::World;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_billing::Record as Business;
use tidegate_billing::budget::Budget;
use tidegate_engine::ids::{Tick, WorkloadId, WorkspaceId};
use tidegate_engine::{Event, EventKind};
use tidegate_identity::record::{Notice, Webhook};

use super::ledger::Letter;

/// What somebody is told because of an event.
pub(super) fn notice(event: &Event) -> Option<Notice> {
    match &event.kind {
        EventKind::Evicted { cause, .. } if !cause.rule.is_owners() => Some(Notice::Preempted),
        EventKind::Failed { restarts_left: None, .. } => Some(Notice::Failed),
        EventKind::Finished { .. } => Some(Notice::Finished),
        _ => None,
    }
}

/// The events of an entry from a number on that somebody may be told of.
pub(super) fn told(first: u64, from: u64, body: &Body) -> Vec<(u64, Event)> {
    let happened = (first..).zip(body.happened());
    let events = happened.filter_map(|(number, happened)| match happened {
        Happened::Event(event) if number >= from && notice(event).is_some() => Some((number, event.clone())),
        _ => None,
    });
    events.collect()
}

/// Budgets of an entry from a number on of which a level was reached, and when.
pub(super) fn spent(first: u64, from: u64, body: &Body) -> Vec<(u64, Tick, Budget)> {
    let happened = (first..).zip(body.happened()).filter(|(number, _)| *number >= from);
    let budgets = happened.filter_map(|(number, happened)| {
        let Happened::Business(change) = happened else { return None };
        let before = match change.before.as_deref() {
            Some(Business::Budget(before)) => Some(before),
            _ => None,
        };
        match change.after.as_deref() {
            Some(Business::Budget(after)) => after.news(before).map(|_| (number, change.at, after.clone())),
            _ => None,
        }
    });
    budgets.collect()
}

/// All that is to be sent because a level of a budget was reached.
pub(super) fn of_budget(world: &World, number: u64, at: Tick, budget: &Budget) -> Vec<Letter> {
    let Some(spent) = &budget.spent else { return Vec::new() };
    let room = budget.workspace;
    let body = json!({
        "event": Notice::Budget.word(),
        "workspace": world.room_name(room),
        "at": Time::of(at),
        "number": number,
        "detail": {
            "percent": spent.level,
            "spent": written(world, budget, spent.due),
            "amount": written(world, budget, budget.amount),
            "month": Time::of(spent.month),
            "stop": budget.stop,
        },
    });
    posted(world, room, Notice::Budget, String::new(), number, at, &body)
}

/// Workloads of events that have left memory.
pub(super) fn missing(world: &World, events: &[(u64, Event)]) -> BTreeSet<WorkloadId> {
    let ids = events.iter().filter_map(|(_, event)| workload_of(&event.kind));
    ids.filter(|id| world.rooms.of(*id).is_none()).collect()
}

/// All that is to be sent because of one event.
pub(super) fn letters(
    world: &World,
    number: u64,
    event: &Event,
    gone: &BTreeMap<WorkloadId, Gone>,
) -> Vec<Letter> {
    let (Some(notice), Some(id)) = (notice(event), workload_of(&event.kind)) else { return Vec::new() };
    let Some((room, name)) = whose(world, id, gone.get(&id)) else { return Vec::new() };
    let mut detail = detail(world, room, number, event);
    if let Some(record) = world.shell.workloads.get(&id)
        && notice == Notice::Failed
        && let Some(code) = record.exit_code
    {
        detail.insert("exitCode".into(), json!(code));
    }
    let subject = Subject { room, id, name, number, at: event.at };
    to_all(world, &subject, notice, detail)
}

/// What a workspace is told when a workload has waited for too long.
pub(super) fn overdue(world: &World, id: WorkloadId, now: Tick) -> Vec<Letter> {
    let Some((room, name)) = whose(world, id, None) else { return Vec::new() };
    let record = world.shell.workloads.get(&id);
    let number = record.map_or(0, |record| record.version);
    let since = record.map(|record| Time::of(record.waits_since));
    let detail = Map::from_iter([("since".to_string(), json!(since))]);
    to_all(world, &Subject { room, id, name, number, at: now }, Notice::WaitingTooLong, detail)
}

struct Subject {
    room: WorkspaceId,
    id: WorkloadId,
    name: String,
    number: u64,
    at: Tick,
}

fn whose(world: &World, id: WorkloadId, gone: Option<&Gone>) -> Option<(WorkspaceId, String)> {
    match world.rooms.of(id).zip(world.engine.workload(id)) {
        Some((of, w)) => Some((of.workspace, w.spec.name.to_string())),
        None => gone.and_then(|gone| Some((gone.of?.workspace, gone.name.clone()))),
    }
}

/// One letter for each webhook that wants it and was there when it happened.
fn to_all(world: &World, subject: &Subject, notice: Notice, detail: Map<String, Value>) -> Vec<Letter> {
    let Subject { room, id, name, number, at } = subject;
    let body = json!({
        "event": notice.word(),
        "workspace": world.room_name(*room),
        "workload": name,
        "uid": uid::workload(*id),
        "at": Time::of(*at),
        "number": number,
        "detail": detail,
    });
    posted(world, *room, notice, name.clone(), *number, *at, &body)
}

fn posted(
    world: &World,
    room: WorkspaceId,
    notice: Notice,
    workload: String,
    number: u64,
    at: Tick,
    body: &Value,
) -> Vec<Letter> {
    let wants = |hook: &&Webhook| hook.notices.contains(&notice) && hook.created <= at;
    let hooks = world.people.webhooks(room).filter(wants);
    hooks
        .map(|hook| Letter {
            room,
            hook: hook.name.to_string(),
            created: hook.created,
            event: notice.word(),
            workload: workload.clone(),
            number,
            at,
            body: body.to_string(),
        })
        .collect()
}

/// What else is known of an event, as a member of the workspace may read it.
fn detail(world: &World, room: WorkspaceId, number: u64, event: &Event) -> Map<String, Value> {
    let Some(line) = past::lines(world, &[(number, event.clone())], None).pop() else { return Map::new() };
    let mut rest = line.rest;
    if line.event != "finished" && line.event != "failed" {
        rest.insert("how".into(), json!(line.event));
    }
    let knows = |what| match what {
        Sealed::Workload(id) => match world.rooms.of(id) {
            Some(of) if of.workspace == room && of.private => Known::Kin,
            Some(of) if of.workspace == room => Known::Name,
            _ => Known::Stranger,
        },
        Sealed::Quota(id) if world.people.may_use(room, id) => Known::Name,
        Sealed::Quota(_) => Known::Stranger,
    };
    let text = seal::open(&Value::Object(rest).to_string(), knows);
    serde_json::from_str(&text).unwrap_or_default()
}
