//! Notebooks and services reached through the real server: real processes, with Python's standard library.

mod client;
#[path = "../common/mod.rs"]
mod common;
mod doors;
mod notebooks;
mod passing;
mod replicas;
mod troubles;

use client::{Answer, ask};
use common::{Server, until};
use serde_json::Value;

/// Longest wait for what is stopped at the end of a test.
const ENDING: std::time::Duration = std::time::Duration::from_secs(30);

/// A server with what its tests ask of it.
pub(crate) struct House {
    pub(crate) server: Server,
    /// Where notebooks and services are reached.
    pub(crate) apps: String,
    submitted: Vec<String>,
}

/// What was started outlives the server, so it is stopped before.
#[allow(clippy::disallowed_methods, reason = "a process that ends tells nobody")]
impl Drop for House {
    fn drop(&mut self) {
        for name in &self.submitted {
            self.server.run(&["stop", name]);
        }
        for name in &self.submitted {
            let begun = std::time::Instant::now();
            let ended = || {
                let shown = self.server.run(&["show", name, "-o", "json"]);
                shown.code != 0
                    || ["stopped", "finished", "failed"]
                        .iter()
                        .any(|s| shown.out.contains(&format!("\"state\": \"{s}\"")))
            };
            while begun.elapsed() < ENDING && !ended() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    }
}

impl House {
    pub(crate) fn new() -> House {
        House::with(&[])
    }

    pub(crate) fn with(arguments: &[&str]) -> House {
        let server = Server::with(&[&["--executor", "local", "--virtual-gpus", "1x8"], arguments].concat());
        std::fs::write(server.dir.path().join("server.py"), include_str!("server.py")).expect("written");
        House { server, apps: String::new(), submitted: Vec::new() }
    }

    /// Submits a program; it answers at its port.
    pub(crate) fn submit(&mut self, name: &str, module: &str, flags: &[&str], arguments: &[&str]) {
        let program = self.server.dir.path().join("server.py");
        let program = program.to_string_lossy().into_owned();
        let words = ["submit", "--name", name, "--module", module, "--grace", "20s"];
        let words = [&words[..], flags, &["--", "python3", &program], arguments].concat();
        self.server.run(&words).ok();
        self.submitted.push(name.into());
        let url = until(|| self.status(name)["url"].as_str().map(str::to_string));
        let host = url.strip_prefix("http://").and_then(|rest| rest.split('/').next());
        self.apps = host.expect("an address").to_string();
    }

    pub(crate) fn service(&mut self, name: &str, replicas: u32) {
        self.submit(name, "service", &["--replicas", &replicas.to_string()], &[]);
        self.until_ready(name, replicas);
    }

    pub(crate) fn status(&self, name: &str) -> Value {
        self.server.run(&["show", name, "-o", "json"]).json()["status"].take()
    }

    pub(crate) fn until_ready(&self, name: &str, replicas: u32) {
        until(|| (self.status(name)["replicas"]["ready"] == replicas).then_some(()));
    }

    /// As the administrator.
    pub(crate) fn ask(&self, head: &str) -> Answer {
        let (first, rest) = head.split_once('\n').unwrap_or((head, ""));
        ask(&self.apps, &format!("{first}\nAuthorization: Bearer {}\n{rest}", self.server.token))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"))
    }

    /// Where a workload was started: its replicas share it.
    pub(crate) fn directory(&self, name: &str) -> std::path::PathBuf {
        let work = self.server.data().join("work/0");
        let entries = std::fs::read_dir(&work).expect("a workspace").flatten().map(|entry| entry.path());
        let of = |path: &std::path::PathBuf| {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            file.strip_prefix(&format!("{name}.")).is_some_and(|rest| rest.parse::<u32>().is_ok())
        };
        let mut found: Vec<_> = entries.filter(of).collect();
        found.sort();
        found.pop().expect("its directory")
    }

    pub(crate) fn note(&self, name: &str, file: &str) {
        std::fs::write(self.directory(name).join(file), "").expect("written");
    }
}
