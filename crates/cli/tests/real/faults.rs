//! Programs that behave badly, and what becomes of them.

use crate::lab::{Lab, is_alive, line_in, signal, until};
use rustix::process::Signal;
use serde_json::json;
use std::fs;

#[test]
fn who_ignores_the_request_to_leave_is_killed_at_the_end_of_its_grace() {
    let lab = Lab::new("");
    let script = "trap 'echo heard >> heard' TERM; echo $$ > pid; while :; do sleep 0.05; done";
    let dir = lab.submit("deaf", script, json!({"gracePeriod": "2s"}));
    let pid = line_in(dir.join("pid"));
    lab.stop_work("deaf");
    line_in(dir.join("heard"));
    assert!(is_alive(&pid), "it has time until the end of its grace");
    lab.until_state("deaf", "stopped");
    assert!(!is_alive(&pid));
    lab.is_clean();
}

fn forks_away(config: &str) {
    let lab = Lab::new(config);
    // Twice forked, in a session of its own, without its environment and its output.
    let script = "(setsid env -i sh -c 'setsid sh -c \"echo \\$\\$ > away; exec sleep 1000\" &' \
                  >/dev/null 2>&1 </dev/null &)\nwhile ! test -s away; do sleep 0.01; done; exit 9";
    let dir = lab.submit("forks", script, json!({}));
    assert_eq!(lab.failure("forks").0, 9);
    assert!(!is_alive(&line_in(dir.join("away"))), "nothing of it is left when its end is told");
    lab.is_clean();
}

#[test]
fn who_forks_away_ends_with_its_parent() {
    forks_away("cgroups = false");
}

#[test]
fn who_forks_away_ends_with_its_group() {
    forks_away("cgroups = true");
}

#[test]
fn output_is_bounded_and_nothing_waits_for_it() {
    let lab = Lab::new("");
    lab.submit("talks", "yes 0123456789abcdef | head -c 80000000; exit 3", json!({}));
    assert_eq!(lab.failure("talks").0, 3);
    assert_eq!(lab.output("talks").len(), 80_000_000);
    let log = lab.data().join("logs/0/0.log");
    let aside = fs::metadata(log.with_extension("log.1")).expect("it was put aside").len();
    assert!(aside <= 64 << 20 && fs::metadata(log).expect("it is there").len() < 20_000_000);
}

#[test]
fn binary_output_is_kept_as_it_is() {
    let lab = Lab::new("");
    let script = "head -c 100000 /dev/urandom | tee copy; printf '\\0\\377\\033[2J' | tee -a copy";
    let dir = lab.submit("binary", script, json!({}));
    lab.until_state("binary", "finished");
    assert_eq!(lab.output("binary"), fs::read(dir.join("copy")).expect("it is there"));
}

#[test]
fn what_cannot_be_started_says_why() {
    let lab = Lab::new("");
    lab.submit_as("missing", &["/no/such/program"], json!({}));
    let (code, detail) = lab.failure("missing");
    assert!(code == 127 && detail.contains("cannot start /no/such/program"), "{code}: {detail}");
    let shown = lab.run(&["list"]);
    assert!(shown.contains("exit code 127") && shown.contains("cannot start"), "{shown}");
    lab.submit_as("text", &["/etc/passwd"], json!({}));
    let (code, detail) = lab.failure("text");
    assert!(code == 126 && detail.contains("ermission denied"), "{code}: {detail}");
    lab.submit("nowhere", "exit 0", json!({"workingDir": "not/here"}));
    let (code, detail) = lab.failure("nowhere");
    assert!(code == 126 && detail.contains("not/here is not there"), "{code}: {detail}");
    let text = String::from_utf8(lab.output("nowhere")).expect("text");
    assert!(text.contains("[tidegate: the working directory"), "{text}");
    lab.is_clean();
}

#[test]
fn a_working_directory_that_is_removed_is_missed_at_the_next_start() {
    let lab = Lab::new("");
    let dir = lab.submit("first", "mkdir deep", json!({}));
    lab.until_state("first", "finished");
    let deep = dir.join("deep").display().to_string();
    lab.submit("removes", &format!("rm -r {deep}; exit 4"), json!({"restarts": 1, "workingDir": deep}));
    let (code, detail) = lab.failure("removes");
    assert!(code == 126 && detail.contains("deep is not there"), "{code}: {detail}");
}

#[test]
fn who_is_stopped_hears_that_it_is_to_leave() {
    let lab = Lab::new("");
    let script = "trap 'echo bye > left; exit 0' TERM; echo $$ > pid; while :; do sleep 0.05; done";
    let dir = lab.submit("stopped", script, json!({"gracePeriod": "1m"}));
    let pid = line_in(dir.join("pid"));
    assert!(signal(pid.parse().expect("a number"), Signal::STOP));
    lab.stop_work("stopped");
    assert_eq!(line_in(dir.join("left")), "bye");
    lab.until_state("stopped", "stopped");
}

#[test]
fn what_lost_its_supervisor_has_failed() {
    let lab = Lab::new("");
    let script = "echo $$ >> pids; exec sleep 1000";
    let dir = lab.submit("alone", script, json!({"restarts": 1}));
    let first = line_in(dir.join("pids"));
    assert!(signal(lab.supervisor("alone").pid, Signal::KILL));
    lab.until_status("alone", |status| status["restarts"] == 1);
    assert!(!is_alive(&first));
    let both =
        until("a restart", || Some(line_in(dir.join("pids"))).filter(|text| text.lines().count() == 2));
    let second = both.lines().last().expect("two lines").to_string();
    assert!(signal(lab.supervisor("alone").pid, Signal::KILL));
    assert_eq!(lab.failure("alone"), (137, "its supervisor was killed".into()));
    assert!(!is_alive(&second));
    lab.is_clean();
}

#[test]
fn a_run_whose_directory_was_removed_tells_its_end() {
    let lab = Lab::new("");
    let dir =
        lab.submit("robbed", "echo $$ > pid; while ! test -e go; do sleep 0.05; done; exit 6", json!({}));
    line_in(dir.join("pid"));
    fs::remove_dir_all(lab.data().join("runs/0")).expect("removed");
    fs::write(dir.join("go"), "").expect("written");
    assert_eq!(lab.failure("robbed").0, 6);
    lab.is_clean();
}

#[test]
fn memory_above_the_request_is_told() {
    let lab = Lab::new("");
    lab.submit_as("greedy", &["perl", "-e", "$x = 'a' x (200 << 20); sleep 1000"], json!({}));
    let status = lab.until_status("greedy", |status| status["overMemory"] == true);
    let usage = &status["placements"][0]["usage"];
    let memory = usage["memory"].as_u64().expect("bytes");
    assert!(memory > 190 << 20 && usage["requestedMemory"] == 64 << 20, "{usage}");
    assert_eq!(status["state"], "running", "it is told, not killed, where the kernel bounds nothing");
    for verb in ["show", "list"] {
        let shown = lab.run(if verb == "show" { &["show", "greedy"] } else { &["list"] });
        assert!(shown.contains("of memory, asked for 64Mi"), "{shown}");
    }
    until("a line in the log", || lab.said().contains("takes more memory than it asked for").then_some(()));
    let (status, _) = lab.ask("GET", "/metrics", None, None).expect("it answers");
    assert_eq!(status, 200);
}
