//! Every rule of the house, applied to the repository.

use std::path::Path;
use tidy::repository::{self, File};
use tidy::rooms::Manifest;
use tidy::{Finding, pages, purity, rooms, text};

/// Applies `rule` to the files that `chosen` picks, and fails with a line for each finding. A rule that
/// had nothing to look at fails too: it would hold for ever.
fn hold(chosen: impl Fn(&str) -> bool, rule: impl Fn(&File) -> Vec<Finding>) {
    let files = repository_files();
    let files: Vec<&File> = files.iter().filter(|file| chosen(&file.path)).collect();
    assert!(!files.is_empty(), "no file to apply the rule to");
    let found: Vec<String> =
        files.iter().flat_map(|file| rule(file).into_iter().map(|f| show(&file.path, &f))).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

fn repository_files() -> Vec<File> {
    repository::files(&repository::root()).expect("the repository that holds this test can be read")
}

fn show(path: &str, finding: &Finding) -> String {
    format!("{path}:{}: {}", finding.line, finding.what)
}

fn every_file(_: &str) -> bool {
    true
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

/// `crates/ROOM/rest`, taken apart.
fn in_room(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix("crates/")?.split_once('/')
}

#[test]
fn no_rust_file_is_too_long() {
    hold(is_rust, |file| text::too_long(&file.path, &file.text));
}

#[test]
fn white_space_is_clean() {
    hold(every_file, |file| text::white_space(&file.path, &file.text));
}

#[test]
fn nothing_is_unfinished() {
    hold(is_rust, |file| text::unfinished(&file.text));
}

#[test]
fn no_path_of_a_private_machine() {
    hold(every_file, |file| text::private_paths(&file.text));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    hold(every_file, |file| text::off_topic(&file.text));
}

#[test]
fn crates_depend_in_one_direction() {
    let files = repository_files();
    let manifests: Vec<Manifest> = files
        .iter()
        .filter_map(|file| match in_room(&file.path)? {
            (room, "Cargo.toml") => Some(Manifest { room, text: &file.text }),
            _ => None,
        })
        .collect();
    assert!(manifests.len() > 1, "no crates to compare");
    let found = rooms::wrong_direction(&manifests);
    let found: Vec<String> =
        found.iter().map(|(room, finding)| show(&format!("crates/{room}/Cargo.toml"), finding)).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn the_engine_is_pure() {
    let is_engine_source = |path: &str| path.starts_with("crates/engine/src/") && is_rust(path);
    hold(is_engine_source, |file| purity::impure(&file.path, &file.text));
}

#[test]
fn every_crate_opens_by_saying_what_it_is() {
    let is_root = |path: &str| matches!(in_room(path), Some((_, "src/lib.rs" | "src/main.rs")));
    hold(is_root, |file| pages::no_opening_comment(&file.text));
}

#[test]
fn every_event_word_is_documented() {
    hold(|path| path == "docs/scenario-language.md", |file| pages::undocumented_events(&file.text));
}

#[test]
fn scenarios_are_short_and_expect_something() {
    hold(
        |path| path.starts_with("scenarios/") && path.ends_with(".tide"),
        |file| pages::bad_scenario(&file.text),
    );
}

#[test]
fn the_page_of_the_language_shows_the_worked_example() {
    let scenario = repository_files().into_iter().find(|file| file.path == "scenarios/worked-example.tide");
    let scenario = scenario.expect("the worked example exists");
    hold(|path| path == "docs/scenario-language.md", |file| pages::stale_example(&file.text, &scenario.text));
}

#[test]
fn links_between_pages_lead_somewhere() {
    let root = repository::root();
    hold(
        |path| path.ends_with(".md"),
        |file| {
            let folder = root.join(Path::new(&file.path).parent().unwrap_or(Path::new("")));
            pages::dead_links(&file.text, |target| folder.join(target).exists())
        },
    );
}

#[test]
fn packages_come_from_the_public_index() {
    hold(|path| path == "Cargo.lock", |file| pages::foreign_sources(&file.text));
}
