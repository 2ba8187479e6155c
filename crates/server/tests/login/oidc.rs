//! Logging in through a provider of identities that is really asked, over HTTP.

use super::authority::Authority;
use super::browser::{Answer, PASSWORD, accept, ask, create, invite};
use super::house::House;
use super::provider::{Lie, Provider};
use serde_json::json;
use std::path::PathBuf;
use tidegate_server::login::oidc::config::{Issuer, OidcConfig, Secret};

fn house_of(provider: &Provider, create_users: bool) -> House {
    house_that_trusts(provider, create_users, None)
}

fn house_that_trusts(provider: &Provider, create_users: bool, ca_file: Option<PathBuf>) -> House {
    let oidc = OidcConfig {
        issuer: Issuer(provider.issuer()),
        client_id: "tide gate".into(),
        client_secret: Some(Secret("a:b c".into())),
        client_secret_file: None,
        create_users,
        username_claim: None,
        ca_file,
    };
    House::with("1x1", move |config| config.oidc = Some(oidc))
}

/// Sends a browser away; where to, and its cookie.
fn begin(house: &House) -> (String, String) {
    let sent = ask(house, "GET", "/api/v1/login/oidc", None, &[]);
    assert_eq!(sent.status, 303, "{}", sent.body);
    let set = sent.header("set-cookie").expect("a cookie");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax"), "{set}");
    (sent.header("location").expect("an address").to_string(), sent.cookie())
}

/// Comes back as the provider sends it.
fn back(house: &House, query: &str, cookie: &str) -> Answer {
    ask(house, "GET", &format!("/api/v1/login/oidc/callback?{query}"), None, &[("cookie", cookie)])
}

fn whoami(house: &House, cookie: &str) -> String {
    let who = ask(house, "GET", "/api/v1/whoami", None, &[("cookie", cookie)]);
    who.body["user"].as_str().unwrap_or_default().to_string()
}

fn log_in(house: &House, provider: &Provider) -> Answer {
    let (to, cookie) = begin(house);
    back(house, &provider.visit(&to), &cookie)
}

#[test]
fn somebody_whom_the_provider_vouches_for_becomes_a_user_and_stays_the_same() {
    let provider = Provider::start("berta@example.com", "sub-1");
    let house = house_of(&provider, true);
    let (to, cookie) = begin(&house);
    for part in
        ["response_type=code", "code_challenge_method=S256", "client_id=tide%20gate", "scope=openid%20"]
    {
        assert!(to.contains(part), "{to}");
    }
    let query = provider.visit(&to);
    let done = back(&house, &query, &cookie);
    assert_eq!((done.status, done.header("location")), (303, Some("/")), "{}", done.body);
    let set = done.header("set-cookie").expect("a cookie");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
    assert_eq!(whoami(&house, &done.cookie()), "berta");
    // The same state again, with the same cookie.
    let replayed = back(&house, &query, &cookie);
    assert_eq!(replayed.code(), (401, "bad-credentials"));
    assert!(replayed.header("set-cookie").is_none());
    // By another name there, the same here.
    provider.is_called("elisabeth");
    assert_eq!(whoami(&house, &log_in(&house, &provider).cookie()), "berta");
    let (_, user) = house.get("/api/v1/users/berta");
    assert_eq!(user["status"]["provider"], provider.issuer());
    let disabled = json!({"metadata": {"name": "berta"}, "spec": {"disabled": true}});
    assert_eq!(house.put("/api/v1/users/berta", &disabled, None).0, 200);
    assert_eq!(log_in(&house, &provider).code(), (401, "bad-credentials"));
}

#[test]
fn nobody_takes_over_a_user_by_being_called_alike() {
    let provider = Provider::start("admin", "sub-1");
    let house = house_of(&provider, true);
    let done = log_in(&house, &provider);
    assert_eq!(whoami(&house, &done.cookie()), "admin-2");
    create(&house, "berta");
    assert_eq!(accept(&house, &invite(&house, "berta"), PASSWORD).status, 200);
    let other = Provider::start("berta", "sub-2");
    let other_house = house_of(&other, true);
    create(&other_house, "berta");
    assert_eq!(whoami(&other_house, &log_in(&other_house, &other).cookie()), "berta-2");
}

#[test]
fn what_the_provider_says_must_hold() {
    let provider = Provider::start("berta", "sub-1");
    let house = house_of(&provider, true);
    for lie in [
        Lie::Nonce,
        Lie::Audience,
        Lie::Issuer,
        Lie::Expired,
        Lie::Future,
        Lie::Signature,
        Lie::OtherKey,
        Lie::Unsigned,
        Lie::Subject,
    ] {
        provider.lies(Some(lie));
        let refused = log_in(&house, &provider);
        assert_eq!(refused.code(), (401, "bad-credentials"), "{lie:?}");
        assert!(refused.header("set-cookie").is_none(), "{lie:?}");
    }
    assert_eq!(house.get("/api/v1/users/berta").0, 404, "nobody was made");
    provider.lies(None);
    assert_eq!(log_in(&house, &provider).status, 303);
    provider.changes_key();
    assert_eq!(log_in(&house, &provider).status, 303, "providers change their keys");
}

#[test]
fn who_comes_back_must_be_who_went() {
    let provider = Provider::start("berta", "sub-1");
    let house = house_of(&provider, true);
    let (to, cookie) = begin(&house);
    let query = provider.visit(&to);
    assert_eq!(back(&house, &query, "").code(), (401, "bad-credentials"), "another browser");
    assert_eq!(back(&house, &query, &cookie).code(), (401, "bad-credentials"), "a state is good once");
    let (to, _) = begin(&house);
    let (_, others) = begin(&house);
    assert_eq!(back(&house, &provider.visit(&to), &others).code(), (401, "bad-credentials"));
    for query in ["state=x&code=y", "error=access_denied&state=x", "code=y", ""] {
        assert_eq!(back(&house, query, &cookie).code(), (401, "bad-credentials"), "{query}");
    }
    // The code of another log-in: its question was another one.
    let (first, cookie) = begin(&house);
    let (second, _) = begin(&house);
    let (first, second) = (provider.visit(&first), provider.visit(&second));
    let state = first.split('&').find(|part| part.starts_with("state=")).expect("a state");
    let code = second.split('&').find(|part| part.starts_with("code=")).expect("a code");
    let mixed = back(&house, &format!("{state}&{code}"), &cookie);
    assert_eq!(mixed.code(), (502, "provider-failed"), "the provider compares the verifier");
}

#[test]
fn without_leave_nobody_is_made_and_without_a_provider_there_is_no_way() {
    let provider = Provider::start("berta", "sub-1");
    let house = house_of(&provider, false);
    assert_eq!(log_in(&house, &provider).code(), (401, "bad-credentials"));
    assert_eq!(house.get("/api/v1/users/berta").0, 404);
    let house = House::new("1x1");
    for path in ["/api/v1/login/oidc", "/api/v1/login/oidc/callback?state=a&code=b"] {
        assert_eq!(ask(&house, "GET", path, None, &[]).code(), (404, "not-found"));
    }
    let gone = house_of(&provider, true);
    drop(provider);
    assert_eq!(ask(&gone, "GET", "/api/v1/login/oidc", None, &[]).code(), (502, "provider-failed"));
}

#[test]
fn over_tls_a_provider_is_who_a_trusted_authority_vouches_for() {
    let (trusted, stranger) = (Authority::new(), Authority::new());
    let provider = Provider::secure(trusted.vouches(), "berta", "sub-1");
    let house = house_that_trusts(&provider, true, Some(trusted.file()));
    assert_eq!(whoami(&house, &log_in(&house, &provider).cookie()), "berta");
    let impostor = Provider::secure(stranger.vouches(), "berta", "sub-1");
    let house = house_that_trusts(&impostor, true, Some(trusted.file()));
    let refused = ask(&house, "GET", "/api/v1/login/oidc", None, &[]);
    assert_eq!(refused.code(), (502, "provider-failed"));
    let why = refused.body["detail"].as_str().unwrap_or_default();
    assert!(why.contains("invalid peer certificate"), "{why}");
}

#[test]
fn an_administrator_says_who_somebody_is_and_nobody_else_does() {
    let provider = Provider::start("berta", "sub-1");
    let house = house_of(&provider, false);
    create(&house, "berta");
    create(&house, "boris");
    let link = |user: &str, body: &serde_json::Value| house.post(&format!("/api/v1/users/{user}:link"), body);
    let berta = house.post("/api/v1/tokens", &json!({"user": "berta"})).1["secret"].clone();
    let bearer = format!("Bearer {}", berta.as_str().expect("a secret"));
    let body = Some(json!({"subject": "sub-1"}).to_string());
    let own = house.send("POST", "/api/v1/users/berta:link", body, &[("Authorization", &bearer)]);
    assert_eq!(own.0, 403, "not even for oneself");
    assert_eq!(log_in(&house, &provider).code(), (401, "bad-credentials"));
    let (status, linked) = link("berta", &json!({"subject": "sub-1"}));
    assert_eq!((status, &linked["status"]["subject"]), (200, &json!("sub-1")), "{linked}");
    assert_eq!(linked["status"]["provider"], provider.issuer());
    let session = log_in(&house, &provider).cookie();
    assert_eq!(whoami(&house, &session), "berta");
    // Nobody is two users, and nobody logs in as a program.
    assert_eq!(link("boris", &json!({"subject": "sub-1"})).1["code"], "name-taken");
    assert_eq!(link("nobody", &json!({"subject": "sub-2"})).0, 404);
    for wrong in [
        json!({"subject": ""}),
        json!({}),
        json!({"subject": "x".repeat(256)}),
        json!({"issuer": "", "subject": "x"}),
    ] {
        assert_eq!(link("boris", &wrong).0, 422, "{wrong}");
    }
    let account = json!({"name": "ci", "role": "guest"});
    assert_eq!(house.post("/api/v1/workspaces/default/service-accounts", &account).0, 201);
    assert_eq!(link("ci", &json!({"subject": "sub-3"})).1["code"], "wrong-state");
    // Who is unlinked is out.
    assert_eq!(house.post("/api/v1/users/berta:unlink", &json!({})).0, 200);
    assert_eq!(ask(&house, "GET", "/api/v1/whoami", None, &[("cookie", &session)]).status, 401);
    assert_eq!(log_in(&house, &provider).code(), (401, "bad-credentials"));
    assert_eq!(house.post("/api/v1/users/berta:unlink", &json!({})).1["code"], "nothing-to-change");
    assert_eq!(link("boris", &json!({"subject": "sub-1"})).0, 200);
    assert_eq!(whoami(&house, &log_in(&house, &provider).cookie()), "boris");
}
