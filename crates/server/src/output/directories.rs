//! Drops the directories of workloads that were deleted, once nothing in them was written for some time. All others
//! stay, however old: what has ended can be started again, and goes on in them. If there is nothing in them they are
//! as good as none, and go, too.

use super::trail::present;
use crate::core::past;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tidegate_engine::ids::WorkloadId;
use tidegate_store::{PastQuery, Reader, StoreError};

/// Rows of history that are read at once.
const PAGE: usize = 1_000;

/// A directory of a workload, by its name: `NAME.WORKLOAD`, `NAME.WORKLOAD.saved` or `NAME.WORKLOAD.task`, which is a
/// file if there was nothing but an answer.
#[derive(Debug)]
pub(super) struct Found {
    path: PathBuf,
    pub(super) name: String,
    pub(super) workload: WorkloadId,
}

impl Found {
    fn at(path: PathBuf) -> Option<Found> {
        let file = path.file_name()?.to_str()?;
        let own = file.strip_suffix(".saved").or(file.strip_suffix(".task")).unwrap_or(file);
        let (name, number) = own.rsplit_once('.')?;
        let (name, workload) = (name.to_string(), WorkloadId(number.parse().ok()?));
        Some(Found { path, name, workload })
    }
}

/// The directories of all workloads. Whoever looks for workloads after this finds those that they belong to.
pub(super) fn all(work: &Path) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for workspace in entries(work)?.into_iter().filter(|path| path.is_dir()) {
        found.extend(entries(&workspace)?.into_iter().filter_map(Found::at));
    }
    Ok(found)
}

/// Drops those that belong to nobody. `lives`: the first of a line that is in memory; `is_past`: of one that can be
/// started again. How many went.
pub(super) fn drop_left(
    found: Vec<Found>,
    lives: &BTreeSet<WorkloadId>,
    is_past: impl Fn(&Found) -> io::Result<bool>,
    retain: Duration,
) -> io::Result<usize> {
    let mut count = 0;
    for found in found.into_iter().filter(|found| !lives.contains(&found.workload)) {
        if !is_old(&found.path.symlink_metadata()?, retain) {
            continue;
        }
        let is_file = found.path.is_file();
        // Refused if there is anything in it.
        if fs::remove_dir(&found.path).is_ok() {
            count += 1;
        } else if !is_past(&found)? && (is_file || is_all_old(&found.path, retain)?) {
            if is_file {
                fs::remove_file(&found.path)?
            } else {
                fs::remove_dir_all(&found.path)?
            }
            count += 1;
        }
    }
    Ok(count)
}

/// Whether a directory belongs to a workload that is kept as history: the first of its line, or one after it.
pub(super) fn is_past(reader: &dyn Reader, found: &Found) -> Result<bool, StoreError> {
    if !reader.past(&PastQuery::id(u64::from(found.workload.0)))?.is_empty() {
        return Ok(true);
    }
    // All of a line have the same name.
    let mut query = PastQuery { name: Some(found.name.clone()), ..PastQuery::all(PAGE) };
    loop {
        let rows = reader.past(&query)?;
        // What a later release wrote otherwise may be anything.
        let of_line = |row| past::remains(row).is_none_or(|r| r.directory_of == Some(found.workload.0));
        if rows.iter().any(of_line) {
            return Ok(true);
        }
        let Some(last) = rows.last().filter(|_| rows.len() == PAGE) else { return Ok(false) };
        query.below = Some(last.id);
    }
}

/// Files and directories in one; links are nobody's.
fn entries(path: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(entries) = present(fs::read_dir(path))? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for entry in entries {
        let entry = entry?;
        if !entry.file_type()?.is_symlink() {
            all.push(entry.path());
        }
    }
    Ok(all)
}

/// Whether nothing in it, however deep, was written for so long.
fn is_all_old(directory: &Path, retain: Duration) -> io::Result<bool> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        // Of a link itself, not of what it leads to.
        let metadata = entry.metadata()?;
        if !is_old(&metadata, retain) || metadata.is_dir() && !is_all_old(&entry.path(), retain)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Written in the future by a clock that was set back since: it is not old.
#[allow(clippy::disallowed_methods, reason = "how old a file is, is told by the machine's clock")]
pub(super) fn is_old(metadata: &fs::Metadata, retain: Duration) -> bool {
    let age = metadata.modified().ok().and_then(|written| written.elapsed().ok());
    age.is_some_and(|age| age >= retain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_go_when_they_belong_to_nobody() {
        let work = tempfile::tempdir().expect("a directory");
        let at = |name: &str| work.path().join("0").join(name);
        for name in
            ["home", "tmp", "a.b.1", "a.b.1.saved", "a.b.1.task", "two.2", "past.3", "past.3.saved", "none.x"]
        {
            fs::create_dir_all(at(name)).expect("made");
        }
        for name in ["home", "a.b.1", "a.b.1.saved", "a.b.1.task", "past.3"] {
            fs::create_dir_all(at(name).join("deep")).expect("made");
            fs::write(at(name).join("deep/result"), "x").expect("written");
        }
        for name in ["past.3.task", "gone.4.task", "two.2.task"] {
            fs::write(at(name), "an answer").expect("written");
        }
        let sweep = |lives: &[u32], retain| {
            let lives = lives.iter().map(|id| WorkloadId(*id)).collect();
            let is_past = |found: &Found| Ok(found.name == "past");
            drop_left(all(work.path()).expect("listed"), &lives, is_past, retain).expect("swept")
        };
        let left = || {
            let mut names: Vec<_> = fs::read_dir(at("")).expect("listed").flatten().collect();
            names.sort_by_key(fs::DirEntry::file_name);
            names.iter().map(|e| e.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(sweep(&[], Duration::from_secs(3_600)), 0);
        assert_eq!(sweep(&[1, 2, 4], Duration::ZERO), 1, "nothing was in it, and it will be made again");
        assert_eq!(
            left(),
            "a.b.1 a.b.1.saved a.b.1.task gone.4.task home none.x past.3 past.3.task tmp two.2 two.2.task"
        );
        assert_eq!(sweep(&[2], Duration::ZERO), 4);
        assert_eq!(left(), "home none.x past.3 past.3.task tmp two.2 two.2.task");
        assert_eq!(all(&work.path().join("nowhere")).expect("nothing").len(), 0);
    }
}
