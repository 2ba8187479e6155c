//! Times as people write them.

use std::fmt::Write;
use tidegate_engine::ids::Tick;

/// `0s`, `1m30s`, `1h30m`, `2d`, `500ms`: the units that are not zero.
pub fn time(at: Tick) -> String {
    const UNITS: [(&str, u64); 5] =
        [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let mut text = String::new();
    let mut rest = at.0;
    for (unit, length) in UNITS {
        if rest >= length {
            // Writing to a string does not fail.
            let _ = write!(text, "{}{unit}", rest / length);
            rest %= length;
        }
    }
    if text.is_empty() { "0s".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_they_are_written() {
        for (ms, text) in [
            (0, "0s"),
            (90_000, "1m30s"),
            (3_600_000, "1h"),
            (5_400_000, "1h30m"),
            (500, "500ms"),
            (86_400_000, "1d"),
            (90_061_001, "1d1h1m1s1ms"),
        ] {
            assert_eq!(time(Tick(ms)), text);
        }
    }
}
