//! Pages of docs/reference that are made from the code: the configuration file and the routes.

use serde_json::Value;
use std::fmt::Write;
use tidegate_server::config::DOCUMENTED;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A page is what the code says; UPDATE=1 writes it.
#[track_caller]
fn holds(page: &str, made: &str) {
    let file = format!("{ROOT}/docs/reference/{page}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, made).expect("the page can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = kept.lines().zip(made.lines()).position(|(a, b)| a != b).map(|line| line + 1);
    assert!(
        kept == made,
        "docs/reference/{page} is not what the code says, from line {differs:?} on: \
         UPDATE=1 cargo test -p tidegate-server --test reference writes it"
    );
}

#[test]
fn the_page_of_the_configuration_is_the_file() {
    let page = format!(
        "# The configuration file\n\nMade from the code by `UPDATE=1 cargo test -p tidegate-server --test reference`. \
         `tidegate config show` prints the same, `tidegate config check FILE` says what is wrong with one, and \
         `tidegate serve --config FILE` uses it. Flags go before the file.\n\n```toml\n{DOCUMENTED}```\n"
    );
    holds("config.md", &page);
}

/// Text in a table: no line breaks, no bars.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// A type in words, with a link where it has a section of its own.
fn kind(schema: &Value, has_section: &impl Fn(&str) -> bool) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return if has_section(name) {
            format!("[{name}](#{})", name.to_lowercase())
        } else {
            name.to_string()
        };
    }
    if let Some(one_of) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let mut kinds: Vec<String> =
            one_of.iter().filter(|one| one["type"] != "null").map(|one| kind(one, has_section)).collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    let of = match &schema["type"] {
        Value::String(of) => of.as_str(),
        Value::Array(several) => {
            several.iter().filter_map(Value::as_str).find(|of| *of != "null").unwrap_or("")
        }
        _ => "",
    };
    match of {
        "array" => format!("list of {}", kind(&schema["items"], has_section)),
        "object" if schema["additionalProperties"].is_object() => {
            format!("object of {}", kind(&schema["additionalProperties"], has_section))
        }
        other => other.to_string(),
    }
}

fn about(schema: &Value) -> String {
    let own = text(schema, "description");
    let inner =
        schema["oneOf"].as_array().and_then(|all| all.iter().find_map(|one| one["description"].as_str()));
    cell(if own.is_empty() { inner.unwrap_or_default() } else { own })
}

/// The fields of a type, also of one that is put together from several.
fn fields(schema: &Value) -> Vec<(String, Value, bool)> {
    let parts = schema["allOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
    let mut found = Vec::new();
    for part in &parts {
        let required: Vec<&str> =
            part["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in part["properties"].as_object().into_iter().flatten() {
            found.push((name.clone(), field.clone(), required.contains(&name.as_str())));
        }
    }
    found
}

fn body(content: &Value, has_section: &impl Fn(&str) -> bool) -> String {
    let schemas = content.as_object().into_iter().flatten().map(|(_, media)| &media["schema"]);
    let mut kinds: Vec<String> =
        schemas.filter(|schema| !schema.is_null()).map(|schema| kind(schema, has_section)).collect();
    kinds.dedup();
    kinds.join(" or ")
}

fn route(method: &str, path: &str, operation: &Value, has_section: &impl Fn(&str) -> bool) -> String {
    let named = |place: &str| -> Vec<String> {
        let all = operation["parameters"].as_array().into_iter().flatten();
        all.filter(|one| one["in"] == place).map(|one| format!("`{}`", text(one, "name"))).collect()
    };
    let sent = body(&operation["requestBody"]["content"], has_section);
    let answers = operation["responses"].as_object().into_iter().flatten();
    let good = answers.filter(|(status, _)| status.starts_with('2'));
    let mut answer: Vec<String> = good.map(|(_, answer)| body(&answer["content"], has_section)).collect();
    answer.sort_by_key(String::len);
    format!(
        "| `{} {path}` | {} | {} | {} | {} |\n",
        method.to_uppercase(),
        cell(text(operation, "summary")),
        named("query").into_iter().chain(named("header")).collect::<Vec<_>>().join(", "),
        sent,
        answer.pop().unwrap_or_default(),
    )
}

fn routes(document: &Value) -> String {
    let schemas = document["components"]["schemas"].as_object().expect("types");
    let has_section = |name: &str| schemas.get(name).is_some_and(|schema| !fields(schema).is_empty());
    let mut page = String::from(
        "# The API\n\nMade from [openapi.json](../../openapi.json) by `UPDATE=1 cargo test -p tidegate-server --test \
         reference`. The server gives the same document at `/api/v1/openapi.json`. How to use it: [for \
         programs](../guides/programs.md). Every route needs `Authorization: Bearer TOKEN` or the cookie of a \
         session, but for `/healthz`, `/readyz`, `/version` and those that log in; every error is a [problem](../problems/README.md).\n",
    );
    let mut tags: Vec<String> = Vec::new();
    let operations: Vec<(&String, &String, &Value)> = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, methods)| methods.as_object().into_iter().flatten().map(move |(m, o)| (m, path, o)))
        .collect();
    for (_, _, operation) in &operations {
        let tag = operation["tags"][0].as_str().expect("every operation has a tag").to_string();
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags.sort();
    for tag in &tags {
        let _ = write!(
            page,
            "\n## Routes of {tag}\n\n| route | | parameters and headers | body | answer |\n|---|---|---|---|---|\n"
        );
        for (method, path, operation) in &operations {
            if operation["tags"][0] == tag.as_str() {
                page.push_str(&route(method, path, operation, &has_section));
            }
        }
    }
    page.push_str("\n# Types\n\nA star marks what is always there.\n");
    for (name, schema) in schemas {
        let fields = fields(schema);
        if fields.is_empty() {
            continue;
        }
        let _ = write!(page, "\n## {name}\n\n{}\n\n| field | type | |\n|---|---|---|\n", about(schema));
        for (field, of, required) in fields {
            let star = if required { " *" } else { "" };
            let _ =
                writeln!(page, "| `{field}`{star} | {} | {} |", cell(&kind(&of, &has_section)), about(&of));
        }
    }
    let plain = schemas.iter().filter(|(_, schema)| fields(schema).is_empty());
    page.push_str("\n## Plain values\n\n| type | | |\n|---|---|---|\n");
    for (name, schema) in plain {
        let words: Vec<String> = schema["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|w| format!("`{w}`"))
            .collect();
        let what = if words.is_empty() { cell(&kind(schema, &has_section)) } else { words.join(" ") };
        let _ = writeln!(page, "| {name} | {what} | {} |", about(schema));
    }
    page
}

#[test]
fn the_page_of_the_api_is_the_document() {
    let document = std::fs::read_to_string(format!("{ROOT}/openapi.json")).expect("the committed document");
    let document: Value = serde_json::from_str(&document).expect("it is JSON");
    holds("api.md", &routes(&document));
}
