//! Sizes of memory: `16Gi`, `512Mi`, or bytes.

use crate::limits::MAX_FIGURE;
use crate::schema::{Text, shown};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tidegate_engine::resources::MAX_AMOUNT;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

const UNITS: [(&str, u64); 5] =
    [("Pi", 1 << 50), ("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)];

/// Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Memory(u64);

impl Memory {
    pub fn new(bytes: u64) -> Result<Memory, String> {
        if bytes > MAX_AMOUNT as u64 {
            return Err(format!("{bytes} bytes are more than 8Pi"));
        }
        Ok(Memory(bytes))
    }

    pub fn bytes(self) -> u64 {
        self.0
    }

    /// Bytes as the engine keeps amounts.
    pub fn amount(self) -> i64 {
        // At most `MAX_AMOUNT`.
        self.0 as i64
    }
}

/// `1.5Gi` is 1536 MiB; a fraction of a byte is not a size.
fn parse(text: &str) -> Option<u128> {
    let number = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let unit = match text[number..].strip_suffix('B').unwrap_or(&text[number..]) {
        "" => 1,
        suffix => UNITS.iter().find(|(name, _)| *name == suffix)?.1,
    };
    let (whole, part) = text[..number].split_once('.').unwrap_or((&text[..number], "0"));
    let digits = |s: &str| !s.is_empty() && s.len() <= 18 && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    // Up to 36 digits in all: far below the largest 128-bit number, which has 39; the unit is applied piecewise.
    let scale = 10u128.pow(part.len() as u32);
    let fraction = part.parse::<u128>().ok()? * u128::from(unit);
    if !fraction.is_multiple_of(scale) {
        return None;
    }
    (whole.parse::<u128>().ok()?).checked_mul(u128::from(unit))?.checked_add(fraction / scale)
}

impl std::str::FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Memory, String> {
        let short = text.len() <= MAX_FIGURE;
        match short.then(|| parse(text)).flatten() {
            Some(bytes) => Memory::new(u64::try_from(bytes).unwrap_or(u64::MAX))
                .map_err(|_| format!("{} is more than 8Pi", shown(text))),
            None => {
                Err(format!("{} is not a size such as \"16Gi\", \"512Mi\" or a number of bytes", shown(text)))
            }
        }
    }
}

/// In the largest unit that divides it: `16Gi`, `1536Mi`, `1000`.
impl std::fmt::Display for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match UNITS.iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit)) {
            Some((name, unit)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Serialize for Memory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Memory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Memory, D::Error> {
        struct Reader;
        impl de::Visitor<'_> for Reader {
            type Value = Memory;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a size such as \"16Gi\" or a number of bytes")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Memory, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Memory, E> {
                Memory::new(bytes).map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Memory, E> {
                let bytes = u64::try_from(bytes).map_err(|_| E::custom("a size is not negative"))?;
                self.visit_u64(bytes)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl Text for Memory {
    const NAME: &str = "Memory";
    const ABOUT: &str = "A size of memory, at most 8Pi: with a binary unit, or in bytes.";
    const PATTERN: &str = "^[0-9]{1,18}(\\.[0-9]{1,18})?([KMGTP]i)?B?$";
    const EXAMPLE: &str = "16Gi";
}

impl utoipa::PartialSchema for Memory {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        let bytes =
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).maximum(Some(MAX_AMOUNT));
        let text = crate::schema::string::<Memory>();
        OneOfBuilder::new()
            .item(text)
            .item(bytes)
            .description(Some(Memory::ABOUT))
            .examples([Memory::EXAMPLE])
            .into()
    }
}

impl utoipa::ToSchema for Memory {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(text: &str) -> Result<u64, String> {
        text.parse::<Memory>().map(Memory::bytes)
    }

    #[test]
    fn sizes_are_read() {
        for (text, expected) in [
            ("16Gi", 16 << 30),
            ("16GiB", 16 << 30),
            ("512Mi", 512 << 20),
            ("1.5Gi", 3 << 29),
            ("1000", 1_000),
            ("1000B", 1_000),
            ("0", 0),
            ("8Pi", MAX_AMOUNT as u64),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused_with_an_example() {
        let long = "9".repeat(400);
        for text in
            ["", "Gi", "16G", "16gi", "-1", "1.", ".5Gi", "0.3Ki", "1e3", "1 Gi", "ä", "1.2.3Gi", &long]
        {
            assert!(bytes(text).unwrap_err().contains("such as \"16Gi\""), "{text:?}");
        }
        assert!(bytes("9007199254740993").unwrap_err().contains("more than 8Pi"));
        assert!(bytes("999999999999999999Pi").unwrap_err().contains("more than 8Pi"));
    }

    #[test]
    fn bytes_may_be_a_number() {
        let read = |json: &str| serde_json::from_str::<Memory>(json).map_err(|e| e.to_string());
        assert_eq!(read("1024"), Ok(Memory(1_024)));
        assert_eq!(read("\"1Ki\""), Ok(Memory(1_024)));
        for bad in ["-1", "1.5", "null", "[]", "9007199254740993", "18446744073709551615", "1e30", "true"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_size_reads_as_it_is_written(value in 0..=MAX_AMOUNT as u64, unit in 0..5u32) {
            let value = value >> (10 * unit) << (10 * unit);
            prop_assert_eq!(bytes(&Memory(value).to_string()), Ok(value));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = text.parse::<Memory>();
        }
    }
}
