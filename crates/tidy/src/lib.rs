//! The house rules that no compiler knows. Every rule is a function of text, with a sample that breaks it;
//! `tests/house.rs` applies them all to the repository.
//!
//! - [`repository`]: which files the rules look at
//! - [`text`]: length, white space, unfinished code, words and paths that do not belong here
//! - [`rooms`]: which crate may depend on which
//! - [`purity`]: what the engine's sources must not mention
//! - [`pages`]: opening comments, event words, scenario files, links, the lock file

pub mod pages;
pub mod purity;
pub mod repository;
pub mod rooms;
pub mod text;

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Counted from 1; 0 when the breach is of the file as a whole.
    pub line: usize,
    /// What is wrong and what to do instead.
    pub what: String,
}

impl Finding {
    pub fn at(line: usize, what: impl Into<String>) -> Finding {
        Finding { line, what: what.into() }
    }

    pub fn of_file(what: impl Into<String>) -> Finding {
        Finding::at(0, what)
    }
}

/// The lines of a text, counted from 1 as people count them.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}
