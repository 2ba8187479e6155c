//! What tasks on shared compute cost and what dedicated compute costs, budgets that tell of it and stop tasks, advice.

mod house;

use house::{House, PATIENCE};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;
use tidegate_server::serve::Ground;

/// 2026-01-10T00:00:00Z, in milliseconds.
const BEGIN: u64 = 1_768_003_200_000;
const SECOND: u64 = 1_000;
const DAY: u64 = 86_400 * SECOND;
/// Of a task that is cancelled.
const GRACE: u64 = 5 * SECOND;

/// Time, set by hand; the tests of this file share it.
fn hand() -> Arc<AtomicU64> {
    static HAND: OnceLock<Arc<AtomicU64>> = OnceLock::new();
    HAND.get_or_init(|| Arc::new(AtomicU64::new(BEGIN))).clone()
}

/// One test at a time moves the clock.
static TURN: Mutex<()> = Mutex::new(());

struct Shop {
    house: House,
    _turn: MutexGuard<'static, ()>,
}

fn made(house: &House, path: &str, body: &Value) -> Value {
    let (status, answer) = house.post(path, body);
    assert_eq!(status, 201, "{path} {body}: {answer}");
    answer
}

impl Shop {
    /// Shared compute of four GPUs, of which two cost 0.002 a second, and four for dedicated compute.
    fn new() -> Shop {
        let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        hand().store(BEGIN, Ordering::Relaxed);
        let house = House::on("1x8", |_| (), || Ground { clock: Some(hand()), ..Ground::default() });
        let quota = json!({"metadata": {"name": "shared"}, "spec": {"parent": "main", "guarantee": {"gpu": 4},
            "queue": {"strategy": "fair"}, "shared": true}});
        made(&house, "/api/v1/quotas", &quota);
        let supply = json!({"parent": "main", "guarantee": {"gpu": 4}, "dedicated": true});
        made(&house, "/api/v1/quotas", &json!({"metadata": {"name": "reserve"}, "spec": supply}));
        let template = json!({"metadata": {"name": "sum"}, "spec": {"resources": {"gpu": 2, "cpu": 1}}});
        made(&house, "/api/v1/templates", &template);
        let prices = json!({"shared": {"gpu": {"virtual": "3.60"}, "cpu": "0.36", "memory": "0"},
            "reserved": {"gpu": {"virtual": "1.80"}}});
        let spec = json!({"currency": "EUR", "validFrom": "2026-01-01T00:00:00Z", "prices": prices});
        made(&house, "/api/v1/prices", &json!({"metadata": {"name": "default"}, "spec": spec}));
        Shop { house, _turn: turn }
    }

    fn pass(&self, ms: u64) {
        hand().fetch_add(ms, Ordering::Relaxed);
    }

    fn task(&self) -> (u16, Value) {
        self.house.post("/api/v1/tasks", &json!({"template": "sum", "workspace": "default"}))
    }

    fn get(&self, path: &str) -> Value {
        let (status, answer) = self.house.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    fn set(&self, amount: &str, stop: bool) -> (u16, Value) {
        let token = format!("Bearer {}", self.house.token());
        let headers = [("Authorization", token.as_str()), ("If-Match", "*")];
        let body = json!({"amount": amount, "stop": stop}).to_string();
        self.house.send("PUT", "/api/v1/budgets/default", Some(body), &headers)
    }

    /// Cancels a task that has run for so long when it is gone: it uses all of its grace.
    fn cancel_after(&self, name: &str, ms: u64) {
        self.pass(ms - GRACE);
        assert_eq!(self.house.post(&format!("/api/v1/tasks/{name}:cancel"), &json!({})).0, 200);
        self.pass(GRACE);
        let mut waited = Duration::ZERO;
        while self.get(&format!("/api/v1/tasks/{name}"))["state"] != "cancelled" {
            assert!(waited < PATIENCE, "it does not end");
            house::pause(Duration::from_millis(50));
            waited += Duration::from_millis(50);
        }
    }

    /// Waits until the budget is what is wanted.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut waited = Duration::ZERO;
        loop {
            let budget = self.get("/api/v1/budgets/default");
            if wanted(&budget) {
                return budget;
            }
            assert!(waited < PATIENCE, "{budget}");
            house::pause(Duration::from_millis(50));
            waited += Duration::from_millis(50);
        }
    }
}

fn levels(budget: &Value) -> Vec<u64> {
    budget["alerts"].as_array().into_iter().flatten().filter_map(|alert| alert["percent"].as_u64()).collect()
}

#[test]
fn a_task_on_shared_compute_costs_its_record_times_the_price() {
    let shop = Shop::new();
    let (status, task) = shop.task();
    assert_eq!((status, &task["state"]), (201, &json!("running")), "{task}");
    let name = task["name"].as_str().expect("a name");
    shop.cancel_after(name, 90 * SECOND);
    shop.pass(3_600 * SECOND);
    let records = shop.get("/api/v1/usage/records?mode=shared");
    let records = records["items"].as_array().expect("records");
    assert_eq!(records.len(), 1, "{records:?}");
    let gpus = &records[0];
    assert_eq!(
        (&gpus["amount"], &gpus["quantity"], &gpus["template"], &gpus["kind"], &gpus["open"]),
        (&json!(2.0), &json!("180000000"), &json!("sum@1"), &json!("work"), &json!(false)),
        "{gpus}"
    );
    let bill = shop.get("/api/v1/bills?workspace=default&expand=true");
    // 2 GPUs for 90 s at 3.60 an hour.
    let line = &bill["lines"][0];
    assert_eq!((&line["cost"], &line["records"][0]["id"]), (&json!("0.18"), &gpus["id"]), "{bill}");
    assert_eq!((&bill["due"], &bill["showback"]), (&json!("0.18"), &json!("0.00")), "{bill}");
    // A price of later changes nothing of it.
    let token = format!("Bearer {}", shop.house.token());
    let spec = json!({"currency": "EUR", "prices": {"shared": {"gpu": {"virtual": "9"}, "cpu": "9", "memory": "9"}}});
    let body = json!({"metadata": {"name": "default"}, "spec": spec}).to_string();
    let headers = [("Authorization", token.as_str()), ("If-Match", "*")];
    assert_eq!(shop.house.send("PUT", "/api/v1/prices/default", Some(body), &headers).0, 200);
    shop.pass(SECOND);
    assert_eq!(shop.get("/api/v1/bills?workspace=default")["due"], "0.18");
}

#[test]
fn reserved_compute_costs_its_time_used_or_not_and_work_there_nothing_more() {
    let shop = Shop::new();
    let reserved = json!({"size": {"gpu": 4}, "end": "2026-01-10T01:00:00Z"});
    let body = json!({"workspace": "default", "reason": "a test", "reserved": reserved});
    let request = made(&shop.house, "/api/v1/resource-requests", &body);
    let path = format!("/api/v1/resource-requests/{}:approve", request["id"].as_str().expect("an id"));
    let (status, approved) = shop.house.post(&path, &json!({}));
    assert_eq!(status, 200, "{approved}");
    let config = approved["config"].as_str().expect("a config").to_string();
    let task = json!({"template": "sum", "name": "t", "workspace": "default"});
    let header = [("X-Tidegate-Resource-Config", config.as_str())];
    let (status, task) = shop.house.post_with("/api/v1/tasks", &task, &header);
    assert_eq!(status, 201, "{task}");
    shop.cancel_after("t", 60 * SECOND);
    // Half of it: what goes on is counted up to now.
    shop.pass(1_740 * SECOND);
    let bill = |query: &str| shop.get(&format!("/api/v1/bills?workspace=default{query}"));
    assert_eq!(bill("")["due"], "3.60", "4 GPUs for half an hour at 1.80");
    shop.pass(3 * 3_600 * SECOND);
    let whole = bill(&format!("&config={config}&expand=true"));
    assert_eq!(
        (&whole["due"], whole["lines"].as_array().map(Vec::len)),
        (&json!("7.20"), Some(1)),
        "{whole}"
    );
    let line = &whole["lines"][0];
    assert_eq!((&line["mode"], &line["config"]), (&json!("reserved"), &json!(config)), "{line}");
    let record = &line["records"][0];
    assert_eq!(
        (&record["kind"], &record["from"], &record["to"], record.get("workload")),
        (&json!("capacity"), &json!("2026-01-10T00:00:00Z"), &json!("2026-01-10T01:00:00Z"), None),
        "{record}"
    );
    let sums = shop.get(&format!("/api/v1/usage?groupBy=config,mode&config={config}"));
    let hours = |kind: &str| {
        let items = sums["items"].as_array().expect("sums");
        items.iter().find(|sum| sum["kind"] == kind).and_then(|sum| sum["hours"].as_f64())
    };
    assert_eq!((hours("capacity"), hours("work")), (Some(4.0), Some(0.033333)), "{sums}");
    let (status, _) = shop.house.get("/api/v1/bills?config=rc-99");
    assert_eq!(status, 404);
}

#[test]
fn advice_replays_what_there_was() {
    let shop = Shop::new();
    let none = shop.get("/api/v1/advice?workspace=default");
    assert_eq!((&none["tasks"], &none["ways"]), (&json!(0), &json!([])), "{none}");
    let (_, task) = shop.task();
    let name = task["name"].as_str().expect("a name");
    shop.cancel_after(name, 3_600 * SECOND);
    shop.pass(SECOND);
    let advice = shop.get("/api/v1/advice?workspace=default&weeks=1");
    assert_eq!((&advice["tasks"], &advice["best"]), (&json!(1), &json!("shared")), "{advice}");
    let ways = advice["ways"].as_array().expect("ways");
    let costs: Vec<&Value> = ways.iter().map(|way| &way["cost"]).collect();
    // 2 GPUs for an hour at 3.60; for a week at 1.80; by usage has no price.
    assert_eq!(costs, [&json!("7.20"), &json!("604.80"), &Value::Null], "{advice}");
    assert!(ways[2]["problem"].as_str().is_some_and(|why| why.contains("byUsage")), "{advice}");
    for (path, status) in [
        ("/api/v1/advice", 400),
        ("/api/v1/advice?workspace=default&weeks=0", 400),
        ("/api/v1/advice?workspace=default&weeks=13", 400),
        ("/api/v1/advice?workspace=nobodys", 404),
        ("/api/v1/advice?workspace=default&book=none", 404),
    ] {
        assert_eq!(shop.house.get(path).0, status, "{path}");
    }
}

#[test]
fn a_budget_tells_at_each_level_once_and_stops_shared_tasks_until_the_month_is_over() {
    let shop = Shop::new();
    for wrong in ["0", "-1", "0.001", "much", ""] {
        assert_eq!(shop.set(wrong, true).0, 422, "{wrong:?}");
    }
    let (status, dry) = shop.house.send(
        "PUT",
        "/api/v1/budgets/default?dryRun=true",
        Some(json!({"amount": "0.36"}).to_string()),
        &[("Authorization", &format!("Bearer {}", shop.house.token()))],
    );
    assert_eq!(status, 200, "{dry}");
    assert_eq!(shop.house.get("/api/v1/budgets/default").0, 404, "a dry run sets nothing");
    let (status, budget) = shop.set("0.36", true);
    assert_eq!((status, &budget["amount"], &budget["stop"]), (201, &json!("0.36"), &json!(true)), "{budget}");
    assert_eq!(shop.task().0, 201);
    // 90 s: 0.18 is 50 %; 150 s: 0.30 is 83 %; 210 s: 0.42 of one task is 116 %.
    shop.pass(90 * SECOND);
    let half = shop.until(|budget| levels(budget) == [50]);
    assert_eq!((&half["spent"], &half["percent"]), (&json!("0.18"), &json!(50.0)), "{half}");
    shop.pass(60 * SECOND);
    shop.until(|budget| levels(budget) == [50, 80]);
    assert_eq!(shop.task().0, 201, "there is some left");
    shop.pass(60 * SECOND);
    let spent = shop.until(|budget| levels(budget) == [50, 80, 100]);
    assert_eq!(spent["exhausted"], true, "{spent}");
    let (status, problem) = shop.task();
    assert_eq!((status, problem["code"].as_str()), (402, Some("budget-exhausted")), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("of its 0.36 EUR")), "{problem}");

    // Another amount counts at once, and only telling is not stopping.
    assert_eq!(shop.set("100", true).0, 200);
    assert_eq!(shop.task().0, 201);
    assert_eq!(shop.set("0.36", false).0, 200);
    shop.pass(60 * SECOND);
    shop.until(|budget| levels(budget) == [50, 80, 100]);
    assert_eq!(shop.task().0, 201, "it does not stop");
    assert_eq!(shop.set("0.36", true).0, 200);
    assert_eq!(shop.task().0, 402, "what was spent is known");
    shop.pass(22 * DAY);
    assert_eq!(shop.task().0, 201, "the next month begins anew");
}

#[test]
fn budgets_are_set_by_the_platform_and_seen_by_those_who_see_what_is_used() {
    let shop = Shop::new();
    let house = &shop.house;
    made(house, "/api/v1/workspaces", &json!({"metadata": {"name": "one"}, "spec": {"quotas": ["main"]}}));
    let person = |name: &str, role: &str| {
        made(house, "/api/v1/users", &json!({"metadata": {"name": name}, "spec": {}}));
        let path = format!("/api/v1/workspaces/one/members/{name}");
        assert!(house.put(&path, &json!({"role": role}), None).0 < 300);
        let token = made(house, "/api/v1/tokens", &json!({"user": name}));
        format!("Bearer {}", token["secret"].as_str().expect("a secret"))
    };
    let (anna, dora) = (person("anna", "admin"), person("dora", "developer"));
    let send = |token: &str, method: &str, path: &str, body: Option<Value>| {
        house.send(method, path, body.map(|body| body.to_string()), &[("Authorization", token)])
    };
    let admin = format!("Bearer {}", house.token());
    let new = json!({"amount": "500"});
    assert_eq!(send(&anna, "PUT", "/api/v1/budgets/one", Some(new.clone())).0, 403);
    assert_eq!(send(&admin, "PUT", "/api/v1/budgets/one", Some(new.clone())).0, 201);
    assert_eq!(send(&admin, "PUT", "/api/v1/budgets/one", Some(new.clone())).0, 428, "there is one");
    assert_eq!(send(&admin, "PUT", "/api/v1/budgets/none", Some(new.clone())).0, 404);
    let unknown = json!({"amount": "500", "priceBook": "none"});
    assert_eq!(send(&admin, "PUT", "/api/v1/budgets/default", Some(unknown)).0, 422);
    let (status, seen) = send(&anna, "GET", "/api/v1/budgets/one", None);
    assert_eq!((status, &seen["spent"], &seen["setBy"]), (200, &json!("0.00"), &json!("admin")), "{seen}");
    assert!([403, 404].contains(&send(&dora, "GET", "/api/v1/budgets/one", None).0));
    let count = |token: &str| send(token, "GET", "/api/v1/budgets", None).1["items"].as_array().map(Vec::len);
    assert_eq!((count(&admin), count(&anna), count(&dora)), (Some(1), Some(1), Some(0)));
    assert_eq!(send(&anna, "DELETE", "/api/v1/budgets/one", None).0, 403);
    let headers = [("Authorization", admin.as_str()), ("If-Match", "\"0\"")];
    assert_eq!(house.send("DELETE", "/api/v1/budgets/one", None, &headers).0, 412);
    assert_eq!(send(&admin, "DELETE", "/api/v1/budgets/one", None).0, 200);
    assert_eq!(count(&admin), Some(0));
}
