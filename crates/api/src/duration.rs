//! Lengths of time as people write them: `30s`, `1h30m`, `2d`.

use crate::limits::{MAX_DURATION, MAX_FIGURE};
use crate::schema::{Text, shown, text_type};
use tidegate_engine::ids::Span;

const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A length of time, exact to the millisecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration(Span);

impl Duration {
    /// The duration of a span that the engine accepted; longer ones become the longest.
    pub fn of(span: Span) -> Duration {
        Duration(span.min(MAX_DURATION))
    }

    pub fn span(self) -> Span {
        self.0
    }
}

impl From<Duration> for Span {
    fn from(d: Duration) -> Span {
        d.0
    }
}

/// Units in descending order, each at most once.
fn parse(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut units = &UNITS[..];
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let letters = rest[digits..].bytes().take_while(u8::is_ascii_lowercase).count();
        let value: u64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..digits + letters];
        let place = units.iter().position(|(name, _)| *name == unit)?;
        total = total.checked_add(value.checked_mul(units[place].1)?)?;
        units = &units[place + 1..];
        rest = &rest[digits + letters..];
    }
    Some(total)
}

impl std::str::FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Duration, String> {
        let short = !text.is_empty() && text.len() <= MAX_FIGURE;
        match short.then(|| parse(text)).flatten() {
            Some(ms) if ms <= MAX_DURATION.0 => Ok(Duration(Span(ms))),
            Some(_) => Err(format!("{} is longer than 36500d", shown(text))),
            None => Err(format!(
                "{} is not a duration such as \"90s\", \"1h30m\" or \"2d\" of at most 36500d",
                shown(text)
            )),
        }
    }
}

impl std::fmt::Display for Duration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.0.0;
        if rest == 0 {
            return f.write_str("0s");
        }
        for (unit, length) in UNITS {
            if rest >= length {
                write!(f, "{}{unit}", rest / length)?;
                rest %= length;
            }
        }
        Ok(())
    }
}

text_type!(Duration);

impl Text for Duration {
    const NAME: &str = "Duration";
    const ABOUT: &str =
        "A length of time: days, hours, minutes, seconds, milliseconds, in this order, at most 36500d.";
    const PATTERN: &str = "^(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$";
    const EXAMPLE: &str = "1h30m";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(text: &str) -> Result<u64, String> {
        text.parse::<Duration>().map(|d| d.span().0)
    }

    #[test]
    fn durations_are_read() {
        for (text, expected) in [
            ("30s", 30_000),
            ("1h30m", 5_400_000),
            ("2d", 172_800_000),
            ("0s", 0),
            ("250ms", 250),
            ("1m5ms", 60_005),
            ("36500d", MAX_DURATION.0),
        ] {
            assert_eq!(ms(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_an_example() {
        let long = "9".repeat(400);
        for text in [
            "",
            "30",
            "s",
            "-1s",
            "1.5h",
            "30m1h",
            "1s1s",
            "1 h",
            "1H",
            "1w",
            "ä",
            "99999999999999999d",
            &long,
        ] {
            assert!(ms(text).unwrap_err().contains("such as \"90s\""), "{text:?}");
        }
        assert!(ms("36500d1ms").unwrap_err().contains("longer than"));
    }

    proptest! {
        #[test]
        fn every_duration_reads_as_it_is_written(value in 0..=MAX_DURATION.0) {
            prop_assert_eq!(ms(&Duration(Span(value)).to_string()), Ok(value));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = text.parse::<Duration>();
        }
    }
}
