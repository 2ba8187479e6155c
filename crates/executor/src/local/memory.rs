//! The directories of runs mean nothing once the machine was started anew, so they lie in memory where there is a
//! place for that: a disk would be busy with making and removing a dozen small files for each. `runs` in the data
//! directory then leads there.
//!
//! ```text
//! PLACE/tidegate/DEVICE-INODE/runs    of the data directory with these numbers: a copy of it has others
//! PLACE/tidegate/DEVICE-INODE/data    leads back to it
//! ```

use super::places::{Places, private};
use rustix::fs::statfs;
use rustix::process::geteuid;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

/// Where the machine keeps files in memory, if it does.
const PLACES: [&str; 2] = ["/run", "/dev/shm"];
/// How the kernel marks a file system that lies in memory.
const IN_MEMORY: i64 = 0x0102_1994;

impl Places {
    /// Lets runs lie in memory. Where that is; `None` if they stay on the disk: there is no such place for whoever is
    /// not root that nobody else clears away, and runs that are there already are left where they are.
    pub fn keep_runs_in_memory(&self) -> io::Result<Option<PathBuf>> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        let place = PLACES.iter().map(Path::new).find(|place| is_in_memory(place));
        place.map_or(Ok(None), |place| self.keep_runs_in(place))
    }

    fn keep_runs_in(&self, place: &Path) -> io::Result<Option<PathBuf>> {
        let all = place.join("tidegate");
        private(&all)?;
        // Anybody may make a directory of this name there before.
        let own = fs::symlink_metadata(&all)?;
        if !own.is_dir() || own.uid() != geteuid().as_raw() || own.mode() & 0o077 != 0 {
            return Ok(None);
        }
        sweep(&all);
        let data = self.root().metadata()?;
        let here = all.join(format!("{:x}-{:x}", data.dev(), data.ino()));
        private(&here)?;
        lead(&here.join("data"), self.root())?;
        let (runs, target) = (self.runs(), here.join("runs"));
        match fs::symlink_metadata(&runs) {
            Ok(found) if found.is_dir() && fs::remove_dir(&runs).is_err() => return Ok(None),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        private(&target)?;
        lead(&runs, &target)?;
        Ok(Some(target))
    }
}

fn is_in_memory(place: &Path) -> bool {
    statfs(place).is_ok_and(|place| place.f_type == IN_MEMORY)
}

/// Lets `link` lead there, wherever it led before.
fn lead(link: &Path, target: &Path) -> io::Result<()> {
    if fs::read_link(link).is_ok_and(|before| before == target) {
        return Ok(());
    }
    let new = link.with_extension("new");
    let _ = fs::remove_file(&new);
    symlink(target, &new)?;
    fs::rename(new, link)
}

/// Removes what is left of data directories that are gone. Where there still are runs, nothing is touched.
fn sweep(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let (here, data) = (entry.path(), entry.path().join("data"));
        let is_gone = fs::read_link(&data).is_ok_and(|data| !data.exists());
        if is_gone && no_workers(&here.join("runs/warm")) {
            let _ = fs::remove_dir_all(here.join("runs/warm"));
        }
        if is_gone && fs::remove_dir(here.join("runs")).is_ok() {
            let _ = fs::remove_file(data).and_then(|()| fs::remove_dir(here));
        }
    }
}

/// Whether there is nothing but the bell.
fn no_workers(warm: &Path) -> bool {
    fs::read_dir(warm)
        .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|e| e.file_name() == "bell")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_lie_elsewhere_and_each_data_directory_has_its_own() {
        let (place, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = |name: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(&path).unwrap();
            Places::below(path)
        };
        let (one, two) = (data("one"), data("two"));
        let target = one.keep_runs_in(place.path()).unwrap().unwrap();
        fs::create_dir(one.runs().join("7")).unwrap();
        assert!(target.join("7").is_dir());
        assert_eq!(one.keep_runs_in(place.path()).unwrap(), Some(target.clone()), "again: the same");
        // The machine was started anew.
        fs::remove_dir_all(place.path().join("tidegate")).unwrap();
        assert_eq!(one.keep_runs_in(place.path()).unwrap(), Some(target.clone()));
        assert_eq!(fs::read_dir(one.runs()).unwrap().count(), 0);
        // A copy of a data directory does not share the runs of the first.
        symlink(&target, two.runs()).unwrap();
        let other = two.keep_runs_in(place.path()).unwrap().unwrap();
        assert!(other != target && fs::read_link(two.runs()).unwrap() == other);
        // What is there already stays.
        let old = data("old");
        fs::create_dir_all(old.runs().join("1")).unwrap();
        assert_eq!(old.keep_runs_in(place.path()).unwrap(), None);
        fs::remove_dir(old.runs().join("1")).unwrap();
        assert!(old.keep_runs_in(place.path()).unwrap().is_some(), "nothing is there any more");
        // Of a data directory that is gone nothing is left, unless something may run.
        fs::create_dir(two.runs().join("1")).unwrap();
        for name in ["old", "two"] {
            fs::remove_dir_all(home.path().join(name)).unwrap();
        }
        one.keep_runs_in(place.path()).unwrap();
        assert_eq!(fs::read_dir(place.path().join("tidegate")).unwrap().count(), 2);
    }

    #[test]
    fn who_finds_the_place_taken_does_without() {
        let (place, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(home.path(), place.path().join("tidegate")).unwrap();
        let places = Places::below(home.path());
        assert_eq!(places.keep_runs_in(place.path()).unwrap(), None);
        assert!(!places.runs().exists());
    }
}
