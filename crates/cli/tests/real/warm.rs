//! Warm workers while the server and supervisors are killed at random instants: no run is lost but those whose
//! supervisor was killed, none is done twice, and each is metered for the time that it took, once.

use crate::kills::{Dice, pause};
use crate::lab::{Lab, is_root, signal, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use tidegate_api::time::Time;

/// Rounds; `TIDEGATE_KILLS` asks for more.
const ROUNDS: u32 = 40;
/// Tasks that are submitted in each.
const TASKS: u32 = 4;

/// Writes down each task that it does, and takes as many milliseconds as it is told.
const WORKER: &str = r#"echo '{"ready": true}'
while read -r line; do
  id=${line#*:}; id=${id%%,*}; ms=${line#*\"ms\":}; ms=${ms%%\}*}
  echo "$id" >> "$TMPDIR/done"
  sleep 0.0$ms
  echo "{\"task\":$id,\"output\":$ms}"
done"#;

fn lab() -> Lab {
    let lab = Lab::new("retain-ended = \"1h\"");
    lab.run(&["quota", "set", "main", "--queue", "fair", "--shared", "true"]);
    lab
}

fn post(lab: &Lab, path: &str, body: &Value, key: &str) -> Value {
    let (status, answer) = lab.ask("POST", path, Some(body), Some(key)).expect("it answers");
    assert_eq!(status, 201, "{answer}");
    answer
}

fn template(lab: &Lab, name: &str, script: &str, more: Value) {
    let mut spec = json!({"command": ["/bin/sh", "-c", script], "resources": {"cpu": 0.1, "memory": "64Mi"},
        "warm": {"workers": 4, "idleTimeout": "20s"}});
    spec.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    post(lab, "/api/v1/templates", &json!({"metadata": {"name": name}, "spec": spec}), name);
}

fn ended(lab: &Lab, name: &str) -> Value {
    until("its end", || {
        let task = lab.get(&format!("/api/v1/tasks/{name}?wait=5s"));
        ["succeeded", "failed"].contains(&task["state"].as_str().unwrap_or_default()).then_some(task)
    })
}

#[test]
fn nothing_is_lost_or_done_twice_or_billed_twice() {
    let rounds = std::env::var("TIDEGATE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS);
    let mut lab = lab();
    template(&lab, "nap", WORKER, json!({"retries": 1, "resources": {"gpu": 1}}));
    let mut dice = Dice(11);
    let (mut names, mut robbed) = (BTreeMap::new(), 0);
    for round in 0..rounds {
        for n in 0..TASKS {
            let (name, ms) = (format!("t-{round}-{n}"), 10 + dice.below(80));
            let body = json!({"template": "nap", "name": name, "inputs": {"ms": ms}});
            post(&lab, "/api/v1/tasks", &body, &name);
            names.insert(name, ms);
        }
        pause(dice.below(80));
        if dice.below(5) == 0 {
            let supervisors = lab.supervisors();
            if let Some(victim) = supervisors.get(dice.below(supervisors.len().max(1) as u64) as usize) {
                robbed += u32::from(signal(victim.pid, Signal::KILL));
            }
        }
        if dice.below(3) > 0 {
            lab.crash();
        }
    }
    let tasks: BTreeMap<&str, Value> = names.keys().map(|name| (name.as_str(), ended(&lab, name))).collect();
    let done = fs::read_to_string(lab.data().join("work/0/tmp/done")).expect("it is there");
    let mut lost = 0;
    for (name, task) in &tasks {
        let tries = task["retries"].as_u64().expect("a number");
        lost += tries;
        if task["state"] == "failed" {
            lost += 1;
            assert_eq!((&task["detail"], tries), (&json!("its supervisor was killed"), 1), "{name}: {task}");
            continue;
        }
        assert_eq!(task["state"], "succeeded", "{name}: {task}\n{}", lab.said());
        let result = lab.get(&format!("/api/v1/tasks/{name}/result"));
        assert_eq!(result["output"], json!(names[*name]), "{name}: {result}");
        let quoted = task["id"].to_string();
        let times = done.lines().filter(|line| **line == quoted).count();
        assert!(times >= 1 && times as u64 <= 1 + tries, "{name} was begun {times} times: {task}");
    }
    // Only who lost its supervisor is tried again or fails; each supervisor has one task at most.
    assert!(lost <= u64::from(robbed), "{lost} runs lost, {robbed} supervisors killed");
    metered(&lab, &tasks);
    println!("{rounds} rounds, {} tasks, {robbed} supervisors killed, {lost} runs lost", tasks.len());
}

/// Of every task there are records of its GPU that do not overlap. Who was begun once is metered from its start to
/// its end.
fn metered(lab: &Lab, tasks: &BTreeMap<&str, Value>) {
    let mut records: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    let mut page = String::new();
    let tick = |value: &Value| -> u64 {
        let time: Time = serde_json::from_value(value.clone()).expect("a time");
        time.tick().0
    };
    let is_gpu = |record: &&Value| record["resource"].as_str().is_some_and(|name| name.starts_with("gpu"));
    loop {
        let list = lab.get(&format!("/api/v1/usage/records?limit=1000{page}"));
        for record in list["items"].as_array().expect("a list").iter().filter(is_gpu) {
            let id = record["workloadId"].as_str().expect("an id").to_string();
            records.entry(id).or_default().push((tick(&record["from"]), tick(&record["to"])));
        }
        let Some(next) = list["nextPageToken"].as_str() else { break };
        page = format!("&pageToken={next}");
    }
    for (name, task) in tasks {
        let mut own = records.remove(task["id"].as_str().expect("an id")).unwrap_or_default();
        own.sort_unstable();
        assert!(own.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{name} is metered twice: {own:?}");
        let (started, ended) = (tick(&task["startedAt"]), tick(&task["endedAt"]));
        if task["retries"] == 0 && started < ended {
            assert_eq!(own, [(started, ended)], "{name}: {task}");
        }
    }
}

#[test]
fn who_hangs_or_misbehaves_fails_and_the_next_has_another_worker() {
    let lab = lab();
    let script = r#"echo '{"ready": true}'
        while read -r line; do id=${line#*:}; id=${id%%,*}; case $line in
          *hang*) sleep 600;; *die*) exit 9;; *noise*) echo noise;; *twice*) echo "{\"task\":$id}"; echo "{\"task\":$id}";;
          *) echo "{\"task\":$id,\"output\":$$}";; esac
        done"#;
    template(&lab, "moody", script, json!({"maxRunTime": "500ms", "retries": 0}));
    let run = |name: &str, what: &str| {
        let body = json!({"template": "moody", "name": name, "inputs": what});
        post(&lab, "/api/v1/tasks", &body, name);
        let task = ended(&lab, name);
        assert!(name.starts_with('a') != (task["warmWorker"] == json!(true)) || what == "hang", "{task}");
        (task, lab.get(&format!("/api/v1/tasks/{name}/result"))["output"].clone())
    };
    let mut pids = Vec::new();
    for (n, (what, state, code)) in [
        ("hang", "failed", None),
        ("die", "failed", Some(9)),
        ("noise", "failed", Some(76)),
        ("twice", "succeeded", Some(0)),
    ]
    .into_iter()
    .enumerate()
    {
        pids.push(run(&format!("a-{n}"), "well").1);
        assert_eq!(run(&format!("b-{n}"), "well").1, pids[n], "it is warm");
        let task = run(&format!("c-{n}"), what).0;
        assert_eq!(task["state"], state, "{what}: {task}");
        assert!(code.is_none() || task["exitCode"] == json!(code), "{what}: {task}");
    }
    let mut distinct = pids.clone();
    distinct.sort_by_key(|pid| pid.to_string());
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "{pids:?}");
    // Tasks and workers of another workspace are apart, by their users, too.
    if is_root() {
        lab.run(&["workspace", "create", "other"]);
        let body = json!({"template": "moody", "name": "theirs", "inputs": "well", "workspace": "other"});
        post(&lab, "/api/v1/tasks", &body, "theirs");
        let task = ended(&lab, "theirs");
        assert_eq!(task["state"], "succeeded", "{task}");
    }
}
