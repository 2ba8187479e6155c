//! Words of a line that know where they stand, and the error that points at one.

use std::fmt;

/// Longest part of a line that an error quotes, in characters: output stays readable for any input.
const QUOTED: usize = 160;
/// Longest word that an error repeats, in characters.
const FOUND: usize = 40;

/// A place in a scenario file. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    pub value: T,
    pub place: Place,
}

/// A part of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a str,
    pub(crate) place: Place,
}

impl<'a> Piece<'a> {
    /// The part from the byte `from` up to the byte `to`, both at character boundaries.
    fn part(&self, from: usize, to: usize) -> Piece<'a> {
        let skipped = self.text[..from].chars().count() as u32;
        let place = Place { column: self.place.column + skipped, ..self.place };
        Piece { text: &self.text[from..to], place }
    }

    /// The part before the first `separator`, and the part after it.
    pub(crate) fn split_once(&self, separator: char) -> Option<(Piece<'a>, Piece<'a>)> {
        let at = self.text.find(separator)?;
        Some((self.part(0, at), self.part(at + separator.len_utf8(), self.text.len())))
    }

    /// The parts between separators: at least one, possibly empty.
    pub(crate) fn split(&self, separator: char) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        let mut rest = Some(*self);
        std::iter::from_fn(move || {
            let all = rest?;
            let (first, more) = match all.split_once(separator) {
                Some((first, more)) => (first, Some(more)),
                None => (all, None),
            };
            rest = more;
            Some(first)
        })
    }

    pub(crate) fn owned(&self) -> Placed<Box<str>> {
        Placed { value: self.text.into(), place: self.place }
    }

    pub(crate) fn expected(&self, expected: impl Into<String>) -> Unexpected {
        Unexpected { place: self.place, expected: expected.into(), found: found(self.text) }
    }
}

fn found(text: &str) -> String {
    if text.is_empty() {
        return "nothing".into();
    }
    let short: String = text.chars().take(FOUND).collect();
    let more = if short.len() < text.len() { "..." } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

/// What a line should have said at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unexpected {
    pub(crate) place: Place,
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// An error in a scenario file, with the line that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub place: Place,
    /// What is wrong, in one line: `expected ..., found ...`, or a refusal with its hint.
    pub message: String,
    /// The line as it was written.
    pub line: Box<str>,
}

impl SyntaxError {
    pub fn new(place: Place, message: String, source: &str) -> SyntaxError {
        let index = place.line.saturating_sub(1) as usize;
        SyntaxError { place, message, line: source.lines().nth(index).unwrap_or_default().into() }
    }

    pub(crate) fn of(unexpected: Unexpected, source: &str) -> SyntaxError {
        let message = format!("expected {}, found {}", unexpected.expected, unexpected.found);
        SyntaxError::new(unexpected.place, message, source)
    }
}

impl fmt::Display for SyntaxError {
    /// The message, the line and a caret below the column. A long line is cut around the column.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}, column {}: {}", self.place.line, self.place.column, self.message)?;
        let column = self.place.column.saturating_sub(1) as usize;
        let from = column.saturating_sub(QUOTED / 2);
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        let shown: String = self.line.chars().skip(from).take(QUOTED).map(visible).collect();
        writeln!(f, "  {}", shown.trim_end())?;
        write!(f, "  {}^", " ".repeat(column - from))
    }
}

impl std::error::Error for SyntaxError {}

/// The words of one line, taken one by one from the left.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: Piece<'a>,
}

impl<'a> Words<'a> {
    pub(crate) fn of(line: &'a str, number: u32) -> Words<'a> {
        Words { rest: Piece { text: line, place: Place { line: number, column: 1 } } }
    }

    /// The next word, without taking it. A `#` at the start of a word begins a comment.
    pub(crate) fn peek(&self) -> Option<Piece<'a>> {
        let start = self.rest.text.find(|c: char| !c.is_whitespace())?;
        let length = self.rest.text[start..].find(char::is_whitespace);
        let end = length.map_or(self.rest.text.len(), |length| start + length);
        let word = self.rest.part(start, end);
        (!word.text.starts_with('#')).then_some(word)
    }

    pub(crate) fn next(&mut self) -> Option<Piece<'a>> {
        let word = self.peek()?;
        let taken = (word.text.as_ptr() as usize - self.rest.text.as_ptr() as usize) + word.text.len();
        self.rest = self.rest.part(taken, self.rest.text.len());
        Some(word)
    }

    /// The next word, or an error that says what should stand there.
    pub(crate) fn need(&mut self, expected: &str) -> Result<Piece<'a>, Unexpected> {
        self.next().ok_or_else(|| self.end().expected_end(expected))
    }

    /// Where the next word would stand.
    pub(crate) fn end(&self) -> End {
        End(self.rest.place)
    }

    /// Nothing may follow.
    pub(crate) fn finish(&mut self) -> Result<(), Unexpected> {
        match self.peek() {
            Some(word) => Err(word.expected("the end of the line")),
            None => Ok(()),
        }
    }
}

/// The end of what was written on a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End(Place);

impl End {
    pub(crate) fn expected_end(self, expected: &str) -> Unexpected {
        Unexpected { place: self.0, expected: expected.into(), found: "the end of the line".into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_columns() {
        let mut words = Words::of("  at\t0s #comment", 7);
        let at = words.next().expect("a word");
        assert_eq!((at.text, at.place), ("at", Place { line: 7, column: 3 }));
        assert_eq!(words.next().map(|w| (w.text, w.place.column)), Some(("0s", 6)));
        assert!(words.next().is_none());
        assert!(words.finish().is_ok());
    }

    #[test]
    fn parts_of_a_word_know_theirs() {
        let word = Words::of("child=1-3:é,x", 1).next().expect("a word");
        let (_, value) = word.split_once('=').expect("an option");
        let (set, modules) = value.split_once(':').expect("two parts");
        assert_eq!((set.place.column, modules.place.column), (7, 11));
        assert_eq!(modules.split(',').map(|p| p.place.column).collect::<Vec<_>>(), [11, 13]);
    }

    #[test]
    fn an_error_points_at_its_column() {
        let error = SyntaxError::of(Words::of("at x", 1).next().expect("a word").expected("pool"), "at x");
        assert_eq!(error.to_string(), "line 1, column 1: expected pool, found \"at\"\n  at x\n  ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_column() {
        let line = format!("{}!", "a".repeat(5_000));
        let error = SyntaxError::new(Place { line: 1, column: 5_001 }, "expected b".into(), &line);
        assert!(error.to_string().lines().all(|l| l.len() < 2 * QUOTED), "{error}");
    }
}
