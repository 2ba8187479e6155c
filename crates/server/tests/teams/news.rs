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
        let kinds = [
            "member",
            "policy",
            "webhook",
            "user",
            "role",
            "token",
            "priceBook",
            "template",
            "resourceRequest",
            "resourceConfig",
            "budget",
            "correction",
            "workspace",
        ];
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

/// Templates, dedicated compute, budgets and corrections: of another workspace nothing is heard. Prices are everybody's.
#[test]
fn the_business_of_a_workspace_is_its_own() {
    let company = Company::new();
    let house = &company.house;
    let (_, read) = house.get("/api/v1/audit?limit=1");
    let before = read["items"][0]["changes"].as_array().and_then(|all| all.last()?["number"].as_u64());
    let before = before.expect("a number");
    let done = |path: &str, body: Value| {
        let answer = house.post(path, &body);
        assert!(answer.0 == 200 || answer.0 == 201, "{path}: {answer:?}");
    };
    let main = json!({"metadata": {"name": "main"}, "spec": {"pool": "local", "guarantee": {"gpu": 8}, "dedicated": true}});
    let (_, present) = house.get("/api/v1/quotas/main");
    assert_eq!(house.put("/api/v1/quotas/main", &main, present["metadata"]["version"].as_str()).0, 200);
    for room in ["workspace-b", "workspace-c"] {
        let name = format!("{}-template", &room[10..]);
        let template =
            json!({"metadata": {"name": name}, "spec": {"workspace": room, "resources": {"gpu": 1}}});
        done("/api/v1/templates", template);
        let request = json!({"workspace": room, "reason": "secret", "reserved": {"size": {"gpu": 1}, "end": "2031-01-01T00:00:00Z"}});
        done("/api/v1/resource-requests", request);
    }
    done("/api/v1/resource-requests/rr-1:approve", json!({}));
    done("/api/v1/resource-configs/rc-0:set", json!({"cap": 50}));
    let everybody = json!({"metadata": {"name": "sum"}, "spec": {"resources": {"gpu": 1}}});
    done("/api/v1/templates", everybody);
    let book = json!({"metadata": {"name": "default"}, "spec": {"currency": "EUR", "prices": {"shared": {"cpu": "1"}}}});
    done("/api/v1/prices", book);
    for room in ["workspace-b", "workspace-c"] {
        assert_eq!(house.put(&format!("/api/v1/budgets/{room}"), &json!({"amount": "5"}), None).0, 201);
        let (user, quota) = if room == "workspace-b" { ("berta", "Quota1.1") } else { ("carla", "Quota1.2") };
        let correction = json!({"workspace": room, "user": user, "quota": quota, "resource": "cpu", "hours": "1",
            "at": "2026-01-01T00:00:00Z", "reason": "x"});
        done("/api/v1/usage/corrections", correction);
    }
    assert_eq!(company.desk("berta").submit("end", training(1)).0, 201);
    assert_eq!(company.desk("carla").submit("end-c", training(1)).0, 201);

    let own: Vec<String> = told(&company, "berta", before, "end");
    let own: Vec<&String> = own.iter().filter(|line| !line.starts_with("token ")).collect();
    assert_eq!(
        own,
        [
            "template b-template created",
            "resourceRequest rr-0 created",
            "template sum created",
            "priceBook default created",
            "correction cor-0 created"
        ],
        "a developer of workspace-b"
    );
    let of_admin = told(&company, "admin", before, "end");
    for line in [
        "template c-template created",
        "resourceRequest rr-1 created",
        "resourceRequest rr-1 changed",
        "resourceConfig rc-0 created",
        "resourceConfig rc-0 changed",
        "priceBook default created",
        "budget workspace-c created",
        "correction cor-1 created",
    ] {
        assert!(of_admin.iter().any(|other| other == line), "{line} in {of_admin:?}");
    }
    let of_carla = told(&company, "carla", before, "end-c");
    assert!(of_carla.contains(&"resourceConfig rc-0 changed".to_string()), "{of_carla:?}");
    let mut configs = house.watch(&format!("?kinds=resource-config&after={before}"), &[]);
    assert_eq!(configs.next().expect("an event").1["resourceConfig"], "rc-0");
}
