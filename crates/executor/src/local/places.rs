//! Where everything of a workload lies.
//!
//! ```text
//! runs/WORKLOAD/UNIT-INDEX-RUN.ATTEMPT/   what server and supervisor tell each other; nobody else looks in
//! runs/warm/WORKER/                       the same of a process that does task after task; runs/warm/bell
//! runs.jsonl                              how often workloads were started
//! logs/WORKLOAD/NUMBER.log                output, over all runs
//! work/WORKSPACE/home, tmp                of all work of a workspace
//! work/WORKSPACE/NAME.WORKLOAD/           where a workload is started, over all runs, and when it is started again
//! work/WORKSPACE/NAME.WORKLOAD.saved/     its checkpoints
//! work/WORKSPACE/WORKER.worker/           where a worker is started; gone with it
//! work/WORKSPACE/NAME.WORKLOAD.task/      what a task is given, and what it gives back in its latest run; a file if
//!                                         that is an answer only
//! ```

use super::employing::warm_of;
use super::workers::WorkerId;
use crate::assignment::Assignment;
use crate::report::Running;
use crate::supervisor::RunDir;
use rustix::fs::{Gid, Mode, OFlags, Uid, fchmod, fchown, fstat, open};
use rustix::process::{getegid, geteuid};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use tidegate_engine::ids::{WorkloadId, WorkspaceId};

/// A program touches this file of its checkpoints whenever it has saved its work.
pub const SAVED: &str = ".saved";

/// The directories of an executor, all below one.
#[derive(Clone, Debug)]
pub struct Places {
    root: PathBuf,
}

impl Places {
    pub fn below(root: impl Into<PathBuf>) -> Places {
        Places { root: root.into() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    pub(super) fn runs_of(&self, workload: WorkloadId) -> PathBuf {
        self.runs().join(workload.0.to_string())
    }

    /// Of processes that do task after task.
    pub(super) fn workers(&self) -> PathBuf {
        self.runs().join("warm")
    }

    pub(super) fn worker(&self, id: WorkerId) -> RunDir {
        RunDir::at(self.workers().join(id.name()))
    }

    /// Where they tell that a task has ended.
    pub(super) fn bell(&self) -> PathBuf {
        self.workers().join("bell")
    }

    /// Where a worker is started.
    pub(super) fn worker_home(&self, workspace: WorkspaceId, id: WorkerId) -> PathBuf {
        self.workspace(workspace).join(format!("{}.worker", id.name()))
    }

    /// What is known of the runs of all workloads.
    pub(super) fn ledger(&self) -> PathBuf {
        self.root.join("runs.jsonl")
    }

    pub(super) fn run(&self, run: Running, attempt: u32) -> RunDir {
        let name = format!("{}-{}-{}.{attempt}", run.unit, run.index, run.run);
        RunDir::at(self.runs_of(run.workload).join(name))
    }

    /// The run that a directory is for, and the attempt.
    pub(super) fn run_of(&self, directory: &Path) -> Option<(Running, u32)> {
        let name = directory.file_name()?.to_str()?;
        let workload = directory.parent()?.file_name()?.to_str()?.parse().ok()?;
        let (run, attempt) = name.split_once('.')?;
        let mut parts = run.splitn(3, '-');
        let mut part = || parts.next()?.parse::<u64>().ok();
        let (unit, index, run) = (part()? as u32, part()? as u32, part()?);
        let run = Running { workload: WorkloadId(workload), unit, index, run };
        Some((run, attempt.parse().ok()?))
    }

    /// What is wrong with GPUs that are not there, as somebody says who tries that out.
    pub fn faults(&self) -> PathBuf {
        self.root.join("faults")
    }

    /// What GPUs that are not there do, as somebody says who tries that out.
    pub fn meters(&self) -> PathBuf {
        self.root.join("meters")
    }

    /// Output of one replica, over all runs.
    pub fn log(&self, workload: WorkloadId, number: u32) -> PathBuf {
        self.logs(workload).join(format!("{number}.log"))
    }

    pub fn logs(&self, workload: WorkloadId) -> PathBuf {
        self.all_logs().join(workload.0.to_string())
    }

    /// Output of everybody.
    pub fn all_logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// The directories of everybody.
    pub fn all_work(&self) -> PathBuf {
        self.root.join("work")
    }

    fn workspace(&self, workspace: WorkspaceId) -> PathBuf {
        self.all_work().join(workspace.0.to_string())
    }

    pub fn home(&self, workspace: WorkspaceId) -> PathBuf {
        self.workspace(workspace).join("home")
    }

    pub fn temporary(&self, workspace: WorkspaceId) -> PathBuf {
        self.workspace(workspace).join("tmp")
    }

    /// Where a workload is started unless it says otherwise.
    pub fn directory(&self, workspace: WorkspaceId, workload: WorkloadId, name: &str) -> PathBuf {
        self.workspace(workspace).join(format!("{name}.{}", workload.0))
    }

    pub fn checkpoints(&self, workspace: WorkspaceId, workload: WorkloadId, name: &str) -> PathBuf {
        self.workspace(workspace).join(format!("{name}.{}.saved", workload.0))
    }

    pub(super) fn saved(&self, a: &Assignment) -> PathBuf {
        self.checkpoints(a.launch.workspace, a.home(), &a.name).join(SAVED)
    }

    /// A workload's own directories.
    pub(super) fn of_workload(&self, a: &Assignment) -> Vec<PathBuf> {
        let workspace = a.launch.workspace;
        if warm_of(a).is_some() {
            // It has those of its worker.
            return Vec::new();
        }
        let own =
            [self.directory(workspace, a.home(), &a.name), self.checkpoints(workspace, a.home(), &a.name)];
        let tray = a.launch.task.as_ref().map(|_| self.tray_of(a).path().to_path_buf());
        own.into_iter().chain(tray).collect()
    }

    /// Makes all directories that a workload needs, for `user` if somebody else is to use them.
    pub(super) fn prepare(&self, a: &Assignment, user: Option<u32>) -> io::Result<()> {
        self.prepare_workspace(a.launch.workspace, user)?;
        private(&self.runs_of(a.workload))?;
        private(&self.logs(a.workload))?;
        self.of_workload(a).iter().try_for_each(|path| self.make_own(path, user))
    }

    /// Makes what all work of a workspace needs.
    pub(super) fn prepare_workspace(&self, workspace: WorkspaceId, user: Option<u32>) -> io::Result<()> {
        // Where it leads may have been cleared by somebody who made room.
        if let Ok(elsewhere) = std::fs::read_link(self.runs()) {
            private(&elsewhere)?;
        }
        private(&self.all_work())?;
        private(&self.workspace(workspace))?;
        // Others may pass through what is above a workspace's own directories, and see nothing; and nobody but the
        // server can put something else in their place.
        if let Some(user) = user {
            give(&self.all_work(), 0o711, None, None)?;
            give(&self.workspace(workspace), 0o710, None, Some(user))?;
        }
        let shared = [self.home(workspace), self.temporary(workspace)];
        shared.iter().try_for_each(|path| self.make_own(path, user))
    }

    /// A directory for `user`, or for who runs the server.
    pub(super) fn make_own(&self, path: &Path, user: Option<u32>) -> io::Result<()> {
        private(path)?;
        user.map_or(Ok(()), |user| give(path, 0o700, Some(user), Some(user)))
    }

    /// Lets those pass whom work is given to. The first directory above that they cannot pass, if there is one.
    pub fn open_way(&self) -> io::Result<Option<PathBuf>> {
        give(&self.root, 0o711, None, None)?;
        for above in self.root.ancestors() {
            if above.metadata()?.mode() & 0o001 == 0 {
                return Ok(Some(above.into()));
            }
        }
        Ok(None)
    }
}

/// A directory for its owner alone. One that is there is left as it is.
pub(super) fn private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Gives a directory to somebody else, or back to this process, with these permissions. What its owner has made of
/// the permissions of its own stays.
pub(super) fn give(path: &Path, mode: u32, user: Option<u32>, group: Option<u32>) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let directory = open(path, flags, Mode::empty())?;
    let now = fstat(&directory)?;
    let (own_user, own_group) = (geteuid().as_raw(), getegid().as_raw());
    let wanted = (user.unwrap_or(own_user), group.unwrap_or(own_group));
    let is_given = (now.st_uid, now.st_gid) == wanted;
    if !is_given {
        fchown(&directory, Some(Uid::from_raw(wanted.0)), Some(Gid::from_raw(wanted.1)))?;
    }
    if !is_given || (user.is_none() && now.st_mode & 0o777 != mode) {
        fchmod(&directory, Mode::from_raw_mode(mode))?;
    }
    Ok(())
}
