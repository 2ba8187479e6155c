//! A browser, as far as it matters: it keeps a cookie, and says where a request comes from.

use super::house::House;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use tidegate_server::serve::Ground;

pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    headers: ureq::http::HeaderMap,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The cookie that it sets, without what follows.
    pub(crate) fn cookie(&self) -> String {
        let set = self.header("set-cookie").unwrap_or_default();
        set.split(';').next().unwrap_or_default().to_string()
    }

    pub(crate) fn code(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or_default())
    }
}

pub(crate) fn ask(
    house: &House,
    method: &str,
    path: &str,
    body: Option<&Value>,
    headers: &[(&str, &str)],
) -> Answer {
    let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0);
    let agent = config.max_redirects_will_error(false).build().new_agent();
    let mut request = ureq::http::Request::builder().method(method).uri(house.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let sent = match body {
        Some(body) => {
            let request = request.header("content-type", "application/json");
            agent.run(request.body(body.to_string()).expect("a request"))
        }
        None => agent.run(request.body(()).expect("a request")),
    };
    let mut answer = sent.expect("an answer");
    let text = answer.body_mut().read_to_string().expect("a body");
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer { status: answer.status().as_u16(), body, headers: answer.headers().clone() }
}

/// As a page of the server itself asks.
pub(crate) fn from_console(
    house: &House,
    method: &str,
    path: &str,
    body: Option<&Value>,
    cookie: &str,
) -> Answer {
    let origin = house.url("");
    ask(house, method, path, body, &[("cookie", cookie), ("origin", &origin), ("x-tidegate-csrf", "1")])
}

pub(crate) fn login(house: &House, user: &str, password: &str) -> Answer {
    ask(house, "POST", "/api/v1/login", Some(&json!({"user": user, "password": password})), &[])
}

pub(crate) fn create(house: &House, name: &str) {
    let made = house.post("/api/v1/users", &json!({"metadata": {"name": name}, "spec": {}}));
    assert_eq!(made.0, 201, "{made:?}");
}

pub(crate) fn invite(house: &House, name: &str) -> String {
    let (status, invitation) = house.raw("POST", &format!("/api/v1/users/{name}:invite"), "");
    assert_eq!(status, 201, "{invitation}");
    invitation["secret"].as_str().expect("a secret").to_string()
}

pub(crate) fn accept(house: &House, secret: &str, password: &str) -> Answer {
    let body = json!({"secret": secret, "password": password});
    ask(house, "POST", "/api/v1/invitations:accept", Some(&body), &[])
}

/// A server with a user that has a password.
pub(crate) fn with_berta() -> House {
    let house = House::new("1x1");
    add_berta(&house);
    house
}

pub(crate) fn add_berta(house: &House) {
    create(house, "berta");
    let followed = accept(house, &invite(house, "berta"), PASSWORD);
    assert_eq!(followed.status, 200, "{}", followed.body);
}

/// The clock of a server whose time is set by hand: one test at a time may use it.
static CLOCK: LazyLock<Arc<AtomicU64>> = LazyLock::new(|| Arc::new(AtomicU64::new(1_800_000_000_000)));

pub(crate) fn pass(hours: u64) {
    CLOCK.fetch_add(hours * 3_600_000, Ordering::Relaxed);
}

pub(crate) fn by_hand() -> House {
    House::on("1x1", |_| (), || Ground { clock: Some(CLOCK.clone()), ..Ground::default() })
}
