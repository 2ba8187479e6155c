//! A data directory with a long past, made by the writer itself: what is in it is what a server would have written.

use crate::bench::Bench;
use crate::samples::thousands;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use tidegate_engine::Command;
use tidegate_engine::ids::{Span, WorkloadId};
use tidegate_server::core::control::{Control, Unavailable};
use tidegate_server::core::entry::Origin;
use tidegate_server::core::outbox::Outbox;
use tidegate_server::core::recovery::{Read, encode_world, read_world};
use tidegate_server::core::writer::{self, Habits};
use tidegate_server::first_run::first_run;
use tidegate_server::http::auth::Caller;
use tidegate_server::http::routes::workloads::submit_on;
use tidegate_server::machine::Machine;
use tidegate_store::{Options, Snapshot, SqliteStore, Store};
use tokio::runtime::Runtime;

/// What the work is shared among: less than is alive, so that some of it waits.
pub const CLUSTER: &str = "10000x8";
/// Submissions that are on their way together.
const ROUND: u32 = 512;
/// Submissions between two lines of progress.
const PROGRESS: u32 = 100_000;

pub(super) fn other(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

fn unavailable(why: Unavailable) -> io::Error {
    io::Error::other(format!("{why:?}"))
}

/// Reads all that a directory holds; how that went is for the caller to time.
pub fn read(data: &Path) -> io::Result<Read> {
    let store = SqliteStore::open(data, Options::default()).map_err(other)?;
    let reader = store.reader().map_err(other)?;
    read_world(&*reader).map_err(other)
}

/// Saves a snapshot of what was read.
pub fn save_snapshot(data: &Path, read: &Read) -> io::Result<()> {
    let store = SqliteStore::open(data, Options::default()).map_err(other)?;
    let (format, body) = encode_world(&read.world).map_err(other)?;
    let snapshot = Snapshot { next: read.world.next, format, body: &body };
    store.keeper().map_err(other)?.save_snapshot(snapshot).map_err(other)
}

/// How much has happened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Course {
    pub submitted: u32,
    /// The oldest end first.
    pub ended: u32,
}

/// A writer over a directory, without routes and executor.
struct Session {
    control: Control,
    writer: JoinHandle<()>,
    runtime: Runtime,
}

impl Session {
    fn open(data: &Path, read: Option<Read>) -> io::Result<Session> {
        let store = SqliteStore::open(data, Options::default()).map_err(other)?;
        let read = match read {
            Some(read) => read,
            None => read_world(&*store.reader().map_err(other)?).map_err(other)?,
        };
        // Who has ended leaves at once, and no snapshot comes in between.
        let habits = Habits { retain: Span::ZERO, snapshot_every: u64::MAX >> 1, ..Habits::default() };
        let outbox = Outbox::new(channel().0);
        let (control, writer) = writer::start(read, Box::new(store), outbox, habits)?;
        let machine = Machine::virtual_gpus(CLUSTER).map_err(other)?;
        first_run(&control, vec![machine]).map_err(unavailable)?.map_err(|refusal| other(refusal.what()))?;
        Ok(Session { control, writer, runtime: Runtime::new()? })
    }

    /// One entry for each workload.
    fn submit(&self, from: u32, to: u32) -> io::Result<()> {
        let one = |number: u32| {
            let control = self.control.clone();
            self.runtime.spawn(async move {
                let request: Arc<str> = format!("00000000-0000-7000-8000-{number:012}").into();
                let origin = Origin { request: Some(request), ..Origin::new("admin", "workload.submit") };
                let body = format!(
                    r#"{{"metadata":{{"name":"train-{number}"}},"spec":{{"resources":{{"gpu":1}},"priority":5,"command":["python","train.py"],"env":{{"SEED":"{number}"}}}}}}"#
                );
                let new = serde_json::from_str(&body).map_err(other)?;
                let submitted = control.write(origin, move |deck| submit_on(deck, &Caller::administrator(), new)).await;
                submitted.map_err(unavailable)?.map_err(|problem| other(problem.detail))
            })
        };
        let tasks: Vec<_> = (from..to).map(one).collect();
        tasks.into_iter().try_for_each(|task| self.runtime.block_on(task)?.map(|_| ()))
    }

    /// What reports of an executor do: one entry for those that came together.
    fn finish(&self, from: u32, to: u32) -> io::Result<()> {
        let done = self.control.write_blocking(Origin::new("executor", "report"), move |deck| {
            (from..to)
                .try_for_each(|id| deck.command(Command::Finished { workload: WorkloadId(id) }).map(|_| ()))
        });
        done.map_err(unavailable)?.map_err(|refusal| other(refusal.what()))
    }

    /// Returns when nobody who has ended is in memory.
    fn close(self) -> io::Result<()> {
        while !self.control.read_blocking(|world| world.shell.ended.is_empty()) {
            // An entry's wait for the disk is the pause between two looks.
            self.control.write_blocking(Origin::new("system", "look"), |_| ()).map_err(unavailable)?;
        }
        self.control.close();
        drop(self.control);
        self.writer.join().map_err(|_| other("the writer panicked"))
    }
}

/// Lets time go on until so many were submitted, with at most `alive` at a time.
pub fn grow(
    bench: &Bench,
    data: &Path,
    read: Option<Read>,
    mut course: Course,
    submitted: u32,
    alive: u32,
) -> io::Result<Course> {
    let session = Session::open(data, read)?;
    while course.submitted < submitted {
        let to = (course.submitted + ROUND).min(submitted);
        session.submit(course.submitted, to)?;
        if course.submitted / PROGRESS != to / PROGRESS {
            bench.progress(&format!("startup: {} workloads", thousands(to.into())));
        }
        course.submitted = to;
        let ended = to.saturating_sub(alive);
        if ended > course.ended {
            session.finish(course.ended, ended)?;
            course.ended = ended;
        }
    }
    session.close()?;
    Ok(course)
}
