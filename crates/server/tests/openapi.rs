//! The OpenAPI document: committed as it is served, and true of the router.

mod house;

use house::House;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tidegate_server::http::openapi;

fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../openapi.json")
}

fn document() -> Value {
    serde_json::from_str(openapi::text()).expect("JSON")
}

/// Method, path and description of every operation.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let each = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods");
        methods
            .iter()
            .map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation.clone()))
    });
    each.collect()
}

#[test]
fn the_committed_document_is_the_one_that_is_served() {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(committed(), openapi::text()).expect("it can be written");
    }
    let found = std::fs::read_to_string(committed()).unwrap_or_default();
    let differs = found.lines().zip(openapi::text().lines()).position(|(a, b)| a != b);
    assert!(
        found == openapi::text(),
        "openapi.json differs from line {:?} on; UPDATE=1 cargo test -p tidegate-server --test openapi rewrites it",
        differs.map(|line| line + 1)
    );
}

#[test]
fn every_operation_is_routed() {
    let house = House::new("1x1");
    for (method, path, _) in operations(&document()) {
        let path = path.replace("{name}", "nobody");
        if path == "/api/v1/watch" {
            // It would go on for ever; a wrong parameter is answered by the route itself.
            let (status, problem) = house.raw(&method, &format!("{path}?kinds=cat"), "");
            assert_eq!((status, problem["code"].as_str()), (400, Some("bad-parameter")));
            continue;
        }
        let (status, answer) = house.raw(&method, &path, "");
        let nowhere = answer["detail"] == "there is nothing at this address";
        assert!(status != 405 && !nowhere, "{method} {path}: {status} {answer}");
    }
}

/// The routes as `router.rs` lists them.
fn routed() -> BTreeSet<(String, String)> {
    let source = include_str!("../src/http/router.rs");
    let (outside, inside) = source.split_once("fn api()").expect("the routes below /api/v1 have a function");
    let mut routes = BTreeSet::new();
    for (text, prefix) in [(outside, ""), (inside, "/api/v1")] {
        for route in text.split(".route(").skip(1) {
            let path = route.split('"').nth(1).expect("a path");
            let path = format!("{prefix}{}", path.replace("/-", ":"));
            let handlers = route.split('"').nth(2).expect("handlers");
            let handlers = handlers.split(';').next().expect("a statement");
            for method in ["get", "post", "put", "delete", "patch"] {
                if handlers
                    .split(|c: char| !c.is_alphanumeric() && c != '(')
                    .any(|word| word.starts_with(&format!("{method}(")))
                {
                    routes.insert((method.to_uppercase(), path.clone()));
                }
            }
        }
    }
    routes
}

#[test]
fn every_route_is_documented_and_nothing_else() {
    let documented: BTreeSet<(String, String)> =
        operations(&document()).into_iter().map(|(method, path, _)| (method, path)).collect();
    assert!(routed().len() > 30, "{:?}", routed());
    assert_eq!(routed(), documented);
}

#[test]
fn every_operation_says_what_it_needs_and_what_may_go_wrong() {
    let document = document();
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let at = format!("{method} {path}");
        let id = operation["operationId"].as_str().unwrap_or_default();
        assert!(!id.is_empty() && ids.insert(id.to_string()), "{at}: {id}");
        assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{at}");
        let parameters: Vec<&str> = operation["parameters"]
            .as_array()
            .map(|list| list.iter().filter_map(|parameter| parameter["name"].as_str()).collect())
            .unwrap_or_default();
        // A simulation, a link and a message leave the books as they are; a log-in is tried by logging in.
        let asks = [
            "/api/v1/simulations",
            "/api/v1/workloads/{name}:open",
            "/api/v1/workspaces/{name}/webhooks/{hook}:test",
            "/api/v1/workspaces/{name}/webhooks/{hook}/deliveries/{id}:retry",
            "/api/v1/login",
            "/api/v1/invitations:accept",
        ];
        let changes = method != "GET" && !asks.contains(&path.as_str());
        assert_eq!(parameters.contains(&"dryRun"), changes, "{at}");
        assert_eq!(parameters.contains(&"Idempotency-Key"), changes && method == "POST", "{at}");
        assert!(parameters.contains(&"name") || !path.contains("{name}"), "{at}");
        let versioned = path.starts_with("/api/v1/quotas/{name}")
            || path.ends_with("/policies/{quota}")
            || path.starts_with("/api/v1/prices/{name}")
            || path == "/api/v1/templates/{name}";
        let versioned = versioned && method != "GET";
        let required = operation["parameters"].as_array().is_some_and(|list| {
            list.iter().any(|parameter| parameter["name"] == "If-Match" && parameter["required"] == true)
        });
        assert_eq!(required, versioned, "{at}");
        // Whoever replaces something may say what was read; a password is no resource.
        let whole = ["/api/v1/users/{name}", "/api/v1/workspaces/{name}"].contains(&path.as_str());
        let replaces = (method == "PUT" && path != "/api/v1/password") || (method == "DELETE" && whole);
        assert_eq!(parameters.contains(&"If-Match"), versioned || replaces, "{at}");
        let responses = operation["responses"].as_object().expect("responses");
        let open = operation.get("security").is_some();
        assert!(open || responses.contains_key("401"), "{at}");
        // Browsers are sent to a provider of identities and back.
        let fine = if path.contains("/oidc") { '3' } else { '2' };
        assert!(responses.keys().any(|status| status.starts_with(fine)), "{at}");
        for (status, response) in responses {
            let status: u16 = status.parse().expect("a number, not a default");
            let types: Vec<&String> = response["content"].as_object().expect("content").keys().collect();
            let problem = types == ["application/problem+json"];
            assert_eq!(problem, status >= 400, "{at} {status}: {types:?}");
            assert!(
                !response["description"].as_str().unwrap_or_default().is_empty() || status < 400,
                "{at} {status}"
            );
        }
    }
}
