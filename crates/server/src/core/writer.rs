//! The one thread that decides. What it decided it hands over to the journal, and goes on.

use super::clock::Clock;
use super::control::{Answer, Control, Shared};
use super::deck::{Deck, Prepared};
use super::encode::Encoder;
use super::entry::Origin;
use super::handover::{Batch, Handover};
use super::intake::{Door, Intake};
use super::journal::Journal;
use super::outbox::{self, Outbox};
use super::recovery::Read;
use crate::metrics::Stopwatch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::Command;
use tidegate_engine::ids::{Span, Tick};
use tidegate_store::Store;
use tokio::runtime::{Handle, RuntimeFlavor};

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
    /// Nothing is archived from this number on: somebody has still to read it.
    pub archive_below: Arc<AtomicU64>,
    /// How long a store that failed is left alone. Everybody who asks meanwhile is refused at once.
    pub rest: Duration,
}

impl Default for Habits {
    fn default() -> Self {
        let archive_below = Arc::new(AtomicU64::new(u64::MAX));
        Habits { retain: Span::hours(24), snapshot_every: 100_000, archive: None, archive_below, rest: REST }
    }
}

pub(super) struct Writer {
    shared: Arc<Shared>,
    handover: Arc<Handover>,
    intake: Arc<Intake>,
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
    let intake = Arc::new(Intake::default());
    let snapshot = read.snapshot;
    let shared = Arc::new(Shared::new(read, clock));
    let control = Control { shared: shared.clone(), door: Arc::new(Door::new(intake.clone())) };
    let handover = Arc::new(Handover::default());
    let journal = Journal {
        shared: shared.clone(),
        intake: intake.clone(),
        handover: handover.clone(),
        runtime: Handle::try_current().ok().filter(has_threads),
        store,
        encoder: Encoder::default(),
        outbox,
        archive: habits.archive.clone().map(|dir| (dir, habits.archive_below.clone())),
        rest: habits.rest,
        saving: None,
    };
    let vital = shared.vitals.guard("journal");
    let journal = std::thread::Builder::new().name("journal".into()).spawn(move || {
        let _vital = vital;
        journal.run();
    })?;
    let vital = shared.vitals.guard("writer");
    let writer = Writer { shared, handover, intake, habits, snapshot };
    let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
        let _vital = vital;
        writer.run();
        // The writer has ended when all that it decided is durable, and answered.
        let _ = journal.join();
    })?;
    Ok((control, thread))
}

/// One without threads runs only while somebody drives it.
fn has_threads(runtime: &Handle) -> bool {
    runtime.runtime_flavor() == RuntimeFlavor::MultiThread
}

impl Writer {
    fn run(mut self) {
        while self.wait() {
            self.decide();
            if self.shared.closing.load(Ordering::Relaxed) {
                break;
            }
        }
    }

    /// Until there are requests, or a timer is due. False when nobody can ask any more.
    fn wait(&self) -> bool {
        let now = self.shared.clock.now();
        let due = self.next_due().map_or(LONGEST_SLEEP, |due| Duration::from_millis(due.since(now).0));
        self.intake.gather(due.min(LONGEST_SLEEP))
    }

    fn next_due(&self) -> Option<Tick> {
        let world = self.shared.world();
        let retire = world.shell.ended.first().map(|(at, _)| at.after(self.habits.retain));
        [world.engine.next_due(), retire].into_iter().flatten().min()
    }

    /// Runs everything that waits, and what is due.
    fn decide(&mut self) {
        let mut world = self.shared.world.write().expect("the writer does not panic while it decides");
        let watch = Stopwatch::start();
        let epoch = self.handover.epoch();
        let (mut prepared, mut answers): (Vec<Prepared>, Vec<Answer>) = Default::default();
        let mut next = self.intake.next();
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
                next = self.intake.next();
            }
        }
        super::retire::retire(&mut world, self.shared.clock.now(), self.habits.retain, &mut prepared);
        self.shared.publish_people(&mut world);
        let notices = outbox::collect(&mut world);
        let tally = self.shared.metrics.decided(&world, &prepared, answers.len(), watch.elapsed());
        let snapshot = (world.next >= self.snapshot.saturating_add(self.habits.snapshot_every)).then(|| {
            // Set whatever comes of it: a full disk is not asked again at every request.
            self.snapshot = world.next;
            Box::new(world.for_snapshot())
        });
        drop(world);
        prepared.retain(|prepared| !prepared.is_empty());
        self.handover.put(Batch { entries: prepared, answers, notices, snapshot, tally }, epoch);
    }
}

/// However it ends: what was handed over is written down, and who waits is told.
impl Drop for Writer {
    fn drop(&mut self) {
        self.handover.close();
        self.intake.abandon();
    }
}
