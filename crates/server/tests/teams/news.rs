//! What becomes of users, workspaces and what belongs to them is watched by those who may list it, and by nobody else.

use super::{Company, tells_nothing, training};
use serde_json::{Value, json};

/// `kind name event` of everything up to a workload of this name.
fn told(company: &Company, who: &str, before: u64, end: &str) -> Vec<String> {
    let token = if who == "admin" { company.house.token().to_string() } else { company.token(who) };
    let mut told = Vec::new();
    for (_, event) in company.house.watch_as(&token, &format!("?after={before}"), &[]) {
        if event["workload"] == end {
            return told;
        }
        if who != "admin" && who != "carla" {
            tells_nothing("a watch", &event);
        }
        let kinds = ["member", "policy", "webhook", "user", "role", "token", "workspace"];
        if let Some(kind) = kinds.into_iter().find(|kind| event[*kind].is_string()) {
            let word = |key: &str| event[key].as_str().unwrap_or_default().to_string();
            told.push(format!("{kind} {} {}", word(kind), word("event")));
        }
    }
    panic!("the watch ended: {told:?}");
}

#[test]
fn everybody_hears_of_their_own_and_of_nothing_else() {
    let company = Company::new();
    let house = &company.house;
    let (status, read) = house.get("/api/v1/audit?limit=1");
    assert_eq!(status, 200);
    let before = read["items"][0]["changes"].as_array().and_then(|all| all.last()?["number"].as_u64());
    let before = before.expect("a number");
    let done = |status: u16, answer: (u16, Value)| assert_eq!(answer.0, status, "{answer:?}");
    // In workspace-c, which strangers must not hear of.
    done(200, house.put("/api/v1/workspaces/workspace-c/members/carla", &json!({"role": "operator"}), None));
    let c = json!({"metadata": {"name": "workspace-c"}, "spec": {"description": "secret", "quotas": ["Quota1.2"]}});
    done(200, house.put("/api/v1/workspaces/workspace-c", &c, None));
    let limits = json!({"spec": {"limits": [{"member": "carla", "gpu": 8}]}});
    done(
        200,
        house.put("/api/v1/workspaces/workspace-c/policies/Quota1.2", &limits, Some(&version(&company))),
    );
    done(
        201,
        house.put(
            "/api/v1/workspaces/workspace-c/webhooks/c-train",
            &json!({"url": "http://8.8.8.8:9/"}),
            None,
        ),
    );
    // In workspace-b.
    done(
        201,
        house.put("/api/v1/workspaces/workspace-b/webhooks/chat", &json!({"url": "http://8.8.8.8:9/"}), None),
    );
    done(200, house.put("/api/v1/workspaces/workspace-b/members/boris", &json!({"role": "guest"}), None));
    done(201, house.post("/api/v1/roles", &json!({"name": "student", "actions": ["workload:read"]})));
    done(201, house.post("/api/v1/users", &json!({"metadata": {"name": "ulla"}, "spec": {}})));
    done(201, company.desk("berta").submit("end", training(1)));

    let of_berta = told(&company, "berta", before, "end");
    // A token was made for her; whoever may not change webhooks is not told of them.
    let own: Vec<&String> = of_berta.iter().filter(|line| !line.starts_with("token ")).collect();
    assert_eq!(own, ["member boris changed", "role student created"]);
    let of_anton = told(&company, "anton", before, "end");
    for line in ["webhook chat created", "member boris changed", "role student created"] {
        assert!(of_anton.iter().any(|other| other == line), "{line} in {of_anton:?}");
    }
    let of_admin = told(&company, "admin", before, "end");
    for line in [
        "member carla changed",
        "workspace workspace-c changed",
        "policy Quota1.2 changed",
        "webhook c-train created",
        "user ulla created",
    ] {
        let line = line.replace("policy Quota1.2 changed", "policy Quota1.2 created");
        assert!(of_admin.contains(&line), "{line} in {of_admin:?}");
    }
    // Kinds are chosen; one that is none is named.
    let mut users = house.watch(&format!("?kinds=user&after={before}"), &[]);
    assert_eq!(users.next().expect("an event").1["user"], "ulla");
    let (status, problem) = house.get("/api/v1/watch?kinds=users");
    assert!(
        status == 400 && problem["detail"].as_str().is_some_and(|why| why.contains("webhook")),
        "{problem}"
    );
}

fn version(company: &Company) -> String {
    let room = company.house.get("/api/v1/workspaces/workspace-c").1;
    room["metadata"]["version"].as_str().expect("a version").to_string()
}

#[test]
fn a_token_that_is_good_for_little_hears_little() {
    let company = Company::new();
    let house = &company.house;
    let made = house.post("/api/v1/tokens", &json!({"actions": ["metrics:read"]})).1;
    let mut scoped = house.watch_as(made["secret"].as_str().expect("a secret"), "", &[]);
    assert_eq!(company.desk("carla").submit("c-train", training(1)).0, 201);
    let role = json!({"name": "student", "actions": ["workload:read"]});
    assert_eq!(house.post("/api/v1/roles", &role).0, 201);
    let (_, first) = scoped.next().expect("an event");
    assert_eq!(first["role"], "student", "{first}");
}
