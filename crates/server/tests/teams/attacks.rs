//! Tricks: names of others in every field, fields that are not theirs to set, keys of others.

use super::{Company, tells_nothing, training};
use serde_json::{Value, json};

#[test]
fn another_workspaces_names_in_every_field() {
    let company = Company::new();
    let (berta, anton, carla) = (company.desk("berta"), company.desk("anton"), company.desk("carla"));
    assert_eq!(carla.submit("c-train", training(1)).0, 201);
    for spec in [
        json!({"quota": "Quota1.2"}),
        json!({"workspace": "workspace-c"}),
        json!({"workspace": "workspace-x"}),
    ] {
        let (status, refused) = berta.submit("b1", spec.clone());
        assert_eq!((status, refused["code"].as_str()), (422, Some("unknown-reference")), "{spec}: {refused}");
    }
    for (method, path, body) in [
        ("GET", "/api/v1/workspaces/workspace-c", json!(null)),
        ("PUT", "/api/v1/workspaces/workspace-c/members/anton", json!({"role": "owner"})),
        ("DELETE", "/api/v1/workspaces/workspace-c/members/carla", json!(null)),
        ("GET", "/api/v1/workspaces/workspace-c/members", json!(null)),
        ("PUT", "/api/v1/workspaces/workspace-c", json!({"metadata": {"name": "workspace-c"}, "spec": {}})),
        ("GET", "/api/v1/quotas/Quota1.2/queue", json!(null)),
        ("GET", "/api/v1/quotas/Quota1.2/history", json!(null)),
        ("GET", "/api/v1/quotas/Quota1.2/series", json!(null)),
        ("GET", "/api/v1/workloads/c-train?workspace=workspace-c", json!(null)),
        ("POST", "/api/v1/workloads/c-train:stop?workspace=workspace-c", json!({})),
    ] {
        let (status, answer) = anton.ask(method, path, (!body.is_null()).then_some(&body));
        assert_eq!(status, 404, "{method} {path}: {answer}");
    }
    // A workspace's own administrators do not widen what it may use.
    let grab = json!({"metadata": {"name": "workspace-b"}, "spec": {"quotas": ["Quota1.1", "Quota1.2"]}});
    let (status, refused) = anton.ask("PUT", "/api/v1/workspaces/workspace-b", Some(&grab));
    assert_eq!((status, refused["code"].as_str()), (422, Some("unknown-reference")), "{refused}");
    let above = json!({"metadata": {"name": "workspace-b"}, "spec": {"quotas": ["Quota1.1", "Quota1"]}});
    assert_eq!(
        anton.ask("PUT", "/api/v1/workspaces/workspace-b", Some(&above)).0,
        403,
        "it is known to be there"
    );
    let plain = json!({"metadata": {"name": "workspace-b"}, "spec": {"quotas": ["Quota1.1"], "description": "Team B"}});
    assert_eq!(anton.ask("PUT", "/api/v1/workspaces/workspace-b", Some(&plain)).0, 200);
    // Manifests are judged like requests.
    let manifests = json!({"manifests": [
        {"apiVersion": "tidegate.dev/v1", "kind": "Quota", "metadata": {"name": "Quota1.1"}, "spec": {"parent": "Quota1", "guarantee": {"gpu": 128}}},
        {"apiVersion": "tidegate.dev/v1", "kind": "Workload", "metadata": {"name": "c-train"}, "spec": {"workspace": "workspace-c", "priority": 9}},
        {"apiVersion": "tidegate.dev/v1", "kind": "Workspace", "metadata": {"name": "workspace-d"}, "spec": {}},
    ]});
    let (status, applied) = berta.post("/api/v1/apply", &manifests);
    assert_eq!(status, 200, "{applied}");
    let outcomes: Vec<&str> = applied["results"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|r| r["problem"]["code"].as_str())
        .collect();
    assert_eq!(outcomes, ["denied", "unknown-reference", "denied"], "{applied}");
}

#[test]
fn status_and_owner_are_not_for_callers_to_set() {
    let company = Company::new();
    let berta = company.desk("berta");
    for body in [
        json!({"metadata": {"name": "b1"}, "spec": {"owner": "admin"}}),
        json!({"metadata": {"name": "b1", "owner": "admin"}, "spec": {}}),
        json!({"metadata": {"name": "b1"}, "owner": "admin", "spec": {}}),
    ] {
        let (status, refused) = berta.post("/api/v1/workloads", &body);
        assert_eq!((status, refused["code"].as_str()), (422, Some("invalid")), "{refused}");
    }
    let body = json!({"metadata": {"name": "b1"}, "spec": {"gracePeriod": "0s"}, "status": {"owner": "admin", "state": "finished"}});
    let (status, made) = berta.post("/api/v1/workloads", &body);
    assert_eq!(
        (status, &made["status"]["owner"], &made["status"]["state"]),
        (201, &json!("berta"), &json!("running"))
    );
    let user = json!({"metadata": {"name": "eve"}, "spec": {}, "status": {"workspaces": [{"workspace": "workspace-c", "role": "owner"}]}});
    let made = company.made("/api/v1/users", &user);
    assert_eq!(made["status"]["workspaces"], json!([]));
}

#[test]
fn a_key_of_somebody_else_opens_nothing() {
    let company = Company::new();
    let (berta, carla) = (company.token("berta"), company.token("carla"));
    let body = json!({"metadata": {"name": "c-train"}, "spec": {"gracePeriod": "0s"}});
    let send = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "k-1")];
        company.house.send("POST", "/api/v1/workloads", Some(body.to_string()), &headers)
    };
    let (status, first) = send(&carla);
    assert_eq!(status, 201);
    assert_eq!(send(&carla), (201, first.clone()), "the same answer again");
    let (status, other) = send(&berta);
    assert_eq!(status, 201, "{other}");
    assert_ne!(other["metadata"]["uid"], first["metadata"]["uid"]);
    assert_eq!(other["status"]["workspace"], "workspace-b");
}

#[test]
fn forged_tokens_and_odd_names() {
    let company = Company::new();
    for token in ["", "x", "tgt_", &format!("tgt_{}", "0".repeat(64)), &"a".repeat(8_000)] {
        let desk = super::Desk { house: &company.house, token: token.into() };
        assert_eq!(desk.get("/api/v1/whoami").0, 401, "{token}");
    }
    let berta = company.desk("berta");
    let long = "n".repeat(64);
    for name in ["../workspace-c", "..", "workspace\u{2010}c", "w\u{043e}rkspace-c", "", " ", "a/b", &long] {
        let (status, refused) =
            company.house.post("/api/v1/workspaces", &json!({"metadata": {"name": name}, "spec": {}}));
        assert_eq!(status, 422, "{name}: {refused}");
        assert_eq!(berta.submit(name, training(1)).0, 422, "{name}");
        assert_eq!(
            company.house.post("/api/v1/users", &json!({"metadata": {"name": name}, "spec": {}})).0,
            422,
            "{name}"
        );
    }
    for path in [
        "/api/v1/workspaces/..%2fworkspace-c",
        "/api/v1/workloads/%2e%2e%2fc",
        "/api/v1/workspaces/%00",
        "/api/v1/users/..%2f..%2fadmin",
    ] {
        let (status, answer) = berta.get(path);
        assert!([400, 403, 404].contains(&status), "{path}: {status} {answer}");
    }
    // Characters that seals are made of are letters like others in a text of one's own.
    let odd = json!({"resources": {"gpu": 1}, "env": {"X": "\u{f5e0}w0\u{f5e1}a\u{f5e1}b\u{f5e2}"}});
    let (status, made) = berta.submit("odd", odd);
    assert_eq!(status, 201, "{made}");
    tells_nothing("an odd value", &made);
}

#[test]
fn upper_and_lower_case_make_no_other_name() {
    let company = Company::new();
    let refused = |path: &str, body: &Value, says: &str| {
        let (status, refused) = company.house.post(path, body);
        assert_eq!((status, refused["code"].as_str()), (409, Some("name-taken")), "{path}: {refused}");
        let detail = refused["detail"].as_str().expect("a detail");
        assert!(detail.contains(says) && detail.contains("upper and lower case"), "{refused}");
    };
    let named = |name: &str| json!({"metadata": {"name": name}, "spec": {}});
    refused("/api/v1/users", &named("Berta"), "the name Berta is taken");
    refused("/api/v1/users", &named("ADMIN"), "the name ADMIN is taken");
    refused("/api/v1/workspaces", &named("Workspace-C"), "there is a workspace workspace-c already");
    refused("/api/v1/workspaces", &named("Default"), "there is a workspace default already");
    let role = |name: &str| json!({"name": name, "actions": ["workload:read"]});
    refused("/api/v1/roles", &role("Owner"), "there is a role owner already");
    company.made("/api/v1/roles", &role("Auditor"));
    refused("/api/v1/roles", &role("auditor"), "there is a role Auditor already");
    // Nobody reads how an account of another workspace is written.
    let accounts = |room: &str| format!("/api/v1/workspaces/{room}/service-accounts");
    company.made(&accounts("workspace-c"), &json!({"name": "c-roBot", "role": "guest"}));
    let (status, answer) =
        company.desk("olga").post(&accounts("workspace-b"), &json!({"name": "C-Robot", "role": "guest"}));
    assert_eq!((status, answer["code"].as_str()), (409, Some("name-taken")), "{answer}");
    assert!(!answer.to_string().contains("roBot"), "{answer}");
    // A manifest is no way around it.
    let manifest = json!({"apiVersion": "tidegate.dev/v1", "kind": "Workspace", "metadata": {"name": "WORKSPACE-C"}, "spec": {}});
    let (_, applied) = company.house.post("/api/v1/apply", &json!({"manifests": [manifest]}));
    assert_eq!(applied["results"][0]["problem"]["code"], "name-taken", "{applied}");
    // What is there is found as it is written, and by nothing else.
    assert_eq!(company.house.get("/api/v1/users/Berta").0, 404);
    assert_eq!(company.house.get("/api/v1/users/berta").0, 200);
}

#[test]
fn who_is_refused_by_the_head_alone_keeps_the_connection() {
    use std::io::{Read, Write};
    let company = Company::new();
    let token = company.token("berta");
    let mut stream = std::net::TcpStream::connect(company.house.address()).expect("a connection");
    stream.set_nodelay(true).expect("set");
    let body = "x".repeat(20_000);
    let mut answered = 0;
    for _ in 0..20 {
        let head = format!(
            "POST /api/v1/pools HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("it is open");
        // The rest comes when the answer could be there already.
        for part in body.as_bytes().chunks(5_000) {
            std::thread::yield_now();
            stream.write_all(part).expect("it is open");
        }
        let mut said = Vec::new();
        while !said.windows(4).any(|part| part == b"\r\n\r\n") {
            let mut byte = [0; 1];
            stream.read_exact(&mut byte).expect("an answer");
            said.push(byte[0]);
        }
        let said = String::from_utf8_lossy(&said).to_lowercase();
        assert!(said.starts_with("http/1.1 403"), "{said}");
        let length = said.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        let mut rest = vec![0; length.trim().parse().expect("a number")];
        stream.read_exact(&mut rest).expect("the answer's body");
        answered += 1;
    }
    assert_eq!(answered, 20);
}
