//! The shells of a page: one in which its commands follow each other, and terminals for what goes on.

use super::{Seen, repository};
use crate::common::until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// No block of a page takes longer, also on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(120);
/// What happens by itself has happened by then.
const GIVES_UP: Duration = Duration::from_secs(30);

pub(crate) struct Shell {
    home: tempfile::TempDir,
    child: Child,
    stdin: ChildStdin,
    /// A line for every block that has ended: its exit code.
    ended: Receiver<String>,
    blocks: usize,
}

pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
}

/// Tries until it is so, or until somebody who reads a page would have given up.
#[allow(clippy::disallowed_methods, reason = "what happens by itself tells a page nothing")]
pub(crate) fn try_until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() && begun.elapsed() < GIVES_UP {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A shell in a home of its own, with the binary on its path and nothing of the machine's settings. A server that
/// is started there listens on a free port: others may run on this machine.
fn bash(home: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_tidegate"));
    let folder = binary.parent().expect("it lies in a folder").to_string_lossy().into_owned();
    let mut command = Command::new("bash");
    command
        .env_clear()
        .env("HOME", home)
        .env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap_or_default()))
        .env("TIDEGATE_CONFIG", home.join(".test-config.toml"))
        .env("NO_COLOR", "1")
        .env("LANG", "C.UTF-8")
        .current_dir(home)
        .stdin(Stdio::piped());
    command
}

impl Shell {
    pub(crate) fn start() -> Shell {
        let home = tempfile::tempdir().expect("a directory");
        // The users of workspaces have to pass.
        std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o711)).expect("it is ours");
        std::fs::write(home.path().join(".test-config.toml"), "listen = \"127.0.0.1:0\"\n").expect("written");
        for folder in ["examples", "scenarios", "deploy"] {
            std::os::unix::fs::symlink(repository().join(folder), home.path().join(folder)).expect("a link");
        }
        let mut child = bash(home.path()).stdout(Stdio::piped()).spawn().expect("bash starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(b"trap 'failed=${failed:-$?}' ERR\n").expect("the shell is there");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (sender, ended) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Shell { home, child, stdin, ended, blocks: 0 }
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.home.path().join(name)
    }

    /// Runs commands where the earlier ones have been: what those have set and changed is there.
    pub(crate) fn run(&mut self, commands: &str) -> Ran {
        self.blocks += 1;
        let (script, out) = (format!(".block-{}.sh", self.blocks), format!(".block-{}.out", self.blocks));
        std::fs::write(self.file(&script), commands).expect("written");
        // The file is read in this shell, so that its variables stay. The first command that fails decides.
        let home = self.home.path().display();
        let line = format!(
            "failed=; {{ . {home}/{script}; }} > {home}/{out} 2>&1 < /dev/null; echo \"${{failed:-0}}\"\n"
        );
        self.stdin.write_all(line.as_bytes()).expect("the shell is there");
        let code =
            self.ended.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("it does not end:\n{commands}"));
        let out = std::fs::read(self.file(&out)).expect("written by the shell");
        Ran {
            code: code.trim().parse().expect("an exit code"),
            out: String::from_utf8_lossy(&out).into_owned(),
        }
    }

    /// Runs commands in a terminal of their own, beside all others.
    pub(crate) fn terminal(&mut self, commands: &str, is_server: bool) -> Terminal {
        self.blocks += 1;
        let (script, out) =
            (format!(".block-{}.sh", self.blocks), self.file(&format!(".block-{}.out", self.blocks)));
        std::fs::write(self.file(&script), commands).expect("written");
        let to = std::fs::File::create(&out).expect("a file");
        let also = to.try_clone().expect("the same file");
        // A terminal has the variables of the page's shell, as if they had been typed there too.
        let set = self.run("export -p").out;
        std::fs::write(self.file(".variables.sh"), set).expect("written");
        let mut command = bash(self.home.path());
        command.args(["-c", &format!(". ./.variables.sh; . ./{script}")]);
        let child = command.stdin(Stdio::null()).stdout(to).stderr(also).process_group(0).spawn();
        let mut terminal = Terminal { child: child.expect("bash starts"), out, is_server, has_ended: false };
        if is_server {
            until(|| {
                assert!(terminal.child.try_wait().expect("looked at").is_none(), "{}", terminal.printed());
                terminal.printed().contains("listening").then_some(())
            });
        }
        terminal
    }

    /// What the books say and where everything is.
    pub(crate) fn look(&mut self, part: &str) -> Seen {
        let mut read = |command: &str| -> Value {
            let ran = self.run(command);
            serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{command}: {error}: {}", ran.out))
        };
        let (quotas, workloads) = (read("tidegate quota list -o json"), read("tidegate list --all -o json"));
        let items = |list: &Value| list["items"].as_array().cloned().unwrap_or_default();
        let book = |quota: &Value| {
            let (spec, status) = (&quota["spec"], &quota["status"]);
            json!({
                "quota": quota["metadata"]["name"], "guarantee": spec["guarantee"], "share": status["share"],
                "drawn": status["drawn"], "balance": status["balance"], "lent": status["lent"],
                "queued": status["queued"],
            })
        };
        let state = |workload: &Value| {
            let status = &workload["status"];
            json!({
                "workload": workload["metadata"]["name"], "state": status["state"], "draws": status["draws"],
                "replicas": status["replicas"], "preemptions": status["preemptions"],
            })
        };
        Seen {
            part: part.to_string(),
            books: items(&quotas).iter().map(book).collect(),
            states: items(&workloads).iter().map(state).collect(),
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Terminal {
    child: Child,
    out: std::path::PathBuf,
    pub(crate) is_server: bool,
    has_ended: bool,
}

impl Terminal {
    pub(crate) fn printed(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.out).unwrap_or_default()).into_owned()
    }

    /// As Ctrl-C does: everything in the terminal is told, and given time to end in order.
    pub(crate) fn end(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill").args(["-TERM", "--", &group]).stderr(Stdio::null()).status();
            let _ = self.child.wait();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.end();
    }
}
