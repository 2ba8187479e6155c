//! The scheduling center: what a workspace allows, what happens by time, and who uses how much.

use super::house::House;
use super::{Company, Desk, tells_nothing, training};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use tidegate_server::serve::Ground;

const POLICY: &str = "/api/v1/workspaces/workspace-b/policies/Quota1.1";

impl Company {
    /// Sets what workspace-b allows in its quota, as its owner does.
    fn policy(&self, spec: Value) -> Value {
        let (status, answer) = self.desk("olga").ask("PUT", POLICY, Some(&json!({ "spec": spec })));
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

fn state(workload: &Value) -> &str {
    workload["status"]["state"].as_str().unwrap_or("none")
}

fn with_priority(gpu: u32, priority: u32) -> Value {
    json!({"resources": {"gpu": gpu}, "priority": priority})
}

fn reasons(workload: &Value) -> String {
    workload["status"]["reasons"].to_string()
}

#[test]
fn the_strictest_limit_wins_and_who_breaks_it_waits_until_it_holds() {
    let company = Company::new();
    company.policy(json!({"limits": [
        {"role": "admin", "priorities": "1-7", "gpu": 32},
        {"member": "anton", "priorities": "7-9", "gpu": 8},
    ]}));
    let anton = company.desk("anton");
    assert_eq!(state(&anton.submit("first", with_priority(8, 7)).1), "running");
    let (status, second) = anton.submit("second", with_priority(1, 7));
    assert_eq!((status, state(&second)), (201, "queued"), "{second}");
    let (_, explained) = anton.get("/api/v1/workloads/second:explain");
    let reason = explained["reasons"][0].clone();
    assert_eq!(reason["code"], "cap", "{explained}");
    assert!(
        reason["text"].as_str().is_some_and(|text| text.contains("anton") && text.contains("7-9")),
        "{reason}"
    );
    // Below 7 the limit of the role counts alone, and others are not concerned.
    assert_eq!(state(&anton.submit("third", with_priority(8, 6)).1), "running");
    assert_eq!(state(&company.desk("berta").submit("hers", with_priority(8, 7)).1), "running");
    // At 1 to 7 anton uses 16 by now, of 32 that an admin may use.
    let (_, fourth) = anton.submit("fourth", json!({"resources": {"gpu": 8}, "replicas": 3, "priority": 5}));
    assert!(state(&fourth) == "queued" && reasons(&fourth).contains("each admin"), "{fourth}");
    assert_eq!(anton.post("/api/v1/workloads/first:stop", &json!({})).0, 200);
    assert_eq!(state(&anton.get("/api/v1/workloads/second").1), "running");
}

#[test]
fn what_is_forbidden_is_refused_when_it_is_submitted() {
    let company = Company::new();
    company.policy(json!({
        "modules": ["training"],
        "roles": ["developer", "admin"],
        "maxPriority": [{"role": "developer", "priority": 5}, {"member": "berta", "priority": 3}],
    }));
    let (berta, boris, otto) = (company.desk("berta"), company.desk("boris"), company.desk("otto"));
    let refused = |answer: (u16, Value), at: &str| {
        assert_eq!(answer.1["code"], "policy-forbids", "{answer:?}");
        let pointer = answer.1["pointers"][0]["pointer"].as_str().unwrap_or("");
        assert_eq!(pointer, at, "{answer:?}");
    };
    refused(berta.submit("n", json!({"module": "notebook"})), "/spec/module");
    refused(otto.submit("o", training(1)), "");
    refused(berta.submit("p", with_priority(1, 4)), "/spec/priority");
    refused(boris.submit("p", with_priority(1, 6)), "/spec/priority");
    assert_eq!(boris.submit("b", with_priority(1, 5)).0, 201);
    let (_, answer) = boris.post("/api/v1/workloads/b:priority", &json!({"priority": 6}));
    assert_eq!(answer["code"], "policy-forbids", "{answer}");
    assert_eq!(berta.submit("q", with_priority(1, 3)).0, 201);
    // What says nothing any more is no policy.
    company.policy(json!({}));
    assert_eq!(company.desk("olga").get("/api/v1/workspaces/workspace-b/policies").1["items"], json!([]));
    assert_eq!(otto.submit("o", training(1)).0, 201);
}

#[test]
fn policies_are_changed_by_who_may_and_name_only_who_is_there() {
    let mut company = Company::new();
    let house = &company.house;
    assert_eq!(house.put(POLICY, &json!({"spec": {}}), None).0, 428);
    assert_eq!(house.put(POLICY, &json!({"spec": {}}), Some("0")).0, 412);
    let policy = json!({"spec": {"training": {"maxRunTime": "2d", "maxWait": "4h"},
        "notebook": {"idle": {"after": "30m"}, "exempt": ["berta"]},
        "limits": [{"role": "developer", "gpu": 16, "memory": "1Ti"}],
        "presets": [{"name": "small", "modules": ["notebook"], "resources": {"gpu": 0.5, "cpu": 4, "memory": "16Gi"}}]}});
    let (status, read) = company.desk("anton").ask("PUT", POLICY, Some(&policy));
    assert_eq!(status, 200, "{read}");
    // What is read can be sent back, and says what was not said.
    assert_eq!(read["spec"]["notebook"]["idle"], json!({"after": "30m", "cpuPercent": 5, "gpuPercent": 5}));
    assert_eq!(read["spec"]["limits"], policy["spec"]["limits"]);
    let guest = company.desk("gustav");
    assert_eq!(guest.get(POLICY), (200, read.clone()));
    assert_eq!(guest.ask("PUT", POLICY, Some(&read)).0, 403);
    assert_eq!(company.desk("carla").get(POLICY).0, 404);
    assert_eq!(company.desk("anton").ask("PUT", POLICY, Some(&read)).1, read);
    let strange = json!({"spec": {"roles": ["chef"], "notebook": {"exempt": ["berta", "carla"]},
        "limits": [{"member": "nobody", "gpu": 1}]}});
    let (status, problem) = company.desk("anton").ask("PUT", POLICY, Some(&strange));
    assert_eq!((status, &problem["code"]), (422, &json!("unknown-reference")), "{problem}");
    let pointers: Vec<&str> = problem["pointers"]
        .as_array()
        .expect("pointers")
        .iter()
        .filter_map(|one| one["pointer"].as_str())
        .collect();
    assert_eq!(pointers, ["/spec/limits/0/member", "/spec/roles/0", "/spec/notebook/exempt/1"]);
    for wrong in [
        json!({"limits": [{"role": "admin", "member": "anton", "gpu": 1}]}),
        json!({"limits": [{"role": "admin"}]}),
        json!({"notebook": {"idle": {"after": "30s"}}}),
        json!({"modules": []}),
        json!({"presets": [{"name": "a", "resources": {}}, {"name": "a", "resources": {}}]}),
    ] {
        let (status, problem) = company.desk("anton").ask("PUT", POLICY, Some(&json!({"spec": wrong})));
        assert_eq!(status, 422, "{wrong}: {problem}");
    }
    company.house.restart();
    assert_eq!(company.desk("gustav").get(POLICY).1["spec"], read["spec"]);
    // The limit is the engine's, too, after the restart; and goes with the quota.
    let berta = company.desk("berta");
    assert_eq!(state(&berta.submit("much", json!({"resources": {"gpu": 8}, "replicas": 3})).1), "queued");
    assert_eq!(berta.post("/api/v1/workloads/much:stop", &json!({})).0, 200);
    let detach = company.house.post("/api/v1/workspaces/workspace-b:detach", &json!({"quota": "Quota1.1"}));
    assert_eq!(detach.0, 200, "{detach:?}");
    assert_eq!(company.desk("gustav").get(POLICY).0, 404);
    assert_eq!(company.desk("gustav").get("/api/v1/workspaces/workspace-b/policies").1["items"], json!([]));
}

#[test]
fn a_role_that_a_policy_is_about_is_not_deleted() {
    let company = Company::new();
    company
        .made("/api/v1/roles", &json!({"name": "student", "actions": ["workload:read", "workload:submit"]}));
    company.policy(json!({"maxPriority": [{"role": "student", "priority": 2}]}));
    let (status, problem) = company.house.raw("DELETE", "/api/v1/roles/student", "");
    assert_eq!(status, 409, "{problem}");
    company.policy(json!({}));
    assert_eq!(company.house.raw("DELETE", "/api/v1/roles/student", "").0, 200);
}

static HAND: LazyLock<Arc<AtomicU64>> = LazyLock::new(|| Arc::new(AtomicU64::new(1_800_000_000_000)));

fn minutes_pass(minutes: u64) {
    HAND.fetch_add(minutes * 60_000, Ordering::Relaxed);
}

#[test]
fn who_waits_too_long_is_stopped_or_told_of() {
    let ground = || Ground { clock: Some(HAND.clone()), ..Ground::default() };
    let company = Company::in_house(House::on("1x8", |_| (), ground));
    company
        .policy(json!({"notebook": {"maxWait": "10m", "exempt": ["berta"]}, "training": {"maxWait": "1h"}}));
    let berta = company.desk("berta");
    let full = json!({"resources": {"gpu": 8}, "replicas": 6});
    assert_eq!(state(&berta.submit("full", full).1), "running");
    assert_eq!(state(&berta.submit("train", training(8)).1), "queued");
    let notebook = json!({"module": "notebook", "resources": {"gpu": 1}});
    assert_eq!(state(&berta.submit("lab", notebook).1), "queued");
    minutes_pass(9);
    let (_, lab) = berta.get("/api/v1/workloads/lab");
    assert_eq!(state(&lab), "queued");
    minutes_pass(1);
    company.house.until("lab", "stopped");
    let (_, lab) = berta.get("/api/v1/workloads/lab");
    let why = "stopped by the scheduling center (notebook.max-wait): it waited for 10m, and no notebook waits for longer here";
    assert_eq!(lab["status"]["stopReason"], why);
    let (_, events) = berta.get("/api/v1/workloads/lab/events");
    let last = events["items"].as_array().and_then(|items| items.last()).cloned().unwrap_or_default();
    assert_eq!((&last["event"], &last["why"]), (&json!("stopped"), &json!(why)), "{events}");
    let (_, train) = berta.get("/api/v1/workloads/train");
    assert!(!reasons(&train).contains("waiting-too-long"), "{train}");
    minutes_pass(50);
    let (_, train) = berta.get("/api/v1/workloads/train");
    assert!(state(&train) == "queued" && reasons(&train).contains("waiting-too-long"), "{train}");
    let (_, explained) = berta.get("/api/v1/workloads/train:explain");
    assert!(explained["reasons"].to_string().contains("finds 1h too long"), "{explained}");
    // Sent back to the queue, somebody waits anew.
    assert_eq!(berta.post("/api/v1/workloads/full:stop", &json!({})).0, 200);
    assert_eq!(state(&berta.get("/api/v1/workloads/train").1), "running");
    assert_eq!(state(&berta.submit("fuller", json!({"resources": {"gpu": 8}, "replicas": 5})).1), "running");
}

static RUN_HAND: LazyLock<Arc<AtomicU64>> = LazyLock::new(|| Arc::new(AtomicU64::new(1_800_000_000_000)));

#[test]
fn who_runs_too_long_is_stopped_and_told_by_whom() {
    let ground = || Ground { clock: Some(RUN_HAND.clone()), ..Ground::default() };
    let company = Company::in_house(House::on("1x8", |_| (), ground));
    company.policy(json!({"training": {"maxRunTime": "1h"},
        "notebook": {"maxRunTime": "2h", "exempt": ["boris"]}}));
    let (berta, boris) = (company.desk("berta"), company.desk("boris"));
    let notebook = json!({"module": "notebook", "resources": {"gpu": 1}});
    let shorter = json!({"resources": {"gpu": 1}, "maxRunTime": "30m"});
    let longer = json!({"resources": {"gpu": 1}, "maxRunTime": "5h"});
    for (desk, name, spec) in [
        (&berta, "brief", shorter),
        (&berta, "long", longer),
        (&boris, "train", training(1)),
        (&berta, "lab", notebook.clone()),
        (&boris, "exempt", notebook),
        (&berta, "served", json!({"module": "service", "resources": {"gpu": 1}})),
    ] {
        assert_eq!(state(&desk.submit(name, spec).1), "running", "{name}");
    }
    let stopped = |name: &str| {
        company.house.until(name, "stopped");
        berta.get(&format!("/api/v1/workloads/{name}")).1["status"]["stopReason"].clone()
    };
    RUN_HAND.fetch_add(30 * 60_000, Ordering::Relaxed);
    let own = "stopped by the system (max-run): it ran for 30m, as long as it was submitted for";
    assert_eq!(stopped("brief"), own);
    RUN_HAND.fetch_add(30 * 60_000, Ordering::Relaxed);
    let policy = "stopped by the scheduling center of workspace-b (training.max-run-time): it ran for 1h, and no training job runs for longer in Quota1.1";
    assert_eq!((stopped("long"), stopped("train")), (json!(policy), json!(policy)));
    RUN_HAND.fetch_add(60 * 60_000, Ordering::Relaxed);
    let policy = "stopped by the scheduling center of workspace-b (notebook.max-run-time): it ran for 2h, and no notebook runs for longer in Quota1.1";
    assert_eq!(stopped("lab"), policy);
    RUN_HAND.fetch_add(600 * 60_000, Ordering::Relaxed);
    for name in ["exempt", "served"] {
        assert_eq!(state(&berta.get(&format!("/api/v1/workloads/{name}")).1), "running", "{name}");
    }
}

#[test]
fn queues_and_usage_name_who_may_be_seen() {
    let company = Company::new();
    let attach = company.house.post("/api/v1/workspaces/workspace-c:attach", &json!({"quota": "Quota1.1"}));
    assert_eq!(attach.0, 200, "{attach:?}");
    let policy = "/api/v1/workspaces/workspace-c/policies/Quota1.1";
    let caps = json!({"spec": {"limits": [{"member": "carla", "gpu": 8}]}});
    let (status, answer) = company.house.send(
        "PUT",
        policy,
        Some(caps.to_string()),
        &[("Authorization", &format!("Bearer {}", company.house.token())), ("If-Match", "*")],
    );
    assert_eq!(status, 200, "{answer}");
    let (berta, boris, carla) = (company.desk("berta"), company.desk("boris"), company.desk("carla"));
    let in_b = |spec: Value| {
        let mut spec = spec;
        spec["quota"] = json!("Quota1.1");
        spec
    };
    assert_eq!(state(&carla.submit("c-train", in_b(training(8))).1), "running");
    assert_eq!(state(&carla.submit("c-wait", in_b(training(8))).1), "queued");
    assert_eq!(state(&berta.submit("b1", json!({"resources": {"gpu": 8}, "replicas": 4})).1), "running");
    assert_eq!(state(&berta.submit("b2", with_priority(8, 5)).1), "running");
    assert_eq!(state(&berta.submit("b3", with_priority(8, 5)).1), "queued");
    assert_eq!(state(&boris.submit("b4", with_priority(8, 3)).1), "queued");
    let items = |desk: &Desk<'_>, query: &str| {
        let (status, list) = desk.get(&format!("/api/v1/quotas/Quota1.1/queue{query}"));
        assert_eq!(status, 200, "{list}");
        list["items"].as_array().expect("items").clone()
    };
    let all = items(&berta, "");
    assert_eq!(all.len(), 3, "{all:?}");
    tells_nothing("the queue", &json!(all));
    let hidden = all.iter().find(|entry| entry.get("user").is_none()).expect("hers is hidden");
    assert!(hidden["reasons"].to_string().contains("a limit of its workspace"), "{hidden}");
    let own = all.iter().find(|entry| entry["name"] == "b3").expect("one of them");
    assert_eq!((&own["user"], &own["workspace"]), (&json!("berta"), &json!("workspace-b")));
    assert!(own["enqueuedAt"].is_string() && own.get("dequeuedAt").is_none());
    let positions =
        |entries: &[Value]| entries.iter().filter_map(|e| e["position"].as_u64()).collect::<Vec<_>>();
    assert_eq!(positions(&all), [1, 2, 3]);
    let of_boris = items(&berta, "?user=boris");
    assert_eq!(of_boris.len(), 1, "{of_boris:?}");
    assert_eq!(of_boris[0]["position"], all.iter().find(|e| e["name"] == "b4").expect("his")["position"]);
    assert_eq!(items(&berta, "?user=carla").len() + items(&berta, "?workspace=workspace-c").len(), 0);
    assert_eq!(items(&carla, "?workspace=workspace-c").len(), 1);
    assert_eq!(items(&berta, "?priority=4-9&module=training").len(), 1);
    assert_eq!(items(&berta, "?module=notebook").len(), 0);
    let left = items(&berta, "?dequeued=true&user=berta");
    assert!(left.len() == 2 && left.iter().all(|entry| entry["dequeuedAt"].is_string()), "{left:?}");
    assert_eq!(berta.get("/api/v1/quotas/Quota1.1/queue?priority=11").0, 400);

    let (status, usage) = berta.get("/api/v1/quotas/Quota1.1/usage");
    assert_eq!(status, 200, "{usage}");
    tells_nothing("usage", &usage);
    assert_eq!(usage["total"]["drawn"], 48, "{usage}");
    let row = |user: Value| {
        let rows = usage["users"].as_array().expect("rows").iter();
        rows.clone().find(|row| row["user"] == user).cloned().expect("a row")
    };
    let hers = row(json!("berta"));
    assert_eq!(
        (&hers["submitted"], &hers["queued"], &hers["running"], &hers["drawn"], &hers["requested"]),
        (&json!(3), &json!(1), &json!(2), &json!(40), &json!(48))
    );
    assert_eq!((&row(json!("boris"))["queued"], &row(Value::Null)["drawn"]), (&json!(1), &json!(8)));
    let (status, room) = company.desk("gustav").get("/api/v1/workspaces/workspace-b/usage");
    assert_eq!(
        (status, &room["total"]["drawn"], &room["quotas"][0]["quota"]),
        (200, &json!(40), &json!("Quota1.1"))
    );
    let (status, series) = berta.get("/api/v1/workspaces/workspace-b/series");
    assert_eq!((status, &series["metrics"]["drawn"]["unit"]), (200, &json!("gpu")), "{series}");
    assert_eq!(berta.get("/api/v1/workspaces/workspace-c/series").0, 404);
}

#[test]
fn sizes_are_chosen_by_name() {
    let company = Company::new();
    company.policy(json!({"presets": [
        {"name": "small", "modules": ["notebook"], "resources": {"gpu": 1, "cpu": 4, "memory": "16Gi"}},
        {"name": "large", "resources": {"gpu": 8}},
    ]}));
    let berta = company.desk("berta");
    let (status, made) = berta.submit("lab", json!({"module": "notebook", "size": "small"}));
    assert_eq!(
        (status, &made["status"]["gpu"], &made["spec"]["size"]),
        (201, &json!(1), &json!("small")),
        "{made}"
    );
    assert_eq!(berta.submit("train", json!({"size": "large", "replicas": 2})).1["status"]["gpu"], 16);
    // Not for training, not there, not here, and not with resources of its own.
    let refused = |name: &str, spec: Value, code: &str, at: &str| {
        let (status, problem) = berta.submit(name, spec);
        assert_eq!((status, &problem["code"]), (422, &json!(code)), "{problem}");
        assert_eq!(problem["pointers"][0]["pointer"], at, "{problem}");
        problem["detail"].to_string()
    };
    let says = refused("no", json!({"size": "small"}), "unknown-reference", "/spec/size");
    assert!(says.contains("there are: large"), "{says}");
    refused("no", json!({"size": "huge"}), "unknown-reference", "/spec/size");
    refused("no", json!({"size": "large", "resources": {"gpu": 1}}), "invalid", "/spec/resources");
    let roles = json!([{"name": "w", "replicas": 1, "resources": {"gpu": 1}}]);
    refused("no", json!({"size": "large", "roles": roles}), "invalid", "/spec/size");
    let (_, problem) = company.desk("carla").submit("no", json!({"size": "large"}));
    assert!(problem["detail"].as_str().is_some_and(|why| why.ends_with("there are: none")), "{problem}");
    // What the size means is looked up when it is started again.
    assert_eq!(berta.post("/api/v1/workloads/lab:stop", &json!({})).0, 200);
    company.policy(json!({"presets": [{"name": "small", "resources": {"gpu": 2}}]}));
    let (status, again) = berta.post("/api/v1/workloads/lab:start", &json!({}));
    assert_eq!((status, &again["status"]["gpu"]), (201, &json!(2)), "{again}");
}

#[test]
fn a_manifest_is_no_way_around_the_highest_priority() {
    let company = Company::new();
    company.policy(json!({"maxPriority": [{"role": "developer", "priority": 5}]}));
    let berta = company.desk("berta");
    let apply = |priority: u8| {
        let spec = json!({"resources": {"gpu": 1}, "priority": priority});
        let workload = json!({"apiVersion": "tidegate.dev/v1", "kind": "Workload", "metadata": {"name": "w"}, "spec": spec});
        berta.post("/api/v1/apply", &workload).1
    };
    assert_eq!(apply(4)["results"][0]["outcome"], "created");
    assert_eq!(apply(5)["results"][0]["outcome"], "configured");
    let refused = apply(6);
    assert_eq!(refused["results"][0]["problem"]["code"], "policy-forbids", "{refused}");
    assert_eq!(berta.get("/api/v1/workloads/w").1["status"]["priority"], 5);
}
