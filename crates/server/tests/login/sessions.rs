//! Sessions: begun, used, ended, forged.

use super::browser::{
    PASSWORD, accept, add_berta, ask, by_hand, create, from_console, invite, login, pass, with_berta,
};
use super::house::{PATIENCE, pause};
use serde_json::{Value, json};

fn whoami(house: &super::house::House, cookie: &str) -> (u16, Value) {
    let answer = ask(house, "GET", "/api/v1/whoami", None, &[("cookie", cookie)]);
    (answer.status, answer.body)
}

#[test]
fn a_password_lets_a_browser_in_and_a_log_out_ends_it() {
    let house = with_berta();
    let begun = login(&house, "berta", PASSWORD);
    assert_eq!((begun.status, &begun.body["user"]), (200, &json!("berta")));
    let set = begun.header("set-cookie").expect("a cookie");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"), "{set}");
    assert!(!set.contains("Secure"), "this server has no TLS");
    assert_eq!(begun.header("cache-control"), Some("no-store"));
    assert!(!begun.body.to_string().contains("tgs_"), "the secret is in the cookie alone");
    let cookie = begun.cookie();
    let (status, who) = whoami(&house, &cookie);
    assert_eq!((status, &who["user"], &who["administrator"]), (200, &json!("berta"), &json!(false)));
    let listed = ask(&house, "GET", "/api/v1/tokens", None, &[("cookie", &cookie)]);
    assert!(
        listed.body["items"].as_array().is_some_and(|items| items.iter().all(|t| t["kind"] == "session"))
    );
    let out = from_console(&house, "POST", "/api/v1/logout", None, &cookie);
    assert_eq!((out.status, &out.body["ended"]), (200, &json!(1)));
    assert!(out.header("set-cookie").is_some_and(|set| set.contains("Max-Age=0")));
    assert_eq!(whoami(&house, &cookie).0, 401, "a session is over after its log-out");
    let again = from_console(&house, "POST", "/api/v1/logout", None, &cookie);
    assert_eq!(again.code(), (401, "unauthenticated"));
}

#[test]
fn whatever_is_wrong_is_answered_alike() {
    let house = with_berta();
    create(&house, "new");
    create(&house, "away");
    accept(&house, &invite(&house, "away"), PASSWORD);
    let disabled = json!({"metadata": {"name": "away"}, "spec": {"disabled": true}});
    assert_eq!(house.put("/api/v1/users/away", &disabled, None).0, 200);
    let account = json!({"name": "ci", "role": "developer"});
    assert_eq!(house.post("/api/v1/workspaces/default/service-accounts", &account).0, 201);
    let wrong = login(&house, "berta", "another password");
    assert_eq!(wrong.code(), (401, "bad-credentials"));
    assert!(wrong.header("set-cookie").is_none());
    for name in ["new", "away", "ci", "nobody", "admin", "", "../berta", "\u{432}erta", "Berta"] {
        let answer = login(&house, name, PASSWORD);
        assert_eq!((answer.status, &answer.body), (401, &wrong.body), "{name}");
        assert!(answer.header("set-cookie").is_none());
    }
    let long = login(&house, &"x".repeat(2_000), PASSWORD);
    assert_eq!(long.code(), (422, "invalid"));
    assert_eq!(login(&house, "berta", &"x".repeat(2_000)).code(), (422, "invalid"));
    let extra = json!({"user": "berta", "password": PASSWORD, "platformAdmin": true});
    assert_eq!(ask(&house, "POST", "/api/v1/login", Some(&extra), &[]).status, 422);
}

#[test]
fn who_guesses_too_often_waits() {
    let house = with_berta();
    for name in ["berta", "nobody"] {
        for _ in 0..10 {
            assert_eq!(login(&house, name, "a wrong password").status, 401, "{name}");
        }
        let refused = login(&house, name, PASSWORD);
        assert_eq!(refused.code(), (429, "too-many-attempts"), "{name}: known or not, right or wrong");
        let wait: u64 = refused.header("retry-after").and_then(|text| text.parse().ok()).expect("a number");
        assert!((200..=300).contains(&wait), "{wait}");
    }
    create(&house, "other");
    assert_eq!(accept(&house, &invite(&house, "other"), PASSWORD).status, 200, "others go on");
    assert_eq!(login(&house, "other", PASSWORD).status, 200);
}

#[test]
fn a_cookie_alone_changes_nothing() {
    let house = with_berta();
    let cookie = login(&house, "berta", PASSWORD).cookie();
    let (own, token) = (house.url(""), json!({"name": "mine"}));
    let (cookie, csrf) = (("cookie", cookie.as_str()), ("x-tidegate-csrf", "1"));
    let other_port = "http://127.0.0.1:1";
    for headers in [
        &[cookie][..],
        &[cookie, csrf],
        &[cookie, ("origin", &own)],
        &[cookie, csrf, ("origin", "https://evil.example")],
        &[cookie, csrf, ("origin", other_port)],
        &[cookie, csrf, ("origin", "null")],
        &[cookie, csrf, ("sec-fetch-site", "same-site")],
        &[cookie, csrf, ("sec-fetch-site", "cross-site"), ("origin", &own)],
    ] {
        let refused = ask(&house, "POST", "/api/v1/tokens", Some(&token), headers);
        assert_eq!(refused.code(), (403, "cross-site"), "{headers:?}");
        let refused = ask(&house, "DELETE", "/api/v1/tokens/t-0", None, headers);
        assert_eq!(refused.code(), (403, "cross-site"), "{headers:?}");
    }
    for fine in [("origin", own.as_str()), ("sec-fetch-site", "same-origin")] {
        let made = ask(&house, "POST", "/api/v1/tokens", Some(&token), &[cookie, csrf, fine]);
        assert_eq!(made.status, 201, "{}", made.body);
    }
    // No page of another origin logs a browser in.
    let credentials = json!({"user": "berta", "password": PASSWORD});
    let foreign = ask(&house, "POST", "/api/v1/login", Some(&credentials), &[("origin", other_port)]);
    assert_eq!(foreign.code(), (403, "cross-site"));
    assert!(foreign.header("set-cookie").is_none());
}

#[test]
fn a_secret_is_good_for_its_own_way_alone() {
    let house = with_berta();
    let cookie = login(&house, "berta", PASSWORD).cookie();
    let session = cookie.split_once('=').expect("a pair").1.to_string();
    let bearer = |token: &str| {
        let value = format!("Bearer {token}");
        ask(&house, "GET", "/api/v1/whoami", None, &[("authorization", &value), ("cookie", &cookie)])
    };
    let admin = bearer(house.token());
    assert_eq!(admin.body["user"], "admin", "a token goes before a cookie");
    assert_eq!(bearer(&session).status, 401, "a session is no token");
    assert_eq!(bearer("tgt_0").status, 401, "a wrong token is not made good by a cookie");
    assert_eq!(bearer(&invite(&house, "berta")).status, 401, "an invitation is no token");
    let mut forged = session.clone();
    forged.replace_range(session.len() - 1.., if session.ends_with('0') { "1" } else { "0" });
    for wrong in [forged.as_str(), house.token(), &invite(&house, "berta"), "", "tgs_", "x; y=z"] {
        assert_eq!(whoami(&house, &format!("tidegate_session={wrong}")).0, 401, "{wrong}");
    }
    let both = format!("tidegate_session=tossed; {cookie}");
    assert_eq!(whoami(&house, &both).0, 200, "what somebody else put before it does not lock out");
}

#[test]
fn a_session_ends_with_its_user_and_outlives_a_restart() {
    let mut house = with_berta();
    let cookie = login(&house, "berta", PASSWORD).cookie();
    house.restart();
    assert_eq!(whoami(&house, &cookie).0, 200);
    let disabled = json!({"metadata": {"name": "berta"}, "spec": {"disabled": true}});
    assert_eq!(house.put("/api/v1/users/berta", &disabled, None).0, 200);
    assert_eq!(whoami(&house, &cookie).0, 401);
    let enabled = json!({"metadata": {"name": "berta"}, "spec": {}});
    assert_eq!(house.put("/api/v1/users/berta", &enabled, None).0, 200);
    assert_eq!(whoami(&house, &cookie).0, 401, "it does not come back");
    assert_eq!(login(&house, "berta", PASSWORD).status, 200, "the password does");
    house.raw("DELETE", "/api/v1/users/berta", "");
    create(&house, "berta");
    assert_eq!(login(&house, "berta", PASSWORD).status, 401, "another of the same name");
}

#[test]
fn a_new_password_needs_the_old_one_and_ends_other_sessions() {
    let house = with_berta();
    let (here, there) =
        (login(&house, "berta", PASSWORD).cookie(), login(&house, "berta", PASSWORD).cookie());
    let set = |body: Value| from_console(&house, "PUT", "/api/v1/password", Some(&body), &here);
    let new = "another long password";
    assert_eq!(set(json!({"new": new})).code(), (403, "denied"));
    assert_eq!(set(json!({"old": "wrong", "new": new})).code(), (403, "denied"));
    assert_eq!(set(json!({"old": PASSWORD, "new": "short"})).code(), (422, "invalid"));
    assert_eq!(whoami(&house, &there).0, 200);
    let done = set(json!({"old": PASSWORD, "new": new}));
    // The one that followed the invitation, and the other.
    assert_eq!((done.status, &done.body["ended"]), (200, &json!(2)), "{}", done.body);
    assert_eq!((whoami(&house, &here).0, whoami(&house, &there).0), (200, 401));
    assert_eq!(login(&house, "berta", PASSWORD).status, 401);
    assert_eq!(login(&house, "berta", new).status, 200);
}

#[test]
fn what_has_expired_lets_nobody_in_and_what_is_used_is_noted() {
    let house = by_hand();
    add_berta(&house);
    let cookie = login(&house, "berta", PASSWORD).cookie();
    let made = from_console(&house, "POST", "/api/v1/tokens", Some(&json!({"expiresIn": "20h"})), &cookie);
    let secret = made.body["secret"].as_str().expect("a secret").to_string();
    let bearer = format!("Bearer {secret}");
    let ask_by_token = || ask(&house, "GET", "/api/v1/tokens", None, &[("authorization", &bearer)]);
    let last_used = || {
        let answer = ask_by_token();
        let items = answer.body["items"].as_array().cloned().unwrap_or_default();
        items.into_iter().find(|item| item["id"] == made.body["id"]).map(|item| item["lastUsedAt"].clone())
    };
    // Written beside the requests: some later one sees it.
    let noted = |before: &Value| loop {
        match last_used().expect("it is listed") {
            Value::Null => {}
            time if time == *before => {}
            time => return time,
        }
    };
    let first = noted(&Value::Null);
    let entries = house.control().read_blocking(|world| world.next);
    (0..20).for_each(|_| assert_eq!(ask_by_token().status, 200));
    assert_eq!(house.control().read_blocking(|world| world.next), entries, "to the hour");
    pass(1);
    assert_ne!(noted(&first), first);
    pass(12);
    assert_eq!(whoami(&house, &cookie).0, 401, "a session is good for 12 hours");
    assert_eq!(ask_by_token().status, 200, "a token as long as was asked for");
    pass(8);
    assert_eq!(ask_by_token().status, 401);
    create(&house, "late");
    let invitation = invite(&house, "late");
    pass(7 * 24);
    assert_eq!(accept(&house, &invitation, PASSWORD).code(), (401, "bad-credentials"));
    // Nobody logs in any more, and what is over goes all the same.
    let step = std::time::Duration::from_millis(50);
    let is_left = |_| {
        pause(step);
        house.control().people().tokens().next().is_some()
    };
    assert!(!(0..PATIENCE.as_millis() / step.as_millis()).all(is_left), "something that is over is there");
}

#[test]
fn sessions_of_one_user_are_bounded() {
    let house = with_berta();
    let first = login(&house, "berta", PASSWORD).cookie();
    for _ in 0..50 {
        assert_eq!(login(&house, "berta", PASSWORD).status, 200);
    }
    assert_eq!(whoami(&house, &first).0, 401, "the oldest has ended");
    let count = house.control().people().tokens().count();
    assert_eq!(count, 50);
}
