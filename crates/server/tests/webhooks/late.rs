//! Training that waits for longer than its workspace likes: somebody is told, once for each wait.

use super::house::House;
use super::{Ground, HOOK, Receiver, impatient, until};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

static HAND: LazyLock<Arc<AtomicU64>> = LazyLock::new(|| Arc::new(AtomicU64::new(1_800_000_000_000)));

fn minutes_pass(minutes: u64) {
    HAND.fetch_add(minutes * 60_000, Ordering::Relaxed);
}

fn submit(house: &House, name: &str, module: &str) -> String {
    let spec = json!({"module": module, "resources": {"gpu": 8}, "gracePeriod": "0s"});
    let (status, made) = house.post("/api/v1/workloads", &json!({"metadata": {"name": name}, "spec": spec}));
    assert_eq!(status, 201, "{made}");
    made["status"]["state"].as_str().expect("a state").to_string()
}

#[test]
fn somebody_is_told_of_training_that_waits_too_long_and_notebooks_are_stopped() {
    let ground = || Ground { clock: Some(HAND.clone()), ..impatient() };
    let house = House::on("1x8", |config| config.webhook_allow_private = true, ground);
    let receiver = Receiver::new();
    let hook = json!({"url": receiver.url(), "notices": ["waiting-too-long"]});
    assert_eq!(house.put(HOOK, &hook, None).0, 201);
    let policy = json!({"spec": {"training": {"maxWait": "30m"}, "notebook": {"maxWait": "10m"}}});
    let bearer = format!("Bearer {}", house.token());
    let headers = [("Authorization", bearer.as_str()), ("If-Match", "*")];
    let path = "/api/v1/workspaces/default/policies/main";
    let (status, set) = house.send("PUT", path, Some(policy.to_string()), &headers);
    assert_eq!(status, 200, "{set}");
    assert_eq!(submit(&house, "full", "training"), "running");
    assert_eq!(submit(&house, "train", "training"), "queued");
    assert_eq!(submit(&house, "lab", "notebook"), "queued");
    minutes_pass(29);
    // The notebook is gone by then, and says who stopped it.
    house.until("lab", "stopped");
    let lab = house.get("/api/v1/workloads/lab").1;
    let why = lab["status"]["stopReason"].as_str().unwrap_or_default();
    assert!(why.contains("(notebook.max-wait)") && why.contains("10m"), "{lab}");
    assert!(receiver.got().is_empty(), "a notebook that is stopped waits no more, and 29 minutes are fine");
    minutes_pass(1);
    let told = |count: usize| {
        let got = until("a message", || Some(receiver.got()).filter(|got| got.len() >= count));
        assert_eq!(got.len(), count);
        got[count - 1].json()
    };
    let first: Value = told(1);
    assert_eq!(
        (&first["event"], &first["workload"], &first["workspace"]),
        (&json!("waiting-too-long"), &json!("train"), &json!("default")),
        "{first}"
    );
    // It waits on, and nobody is told again, until it has waited anew.
    minutes_pass(60);
    assert_eq!(submit(&house, "other", "training"), "queued");
    minutes_pass(30);
    assert_eq!(told(2)["workload"], "other");
}
