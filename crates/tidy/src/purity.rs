//! What the engine's sources must not mention: it is values in, values out.

use crate::text::has_word;
use crate::{Finding, numbered};

/// The one file that may name the unordered maps: it wraps them in a type that cannot be iterated.
pub const LOOKUP_FILE: &str = "crates/engine/src/name_index.rs";

/// Words of code, and why the engine has no use for them.
const IMPURE: &[(&str, &str)] = &[
    ("std::time", "no clock: `now` is an argument"),
    ("time::", "no clock: `now` is an argument"),
    ("Instant", "no clock: `now` is an argument"),
    ("SystemTime", "no clock: `now` is an argument"),
    ("std::thread", "no threads: one command after the other"),
    ("thread::", "no threads: one command after the other"),
    ("thread_local!", "no hidden state"),
    ("static mut", "no hidden state"),
    ("Mutex", "no threads: one command after the other"),
    ("RwLock", "no threads: one command after the other"),
    ("async", "no waiting: effects are values"),
    ("tokio", "no waiting: effects are values"),
    ("std::fs", "no I/O: the shell reads and writes"),
    ("fs::", "no I/O: the shell reads and writes"),
    ("std::io", "no I/O: the shell reads and writes"),
    ("io::", "no I/O: the shell reads and writes"),
    ("std::net", "no I/O: the shell reads and writes"),
    ("std::env", "no I/O: settings are arguments"),
    ("env::", "no I/O: settings are arguments"),
    ("std::process", "no I/O: effects are values"),
    ("print!", "no I/O: reasons are values"),
    ("println!", "no I/O: reasons are values"),
    ("eprint!", "no I/O: reasons are values"),
    ("eprintln!", "no I/O: reasons are values"),
    ("tracing", "no logging: events are the record"),
    ("log::", "no logging: events are the record"),
    ("rand", "no randomness: same state, same plan"),
    ("RandomState", "no randomness: same state, same plan"),
];

/// Words that the lookup file alone may use.
const UNORDERED: &[&str] = &["HashMap", "HashSet", "hash_map", "hash_set"];

pub fn impure(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in numbered(text) {
        let code = without_comment(line);
        for (word, why) in IMPURE.iter().filter(|(word, _)| has_word(code, word)) {
            findings.push(Finding::at(number, format!("`{word}`: {why}")));
        }
        for word in UNORDERED.iter().filter(|word| path != LOOKUP_FILE && has_word(code, word)) {
            findings.push(Finding::at(number, format!("`{word}`: iteration order; use {LOOKUP_FILE}")));
        }
    }
    findings
}

/// A comment may speak of what the code may not do.
fn without_comment(line: &str) -> &str {
    let starts_comment = |at: &usize| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    match line.match_indices("//").map(|(at, _)| at).find(starts_comment) {
        Some(at) => &line[..at],
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_impure_word_is_found_in_code_and_allowed_in_comments() {
        let words = IMPURE.iter().map(|(word, _)| *word).chain(UNORDERED.iter().copied());
        for word in words {
            let code = format!("fn f() {{\n    {word} x\n}}\n");
            assert!(impure("crates/engine/src/a.rs", &code).iter().any(|f| f.line == 2), "{word}");
            assert!(impure("crates/engine/src/a.rs", &format!("    // {word} x\n")).is_empty(), "{word}");
        }
    }

    #[test]
    fn typical_breaches_are_found() {
        for code in [
            "use std::collections::HashMap;",
            "let t = std::time::Instant::now();",
            "use std::{fs, fmt};\nlet x = fs::read(p);",
            "pub async fn submit() {}",
            "let url = \"http://x\"; println!(\"{url}\");",
        ] {
            assert!(!impure("crates/engine/src/a.rs", code).is_empty(), "{code}");
        }
    }

    #[test]
    fn pure_code_passes() {
        let code = "use std::collections::BTreeMap;\nlet ratio: Ratio = fmt::render(brand, operand);\n";
        assert_eq!(impure("crates/engine/src/a.rs", code), []);
    }

    #[test]
    fn the_lookup_file_may_use_unordered_maps_and_nothing_else() {
        assert_eq!(impure(LOOKUP_FILE, "use std::collections::HashMap;"), []);
        assert_eq!(impure(LOOKUP_FILE, "use std::fs;").len(), 1);
    }
}
