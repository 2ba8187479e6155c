//! What a task is given, and what it gives back.
//!
//! ```text
//! NAME.WORKLOAD.task/input.json     TIDEGATE_INPUT
//! NAME.WORKLOAD.task/output.json    TIDEGATE_OUTPUT
//! NAME.WORKLOAD.task/files/         TIDEGATE_OUTPUT_DIR
//! ```
//!
//! A worker is told its inputs, says its answer, and has a directory for files that is taken away from it after each
//! task with something in it. If there was nothing, `NAME.WORKLOAD.task` is a plain file with the answer: to make
//! directories for a task takes longer than to do it.
//!
//! The directory is the program's own, so nothing in it is trusted: no link is followed, and what belongs to somebody
//! else is not read. It is made anew for every run: what a run that failed has left is nobody's result.

use super::places::{Places, give, private};
use crate::assignment::Assignment;
use crate::launch::Handover;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Uid, fchown, fstat, mkdirat, open, openat, renameat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tidegate_engine::ids::{WorkloadId, WorkspaceId};

/// How a task ends whose output is not accepted: what a program means by this code is the same (`EX_DATAERR`).
pub const NOT_ACCEPTED: i32 = 65;
/// Files that a task may leave: a list of them is an answer.
pub const MAX_FILES: usize = 1_000;
/// Directories within directories that are looked into.
const MAX_DEPTH: usize = 16;

const INPUT: &str = "input.json";
const OUTPUT: &str = "output.json";
const FILES: &str = "files";

/// Where a task is given something, and gives something back.
#[derive(Clone, Debug)]
pub struct Tray(PathBuf);

/// A file that a task left.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// Below the directory for files.
    pub path: String,
    pub size: u64,
}

impl Places {
    /// The tray of a task.
    pub fn tray(&self, workspace: WorkspaceId, workload: WorkloadId, name: &str) -> Tray {
        let mut path = self.directory(workspace, workload, name).into_os_string();
        path.push(".task");
        Tray(path.into())
    }

    pub(super) fn tray_of(&self, a: &Assignment) -> Tray {
        self.tray(a.launch.workspace, a.home(), &a.name)
    }
}

impl Tray {
    pub(crate) fn at(path: &Path) -> Tray {
        Tray(path.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Whether a run was given or has left anything, and it is still kept.
    pub fn is_there(&self) -> bool {
        self.0.symlink_metadata().is_ok()
    }

    pub(super) fn input(&self) -> PathBuf {
        self.0.join(INPUT)
    }

    pub(super) fn output(&self) -> PathBuf {
        self.0.join(OUTPUT)
    }

    pub(crate) fn files(&self) -> PathBuf {
        self.0.join(FILES)
    }

    /// Drops what another run has left.
    pub(super) fn remove(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => std::fs::remove_file(&self.0),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes it anew for a run, with what the task is given; for `user` if somebody else is to use it.
    pub(super) fn lay(&self, task: &Handover, user: Option<u32>) -> io::Result<()> {
        self.remove()?;
        private(&self.0)?;
        // Filled before it is handed over: until then nobody else can put anything there.
        write_new(&self.input(), &task.input, user)?;
        private(&self.files())?;
        if let Some(user) = user {
            give(&self.files(), 0o700, Some(user), Some(user))?;
            give(&self.0, 0o700, Some(user), Some(user))?;
        }
        Ok(())
    }

    /// Takes what a worker that was started in `home` gives back: the files that it has left there, and its answer.
    pub(crate) fn take(&self, home: &Path, answer: Option<&str>, user: Option<u32>) -> io::Result<()> {
        let home = open(home, DIRECTORY, Mode::empty())?;
        if has_no_files(&home) {
            return answer.map_or(Ok(()), |answer| write_new(&self.0, answer, None));
        }
        private(&self.0)?;
        renameat(&home, FILES, CWD, self.files())?;
        make_room(&home, user)?;
        if let Some(answer) = answer {
            write_new(&self.output(), answer, user)?;
        }
        // Filled before it is handed over: until then nobody else can put anything there.
        user.map_or(Ok(()), |user| give(&self.0, 0o700, Some(user), Some(user)))
    }

    /// Why what a task gave back is not accepted.
    pub(super) fn fault(&self, task: &Handover) -> Option<String> {
        match self.read_output(task.output_limit) {
            Ok(_) => {}
            Err(error) => return Some(format!("its output is not accepted: {error}")),
        }
        match self.list() {
            Err(error) => Some(format!("its files are not accepted: {error}")),
            Ok(files) => {
                let sum: u64 = files.iter().map(|file| file.size).sum();
                let limit = task.files_limit;
                (sum > limit).then(|| {
                    format!("its files are not accepted: {sum} bytes are more than the limit of {limit}")
                })
            }
        }
    }

    /// What a task answered: JSON, or nothing. An error says what is wrong with it.
    pub fn read_output(&self, limit: u64) -> io::Result<Option<serde_json::Value>> {
        let found = match self.open() {
            Ok(own) => own.file(&[], OUTPUT),
            Err(Errno::NOTDIR) => self.answer_alone(),
            Err(error) => Err(error),
        };
        let file = match found {
            Err(Errno::NOENT) => return Ok(None),
            file => file?,
        };
        let size = file.metadata()?.len();
        if size > limit {
            return Err(wrong(format!("{size} bytes are more than the limit of {limit}")));
        }
        let mut text = Vec::new();
        // It may still be written to.
        file.take(limit + 1).read_to_end(&mut text)?;
        if text.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        serde_json::from_slice(&text).map(Some).map_err(|error| wrong(format!("it is not JSON: {error}")))
    }

    /// Files that a task left, by path.
    pub fn list(&self) -> io::Result<Vec<Left>> {
        let mut found = Vec::new();
        let own = match self.open() {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(found),
            own => own?,
        };
        match own.directory(&[FILES]) {
            Err(Errno::NOENT) => return Ok(found),
            directory => own.walk(&directory?, "", 0, &mut found)?,
        }
        found.sort_unstable();
        Ok(found)
    }

    /// One of them, by the path that the list gives; `None` if there is none.
    pub fn file(&self, path: &str) -> io::Result<Option<File>> {
        let parts: Vec<&str> = path.split('/').collect();
        let plain = |part: &&str| !part.is_empty() && *part != "." && *part != ".." && !part.contains('\0');
        let Some((name, above)) = parts.split_last().filter(|_| parts.iter().all(plain)) else {
            return Ok(None);
        };
        let above: Vec<&str> = std::iter::once(FILES).chain(above.iter().copied()).collect();
        match self.open().and_then(|own| own.file(&above, name)) {
            Ok(file) => Ok(Some(file)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn open(&self) -> Result<Own, Errno> {
        let directory = open(&self.0, DIRECTORY, Mode::empty())?;
        let owner = fstat(&directory)?.st_uid;
        Ok(Own { directory, owner })
    }

    /// An answer without files. Nobody else can have put it there.
    fn answer_alone(&self) -> Result<File, Errno> {
        plain(open(&self.0, READ, Mode::empty())?, geteuid().as_raw())
    }
}

/// Makes the directory for files of whoever is started in `home`.
fn make_room(home: &OwnedFd, user: Option<u32>) -> io::Result<()> {
    mkdirat(home, FILES, Mode::RWXU)?;
    own(&openat(home, FILES, DIRECTORY, Mode::empty())?, user)
}

/// Where whoever is started in `home` puts files.
pub(crate) fn room(home: &Path) -> PathBuf {
    home.join(FILES)
}

/// Whether there is nothing but an empty directory for files.
fn has_no_files(home: &OwnedFd) -> bool {
    let listed = openat(home, FILES, DIRECTORY, Mode::empty()).and_then(Dir::new);
    listed.is_ok_and(|mut listed| {
        listed.all(|entry| entry.is_ok_and(|entry| matches!(entry.file_name().to_bytes(), b"." | b"..")))
    })
}

/// A file that is not there yet, for `user` if somebody else is to have it.
fn write_new(path: &Path, text: &str, user: Option<u32>) -> io::Result<()> {
    let file = open(path, NEW, OWN)?;
    own(&file, user)?;
    File::from(file).write_all(text.as_bytes())
}

fn own(file: &OwnedFd, user: Option<u32>) -> io::Result<()> {
    let Some(user) = user else { return Ok(()) };
    Ok(fchown(file, Some(Uid::from_raw(user)), Some(Gid::from_raw(user)))?)
}

/// A plain file of this owner. Files of others that were linked here are not read.
fn plain(file: OwnedFd, owner: u32) -> Result<File, Errno> {
    match is_plain(&fstat(&file)?, owner) {
        true => Ok(file.into()),
        false => Err(Errno::ACCESS),
    }
}

fn is_plain(stat: &Stat, owner: u32) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_uid == owner
}

fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Pipes are not waited for.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
/// Nothing that is there already is written to.
const NEW: OFlags =
    OFlags::CREATE.union(OFlags::EXCL).union(OFlags::WRONLY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const OWN: Mode = Mode::RUSR.union(Mode::WUSR);

/// A tray that is there, and whose it is.
struct Own {
    directory: OwnedFd,
    owner: u32,
}

impl Own {
    /// Goes down one by one: nothing on the way may be a link.
    fn directory(&self, path: &[&str]) -> Result<OwnedFd, Errno> {
        let mut at = openat(&self.directory, ".", DIRECTORY, Mode::empty())?;
        for part in path {
            at = openat(&at, *part, DIRECTORY, Mode::empty())?;
        }
        Ok(at)
    }

    /// A plain file of the tray's owner.
    fn file(&self, above: &[&str], name: &str) -> Result<File, Errno> {
        let directory = self.directory(above)?;
        plain(openat(&directory, name, READ, Mode::empty())?, self.owner)
    }

    fn walk(&self, directory: &OwnedFd, at: &str, depth: usize, found: &mut Vec<Left>) -> io::Result<()> {
        if depth > MAX_DEPTH {
            return Err(wrong(format!("directories go deeper than {MAX_DEPTH}")));
        }
        for entry in Dir::read_from(directory)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                return Err(wrong("a file's name is not UTF-8".into()));
            };
            if name == "." || name == ".." {
                continue;
            }
            let path = if at.is_empty() { name.to_string() } else { format!("{at}/{name}") };
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            let stat = rustix::fs::statat(directory, name, flags)?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                let below = openat(directory, name, DIRECTORY, Mode::empty())?;
                self.walk(&below, &path, depth + 1, found)?;
            } else if is_plain(&stat, self.owner) {
                if found.len() == MAX_FILES {
                    return Err(wrong(format!("there are more than {MAX_FILES} files")));
                }
                found.push(Left { path, size: u64::try_from(stat.st_size).unwrap_or(0) });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn tray() -> (tempfile::TempDir, Tray, Handover) {
        let root = tempfile::tempdir().expect("a directory");
        let places = Places::below(root.path());
        std::fs::create_dir_all(root.path().join("work/0")).expect("made");
        let tray = places.tray(WorkspaceId::DEFAULT, WorkloadId(7), "t");
        let task = Handover { input: "{\"n\":1}".into(), output_limit: 20, files_limit: 10, warm: None };
        tray.lay(&task, None).expect("laid");
        (root, tray, task)
    }

    #[test]
    fn what_a_task_gives_back_is_read_and_a_new_run_begins_with_nothing() {
        let (_root, tray, task) = tray();
        assert_eq!(std::fs::read_to_string(tray.input()).expect("read"), "{\"n\":1}");
        assert_eq!((tray.fault(&task), tray.read_output(20).expect("nothing")), (None, None));
        std::fs::write(tray.output(), "{\"sum\": 3}").expect("written");
        std::fs::create_dir(tray.files().join("deep")).expect("made");
        std::fs::write(tray.files().join("deep/a.txt"), "12345").expect("written");
        std::fs::write(tray.files().join("b"), "12345").expect("written");
        assert_eq!(tray.fault(&task), None);
        assert_eq!(tray.read_output(20).expect("read"), Some(serde_json::json!({"sum": 3})));
        let files: Vec<String> = tray.list().expect("listed").into_iter().map(|file| file.path).collect();
        assert_eq!(files, ["b", "deep/a.txt"]);
        assert!(tray.file("deep/a.txt").expect("opened").is_some());
        tray.lay(&task, None).expect("laid again");
        assert_eq!((tray.read_output(20).expect("nothing"), tray.list().expect("none").len()), (None, 0));
    }

    #[test]
    fn what_is_too_much_or_no_json_is_not_accepted() {
        let (_root, tray, task) = tray();
        let fault = |text: &str| {
            std::fs::write(tray.output(), text).expect("written");
            tray.fault(&task).unwrap_or_default()
        };
        assert_eq!(fault(&format!("\"{}\"", "x".repeat(18))), "");
        let long = fault(&format!("\"{}\"", "x".repeat(19)));
        assert_eq!(long, "its output is not accepted: 21 bytes are more than the limit of 20");
        assert!(fault("{\"a\":").contains("it is not JSON"));
        assert!(fault("1 2").contains("it is not JSON"));
        assert_eq!(fault(" \n"), "", "nothing is fine");
        std::fs::write(tray.files().join("a"), "12345678901").expect("written");
        assert!(fault("1").contains("11 bytes are more than the limit of 10"));
    }

    #[test]
    fn no_link_leads_out() {
        let (root, tray, _) = tray();
        let secret = root.path().join("secret");
        std::fs::write(&secret, "{\"key\": 1}").expect("written");
        symlink(&secret, tray.output()).expect("linked");
        assert!(tray.read_output(100).is_err(), "a link is no output");
        symlink(&secret, tray.files().join("link")).expect("linked");
        symlink(root.path(), tray.files().join("out")).expect("linked");
        assert_eq!(tray.list().expect("listed"), []);
        for path in ["link", "out/secret", "../output.json", "/etc/passwd", "", ".", "a//b", "x\0y", "none"] {
            assert!(tray.file(path).expect("looked").is_none(), "{path:?}");
        }
    }

    #[test]
    fn a_worker_gives_back_an_answer_or_files_too_and_has_an_empty_directory_again() {
        let (root, tray, _) = tray();
        tray.remove().expect("removed");
        let home = root.path().join("worker");
        std::fs::create_dir_all(room(&home)).expect("made");
        tray.take(&home, None, None).expect("nothing");
        assert!(!tray.is_there());
        tray.take(&home, Some("[1]"), None).expect("an answer");
        assert!(tray.is_there() && tray.path().is_file());
        assert_eq!(tray.read_output(20).expect("read"), Some(serde_json::json!([1])));
        assert!(tray.list().expect("none").is_empty() && tray.file("x").expect("none").is_none());
        assert!(tray.take(&home, Some("[2]"), None).is_err(), "another run's is not written to");
        tray.remove().expect("removed");
        std::fs::write(room(&home).join("x"), "1").expect("written");
        tray.take(&home, Some("[3]"), None).expect("both");
        assert_eq!(tray.read_output(20).expect("read"), Some(serde_json::json!([3])));
        assert_eq!(tray.list().expect("one").len(), 1);
        assert_eq!(std::fs::read_dir(room(&home)).expect("there").count(), 0);
        tray.remove().expect("removed");
        // Whatever it puts in the place of its directory is nobody's files.
        std::fs::remove_dir(room(&home)).expect("removed");
        symlink(root.path(), room(&home)).expect("linked");
        tray.take(&home, Some("[4]"), None).expect("taken");
        assert!(tray.list().is_err() && room(&home).is_dir());
    }

    #[test]
    fn so_many_files_are_too_many() {
        let (_root, tray, task) = tray();
        (0..=MAX_FILES).for_each(|n| std::fs::write(tray.files().join(n.to_string()), "").expect("written"));
        assert!(tray.fault(&task).is_some_and(|why| why.contains("more than 1000 files")));
    }
}
