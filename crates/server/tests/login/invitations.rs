//! Invitations: followed once, replaced, replayed.

use super::browser::{PASSWORD, accept, ask, create, from_console, invite, login, with_berta};
use super::house::House;
use serde_json::json;

#[test]
fn an_invitation_is_followed_once() {
    let house = House::new("1x1");
    create(&house, "berta");
    let (status, invitation) = house.raw("POST", "/api/v1/users/berta:invite", "");
    assert_eq!((status, &invitation["user"]), (201, &json!("berta")));
    let secret = invitation["secret"].as_str().expect("a secret");
    assert_eq!(invitation["url"], format!("{}/#/invitation/{secret}", house.url("")));
    assert_eq!(accept(&house, secret, "short").code(), (422, "invalid"), "it is not used up by a mistake");
    let followed = accept(&house, secret, PASSWORD);
    assert_eq!((followed.status, &followed.body["user"]), (200, &json!("berta")));
    let who = ask(&house, "GET", "/api/v1/whoami", None, &[("cookie", &followed.cookie())]);
    assert_eq!(who.body["user"], "berta");
    assert_eq!(accept(&house, secret, "the password of a thief").code(), (401, "bad-credentials"));
    assert_eq!(login(&house, "berta", PASSWORD).status, 200);
}

#[test]
fn a_later_invitation_voids_the_former_and_ends_sessions() {
    let house = with_berta();
    let cookie = login(&house, "berta", PASSWORD).cookie();
    let (former, later) = (invite(&house, "berta"), invite(&house, "berta"));
    assert_eq!(accept(&house, &former, "another password").code(), (401, "bad-credentials"));
    assert_eq!(login(&house, "berta", PASSWORD).status, 200, "an invitation alone changes nothing");
    assert_eq!(accept(&house, &later, "another password").status, 200);
    let who = ask(&house, "GET", "/api/v1/whoami", None, &[("cookie", &cookie)]);
    assert_eq!(who.status, 401);
    assert_eq!(login(&house, "berta", PASSWORD).status, 401);
}

#[test]
fn who_cannot_log_in_is_not_invited_and_who_may_not_does_not_invite() {
    let house = with_berta();
    let account = json!({"name": "ci", "role": "developer"});
    assert_eq!(house.post("/api/v1/workspaces/default/service-accounts", &account).0, 201);
    let refused = house.raw("POST", "/api/v1/users/ci:invite", "");
    assert_eq!((refused.0, &refused.1["code"]), (409, &json!("wrong-state")));
    assert_eq!(house.raw("POST", "/api/v1/users/nobody:invite", "").0, 404);
    let secret = invite(&house, "berta");
    let disabled = json!({"metadata": {"name": "berta"}, "spec": {"disabled": true}});
    assert_eq!(house.put("/api/v1/users/berta", &disabled, None).0, 200);
    assert_eq!(house.raw("POST", "/api/v1/users/berta:invite", "").0, 409);
    assert_eq!(accept(&house, &secret, PASSWORD).code(), (401, "bad-credentials"));
    create(&house, "carl");
    let cookie = accept(&house, &invite(&house, "carl"), PASSWORD).cookie();
    for name in ["admin", "carl", "nobody"] {
        let path = format!("/api/v1/users/{name}:invite");
        let refused = from_console(&house, "POST", &path, None, &cookie);
        assert_eq!(refused.code(), (403, "denied"), "{name}");
    }
}

#[test]
fn an_invitation_is_not_kept_as_a_receipt() {
    let house = with_berta();
    let key = [("Idempotency-Key", "once")];
    let (_, first) = house.post_with("/api/v1/users/berta:invite", &json!({}), &key);
    let (_, second) = house.post_with("/api/v1/users/berta:invite", &json!({}), &key);
    assert_ne!(first["secret"], second["secret"], "nobody has kept the first");
}

#[test]
fn the_administrator_gets_a_link_on_the_first_start() {
    let mut house = House::new("1x1");
    house.close();
    let server = house.try_open().expect("it starts");
    let link = house.runtime().block_on(server.console_link()).expect("a link");
    let (_, secret) = link.split_once("/#/invitation/").expect("a secret");
    let (closing, closed) = tokio::sync::watch::channel(true);
    house.runtime().block_on(server.run(closed)).expect("it ends in order");
    drop(closing);
    house.open();
    let followed = accept(&house, secret, PASSWORD);
    assert_eq!((followed.status, &followed.body["user"]), (200, &json!("admin")));
    assert_eq!(login(&house, "admin", PASSWORD).status, 200);
}
