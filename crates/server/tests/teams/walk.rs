//! Every route of the OpenAPI document, asked by every role: what the table of rights says is what happens, and no
//! answer names anything of another workspace.

use super::{Company, SECRETS, TEAM_B, tells_nothing, training};
use serde_json::{Value, json};
use tidegate_server::http::rights::{Need, ROUTES, need};

/// As the router has it: verbs are split off.
fn routed(path: &str) -> String {
    match path.rsplit_once(':') {
        Some((thing, verb)) => format!("{thing}/-{verb}"),
        None => path.to_string(),
    }
}

/// Routes that are answered without a credential.
fn is_open(operation: &Value) -> bool {
    operation["security"]
        .as_array()
        .is_some_and(|all| all.iter().any(|one| one.as_object().is_some_and(|o| o.is_empty())))
}

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let each = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").iter();
        methods.map(|(method, about)| (method.to_uppercase(), path.clone(), about.clone()))
    });
    each.collect()
}

#[test]
fn the_table_of_rights_has_every_route_and_no_other() {
    let company = Company::new();
    let (_, document) = company.house.get("/api/v1/openapi.json");
    let mut known: Vec<(String, String)> = Vec::new();
    for (method, path, about) in operations(&document) {
        if is_open(&about) {
            continue;
        }
        assert!(need(&method, &routed(&path)).is_some(), "{method} {path} is not in the table of rights");
        known.push((method, routed(&path)));
    }
    for (method, path, _) in ROUTES {
        assert!(known.contains(&(method.to_string(), path.to_string())), "{method} {path} is in no document");
    }
}

/// A body that the route understands, about things of workspace-c.
fn body(path: &str) -> Value {
    match path {
        "/api/v1/workloads" => {
            json!({"metadata": {"name": "walk"}, "spec": {"quota": "Quota1.2", "workspace": "workspace-c"}})
        }
        "/api/v1/workloads:batch" => {
            json!({"items": [{"metadata": {"name": "walk"}, "spec": {"quota": "Quota1.2"}}]})
        }
        "/api/v1/simulations" => json!({"scenario": "pool p 1x8 H100\nquota q 8 pool=p\nat 0s show\n"}),
        "/api/v1/apply" => {
            json!({"manifests": [{"apiVersion": "tidegate.dev/v1", "kind": "Workload", "metadata": {"name": "c-train"}, "spec": {"workspace": "workspace-c"}}]})
        }
        "/api/v1/tokens" => json!({"user": "carla"}),
        path if path.ends_with(":resize") => json!({"replicas": 2}),
        path if path.ends_with(":priority") => json!({"priority": 9}),
        path if path.ends_with(":scale") => json!({"guarantee": {"gpu": 1}}),
        path if path.ends_with(":transfer") => json!({"to": "Quota1.1", "amount": {"gpu": 1}}),
        path if path.ends_with(":attach") || path.ends_with(":detach") => json!({"quota": "Quota1.2"}),
        path if path.contains("/members/") => json!({"role": "guest"}),
        path if path.ends_with("/service-accounts") => json!({"name": "walk", "role": "guest"}),
        path if path.contains("/roles") => json!({"name": "walk", "actions": ["workload:read"]}),
        path if path.contains("/webhooks/") => json!({"url": "http://8.8.8.8/"}),
        path if path.contains("/quotas") => {
            json!({"metadata": {"name": "Quota1.2"}, "spec": {"parent": "Quota1", "guarantee": {"gpu": 1}}})
        }
        path if path.contains("/templates") => {
            json!({"metadata": {"name": "walk"}, "spec": {"workspace": "workspace-c", "command": ["true"]}})
        }
        "/api/v1/resource-requests" => {
            json!({"workspace": "workspace-c", "reason": "x", "reserved": {"size": {"gpu": 1}, "end": "2031-01-01T00:00:00Z"}})
        }
        "/api/v1/tasks" => json!({"template": "c-template", "workspace": "workspace-c"}),
        path if path.contains("/policies/") => json!({"spec": {"modules": ["training"]}}),
        path if path.contains("/workspaces") => json!({"metadata": {"name": "workspace-c"}, "spec": {}}),
        path if path.contains("/users") => json!({"metadata": {"name": "carla"}, "spec": {}}),
        path if path.contains("/pools") => json!({"metadata": {"name": "walk"}, "spec": {}}),
        path if path.contains(":quarantine") || path.contains(":restore") => json!({"device": 0}),
        path if path.ends_with("/nodes") => {
            json!({"metadata": {"name": "walk"}, "spec": {"pool": "h100", "gpus": 0}})
        }
        _ => json!({}),
    }
}

/// The thing of workspace-c that a path is about.
fn about_c(path: &str) -> String {
    let name = match path.split('/').nth(3).unwrap_or_default() {
        "workloads" => "c-train",
        "quotas" => "Quota1.2",
        "workspaces" => "workspace-c",
        "users" => "carla",
        "nodes" => "h100-0",
        "pools" => "h100",
        "tokens" => "t-999",
        "templates" => "c-template",
        "tasks" => "c-task",
        "resource-requests" => "rr-0",
        "resource-configs" => "rc-0",
        _ => "walk",
    };
    path.replace("{name}", name)
        .replace("{user}", "carla")
        .replace("{quota}", "Quota1.2")
        .replace("{hook}", "hook")
}

#[test]
fn every_route_asked_by_every_role_about_another_workspace() {
    let company = Company::new();
    let carla = company.desk("carla");
    assert_eq!(carla.submit("c-train", training(8)).0, 201);
    assert_eq!(carla.submit("c-private", json!({"visibility": "private"})).0, 201);
    let main = json!({"metadata": {"name": "main"}, "spec": {"pool": "local", "guarantee": {"gpu": 8}, "dedicated": true}});
    let (_, present) = company.house.get("/api/v1/quotas/main");
    let version = present["metadata"]["version"].as_str();
    assert_eq!(company.house.put("/api/v1/quotas/main", &main, version).0, 200);
    assert_eq!(carla.post("/api/v1/resource-requests", &body("/api/v1/resource-requests")).0, 201);
    assert_eq!(company.house.post("/api/v1/resource-requests/rr-0:approve", &json!({})).0, 200);
    let (_, document) = company.house.get("/api/v1/openapi.json");
    let operations = operations(&document);
    let mut pairs = 0;
    let strangers = TEAM_B.iter().copied().chain([("stranger", "nobody")]);
    company.made("/api/v1/users", &json!({"metadata": {"name": "nobody"}, "spec": {}}));
    for (role, user) in strangers {
        let desk = company.desk(user);
        for (method, path, about) in &operations {
            if is_open(about) || path == "/api/v1/watch" || path.contains("oidc") {
                continue;
            }
            pairs += 1;
            let body = about.get("requestBody").map(|_| body(path));
            // Whoever has logged out is asked nothing more.
            let dry = if path == "/api/v1/logout" { "?dryRun=true" } else { "" };
            let (status, answer) = desk.ask(method, &format!("{}{dry}", about_c(path)), body.as_ref());
            let what = format!("{role}: {method} {path}");
            match need(method, &routed(path)).expect("in the table") {
                Need::Platform(action) if action.level() == tidegate_identity::action::Level::Platform => {
                    assert_eq!(status, 403, "{what}: {answer}");
                }
                Need::Thing(_) if path.contains("{") => {
                    assert!([403, 404].contains(&status), "{what}: {status} {answer}");
                }
                _ => assert!(status < 500, "{what}: {answer}"),
            }
            // What was sent may come back; nothing else.
            let sent = format!("{} {}", about_c(path), body.unwrap_or_default());
            let text = answer.to_string();
            for secret in SECRETS.iter().filter(|secret| !sent.contains(**secret)) {
                assert!(!text.contains(secret), "{what} tells of {secret}: {text}");
            }
        }
    }
    println!("{pairs} pairs of route and role");
    assert!(pairs >= 6 * 60, "{pairs}");
    // Nothing of it did anything.
    let (_, c) = company.house.get("/api/v1/workloads/c-train?workspace=workspace-c");
    assert_eq!((&c["status"]["state"], &c["status"]["priority"]), (&json!("running"), &json!(1)), "{c}");
    assert_eq!(company.house.get("/api/v1/quotas/Quota1.2").1["spec"]["guarantee"], json!({"gpu": 80}));
    assert_eq!(company.house.get("/api/v1/workspaces/workspace-c").1["status"]["members"], 1);
    assert_eq!(company.house.get("/api/v1/resource-configs/rc-0").1["state"], "active");
}

#[test]
fn every_list_asked_by_every_role_tells_of_its_own_room_alone() {
    let company = Company::new();
    let carla = company.desk("carla");
    assert_eq!(carla.submit("c-train", training(80)).0, 422, "eight to a node");
    assert_eq!(carla.submit("c-train", json!({"replicas": 10, "resources": {"gpu": 8}})).0, 201);
    assert_eq!(carla.submit("c-wait", json!({"replicas": 10, "resources": {"gpu": 8}})).0, 201);
    let (_, document) = company.house.get("/api/v1/openapi.json");
    for (role, user) in TEAM_B {
        let desk = company.desk(user);
        for (method, path, about) in operations(&document) {
            if method != "GET" || is_open(&about) || path == "/api/v1/watch" || path.contains("{hook}") {
                continue;
            }
            let own = path
                .replace("/workspaces/{name}", "/workspaces/workspace-b")
                .replace("/quotas/{name}", "/quotas/Quota1.1");
            let own = own
                .replace("/users/{name}", &format!("/users/{user}"))
                .replace("{quota}", "Quota1.1")
                .replace("{name}", "walk");
            let (_, answer) = desk.get(&own);
            tells_nothing(&format!("{role}: {own}"), &answer);
        }
    }
}
