//! The one thread that changes the world.

use super::control::{Answer, Control, Durable, Job, MAX_WAITING, Shared, Unavailable};
use super::deck::{Deck, Prepared};
use super::entry::Origin;
use super::outbox::Outbox;
use super::recovery;
use super::world::World;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::Command;
use tidegate_engine::ids::{Span, Tick};
use tidegate_store::{Entry, Store, StoreError};

/// Requests that share one append. Bounds how long a reader waits for the world.
pub const MAX_GROUP: usize = 256;
/// The longest sleep without a look at the clock: a machine may sleep while we do.
const LONGEST_SLEEP: Duration = Duration::from_secs(10);
/// How long to wait before the log is read again when it could not be.
const RETRY: Duration = Duration::from_secs(1);

/// What the writer does by itself.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// How long ended workloads stay in memory.
    pub retain: Span,
    /// Events between two snapshots.
    pub snapshot_every: u64,
}

impl Default for Habits {
    fn default() -> Self {
        Habits { retain: Span::hours(24), snapshot_every: 100_000 }
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
}

/// What one round decided.
#[derive(Default)]
struct Group {
    prepared: Vec<Prepared>,
    answers: Vec<Answer>,
}

/// Starts the writer over a world that was read from `store`.
pub fn start(
    world: World,
    store: Box<dyn Store>,
    outbox: Outbox,
    habits: Habits,
    snapshot: u64,
) -> std::io::Result<(Control, JoinHandle<()>)> {
    let (sender, jobs) = sync_channel(MAX_WAITING);
    let shared = Arc::new(Shared::new(world));
    let control = Control { shared: shared.clone(), jobs: sender };
    let writer = Writer { shared, store, jobs, outbox, habits, snapshot };
    let thread = std::thread::Builder::new().name("writer".into()).spawn(move || writer.run())?;
    Ok((control, thread))
}

impl Writer {
    fn run(mut self) {
        while let Some(first) = self.wait() {
            let group = self.decide(first);
            self.commit(group);
            self.snapshot_if_due();
        }
        self.save_snapshot();
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
        self.outbox.collect(&world, &group.prepared);
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
                self.outbox.clear();
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
        let encoded: Vec<super::encode::Encoded> = prepared.iter().map(super::encode::encode).collect();
        let entries: Vec<Entry<'_>> = encoded.iter().map(super::encode::Encoded::entry).collect();
        self.store.append(&entries)
    }

    /// The world is ahead of the log: it is built again from the log.
    fn undo(&mut self) {
        let mut world = self.shared.world.write().expect("the writer does not panic while it decides");
        loop {
            match self.store.reader().and_then(|reader| recovery::read_world(&*reader)) {
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
        let next = world.next;
        self.shared.durable.send_modify(|durable| {
            *durable = Durable { next, failures: durable.failures + 1 };
        });
    }

    fn snapshot_if_due(&mut self) {
        let next = self.shared.durable.borrow().next;
        if next >= self.snapshot + self.habits.snapshot_every {
            self.save_snapshot();
        }
    }

    fn save_snapshot(&mut self) {
        let (next, body) = {
            let world = self.shared.world();
            (world.next, recovery::encode_world(&world))
        };
        // Set whatever comes of it: a full disk is not asked again at every request.
        self.snapshot = next;
        let saved = body.and_then(|body| recovery::save(&mut *self.store, next, &body));
        if let Err(error) = saved {
            tracing::warn!(error = %error, "no snapshot was saved: the next start reads more of the log");
        }
    }
}
