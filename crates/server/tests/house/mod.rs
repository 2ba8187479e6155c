//! A server of its own for a test.
#![allow(dead_code, unreachable_pub, reason = "each file of tests uses a part of it")]

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tidegate_server::config::{Config, ExecutorKind};
use tidegate_server::core::control::Control;
use tidegate_server::serve::{Broken, Ground, ServeError, Server};
use tidegate_store::{Options, SqliteStore};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// How long something that must happen may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How long a connection is kept for the next request: less than the server keeps it, or a request may meet its end.
const IDLE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct House {
    data: TempDir,
    runtime: Runtime,
    running: Option<Running>,
    agent: ureq::Agent,
    config: Config,
    ground: fn() -> Ground,
}

/// An answer as it came.
#[derive(Debug)]
pub struct Exchanged {
    pub status: u16,
    pub kind: String,
    pub request_id: Option<String>,
    pub text: String,
}

#[derive(Debug)]
struct Running {
    control: Control,
    base: String,
    token: String,
    closing: watch::Sender<bool>,
    task: tokio::task::JoinHandle<Result<(), Broken>>,
}

impl House {
    pub fn new(virtual_gpus: &str) -> House {
        House::with(virtual_gpus, |_| ())
    }

    pub fn with(virtual_gpus: &str, change: impl FnOnce(&mut Config)) -> House {
        House::on(virtual_gpus, change, Ground::default)
    }

    /// A house whose server takes other things for granted.
    pub fn on(virtual_gpus: &str, change: impl FnOnce(&mut Config), ground: fn() -> Ground) -> House {
        let data = tempfile::tempdir().expect("a directory");
        House::at(data, virtual_gpus, change, ground)
    }

    pub fn at(
        data: TempDir,
        virtual_gpus: &str,
        change: impl FnOnce(&mut Config),
        ground: fn() -> Ground,
    ) -> House {
        let mut config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            executor: ExecutorKind::Virtual,
            virtual_gpus: Some(virtual_gpus.into()),
            ..Config::default()
        };
        change(&mut config);
        let agent = ureq::Agent::config_builder().http_status_as_error(false).max_idle_age(IDLE);
        let agent = agent.build().new_agent();
        let runtime = Runtime::new().expect("a runtime");
        let mut house = House { data, runtime, running: None, agent, config, ground };
        house.open();
        house
    }

    /// What the next start is told.
    pub fn reconfigure(&mut self, change: impl FnOnce(&mut Config)) {
        change(&mut self.config);
    }

    pub fn data(&self) -> &Path {
        self.data.path()
    }

    pub fn open(&mut self) {
        let server = self.try_open().expect("it starts");
        let base = format!("http://{}", server.address().expect("an address"));
        let token = tidegate_server::token::read(&self.data.path().join("admin.token")).expect("a token");
        let (closing, closed) = watch::channel(false);
        let control = server.control.clone();
        let task = self.runtime.spawn(server.run(closed));
        self.running = Some(Running { control, base, token, closing, task });
    }

    /// A server on the data directory, which may be in use.
    pub fn try_open(&self) -> Result<Server, ServeError> {
        let opening = Server::open_on(&self.config, self.data.path(), (self.ground)());
        self.runtime.block_on(opening)
    }

    pub fn control(&self) -> &Control {
        &self.running().control
    }

    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub fn close(&mut self) {
        if let Some(running) = self.running.take() {
            drop(running.control);
            running.closing.send_replace(true);
            self.runtime.block_on(running.task).expect("it ends").expect("in order");
        }
    }

    /// Waits for a server that ends by itself.
    pub fn broken(&mut self) -> Broken {
        let running = self.running.take().expect("it runs");
        drop(running.control);
        let broken = self.runtime.block_on(running.task).expect("it ends").expect_err("not in order");
        // In its own process it would be gone with it; here its other threads still end.
        while SqliteStore::open(self.data.path(), Options::default()).is_err() {
            pause(Duration::from_millis(5));
        }
        broken
    }

    pub fn restart(&mut self) {
        self.close();
        self.open();
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("the server is up")
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running().base)
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        self.running().base.split_once("//").expect("an address").1
    }

    pub fn token(&self) -> &str {
        &self.running().token
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        self.raw("GET", path, "")
    }

    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.raw("POST", path, &body.to_string())
    }

    pub fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> (u16, Value) {
        let token = format!("Bearer {}", self.token());
        let mut all = vec![("Authorization", token.as_str())];
        all.extend(headers);
        self.send("POST", path, Some(body.to_string()), &all)
    }

    pub fn put(&self, path: &str, body: &Value, version: Option<&str>) -> (u16, Value) {
        let token = format!("Bearer {}", self.token());
        let mut all = vec![("Authorization", token.as_str())];
        let tag = version.map(|version| format!("\"{version}\""));
        all.extend(tag.as_deref().map(|tag| ("If-Match", tag)));
        self.send("PUT", path, Some(body.to_string()), &all)
    }

    pub fn raw(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let token = format!("Bearer {}", self.token());
        let body = (!body.is_empty()).then(|| body.to_string());
        self.send(method, path, body, &[("Authorization", &token)])
    }

    pub fn send_as(
        &self,
        method: &str,
        path: &str,
        media: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> (u16, Value) {
        let mut request = ureq::http::Request::builder().method(method).uri(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.header("Content-Type", media).body(body.to_string()).expect("a request");
        read(self.agent.run(request).unwrap_or_else(|error| panic!("{method} {path}: {error}")))
    }

    /// Status, answer, and what `Retry-After` says.
    pub fn post_patiently(&self, path: &str, body: &Value) -> (u16, Value, Option<String>) {
        let request = ureq::http::Request::post(self.url(path)).header("Content-Type", "application/json");
        let request = request.header("Authorization", format!("Bearer {}", self.token()));
        let answer = self.agent.run(request.body(body.to_string()).expect("a request")).expect("an answer");
        let after = answer.headers().get("retry-after").and_then(|v| v.to_str().ok()).map(str::to_string);
        let (status, body) = read(answer);
        (status, body, after)
    }

    pub fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
        headers: &[(&str, &str)],
    ) -> (u16, Value) {
        let mut request = ureq::http::Request::builder().method(method).uri(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            return self.send_as(method, path, "application/json", &body, headers);
        }
        let answered = self.agent.run(request.body(()).expect("a request"));
        read(answered.unwrap_or_else(|error| panic!("{method} {path}: {error}")))
    }

    /// Sends whatever a request may carry. `None` if it could not be sent, or the server hung up on a body that it
    /// did not want.
    pub fn exchange(&self, request: ureq::http::request::Builder, body: Option<&[u8]>) -> Option<Exchanged> {
        let answer = match body {
            Some(body) => self.agent.run(request.body(body).ok()?),
            None => self.agent.run(request.body(()).ok()?),
        };
        let mut answer = answer.ok()?;
        let header =
            |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(String::from);
        let (kind, request_id) = (header("content-type").unwrap_or_default(), header("x-request-id"));
        // A watch goes on for ever.
        let endless = kind == "text/event-stream";
        let text = if endless { String::new() } else { answer.body_mut().read_to_string().ok()? };
        Some(Exchanged { status: answer.status().as_u16(), kind, request_id, text })
    }

    /// Waits until a workload is in a state.
    pub fn until(&self, name: &str, state: &str) {
        let mut news = self.watch(&format!("?workload={name}"), &[]);
        loop {
            let last = self.get(&format!("/api/v1/workloads/{name}")).1;
            if last["status"]["state"] == state {
                return;
            }
            assert!(news.next().is_some(), "{name} is not {state}: {last}");
        }
    }

    /// Events as they happen; ends when the server ends it, or when nothing happens for too long.
    pub fn watch(&self, query: &str, headers: &[(&str, &str)]) -> impl Iterator<Item = (u64, Value)> + use<> {
        self.watch_as(self.token(), query, headers)
    }

    /// The same, for whoever has a token.
    pub fn watch_as(
        &self,
        token: &str,
        query: &str,
        headers: &[(&str, &str)],
    ) -> impl Iterator<Item = (u64, Value)> + use<> {
        let token = format!("Bearer {token}");
        let mut request = ureq::http::Request::get(self.url(&format!("/api/v1/watch{query}")));
        request = request.header("Authorization", token);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let config = ureq::Agent::config_builder().timeout_recv_body(Some(PATIENCE)).build();
        let answer = config.new_agent().run(request.body(()).expect("a request")).expect("a watch");
        let mut lines = BufReader::new(answer.into_body().into_reader()).lines();
        std::iter::from_fn(move || {
            let mut number = 0;
            loop {
                let line = lines.next()?.ok()?;
                if let Some(id) = line.strip_prefix("id: ") {
                    number = id.parse().expect("a number");
                }
                if let Some(data) = line.strip_prefix("data: ") {
                    return Some((number, serde_json::from_str(data).expect("JSON")));
                }
            }
        })
    }
}

fn read(mut answer: ureq::http::Response<ureq::Body>) -> (u16, Value) {
    let text = answer.body_mut().read_to_string().expect("a body");
    (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

impl Drop for House {
    fn drop(&mut self) {
        self.close();
    }
}

/// Somebody who calls a server in another process, which may be killed at any time.
#[derive(Clone, Debug)]
pub struct Caller {
    agent: ureq::Agent,
    base: String,
    token: String,
}

impl Caller {
    pub fn new(base: &str, token: &str) -> Caller {
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        Caller { agent: config.build().new_agent(), base: base.into(), token: format!("Bearer {token}") }
    }

    /// Status and answer; `None` if there was none.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Option<(u16, Value)> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        request = request.header("Authorization", &self.token);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = match body {
            Some(body) => {
                let request = request.header("Content-Type", "application/json");
                self.agent.run(request.body(body.to_string()).expect("a request"))
            }
            None => self.agent.run(request.body(()).expect("a request")),
        };
        let mut answer = answer.ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        Some((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }
}

/// Lets time pass before something is broken: the instant is meant to be any.
#[allow(clippy::disallowed_methods, reason = "the instant of a fault is random")]
pub fn pause(span: Duration) {
    std::thread::sleep(span);
}
