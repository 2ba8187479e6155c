//! `kill -9` of the server and of supervisors at random instants, with real processes: no run begins twice, every exit
//! code is the true one, no output is missing, nothing is left behind.

use crate::lab::{Lab, signal, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Rounds; `TIDEGATE_KILLS` asks for more.
const ROUNDS: u32 = 200;
/// Jobs that are submitted in each.
const JOBS: u32 = 3;
/// The longest time from the last submission to the kill, in milliseconds.
const LONGEST: u64 = 60;

/// Numbers that look random, the same ones each time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[derive(Debug)]
struct Job {
    code: i64,
    directory: PathBuf,
}

/// Submits it once, though the server is killed before it answers.
fn submit(lab: &mut Lab, name: &str, code: u64, pause: u64) -> Job {
    // What it writes tells which run it was, and that all of it ran.
    let script =
        format!("echo $TIDEGATE_RUN >> starts; echo begin; sleep 0.{pause:03}; echo end; exit {code}");
    let spec = json!({"command": ["/bin/sh", "-c", script], "gracePeriod": "0s", "resources": {"cpu": 0.1, "memory": "64Mi"}});
    let body = json!({"metadata": {"name": name}, "spec": spec});
    let asked = lab.ask("POST", "/api/v1/workloads", Some(&body), Some(name));
    let (status, answer) = asked.expect("it is killed between submissions only");
    assert_eq!(status, 201, "{answer}");
    let uid = answer["metadata"]["uid"].as_str().expect("a uid").trim_start_matches("w-").to_string();
    Job { code: code as i64, directory: lab.data().join("work/0").join(format!("{name}.{uid}")) }
}

#[allow(clippy::disallowed_methods, reason = "the instant of a kill is chosen by time alone")]
pub(crate) fn pause(millis: u64) {
    std::thread::sleep(Duration::from_millis(millis));
}

#[test]
fn books_processes_and_exit_codes_agree_after_kills() {
    let rounds = std::env::var("TIDEGATE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS);
    let mut lab = Lab::new("retain-ended = \"1h\"");
    let mut dice = Dice(7);
    let mut jobs: BTreeMap<String, Job> = BTreeMap::new();
    // Supervisors that were killed, by the directory of their run.
    let mut robbed: Vec<String> = Vec::new();
    for round in 0..rounds {
        for n in 0..JOBS {
            let name = format!("job-{round}-{n}");
            let job = submit(&mut lab, &name, dice.below(3), dice.below(80));
            jobs.insert(name, job);
        }
        pause(dice.below(LONGEST));
        if dice.below(4) == 0 {
            let supervisors = lab.supervisors();
            if let Some(victim) = supervisors.get(dice.below(supervisors.len().max(1) as u64) as usize) {
                robbed.extend(victim.line.split(' ').next_back().map(str::to_string));
                signal(victim.pid, Signal::KILL);
            }
        }
        if dice.below(5) > 0 {
            lab.crash();
        }
    }
    let mut failures = Vec::new();
    for (name, job) in &jobs {
        let status = lab.until_status(name, |s| {
            ["finished", "failed"].contains(&s["state"].as_str().unwrap_or_default())
        });
        let run = robbed.iter().find(|run| run.contains(&format!("/runs/{}/", number(&job.directory))));
        failures.extend(judge(&lab, name, job, &status, run.is_some()));
    }
    assert!(failures.is_empty(), "{}\n{}", failures.join("\n"), lab.said());
    lab.is_clean();
    let counted = lab.get("/api/v1/workloads?limit=1000&state=running")["items"].take();
    assert_eq!(counted, json!([]));
    println!("{rounds} rounds, {} jobs, {} supervisors killed", jobs.len(), robbed.len());
}

fn number(directory: &std::path::Path) -> String {
    let name = directory.file_name().expect("a name").to_string_lossy().into_owned();
    name.rsplit('.').next().expect("a number").to_string()
}

/// What is wrong with the end of a job, if anything.
fn judge(lab: &Lab, name: &str, job: &Job, status: &Value, is_robbed: bool) -> Option<String> {
    let starts = fs::read_to_string(job.directory.join("starts")).unwrap_or_default();
    let code = status["exitCode"].as_i64();
    let output = lab.output(name);
    let wrong = |what: &str| {
        let output = String::from_utf8_lossy(&output).into_owned();
        Some(format!("{name}: {what}: wanted {}, {status}, started {starts:?}, said {output:?}", job.code))
    };
    if starts.lines().count() > 1 {
        return wrong("it was begun twice");
    }
    if is_robbed && status["exitDetail"] == "its supervisor was killed" {
        return if code == Some(137) && status["state"] == "failed" { None } else { wrong("its exit code") };
    }
    if code != Some(job.code) || (status["state"] == "finished") != (job.code == 0) {
        return wrong("its exit code");
    }
    if starts.lines().count() != 1 {
        return wrong("it ended and did not begin");
    }
    if output != b"begin\nend\n" {
        return wrong("its output");
    }
    None
}

#[test]
fn a_server_that_is_away_for_long_finds_everything() {
    let mut lab = Lab::new("");
    let mut jobs = BTreeMap::new();
    for n in 0..20 {
        let name = format!("job-{n}");
        let job = submit(&mut lab, &name, n % 3, 10 * n);
        jobs.insert(name, job);
    }
    lab.kill();
    until("the end of all", || lab.workers().is_empty().then_some(()));
    lab.start();
    let ended = |name: &str| lab.until_status(name, |s| s["state"] == "finished" || s["state"] == "failed");
    let wrong: Vec<String> =
        jobs.iter().filter_map(|(name, job)| judge(&lab, name, job, &ended(name), false)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    lab.is_clean();
}
