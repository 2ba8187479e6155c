//! The binary as users meet it: what it prints where, and how it exits.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const GOOD: &str =
    "pool h100 1x8 H100\nquota Q 8 pool=h100\nat 0s submit a Q training p5 1x8 for 1h\nat 0s show\n";

/// Runs the binary with `input` on stdin.
fn tidegate(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().expect("stdin is a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

#[test]
fn help_goes_to_stdout_and_has_examples() {
    for arguments in [&["--help"][..], &["simulate", "--help"]] {
        let output = tidegate(arguments, "");
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("tidegate simulate scenarios/worked-example.tide"));
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn the_version_is_printed() {
    let output = tidegate(&["version"], "");
    assert_eq!(text(&output.stdout), format!("tidegate {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn wrong_usage_exits_2_with_nothing_on_stdout() {
    for arguments in [&[][..], &["simulate"], &["fly"], &["simulate", "-", "-o", "yaml"]] {
        let output = tidegate(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_syntax_error_names_line_column_and_what_was_expected() {
    let output = tidegate(&["simulate", "-"], "pool h100 1x8 H100\nqouta Q 8 pool=h100\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let expected = "error: -: line 2, column 1: expected pool, quota or at, found \"qouta\"\n  \
                    qouta Q 8 pool=h100\n  ^\n";
    assert_eq!(text(&output.stderr), expected);
}

#[test]
fn a_declaration_that_breaks_a_rule_exits_2() {
    let output = tidegate(&["simulate", "-"], "pool h100 1x8 H100\nquota Q 9 pool=h100\n");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("line 2, column 9: ") && message.contains("hint: "), "{message}");
}

#[test]
fn a_missing_file_exits_3() {
    let output = tidegate(&["simulate", "no-such-file.tide"], "");
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("no-such-file.tide"));
}

#[test]
fn bytes_that_are_no_text_exit_2() {
    let file = std::env::temp_dir().join(format!("tidegate-bytes-{}.tide", std::process::id()));
    std::fs::write(&file, b"pool h100 1x8 H100\nat \xff\n").expect("a temporary file can be written");
    let output = tidegate(&["simulate", &file.to_string_lossy()], "");
    std::fs::remove_file(&file).expect("it can be removed");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("line 2, column 4: expected UTF-8 text"));
}

#[test]
fn text_is_the_default_and_json_is_one_document() {
    let output = tidegate(&["simulate", "-"], GOOD);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).starts_with("0s  a queued Q\n0s  a started 1 replica Q:8 (firm)\n0s  show\n")
    );

    let output = tidegate(&["simulate", "-", "-o", "json"], GOOD);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    let words: Vec<&str> =
        document["events"].as_array().expect("a list").iter().filter_map(|e| e["event"].as_str()).collect();
    assert_eq!(words, ["queued", "started", "show", "finished"]);
    assert_eq!(document["events"][1]["draws"]["Q"], 8);
    assert_eq!(document["events"][3]["at"], 3600);
    assert_eq!(document["final"]["workloads"]["a"]["state"], "finished");
    assert_eq!(document["final"]["books"][0]["balance"], 8);
}

#[test]
fn a_refused_command_is_an_event_and_exits_0() {
    let output = tidegate(&["simulate", "-"], "pool h100 1x8 H100\nat 0s finish nobody\n");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("0s  nobody refused: there is no workload nobody; hint: "));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut lines = String::from("pool h100 1x8 H100\n");
    for _ in 0..20_000 {
        lines.push_str("at 0s finish nobody\n");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(["simulate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    child.stdin.take().expect("stdin is a pipe").write_all(lines.as_bytes()).expect("it reads its input");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
