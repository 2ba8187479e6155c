//! The server goes and another comes: killed, upgraded, with the machine.

use crate::lab::{Lab, is_alive, line_in, until};
use serde_json::json;
use std::fs;

#[test]
fn a_grace_goes_on_while_the_server_is_away() {
    let mut lab = Lab::new("");
    let script = "trap 'echo heard > heard' TERM; echo $$ > pid; while :; do sleep 0.05; done";
    let dir = lab.submit("deaf", script, json!({"gracePeriod": "2s"}));
    let pid = line_in(dir.join("pid"));
    lab.stop_work("deaf");
    line_in(dir.join("heard"));
    lab.kill();
    until("its end without a server", || (!is_alive(&pid)).then_some(()));
    lab.start();
    lab.until_state("deaf", "stopped");
    lab.is_clean();
}

#[test]
fn what_ended_while_the_server_was_away_is_told() {
    let mut lab = Lab::new("");
    let script = "echo first; echo $$ > pid; while ! test -e go; do sleep 0.02; done; echo last; exit 42";
    let dir = lab.submit("goes-on", script, json!({}));
    line_in(dir.join("pid"));
    lab.kill();
    fs::write(dir.join("go"), "").expect("written");
    until("the end of its supervisor", || lab.supervisors().is_empty().then_some(()));
    lab.start();
    assert_eq!(lab.failure("goes-on").0, 42);
    assert_eq!(lab.output("goes-on"), b"first\nlast\n");
    lab.is_clean();
}

#[test]
fn a_job_outlives_an_upgrade() {
    let mut lab = Lab::new("");
    let product = lab.binary.clone();
    let copy = |name: &str| {
        let path = lab.dir.path().join(name);
        fs::copy(&product, &path).expect("copied");
        path
    };
    let (old, new) = (copy("old"), copy("new"));
    lab.stop();
    lab.binary = old.clone();
    lab.start();
    let script = "echo $$ > pid; while ! test -e go; do sleep 0.02; done; exit 17";
    let dir = lab.submit("stays", script, json!({}));
    let pid = line_in(dir.join("pid"));
    lab.stop();
    fs::remove_file(old).expect("removed");
    lab.binary = new;
    lab.start();
    assert!(is_alive(&pid), "an upgrade does not touch it");
    assert_eq!(lab.workload("stays")["status"]["state"], "running");
    fs::write(dir.join("go"), "").expect("written");
    assert_eq!(lab.failure("stays").0, 17);
    lab.submit("after", "exit 0", json!({}));
    lab.until_state("after", "finished");
    lab.is_clean();
}

#[test]
fn what_ran_when_the_machine_went_down_waits_again() {
    let mut lab = Lab::new("");
    let script = "echo $$ >> pids; while ! test -e go; do sleep 0.02; done; exit 0";
    let dir = lab.submit("lost", script, json!({}));
    let first = line_in(dir.join("pids"));
    lab.run(&["node", "cordon", "local-0", "--reason", "fan"]);
    lab.kill();
    fs::write(lab.data().join("boot-id"), "another life of this machine").expect("written");
    lab.start();
    let node = lab.get("/api/v1/nodes/local-0")["status"].take();
    assert_eq!((&node["state"], &node["reason"]), (&json!("cordoned"), &json!("fan")));
    lab.until_state("lost", "queued");
    until("the end of what was left", || (!is_alive(&first)).then_some(()));
    lab.run(&["node", "uncordon", "local-0"]);
    until("another start", || (line_in(dir.join("pids")).lines().count() == 2).then_some(()));
    fs::write(dir.join("go"), "").expect("written");
    let status = lab.until_state("lost", "finished");
    assert_eq!(status["restarts"], 0, "it did not fail");
    lab.is_clean();
}
