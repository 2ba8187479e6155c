//! Teams: each rules its own room, and cannot look into the others'.

#[path = "../house/mod.rs"]
mod house;

mod attacks;
mod center;
mod news;
mod people;
mod rights;
mod rooms;
mod tasks;
mod walk;

use house::House;
use serde_json::{Value, json};

/// A platform with two teams and one that serves: the worked example, as far as people go.
struct Company {
    house: House,
}

/// Names that nobody outside workspace-c may ever read.
const SECRETS: [&str; 9] =
    ["workspace-c", "Quota1.2", "carla", "c-train", "c-private", "c-wait", "c-template", "c-task", "c-hook"];

/// Everybody of workspace-b, by role, and who they are.
const TEAM_B: [(&str, &str); 5] = [
    ("owner", "olga"),
    ("admin", "anton"),
    ("developer", "berta"),
    ("operator", "otto"),
    ("guest", "gustav"),
];

impl Company {
    /// `Quota1` = 128 with child-level preemption, `Quota1.1` = 48, `Quota1.2` = 80; workspaces a, b and c.
    fn new() -> Company {
        Company::in_house(House::new("1x8"))
    }

    fn in_house(house: House) -> Company {
        let company = Company { house };
        let pool = json!({"metadata": {"name": "h100"}, "spec": {"nodes": [{"count": 16, "gpus": 8, "model": "H100"}]}});
        company.made("/api/v1/pools", &pool);
        let victims = json!({"priorities": "1-9", "modules": ["training", "notebook"]});
        let root = json!({"metadata": {"name": "Quota1"}, "spec": {"pool": "h100", "guarantee": {"gpu": 128},
            "preemption": {"childLevel": {"victims": victims}}}});
        company.made("/api/v1/quotas", &root);
        for (name, gpu) in [("Quota1.1", 48), ("Quota1.2", 80)] {
            let quota =
                json!({"metadata": {"name": name}, "spec": {"parent": "Quota1", "guarantee": {"gpu": gpu}}});
            company.made("/api/v1/quotas", &quota);
        }
        for (room, quota) in
            [("workspace-a", "Quota1"), ("workspace-b", "Quota1.1"), ("workspace-c", "Quota1.2")]
        {
            company.made(
                "/api/v1/workspaces",
                &json!({"metadata": {"name": room}, "spec": {"quotas": [quota]}}),
            );
        }
        company.hire("anna", "workspace-a", "developer");
        TEAM_B.iter().for_each(|(role, user)| company.hire(user, "workspace-b", role));
        company.hire("carla", "workspace-c", "developer");
        company.hire("boris", "workspace-b", "developer");
        company
    }

    fn made(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.house.post(path, body);
        assert_eq!(status, 201, "{path} {body}: {answer}");
        answer
    }

    fn hire(&self, user: &str, room: &str, role: &str) {
        self.made("/api/v1/users", &json!({"metadata": {"name": user}, "spec": {}}));
        let path = format!("/api/v1/workspaces/{room}/members/{user}");
        let (status, answer) = self.house.put(&path, &json!({"role": role}), None);
        assert_eq!(status, 200, "{answer}");
    }

    /// A token of somebody.
    fn token(&self, user: &str) -> String {
        let token = self.made("/api/v1/tokens", &json!({"user": user}));
        token["secret"].as_str().expect("a secret").to_string()
    }

    fn desk(&self, user: &str) -> Desk<'_> {
        Desk { house: &self.house, token: self.token(user) }
    }
}

/// Somebody at work.
struct Desk<'a> {
    house: &'a House,
    token: String,
}

impl Desk<'_> {
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let token = format!("Bearer {}", self.token);
        // `*` is any version: quotas want to know which they change.
        let headers = [("Authorization", token.as_str()), ("If-Match", "*")];
        self.house.send(method, path, body.map(Value::to_string), &headers)
    }

    fn get(&self, path: &str) -> (u16, Value) {
        self.ask("GET", path, None)
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.ask("POST", path, Some(body))
    }

    /// Submits, and says what came of it.
    fn submit(&self, name: &str, spec: Value) -> (u16, Value) {
        let mut spec = spec;
        spec["gracePeriod"] = json!("0s");
        self.post("/api/v1/workloads", &json!({"metadata": {"name": name}, "spec": spec}))
    }

    /// Names of what is listed.
    fn names(&self, path: &str) -> Vec<String> {
        let (status, list) = self.get(path);
        assert_eq!(status, 200, "{list}");
        let items = list["items"].as_array().expect("items").iter();
        items.map(|item| item["metadata"]["name"].as_str().expect("a name").to_string()).collect()
    }
}

fn training(gpu: u32) -> Value {
    json!({"resources": {"gpu": gpu}})
}

/// Fails if an answer names anything of workspace-c.
fn tells_nothing(what: &str, answer: &Value) {
    let text = answer.to_string();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{what} tells of {secret}: {text}");
    }
}
