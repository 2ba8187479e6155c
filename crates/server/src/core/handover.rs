//! Between the thread that decides and the one that waits for the disk: what was decided and is not yet written.
//!
//! While one batch is on its way to the disk, the next one grows here; so the disk is asked once for all that was
//! decided meanwhile, and nobody waits for anybody but the disk.
//!
//! **Invariant:** the world is what the log says, then the batch that is being written, then the batch here. When a
//! write fails, all of that is undone together: [`Handover::fail`] is called with the world locked, and what was
//! decided on the world before carries an older epoch and is refused.

use super::control::{Answer, Unavailable};
use super::deck::Prepared;
use super::outbox::Notice;
use super::world::World;
use crate::metrics::Tally;
use std::sync::{Condvar, Mutex, MutexGuard};

/// Entries and answers that may wait here. Whoever decides waits beyond it, and so do those who ask.
const MAX_AHEAD: usize = 2_048;

/// What is made durable together.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) entries: Vec<Prepared>,
    pub(super) answers: Vec<Answer>,
    /// For the executor.
    pub(super) notices: Vec<Notice>,
    /// A copy of the world after some of these entries, if it is time for a snapshot.
    pub(super) snapshot: Option<Box<World>>,
    /// What is to be counted once it is durable.
    pub(super) tally: Tally,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.answers.is_empty() && self.notices.is_empty()
    }

    fn len(&self) -> usize {
        self.entries.len() + self.answers.len()
    }

    fn add(&mut self, later: Batch) {
        self.snapshot = later.snapshot.or(self.snapshot.take());
        append(&mut self.entries, later.entries);
        append(&mut self.answers, later.answers);
        append(&mut self.notices, later.notices);
        self.tally.add(later.tally);
    }

    pub(super) fn refuse(self, why: &Unavailable) {
        self.answers.into_iter().for_each(|answer| answer(Err(why.clone())));
    }
}

/// Moves nothing if it is the first.
fn append<T>(all: &mut Vec<T>, mut later: Vec<T>) {
    if all.is_empty() {
        *all = later;
    } else {
        all.append(&mut later);
    }
}

#[derive(Default)]
struct State {
    batch: Batch,
    /// How often the world was undone.
    epoch: u64,
    /// Why it was, the last time.
    why: Option<Unavailable>,
    closed: bool,
}

#[derive(Default)]
pub(super) struct Handover {
    state: Mutex<State>,
    changed: Condvar,
}

impl Handover {
    /// The epoch of the world; asked for while the world is locked.
    pub(super) fn epoch(&self) -> u64 {
        self.lock().epoch
    }

    /// Hands over what was decided on the world of `epoch`; refuses it if that world was undone meanwhile.
    pub(super) fn put(&self, batch: Batch, epoch: u64) {
        if batch.is_empty() {
            return;
        }
        let mut state = self.lock();
        while state.batch.len() >= MAX_AHEAD && state.epoch == epoch {
            state = self.wait(state);
        }
        if state.epoch != epoch {
            let why = state.why.clone().unwrap_or(Unavailable::Closing);
            drop(state);
            return batch.refuse(&why);
        }
        state.batch.add(batch);
        drop(state);
        self.changed.notify_all();
    }

    /// Requests that were decided and are not being written yet.
    pub(super) fn waiting(&self) -> usize {
        self.lock().batch.answers.len()
    }

    /// All that was handed over; waits for it. `None` when there will be no more.
    pub(super) fn take(&self) -> Option<Batch> {
        let mut state = self.lock();
        while state.batch.is_empty() && !state.closed {
            state = self.wait(state);
        }
        let batch = std::mem::take(&mut state.batch);
        drop(state);
        self.changed.notify_all();
        (!batch.is_empty()).then_some(batch)
    }

    /// The world is being undone, and is locked: what waits here was decided on it, and is refused.
    pub(super) fn fail(&self, why: &Unavailable) {
        let mut state = self.lock();
        state.epoch += 1;
        state.why = Some(why.clone());
        let batch = std::mem::take(&mut state.batch);
        drop(state);
        self.changed.notify_all();
        batch.refuse(why);
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while handing over")
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).expect("nobody panics while handing over")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    fn asked() -> (Batch, Receiver<Result<(), Unavailable>>) {
        let (sender, answer) = channel();
        let answers: Vec<Answer> = vec![Box::new(move |outcome| _ = sender.send(outcome))];
        (Batch { answers, ..Batch::default() }, answer)
    }

    #[test]
    fn what_comes_meanwhile_is_taken_together() {
        let handover = Handover::default();
        let epoch = handover.epoch();
        (0..3).for_each(|_| handover.put(asked().0, epoch));
        assert_eq!(handover.take().map(|batch| batch.answers.len()), Some(3));
        handover.put(asked().0, epoch);
        handover.close();
        assert_eq!(handover.take().map(|batch| batch.answers.len()), Some(1));
        assert!(handover.take().is_none());
    }

    #[test]
    fn what_was_decided_on_a_world_that_is_undone_is_refused() {
        let handover = Handover::default();
        let epoch = handover.epoch();
        let (waits, waiting) = asked();
        handover.put(waits, epoch);
        let why = Unavailable::Store { what: "it is broken".into(), full: false };
        handover.fail(&why);
        assert_eq!(waiting.try_recv(), Ok(Err(why.clone())));
        let (late, told) = asked();
        handover.put(late, epoch);
        assert_eq!(told.try_recv(), Ok(Err(why)));
        let (new, answer) = asked();
        handover.put(new, handover.epoch());
        assert!(handover.take().is_some() && answer.try_recv().is_err());
    }
}
