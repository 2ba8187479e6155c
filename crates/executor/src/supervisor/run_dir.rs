//! The directory in which the server and a supervisor meet. Each file is written by one of them.
//!
//! | file | by | says |
//! |---|---|---|
//! | `order.json` | server | what to run |
//! | `control` | server | a pipe: when it is to be gone |
//! | `leave` | server | the same, for a supervisor that is not up yet; in milliseconds since the machine was started |
//! | `reason` | server | why it has to go, if that is the end of it |
//! | `lock` | supervisor | held as long as it lives |
//! | `pid` | supervisor | who it is |
//! | `begun` | supervisor | the program may have been started, and when: never again |
//! | `exit.json` | supervisor | how it ended |
//!
//! The directory of a worker has two more. Each of its tasks has a directory of its own, as every run has.
//!
//! | file | by | says |
//! |---|---|---|
//! | `errand` | server | the directory of the task that it is to do next |
//! | `closing` | supervisor | it takes no other task |

use super::order::{Exit, Order};
use crate::local::boot::since_boot;
use crate::proc::Identity;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, mknodat, open};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What the exit status may take. So much is laid aside before the program starts, so that its end can be told on a
/// full disk.
const EXIT_ROOM: usize = 4_096;
const EXIT_FILE: &str = "exit.json";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir(PathBuf);

/// How far a run has come, by its directory.
#[derive(Debug)]
pub enum Stage {
    /// Somebody has removed the directory.
    Missing,
    /// Nobody has begun it.
    Ordered,
    /// A supervisor lives: this one, once it has said so.
    Supervised(Option<Supervisor>),
    /// It may have been started, and nobody looks after it any more.
    Abandoned,
    Ended(Exit),
}

/// A supervisor, and not another process that was given its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supervisor(pub(crate) Identity);

impl RunDir {
    pub fn at(path: impl Into<PathBuf>) -> RunDir {
        RunDir(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes an order down. Again: nothing changes.
    pub fn create(&self, order: &Order) -> io::Result<()> {
        self.make()?;
        let control = self.0.join("control");
        let fifo = rustix::fs::FileType::Fifo;
        match mknodat(CWD, &control, fifo, Mode::RUSR | Mode::WUSR, 0) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        self.write("order.json", &serde_json::to_vec(order)?)
    }

    fn make(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)
    }

    pub fn order(&self) -> io::Result<Order> {
        Ok(serde_json::from_slice(&fs::read(self.0.join("order.json"))?)?)
    }

    /// Whether there is an order: without one it was killed who wrote it, and nobody can have begun.
    pub fn is_ordered(&self) -> bool {
        self.0.join("order.json").exists() || self.0.join("begun").exists()
    }

    /// Asks for its end by then. An earlier time than before is heeded, a later one is not. An error if nobody can
    /// have heard it.
    pub fn ask_to_leave(&self, by: u64) -> io::Result<()> {
        let by = self.leave().map_or(by, |before| before.min(by));
        // First the file, for a supervisor that is about to look; then the pipe, which needs no room on a disk.
        let written = self.write("leave", by.to_string().as_bytes());
        let control = open(self.0.join("control"), OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty());
        let told = control.and_then(|control| rustix::io::write(&control, format!("{by}\n").as_bytes()));
        match (written, told) {
            (_, Ok(_) | Err(Errno::AGAIN)) => Ok(()),
            // Nobody listens before the supervisor is up, and then it looks, or after it has ended.
            (written, Err(Errno::NXIO | Errno::NOENT)) => written,
            (_, Err(error)) => Err(error.into()),
        }
    }

    pub(super) fn leave(&self) -> Option<u64> {
        fs::read_to_string(self.0.join("leave")).ok()?.parse().ok()
    }

    /// Hands a worker its next task. An error if nobody can have heard it.
    pub fn hand_over(&self, run: &RunDir) -> io::Result<()> {
        self.write("errand", run.0.as_os_str().as_bytes())?;
        let control = open(self.0.join("control"), OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty())?;
        match rustix::io::write(&control, b"\n") {
            // So much was said to it that it will look.
            Ok(_) | Err(Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn errand(&self) -> Option<RunDir> {
        let path = fs::read(self.0.join("errand")).ok()?;
        Some(RunDir(OsString::from_vec(path).into()))
    }

    /// A worker says that it takes no other task.
    pub(super) fn close(&self) {
        // Failing that, whoever hands it one finds out when it is gone.
        let _ = self.write("closing", b"");
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.0.join("closing").exists()
    }

    pub(super) fn is_asked_to_leave(&self) -> bool {
        self.0.join("leave").exists()
    }

    /// Says why it has to go: that will be how it ended.
    pub fn give_reason(&self, reason: &str) -> io::Result<()> {
        self.write("reason", reason.as_bytes())
    }

    pub fn reason(&self) -> Option<Box<str>> {
        fs::read_to_string(self.0.join("reason")).ok().map(Into::into)
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
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// From now on the program may have been started. Whether nobody had said so before.
    pub(super) fn begin(&self) -> io::Result<bool> {
        if self.0.join("begun").exists() {
            return Ok(false);
        }
        let own = Identity::own().ok_or_else(|| io::Error::other("/proc does not tell who this is"))?;
        self.write("pid", own.text().as_bytes())?;
        fs::write(self.unfinished(EXIT_FILE), [b' '; EXIT_ROOM])?;
        self.write("begun", since_boot().to_string().as_bytes())?;
        Ok(true)
    }

    /// Milliseconds since it began.
    pub(crate) fn age(&self) -> u64 {
        let begun = fs::read_to_string(self.0.join("begun")).ok().and_then(|text| text.parse().ok());
        begun.map_or(0, |begun: u64| since_boot().saturating_sub(begun))
    }

    /// Says how it ended, for good, though the directory was removed meanwhile.
    pub fn end(&self, exit: &Exit) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(exit)?;
        bytes.resize(bytes.len().max(EXIT_ROOM), b' ');
        let new = self.unfinished(EXIT_FILE);
        // In the room that was laid aside, so it is not cut off before it is written.
        let open = || OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&new);
        let mut file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make().and_then(|()| open())?,
            opened => opened?,
        };
        file.write_all(&bytes)?;
        fs::rename(new, self.0.join(EXIT_FILE))
    }

    pub fn stage(&self) -> io::Result<Stage> {
        if let Some(exit) = self.exit()? {
            return Ok(Stage::Ended(exit));
        }
        let lock = match self.lock() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Stage::Missing),
            lock => lock?,
        };
        match lock {
            None => Ok(Stage::Supervised(self.supervisor())),
            // It may have ended between the two looks.
            Some(_lock) => self.stage_while_locked(),
        }
    }

    /// The latest supervisor that began.
    pub(crate) fn supervisor(&self) -> Option<Supervisor> {
        let text = fs::read_to_string(self.0.join("pid")).ok()?;
        Identity::parse(&text).map(Supervisor)
    }

    /// The same for whoever holds the lock.
    pub(super) fn stage_while_locked(&self) -> io::Result<Stage> {
        match self.exit()? {
            Some(exit) => Ok(Stage::Ended(exit)),
            None if self.0.join("begun").exists() => Ok(Stage::Abandoned),
            None => Ok(Stage::Ordered),
        }
    }

    /// Ends it so, unless somebody has begun it. Whether nobody had.
    pub(crate) fn cancel(&self, exit: &Exit) -> io::Result<bool> {
        let Some(_lock) = self.lock()? else { return Ok(false) };
        match self.stage_while_locked()? {
            Stage::Ordered => self.end(exit).map(|()| true),
            _ => Ok(false),
        }
    }

    /// Takes it back, unless somebody has begun it. Whether nobody had: there is nothing left of it then.
    pub(crate) fn withdraw(&self) -> io::Result<bool> {
        let Some(_lock) = self.lock()? else { return Ok(false) };
        match self.stage_while_locked()? {
            Stage::Ordered => self.remove().map(|()| true),
            _ => Ok(false),
        }
    }

    fn exit(&self) -> io::Result<Option<Exit>> {
        match fs::read(self.0.join(EXIT_FILE)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes it at once and as a whole: a supervisor that comes late finds no order, rather than half of what was
    /// there.
    pub fn remove(&self) -> io::Result<()> {
        let gone = self.0.with_extension("gone");
        let _ = fs::remove_dir_all(&gone);
        match fs::rename(&self.0, &gone) {
            Ok(()) => fs::remove_dir_all(&gone),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn unfinished(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.new"))
    }

    /// Whole or not at all, whoever is killed meanwhile.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.unfinished(name);
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(bytes)?;
        fs::rename(new, self.0.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(directory: &Path) -> RunDir {
        let dir = RunDir::at(directory.join("0-0-1.0"));
        dir.create(&Order::default()).unwrap();
        dir
    }

    #[test]
    fn a_run_begins_once() {
        let directory = tempfile::tempdir().unwrap();
        let dir = ordered(directory.path());
        assert!(matches!(dir.stage().unwrap(), Stage::Ordered));
        let lock = dir.lock().unwrap().unwrap();
        assert!(dir.lock().unwrap().is_none() && !dir.cancel(&Exit::before_start(143, "")).unwrap());
        assert!(dir.begin().unwrap() && !dir.begin().unwrap());
        let Stage::Supervised(Some(supervisor)) = dir.stage().unwrap() else { panic!("it is this process") };
        assert!(supervisor.0.is_there());
        drop(lock);
        assert!(matches!(dir.stage().unwrap(), Stage::Abandoned));
        assert!(!dir.cancel(&Exit::before_start(143, "")).unwrap());
        let exit = Exit { code: 3, detail: Some("so".into()), ran: 9 };
        dir.end(&exit).unwrap();
        assert!(matches!(dir.stage().unwrap(), Stage::Ended(seen) if seen == exit));
        dir.remove().unwrap();
        assert!(matches!(dir.stage().unwrap(), Stage::Missing) && !dir.is_ordered());
        dir.end(&exit).unwrap();
        assert!(matches!(dir.stage().unwrap(), Stage::Ended(_)), "the end is told though it was removed");
    }

    #[test]
    fn who_was_cancelled_is_not_begun() {
        let directory = tempfile::tempdir().unwrap();
        let dir = ordered(directory.path());
        assert!(dir.cancel(&Exit::before_start(143, "")).unwrap());
        assert!(matches!(dir.stage().unwrap(), Stage::Ended(_)));
    }

    #[test]
    fn the_earliest_time_to_leave_counts() {
        let directory = tempfile::tempdir().unwrap();
        let dir = ordered(directory.path());
        for (by, heeded) in [(500, 500), (700, 500), (300, 300)] {
            dir.ask_to_leave(by).unwrap();
            assert_eq!(dir.leave(), Some(heeded));
        }
        fs::remove_dir_all(dir.path()).unwrap();
        assert!(dir.ask_to_leave(100).is_err(), "nobody can have heard it");
    }
}
