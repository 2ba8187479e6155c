//! Capacity comes and goes with its periods, also when no server runs meanwhile.

use super::*;
use std::sync::LazyLock;
use tidegate_billing::Record;
use tidegate_engine::ids::Tick;
use tidegate_server::core::entry::Body;
use tidegate_server::serve::Ground;
use tidegate_store::open_read_only;

/// What a config has had, as the log tells it.
fn holds(house: &House, id: &str) -> Vec<(Tick, Option<Tick>)> {
    let reader = open_read_only(house.data()).expect("the store");
    let mut holds = Vec::new();
    for entry in reader.entries(0, 10_000).expect("the log") {
        let body = Body::decode(&entry.body).expect("an entry");
        for (_, change) in body.business {
            if let Some(Record::ResourceConfig(config)) = change.after.as_deref()
                && config.id.to_string() == id
                && let Some(hold) = config.hold
            {
                holds.push((hold.since, hold.until));
            }
        }
    }
    holds
}

fn quota(house: &House, name: &str) -> (u16, Value) {
    let (status, quota) = house.get(&format!("/api/v1/quotas/{name}"));
    (status, quota["spec"]["guarantee"]["gpu"].clone())
}

#[test]
fn a_reservation_from_request_to_end() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    let id = config(&house, &reserved(4, 100, 200));
    assert_eq!(quota(&house, &id), (200, json!(0)));
    refused(send(&house, "sum", "early", &id), 409, "config-not-active", &at(100));
    HAND.pass(100);
    // Nobody waits for the next look: the first task finds what was agreed.
    let (status, first) = send(&house, "sum", "first", &id);
    assert_eq!((status, &first["state"]), (201, &json!("running")), "{first}");
    let active = shown(&house, &id);
    assert_eq!(
        (&active["state"], &active["held"]["amount"]["gpu"]),
        (&json!("active"), &json!(4)),
        "{active}"
    );
    assert_eq!((&active["held"]["since"], &active["held"]["until"]), (&json!(at(100)), &json!(at(200))));
    assert_eq!((quota(&house, &id), &active["utilisation"]), ((200, json!(4)), &json!(0.25)));
    assert_eq!(send(&house, "large", "second", &id).1["state"], "running");
    HAND.pass(99);
    assert_eq!(task(&house, "first")["state"], "running");
    HAND.pass(1);
    refused(
        send(&house, "sum", "late", &id),
        409,
        "config-not-active",
        &format!("is over since {}", at(200)),
    );
    until("its tasks are stopped", || {
        HAND.pass(1);
        task(&house, "first")["state"] == "failed" && task(&house, "second")["state"] == "failed"
    });
    let why = task(&house, "first")["detail"].as_str().unwrap_or_default().to_string();
    assert_eq!(why, format!("stopped: {id} was over at {}", at(200)));
    until("its quota is gone", || quota(&house, &id).0 == 404);
    let over = shown(&house, &id);
    assert_eq!(
        (&over["state"], &over["endedAt"], over.get("held")),
        (&json!("ended"), &json!(at(200)), None),
        "{over}"
    );
    // The supply has all of it again.
    assert_eq!(house.get("/api/v1/quotas/reserve").1["status"]["share"]["gpu"], 8);
}

#[test]
fn a_server_that_was_away_catches_up() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let mut house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    let begun = config(&house, &reserved(2, 100, 1_000));
    let missed = config(&house, &reserved(2, 100, 200));
    let ended = config(&house, &reserved(2, 10, 300));
    HAND.pass(50);
    assert_eq!(send(&house, "sum", "works", &ended).1["state"], "running");
    house.close();
    HAND.pass(450);
    house.open();
    until("the quotas of those that are over are gone", || {
        HAND.pass(1);
        quota(&house, &missed).0 == 404 && quota(&house, &ended).0 == 404
    });
    assert_eq!(task(&house, "works")["state"], "failed");
    let of = |id: &str| (shown(&house, id)["state"].clone(), shown(&house, id)["endedAt"].clone());
    assert_eq!(
        (of(&missed), of(&ended)),
        ((json!("ended"), json!(at(200))), (json!("ended"), json!(at(300))))
    );
    let active = shown(&house, &begun);
    assert_eq!((&active["state"], &active["held"]["since"]), (&json!("active"), &json!(at(100))), "{active}");
    // What was agreed is on the books, also what nobody was there to see.
    let tick = |seconds: u64| Tick(BEGIN + seconds * 1_000);
    assert_eq!(holds(&house, &missed), [(tick(100), Some(tick(200)))]);
    assert_eq!(holds(&house, &ended), [(tick(10), Some(tick(300)))]);
    assert_eq!(holds(&house, &begun), [(tick(100), Some(tick(1_000)))]);
    // The same once more: nothing happens twice.
    house.restart();
    pause(Duration::from_millis(1_500));
    assert_eq!(holds(&house, &begun).len(), 1);
    assert_eq!(send(&house, "sum", "again", &begun).1["state"], "running");
}

#[test]
fn who_borrows_is_recalled_in_time_and_idle_capacity_is_lent_by_choice() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    let borrow = |name: &str, grace: &str, replicas: u32| {
        let spec = json!({"quota": "team", "resources": {"gpu": 1}, "replicas": replicas, "idle": "accept",
            "gracePeriod": grace, "workspace": "default"});
        made(&house, "/api/v1/workloads", &json!({"metadata": {"name": name}, "spec": spec}))
    };
    // 7 of its own, 8 of the supply.
    assert_eq!(borrow("tide", "20s", 15)["status"]["state"], "running");
    let state = |name: &str| house.get(&format!("/api/v1/workloads/{name}")).1["status"]["state"].clone();
    let id = config(&house, &reserved(4, 100, 300));
    HAND.pass(70);
    pause(Duration::from_millis(1_500));
    assert_eq!(state("tide"), "running", "there is time");
    HAND.pass(9);
    until("who borrows is asked to leave before the period begins", || state("tide") == "leaving");
    refused(send(&house, "sum", "early", &id), 409, "config-not-active", "has not begun");
    HAND.pass(21);
    until("the period has begun with all of it", || {
        let free = house.get(&format!("/api/v1/quotas/{id}")).1["status"]["balance"]["gpu"].clone();
        free == json!(4)
    });
    assert_eq!(send(&house, "sum", "first", &id).1["state"], "running");
    assert_eq!(shown(&house, &id)["held"]["since"], at(100));
    // Nobody borrows of it: it was not asked for. The rest of the supply is lent as before.
    let lent = |id: &str| house.get(&format!("/api/v1/quotas/{id}")).1["status"]["lent"]["gpu"].clone();
    assert_eq!(lent(&id), 0);
    let mut lender = reserved(4, 110, 400);
    lender["lend"] = json!(true);
    let lends = config(&house, &lender);
    assert_eq!(house.post("/api/v1/workloads/tide:stop", &json!({})).0, 200);
    HAND.pass(30);
    until("it has begun", || shown(&house, &lends)["held"].is_object());
    until("it is gone", || {
        HAND.pass(1);
        state("tide") == "stopped"
    });
    assert_eq!(borrow("more", "0s", 10)["status"]["state"], "running", "7 of its own, 3 of what is lent");
    assert_eq!((lent(&lends), lent(&id)), (json!(3), json!(0)));
    // Its own tasks get it back at once.
    for name in ["a", "b", "c"] {
        send(&house, "sum", name, &lends);
    }
    until("its tasks run", || ["a", "b", "c"].iter().all(|name| task(&house, name)["state"] == "running"));
}

#[test]
fn who_borrows_of_a_config_does_not_keep_it_from_ending() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    let mut all = reserved(8, 0, 100);
    all["lend"] = json!(true);
    let id = config(&house, &all);
    let spec = json!({"quota": "team", "resources": {"gpu": 1}, "replicas": 9, "idle": "accept",
        "gracePeriod": "0s", "workspace": "default"});
    made(&house, "/api/v1/workloads", &json!({"metadata": {"name": "tide"}, "spec": spec}));
    let lent = || house.get(&format!("/api/v1/quotas/{id}")).1["status"]["lent"]["gpu"].clone();
    assert_eq!(lent(), 2);
    HAND.pass(100);
    until("its quota is gone", || {
        HAND.pass(1);
        quota(&house, &id).0 == 404
    });
    let supply = house.get("/api/v1/quotas/reserve").1;
    assert_eq!(
        (&supply["status"]["share"]["gpu"], &supply["status"]["inTransit"]["gpu"]),
        (&json!(8), &json!(0))
    );
    house.until("tide", "running");
}

#[test]
fn what_comes_again_begins_and_ends_each_time() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    // It is 08:00 UTC on a Friday.
    let daily = json!({"workspace": "default", "reason": "x", "reserved": {"size": {"gpu": 3}, "weekly": {
        "days": ["fri", "sat"], "from": "09:00", "to": "10:00", "timeZone": "UTC",
        "firstDay": "2027-01-15", "lastDay": "2027-01-16"}}});
    let id = config(&house, &daily);
    for day in [0, 24 * 3_600] {
        let begin = day + 3_600;
        assert_eq!(shown(&house, &id)["period"]["start"], at(begin));
        HAND.0.store(BEGIN + (begin + 10) * 1_000, Ordering::Relaxed);
        let name = format!("on-{day}");
        assert_eq!(send(&house, "sum", &name, &id).1["state"], "running");
        assert_eq!(shown(&house, &id)["held"]["until"], at(begin + 3_600));
        HAND.0.store(BEGIN + (begin + 3_600) * 1_000, Ordering::Relaxed);
        until("its task is stopped", || {
            HAND.pass(1);
            task(&house, &name)["state"] == "failed"
        });
    }
    until("all of it is over", || shown(&house, &id)["state"] == "ended" && quota(&house, &id).0 == 404);
}
