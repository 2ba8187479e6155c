//! How a workload is started: what the engine does not know.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tidegate_engine::ids::{Span, WorkloadId, WorkspaceId};
use tidegate_engine::words::Module;

/// How every replica of a workload is started; the same for its whole life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    pub module: Module,
    pub workspace: WorkspaceId,
    /// Names of its roles, in the order of the engine's roles; empty if there is but one without a name.
    pub roles: Vec<Box<str>>,
    /// Program and arguments.
    pub command: Vec<Box<str>>,
    pub env: BTreeMap<Box<str>, Box<str>>,
    pub working_dir: Option<Box<str>>,
    /// Where it is reached through the server, without a slash at the end; `None` if it is not.
    pub base_path: Option<Box<str>>,
    /// It goes on in the directory of another that has ended: it was started again.
    pub directory_of: Option<WorkloadId>,
    /// Time between being asked to stop and being killed.
    pub grace: Span,
    /// A replica that ends by itself is started again where it is.
    pub keep_up: bool,
    /// What it is given as a task, and may give back; `None` if it is none of a template.
    pub task: Option<Handover>,
    pub work: Work,
}

impl Launch {
    /// A launch without a program: enough for what is virtual.
    pub fn of_work(module: Module, work: Work) -> Launch {
        Launch {
            module,
            workspace: WorkspaceId::DEFAULT,
            roles: Vec::new(),
            command: Vec::new(),
            env: BTreeMap::new(),
            working_dir: None,
            base_path: None,
            directory_of: None,
            grace: Span::seconds(30),
            keep_up: false,
            task: None,
            work,
        }
    }

    /// Its replicas live and die one by one. Of all else the replicas are one program, restarted together.
    pub fn is_service(&self) -> bool {
        self.module == Module::Service
    }
}

/// What a task is given, and how much it may give back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// JSON.
    pub input: Box<str>,
    /// Bytes of what it answers as JSON.
    pub output_limit: u64,
    /// Bytes of all files that it leaves.
    pub files_limit: u64,
    /// One process does task after task; `None` if each is a process of its own.
    pub warm: Option<Warm>,
}

/// How task after task is done by one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warm {
    /// What the task is called in messages.
    pub task: Box<str>,
    /// Tasks of one line are alike but for what they are given: a version of a template.
    pub line: Box<str>,
    /// So many processes at most wait for another task of the line, for each workspace.
    pub workers: u32,
    /// How long they wait.
    pub idle: Span,
    /// A process does so many; any number if absent.
    pub tasks: Option<u32>,
    /// How long it may take to say that it is ready.
    pub ready_within: Span,
}

/// How a workload behaves that nobody really runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Work to be done; `None` goes on until somebody ends it.
    pub duration: Option<Span>,
    /// Saves its work each time that it has run for so long.
    pub checkpoint: Option<Span>,
    /// Asked to leave, it never goes by itself.
    pub hang: bool,
    /// Ends with this exit code; without a duration at once.
    pub fails: Option<i32>,
}
