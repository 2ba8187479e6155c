//! The one place where the command line looks at a clock, and waits.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, to say how long ago something was.
#[allow(clippy::disallowed_methods, reason = "a person is told how long ago something was")]
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Time that passes, for deadlines and frames.
#[allow(clippy::disallowed_methods, reason = "a person waits for no longer than they said")]
pub(crate) fn instant() -> Instant {
    Instant::now()
}

/// Waits between two tries, or for the next scene of the demo.
#[allow(clippy::disallowed_methods, reason = "there is nothing to wait for but time")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// How long ago a time was, in one or two units: `45s`, `12m`, `3h20m`, `5d`.
pub(crate) fn ago(then: tidegate_api::time::Time) -> String {
    // A list that is read again within a second shall not differ by moments.
    short(now_ms().saturating_sub(then.tick().0) / 1_000 * 1_000)
}

pub(crate) fn short(ms: u64) -> String {
    if (1..1_000).contains(&ms) {
        return format!("{ms}ms");
    }
    let seconds = ms / 1_000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600, seconds / 60);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..600 if !seconds.is_multiple_of(60) => format!("{minutes}m{}s", seconds % 60),
        60..3_600 => format!("{minutes}m"),
        3_600..36_000 if !minutes.is_multiple_of(60) => format!("{hours}h{}m", minutes % 60),
        3_600..172_800 => format!("{hours}h"),
        _ => format!("{days}d"),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn lengths_of_time_are_short_words() {
        assert_eq!((short(1), short(999), short(1_000)), ("1ms".into(), "999ms".into(), "1s".into()));
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (61, "1m1s"),
            (600, "10m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (12_000, "3h20m"),
            (90_000, "25h"),
            (200_000, "2d"),
        ] {
            assert_eq!(short(seconds * 1_000), text);
        }
    }
}
