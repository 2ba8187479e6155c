//! A store that fails on demand: what did not become durable has not happened.

use super::faulty::Faulty;
use super::house::{House, pause};
use super::work;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tidegate_server::core::audit::audit;
use tidegate_server::serve::Ground;
use tidegate_store::{Entry, SqliteStore, Store, StoreError};

/// One test at a time breaks the store.
static BROKEN: AtomicBool = AtomicBool::new(false);
/// Whether an append that fails has written all the same.
static KEEPS: AtomicBool = AtomicBool::new(false);
static ATTEMPTS: AtomicU32 = AtomicU32::new(0);
static TURN: Mutex<()> = Mutex::new(());

fn fail(store: &mut SqliteStore, group: &[Entry<'_>]) -> Result<(), StoreError> {
    if !BROKEN.load(Ordering::SeqCst) {
        return store.append(group);
    }
    ATTEMPTS.fetch_add(1, Ordering::SeqCst);
    if KEEPS.load(Ordering::SeqCst) {
        store.append(group)?;
        return Err(StoreError::Io { path: PathBuf::from("tidegate.db"), what: "not confirmed".into() });
    }
    Err(StoreError::Full { path: PathBuf::from("tidegate.db") })
}

fn frail() -> Ground {
    let rest = Duration::from_millis(20);
    Ground { rest, store: Box::new(|store| Box::new(Faulty(store, fail))), ..Ground::default() }
}

fn broken(keeps: bool) {
    KEEPS.store(keeps, Ordering::SeqCst);
    BROKEN.store(true, Ordering::SeqCst);
}

fn mended() {
    BROKEN.store(false, Ordering::SeqCst);
}

fn sound(house: &mut House) {
    house.close();
    let reader = tidegate_store::open_read_only(house.data()).expect("the store");
    assert_eq!(reader.verify(&mut |_| ()).expect("it can be read").damage, []);
    assert_eq!(audit(&*reader, &mut |_| ()).expect("it can be read").violation, None);
}

/// Asks until it is taken: a store that failed is left alone for a moment.
fn insist(house: &House, path: &str, body: &serde_json::Value, status: u16) {
    loop {
        let (given, answer) = house.post(path, body);
        if given != 503 {
            assert_eq!(given, status, "{answer}");
            return;
        }
        pause(Duration::from_millis(5));
    }
}

#[test]
fn what_did_not_become_durable_has_not_happened() {
    let _turn = TURN.lock().expect("nobody panics");
    let mut house = House::on("1x8", |_| (), frail);
    let mut news = house.watch("", &[]);
    assert_eq!(house.post("/api/v1/workloads", &work("before")).0, 201);
    let before = house.get("/api/v1/workloads").1;
    broken(false);
    let (status, problem, after) = house.post_patiently("/api/v1/workloads", &work("lost"));
    assert_eq!((status, problem["code"].as_str()), (503, Some("storage-full")), "{problem}");
    assert!(after.is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|s| s > 0)));
    assert_eq!(house.get("/api/v1/workloads").1, before, "reads go on, and show what is");
    assert_eq!(house.get("/api/v1/workloads/lost").0, 404);
    assert_eq!(house.post("/api/v1/workloads/before:stop", &json!({})).0, 503);
    assert_eq!(house.get("/api/v1/workloads").1, before);
    let preview = house.post("/api/v1/workloads?dryRun=true", &work("maybe"));
    assert_eq!(preview.0, 200, "{}", preview.1);
    mended();
    insist(&house, "/api/v1/workloads", &work("after"), 201);
    assert_eq!(house.get("/readyz").0, 200);
    let words: Vec<String> = news
        .by_ref()
        .take(4)
        .map(|(_, event)| {
            format!(
                "{} {}",
                event["workload"].as_str().unwrap_or("-"),
                event["event"].as_str().unwrap_or("-")
            )
        })
        .collect();
    assert_eq!(words, ["before queued", "before started", "after queued", "after started"]);
    house.restart();
    assert_eq!(house.get("/api/v1/workloads/lost").0, 404);
    sound(&mut house);
}

#[test]
fn while_the_store_fails_nobody_is_let_in_and_readiness_says_so() {
    let _turn = TURN.lock().expect("nobody panics");
    let slow = || Ground { rest: super::house::PATIENCE, ..frail() };
    // The server of this test is not closed: its writer rests for long.
    let house = std::mem::ManuallyDrop::new(House::on("1x8", |_| (), slow));
    broken(false);
    ATTEMPTS.store(0, Ordering::SeqCst);
    for n in 0..50 {
        let (status, problem) = house.post("/api/v1/workloads", &work(&format!("lost-{n}")));
        assert_eq!((status, problem["code"].as_str()), (503, Some("storage-full")), "{problem}");
    }
    assert_eq!(ATTEMPTS.load(Ordering::SeqCst), 1, "a failing store is not hammered");
    let (status, problem) = house.send("GET", "/readyz", None, &[]);
    assert_eq!((status, problem["code"].as_str()), (503, Some("storage-full")), "{problem}");
    assert_eq!(house.send("GET", "/healthz", None, &[]).0, 200);
    assert_eq!(house.get("/api/v1/workloads").0, 200);
    mended();
}

#[test]
fn what_the_executor_reported_meanwhile_is_heard_later() {
    let _turn = TURN.lock().expect("nobody panics");
    let mut house = House::on("1x8", |_| (), frail);
    let short = json!({"metadata": {"name": "short"},
        "spec": {"resources": {"gpu": 8}, "gracePeriod": "0s", "virtual": {"duration": "100ms"}}});
    assert_eq!(house.post("/api/v1/workloads", &short).0, 201);
    assert_eq!(house.post("/api/v1/workloads", &work("next")).0, 201);
    ATTEMPTS.store(0, Ordering::SeqCst);
    broken(false);
    // The only one who asks is the executor, whose work has ended.
    while ATTEMPTS.load(Ordering::SeqCst) < 1 {
        pause(Duration::from_millis(5));
    }
    assert_eq!(house.get("/api/v1/workloads/short").1["status"]["state"], "running");
    mended();
    house.until("short", "finished");
    house.until("next", "running");
    sound(&mut house);
}

#[test]
fn what_was_kept_though_it_was_not_confirmed_is_told_once() {
    let _turn = TURN.lock().expect("nobody panics");
    let mut house = House::on("1x8", |_| (), frail);
    let mut news = house.watch("", &[]);
    broken(true);
    let keyed =
        |house: &House| house.post_with("/api/v1/workloads", &work("kept"), &[("Idempotency-Key", "k")]);
    let (status, problem) = keyed(&house);
    assert_eq!((status, problem["code"].as_str()), (503, Some("store-failing")), "{problem}");
    mended();
    let again = loop {
        let again = keyed(&house);
        if again.0 != 503 {
            break again;
        }
        pause(Duration::from_millis(5));
    };
    assert_eq!(again.0, 201, "the same request gets the answer that the first would have got: {}", again.1);
    let listed = house.get("/api/v1/workloads").1;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(house.post("/api/v1/workloads", &work("other")).0, 201);
    let told: Vec<String> = news.by_ref().take(3).map(|(_, event)| event["workload"].to_string()).collect();
    assert_eq!(told, [r#""kept""#, r#""kept""#, r#""other""#]);
    sound(&mut house);
}

#[test]
fn a_request_with_a_key_that_changes_nothing_is_answered_twice_the_same() {
    let _turn = TURN.lock().expect("nobody panics");
    let house = House::on("1x8", |_| (), frail);
    let manifest = json!({"manifests": [{"apiVersion": "tidegate.dev/v1", "kind": "Workload",
        "metadata": {"name": "w"}, "spec": {"resources": {"gpu": 1}, "gracePeriod": "0s"}}]});
    assert_eq!(house.post("/api/v1/apply", &manifest).0, 200);
    let again = |key| house.post_with("/api/v1/apply", &manifest, &[("Idempotency-Key", key)]);
    let first = again("k");
    assert_eq!((first.0, &first.1["results"][0]["outcome"]), (200, &json!("unchanged")), "{}", first.1);
    assert_eq!(again("k"), first);
}
