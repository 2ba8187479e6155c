//! Manifests: resources in YAML (one or many documents) or JSON.

use crate::bill::NewPriceBook;
use crate::body::{Check, Wrong};
use crate::limits::{MAX_BODY, MAX_MANIFESTS, MAX_NESTING, MAX_POINTERS};
use crate::name::Name;
use crate::pointer::{Pointer, of_path};
use crate::pool::NewPool;
use crate::problem::{Code, Problem};
use crate::quota::NewQuota;
use crate::template::NewTemplate;
use crate::workload::NewWorkload;
use crate::workspace::NewWorkspace;
use crate::yaml::{self, Parsed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;

/// What a manifest may be about.
pub const KINDS: [&str; 6] = ["Pool", "Quota", "Workspace", "Workload", "PriceBook", "Template"];
/// The version that every manifest states.
pub const API_VERSION: &str = "tidegate.dev/v1";

/// One resource that shall be as it is described.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(discriminator(
    property_name = "kind",
    mapping(
        ("Pool" = "#/components/schemas/NewPool"),
        ("Quota" = "#/components/schemas/NewQuota"),
        ("Workspace" = "#/components/schemas/NewWorkspace"),
        ("Workload" = "#/components/schemas/NewWorkload"),
        ("PriceBook" = "#/components/schemas/NewPriceBook"),
        ("Template" = "#/components/schemas/NewTemplate")
    )
))]
pub enum Manifest {
    Pool(NewPool),
    Quota(NewQuota),
    Workspace(NewWorkspace),
    Workload(NewWorkload),
    PriceBook(NewPriceBook),
    Template(NewTemplate),
}

/// Body of `POST /apply` in JSON. In YAML the body is the documents themselves.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyRequest {
    #[schema(min_items = 1, max_items = 1000)]
    pub manifests: Vec<Manifest>,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Yaml,
    /// One manifest, a list of them, or `{"manifests": [...]}`.
    Json,
}

impl Manifest {
    pub fn kind(&self) -> &'static str {
        match self {
            Manifest::Pool(_) => KINDS[0],
            Manifest::Quota(_) => KINDS[1],
            Manifest::Workspace(_) => KINDS[2],
            Manifest::Workload(_) => KINDS[3],
            Manifest::PriceBook(_) => KINDS[4],
            Manifest::Template(_) => KINDS[5],
        }
    }

    /// Every manifest has one; reading sees to that.
    pub fn name(&self) -> Option<&Name> {
        match self {
            Manifest::Pool(pool) => Some(&pool.metadata.name),
            Manifest::Quota(quota) => Some(&quota.metadata.name),
            Manifest::Workspace(workspace) => Some(&workspace.metadata.name),
            Manifest::Workload(workload) => workload.metadata.name.as_ref(),
            Manifest::PriceBook(book) => Some(&book.metadata.name),
            Manifest::Template(template) => Some(&template.metadata.name),
        }
    }
}

impl Check for Manifest {
    fn check(&self, wrong: &mut Wrong) {
        match self {
            Manifest::Pool(pool) => pool.check(wrong),
            Manifest::Quota(quota) => quota.check(wrong),
            Manifest::Workspace(workspace) => workspace.check(wrong),
            Manifest::PriceBook(book) => book.check(wrong),
            Manifest::Template(template) => template.check(wrong),
            Manifest::Workload(workload) => {
                workload.check(wrong);
                if workload.metadata.name.is_none() {
                    wrong.add(
                        "/metadata",
                        "a manifest names its workload, so that applying it twice is no harm",
                    );
                }
            }
        }
    }
}

/// Reads all manifests of a text. All of them are read before anything is reported, so one look mends all.
pub fn read(text: &[u8], format: Format) -> Result<Vec<Manifest>, Problem> {
    if text.len() > MAX_BODY {
        let detail = format!("{} bytes are more than {MAX_BODY}", text.len());
        return Err(Problem::new(Code::BodyTooLarge, detail));
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let detail = format!("byte {} is not UTF-8", error.valid_up_to() + 1);
        Problem::new(Code::MalformedBody, detail).hint("save the text as UTF-8")
    })?;
    let (documents, prefix) = match format {
        Format::Yaml => (yaml::parse(text).map_err(malformed)?, None),
        Format::Json => json(text)?,
    };
    match documents.len() {
        0 => return Err(Problem::new(Code::MalformedBody, "there is no manifest in the text")),
        count if count > MAX_MANIFESTS => {
            let detail = format!("{count} manifests are more than {MAX_MANIFESTS}");
            return Err(Problem::new(Code::LimitExceeded, detail).hint("apply them in several parts"));
        }
        _ => {}
    }
    let mut manifests = Vec::with_capacity(documents.len());
    let mut first: Option<Problem> = None;
    for (index, document) in documents.iter().enumerate() {
        let problem = match manifest(document) {
            Ok(manifest) => {
                manifests.push(manifest);
                continue;
            }
            Err(problem) => problem,
        };
        let problem = match &prefix {
            None => placed(problem, document, index, documents.len()),
            // JSON is YAML, near enough to find the place of what is wrong.
            Some(prefix) => {
                let problem = problem.within(&prefix.replace('*', &index.to_string()));
                let whole = yaml::parse(text).ok().and_then(|mut d| d.pop());
                placed(problem, whole.as_ref().unwrap_or(document), index, documents.len())
            }
        };
        match &mut first {
            None => first = Some(problem),
            Some(first) if first.pointers.len() < MAX_POINTERS => first.pointers.extend(problem.pointers),
            Some(_) => break,
        }
    }
    match first {
        None => Ok(manifests),
        Some(mut problem) => {
            problem.pointers.truncate(MAX_POINTERS);
            Err(problem)
        }
    }
}

/// Says which document it is, and where in the text.
fn placed(mut problem: Problem, document: &Parsed, index: usize, of: usize) -> Problem {
    for pointer in &mut problem.pointers {
        (pointer.line, pointer.column) = document
            .place(&pointer.pointer)
            .map_or((None, None), |(line, column)| (Some(line), Some(column)));
        if of > 1 {
            pointer.detail = format!("manifest {}: {}", index + 1, pointer.detail);
        }
    }
    let place =
        problem.pointers.first().and_then(|p| Some(format!("line {}, column {}: ", p.line?, p.column?)));
    let number = if of > 1 { format!("manifest {}, ", index + 1) } else { String::new() };
    problem.detail = match place {
        Some(place) => format!("{number}{place}{}", problem.detail),
        None if of > 1 => format!("manifest {}: {}", index + 1, problem.detail),
        None => problem.detail,
    };
    problem
}

fn malformed(pointer: Pointer) -> Problem {
    let detail = match (pointer.line, pointer.column) {
        // The parser's own text ends with the place.
        (Some(line), Some(column)) if !pointer.detail.contains("line") => {
            format!("the text is not YAML: line {line}, column {column}: {}", pointer.detail)
        }
        _ => format!("the text is not YAML: {}", pointer.detail),
    };
    let mut problem = Problem::new(Code::MalformedBody, detail);
    problem.pointers.push(pointer);
    problem
}

/// The documents of a JSON text, and the pointer to each, with `*` for its number.
fn json(text: &str) -> Result<(Vec<Parsed>, Option<String>), Problem> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Problem::new(Code::MalformedBody, format!("the body is not JSON: {error}")))?;
    let (list, prefix) = match value {
        Value::Array(list) => (list, "/*"),
        Value::Object(mut object) if object.contains_key("manifests") => {
            if let Some(other) = object.keys().find(|key| *key != "manifests") {
                let detail = format!("unknown field `{other}`, expected `manifests`");
                return Err(invalid(&format!("/{}", crate::pointer::escape(other)), detail));
            }
            match object.remove("manifests") {
                Some(Value::Array(list)) => (list, "/manifests/*"),
                _ => return Err(invalid("/manifests", "expected a list of manifests".into())),
            }
        }
        single => return Ok((vec![Parsed::of(single)], Some(String::new()))),
    };
    Ok((list.into_iter().map(Parsed::of).collect(), Some(prefix.into())))
}

fn invalid(pointer: &str, detail: String) -> Problem {
    Problem::new(Code::Invalid, detail).at(pointer)
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(object) => 1 + object.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// One document as a manifest, read and checked.
fn manifest(document: &Parsed) -> Result<Manifest, Problem> {
    let Value::Object(object) = &document.value else {
        return Err(invalid("", "a manifest is an object with apiVersion, kind, metadata and spec".into()));
    };
    // JSON texts may nest up to the parser's own limit, which is larger.
    let nesting = depth(&document.value);
    if nesting > MAX_NESTING {
        return Err(invalid("", format!("{nesting} levels of nesting are more than {MAX_NESTING}")));
    }
    match object.get("apiVersion") {
        Some(Value::String(version)) if version == API_VERSION => {}
        Some(other) => return Err(unknown("apiVersion", other, &[API_VERSION])),
        None => return Err(invalid("", format!("missing field `apiVersion`, which is {API_VERSION}"))),
    }
    let manifest = match object.get("kind") {
        Some(Value::String(kind)) if kind == KINDS[0] => Manifest::Pool(typed(&document.value)?),
        Some(Value::String(kind)) if kind == KINDS[1] => Manifest::Quota(typed(&document.value)?),
        Some(Value::String(kind)) if kind == KINDS[2] => Manifest::Workspace(typed(&document.value)?),
        Some(Value::String(kind)) if kind == KINDS[3] => Manifest::Workload(typed(&document.value)?),
        Some(Value::String(kind)) if kind == KINDS[4] => Manifest::PriceBook(typed(&document.value)?),
        Some(Value::String(kind)) if kind == KINDS[5] => Manifest::Template(typed(&document.value)?),
        Some(other) => return Err(unknown("kind", other, &KINDS)),
        None => return Err(invalid("", format!("missing field `kind`, one of {}", KINDS.join(", ")))),
    };
    crate::body::check(&manifest)?;
    Ok(manifest)
}

fn unknown(field: &str, found: &Value, known: &[&str]) -> Problem {
    let found = crate::schema::shown(&found.as_str().map_or_else(|| found.to_string(), String::from));
    let detail = format!("{field} {found} is not known; known are {}", known.join(", "));
    Problem::new(Code::UnknownKind, detail).at(format!("/{field}"))
}

fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let pointer = of_path(error.path());
        let detail = crate::body::in_words(&error.into_inner().to_string());
        let hint = "mend the field that the pointer names";
        // A plain word of YAML that looks like a number is one.
        let quote = detail.starts_with("invalid type: integer") && detail.contains("expected")
            || detail.starts_with("invalid type: floating point") && detail.contains("string");
        let hint = if quote { "put it into quotes if it is meant as text" } else { hint };
        Problem::invalid(vec![Pointer::new(pointer, detail.clone())])
            .unwrap_or_else(|| Problem::new(Code::Invalid, detail))
            .hint(hint)
    })
}
