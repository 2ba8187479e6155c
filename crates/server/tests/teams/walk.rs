//! Every route of the OpenAPI document, asked by every role: what the table of rights says is what happens, and no
//! answer names anything of another workspace.

use super::{Company, SECRETS, TEAM_B, tells_nothing, training};
use serde_json::{Value, json};
use tidegate_identity::record::TokenKind;
use tidegate_identity::{People, Resource, Verdict, Who, may};
use tidegate_server::http::rights::{Need, ROUTES, need};
use ureq::http::Request;

/// As the router has it: verbs are split off.
fn routed(path: &str) -> String {
    match path.rsplit_once(':') {
        Some((thing, verb)) => format!("{thing}/-{verb}"),
        None => path.to_string(),
    }
}

/// Pairs of role and route that are left out: whoever may would have a message sent to somebody outside.
const LEFT_OUT: [(&str, &str); 1] = [("platform-admin", "/api/v1/workspaces/{name}/webhooks/{hook}:test")];

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
        path if path.contains("/resource-configs/") && path.ends_with(":set") => json!({"cap": 50}),
        "/api/v1/tasks" => json!({"template": "c-template", "workspace": "workspace-c"}),
        path if path.contains("/budgets/") => json!({"amount": "1"}),
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

/// The thing of workspace-c that a path is about; `token` is one of carla's.
fn about_c(path: &str, token: &str) -> String {
    let name = match path.split('/').nth(3).unwrap_or_default() {
        "workloads" => "c-train",
        "quotas" => "Quota1.2",
        "workspaces" | "budgets" => "workspace-c",
        "users" => "carla",
        "nodes" => "h100-0",
        "pools" => "h100",
        "tokens" => token,
        "templates" => "c-template",
        "tasks" => "c-task",
        "resource-requests" => "rr-0",
        "resource-configs" => "rc-0",
        _ => "walk",
    };
    path.replace("{name}", name)
        .replace("{user}", "carla")
        .replace("{quota}", "Quota1.2")
        .replace("{hook}", "c-hook")
}

/// Gives workspace-c one of everything, and says which is a token of carla's.
fn furnish(company: &Company) -> String {
    let pool = json!({"metadata": {"name": "commons"}, "spec": {"nodes": [{"count": 1, "gpus": 8, "model": "H100"}]}});
    company.made("/api/v1/pools", &pool);
    let shared =
        json!({"pool": "commons", "guarantee": {"gpu": 8}, "shared": true, "queue": {"strategy": "fair"}});
    company.made("/api/v1/quotas", &json!({"metadata": {"name": "commons"}, "spec": shared}));
    let carla = company.desk("carla");
    let template = json!({"workspace": "workspace-c", "resources": {"gpu": 1}});
    let template = json!({"metadata": {"name": "c-template"}, "spec": template});
    assert_eq!(carla.post("/api/v1/templates", &template).0, 201);
    let task = json!({"template": "c-template", "name": "c-task", "virtual": {"duration": "1h"}});
    let (status, answer) = carla.post("/api/v1/tasks", &task);
    assert_eq!(status, 201, "{answer}");
    let hook = json!({"url": "http://8.8.8.8:9/"});
    let (status, answer) = company.house.put("/api/v1/workspaces/workspace-c/webhooks/c-hook", &hook, None);
    assert_eq!(status, 201, "{answer}");
    let (_, tokens) = company.house.get("/api/v1/tokens?user=carla");
    tokens["items"][0]["id"].as_str().expect("an id").to_string()
}

/// What `may` says of somebody and what a route is about; `None` where what is sent decides.
fn verdict(people: &People, user: &str, need: Need, path: &str) -> Option<Verdict> {
    let user = people.user_named(user)?.id;
    let who = Who { user, scope: None, kind: TokenKind::Bearer };
    let (room, owner) = (people.workspace_named("workspace-c")?, people.user_named("carla")?.id);
    let (action, thing) = match need {
        Need::Known => return None,
        Need::Platform(action) => (action, Resource::Platform),
        Need::Thing(_) if !path.contains('{') => return None,
        Need::Thing(action) => {
            let thing = match path.split('/').nth(3)? {
                "workspaces" | "templates" | "resource-requests" | "resource-configs" | "budgets" => {
                    Resource::Workspace(room.id)
                }
                "workloads" | "tasks" => Resource::Workload { workspace: room.id, owner, private: false },
                "quotas" => Resource::Quota(*room.quotas.first()?),
                _ => Resource::Platform,
            };
            (action, thing)
        }
    };
    // A token of somebody else is not told of, though everybody may change their own.
    let is_token = path.starts_with("/api/v1/tokens/") && !people.user(user)?.platform_admin;
    Some(if is_token { Verdict::Hidden } else { may(people, &who, action, thing) })
}

/// A watch never ends: whoever is known gets one, and what it tells is looked at where news are.
fn watches(company: &Company, role: &str, token: &str) {
    let request = Request::get(company.house.url("/api/v1/watch"));
    let request = request.header("Authorization", format!("Bearer {token}"));
    let answer = company.house.exchange(request, None).expect("an answer");
    assert_eq!((answer.status, answer.kind.as_str()), (200, "text/event-stream"), "{role}");
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
    let token = furnish(&company);
    let (_, document) = company.house.get("/api/v1/openapi.json");
    let operations = operations(&document);
    let mut pairs = 0;
    company.made("/api/v1/users", &json!({"metadata": {"name": "nobody"}, "spec": {}}));
    let auditor = json!({"name": "auditor", "actions": ["workload:read", "workspace:read", "audit:read"]});
    company.made("/api/v1/roles", &auditor);
    company.hire("udo", "workspace-b", "auditor");
    let robot = json!({"name": "b-robot", "role": "admin"});
    company.made("/api/v1/workspaces/workspace-b/service-accounts", &robot);
    let others = [
        ("stranger", "nobody"),
        ("custom role", "udo"),
        ("service account", "b-robot"),
        ("platform-admin", "admin"),
    ];
    let roles: Vec<(&str, &str)> = TEAM_B.into_iter().chain(others).collect();
    for (role, user) in roles.iter().copied() {
        let desk = company.desk(user);
        let sees_all = role == "platform-admin";
        for (method, path, about) in &operations {
            if is_open(about) || LEFT_OUT.contains(&(role, path.as_str())) {
                continue;
            }
            pairs += 1;
            if path == "/api/v1/watch" {
                watches(&company, role, &desk.token);
                continue;
            }
            let body = about.get("requestBody").map(|_| body(path));
            // Whoever has logged out is asked nothing more, and who may do everything does nothing.
            let is_dry = path == "/api/v1/logout" || (sees_all && method != "GET");
            let target = about_c(path, &token);
            let asked = if is_dry { format!("{target}?dryRun=true") } else { target.clone() };
            let (status, answer) = desk.ask(method, &asked, body.as_ref());
            let what = format!("{role}: {method} {path}: {status} {answer}");
            let need = need(method, &routed(path)).expect("in the table");
            // There is no such price book, role, budget or account, nothing was delivered, and nothing was written.
            let is_absent = ["/prices/", "/roles/", "/budgets/", "/service-accounts/{user}", "{id}", "/logs"]
                .iter()
                .any(|part| path.contains(part));
            match verdict(&company.house.control().people(), user, need, path) {
                Some(Verdict::Hidden) => assert_eq!(status, 404, "{what}"),
                Some(Verdict::Denied { .. }) => assert_eq!(status, 403, "{what}"),
                Some(Verdict::Allowed) if is_absent => assert!(status < 500 && status != 403, "{what}"),
                Some(Verdict::Allowed) => assert!(status < 500 && ![403, 404].contains(&status), "{what}"),
                None => assert!(status < 500, "{what}"),
            }
            if sees_all {
                continue;
            }
            // What was sent may come back; nothing else.
            let sent = format!("{target} {}", body.unwrap_or_default());
            let text = answer.to_string();
            for secret in SECRETS.iter().filter(|secret| !sent.contains(**secret)) {
                assert!(!text.contains(secret), "{what} tells of {secret}");
            }
        }
    }
    // All routes that ask who somebody is, with every role.
    println!(
        "{pairs} pairs of route and role: {} routes x {} roles, less {} left out",
        ROUTES.len(),
        roles.len(),
        LEFT_OUT.len()
    );
    assert_eq!(pairs, ROUTES.len() * roles.len() - LEFT_OUT.len());
    // Nothing of it did anything.
    let (_, c) = company.house.get("/api/v1/workloads/c-train?workspace=workspace-c");
    assert_eq!((&c["status"]["state"], &c["status"]["priority"]), (&json!("running"), &json!(1)), "{c}");
    assert_eq!(company.house.get("/api/v1/quotas/Quota1.2").1["spec"]["guarantee"], json!({"gpu": 80}));
    assert_eq!(company.house.get("/api/v1/workspaces/workspace-c").1["status"]["members"], 1);
    assert_eq!(company.house.get("/api/v1/resource-configs/rc-0").1["state"], "active");
    assert_eq!(company.house.get("/api/v1/templates/c-template").0, 200);
    assert_eq!(company.house.get("/api/v1/workspaces/workspace-c/webhooks/c-hook").0, 200);
    assert_eq!(carla.get("/api/v1/tasks/c-task").1["state"], "running");
}

#[test]
fn every_list_asked_by_every_role_tells_of_its_own_room_alone() {
    let company = Company::new();
    let carla = company.desk("carla");
    assert_eq!(carla.submit("c-train", training(80)).0, 422, "eight to a node");
    assert_eq!(carla.submit("c-train", json!({"replicas": 10, "resources": {"gpu": 8}})).0, 201);
    assert_eq!(carla.submit("c-wait", json!({"replicas": 10, "resources": {"gpu": 8}})).0, 201);
    furnish(&company);
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
