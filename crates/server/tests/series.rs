//! Figures over time, over HTTP.

mod house;

use house::House;
use serde_json::{Value, json};

fn known(series: &Value, metric: &str) -> Vec<f64> {
    let values = series["metrics"][metric]["values"].as_array().expect("values");
    values.iter().filter_map(Value::as_f64).collect()
}

#[test]
fn figures_are_there_from_the_first_look_on() {
    let mut house = House::new("2x8");
    let (status, series) = house.get("/api/v1/quotas/main/series");
    assert_eq!(status, 200, "{series}");
    assert_eq!(series["step"], "10s");
    assert_eq!(series["metrics"]["guarantee"]["unit"], "gpu");
    let all = series["metrics"]["drawn"]["values"].as_array().expect("values").len();
    assert_eq!(all, 361, "an hour");
    let last = |house: &House, path: &str, metric: &str| known(&house.get(path).1, metric).last().copied();
    assert_eq!(last(&house, "/api/v1/quotas/main/series", "guarantee"), Some(16.0));
    assert_eq!(last(&house, "/api/v1/nodes/local-0/series", "used"), Some(0.0));
    let job = json!({"metadata": {"name": "job"}, "spec": {"resources": {"gpu": 2}, "replicas": 3}});
    let (status, job) = house.post("/api/v1/workloads", &job);
    assert_eq!((status, job["status"]["state"].as_str()), (201, Some("running")), "{job}");
    // A restart looks at once.
    house.restart();
    assert_eq!(last(&house, "/api/v1/workloads/job/series", "replicas"), Some(3.0));
    assert_eq!(last(&house, "/api/v1/workloads/w-0/series", "gpu"), Some(6.0));
    assert_eq!(last(&house, "/api/v1/quotas/main/series", "drawn"), Some(6.0));
    assert_eq!(last(&house, "/api/v1/quotas/main/series", "running"), Some(1.0));
    assert!(house.data().join("samples.db").is_file());
}

#[test]
fn parts_that_cannot_be_had_are_refused() {
    let house = House::new("1x1");
    let check = |query: &str, status, says: &str| {
        let (given, answer) = house.get(&format!("/api/v1/quotas/main/series?{query}"));
        assert_eq!(given, status, "{query}: {answer}");
        assert!(answer.to_string().contains(says), "{query}: {answer}");
    };
    check(
        "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&step=10s",
        400,
        "8641 points are more than 2000",
    );
    check("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z&step=10s", 400, "is before from");
    check("step=1ms", 400, "is under 1s");
    check("from=yesterday", 400, "yesterday");
    check("form=2026-01-02T00:00:00Z", 400, "unknown field");
    check("from=2026-01-01T00:00:00Z&to=2026-12-01T00:00:00Z", 200, "null");
    check("from=1970-01-01T00:00:00Z&to=9999-12-01T00:00:00Z", 200, "null");
    for path in ["/api/v1/quotas/x/series", "/api/v1/nodes/x/series", "/api/v1/workloads/x/series"] {
        assert_eq!(house.get(path).0, 404, "{path}");
    }
}

#[test]
fn there_is_no_output_of_what_was_not_started() {
    let house = House::new("1x1");
    assert_eq!(house.post("/api/v1/workloads", &json!({"metadata": {"name": "job"}, "spec": {}})).0, 201);
    let (status, problem) = house.get("/api/v1/workloads/job/logs");
    assert_eq!((status, problem["code"].as_str()), (404, Some("not-found")));
    assert!(
        problem["detail"].as_str().is_some_and(|detail| detail.contains("virtual executor starts nothing"))
    );
    let (_, missing) = house.get("/api/v1/workloads/nobody/logs");
    assert!(missing["detail"].as_str().is_some_and(|detail| detail.contains("there is no workload nobody")));
}
