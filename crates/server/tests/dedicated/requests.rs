//! Who asks, who decides, who sees.

use super::*;

fn house() -> House {
    let house = House::new("1x8");
    furnish(&house);
    house
}

/// Soon enough on the machine's clock.
fn soon(gpus: u32) -> Value {
    json!({"workspace": "default", "reason": "a test",
        "reserved": {"size": {"gpu": gpus}, "start": "2031-01-01T00:00:00Z", "end": "2031-01-02T00:00:00Z"}})
}

#[test]
fn a_request_is_decided_once() {
    let house = house();
    let act = |id: &str, verb: &str, body: Value| {
        house.post(&format!("/api/v1/resource-requests/{id}:{verb}"), &body)
    };
    let id = request(&house, &soon(4));
    assert_eq!(id, "rr-0");
    let (_, shown) = house.get("/api/v1/resource-requests/rr-0");
    assert_eq!(
        (&shown["state"], &shown["by"], &shown["supply"]),
        (&json!("pending"), &json!("admin"), &json!("reserve"))
    );
    assert_eq!((&shown["cap"], &shown["lend"]), (&json!(100), &json!(false)));
    refused(act(&id, "decline", json!({})), 422, "invalid", "says why");
    // A dry run tells what would become of it, and changes nothing.
    let (status, would) = act(&id, "approve?dryRun=true", json!({}));
    assert_eq!((status, &would["result"]["config"]), (200, &json!("rc-0")), "{would}");
    let (status, declined) = act(&id, "decline", json!({"note": "not this week"}));
    assert_eq!(
        (status, &declined["state"], &declined["note"]),
        (200, &json!("declined"), &json!("not this week"))
    );
    for verb in ["approve", "decline", "withdraw"] {
        refused(act(&id, verb, json!({"note": "x"})), 409, "wrong-state", "rr-0 is declined already");
    }
    let id = request(&house, &soon(4));
    assert_eq!(act(&id, "withdraw", json!({})).1["state"], "withdrawn");
    let id = request(&house, &soon(4));
    let (_, approved) = act(&id, "approve", json!({"note": "enjoy"}));
    assert_eq!(
        (&approved["config"], &approved["decidedBy"]),
        (&json!("rc-0"), &json!("admin")),
        "{approved}"
    );
    let config = shown_config(&house);
    assert_eq!((&config["state"], &config["request"]), (&json!("scheduled"), &json!("rr-2")), "{config}");
    assert_eq!(config["period"]["start"], "2031-01-01T00:00:00Z");
    let list = |query: &str| {
        let (_, list) = house.get(&format!("/api/v1/resource-requests{query}"));
        let items = list["items"].as_array().expect("items").iter();
        items.map(|item| item["id"].as_str().expect("an id").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(list(""), ["rr-2", "rr-1", "rr-0"]);
    assert_eq!((list("?state=declined"), list("?workspace=nowhere")), (vec!["rr-0".to_string()], vec![]));
    // Who asked and who decided is in the audit.
    let (_, audit) = house.get("/api/v1/audit?limit=1000");
    let text = audit.to_string();
    for word in
        ["resource-request.create", "resource-request.approve", "\"resource-config\"", "not this week"]
    {
        assert!(text.contains(word), "no {word} in the audit");
    }
}

fn shown_config(house: &House) -> Value {
    shown(house, "rc-0")
}

#[test]
fn members_ask_administrators_decide_and_others_see_nothing() {
    let house = house();
    for room in ["team-a", "team-b"] {
        made(&house, "/api/v1/workspaces", &json!({"metadata": {"name": room}, "spec": {}}));
    }
    let hire = |user: &str, room: &str, role: &str| {
        made(&house, "/api/v1/users", &json!({"metadata": {"name": user}, "spec": {}}));
        let path = format!("/api/v1/workspaces/{room}/members/{user}");
        assert_eq!(house.put(&path, &json!({"role": role}), None).0, 200);
        let token = made(&house, "/api/v1/tokens", &json!({"user": user}));
        format!("Bearer {}", token["secret"].as_str().expect("a secret"))
    };
    let (dora, doris) = (hire("dora", "team-a", "developer"), hire("doris", "team-a", "developer"));
    let (gustav, anton) = (hire("gustav", "team-a", "guest"), hire("anton", "team-a", "admin"));
    let berta = hire("berta", "team-b", "owner");
    let ask = |token: &str, method: &str, path: &str, body: Value| {
        house.send(method, path, Some(body.to_string()), &[("Authorization", token)])
    };
    let new = json!({"reason": "ours", "reserved": {"size": {"gpu": 2}, "end": "2031-01-02T00:00:00Z"}});
    assert_eq!(ask(&gustav, "POST", "/api/v1/resource-requests", new.clone()).0, 403);
    let (status, made) = ask(&dora, "POST", "/api/v1/resource-requests", new.clone());
    assert_eq!((status, &made["workspace"], &made["by"]), (201, &json!("team-a"), &json!("dora")), "{made}");
    let path = |verb: &str| format!("/api/v1/resource-requests/rr-0{verb}");
    for (who, status) in [(&dora, 403), (&anton, 403), (&gustav, 403), (&berta, 403)] {
        assert_eq!(ask(who, "POST", &path(":approve"), json!({})).0, status);
    }
    // Whoever made it withdraws it, or who governs the workspace; strangers do not know of it.
    assert_eq!(ask(&doris, "POST", &path(":withdraw"), json!({})).0, 403);
    let foreign = ask(&berta, "POST", &path(":withdraw"), json!({}));
    let unknown = ask(&berta, "POST", "/api/v1/resource-requests/rr-99:withdraw", json!({}));
    assert_eq!((foreign.0, unknown.0), (404, 404));
    assert_eq!(foreign.1["detail"].to_string().replace("rr-0", "rr-99"), unknown.1["detail"].to_string());
    assert_eq!(ask(&anton, "POST", &path(":withdraw"), json!({})).0, 200);
    ask(&dora, "POST", "/api/v1/resource-requests", new);
    assert_eq!(approve(&house, "rr-1").1["config"], "rc-0");
    let list = |token: &str, what: &str| {
        let (_, list) = house.send("GET", &format!("/api/v1/{what}"), None, &[("Authorization", token)]);
        list["items"].as_array().map_or(99, Vec::len)
    };
    for what in ["resource-requests", "resource-configs"] {
        assert!(list(&gustav, what) > 0 && list(&berta, what) == 0, "{what}");
    }
    let get = |token: &str, id: &str| {
        house.send("GET", &format!("/api/v1/resource-configs/{id}"), None, &[("Authorization", token)])
    };
    assert_eq!(get(&gustav, "rc-0").1["state"], "active");
    let (foreign, unknown) = (get(&berta, "rc-0"), get(&berta, "rc-99"));
    assert_eq!((foreign.0, unknown.0), (404, 404));
    // A task of another workspace is told the same of what is foreign and of what is not there.
    let submit = |token: &str, config: &str| {
        let body = json!({"template": "sum"}).to_string();
        let headers = [("Authorization", token), ("X-Tidegate-Resource-Config", config)];
        house.send("POST", "/api/v1/tasks", Some(body), &headers)
    };
    for config in ["rc-0", "rc-99", "rc-0,default", "rc-99,default"] {
        let id = config.trim_end_matches(",default");
        let says = format!("there is no resource config {id}");
        refused(submit(&berta, config), 422, "unknown-reference", &says);
    }
    let (status, task) = submit(&dora, "rc-0");
    assert_eq!(
        (status, &task["resourceConfig"], &task["state"]),
        (201, &json!("rc-0"), &json!("running")),
        "{task}"
    );
    // Whoever has a config sees its quota.
    let quota = house.send("GET", "/api/v1/quotas/rc-0", None, &[("Authorization", &dora)]);
    assert_eq!((quota.0, &quota.1["spec"]["guarantee"]["gpu"]), (200, &json!(2)), "{}", quota.1);
    assert_eq!(house.send("GET", "/api/v1/quotas/rc-0", None, &[("Authorization", &berta)]).0, 404);
    assert_eq!(house.raw("DELETE", "/api/v1/workspaces/team-a", "").1["code"], "workspace-not-empty");
    let set = |token: &str| ask(token, "POST", "/api/v1/resource-configs/rc-0:set", json!({"cap": 90}));
    assert_eq!((set(&gustav).0, set(&doris).0, set(&berta).0), (403, 403, 404));
    assert_eq!((set(&dora).0, set(&anton).1["cap"].clone()), (200, json!(90)));
    let release = |token: &str| ask(token, "POST", "/api/v1/resource-configs/rc-0:release", json!({}));
    assert_eq!((release(&doris).0, release(&berta).0, release(&dora).0), (403, 404, 200));
}

#[test]
fn whether_it_lends_and_how_full_it_may_be_is_changed_at_any_time() {
    let house = house();
    let id = config(
        &house,
        &json!({"workspace": "default", "reason": "a test",
            "reserved": {"size": {"gpu": 4}, "end": "2031-01-02T00:00:00Z"}}),
    );
    let set =
        |query: &str, body: Value| house.post(&format!("/api/v1/resource-configs/{id}:set{query}"), &body);
    // It wants all that there is, on loan.
    let idle = json!({"metadata": {"name": "idle"}, "spec": {"quota": "team", "workspace": "default", "replicas": 4,
        "resources": {"gpu": 4}, "idle": "only", "gracePeriod": "0s"}});
    refused(house.post("/api/v1/workloads", &idle), 422, "never-fits", "have shares of 12 GPUs");
    let state = || house.get("/api/v1/workloads/idle").1["status"]["state"].clone();
    let (status, would) = set("?dryRun=true", json!({"lend": true, "cap": 25}));
    assert_eq!((status, &would["result"]["lend"]), (200, &json!(true)), "{would}");
    assert_eq!((&shown(&house, &id)["lend"], &shown(&house, &id)["cap"]), (&json!(false), &json!(100)));
    let (status, after) = set("", json!({"lend": true, "cap": 25}));
    assert_eq!((status, &after["lend"], &after["cap"]), (200, &json!(true), &json!(25)), "{after}");
    assert_eq!(house.get(&format!("/api/v1/quotas/{id}")).1["spec"]["idleSharing"], true);
    made(&house, "/api/v1/workloads", &idle);
    assert_eq!(state(), "running", "what is lent is used");
    assert_eq!(send(&house, "sum", "one", &id).0, 201);
    refused(send(&house, "sum", "two", &id), 429, "config-full", "is used to 25.0 %");
    // What is not said stays; what is nothing or too much is refused.
    assert_eq!(set("", json!({"lend": false})).1["cap"], 25);
    refused(set("", json!({})), 422, "invalid", "");
    refused(set("", json!({"cap": 0})), 422, "invalid", "");
    refused(set("", json!({"cap": 1001})), 422, "invalid", "");
    assert_eq!(house.post("/api/v1/resource-configs/rc-99:set", &json!({"cap": 1})).0, 404);
    let (_, audit) = house.get("/api/v1/audit?limit=1000");
    let entries = audit["items"].as_array().expect("entries");
    let entry = entries.iter().find(|one| one["operation"] == "resource-config.set").expect("it is there");
    let change =
        entry["changes"].as_array().expect("changes").iter().find(|c| c["kind"] == "resource-config");
    let change = change.expect("of the config");
    assert_eq!(
        (&change["before"]["lend"], &change["after"]["lend"]),
        (&json!(true), &json!(false)),
        "{entry}"
    );
    house.post(&format!("/api/v1/resource-configs/{id}:release"), &json!({}));
    refused(set("", json!({"cap": 50})), 409, "wrong-state", "is over since");
}
