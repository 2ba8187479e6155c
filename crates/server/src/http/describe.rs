//! What the OpenAPI document says of every operation alike: its id, the headers that it reads, the problems that it
//! may answer with. Said once here instead of at every route.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use tidegate_api::limits::MAX_IDEMPOTENCY_KEY;
use tidegate_api::problem::{Code, MEDIA_TYPE};

/// Completes the document.
pub(super) fn describe(document: &mut Value) {
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else { return };
    for (path, methods) in paths {
        let Some(methods) = methods.as_object_mut() else { continue };
        for (method, operation) in methods {
            if let Some(operation) = operation.as_object_mut() {
                complete(path, method, operation);
            }
        }
    }
}

fn complete(path: &str, method: &str, operation: &mut Map<String, Value>) {
    identify(operation);
    let changes = is_change(operation);
    if changes && method == "post" {
        let description =
            "Makes a retry safe: the same request with the same key is carried out once, and answered alike.";
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": MAX_IDEMPOTENCY_KEY });
        parameters(operation).push(
            json!({ "name": "Idempotency-Key", "in": "header", "required": false, "description": description, "schema": schema }),
        );
    }
    if changes {
        preview(operation);
    }
    problems(path, operation, changes);
}

/// `quotas_list`: unique, and a name in every language.
fn identify(operation: &mut Map<String, Value>) {
    let tag = operation.get("tags").and_then(|tags| tags[0].as_str()).unwrap_or("server");
    let function = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
    let id = format!("{tag}_{function}");
    operation.insert("operationId".into(), json!(id));
}

fn parameters(operation: &mut Map<String, Value>) -> &mut Vec<Value> {
    let list = operation.entry("parameters").or_insert_with(|| json!([]));
    list.as_array_mut().expect("parameters are a list")
}

fn parameter<'a>(operation: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let list = operation.get("parameters").and_then(Value::as_array);
    list.and_then(|list| list.iter().find(|parameter| parameter["name"] == name))
}

fn has_parameter(operation: &Map<String, Value>, name: &str) -> bool {
    parameter(operation, name).is_some()
}

/// Every change has a dry run, and nothing else has.
fn is_change(operation: &Map<String, Value>) -> bool {
    has_parameter(operation, "dryRun")
}

/// A dry run answers 200, whatever the change itself answers.
fn preview(operation: &mut Map<String, Value>) {
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    let dry = json!({ "$ref": "#/components/schemas/DryRun" });
    match responses.get_mut("200").and_then(|ok| ok.pointer_mut("/content/application~1json/schema")) {
        Some(schema) => *schema = json!({ "oneOf": [schema.take(), dry] }),
        None => {
            let content = json!({ "application/json": { "schema": dry } });
            responses.insert("200".into(), json!({ "description": "With dryRun", "content": content }));
        }
    }
}

/// Puts what may go wrong in place of a response for everything.
fn problems(path: &str, operation: &mut Map<String, Value>, changes: bool) {
    let mut statuses = statuses(path, operation, changes);
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    responses.remove("default");
    let own = responses.keys().filter_map(|status| status.parse().ok()).filter(|status: &u16| *status >= 400);
    statuses.extend(own.collect::<Vec<u16>>());
    for status in statuses {
        let content = json!({ MEDIA_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } });
        responses.insert(status.to_string(), json!({ "description": codes(status), "content": content }));
    }
}

/// The codes that come with a status.
fn codes(status: u16) -> String {
    let of_status = Code::ALL.iter().filter(|code| code.status() == status);
    of_status.map(|code| format!("`{code}`: {}", code.title())).collect::<Vec<_>>().join("; ")
}

fn statuses(path: &str, operation: &Map<String, Value>, changes: bool) -> BTreeSet<u16> {
    let reads = operation.contains_key("parameters") || operation.contains_key("requestBody");
    // What is open and reads nothing cannot be asked wrongly.
    if operation.contains_key("security") && !reads {
        return BTreeSet::new();
    }
    let mut all = BTreeSet::from([401, 403, 503]);
    if operation.contains_key("parameters") {
        all.insert(400);
    }
    if path.contains("{") {
        all.insert(404);
    }
    if operation.contains_key("requestBody") {
        all.extend([400, 408, 413, 415, 422, 429]);
    }
    if changes {
        all.extend([400, 409, 422, 429]);
    }
    if let Some(version) = parameter(operation, "If-Match") {
        all.insert(412);
        all.extend((version["required"] == true).then_some(428));
    }
    if has_parameter(operation, "Last-Event-ID") {
        all.insert(410);
    }
    all
}
