//! Time for the engine: milliseconds since 1970 that never go back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tidegate_engine::ids::Tick;

/// Follows the machine's clock forwards. When that clock is set back, time goes on from where it was, at the
/// pace of the monotonic clock, until the machine's clock has caught up.
#[derive(Debug)]
pub struct Clock {
    source: Source,
    /// Time at the start.
    origin: u64,
    /// The latest time given out.
    latest: AtomicU64,
}

#[derive(Debug)]
enum Source {
    Machine { started: Instant },
    Hand(Arc<AtomicU64>),
}

#[allow(clippy::disallowed_methods, reason = "the shell reads the clock for everybody else")]
impl Clock {
    /// A clock that is nowhere before `after`, the time of the latest entry in the log.
    pub fn starting_after(after: Tick) -> Clock {
        Clock::new(Source::Machine { started: Instant::now() }, after)
    }

    /// As `starting_after`, with a machine's clock that somebody sets by hand: for histories that can be repeated.
    pub fn by_hand(hand: Arc<AtomicU64>, after: Tick) -> Clock {
        Clock::new(Source::Hand(hand), after)
    }

    fn new(source: Source, after: Tick) -> Clock {
        let origin = source.wall().max(after.0);
        Clock { source, origin, latest: AtomicU64::new(origin) }
    }

    pub fn now(&self) -> Tick {
        let passed = match &self.source {
            Source::Machine { started } => started.elapsed().as_millis() as u64,
            Source::Hand(_) => 0,
        };
        let now = self.origin.saturating_add(passed).max(self.source.wall());
        Tick(self.latest.fetch_max(now, Ordering::Relaxed).max(now))
    }

    /// How far the machine's clock is behind the time that is given out.
    pub fn ahead(&self) -> Duration {
        Duration::from_millis(self.now().0.saturating_sub(self.source.wall()))
    }
}

impl Source {
    fn wall(&self) -> u64 {
        match self {
            Source::Machine { .. } => wall(),
            Source::Hand(hand) => hand.load(Ordering::Relaxed),
        }
    }
}

/// Milliseconds since 1970 by the machine's clock; zero if that is set before 1970.
#[allow(clippy::disallowed_methods, reason = "the shell reads the clock for everybody else")]
fn wall() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_from_the_log_when_the_machine_was_set_back() {
        let hour = 3_600_000;
        let ahead = Tick(wall() + hour);
        let clock = Clock::starting_after(ahead);
        assert!(clock.now() >= ahead);
        assert!(clock.now() < Tick(ahead.0 + hour));
        assert!(clock.ahead() > Duration::from_secs(3_000));
    }

    #[test]
    fn a_clock_set_back_by_hand_stands_until_it_has_caught_up() {
        let hand = Arc::new(AtomicU64::new(5_000));
        let clock = Clock::by_hand(hand.clone(), Tick(4_000));
        let set = |to| hand.store(to, Ordering::Relaxed);
        assert_eq!(clock.now(), Tick(5_000));
        set(1_000);
        assert_eq!((clock.now(), clock.ahead()), (Tick(5_000), Duration::from_secs(4)));
        set(6_000);
        assert_eq!((clock.now(), clock.ahead()), (Tick(6_000), Duration::ZERO));
    }

    #[test]
    fn time_never_goes_back() {
        let clock = Clock::starting_after(Tick::ZERO);
        let mut last = clock.now();
        for _ in 0..10_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
        assert!(clock.ahead() < Duration::from_secs(1));
    }
}
