//! The engine's closed sets of words, on the wire.

use tidegate_engine::words as engine;

macro_rules! word {
    ($name:ident, $about:literal) => {
        #[doc = $about]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub engine::$name);

        impl From<engine::$name> for $name {
            fn from(word: engine::$name) -> $name {
                $name(word)
            }
        }

        impl From<$name> for engine::$name {
            fn from(word: $name) -> engine::$name {
                word.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<$name, String> {
                engine::$name::parse(text).map($name).ok_or_else(|| {
                    let known: Vec<&str> = engine::$name::ALL.iter().map(|w| w.word()).collect();
                    format!("{} is not one of {}", crate::schema::shown(text), known.join(", "))
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.0.word())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                struct Reader;
                impl serde::de::Visitor<'_> for Reader {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        let known: Vec<&str> = engine::$name::ALL.iter().map(|w| w.word()).collect();
                        write!(f, "one of {}", known.join(", "))
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Reader)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some($about))
                    .enum_values(Some(engine::$name::ALL.iter().map(|w| w.word())))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

word!(
    Module,
    "What kind of work it is. The aliases DLC (training), DSW (notebook) and EAS (service) are understood."
);
word!(Class, "How strong a claim is: firm, then loan, then idle.");
word!(Rule, "Under which rule an account is drawn on.");
word!(EvictionRule, "Under which rule a unit was evicted.");
word!(Scope, "Whom a self-level policy reaches.");
word!(Strategy, "How a queue is worked off.");
word!(IdleUse, "Whether a training job uses idle capacity of others.");
word!(OnPreempt, "What becomes of a victim.");
word!(Mode, "What happens to work in the way when an account shrinks.");
word!(PoolKind, "What a pool is made of.");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_aliases_are_read_and_words_are_written() {
        let read = |json: &str| serde_json::from_str::<Module>(json).map_err(|e| e.to_string());
        for module in engine::Module::ALL {
            let json = serde_json::to_string(&Module(*module)).unwrap();
            assert_eq!(read(&json), Ok(Module(*module)));
        }
        assert_eq!(read("\"DLC\""), Ok(Module(engine::Module::Training)));
        assert!(read("\"dlc\"").unwrap_err().contains("is not one of training, notebook, service, task"));
        assert!(read("1").unwrap_err().contains("one of training, notebook, service, task"));
    }
}
