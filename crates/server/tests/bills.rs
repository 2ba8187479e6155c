//! What was used and what it costs: who may see it, and whether it adds up.

mod house;

use house::House;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use tidegate_server::serve::Ground;

/// 2026-01-10T00:00:00Z, in milliseconds.
const BEGIN: u64 = 1_768_003_200_000;
const HOUR: u64 = 3_600_000;

/// Time, set by hand. The tests of this file share it, and go on from where another has left it.
fn hand() -> Arc<AtomicU64> {
    static HAND: OnceLock<Arc<AtomicU64>> = OnceLock::new();
    HAND.get_or_init(|| Arc::new(AtomicU64::new(BEGIN))).clone()
}

/// One test at a time moves the clock.
static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

struct Office {
    house: House,
    anna: String,
    dora: String,
    bert: String,
    begin: u64,
    _turn: std::sync::MutexGuard<'static, ()>,
}

impl Office {
    /// Two teams with eight GPUs each: anna is an admin of one, dora a developer; bert is an admin of two.
    fn new(change: impl FnOnce(&mut tidegate_server::config::Config)) -> Office {
        let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let house = House::on("2x8", change, || Ground { clock: Some(hand()), ..Ground::default() });
        for (room, quota) in [("one", "Q1"), ("two", "Q2")] {
            let body =
                json!({"metadata": {"name": quota}, "spec": {"parent": "main", "guarantee": {"gpu": 8}}});
            assert_eq!(house.post("/api/v1/quotas", &body).0, 201);
            let body = json!({"metadata": {"name": room}, "spec": {"quotas": [quota]}});
            assert_eq!(house.post("/api/v1/workspaces", &body).0, 201);
        }
        let person = |name: &str, room: &str, role: &str| {
            assert_eq!(house.post("/api/v1/users", &json!({"metadata": {"name": name}, "spec": {}})).0, 201);
            let path = format!("/api/v1/workspaces/{room}/members/{name}");
            assert!(house.put(&path, &json!({"role": role}), None).0 < 300);
            let (status, token) = house.post("/api/v1/tokens", &json!({"user": name}));
            assert_eq!(status, 201, "{token}");
            token["secret"].as_str().expect("a secret").to_string()
        };
        let (anna, dora) = (person("anna", "one", "admin"), person("dora", "one", "developer"));
        let bert = person("bert", "two", "admin");
        let begin = hand().load(Ordering::Relaxed);
        Office { house, anna, dora, bert, begin, _turn: turn }
    }

    fn pass(&self, ms: u64) {
        hand().fetch_add(ms, Ordering::Relaxed);
    }

    fn send(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let token = format!("Bearer {token}");
        self.house.send(method, path, body.map(|body| body.to_string()), &[("Authorization", &token)])
    }

    fn get(&self, token: &str, path: &str) -> Value {
        let (status, answer) = self.send(token, "GET", path, None);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    fn all(&self, path: &str) -> Value {
        let (status, answer) = self.house.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    fn submit(&self, token: &str, name: &str, spec: Value) {
        let (status, answer) = self.send(
            token,
            "POST",
            "/api/v1/workloads",
            Some(json!({"metadata": {"name": name}, "spec": spec})),
        );
        assert_eq!(status, 201, "{answer}");
    }

    fn stop(&self, token: &str, name: &str) {
        let (status, answer) = self.send(token, "POST", &format!("/api/v1/workloads/{name}:stop"), None);
        assert_eq!(status, 200, "{answer}");
    }

    /// From an hour of this test to another.
    fn period(&self, from: u64, to: u64) -> String {
        let time = |hours: u64| {
            let ms = self.begin + hours * HOUR;
            tidegate_api::time::Time::of(tidegate_engine::ids::Tick(ms)).to_string()
        };
        format!("from={}&to={}", time(from), time(to))
    }

    fn set_prices(&self, body: &Value) -> (u16, Value) {
        let token = format!("Bearer {}", self.house.token());
        let headers = [("Authorization", token.as_str()), ("If-Match", "*")];
        self.house.send("PUT", "/api/v1/prices/default", Some(body.to_string()), &headers)
    }

    fn prices(&self, name: &str, prices: Value, from: u64) -> (u16, Value) {
        let ms = self.begin + from * HOUR;
        let valid = tidegate_api::time::Time::of(tidegate_engine::ids::Tick(ms)).to_string();
        let spec = json!({"currency": "EUR", "validFrom": valid, "prices": prices});
        self.house.post("/api/v1/prices", &json!({"metadata": {"name": name}, "spec": spec}))
    }
}

fn gpu(n: u64) -> Value {
    json!({"resources": {"gpu": n}, "gracePeriod": "0s"})
}

/// The model that virtual GPUs have.
fn model(office: &Office) -> String {
    let records = office.all(&format!("/api/v1/usage/records?{}", office.period(0, 1_000)));
    let resource = records["items"][0]["resource"].as_str().expect("a resource").to_string();
    resource.strip_prefix("gpu:").expect("GPUs").to_string()
}

fn only_gpus(period: &str, model: &str) -> String {
    format!("{period}&resource=gpu:{model}")
}

#[test]
fn use_is_seen_by_those_who_may_and_adds_up() {
    let office = Office::new(|_| ());
    office.submit(&office.dora, "d", gpu(4));
    office.submit(&office.bert, "b", gpu(2));
    office.pass(HOUR);
    office.submit(&office.anna, "a", gpu(1));
    office.pass(HOUR);
    office.stop(&office.dora, "d");
    office.pass(HOUR);
    let model = model(&office);
    let period = only_gpus(&office.period(0, 1_000), &model);
    let hours = |answer: &Value| -> f64 {
        answer["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|sum| sum["hours"].as_f64().expect("hours"))
            .sum()
    };
    // d: 4 for 2 h; b: 2 for 3 h and running; a: 1 for 2 h and running.
    assert_eq!(hours(&office.all(&format!("/api/v1/usage?{period}"))), 8.0 + 6.0 + 2.0);
    assert_eq!(hours(&office.get(&office.anna, &format!("/api/v1/usage?{period}"))), 10.0, "all of her team");
    assert_eq!(hours(&office.get(&office.dora, &format!("/api/v1/usage?{period}"))), 8.0, "her own");
    assert_eq!(hours(&office.get(&office.bert, &format!("/api/v1/usage?{period}&groupBy=user"))), 6.0);
    assert_eq!(hours(&office.all(&format!("/api/v1/usage?{period}&user=dora"))), 8.0);
    assert_eq!(hours(&office.all(&format!("/api/v1/usage?{period}&quota=Q2&workspace=two"))), 6.0);
    // Split anywhere.
    let parts: f64 = [(0, 1), (1, 2), (2, 1_000)]
        .map(|(from, to)| {
            hours(&office.all(&format!("/api/v1/usage?{}", only_gpus(&office.period(from, to), &model))))
        })
        .iter()
        .sum();
    assert_eq!(parts, 16.0);
    let cut =
        office.all(&format!("/api/v1/usage?{}&step=1h&groupBy=", only_gpus(&office.period(0, 3), &model)));
    let each: Vec<f64> =
        cut["items"].as_array().expect("items").iter().map(|sum| sum["hours"].as_f64().expect("h")).collect();
    assert_eq!(each, [6.0, 7.0, 3.0]);
    // Records, page by page, and exports of the same.
    let mut found = Vec::new();
    let mut token = String::new();
    loop {
        let page = office.all(&format!("/api/v1/usage/records?{period}&limit=1{token}"));
        found.extend(page["items"].as_array().expect("items").clone());
        match page["nextPageToken"].as_str() {
            Some(next) => token = format!("&pageToken={next}"),
            None => break,
        }
    }
    assert_eq!(found.len(), 3);
    assert_eq!(
        (&found[0]["workload"], &found[0]["open"], &found[0]["user"]),
        (&json!("d"), &json!(false), &json!("dora"))
    );
    assert!(found[1]["open"] == json!(true) && found[1].get("id").is_none());
    let text = |path: &str| {
        let request = ureq::http::Request::get(office.house.url(path))
            .header("Authorization", format!("Bearer {}", office.house.token()));
        office.house.exchange(request, None).expect("an answer")
    };
    let lines = text(&format!("/api/v1/usage/records?{period}&format=jsonl"));
    assert_eq!(lines.kind, "application/x-ndjson");
    let parsed: Vec<Value> =
        lines.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(parsed, found);
    let csv = text(&format!("/api/v1/usage/records?{period}&format=csv"));
    assert_eq!(csv.text.lines().count(), 4);
    assert!(csv.text.starts_with("id,workload,") && csv.text.contains(",d,"), "{}", csv.text);
    // What others have used is as if it were not there.
    for (path, status) in [
        ("/api/v1/usage?workspace=two", 404),
        ("/api/v1/usage?user=bert", 404),
        ("/api/v1/usage?quota=Q2", 404),
        ("/api/v1/usage?user=nobody", 404),
        ("/api/v1/usage?groupBy=mood", 400),
        ("/api/v1/usage?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", 400),
        ("/api/v1/usage?form=2026-02-01T00:00:00Z", 400),
        ("/api/v1/usage?class=golden", 400),
        ("/api/v1/usage?step=1ms", 400),
        ("/api/v1/usage/records?pageToken=abc", 400),
        ("/api/v1/usage/records?format=xml", 400),
    ] {
        let (given, answer) = office.send(&office.anna, "GET", path, None);
        assert_eq!(given, status, "{path}: {answer}");
    }
    // The counter tells the same, in seconds.
    let metrics = text("/metrics").text;
    let line = metrics
        .lines()
        .find(|line| line.starts_with("tidegate_metered_seconds_total") && line.contains("resource=\"gpu\""));
    let seconds: f64 = line
        .and_then(|line| line.rsplit_once(' '))
        .and_then(|(_, value)| value.parse().ok())
        .expect("a figure");
    assert_eq!(seconds, 16.0 * 3_600.0, "{line:?}");
}

#[test]
fn a_bill_is_the_sum_of_its_lines_and_prices_never_change_the_past() {
    let office = Office::new(|_| ());
    office.submit(&office.dora, "d", gpu(4));
    office.pass(HOUR);
    let model = model(&office);
    let every = |price: &str| json!({"quota": {"gpu": {model.as_str(): price}, "cpu": "0", "memory": "0"}});
    let (status, problem) = office.send(&office.anna, "GET", "/api/v1/bills", None);
    assert_eq!((status, problem["code"].as_str()), (404, Some("not-found")), "{problem}");
    let bad = json!({"quota": {"gpu": {"B900": "1"}}});
    let (status, problem) = office.prices("default", bad, 0);
    assert_eq!((status, problem["code"].as_str()), (422, Some("unknown-reference")), "{problem}");
    for wrong in [
        json!({"quota": {"cpu": "much"}}),
        json!({"gift": {}}),
        json!({"quota": {"idleDiscount": "101"}}),
        json!({}),
    ] {
        assert_eq!(office.prices("default", wrong.clone(), 0).0, 422, "{wrong}");
    }
    let (status, made) = office.prices("default", every("2.50"), 0);
    assert_eq!(status, 201, "{made}");
    assert_eq!(office.prices("default", every("2.50"), 0).0, 409, "the name is taken");
    let denied = office.send(
        &office.anna,
        "POST",
        "/api/v1/prices",
        Some(json!({"metadata": {"name": "x"}, "spec": {"currency": "EUR", "prices": {}}})),
    );
    assert_eq!(denied.0, 403, "{}", denied.1);
    assert_eq!(
        office.get(&office.dora, "/api/v1/prices/default")["spec"]["currency"],
        "EUR",
        "prices are for everybody"
    );

    let first_hour = office.period(0, 1);
    let bill = |token: &str, query: &str| office.get(token, &format!("/api/v1/bills?{query}"));
    let of_dora = bill(&office.dora, &first_hour);
    assert_eq!(
        (&of_dora["showback"], &of_dora["due"], &of_dora["final"]),
        (&json!("10.00"), &json!("0.00"), &json!(true)),
        "{of_dora}"
    );

    // A new price holds from now on; the past stays, and cannot be reached.
    let spec = |price: &str| json!({"metadata": {"name": "default"}, "spec": {"currency": "EUR", "prices": every(price)}});
    let (status, answer) = office.house.put("/api/v1/prices/default", &spec("5"), None);
    assert_eq!(status, 428, "{answer}");
    let mut past = spec("9");
    past["spec"]["validFrom"] = json!("2026-01-10T00:00:00Z");
    let (status, answer) = office.set_prices(&past);
    assert_eq!((status, answer["code"].as_str()), (422, Some("immutable-field")), "{answer}");
    let (status, set) = office.set_prices(&spec("5"));
    assert_eq!((status, set["status"]["versions"].as_array().map(Vec::len)), (200, Some(2)), "{set}");
    let again = office.set_prices(&spec("5")).1;
    assert_eq!(again["status"]["versions"].as_array().map(Vec::len), Some(2), "the same again is no change");
    office.pass(HOUR);
    office.stop(&office.dora, "d");
    assert_eq!(bill(&office.dora, &first_hour)["showback"], "10.00");
    let both = bill(&office.anna, &format!("{}&workspace=one&expand=true", office.period(0, 2)));
    assert_eq!(both["showback"], "30.00", "{both}");
    let cents = |text: &Value| {
        text.as_str().and_then(|text| text.replace('.', "").parse::<i64>().ok()).expect("money")
    };
    let lines = both["lines"].as_array().expect("lines");
    assert_eq!(lines.iter().map(|line| cents(&line["cost"])).sum::<i64>(), 3_000);
    for line in lines {
        let sum: i128 = line["records"]
            .as_array()
            .expect("records")
            .iter()
            .map(|record| record["quantity"].as_str().expect("a quantity").parse::<i128>().expect("a number"))
            .sum();
        assert_eq!(
            sum.to_string(),
            line["quantity"].as_str().expect("a quantity"),
            "each line is its records: {line}"
        );
    }

    // A correction is a record of its own, and a line of its own.
    let mut correction = json!({"workspace": "one", "user": "dora", "quota": "Q1", "resource": format!("gpu:{model}"),
        "at": both["from"], "hours": "-1.5", "reason": "the node was broken"});
    assert_eq!(
        office.send(&office.anna, "POST", "/api/v1/usage/corrections", Some(correction.clone())).0,
        403
    );
    let (status, made) = office.house.post("/api/v1/usage/corrections", &correction);
    assert_eq!((status, &made["hours"]), (201, &json!(-1.5)), "{made}");
    correction["at"] = json!("2099-01-01T00:00:00Z");
    assert_eq!(office.house.post("/api/v1/usage/corrections", &correction).0, 422, "not in the future");
    let corrected = bill(&office.dora, &first_hour);
    assert_eq!(corrected["showback"], "6.25", "{corrected}");
    assert!(
        corrected["lines"]
            .as_array()
            .expect("lines")
            .iter()
            .any(|line| line["correction"] == "cor-0" && line["cost"] == "-3.75")
    );
    let listed = office.get(&office.dora, &format!("/api/v1/usage/corrections?{first_hour}"));
    assert_eq!(listed["items"][0]["reason"], "the node was broken");
    assert_eq!(
        office.get(&office.bert, &format!("/api/v1/usage/corrections?{first_hour}"))["items"],
        json!([])
    );
    let summed = office.all(&format!("/api/v1/usage?{}", only_gpus(&first_hour, &model)));
    assert_eq!(summed["items"][0]["hours"], 2.5, "{summed}");

    // What has no price makes no bill.
    assert_eq!(office.prices("late", every("1"), 1).0, 201);
    let (status, problem) = office.house.get(&format!("/api/v1/bills?book=late&{first_hour}"));
    assert_eq!((status, problem["code"].as_str()), (422, Some("no-price")), "{problem}");
    assert_eq!(office.prices("poor", json!({"shared": {"cpu": "1"}}), 0).0, 201);
    let (status, problem) = office.house.get(&format!("/api/v1/bills?book=poor&{first_hour}"));
    assert_eq!((status, problem["code"].as_str()), (422, Some("no-price")), "{problem}");
    assert_eq!(office.house.get("/api/v1/bills?book=none").0, 404);

    // The audit has all of it, with before and after.
    let audit = office.all("/api/v1/audit?operation=price.set");
    let change = &audit["items"][0]["changes"][0];
    assert_eq!(
        (&change["kind"], &change["name"], &change["event"]),
        (&json!("price-book"), &json!("default"), &json!("changed"))
    );
    assert_eq!(change["before"]["versions"].as_array().map(Vec::len), Some(1), "{change}");
}

#[test]
fn old_records_go_and_what_lacks_them_is_not_told() {
    let mut office = Office::new(|config| config.retain_usage = Some("2h".parse().expect("a duration")));
    office.submit(&office.dora, "old", gpu(1));
    office.pass(HOUR);
    office.stop(&office.dora, "old");
    office.pass(3 * HOUR);
    office.submit(&office.dora, "new", gpu(1));
    let old = format!("/api/v1/usage?{}", office.period(0, 2));
    // Records that are due go with the next start, at the latest.
    assert!([200, 410].contains(&office.house.get(&old).0));
    office.house.restart();
    let gone = || {
        let (status, problem) = office.house.get(&old);
        (status == 410).then(|| problem["code"].clone())
    };
    let code = loop {
        if let Some(code) = gone() {
            break code;
        }
        house::pause(std::time::Duration::from_millis(20));
    };
    assert_eq!(code, "expired");
    assert_eq!(office.house.get(&format!("/api/v1/usage?{}", office.period(4, 5))).0, 200);
}

#[test]
fn a_price_book_is_applied_as_a_manifest_and_twice_is_no_harm() {
    let office = Office::new(|_| ());
    let manifest = |price: &str| {
        json!({"manifests": [{"apiVersion": "tidegate.dev/v1", "kind": "PriceBook", "metadata": {"name": "default"},
            "spec": {"currency": "EUR", "prices": {"shared": {"cpu": price}}}}]})
    };
    let apply = |price: &str| office.house.post("/api/v1/apply", &manifest(price)).1["results"][0].clone();
    assert_eq!(apply("1")["outcome"], "created");
    office.pass(HOUR);
    assert_eq!(apply("1")["outcome"], "unchanged");
    let changed = apply("2");
    assert_eq!(
        (&changed["outcome"], &changed["changed"]),
        (&json!("configured"), &json!(["/shared/cpu"])),
        "{changed}"
    );
}

#[test]
fn charges_over_time_add_up_to_the_bill_and_are_exported() {
    let office = Office::new(|_| ());
    office.submit(&office.dora, "d", gpu(4));
    office.pass(HOUR);
    let model = model(&office);
    // 0.4 cents an hour: by itself each hour would cost nothing.
    let tariff = json!({"gpu": {model.clone(): "0.001"}, "cpu": "0", "memory": "0"});
    assert_eq!(office.prices("default", json!({"quota": tariff}), 0).0, 201);
    office.pass(2 * HOUR);
    office.stop(&office.dora, "d");
    let period = only_gpus(&office.period(0, 3), &model);
    let whole = office.all(&format!("/api/v1/bills?{period}"));
    let cut = office.all(&format!("/api/v1/bills?{period}&step=1h"));
    assert_eq!((&whole["showback"], &cut["showback"]), (&json!("0.01"), &json!("0.01")), "{cut}");
    let lines = cut["lines"].as_array().expect("lines");
    let costs: Vec<&str> = lines.iter().filter_map(|line| line["cost"].as_str()).collect();
    assert_eq!(costs, ["0.00", "0.01", "0.00"]);
    assert!(lines.iter().all(|line| line["hours"] == 4.0), "{cut}");
    let request =
        ureq::http::Request::get(office.house.url(&format!("/api/v1/bills?{period}&step=1h&format=csv")))
            .header("Authorization", format!("Bearer {}", office.dora));
    let csv = office.house.exchange(request, None).expect("an answer");
    assert_eq!((csv.status, csv.kind.as_str()), (200, "text/csv"));
    let rows: Vec<&str> = csv.text.lines().collect();
    assert!(rows.len() == 4 && rows[0].starts_with("from,to,workspace,quota,mode,"), "{}", csv.text);
    assert!(rows[2].contains(",one,Q1,quota,") && rows[2].ends_with(",0.001,,0.01,EUR,"), "{}", rows[2]);
    for wrong in ["format=xml", "step=0s", "step=1ms", "format=csv&expand=true"] {
        let (status, answer) = office.house.get(&format!("/api/v1/bills?{period}&{wrong}"));
        assert_eq!((status, &answer["code"]), (400, &json!("bad-parameter")), "{wrong}");
    }
}
