//! The thread that makes durable what was decided, and answers.

use super::control::{Answer, Durable, Shared, Unavailable};
use super::deck::Prepared;
use super::encode::Encoder;
use super::handover::{Batch, Handover};
use super::intake::Intake;
use super::outbox::Outbox;
use super::receipts::REMEMBERED;
use super::recovery::{self, Read, RecoveryError};
use super::world::World;
use crate::metrics::Stopwatch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::ids::Tick;
use tidegate_store::{Keeper, Snapshot, Store, StoreError};
use tokio::runtime::Handle;

/// The only one that writes to the store.
pub(super) struct Journal {
    pub(super) shared: Arc<Shared>,
    pub(super) intake: Arc<Intake>,
    pub(super) handover: Arc<Handover>,
    /// Where those who ask wait, if that is a runtime with threads of its own.
    pub(super) runtime: Option<Handle>,
    pub(super) store: Box<dyn Store>,
    pub(super) encoder: Encoder,
    pub(super) outbox: Outbox,
    /// Where parts of the log go that no start needs any more, and up to where.
    pub(super) archive: Option<(PathBuf, Arc<AtomicU64>)>,
    /// How long a store that failed is left alone.
    pub(super) rest: Duration,
    pub(super) saving: Option<JoinHandle<()>>,
}

impl Journal {
    /// Until the writer has closed the handover and all of it is written.
    pub(super) fn run(mut self) {
        while let Some(batch) = self.handover.take() {
            let watch = Stopwatch::start();
            match self.append(&batch.entries) {
                Ok(()) => self.settle(batch, watch.elapsed()),
                Err(error) => self.undo(batch, &error),
            }
        }
        self.outbox.close();
        if let Some(saving) = self.saving.take() {
            let _ = saving.join();
        }
    }

    fn append(&mut self, group: &[Prepared]) -> Result<(), StoreError> {
        if group.is_empty() {
            return Ok(());
        }
        self.encoder.entries(group, |entries| self.store.append(entries))
    }

    /// It is durable: everybody may know.
    fn settle(&mut self, batch: Batch, took: Duration) {
        let Batch { entries, answers, notices, snapshot, tally } = batch;
        let next = entries.last().map(Prepared::next);
        if let Some(next) = next {
            self.shared.durable.send_modify(|durable| durable.next = next);
        }
        self.shared.metrics.settled(&tally, took);
        // Before the answers: a watch that is opened after an answer begins after what was answered.
        if let Some(next) = next {
            let mut lines = Vec::with_capacity(entries.len());
            let told = |entry: Prepared| {
                lines.extend(entry.lines);
                (entry.first, entry.body)
            };
            self.shared.tail.keep(entries.into_iter().map(told));
            self.shared.hub.publish(lines, next);
        }
        if !answers.is_empty() {
            self.intake.settled(answers.len(), self.handover.waiting());
            self.answer(answers);
        }
        self.outbox.send(notices);
        if let Some(world) = snapshot {
            self.save(*world);
        }
    }

    /// Many are answered by the runtime in which they wait: to wake each of them from outside costs as much as
    /// answering it.
    fn answer(&self, answers: Vec<Answer>) {
        let many = answers.len() > 1;
        let all = move || answers.into_iter().for_each(|answer| answer(Ok(())));
        match &self.runtime {
            Some(runtime) if many => drop(runtime.spawn(async move { all() })),
            _ => all(),
        }
    }

    /// The world is ahead of the log: it is built again from the log, and all that was decided since is refused.
    /// Readers go on with the old one meanwhile, and are answered from the new one.
    fn undo(&mut self, batch: Batch, error: &StoreError) {
        tracing::error!(error = %error, "the store did not take a change: it is undone");
        self.shared.metrics.failed();
        let full = matches!(error, StoreError::Full { .. });
        let outcome = Unavailable::Store { what: error.to_string().into(), full };
        if !self.rest.is_zero() {
            self.shared.refuse(Some(outcome.clone()));
        }
        let Some(read) = self.read_again() else {
            self.handover.fail(&outcome);
            return batch.refuse(&outcome);
        };
        let next = read.world.next;
        {
            let mut world = self.shared.world.write().expect("the writer does not panic while it decides");
            let receipts = std::mem::take(&mut world.receipts).undone_from(next);
            *world = World { receipts, people_changed: true, ..read.world };
            self.shared.publish_people(&mut world);
            self.outbox.restate(&world);
            self.shared.durable.send_modify(|durable| {
                *durable = Durable { next, failures: durable.failures + 1 };
            });
            self.handover.fail(&outcome);
        }
        // A disk that failed while it confirmed may have kept the batch all the same.
        let told = self.shared.hub.next();
        self.shared.hub.publish(read.lines.into_iter().filter(|line| line.number >= told), next);
        batch.refuse(&outcome);
        self.rest();
        self.shared.refuse(None);
    }

    /// The world as the log tells it. `None` if the server goes down before the log can be read.
    fn read_again(&self) -> Option<Read> {
        loop {
            let reader = self.store.reader().map_err(RecoveryError::from);
            match reader.and_then(|reader| recovery::read_world(&*reader)) {
                Ok(read) => return Some(read),
                Err(error) => tracing::error!(error = %error, "the log cannot be read: trying again"),
            }
            if self.shared.closing.load(Ordering::Relaxed) {
                return None;
            }
            self.rest();
        }
    }

    #[allow(clippy::disallowed_methods, reason = "nobody tells when a disk can be used again")]
    fn rest(&self) {
        std::thread::sleep(self.rest);
    }

    /// Starts to save a snapshot, if none is being saved.
    fn save(&mut self, world: World) {
        if self.saving.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        match self.store.keeper() {
            Ok(keeper) => {
                self.saving = save_snapshot(world, keeper, self.shared.clock.now(), self.archive.clone());
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
    archive: Option<(PathBuf, Arc<AtomicU64>)>,
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
        if let Some((dir, below)) = archive {
            let below = below.load(Ordering::Acquire).min(world.next);
            // Named by what it is saved after: a file of that name is never there yet.
            match keeper.archive(below, &dir.join(format!("log-before-{}.db", world.next))) {
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
