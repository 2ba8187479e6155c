//! A real server on a real directory, over HTTP.

mod house;

use house::House;
use serde_json::json;
use tidegate_engine::ids::WorkspaceId;

#[test]
fn a_first_start_takes_work_at_once() {
    let house = House::new("2x8");
    let (status, pools) = house.get("/api/v1/pools");
    assert_eq!((status, pools["items"][0]["metadata"]["name"].as_str()), (200, Some("local")));
    let submitted = json!({"metadata": {"name": "a"}, "spec": {"resources": {"gpu": 8}, "gracePeriod": "0s", "virtual": {"duration": "50ms"}}});
    let (status, workload) = house.post("/api/v1/workloads", &submitted);
    assert_eq!((status, workload["status"]["state"].as_str()), (201, Some("running")), "{workload}");
    house.until("a", "finished");
}

#[test]
fn what_was_acknowledged_is_there_after_a_restart() {
    let mut house = House::new("2x8");
    let quota = json!({"metadata": {"name": "team"}, "spec": {"parent": "main", "guarantee": {"gpu": 8}}});
    assert_eq!(house.post("/api/v1/quotas", &quota).0, 201);
    let work = |name: &str| json!({"metadata": {"name": name}, "spec": {"quota": "team", "resources": {"gpu": 8}, "gracePeriod": "0s"}});
    assert_eq!(house.post("/api/v1/workloads", &work("runs")).0, 201);
    let (_, waits) = house.post("/api/v1/workloads", &work("waits"));
    assert_eq!(waits["status"]["state"], "queued", "{waits}");
    assert!(
        waits["status"]["reasons"][0]["text"].as_str().is_some_and(|text| text.starts_with("short 8")),
        "{waits}"
    );
    let before = house.get("/api/v1/workloads").1;
    house.restart();
    assert_eq!(house.get("/api/v1/workloads").1, before);
    assert_eq!(house.post("/api/v1/workloads/runs:stop", &json!({})).0, 200);
    house.until("waits", "running");
}

#[test]
fn a_dry_run_changes_nothing_and_says_who_would_leave() {
    let house = House::new("2x8");
    let get = |path| house.get(path).1;
    let root = get("/api/v1/quotas/main");
    let mut changed = root.clone();
    changed["spec"]["preemption"] =
        json!({"childLevel": {"victims": {"priorities": "1-9", "modules": ["training"]}}});
    let tag = root["metadata"]["version"].as_str().expect("a version");
    let put = |tag: Option<&str>| house.put("/api/v1/quotas/main", &changed, tag);
    assert_eq!(put(None).0, 428);
    assert_eq!(put(Some("999")).0, 412);
    assert_eq!(put(Some(tag)).0, 200);
    let team = json!({"metadata": {"name": "team"}, "spec": {"parent": "main", "guarantee": {"gpu": 16}}});
    assert_eq!(house.post("/api/v1/quotas", &team).0, 201);
    let work = |name: &str, quota: &str, gpu: u32| json!({"metadata": {"name": name}, "spec": {"quota": quota, "resources": {"gpu": gpu}, "replicas": 2, "gracePeriod": "0s"}});
    assert_eq!(house.post("/api/v1/workloads", &work("victim", "team", 8)).0, 201);
    let before = get("/api/v1/workloads");
    let (status, preview) = house.post("/api/v1/workloads?dryRun=true", &work("boss", "main", 8));
    assert_eq!(status, 200, "{preview}");
    let words: Vec<&str> =
        preview["would"].as_array().expect("a list").iter().filter_map(|e| e["event"].as_str()).collect();
    assert_eq!(words, ["queued", "preempted"], "{preview}");
    assert!(preview["would"][1]["why"].as_str().is_some_and(|why| why.contains("priority 1")), "{preview}");
    assert_eq!(get("/api/v1/workloads"), before);
    assert_eq!(house.post("/api/v1/workloads", &work("boss", "main", 8)).0, 201);
    house.until("boss", "running");
    let explained = get("/api/v1/workloads/victim:explain");
    assert_eq!(explained["evicted"]["by"], "boss", "{explained}");
}

#[test]
fn asking_twice_with_a_key_is_asking_once() {
    let mut house = House::new("2x8");
    let work = json!({"spec": {"resources": {"gpu": 1}}});
    let first = house.post_with("/api/v1/workloads", &work, &[("Idempotency-Key", "k1")]);
    let again = house.post_with("/api/v1/workloads", &work, &[("Idempotency-Key", "k1")]);
    assert_eq!(first, again);
    house.restart();
    let later = house.post_with("/api/v1/workloads", &work, &[("Idempotency-Key", "k1")]);
    assert_eq!(first, later);
    let other = json!({"spec": {"resources": {"gpu": 2}}});
    let (status, problem) = house.post_with("/api/v1/workloads", &other, &[("Idempotency-Key", "k1")]);
    assert_eq!((status, problem["code"].as_str()), (422, Some("idempotency-mismatch")));
    assert_eq!(house.get("/api/v1/workloads").1["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_key_on_a_request_that_changes_nothing_is_fine() {
    let house = House::new("1x1");
    let refused = json!({"items": [{"spec": {"resources": {"gpu": 64}}}]});
    let first = house.post_with("/api/v1/workloads:batch", &refused, &[("Idempotency-Key", "k1")]);
    assert_eq!((first.0, &first.1["refused"]), (200, &json!(1)), "{}", first.1);
    assert_eq!(house.post_with("/api/v1/workloads:batch", &refused, &[("Idempotency-Key", "k1")]), first);
}

#[test]
fn nobody_gets_in_without_a_token() {
    let house = House::new("1x1");
    for path in ["/api/v1/quotas", "/api/v1/openapi.json", "/metrics", "/api/v1/watch", "/api/v1/whoami"] {
        assert_eq!(house.send("GET", path, None, &[]).0, 401, "{path}");
        assert_eq!(house.send("GET", path, None, &[("Authorization", "Bearer wrong")]).0, 401, "{path}");
    }
    for path in ["/healthz", "/readyz", "/version"] {
        assert_eq!(house.send("GET", path, None, &[]).0, 200, "{path}");
    }
}

#[test]
fn bad_input_gets_a_clear_error_and_changes_nothing() {
    let house = House::new("1x8");
    let before = house.get("/api/v1/quotas").1;
    let cases = [
        ("POST", "/api/v1/quotas", "{", 400, "malformed-body"),
        ("POST", "/api/v1/quotas", "{}", 422, "invalid"),
        (
            "POST",
            "/api/v1/quotas",
            r#"{"metadata":{"name":"x"},"spec":{"parent":"main","guarantee":{"gpu":99}}}"#,
            409,
            "share-too-small",
        ),
        (
            "POST",
            "/api/v1/quotas",
            r#"{"metadata":{"name":"x"},"spec":{"parent":"nobody","guarantee":{"gpu":1}}}"#,
            422,
            "unknown-reference",
        ),
        (
            "POST",
            "/api/v1/quotas",
            r#"{"metadata":{"name":"x/y"},"spec":{"parent":"main","guarantee":{"gpu":1}}}"#,
            422,
            "invalid",
        ),
        ("POST", "/api/v1/workloads", r#"{"spec":{"resources":{"gpu":1e99}}}"#, 422, "invalid"),
        ("POST", "/api/v1/workloads", r#"{"spec":{"resources":{"gpu":64}}}"#, 422, "never-fits"),
        ("POST", "/api/v1/workloads", r#"{"spec":{"gpus":1}}"#, 422, "invalid"),
        ("GET", "/api/v1/quotas/none", "", 404, "not-found"),
        ("GET", "/api/v1/nothing", "", 404, "not-found"),
        ("PATCH", "/api/v1/quotas/main", "", 405, "method-not-allowed"),
        ("GET", "/api/v1/workloads?limit=0", "", 400, "bad-parameter"),
        ("GET", "/api/v1/workloads?sate=running", "", 400, "bad-parameter"),
        ("GET", "/api/v1/workloads?pageToken=x", "", 400, "bad-parameter"),
        ("POST", "/api/v1/workloads?dryRun=maybe", r#"{"spec":{}}"#, 400, "bad-parameter"),
        ("GET", "/api/v1/watch?kinds=cat", "", 400, "bad-parameter"),
    ];
    for (method, path, body, status, code) in cases {
        let (given, problem) = house.raw(method, path, body);
        assert_eq!(
            (given, problem["code"].as_str()),
            (status, Some(code)),
            "{method} {path} {body}: {problem}"
        );
        assert!(!problem["hint"].as_str().unwrap_or_default().is_empty(), "{problem}");
    }
    assert_eq!(house.get("/api/v1/quotas").1, before);
}

#[test]
fn a_watcher_sees_each_event_once_and_resumes_where_it_was() {
    let mut house = House::new("2x8");
    let first = house.watch("", &[]);
    let work = json!({"metadata": {"name": "a"}, "spec": {"resources": {"gpu": 1}, "gracePeriod": "0s"}});
    assert_eq!(house.post("/api/v1/workloads", &work).0, 201);
    assert_eq!(house.post("/api/v1/workloads/a:stop", &json!({})).0, 200);
    let seen: Vec<(u64, String)> = first.take(3).map(|(n, e)| (n, e["event"].to_string())).collect();
    let words: Vec<&str> = seen.iter().map(|(_, word)| word.as_str()).collect();
    assert_eq!(words, [r#""queued""#, r#""started""#, r#""stopped""#]);
    let last = seen[0].0.to_string();
    let resume = |house: &House| -> Vec<(u64, String)> {
        let again = house.watch("", &[("Last-Event-ID", &last)]);
        again.take(2).map(|(n, e)| (n, e["event"].to_string())).collect()
    };
    assert_eq!(resume(&house), seen[1..]);
    house.restart();
    assert_eq!(resume(&house), seen[1..]);
    let only = house.watch("?kinds=quota", &[("Last-Event-ID", &last)]);
    let quota = json!({"metadata": {"name": "q"}, "spec": {"parent": "main", "guarantee": {"gpu": 1}}});
    assert_eq!(house.post("/api/v1/quotas", &quota).0, 201);
    assert_eq!(only.take(1).map(|(_, e)| e["quota"].to_string()).collect::<Vec<_>>(), [r#""q""#]);
}

#[test]
fn manifests_are_applied_and_applying_twice_changes_nothing() {
    let house = House::new("2x8");
    let manifests = r#"
apiVersion: tidegate.dev/v1
kind: Pool
metadata: {name: h100}
spec: {nodes: [{count: 2, gpus: 8, model: H100}]}
---
apiVersion: tidegate.dev/v1
kind: Quota
metadata: {name: Quota1}
spec:
  pool: h100
  guarantee: {gpu: 16}
  preemption: {childLevel: {victims: {priorities: 1-9, modules: [training, notebook]}}}
---
apiVersion: tidegate.dev/v1
kind: Workload
metadata: {name: w}
spec: {quota: Quota1, resources: {gpu: 8}}
"#;
    let outcomes = |text: &str| -> Vec<String> {
        let token = format!("Bearer {}", house.token());
        let headers = [("Authorization", token.as_str())];
        let (status, result) = house.send_as("POST", "/api/v1/apply", "application/yaml", text, &headers);
        assert_eq!(status, 200, "{result}");
        let results = result["results"].as_array().expect("results");
        results.iter().map(|r| r["outcome"].as_str().expect("a word").to_string()).collect()
    };
    assert_eq!(outcomes(manifests), ["created", "created", "created"]);
    assert_eq!(outcomes(manifests), ["unchanged", "unchanged", "unchanged"]);
    let larger = manifests.replace("count: 2", "count: 3").replace("{gpu: 16}", "{gpu: 24}");
    assert_eq!(outcomes(&larger), ["configured", "configured", "unchanged"]);
    let other = larger.replace("count: 3", "count: 1").replace("gpu: 8}}", "gpu: 4}}");
    assert_eq!(outcomes(&other), ["refused", "unchanged", "refused"]);
}

#[test]
fn who_ended_long_ago_leaves_memory_and_stays_readable() {
    let archive = tempfile::tempdir().expect("a directory");
    let mut house = House::with("1x8", |config| {
        config.retain_ended = "0s".parse().expect("a duration");
        config.snapshot_every = 10;
        config.archive = Some(archive.path().join("old"));
    });
    for n in 0..30 {
        let work = json!({"metadata": {"name": format!("old-{n}"), "labels": {"odd": (n % 2).to_string()}},
            "spec": {"resources": {"gpu": 1}, "gracePeriod": "0s"}});
        assert_eq!(house.post("/api/v1/workloads", &work).0, 201);
        assert_eq!(house.post(&format!("/api/v1/workloads/old-{n}:stop"), &json!({})).0, 200);
        // What is told of use follows the log; no more than was followed leaves it.
        assert!(n % 10 != 0 || house.get("/api/v1/usage").0 == 200);
    }
    let metered = |house: &House| house.get("/api/v1/usage/records?from=1970-01-01T00:00:00Z&limit=1000").1;
    let before = metered(&house);
    assert!(before["items"].as_array().is_some_and(|items| items.len() >= 20), "{before}");
    house.restart();
    assert_eq!(metered(&house), before);
    house.close();
    std::fs::remove_file(house.data().join("usage.db")).expect("it is there");
    house.open();
    assert_eq!(metered(&house), before, "made anew, from the archive and the log");
    let (status, old) = house.get("/api/v1/workloads/old-3");
    assert_eq!((status, old["status"]["state"].as_str()), (200, Some("stopped")), "{old}");
    let names = |query: &str| -> Vec<String> {
        let list = house.get(&format!("/api/v1/workloads?{query}")).1;
        let items = list["items"].as_array().expect("items");
        items.iter().map(|w| w["metadata"]["name"].as_str().expect("a name").to_string()).collect()
    };
    assert_eq!(names("limit=2"), ["old-29", "old-28"]);
    assert_eq!(names("label=odd=1&limit=2"), ["old-29", "old-27"]);
    assert_eq!(names("state=running"), [] as [&str; 0]);
    assert_eq!(names("past=false"), [] as [&str; 0]);
    let late = house.get("/api/v1/workloads/old-29/events").1;
    let words: Vec<&str> =
        late["items"].as_array().expect("events").iter().filter_map(|e| e["event"].as_str()).collect();
    assert_eq!(words, ["queued", "started", "stopped"], "{late}");
    assert!(late["items"].as_array().expect("events").iter().all(|e| e["workload"] == "old-29"), "{late}");
    let again = house.post("/api/v1/workloads/old-3:start", &json!({}));
    assert_eq!(again.0, 201, "{}", again.1);
    assert!(
        std::fs::read_dir(archive.path().join("old")).expect("there").next().is_some(),
        "nothing was archived"
    );
}

#[test]
fn a_gpu_goes_out_of_service_and_comes_back() {
    let house = House::new("1x2");
    let work = |name: &str| json!({"metadata": {"name": name}, "spec": {"resources": {"gpu": 1}, "gracePeriod": "0s"}});
    assert_eq!(house.post("/api/v1/workloads", &work("a")).0, 201);
    let path = "/api/v1/nodes/local-0:quarantine";
    let broken = json!({"device": 0, "reason": "ECC errors"});
    let (status, preview) = house.post(&format!("{path}?dryRun=true"), &broken);
    let would = preview["would"].as_array().expect("a list");
    let words: Vec<_> = would.iter().filter_map(|e| e["event"].as_str()).collect();
    assert_eq!((status, words), (200, vec!["quarantined", "lost", "started"]), "{preview}");
    let (status, node) = house.post(path, &broken);
    assert_eq!(status, 200, "{node}");
    let devices = &node["status"]["devices"];
    assert_eq!(devices[0]["quarantined"], "ECC errors", "{node}");
    assert_eq!(devices[1]["workloads"][0]["name"], "a", "it went to the other one: {node}");
    let (_, waits) = house.post("/api/v1/workloads", &work("b"));
    assert_eq!(waits["status"]["state"], "queued", "{waits}");
    let (_, why) = house.get("/api/v1/workloads/b:explain");
    assert!(why.to_string().contains("1 with GPUs out of service"), "{why}");
    for wrong in [json!({"device": 2, "reason": "x"}), json!({"device": 0, "reason": "ECC errors"})] {
        let (status, problem) = house.post(path, &wrong);
        assert!((400..500).contains(&status), "{problem}");
    }
    assert_eq!(house.post(path, &json!({"device": 1, "reason": " "})).0, 422);
    assert_eq!(house.post("/api/v1/nodes/local-0:restore", &json!({"device": 0})).0, 200);
    house.until("b", "running");
}

#[test]
fn what_is_history_is_shown_and_not_changed() {
    let house = House::with("1x8", |config| config.retain_ended = "1ms".parse().expect("a duration"));
    let work =
        json!({"metadata": {"name": "old"}, "spec": {"gracePeriod": "0s", "virtual": {"duration": "1ms"}}});
    assert_eq!(house.post("/api/v1/workloads", &work).0, 201);
    let in_memory = || {
        house
            .control()
            .read_blocking(|world| world.engine.workload_named(WorkspaceId::DEFAULT, "old").is_some())
    };
    while in_memory() {
        house::pause(std::time::Duration::from_millis(5));
    }
    assert_eq!(house.get("/api/v1/workloads/old").1["status"]["state"], "finished");
    let says = |path: &str, body: serde_json::Value| {
        let (status, problem) = house.post(&format!("/api/v1/workloads/{path}"), &body);
        assert_eq!((status, problem["code"].as_str()), (409, Some("wrong-state")), "{path}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|d| d.contains("old is finished since")), "{problem}");
    };
    says("old:stop", json!({}));
    says("old:stop?dryRun=true", json!({}));
    says("old:priority", json!({"priority": 5}));
    says("old:resize", json!({"replicas": 2}));
    let deleted = house.raw("DELETE", "/api/v1/workloads/old", "");
    assert_eq!((deleted.0, deleted.1["code"].as_str()), (409, Some("wrong-state")), "{}", deleted.1);
    assert_eq!(house.raw("DELETE", "/api/v1/workloads/nobody", "").0, 404);
    assert_eq!(house.get("/api/v1/workloads/old").0, 200, "it is still there");
    let (status, again) = house.post("/api/v1/workloads/old:start", &json!({}));
    assert_eq!(status, 201, "{again}");
}

#[test]
fn what_leaves_memory_this_instant_is_started_all_the_same() {
    let house = House::with("1x8", |config| config.retain_ended = "3ms".parse().expect("a duration"));
    let work =
        json!({"metadata": {"name": "again"}, "spec": {"gracePeriod": "0s", "virtual": {"duration": "1ms"}}});
    assert_eq!(house.post("/api/v1/workloads", &work).0, 201);
    // It ends, leaves memory and is started again, over and over, while others ask for it at any instant.
    let started: usize = std::thread::scope(|scope| {
        let asks = || {
            let ask = |_| match house.post("/api/v1/workloads/again:start", &json!({})) {
                (201, _) => 1,
                (409, _) => 0,
                (status, answer) => panic!("{status} {answer}"),
            };
            (0..150).map(ask).sum::<usize>()
        };
        let all: Vec<_> = (0..4).map(|_| scope.spawn(asks)).collect();
        all.into_iter().map(|one| one.join().expect("no other answer")).sum()
    });
    assert!(started > 10, "{started}");
    // Nor is it missing from a list while it leaves.
    for n in 0..40 {
        let name = format!("seen-{n}");
        let work = json!({"metadata": {"name": name}, "spec": {"gracePeriod": "0s", "virtual": {"duration": "1ms"}}});
        assert_eq!(house.post("/api/v1/workloads", &work).0, 201);
        for _ in 0..10 {
            let list = house.get(&format!("/api/v1/workloads?name={name}")).1;
            assert_eq!(list["items"].as_array().map(Vec::len), Some(1), "{list}");
        }
    }
}
