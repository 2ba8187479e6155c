//! Amounts as people write them: `0.5`, `8 GPUs`, `16 GiB`.

use crate::resources::{Dimension, Resources, WHOLE};

/// One amount in its dimension.
#[derive(Clone, Copy, Debug)]
pub struct Amount<'a> {
    pub dimension: Dimension,
    pub value: i64,
    pub models: &'a [Box<str>],
}

impl Amount<'_> {
    /// Thousandths without trailing zeros: 500 is `0.5`, 8000 is `8`.
    pub fn milli(value: i64) -> String {
        let sign = if value < 0 { "-" } else { "" };
        let (whole, part) = (value.unsigned_abs() / 1_000, value.unsigned_abs() % 1_000);
        if part == 0 {
            return format!("{sign}{whole}");
        }
        format!("{sign}{whole}.{}", format!("{part:03}").trim_end_matches('0'))
    }

    /// Bytes in the largest binary unit that divides them, or with two decimals.
    pub fn bytes(value: i64) -> String {
        const UNITS: [(&str, u64); 4] =
            [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        let sign = if value < 0 { "-" } else { "" };
        let size = value.unsigned_abs();
        for (unit, bytes) in UNITS {
            if size >= bytes && size.is_multiple_of(bytes) {
                return format!("{sign}{} {unit}", size / bytes);
            }
        }
        match UNITS.iter().find(|(_, bytes)| size >= *bytes) {
            Some((unit, bytes)) => {
                let hundredths = (u128::from(size) * 100 / u128::from(*bytes)) as u64;
                format!("{sign}{}.{:02} {unit}", hundredths / 100, hundredths % 100)
            }
            None => format!("{sign}{size} B"),
        }
    }

    /// Whether it reads as one thing, not several.
    pub fn is_one(dimension: Dimension, value: i64) -> bool {
        dimension != Dimension::MEMORY && value == i64::from(WHOLE)
    }

    /// `GPUs`, or `A100 GPUs` where the pool has several models.
    pub fn name(dimension: Dimension, models: &[Box<str>]) -> String {
        match dimension.model() {
            Some(m) if models.len() > 1 => {
                format!("{} GPUs", models.get(m.index()).map_or("unknown", |n| n))
            }
            Some(_) => "GPUs".into(),
            None if dimension == Dimension::CPU => "cores".into(),
            None => "memory".into(),
        }
    }
}

impl std::fmt::Display for Amount<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.dimension == Dimension::MEMORY {
            return f.write_str(&Amount::bytes(self.value));
        }
        let name = Amount::name(self.dimension, self.models);
        let name =
            if Amount::is_one(self.dimension, self.value) { name.trim_end_matches('s') } else { &name };
        write!(f, "{} {name}", Amount::milli(self.value))
    }
}

/// All amounts of `r` in the dimensions that `of` states, for a sentence.
pub fn amounts(r: &Resources, of: &Resources, models: &[Box<str>]) -> String {
    let parts: Vec<String> =
        of.stated().map(|(d, _)| Amount { dimension: d, value: r[d], models }.to_string()).collect();
    if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
}

/// Thousandths of a GPU times milliseconds, in GPU-hours from one hour on.
pub fn gpu_time(work: u128) -> String {
    const SECOND: u128 = 1_000_000;
    const HOUR: u128 = 3_600 * SECOND;
    let (unit, name) = if work >= HOUR { (HOUR, "GPU-hours") } else { (SECOND, "GPU-seconds") };
    let thousandths = work.saturating_mul(1_000) / unit;
    let value = i64::try_from(thousandths).unwrap_or(i64::MAX);
    format!("{} {name}", Amount::milli(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_as_people_write_them() {
        assert_eq!(Amount::milli(500), "0.5");
        assert_eq!(Amount::milli(8_000), "8");
        assert_eq!(Amount::milli(-1_250), "-1.25");
        assert_eq!(Amount::bytes(2 << 30), "2 GiB");
        assert_eq!(Amount::bytes(3 << 29), "1536 MiB");
        assert_eq!(Amount::bytes((1 << 30) + 1), "1.00 GiB");
        assert_eq!(Amount::bytes(12), "12 B");
        let gpus = |value| Amount { dimension: Dimension(0), value, models: &[] }.to_string();
        assert_eq!([gpus(500), gpus(1_000), gpus(8_000)], ["0.5 GPUs", "1 GPU", "8 GPUs"]);
    }
}
