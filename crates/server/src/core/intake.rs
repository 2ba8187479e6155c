//! Where requests wait for the writer.
//!
//! A group of requests costs about the same whatever its size: threads that are woken, pages that are written, a wait
//! for the disk. So when many ask at once, the writer lets some of them gather before it decides. Nobody tells how
//! many will come; but those who ask one request after the other come back soon after they were answered.
//!
//! **Invariant:** who asks alone is never kept waiting for others, and nobody is kept for longer than [`PATIENCE`].

use super::control::{Job, Unavailable};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Requests that may wait for the writer. At ten microseconds each the last one waits for ten milliseconds.
pub const MAX_WAITING: usize = 1_024;
/// How long the writer waits for those who are likely to come.
const PATIENCE: Duration = Duration::from_micros(500);
/// One in so many is not waited for: there is always somebody who does not come back.
const STRAYS: usize = 8;
/// A writer that is awake looks for itself.
const AWAKE: usize = usize::MAX;

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// The writer sleeps until so many wait.
    wanted: usize,
    /// How many ask at the same time: requests of the latest group, and those that came while it was written.
    company: usize,
    closed: bool,
}

impl State {
    fn is_short(&mut self) -> bool {
        self.jobs.len() < self.wanted && !self.closed
    }
}

#[derive(Default)]
pub(super) struct Intake {
    state: Mutex<State>,
    /// As many wait as the writer wants.
    filled: Condvar,
    /// There is room again.
    room: Condvar,
}

impl Intake {
    /// For the writer: sleeps until there are requests worth a group, and for `longest` at most. False when nobody
    /// can ask any more.
    pub(super) fn gather(&self, longest: Duration) -> bool {
        let mut state = self.sleep(self.lock(), 1, longest);
        let likely = state.company - state.company / STRAYS;
        if !state.jobs.is_empty() && likely > 1 {
            state = self.sleep(state, likely, longest.min(PATIENCE));
        }
        state.wanted = AWAKE;
        !state.closed || !state.jobs.is_empty()
    }

    fn sleep<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        wanted: usize,
        longest: Duration,
    ) -> MutexGuard<'a, State> {
        state.wanted = wanted;
        self.filled.wait_timeout_while(state, longest, State::is_short).expect("nobody panics here").0
    }

    /// The next request, if there is one.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        let job = state.jobs.pop_front();
        if state.jobs.len() + 1 == MAX_WAITING {
            drop(state);
            self.room.notify_all();
        }
        job
    }

    /// A group of so many requests is about to be answered, and `ahead` are decided and not yet written.
    pub(super) fn settled(&self, group: usize, ahead: usize) {
        let mut state = self.lock();
        state.company = group + ahead + state.jobs.len();
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
        self.room.notify_all();
    }

    /// Nobody decides any more: who waits is told so.
    pub(super) fn abandon(&self) {
        self.close();
        let left = std::mem::take(&mut self.lock().jobs);
        drop(left);
    }

    fn put(&self, mut state: MutexGuard<'_, State>, job: Job) -> Result<(), Unavailable> {
        if state.closed {
            return Err(Unavailable::Closing);
        }
        state.jobs.push_back(job);
        let enough = state.jobs.len() == state.wanted;
        drop(state);
        if enough {
            self.filled.notify_one();
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics here")
    }
}

/// The way in. When the last one is dropped, nobody can ask any more.
pub(super) struct Door(Arc<Intake>);

impl Door {
    pub(super) fn new(intake: Arc<Intake>) -> Door {
        Door(intake)
    }

    /// Refuses when too many wait.
    pub(super) fn try_put(&self, job: Job) -> Result<(), Unavailable> {
        let state = self.0.lock();
        if state.jobs.len() >= MAX_WAITING && !state.closed {
            return Err(Unavailable::Busy);
        }
        self.0.put(state, job)
    }

    /// Waits while too many wait.
    pub(super) fn put(&self, job: Job) -> Result<(), Unavailable> {
        let full = |state: &mut State| state.jobs.len() >= MAX_WAITING && !state.closed;
        let state = self.0.room.wait_while(self.0.lock(), full).expect("nobody panics here");
        self.0.put(state, job)
    }

    pub(super) fn close(&self) {
        self.0.close();
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::job;
    use super::super::entry::Origin;
    use super::*;

    const LONG: Duration = Duration::from_secs(3_600);

    fn open() -> (Arc<Intake>, Door) {
        let intake = Arc::new(Intake::default());
        (intake.clone(), Door::new(intake))
    }

    fn ask(door: &Door) -> Result<(), Unavailable> {
        door.try_put(job(Origin::new("somebody", "something"), |_| ()).0)
    }

    #[test]
    fn who_asks_alone_is_not_kept() {
        let (intake, door) = open();
        intake.settled(1, 0);
        ask(&door).expect("there is room");
        assert!(intake.gather(LONG));
        assert!(intake.next().is_some() && intake.next().is_none());
    }

    #[test]
    fn those_who_are_likely_to_come_are_waited_for_but_not_for_long() {
        let (intake, door) = open();
        intake.settled(30, 10);
        (0..35).for_each(|_| ask(&door).expect("there is room"));
        assert!(intake.gather(LONG), "seven of eight are enough");
        (1..35).for_each(|_| drop(intake.next()));
        // One is there, and nobody else comes.
        assert!(intake.gather(LONG));
        assert!(intake.next().is_some() && intake.next().is_none());
    }

    #[test]
    fn too_many_are_refused_and_the_door_can_be_closed() {
        let (intake, door) = open();
        (0..MAX_WAITING).for_each(|_| ask(&door).expect("there is room"));
        assert_eq!(ask(&door), Err(Unavailable::Busy));
        drop(intake.next());
        assert_eq!(ask(&door), Ok(()));
        drop(door);
        assert!(intake.gather(LONG), "what waits is decided");
        intake.abandon();
        assert!(!intake.gather(LONG));
        assert_eq!(ask(&Door::new(intake)), Err(Unavailable::Closing));
    }

    #[test]
    fn nothing_to_do_is_slept_through() {
        let (intake, _door) = open();
        assert!(intake.gather(Duration::from_millis(1)));
        assert!(intake.next().is_none());
    }
}
