//! Events as watchers read them: the words and fields of the simulator's JSON, with a number and the time of day.

use super::hub::{Kind, Line, Topic};
use super::seal;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tidegate_api::time::Time;
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::{Engine, Event};
use tidegate_sim::report::json::fields;
use tidegate_sim::report::labels::Directory;
use tidegate_sim::report::note::{Detail, Note, Subject};

/// The line of an event; `None` for what people are not told. The engine has applied it. Its names may be under seal.
/// `stopped` says who stopped its workload and why, where nobody asked for it.
pub fn line(
    names: &dyn Directory,
    engine: &Engine,
    number: u64,
    event: &Event,
    stopped: Option<&str>,
) -> Option<Line> {
    let note = Note::of(event, names).or_else(|| Note::saved(event, names))?;
    let (kind, shown) = match &note.subject {
        Subject::Workload(name) => (Kind::Workload, name.as_str()),
        Subject::Quota(name) => (Kind::Quota, name.as_str()),
        Subject::Node(name) => (Kind::Node, name.as_str()),
        Subject::Everything => return None,
    };
    let workload = super::shell::workload_of(&event.kind);
    let shown: Arc<str> = shown.into();
    // Filters are about names as they are.
    let name = if seal::is_sealed(&shown) { seal::open_all(&shown).into() } else { shown.clone() };
    let quota = match kind {
        Kind::Quota => Some(name.clone()),
        _ => workload
            .and_then(|id| engine.workload(id))
            .and_then(|w| engine.quota(w.spec.quota))
            .map(|quota| Arc::from(&*quota.name)),
    };
    let topic = Topic { kind, name, quota, workload, whose: None };
    let word = note.word;
    // Names and figures are of this moment; they are written out when somebody reads them.
    let why = stopped.filter(|_| matches!(note.detail, Detail::Stopped { why: None })).map(Box::<str>::from);
    let write = move || json(number, kind, &shown, workload, &note, why.as_deref());
    Some(Line::new(number, word, topic, write))
}

fn json(
    number: u64,
    kind: Kind,
    name: &str,
    workload: Option<WorkloadId>,
    note: &Note,
    stopped: Option<&str>,
) -> String {
    let mut object = Map::new();
    object.insert("number".into(), json!(number));
    object.insert("at".into(), json!(Time::from(note.at)));
    object.insert(kind.word().into(), json!(name));
    if let Some(id) = workload {
        object.insert("uid".into(), json!(seal::uid_like(name, id)));
    }
    object.insert("event".into(), json!(note.word));
    object.extend(fields(note).into_iter().map(|(key, value)| (key.to_string(), value)));
    if let Detail::Evicted { why, .. } = &note.detail {
        object.insert("why".into(), json!(why));
    }
    if let Some(why) = stopped {
        object.insert("why".into(), json!(why));
    }
    Value::Object(object).to_string()
}
