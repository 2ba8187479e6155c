//! Time for the engine: milliseconds since 1970 that never go back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tidegate_engine::ids::Tick;

/// Follows the machine's clock forwards. When that clock is set back, time goes on from where it was, at the
/// pace of the monotonic clock, until the machine's clock has caught up.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    /// Time at `started`.
    origin: u64,
    /// The latest time given out.
    latest: AtomicU64,
}

#[allow(clippy::disallowed_methods, reason = "the shell reads the clock for everybody else")]
impl Clock {
    /// A clock that is nowhere before `after`, the time of the latest entry in the log.
    pub fn starting_after(after: Tick) -> Clock {
        let origin = wall().max(after.0);
        Clock { started: Instant::now(), origin, latest: AtomicU64::new(origin) }
    }

    pub fn now(&self) -> Tick {
        let steady = self.origin.saturating_add(self.started.elapsed().as_millis() as u64);
        let now = steady.max(wall());
        Tick(self.latest.fetch_max(now, Ordering::Relaxed).max(now))
    }

    /// How far the machine's clock is behind the time that is given out.
    pub fn ahead(&self) -> Duration {
        Duration::from_millis(self.now().0.saturating_sub(wall()))
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
