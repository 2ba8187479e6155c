//! GPUs and cores: decimals with at most three places, kept as whole thousandths.

use crate::limits::MAX_WHOLE;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tidegate_engine::amounts::Amount;
use tidegate_engine::resources::WHOLE;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// Largest amount, in thousandths.
const MOST: i64 = MAX_WHOLE * WHOLE as i64;

/// Reads `48`, `0.5`, `0.125`; a sign is refused.
pub(crate) fn parse_milli(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 3 {
        return None;
    }
    let thousandths = part.parse::<i64>().ok()? * [1_000, 100, 10, 1][part.len()];
    let milli = whole.parse::<i64>().ok()?.checked_mul(i64::from(WHOLE))?.checked_add(thousandths)?;
    (milli <= MOST).then_some(milli)
}

/// Thousandths as a JSON number: whole if it is one.
pub(crate) fn write_milli<S: Serializer>(milli: i64, serializer: S) -> Result<S::Ok, S::Error> {
    if milli % i64::from(WHOLE) == 0 {
        return serializer.serialize_i64(milli / i64::from(WHOLE));
    }
    serializer.serialize_f64(milli as f64 / f64::from(WHOLE))
}

pub(crate) struct MilliReader {
    pub(crate) what: &'static str,
}

impl MilliReader {
    fn wrong<E: de::Error>(&self, shown: impl std::fmt::Display) -> E {
        E::custom(format!("{shown} is not {}, 0 to {MAX_WHOLE} with up to three decimals", self.what))
    }
}

impl de::Visitor<'_> for MilliReader {
    type Value = i64;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, as a number with up to three decimals", self.what)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<i64, E> {
        let milli = i64::try_from(value).ok().and_then(|v| v.checked_mul(i64::from(WHOLE)));
        milli.filter(|&m| m <= MOST).ok_or_else(|| self.wrong(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<i64, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(self.wrong(value)),
        }
    }

    /// The shortest form of a double is the decimal that was written, so no rounding is involved.
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<i64, E> {
        // Above this, doubles have no decimals and their digits are long.
        let in_range = (0.0..=MOST as f64).contains(&value);
        let milli = in_range.then(|| parse_milli(&value.abs().to_string())).flatten();
        milli.ok_or_else(|| self.wrong(value))
    }
}

macro_rules! decimal {
    ($(#[$doc:meta])* $name:ident, $what:literal, $about:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(i64);

        impl $name {
            pub const ZERO: $name = $name(0);

            /// `None` if it is negative or absurdly large.
            pub fn from_milli(milli: i64) -> Option<$name> {
                (0..=MOST).contains(&milli).then_some($name(milli))
            }

            /// The amount itself, or the bound that is nearest.
            pub(crate) fn nearest(milli: i64) -> $name {
                $name(milli.clamp(0, MOST))
            }

            pub const fn whole(count: u32) -> $name {
                $name(count as i64 * WHOLE as i64)
            }

            /// Thousandths.
            pub fn milli(self) -> i64 {
                self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<$name, String> {
                parse_milli(text).map($name).ok_or_else(|| {
                    let shown = crate::schema::shown(text);
                    format!("{shown} is not {}, 0 to {MAX_WHOLE} with up to three decimals", $what)
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&Amount::milli(self.0))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                write_milli(self.0, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                deserializer.deserialize_any(MilliReader { what: $what }).map($name)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                number($about).into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

fn number(about: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Number)
        .minimum(Some(0))
        .maximum(Some(MAX_WHOLE))
        .multiple_of(Some(0.001))
        .description(Some(about))
        .examples([serde_json::json!(8), serde_json::json!(0.5)])
        .build()
}

decimal!(
    /// GPUs, in thousandths.
    Gpus,
    "a number of GPUs",
    "GPUs, with up to three decimals: 0.5 is half of one device."
);
decimal!(
    /// CPU cores, in thousandths.
    Cores,
    "a number of cores",
    "CPU cores, with up to three decimals."
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(json: &str) -> Result<i64, String> {
        serde_json::from_str::<Gpus>(json).map(Gpus::milli).map_err(|e| e.to_string())
    }

    #[test]
    fn decimals_are_exact() {
        for (json, milli) in [
            ("48", 48_000),
            ("0.5", 500),
            ("0.125", 125),
            ("0.1", 100),
            ("2.0", 2_000),
            ("0", 0),
            ("-0.0", 0),
            ("1e3", 1_000_000),
            ("1000000000", MOST),
            ("999999999.999", MOST - 1),
        ] {
            assert_eq!(read(json), Ok(milli), "{json}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for json in [
            "-1",
            "-0.5",
            "0.0005",
            "1.2345",
            "1000000000.001",
            "1000000001",
            "1e300",
            "18446744073709551615",
        ] {
            assert!(read(json).unwrap_err().contains("with up to three decimals"), "{json}");
        }
        for json in ["\"1\"", "null", "true", "[1]", "{}"] {
            assert!(read(json).unwrap_err().contains("expected a number of GPUs"), "{json}");
        }
    }

    proptest! {
        #[test]
        fn every_amount_reads_as_it_is_written(milli in 0..=MOST) {
            let gpus = Gpus(milli);
            prop_assert_eq!(read(&serde_json::to_string(&gpus).unwrap()), Ok(milli));
            prop_assert_eq!(gpus.to_string().parse::<Gpus>(), Ok(gpus));
        }

        #[test]
        fn no_number_panics(value in any::<f64>(), text in ".{0,40}") {
            let reader = MilliReader { what: "a number" };
            let _: Result<i64, de::value::Error> = de::Visitor::visit_f64(reader, value);
            let _ = text.parse::<Cores>();
        }
    }
}
