//! What the inputs of a task must look like: a part of JSON Schema (2020-12).
//!
//! What is not understood is refused when the schema is read: a word that was passed over would let wrong inputs pass.

mod check;
mod compare;

use serde_json::{Map, Value};

/// Bytes of a schema: it lies in the log with every change of its template.
pub const MAX_SCHEMA: usize = 16 << 10;
/// What is wrong with inputs is listed up to this: the first ones are enough to mend the rest.
pub const MAX_WRONG: usize = 16;

/// Words that say something to people, and nothing about what is right.
const NOTES: [&str; 10] = [
    "$schema",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
/// Where schemas refer to.
const DEFS: &str = "#/$defs/";

/// A schema that is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSchema(Value);

/// What is wrong, and where: a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub at: String,
    pub why: String,
}

impl Wrong {
    fn new(at: &str, why: impl Into<String>) -> Wrong {
        Wrong { at: at.into(), why: why.into() }
    }
}

impl InputSchema {
    /// Reads a schema that was kept as text.
    pub fn parse(text: &str) -> Result<InputSchema, Wrong> {
        let value = serde_json::from_str(text).map_err(|error| Wrong::new("", error.to_string()))?;
        InputSchema::new(value)
    }

    pub fn new(schema: Value) -> Result<InputSchema, Wrong> {
        let bytes = schema.to_string().len();
        if bytes > MAX_SCHEMA {
            return Err(Wrong::new("", format!("{bytes} bytes of a schema are more than {MAX_SCHEMA}")));
        }
        understood(&schema, &schema, "")?;
        Ok(InputSchema(schema))
    }

    /// What is wrong with inputs; nothing: they fit.
    pub fn check(&self, inputs: &Value) -> Vec<Wrong> {
        check::check(&self.0, inputs)
    }
}

/// The schema of a reference within the same document.
fn referred<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.get("$defs")?.get(reference.strip_prefix(DEFS)?)
}

fn below(at: &str, key: impl std::fmt::Display) -> String {
    format!("{at}/{}", key.to_string().replace('~', "~0").replace('/', "~1"))
}

fn understood(root: &Value, schema: &Value, at: &str) -> Result<(), Wrong> {
    let words = match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(words) => words,
        _ => return Err(Wrong::new(at, "a schema is an object, true or false")),
    };
    words.iter().try_for_each(|(word, value)| word_is_right(root, word, value, &below(at, word)))
}

fn word_is_right(root: &Value, word: &str, value: &Value, at: &str) -> Result<(), Wrong> {
    let wrong = |why: &str| Err(Wrong::new(at, format!("{word} {why}")));
    let all = |values: &mut dyn Iterator<Item = (String, &Value)>| -> Result<(), Wrong> {
        for (key, value) in values {
            understood(root, value, &below(at, key))?;
        }
        Ok(())
    };
    let one_by_one = |list: &Vec<Value>| all(&mut list.iter().enumerate().map(|(n, v)| (n.to_string(), v)));
    let by_name = |map: &Map<String, Value>| all(&mut map.iter().map(|(k, v)| (k.clone(), v)));
    match (word, value) {
        (word, _) if NOTES.contains(&word) => Ok(()),
        ("type", Value::String(kind)) if TYPES.contains(&kind.as_str()) => Ok(()),
        ("type", Value::Array(kinds))
            if !kinds.is_empty() && kinds.iter().all(|k| k.as_str().is_some_and(|k| TYPES.contains(&k))) =>
        {
            Ok(())
        }
        ("type", _) => wrong("is one or several of null, boolean, integer, number, string, array, object"),
        ("const", _) => Ok(()),
        ("enum", Value::Array(list)) if !list.is_empty() => Ok(()),
        ("enum", _) => wrong("is a list of at least one value"),
        ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Value::Number(_)) => Ok(()),
        ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", _) => wrong("is a number"),
        ("multipleOf", value) if value.as_u64().is_some_and(|n| n > 0) => Ok(()),
        ("multipleOf", _) => wrong("is a whole number above 0 here"),
        ("minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties", value) => {
            match value.is_u64() {
                true => Ok(()),
                false => wrong("is a whole number from 0 on"),
            }
        }
        ("uniqueItems", Value::Bool(_)) => Ok(()),
        ("uniqueItems", _) => wrong("is true or false"),
        ("required", Value::Array(names)) if names.iter().all(Value::is_string) => Ok(()),
        ("required", _) => wrong("is a list of names"),
        ("items" | "additionalProperties" | "not", value) => understood(root, value, at),
        ("properties" | "$defs", Value::Object(map)) => by_name(map),
        ("properties" | "$defs", _) => wrong("is an object of schemas"),
        ("allOf" | "anyOf" | "oneOf", Value::Array(list)) if !list.is_empty() => one_by_one(list),
        ("allOf" | "anyOf" | "oneOf", _) => wrong("is a list of at least one schema"),
        ("$ref", Value::String(reference)) => match referred(root, reference) {
            Some(_) => Ok(()),
            None => wrong("leads to \"#/$defs/NAME\" of the same schema, and to one that is there"),
        },
        _ => Err(Wrong::new(at, format!("{word} is not understood here: leave it out"))),
    }
}

#[cfg(test)]
mod tests;
