//! What the server shows to others, and what it says about that.

use crate::lab::{Lab, is_root, line_in};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// All that is below a directory, but for what belongs to workspaces.
fn all_below(directory: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(directory).expect("it can be listed").flatten() {
        if entry.file_name() == "work" {
            continue;
        }
        found.push(entry.path());
        if entry.path().is_dir() {
            all_below(&entry.path(), found);
        }
    }
}

#[test]
fn the_data_directory_is_closed_to_others() {
    let lab = Lab::new("");
    let dir = lab.submit("here", "echo $$ > pid; exec sleep 1000", json!({}));
    line_in(dir.join("pid"));
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let mut found = Vec::new();
    all_below(&lab.data(), &mut found);
    let names: Vec<_> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    assert!(names.contains(&"admin.token") && names.contains(&"order.json"), "{names:?}");
    assert!(names.iter().any(|name| name.ends_with("-wal")), "{names:?}");
    for path in &found {
        assert_eq!(mode(path) & 0o077, 0, "{} is {:o}", path.display(), mode(path));
    }
    let (data, work, own) = (mode(&lab.data()), mode(&lab.data().join("work")), mode(&dir));
    let passed = if is_root() { (0o711, 0o711, 0o700) } else { (0o700, 0o700, 0o700) };
    assert_eq!((data, work, own), passed);
}

#[test]
fn the_node_says_how_work_is_kept_apart() {
    let lab = Lab::new("isolation = \"none\"\ncgroups = false");
    let status = lab.get("/api/v1/nodes/local-0")["status"].take();
    assert_eq!((&status["isolation"], &status["limits"]), (&json!("none"), &json!([])));
    let shown = lab.run(&["node", "show", "local-0"]);
    assert!(shown.contains("none: all processes run as the user of the server"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("limits") && line.ends_with("none")), "{shown}");
    let dir = lab.submit("whoami", "id -u > who", json!({}));
    assert_eq!(line_in(dir.join("who")), rustix::process::geteuid().as_raw().to_string());
}

#[test]
fn as_root_work_runs_as_somebody_else() {
    if !is_root() {
        eprintln!("skipped: only root can run processes as other users");
        return;
    }
    let lab = Lab::new("first-uid = 1900000500");
    let status = lab.get("/api/v1/nodes/local-0")["status"].take();
    assert_eq!(status["isolation"], "uid");
    assert!(
        lab.run(&["node", "show", "local-0"]).contains("uid: the processes of each workspace run as a user")
    );
    let data = lab.data().display().to_string();
    let script =
        format!("id -u > who; cat {data}/admin.token {data}/*.db && exit 1; ls {data} && exit 1; exit 0");
    let dir = lab.submit("whoami", &script, json!({}));
    assert_eq!(line_in(dir.join("who")), "1900000500");
    lab.until_state("whoami", "finished");
}

#[test]
fn where_work_is_not_kept_apart_a_second_workspace_is_refused_unless_somebody_allows_it() {
    let room = json!({"metadata": {"name": "team-b"}, "spec": {"quotas": ["main"]}});
    let lab = Lab::new("isolation = \"none\"");
    let (status, refused) =
        lab.ask("POST", "/api/v1/workspaces", Some(&room), None).expect("the server answers");
    assert_eq!((status, refused["code"].as_str()), (409, Some("wrong-state")), "{refused}");
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("not kept apart")), "{refused}");
    let lab = Lab::new("isolation = \"none\"\nallow-shared-user = true");
    assert_eq!(lab.ask("POST", "/api/v1/workspaces", Some(&room), None).expect("the server answers").0, 201);
}

#[test]
fn a_workspace_reads_nothing_of_another_and_signals_nobody_there() {
    if !is_root() {
        eprintln!("skipped: only root can run processes as other users");
        return;
    }
    let lab = Lab::new("first-uid = 1900000700");
    for room in ["team-b", "team-c"] {
        let room = json!({"metadata": {"name": room}, "spec": {"quotas": ["main"]}});
        assert_eq!(
            lab.ask("POST", "/api/v1/workspaces", Some(&room), None).expect("the server answers").0,
            201
        );
    }
    let script = "echo secret > file; id -u > who; echo $$ > pid; exec sleep 1000";
    let theirs = lab.submit("theirs", script, json!({"workspace": "team-c"}));
    let pid = line_in(theirs.join("pid"));
    assert_eq!(line_in(theirs.join("who")), "1900000702");
    let there = theirs.display();
    let script = format!(
        "id -u > who; cat {there}/file && exit 1; ls {there} && exit 2; touch {there}/mine && exit 3; \
         kill -9 {pid} && exit 4; cat /proc/{pid}/environ && exit 5; exit 0"
    );
    let ours = lab.submit("ours", &script, json!({"workspace": "team-b"}));
    lab.until_state("ours", "finished");
    assert_eq!(line_in(ours.join("who")), "1900000701");
    lab.until_state("theirs", "running");
}
