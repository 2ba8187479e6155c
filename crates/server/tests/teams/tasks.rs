//! Templates and tasks of teams: who may make and run them, and what others see.

use super::{Company, tells_nothing};
use serde_json::{Value, json};

/// A company whose first quota is shared, with a template of workspace-c and one for everybody.
fn company() -> Company {
    let company = Company::new();
    let (_, main) = company.house.get("/api/v1/quotas/main");
    let version = main["metadata"]["version"].as_str().expect("a version").to_string();
    let mut spec = main["spec"].clone();
    (spec["shared"], spec["queue"]["strategy"]) = (json!(true), json!("fair"));
    let marked = json!({"metadata": {"name": "main"}, "spec": spec});
    let (status, answer) = company.house.put("/api/v1/quotas/main", &marked, Some(&version));
    assert_eq!(status, 200, "{answer}");
    company.made("/api/v1/templates", &template("common", None));
    company.made("/api/v1/templates", &template("c-train", Some("workspace-c")));
    company
}

fn template(name: &str, workspace: Option<&str>) -> Value {
    let mut spec = json!({"resources": {"gpu": 1}});
    if let Some(workspace) = workspace {
        spec["workspace"] = json!(workspace);
    }
    json!({"metadata": {"name": name}, "spec": spec})
}

fn task(template: &str) -> Value {
    json!({"template": template, "virtual": {"duration": "1h"}})
}

#[test]
fn who_may_run_tasks_and_make_templates() {
    let company = company();
    for (role, user, may) in [
        ("owner", "olga", true),
        ("admin", "anton", true),
        ("developer", "berta", true),
        ("operator", "otto", true),
        ("guest", "gustav", false),
    ] {
        let desk = company.desk(user);
        let wanted = if may { 201 } else { 403 };
        // No quota of theirs is shared: shared compute is everybody's.
        let (status, answer) = desk.post("/api/v1/tasks", &task("common"));
        assert_eq!(status, wanted, "{role}: {answer}");
        let own = template(&format!("of-{role}"), Some("workspace-b"));
        assert_eq!(desk.post("/api/v1/templates", &own).0, wanted, "{role}");
        let (status, answer) = desk.post("/api/v1/templates", &template("mine", None));
        assert_eq!(status, 403, "{role}: everybody's are made by platform administrators: {answer}");
        let (status, _) = desk.ask("PUT", "/api/v1/templates/common", Some(&template("common", None)));
        assert_eq!(status, 403, "{role}");
    }
}

#[test]
fn templates_and_tasks_of_others_are_not_there() {
    let company = company();
    let (status, theirs) = company.desk("carla").post("/api/v1/tasks", &task("c-train"));
    assert_eq!(status, 201, "{theirs}");
    let id = theirs["id"].as_str().expect("an id");
    let berta = company.desk("berta");
    for path in [
        "/api/v1/templates/c-train".to_string(),
        "/api/v1/templates/c-train?workspace=workspace-c".into(),
        format!("/api/v1/tasks/{id}"),
        format!("/api/v1/tasks/{id}/result"),
        format!("/api/v1/tasks/{id}/file?path=x"),
    ] {
        let (status, answer) = berta.get(&path);
        assert_eq!(status, 404, "{path}: {answer}");
    }
    assert_eq!(berta.post(&format!("/api/v1/tasks/{id}:cancel"), &json!({})).0, 404);
    for path in ["/api/v1/templates", "/api/v1/tasks", "/api/v1/tasks?workspace=workspace-c"] {
        let (status, answer) = berta.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
        tells_nothing(path, &answer);
    }
    let (status, answer) = berta.post("/api/v1/tasks", &task("c-train"));
    assert_eq!((status, &answer["code"]), (422, &json!("unknown-reference")), "{answer}");
    // Tasks of others fill the pool: why one waits tells nothing of them.
    for _ in 0..8 {
        assert_eq!(company.desk("carla").post("/api/v1/tasks", &task("c-train")).0, 201);
    }
    let (_, waits) = berta.post("/api/v1/tasks", &task("common"));
    assert_eq!(waits["state"], "waiting", "{waits}");
    tells_nothing("a task that waits", &waits);
}

#[test]
fn a_token_for_tasks_alone_runs_templates_and_nothing_else() {
    let company = company();
    let narrow = json!({"user": "berta", "actions": ["task:submit", "workload:read"]});
    let token = company.made("/api/v1/tokens", &narrow);
    let token = format!("Bearer {}", token["secret"].as_str().expect("a secret"));
    let headers = [("Authorization", token.as_str())];
    let ask = |path: &str, body: &Value| company.house.send("POST", path, Some(body.to_string()), &headers).0;
    assert_eq!(ask("/api/v1/tasks", &task("common")), 201);
    assert_eq!(ask("/api/v1/workloads", &json!({"spec": {"command": ["sh"]}})), 403);
    assert_eq!(ask("/api/v1/templates", &template("own", Some("workspace-b"))), 403);
}
