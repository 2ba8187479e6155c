//! Looks after one replica: its parent, whoever the server is. It starts the program once, keeps its output, asks
//! it to leave, kills what does not go, and leaves the exit status in a file. It outlives the server.
//!
//! One thread, one loop, no waiting but in `poll`.

mod bell;
mod kin;
mod order;
mod output;
mod run_dir;
mod task;
mod worker;

pub use order::{Errand, Exit, Group, LogFile, Order, WarmOrder};
pub use output::aside;
pub use run_dir::{RunDir, Stage, Supervisor};
pub use worker::OUT_OF_TURN;

use crate::local::boot::since_boot;
use kin::Kin;
use output::Output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{self, Pid, PidfdFlags, Signal};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// How often it looks for orphans that have ended.
const REAP_EVERY: u64 = 5_000;
/// How often it looks again at those that it has killed.
const KILL_EVERY: u64 = 20;
/// How often it is tried to be the only supervisor.
const LOOKS: u32 = 10;
/// How long output is waited for after the end.
const LAST_OUTPUT: u64 = 1_000;
/// Output is taken in such pieces.
const PIECE: usize = 64 << 10;
/// And so many of them before it looks at anything else.
const PIECES: usize = 16;

/// Looks after the run in a directory until it has ended. Called twice, one of them does it.
pub fn supervise(directory: &Path) -> ExitCode {
    // What it writes is for the server alone.
    let umask = process::umask(Mode::RWXG | Mode::RWXO);
    let dir = RunDir::at(directory);
    let done = lock(&dir).and_then(|lock| match lock {
        None => Ok(()),
        Some(_lock) => run(&dir, umask).inspect_err(|error| {
            // Who cannot say how it ended has ended without a word: the server sees that, too.
            let _ = dir.end(&Exit::because(125, &format!("its supervisor failed: {error}"), dir.age()));
        }),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", directory.display());
            ExitCode::FAILURE
        }
    }
}

fn run(dir: &RunDir, umask: Mode) -> io::Result<()> {
    if matches!(dir.stage_while_locked()?, Stage::Ended(_)) {
        return Ok(());
    }
    let order = dir.order()?;
    // Another supervisor began it and was killed: whatever became of that, it is not done twice.
    if !dir.begin()? {
        return Ok(());
    }
    // A session of its own, out of reach of a terminal; what is started stays in it unless it leaves on purpose.
    let _ = process::setsid();
    process::set_child_subreaper(Some(process::getpid()))?;
    rustix::thread::set_no_new_privs(true)?;
    if let Some(warm) = &order.warm {
        return worker::run(dir, &order, warm, umask);
    }
    let control = dir.control()?;
    if let Some(exit) = wait_for_turn(dir, &order, &control)? {
        return dir.end(&exit);
    }
    let mut kin = Kin::new(order.group.clone());
    kin.step_in();
    let own = process::umask(umask);
    let started = start(&order);
    process::umask(own);
    kin.step_out();
    let mut output = Output::new(order.log.clone());
    let mut exit = match started {
        Ok((child, pipe)) => {
            let mut watch = Watch {
                dir,
                kin: &kin,
                control,
                child,
                began: since_boot(),
                pipe: Some(pipe),
                output: &mut output,
                piece: vec![0; PIECE],
                leave: None,
            };
            watch.until_the_end()
        }
        Err(exit) => {
            let why = exit.detail.as_deref().unwrap_or_default();
            output.write(format!("[tidegate: {why}]\n").as_bytes());
            exit
        }
    };
    let lost = output.tell_losses();
    if lost > 0 {
        let before = exit.detail.map_or(String::new(), |detail| format!("{detail}; "));
        let detail = format!("{before}{lost} bytes of output could not be written");
        exit = Exit::because(exit.code, &detail, exit.ran);
    }
    // The group goes before the end is told: whoever hears of it finds nothing left.
    drop(kin);
    dir.end(&exit)
}

/// Becomes the supervisor, unless there is one already. The server holds the lock for a moment when it looks.
fn lock(dir: &RunDir) -> io::Result<Option<File>> {
    for _ in 0..LOOKS {
        if let Some(lock) = dir.lock()? {
            return Ok(Some(lock));
        }
        wait_on(&mut [], KILL_EVERY)?;
    }
    Ok(None)
}

/// Waits until it may start. Its end, if it is asked to leave before.
fn wait_for_turn(dir: &RunDir, order: &Order, control: &OwnedFd) -> io::Result<Option<Exit>> {
    loop {
        if earlier(dir.leave(), heard(control)).is_some() {
            return Ok(Some(Exit::before_start(143, "asked to leave before it began")));
        }
        let left = order.not_before.saturating_sub(since_boot());
        if left == 0 {
            return Ok(None);
        }
        wait_on(&mut [PollFd::new(control, PollFlags::IN)], left)?;
    }
}

fn earlier(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// The earliest time to leave that came through the pipe since the last call.
fn heard(control: &OwnedFd) -> Option<u64> {
    let (mut text, mut bytes) = (Vec::new(), [0; 256]);
    while let Ok(n @ 1..) = rustix::io::read(control, &mut bytes) {
        text.extend_from_slice(&bytes[..n]);
    }
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| std::str::from_utf8(line).ok()?.parse().ok()).min()
}

/// Starts the program; where its output comes from.
fn start(order: &Order) -> Result<(Pid, OwnedFd), Exit> {
    spawn(order, || {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
        fcntl_setfl(&read, OFlags::NONBLOCK)?;
        Ok(([Stdio::null(), write.try_clone()?.into(), write.into()], read))
    })
}

/// Starts the program; our ends of its stdin, stdout and stderr.
fn spawn<T>(order: &Order, streams: impl FnOnce() -> io::Result<([Stdio; 3], T)>) -> Result<(Pid, T), Exit> {
    let [program, arguments @ ..] = &order.command[..] else {
        return Err(Exit::before_start(127, "no program was given"));
    };
    if !order.directory.is_dir() {
        let gone = format!("the working directory {} is not there", order.directory.display());
        return Err(Exit::before_start(126, gone));
    }
    let failed = |error: io::Error| {
        let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
        let user = order.user.map_or(String::new(), |user| format!(" as user {user}"));
        let directory = order.directory.display();
        Exit::before_start(code, format!("cannot start {program} in {directory}{user}: {error}"))
    };
    let ([stdin, stdout, stderr], ours) = streams().map_err(failed)?;
    let mut command = Command::new(&**program);
    command.args(arguments.iter().map(|a| &**a)).env_clear();
    command.envs(order.env.iter().map(|(name, value)| (&**name, &**value)));
    command.current_dir(&order.directory).process_group(0);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    if let Some(user) = order.user {
        command.uid(user).gid(user);
    }
    let child = command.spawn().map_err(failed)?;
    Ok((Pid::from_child(&child), ours))
}

/// A replica that runs.
struct Watch<'a> {
    dir: &'a RunDir,
    kin: &'a Kin,
    control: OwnedFd,
    child: Pid,
    began: u64,
    pipe: Option<OwnedFd>,
    output: &'a mut Output,
    piece: Vec<u8>,
    /// It was asked to be gone by then.
    leave: Option<u64>,
}

impl Watch<'_> {
    fn until_the_end(&mut self) -> Exit {
        let mut exit = self.until_its_exit().unwrap_or_else(|error| {
            // Who cannot be looked after is not left alone.
            Exit::because(125, &format!("its supervisor failed: {error}"), self.ran())
        });
        self.end_kin();
        if exit.code != 0
            && let Some(why) = self.kin.out_of_memory()
        {
            exit = Exit::because(exit.code, &why, exit.ran);
        }
        if let Some(reason) = self.dir.reason() {
            // Who had to go has not done its work, whatever it says.
            let code = if exit.code == 0 { 143 } else { exit.code };
            exit = Exit::because(code, &reason, exit.ran);
        }
        exit
    }

    fn until_its_exit(&mut self) -> io::Result<Exit> {
        let child = process::pidfd_open(self.child, PidfdFlags::empty())?;
        self.heed();
        loop {
            let now = since_boot();
            let wait = match self.leave {
                Some(by) if by <= now => {
                    self.kin.kill();
                    KILL_EVERY
                }
                Some(by) => (by - now).min(REAP_EVERY),
                None => REAP_EVERY,
            };
            let pipe = self.pipe.as_ref();
            let mut fds = vec![PollFd::new(&self.control, PollFlags::IN), PollFd::new(&child, PollFlags::IN)];
            fds.extend(pipe.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            wait_on(&mut fds, wait)?;
            if !fds[0].revents().is_empty() {
                self.heed();
            }
            self.take_output();
            if let Some(exit) = self.reap() {
                return Ok(exit);
            }
        }
    }

    fn ran(&self) -> u64 {
        since_boot() - self.began
    }

    /// Looks whether it is to leave, and asks it.
    fn heed(&mut self) {
        let by = earlier(self.dir.leave(), heard(&self.control));
        if self.leave.is_none() && by.is_some() {
            let _ = process::kill_process_group(self.child, Signal::TERM);
            // Who is stopped would not hear it.
            let _ = process::kill_process_group(self.child, Signal::CONT);
        }
        self.leave = earlier(self.leave, by);
    }

    /// Clears away what has ended. The end of the replica, if that is among it.
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
        // Waiting without anything to wait for does not fail.
        let pause = |fds: &mut [PollFd<'_>]| _ = wait_on(fds, KILL_EVERY);
        while !self.kin.is_empty() {
            self.kin.kill();
            self.take_output();
            while kin::reap().is_some() {}
            if !self.kin.is_empty() {
                pause(&mut []);
            }
        }
        let until = since_boot() + LAST_OUTPUT;
        while self.take_output() && since_boot() < until {
            let Some(pipe) = &self.pipe else { break };
            pause(&mut [PollFd::new(pipe, PollFlags::IN)]);
        }
    }

    /// Takes some of the output that there is: who talks without end is not listened to only. Whether more may come.
    fn take_output(&mut self) -> bool {
        for _ in 0..PIECES {
            let Some(pipe) = &self.pipe else { return false };
            match rustix::io::read(pipe, &mut self.piece[..]) {
                Ok(0) => self.pipe = None,
                Ok(n) => self.output.write(&self.piece[..n]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Err(_) => self.pipe = None,
            }
        }
        true
    }
}

/// Waits for something to happen, so many milliseconds at most.
fn wait_on(fds: &mut [PollFd<'_>], millis: u64) -> io::Result<()> {
    let timeout = Timespec { tv_sec: (millis / 1_000) as i64, tv_nsec: (millis % 1_000 * 1_000_000) as i64 };
    match poll(fds, Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
