//! Dedicated compute, with time played: who asks and who decides, what is booked, what happens by time, where tasks go.

#[path = "../house/mod.rs"]
mod house;

mod bad_input;
mod bookings;
mod growth;
mod models;
mod periods;
mod requests;

use house::{House, pause};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// When the clocks of these tests begin: 2027-01-15T08:00:00Z.
const BEGIN: u64 = 1_800_000_000_000;

/// A clock that a test sets by hand.
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn new() -> Hand {
        Hand(Arc::new(AtomicU64::new(BEGIN)))
    }

    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds * 1_000, Ordering::Relaxed);
    }
}

/// So many seconds after the beginning.
fn at(seconds: u64) -> String {
    tidegate_api::time::Time::of(tidegate_engine::ids::Tick(BEGIN + seconds * 1_000)).to_string()
}

/// 16 GPUs: `reserve` has 8 for dedicated compute, `team` 8 for work of its own, `shared` nothing to speak of.
fn furnish(house: &House) {
    let pool =
        json!({"metadata": {"name": "h100"}, "spec": {"nodes": [{"count": 2, "gpus": 8, "model": "H100"}]}});
    made(house, "/api/v1/pools", &pool);
    let root = json!({"metadata": {"name": "all"}, "spec": {"pool": "h100", "guarantee": {"gpu": 16}}});
    made(house, "/api/v1/quotas", &root);
    let quota = |name: &str, gpus: u32, more: Value| {
        let mut spec = json!({"parent": "all", "guarantee": {"gpu": gpus}});
        spec.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        made(house, "/api/v1/quotas", &json!({"metadata": {"name": name}, "spec": spec}));
    };
    quota("reserve", 8, json!({"dedicated": true}));
    quota("team", 7, json!({}));
    quota("shared", 1, json!({"queue": {"strategy": "fair"}, "shared": true}));
    let template = json!({"metadata": {"name": "sum"}, "spec": {"resources": {"gpu": 1}}});
    made(house, "/api/v1/templates", &template);
    let large = json!({"metadata": {"name": "large"}, "spec": {"resources": {"gpu": 3}}});
    made(house, "/api/v1/templates", &large);
}

fn made(house: &House, path: &str, body: &Value) -> Value {
    let (status, answer) = house.post(path, body);
    assert_eq!(status, 201, "{path} {body}: {answer}");
    answer
}

/// What is reserved from a second to a second.
fn reserved(gpus: u32, start: u64, end: u64) -> Value {
    json!({"workspace": "default", "reason": "a test",
        "reserved": {"size": {"gpu": gpus}, "start": at(start), "end": at(end)}})
}

fn by_usage(more: Value) -> Value {
    let mut by_usage = json!({"step": {"gpu": 2}, "maximum": {"gpu": 6}, "coolDown": "1m"});
    by_usage.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    json!({"workspace": "default", "reason": "a test", "byUsage": by_usage})
}

/// Asks for something, and says what it is called.
fn request(house: &House, body: &Value) -> String {
    let answer = made(house, "/api/v1/resource-requests", body);
    answer["id"].as_str().expect("an id").to_string()
}

fn approve(house: &House, request: &str) -> (u16, Value) {
    house.post(&format!("/api/v1/resource-requests/{request}:approve"), &json!({}))
}

/// Asks for something, and has it approved.
fn config(house: &House, body: &Value) -> String {
    let (status, answer) = approve(house, &request(house, body));
    assert_eq!(status, 200, "{answer}");
    answer["config"].as_str().expect("a config").to_string()
}

fn shown(house: &House, config: &str) -> Value {
    let (status, answer) = house.get(&format!("/api/v1/resource-configs/{config}"));
    assert_eq!(status, 200, "{answer}");
    answer
}

/// Submits a task somewhere.
fn send(house: &House, template: &str, name: &str, configs: &str) -> (u16, Value) {
    let body = json!({"template": template, "name": name, "workspace": "default"});
    house.post_with("/api/v1/tasks", &body, &[("X-Tidegate-Resource-Config", configs)])
}

fn task(house: &House, name: &str) -> Value {
    house.get(&format!("/api/v1/tasks/{name}")).1
}

/// Looks until something is so: clockworks look once a second.
fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..400 {
        if is() {
            return;
        }
        pause(Duration::from_millis(50));
    }
    panic!("never: {what}");
}

fn refused(answer: (u16, Value), status: u16, code: &str, says: &str) {
    assert_eq!((answer.0, &answer.1["code"]), (status, &json!(code)), "{}", answer.1);
    let detail = answer.1["detail"].as_str().unwrap_or_default();
    assert!(detail.contains(says), "{detail:?} does not say {says:?}");
}
