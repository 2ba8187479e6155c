//! `key=value` words, each at most once.

use super::piece::{Piece, Unexpected, Words};

/// One option as written; `value` is `None` for a bare word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'a> {
    pub(crate) word: Piece<'a>,
    pub(crate) key: &'a str,
    value: Option<Piece<'a>>,
}

impl<'a> Written<'a> {
    pub(crate) fn value(&self) -> Result<Piece<'a>, Unexpected> {
        match self.value {
            Some(value) if value.text.is_empty() => Err(value.expected(format!("a value for {}", self.key))),
            Some(value) => Ok(value),
            None => Err(self.word.expected(format!("{}=VALUE", self.key))),
        }
    }

    pub(crate) fn is_bare(&self) -> bool {
        self.value.is_none()
    }

    /// One of the words of a closed set.
    pub(crate) fn word_of<T>(&self, parse: fn(&str) -> Option<T>, words: &str) -> Result<T, Unexpected> {
        let value = self.value()?;
        parse(value.text).ok_or_else(|| value.expected(words))
    }
}

/// The options of one line.
#[derive(Debug, Default)]
pub(crate) struct Options<'a> {
    seen: Vec<&'a str>,
}

impl<'a> Options<'a> {
    pub(crate) fn next(&mut self, words: &mut Words<'a>) -> Result<Option<Written<'a>>, Unexpected> {
        let Some(word) = words.next() else { return Ok(None) };
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key.text, Some(value)),
            None => (word.text, None),
        };
        if self.seen.contains(&key) {
            return Err(word.expected("every option once"));
        }
        // A line has few options, so the list stays short: unknown ones end the line with an error.
        self.seen.push(key);
        Ok(Some(Written { word, key, value }))
    }
}

pub(crate) fn on_off(text: &str) -> Option<bool> {
    match text {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}
