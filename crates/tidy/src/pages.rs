//! Rules about what people read: opening comments, the scenario language's page, scenario files, links.

use crate::{Finding, numbered};

/// What a scenario says, above its expected output, has fewer lines than this: it fits a screen.
pub const SCENARIO_LINES: usize = 45;
/// Expected output of a scenario stands below this line.
const SCENARIO_RULE: &str = "----";

/// All words that may follow the name in a line of a scenario's output.
const EVENT_WORDS: &str = "queued started resumed moved preempted shrunk grown suspended \
    finished failed stopped refused scaled lost overdrawn";

/// Where every locked package comes from, as cargo writes it.
const PUBLIC_INDEX: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A crate's root file opens by saying what the crate is.
pub fn no_opening_comment(text: &str) -> Vec<Finding> {
    match text.lines().next().and_then(|first| first.strip_prefix("//! ")) {
        Some(_) => Vec::new(),
        None => vec![Finding::at(1, "open with `//! ` and one sentence on what this crate is")],
    }
}

/// Every event word has its row, `| ``word`` | ...`, on the page of the scenario language.
pub fn undocumented_events(page: &str) -> Vec<Finding> {
    let has_row = |word: &str| page.lines().any(|line| line.starts_with(&format!("| `{word}` |")));
    EVENT_WORDS
        .split(' ')
        .filter(|word| !has_row(word))
        .map(|word| Finding::of_file(format!("the event `{word}` has no row in a table")))
        .collect()
}

/// A scenario is short, and says what it expects: without that it cannot fail.
pub fn bad_scenario(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = text.lines().take_while(|line| *line != SCENARIO_RULE).count();
    if lines >= SCENARIO_LINES {
        findings.push(Finding::of_file(format!("{lines} lines; keep it under {SCENARIO_LINES}")));
    }
    if expected_output(text).trim().is_empty() {
        findings
            .push(Finding::of_file(format!("expects nothing below `{SCENARIO_RULE}`: UPDATE=1 writes it")));
    }
    findings
}

/// What stands below the rule; empty if there is none.
fn expected_output(scenario: &str) -> &str {
    scenario.split_once(&format!("\n{SCENARIO_RULE}\n")).map_or("", |(_, expected)| expected)
}

/// A page that shows a scenario's output shows it as it is now, to the letter.
pub fn stale_example(page: &str, scenario: &str) -> Vec<Finding> {
    let expected = expected_output(scenario);
    if !expected.is_empty() && page.contains(&format!("\n```text\n{expected}```\n")) {
        return Vec::new();
    }
    vec![Finding::of_file("no block of text holds the scenario's output: paste what stands below its rule")]
}

/// Links of a Markdown page to files that are not there. `exists` is asked with the link as written.
pub fn dead_links(page: &str, exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in numbered(page) {
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
            let elsewhere = target.is_empty() || target.contains(':');
            if !elsewhere && !exists(target) {
                findings.push(Finding::at(number, format!("the link `{target}` leads nowhere")));
            }
        }
    }
    findings
}

/// Packages that were locked to a copy of the public index: nobody else can fetch them.
pub fn foreign_sources(lock: &str) -> Vec<Finding> {
    numbered(lock)
        .filter_map(|(number, line)| Some((number, line.strip_prefix("source = ")?)))
        .filter(|(_, source)| source.trim_matches('"') != PUBLIC_INDEX)
        .map(|(number, source)| Finding::at(number, format!("{source} is not the public index")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_file_without_an_opening_comment_is_found() {
        assert!(no_opening_comment("//! The books.\n\npub mod a;\n").is_empty());
        for text in ["", "pub mod a;\n//! late\n", "// no doc comment\n", "//!\n", "/// of the next item\n"] {
            assert_eq!(no_opening_comment(text).len(), 1, "{text:?}");
        }
    }

    #[test]
    fn every_event_word_that_is_missing_is_found() {
        let row = |word: &str| format!("| `{word}` | text |\n");
        let page: String = EVENT_WORDS.split(' ').map(row).collect();
        assert!(undocumented_events(&page).is_empty());
        for word in EVENT_WORDS.split(' ') {
            let without = page.replace(&row(word), &format!("mentions {word} only\n"));
            assert_eq!(undocumented_events(&without).len(), 1, "{word}");
        }
    }

    #[test]
    fn a_scenario_fits_a_screen() {
        let of_lines = |lines: usize| format!("{}{SCENARIO_RULE}\n0s x queued Q\n", "pool\n".repeat(lines));
        assert!(bad_scenario(&of_lines(SCENARIO_LINES - 1)).is_empty());
        assert_eq!(bad_scenario(&of_lines(SCENARIO_LINES)).len(), 1);
    }

    #[test]
    fn a_scenario_that_expects_nothing_is_found() {
        assert!(bad_scenario("pool a 1x8 H100\n----\n0s x queued Q\n").is_empty());
        for text in ["pool a 1x8 H100\n", "pool a 1x8 H100\n----\n", "pool a 1x8 H100\n----\n\n"] {
            assert_eq!(bad_scenario(text).len(), 1, "{text:?}");
        }
    }

    #[test]
    fn an_example_that_is_stale_shortened_or_missing_is_found() {
        let scenario = "pool a 1x8 H100\n----\n0s x queued Q\n0s x started\n";
        let page = |shown: &str| format!("so:\n\n```text\n{shown}```\n\nand on\n");
        assert!(stale_example(&page("0s x queued Q\n0s x started\n"), scenario).is_empty());
        for shown in ["", "0s x queued Q\n", "0s x queued R\n0s x started\n", "@@OUTPUT@@\n"] {
            assert_eq!(stale_example(&page(shown), scenario).len(), 1, "{shown:?}");
        }
        assert_eq!(stale_example(&page(""), "pool a 1x8 H100\n").len(), 1);
    }

    #[test]
    fn a_link_to_a_missing_file_is_found() {
        let page =
            "[a](a.md) [b](b.md#part)\n[web](https://example.org/c.md) [here](#part) [d](d.md \"D\")\n";
        let missing = |names: &'static [&'static str]| move |name: &str| !names.contains(&name);
        assert!(dead_links(page, missing(&[])).is_empty());
        let found = dead_links(page, missing(&["b.md", "d.md", "https://example.org/c.md"]));
        assert_eq!(found.iter().map(|f| f.line).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_package_from_elsewhere_is_found() {
        let public = format!("name = \"a\"\nsource = \"{PUBLIC_INDEX}\"\n");
        assert!(foreign_sources(&public).is_empty());
        let mirror = format!("{public}name = \"b\"\nsource = \"sparse+http://mirror.example/index/\"\n");
        assert_eq!(foreign_sources(&mirror).iter().map(|f| f.line).collect::<Vec<_>>(), [4]);
    }
}
