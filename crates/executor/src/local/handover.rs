//! What a task is given, and what it gives back.
//!
//! ```text
//! NAME.WORKLOAD.task/input.json     TIDEGATE_INPUT
//! NAME.WORKLOAD.task/output.json    TIDEGATE_OUTPUT
//! NAME.WORKLOAD.task/files/         TIDEGATE_OUTPUT_DIR
//! ```
//!
//! The directory is the program's own, so nothing in it is trusted: no link is followed, and what belongs to somebody
//! else is not read. It is made anew for every run: what a run that failed has left is nobody's result.

use super::places::{Places, give, private};
use crate::assignment::Assignment;
use crate::launch::Handover;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, Stat, Uid, fchown, fstat, open, openat, unlinkat,
};
use rustix::io::Errno;
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

    /// Whether a run was ever given anything, and it is still kept.
    pub fn is_there(&self) -> bool {
        self.0.is_dir()
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

    /// Makes it anew for a run of a worker, which is told what it is given.
    pub(super) fn clear(&self, user: Option<u32>) -> io::Result<()> {
        self.remove()?;
        for path in [&self.0, &self.files()] {
            private(path)?;
        }
        if let Some(user) = user {
            give(&self.files(), 0o700, Some(user), Some(user))?;
            give(&self.0, 0o700, Some(user), Some(user))?;
        }
        Ok(())
    }

    fn remove(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes it anew for a run, with what the task is given; for `user` if somebody else is to use it.
    pub(super) fn lay(&self, task: &Handover, user: Option<u32>) -> io::Result<()> {
        self.remove()?;
        private(&self.0)?;
        // Filled before it is handed over: until then nobody else can put anything there.
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let input = open(self.input(), flags, Mode::RUSR | Mode::WUSR)?;
        if let Some(user) = user {
            fchown(&input, Some(Uid::from_raw(user)), Some(Gid::from_raw(user)))?;
        }
        File::from(input).write_all(task.input.as_bytes())?;
        private(&self.files())?;
        if let Some(user) = user {
            give(&self.files(), 0o700, Some(user), Some(user))?;
            give(&self.0, 0o700, Some(user), Some(user))?;
        }
        Ok(())
    }

    /// Keeps an answer that was heard, as if the program had written it. Whatever it has put there itself goes, and
    /// nothing that it puts there meanwhile is written to.
    pub(crate) fn put_output(&self, text: &[u8], user: Option<u32>) -> io::Result<()> {
        let tray = open(&self.0, DIRECTORY, Mode::empty())?;
        match unlinkat(&tray, OUTPUT, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let output = openat(&tray, OUTPUT, flags, Mode::RUSR | Mode::WUSR)?;
        if let Some(user) = user {
            fchown(&output, Some(Uid::from_raw(user)), Some(Gid::from_raw(user)))?;
        }
        File::from(output).write_all(text)
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
        let Some(own) = self.open()? else { return Ok(None) };
        let file = match own.file(&[], OUTPUT) {
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
        let Some(own) = self.open()? else { return Ok(found) };
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
        let Some(own) = self.open()? else { return Ok(None) };
        let above: Vec<&str> = std::iter::once(FILES).chain(above.iter().copied()).collect();
        match own.file(&above, name) {
            Ok(file) => Ok(Some(file)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn open(&self) -> io::Result<Option<Own>> {
        match open(&self.0, DIRECTORY, Mode::empty()) {
            Err(Errno::NOENT) => Ok(None),
            directory => {
                let directory = directory?;
                let owner = fstat(&directory)?.st_uid;
                Ok(Some(Own { directory, owner }))
            }
        }
    }
}

fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

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

    /// A plain file of the tray's owner. Pipes are not waited for, and files of others that were linked here are not
    /// read.
    fn file(&self, above: &[&str], name: &str) -> Result<File, Errno> {
        let directory = self.directory(above)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&directory, name, flags, Mode::empty())?;
        match self.is_own_file(&fstat(&file)?) {
            true => Ok(file.into()),
            false => Err(Errno::ACCESS),
        }
    }

    fn is_own_file(&self, stat: &Stat) -> bool {
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_uid == self.owner
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
            } else if self.is_own_file(&stat) {
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
    fn so_many_files_are_too_many() {
        let (_root, tray, task) = tray();
        (0..=MAX_FILES).for_each(|n| std::fs::write(tray.files().join(n.to_string()), "").expect("written"));
        assert!(tray.fault(&task).is_some_and(|why| why.contains("more than 1000 files")));
    }
}
