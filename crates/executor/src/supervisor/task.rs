//! A task that a worker does: a run with a directory of its own, begun at most once like any other.

use super::order::{Errand, Exit, Order};
use super::output::Output;
use super::run_dir::{RunDir, Stage};
use super::{earlier, heard, lock};
use crate::local::boot::since_boot;
use crate::local::{NOT_ACCEPTED, Tray, room};
use serde_json::Value;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// A task that was taken: nobody else does it.
pub(super) struct Task {
    pub(super) dir: RunDir,
    pub(super) order: Order,
    errand: Errand,
    /// Where its worker is started.
    home: PathBuf,
    answer: Option<String>,
    pub(super) control: OwnedFd,
    pub(super) output: Output,
    /// It was asked to be gone by then.
    pub(super) leave: Option<u64>,
    began: u64,
    _lock: File,
}

impl Task {
    /// Takes it, unless somebody else has, or it is not to be done any more.
    pub(super) fn take(dir: &RunDir, home: &Path) -> io::Result<Option<Task>> {
        let lock = match lock(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            lock => lock?,
        };
        let Some(lock) = lock.filter(|_| matches!(dir.stage_while_locked(), Ok(Stage::Ordered))) else {
            return Ok(None);
        };
        let order = dir.order()?;
        let Some(errand) = order.errand.clone() else { return Ok(None) };
        let control = dir.control()?;
        if !dir.begin()? {
            return Ok(None);
        }
        let output = Output::new(order.log.clone());
        let began = since_boot();
        let (dir, home) = (dir.clone(), home.into());
        Ok(Some(Task {
            dir,
            order,
            errand,
            home,
            answer: None,
            control,
            output,
            leave: None,
            began,
            _lock: lock,
        }))
    }

    /// What the worker is told.
    pub(super) fn message(&self) -> Vec<u8> {
        let Errand { task, inputs, .. } = &self.errand;
        let files = room(&self.home);
        let (task, files) = (Value::from(&**task), Value::from(files.to_string_lossy()));
        format!("{{\"task\":{task},\"inputs\":{inputs},\"outputDir\":{files}}}\n").into_bytes()
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        *self.errand.task == *name
    }

    pub(super) fn name(&self) -> &str {
        &self.errand.task
    }

    pub(super) fn output_limit(&self) -> u64 {
        self.errand.output_limit
    }

    pub(super) fn ran(&self) -> u64 {
        since_boot() - self.began
    }

    /// Looks whether it is to leave. Whether that is news.
    pub(super) fn heed(&mut self) -> bool {
        let by = earlier(self.dir.leave(), heard(&self.control));
        let is_news = self.leave.is_none() && by.is_some();
        self.leave = earlier(self.leave, by);
        is_news
    }

    /// Takes what it was answered. How the task ends with that.
    pub(super) fn answered(&mut self, output: Option<Value>, error: Option<String>) -> Exit {
        if let Some(error) = error {
            return Exit::because(1, &error, self.ran());
        }
        self.answer = output.map(|output| output.to_string());
        let (length, limit) = (self.answer.as_ref().map_or(0, String::len), self.errand.output_limit);
        if length as u64 > limit {
            self.answer = None;
            let why =
                format!("its output is not accepted: {length} bytes are more than the limit of {limit}");
            return Exit::because(NOT_ACCEPTED, &why, self.ran());
        }
        Exit { code: 0, detail: None, ran: self.ran() }
    }

    /// A line of the house in its log.
    pub(super) fn note(&mut self, why: &str) {
        self.output.write(format!("[tidegate: {why}]\n").as_bytes());
    }

    /// Keeps what it gives back, and says how it ended, for good.
    pub(super) fn end(mut self, mut exit: Exit) -> io::Result<()> {
        let tray = Tray::at(&self.errand.tray);
        if let Err(error) = tray.take(&self.home, self.answer.as_deref(), self.order.user)
            && exit.code == 0
        {
            let why = format!("its output is not accepted: it cannot be kept: {error}");
            exit = Exit::because(NOT_ACCEPTED, &why, exit.ran);
        }
        if let Some(reason) = self.dir.reason() {
            // Who had to go has not done its work, whatever it says.
            let code = if exit.code == 0 { 143 } else { exit.code };
            exit = Exit::because(code, &reason, exit.ran);
        }
        self.output.tell_losses();
        self.dir.end(&exit)
    }
}
