//! The binary and a server of its own for each test.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for a server to come up, on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    pub(crate) dir: tempfile::TempDir,
    child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
    /// It starts processes.
    is_real: bool,
    /// Its configuration file, if it has one.
    config: Option<String>,
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.code, 0, "{self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// It ended well; its data.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// It failed so: no data, and an error that says this.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, says: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.out.is_empty(), "no data: {self:?}");
        assert!(self.err.starts_with("error: ") && self.err.contains(says), "{self:?}");
    }
}

/// The binary, without anything of the machine it runs on.
pub(crate) fn tidegate(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    for name in ["TIDEGATE_SERVER", "TIDEGATE_TOKEN", "TIDEGATE_DATA", "TIDEGATE_CONFIG", "TIDEGATE_CA_FILE"]
    {
        command.env_remove(name);
    }
    command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME").env("HOME", home);
    command
}

pub(crate) fn run(home: &Path, arguments: &[&str]) -> Ran {
    Ran::of(tidegate(home).args(arguments).stdin(Stdio::null()).output().expect("the binary runs"))
}

pub(crate) fn until<T>(found: impl FnMut() -> Option<T>) -> T {
    until_within(PATIENCE, found)
}

#[allow(clippy::disallowed_methods, reason = "a process that is started tells nobody when it is there")]
pub(crate) fn until_within<T>(patience: Duration, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(begun.elapsed() < patience, "it did not happen in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A directory that others can pass, as the users of workspaces have to.
pub(crate) fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o711)).expect("it is ours");
    dir
}

impl Server {
    /// With 2 nodes of 8 GPUs, pool `local` and quota `main`.
    pub(crate) fn start() -> Server {
        Server::with(&["--virtual-gpus", "2x8"])
    }

    pub(crate) fn with(arguments: &[&str]) -> Server {
        let dir = directory();
        let (child, url, token) = spawn(dir.path(), arguments);
        let config = arguments.iter().skip_while(|word| **word != "--config").nth(1).map(ToString::to_string);
        Server { dir, child, url, token, is_real: arguments.contains(&"local"), config }
    }

    /// One that starts processes, with so many virtual GPUs on one node.
    pub(crate) fn real(gpus: u32) -> Server {
        Server::with(&["--executor", "local", "--virtual-gpus", &format!("1x{gpus}")])
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tidegate(self.dir.path());
        command.env("TIDEGATE_SERVER", &self.url).env("TIDEGATE_TOKEN", &self.token).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).stdin(Stdio::null()).output().expect("the binary runs"))
    }

    /// With a text on stdin.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let _ = child.stdin.take().expect("stdin is a pipe").write_all(input.as_bytes());
        Ran::of(child.wait_with_output().expect("the binary ends"))
    }

    /// A command that goes on, and the lines that it prints.
    pub(crate) fn follow(&self, arguments: &[&str]) -> Following {
        let mut command = self.command(arguments);
        let mut child =
            command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        Following { child, lines }
    }

    pub(crate) fn wait_for(&self, name: &str, state: &str) {
        until(|| {
            let shown = self.run(&["show", name, "-o", "json"]);
            (shown.code == 0 && shown.json()["status"]["state"] == state).then_some(())
        });
    }

    /// Asks it to end in order, by this signal; its exit code.
    pub(crate) fn end(&mut self, signal: &str) -> i32 {
        let pid = self.child.id().to_string();
        Command::new("kill").args([signal, &pid]).status().expect("kill runs");
        self.child.wait().expect("it ends").code().unwrap_or(-1)
    }

    /// Starts it again on the same data, after it has ended.
    pub(crate) fn restart(&mut self) {
        (self.child, self.url, self.token) = spawn(self.dir.path(), &[]);
    }

    /// Ends it as a power cut would, and starts it again on the same data and address.
    pub(crate) fn crash_and_restart(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
        let address = self.url.trim_start_matches("http://").to_string();
        std::fs::remove_file(self.data().join("server.address")).expect("it was there");
        let executor = if self.is_real { "local" } else { "virtual" };
        let mut arguments = vec!["--listen", &address, "--executor", executor];
        arguments.extend(self.config.iter().flat_map(|config| ["--config", config]));
        let (child, url, _) = spawn(self.dir.path(), &arguments);
        (self.child, self.url) = (child, url);
    }
}

fn spawn(dir: &Path, arguments: &[&str]) -> (Child, String, String) {
    let data = dir.join("data");
    let mut command = tidegate(dir);
    command.args(["serve", "--log-level", "warn", "--data"]).arg(&data).args(arguments);
    // What only plays its work is quick and leaves nothing behind; who wants processes says so.
    if !arguments.contains(&"--executor") {
        command.args(["--executor", "virtual"]);
    }
    // Programs may lie where only whoever runs the tests can pass; users of their own are a matter for `real`.
    if !arguments.contains(&"--isolation") {
        command.args(["--isolation", "none"]);
    }
    if !arguments.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    let mut child = command.stdin(Stdio::null()).spawn().expect("the server starts");
    let url = until(|| {
        assert!(child.try_wait().expect("it can be looked at").is_none(), "the server ended");
        let text = std::fs::read_to_string(data.join("server.address")).ok()?;
        text.ends_with('\n').then(|| text.trim().to_string())
    });
    let token = std::fs::read_to_string(data.join("admin.token")).expect("the token is there");
    (child, url, token.trim().to_string())
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Following {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Following {
    /// The next line that contains this.
    #[track_caller]
    pub(crate) fn line_with(&mut self, text: &str) -> String {
        let mut seen = String::new();
        loop {
            let mut line = String::new();
            let count = self.lines.read_line(&mut line).expect("lines are UTF-8");
            assert!(count > 0, "it ended before {text:?}:\n{seen}");
            if line.contains(text) {
                return line;
            }
            seen.push_str(&line);
        }
    }
}

impl Following {
    /// It ends by itself; its exit code.
    pub(crate) fn end(mut self) -> i32 {
        self.child.wait().expect("it ends").code().unwrap_or(-1)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
