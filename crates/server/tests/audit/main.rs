//! Who changed what: read back from the log, by those who may.

#[path = "../house/mod.rs"]
mod house;

mod every;

use house::House;
use serde_json::{Value, json};

/// A house with two teams, and what lets each of these people in: an admin of one, a developer of one, an admin of two.
struct Teams {
    house: House,
    one: String,
    developer: String,
    two: String,
}

impl Teams {
    fn new() -> Teams {
        let house = House::new("2x8");
        for quota in ["Q1", "Q2"] {
            let body =
                json!({"metadata": {"name": quota}, "spec": {"parent": "main", "guarantee": {"gpu": 8}}});
            assert_eq!(house.post("/api/v1/quotas", &body).0, 201);
        }
        for (room, quota) in [("one", "Q1"), ("two", "Q2")] {
            let body = json!({"metadata": {"name": room}, "spec": {"quotas": [quota]}});
            assert_eq!(house.post("/api/v1/workspaces", &body).0, 201);
        }
        let person = |name: &str, room: &str, role: &str| {
            let made = house.post("/api/v1/users", &json!({"metadata": {"name": name}, "spec": {}}));
            assert_eq!(made.0, 201, "{made:?}");
            let path = format!("/api/v1/workspaces/{room}/members/{name}");
            assert!(house.put(&path, &json!({"role": role}), None).0 < 300);
            let (status, token) = house.post("/api/v1/tokens", &json!({"user": name}));
            assert_eq!(status, 201, "{token}");
            token["secret"].as_str().expect("a secret").to_string()
        };
        let (one, developer) = (person("anna", "one", "admin"), person("dora", "one", "developer"));
        let two = person("bert", "two", "admin");
        Teams { one, developer, two, house }
    }

    fn send(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let token = format!("Bearer {token}");
        self.house.send(method, path, body.map(|body| body.to_string()), &[("Authorization", &token)])
    }

    fn get(&self, token: &str, path: &str) -> (u16, Value) {
        self.send(token, "GET", path, None)
    }

    fn submit(&self, token: &str, name: &str) {
        let spec = json!({"resources": {"gpu": 1}, "gracePeriod": "0s"});
        let body = json!({"metadata": {"name": name}, "spec": spec});
        let (status, answer) = self.send(token, "POST", "/api/v1/workloads", Some(body));
        assert_eq!(status, 201, "{answer}");
    }
}

/// `by operation` of every entry.
fn told(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
    let word = |entry: &Value, key: &str| entry[key].as_str().expect("a word").to_string();
    items.iter().map(|entry| format!("{} {}", word(entry, "by"), word(entry, "operation"))).collect()
}

#[test]
fn every_change_says_who_when_from_where_before_and_after() {
    let teams = Teams::new();
    let house = &teams.house;
    let scaled =
        house.post_with("/api/v1/quotas/Q1:scale", &json!({"guarantee": {"gpu": 4}}), &[("If-Match", "*")]);
    assert_eq!(scaled.0, 200, "{scaled:?}");
    let (status, audit) = house.get("/api/v1/audit?limit=1");
    assert_eq!(status, 200);
    let entry = &audit["items"][0];
    assert_eq!((entry["by"].as_str(), entry["operation"].as_str()), (Some("admin"), Some("quota.scale")));
    assert_eq!(entry["from"], "127.0.0.1");
    assert!(entry["requestId"].is_string() && entry["at"].is_string(), "{entry}");
    let change = &entry["changes"][0];
    assert_eq!((change["kind"].as_str(), change["name"].as_str()), (Some("quota"), Some("Q1")));
    assert_eq!(
        (&change["before"], &change["after"]),
        (&json!({"guarantee": 8}), &json!({"guarantee": 4})),
        "{change}"
    );
    // Members and their roles.
    assert_eq!(house.put("/api/v1/workspaces/one/members/dora", &json!({"role": "operator"}), None).0, 200);
    let change = house.get("/api/v1/audit?limit=1").1["items"][0]["changes"][0].clone();
    assert_eq!(
        (&change["before"]["role"], &change["after"]["role"]),
        (&json!("developer"), &json!("operator"))
    );
    assert_eq!((change["kind"].as_str(), change["workspace"].as_str()), (Some("member"), Some("one")));
}

#[test]
fn neither_secrets_nor_hashes_are_told() {
    let teams = Teams::new();
    let text = teams.house.get("/api/v1/audit?limit=1000").1.to_string();
    for secret in [&teams.one, &teams.developer, &teams.two] {
        assert!(!text.contains(secret.as_str()));
    }
    for word in ["hash", "secret", "argon2"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert!(text.contains("token.create"));
}

#[test]
fn a_workspace_reads_of_itself_and_of_nobody_else() {
    let teams = Teams::new();
    teams.submit(&teams.developer, "secret-of-one");
    teams.submit(&teams.two, "secret-of-two");
    assert_eq!(teams.send(&teams.developer, "POST", "/api/v1/workloads/secret-of-one:stop", None).0, 200);
    let (status, audit) = teams.get(&teams.one, "/api/v1/workspaces/one/audit");
    assert_eq!(status, 200, "{audit}");
    let text = audit.to_string();
    for other in ["bert", "secret-of-two", "Q2", "\"two\""] {
        assert!(!text.contains(other), "{other} in {text}");
    }
    assert_eq!(told(&audit)[..2], ["dora workload.stop", "dora workload.submit"]);
    assert!(told(&audit).contains(&"admin member.set".to_string()), "{:?}", told(&audit));
    let submitted = &audit["items"][1]["changes"][0];
    assert_eq!(submitted["name"], "secret-of-one");
    assert_eq!(submitted["after"]["quota"], "Q1");
    // The same for who sees everything, with the filter.
    let (_, filtered) = teams.house.get("/api/v1/audit?workspace=one");
    assert_eq!(told(&filtered), told(&audit));
}

#[test]
fn who_may_not_read_is_refused_or_finds_nothing() {
    let teams = Teams::new();
    assert_eq!(teams.get(&teams.one, "/api/v1/audit").0, 403);
    assert_eq!(teams.get(&teams.developer, "/api/v1/workspaces/one/audit").0, 403);
    assert_eq!(teams.get(&teams.two, "/api/v1/workspaces/one/audit").0, 404);
    assert_eq!(teams.get(&teams.two, "/api/v1/workspaces/none/audit").0, 404);
    assert_eq!(teams.get(&teams.one, "/api/v1/workspaces/one/audit?workspace=two").0, 400);
    assert_eq!(teams.get("tgt_forged", "/api/v1/workspaces/one/audit").0, 401);
    // Nobody writes.
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_eq!(teams.house.raw(method, "/api/v1/audit", "").0, 405, "{method}");
        assert_eq!(teams.house.raw(method, "/api/v1/workspaces/one/audit", "").0, 405, "{method}");
    }
}

#[test]
fn filters_and_pages() {
    let teams = Teams::new();
    teams.submit(&teams.developer, "a");
    let house = &teams.house;
    let all = told(&house.get("/api/v1/audit?limit=1000").1);
    assert_eq!(told(&house.get("/api/v1/audit?user=dora").1), ["dora workload.submit"]);
    assert_eq!(told(&house.get("/api/v1/audit?operation=workspace.create").1).len(), 2);
    assert_eq!(told(&house.get("/api/v1/audit?from=2999-01-01T00:00:00Z").1), [] as [&str; 0]);
    assert_eq!(told(&house.get("/api/v1/audit?to=1999-01-01T00:00:00Z").1), [] as [&str; 0]);
    assert_eq!(told(&house.get("/api/v1/audit?to=2999-01-01T00:00:00Z&limit=1000").1), all);
    let (mut paged, mut path) = (Vec::new(), "/api/v1/audit?limit=3".to_string());
    loop {
        let (status, page) = house.get(&path);
        assert_eq!(status, 200);
        paged.extend(told(&page));
        let Some(token) = page["nextPageToken"].as_str() else { break };
        path = format!("/api/v1/audit?limit=3&pageToken={token}");
    }
    assert_eq!(paged, all);
    for wrong in ["from=yesterday", "format=xml", "limit=0", "pageToken=p1313030", "pageToken=x", "who=me"] {
        assert_eq!(house.get(&format!("/api/v1/audit?{wrong}")).0, 400, "{wrong}");
    }
    assert_eq!(house.get("/api/v1/audit?workspace=none").0, 404);
    // Neither timers nor the executor asked for anything.
    assert!(
        all.iter().all(|entry| !entry.starts_with("system ") && !entry.starts_with("executor ")),
        "{all:?}"
    );
}

#[test]
fn all_of_it_comes_as_lines() {
    let teams = Teams::new();
    teams.submit(&teams.developer, "a");
    let house = &teams.house;
    let all = house.get("/api/v1/audit?limit=1000").1;
    let lines = |path: &str, accept: &str, token: &str| {
        let request = ureq::http::Request::get(house.url(path)).header("Accept", accept);
        let request = request.header("Authorization", format!("Bearer {token}"));
        let answer = house.exchange(request, None).expect("an answer");
        assert_eq!((answer.status, answer.kind.as_str()), (200, "application/x-ndjson"));
        answer.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
    };
    assert_eq!(
        lines("/api/v1/audit?format=jsonl", "*/*", house.token()),
        *all["items"].as_array().expect("items")
    );
    let by_header = lines("/api/v1/audit", "application/x-ndjson", house.token());
    assert_eq!(by_header.len(), all["items"].as_array().map_or(0, Vec::len));
    let of_one = lines("/api/v1/workspaces/one/audit?format=jsonl", "*/*", &teams.one);
    assert_eq!(of_one[0]["changes"][0]["name"], "a");
    assert!(!format!("{of_one:?}").contains("bert"));
}

#[test]
fn what_goes_with_a_workspace_is_told_and_a_successor_reads_nothing_of_it() {
    let teams = Teams::new();
    let house = &teams.house;
    let account =
        house.post("/api/v1/workspaces/two/service-accounts", &json!({"name": "robot", "role": "guest"}));
    assert_eq!(account.0, 201, "{account:?}");
    assert_eq!(house.post("/api/v1/tokens", &json!({"user": "robot"})).0, 201);
    let of_two = teams.get(&teams.two, "/api/v1/workspaces/two/audit").1;
    assert!(told(&of_two).contains(&"admin token.create".to_string()), "{:?}", told(&of_two));
    assert_eq!(house.raw("DELETE", "/api/v1/workspaces/two", "").0, 200);
    let last = house.get("/api/v1/audit?limit=1").1["items"][0].clone();
    let kinds: Vec<&str> =
        last["changes"].as_array().expect("some").iter().filter_map(|c| c["kind"].as_str()).collect();
    for kind in ["token", "member", "user", "workspace"] {
        assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
    }
    let body = json!({"metadata": {"name": "two"}, "spec": {"quotas": ["Q2"]}});
    assert_eq!(house.post("/api/v1/workspaces", &body).0, 201);
    assert!(house.put("/api/v1/workspaces/two/members/anna", &json!({"role": "admin"}), None).0 < 300);
    let successor = teams.get(&teams.one, "/api/v1/workspaces/two/audit").1;
    assert_eq!(told(&successor), ["admin member.set", "admin workspace.create"]);
}

#[test]
fn policies_are_told_with_names_also_of_those_who_are_gone() {
    let teams = Teams::new();
    let house = &teams.house;
    assert_eq!(
        house.post("/api/v1/roles", &json!({"name": "student", "actions": ["workload:submit"]})).0,
        201
    );
    let path = "/api/v1/workspaces/one/policies/Q1";
    let set = |spec: Value| {
        let bearer = format!("Bearer {}", house.token());
        let headers = [("Authorization", bearer.as_str()), ("If-Match", "*")];
        let (status, answer) = house.send("PUT", path, Some(json!({"spec": spec}).to_string()), &headers);
        assert_eq!(status, 200, "{answer}");
    };
    let first = json!({"limits": [{"member": "dora", "gpu": 4}, {"role": "student", "gpu": 1}],
        "notebook": {"exempt": ["dora"]}});
    set(first.clone());
    set(json!({"modules": ["training"]}));
    assert_eq!(house.raw("DELETE", "/api/v1/users/dora", "").0, 200);
    assert_eq!(house.raw("DELETE", "/api/v1/roles/student", "").0, 200);
    assert_eq!(house.post("/api/v1/roles", &json!({"name": "guide", "actions": ["workload:read"]})).0, 201);
    let of = |path: &str| {
        let items = house.get(path).1["items"].take();
        items.as_array().expect("items").iter().map(|entry| entry["changes"][0].clone()).collect::<Vec<_>>()
    };
    let told = of("/api/v1/audit?operation=policy.set");
    assert_eq!((&told[1]["before"], &told[1]["after"]), (&Value::Null, &first), "{told:?}");
    assert_eq!((&told[0]["before"], &told[0]["after"]), (&first, &json!({"modules": ["training"]})));
    assert_eq!((&told[0]["name"], &told[0]["workspace"]), (&json!("Q1"), &json!("one")));
    // Her membership, and the workspace of another, keep their names.
    assert_eq!(house.raw("DELETE", "/api/v1/workspaces/two", "").0, 200);
    let members = of("/api/v1/audit?operation=member.set");
    let pairs: Vec<(&Value, &Value)> = members.iter().map(|m| (&m["name"], &m["workspace"])).collect();
    assert!(pairs.contains(&(&json!("dora"), &json!("one"))), "{pairs:?}");
    assert!(pairs.contains(&(&json!("bert"), &json!("two"))), "{pairs:?}");
}

#[test]
fn what_is_deleted_stays_in_the_audit_of_its_workspace() {
    let teams = Teams::new();
    let house = &teams.house;
    // Others come before and after it: it is found among them.
    ["a", "b", "c"].iter().for_each(|name| teams.submit(&teams.two, name));
    teams.submit(&teams.developer, "gone");
    ["d", "e"].iter().for_each(|name| teams.submit(&teams.two, name));
    assert_eq!(teams.send(&teams.developer, "POST", "/api/v1/workloads/gone:stop", None).0, 200);
    house.until("gone", "stopped");
    assert_eq!(teams.send(&teams.developer, "DELETE", "/api/v1/workloads/gone", None).0, 200);
    assert_eq!(teams.get(&teams.one, "/api/v1/workloads/gone").0, 404);
    let audit = teams.get(&teams.one, "/api/v1/workspaces/one/audit").1;
    assert_eq!(told(&audit)[..3], ["dora workload.delete", "dora workload.stop", "dora workload.submit"]);
    let change = |place: usize| audit["items"][place]["changes"][0].clone();
    for place in 0..3 {
        let change = change(place);
        assert_eq!((&change["name"], &change["workspace"]), (&json!("gone"), &json!("one")), "{change}");
    }
    let submitted =
        json!({"quota": "Q1", "module": "training", "priority": 1, "replicas": 1, "gpu": 1, "owner": "dora"});
    assert_eq!((change(0)["before"].clone(), change(2)["after"].clone()), (submitted.clone(), submitted));
    assert_eq!(
        (change(1)["before"].clone(), change(1)["after"].clone()),
        (json!({"state": "running"}), json!({"state": "stopped"}))
    );
    assert_eq!(told(&house.get("/api/v1/audit?workspace=one").1), told(&audit));
    let other = teams.get(&teams.two, "/api/v1/workspaces/two/audit").1.to_string();
    assert!(!other.contains("gone") && !other.contains("dora"), "{other}");
    // An account's tokens as well.
    let robot = json!({"name": "robot", "role": "guest"});
    assert_eq!(house.post("/api/v1/workspaces/one/service-accounts", &robot).0, 201);
    assert_eq!(house.post("/api/v1/tokens", &json!({"user": "robot"})).0, 201);
    assert_eq!(house.raw("DELETE", "/api/v1/workspaces/one/service-accounts/robot", "").0, 200);
    let audit = teams.get(&teams.one, "/api/v1/workspaces/one/audit").1;
    let last = ["admin service-account.delete", "admin token.create", "admin service-account.create"];
    assert_eq!(told(&audit)[..3], last, "{audit}");
}

#[test]
fn a_change_of_policy_says_nothing_of_the_guarantee() {
    let teams = Teams::new();
    let house = &teams.house;
    let spec = json!({"parent": "main", "guarantee": {"gpu": 8}, "queue": {"strategy": "fifo"}});
    let body = json!({"metadata": {"name": "Q1"}, "spec": spec}).to_string();
    let bearer = format!("Bearer {}", house.token());
    let headers = [("Authorization", bearer.as_str()), ("If-Match", "*")];
    assert_eq!(house.send("PUT", "/api/v1/quotas/Q1", Some(body), &headers).0, 200);
    let change = house.get("/api/v1/audit?limit=1").1["items"][0]["changes"][0].clone();
    let strategy = |side: &str| change[side]["queue"]["strategy"].clone();
    assert_eq!((strategy("before"), strategy("after")), (json!("intelligent"), json!("fifo")), "{change}");
    assert!(change["before"].get("guarantee").is_none() && change["after"].get("guarantee").is_none());
}
