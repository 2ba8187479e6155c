//! A server of its own for a test.

use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tidegate_server::config::Config;
use tidegate_server::serve::Server;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// How long something that must happen may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct House {
    data: TempDir,
    runtime: Runtime,
    running: Option<Running>,
    agent: ureq::Agent,
    config: Config,
}

#[derive(Debug)]
struct Running {
    base: String,
    token: String,
    closing: watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl House {
    pub fn new(virtual_gpus: &str) -> House {
        let config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            virtual_gpus: Some(virtual_gpus.into()),
            ..Config::default()
        };
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        let runtime = Runtime::new().expect("a runtime");
        let data = tempfile::tempdir().expect("a directory");
        let mut house = House { data, runtime, running: None, agent, config };
        house.open();
        house
    }

    pub fn data(&self) -> &Path {
        self.data.path()
    }

    fn open(&mut self) {
        let server = self.runtime.block_on(Server::open(&self.config, self.data.path())).expect("it starts");
        let base = format!("http://{}", server.address().expect("an address"));
        let token = tidegate_server::token::read(&self.data.path().join("admin.token")).expect("a token");
        let (closing, closed) = watch::channel(false);
        let task = self.runtime.spawn(server.run(closed));
        self.running = Some(Running { base, token, closing, task });
    }

    pub fn close(&mut self) {
        if let Some(running) = self.running.take() {
            running.closing.send_replace(true);
            self.runtime.block_on(running.task).expect("it ends in order");
        }
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
        let answer = match body {
            Some(body) => {
                let request =
                    request.header("Content-Type", "application/json").body(body).expect("a request");
                self.agent.run(request)
            }
            None => self.agent.run(request.body(()).expect("a request")),
        };
        let mut answer = answer.expect("an answer");
        let text = answer.body_mut().read_to_string().expect("a body");
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Waits until a workload is in a state.
    pub fn until(&self, name: &str, state: &str) {
        let tries = PATIENCE.as_millis() / 20;
        let mut last = Value::Null;
        for _ in 0..tries {
            last = self.get(&format!("/api/v1/workloads/{name}")).1;
            if last["status"]["state"] == state {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{name} is not {state}: {last}");
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.close();
    }
}
