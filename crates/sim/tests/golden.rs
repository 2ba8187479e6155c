//! Every scenario file says what it expects below `----`. `UPDATE=1` rewrites that.

use std::path::{Path, PathBuf};
use tidegate_engine::Engine;
use tidegate_sim::language::RULE;
use tidegate_sim::report::{json, text};
use tidegate_sim::{Recording, simulate};

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// Files with this ending below the folder, in order of their paths.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("its entries too").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The input with its rule, and what stands below it.
fn split(file: &str) -> (String, String) {
    let rule = format!("\n{RULE}\n");
    match file.split_once(&rule) {
        Some((input, expected)) => (format!("{input}{rule}"), expected.into()),
        None => (format!("{}{rule}", file.trim_end()), String::new()),
    }
}

/// Compares what `outcome` makes of every file with what the file expects, and reports all that differ.
fn compare(ending: &str, outcome: impl Fn(&str) -> Result<String, String>) {
    let mut wrong = Vec::new();
    let files = files(&scenarios(), ending);
    assert!(!files.is_empty(), "no scenario ends in .{ending}");
    for path in files {
        let file = std::fs::read_to_string(&path).expect("a scenario can be read");
        let (input, expected) = split(&file);
        match outcome(&input) {
            Ok(found) if found == expected => {}
            Ok(found) if std::env::var_os("UPDATE").is_some() => {
                std::fs::write(&path, format!("{input}{found}")).expect("a scenario can be written");
            }
            Ok(found) => wrong.push(format!("{}\n{}", path.display(), difference(&expected, &found))),
            Err(error) => wrong.push(format!("{}\n{error}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "\n{}\n(UPDATE=1 rewrites what is expected)\n", wrong.join("\n"));
}

/// Lines that are only expected with `-`, only found with `+`, around a longest common subsequence.
fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let longer = common[i + 1][j].max(common[i][j + 1]);
            common[i][j] = if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { longer };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(format!("  {}", old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j < new.len() && (i == old.len() || common[i][j + 1] >= common[i + 1][j]) {
            lines.push(format!("+ {}", new[j]));
            j += 1;
        } else {
            lines.push(format!("- {}", old[i]));
            i += 1;
        }
    }
    lines.join("\n")
}

fn run(input: &str) -> Result<Recording, String> {
    simulate(input.as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn every_scenario_gives_what_it_expects() {
    compare("tide", |input| Ok(text::render(&run(input)?.report)));
}

#[test]
fn every_bad_file_gives_the_error_that_it_expects() {
    compare("bad", |input| match run(input) {
        Ok(recording) => Err(format!("ran, and printed\n{}", text::render(&recording.report))),
        Err(error) => Ok(format!("{error}\n")),
    });
}

/// Applies `check` to every scenario's input.
fn each(check: impl Fn(&str, &str)) {
    for path in files(&scenarios(), "tide") {
        let file = std::fs::read_to_string(&path).expect("a scenario can be read");
        check(&path.display().to_string(), &split(&file).0);
    }
}

#[test]
fn json_says_as_much_as_text() {
    each(|path, input| {
        let Ok(recording) = run(input) else { panic!("{path} does not run") };
        let document: serde_json::Value =
            serde_json::from_str(&json::render(&recording.report)).expect("the document parses");
        let events = document["events"].as_array().expect("events are a list");
        let lines = text::render(&recording.report).lines().filter(|line| !line.starts_with(' ')).count();
        assert_eq!(events.len(), lines, "{path}");
        for event in events {
            let subjects =
                ["workload", "quota", "node"].iter().filter(|key| event.get(**key).is_some()).count();
            let whole = event["event"] == "show";
            assert_eq!(subjects, usize::from(!whole), "{path}: {event}");
            assert!(event["at"].is_number(), "{path}: {event}");
        }
    });
}

#[test]
fn the_same_file_gives_the_same_events() {
    each(|path, input| {
        let (Ok(first), Ok(second)) = (run(input), run(input)) else { panic!("{path} does not run") };
        assert_eq!(first.events, second.events, "{path}");
        assert_eq!(first.report, second.report, "{path}");
    });
}

#[test]
fn replaying_the_events_gives_the_same_state() {
    each(|path, input| {
        let Ok(recording) = run(input) else { panic!("{path} does not run") };
        let mut replayed = Engine::new();
        for event in &recording.events {
            replayed.apply(event);
        }
        assert!(replayed == recording.engine, "{path}: the replayed engine differs");
    });
}
