//! Numbers, durations, sizes and amounts as they are written.

use super::piece::{Piece, Placed, Unexpected};
use super::tree::Gpus;
use tidegate_engine::ids::Span;
use tidegate_engine::resources::{MAX_AMOUNT, WHOLE};

/// Longest time or duration: a hundred years, so that sums of them stay far from overflow.
pub const MAX_TIME: Span = Span(100 * 365 * 24 * 3_600 * 1_000);

/// A number without sign or fraction, of at most `max`.
pub(crate) fn count(word: Piece<'_>, what: &str, max: u64) -> Result<u64, Unexpected> {
    let wrong = || word.expected(format!("{what}, a whole number of at most {max}"));
    if word.text.is_empty() || !word.text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    word.text.parse().ok().filter(|&value| value <= max).ok_or_else(wrong)
}

/// `1h30m`, `90s`, `500ms`, `2d`: units in descending order, each at most once.
pub(crate) fn duration(word: Piece<'_>) -> Result<Span, Unexpected> {
    parse_duration(word.text)
        .ok_or_else(|| word.expected("a duration such as 90s, 1h30m or 2d, of at most 36500d"))
}

fn parse_duration(text: &str) -> Option<Span> {
    const UNITS: [(&str, u64); 5] =
        [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
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
    (!text.is_empty() && total <= MAX_TIME.0).then_some(Span(total))
}

/// A decimal in thousandths: `48`, `0.5`, `0.125`.
pub(crate) fn milli(word: Piece<'_>, what: &str, max: i64) -> Result<i64, Unexpected> {
    parse_milli(word.text).filter(|&value| value <= max).ok_or_else(|| {
        let most = max / i64::from(WHOLE);
        word.expected(format!("{what}, a number of at most {most} with up to three decimals"))
    })
}

fn parse_milli(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 3 {
        return None;
    }
    let thousandths = part.parse::<i64>().ok()? * [1_000, 100, 10, 1][part.len()];
    whole.parse::<i64>().ok()?.checked_mul(i64::from(WHOLE))?.checked_add(thousandths)
}

/// `64GiB`, `512MiB`, `1.5TiB`; `G` and `M` are short for `GiB` and `MiB`. In bytes.
pub(crate) fn size(word: Piece<'_>) -> Result<u64, Unexpected> {
    parse_size(word.text)
        .filter(|&bytes| bytes <= MAX_AMOUNT as u64)
        .ok_or_else(|| word.expected("a size such as 64GiB or 512MiB, of at most 8192TiB"))
}

fn parse_size(text: &str) -> Option<u64> {
    let number = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let unit: u64 = match &text[number..] {
        "T" | "TiB" => 1 << 40,
        "G" | "GiB" => 1 << 30,
        "M" | "MiB" => 1 << 20,
        "K" | "KiB" => 1 << 10,
        "B" => 1,
        _ => return None,
    };
    let bytes = u128::from(parse_milli(&text[..number])?.unsigned_abs()) * u128::from(unit);
    // A fraction of a byte is not a size.
    if !bytes.is_multiple_of(1_000) {
        return None;
    }
    u64::try_from(bytes / 1_000).ok()
}

/// `48`, or `H100:48,A100:16`.
pub(crate) fn gpus(word: Piece<'_>) -> Result<Gpus, Unexpected> {
    const WHAT: &str = "GPUs, such as 48 or H100:48,A100:16";
    if !word.text.contains(':') {
        return milli(word, WHAT, MAX_AMOUNT).map(Gpus::Bare);
    }
    let mut listed: Vec<(Placed<Box<str>>, i64)> = Vec::new();
    for part in word.split(',') {
        let (model, amount) = part.split_once(':').ok_or_else(|| part.expected("MODEL:GPUS"))?;
        if model.text.is_empty() {
            return Err(part.expected("MODEL:GPUS"));
        }
        if listed.iter().any(|(seen, _)| *seen.value == *model.text) {
            return Err(model.expected("every GPU model once"));
        }
        listed.push((model.owned(), milli(amount, WHAT, MAX_AMOUNT)?));
    }
    Ok(Gpus::PerModel(listed))
}

/// `6x8`: a count and GPUs, in thousandths.
pub(crate) fn replicas(word: Piece<'_>) -> Result<(u32, u32), Unexpected> {
    let (count_part, gpus) =
        word.split_once('x').ok_or_else(|| word.expected("REPLICASxGPUS, such as 4x8"))?;
    let number = count(count_part, "replicas", u64::from(u32::MAX))?;
    let gpu = milli(gpus, "GPUs of one replica", i64::from(u32::MAX))?;
    Ok((number as u32, gpu as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ms) in
            [("0s", 0), ("90s", 90_000), ("1h30m", 5_400_000), ("500ms", 500), ("2d", 172_800_000)]
        {
            assert_eq!(parse_duration(text), Some(Span(ms)), "{text}");
        }
        for text in ["", "5", "s", "1h1h", "1m1h", "-1s", "1.5h", "99999999999999999999s", "36501d", "1H"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!(parse_duration("36500d"), Some(MAX_TIME));
    }

    #[test]
    fn decimals() {
        for (text, value) in [("48", 48_000), ("0.5", 500), ("0.125", 125), ("3.0", 3_000)] {
            assert_eq!(parse_milli(text), Some(value), "{text}");
        }
        for text in ["", ".5", "5.", "-1", "+1", "1e3", "0.0001", "99999999999999999999", "1.2.3"] {
            assert_eq!(parse_milli(text), None, "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [("64GiB", 64 << 30), ("512M", 512 << 20), ("1.5TiB", 3 << 39), ("7B", 7)] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in
            ["", "64", "GiB", "64GB", "-1G", "0.001B", "99999999999999999999G", "9223372036854775807T"]
        {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
