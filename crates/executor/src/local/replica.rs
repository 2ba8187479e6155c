//! One replica as a process: started once, looked after by a supervisor, seen through its directory.

use super::boot::since_boot;
use super::strays;
use super::watch::Watch;
use crate::supervisor::{Exit, Order, RunDir, Stage};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::process::{Child, Command, Stdio};

/// A supervisor that dies before it has begun is replaced so many times.
const ATTEMPTS_TO_SUPERVISE: u32 = 3;

/// A replica that was started, here or by a server before this one.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) dir: RunDir,
    pub(super) attempt: u32,
    pub(super) port: Option<u16>,
    pub(super) meeting_port: Option<u16>,
    pub(super) node: Box<str>,
    pub(super) devices: Vec<u16>,
    supervisors: u32,
    /// The supervisor, if this server is its parent.
    child: Option<Child>,
    pub(super) life: Life,
    /// It was asked to be gone by then.
    pub(super) leave: Option<u64>,
    pub(super) is_reported: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// Its end will be told under this number.
    Watched(u64),
    /// A supervisor lives that has not said who it is.
    Unwatched,
    Ended(Exit),
}

impl Process {
    /// Starts what was ordered.
    pub(super) fn start(
        dir: RunDir,
        attempt: u32,
        order: &Order,
        supervisor: &[OsString],
        watch: &mut Watch,
    ) -> Process {
        let mut process = Process::in_directory(dir, attempt, Some(order));
        if let Err(error) = process.dir.create(order).and_then(|()| process.supervise(supervisor, watch)) {
            process.end(Exit::before_start(126, format!("cannot be started: {error}")));
        }
        process
    }

    /// Finds what was started before.
    pub(super) fn find(dir: RunDir, attempt: u32, supervisor: &[OsString], watch: &mut Watch) -> Process {
        let order = dir.order().ok();
        let mut process = Process::in_directory(dir, attempt, order.as_ref());
        process.look(supervisor, watch);
        process
    }

    fn in_directory(dir: RunDir, attempt: u32, order: Option<&Order>) -> Process {
        Process {
            dir,
            attempt,
            port: order.and_then(|o| o.port),
            meeting_port: order.and_then(|o| o.meeting_port),
            node: order.map(|o| o.node.clone()).unwrap_or_default(),
            devices: order.map(|o| o.devices.clone()).unwrap_or_default(),
            supervisors: 0,
            child: None,
            life: Life::Unwatched,
            leave: None,
            is_reported: false,
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        !matches!(self.life, Life::Ended(_))
    }

    /// Looks at its directory: its supervisor has ended, or is not known yet.
    pub(super) fn look(&mut self, supervisor: &[OsString], watch: &mut Watch) {
        if let Some(child) = &mut self.child {
            let _ = child.try_wait();
        }
        let seen = self.dir.stage().and_then(|stage| self.take(stage, supervisor, watch));
        if let Err(error) = seen {
            self.end(Exit::before_start(125, format!("cannot be looked after: {error}")));
        }
    }

    fn take(&mut self, stage: Stage, supervisor: &[OsString], watch: &mut Watch) -> io::Result<()> {
        match stage {
            Stage::Ended(exit) => self.life = Life::Ended(exit),
            Stage::Supervised(Some(pid)) => {
                self.life = watch.add(pid)?.map_or(Life::Unwatched, Life::Watched);
            }
            Stage::Supervised(None) => self.life = Life::Unwatched,
            Stage::Abandoned => {
                let group = self.dir.order()?.cgroup;
                strays::kill(self.dir.path(), group.as_deref());
                let exit = Exit { code: 137, detail: Some("its supervisor was killed".into()), ran: 0 };
                self.dir.end(&exit)?;
                self.life = Life::Ended(exit);
            }
            Stage::Ordered if self.leave.is_some() => {
                self.life = Life::Ended(Exit::before_start(143, "asked to leave before it began"));
            }
            Stage::Ordered if self.supervisors < ATTEMPTS_TO_SUPERVISE => {
                self.supervise(supervisor, watch)?
            }
            Stage::Ordered => {
                let ended = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
                let how = ended.map_or("it ended".into(), |status| status.to_string());
                self.end(Exit::before_start(125, format!("its supervisor does not start: {how}")));
            }
        }
        Ok(())
    }

    fn supervise(&mut self, supervisor: &[OsString], watch: &mut Watch) -> io::Result<()> {
        let [program, arguments @ ..] = supervisor else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no supervisor was named"));
        };
        self.supervisors += 1;
        let errors = File::create(self.dir.path().join("supervisor.log"))?;
        let mut command = Command::new(program);
        command.args(arguments).arg(self.dir.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        let child = command.spawn()?;
        let pid = rustix::process::Pid::from_child(&child);
        self.child = Some(child);
        // This child is waited for by nobody else: its number is its own.
        self.life = watch.add(pid)?.map_or(Life::Unwatched, Life::Watched);
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
        if let Err(error) = self.dir.ask_to_leave(by) {
            // Without a word to its supervisor it is killed from here.
            strays::kill(self.dir.path(), None);
            self.end(Exit::before_start(137, format!("cannot be asked to leave: {error}")));
        }
    }

    fn end(&mut self, exit: Exit) {
        // If even that cannot be written, the next server looks again.
        let _ = self.dir.end(&exit);
        self.life = Life::Ended(exit);
    }
}
