//! The one thread that decides. What it decided it hands over to the journal, and goes on.

use super::clock::Clock;
use super::control::{Answer, Control, Job, MAX_WAITING, Shared};
use super::deck::{Deck, Prepared};
use super::encode::encode;
use super::entry::Origin;
use super::handover::{Batch, Handover};
use super::journal::Journal;
use super::outbox::{self, Outbox};
use super::recovery::Read;
use crate::metrics::Stopwatch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::Command;
use tidegate_engine::ids::{Span, Tick};
use tidegate_store::Store;

/// Requests that are decided with the world locked once. Bounds how long a reader waits for the world.
pub const MAX_GROUP: usize = 256;
/// The longest sleep without a look at the clock: a machine may sleep while we do.
const LONGEST_SLEEP: Duration = Duration::from_secs(10);

/// A disk that is full stays so for a while, and each failure costs a look at the log.
const REST: Duration = Duration::from_secs(1);

/// What the writer does by itself.
#[derive(Clone, Debug)]
pub struct Habits {
    /// How long ended workloads stay in memory.
    pub retain: Span,
    /// Events between two snapshots.
    pub snapshot_every: u64,
    /// Where parts of the log go that no start needs any more; they stay in the log if nobody says.
    pub archive: Option<PathBuf>,
    /// How long a store that failed is left alone. Everybody who asks meanwhile is refused at once.
    pub rest: Duration,
}

impl Default for Habits {
    fn default() -> Self {
        Habits { retain: Span::hours(24), snapshot_every: 100_000, archive: None, rest: REST }
    }
}

pub(super) struct Writer {
    shared: Arc<Shared>,
    handover: Arc<Handover>,
    jobs: Receiver<Job>,
    habits: Habits,
    /// Number of the event after the latest snapshot.
    snapshot: u64,
}

/// Starts the writer over a world that was read from `store`.
pub fn start(
    read: Read,
    store: Box<dyn Store>,
    outbox: Outbox,
    habits: Habits,
) -> std::io::Result<(Control, JoinHandle<()>)> {
    let clock = Clock::starting_after(read.world.at);
    start_by(clock, read, store, outbox, habits)
}

/// As `start`, with a clock of the caller's.
pub fn start_by(
    clock: Clock,
    read: Read,
    store: Box<dyn Store>,
    outbox: Outbox,
    habits: Habits,
) -> std::io::Result<(Control, JoinHandle<()>)> {
    let (sender, jobs) = sync_channel(MAX_WAITING);
    let snapshot = read.snapshot;
    let shared = Arc::new(Shared::new(read, clock));
    let control = Control { shared: shared.clone(), jobs: sender };
    let handover = Arc::new(Handover::default());
    let journal = Journal {
        shared: shared.clone(),
        handover: handover.clone(),
        store,
        outbox,
        archive: habits.archive.clone(),
        rest: habits.rest,
        saving: None,
    };
    let journal = std::thread::Builder::new().name("journal".into()).spawn(move || journal.run())?;
    let writer = Writer { shared, handover, jobs, habits, snapshot };
    let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
        writer.run();
        // The writer has ended when all that it decided is durable, and answered.
        let _ = journal.join();
    })?;
    Ok((control, thread))
}

impl Writer {
    fn run(mut self) {
        while let Some(first) = self.wait() {
            self.decide(first);
            if self.shared.closing.load(Ordering::Relaxed) {
                break;
            }
        }
        self.handover.close();
    }

    /// The next request, or nothing if a timer is due. `None` when nobody can ask any more.
    fn wait(&self) -> Option<Option<Job>> {
        let now = self.shared.clock.now();
        let due = self.next_due().map_or(LONGEST_SLEEP, |due| Duration::from_millis(due.since(now).0));
        if due.is_zero() {
            return Some(self.jobs.try_recv().ok());
        }
        match self.jobs.recv_timeout(due.min(LONGEST_SLEEP)) {
            Ok(job) => Some(Some(job)),
            Err(RecvTimeoutError::Timeout) => Some(None),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn next_due(&self) -> Option<Tick> {
        let world = self.shared.world();
        let retire = world.shell.ended.first().map(|(at, _)| at.after(self.habits.retain));
        [world.engine.next_due(), retire].into_iter().flatten().min()
    }

    /// Runs everything that waits, and what is due.
    fn decide(&mut self, first: Option<Job>) {
        let mut world = self.shared.world.write().expect("the writer does not panic while it decides");
        let watch = Stopwatch::start();
        let epoch = self.handover.epoch();
        let (mut prepared, mut answers): (Vec<Prepared>, Vec<Answer>) = Default::default();
        let mut next = first;
        loop {
            let now = self.shared.clock.now();
            while world.engine.next_due().is_some_and(|due| due <= now) {
                let before = world.engine.next_due();
                let mut deck = Deck::new(&mut world, now, Origin::new("system", "wake"));
                if let Err(refusal) = deck.command(Command::Wake) {
                    tracing::error!(what = refusal.what(), "a timer was refused");
                }
                prepared.push(deck.finish());
                if world.engine.next_due() == before {
                    break;
                }
            }
            let Some(job) = next.take() else { break };
            let mut deck = Deck::new(&mut world, now, job.origin);
            answers.push((job.work)(&mut deck));
            prepared.push(deck.finish());
            if answers.len() < MAX_GROUP {
                next = self.jobs.try_recv().ok();
            }
        }
        super::retire::retire(&mut world, self.shared.clock.now(), self.habits.retain, &mut prepared);
        let notices = outbox::collect(&mut world);
        let tally = self.shared.metrics.decided(&world, &prepared, answers.len(), watch.elapsed());
        let snapshot = (world.next >= self.snapshot.saturating_add(self.habits.snapshot_every)).then(|| {
            // Set whatever comes of it: a full disk is not asked again at every request.
            self.snapshot = world.next;
            Box::new(world.clone())
        });
        drop(world);
        // Readers do not wait for this.
        let entries = prepared.into_iter().filter(|prepared| !prepared.is_empty()).map(encode).collect();
        self.handover.put(Batch { entries, answers, notices, snapshot, tally }, epoch);
    }
}
