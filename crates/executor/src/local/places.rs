//! Where everything of a workload lies.
//!
//! ```text
//! runs/WORKLOAD/UNIT-INDEX-RUN.ATTEMPT/   what server and supervisor tell each other; nobody else looks in
//! logs/WORKLOAD/NUMBER.log                output, over all runs
//! work/WORKSPACE/home, tmp                of all work of a workspace
//! work/WORKSPACE/NAME.WORKLOAD/           where a workload is started, over all runs
//! work/WORKSPACE/NAME.WORKLOAD.saved/     its checkpoints
//! ```

use crate::assignment::Assignment;
use crate::report::Running;
use crate::supervisor::RunDir;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, chown};
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

    pub(super) fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    pub(super) fn runs_of(&self, workload: WorkloadId) -> PathBuf {
        self.runs().join(workload.0.to_string())
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

    fn workspace(&self, workspace: WorkspaceId) -> PathBuf {
        self.root.join("work").join(workspace.0.to_string())
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
        self.checkpoints(a.launch.workspace, a.workload, &a.name).join(SAVED)
    }

    /// Makes all directories that a workload needs, for `user` if somebody else is to use them.
    pub(super) fn prepare(&self, a: &Assignment, user: Option<u32>) -> io::Result<()> {
        let workspace = a.launch.workspace;
        // Others may pass through what is above a workspace's own directory, and see nothing.
        let outer = if user.is_some() { 0o711 } else { 0o700 };
        private(&self.root.join("work"), outer, None)?;
        private(&self.logs(a.workload), 0o700, None)?;
        let directory = self.directory(workspace, a.workload, &a.name);
        let checkpoints = self.checkpoints(workspace, a.workload, &a.name);
        let of_workspace = self.workspace(workspace);
        let (home, temporary) = (self.home(workspace), self.temporary(workspace));
        for path in [of_workspace, home, temporary, directory, checkpoints] {
            private(&path, 0o700, user)?;
        }
        Ok(())
    }
}

/// A directory for one user alone. One that is there is left as it is.
fn private(path: &Path, mode: u32, user: Option<u32>) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(mode).create(path)?;
    match user {
        Some(user) => chown(path, Some(user), Some(user)),
        None => Ok(()),
    }
}
