//! What is known of the runs of all workloads, in one file. A line is added for each change, so that a start costs the
//! disk a write and no new file; the latest line of a workload counts.

use super::backoff::Runs;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use tidegate_engine::ids::WorkloadId;

/// So many lines more than workloads are borne before the file is written anew.
const SLACK: usize = 10_000;

#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    all: BTreeMap<WorkloadId, Runs>,
    /// Where lines are added; absent if the file has to be written anew.
    file: Option<File>,
    lines: usize,
}

impl Ledger {
    /// A file that is not there, or a line that was cut off, is as good as none.
    pub(super) fn open(path: PathBuf) -> Ledger {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let line = |line| serde_json::from_str::<(u32, Runs)>(line).ok();
        let all = text.lines().filter_map(line).map(|(id, runs)| (WorkloadId(id), runs)).collect();
        Ledger { path, all, file: None, lines: 0 }
    }

    pub(super) fn of(&self, workload: WorkloadId) -> Runs {
        self.all.get(&workload).cloned().unwrap_or_default()
    }

    /// What cannot be written is forgotten by the next server: work starts again a little earlier then.
    pub(super) fn put(&mut self, workload: WorkloadId, runs: Runs) {
        let line = serde_json::to_string(&(workload.0, &runs));
        self.all.insert(workload, runs);
        let is_long = self.lines > self.all.len() + SLACK;
        self.lines += 1;
        let added = match self.file.as_mut().filter(|_| !is_long).zip(line.ok()) {
            Some((file, line)) => file.write_all(format!("{line}\n").as_bytes()),
            None => self.write_anew(),
        };
        if added.is_err() {
            self.file = None;
        }
    }

    pub(super) fn forget(&mut self, workload: WorkloadId) {
        self.all.remove(&workload);
    }

    /// Forgets all but these.
    pub(super) fn keep(&mut self, is_known: impl Fn(WorkloadId) -> bool) {
        self.all.retain(|workload, _| is_known(*workload));
        let _ = self.write_anew();
    }

    /// Whole or not at all, whoever is killed meanwhile.
    fn write_anew(&mut self) -> io::Result<()> {
        self.file = None;
        let mut text = String::new();
        for (workload, runs) in &self.all {
            text.push_str(&serde_json::to_string(&(workload.0, runs))?);
            text.push('\n');
        }
        let new = self.path.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(&new, &self.path)?;
        self.lines = self.all.len();
        self.file = Some(OpenOptions::new().append(true).mode(0o600).open(&self.path)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(latest: u64) -> Runs {
        Runs { latest, ..Runs::default() }
    }

    #[test]
    fn the_latest_line_counts_and_one_that_was_cut_off_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("runs.jsonl");
        let mut ledger = Ledger::open(path.clone());
        assert_eq!(ledger.of(WorkloadId(1)), Runs::default());
        for latest in 1..=3 {
            ledger.put(WorkloadId(1), run(latest));
            ledger.put(WorkloadId(2), run(10 + latest));
        }
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, whole.strip_suffix("}]\n").unwrap()).unwrap();
        let mut ledger = Ledger::open(path.clone());
        assert_eq!((ledger.of(WorkloadId(1)), ledger.of(WorkloadId(2))), (run(3), run(12)));
        ledger.put(WorkloadId(2), run(20));
        assert_eq!(Ledger::open(path.clone()).of(WorkloadId(2)), run(20));
        ledger.keep(|workload| workload.0 == 2);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        let again = Ledger::open(path);
        assert_eq!((again.of(WorkloadId(1)), again.of(WorkloadId(2))), (Runs::default(), run(20)));
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("runs.jsonl");
        let mut ledger = Ledger::open(path.clone());
        for latest in 0..=(SLACK as u64 + 10) {
            ledger.put(WorkloadId(1), run(latest));
        }
        assert!(fs::read_to_string(&path).unwrap().lines().count() < 20);
        assert_eq!(Ledger::open(path).of(WorkloadId(1)), run(SLACK as u64 + 10));
    }
}
