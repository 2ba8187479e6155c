//! Several models of GPUs in one supply: what is asked for of one is no part of another.

use super::*;

/// A supply of 4 of one model and 4 of another.
fn house() -> House {
    let house = House::new("1x8");
    let pool = json!({"metadata": {"name": "mixed"}, "spec": {"nodes": [{"count": 1, "gpus": 4, "model": "A100"},
        {"count": 1, "gpus": 4, "model": "H100"}]}});
    made(&house, "/api/v1/pools", &pool);
    let all = json!({"A100": 4, "H100": 4});
    let root = json!({"metadata": {"name": "all"}, "spec": {"pool": "mixed", "guarantee": {"gpu": all}}});
    made(&house, "/api/v1/quotas", &root);
    let reserve = json!({"metadata": {"name": "reserve"}, "spec": {"parent": "all", "guarantee": {"gpu": all}, "dedicated": true}});
    made(&house, "/api/v1/quotas", &reserve);
    for (name, models) in [("on-a", vec!["A100"]), ("on-h", vec!["H100"]), ("on-any", vec![])] {
        let spec = json!({"resources": {"gpu": 1}, "gpuModels": models});
        made(&house, "/api/v1/templates", &json!({"metadata": {"name": name}, "spec": spec}));
    }
    house
}

fn sized(gpu: Value) -> Value {
    json!({"workspace": "default", "reason": "a test", "reserved": {"size": {"gpu": gpu}, "end": "2031-01-02T00:00:00Z"}})
}

#[test]
fn each_model_is_booked_by_itself() {
    let house = house();
    let all_a = config(&house, &sized(json!({"A100": 4})));
    // Of one model there is nothing left, of the other all.
    let more = request(&house, &sized(json!({"A100": 1})));
    refused(approve(&house, &more), 409, "supply-booked", "");
    let some = config(&house, &sized(json!({"H100": 3})));
    let both = request(&house, &sized(json!({"A100": 1, "H100": 1})));
    refused(approve(&house, &both), 409, "supply-booked", "");
    assert_eq!(house.post(&format!("/api/v1/resource-configs/{all_a}:release"), &json!({})).0, 200);
    assert_eq!(approve(&house, &both).0, 200);
    refused(send(&house, "on-a", "a", &some), 422, "never-fits", "");
    // A size that names no model is none where there are several.
    let (status, answer) = house.post("/api/v1/resource-requests", &sized(json!(2)));
    assert!(status == 422 && answer["detail"].to_string().contains("A100"), "{answer}");
    let (status, answer) = house.post("/api/v1/resource-requests", &sized(json!({"B200": 2})));
    assert_eq!(status, 422, "{answer}");
}

#[test]
fn what_is_used_of_one_model_leaves_the_other_free() {
    let house = house();
    let id = config(&house, &sized(json!({"A100": 1, "H100": 3})));
    assert_eq!(send(&house, "on-a", "a-1", &id).1["state"], "running");
    let config = shown(&house, &id);
    assert_eq!((&config["utilisation"], &config["used"]["gpu"]["A100"]), (&json!(1), &json!(1)), "{config}");
    refused(send(&house, "on-a", "a-2", &id), 429, "config-full", "is used to 100.0 %");
    for name in ["h-1", "h-2"] {
        assert_eq!(send(&house, "on-h", name, &id).1["state"], "running", "{name}");
    }
    // One is left for whoever takes any; then it is full for everybody.
    assert_eq!(send(&house, "on-any", "any-1", &id).1["state"], "running");
    refused(send(&house, "on-any", "any-2", &id), 429, "config-full", "is used to 100.0 %");
    refused(send(&house, "on-h", "h-3", &id), 429, "config-full", "is used to 100.0 %");
}

#[test]
fn it_grows_by_the_model_that_is_asked_for() {
    let house = house();
    let by_usage = json!({"step": {"gpu": {"A100": 1, "H100": 2}}, "maximum": {"gpu": {"A100": 2, "H100": 4}},
        "threshold": 100, "coolDown": "1m"});
    let id = config(&house, &json!({"workspace": "default", "reason": "a test", "byUsage": by_usage}));
    let held = || shown(&house, &id)["held"]["amount"]["gpu"].clone();
    for (name, has) in [("h-1", json!({"A100": 1, "H100": 2})), ("h-2", json!({"A100": 2, "H100": 4}))] {
        assert_eq!(send(&house, "on-h", name, &id).1["state"], "running", "{name}");
        // Busy to the threshold at two of two: it grows with the second.
        assert_eq!(held(), has, "{name}");
    }
    assert_eq!(send(&house, "on-a", "a-1", &id).1["state"], "running");
    assert_eq!(send(&house, "on-any", "any-1", &id).1["state"], "running");
}
