//! YAML as JSON values that know where they stood. Bounded: aliases, nesting, documents, size.

use crate::limits::{MAX_MANIFESTS, MAX_NESTING};
use crate::pointer::{Pointer, escape};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;
use std::collections::BTreeMap;

/// Values that aliases may add to what was written. A bomb needs far more, a shared block of settings far fewer.
const MAX_REPLAYED: usize = 100_000;
/// Aliases in one text.
const MAX_ALIASES: usize = 10_000;

/// Line and column, counted from 1.
pub(crate) type Place = (u64, u64);

/// One document of a text.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) value: Value,
    /// By JSON pointer.
    places: BTreeMap<String, Place>,
}

impl Parsed {
    /// A JSON value, of which no places are known.
    pub(crate) fn of(value: Value) -> Parsed {
        Parsed { value, places: BTreeMap::new() }
    }

    /// Where a pointer leads; for what is not there, where its nearest ancestor stands.
    pub(crate) fn place(&self, pointer: &str) -> Option<Place> {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return Some(*place);
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }
}

/// A node as the parser sees it.
enum Tree {
    Leaf(Value),
    List(Vec<Spanned<Tree>>),
    Object(Vec<(String, Spanned<Tree>)>),
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Tree;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Tree, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("the number is not finite"))?;
        Ok(Tree::Leaf(Value::Number(number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Leaf(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Leaf(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Object(entries))
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// Notes where a node stands and gives its value. Recursion is bounded by `MAX_NESTING`.
fn unwrap(node: Spanned<Tree>, at: &str, places: &mut BTreeMap<String, Place>) -> Value {
    // An alias stands where it is used, not where its value is written.
    places.insert(at.into(), (node.referenced.line(), node.referenced.column()));
    match node.value {
        Tree::Leaf(value) => value,
        Tree::List(items) => {
            let item = |(index, item)| unwrap(item, &format!("{at}/{index}"), places);
            Value::Array(items.into_iter().enumerate().map(item).collect())
        }
        Tree::Object(entries) => {
            let mut object = Map::new();
            for (key, value) in entries {
                let value = unwrap(value, &format!("{at}/{}", escape(&key)), places);
                object.insert(key, value);
            }
            Value::Object(object)
        }
    }
}

/// All documents of a text that are not empty.
pub(crate) fn parse(text: &str) -> Result<Vec<Parsed>, Pointer> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_NESTING,
            flow_nesting_limit: MAX_NESTING,
            max_documents: MAX_MANIFESTS + 1,
            max_aliases: MAX_ALIASES,
            max_anchors: MAX_ALIASES,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_REPLAYED,
            max_replay_stack_depth: MAX_NESTING,
        },
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::Error,
        strict_booleans: true,
        with_snippet: false,
    };
    let documents: Vec<Spanned<Tree>> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| {
            let (line, column) =
                error.location().map_or((None, None), |l| (Some(l.line()), Some(l.column())));
            Pointer { pointer: String::new(), detail: error.to_string(), line, column }
        })?;
    let parsed = |document| {
        let mut places = BTreeMap::new();
        let value = unwrap(document, "", &mut places);
        Parsed { value, places }
    };
    Ok(documents.into_iter().map(parsed).collect())
}
