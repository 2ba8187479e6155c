//! Workloads by the command line: every verb, every format, every exit code.

mod common;

use common::Server;

#[test]
fn a_first_submission_needs_nothing_but_a_command() {
    let server = Server::start();
    let said = server.run(&["submit", "--name", "hi", "--", "echo", "hi"]).ok();
    assert!(said.starts_with("hi running"), "{said}");
    let shown = server.run(&["show", "hi", "-o", "json"]).json();
    assert_eq!(shown["spec"]["command"], serde_json::json!(["echo", "hi"]));
    assert_eq!(shown["status"]["quota"], "main");
}

#[test]
fn a_list_says_why_something_waits() {
    let server = Server::start();
    server.run(&["submit", "--name", "big", "--replicas", "2", "--gpus", "8"]).ok();
    let said = server.run(&["submit", "--name", "small", "--gpus", "4", "--priority", "3"]).ok();
    assert!(said.starts_with("small queued in main: ") && said.contains("short 4 of 4 GPUs"), "{said}");
    let list = server.run(&["list"]).ok();
    let lines: Vec<&str> = list.lines().collect();
    assert!(lines[0].starts_with("NAME   STATE") && lines[0].ends_with("WHY"), "{list}");
    assert!(lines[1].starts_with("small  queued") && lines[1].contains("short 4 of 4 GPUs"), "{list}");
    assert!(lines[2].starts_with("big    running") && lines[2].contains("2/2"), "{list}");
    let wide = server.run(&["workloads", "list", "-o", "wide", "--state", "queued"]).ok();
    assert!(wide.lines().count() == 2 && wide.contains("UID"), "{wide}");
    let why = server.run(&["explain", "small"]).ok();
    assert!(why.contains("position") && why.contains("starts when"), "{why}");
    assert_eq!(server.run(&["explain", "small", "-o", "json"]).json()["position"], 1);
}

#[test]
fn lists_and_resources_have_five_formats() {
    let server = Server::start();
    server.run(&["submit", "--name", "a", "--label", "team=x", "--gpus", "1"]).ok();
    server.run(&["submit", "--name", "b", "--module", "notebook"]).ok();
    assert_eq!(server.run(&["list", "-o", "name"]).ok(), "b\na\n");
    assert_eq!(server.run(&["list", "-o", "name", "--label", "team=x"]).ok(), "a\n");
    assert_eq!(server.run(&["list", "-o", "name", "--module", "notebook"]).ok(), "b\n");
    assert_eq!(server.run(&["list", "-o", "name", "--quota", "main", "a"]).ok(), "a\n");
    assert_eq!(server.run(&["list", "-o", "json"]).json()["items"].as_array().map(Vec::len), Some(2));
    let yaml = server.run(&["show", "a", "-o", "yaml"]).ok();
    assert!(yaml.contains("kind: Workload") && yaml.contains("state: running"), "{yaml}");
    assert!(server.run(&["show", "a", "b"]).ok().contains("nodes"));
    assert_eq!(server.run(&["show", "a", "-o", "name"]).ok(), "a\n");
    let silent = server.run(&["list", "-o", "json"]);
    assert_eq!(silent.err, "", "a program reads it: nothing beside");
}

#[test]
fn workloads_are_stopped_started_resized_and_deleted() {
    let server = Server::start();
    server
        .run(&[
            "submit",
            "--name",
            "w",
            "--module",
            "service",
            "--replicas",
            "2",
            "--gpus",
            "1",
            "--grace",
            "0s",
        ])
        .ok();
    assert!(server.run(&["resize", "w", "3"]).ok().starts_with("w running"));
    assert_eq!(server.run(&["priority", "w", "7", "-o", "json"]).json()["status"]["priority"], 7);
    assert_eq!(server.run(&["show", "w", "-o", "json"]).json()["status"]["replicas"]["wanted"], 3);
    server.run(&["restart", "w"]).ok();
    server.run(&["start", "w"]).fails(4, "w is ");
    server.run(&["delete", "w"]).fails(4, "");
    server.run(&["stop", "w"]).ok();
    server.wait_for("w", "stopped");
    let uid = server.run(&["start", "w", "-o", "json"]).json()["metadata"]["uid"].clone();
    assert_ne!(uid, "w-0");
    server.run(&["stop", "w"]).ok();
    server.wait_for("w", "stopped");
    server.run(&["submit", "--name", "alive", "--priority", "3"]).ok();
    server.run(&["delete", "alive"]).fails(4, "alive is running; only what has ended is deleted");
    server.run(&["priority", "alive", "3"]).fails(4, "alive has priority 3 already");
    let said = server.run(&["delete", "w"]).ok();
    assert_eq!(said, "w deleted\n");
    let events = server.run(&["events", "w"]);
    assert!(events.code == 0 || events.code == 3, "{events:?}");
}

#[test]
fn a_dry_run_says_who_would_start_and_changes_nothing() {
    let server = Server::start();
    let ran = server.run(&["submit", "--name", "x", "--gpus", "8", "--dry-run"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("would: x started 1 replica main:8 (firm)"), "{ran:?}");
    assert!(ran.err.contains("nothing was changed"), "{ran:?}");
    let ran = server.run(&["submit", "--name", "x", "--gpus", "8", "--dry-run", "-o", "json"]);
    assert_eq!(ran.json()["dryRun"], true);
    server.run(&["show", "x"]).fails(3, "there is no workload x");
}

#[test]
fn a_dry_run_of_a_stop_says_who_would_start_then() {
    let server = Server::start();
    server.run(&["submit", "--name", "first", "--gpus", "8", "--replicas", "2", "--grace", "5m"]).ok();
    server.run(&["submit", "--name", "second", "--gpus", "4", "--grace", "0s"]).ok();
    let ran = server.run(&["stop", "first", "--dry-run"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines,
        [
            "would: first leaving on local-0,local-1: 2 replicas asked to end within 5m",
            "would: first stopped",
            "would: second started 1 replica main:4 (firm)",
        ],
        "{ran:?}"
    );
    assert_eq!(server.run(&["show", "first", "-o", "json"]).json()["status"]["state"], "running");
    let ran = server.run(&["stop", "second", "--dry-run"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "would: second stopped\n"), "{ran:?}");
    let ran = server.run(&["stop", "first"]);
    assert!(
        ran.out.contains("first leaving on local-0,local-1: 2 replicas asked to end within 5m"),
        "{ran:?}"
    );
}

#[test]
fn waiting_returns_the_exit_code_of_the_job() {
    let server = Server::start();
    let ran = server.run(&["submit", "--wait", "--duration", "50ms", "--name", "good"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = server.run(&["submit", "--wait", "--duration", "50ms", "--fails", "42", "--name", "bad"]);
    assert_eq!(ran.code, 42, "{ran:?}");
    assert!(ran.err.contains("bad failed with exit code 42"), "{ran:?}");
    let ran = server.run(&["submit", "--wait", "--timeout", "200ms", "--name", "endless", "-o", "name"]);
    assert_eq!((ran.code, ran.out.as_str()), (8, "endless\n"), "{ran:?}");
    assert!(
        ran.err.contains("error: endless is still running after 200ms\n") && ran.err.contains("\nhint: "),
        "{ran:?}"
    );
}

#[test]
fn failures_have_their_exit_codes() {
    let server = Server::start();
    server.run(&["submit", "--name", "a", "--gpus", "1"]).ok();
    server.run(&["submit", "--name", "a", "--gpus", "1"]).fails(4, "a");
    server.run(&["submit", "--gpus", "8", "--replicas", "9"]).fails(6, "");
    server.run(&["submit", "--quota", "nowhere"]).fails(3, "nowhere");
    server.run(&["show", "nobody"]).fails(3, "there is no workload nobody");
    server.run(&["submit", "-f", "no-such-file.yaml"]).fails(3, "no-such-file.yaml");
    for usage in
        [&["submit", "--gpus", "many"][..], &["priority", "a", "10"], &["resize", "a", "0"], &["show"]]
    {
        let ran = server.run(usage);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    }
    let ran = server.run(&["submit", "--gpus", "1.5"]);
    assert_eq!(ran.code, 2, "a field that breaks a rule: {ran:?}");
    assert!(ran.err.contains("\nhint: "), "{ran:?}");
}

#[test]
fn a_manifest_is_submitted_with_flags_in_its_place() {
    let server = Server::start();
    let manifest = "apiVersion: tidegate.dev/v1\nkind: Workload\nmetadata: {name: m}\nspec: {priority: 2, resources: {gpu: 1}}\n";
    let ran = server.run_with(&["submit", "-f", "-", "--priority", "5", "-o", "json"], manifest);
    assert_eq!(ran.json()["status"]["priority"], 5);
    let ran = server.run_with(&["submit", "-f", "-"], "kind: Workload\nspec: {cats: 3}\n");
    ran.fails(2, "cats");
}

#[test]
fn a_watch_prints_a_row_for_every_change() {
    let server = Server::start();
    let mut rows = server.follow(&["list", "--watch"]);
    let mut names = server.follow(&["list", "--watch", "-o", "json"]);
    let mut events = server.follow(&["events", "-o", "json"]);
    rows.line_with("NAME");
    names.line_with("items");
    // Who follows everything prints nothing at first: one event shows that it is there.
    common::until(|| {
        let name = format!("probe-{}", std::process::id());
        let _ = server.run(&["submit", "--name", &name, "--duration", "1ms"]);
        Some(())
    });
    server.run(&["submit", "--name", "seen", "--gpus", "1", "--grace", "0s"]).ok();
    let row = rows.line_with("seen");
    assert!(row.contains("main"), "{row}");
    let line = names.line_with("\"seen\"");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&line).expect("a line of JSON")["kind"], "Workload");
    server.run(&["stop", "seen"]).ok();
    rows.line_with("stopped");
    events.line_with("\"stopped\"");
}

#[test]
fn a_watch_goes_on_after_the_server_was_killed() {
    let mut server = Server::start();
    let mut rows = server.follow(&["list", "--watch"]);
    rows.line_with("NAME");
    server.run(&["submit", "--name", "before", "--gpus", "1"]).ok();
    rows.line_with("before");
    server.crash_and_restart();
    server.run(&["submit", "--name", "after", "--gpus", "1"]).ok();
    rows.line_with("after");
}
