//! One replica as a process: started once, looked after by a supervisor, seen through its directory.

use super::boot::since_boot;
use super::endpoints::Endpoint;
use super::strays;
use super::watch::Watch;
use super::workers::WorkerId;
use crate::proc::Identity;
use crate::report::Running;
use crate::supervisor::{Exit, Group, Order, RunDir, Stage};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::process::{Child, Command, Stdio};

/// A supervisor that dies before it has begun is replaced so many times.
const ATTEMPTS_TO_SUPERVISE: u32 = 3;
/// What cannot be started at all (no room on the disk, no process to be had) is tried again so many times.
const ATTEMPTS_TO_START: u32 = 5;
/// The first wait between them in milliseconds; each further one is twice as long.
const START_AGAIN: u64 = 1_000;

/// A replica that was started, here or by a server before this one.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) dir: RunDir,
    /// Its processes are marked with this: its own directory, or that of its worker.
    body: RunDir,
    /// Who does it, if it is a task for a worker.
    pub(super) worker: Option<WorkerId>,
    pub(super) attempt: u32,
    pub(super) port: Option<u16>,
    pub(super) meeting_port: Option<u16>,
    pub(super) node: Box<str>,
    pub(super) devices: Vec<u16>,
    pub(super) group: Option<Group>,
    /// So many attempts before this one failed in a row.
    pub(super) failed: u32,
    /// What could not be written down yet.
    unwritten: Option<Box<Order>>,
    failures: u32,
    supervisors: u32,
    /// The supervisor, if this server is its parent.
    child: Option<Child>,
    pub(super) supervisor: Option<Identity>,
    pub(super) life: Life,
    /// It was asked to be gone by then.
    pub(super) leave: Option<u64>,
    /// It cannot be asked: it is killed, and its supervisor with it.
    is_doomed: bool,
    /// Starting it again would not help.
    pub(super) is_refused: bool,
    pub(super) is_reported: bool,
    /// Started again in its place, it begins then: milliseconds since the machine was started.
    pub(super) again_at: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// Its end will be told under this number.
    Watched(u64),
    /// It has to be looked at again soon: its supervisor has not said who it is, or what is left of it is dying.
    Unwatched,
    /// A worker does it, or is about to.
    Handed,
    /// Its worker has not taken it, and nobody will: it was taken back.
    Unbegun,
    /// It could not be started, and is tried again then, in milliseconds since the machine was started.
    Waiting(u64),
    Ended(Exit),
}

impl Process {
    /// Starts what was ordered.
    pub(super) fn start(
        dir: RunDir,
        attempt: u32,
        order: Order,
        supervisor: &[OsString],
        watch: &mut Watch,
    ) -> Process {
        let mut process = Process::in_directory(dir, attempt, &order);
        process.unwritten = Some(Box::new(order));
        process.begin(supervisor, watch);
        process
    }

    /// One that a worker was told to do.
    pub(super) fn handed(dir: RunDir, attempt: u32, order: &Order, worker: &Process) -> Process {
        let mut process = Process::in_directory(dir, attempt, order);
        (process.life, process.supervisor) = (Life::Handed, worker.supervisor);
        process
    }

    /// Of a task for a worker: whether one that waited took it, or one was started for it.
    pub(super) fn is_warm(&self, run: Running) -> Option<bool> {
        self.worker.map(|worker| worker != WorkerId { first: run, attempt: self.attempt })
    }

    /// One that must not be started.
    pub(super) fn refused(dir: RunDir, why: &str) -> Process {
        let mut process = Process::in_directory(dir, 0, &Order::default());
        process.life = Life::Ended(Exit::before_start(126, why));
        process.is_refused = true;
        process
    }

    /// Finds what was started before. `leave`: it is to be gone within so many milliseconds, and not to begin if it
    /// has not.
    pub(super) fn find(
        dir: RunDir,
        attempt: u32,
        leave: Option<u64>,
        supervisor: &[OsString],
        watch: &mut Watch,
    ) -> Process {
        let order = dir.order().unwrap_or_default();
        let mut process = Process::in_directory(dir, attempt, &order);
        if let Some(within) = leave {
            process.ask_to_leave(within);
        }
        process.look(supervisor, watch);
        process
    }

    pub(super) fn in_directory(dir: RunDir, attempt: u32, order: &Order) -> Process {
        let worker = order.errand.as_ref().map(|errand| errand.worker.as_path());
        Process {
            body: worker.map_or_else(|| dir.clone(), RunDir::at),
            worker: worker.and_then(WorkerId::of),
            dir,
            attempt,
            port: order.port,
            meeting_port: order.meeting_port,
            node: order.node.clone(),
            devices: order.devices.clone(),
            group: order.group.clone(),
            failed: order.failed,
            unwritten: None,
            failures: 0,
            supervisors: 0,
            child: None,
            supervisor: None,
            life: Life::Unwatched,
            leave: None,
            is_doomed: false,
            is_refused: false,
            is_reported: false,
            again_at: None,
        }
    }

    /// Where it is reached.
    pub(super) fn endpoint(&self, run: u64) -> Option<Endpoint> {
        let port = self.port.filter(|_| self.is_alive())?;
        let supervisor = match &self.child {
            Some(child) => Some(child.id()),
            None => match self.dir.stage() {
                Ok(Stage::Supervised(Some(supervisor))) => {
                    u32::try_from(supervisor.0.pid.as_raw_nonzero().get()).ok()
                }
                _ => None,
            },
        };
        Some(Endpoint { run, port, leaves: self.leave.is_some(), supervisor })
    }

    pub(super) fn is_alive(&self) -> bool {
        !matches!(self.life, Life::Ended(_))
    }

    /// The supervisor, if it has to be waited for by this server and has not been.
    pub(super) fn into_child(mut self) -> Option<Child> {
        self.child.take_if(|child| !matches!(child.try_wait(), Ok(Some(_))))
    }

    /// Writes its order and starts its supervisor; later, if that cannot be done now.
    fn begin(&mut self, supervisor: &[OsString], watch: &mut Watch) {
        let written = self.unwritten.as_ref().map_or(Ok(()), |order| self.dir.create(order));
        let begun = written.and_then(|()| {
            self.unwritten = None;
            self.supervise(supervisor, watch)
        });
        let Err(error) = begun else { return };
        self.failures += 1;
        if self.failures >= ATTEMPTS_TO_START {
            self.cancel(Exit::before_start(126, format!("cannot be started: {error}")));
        } else {
            self.life = Life::Waiting(since_boot() + (START_AGAIN << (self.failures - 1)));
        }
    }

    /// Looks at its directory: its supervisor has ended, or is not known yet.
    pub(super) fn look(&mut self, supervisor: &[OsString], watch: &mut Watch) {
        if let Some(child) = &mut self.child {
            let _ = child.try_wait();
        }
        match self.life {
            Life::Ended(_) => return,
            Life::Waiting(until) if self.leave.is_none() && since_boot() < until => return,
            Life::Waiting(_) if self.leave.is_none() => return self.begin(supervisor, watch),
            Life::Unbegun if self.leave.is_some() => return self.end_unbegun(),
            Life::Unbegun => return,
            _ => {}
        }
        self.life = Life::Unwatched;
        if self.is_doomed && strays::kill(&self.body, self.group.as_ref(), supervisor) > 0 {
            return;
        }
        match self.dir.stage() {
            Ok(stage) => self.take(stage, supervisor, watch),
            Err(error) => self.bury(125, &format!("cannot be looked after: {error}"), supervisor),
        }
    }

    fn take(&mut self, stage: Stage, supervisor: &[OsString], watch: &mut Watch) {
        match stage {
            Stage::Ended(exit) => self.life = Life::Ended(exit),
            Stage::Supervised(Some(by)) => {
                self.supervisor = Some(by.0);
                if self.worker.is_some() {
                    self.life = Life::Handed;
                    return;
                }
                // An error, such as no more open files, is not the end of it: it is looked at again.
                let number = watch.add(by.0).ok().flatten();
                self.life = number.map_or(Life::Unwatched, Life::Watched);
            }
            Stage::Supervised(None) => {}
            Stage::Abandoned => self.bury(137, "its supervisor was killed", supervisor),
            Stage::Missing if self.unwritten.is_none() => {
                self.bury(125, "the directory of its run was removed", supervisor);
            }
            Stage::Ordered | Stage::Missing if self.leave.is_some() => {
                self.cancel(Exit::before_start(143, "asked to leave before it began"));
            }
            Stage::Ordered if self.worker.is_some() => match self.dir.withdraw() {
                Ok(false) => {}
                Ok(true) | Err(_) => self.life = Life::Unbegun,
            },
            Stage::Ordered if self.supervisors >= ATTEMPTS_TO_SUPERVISE => {
                let ended = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
                let how = ended.map_or("it ended".into(), |status| status.to_string());
                self.cancel(Exit::before_start(125, format!("its supervisor does not start: {how}")));
            }
            Stage::Ordered | Stage::Missing => self.begin(supervisor, watch),
        }
    }

    fn supervise(&mut self, supervisor: &[OsString], watch: &mut Watch) -> io::Result<()> {
        let [program, arguments @ ..] = supervisor else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no supervisor was named"));
        };
        let errors = File::create(self.dir.path().join("supervisor.log"))?;
        let mut command = Command::new(program);
        // It needs nothing of the server's surroundings, and keeps no directory of it busy.
        command.args(arguments).arg(self.dir.path()).env_clear().current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        let child = command.spawn()?;
        self.supervisors += 1;
        // This child is waited for by nobody else: its number is its own.
        self.supervisor = Identity::of(rustix::process::Pid::from_child(&child));
        self.child = Some(child);
        let number = self.supervisor.and_then(|own| watch.add(own).ok().flatten());
        self.life = number.map_or(Life::Unwatched, Life::Watched);
        Ok(())
    }

    /// Asks it to be gone so many milliseconds from now. An earlier time than before counts.
    pub(super) fn ask_to_leave(&mut self, within: u64) {
        let by = since_boot().saturating_add(within);
        // The same deadline is computed anew each time: a moment more or less is not news.
        if !self.is_alive() || self.leave.is_some_and(|before| before <= by.saturating_add(50)) {
            return;
        }
        self.leave = Some(by);
        if matches!(self.life, Life::Waiting(_)) {
            self.life = Life::Unwatched;
        }
        if self.unwritten.is_none() && self.dir.ask_to_leave(by).is_err() {
            self.is_doomed = true;
            self.life = Life::Unwatched;
        }
    }

    /// Kills what is left of it, and says how it ended once nothing is.
    fn bury(&mut self, code: i32, detail: &str, supervisor: &[OsString]) {
        if strays::kill(&self.body, self.group.as_ref(), supervisor) == 0 {
            let reason = self.dir.reason();
            self.end(Exit::because(code, reason.as_deref().unwrap_or(detail), self.dir.age()));
        }
    }

    fn end_unbegun(&mut self) {
        self.life = Life::Ended(Exit::before_start(143, "asked to leave before it began"));
    }

    /// It is not to begin. If somebody was faster, that is seen at the next look.
    fn cancel(&mut self, exit: Exit) {
        match self.dir.cancel(&exit) {
            Ok(false) => self.life = Life::Unwatched,
            // Without a directory nobody can begin.
            Ok(true) | Err(_) => self.life = Life::Ended(exit),
        }
    }

    fn end(&mut self, exit: Exit) {
        // If even that cannot be written, the next server looks again.
        let _ = self.dir.end(&exit);
        self.life = Life::Ended(exit);
    }
}
