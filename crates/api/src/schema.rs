//! How values that are written as text or as a number appear in JSON and in the OpenAPI document.

/// What the document says about a value that is written as text.
pub trait Text {
    const NAME: &str;
    const ABOUT: &str;
    const PATTERN: &str;
    const EXAMPLE: &str;
}

/// JSON and schema of a type that reads by `FromStr` and writes by `Display`.
macro_rules! text_type {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Reader;
                impl serde::de::Visitor<'_> for Reader {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        let example = <$name as $crate::schema::Text>::EXAMPLE;
                        write!(f, "text such as {example:?}")
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Reader)
            }
        }

        $crate::schema::text_schema!($name);
    };
}

/// The schema alone, for types that also read something else.
macro_rules! text_schema {
    ($name:ident) => {
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                $crate::schema::string::<$name>().into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                <$name as $crate::schema::Text>::NAME.into()
            }
        }
    };
}

pub(crate) use {text_schema, text_type};

use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// A string with pattern and example.
pub(crate) fn string<T: Text>() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(T::ABOUT))
        .pattern(Some(T::PATTERN))
        .examples([T::EXAMPLE])
        .build()
}

/// `more than LIMIT`, cut to a length that is fit for an error.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{:?}...", &text[..at]),
        None => format!("{text:?}"),
    }
}
