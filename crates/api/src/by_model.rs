//! A figure for all GPUs of a pool with one model, or one figure for each model.

use crate::limits::MAX_NAMED_MODELS;
use crate::name::Name;
use serde::de::{self, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

/// `48`, or `{"H100": 48, "A100": 16}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByModel<T> {
    /// Of the pool's only GPU model.
    One(T),
    Each(BTreeMap<Name, T>),
}

impl<T: Serialize> Serialize for ByModel<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ByModel::One(figure) => figure.serialize(serializer),
            ByModel::Each(figures) => figures.serialize(serializer),
        }
    }
}

struct Reader<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Reader<T> {
    type Value = ByModel<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number of GPUs, or an object with a number for each GPU model")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<ByModel<T>, E> {
        T::deserialize(value.into_deserializer()).map(ByModel::One)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<ByModel<T>, E> {
        T::deserialize(value.into_deserializer()).map(ByModel::One)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<ByModel<T>, E> {
        T::deserialize(value.into_deserializer()).map(ByModel::One)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<ByModel<T>, A::Error> {
        let mut figures = BTreeMap::new();
        while let Some((model, figure)) = map.next_entry::<Name, T>()? {
            if figures.len() == MAX_NAMED_MODELS {
                return Err(de::Error::custom(format!("more than {MAX_NAMED_MODELS} GPU models")));
            }
            if figures.contains_key(&model) {
                return Err(de::Error::custom(format!("the GPU model {model} is named twice")));
            }
            figures.insert(model, figure);
        }
        if figures.is_empty() {
            return Err(de::Error::custom("no GPU model is named"));
        }
        Ok(ByModel::Each(figures))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByModel<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByModel<T>, D::Error> {
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

/// The schema of such a figure.
pub(crate) fn schema<T: utoipa::PartialSchema>() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
    let each = ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(T::schema()))
        .property_names(Some(crate::schema::string::<Name>()))
        .min_properties(Some(1))
        .max_properties(Some(MAX_NAMED_MODELS));
    OneOfBuilder::new()
        .item(T::schema())
        .item(each)
        .description(Some("A number, where the pool has one GPU model, or a number for each model."))
        .examples([serde_json::json!(48), serde_json::json!({"H100": 48, "A100": 16})])
        .into()
}
