//! Tasks by the command line, with real processes: what they are given, what they give back, how they end.

mod common;

use common::Server;
use serde_json::json;

/// A server of real processes whose quota is shared.
fn shop() -> Server {
    let server = Server::real(2);
    server.run(&["quota", "set", "main", "--queue", "fair", "--shared", "true"]).ok();
    server
}

fn template(server: &Server, name: &str, flags: &[&str], script: &str) {
    let mut words = vec!["template", "create", name, "--cpu", "0.1", "--memory", "64Mi"];
    words.extend(flags);
    words.extend(["--", "sh", "-c", script]);
    server.run(&words).ok();
}

#[test]
fn a_task_is_given_inputs_and_gives_back_an_answer_and_files() {
    let server = shop();
    let script = "mkdir $TIDEGATE_OUTPUT_DIR/deep && cat $TIDEGATE_INPUT > $TIDEGATE_OUTPUT \
                  && echo hi > $TIDEGATE_OUTPUT_DIR/deep/hi.txt && ln -s /etc/passwd $TIDEGATE_OUTPUT_DIR/link";
    template(&server, "echo", &[], script);
    let submitted =
        server.run(&["task", "submit", "echo", "--name", "one", "--inputs", "{\"a\": [1, 2]}", "--wait"]);
    assert_eq!(submitted.code, 0, "{submitted:?}");
    let result = server.run(&["task", "result", "one", "-o", "json"]).json();
    assert_eq!((&result["output"], &result["state"]), (&json!({"a": [1, 2]}), &json!("succeeded")));
    assert_eq!(result["files"], json!([{"path": "deep/hi.txt", "size": 3}]), "links are no files");
    assert_eq!(server.run(&["task", "result", "one", "--file", "deep/hi.txt"]).ok(), "hi\n");
    for path in ["link", "../output.json", "none"] {
        server.run(&["task", "result", "one", "--file", path]).fails(3, "has left no file");
    }
    let kept = server.dir.path().join("kept.txt");
    let to = kept.to_str().expect("a path");
    server.run(&["task", "result", "one", "--file", "deep/hi.txt", "--to", to]).ok();
    assert_eq!(std::fs::read_to_string(kept).expect("saved"), "hi\n");
    // Without a word it gives back nothing, and that is fine.
    template(&server, "silent", &[], "true");
    assert_eq!(server.run(&["task", "submit", "silent", "--name", "two", "--wait"]).code, 0);
    assert_eq!(server.run(&["task", "result", "two"]).ok(), "null\n");
    assert_eq!(server.run(&["task", "list", "-o", "name"]).ok(), "two\none\n");
    assert_eq!(server.run(&["task", "list", "--template", "echo", "-o", "name"]).ok(), "one\n");
}

#[test]
fn a_task_that_fails_is_tried_again_with_nothing_of_the_run_before() {
    let server = shop();
    // The first run leaves something and fails; the second finds it gone.
    let script = "test ! -e $TIDEGATE_OUTPUT || exit 9; ls $TIDEGATE_OUTPUT_DIR | grep -q . && exit 9; \
                  echo $TIDEGATE_RESTARTS > $TIDEGATE_OUTPUT; touch $TIDEGATE_OUTPUT_DIR/x; \
                  test $TIDEGATE_RESTARTS -ge 1 || exit 7";
    template(&server, "second", &["--retries", "1"], script);
    assert_eq!(server.run(&["task", "submit", "second", "--name", "a", "--wait"]).code, 0);
    assert_eq!(server.run(&["task", "result", "a"]).ok(), "1\n");
    assert_eq!(server.run(&["task", "show", "a", "-o", "json"]).json()["retries"], 1);
    template(&server, "never", &["--retries", "0"], "exit 7");
    let failed = server.run(&["task", "submit", "never", "--name", "b", "--wait"]);
    assert_eq!(failed.code, 7, "the exit code is the task's: {failed:?}");
    let result = server.run(&["task", "result", "b", "-o", "json"]).json();
    assert_eq!((&result["state"], &result["exitCode"]), (&json!("failed"), &json!(7)));
}

#[test]
fn what_is_not_accepted_is_a_failure_that_says_why() {
    let server = shop();
    let cases = [
        (
            "long",
            "--output-limit",
            "10",
            "echo '\"0123456789\"' > $TIDEGATE_OUTPUT",
            "more than the limit of 10",
        ),
        ("broken", "--output-limit", "1Ki", "echo '{\"a\":' > $TIDEGATE_OUTPUT", "it is not JSON"),
        (
            "link",
            "--output-limit",
            "1Ki",
            "ln -s /etc/hostname $TIDEGATE_OUTPUT",
            "its output is not accepted",
        ),
        (
            "files",
            "--files-limit",
            "10",
            "echo 0123456789 > $TIDEGATE_OUTPUT_DIR/x",
            "more than the limit of 10",
        ),
    ];
    for (name, flag, limit, script, says) in cases {
        template(&server, name, &[flag, limit], script);
        let failed = server.run(&["task", "submit", name, "--name", name, "--wait"]);
        assert_eq!(failed.code, 65, "{name}: {failed:?}");
        let task = server.run(&["task", "show", name, "-o", "json"]).json();
        assert!(task["detail"].as_str().is_some_and(|detail| detail.contains(says)), "{name}: {task}");
        let result = server.run(&["task", "result", name, "-o", "json"]).json();
        assert_eq!(result["output"], json!(null), "{name}");
    }
}

#[test]
fn a_task_is_cancelled_or_runs_out_of_time() {
    let server = shop();
    template(&server, "sleeps", &[], "exec sleep 600");
    server.run(&["task", "submit", "sleeps", "--name", "a"]).ok();
    server.run(&["task", "wait", "a", "--timeout", "0s"]).fails(8, "a is still");
    let would = server.run(&["task", "cancel", "a", "--dry-run"]).ok();
    assert!(would.contains("a"), "{would}");
    server.run(&["task", "cancel", "a"]).ok();
    server.run(&["task", "wait", "a"]).fails(1, "a was cancelled");
    server.run(&["task", "cancel", "a"]).fails(4, "a");
    template(&server, "short", &["--max-run-time", "200ms"], "exec sleep 600");
    let late = server.run(&["task", "submit", "short", "--name", "b", "--wait"]);
    assert!(late.code != 0 && late.err.contains("max-run"), "{late:?}");
    assert_eq!(server.run(&["task", "show", "b", "-o", "json"]).json()["state"], "failed");
}

#[test]
fn templates_are_made_changed_and_shown() {
    let server = Server::start();
    let schema = "{\"type\": \"object\", \"required\": [\"n\"]}";
    let make = ["template", "create", "t", "--input-schema", "-", "--retries", "1", "--", "./run", "it"];
    assert_eq!(server.run_with(&make, schema).ok(), "t created, version 1\n");
    server.run(&["template", "set", "t"]).fails(2, "nothing is stated");
    assert_eq!(server.run(&["template", "set", "t", "--gpus", "1"]).ok(), "t set, version 2\n");
    let set = ["template", "set", "t", "--alias", "stable=1", "--alias", "new=2"];
    assert_eq!(server.run(&set).ok(), "t set, version 2\n");
    server.run(&["template", "set", "t", "--alias", "new="]).ok();
    server.run(&["template", "set", "t", "--alias", "bad=9"]).fails(2, "the alias bad is of version 9");
    let shown = server.run(&["template", "show", "t", "--version", "stable", "-o", "json"]).json();
    assert_eq!((&shown["status"]["version"], &shown["spec"]["resources"]["gpu"]), (&json!(1), &json!(0)));
    assert_eq!(shown["spec"]["aliases"], json!({"stable": 1}));
    let text = server.run(&["template", "show", "t"]).ok();
    assert!(text.contains("version") && text.contains("2 of 2") && text.contains("./run it"), "{text}");
    assert_eq!(server.run(&["template", "list", "-o", "name"]).ok(), "t\n");
    server.run(&["task", "submit", "t", "--inputs", "{}"]).fails(2, "n is missing");
    server.run(&["task", "submit", "t", "--inputs", "{"]).fails(2, "--inputs is not JSON");
    server.run(&["task", "submit", "t", "--inputs", "{\"n\": 1}"]).fails(6, "no quota is marked as shared");
    server.run(&["quota", "set", "main", "--shared", "true"]).fails(2, "the queue of a shared quota is fair");
    server.run(&["quota", "set", "main", "--queue", "fair", "--shared", "true"]).ok();
    server.run(&["quota", "set", "main", "--queue", "fifo"]).fails(2, "the queue of a shared quota is fair");
    for words in [
        ["quota", "show", "main"].as_slice(),
        &["quota", "list", "-o", "wide"],
        &["quota", "tree", "-o", "wide"],
    ] {
        let shown = server.run(words).ok();
        assert!(shown.contains("yes") || shown.contains("tasks of every workspace"), "{shown}");
    }
    server.run(&["task", "submit", "t", "--inputs", "{\"n\": 1}", "--config", "rc-1"]).fails(3, "rc-1");
    let would = server.run(&["task", "submit", "t", "--inputs", "{\"n\": 1}", "--dry-run"]).ok();
    assert!(would.contains("would:"), "{would}");
    assert_eq!(server.run(&["task", "list", "-o", "name"]).ok(), "", "a dry run runs nothing");
    let manifest = "apiVersion: tidegate.dev/v1\nkind: Template\nmetadata: {name: m}\nspec: {command: [a]}\n";
    assert!(server.run_with(&["apply", "-f", "-"], manifest).ok().contains("created"));
    assert!(server.run_with(&["apply", "-f", "-"], manifest).ok().contains("unchanged"));
    let other = manifest.replace("[a]", "[b]");
    assert!(server.run_with(&["apply", "-f", "-"], &other).ok().contains("configured"));
    assert_eq!(server.run(&["template", "show", "m", "-o", "json"]).json()["status"]["latest"], 2);
    assert_eq!(server.run(&["template", "delete", "m"]).ok(), "m deleted, version 2\n");
    server.run(&["template", "show", "m"]).fails(3, "there is no template m");
}
