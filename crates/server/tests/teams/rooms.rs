//! What a member of a workspace sees and does there, and what of the others.

use super::{Company, tells_nothing, training};
use serde_json::json;

#[test]
fn scene_3_a_member_of_b_neither_sees_nor_touches_c_and_submits_to_its_quota_alone() {
    let company = Company::new();
    let (berta, carla) = (company.desk("berta"), company.desk("carla"));
    assert_eq!(carla.submit("c-train", training(8)).0, 201);
    let (status, refused) = berta.submit("b1", json!({"quota": "Quota1.2"}));
    assert_eq!((status, refused["code"].as_str()), (422, Some("unknown-reference")), "{refused}");
    let (status, refused) = berta.submit("b1", json!({"quota": "Quota1"}));
    assert_eq!((status, refused["code"].as_str()), (403, Some("denied")), "{refused}");
    let (status, made) = berta.submit("b1", training(8));
    assert_eq!(status, 201, "{made}");
    assert_eq!(
        (made["status"]["workspace"].as_str(), made["status"]["quota"].as_str()),
        (Some("workspace-b"), Some("Quota1.1"))
    );
    for path in ["", "/events", ":explain", "/series", "/logs"] {
        for name in ["c-train", "w-0"] {
            let (status, answer) = berta.get(&format!("/api/v1/workloads/{name}{path}"));
            assert_eq!(status, 404, "{name}{path}: {answer}");
        }
    }
    for verb in ["stop", "restart", "start", "open"] {
        assert_eq!(berta.post(&format!("/api/v1/workloads/c-train:{verb}"), &json!({})).0, 404, "{verb}");
    }
    assert_eq!(berta.ask("DELETE", "/api/v1/workloads/c-train", None).0, 404);
    assert_eq!(berta.names("/api/v1/workloads"), ["b1"]);
    assert_eq!(berta.names("/api/v1/workloads?workspace=workspace-c"), Vec::<String>::new());
    assert_eq!(berta.names("/api/v1/quotas"), ["Quota1.1"]);
    assert_eq!(berta.names("/api/v1/workspaces"), ["workspace-b"]);
    assert_eq!(carla.names("/api/v1/workloads"), ["c-train"]);
    let (status, quota) = berta.get("/api/v1/quotas/Quota1.1");
    assert_eq!(status, 200);
    assert_eq!(quota["status"]["ancestors"], json!([{"name": "Quota1", "guarantee": {"gpu": 128}}]));
    assert_eq!(berta.get("/api/v1/quotas/Quota1").0, 403, "of an ancestor name and guarantee, no more");
    assert_eq!(berta.get("/api/v1/quotas/Quota1.2").0, 404);
}

#[test]
fn names_are_each_workspaces_own() {
    let company = Company::new();
    let (berta, carla, admin) = (company.desk("berta"), company.desk("carla"), company.desk("admin"));
    assert_eq!(berta.submit("train", training(1)).0, 201);
    assert_eq!(carla.submit("train", training(1)).0, 201, "no conflict tells of the other");
    assert_eq!(berta.submit("train", training(1)).0, 409);
    let uid = |desk: &super::Desk<'_>, path: &str| {
        let (status, answer) = desk.get(path);
        assert_eq!(status, 200, "{answer}");
        answer["metadata"]["uid"].clone()
    };
    let (b, c) = (uid(&berta, "/api/v1/workloads/train"), uid(&carla, "/api/v1/workloads/train"));
    assert_ne!(b, c);
    let (status, which) = admin.get("/api/v1/workloads/train");
    assert_eq!((status, which["code"].as_str()), (422, Some("workspace-required")), "{which}");
    assert_eq!(uid(&admin, "/api/v1/workloads/train?workspace=workspace-c"), c);
}

#[test]
fn who_has_several_workspaces_says_which() {
    let company = Company::new();
    let (status, _) = company.house.put(
        "/api/v1/workspaces/workspace-a/members/berta",
        &json!({"role": "developer"}),
        None,
    );
    assert_eq!(status, 200);
    let berta = company.desk("berta");
    let (status, refused) = berta.submit("b1", training(1));
    assert_eq!((status, refused["code"].as_str()), (422, Some("workspace-required")), "{refused}");
    assert!(
        refused["detail"].as_str().is_some_and(|d| d.contains("workspace-a") && d.contains("workspace-b"))
    );
    let (status, made) = berta.submit("b1", json!({"workspace": "workspace-a", "resources": {"gpu": 1}}));
    assert_eq!((status, made["status"]["quota"].as_str()), (201, Some("Quota1")), "{made}");
    company.made("/api/v1/users", &json!({"metadata": {"name": "nobody"}, "spec": {}}));
    let (status, refused) = company.desk("nobody").submit("x", training(1));
    assert_eq!((status, refused["code"].as_str()), (422, Some("workspace-required")), "{refused}");
}

#[test]
fn developers_act_on_their_own_operators_on_everybodys_guests_read() {
    let company = Company::new();
    let desks = ["berta", "boris", "otto", "gustav", "anton"].map(|user| company.desk(user));
    let [berta, boris, otto, gustav, anton] = &desks;
    assert_eq!(berta.submit("open", training(1)).0, 201);
    assert_eq!(berta.submit("closed", json!({"resources": {"gpu": 1}, "visibility": "private"})).0, 201);
    assert_eq!(boris.names("/api/v1/workloads"), ["open"]);
    assert_eq!(gustav.names("/api/v1/workloads"), ["open"]);
    for desk in [berta, otto, anton] {
        assert_eq!(desk.names("/api/v1/workloads"), ["closed", "open"]);
    }
    let stop = |desk: &super::Desk<'_>, name: &str| {
        desk.post(&format!("/api/v1/workloads/{name}:stop"), &json!({})).0
    };
    assert_eq!((stop(boris, "open"), stop(boris, "closed")), (403, 404));
    assert_eq!((stop(gustav, "open"), stop(gustav, "closed")), (403, 404));
    assert_eq!(gustav.submit("mine", training(1)).0, 403);
    assert_eq!((stop(otto, "closed"), stop(berta, "open")), (200, 200));
}

#[test]
fn reasons_do_not_leak() {
    let company = Company::new();
    let (anna, berta, carla) = (company.desk("anna"), company.desk("berta"), company.desk("carla"));
    // C fills its 80; A's service then takes 32 of C's and B's.
    for n in 0..10 {
        let name = if n == 0 { "c-train".to_string() } else { format!("c-train-{n}") };
        assert_eq!(carla.submit(&name, training(8)).0, 201);
    }
    for n in 0..6 {
        assert_eq!(berta.submit(&format!("b{n}"), training(8)).0, 201);
    }
    let mut told = watch(&anna);
    let service = json!({"module": "service", "priority": 5, "replicas": 4, "resources": {"gpu": 8}});
    let (status, preview) =
        anna.post("/api/v1/workloads?dryRun=true", &json!({"metadata": {"name": "a1"}, "spec": service}));
    assert_eq!(status, 200, "{preview}");
    tells_nothing("a preview", &preview);
    assert!(
        !preview.to_string().contains("\"b0\"") && !preview.to_string().contains("Quota1.1"),
        "{preview}"
    );
    assert!(
        preview.to_string().contains("a training job of another workspace, priority 1, 8 GPUs"),
        "{preview}"
    );
    let (status, a1) = anna.submit("a1", service);
    assert_eq!(status, 201, "{a1}");
    tells_nothing("a submission", &a1);
    for path in ["/api/v1/workloads/a1", "/api/v1/workloads/a1:explain", "/api/v1/workloads/a1/events"] {
        let (status, answer) = anna.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
        tells_nothing(path, &answer);
    }
    // Those who leave are gone a moment later.
    company.house.until("a1", "running");
    // The victims learn that a service of another workspace took their place, and no more.
    let victims: Vec<(String, serde_json::Value)> = berta.get("/api/v1/workloads").1["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter(|w| w["status"]["state"] == "queued")
        .map(|w| (w["metadata"]["name"].as_str().expect("a name").to_string(), w.clone()))
        .collect();
    let lost: Vec<_> = carla.get("/api/v1/workloads").1["items"].as_array().expect("items").clone();
    let lost = lost.iter().filter(|w| w["status"]["state"] == "queued").count();
    assert_eq!(victims.len() + lost, 4, "{victims:?}");
    for (name, _) in &victims {
        for path in [
            format!("/api/v1/workloads/{name}"),
            format!("/api/v1/workloads/{name}:explain"),
            format!("/api/v1/workloads/{name}/events"),
        ] {
            let (status, answer) = berta.get(&path);
            assert_eq!(status, 200);
            tells_nothing(&path, &answer);
            let text = answer.to_string();
            assert!(
                !text.contains("\"a1\"") && !text.contains("anna") && !text.contains("workspace-a"),
                "{text}"
            );
            assert!(text.contains("a service of another workspace, priority 5, 32 GPUs"), "{path}: {text}");
        }
    }
    // Whoever watches is told of its own room alone.
    assert_eq!(anna.post("/api/v1/workloads/a1:stop", &json!({})).0, 200);
    let mut seen = 0;
    for (_, event) in told.by_ref() {
        tells_nothing("a watch", &event);
        assert_eq!(event["workload"], "a1", "{event}");
        seen += 1;
        if event["event"] == "stopped" {
            break;
        }
    }
    assert!(seen >= 3, "{seen}");
    // The administrator reads names.
    let text = company.house.get("/api/v1/workloads/a1/events?workspace=workspace-a").1.to_string();
    assert!(text.contains("Quota1.1") || text.contains("Quota1.2"), "{text}");
    let admin = company.house.get("/api/v1/quotas").1.to_string();
    assert!(admin.contains("workspace-c") && admin.contains("Quota1.2"));
}

fn watch(desk: &super::Desk<'_>) -> impl Iterator<Item = (u64, serde_json::Value)> + use<> {
    desk.house.watch_as(&desk.token, "?kinds=workload,quota,node", &[])
}

#[test]
fn the_queue_shows_where_one_stands_and_not_who_the_others_are() {
    let company = Company::new();
    for room in ["workspace-b", "workspace-c"] {
        let attach = json!({"quota": "Quota1"});
        assert_eq!(company.house.post(&format!("/api/v1/workspaces/{room}:attach"), &attach).0, 200);
    }
    let (berta, carla) = (company.desk("berta"), company.desk("carla"));
    let fill = json!({"quota": "Quota1", "replicas": 16, "resources": {"gpu": 8}});
    assert_eq!(carla.submit("c-train", fill.clone()).0, 201);
    assert_eq!(carla.submit("c-wait", fill.clone()).0, 201);
    assert_eq!(berta.submit("b-wait", fill).0, 201);
    let (status, queue) = berta.get("/api/v1/quotas/Quota1/queue");
    assert_eq!(status, 200, "{queue}");
    tells_nothing("a queue", &queue);
    let items = queue["items"].as_array().expect("items");
    assert_eq!(items[0]["name"], "a training job of another workspace, priority 1, 128 GPUs");
    assert_eq!((&items[1]["name"], &items[1]["position"]), (&json!("b-wait"), &json!(2)));
    let (_, explained) = berta.get("/api/v1/workloads/b-wait:explain");
    tells_nothing("an explanation", &explained);
    assert_eq!(explained["position"], 2, "{explained}");
}

#[test]
fn a_quota_is_not_detached_under_work_nor_deleted_while_it_is_attached() {
    let company = Company::new();
    let berta = company.desk("berta");
    assert_eq!(berta.submit("b1", training(1)).0, 201);
    let detach = |room: &str, quota: &str| {
        company.house.post(&format!("/api/v1/workspaces/{room}:detach"), &json!({"quota": quota}))
    };
    let (status, refused) = detach("workspace-b", "Quota1.1");
    assert_eq!((status, refused["code"].as_str()), (409, Some("workspace-not-empty")), "{refused}");
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("b1")), "{refused}");
    let (status, refused) = company.house.raw("DELETE", "/api/v1/workspaces/workspace-b", "");
    assert_eq!((status, refused["code"].as_str()), (409, Some("workspace-not-empty")), "{refused}");
    let (status, refused) = company.desk("admin").ask("DELETE", "/api/v1/quotas/Quota1.2", None);
    assert_eq!((status, refused["code"].as_str()), (409, Some("quota-not-empty")), "{refused}");
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("workspace-c")), "{refused}");
    assert_eq!(berta.post("/api/v1/workloads/b1:stop", &json!({})).0, 200);
    assert_eq!(detach("workspace-b", "Quota1.1").0, 200);
    let (status, refused) = detach("workspace-b", "Quota1.1");
    assert_eq!(status, 409, "it is not attached any more: {refused}");
    assert!(
        refused["hint"].as_str().is_some_and(|hint| hint.contains("workspace show workspace-b")),
        "{refused}"
    );
    assert_eq!(company.house.get("/api/v1/quotas/Quota1.1").0, 200, "detaching deletes nothing");
    let (status, refused) = berta.submit("b2", training(1));
    assert_eq!((status, refused["code"].as_str()), (422, Some("invalid")), "{refused}");
    assert_eq!(company.house.raw("DELETE", "/api/v1/workspaces/workspace-b", "").0, 200);
    assert_eq!(berta.names("/api/v1/workspaces"), Vec::<String>::new());
    assert_eq!(company.house.raw("DELETE", "/api/v1/workspaces/default", "").0, 409);
}

#[test]
fn teams_survive_a_restart() {
    let mut company = Company::new();
    let berta = company.token("berta");
    let as_berta = |house: &super::House, path: &str| {
        house.send("GET", path, None, &[("Authorization", &format!("Bearer {berta}"))])
    };
    company.house.post("/api/v1/workloads", &json!({"metadata": {"name": "adm"}, "spec": {"quota": "Quota1.2", "workspace": "workspace-c", "gracePeriod": "0s"}}));
    let before = as_berta(&company.house, "/api/v1/whoami");
    let rooms = company.house.get("/api/v1/workspaces").1;
    company.house.restart();
    assert_eq!(as_berta(&company.house, "/api/v1/whoami"), before);
    assert_eq!(company.house.get("/api/v1/workspaces").1, rooms);
    assert_eq!(as_berta(&company.house, "/api/v1/workloads/adm").0, 404);
}
