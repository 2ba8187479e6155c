//! Users, roles, service accounts and tokens.

use super::Company;
use serde_json::json;

#[test]
fn nobody_gets_more_than_who_gives_has() {
    let company = Company::new();
    let (anton, olga, berta) = (company.desk("anton"), company.desk("olga"), company.desk("berta"));
    let set = |desk: &super::Desk<'_>, user: &str, role: &str| {
        desk.ask(
            "PUT",
            &format!("/api/v1/workspaces/workspace-b/members/{user}"),
            Some(&json!({"role": role})),
        )
    };
    assert_eq!(set(&berta, "berta", "owner").0, 403, "nobody promotes themselves");
    assert_eq!(set(&anton, "anton", "owner").0, 403);
    assert_eq!(set(&anton, "olga", "guest").0, 403, "owners are unmade by owners");
    assert_eq!(set(&anton, "berta", "admin").0, 200);
    assert_eq!(set(&olga, "berta", "owner").0, 200);
    assert_eq!(set(&olga, "nobody", "guest").0, 404);
    let (status, refused) = set(&olga, "berta", "emperor");
    assert_eq!((status, refused["code"].as_str()), (422, Some("unknown-reference")), "{refused}");
    assert_eq!(set(&olga, "olga", "guest").0, 200, "there is another owner");
    let (status, refused) = set(&company.desk("berta"), "berta", "guest");
    assert_eq!(
        (status, refused["code"].as_str()),
        (409, Some("wrong-state")),
        "the last owner stays: {refused}"
    );
    for user in ["berta", "boris"] {
        let path = format!("/api/v1/users/{user}");
        let body = json!({"metadata": {"name": user}, "spec": {"platformAdmin": true}});
        assert_eq!(berta.ask("PUT", &path, Some(&body)).0, 403, "{user}");
    }
}

#[test]
fn roles_are_sets_of_actions() {
    let company = Company::new();
    let auditor = json!({"name": "auditor", "actions": ["workload:read", "audit:read", "workspace:read"]});
    company.made("/api/v1/roles", &auditor);
    for (body, code) in [
        (json!({"name": "auditor", "actions": ["workload:read"]}), "name-taken"),
        (json!({"name": "owner", "actions": ["workload:read"]}), "name-taken"),
        (json!({"name": "x", "actions": ["workload:eat"]}), "invalid"),
        (json!({"name": "x", "actions": ["quota:update"]}), "invalid"),
        (json!({"name": "x", "actions": []}), "invalid"),
    ] {
        assert_eq!(company.house.post("/api/v1/roles", &body).1["code"], code, "{body}");
    }
    let set = json!({"role": "auditor"});
    assert_eq!(company.house.put("/api/v1/workspaces/workspace-b/members/boris", &set, None).0, 200);
    let (berta, boris) = (company.desk("berta"), company.desk("boris"));
    assert_eq!(berta.submit("b1", json!({})).0, 201);
    assert_eq!(boris.names("/api/v1/workloads"), ["b1"]);
    assert_eq!(boris.submit("b2", json!({})).0, 403);
    let less = json!({"name": "auditor", "actions": ["workspace:read"]});
    assert_eq!(company.house.put("/api/v1/roles/auditor", &less, None).0, 200);
    assert_eq!(boris.names("/api/v1/workloads"), Vec::<String>::new(), "it counts at once");
    assert_eq!(company.house.raw("DELETE", "/api/v1/roles/auditor", "").0, 409, "somebody has it");
    assert_eq!(company.house.raw("DELETE", "/api/v1/roles/owner", "").0, 409);
    assert_eq!(company.house.raw("DELETE", "/api/v1/workspaces/workspace-b/members/boris", "").0, 200);
    assert_eq!(company.house.raw("DELETE", "/api/v1/roles/auditor", "").0, 200);
    assert_eq!(boris.submit("b2", json!({})).0, 422, "no member of anything");
}

#[test]
fn a_token_is_shown_once_narrow_and_revocable() {
    let company = Company::new();
    let berta = company.desk("berta");
    let (status, made) =
        berta.post("/api/v1/tokens", &json!({"name": "ci", "actions": ["workload:read"], "expiresIn": "1h"}));
    assert_eq!(status, 201, "{made}");
    let secret = made["secret"].as_str().expect("a secret").to_string();
    let narrow = super::Desk { house: &company.house, token: secret.clone() };
    assert_eq!(narrow.names("/api/v1/workloads"), Vec::<String>::new());
    assert_eq!(narrow.submit("b1", json!({})).0, 403);
    let (status, wider) = narrow.post("/api/v1/tokens", &json!({"actions": ["workload:submit"]}));
    assert_eq!(status, 403, "{wider}");
    // One that is good for something else sees no work, running or ended.
    let other = json!({"actions": ["workspace:read"]});
    let other = berta.post("/api/v1/tokens", &other).1["secret"].as_str().expect("a secret").to_string();
    let other = super::Desk { house: &company.house, token: other };
    assert_eq!(berta.submit("seen", json!({})).0, 201);
    for path in ["/api/v1/workloads", "/api/v1/workloads/seen", "/api/v1/workloads/seen:explain"] {
        assert_eq!((narrow.get(path).0, other.get(path).0), (200, 403), "{path}");
    }
    // Nor does one for quotas read who waits there, whoever it belongs to.
    for name in ["all-of-it", "secret-wait"] {
        assert_eq!(berta.submit(name, json!({"resources": {"gpu": 8}, "replicas": 6})).0, 201);
    }
    let queue = "/api/v1/quotas/Quota1.1/queue";
    assert!(berta.get(queue).1.to_string().contains("secret-wait"), "it waits: {}", berta.get(queue).1);
    for user in [&berta, &company.desk("admin")] {
        let quotas = user.post("/api/v1/tokens", &json!({"actions": ["quota:read"]})).1;
        let token = quotas["secret"].as_str().expect("a secret").to_string();
        let (status, seen) = super::Desk { house: &company.house, token }.get(queue);
        assert_eq!((status, seen["items"].as_array().map(Vec::len)), (200, Some(1)), "{seen}");
        assert!(!seen.to_string().contains("secret-wait") && !seen.to_string().contains("berta"), "{seen}");
    }
    let listed = berta.get("/api/v1/tokens").1.to_string();
    assert!(!listed.contains(&secret) && listed.contains("ci"), "{listed}");
    assert_eq!(company.desk("boris").get("/api/v1/tokens?user=berta").0, 403);
    let revoke = format!("/api/v1/tokens/{}", made["id"].as_str().expect("an id"));
    assert_eq!(company.desk("boris").ask("DELETE", &revoke, None).0, 404);
    assert_eq!(berta.ask("DELETE", &revoke, None).0, 200);
    assert_eq!(narrow.get("/api/v1/whoami").0, 401);
    assert_eq!(berta.ask("DELETE", &revoke, None).0, 404);
    // Nowhere in the data directory does a secret lie in the clear.
    let database = std::fs::read(company.house.data().join("tidegate.db")).expect("the store");
    let wal = std::fs::read(company.house.data().join("tidegate.db-wal")).unwrap_or_default();
    let found = |bytes: &[u8]| bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
    assert!(!found(&database) && !found(&wal));
}

#[test]
fn service_accounts_act_in_their_workspace_alone() {
    let company = Company::new();
    let (anton, berta) = (company.desk("anton"), company.desk("berta"));
    let account = json!({"name": "ci-b", "role": "developer"});
    assert_eq!(berta.post("/api/v1/workspaces/workspace-b/service-accounts", &account).0, 403);
    assert_eq!(anton.post("/api/v1/workspaces/workspace-b/service-accounts", &account).0, 201);
    assert_eq!(anton.post("/api/v1/workspaces/workspace-b/service-accounts", &account).0, 409);
    assert_eq!(anton.post("/api/v1/workspaces/workspace-c/service-accounts", &account).0, 404);
    let owner = json!({"name": "ci-o", "role": "owner"});
    assert_eq!(anton.post("/api/v1/workspaces/workspace-b/service-accounts", &owner).0, 403);
    assert_eq!(berta.post("/api/v1/tokens", &json!({"user": "ci-b"})).0, 403);
    let (status, token) = anton.post("/api/v1/tokens", &json!({"user": "ci-b"}));
    assert_eq!(status, 201, "{token}");
    let ci = super::Desk { house: &company.house, token: token["secret"].as_str().expect("a secret").into() };
    assert_eq!(ci.submit("built", json!({})).0, 201);
    let elsewhere = "/api/v1/workspaces/workspace-c/members/ci-b";
    assert_eq!(company.house.put(elsewhere, &json!({"role": "guest"}), None).0, 404);
    assert_eq!(anton.ask("DELETE", "/api/v1/workspaces/workspace-b/service-accounts/ci-b", None).0, 200);
    assert_eq!(ci.get("/api/v1/whoami").0, 401);
    assert_eq!(anton.names("/api/v1/workloads"), ["built"], "its work stays");
}

#[test]
fn whoever_is_disabled_or_removed_is_out_at_once() {
    let company = Company::new();
    let berta = company.desk("berta");
    assert_eq!(berta.submit("b1", json!({})).0, 201);
    let disable = json!({"metadata": {"name": "berta"}, "spec": {"disabled": true}});
    assert_eq!(company.house.put("/api/v1/users/berta", &disable, None).0, 200);
    assert_eq!(berta.get("/api/v1/whoami").0, 401);
    let admin = json!({"metadata": {"name": "admin"}, "spec": {"disabled": true}});
    assert_eq!(company.house.put("/api/v1/users/admin", &admin, None).0, 409);
    assert_eq!(company.house.raw("DELETE", "/api/v1/users/admin", "").0, 409);
    assert_eq!(company.house.raw("DELETE", "/api/v1/users/berta", "").0, 200);
    assert_eq!(company.house.raw("DELETE", "/api/v1/users/berta", "").0, 404);
    let (status, refused) = company.house.raw("DELETE", "/api/v1/users/olga", "");
    assert_eq!((status, refused["code"].as_str()), (409, Some("wrong-state")), "the last owner: {refused}");
    assert_eq!(company.desk("otto").names("/api/v1/workloads"), ["b1"], "its work stays");
}

#[test]
fn what_is_replaced_is_what_was_read() {
    let company = Company::new();
    let house = &company.house;
    assert_eq!(house.post("/api/v1/roles", &json!({"name": "student", "actions": ["workload:read"]})).0, 201);
    let hook = "/api/v1/workspaces/workspace-b/webhooks/chat";
    assert_eq!(house.put(hook, &json!({"url": "http://8.8.8.8:9/"}), None).0, 201);
    let room =
        json!({"metadata": {"name": "workspace-b"}, "spec": {"description": "x", "quotas": ["Quota1.1"]}});
    let user = json!({"metadata": {"name": "berta"}, "spec": {"disabled": true}});
    for (path, body) in [
        ("/api/v1/workspaces/workspace-b", room),
        ("/api/v1/users/berta", user),
        ("/api/v1/roles/student", json!({"name": "student", "actions": ["workload:open"]})),
        (hook, json!({"url": "http://8.8.8.8:10/"})),
        ("/api/v1/workspaces/workspace-b/members/boris", json!({"role": "guest"})),
    ] {
        let read = if path.ends_with("boris") { hook } else { path };
        let bearer = format!("Bearer {}", house.token());
        let request = ureq::http::Request::get(house.url(read)).header("Authorization", &bearer);
        let answer = ureq::run(request.body(()).expect("a request")).expect("an answer");
        let tag = answer.headers().get("etag").and_then(|tag| tag.to_str().ok()).expect("a version");
        let version = tag.trim_matches('"').to_string();
        assert_eq!(house.put(path, &body, Some("1")).1["code"], "stale-version", "{path}");
        assert_eq!(house.put(path, &body, Some(&version)).0, 200, "{path}");
        // That was it: now it is another.
        assert_eq!(house.put(path, &body, Some(&version)).0, 412, "{path}");
        // Whoever says nothing does not care.
        assert_eq!(house.put(path, &body, None).0, 200, "{path}");
    }
    // An owner stays one, as often as it is said.
    let olga = "/api/v1/workspaces/workspace-b/members/olga";
    assert_eq!(house.put(olga, &json!({"role": "owner"}), None).0, 200);
    assert_eq!(house.put(olga, &json!({"role": "guest"}), None).1["code"], "wrong-state");
}
