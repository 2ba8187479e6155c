//! Whether a page shows what was printed.

use super::blocks::Output;

/// Any text within a line; any number of lines if it stands alone.
const ANY: &str = "…";

/// JSON may be broken into lines to be read: white space in it does not count.
pub(crate) fn matches(shown: &Output, printed: &str) -> bool {
    if shown.is_json {
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        return one_line(&dense(&shown.text), &dense(printed));
    }
    same_lines(&shown.text, printed)
}

fn same_lines(shown: &str, printed: &str) -> bool {
    let lines = |text: &str| -> Vec<String> { text.trim_end().lines().map(spaced).collect() };
    all_lines(&lines(shown), &lines(printed))
}

/// With single spaces, and none at the end.
fn spaced(line: &str) -> String {
    let indent = if line.starts_with(' ') { " " } else { "" };
    format!("{indent}{}", line.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn all_lines(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == ANY => {
            (0..=printed.len()).any(|skipped| all_lines(rest, &printed[skipped..]))
        }
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, more)| one_line(line, first) && all_lines(rest, more))
        }
    }
}

/// Text between placeholders is looked for from the left: what stands earliest leaves the most for the rest.
fn one_line(shown: &str, printed: &str) -> bool {
    let Some((begin, rest)) = shown.split_once(ANY) else { return shown == printed };
    let Some(mut printed) = printed.strip_prefix(begin) else { return false };
    let mut parts: Vec<&str> = rest.split(ANY).collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = printed.find(part) else { return false };
        printed = &printed[at + part.len()..];
    }
    printed.ends_with(end)
}

/// Times of day become `…`: they are different whenever a page is run.
pub(crate) fn without_times(printed: &str) -> String {
    let is_time = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        word.len() >= 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T'
    };
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').map(|word| if is_time(word) { ANY } else { word }).collect();
        words.join(" ").trim_end().to_string() + "\n"
    };
    printed.lines().map(line).collect()
}

#[test]
fn placeholders_stand_for_anything_and_nothing_else_does() {
    for (shown, printed) in [
        ("a b\n", "a  b  \n"),
        ("a … c\n", "a b b c\n"),
        ("{…\"x\":1…}\n", "{\"w\":0,\"x\":1,\"y\":2}\n"),
        ("a\n…\nz\n", "a\nz\n"),
        ("a\n…\nz\n", "a\nb\nc\nz\n"),
        ("…\n", ""),
    ] {
        assert!(same_lines(shown, printed), "{shown:?} shows {printed:?}");
    }
    for (shown, printed) in [
        ("a\n", "b\n"),
        ("a\n", "a\nb\n"),
        ("a\nb\n", "a\n"),
        ("a …\n", "b c\n"),
        ("a…c\n", "abcd\n"),
        ("a\n…\nz\n", "a\nb\n"),
        ("[##...]\n", "[###..]\n"),
        ("a\n", " a\n"),
    ] {
        assert!(!same_lines(shown, printed), "{shown:?} does not show {printed:?}");
    }
    let json = Output { line: 1, is_json: true, text: "{\"a\": […],\n …\"z\": 1}\n".into() };
    assert!(matches(&json, "{\"a\":[1,2],\"b\":0,\"z\":1}"));
    assert!(!matches(&json, "{\"a\":[1,2],\"b\":0,\"z\":2}"));
    assert_eq!(without_times("at 2026-01-31T08:00:00.123Z: x\n"), "at … x\n");
}
