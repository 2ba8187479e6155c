//! Whether inputs fit a schema.

use super::compare::{equal, order, whole};
use super::{MAX_WRONG, Wrong, below, referred};
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// Schemas that are looked at for one set of inputs. Schemas of schemas can ask for more than anybody has time for.
const MAX_STEPS: u32 = 100_000;
/// Schemas within schemas, references included: one that leads to itself has no end.
const MAX_DEPTH: u32 = 128;

struct Walk<'a> {
    root: &'a Value,
    steps: u32,
    depth: u32,
    /// It was given up.
    endless: bool,
}

pub(super) fn check(root: &Value, inputs: &Value) -> Vec<Wrong> {
    let mut walk = Walk { root, steps: 0, depth: 0, endless: false };
    let mut found = Vec::new();
    walk.look(root, inputs, "", &mut found);
    if walk.endless {
        return vec![Wrong::new("", "the schema of the template takes too long to follow")];
    }
    found.truncate(MAX_WRONG);
    found
}

impl<'a> Walk<'a> {
    /// Whether a value fits, without saying why not.
    fn fits(&mut self, schema: &'a Value, value: &Value) -> bool {
        let mut found = Vec::new();
        self.look(schema, value, "", &mut found);
        found.is_empty()
    }

    fn look(&mut self, schema: &'a Value, value: &Value, at: &str, found: &mut Vec<Wrong>) {
        self.steps += 1;
        if self.endless || self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            self.endless = true;
            return;
        }
        if found.len() > MAX_WRONG {
            return;
        }
        match schema {
            Value::Bool(true) => {}
            Value::Object(words) => {
                self.depth += 1;
                words.iter().for_each(|(word, said)| self.word(words, word, said, value, at, found));
                self.depth -= 1;
            }
            _ => found.push(Wrong::new(at, "nothing is allowed here")),
        }
    }

    fn word(
        &mut self,
        words: &'a Map<String, Value>,
        word: &str,
        said: &'a Value,
        value: &Value,
        at: &str,
        found: &mut Vec<Wrong>,
    ) {
        match word {
            "$ref" => {
                if let Some(schema) = said.as_str().and_then(|reference| referred(self.root, reference)) {
                    self.look(schema, value, at, found);
                }
            }
            "allOf" => {
                for schema in list(said) {
                    self.look(schema, value, at, found);
                }
            }
            "anyOf" => {
                if !list(said).iter().any(|schema| self.fits(schema, value)) {
                    found.push(Wrong::new(at, "it fits none of anyOf"));
                }
            }
            "oneOf" => {
                let fitting = list(said).iter().filter(|schema| self.fits(schema, value)).count();
                if fitting != 1 {
                    found.push(Wrong::new(at, format!("it fits {fitting} of oneOf, not exactly one")));
                }
            }
            "not" => {
                if self.fits(said, value) {
                    found.push(Wrong::new(at, "it fits what it must not fit"));
                }
            }
            "properties" | "additionalProperties" => {
                if let Value::Object(given) = value {
                    self.fields(words, word, said, given, at, found);
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.look(said, item, &below(at, index), found);
                }
            }
            word => found.extend(by_itself(word, said, value).map(|why| Wrong::new(at, why))),
        }
    }

    fn fields(
        &mut self,
        words: &'a Map<String, Value>,
        word: &str,
        said: &'a Value,
        given: &Map<String, Value>,
        at: &str,
        found: &mut Vec<Wrong>,
    ) {
        if word == "properties" {
            let Value::Object(named) = said else { return };
            for (name, schema) in named {
                if let Some(value) = given.get(name) {
                    self.look(schema, value, &below(at, name), found);
                }
            }
            return;
        }
        let named = words.get("properties").and_then(Value::as_object);
        let others = given.iter().filter(|(name, _)| !named.is_some_and(|named| named.contains_key(*name)));
        for (name, value) in others {
            match said {
                Value::Bool(false) => found.push(Wrong::new(&below(at, name), format!("there is no {name}"))),
                schema => self.look(schema, value, &below(at, name), found),
            }
        }
    }
}

fn list(said: &Value) -> &[Value] {
    said.as_array().map_or(&[], Vec::as_slice)
}

/// What a word says that needs no other schema; why a value breaks it.
fn by_itself(word: &str, said: &Value, value: &Value) -> Option<String> {
    match (word, value) {
        ("type", value) => {
            let kinds = std::slice::from_ref(said);
            let kinds = said.as_array().map_or(kinds, Vec::as_slice);
            let wanted: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            (!wanted.iter().any(|kind| is(kind, value)))
                .then(|| format!("it is {}, wanted: {}", kind(value), wanted.join(" or ")))
        }
        ("const", value) => (!equal(said, value)).then(|| format!("it is not {said}")),
        ("enum", value) => {
            (!list(said).iter().any(|allowed| equal(allowed, value))).then(|| format!("it is none of {said}"))
        }
        ("required", Value::Object(given)) => {
            let names = list(said).iter().filter_map(Value::as_str);
            let missing: Vec<&str> = names.filter(|name| !given.contains_key(*name)).collect();
            (!missing.is_empty()).then(|| format!("{} is missing", missing.join(", ")))
        }
        (_, Value::Number(number)) => of_number(word, said, number),
        (_, Value::String(text)) => of_size(word, said, "Length", "characters", || text.chars().count()),
        (_, Value::Array(items)) => {
            let twice = || {
                let earlier = |n: usize| items[..n].iter().any(|item| equal(item, &items[n]));
                (0..items.len()).find(|n| earlier(*n))
            };
            if word == "uniqueItems" && said == &Value::Bool(true) {
                return twice().map(|n| format!("item {n} is there twice"));
            }
            of_size(word, said, "Items", "items", || items.len())
        }
        (_, Value::Object(given)) => of_size(word, said, "Properties", "fields", || given.len()),
        _ => None,
    }
}

fn of_number(word: &str, said: &Value, number: &Number) -> Option<String> {
    let Value::Number(bound) = said else { return None };
    let breaks = |wrong: bool, how: &str| wrong.then(|| format!("{number} is not {how} {bound}"));
    let order = order(number, bound);
    match word {
        "minimum" => breaks(order == Ordering::Less, "at least"),
        "maximum" => breaks(order == Ordering::Greater, "at most"),
        "exclusiveMinimum" => breaks(order != Ordering::Greater, "above"),
        "exclusiveMaximum" => breaks(order != Ordering::Less, "below"),
        "multipleOf" => {
            let by = whole(bound).filter(|by| *by > 0)?;
            breaks(whole(number).is_none_or(|number| number % by != 0), "a multiple of")
        }
        _ => None,
    }
}

fn of_size(word: &str, said: &Value, of: &str, what: &str, size: impl Fn() -> usize) -> Option<String> {
    let bound = usize::try_from(said.as_u64()?).unwrap_or(usize::MAX);
    let (least, most) = (word.strip_prefix("min") == Some(of), word.strip_prefix("max") == Some(of));
    if least && size() < bound {
        return Some(format!("{} {what} are fewer than {bound}", size()));
    }
    (most && size() > bound).then(|| format!("{} {what} are more than {bound}", size()))
}

fn is(wanted: &str, value: &Value) -> bool {
    match (wanted, value) {
        ("number", Value::Number(_)) => true,
        ("integer", Value::Number(number)) => whole(number).is_some(),
        (wanted, value) => wanted == kind(value),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
