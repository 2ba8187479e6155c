//! The directory in which the server and a supervisor meet. Each file is written by one of them.
//!
//! | file | by | says |
//! |---|---|---|
//! | `order.json` | server | what to run |
//! | `control` | server | a pipe: something in `leave` is new |
//! | `leave` | server | it is to be gone by then, in milliseconds since the machine was started |
//! | `lock` | supervisor | held as long as it lives |
//! | `pid` | supervisor | its number |
//! | `begun` | supervisor | the program may have been started: never again |
//! | `exit.json` | supervisor | how it ended |

use super::order::{Exit, Order};
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, mknodat, open};
use rustix::process::Pid;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir(PathBuf);

/// How far a run has come, by its directory.
#[derive(Debug)]
pub enum Stage {
    /// Nobody has begun it.
    Ordered,
    /// A supervisor lives: this one, once it has said so.
    Supervised(Option<Pid>),
    /// It may have been started, and nobody looks after it any more.
    Abandoned,
    Ended(Exit),
}

impl RunDir {
    pub fn at(path: impl Into<PathBuf>) -> RunDir {
        RunDir(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes an order down. Again: nothing changes.
    pub fn create(&self, order: &Order) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let control = self.0.join("control");
        let fifo = rustix::fs::FileType::Fifo;
        match mknodat(CWD, &control, fifo, Mode::RUSR | Mode::WUSR, 0) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        self.write("order.json", &serde_json::to_vec(order)?)
    }

    pub fn order(&self) -> io::Result<Order> {
        Ok(serde_json::from_slice(&fs::read(self.0.join("order.json"))?)?)
    }

    /// Asks for its end by then. An earlier time than before is heeded, a later one is not.
    pub fn ask_to_leave(&self, by: u64) -> io::Result<()> {
        if self.leave().is_none_or(|before| by < before) {
            self.write("leave", by.to_string().as_bytes())?;
        }
        // Nobody listens before the supervisor is up, and then it looks, or after it has ended.
        let control = open(self.0.join("control"), OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty());
        match control {
            Ok(control) => match rustix::io::write(&control, b"\n") {
                Ok(_) | Err(rustix::io::Errno::AGAIN) => Ok(()),
                Err(error) => Err(error.into()),
            },
            Err(rustix::io::Errno::NXIO | rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn leave(&self) -> Option<u64> {
        fs::read_to_string(self.0.join("leave")).ok()?.parse().ok()
    }

    /// The supervisor's end of the pipe. It holds the other end, too, so that it never sees the end of it.
    pub(super) fn control(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(open(self.0.join("control"), flags, Mode::empty())?)
    }

    /// Becomes the supervisor of this run, unless there is one. Whoever only looks holds the lock for a moment.
    pub(super) fn lock(&self) -> io::Result<Option<File>> {
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(self.0.join("lock"))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(lock)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// From now on the program may have been started. Whether nobody had said so before.
    pub(super) fn begin(&self) -> io::Result<bool> {
        self.write("pid", std::process::id().to_string().as_bytes())?;
        match OpenOptions::new().create_new(true).write(true).mode(0o600).open(self.0.join("begun")) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Says how it ended, for good.
    pub fn end(&self, exit: &Exit) -> io::Result<()> {
        self.write("exit.json", &serde_json::to_vec(exit)?)
    }

    pub fn stage(&self) -> io::Result<Stage> {
        if let Some(exit) = self.exit()? {
            return Ok(Stage::Ended(exit));
        }
        let Some(_lock) = self.lock()? else {
            let pid = fs::read_to_string(self.0.join("pid")).ok();
            let pid = pid.and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw);
            return Ok(Stage::Supervised(pid));
        };
        // It may have ended between the two looks.
        self.stage_while_locked()
    }

    /// The same for whoever holds the lock.
    pub(super) fn stage_while_locked(&self) -> io::Result<Stage> {
        match self.exit()? {
            Some(exit) => Ok(Stage::Ended(exit)),
            None if self.0.join("begun").exists() => Ok(Stage::Abandoned),
            None => Ok(Stage::Ordered),
        }
    }

    fn exit(&self) -> io::Result<Option<Exit>> {
        match fs::read(self.0.join("exit.json")) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn remove(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.0)
    }

    /// Whole or not at all, whoever is killed meanwhile.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.0.join(format!("{name}.new"));
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(bytes)?;
        fs::rename(new, self.0.join(name))
    }
}
