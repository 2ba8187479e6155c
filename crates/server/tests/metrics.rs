//! Figures: those on the page are those that are told, and they are right.

mod house;

use house::House;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../../docs/metrics.md");
const DASHBOARD: &str = include_str!("../../../deploy/grafana/tidegate.json");

/// Kind and labels by name.
type Described = BTreeMap<String, (String, BTreeSet<String>)>;

fn on_the_page() -> Described {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `tidegate_"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let labels = cells[3].split(',').map(|label| label.trim().trim_matches('`').to_string());
        let labels = labels.filter(|label| !label.is_empty()).collect();
        (cells[1].trim_matches('`').to_string(), (cells[2].to_string(), labels))
    };
    rows.map(row).collect()
}

/// A sample: its name, its labels, its value.
fn sample(line: &str) -> (&str, BTreeMap<&str, &str>, f64) {
    let (head, value) = line.rsplit_once(' ').expect("a value");
    let (name, labels) = head.split_once('{').unwrap_or((head, "}"));
    let labels = labels.trim_end_matches('}').split("\",").filter_map(|pair| pair.split_once("=\""));
    let labels = labels.map(|(key, value)| (key, value.trim_end_matches('"'))).collect();
    (name, labels, value.parse().expect("a number"))
}

fn told(text: &str) -> Described {
    let mut all = Described::new();
    let mut current = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a kind");
            current = if kind == "counter" { format!("{name}_total") } else { name.into() };
            all.insert(current.clone(), (kind.into(), BTreeSet::new()));
        } else if !line.starts_with('#') {
            let (name, labels, _) = sample(line);
            assert!(name.starts_with(&current), "{line}");
            let labels = labels.keys().filter(|label| **label != "le").map(|label| label.to_string());
            all.get_mut(&current).expect("a type comes first").1.extend(labels);
        }
    }
    all
}

/// The sum of all samples with these labels.
fn value(text: &str, name: &str, wanted: &[(&str, &str)]) -> f64 {
    let samples = text.lines().filter(|line| !line.starts_with('#')).map(sample);
    let fits =
        samples.filter(|(n, labels, _)| *n == name && wanted.iter().all(|(k, v)| labels.get(k) == Some(v)));
    fits.map(|(_, _, value)| value).sum()
}

fn scrape(house: &House) -> String {
    match house.get("/metrics") {
        (200, Value::String(text)) => text,
        other => panic!("{other:?}"),
    }
}

fn work(name: &str, quota: &str, gpu: u32) -> Value {
    json!({"metadata": {"name": name}, "spec": {"quota": quota, "resources": {"gpu": gpu}, "gracePeriod": "0s"}})
}

/// A server on which something of every kind has happened.
fn busy() -> House {
    let house = House::new("2x8");
    let child = json!({"childLevel": {"victims": {"priorities": "1-9", "modules": ["training"]}}});
    let pool =
        json!({"metadata": {"name": "big"}, "spec": {"nodes": [{"count": 2, "gpus": 8, "model": "H100"}]}});
    assert_eq!(house.post("/api/v1/pools", &pool).0, 201);
    let root = json!({"metadata": {"name": "root"}, "spec": {"pool": "big", "preemption": child,
        "guarantee": {"gpu": 16, "cpu": 64, "memory": "512Gi"}}});
    let (status, answer) = house.post("/api/v1/quotas", &root);
    assert_eq!(status, 201, "{answer}");
    let team = json!({"metadata": {"name": "team"}, "spec": {"parent": "root", "guarantee": {"gpu": 8, "cpu": 32, "memory": "256Gi"}}});
    assert_eq!(house.post("/api/v1/quotas", &team).0, 201);
    assert_eq!(house.post("/api/v1/workloads", &work("victim", "team", 8)).0, 201);
    assert_eq!(house.post("/api/v1/workloads", &work("own", "root", 8)).0, 201);
    assert_eq!(house.post("/api/v1/workloads", &work("boss", "root", 8)).0, 201);
    house.until("boss", "running");
    assert_eq!(house.post("/api/v1/workloads/own:stop", &json!({})).0, 200);
    house.until("victim", "running");
    assert_eq!(house.post("/api/v1/workloads", &work("waits", "team", 8)).0, 201);
    house
}

#[test]
fn the_page_lists_what_is_told() {
    let text = scrape(&busy());
    assert!(text.ends_with("# EOF\n"));
    let (page, told) = (on_the_page(), told(&text));
    assert!(page.len() > 25, "{}", page.len());
    for (name, described) in &told {
        assert_eq!(page.get(name), Some(described), "{name} on the page, and as it is told");
    }
    for name in page.keys() {
        assert!(told.contains_key(name), "{name} is on the page alone");
    }
}

#[test]
fn the_figures_are_right() {
    let house = busy();
    assert_eq!(house.post("/api/v1/nodes/local-0:cordon", &json!({})).0, 200);
    house.get("/api/v1/quotas/nobody");
    house.get("/api/v1/none/of/this");
    let text = scrape(&house);
    let is = |name: &str, labels: &[(&str, &str)], wanted: f64| {
        assert_eq!(value(&text, name, labels), wanted, "{name} {labels:?}\n{text}");
    };
    is("tidegate_quota_guarantee_gpus", &[("quota", "root"), ("model", "H100")], 16.0);
    is("tidegate_quota_guarantee_memory_bytes", &[("quota", "team")], f64::from(1 << 30) * 256.0);
    is("tidegate_quota_guarantee_cpu_cores", &[("quota", "root")], 64.0);
    is("tidegate_quota_drawn_gpus", &[("quota", "root")], 8.0);
    is("tidegate_quota_drawn_gpus", &[("quota", "team")], 8.0);
    is("tidegate_quota_lent_gpus", &[], 0.0);
    is("tidegate_pool_gpus", &[("pool", "big"), ("state", "used")], 16.0);
    is("tidegate_pool_gpus", &[("pool", "local"), ("state", "free")], 8.0);
    is("tidegate_pool_gpus", &[("pool", "local"), ("state", "cordoned")], 8.0);
    is("tidegate_pool_nodes", &[("pool", "local"), ("state", "ready")], 1.0);
    is("tidegate_pending_workloads", &[("quota", "team")], 1.0);
    is("tidegate_pending_workloads", &[("quota", "team"), ("reason", "short")], 1.0);
    for (state, count) in [("waiting", 1.0), ("active", 2.0), ("ended", 1.0)] {
        is("tidegate_workloads", &[("state", state)], count);
    }
    is("tidegate_preemptions_total", &[("rule", "child-level")], 1.0);
    is("tidegate_preemptions_total", &[], 1.0);
    // Three first starts, and the victim's second.
    is("tidegate_admissions_total", &[("module", "training"), ("kind", "started")], 4.0);
    is("tidegate_wait_seconds_count", &[], 3.0);
    is("tidegate_ended_workloads_total", &[("state", "stopped")], 1.0);
    is("tidegate_http_requests_total", &[("route", "/api/v1/quotas/{name}"), ("status", "404")], 1.0);
    is("tidegate_http_requests_total", &[("route", "/api/v1/workloads/{name}:stop")], 1.0);
    is("tidegate_http_requests_total", &[("route", "none")], 1.0);
    is("tidegate_commit_failures_total", &[], 0.0);
    is("tidegate_watchers", &[], 0.0);
    assert!(value(&text, "tidegate_log_bytes", &[("part", "database")]) > 0.0);
    assert!(value(&text, "tidegate_log_events_total", &[]) > 20.0);
    let commits = value(&text, "tidegate_commit_duration_seconds_count", &[]);
    assert!(commits > 8.0 && commits <= value(&text, "tidegate_decision_duration_seconds_count", &[]));
    assert!(
        !text.contains("victim") && !text.contains("nobody"),
        "no label names what somebody chose freely"
    );
}

#[test]
fn the_dashboard_asks_for_what_there_is() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let page = on_the_page();
    let mut asked = BTreeSet::new();
    let mut words = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        asked.extend(words.filter(|word| word.starts_with("tidegate_")).map(String::from));
    };
    for panel in dashboard["panels"].as_array().expect("panels") {
        let targets = panel["targets"].as_array().expect("targets");
        assert!(!targets.is_empty(), "{panel}");
        targets.iter().for_each(|target| words(target["expr"].as_str().expect("a query")));
    }
    for variable in dashboard["templating"]["list"].as_array().expect("variables") {
        words(variable["query"]["query"].as_str().unwrap_or_default());
    }
    assert!(asked.len() > 15, "{asked:?}");
    for name in asked {
        let parts = ["_bucket", "_sum", "_count"].iter().filter_map(|part| name.strip_suffix(part));
        let histogram = parts.filter_map(|base| page.get(base)).any(|(kind, _)| kind == "histogram");
        let plain = page.get(&name).is_some_and(|(kind, _)| kind != "histogram");
        assert!(histogram || plain, "the dashboard asks for {name}");
    }
}
