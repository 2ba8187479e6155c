//! Values that fit a schema of the document, and values that do not.

use super::dice::Dice;
use serde_json::{Map, Value, json};

/// Names that exist on the server under test, and one that does not.
pub(crate) const NAMES: [&str; 6] = ["main", "local", "local-0", "team", "job", "nobody"];
/// Deeper schemas get the smallest value that fits.
const DEEP: usize = 8;

/// A value that fits, as far as the schema tells.
pub(crate) fn fitting(document: &Value, schema: &Value, dice: &mut Dice, depth: usize) -> Value {
    if let Some(target) = schema["$ref"].as_str() {
        let target = document.pointer(target.trim_start_matches('#')).expect("a reference leads somewhere");
        return fitting(document, target, dice, depth);
    }
    let examples: Vec<&Value> = schema["examples"].as_array().into_iter().flatten().collect();
    if !examples.is_empty() && (schema.get("pattern").is_some() || dice.once_in(3)) {
        return (*dice.pick(&examples)).clone();
    }
    if let Some(words) = schema["enum"].as_array() {
        return dice.pick(words).clone();
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            return fitting(document, dice.pick(choices), dice, depth + 1);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut all = Map::new();
        for part in parts {
            if let Value::Object(object) = fitting(document, part, dice, depth + 1) {
                all.extend(object);
            }
        }
        return Value::Object(all);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::String(kind) => vec![kind],
        _ => vec!["object"],
    };
    match *dice.pick(&kinds) {
        "null" => Value::Null,
        "boolean" => json!(dice.once_in(2)),
        "integer" => json!(number(schema, dice)),
        "number" => json!(number(schema, dice) as f64 / 2.0),
        "string" => json!(dice.pick(&NAMES)),
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
            let count = if depth > DEEP { least } else { least + dice.below(3) };
            (0..count).map(|_| fitting(document, &schema["items"], dice, depth + 1)).collect()
        }
        _ => object(document, schema, dice, depth),
    }
}

fn number(schema: &Value, dice: &mut Dice) -> i64 {
    let least = schema["minimum"].as_i64().unwrap_or(0);
    let most = schema["maximum"].as_i64().unwrap_or(i64::from(u32::MAX));
    if dice.once_in(20) { most } else { (least + dice.below(12) as i64).min(most) }
}

fn object(document: &Value, schema: &Value, dice: &mut Dice, depth: usize) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut object = Map::new();
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let wanted = required.contains(&key.as_str());
        if wanted || (depth <= DEEP && dice.once_in(3)) {
            object.insert(key.clone(), fitting(document, property, dice, depth + 1));
        }
    }
    if schema["additionalProperties"].is_object() && dice.once_in(2) {
        let value = fitting(document, &schema["additionalProperties"], dice, depth + 1);
        object.insert("key".into(), value);
    }
    Value::Object(object)
}

/// Something that hardly anything expects.
pub(crate) fn odd(dice: &mut Dice) -> Value {
    match dice.below(16) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(1e308),
        6 => json!(0.000_000_1),
        7 => json!(""),
        8 => json!("x".repeat(20_000)),
        9 => json!("\u{0}\u{7}\u{1b}[31m"),
        10 => json!("\u{202e}\u{feff}e\u{301}\u{1f680}\u{10ffff}"),
        11 => json!([]),
        12 => json!({}),
        13 => (0..200).fold(json!(1), |inner, _| json!([inner])),
        14 => (0..100).fold(json!(1), |inner, _| json!({ "a": inner })),
        _ => (0..2_000).map(|n| json!(n)).collect(),
    }
}

/// Breaks a value at one place: another value, a field less, a field more.
pub(crate) fn break_one(value: &mut Value, dice: &mut Dice) {
    let deeper = !dice.once_in(3);
    match value {
        Value::Object(object) if !object.is_empty() && deeper => {
            let key = object.keys().nth(dice.below(object.len())).cloned().unwrap_or_default();
            if let Some(inner) = object.get_mut(&key) {
                break_one(inner, dice);
            }
        }
        Value::Array(list) if !list.is_empty() && deeper => {
            let index = dice.below(list.len());
            break_one(&mut list[index], dice);
        }
        Value::Object(object) if dice.once_in(2) => {
            let key = object.keys().nth(dice.below(object.len().max(1))).cloned();
            match key.filter(|_| dice.once_in(2)) {
                Some(key) => _ = object.remove(&key),
                None => _ = object.insert("\u{fc}nknown".into(), odd(dice)),
            }
        }
        other => *other = odd(dice),
    }
}

/// Breaks text: what JSON values cannot say.
pub(crate) fn break_text(text: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len().max(1)).min(bytes.len());
    match dice.below(7) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, 0xff),
        2 => bytes.insert(at, b'"'),
        3 => bytes.extend_from_slice(b"{}"),
        4 => return text.replacen(|c: char| c.is_ascii_digit(), "1e999", 1).into_bytes(),
        5 => return text.replacen("\":\"", "\":\"\\ud800", 1).into_bytes(),
        _ => return format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000)).into_bytes(),
    }
    bytes
}
