//! Reads the body of a request: well-formed, within bounds, and with pointers to what is wrong.

use crate::limits::MAX_BODY;
use crate::pointer::{Pointer, of_path};
use crate::problem::{Code, Problem};
use serde::de::DeserializeOwned;

/// A value that is checked once it has been read: bounds over several fields, lengths of lists.
pub trait Check {
    /// Adds what is wrong. Pointers start at this value.
    fn check(&self, wrong: &mut Wrong);
}

/// What is wrong in a value, found so far.
#[derive(Debug, Default)]
pub struct Wrong {
    prefix: String,
    found: Vec<Pointer>,
}

impl Wrong {
    pub fn add(&mut self, pointer: &str, detail: impl Into<String>) {
        self.found.push(Pointer::new(format!("{}{pointer}", self.prefix), detail));
    }

    /// More than `limit` of something.
    pub fn bound(&mut self, pointer: &str, count: usize, limit: usize, what: &str) {
        if count > limit {
            self.add(pointer, format!("{count} {what} are more than {limit}"));
        }
    }

    /// Checks a value that stands below `pointer`.
    pub fn below(&mut self, pointer: &str, value: &impl Check) {
        let length = self.prefix.len();
        self.prefix.push_str(pointer);
        value.check(self);
        self.prefix.truncate(length);
    }

    pub fn problem(self) -> Option<Problem> {
        Problem::invalid(self.found)
    }
}

/// Reads and checks a JSON body.
pub fn read<T: DeserializeOwned + Check>(body: &[u8]) -> Result<T, Problem> {
    let value: T = read_unchecked(body)?;
    check(&value)?;
    Ok(value)
}

pub fn check<T: Check>(value: &T) -> Result<(), Problem> {
    let mut wrong = Wrong::default();
    value.check(&mut wrong);
    wrong.problem().map_or(Ok(()), Err)
}

fn read_unchecked<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    if body.len() > MAX_BODY {
        let detail = format!("{} bytes are more than {MAX_BODY}", body.len());
        return Err(Problem::new(Code::BodyTooLarge, detail));
    }
    // To know where one is costs as much as reading: only who finds a fault reads again, and looks.
    serde_json::from_slice(body).or_else(|_| read_looking(body))
}

/// Reads with an eye on where it is, to point to what is wrong.
fn read_looking<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let pointer = of_path(error.path());
        // A body that is no JSON is malformed, also where a wrong field comes before the fault.
        match serde_json::from_slice::<serde::de::IgnoredAny>(body) {
            Err(fault) => problem(fault, String::new()),
            Ok(_) => problem(error.into_inner(), pointer),
        }
    })?;
    json.end().map_err(|error| problem(error, String::new()))?;
    Ok(value)
}

/// What is wrong with a field, in words for people: types of the program mean nothing to them.
pub(crate) fn in_words(text: &str) -> String {
    let kinds = [
        ("u8", "a whole number from 0 to 255"),
        ("u16", "a whole number from 0 to 65535"),
        ("u32", "a whole number from 0 to 4294967295"),
        ("u64", "a whole number that is not negative"),
        ("i32", "a whole number"),
        ("i64", "a whole number"),
    ];
    let said = kinds.iter().find_map(|(kind, meaning)| {
        let before = text.strip_suffix(kind)?.strip_suffix("expected ")?;
        Some(format!("{before}expected {meaning}"))
    });
    said.unwrap_or_else(|| text.to_string())
}

fn problem(error: serde_json::Error, pointer: String) -> Problem {
    use serde_json::error::Category;
    match error.classify() {
        Category::Data => {
            // The line and column of a body that a program wrote help nobody.
            let text = error.to_string();
            let text = in_words(text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text));
            Problem::invalid(vec![Pointer::new(pointer, text.clone())])
                .unwrap_or_else(|| Problem::new(Code::Invalid, text))
        }
        Category::Eof if error.line() <= 1 && error.column() == 0 => {
            Problem::new(Code::MalformedBody, "the body is empty, a JSON document was expected")
        }
        _ => Problem::new(Code::MalformedBody, format!("the body is not JSON: {error}")),
    }
}

#[cfg(test)]
mod in_words_tests {
    use super::in_words;

    #[test]
    fn types_of_the_program_are_not_told() {
        let text = in_words("invalid value: integer `300`, expected u8");
        assert_eq!(text, "invalid value: integer `300`, expected a whole number from 0 to 255");
        assert_eq!(in_words("expected a string"), "expected a string");
    }
}
