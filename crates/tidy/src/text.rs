//! Rules about single files of text.

use crate::{Finding, numbered};

/// A Rust file that is longer holds a second concept.
pub const MAX_RUST_LINES: usize = 500;
/// Rust files that may be longer, by path. Empty, and better so.
pub const LONG_RUST_FILES: &[&str] = &[];

// The lists below are put together from pieces, so that this file passes its own rules.

/// Code that is not finished, or tests that are switched off.
const UNFINISHED: &[&str] =
    &[concat!("to", "do!("), concat!("unimple", "mented!("), concat!("db", "g!("), concat!("#[ig", "nore")];

/// Where the machines of the people who build this keep their files.
const PRIVATE_FOLDERS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// The project speaks of itself, not of how it was made or where its parts were fetched from.
/// Lower case; matched as whole words.
const OFF_TOPIC: &[&str] = &[
    concat!("cla", "ude"),
    concat!("anth", "ropic"),
    concat!("chat", "gpt"),
    concat!("copi", "lot"),
    concat!("co-auth", "ored-by"),
    concat!("ai ass", "istant"),
    concat!("ai-gen", "erated"),
    concat!("coding ag", "ent"),
    concat!("sub", "agent"),
    concat!("in this ses", "sion"),
    concat!("previous ses", "sion"),
    concat!("this work", "place"),
    concat!("iss", "ue #"),
    concat!("shared/de", "sign"),
    concat!("shared/tra", "ces"),
    concat!("://cra", "tes.io"),
    concat!("index.cra", "tes.io"),
    concat!("static.cra", "tes.io"),
    concat!("registry.np", "mjs.org"),
];

pub fn too_long(path: &str, text: &str) -> Vec<Finding> {
    let lines = text.lines().count();
    if lines <= MAX_RUST_LINES || LONG_RUST_FILES.contains(&path) {
        return Vec::new();
    }
    vec![Finding::of_file(format!(
        "{lines} lines, the limit is {MAX_RUST_LINES}: look for the second concept"
    ))]
}

/// Tabs (which only a makefile needs), trailing white space, carriage returns, no newline at the end.
pub fn white_space(path: &str, text: &str) -> Vec<Finding> {
    let tabs_allowed = path.rsplit('/').next() == Some("Makefile");
    let mut findings = Vec::new();
    for (number, line) in text.split('\n').enumerate().map(|(index, line)| (index + 1, line)) {
        if !tabs_allowed && line.contains('\t') {
            findings.push(Finding::at(number, "a tab: use spaces"));
        }
        if line.ends_with(char::is_whitespace) {
            findings.push(Finding::at(number, "white space at the end of the line"));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        findings.push(Finding::of_file("no newline at the end of the file"));
    }
    findings
}

pub fn unfinished(text: &str) -> Vec<Finding> {
    per_line(text, UNFINISHED, |line, word| line.contains(word), "finish it, or leave it out")
}

/// Absolute paths of somebody's machine. A folder of that name further down, or a relative path, is none.
pub fn private_paths(text: &str) -> Vec<Finding> {
    let begins_path = |line: &str, folder: &str| {
        line.match_indices(folder).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | ')'))
        })
    };
    per_line(text, PRIVATE_FOLDERS, begins_path, "name no folder of your own machine")
}

pub fn off_topic(text: &str) -> Vec<Finding> {
    let mentions = |line: &str, word: &str| has_word(&line.to_lowercase(), word);
    per_line(text, OFF_TOPIC, mentions, "the project speaks of itself alone")
}

/// Whether `word` stands in `line` and is not the middle of a longer word.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (first, last) = (word.chars().next(), word.chars().next_back());
    line.match_indices(word).any(|(at, _)| {
        let runs_on_before = letter(first) && letter(line[..at].chars().next_back());
        let runs_on_after = letter(last) && letter(line[at + word.len()..].chars().next());
        !runs_on_before && !runs_on_after
    })
}

fn per_line(text: &str, words: &[&str], matches: impl Fn(&str, &str) -> bool, hint: &str) -> Vec<Finding> {
    numbered(text)
        .flat_map(|(number, line)| words.iter().map(move |word| (number, line, *word)))
        .filter(|(_, line, word)| matches(line, word))
        .map(|(number, _, word)| Finding::at(number, format!("`{word}`: {hint}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_file_may_have_500_lines_and_not_501() {
        assert!(too_long("a.rs", &"x\n".repeat(MAX_RUST_LINES)).is_empty());
        assert_eq!(too_long("a.rs", &"x\n".repeat(MAX_RUST_LINES + 1)).len(), 1);
    }

    #[test]
    fn tabs_and_trailing_white_space_are_found_where_they_are() {
        assert!(white_space("a.rs", "one\n  two\n").is_empty());
        assert_eq!(lines(&white_space("a.rs", "one\n\ttwo\nthree \nfour\r\n")), [2, 3, 4]);
        assert_eq!(lines(&white_space("a.rs", "one")), [0]);
        assert!(white_space("", "").is_empty());
    }

    #[test]
    fn a_makefile_may_have_tabs_but_no_trailing_ones() {
        assert!(white_space("Makefile", "all:\n\techo\n").is_empty());
        assert_eq!(lines(&white_space("Makefile", "all:\n\techo\t\n")), [2]);
        assert_eq!(lines(&white_space("docs/NotAMakefile", "\tx\n")), [1]);
    }

    #[test]
    fn every_unfinished_form_is_found() {
        for word in UNFINISHED {
            assert_eq!(lines(&unfinished(&format!("fn f() {{\n    {word}\n}}"))), [2], "{word}");
        }
        assert!(unfinished("// what is left to do: nothing\n").is_empty());
    }

    #[test]
    fn every_private_folder_is_found_at_the_start_of_a_path() {
        for folder in PRIVATE_FOLDERS {
            assert_eq!(lines(&private_paths(&format!("see \"{folder}x\""))), [1], "{folder}");
            assert_eq!(lines(&private_paths(&format!("\n{folder}x"))), [2], "{folder}");
            assert_eq!(lines(&private_paths(&format!("file://{folder}x"))), [1], "{folder}");
            assert!(private_paths(&format!("docs{folder}x ..{folder}x")).is_empty(), "{folder}");
        }
    }

    #[test]
    fn every_off_topic_word_is_found_in_any_case_but_not_inside_words() {
        for word in OFF_TOPIC {
            assert_eq!(lines(&off_topic(&format!("see {}7", word.to_uppercase()))).len(), boundary(word));
            assert_eq!(lines(&off_topic(&format!("\nby {word}, and"))), [2], "{word}");
        }
        assert!(off_topic("a session of the console; the reissue # of tokens; a node agent").is_empty());
    }

    /// A digit straight after a letter makes a longer word; after `#` it does not.
    fn boundary(word: &str) -> usize {
        usize::from(!word.ends_with(char::is_alphanumeric))
    }
}
