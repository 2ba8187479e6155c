//! Ways around one's rights: by accounts and their tokens, by keys, by names that somebody had before, by errors.

use super::house::{House, pause};
use super::{Company, Desk, training};
use serde_json::{Value, json};

impl Company {
    /// Somebody with a token for some actions alone.
    fn narrow(&self, desk: &Desk<'_>, actions: &[&str]) -> Desk<'_> {
        let (status, made) = desk.post("/api/v1/tokens", &json!({ "actions": actions }));
        assert_eq!(status, 201, "{made}");
        Desk { house: &self.house, token: made["secret"].as_str().expect("a secret").into() }
    }

    /// A company where what has ended leaves memory at once.
    fn forgetful() -> Company {
        Company::in_house(House::with("1x8", |c| c.retain_ended = "1ms".parse().expect("a duration")))
    }

    fn until_memory_is_empty(&self) {
        while self.house.control().read_blocking(|world| world.engine.workloads().next().is_some()) {
            pause(std::time::Duration::from_millis(5));
        }
        // Whoever reads is answered when what it saw is durable: now it is in the store.
        assert_eq!(self.house.get("/api/v1/workspaces").0, 200);
    }
}

#[test]
fn an_account_is_no_way_to_more_than_ones_own_role() {
    let company = Company::new();
    let (olga, anton) = (company.desk("olga"), company.desk("anton"));
    let accounts = "/api/v1/workspaces/workspace-b/service-accounts";
    assert_eq!(olga.post(accounts, &json!({"name": "robot", "role": "owner"})).0, 201);
    let (status, refused) = anton.post("/api/v1/tokens", &json!({"user": "robot"}));
    assert_eq!((status, refused["code"].as_str()), (403, Some("denied")), "{refused}");
    assert!(refused["detail"].as_str().is_some_and(|why| why.contains("owners")), "{refused}");
    assert_eq!(anton.get("/api/v1/tokens?user=robot").0, 403);
    let (status, made) = olga.post("/api/v1/tokens", &json!({"user": "robot"}));
    assert_eq!(status, 201, "{made}");
    let revoke = format!("/api/v1/tokens/{}", made["id"].as_str().expect("an id"));
    assert_eq!((anton.ask("DELETE", &revoke, None).0, olga.ask("DELETE", &revoke, None).0), (404, 200));
    assert_eq!(anton.post(accounts, &json!({"name": "helper", "role": "admin"})).0, 201);
    assert_eq!(anton.post("/api/v1/tokens", &json!({"user": "helper"})).0, 201);
}

#[test]
fn a_narrow_token_gives_away_no_more_than_it_is_good_for() {
    let company = Company::new();
    let narrow = company.narrow(&company.desk("olga"), &["member:update", "workspace:read", "workload:read"]);
    let set = |role: &str| {
        let path = "/api/v1/workspaces/workspace-b/members/anna";
        narrow.ask("PUT", path, Some(&json!({ "role": role })))
    };
    let (status, refused) = set("owner");
    assert_eq!(status, 403, "{refused}");
    assert!(refused["detail"].as_str().is_some_and(|why| why.contains("not good for")), "{refused}");
    assert_eq!((set("developer").0, set("guest").0), (403, 200));
    let account = json!({"name": "robot", "role": "admin"});
    assert_eq!(narrow.post("/api/v1/workspaces/workspace-b/service-accounts", &account).0, 403);
    // Nor does one for users alone make administrators, or let somebody in as one.
    let users = company.narrow(&company.desk("admin"), &["user:update", "user:read"]);
    let user = |admin: bool| json!({"metadata": {"name": "eve"}, "spec": {"platformAdmin": admin}});
    assert_eq!(
        (users.post("/api/v1/users", &user(true)).0, users.post("/api/v1/users", &user(false)).0),
        (403, 201)
    );
    assert_eq!(users.ask("PUT", "/api/v1/users/eve", Some(&user(true))).0, 403);
    assert_eq!(users.post("/api/v1/users/admin:invite", &json!({})).0, 403);
    assert_eq!(users.post("/api/v1/users/eve:invite", &json!({})).0, 201);
}

#[test]
fn a_key_repeats_its_answer_only_to_who_may_as_much() {
    let company = Company::new();
    let berta = company.desk("berta");
    let narrow = company.narrow(&berta, &["workspace:read"]);
    let body = json!({"metadata": {"name": "b1"}, "spec": {"gracePeriod": "0s"}});
    let send = |desk: &Desk<'_>| {
        let bearer = format!("Bearer {}", desk.token);
        let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "k-1")];
        company.house.send("POST", "/api/v1/workloads", Some(body.to_string()), &headers)
    };
    let first = send(&berta);
    assert_eq!(first.0, 201, "{first:?}");
    let refused = |(status, answer): (u16, Value)| {
        assert_eq!((status, answer["code"].as_str()), (422, Some("idempotency-mismatch")), "{answer}");
    };
    refused(send(&narrow));
    // Another token of the same kind gets the answer; who is no member any more does not.
    assert_eq!(send(&company.desk("berta")), first);
    let member = "/api/v1/workspaces/workspace-b/members/berta";
    assert_eq!(company.house.raw("DELETE", member, "").0, 200);
    refused(send(&berta));
    assert_eq!(company.house.put(member, &json!({"role": "guest"}), None).0, 200);
    refused(send(&berta));
    assert_eq!(company.house.put(member, &json!({"role": "developer"}), None).0, 200);
    assert_eq!(send(&berta), first);
}

#[test]
fn who_has_the_name_of_a_predecessor_does_not_have_its_past() {
    let company = Company::forgetful();
    let (berta, carla) = (company.desk("berta"), company.desk("carla"));
    for (desk, name, visibility) in [(&berta, "old", "public"), (&carla, "hers", "private")] {
        assert_eq!(desk.submit(name, json!({"resources": {"gpu": 1}, "visibility": visibility})).0, 201);
        assert_eq!(desk.post(&format!("/api/v1/workloads/{name}:stop"), &json!({})).0, 200);
    }
    company.until_memory_is_empty();
    assert_eq!((berta.get("/api/v1/workloads/old").0, carla.get("/api/v1/workloads/hers").0), (200, 200));
    let (_, events) = berta.get("/api/v1/workloads/old/events");
    let queued = &events["items"][0];
    assert_eq!((&queued["event"], &queued["queue"]), (&json!("queued"), &json!("Quota1.1")), "{events}");
    assert_eq!(company.house.raw("DELETE", "/api/v1/workspaces/workspace-b", "").0, 200);
    let room = json!({"metadata": {"name": "workspace-b"}, "spec": {"quotas": ["Quota1.1"]}});
    company.made("/api/v1/workspaces", &room);
    company.hire("nina", "workspace-b", "owner");
    assert_eq!(company.house.raw("DELETE", "/api/v1/users/carla", "").0, 200);
    company.hire("carla", "workspace-c", "developer");
    for (user, name) in [("nina", "old"), ("carla", "hers")] {
        let desk = company.desk(user);
        assert_eq!(desk.names("/api/v1/workloads"), Vec::<String>::new(), "{user}");
        for path in [format!("/api/v1/workloads/{name}"), format!("/api/v1/workloads/{name}/events")] {
            assert_eq!(desk.get(&path).0, 404, "{user} {path}");
        }
        let (status, answer) = desk.post(&format!("/api/v1/workloads/{name}:start"), &json!({}));
        assert_eq!(status, 404, "{user}: {answer}");
        assert_eq!(
            company.house.get(&format!("/api/v1/workloads/{name}")).0,
            200,
            "it is there for who sees all"
        );
    }
    let audit = company.desk("nina").get("/api/v1/workspaces/workspace-b/audit").1.to_string();
    assert!(!audit.contains("\"old\""), "{audit}");
}

#[test]
fn work_stays_whose_it_was_whoever_starts_it() {
    for past in [false, true] {
        let company = if past { Company::forgetful() } else { Company::new() };
        let (berta, otto) = (company.desk("berta"), company.desk("otto"));
        assert_eq!(berta.submit("b1", json!({"resources": {"gpu": 1}, "visibility": "private"})).0, 201);
        let again = |desk: &Desk<'_>| {
            assert_eq!(desk.post("/api/v1/workloads/b1:stop", &json!({})).0, 200);
            if past {
                company.until_memory_is_empty();
            }
            desk.post("/api/v1/workloads/b1:start", &json!({}))
        };
        let (status, started) = again(&otto);
        assert_eq!((status, started["status"]["owner"].as_str()), (201, Some("berta")), "{started}");
        assert_eq!(berta.get("/api/v1/workloads/b1").0, 200, "she sees what is private to her");
        let usage = company.desk("otto").get("/api/v1/workspaces/workspace-b/usage").1.to_string();
        assert!(usage.contains("berta") && !usage.contains("otto"), "{usage}");
        // Who has left has nothing there any more.
        let member = "/api/v1/workspaces/workspace-b/members/berta";
        assert_eq!(company.house.raw("DELETE", member, "").0, 200);
        let (status, started) = again(&otto);
        assert_eq!((status, started["status"]["owner"].as_str()), (201, Some("otto")), "{started}");
    }
}

#[test]
fn a_name_means_the_latest_work_that_one_sees() {
    for past in [false, true] {
        let company = if past { Company::forgetful() } else { Company::new() };
        let (berta, boris) = (company.desk("berta"), company.desk("boris"));
        let mut uids = Vec::new();
        for (desk, visibility) in [(&boris, "public"), (&berta, "private")] {
            let (status, made) =
                desk.submit("same", json!({"resources": {"gpu": 1}, "visibility": visibility}));
            assert_eq!(status, 201, "{made}");
            uids.push(made["metadata"]["uid"].clone());
            assert_eq!(desk.post("/api/v1/workloads/same:stop", &json!({})).0, 200);
            if past {
                company.until_memory_is_empty();
            }
        }
        for (desk, uid) in [&boris, &berta].into_iter().zip(uids) {
            let (status, found) = desk.get("/api/v1/workloads/same");
            assert_eq!((status, &found["metadata"]["uid"]), (200, &uid), "{found}");
        }
    }
}

/// An answer without what differs from request to request, and with one name in place of another.
fn renamed((status, mut answer): (u16, Value), from: &str, to: &str) -> (u16, String) {
    if let Some(fields) = answer.as_object_mut() {
        fields.retain(|key, _| key != "requestId" && key != "instance");
    }
    (status, answer.to_string().replace(from, to))
}

#[test]
fn errors_do_not_tell_what_is_there() {
    let company = Company::new();
    let (anton, carla) = (company.desk("anton"), company.desk("carla"));
    assert_eq!(carla.submit("c-train", training(1)).0, 201);
    let manifest = |kind: &str, name: &str, spec: Value| json!({"manifests": [{"apiVersion": "tidegate.dev/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}]});
    let room = |spec: Value| json!({"metadata": {"name": "workspace-b"}, "spec": spec});
    type Ask = (&'static str, String, Option<Value>);
    let asked = |quota: &str, other: &str, work: &str| -> Vec<Ask> {
        let workload = |spec: Value| Some(json!({"metadata": {"name": "x"}, "spec": spec}));
        let path = |path: &str| format!("/api/v1/{path}");
        let b = path("workspaces/workspace-b");
        vec![
            ("PUT", b.clone(), Some(room(json!({"quotas": ["Quota1.1", quota]})))),
            ("PUT", b.clone(), Some(room(json!({"quotas": ["Quota1.1"], "defaultQuota": quota})))),
            ("POST", path("apply"), Some(manifest("Workspace", other, json!({})))),
            ("POST", path("apply"), Some(manifest("Workspace", other, json!({"quotas": [quota]})))),
            ("POST", path("apply"), Some(manifest("Workspace", "workspace-b", json!({"quotas": [quota]})))),
            ("POST", path("apply"), Some(manifest("Workload", work, json!({"workspace": other})))),
            ("POST", path("apply"), Some(manifest("Workload", "x", json!({"quota": quota})))),
            (
                "POST",
                path("apply"),
                Some(manifest("Quota", quota, json!({"parent": "Quota1", "guarantee": {"gpu": 1}}))),
            ),
            (
                "POST",
                path("apply"),
                Some(manifest("Template", "t", json!({"workspace": other, "command": ["true"]}))),
            ),
            ("POST", path("workloads"), workload(json!({"quota": quota}))),
            ("POST", path("workloads"), workload(json!({"workspace": other}))),
            ("POST", path("tasks"), Some(json!({"template": "t", "workspace": other}))),
            ("POST", path("templates"), workload(json!({"workspace": other, "command": ["true"]}))),
            ("PUT", format!("{b}/policies/{quota}"), Some(json!({"spec": {}}))),
            ("GET", format!("{b}/policies/{quota}"), None),
            ("GET", path(&format!("quotas/{quota}")), None),
            ("GET", path(&format!("quotas/{quota}/queue")), None),
            ("GET", path(&format!("quotas/{quota}/history")), None),
            (
                "PUT",
                path(&format!("quotas/{quota}")),
                Some(manifest("Quota", quota, json!({}))["manifests"][0].clone()),
            ),
            ("GET", path(&format!("workspaces/{other}")), None),
            ("GET", path(&format!("workspaces/{other}/members")), None),
            ("DELETE", path(&format!("workspaces/{other}")), None),
            ("POST", path(&format!("workspaces/{other}:attach")), Some(json!({"quota": quota}))),
            ("GET", path(&format!("workloads/{work}")), None),
            ("GET", path(&format!("workloads?workspace={other}")), None),
            ("GET", path(&format!("usage?workspace={other}")), None),
            ("GET", path(&format!("bills?workspace={other}")), None),
            ("GET", path(&format!("templates?workspace={other}")), None),
            ("POST", path(&format!("workloads/{work}:stop?workspace={other}")), None),
        ]
    };
    let foreign = asked("Quota1.2", "workspace-c", "c-train");
    let absent = asked("Quota9.9", "workspace-9", "9-train");
    for ((method, path, body), (_, nowhere, nothing)) in foreign.into_iter().zip(absent) {
        let there = anton.ask(method, &path, body.as_ref());
        let not_there = anton.ask(method, &nowhere, nothing.as_ref());
        let not_there = renamed(not_there, "Quota9.9", "Quota1.2");
        let not_there =
            (not_there.0, not_there.1.replace("workspace-9", "workspace-c").replace("9-train", "c-train"));
        assert_eq!(renamed(there, "", ""), not_there, "{method} {path}");
    }
}

#[test]
fn names_of_users_and_accounts_are_one_list() {
    let company = Company::new();
    let accounts = |room: &str| format!("/api/v1/workspaces/{room}/service-accounts");
    company.made(&accounts("workspace-c"), &json!({"name": "c-robot", "role": "guest"}));
    let anton = company.desk("anton");
    let take = |name: &str| anton.post(&accounts("workspace-b"), &json!({"name": name, "role": "guest"}));
    let (person, account) = (take("carla"), take("c-robot"));
    assert_eq!((person.0, person.1["code"].as_str()), (409, Some("name-taken")), "{person:?}");
    assert_eq!(renamed(person, "carla", "c-robot"), renamed(account, "", ""), "whose it is is not told");
    // Beyond that nobody learns of an account elsewhere.
    for (method, path) in [
        ("PUT", "/api/v1/workspaces/workspace-b/members/c-robot"),
        ("DELETE", "/api/v1/workspaces/workspace-b/service-accounts/c-robot"),
    ] {
        let body = (method == "PUT").then(|| json!({"role": "guest"}));
        let there = anton.ask(method, path, body.as_ref());
        let absent = anton.ask(method, &path.replace("c-robot", "9-robot"), body.as_ref());
        assert_eq!(renamed(there, "", ""), renamed(absent, "9-robot", "c-robot"), "{method} {path}");
    }
}

#[test]
fn a_preview_of_ones_own_work_names_it() {
    let company = Company::new();
    let berta = company.desk("berta");
    let would = |answer: (u16, Value)| {
        assert_eq!(answer.0, 200, "{answer:?}");
        let lines = answer.1["would"].as_array().expect("lines").clone();
        lines.iter().map(|line| line["workload"].as_str().unwrap_or("none").to_string()).collect::<Vec<_>>()
    };
    let new = |name: &str| json!({"metadata": {"name": name}, "spec": {"gracePeriod": "0s", "resources": {"gpu": 1}}});
    let made = berta.post("/api/v1/workloads?dryRun=true", &new("b1"));
    assert!(!made.1.to_string().contains("of another workspace"), "{made:?}");
    assert_eq!(would(made), ["b1", "b1"]);
    assert_eq!(berta.post("/api/v1/workloads", &new("b1")).0, 201);
    assert_eq!(berta.post("/api/v1/workloads/b1:stop", &json!({})).0, 200);
    company.house.until("b1", "stopped");
    let deleted = berta.ask("DELETE", "/api/v1/workloads/b1?dryRun=true", None);
    assert!(would(deleted.clone()).iter().all(|name| name == "b1"), "{deleted:?}");
    assert_eq!(deleted.1["result"]["metadata"]["name"], "b1", "{deleted:?}");
}

#[test]
fn a_token_is_refused_for_what_it_is_not_good_for_and_told_so() {
    let company = Company::new();
    let narrow = company.narrow(&company.desk("berta"), &["workload:read"]);
    for (path, action) in [
        ("/api/v1/tokens", "self:update"),
        ("/api/v1/quotas", "quota:read"),
        ("/api/v1/quotas:tree", "quota:read"),
        ("/api/v1/quotas/Quota1.1", "quota:read"),
        ("/api/v1/quotas/Quota1.1/queue", "quota:read"),
        ("/api/v1/quotas/Quota1.2", "quota:read"),
        ("/api/v1/quotas/Quota9.9", "quota:read"),
    ] {
        let (status, refused) = narrow.get(path);
        assert_eq!(status, 403, "{path}: {refused}");
        let why = format!("this token is not good for {action}");
        assert_eq!(refused["detail"], why, "{path}: {refused}");
    }
}

#[test]
fn lists_of_the_past_show_to_each_what_they_may_see() {
    let company = Company::forgetful();
    let (berta, boris, otto) = (company.desk("berta"), company.desk("boris"), company.desk("otto"));
    for (desk, name, visibility) in [
        (&berta, "one", "public"),
        (&berta, "two", "private"),
        (&boris, "three", "public"),
        (&boris, "four", "private"),
        (&company.desk("carla"), "c-wait", "public"),
    ] {
        let spec = json!({"visibility": visibility, "virtual": {"duration": "1ms"}});
        assert_eq!(desk.submit(name, spec).0, 201);
    }
    company.until_memory_is_empty();
    let list = "/api/v1/workloads";
    assert_eq!(berta.names(list), ["three", "two", "one"]);
    assert_eq!(boris.names(list), ["four", "three", "one"]);
    assert_eq!(otto.names(list), ["four", "three", "two", "one"]);
    assert_eq!(company.desk("gustav").names(list), ["three", "one"]);
    assert_eq!(company.desk("admin").names(list), ["c-wait", "four", "three", "two", "one"]);
    let of_b = "/api/v1/workloads?workspace=workspace-b";
    assert_eq!(company.desk("admin").names(of_b), ["four", "three", "two", "one"]);
    assert_eq!(company.desk("carla").names(of_b), [] as [&str; 0]);
    // Page by page it is the same.
    let (mut paged, mut path) = (Vec::new(), "/api/v1/workloads?limit=1".to_string());
    loop {
        paged.extend(berta.names(&path));
        let Some(next) = berta.get(&path).1["nextPageToken"].as_str().map(str::to_string) else { break };
        path = format!("/api/v1/workloads?limit=1&pageToken={next}");
    }
    assert_eq!(paged, ["three", "two", "one"]);
}
