//! A worker: one process that does task after task. It is told through its stdin and heard through its stdout, a line
//! of JSON for each message.
//!
//! ```text
//! {"ready": true}                                                    from the worker, once
//! {"task": "w-7", "inputs": {...}, "outputDir": "..."}               to it
//! {"task": "w-7", "output": {...}} or {"task": "w-7", "error": "..."}   from it, once for each
//! ```
//!
//! Whatever else it says ends it, and with it the task that it does. A worker that waits for a task has nothing to
//! lose: it is killed without a word.

use super::bell::Bell;
use super::kin::{self, Kin};
use super::order::{Exit, Order, WarmOrder};
use super::run_dir::RunDir;
use super::task::Task;
use super::{KILL_EVERY, LAST_OUTPUT, PIECE, PIECES, REAP_EVERY, heard, spawn, wait_for_turn, wait_on};
use crate::local::NOT_ACCEPTED;
use crate::local::boot::since_boot;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{self, Pid, PidfdFlags, Signal};
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

/// How a task ends whose worker does not keep to the protocol (`EX_PROTOCOL`).
pub const OUT_OF_TURN: i32 = 76;
/// What a message may take beside what it carries.
const ENVELOPE: u64 = 1 << 10;
/// Characters of a line that are shown to whoever looks for the mistake.
const SHOWN: usize = 80;

/// What a worker says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    ready: Option<bool>,
    task: Option<String>,
    output: Option<Value>,
    error: Option<String>,
}

/// Looks after a worker until it has ended.
pub(super) fn run(dir: &RunDir, order: &Order, warm: &WarmOrder, umask: Mode) -> io::Result<()> {
    if dir.is_asked_to_leave() {
        return dir.end(&Exit::before_start(143, "asked to leave before it began"));
    }
    let control = dir.control()?;
    let mut bell = Bell::at(&warm.bell);
    let asked = dir.errand().unwrap_or_else(|| RunDir::at(&warm.first));
    let Some(mut first) = Task::take(&asked, &order.directory)? else {
        return dir.end(&Exit::before_start(143, "its task was taken back"));
    };
    if let Some(exit) = wait_for_turn(&first.dir, &first.order, &first.control)? {
        dir.close();
        let run = first.dir.clone();
        first.end(exit.clone())?;
        bell.ring(&run);
        return dir.end(&exit);
    }
    let mut kin = Kin::new(order.group.clone());
    kin.step_in();
    let own = process::umask(umask);
    let started = spawn(order, pipes);
    process::umask(own);
    kin.step_out();
    let (exit, last) = match started {
        Ok((child, [stdin, stdout, stderr])) => Worker {
            dir,
            warm,
            directory: &order.directory,
            kin: &kin,
            control,
            bell: &mut bell,
            child,
            began: since_boot(),
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            silent: None,
            piece: vec![0; PIECE],
            said: Vec::new(),
            unsent: Vec::new(),
            is_ready: false,
            last: asked,
            task: Some(first),
            is_dismissed: false,
            done: 0,
            since: since_boot(),
        }
        .until_the_end(),
        Err(exit) => {
            first.note(exit.detail.as_deref().unwrap_or_default());
            (exit.clone(), Some((first, exit)))
        }
    };
    // The group goes before the end is told: whoever hears of it finds nothing left.
    drop(kin);
    if let Some((task, exit)) = last {
        let run = task.dir.clone();
        task.end(exit)?;
        bell.ring(&run);
    }
    dir.end(&exit)
}

/// Its stdin, stdout and stderr, and our ends of them.
fn pipes() -> io::Result<([Stdio; 3], [OwnedFd; 3])> {
    let (stdin, to) = pipe_with(PipeFlags::CLOEXEC)?;
    let (out, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (err, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    for end in [&to, &out, &err] {
        fcntl_setfl(end, OFlags::NONBLOCK)?;
    }
    Ok(([stdin.into(), stdout.into(), stderr.into()], [to, out, err]))
}

struct Worker<'a, 'b> {
    dir: &'a RunDir,
    warm: &'a WarmOrder,
    /// Where it was started: whoever removes that has no use for it.
    directory: &'a Path,
    kin: &'a Kin,
    control: OwnedFd,
    bell: &'a mut Bell<'b>,
    child: Pid,
    began: u64,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    /// Since when its stdout is closed.
    silent: Option<u64>,
    piece: Vec<u8>,
    /// The beginning of a line.
    said: Vec<u8>,
    unsent: Vec<u8>,
    is_ready: bool,
    /// The directory of the latest task.
    last: RunDir,
    task: Option<Task>,
    /// It is to go when it has no task.
    is_dismissed: bool,
    done: u32,
    /// Since when it waits for a task.
    since: u64,
}

impl Worker<'_, '_> {
    /// How it ended, and the task that it was in the middle of.
    fn until_the_end(mut self) -> (Exit, Option<(Task, Exit)>) {
        let mut exit = self.until_it_is_over().unwrap_or_else(|error| {
            // Who cannot be looked after is not left alone.
            Exit::because(125, &format!("its supervisor failed: {error}"), self.ran())
        });
        self.dir.close();
        self.stdin = None;
        self.end_kin();
        if exit.code != 0
            && let Some(why) = self.kin.out_of_memory()
        {
            exit = Exit::because(exit.code, &why, exit.ran);
        }
        let task = self.task.take().map(|mut task| {
            // It has not answered, so it has not done it.
            let code = if exit.code == 0 { OUT_OF_TURN } else { exit.code };
            let detail = exit.detail.as_deref().unwrap_or("its worker ended without an answer").to_string();
            task.note(&detail);
            let exit = Exit::because(code, &detail, task.ran());
            (task, exit)
        });
        (exit, task)
    }

    fn until_it_is_over(&mut self) -> io::Result<Exit> {
        let child = process::pidfd_open(self.child, PidfdFlags::empty())?;
        self.heed_task();
        loop {
            if let Some(exit) = self.overdue() {
                return Ok(exit);
            }
            self.wait(&child)?;
            self.bell.again();
            self.take_stderr();
            self.heed_task();
            self.tell();
            if let Err(exit) = self.listen().and_then(|()| self.heed()) {
                return Ok(exit);
            }
            if let Some(exit) = self.reap() {
                // What it said before its end counts.
                return Ok(self.listen().err().unwrap_or(exit));
            }
        }
    }

    fn ran(&self) -> u64 {
        since_boot() - self.began
    }

    fn fault(&self, why: &str) -> Exit {
        Exit::because(OUT_OF_TURN, why, self.ran())
    }

    /// It is over because there is nothing to do, or because it took too long.
    fn overdue(&mut self) -> Option<Exit> {
        let now = since_boot();
        if self.silent.is_some_and(|since| now >= since + LAST_OUTPUT) {
            return Some(self.fault("its worker closed its stdout and went on"));
        }
        let over = |why: &str| Some(Exit { code: 0, detail: Some(why.into()), ran: self.ran() });
        match &self.task {
            Some(task) if task.leave.is_some_and(|by| by <= now) => {
                self.kin.kill();
                None
            }
            Some(_) if !self.is_ready && self.ran() >= self.warm.ready_within => {
                let within = self.warm.ready_within;
                Some(self.fault(&format!("its worker did not say within {within} ms that it is ready")))
            }
            Some(_) => None,
            None if now >= self.since + self.warm.idle => over("there was nothing to do"),
            None if self.warm.tasks.is_some_and(|most| self.done >= most) => over("it has done its tasks"),
            None if !self.directory.is_dir() => over("its directory was removed"),
            None => None,
        }
    }

    /// Waits until something happens, or is due.
    fn wait(&self, child: &OwnedFd) -> io::Result<()> {
        let now = since_boot();
        let due = match &self.task {
            Some(task) => {
                let ready_by = (!self.is_ready).then_some(self.began + self.warm.ready_within);
                let killed_by = task.leave.map(|by| by.max(now + KILL_EVERY));
                [ready_by, killed_by].into_iter().flatten().min()
            }
            None => Some(self.since + self.warm.idle),
        };
        let silent = self.silent.map(|since| since + LAST_OUTPUT);
        let bell = (!self.bell.is_done()).then_some(now + KILL_EVERY);
        let due = [due, silent, bell].into_iter().flatten().min();
        let wait = due.map_or(REAP_EVERY, |due| due.saturating_sub(now).min(REAP_EVERY));
        let mut fds = vec![PollFd::new(&self.control, PollFlags::IN), PollFd::new(child, PollFlags::IN)];
        fds.extend(
            [&self.stdout, &self.stderr].into_iter().flatten().map(|fd| PollFd::new(fd, PollFlags::IN)),
        );
        fds.extend(self.task.as_ref().map(|task| PollFd::new(&task.control, PollFlags::IN)));
        let stdin = self.stdin.as_ref().filter(|_| !self.unsent.is_empty());
        fds.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        wait_on(&mut fds, wait)
    }

    /// Looks whether its task is to leave, and asks it.
    fn heed_task(&mut self) {
        if self.task.as_mut().is_some_and(Task::heed) {
            let _ = process::kill_process_group(self.child, Signal::TERM);
            // Who is stopped would not hear it.
            let _ = process::kill_process_group(self.child, Signal::CONT);
        }
    }

    /// Looks whether it is to go, or has another task.
    fn heed(&mut self) -> Result<(), Exit> {
        self.is_dismissed |= heard(&self.control).is_some();
        // Who has a task does it first: a task is taken from it by its own directory.
        if self.task.is_some() {
            return Ok(());
        }
        if self.is_dismissed || self.dir.is_asked_to_leave() {
            return Err(Exit::because(137, "it was not needed any more", self.ran()));
        }
        let Some(asked) = self.dir.errand().filter(|asked| *asked != self.last) else { return Ok(()) };
        self.last = asked.clone();
        let Ok(Some(task)) = Task::take(&asked, self.directory) else {
            self.bell.ring(&asked);
            return Ok(());
        };
        match wait_for_turn(&task.dir, &task.order, &task.control) {
            Ok(None) => {
                self.unsent.extend(task.message());
                self.task = Some(task);
                self.tell();
            }
            Ok(Some(exit)) => self.leave_be(task, exit),
            Err(error) => {
                let exit = Exit::before_start(125, format!("its supervisor failed: {error}"));
                self.leave_be(task, exit);
            }
        }
        Ok(())
    }

    /// A task ends before the worker has heard of it.
    fn leave_be(&mut self, task: Task, exit: Exit) {
        let run = task.dir.clone();
        // Who cannot say so has ended without a word: the server sees that, too.
        let _ = task.end(exit);
        self.bell.ring(&run);
    }

    /// Sends what it takes now.
    fn tell(&mut self) {
        while let Some(stdin) = self.stdin.as_ref().filter(|_| !self.unsent.is_empty()) {
            match rustix::io::write(stdin, &self.unsent) {
                Ok(n) => _ = self.unsent.drain(..n),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // It will not answer either; that it ends is seen, that it does not is bounded by its time to run.
                Err(_) => self.stdin = None,
            }
        }
    }

    /// Takes what it says. Its end, if it says what it must not.
    fn listen(&mut self) -> Result<(), Exit> {
        for _ in 0..PIECES {
            let Some(stdout) = &self.stdout else { return Ok(()) };
            match rustix::io::read(stdout, &mut self.piece[..]) {
                Ok(0) => {
                    self.stdout = None;
                    self.silent = Some(since_boot());
                }
                Ok(n) => {
                    let mut from = 0;
                    while let Some(length) = self.piece[from..n].iter().position(|byte| *byte == b'\n') {
                        self.said.extend_from_slice(&self.piece[from..from + length]);
                        from += length + 1;
                        let line = std::mem::take(&mut self.said);
                        self.is_short(line.len())?;
                        self.hear(&line)?;
                    }
                    self.said.extend_from_slice(&self.piece[from..n]);
                    self.is_short(self.said.len())?;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(_) => self.stdout = None,
            }
        }
        Ok(())
    }

    fn is_short(&self, length: usize) -> Result<(), Exit> {
        let limit = self.task.as_ref().map_or(0, Task::output_limit);
        if length as u64 <= limit + ENVELOPE {
            return Ok(());
        }
        let why = format!("its output is not accepted: more than the limit of {limit} bytes");
        Err(Exit::because(NOT_ACCEPTED, &why, self.ran()))
    }

    /// One message.
    fn hear(&mut self, line: &[u8]) -> Result<(), Exit> {
        let shown = || String::from_utf8_lossy(line).chars().take(SHOWN).collect::<String>();
        let said: Said = serde_json::from_slice(line).map_err(|error| {
            self.fault(&format!("its worker said what is no message ({error}): {}", shown()))
        })?;
        match (said, self.task.take()) {
            (Said { ready: Some(true), task: None, output: None, error: None }, Some(task))
                if !self.is_ready =>
            {
                self.is_ready = true;
                self.unsent.extend(task.message());
                self.task = Some(task);
                self.tell();
                Ok(())
            }
            (Said { ready: None, task: Some(name), output, error }, Some(task))
                if self.is_ready && task.is_called(&name) && !(output.is_some() && error.is_some()) =>
            {
                self.finish(task, output, error)
            }
            (_, task) => {
                let wanted = match &task {
                    None => "it has no task".into(),
                    Some(_) if !self.is_ready => "it has not said that it is ready".into(),
                    Some(task) => format!("its task is {}", task.name()),
                };
                self.task = task;
                Err(self.fault(&format!("its worker spoke out of turn ({wanted}): {}", shown())))
            }
        }
    }

    fn finish(&mut self, mut task: Task, output: Option<Value>, error: Option<String>) -> Result<(), Exit> {
        self.take_stderr_of(&mut task);
        let exit = task.answered(output, error);
        self.done += 1;
        self.since = since_boot();
        let leaves = task.leave.is_some();
        if leaves || self.warm.tasks.is_some_and(|most| self.done >= most) {
            self.dir.close();
        }
        let run = task.dir.clone();
        task.end(exit).map_err(|error| Exit::because(125, &error.to_string(), self.ran()))?;
        self.bell.ring(&run);
        match leaves {
            // It was told to go, and may do so at any moment.
            true => Err(Exit::because(143, "its worker had to go", self.ran())),
            false => Ok(()),
        }
    }

    /// Clears away what has ended. The end of the worker, if that is among it.
    fn reap(&self) -> Option<Exit> {
        let mut exit = None;
        while let Some((pid, status)) = kin::reap() {
            if pid == self.child {
                exit = Some(Exit::of(status, self.ran()));
            }
        }
        exit
    }

    /// Whoever is left is killed; what they said last is kept.
    fn end_kin(&mut self) {
        while !self.kin.is_empty() {
            self.kin.kill();
            self.take_stderr();
            while kin::reap().is_some() {}
            if !self.kin.is_empty() {
                let _ = wait_on(&mut [], KILL_EVERY);
            }
        }
        self.take_stderr();
    }

    fn take_stderr(&mut self) {
        let mut task = self.task.take();
        self.take_stderr_into(task.as_mut());
        self.task = task;
    }

    fn take_stderr_of(&mut self, task: &mut Task) {
        self.take_stderr_into(Some(task));
    }

    /// What it writes while it has no task is nobody's.
    fn take_stderr_into(&mut self, mut task: Option<&mut Task>) {
        for _ in 0..PIECES {
            let Some(stderr) = &self.stderr else { return };
            match rustix::io::read(stderr, &mut self.piece[..]) {
                Ok(0) => self.stderr = None,
                Ok(n) => {
                    if let Some(task) = &mut task {
                        task.output.write(&self.piece[..n]);
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.stderr = None,
            }
        }
    }
}
