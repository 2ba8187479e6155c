//! Events in words, as the simulator prints them.

use super::style::Style;
use serde_json::{Map, Value};
use tidegate_api::event::Event;

/// Fields of records, with what they are called; what belongs to a workspace comes before it.
const RECORDS: [(&str, &str); 13] = [
    ("member", "member"),
    ("policy", "policy"),
    ("webhook", "webhook"),
    ("user", "user"),
    ("role", "role"),
    ("token", "token"),
    ("priceBook", "price book"),
    ("template", "template"),
    ("resourceRequest", "resource request"),
    ("resourceConfig", "resource config"),
    ("budget", "budget"),
    ("correction", "correction"),
    ("workspace", "workspace"),
];

/// Whom an event is about.
pub(crate) fn subject(event: &Event) -> &str {
    let names = [&event.workload, &event.quota, &event.node];
    let records = || RECORDS.iter().find_map(|(key, _)| event.rest.get(*key)?.as_str());
    names.into_iter().flatten().next().map(String::as_str).or_else(records).unwrap_or_default()
}

/// `webhook of team-b`: what it is that was created, changed or deleted.
fn kind(rest: &Map<String, Value>) -> Option<String> {
    let (key, kind) = RECORDS.iter().find(|(key, _)| rest.contains_key(*key))?;
    let room = rest.get("workspace").filter(|_| *key != "workspace").map(plain);
    Some(room.map_or_else(|| kind.to_string(), |room| format!("{kind} of {room}")))
}

/// `NAME WORD details`, without the time.
pub(crate) fn line(event: &Event) -> String {
    let style = match event.event.as_str() {
        "started" | "resumed" | "grown" => Style::Good,
        "preempted" | "shrunk" | "suspended" | "queued" | "overdrawn" => Style::Waiting,
        "failed" | "lost" | "refused" => Style::Bad,
        _ => Style::Plain,
    };
    let details = details(&event.event, &event.rest);
    let line = format!("{} {} {details}", subject(event), style.paint(&event.event));
    line.trim_end().to_string()
}

/// The same of an event of the simulator, whose time is counted from zero.
pub(crate) fn in_words(event: &Map<String, Value>) -> String {
    let name = ["workload", "quota", "node"].iter().find_map(|key| event.get(*key)).map(plain);
    let word = event.get("event").map(plain).unwrap_or_default();
    let line = format!("{} {word} {}", name.unwrap_or_default(), details(&word, event));
    line.trim().to_string()
}

/// The same with the time of day before it.
pub(crate) fn timed(event: &Event) -> String {
    format!("{}  {}", event.at, line(event))
}

/// What there is to say beside the subject and the word.
fn details(word: &str, rest: &Map<String, Value>) -> String {
    let text = |key: &str| rest.get(key).map(plain);
    let mut parts: Vec<String> = Vec::new();
    parts.extend(kind(rest).map(|kind| format!("({kind})")));
    let replicas = text("replicas").map(|count| {
        let noun = if count == "1" { "replica" } else { "replicas" };
        match word {
            "shrunk" | "grown" => format!("to {count} {noun}"),
            _ => format!("{count} {noun}"),
        }
    });
    parts.extend(text("queue"));
    parts.extend(replicas);
    parts.extend(text("draws"));
    parts.extend(text("class").map(|class| format!("({class})")));
    if word == "overdrawn" {
        parts.extend(text("by").map(|figures| format!("by {figures}")));
    } else {
        parts.extend(text("by").map(|who| format!("by {who}")));
    }
    parts.extend(text("rule").map(|rule| format!("({rule})")));
    parts.extend(text("on").map(|node| format!("on {node}")));
    if let (Some(number), Some(all)) = (text("restart"), text("restarts")) {
        parts.push(format!("restart {number} of {all}"));
    }
    if let (Some(from), Some(to)) = (text("from"), text("to")) {
        parts.push(format!("{from} -> {to}"));
    }
    parts.extend(text("guarantee"));
    parts.extend(text("set"));
    parts.extend(text("reason"));
    let mut line = parts.join(" ");
    let reasons: Vec<String> = rest.get("reasons").and_then(Value::as_array).map_or(Vec::new(), |all| {
        all.iter().map(|reason| reason.get("text").map_or_else(|| plain(reason), plain)).collect()
    });
    let why: Vec<String> = reasons.into_iter().chain(text("why")).collect();
    if !why.is_empty() {
        line.push_str(&format!(": {}", why.join("; ")));
    }
    line
}

/// `{"Q":8,"R":4}` as `Q:8 R:4`, text without its quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        Value::Object(fields) => {
            let each: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}:{}", plain(value))).collect();
            each.join(" ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: &str) -> String {
        line(&serde_json::from_str(json).expect("an event"))
    }

    #[test]
    fn events_read_like_the_simulators() {
        for (json, text) in [
            (
                r#"{"at":"2026-01-31T08:00:00Z","workload":"b1","event":"queued","queue":"Q","reasons":[]}"#,
                "b1 queued Q",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","workload":"x","event":"queued","queue":"Q","reasons":["short 8 of 8 GPUs","more"]}"#,
                "x queued Q: short 8 of 8 GPUs; more",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","workload":"a","event":"started","replicas":4,"draws":{"Q":8,"R":24},"class":"firm"}"#,
                "a started 4 replicas Q:8 R:24 (firm)",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","workload":"b","event":"preempted","by":"a","rule":"child-level","why":"cheap"}"#,
                "b preempted by a (child-level): cheap",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","workload":"s","event":"shrunk","replicas":2,"by":"a","rule":"recall"}"#,
                "s shrunk to 2 replicas by a (recall)",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","quota":"Q","event":"scaled","from":48,"to":56}"#,
                "Q scaled 48 -> 56",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","node":"n","event":"cordoned","reason":"fan"}"#,
                "n cordoned fan",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","webhook":"chat","workspace":"team-b","event":"created"}"#,
                "chat created (webhook of team-b)",
            ),
            (
                r#"{"at":"2026-01-31T08:00:00Z","workspace":"team-b","event":"deleted"}"#,
                "team-b deleted (workspace)",
            ),
        ] {
            assert_eq!(said(json), text);
        }
    }
}
