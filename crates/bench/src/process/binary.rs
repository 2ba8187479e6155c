//! A server in a process of its own.

use crate::clock::Deadline;
use crate::service::client::request;
use crate::service::house::directory;
use serde_json::Value;
use std::fs::Permissions;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Seconds that a server may take to come up.
const PATIENCE: u64 = 60;

/// The binary beside this program.
pub fn tidegate() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("tidegate");
    match path.is_file() {
        true => Ok(path),
        false => Err(io::Error::other(format!("{} is missing: `make build` makes it", path.display()))),
    }
}

/// A server, and what is needed to ask it.
#[derive(Debug)]
pub struct Serving {
    child: Child,
    pub address: SocketAddr,
    pub token: String,
    data: TempDir,
}

impl Serving {
    /// With one node of so many virtual GPUs, and real processes.
    pub fn start(gpus: usize) -> io::Result<Serving> {
        let data = directory()?;
        // The users of workspaces pass here on the way to their own directories.
        std::fs::set_permissions(data.path(), Permissions::from_mode(0o755))?;
        let mut command = Command::new(tidegate()?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data"]);
        command.arg(data.path().join("data")).args(["--virtual-gpus", &format!("1x{gpus}")]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let place = data.path().join("data");
        let address = until(|| {
            if let Some(ended) = child.try_wait().transpose() {
                return Some(Err(io::Error::other(format!("the server did not come up: {ended:?}"))));
            }
            let text = std::fs::read_to_string(place.join("server.address")).ok()?;
            text.trim().strip_prefix("http://")?.parse().ok().map(Ok)
        })??;
        let token = std::fs::read_to_string(place.join("admin.token"))?.trim().to_string();
        Ok(Serving { child, address, token, data })
    }

    pub fn directory(&self) -> &Path {
        self.data.path()
    }

    /// Number of the server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The bytes that submit one replica with one GPU.
    pub fn submission(&self, command: &[&str]) -> Vec<u8> {
        let spec = serde_json::json!({ "resources": { "gpu": 1 }, "gracePeriod": "0s", "command": command });
        let body = serde_json::json!({ "metadata": {}, "spec": spec }).to_string();
        request("POST", "/api/v1/workloads", &self.token, "", &body)
    }

    /// A command of this binary, for this server.
    pub fn command(&self, arguments: &[&str]) -> io::Result<Command> {
        let mut command = Command::new(tidegate()?);
        command.env("TIDEGATE_SERVER", format!("http://{}", self.address));
        command.env("TIDEGATE_TOKEN", &self.token).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Ok(command)
    }

    /// Ends all that runs.
    pub fn stop_all(&self) -> io::Result<()> {
        let listed =
            self.command(&["list", "--state", "running", "-o", "json"])?.stdout(Stdio::piped()).output()?;
        let list: Value = serde_json::from_slice(&listed.stdout)?;
        for item in list["items"].as_array().into_iter().flatten() {
            let uid = item["metadata"]["uid"].as_str().unwrap_or_default();
            self.command(&["stop", uid])?.stderr(Stdio::null()).status()?;
        }
        let runs = self.data.path().join("data/runs");
        until(|| {
            let left = std::fs::read_dir(&runs).ok()?.count();
            (left == 0).then_some(())
        })
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for something that nobody tells.
#[allow(clippy::disallowed_methods, reason = "a process that is started tells nobody when it is there")]
pub fn until<T>(mut found: impl FnMut() -> Option<T>) -> io::Result<T> {
    let deadline = Deadline::after(PATIENCE);
    loop {
        if let Some(found) = found() {
            return Ok(found);
        }
        if deadline.passed() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
