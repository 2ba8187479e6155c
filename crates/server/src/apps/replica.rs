//! One replica that requests are passed on to.

use super::limits::MAX_IDLE;
use super::upstream::Link;
use crate::net::lanes;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use tidegate_engine::ids::Tick;
use tidegate_executor::local::Endpoint;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// Looks in a row that must fail before who was ready is not: one may be late by chance. Nobody listening is no
/// chance, and counts at once.
const FAILURES: u32 = 2;

/// One replica, as requests see it.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) unit: u32,
    pub(super) index: u32,
    pub(super) run: u64,
    pub(super) port: u16,
    /// What it has started listens on the port; 0 if it is not known.
    supervisor: AtomicU32,
    /// Nobody new is sent there.
    leaves: AtomicBool,
    /// As `state` has it.
    is_ready: AtomicBool,
    state: RwLock<State>,
    /// Requests that are on their way, or under way back.
    outstanding: AtomicUsize,
    idle: Mutex<Vec<Idle>>,
    /// A request found out that something is wrong: look at once.
    pub(super) look: Notify,
    looking: OnceLock<AbortHandle>,
}

/// What is known of a replica's readiness.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) is_ready: bool,
    /// It has been ready at some time.
    pub(super) was_ready: bool,
    pub(super) since: Tick,
    /// What was seen last, if it is not ready.
    pub(super) why: Arc<str>,
    failures: u32,
}

/// What a look at a replica came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Ready,
    /// Nobody listens.
    Absent(String),
    Failing(String),
}

#[derive(Debug)]
struct Idle {
    link: Link,
    /// Who opened it: nobody else is told when something comes in on it.
    lane: Option<usize>,
    /// It was used since the last sweep.
    is_fresh: bool,
}

impl Replica {
    pub(super) fn new(unit: u32, index: u32, endpoint: Endpoint, now: Tick) -> Replica {
        let why = "it was not looked at yet".into();
        Replica {
            unit,
            index,
            run: endpoint.run,
            port: endpoint.port,
            supervisor: AtomicU32::new(endpoint.supervisor.unwrap_or(0)),
            leaves: AtomicBool::new(endpoint.leaves),
            is_ready: AtomicBool::new(false),
            state: RwLock::new(State { is_ready: false, was_ready: false, since: now, why, failures: 0 }),
            outstanding: AtomicUsize::new(0),
            idle: Mutex::default(),
            look: Notify::new(),
            looking: OnceLock::new(),
        }
    }

    /// Whether somebody new may be sent there.
    pub(super) fn takes_requests(&self) -> bool {
        self.is_ready.load(Ordering::Acquire) && !self.leaves()
    }

    pub(super) fn leaves(&self) -> bool {
        self.leaves.load(Ordering::Acquire)
    }

    pub(super) fn supervisor(&self) -> Option<u32> {
        Some(self.supervisor.load(Ordering::Relaxed)).filter(|process| *process > 0)
    }

    pub(super) fn supervised_by(&self, process: Option<u32>) {
        self.supervisor.store(process.unwrap_or(0), Ordering::Relaxed);
    }

    pub(super) fn state(&self) -> State {
        self.state.read().expect("nobody panics while looking").clone()
    }

    pub(super) fn outstanding(&self) -> usize {
        self.outstanding.load(Ordering::Relaxed)
    }

    pub(super) fn looked_after_by(&self, task: AbortHandle) {
        let _ = self.looking.set(task);
    }

    /// It was asked to leave, or is gone: nobody new is sent there, and nobody looks any more.
    pub(super) fn retire(&self) {
        self.leaves.store(true, Ordering::Release);
        if let Some(task) = self.looking.get() {
            task.abort();
        }
        self.idle.lock().expect("nobody panics here").clear();
    }

    /// Takes in what a look came to.
    pub(super) fn saw(&self, seen: Seen, now: Tick) {
        let mut state = self.state.write().expect("nobody panics while looking");
        let (is_ready, why) = match seen {
            Seen::Ready => (true, String::new()),
            Seen::Absent(why) => (false, why),
            Seen::Failing(why) => (state.is_ready && state.failures + 1 < FAILURES, why),
        };
        state.failures = if why.is_empty() { 0 } else { state.failures + 1 };
        if is_ready != state.is_ready {
            state.since = now;
        }
        state.is_ready = is_ready;
        state.was_ready |= is_ready;
        if *state.why != *why {
            state.why = why.into();
        }
        self.is_ready.store(is_ready, Ordering::Release);
    }

    /// Counts a request until the guard is dropped.
    pub(super) fn occupy(self: &Arc<Self>) -> Occupied {
        self.outstanding.fetch_add(1, Ordering::Relaxed);
        Occupied(self.clone())
    }

    /// A connection of this lane's that was used before. The latest one: it is the least likely to have been closed.
    pub(super) fn take_idle(&self) -> Option<Link> {
        let mut idle = self.idle.lock().expect("nobody panics here");
        let latest = idle.iter().rposition(|idle| idle.lane == lanes::here())?;
        Some(idle.remove(latest).link)
    }

    pub(super) fn put_back(&self, link: Link) {
        if self.leaves() {
            return;
        }
        let mut idle = self.idle.lock().expect("nobody panics here");
        if idle.len() < MAX_IDLE {
            idle.push(Idle { link, lane: lanes::here(), is_fresh: true });
        }
    }

    /// Closes connections that nobody has used since the last sweep.
    pub(super) fn sweep(&self) {
        let mut idle = self.idle.lock().expect("nobody panics here");
        idle.retain_mut(|idle| std::mem::take(&mut idle.is_fresh));
    }
}

/// A request under way at a replica.
#[derive(Debug)]
pub(super) struct Occupied(Arc<Replica>);

impl Occupied {
    pub(super) fn replica(&self) -> &Arc<Replica> {
        &self.0
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        self.0.outstanding.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replica() -> Arc<Replica> {
        Arc::new(Replica::new(0, 0, Endpoint { run: 1, port: 1, leaves: false, supervisor: None }, Tick(0)))
    }

    #[test]
    fn one_late_answer_is_forgiven_and_silence_is_not() {
        let r = replica();
        assert!(!r.takes_requests());
        r.saw(Seen::Failing("late".into()), Tick(1));
        assert!(!r.state().was_ready && r.state().since == Tick(0));
        r.saw(Seen::Ready, Tick(2));
        assert!(r.takes_requests() && r.state().since == Tick(2));
        r.saw(Seen::Failing("late".into()), Tick(3));
        assert!(r.takes_requests());
        r.saw(Seen::Failing("late".into()), Tick(4));
        assert!(!r.takes_requests() && r.state().since == Tick(4));
        assert_eq!((&*r.state().why, r.state().was_ready), ("late", true));
        r.saw(Seen::Ready, Tick(5));
        r.saw(Seen::Absent("nobody".into()), Tick(6));
        assert!(!r.takes_requests());
    }

    #[test]
    fn who_leaves_gets_nothing_new_and_keeps_what_it_has() {
        let r = replica();
        r.saw(Seen::Ready, Tick(1));
        let request = r.occupy();
        r.retire();
        assert!(!r.takes_requests() && r.outstanding() == 1);
        drop(request);
        assert_eq!(r.outstanding(), 0);
    }
}
