//! Priorities and sets of them: `4`, `6-9`, `1,3,5`.

use crate::schema::{Text, shown};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tidegate_engine::words;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

/// 1 to 9, larger is more important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Priority(pub words::Priority);

impl Default for Priority {
    fn default() -> Priority {
        Priority(words::Priority::DEFAULT)
    }
}

impl Serialize for Priority {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0.get())
    }
}

fn number<E: de::Error>(value: u64) -> Result<words::Priority, E> {
    let priority = u8::try_from(value).ok().and_then(words::Priority::new);
    priority.ok_or_else(|| E::custom(format!("priority {value} is not between 1 and 9")))
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Priority, D::Error> {
        struct Reader;
        impl de::Visitor<'_> for Reader {
            type Value = Priority;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a priority from 1 to 9")
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Priority, E> {
                number(value).map(Priority)
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Priority, E> {
                let value = u64::try_from(value);
                value.map_err(|_| E::custom("a priority is between 1 and 9")).and_then(|v| self.visit_u64(v))
            }
        }
        deserializer.deserialize_u64(Reader)
    }
}

impl utoipa::PartialSchema for Priority {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1))
            .maximum(Some(9))
            .description(Some("1 to 9, larger is more important."))
            .into()
    }
}

impl utoipa::ToSchema for Priority {}

/// A set of priorities, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Priorities(words::PrioritySet);

impl Priorities {
    /// `None` if the set is empty.
    pub fn new(set: words::PrioritySet) -> Option<Priorities> {
        (!set.is_empty()).then_some(Priorities(set))
    }

    pub fn set(self) -> words::PrioritySet {
        self.0
    }
}

fn one(text: &str) -> Option<words::Priority> {
    (text.len() == 1).then(|| text.parse().ok().and_then(words::Priority::new)).flatten()
}

fn parse(text: &str) -> Option<words::PrioritySet> {
    let mut set = words::PrioritySet::default();
    for part in text.split(',').map(str::trim) {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let (low, high) = (one(low)?, one(high)?);
        if low > high {
            return None;
        }
        set = words::PrioritySet::range(low, high).iter().fold(set, words::PrioritySet::with);
    }
    Some(set)
}

impl std::str::FromStr for Priorities {
    type Err = String;

    fn from_str(text: &str) -> Result<Priorities, String> {
        let set = (text.len() <= crate::limits::MAX_FIGURE).then(|| parse(text)).flatten();
        set.and_then(Priorities::new).ok_or_else(|| {
            format!("{} is not a set of priorities such as 4, \"6-9\" or \"1,3,5\"", shown(text))
        })
    }
}

impl std::fmt::Display for Priorities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Priorities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.lowest() {
            Some(only) if self.0.highest() == Some(only) => serializer.serialize_u8(only.get()),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Priorities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Priorities, D::Error> {
        struct Reader;
        impl de::Visitor<'_> for Reader {
            type Value = Priorities;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("priorities such as 4, \"6-9\" or \"1,3,5\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Priorities, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Priorities, E> {
                number(value).map(|p| Priorities(words::PrioritySet::default().with(p)))
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Priorities, E> {
                let value = u64::try_from(value);
                value.map_err(|_| E::custom("a priority is between 1 and 9")).and_then(|v| self.visit_u64(v))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl Text for Priorities {
    const NAME: &str = "Priorities";
    const ABOUT: &str = "A set of priorities: one, a range, or a list of both.";
    const PATTERN: &str = "^[1-9](-[1-9])?(, ?[1-9](-[1-9])?)*$";
    const EXAMPLE: &str = "6-9";
}

impl utoipa::PartialSchema for Priorities {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        let single = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(9));
        OneOfBuilder::new()
            .item(crate::schema::string::<Priorities>())
            .item(single)
            .description(Some(Priorities::ABOUT))
            .examples([Priorities::EXAMPLE])
            .into()
    }
}

impl utoipa::ToSchema for Priorities {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(json: &str) -> Result<String, String> {
        serde_json::from_str::<Priorities>(json).map(|p| p.to_string()).map_err(|e| e.to_string())
    }

    #[test]
    fn sets_are_read_as_text_and_as_a_number() {
        for (json, text) in [
            ("4", "4"),
            ("\"4\"", "4"),
            ("\"6-9\"", "6-9"),
            ("\"1,3,5\"", "1,3,5"),
            ("\"1, 2,3\"", "1-3"),
            ("\"5,5-6\"", "5-6"),
        ] {
            assert_eq!(read(json), Ok(text.into()), "{json}");
        }
        assert_eq!(serde_json::to_string(&"4".parse::<Priorities>().unwrap()).unwrap(), "4");
    }

    #[test]
    fn what_is_no_set_is_refused() {
        for json in [
            "\"\"",
            "\"0\"",
            "\"10\"",
            "\"9-6\"",
            "\"1,\"",
            "\"a\"",
            "\"1-2-3\"",
            "0",
            "10",
            "-1",
            "1.5",
            "null",
            "[1]",
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_priority_is_a_number_from_1_to_9() {
        let read = |json: &str| serde_json::from_str::<Priority>(json).map(|p| p.0.get()).ok();
        assert_eq!([read("1"), read("9")], [Some(1), Some(9)]);
        for json in ["0", "10", "-1", "256", "\"5\"", "5.5", "null"] {
            assert_eq!(read(json), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn every_set_reads_as_it_is_written(bits in 1u16..512) {
            let members = words::Priority::all().filter(|p| bits & (1 << (p.get() - 1)) != 0);
            let set = Priorities::new(members.fold(Default::default(), words::PrioritySet::with)).unwrap();
            let json = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(serde_json::from_str::<Priorities>(&json).unwrap(), set);
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = text.parse::<Priorities>();
        }
    }
}
