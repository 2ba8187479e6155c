//! Where a server hears that a task has ended, or was not taken. It needs nobody who listens: who comes later looks.

use super::run_dir::RunDir;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use std::path::Path;

pub(super) struct Bell<'a> {
    path: &'a Path,
    /// Lines that there was no room for.
    unrung: Vec<Vec<u8>>,
}

impl<'a> Bell<'a> {
    pub(super) fn at(path: &'a Path) -> Bell<'a> {
        Bell { path, unrung: Vec::new() }
    }

    pub(super) fn is_done(&self) -> bool {
        self.unrung.is_empty()
    }

    /// Says that there is something to look at: `WORKLOAD/RUN`.
    pub(super) fn ring(&mut self, dir: &RunDir) {
        let mut names = dir.path().iter().rev().map(|name| name.to_string_lossy());
        if let (Some(run), Some(workload)) = (names.next(), names.next()) {
            self.unrung.push(format!("{workload}/{run}\n").into_bytes());
        }
        self.again();
    }

    pub(super) fn again(&mut self) {
        if self.unrung.is_empty() {
            return;
        }
        let Ok(bell) = open(self.path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())
        else {
            return self.unrung.clear();
        };
        // Short lines are written as a whole.
        while let Some(line) = self.unrung.first() {
            match rustix::io::write(&bell, line) {
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                _ => _ = self.unrung.remove(0),
            }
        }
    }
}
