//! The one thread that changes the world.

use super::control::{Answer, Control, Durable, Job, MAX_WAITING, Shared, Unavailable};
use super::deck::{Deck, Prepared};
use super::encode::{Encoded, Pieces, encode};
use super::entry::Origin;
use super::outbox::Outbox;
use super::receipts::REMEMBERED;
use super::recovery::{self, Read, RecoveryError};
use super::world::World;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::Command;
use tidegate_engine::ids::{Span, Tick};
use tidegate_store::{Entry, Keeper, PastRow, Snapshot, Store, StoreError};

/// Requests that share one append. Bounds how long a reader waits for the world.
pub const MAX_GROUP: usize = 256;
/// The longest sleep without a look at the clock: a machine may sleep while we do.
const LONGEST_SLEEP: Duration = Duration::from_secs(10);
/// How long to wait before the log is read again when it could not be.
const RETRY: Duration = Duration::from_secs(1);

/// What the writer does by itself.
#[derive(Clone, Debug)]
pub struct Habits {
    /// How long ended workloads stay in memory.
    pub retain: Span,
    /// Events between two snapshots.
    pub snapshot_every: u64,
    /// Where parts of the log go that no start needs any more; they stay in the log if nobody says.
    pub archive: Option<PathBuf>,
}

impl Default for Habits {
    fn default() -> Self {
        Habits { retain: Span::hours(24), snapshot_every: 100_000, archive: None }
    }
}

pub(super) struct Writer {
    shared: Arc<Shared>,
    store: Box<dyn Store>,
    jobs: Receiver<Job>,
    outbox: Outbox,
    habits: Habits,
    /// Number of the event after the latest snapshot.
    snapshot: u64,
    saving: Option<JoinHandle<()>>,
}

/// What one round decided.
#[derive(Default)]
struct Group {
    prepared: Vec<Prepared>,
    answers: Vec<Answer>,
}

/// Starts the writer over a world that was read from `store`.
pub fn start(
    read: Read,
    store: Box<dyn Store>,
    outbox: Outbox,
    habits: Habits,
) -> std::io::Result<(Control, JoinHandle<()>)> {
    let (sender, jobs) = sync_channel(MAX_WAITING);
    let snapshot = read.snapshot;
    let shared = Arc::new(Shared::new(read));
    let control = Control { shared: shared.clone(), jobs: sender };
    let writer = Writer { shared, store, jobs, outbox, habits, snapshot, saving: None };
    let thread = std::thread::Builder::new().name("writer".into()).spawn(move || writer.run())?;
    Ok((control, thread))
}

impl Writer {
    fn run(mut self) {
        while let Some(first) = self.wait() {
            let group = self.decide(first);
            self.commit(group);
            self.snapshot_if_due();
            if self.shared.closing.load(Ordering::Relaxed) {
                break;
            }
        }
        self.outbox.close();
        if let Some(saving) = self.saving.take() {
            let _ = saving.join();
        }
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
    fn decide(&mut self, first: Option<Job>) -> Group {
        let mut world = self.shared.world.write().expect("the writer does not panic while it decides");
        let mut group = Group::default();
        let mut next = first;
        loop {
            let now = self.shared.clock.now();
            while world.engine.next_due().is_some_and(|due| due <= now) {
                let before = world.engine.next_due();
                let mut deck = Deck::new(&mut world, now, Origin::new("system", "wake"));
                if let Err(refusal) = deck.command(Command::Wake) {
                    tracing::error!(what = refusal.what(), "a timer was refused");
                }
                group.prepared.push(deck.finish());
                if world.engine.next_due() == before {
                    break;
                }
            }
            let Some(job) = next.take() else { break };
            let mut deck = Deck::new(&mut world, now, job.origin);
            group.answers.push((job.work)(&mut deck));
            group.prepared.push(deck.finish());
            if group.answers.len() < MAX_GROUP {
                next = self.jobs.try_recv().ok();
            }
        }
        super::retire::retire(&mut world, self.shared.clock.now(), self.habits.retain, &mut group.prepared);
        group.prepared.retain(|prepared| !prepared.is_empty());
        self.outbox.collect(&mut world);
        group
    }

    fn commit(&mut self, group: Group) {
        let Group { prepared, answers } = group;
        match self.append(&prepared) {
            Ok(()) => {
                let next = prepared.last().map(Prepared::next);
                if let Some(next) = next {
                    self.shared.durable.send_modify(|durable| durable.next = next);
                }
                answers.into_iter().for_each(|answer| answer(Ok(())));
                if let Some(next) = next {
                    let lines = prepared.into_iter().flat_map(|prepared| prepared.lines).collect();
                    self.shared.hub.publish(lines, next);
                }
                self.outbox.send();
            }
            Err(error) => {
                tracing::error!(error = %error, "the store did not take a change: it is undone");
                self.undo();
                let full = matches!(error, StoreError::Full { .. });
                let outcome = Unavailable::Store { what: error.to_string().into(), full };
                answers.into_iter().for_each(|answer| answer(Err(outcome.clone())));
            }
        }
    }

    fn append(&mut self, prepared: &[Prepared]) -> Result<(), StoreError> {
        if prepared.is_empty() {
            return Ok(());
        }
        let encoded: Vec<Encoded<'_>> = prepared.iter().map(encode).collect();
        let pieces: Vec<Pieces<'_>> = encoded.iter().map(Encoded::pieces).collect();
        let with = encoded.iter().zip(&pieces);
        let past: Vec<Vec<PastRow<'_>>> =
            with.clone().map(|(encoded, pieces)| encoded.past(pieces)).collect();
        let entries: Vec<Entry<'_>> =
            with.zip(&past).map(|((encoded, pieces), past)| encoded.entry(pieces, past)).collect();
        self.store.append(&entries)
    }

    /// The world is ahead of the log: it is built again from the log.
    #[allow(clippy::disallowed_methods, reason = "nobody tells when a disk can be read again")]
    fn undo(&mut self) {
        let mut world = self.shared.world.write().expect("the writer does not panic while it decides");
        loop {
            let reader = self.store.reader().map_err(RecoveryError::from);
            match reader.and_then(|reader| recovery::read_world(&*reader)) {
                Ok(read) => {
                    *world = read.world;
                    break;
                }
                Err(error) => {
                    tracing::error!(error = %error, "the log cannot be read: trying again");
                    std::thread::sleep(RETRY);
                }
            }
        }
        self.outbox.restate(&world);
        let next = world.next;
        self.shared.durable.send_modify(|durable| {
            *durable = Durable { next, failures: durable.failures + 1 };
        });
    }

    /// Starts a snapshot when the log has grown enough and none is being saved.
    fn snapshot_if_due(&mut self) {
        let next = self.shared.durable.borrow().next;
        let busy = self.saving.as_ref().is_some_and(|thread| !thread.is_finished());
        if busy || next < self.snapshot + self.habits.snapshot_every {
            return;
        }
        // Set whatever comes of it: a full disk is not asked again at every request.
        self.snapshot = next;
        match self.store.keeper() {
            // After a commit and before the next decision all of the world is durable.
            Ok(keeper) => {
                let copy = self.shared.world().clone();
                let archive = self.habits.archive.clone();
                self.saving = save_snapshot(copy, keeper, self.shared.clock.now(), archive);
            }
            Err(error) => tracing::warn!(%error, "no snapshot was saved"),
        }
    }
}

/// Writes a copy of the world down while the world goes on.
fn save_snapshot(
    world: World,
    mut keeper: Box<dyn Keeper>,
    now: Tick,
    archive: Option<PathBuf>,
) -> Option<JoinHandle<()>> {
    let save = move || {
        let encoded = recovery::encode_world(&world).map_err(|error| error.to_string());
        let saved = encoded.and_then(|(format, body)| {
            let snapshot = Snapshot { next: world.next, format, body: &body };
            keeper.save_snapshot(snapshot).map_err(|error| error.to_string())
        });
        let before = now.0.saturating_sub(REMEMBERED.0);
        let swept = saved.and_then(|()| keeper.sweep(before).map_err(|error| error.to_string()));
        if let Err(error) = swept {
            tracing::warn!(error, "no snapshot was saved: the next start reads more of the log");
            return;
        }
        if let Some(dir) = archive {
            // Named by what it is saved after: a file of that name is never there yet.
            match keeper.archive(world.next, &dir.join(format!("log-before-{}.db", world.next))) {
                Ok(archived) if archived.entries == 0 => {}
                Ok(archived) => {
                    tracing::info!(archived.first, archived.next, "a part of the log was archived")
                }
                Err(error) => tracing::warn!(%error, "nothing was archived: the log keeps it"),
            }
        }
    };
    std::thread::Builder::new().name("snapshot".into()).spawn(save).ok()
}
