//! A server with a directory of its own, asked through its API, and what it leaves on the machine.

use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for anything, on a machine that is busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Lab {
    pub(crate) dir: tempfile::TempDir,
    /// What is started: an upgrade is another one.
    pub(crate) binary: PathBuf,
    child: Option<Child>,
    url: String,
    token: String,
    agent: ureq::Agent,
}

#[track_caller]
#[allow(clippy::disallowed_methods, reason = "a process tells nobody when it is there")]
pub(crate) fn until<T>(what: &str, mut happened: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = happened() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} did not happen in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// One process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) line: String,
    environ: String,
}

fn parent(pid: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

pub(crate) fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("processes can be listed").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let read = |pid: i32, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ").trim_end().to_string()
    };
    numbers
        .filter(|pid| is_alive(&pid.to_string()))
        .map(|pid| Process { pid, line: read(pid, "cmdline"), environ: read(pid, "environ") })
        .collect()
}

pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Whether there was such a process to be told.
pub(crate) fn signal(pid: i32, signal: rustix::process::Signal) -> bool {
    let pid = rustix::process::Pid::from_raw(pid).expect("a number");
    rustix::process::kill_process(pid, signal).is_ok()
}

impl Lab {
    /// A server with 8 virtual GPUs and this in its configuration.
    pub(crate) fn new(config: &str) -> Lab {
        Lab::within(tempfile::tempdir().expect("a directory"), config)
    }

    pub(crate) fn within(dir: tempfile::TempDir, config: &str) -> Lab {
        // Users of workspaces have to pass.
        fs::set_permissions(dir.path(), Permissions::from_mode(0o711)).expect("it is ours");
        let config =
            format!("virtual-gpus = \"1x8\"\nlisten = \"127.0.0.1:0\"\n{config}\n[log]\nlevel = \"warn\"\n");
        fs::write(dir.path().join("config.toml"), config).expect("written");
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let binary = env!("CARGO_BIN_EXE_tidegate").into();
        let mut lab = Lab { dir, binary, child: None, url: String::new(), token: String::new(), agent };
        lab.start();
        lab
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The binary, without anything of the machine it runs on.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TIDEGATE_")) {
            command.env_remove(name);
        }
        command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME").env("HOME", self.dir.path());
        command
    }

    pub(crate) fn start(&mut self) {
        let (data, config) = (self.data(), self.dir.path().join("config.toml"));
        let _ = fs::remove_file(data.join("server.address"));
        let mut command = self.command();
        command.arg("serve").arg("--config").arg(config).arg("--data").arg(&data);
        let errors = fs::OpenOptions::new().create(true).append(true).open(self.dir.path().join("log"));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors.expect("a log"))
            .spawn()
            .expect("the server starts");
        self.url = until("the start of the server", || {
            let ended = child.try_wait().expect("it can be looked at");
            assert!(ended.is_none(), "the server ended: {}", self.said());
            let text = fs::read_to_string(data.join("server.address")).ok()?;
            text.strip_suffix('\n').map(str::to_string)
        });
        let token = fs::read_to_string(data.join("admin.token")).expect("the token is there");
        (self.child, self.token) = (Some(child), token.trim().to_string());
    }

    /// What the server wrote to its log.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }

    pub(crate) fn crash(&mut self) {
        self.kill();
        self.start();
    }

    /// Ends it in order.
    pub(crate) fn stop(&mut self) {
        let mut child = self.child.take().expect("it runs");
        assert!(signal(child.id() as i32, rustix::process::Signal::TERM));
        assert!(child.wait().expect("it ends").success());
    }

    /// The verbs of the command line: their output.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let mut command = self.command();
        command.env("TIDEGATE_SERVER", &self.url).env("TIDEGATE_TOKEN", &self.token).args(arguments);
        let output = command.stdin(Stdio::null()).output().expect("the binary runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("output is UTF-8")
    }

    /// Status and body; `None` if the server is gone.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> Option<(u16, Value)> {
        self.ask_as(&self.token, method, path, body, key)
    }

    /// The same, for whoever has a token.
    fn ask_as(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> Option<(u16, Value)> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        request = request.header("authorization", format!("Bearer {token}"));
        request = request.header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let body = body.map_or(String::new(), Value::to_string);
        let mut response = self.agent.run(request.body(body).expect("a request")).ok()?;
        let text = response.body_mut().read_to_string().ok()?;
        Some((response.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, None, None).expect("the server answers");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// A shell that does this; `more` goes into the spec. Its directory.
    #[track_caller]
    pub(crate) fn submit(&self, name: &str, script: &str, more: Value) -> PathBuf {
        self.submit_as(name, &["/bin/sh", "-c", script], more)
    }

    #[track_caller]
    pub(crate) fn submit_as(&self, name: &str, command: &[&str], more: Value) -> PathBuf {
        self.submit_by(&self.token, name, command, more)
    }

    /// By whoever has a token.
    #[track_caller]
    pub(crate) fn submit_by(&self, token: &str, name: &str, command: &[&str], more: Value) -> PathBuf {
        let mut spec =
            json!({"command": command, "gracePeriod": "0s", "resources": {"cpu": 0.1, "memory": "64Mi"}});
        for (key, value) in more.as_object().expect("fields") {
            spec[key] = value.clone();
        }
        let body = json!({"metadata": {"name": name}, "spec": spec});
        let (status, body) =
            self.ask_as(token, "POST", "/api/v1/workloads", Some(&body), None).expect("the server answers");
        assert_eq!(status, 201, "{body}");
        self.directory(name, &body)
    }

    fn directory(&self, name: &str, workload: &Value) -> PathBuf {
        let uid = workload["metadata"]["uid"].as_str().expect("a uid");
        let room = match workload["status"]["workspace"].as_str() {
            Some("default") | None => 0,
            Some(room) => {
                let uid = self.get(&format!("/api/v1/workspaces/{room}"))["metadata"]["uid"].take();
                uid.as_str().and_then(|uid| uid.strip_prefix("ws-")?.parse().ok()).expect("a number")
            }
        };
        let place = self.data().join(format!("work/{room}"));
        place.join(format!("{name}.{}", uid.trim_start_matches("w-")))
    }

    #[track_caller]
    pub(crate) fn stop_work(&self, name: &str) {
        let path = format!("/api/v1/workloads/{name}:stop");
        let (status, body) = self.ask("POST", &path, None, None).expect("the server answers");
        assert_eq!(status, 200, "{body}");
    }

    pub(crate) fn workload(&self, name: &str) -> Value {
        self.get(&format!("/api/v1/workloads/{name}"))
    }

    /// Its status, once this is so.
    #[track_caller]
    pub(crate) fn until_status(&self, name: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until("a status", || {
                last = self.workload(name)["status"].take();
                is_so(&last).then(|| last.clone())
            })
        }));
        found.unwrap_or_else(|_| panic!("{name}: {last}\n{}", self.said()))
    }

    #[track_caller]
    pub(crate) fn until_state(&self, name: &str, state: &str) -> Value {
        self.until_status(name, |status| status["state"] == state)
    }

    /// How it failed: code and detail.
    #[track_caller]
    pub(crate) fn failure(&self, name: &str) -> (i64, String) {
        let status = self.until_state(name, "failed");
        let code = status["exitCode"].as_i64().expect("an exit code");
        (code, status["exitDetail"].as_str().unwrap_or_default().to_string())
    }

    /// Output of the first replica, all of it.
    pub(crate) fn output(&self, name: &str) -> Vec<u8> {
        let uid = self.workload(name)["metadata"]["uid"].as_str().expect("a uid").to_string();
        let log = self.data().join("logs").join(uid.trim_start_matches("w-")).join("0.log");
        let mut all = Vec::new();
        for number in (1..10).rev() {
            all.extend(fs::read(log.with_extension(format!("log.{number}"))).unwrap_or_default());
        }
        all.extend(fs::read(log).unwrap_or_default());
        all
    }

    /// Processes that belong to this server's work, supervisors first.
    pub(crate) fn workers(&self) -> Vec<Process> {
        let runs = self.data().canonicalize().expect("it is there").join("runs").display().to_string();
        let mut ours = processes();
        ours.retain(|p| p.line.contains(&runs) || p.environ.contains(&runs));
        ours.sort_by_key(|p| !p.line.contains("__supervise"));
        ours
    }

    pub(crate) fn supervisors(&self) -> Vec<Process> {
        let mut all = self.workers();
        all.retain(|p| p.line.contains("__supervise"));
        // The child of one looks like it until it has become the program that it is to be.
        let pids: Vec<i32> = all.iter().map(|p| p.pid).collect();
        all.retain(|p| parent(p.pid).is_none_or(|parent| !pids.contains(&parent)));
        all
    }

    /// The supervisor of one workload.
    #[track_caller]
    pub(crate) fn supervisor(&self, name: &str) -> Process {
        let uid = self.workload(name)["metadata"]["uid"].as_str().expect("a uid").to_string();
        let part = format!("/runs/{}/", uid.trim_start_matches("w-"));
        until("a supervisor", || self.supervisors().into_iter().find(|p| p.line.contains(&part)))
    }

    /// Nothing of any run is left: no process, no directory, no control group.
    #[track_caller]
    pub(crate) fn is_clean(&self) {
        until("the end of all processes", || self.workers().is_empty().then_some(()));
        let runs = || fs::read_dir(self.data().join("runs")).into_iter().flatten().flatten();
        until("the removal of all runs", || runs().next().is_none().then_some(()));
        for process in processes() {
            let groups = fs::read_to_string(format!("/proc/{}/cgroup", process.pid)).unwrap_or_default();
            assert!(!groups.contains(&format!("/tidegate-{}", self.tag())), "{process:?} is in {groups}");
        }
    }

    /// What the control groups of this server are called.
    fn tag(&self) -> String {
        use sha2::Digest;
        let data = self.data().canonicalize().expect("it is there");
        let hash = sha2::Sha256::digest(data.as_os_str().as_encoded_bytes());
        hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A line that somebody writes, once it is there.
#[track_caller]
pub(crate) fn line_in(file: impl AsRef<Path>) -> String {
    let file = file.as_ref();
    let what = file.display().to_string();
    until(&what, || fs::read_to_string(file).ok()?.strip_suffix('\n').map(str::to_string))
}

impl Drop for Lab {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        // A test that failed leaves nothing behind either.
        for _ in 0..100 {
            let workers = self.workers();
            if workers.is_empty() {
                break;
            }
            workers.iter().for_each(|worker| _ = signal(worker.pid, rustix::process::Signal::KILL));
        }
    }
}
