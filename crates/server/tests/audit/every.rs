//! Every way to change something, and what the audit tells of it: who, when, from where, before, after, request id.

use super::house::{Exchanged, House};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tidegate_api::time::Time;
use tidegate_server::http::rights::ROUTES;

type Route = (&'static str, &'static str);

/// What changes nothing that the log holds.
const SILENT: [Route; 4] = [
    // It plays in a world of its own.
    ("POST", "/api/v1/simulations"),
    // It gives a link that is good once, for a minute.
    ("POST", "/api/v1/workloads/{name}/-open"),
    // It sends a message that says nothing.
    ("POST", "/api/v1/workspaces/{name}/webhooks/{hook}/-test"),
    // Messages and how often they were tried lie beside the log.
    ("POST", "/api/v1/workspaces/{name}/webhooks/{hook}/deliveries/{id}/-retry"),
];

/// The route that a path leads to.
fn route(method: &str, path: &str) -> Option<Route> {
    let path = match path.rsplit_once(':') {
        Some((thing, verb)) => format!("{thing}/-{verb}"),
        None => path.to_string(),
    };
    let parts: Vec<&str> = path.split('/').collect();
    let leads = |pattern: &str| {
        let wanted: Vec<&str> = pattern.split('/').collect();
        let same = |(a, b): (&&str, &&str)| a == b || a.starts_with('{');
        wanted.len() == parts.len() && wanted.iter().zip(&parts).all(same)
    };
    let found = ROUTES.iter().find(|(known, pattern, _)| *known == method && leads(pattern));
    found.map(|(method, pattern, _)| (*method, *pattern))
}

/// Somebody who changes something, and looks at what is told of it.
struct Witness {
    house: House,
    tried: BTreeSet<Route>,
    /// Who asks, and with which token.
    by: (String, String),
    last: Option<Time>,
}

impl Witness {
    fn exchange(&self, method: &str, path: &str, body: Option<&Value>) -> Exchanged {
        let request = ureq::http::Request::builder().method(method).uri(self.house.url(path));
        let request = request.header("Authorization", format!("Bearer {}", self.by.1));
        // `*` is any version.
        let request = request.header("If-Match", "*").header("Content-Type", "application/json");
        let body = body.map(Value::to_string);
        let answer = self.house.exchange(request, body.as_deref().map(str::as_bytes));
        answer.unwrap_or_else(|| panic!("{method} {path}: no answer"))
    }

    /// Changes something, of which a thing of this kind and name must be told; gives the answer.
    fn does(&mut self, method: &str, path: &str, body: Value, told: [&str; 3]) -> Value {
        self.tried.extend(route(method, path));
        let what = format!("{method} {path} {body}");
        let answer = self.exchange(method, path, (!body.is_null()).then_some(&body));
        assert!((200..300).contains(&answer.status), "{what}: {} {}", answer.status, answer.text);
        let entry = self.house.get("/api/v1/audit?limit=1").1["items"][0].take();
        assert_eq!(entry["by"], *self.by.0, "{what}: {entry}");
        assert_eq!(entry["from"], "127.0.0.1", "{what}: {entry}");
        assert!(answer.request_id.is_some() && entry["requestId"].as_str() == answer.request_id.as_deref());
        let at: Time = entry["at"].as_str().and_then(|at| at.parse().ok()).expect("a time");
        assert!(self.last.is_none_or(|last| last.tick() <= at.tick()), "{what}: {entry}");
        self.last = Some(at);
        let changes = entry["changes"].as_array().expect("changes");
        changes.iter().for_each(|change| is_whole(&what, change));
        let [kind, name, event] = told;
        let is_it = |change: &&Value| {
            let named = name.is_empty() || change["name"] == name;
            named && (change["kind"].as_str(), change["event"].as_str()) == (Some(kind), Some(event))
        };
        assert!(changes.iter().any(|change| is_it(&change)), "{what}: no {told:?} in {entry}");
        serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{what}: {}", answer.text))
    }

    fn posts(&mut self, path: &str, body: Value, told: [&str; 3]) -> Value {
        self.does("POST", path, body, told)
    }

    fn puts(&mut self, path: &str, body: Value, told: [&str; 3]) -> Value {
        self.does("PUT", path, body, told)
    }

    fn deletes(&mut self, path: &str, told: [&str; 3]) {
        self.does("DELETE", path, Value::Null, told);
    }
}

/// What came has no before, what went no after; of all else both are told, and they differ.
fn is_whole(what: &str, change: &Value) {
    let sides = (change["before"].is_object(), change["after"].is_object());
    let wanted = match change["event"].as_str() {
        Some("created" | "submitted") => (false, true),
        Some("deleted") => (true, false),
        _ => (true, true),
    };
    assert_eq!(sides, wanted, "{what}: {change}");
    assert_ne!(change["before"], change["after"], "{what}");
}

fn named(name: &str, spec: Value) -> Value {
    json!({"metadata": {"name": name}, "spec": spec})
}

#[test]
fn every_change_there_is_is_told_with_before_and_after() {
    let house = House::new("2x8");
    let by = ("admin".to_string(), house.token().to_string());
    let mut witness = Witness { house, tried: BTreeSet::new(), by, last: None };
    machines(&mut witness);
    quotas(&mut witness);
    rooms(&mut witness);
    people(&mut witness);
    work(&mut witness);
    business(&mut witness);
    dedicated(&mut witness);
    witness.deletes("/api/v1/workspaces/team/members/dora", ["member", "dora", "deleted"]);
    witness.deletes("/api/v1/users/dora", ["user", "dora", "deleted"]);
    witness.deletes("/api/v1/workspaces/applied", ["workspace", "applied", "deleted"]);
    let routes = ROUTES.iter().map(|(method, path, _)| (*method, *path));
    let changing: BTreeSet<Route> = routes.filter(|(method, _)| *method != "GET").collect();
    let silent = BTreeSet::from(SILENT);
    assert!(silent.is_subset(&changing) && silent.is_disjoint(&witness.tried));
    let untried: Vec<&Route> =
        changing.iter().filter(|r| !silent.contains(r) && !witness.tried.contains(r)).collect();
    assert!(untried.is_empty(), "nobody has looked at what is told of {untried:?}");
}

fn machines(w: &mut Witness) {
    let pool = json!({"nodes": [{"count": 1, "gpus": 8, "model": "H100"}]});
    w.posts("/api/v1/pools", named("p", pool), ["pool", "p", "created"]);
    let node = json!({"pool": "p", "gpus": 8, "model": "H100"});
    w.posts("/api/v1/nodes", named("extra", node), ["node", "extra", "created"]);
    let changed = ["node", "extra", "changed"];
    w.posts("/api/v1/nodes/extra:cordon", json!({"reason": "a test"}), changed);
    let told = w.house.get("/api/v1/audit?limit=1").1["items"][0]["changes"][0].take();
    assert_eq!(told["before"], json!({"state": "ready", "reason": null}), "{told}");
    assert_eq!(told["after"], json!({"state": "cordoned", "reason": "a test"}), "{told}");
    w.posts("/api/v1/nodes/extra:uncordon", Value::Null, changed);
    let hot = json!({"device": 3, "reason": "hot"});
    w.posts("/api/v1/nodes/extra:quarantine", hot, ["node", "extra", "quarantined"]);
    w.posts("/api/v1/nodes/extra:restore", json!({"device": 3}), ["node", "extra", "restored"]);
    w.posts("/api/v1/nodes/extra:drain", json!({}), changed);
    w.deletes("/api/v1/nodes/extra", ["node", "extra", "deleted"]);
}

fn quotas(w: &mut Witness) {
    for name in ["q1", "q2"] {
        let quota = json!({"parent": "main", "guarantee": {"gpu": 4}});
        w.posts("/api/v1/quotas", named(name, quota), ["quota", name, "created"]);
    }
    let fifo = json!({"parent": "main", "guarantee": {"gpu": 4}, "queue": {"strategy": "fifo"}});
    w.puts("/api/v1/quotas/q1", named("q1", fifo), ["quota", "q1", "changed"]);
    w.posts("/api/v1/quotas/q1:scale", json!({"guarantee": {"gpu": 6}}), ["quota", "q1", "scaled"]);
    let amount = json!({"to": "q1", "amount": {"gpu": 1}});
    w.posts("/api/v1/quotas/q2:transfer", amount, ["quota", "q1", "scaled"]);
}

fn rooms(w: &mut Witness) {
    let changed = ["workspace", "team", "changed"];
    let team = json!({"quotas": ["q1"]});
    w.posts("/api/v1/workspaces", named("team", team), ["workspace", "team", "created"]);
    let set = json!({"quotas": ["q1"], "description": "a team"});
    w.puts("/api/v1/workspaces/team", named("team", set), changed);
    w.posts("/api/v1/workspaces/team:attach", json!({"quota": "q2"}), changed);
    w.posts("/api/v1/workspaces/team:detach", json!({"quota": "q2"}), changed);
    w.deletes("/api/v1/quotas/q2", ["quota", "q2", "deleted"]);
    let applied = json!({"apiVersion": "tidegate.dev/v1", "kind": "Workspace", "metadata": {"name": "applied"}, "spec": {}});
    let manifests = json!({"manifests": [applied]});
    w.posts("/api/v1/apply", manifests, ["workspace", "applied", "created"]);
    let policy = "/api/v1/workspaces/team/policies/q1";
    w.puts(
        policy,
        json!({"spec": {"maxPriority": [{"role": "developer", "priority": 8}]}}),
        ["policy", "q1", "created"],
    );
    w.puts(policy, json!({"spec": {"modules": ["training"]}}), ["policy", "q1", "changed"]);
    let hook = "/api/v1/workspaces/team/webhooks/bell";
    w.puts(hook, json!({"url": "http://8.8.8.8/?key=1"}), ["webhook", "bell", "created"]);
    // What follows the question mark is not shown, that it has changed is.
    w.puts(hook, json!({"url": "http://8.8.8.8/?key=2"}), ["webhook", "bell", "changed"]);
    w.deletes(hook, ["webhook", "bell", "deleted"]);
    let robot = json!({"name": "robot", "role": "guest"});
    w.posts("/api/v1/workspaces/team/service-accounts", robot, ["user", "robot", "created"]);
    w.deletes("/api/v1/workspaces/team/service-accounts/robot", ["user", "robot", "deleted"]);
    let role = json!({"name": "student", "actions": ["workload:read"]});
    w.posts("/api/v1/roles", role, ["role", "student", "created"]);
    let more = json!({"name": "student", "actions": ["workload:read", "workload:submit"]});
    w.puts("/api/v1/roles/student", more, ["role", "student", "changed"]);
    w.deletes("/api/v1/roles/student", ["role", "student", "deleted"]);
}

fn people(w: &mut Witness) {
    let (changed, admin) = (["user", "dora", "changed"], w.by.clone());
    w.posts("/api/v1/users", named("dora", json!({})), ["user", "dora", "created"]);
    for is_admin in [true, false] {
        w.puts("/api/v1/users/dora", named("dora", json!({"platformAdmin": is_admin})), changed);
    }
    let member = "/api/v1/workspaces/team/members/dora";
    w.puts(member, json!({"role": "guest"}), ["member", "dora", "created"]);
    w.puts(member, json!({"role": "developer"}), ["member", "dora", "changed"]);
    let subject = json!({"issuer": "https://id.example", "subject": "d"});
    w.posts("/api/v1/users/dora:link", subject, changed);
    w.posts("/api/v1/users/dora:unlink", Value::Null, changed);
    let made = ["token", "", "created"];
    let tokens: Vec<Value> =
        (0..2).map(|_| w.posts("/api/v1/tokens", json!({"user": "dora"}), made)).collect();
    let text = |value: &Value| value.as_str().expect("text").to_string();
    let id = text(&tokens[0]["id"]);
    w.deletes(&format!("/api/v1/tokens/{id}"), ["token", &id, "deleted"]);
    let invited = w.posts("/api/v1/users/dora:invite", Value::Null, made);
    // From here on she asks.
    w.by = ("dora".into(), text(&tokens[1]["secret"]));
    let accept = json!({"secret": invited["secret"], "password": "a long way to go"});
    w.posts("/api/v1/invitations:accept", accept, changed);
    let password = json!({"old": "a long way to go", "new": "a longer way to go"});
    w.puts("/api/v1/password", password, changed);
    let login = json!({"user": "dora", "password": "a longer way to go"});
    w.posts("/api/v1/login", login, made);
    w.posts("/api/v1/logout", Value::Null, ["token", "", "deleted"]);
    w.by = admin;
}

fn work(w: &mut Witness) {
    let spec = json!({"workspace": "team", "quota": "q1", "resources": {"gpu": 1}, "gracePeriod": "0s",
        "replicas": 2, "minReplicas": 1});
    let (path, changed) = ("/api/v1/workloads/job", ["workload", "job", "changed"]);
    let submitted = ["workload", "job", "submitted"];
    w.posts("/api/v1/workloads", named("job", spec.clone()), submitted);
    w.house.until("job", "running");
    w.posts(&format!("{path}:priority"), json!({"priority": 3}), changed);
    w.posts(&format!("{path}:resize"), json!({"replicas": 3}), changed);
    w.posts(&format!("{path}:restart"), Value::Null, ["workload", "job", "restarted"]);
    w.house.until("job", "running");
    w.posts(&format!("{path}:stop"), Value::Null, ["workload", "job", "stopped"]);
    w.house.until("job", "stopped");
    w.posts(&format!("{path}:start"), Value::Null, submitted);
    w.posts(&format!("{path}:stop"), Value::Null, ["workload", "job", "stopped"]);
    w.house.until("job", "stopped");
    w.deletes(path, ["workload", "job", "deleted"]);
    // What waits is stopped at once.
    let mut large = spec;
    large["replicas"] = json!(7);
    large["minReplicas"] = json!(7);
    let items = json!({"items": [named("first", large.clone()), named("second", large)]});
    w.posts("/api/v1/workloads:batch", items, ["workload", "second", "submitted"]);
    w.house.until("first", "running");
    w.posts("/api/v1/workloads/second:stop", Value::Null, ["workload", "second", "stopped"]);
    let told = w.house.get("/api/v1/audit?limit=1").1["items"][0]["changes"][0].take();
    assert_eq!(
        (&told["before"], &told["after"]),
        (&json!({"state": "queued"}), &json!({"state": "stopped"}))
    );
    // A node under work: what it loses is told as well.
    let node = w.house.get("/api/v1/workloads/first").1["status"]["placements"][0]["node"]
        .as_str()
        .map(str::to_string);
    let node = node.expect("it runs somewhere");
    w.posts(&format!("/api/v1/nodes/{node}:drain"), json!({}), ["workload", "first", "preempted"]);
    w.posts(&format!("/api/v1/nodes/{node}:uncordon"), Value::Null, ["node", &node, "changed"]);
    w.posts("/api/v1/workloads/first:stop", Value::Null, ["workload", "first", "stopped"]);
}

fn business(w: &mut Witness) {
    let shared =
        json!({"parent": "main", "guarantee": {"gpu": 2}, "shared": true, "queue": {"strategy": "fair"}});
    w.posts("/api/v1/quotas", named("shared", shared), ["compute", "shared", "created"]);
    let template = json!({"resources": {"gpu": 1}});
    w.posts("/api/v1/templates", named("sum", template), ["template", "sum", "created"]);
    let again = json!({"resources": {"gpu": 1}, "retries": 1});
    w.puts("/api/v1/templates/sum", named("sum", again), ["template", "sum", "changed"]);
    let task =
        json!({"template": "sum", "workspace": "default", "name": "one", "virtual": {"duration": "1h"}});
    w.posts("/api/v1/tasks", task, ["workload", "one", "submitted"]);
    w.posts("/api/v1/tasks/one:cancel", Value::Null, ["workload", "one", "stopped"]);
    w.deletes("/api/v1/templates/sum", ["template", "sum", "deleted"]);
    let book = |price: &str| {
        let spec = json!({"currency": "EUR", "prices": {"shared": {"cpu": price}}});
        named("default", spec)
    };
    w.posts("/api/v1/prices", book("1"), ["price-book", "default", "created"]);
    w.puts("/api/v1/prices/default", book("2"), ["price-book", "default", "changed"]);
    let budget = "/api/v1/budgets/default";
    w.puts(budget, json!({"amount": "5"}), ["budget", "default", "created"]);
    w.puts(budget, json!({"amount": "6"}), ["budget", "default", "changed"]);
    w.deletes(budget, ["budget", "default", "deleted"]);
    let correction = json!({"workspace": "default", "user": "admin", "quota": "main", "resource": "cpu",
        "at": "2020-01-01T00:00:00Z", "hours": "-1", "reason": "a test"});
    w.posts("/api/v1/usage/corrections", correction, ["correction", "cor-0", "created"]);
}

fn dedicated(w: &mut Witness) {
    let supply = json!({"parent": "main", "guarantee": {"gpu": 2}, "dedicated": true});
    w.posts("/api/v1/quotas", named("reserve", supply), ["compute", "reserve", "created"]);
    let wanted = json!({"workspace": "default", "reason": "a test",
        "reserved": {"size": {"gpu": 1}, "start": "2031-01-01T00:00:00Z", "end": "2031-01-02T00:00:00Z"}});
    let path = "/api/v1/resource-requests";
    for name in ["rr-0", "rr-1", "rr-2"] {
        w.posts(path, wanted.clone(), ["resource-request", name, "created"]);
    }
    w.posts(&format!("{path}/rr-0:approve"), json!({}), ["resource-config", "rc-0", "created"]);
    let no = json!({"note": "not now"});
    w.posts(&format!("{path}/rr-1:decline"), no, ["resource-request", "rr-1", "changed"]);
    w.posts(&format!("{path}/rr-2:withdraw"), Value::Null, ["resource-request", "rr-2", "changed"]);
    let (config, changed) = ("/api/v1/resource-configs/rc-0", ["resource-config", "rc-0", "changed"]);
    w.posts(&format!("{config}:set"), json!({"lend": true, "cap": 50}), changed);
    w.posts(&format!("{config}:extend"), json!({"end": "2031-01-03T00:00:00Z"}), changed);
    w.posts(&format!("{config}:release"), Value::Null, changed);
}
