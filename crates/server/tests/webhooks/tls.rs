//! Receivers over TLS: whoever a trusted authority vouches for is told, nobody else, and it is said why.

use super::authority::Authority;
use super::house::House;
use super::{HOOK, Receiver, create, delivery, finish, impatient, until};
use serde_json::json;

#[test]
fn who_is_vouched_for_is_told_and_who_is_not_is_told_nothing() {
    let (trusted, stranger) = (Authority::new(), Authority::new());
    let file = trusted.file();
    let house = House::on(
        "1x8",
        move |config| {
            config.webhook_allow_private = true;
            config.webhook_ca_file = Some(file);
        },
        impatient,
    );
    let receiver = Receiver::secure(trusted.vouches());
    create(&house, &receiver.url());
    finish(&house, "a");
    delivery(&house, "delivered");
    let got = until("a message", || receiver.got().pop());
    assert_eq!(got.json()["workload"], "a");
    assert!(got.header("x-tidegate-signature").starts_with("t="), "{}", got.head);

    let impostor = Receiver::secure(stranger.vouches());
    assert_eq!(house.put(HOOK, &json!({"url": impostor.url()}), None).0, 200);
    let test = house.post(&format!("{HOOK}:test"), &json!({})).1;
    let says = |why: &serde_json::Value| why.as_str().is_some_and(|why| why.contains("TLS: invalid peer"));
    assert!(test["delivered"] == false && says(&test["error"]), "{test}");
    finish(&house, "b");
    let dead = delivery(&house, "dead");
    assert!(dead["workload"] == "b" && says(&dead["lastError"]), "{dead}");
    assert!(impostor.got().is_empty());
    // Who answers in the open where TLS was asked for is nobody either.
    let open = Receiver::new().url().replace("http://", "https://");
    assert_eq!(house.put(HOOK, &json!({"url": open}), None).0, 200);
    assert_eq!(house.post(&format!("{HOOK}:test"), &json!({})).1["delivered"], false);
}

#[test]
fn a_file_without_certificates_is_refused_at_the_start() {
    let mut house = House::on("1x8", |_| (), impatient);
    house.close();
    let empty = house.data().join("empty.pem");
    std::fs::write(&empty, "").expect("written");
    for (file, says) in [(empty, "it holds none"), (house.data().join("missing.pem"), "missing.pem")] {
        house.reconfigure(|config| config.webhook_ca_file = Some(file));
        let why = house.try_open().expect_err("refused").to_string();
        assert!(why.contains("webhook-ca-file") && why.contains(says), "{why}");
    }
}
