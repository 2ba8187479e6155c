//! Bookings never exceed the supply.

use super::*;
use std::sync::LazyLock;
use tidegate_server::serve::Ground;

static HAND: LazyLock<Hand> = LazyLock::new(Hand::new);

#[test]
fn a_conflict_names_the_earliest_time_that_fits() {
    let house = House::on("1x8", |_| (), || Ground { clock: Some(HAND.0.clone()), ..Ground::default() });
    furnish(&house);
    const HOUR: u64 = 3_600;
    let first = config(&house, &reserved(5, HOUR, 3 * HOUR));
    config(&house, &reserved(3, 2 * HOUR, 4 * HOUR));
    // From 3 h on there are 5, from 4 h on all 8.
    let id = request(&house, &reserved(4, HOUR, 2 * HOUR));
    let says = format!(
        "reserve has 8 GPUs, of which 3 GPUs are free from {} to {}, and 4 GPUs are asked for; the earliest time that fits begins at {}",
        at(HOUR),
        at(2 * HOUR),
        at(3 * HOUR)
    );
    refused(approve(&house, &id), 409, "supply-booked", &says);
    let id = request(&house, &reserved(6, 2 * HOUR, 3 * HOUR));
    let says = format!("the earliest time that fits begins at {}", at(4 * HOUR));
    refused(approve(&house, &id), 409, "supply-booked", &says);
    // What ends when another begins does not touch it.
    config(&house, &reserved(3, 0, 2 * HOUR));
    let extend = |id: &str, end: u64| {
        house.post(&format!("/api/v1/resource-configs/{id}:extend"), &json!({"end": at(end)}))
    };
    let (status, longer) = extend(&first, 4 * HOUR);
    assert_eq!((status, &longer["reserved"]["end"]), (200, &json!(at(4 * HOUR))), "{longer}");
    config(&house, &reserved(4, 4 * HOUR, 5 * HOUR));
    refused(extend(&first, 5 * HOUR), 409, "supply-booked", "4 GPUs are free");
    refused(extend(&first, 2 * HOUR), 422, "invalid", "which is not before");
    let none = house.post(&format!("/api/v1/resource-configs/{first}:extend"), &json!({}));
    refused(none, 422, "invalid", "say when it is over");
    // What is given back can be booked by others.
    let (status, released) = house.post(&format!("/api/v1/resource-configs/{first}:release"), &json!({}));
    assert_eq!((status, &released["state"]), (200, &json!("ended")), "{released}");
    refused(extend(&first, 6 * HOUR), 409, "wrong-state", "is over since");
    assert_eq!(approve(&house, &id).0, 409, "6 and 3 are too many until 4 h");
    config(&house, &reserved(5, 2 * HOUR, 3 * HOUR));
    // What a config always has is booked for as long as it is there.
    refused(
        approve(&house, &request(&house, &by_usage(json!({"minimum": {"gpu": 1}})))),
        409,
        "supply-booked",
        "0 GPUs are free",
    );
    // Every week is a booking.
    let weekly = |gpus: u32| {
        json!({"workspace": "default", "reason": "x", "reserved": {"size": {"gpu": gpus}, "weekly": {
        "days": ["sat", "sun"], "from": "22:00", "to": "06:00", "timeZone": "Europe/Berlin",
        "firstDay": "2027-01-16", "lastDay": "2027-02-28"}}})
    };
    let weekends = config(&house, &weekly(6));
    let shown = shown(&house, &weekends);
    assert_eq!(
        (&shown["state"], &shown["period"]["start"]),
        (&json!("scheduled"), &json!("2027-01-16T21:00:00Z")),
        "{shown}"
    );
    refused(approve(&house, &request(&house, &weekly(3))), 409, "supply-booked", "2 GPUs are free");
    let more =
        house.post(&format!("/api/v1/resource-configs/{weekends}:extend"), &json!({"lastDay": "2027-03-31"}));
    assert_eq!((more.0, &more.1["reserved"]["weekly"]["lastDay"]), (200, &json!("2027-03-31")), "{}", more.1);
}
