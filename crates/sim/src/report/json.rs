//! Notes as one JSON document: `{"events":[...],"final":{...}}`.

use super::note::{AccountDraws, Detail, Note, Subject};
use super::{Report, books};
use serde_json::{Map, Value, json};
use tidegate_engine::ids::Tick;

/// The document, on one line, with its newline.
pub fn render(report: &Report) -> String {
    let mut text = document(report).to_string();
    text.push('\n');
    text
}

pub fn document(report: &Report) -> Value {
    let workloads: Map<String, Value> =
        report.workloads.iter().map(|(name, end)| (name.clone(), end.json())).collect();
    json!({
        "events": report.notes.iter().map(event).collect::<Vec<_>>(),
        "final": { "books": books::json(&report.books), "workloads": workloads },
    })
}

/// Seconds: a whole number unless milliseconds count.
pub(super) fn seconds(at: Tick) -> Value {
    if at.0.is_multiple_of(1_000) { json!(at.0 / 1_000) } else { json!(at.0 as f64 / 1_000.0) }
}

fn event(note: &Note) -> Value {
    let mut object = Map::new();
    object.insert("at".into(), seconds(note.at));
    match &note.subject {
        Subject::Workload(name) => _ = object.insert("workload".into(), json!(name)),
        Subject::Quota(name) => _ = object.insert("quota".into(), json!(name)),
        Subject::Node(name) => _ = object.insert("node".into(), json!(name)),
        Subject::Everything => {}
    }
    object.insert("event".into(), json!(note.word));
    object.extend(fields(note).into_iter().map(|(key, value)| (key.to_string(), value)));
    Value::Object(object)
}

/// What a preview tells of an event: also why the one who leaves is that one.
fn would(note: &Note) -> Value {
    let mut value = event(note);
    if let (Detail::Evicted { why, .. }, Some(object)) = (&note.detail, value.as_object_mut()) {
        object.insert("why".into(), json!(why));
    }
    value
}

/// What there is to say beside time, subject and word.
pub fn fields(note: &Note) -> Vec<(&'static str, Value)> {
    match &note.detail {
        Detail::None => Vec::new(),
        Detail::Queued { queue, reasons } => vec![("queue", json!(queue)), ("reasons", json!(reasons))],
        Detail::Started { replicas, total, draws: by_account, class } => {
            let replicas = if note.word == "grown" { total } else { replicas };
            vec![("replicas", json!(replicas)), ("draws", draws(by_account)), ("class", json!(class.word()))]
        }
        Detail::Moved { draws: by_account, class } => {
            vec![("draws", draws(by_account)), ("class", json!(class.word()))]
        }
        Detail::Evicted { by, rule, replicas, .. } => {
            let mut fields = Vec::new();
            fields.extend((*replicas > 0).then(|| ("replicas", json!(replicas))));
            fields.extend(by.as_ref().map(|by| ("by", json!(by))));
            fields.push(("rule", json!(rule.word())));
            fields
        }
        Detail::Lost { node, replicas } => vec![("on", json!(node)), ("replicas", json!(replicas))],
        Detail::Failed { restart: Some((number, all)) } => {
            vec![("restart", json!(number)), ("restarts", json!(all))]
        }
        Detail::Failed { restart: None } | Detail::Stopped { why: None } => Vec::new(),
        Detail::Stopped { why } => vec![("why", json!(why))],
        Detail::Refused { command, code, what, hint } => vec![
            ("command", json!(command)),
            ("code", json!(code)),
            ("reasons", json!([what])),
            ("hint", json!(hint)),
        ],
        Detail::Scaled { from, to } => vec![("from", from.json()), ("to", to.json())],
        Detail::Amount(figures) if note.word == "overdrawn" => vec![("by", figures.json())],
        Detail::Amount(figures) => vec![("guarantee", figures.json())],
        Detail::Set(changes) => {
            let set: Map<String, Value> =
                changes.iter().map(|(key, value)| (key.to_string(), json!(value))).collect();
            vec![("set", Value::Object(set))]
        }
        Detail::NodeState { reason } if reason.is_empty() => Vec::new(),
        Detail::NodeState { reason } => vec![("reason", json!(reason))],
        Detail::Device { device, reason } if reason.is_empty() => vec![("device", json!(device))],
        Detail::Device { device, reason } => vec![("device", json!(device)), ("reason", json!(reason))],
        Detail::Books(rows) => vec![("books", books::json(rows))],
        Detail::Explained(explained) => explained.fields(),
        Detail::Would { command, notes } => {
            let would: Vec<Value> = notes.iter().map(would).collect();
            vec![("command", json!(command)), ("would", json!(would))]
        }
    }
}

pub(super) fn draws(by_account: &AccountDraws) -> Value {
    Value::Object(by_account.iter().map(|(account, figures)| (account.clone(), figures.json())).collect())
}
