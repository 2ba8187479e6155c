//! Dedicated compute by the command line: from the request to the end, with real processes, and with a server that is
//! killed when a period begins and when it ends.

mod common;

use common::{Server, until};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

#[allow(clippy::disallowed_methods, reason = "periods are agreed on by the clock of the machine")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64
}

fn shown(server: &Server, id: &str) -> Value {
    server.run(&["resource-config", "show", id, "-o", "json"]).json()
}

fn at(ms: u64) -> String {
    tidegate_api::time::Time::of(tidegate_engine::ids::Tick(ms)).to_string()
}

#[test]
fn a_task_runs_on_what_was_asked_for_and_approved() {
    let server = Server::real(2);
    server
        .run(&["resource-config", "request", "1", "--for", "1h", "--reason", "x"])
        .fails(6, "no quota is marked");
    server.run(&["quota", "create", "reserve", "2", "--parent", "main", "--dedicated", "true"]).ok();
    let template =
        ["template", "create", "echo", "--gpus", "1", "--cpu", "0.1", "--memory", "64Mi", "--", "sh", "-c"];
    server.run(&[&template[..], &["cat $TIDEGATE_INPUT > $TIDEGATE_OUTPUT"]].concat()).ok();
    server
        .run(&["submit", "--quota", "reserve", "--gpus", "1", "--", "true"])
        .fails(4, "runs no work itself");
    let ask = ["resource-config", "request", "1", "--for", "1h", "--reason", "the demonstration"];
    let would = server.run(&[&ask[..], &["--dry-run"]].concat()).ok();
    assert_eq!(would, "then: rr-0 pending\n");
    assert_eq!(server.run(&ask).ok(), "rr-0 pending\n");
    assert_eq!(server.run(&["resource-config", "approve", "rr-0"]).ok(), "rr-0 approved: rc-0\n");
    server.run(&["resource-config", "approve", "rr-0"]).fails(4, "approved already");
    let submit = ["task", "submit", "echo", "--config", "rc-0", "--inputs", "[1]", "--wait", "--name"];
    let ran = server.run(&[&submit[..], &["one"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(server.run(&["task", "result", "one", "-o", "json"]).json()["output"], json!([1]));
    let task = server.run(&["task", "show", "one", "-o", "json"]).json();
    assert_eq!((&task["resourceConfig"], &task["state"]), (&json!("rc-0"), &json!("succeeded")), "{task}");
    // What does not fit says when it would.
    server.run(&["resource-config", "request", "2", "--for", "10m", "--reason", "more"]).ok();
    server.run(&["resource-config", "approve", "rr-1"]).fails(6, "the earliest time that fits begins at");
    assert_eq!(server.run(&["resource-config", "withdraw", "rr-1"]).ok(), "rr-1 withdrawn\n");
    server.run(&["quota", "scale", "reserve", "0"]).fails(6, "for rc-0");
    assert_eq!(server.run(&["resource-config", "extend", "rc-0", "--end", "3h"]).ok(), "rc-0 extended\n");
    let set = ["resource-config", "set", "rc-0"];
    assert_eq!(
        server.run(&[&set[..], &["--lend", "true", "--dry-run"]].concat()).ok(),
        "would: rc-0 set idle-sharing:on\nthen: rc-0 set\n"
    );
    assert_eq!(shown(&server, "rc-0")["lend"], false);
    assert_eq!(server.run(&[&set[..], &["--lend", "true", "--cap", "250"]].concat()).ok(), "rc-0 set\n");
    let config = shown(&server, "rc-0");
    assert_eq!((&config["lend"], &config["cap"]), (&json!(true), &json!(250)), "{config}");
    server.run(&set).fails(2, "--lend");
    let list = server.run(&["resource-config", "list", "--state", "active", "-o", "name"]).ok();
    assert_eq!(list, "rc-0\n");
    assert_eq!(server.run(&["resource-config", "release", "rc-0"]).ok(), "rc-0 released\n");
    assert_eq!(shown(&server, "rc-0")["state"], "ended");
    server.run(&[&submit[..], &["two"]].concat()).fails(4, "rc-0 is over since");
    server.run(&["resource-config", "release", "rc-0"]).fails(4, "is over since");
}

#[test]
fn a_request_is_read_from_a_file() {
    let server = Server::start();
    server.run(&["quota", "create", "reserve", "8", "--parent", "main", "--dedicated", "true"]).ok();
    let request = "reason: the course\nlend: true\ncap: 80\nreserved:\n  size: {gpu: 2}\n  weekly:\n    days: [mon, fri]\n    \
                   from: '22:00'\n    to: '06:00'\n    timeZone: Europe/Berlin\n    firstDay: '2028-03-20'\n    lastDay: '2028-04-07'\n";
    assert_eq!(server.run_with(&["resource-config", "request", "-f", "-"], request).ok(), "rr-0 pending\n");
    let text = server.run(&["resource-config", "show", "rr-0"]).ok();
    assert!(text.contains("mon,fri 22:00-06:00 Europe/Berlin, 2028-03-20 to 2028-04-07"), "{text}");
    server.run(&["resource-config", "approve", "rr-0", "--note", "enjoy"]).ok();
    let config = shown(&server, "rc-0");
    assert_eq!(
        (&config["state"], &config["cap"], &config["lend"]),
        (&json!("scheduled"), &json!(80), &json!(true))
    );
    assert_eq!(config["period"]["start"], "2028-03-20T21:00:00Z");
    let extend = ["resource-config", "extend", "rc-0"];
    server.run(&[&extend[..], &["--last-day", "2028-04-01"]].concat()).fails(2, "which is not before");
    server.run(&[&extend[..], &["--end", "2h"]].concat()).fails(2, "say its new `lastDay`");
    server.run(&[&extend[..], &["--last-day", "2028-04-14"]].concat()).ok();
    for wrong in
        [&["8"][..], &["8", "--for", "1h"], &["8", "--reason", "x"], &["x", "--for", "1h", "--reason", "x"]]
    {
        assert_eq!(server.run(&[&["resource-config", "request"][..], wrong].concat()).code, 2, "{wrong:?}");
    }
}

#[test]
fn a_server_that_is_killed_when_a_period_begins_and_when_it_ends_catches_up() {
    let mut server = Server::start();
    server.run(&["quota", "create", "reserve", "8", "--parent", "main", "--dedicated", "true"]).ok();
    server.run(&["template", "create", "render", "--gpus", "1"]).ok();
    // On whole seconds, so that they read as they are written.
    let start = (now() / 1_000 + 3) * 1_000;
    let end = start + 6_000;
    let ask = ["resource-config", "request", "4", "--reason", "x", "--start", &at(start), "--end", &at(end)];
    server.run(&ask).ok();
    server.run(&["resource-config", "approve", "rr-0"]).ok();
    let away_until = |server: &mut Server, then: u64| {
        server.end("-KILL");
        std::fs::remove_file(server.data().join("server.address")).expect("it was there");
        until(|| (now() > then).then_some(()));
        server.restart();
    };
    away_until(&mut server, start);
    let submitted =
        server.run(&["task", "submit", "render", "--name", "one", "--config", "rc-0", "--duration", "10m"]);
    assert_eq!(submitted.ok(), "one runs\n");
    let active = shown(&server, "rc-0");
    assert_eq!(
        (&active["held"]["since"], &active["held"]["until"]),
        (&json!(at(start)), &json!(at(end))),
        "{active}"
    );
    away_until(&mut server, end);
    until(|| (server.run(&["quota", "show", "rc-0"]).code == 3).then_some(()));
    let over = shown(&server, "rc-0");
    assert_eq!((&over["state"], &over["endedAt"]), (&json!("ended"), &json!(at(end))), "{over}");
    let task = server.run(&["task", "show", "one", "-o", "json"]).json();
    assert_eq!(
        (&task["state"], &task["detail"]),
        (&json!("failed"), &json!(format!("stopped: rc-0 was over at {}", at(end))))
    );
    let share = server.run(&["quota", "show", "reserve", "-o", "json"]).json();
    assert_eq!(share["status"]["share"]["gpu"], 8);
}

#[test]
fn lists_go_on_when_something_changes() {
    let server = Server::start();
    let watch = |words: &[&str]| server.follow(&[words, &["--watch", "-o", "name"]].concat());
    let (mut requests, mut configs) =
        (watch(&["resource-config", "requests"]), watch(&["resource-config", "list"]));
    let (mut templates, mut books) = (watch(&["template", "list"]), watch(&["price", "list"]));
    let (mut budgets, mut tasks) = (watch(&["budget", "list"]), watch(&["task", "list"]));
    let mut corrections = watch(&["usage", "corrections"]);
    server.run(&["quota", "create", "reserve", "4", "--parent", "main", "--dedicated", "true"]).ok();
    server.run(&["resource-config", "request", "2", "--for", "1h", "--reason", "x"]).ok();
    requests.line_with("rr-0");
    server.run(&["resource-config", "approve", "rr-0"]).ok();
    configs.line_with("rc-0");
    server.run(&["template", "create", "render", "--gpus", "1"]).ok();
    templates.line_with("render");
    server.run(&["price", "create", "default", "--currency", "EUR", "--price", "shared:cpu=1"]).ok();
    books.line_with("default");
    server.run(&["budget", "set", "default", "5"]).ok();
    budgets.line_with("default");
    server.run(&["task", "submit", "render", "--name", "one", "--config", "rc-0", "--duration", "10m"]).ok();
    tasks.line_with("one");
    let correct = ["usage", "correct", "--workspace", "default", "--user", "admin", "--quota", "main"];
    let what = ["--resource", "cpu", "--hours", "1", "--at", &at(now() / 1_000 * 1_000), "--reason", "x"];
    server.run(&[&correct[..], &what].concat()).ok();
    corrections.line_with("cor-0");
}
