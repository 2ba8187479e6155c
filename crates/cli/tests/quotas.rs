//! Quotas, nodes and pools by the command line.

mod common;

use common::Server;

/// A root of 16 with two children of 8.
fn tree() -> Server {
    let server = Server::start();
    server.run(&["quota", "create", "a", "8", "--parent", "main"]).ok();
    server.run(&["quota", "create", "b", "8", "--parent", "main", "--queue", "fifo"]).ok();
    server
}

#[test]
fn quotas_are_listed_shown_and_drawn_as_a_tree() {
    let server = tree();
    assert_eq!(server.run(&["quota", "list", "-o", "name"]).ok(), "main\na\nb\n");
    assert_eq!(server.run(&["quotas", "list", "--parent", "main", "-o", "name"]).ok(), "a\nb\n");
    server.run(&["submit", "--quota", "a", "--gpus", "4"]).ok();
    let drawn = server.run(&["quota", "tree"]).ok();
    let lines: Vec<&str> = drawn.lines().collect();
    assert!(lines[1].starts_with("main "), "{drawn}");
    assert!(lines[2].starts_with("├─ a ") && lines[2].ends_with("[##########..........]"), "{drawn}");
    assert!(lines[3].starts_with("└─ b ") && lines[3].ends_with("[....................]"), "{drawn}");
    assert_eq!(server.run(&["quota", "tree", "b", "-o", "name"]).ok(), "b\n");
    server.run(&["quota", "tree", "nobody"]).fails(3, "nobody");
    let shown = server.run(&["quota", "show", "a"]).ok();
    assert!(shown.contains("guarantee") && shown.contains("free"), "{shown}");
    assert!(server.run(&["quota", "show", "b", "-o", "yaml"]).ok().contains("strategy: fifo"));
    let wide = server.run(&["quota", "list", "-o", "wide"]).ok();
    assert!(wide.contains("CHILD-LEVEL"), "{wide}");
}

#[test]
fn guarantees_are_scaled_and_transferred() {
    let server = tree();
    let said = server.run(&["quota", "transfer", "3", "b", "a"]).ok();
    assert_eq!(said, "3 GPUs moved from b to a: b has 5\n");
    assert_eq!(server.run(&["quota", "scale", "a", "9"]).ok(), "a scaled 11 -> 9\n");
    let dry = server.run(&["quota", "scale", "a", "10", "--dry-run"]);
    assert!(dry.out.contains("would: a scaled 9 -> 10"), "{dry:?}");
    let history = server.run(&["quota", "history", "a"]).ok();
    assert!(history.lines().next().is_some_and(|line| line.contains("scaled 11 -> 9 by admin")), "{history}");
    server.run(&["quota", "scale", "a", "100"]).fails(6, "");
    server.run(&["submit", "--name", "w", "--quota", "b", "--gpus", "5"]).ok();
    server.run(&["quota", "transfer", "1", "b", "a"]).fails(4, "");
    let dry = server.run(&["quota", "scale", "b", "0", "--mode", "evict", "--dry-run"]);
    assert!(dry.out.contains("would: w preempted (scale)"), "{dry:?}");
}

#[test]
fn a_version_that_is_stale_says_what_changed() {
    let server = tree();
    let version = server.run(&["quota", "show", "a", "-o", "json"]).json()["metadata"]["version"].clone();
    let version = version.as_str().expect("a version").to_string();
    server.run(&["quota", "scale", "a", "7"]).ok();
    let ran = server.run(&["quota", "scale", "a", "6", "--if-version", &version]);
    ran.fails(4, "a scaled 8 -> 7");
    assert!(ran.err.contains("by admin") && ran.err.contains("\nhint: "), "{ran:?}");
}

#[test]
fn policies_are_set_and_the_rest_stays() {
    let server = tree();
    server.run(&["quota", "set", "b", "--child-level", "1-3:training", "--patience", "5m"]).ok();
    let spec = server.run(&["quota", "show", "b", "-o", "json"]).json()["spec"].clone();
    assert_eq!(spec["queue"]["strategy"], "fifo");
    assert_eq!(spec["queue"]["patience"], "5m");
    assert_eq!(spec["preemption"]["childLevel"]["victims"]["priorities"], "1-3");
    server.run(&["quota", "set", "b", "--child-level", "off"]).ok();
    let spec = server.run(&["quota", "show", "b", "-o", "json"]).json()["spec"].clone();
    assert!(spec["preemption"]["childLevel"].is_null(), "{spec}");
    server.run(&["quota", "set", "b"]).fails(2, "nothing is to be set");
    server.run(&["quota", "set", "b", "--self-level", "1-3>4:training"]).fails(2, "");
    assert_eq!(server.run(&["quota", "delete", "b"]).ok(), "b deleted\n");
    server.run(&["quota", "show", "b"]).fails(3, "there is no quota b");
    server.run(&["quota", "delete", "main"]).fails(4, "");
}

#[test]
fn a_queue_is_listed_with_its_reasons() {
    let server = tree();
    server.run(&["submit", "--name", "w1", "--quota", "a", "--gpus", "8"]).ok();
    server.run(&["submit", "--name", "w2", "--quota", "a", "--gpus", "8", "--priority", "5"]).ok();
    let queue = server.run(&["quota", "queue", "a"]).ok();
    assert!(
        queue.lines().nth(1).is_some_and(|line| line.contains("w2") && line.contains("short 8")),
        "{queue}"
    );
    let empty = server.run(&["quota", "queue", "b"]);
    assert_eq!((empty.code, empty.out.as_str()), (0, ""));
}

#[test]
fn nodes_are_added_cordoned_drained_and_removed() {
    let server = Server::start();
    assert_eq!(server.run(&["node", "list", "-o", "name"]).ok(), "local-0\nlocal-1\n");
    let model = server.run(&["node", "show", "local-0", "-o", "json"]).json()["spec"]["model"].clone();
    let model = model.as_str().expect("a model");
    server.run(&["node", "add", "extra", "--pool", "local", "--gpus", "4", "--model", model]).ok();
    assert_eq!(server.run(&["node", "cordon", "extra", "--reason", "loud"]).ok(), "extra cordoned\n");
    let list = server.run(&["nodes", "list", "--state", "cordoned"]).ok();
    assert!(list.contains("extra") && list.contains("loud") && !list.contains("local-0"), "{list}");
    server.run(&["node", "uncordon", "extra"]).ok();
    server.run(&["submit", "--name", "w", "--gpus", "8", "--grace", "0s"]).ok();
    let placements = server.run(&["show", "w", "-o", "json"]).json()["status"]["placements"].clone();
    let node = placements[0]["node"].as_str().expect("a node").to_string();
    let dry = server.run(&["node", "drain", &node, "--dry-run"]);
    assert!(dry.out.contains("would: w preempted (drain)"), "{dry:?}");
    server.run(&["node", "drain", &node]).ok();
    let shown = server.run(&["node", "show", &node]).ok();
    assert!(shown.contains("cordoned"), "{shown}");
    assert_eq!(server.run(&["node", "remove", "extra"]).ok(), "extra removed\n");
    server.run(&["node", "remove", "local-1"]).fails(4, "");
    server.run(&["node", "show", "extra"]).fails(3, "there is no node extra");
}

#[test]
fn pools_are_created_listed_and_shown() {
    let server = Server::start();
    let said = server.run(&["pool", "create", "h100", "--nodes", "2x8", "--model", "H100"]).ok();
    assert!(said.starts_with("h100 created with 2 nodes, 16 GPUs"), "{said}");
    assert_eq!(server.run(&["pools", "list", "-o", "name"]).ok(), "local\nh100\n");
    assert!(server.run(&["pool", "show", "h100"]).ok().contains("16 H100: 0 used, 16 free"));
    server.run(&["pool", "create", "h100"]).fails(4, "h100");
    let list = server.run(&["pool", "list"]).ok();
    assert!(list.lines().count() == 3, "{list}");
}

#[test]
fn manifests_are_applied_and_say_what_became_of_them() {
    let server = Server::start();
    let manifests = "apiVersion: tidegate.dev/v1\nkind: Quota\nmetadata: {name: q}\nspec: {parent: main, guarantee: {gpu: 8}}\n---\napiVersion: tidegate.dev/v1\nkind: Workload\nmetadata: {name: w}\nspec: {quota: q, resources: {gpu: 1}}\n";
    let dry = server.run_with(&["apply", "-f", "-", "--dry-run"], manifests);
    assert!(dry.code == 0 && dry.out.contains("quota/q created"), "{dry:?}");
    let ran = server.run_with(&["apply", "-f", "-"], manifests);
    assert_eq!((ran.code, ran.out.as_str()), (0, "quota/q created\nworkload/w created\n"), "{ran:?}");
    let ran = server.run_with(&["apply", "-f", "-"], &manifests.replace("gpu: 8", "gpu: 4"));
    assert!(ran.out.starts_with("quota/q configured (/guarantee/gpu)\nworkload/w unchanged\n"), "{ran:?}");
    let ran = server.run_with(&["apply", "-f", "-"], &manifests.replace("gpu: 8", "gpu: 99"));
    assert_eq!(ran.code, 6, "{ran:?}");
    assert!(ran.out.contains("quota/q refused") && ran.err.contains("manifest 1: quota/q"), "{ran:?}");
    let ran = server.run_with(&["apply", "-f", "-"], "kind: Cat\n");
    assert_eq!(ran.code, 2, "{ran:?}");
}
