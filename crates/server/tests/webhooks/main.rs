//! Webhooks over real HTTP: signed, retried, at least once, and no way into the network of the server.

#[path = "../authority/mod.rs"]
mod authority;
#[path = "../house/mod.rs"]
mod house;
mod late;
mod receiver;
mod tls;

use house::{House, PATIENCE, pause};
use receiver::{Got, Receiver};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use tidegate_engine::ids::Span;
use tidegate_server::hooks::HookLimits;
use tidegate_server::serve::Ground;

fn impatient() -> Ground {
    let hooks = HookLimits {
        timeout: Duration::from_millis(500),
        first_pause: Span(20),
        tries: 3,
        tick: Duration::from_millis(10),
        ..HookLimits::default()
    };
    Ground { hooks, ..Ground::default() }
}

fn house() -> House {
    House::on("1x8", |config| config.webhook_allow_private = true, impatient)
}

const HOOK: &str = "/api/v1/workspaces/default/webhooks/chat";

fn create(house: &House, url: &str) -> String {
    let (status, hook) = house.put(HOOK, &json!({"url": url}), None);
    assert_eq!(status, 201, "{hook}");
    hook["secret"].as_str().expect("a secret").to_string()
}

fn finish(house: &House, name: &str) {
    let spec = json!({"resources": {"gpu": 1}, "gracePeriod": "0s", "virtual": {"duration": "10ms"}});
    let (status, answer) =
        house.post("/api/v1/workloads", &json!({"metadata": {"name": name}, "spec": spec}));
    assert_eq!(status, 201, "{answer}");
    house.until(name, "finished");
}

fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let step = Duration::from_millis(10);
    for _ in 0..PATIENCE.as_millis() / step.as_millis() {
        if let Some(found) = look() {
            return found;
        }
        pause(step);
    }
    panic!("{what} did not happen");
}

/// Waits for a message of a state, and gives it.
fn delivery(house: &House, state: &str) -> Value {
    until(state, || {
        let items = house.get(&format!("{HOOK}/deliveries")).1["items"].clone();
        items.as_array()?.iter().find(|item| item["state"] == state).cloned()
    })
}

#[test]
fn a_message_is_signed_and_sent_once() {
    let (house, receiver) = (house(), Receiver::new());
    let secret = create(&house, &receiver.url());
    finish(&house, "a");
    let got = until("a message", || receiver.got().pop());
    let message = got.json();
    assert_eq!((message["event"].as_str(), message["workload"].as_str()), (Some("finished"), Some("a")));
    assert_eq!(message["workspace"], "default");
    assert!(message["number"].is_u64() && message["at"].is_string(), "{message}");
    assert!(got.head.starts_with("POST /hook?x=1 HTTP/1.1"), "{}", got.head);
    assert_eq!(got.header("x-tidegate-event"), "finished");
    verify(&secret, &got, "genuine");
    verify("tgh_other", &got, "forged");
    verify(&secret, &Got { body: got.body.replace("finished", "failed"), ..got.clone() }, "forged");
    let kept = delivery(&house, "delivered");
    assert_eq!((kept["tries"].as_u64(), kept["workload"].as_str()), (Some(1), Some("a")));
    assert_eq!(got.header("x-tidegate-delivery"), kept["id"]);
    // Nothing is sent twice without need.
    finish(&house, "b");
    until("the next message", || (receiver.got().len() > 1).then_some(()));
    assert_eq!(receiver.got().len(), 2);
}

/// Asks the program of the guide, as it is printed there.
fn verify(secret: &str, got: &Got, expected: &str) {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/audit-and-webhooks.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let (_, rest) = guide.split_once("```python\n").expect("a program");
    let (program, _) = rest.split_once("```").expect("its end");
    let ask = "\nimport sys\nsecret, header = sys.argv[1:3]\n\
        print('genuine' if is_genuine(secret, header, sys.stdin.buffer.read()) else 'forged')\n";
    let mut python = Command::new("python3")
        .args(["-c", &format!("{program}{ask}"), secret, got.header("x-tidegate-signature")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    python.stdin.take().expect("piped").write_all(got.body.as_bytes()).expect("written");
    let said = python.wait_with_output().expect("it ends").stdout;
    assert_eq!(String::from_utf8_lossy(&said).trim(), expected);
}

#[test]
fn what_nobody_takes_is_tried_again_then_dead_then_sent_again_by_hand() {
    let (house, receiver) = (house(), Receiver::new());
    create(&house, &receiver.url());
    receiver.answer("500 No");
    finish(&house, "a");
    let dead = delivery(&house, "dead");
    assert_eq!((dead["tries"].as_u64(), dead["lastError"].as_str()), (Some(3), Some("answered 500")));
    assert_eq!(receiver.got().len(), 3);
    receiver.answer("200 OK");
    let id = dead["id"].as_str().expect("an id");
    let (status, again) = house.post(&format!("{HOOK}/deliveries/{id}:retry"), &json!({}));
    assert_eq!((status, again["state"].as_str()), (200, Some("pending")), "{again}");
    assert_eq!(delivery(&house, "delivered")["id"], id);
    assert_eq!(house.post(&format!("{HOOK}/deliveries/d-999:retry"), &json!({})).0, 404);
    assert_eq!(house.post(&format!("{HOOK}/deliveries/first:retry"), &json!({})).0, 404);
}

#[test]
fn redirects_are_not_followed_and_silence_is_not_waited_for() {
    let (house, receiver, inside) = (house(), Receiver::new(), Receiver::new());
    create(&house, &receiver.url());
    receiver.answer(&format!("302 Found\r\nLocation: {}", inside.url()));
    let test = house.post(&format!("{HOOK}:test"), &json!({})).1;
    assert_eq!((test["delivered"].as_bool(), test["status"].as_u64()), (Some(false), Some(302)), "{test}");
    assert!(test["error"].as_str().is_some_and(|why| why.contains("not followed")), "{test}");
    assert!(inside.got().is_empty());
    receiver.answer("silence");
    let test = house.post(&format!("{HOOK}:test"), &json!({})).1;
    assert!(test["error"].as_str().is_some_and(|why| why.contains("no answer within 0.5")), "{test}");
    assert_eq!(receiver.got()[0].json()["event"], "test");
}

#[test]
fn only_what_is_wanted_is_told_and_only_from_then_on() {
    let (house, receiver) = (house(), Receiver::new());
    finish(&house, "before");
    let (status, _) = house.put(HOOK, &json!({"url": receiver.url(), "notices": ["failed"]}), None);
    assert_eq!(status, 201);
    finish(&house, "unwanted");
    let spec =
        json!({"resources": {"gpu": 1}, "gracePeriod": "0s", "virtual": {"duration": "10ms", "fails": 3}});
    assert_eq!(house.post("/api/v1/workloads", &json!({"metadata": {"name": "bad"}, "spec": spec})).0, 201);
    let got = until("a message", || receiver.got().pop()).json();
    assert_eq!((got["event"].as_str(), got["workload"].as_str()), (Some("failed"), Some("bad")), "{got}");
    assert_eq!(got["detail"]["exitCode"], 3);
    assert_eq!(receiver.got().len(), 1);
}

#[test]
fn who_is_preempted_is_told_by_whom_and_by_which_rule() {
    let (house, receiver) = (house(), Receiver::new());
    create(&house, &receiver.url());
    let mut root = house.get("/api/v1/quotas/main").1;
    root["spec"]["preemption"] = json!({"selfLevel": {"preemptors": "7-9", "victims": {"priorities": "1-3", "modules": ["training"]}}});
    let version = root["metadata"]["version"].as_str().expect("a version").to_string();
    let set = house.put("/api/v1/quotas/main", &root, Some(&version));
    assert_eq!(set.0, 200, "{set:?}");
    let work = |name: &str, priority: u8| {
        let spec = json!({"resources": {"gpu": 8}, "priority": priority, "gracePeriod": "0s"});
        house.post("/api/v1/workloads", &json!({"metadata": {"name": name}, "spec": spec}))
    };
    assert_eq!(work("small", 1).0, 201);
    assert_eq!(work("boss", 9).0, 201);
    let got = until("a message", || receiver.got().pop()).json();
    assert_eq!(
        (got["event"].as_str(), got["workload"].as_str()),
        (Some("preempted"), Some("small")),
        "{got}"
    );
    assert_eq!(
        (got["detail"]["by"].as_str(), got["detail"]["rule"].as_str()),
        (Some("boss"), Some("self-level")),
        "{got}"
    );
}

#[test]
fn what_waits_is_sent_after_a_restart() {
    let (mut house, receiver) = (house(), Receiver::new());
    create(&house, &receiver.url());
    receiver.answer("503 Later");
    finish(&house, "a");
    until("a try", || receiver.got().pop());
    house.close();
    receiver.answer("200 OK");
    house.open();
    let items = house.get(&format!("{HOOK}/deliveries")).1;
    let state = items["items"][0]["state"].as_str().expect("a state").to_string();
    assert!(["pending", "delivered", "dead"].contains(&state.as_str()), "{items}");
    if state == "dead" {
        let id = items["items"][0]["id"].as_str().expect("an id");
        assert_eq!(house.post(&format!("{HOOK}/deliveries/{id}:retry"), &json!({})).0, 200);
    }
    delivery(&house, "delivered");
    assert_eq!(receiver.got().last().expect("some").json()["workload"], "a");
}

#[test]
fn the_inside_of_the_network_cannot_be_reached() {
    let house = House::on("1x8", |_| (), impatient);
    for url in [
        "http://127.0.0.1/",
        "http://localhost:7070/api/v1/users",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://192.168.0.1/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "http://[fe80::1]/",
        "http://[64:ff9b::a00:1]/",
        "ftp://8.8.8.8/",
        "file:///etc/passwd",
        "http://user:word@8.8.8.8/",
        "http://8.8.8.8/#x",
        "http://8.8.8.8:0/",
        "nonsense",
        "",
        "http://no-such-name.invalid/",
    ] {
        let (status, problem) = house.put(HOOK, &json!({"url": url}), None);
        assert_eq!((status, problem["code"].as_str()), (422, Some("invalid")), "{url}: {problem}");
        assert_eq!(problem["pointers"][0]["pointer"], "/url", "{problem}");
    }
    assert_eq!(house.get("/api/v1/workspaces/default/webhooks").1, json!({"items": []}));
    assert_eq!(house.put(HOOK, &json!({"url": "http://8.8.8.8:9/x"}), None).0, 201);
}

#[test]
fn what_was_allowed_once_is_checked_at_every_delivery() {
    let receiver = Receiver::new();
    let data = tempfile::tempdir().expect("a directory");
    let path = data.path().to_path_buf();
    let keep = tempfile::tempdir().expect("a directory");
    let mut house = House::at(data, "1x8", |config| config.webhook_allow_private = true, impatient);
    create(&house, &receiver.url());
    house.close();
    // The same data with a stricter server.
    for entry in std::fs::read_dir(&path).expect("files") {
        let entry = entry.expect("a file");
        if entry.file_type().expect("a type").is_file() {
            std::fs::copy(entry.path(), keep.path().join(entry.file_name())).expect("copied");
        }
    }
    let strict = House::at(keep, "1x8", |_| (), impatient);
    let test = strict.post(&format!("{HOOK}:test"), &json!({})).1;
    assert!(test["error"].as_str().is_some_and(|why| why.contains("not a public address")), "{test}");
    finish(&strict, "a");
    let dead = delivery(&strict, "dead");
    assert!(dead["lastError"].as_str().is_some_and(|why| why.contains("not a public address")), "{dead}");
    assert!(receiver.got().is_empty());
}

#[test]
fn secrets_are_shown_once_and_webhooks_are_their_workspaces_own() {
    let (house, receiver) = (house(), Receiver::new());
    let secret = create(&house, &receiver.url());
    for path in
        [HOOK, "/api/v1/workspaces/default/webhooks", "/api/v1/audit", "/api/v1/workspaces/default/audit"]
    {
        let (status, answer) = house.get(path);
        assert_eq!(status, 200);
        assert!(!answer.to_string().contains(&secret), "{path}: {answer}");
    }
    // The query of an address is not told by the audit.
    assert!(!house.get("/api/v1/audit").1.to_string().contains("x=1"));
    let (status, changed) = house.put(HOOK, &json!({"url": receiver.url(), "notices": ["finished"]}), None);
    assert_eq!((status, changed["secret"].as_str()), (200, None), "{changed}");
    // Strangers find nothing; members without the right are told so.
    let person = |name: &str| {
        assert_eq!(house.post("/api/v1/users", &json!({"metadata": {"name": name}, "spec": {}})).0, 201);
        house.post("/api/v1/tokens", &json!({"user": name})).1["secret"]
            .as_str()
            .expect("a secret")
            .to_string()
    };
    let (stranger, developer) = (person("stranger"), person("dora"));
    let member = house.put("/api/v1/workspaces/default/members/dora", &json!({"role": "developer"}), None);
    assert!(member.0 < 300, "{member:?}");
    let deliveries = format!("{HOOK}/deliveries");
    let (test, retry) = (format!("{HOOK}:test"), format!("{deliveries}/d-1:retry"));
    let list = "/api/v1/workspaces/default/webhooks";
    let routes = [
        ("GET", list, ""),
        ("GET", HOOK, ""),
        ("PUT", HOOK, "{\"url\":\"http://8.8.8.8/\"}"),
        ("DELETE", HOOK, ""),
        ("POST", &test, "{}"),
        ("GET", &deliveries, ""),
        ("POST", &retry, "{}"),
    ];
    for (method, path, body) in routes {
        let as_one = |token: &str| {
            let token = format!("Bearer {token}");
            let body = (!body.is_empty()).then(|| body.to_string());
            house.send(method, path, body, &[("Authorization", &token)]).0
        };
        assert_eq!((as_one(&stranger), as_one(&developer)), (404, 403), "{method} {path}");
    }
    // Bad names and fields.
    for (path, body, expected) in [
        ("/api/v1/workspaces/default/webhooks/..%2Fx", json!({"url": "http://8.8.8.8/"}), 422),
        (HOOK, json!({"url": "http://8.8.8.8/", "secret": "mine"}), 422),
        (HOOK, json!({"url": "http://8.8.8.8/", "notices": ["eaten"]}), 422),
        (HOOK, json!({}), 422),
        ("/api/v1/workspaces/none/webhooks/x", json!({"url": "http://8.8.8.8/"}), 404),
    ] {
        assert_eq!(house.put(path, &body, None).0, expected, "{path} {body}");
    }
    // There is a bound, and what is deleted is gone.
    for number in 0..15 {
        let path = format!("{list}/h{number}");
        assert_eq!(house.put(&path, &json!({"url": receiver.url()}), None).0, 201);
    }
    assert_eq!(
        house.put(&format!("{list}/one-more"), &json!({"url": receiver.url()}), None).1["code"],
        "limit-exceeded"
    );
    assert_eq!(house.raw("DELETE", HOOK, "").0, 200);
    assert_eq!(house.get(HOOK).0, 404);
    assert_eq!(house.raw("DELETE", HOOK, "").0, 404);
}
