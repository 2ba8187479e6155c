//! Compute by usage grows and shrinks by itself.

use super::*;
use std::sync::LazyLock;
use tidegate_server::serve::Ground;

fn held(house: &House, id: &str) -> Value {
    shown(house, id)["held"]["amount"]["gpu"].clone()
}

fn cancel(house: &House, name: &str) {
    assert_eq!(house.post(&format!("/api/v1/tasks/{name}:cancel"), &json!({})).0, 200);
}

#[test]
fn it_grows_at_once_and_shrinks_after_a_cool_down() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    let id = config(&house, &by_usage(json!({"threshold": 100})));
    assert_eq!((held(&house, &id), &shown(&house, &id)["state"]), (Value::Null, &json!("active")));
    HAND.pass(5);
    assert_eq!(send(&house, "sum", "a", &id).1["state"], "running");
    let first = shown(&house, &id);
    assert_eq!(
        (&first["held"]["amount"]["gpu"], &first["held"]["since"]),
        (&json!(2), &json!(at(5))),
        "{first}"
    );
    for (name, has) in [("b", 4), ("c", 4), ("d", 6), ("e", 6), ("f", 6)] {
        assert_eq!(send(&house, "sum", name, &id).1["state"], "running", "{name}");
        assert_eq!(held(&house, &id), has, "{name}");
    }
    refused(send(&house, "sum", "g", &id), 429, "config-full", "is used to 100.0 %");
    ["a", "b", "c", "d", "e", "f"].iter().for_each(|name| cancel(&house, name));
    until("they are gone", || {
        HAND.pass(1);
        shown(&house, &id)["running"] == 0
    });
    assert_eq!(held(&house, &id), 6, "it keeps what it has for a while");
    // One step at a time.
    for has in [json!(4), json!(2), Value::Null] {
        let mut waited = 0;
        until("it shrinks", || {
            HAND.pass(5);
            waited += 5;
            held(&house, &id) == has
        });
        assert!(waited >= 50, "it shrank to {has} after {waited} s");
    }
    let mut large = by_usage(json!({}));
    large["byUsage"]["maximum"] = json!({"gpu": 2});
    let small = config(&house, &large);
    refused(send(&house, "large", "never", &small), 422, "never-fits", &small);
    assert_eq!(held(&house, &small), Value::Null, "what is refused costs nothing");
}

#[test]
fn when_the_supply_is_used_up_tasks_wait_with_that_reason_and_reservations_come_first() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    let fixed = config(&house, &reserved(5, 0, 1_000));
    let id = config(&house, &by_usage(json!({"minimum": {"gpu": 1}})));
    assert_eq!((held(&house, &fixed), held(&house, &id)), (json!(5), json!(1)));
    let states: Vec<Value> =
        ["a", "b", "c", "d"].iter().map(|name| send(&house, "sum", name, &id).1["state"].clone()).collect();
    assert_eq!(states, ["running", "running", "running", "waiting"], "3 are left for it");
    let waits = task(&house, "d");
    let text = waits["reasons"].to_string();
    assert!(text.contains("supply-used-up") && text.contains("3 GPUs and may have 6 GPUs"), "{text}");
    assert!(text.contains("of 8 GPUs of reserve, 0 GPUs are free"), "{text}");
    let (_, explained) = house.get("/api/v1/workloads/d:explain");
    assert!(explained.to_string().contains("the supply is used up"), "{explained}");
    // Somebody books the rest: what has grown goes back to what it always has.
    HAND.pass(10);
    let other = config(&house, &reserved(2, 200, 900));
    assert_eq!(held(&house, &id), 3, "not before it begins");
    HAND.pass(190);
    until("the reservation has what was booked", || held(&house, &other) == 2);
    assert_eq!(held(&house, &id), 1);
    until("who runs beyond that leaves", || {
        HAND.pass(1);
        shown(&house, &id)["running"] == 1
    });
    // When what was reserved is given back, those who wait get on.
    assert_eq!(house.post(&format!("/api/v1/resource-configs/{fixed}:release"), &json!({})).0, 200);
    until("all run", || {
        HAND.pass(1);
        shown(&house, &id)["waiting"] == 0
    });
    let until_then = house.post(&format!("/api/v1/resource-configs/{id}:extend"), &json!({"end": at(5_000)}));
    refused(until_then, 409, "nothing-to-change", "has no end");
    let released = house.post(&format!("/api/v1/resource-configs/{id}:release"), &json!({}));
    assert_eq!((released.0, &released.1["state"]), (200, &json!("ended")), "{}", released.1);
    until("its tasks are stopped", || {
        HAND.pass(1);
        let why = task(&house, "d")["detail"].clone();
        why == json!(format!("stopped: {id} was released by admin"))
    });
}

#[test]
fn what_has_an_end_is_over_then() {
    static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    let id = config(&house, &by_usage(json!({"until": at(100), "minimum": {"gpu": 2}})));
    assert_eq!(shown(&house, &id)["held"]["until"], at(100));
    let longer = house.post(&format!("/api/v1/resource-configs/{id}:extend"), &json!({"end": at(150)}));
    assert_eq!((longer.0, &longer.1["held"]["until"]), (200, &json!(at(150))), "{}", longer.1);
    HAND.pass(120);
    assert_eq!(send(&house, "sum", "a", &id).1["state"], "running");
    HAND.pass(30);
    until("it is over", || shown(&house, &id)["endedAt"] == at(150));
    refused(send(&house, "sum", "b", &id), 409, "config-not-active", &at(150));
}
