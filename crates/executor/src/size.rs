//! Bytes in words.

const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/// `2 GiB`, `1.5 GiB`, `700 bytes`: with one decimal at most.
pub fn in_words(bytes: u64) -> String {
    let unit = (0..UNITS.len()).rev().find(|unit| bytes >> (10 * unit) > 0).unwrap_or(0);
    let tenths = (u128::from(bytes) * 10) >> (10 * unit);
    match tenths % 10 {
        0 => format!("{} {}", tenths / 10, UNITS[unit]),
        tenth => format!("{}.{tenth} {}", tenths / 10, UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_in_their_largest_unit() {
        let cases = [
            (0, "0 bytes"),
            (700, "700 bytes"),
            (1 << 20, "1 MiB"),
            (3 << 29, "1.5 GiB"),
            (2 << 30, "2 GiB"),
        ];
        for (bytes, words) in cases {
            assert_eq!(in_words(bytes), words);
        }
        assert_eq!(in_words(u64::MAX), "16777215.9 TiB");
    }
}
