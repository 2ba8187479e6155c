//! Requests for every operation of the document: as they should be, and broken in one way or another.

use super::dice::Dice;
use super::schema::{NAMES, break_one, break_text, fitting, odd};
use serde_json::Value;
use std::fmt::Write as _;

#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) about: Value,
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Option<Vec<u8>>,
    /// The path is not one of this operation any more.
    pub(crate) astray: bool,
}

const PATHS: [&str; 8] =
    ["%00", "..", "%2e%2e%2f", "a%2Fb", "%f0%9f%9a%80", "w-99999999999999999999", "a:b", "%ff"];
const TYPES: [&str; 7] = [
    "application/json",
    "application/json; charset=utf-8",
    "application/yaml",
    "text/plain",
    "multipart/form-data",
    "\u{e4}",
    "",
];

/// Percent-encodes all but what is plain.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => out.push(byte as char),
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

pub(crate) fn request(document: &Value, operation: &Operation, dice: &mut Dice) -> Request {
    let mut astray = false;
    let mut target = operation.path.replace("{name}", NAMES[dice.below(NAMES.len())]);
    if operation.path.contains("{name}") && dice.once_in(6) {
        astray = true;
        let long = "n".repeat(3_000);
        let name = if dice.once_in(4) { long.as_str() } else { PATHS[dice.below(PATHS.len())] };
        target = operation.path.replace("{name}", name);
    }
    let mut headers = Vec::new();
    let mut query = Vec::new();
    for parameter in operation.about["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        if name == "name" && parameter["in"] == "path" || !dice.once_in(2) {
            continue;
        }
        let value =
            if dice.once_in(4) { odd(dice) } else { fitting(document, &parameter["schema"], dice, 0) };
        let value: String = text(&value).chars().take(2_000).collect();
        match (parameter["in"].as_str(), name) {
            (Some("query"), _) => query.push(format!("{name}={}", encoded(&value))),
            (_, "If-Match") => headers.push((
                "if-match",
                dice.pick(&["*", "\"1\"", "1", "W/\"2\", \"3\"", "\"\u{e4}"]).as_bytes().to_vec(),
            )),
            (_, "Idempotency-Key") => {
                let key = if dice.once_in(3) { value } else { format!("key-{}", dice.below(20)) };
                headers.push(("idempotency-key", key.into_bytes()));
            }
            (_, "Last-Event-ID") => headers.push(("last-event-id", value.into_bytes())),
            _ => {}
        }
    }
    if dice.once_in(15) {
        query.push(
            dice.pick(&["unknown=1", "dryRun=maybe", "limit=-1", "=&&", "%ff=%00", "limit=1&limit=2"])
                .to_string(),
        );
    }
    if !query.is_empty() {
        target = format!("{target}?{}", query.join("&"));
    }
    let mut body = None;
    if let Some(content) = operation.about["requestBody"]["content"].as_object() {
        let (kind, media) = content.iter().nth(dice.below(content.len())).expect("a media type");
        let mut value = fitting(document, &media["schema"], dice, 0);
        let broken = dice.below(3);
        if broken > 0 {
            (0..broken).for_each(|_| break_one(&mut value, dice));
        }
        let written = value.to_string();
        body = Some(if dice.once_in(6) { break_text(&written, dice) } else { written.into_bytes() });
        let kind = if dice.once_in(10) { dice.pick(&TYPES).to_string() } else { kind.clone() };
        headers.push(("content-type", kind.into_bytes()));
    }
    Request { method: operation.method.clone(), target, headers, body, astray }
}
