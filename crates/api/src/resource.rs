//! What all resources have in common: the envelope, metadata, lists.

use crate::body::{Check, Wrong};
use crate::limits::{MAX_LABEL_VALUE, MAX_LABELS};
use crate::name::Name;
use crate::pointer::escape;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The version of the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ApiVersion {
    #[default]
    #[serde(rename = "tidegate.dev/v1")]
    V1,
}

/// Keys and values that people attach to find things again. Keys are names, values have at most 253 characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = BTreeMap<String, String>, examples(json!({"project": "atlas"})))]
pub struct Labels(pub BTreeMap<Name, String>);

impl Labels {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Check for Labels {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("", self.0.len(), MAX_LABELS, "labels");
        for (key, value) in &self.0 {
            let at = format!("/{}", escape(key));
            wrong.bound(&at, value.chars().count(), MAX_LABEL_VALUE, "characters of a label");
        }
    }
}

/// Who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    pub name: Name,
    /// Never used again, also when the name is.
    pub uid: String,
    pub created_at: Time,
    /// Changes with every change; also the ETag, and what `If-Match` is compared to.
    pub version: String,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
}

/// Who it shall be. What a server has answered may be sent back: `uid` and `createdAt` are ignored, `version` is
/// taken as `If-Match`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"name": "Quota1.1"})))]
pub struct NewMetadata {
    pub name: Name,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl NewMetadata {
    pub fn named(name: Name) -> NewMetadata {
        NewMetadata { name, labels: Labels::default(), uid: None, created_at: None, version: None }
    }
}

impl Check for NewMetadata {
    fn check(&self, wrong: &mut Wrong) {
        wrong.below("/labels", &self.labels);
    }
}

/// The status of a resource that is sent back as it was read: accepted and ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored;

impl<'de> Deserialize<'de> for Ignored {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Ignored, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Ignored)
    }
}

impl Serialize for Ignored {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// A resource as it is read, as it is sent, and a page of it.
macro_rules! resource {
    (
        $(#[$about:meta])* $name:ident { kind: $kind:ident, spec: $spec:ident, status: $status:ident }
        $(#[$new_about:meta])* $new:ident { $(#[$optional:meta])* metadata: $metadata:ident }
        $list:ident
    ) => {
        #[doc = "The kind of this resource."]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        pub enum $kind {
            #[default]
            $name,
        }

        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        $(#[$about])*
        pub struct $name {
            pub api_version: $crate::resource::ApiVersion,
            pub kind: $kind,
            pub metadata: $crate::resource::Metadata,
            /// What is wanted.
            pub spec: $spec,
            /// What is seen.
            pub status: $status,
        }

        impl $name {
            pub fn new(metadata: $crate::resource::Metadata, spec: $spec, status: $status) -> $name {
                $name { api_version: Default::default(), kind: Default::default(), metadata, spec, status }
            }
        }

        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        $(#[$new_about])*
        pub struct $new {
            #[serde(default)]
            pub api_version: $crate::resource::ApiVersion,
            #[serde(default)]
            pub kind: $kind,
            $(#[$optional])*
            pub metadata: $metadata,
            pub spec: $spec,
            /// May be sent back as it was read, and is ignored.
            #[serde(default, skip_serializing)]
            #[schema(value_type = Option<Object>)]
            pub status: Option<$crate::resource::Ignored>,
        }

        impl $new {
            pub fn new(metadata: $metadata, spec: $spec) -> $new {
                $new { api_version: Default::default(), kind: Default::default(), metadata, spec, status: None }
            }
        }

        impl $crate::body::Check for $new {
            fn check(&self, wrong: &mut $crate::body::Wrong) {
                wrong.below("/metadata", &self.metadata);
                wrong.below("/spec", &self.spec);
            }
        }

        /// A page of them.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $list {
            pub items: Vec<$name>,
            /// Give this as `pageToken` to get the next page; absent on the last.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub next_page_token: Option<$crate::page::PageToken>,
        }
    };
}

pub(crate) use resource;

/// Pointers to what differs between two values: the fields to name when a change is not possible.
pub fn differences(before: &impl Serialize, after: &impl Serialize) -> Vec<String> {
    let mut found = Vec::new();
    if let (Ok(before), Ok(after)) = (serde_json::to_value(before), serde_json::to_value(after)) {
        collect(&before, &after, String::new(), &mut found);
    }
    found
}

fn collect(before: &serde_json::Value, after: &serde_json::Value, at: String, found: &mut Vec<String>) {
    use serde_json::Value::Object;
    match (before, after) {
        (Object(a), Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let null = serde_json::Value::Null;
                let (a, b) = (a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null));
                collect(a, b, format!("{at}/{}", escape(key)), found);
            }
        }
        (a, b) if a != b => found.push(at),
        _ => {}
    }
}
