//! What was started before, by this server or by another.

use super::replica::Process;
use super::settling::{Fate, Known};
use super::{LocalExecutor, Whom, strays};
use crate::report::Running;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use tidegate_engine::ids::WorkloadId;

impl LocalExecutor {
    /// Finds what was started before. `before` is what this server knew of it.
    pub(super) fn find_all(&mut self, mut before: BTreeMap<WorkloadId, Known>) {
        let mut found: BTreeMap<Running, u32> = BTreeMap::new();
        let workers = self.settings.places.workers();
        for workload in subdirectories(self.settings.places.runs()).filter(|path| *path != workers) {
            for directory in subdirectories(workload.clone()) {
                match self.settings.places.run_of(&directory) {
                    None => _ = fs::remove_dir_all(directory),
                    Some((run, attempt)) => {
                        if let Some(earlier) = self.take_latest(&mut found, run, attempt) {
                            let _ = self.settings.places.run(run, earlier).remove();
                        }
                    }
                }
            }
            // Of one that has ended there may be nothing left but this.
            if let Some(id) = name_of(&workload) {
                self.workloads.entry(WorkloadId(id)).or_default();
            }
        }
        let now = (self.clock)();
        for (run, attempt) in found {
            let key = (run.unit, run.index, run.run);
            let same = before.get_mut(&run.workload).and_then(|known| known.processes.remove(&key));
            let known = self.workloads.entry(run.workload).or_default();
            let process = match same.filter(|process| process.attempt == attempt) {
                Some(mut process) => {
                    process.is_reported = false;
                    process
                }
                None => {
                    let leave = match known.fate(key) {
                        Fate::Stays => None,
                        Fate::Leaves(by) => Some(by.since(now).0),
                        Fate::Dies => Some(0),
                    };
                    let dir = self.settings.places.run(run, attempt);
                    Process::find(dir, attempt, leave, &self.settings.supervisor, &mut self.watch)
                }
            };
            let ports = [process.port, process.meeting_port];
            ports.into_iter().flatten().for_each(|port| self.ports.keep(port));
            let life = self.tell_worker(process.worker, run, process.life.clone());
            if life != process.life {
                self.wait_for(Whom::Run(run), &life);
            }
            self.follow(run, &process);
            self.show_known(run, &process);
            self.workloads.entry(run.workload).or_default().processes.insert(key, process);
        }
        // Whose directory was removed by somebody else: what is left of them is swept away.
        let lost = before.into_values().flat_map(|known| known.processes.into_values());
        self.children.extend(lost.filter_map(Process::into_child));
    }

    /// An attempt is made once the one before it has ended: the latest counts. One that is not needed any more.
    fn take_latest(&self, found: &mut BTreeMap<Running, u32>, run: Running, attempt: u32) -> Option<u32> {
        // Whoever was to write the order was killed: nobody has begun.
        if !self.settings.places.run(run, attempt).is_ordered() {
            return Some(attempt);
        }
        match found.insert(run, attempt) {
            Some(other) if other > attempt => {
                found.insert(run, other);
                Some(attempt)
            }
            other => other,
        }
    }

    fn show_known(&self, run: Running, process: &Process) {
        let a = self.workloads.get(&run.workload).and_then(|known| known.assignment.as_ref());
        let place = (run.unit, run.index, run.run);
        let replica = a.and_then(|a| a.replicas.iter().find(|r| (r.unit, r.index, r.run) == place));
        if let Some((a, replica)) = a.zip(replica) {
            self.show(a, replica, process);
        }
    }

    /// Ends what belongs to runs that nobody knows. There is some only if directories were removed by hand.
    pub(super) fn sweep(&mut self) {
        let known = |name: &str| {
            let processes = self.workloads.values().flat_map(|known| known.processes.values());
            let groups = processes.chain(self.workers.iter().map(|(_, worker)| &worker.process));
            let mut names = groups.filter_map(|process| process.group.as_ref()?.path.file_name());
            names.any(|known| known == name)
        };
        let strays = strays::sweep(&self.settings.places.runs(), &self.settings.supervisor);
        let is_clean = self.settings.groups.as_ref().is_none_or(|groups| groups.sweep(known));
        self.is_sweeping = strays > 0 || !is_clean;
    }
}

pub(super) fn subdirectories(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    // What a link leads to is none of them.
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

fn name_of(directory: &std::path::Path) -> Option<u32> {
    directory.file_name()?.to_str()?.parse().ok()
}
