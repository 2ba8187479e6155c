//! Templates and tasks, with time played: what they are made of, where they run, what their states are.

mod house;

use house::House;
use serde_json::{Value, json};

/// A server with a shared quota of so many GPUs, and a template for everybody.
fn shop(gpus: u32) -> House {
    let house = House::new("1x8");
    let pool =
        json!({"metadata": {"name": "h100"}, "spec": {"nodes": [{"count": 1, "gpus": 8, "model": "H100"}]}});
    made(&house, "/api/v1/pools", &pool);
    let shared = json!({"metadata": {"name": "shared"}, "spec": {"pool": "h100", "guarantee": {"gpu": gpus},
        "queue": {"strategy": "fair"}, "shared": true}});
    made(&house, "/api/v1/quotas", &shared);
    made(&house, "/api/v1/templates", &template(json!({})));
    house
}

fn template(more: Value) -> Value {
    let mut spec = json!({"resources": {"gpu": 1}, "inputSchema": {"type": "object",
        "required": ["n"], "properties": {"n": {"type": "integer", "maximum": 9}}, "additionalProperties": false}});
    spec.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    json!({"metadata": {"name": "sum"}, "spec": spec})
}

fn made(house: &House, path: &str, body: &Value) -> Value {
    let (status, answer) = house.post(path, body);
    assert_eq!(status, 201, "{path} {body}: {answer}");
    answer
}

fn task(house: &House, more: Value) -> Value {
    let mut body = json!({"template": "sum", "inputs": {"n": 1}, "workspace": "default"});
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    made(house, "/api/v1/tasks", &body)
}

fn state(house: &House, name: &str) -> String {
    house.get(&format!("/api/v1/tasks/{name}")).1["state"].as_str().unwrap_or("none").to_string()
}

fn pointers(answer: &Value) -> Vec<&str> {
    answer["pointers"].as_array().into_iter().flatten().filter_map(|p| p["pointer"].as_str()).collect()
}

#[test]
fn a_template_has_versions_and_aliases_and_none_of_them_changes() {
    let house = shop(2);
    let (_, first) = house.get("/api/v1/templates/sum");
    assert_eq!((&first["status"]["version"], &first["spec"]["outputLimit"]), (&json!(1), &json!("1Mi")));
    let put = |body: &Value, version: &str| house.put("/api/v1/templates/sum", body, Some(version));
    let tag = |answer: &Value| answer["metadata"]["version"].as_str().expect("a version").to_string();
    let (status, second) = put(&template(json!({"retries": 2, "aliases": {"stable": 1}})), &tag(&first));
    assert_eq!((status, &second["status"]["latest"]), (200, &json!(2)), "{second}");
    // Another name of a version is no version.
    let (_, named) = put(&template(json!({"retries": 2, "aliases": {"stable": 2, "old": 1}})), &tag(&second));
    assert_eq!(named["status"]["latest"], 2, "{named}");
    assert_eq!(put(&template(json!({})), &tag(&first)).0, 412, "somebody was faster");
    let (_, old) = house.get("/api/v1/templates/sum?version=old");
    assert_eq!((&old["status"]["version"], &old["spec"]["retries"]), (&json!(1), &json!(0)));
    assert_eq!(house.get("/api/v1/templates/sum?version=7").0, 422);
    let (status, answer) = put(&template(json!({"aliases": {"new": 9}})), &tag(&named));
    assert_eq!((status, pointers(&answer)), (422, vec!["/spec/aliases/new"]));
    let (status, answer) = put(&template(json!({"workspace": "default"})), &tag(&named));
    assert_eq!((status, pointers(&answer)), (422, vec!["/spec/workspace"]), "{answer}");
    let list = house.get("/api/v1/templates").1;
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
    // A task keeps the version that it was made of.
    let kept = task(&house, json!({"template": "sum@old"}));
    assert_eq!(kept["templateVersion"], 1);
    let headers = [("If-Match", "*")];
    let token = format!("Bearer {}", house.token());
    let gone =
        house.send("DELETE", "/api/v1/templates/sum", None, &[("Authorization", token.as_str()), headers[0]]);
    assert_eq!(gone.0, 200, "{}", gone.1);
    assert_eq!(state(&house, kept["id"].as_str().expect("an id")), "running");
    let (status, answer) = house.post("/api/v1/tasks", &json!({"template": "sum", "workspace": "default"}));
    assert_eq!((status, pointers(&answer)), (422, vec!["/template"]));
}

#[test]
fn names_of_templates_mean_one_thing() {
    let house = shop(2);
    made(&house, "/api/v1/workspaces", &json!({"metadata": {"name": "team-a"}, "spec": {}}));
    let (status, answer) = house.post("/api/v1/templates", &template(json!({"workspace": "team-a"})));
    assert_eq!((status, &answer["code"]), (409, &json!("name-taken")), "{answer}");
    let own = |name: &str, room: Option<&str>| {
        let spec = room.map_or(json!({}), |room| json!({"workspace": room}));
        json!({"metadata": {"name": name}, "spec": spec})
    };
    made(&house, "/api/v1/templates", &own("own", Some("team-a")));
    made(&house, "/api/v1/templates", &own("own", Some("default")));
    assert_eq!(house.post("/api/v1/templates", &own("own", None)).0, 409, "a workspace has it");
    assert_eq!(house.get("/api/v1/templates/own").1["code"], "workspace-required");
    let found = house.get("/api/v1/templates/own?workspace=team-a").1;
    assert_eq!(found["spec"]["workspace"], "team-a");
    // What was of a workspace goes with it.
    let token = format!("Bearer {}", house.token());
    let deleted = house.send("DELETE", "/api/v1/workspaces/team-a", None, &[("Authorization", &token)]);
    assert_eq!(deleted.0, 200, "{}", deleted.1);
    assert_eq!(house.get("/api/v1/templates/own").1["spec"]["workspace"], "default");
}

#[test]
fn bad_input_is_a_clear_error() {
    let house = shop(2);
    let ask = |body: Value| house.post("/api/v1/tasks", &body);
    let all = json!({"workspace": "default"});
    let with = |more: Value| {
        let mut body = all.clone();
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        ask(body)
    };
    for (more, status, code, at) in [
        (json!({"template": "sum", "inputs": {"n": 10}}), 422, "invalid", "/inputs/n"),
        (json!({"template": "sum", "inputs": {"n": "x"}}), 422, "invalid", "/inputs/n"),
        (json!({"template": "sum", "inputs": {"n": 1, "m": 2}}), 422, "invalid", "/inputs/m"),
        (json!({"template": "sum"}), 422, "invalid", "/inputs"),
        (json!({"template": "none", "inputs": {}}), 422, "unknown-reference", "/template"),
        (json!({"template": "sum@7", "inputs": {"n": 1}}), 422, "unknown-reference", "/template"),
        (json!({"template": "sum", "inputs": "x".repeat(70_000)}), 422, "invalid", "/inputs"),
        (
            json!({"template": "sum", "inputs": {"n": 1}, "workspace": "none"}),
            422,
            "unknown-reference",
            "/workspace",
        ),
        (json!({"template": "sum", "inputs": {"n": 1}, "priority": 9}), 422, "invalid", "/priority"),
    ] {
        let (got, answer) = with(more.clone());
        assert_eq!((got, &answer["code"]), (status, &json!(code)), "{more}: {answer}");
        assert_eq!(pointers(&answer), [at], "{more}: {answer}");
    }
    let (status, answer) = house.post(
        "/api/v1/templates",
        &json!({"metadata": {"name": "bad"}, "spec": {"inputSchema": {"pattern": "x"}}}),
    );
    assert_eq!((status, pointers(&answer)), (422, vec!["/spec/inputSchema/pattern"]));
    // A task is no workload that somebody writes by hand.
    let run = json!({"template": "sum", "templateUid": "tpl-0", "version": 1, "resourceConfig": "default", "outputLimit": "1Mi", "filesLimit": "1Mi"});
    let (status, answer) = house.post("/api/v1/workloads", &json!({"spec": {"module": "task", "task": run}}));
    assert_eq!((status, pointers(&answer)), (422, vec!["/spec/task"]));
    let large = json!({"metadata": {"name": "large"}, "spec": {"resources": {"gpu": 8}}});
    made(&house, "/api/v1/templates", &large);
    let (status, answer) = with(json!({"template": "large"}));
    assert_eq!((status, &answer["code"]), (422, &json!("never-fits")), "{answer}");
    assert_eq!(house.get("/api/v1/tasks?wait=1s").0, 400);
    assert_eq!(house.get("/api/v1/tasks/none").0, 404);
}

#[test]
fn the_header_says_where_a_task_runs() {
    let house = shop(2);
    let body = json!({"template": "sum", "inputs": {"n": 1}, "workspace": "default"});
    let ask = |config: &str, key: &str| {
        house.post_with(
            "/api/v1/tasks",
            &body,
            &[("X-Tidegate-Resource-Config", config), ("Idempotency-Key", key)],
        )
    };
    let (status, first) = ask("default", "a");
    assert_eq!((status, &first["resourceConfig"]), (201, &json!("default")), "{first}");
    assert_eq!(ask("default", "a").1["id"], first["id"], "asked twice, run once");
    for (config, status, code) in [
        ("rc-1", 422, "unknown-reference"),
        ("rc-1,default", 422, "unknown-reference"),
        ("default,default", 400, "bad-parameter"),
        ("", 400, "bad-parameter"),
        ("a b", 400, "bad-parameter"),
    ] {
        let (got, answer) = ask(config, &format!("key {config}"));
        assert_eq!((got, &answer["code"]), (status, &json!(code)), "{config}: {answer}");
    }
    assert!(ask("rc-9", "b").1["detail"].as_str().expect("text").contains("rc-9"));
    // The same key for other compute is another request.
    assert_eq!(ask("rc-1", "a").1["code"], "idempotency-mismatch");
}

#[test]
fn a_quota_is_shared_only_with_a_fair_queue_both_ways() {
    let house = shop(2);
    let quota = |name: &str, strategy: &str, shared: bool| {
        json!({"metadata": {"name": name}, "spec": {"pool": "h100", "guarantee": {"gpu": 1},
            "queue": {"strategy": strategy}, "shared": shared}})
    };
    let (status, answer) = house.post("/api/v1/quotas", &quota("other", "fifo", true));
    assert_eq!((status, pointers(&answer)), (422, vec!["/spec/queue/strategy"]), "{answer}");
    made(&house, "/api/v1/quotas", &quota("other", "fair", false));
    let version = |name: &str| {
        let (_, quota) = house.get(&format!("/api/v1/quotas/{name}"));
        quota["metadata"]["version"].as_str().expect("a version").to_string()
    };
    let before = version("other");
    let (status, marked) = house.put("/api/v1/quotas/other", &quota("other", "fair", true), Some(&before));
    assert_eq!((status, &marked["spec"]["shared"]), (200, &json!(true)), "{marked}");
    assert_ne!(version("other"), before, "what a quota is for is a change of it");
    let (status, answer) =
        house.put("/api/v1/quotas/other", &quota("other", "fifo", true), Some(&version("other")));
    assert_eq!((status, pointers(&answer)), (422, vec!["/spec/queue/strategy"]), "{answer}");
    let (status, plain) =
        house.put("/api/v1/quotas/other", &quota("other", "fifo", false), Some(&version("other")));
    assert_eq!((status, &plain["spec"]["shared"]), (200, &Value::Null), "{plain}");
    // Without any, there is nowhere to go.
    let unmarked = json!({"metadata": {"name": "shared"}, "spec": {"pool": "h100", "guarantee": {"gpu": 2}}});
    assert_eq!(house.put("/api/v1/quotas/shared", &unmarked, Some(&version("shared"))).0, 200);
    let (status, answer) =
        house.post("/api/v1/tasks", &json!({"template": "sum", "inputs": {"n": 1}, "workspace": "default"}));
    assert_eq!((status, &answer["code"]), (422, &json!("no-shared-compute")), "{answer}");
}

#[test]
fn a_task_is_waited_for_and_its_states_are_told() {
    let house = shop(1);
    let first = task(&house, json!({"name": "first", "virtual": {"duration": "300ms"}}));
    assert_eq!(
        (&first["state"], &first["estimatedWait"], &first["estimatedDuration"]),
        (&json!("running"), &Value::Null, &Value::Null)
    );
    let second = task(&house, json!({"name": "second", "virtual": {"duration": "200ms", "fails": 3}}));
    assert_eq!((&second["state"], &second["position"]), (&json!("waiting"), &json!(1)), "{second}");
    let (_, early) = house.get("/api/v1/tasks/second/result");
    assert_eq!(early["code"], "wrong-state", "{early}");
    let (_, ended) = house.get("/api/v1/tasks/first?wait=20s");
    assert_eq!(ended["state"], "succeeded", "{ended}");
    let (status, result) = house.get("/api/v1/tasks/first/result");
    assert_eq!((status, &result["output"]), (200, &Value::Null), "{result}");
    assert!(result["note"].as_str().expect("a note").contains("starts nothing"), "{result}");
    let (_, failed) = house.get("/api/v1/tasks/second/result?wait=20s");
    assert_eq!((&failed["state"], &failed["exitCode"]), (&json!("failed"), &json!(3)), "{failed}");
    // The next one is told how long it will take.
    let third = task(&house, json!({"name": "third"}));
    assert_ne!(third["estimatedDuration"], Value::Null, "{third}");
    assert_eq!(house.post("/api/v1/tasks/third:cancel", &json!({})).1["state"], "running");
    let (_, cancelled) = house.get("/api/v1/tasks/third?wait=20s");
    assert_eq!(cancelled["state"], "cancelled", "{cancelled}");
    assert_eq!(house.post("/api/v1/tasks/third:cancel", &json!({})).0, 409);
    assert_eq!(house.get("/api/v1/tasks/first?wait=61s").0, 400);
    // A limit that is reached is a failure, not somebody's wish.
    let limited = json!({"metadata": {"name": "limited"}, "spec": {"maxRunTime": "100ms"}});
    made(&house, "/api/v1/templates", &limited);
    let fourth = task(&house, json!({"template": "limited", "name": "fourth"}));
    let (_, stopped) =
        house.get(&format!("/api/v1/tasks/{}?wait=20s", fourth["id"].as_str().expect("an id")));
    assert_eq!(stopped["state"], "failed", "{stopped}");
    assert!(stopped["detail"].as_str().expect("why").contains("max-run"), "{stopped}");
    let names = |query: &str| -> Vec<String> {
        let (_, list) = house.get(&format!("/api/v1/tasks{query}"));
        let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}")).clone();
        items.iter().map(|task| task["name"].as_str().expect("a name").to_string()).collect()
    };
    assert_eq!(names(""), ["fourth", "third", "second", "first"]);
    assert_eq!(names("?state=failed"), ["fourth", "second"]);
    assert_eq!(names("?state=cancelled"), ["third"]);
    assert_eq!(names("?template=sum&limit=2"), ["third", "second"]);
    let (_, page) = house.get("/api/v1/tasks?template=sum&limit=2");
    let next = page["nextPageToken"].as_str().expect("another page");
    assert_eq!(names(&format!("?template=sum&limit=2&pageToken={next}")), ["first"]);
    assert_eq!(page["items"][0]["inputs"], Value::Null, "lists leave inputs out");
}

#[test]
fn what_was_learnt_is_known_after_a_restart() {
    let mut house = shop(1);
    task(&house, json!({"name": "first", "virtual": {"duration": "100ms"}}));
    assert_eq!(house.get("/api/v1/tasks/first?wait=20s").1["state"], "succeeded");
    let before = task(&house, json!({"name": "next"}))["estimatedDuration"].clone();
    assert_ne!(before, Value::Null);
    house.restart();
    assert_eq!(house.get("/api/v1/tasks/next").1["estimatedDuration"], before);
}

#[test]
fn a_task_stays_as_it_was_submitted() {
    let house = shop(1);
    task(&house, json!({"name": "one", "virtual": {"duration": "100ms"}}));
    for (path, body) in [("one:priority", json!({"priority": 9})), ("one:resize", json!({"replicas": 2}))] {
        let (status, answer) = house.post(&format!("/api/v1/workloads/{path}"), &body);
        assert_eq!((status, &answer["code"]), (409, &json!("wrong-state")), "{path}: {answer}");
    }
    assert_eq!(house.get("/api/v1/tasks/one?wait=20s").1["state"], "succeeded");
    let (status, answer) = house.post("/api/v1/workloads/one:start", &json!({}));
    assert_eq!((status, &answer["code"]), (409, &json!("wrong-state")), "{answer}");
}

/// The bound: with tasks of one size, whoever draws nothing is started before all who draw something, so one more
/// workspace waits for the next task that ends, however many of others wait before it.
#[test]
fn a_thousand_tasks_of_one_tenant_do_not_make_anothers_one_wait_for_all_of_them() {
    let house = shop(2);
    for room in ["team-a", "team-b"] {
        made(&house, "/api/v1/workspaces", &json!({"metadata": {"name": room}, "spec": {}}));
    }
    let of = |room: &str, name: String| {
        task(&house, json!({"workspace": room, "name": name}))["state"].as_str().expect("a state").to_string()
    };
    for number in 0..1_000 {
        let wanted = if number < 2 { "running" } else { "waiting" };
        assert_eq!(of("team-a", format!("a-{number}")), wanted);
    }
    for number in 0..3 {
        assert_eq!(of("team-b", format!("b-{number}")), "waiting");
    }
    // One of the first ends: it is the turn of who has nothing.
    let cancel = |name: &str| {
        assert_eq!(house.post(&format!("/api/v1/tasks/{name}:cancel"), &json!({})).0, 200);
        assert_eq!(house.get(&format!("/api/v1/tasks/{name}?wait=20s")).1["state"], "cancelled");
    };
    cancel("a-0");
    assert_eq!((state(&house, "b-0"), state(&house, "a-2")), ("running".into(), "waiting".into()));
    // From here on they take turns: what leaves counts until it is gone, so both draw one GPU when b-0 is asked to go,
    // and the turn of team-a was longer ago.
    cancel("b-0");
    assert_eq!((state(&house, "a-2"), state(&house, "b-1")), ("running".into(), "waiting".into()));
    cancel("a-1");
    assert_eq!((state(&house, "b-1"), state(&house, "a-3")), ("running".into(), "waiting".into()));
}

#[test]
fn a_workspace_that_has_too_many_waiting_is_told_to_come_back() {
    let house = House::with("1x8", |config| config.shared_tasks = 3);
    let pool =
        json!({"metadata": {"name": "h100"}, "spec": {"nodes": [{"count": 1, "gpus": 8, "model": "H100"}]}});
    made(&house, "/api/v1/pools", &pool);
    let shared = json!({"metadata": {"name": "shared"}, "spec": {"pool": "h100", "guarantee": {"gpu": 1},
        "queue": {"strategy": "fair"}, "shared": true}});
    made(&house, "/api/v1/quotas", &shared);
    made(&house, "/api/v1/templates", &template(json!({})));
    made(&house, "/api/v1/workspaces", &json!({"metadata": {"name": "team-a"}, "spec": {}}));
    // One runs, three wait.
    (0..4).for_each(|_| drop(task(&house, json!({"workspace": "team-a"}))));
    let body = json!({"template": "sum", "inputs": {"n": 1}, "workspace": "team-a"});
    let (status, answer, retry) = house.post_patiently("/api/v1/tasks", &body);
    assert_eq!(
        (status, &answer["code"], retry.as_deref()),
        (429, &json!("too-many-tasks"), Some("1")),
        "{answer}"
    );
    assert!(answer["detail"].as_str().expect("text").contains("3 tasks of team-a"), "{answer}");
    task(&house, json!({}));
}
