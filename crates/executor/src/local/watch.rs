//! Waits for the end of processes that may not be children of this one.

use crate::executor::Waker;
use crate::proc::Identity;
use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, pidfd_open};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// Whoever ends the thread.
const CLOSE: u64 = 0;
/// Workers that have something to say.
const BELL: u64 = u64::MAX;

/// Processes whose end is waited for, by a thread of its own.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    next: u64,
}

struct Shared {
    epoll: OwnedFd,
    close: OwnedFd,
    state: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    waiting: BTreeMap<u64, OwnedFd>,
    ended: Vec<u64>,
    bell: Option<OwnedFd>,
    /// What was read of it, the last line perhaps not to its end.
    heard: Vec<u8>,
    waker: Option<Waker>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("waiting", &self.seen().waiting.len()).finish_non_exhaustive()
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.state.lock().expect("nobody panics while looking at processes")
    }
}

impl Seen {
    fn take_bell(&mut self) {
        let Some(bell) = &self.bell else { return };
        let mut bytes = [0; 4_096];
        while let Ok(n @ 1..) = rustix::io::read(bell, &mut bytes) {
            self.heard.extend_from_slice(&bytes[..n]);
        }
    }
}

impl Watch {
    pub(super) fn new() -> io::Result<Watch> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let close = eventfd(0, EventfdFlags::CLOEXEC)?;
        epoll::add(&epoll, &close, epoll::EventData::new_u64(CLOSE), epoll::EventFlags::IN)?;
        let shared = Arc::new(Shared { epoll, close, state: Mutex::default() });
        let theirs = shared.clone();
        std::thread::Builder::new().name("processes".into()).spawn(move || wait(&theirs))?;
        Ok(Watch { shared, next: CLOSE + 1 })
    }

    pub(super) fn set_waker(&self, waker: Waker) {
        self.shared.seen().waker = Some(waker);
    }

    /// Waits for the end of a process; under which number that will be told. `None` if there is no such process.
    pub(super) fn add(&mut self, process: Identity) -> io::Result<Option<u64>> {
        let fd = match pidfd_open(process.pid, PidfdFlags::empty()) {
            Ok(fd) => fd,
            Err(Errno::SRCH) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // The handle may mean another process that was given the number.
        if !process.is_there() {
            return Ok(None);
        }
        let number = self.next;
        self.next += 1;
        let mut seen = self.shared.seen();
        // Told once: whoever is being started holds a copy of the handle for a moment, and as long as there is one
        // the end would be told again and again.
        let flags = epoll::EventFlags::IN | epoll::EventFlags::ONESHOT;
        epoll::add(&self.shared.epoll, &fd, epoll::EventData::new_u64(number), flags)?;
        seen.waiting.insert(number, fd);
        Ok(Some(number))
    }

    /// Hears from now on what is written to a pipe, which is made if it is not there.
    pub(super) fn listen(&self, bell: &Path) -> io::Result<()> {
        match mknodat(CWD, bell, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        // It holds the other end, too, so that it never sees the end of it.
        let bell = open(bell, OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
        let mut seen = self.shared.seen();
        epoll::add(&self.shared.epoll, &bell, epoll::EventData::new_u64(BELL), epoll::EventFlags::IN)?;
        seen.bell = Some(bell);
        Ok(())
    }

    /// Lines that were written there since the last call.
    pub(super) fn rung(&self) -> Vec<String> {
        let mut seen = self.shared.seen();
        let end = seen.heard.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = seen.heard.drain(..end).collect();
        String::from_utf8_lossy(&lines).lines().map(str::to_string).collect()
    }

    /// Those that have ended since the last call.
    pub(super) fn ended(&self) -> Vec<u64> {
        std::mem::take(&mut self.shared.seen().ended)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.shared.close, &1u64.to_ne_bytes());
    }
}

fn wait(shared: &Shared) {
    let mut events = Vec::with_capacity(64);
    loop {
        events.clear();
        match epoll::wait(&shared.epoll, rustix::buffer::spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => unreachable!("waiting for processes: {error}"),
        }
        let mut seen = shared.seen();
        for event in &events {
            let number = event.data.u64();
            if number == CLOSE {
                return;
            }
            if number == BELL {
                seen.take_bell();
            }
            if seen.waiting.remove(&number).is_some() {
                seen.ended.push(number);
            }
        }
        let waker = seen.waker.clone();
        drop(seen);
        if let Some(waker) = waker {
            waker();
        }
    }
}
