//! Every operation of the OpenAPI document, asked as it should be and as it should not: never a 5xx, always a
//! documented answer. `FUZZ_REQUESTS=100000 SEED=7 cargo test -p tidegate-server --test fuzz` asks more, and others.

#[path = "fuzz/dice.rs"]
mod dice;
mod house;
#[path = "fuzz/requests.rs"]
mod requests;
#[path = "fuzz/schema.rs"]
mod schema;

use dice::Dice;
use house::House;
use requests::{Operation, Request, request};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tidegate_api::problem::Code;
use ureq::http::HeaderValue;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn operations(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().expect("paths");
    let each = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods");
        methods.iter().map(move |(method, about)| {
            let (method, path) = (method.to_uppercase(), path.clone());
            Operation { method, path, about: about.clone() }
        })
    });
    each.collect()
}

/// A server with something to hit.
fn furnished() -> House {
    let house = House::new("2x8");
    let team = json!({"metadata": {"name": "team"}, "spec": {"parent": "main", "guarantee": {"gpu": 8}}});
    assert_eq!(house.post("/api/v1/quotas", &team).0, 201);
    let job = json!({"metadata": {"name": "job"}, "spec": {"quota": "team", "resources": {"gpu": 1}, "gracePeriod": "0s"}});
    assert_eq!(house.post("/api/v1/workloads", &job).0, 201);
    house
}

/// What is wrong with the answer.
fn judge(house: &House, operation: &Operation, asked: &Request) -> Result<Option<u16>, String> {
    let mut builder =
        ureq::http::Request::builder().method(asked.method.as_str()).uri(house.url(&asked.target));
    builder = builder.header("authorization", format!("Bearer {}", house.token()));
    for (name, value) in &asked.headers {
        // What cannot be sent cannot be answered.
        let Ok(value) = HeaderValue::from_bytes(value) else { return Ok(None) };
        builder = builder.header(*name, value);
    }
    let Some(answer) = house.exchange(builder, asked.body.as_deref()) else { return Ok(None) };
    let status = answer.status;
    if status >= 500 {
        return Err(format!("answered {status}: {}", answer.text));
    }
    if answer.request_id.is_none() {
        return Err("the answer has no request id".into());
    }
    let documented = operation.about["responses"].get(status.to_string());
    if documented.is_none() && !asked.astray {
        return Err(format!("answered {status}, which is not documented: {}", answer.text));
    }
    let kind = answer.kind.split(';').next().unwrap_or_default();
    if status < 400 {
        let kinds = documented.and_then(|response| response["content"].as_object());
        let known = asked.astray || kinds.is_some_and(|kinds| kinds.contains_key(kind));
        let reads = kind != "application/json" || serde_json::from_str::<Value>(&answer.text).is_ok();
        return if known && reads {
            Ok(Some(status))
        } else {
            Err(format!("answered {kind}: {}", answer.text))
        };
    }
    let problem: Value =
        serde_json::from_str(&answer.text).map_err(|error| format!("{error}: {}", answer.text))?;
    let code = problem["code"].as_str().and_then(Code::parse);
    let whole = ["type", "title", "detail", "hint"]
        .iter()
        .all(|key| problem[*key].as_str().is_some_and(|text| !text.is_empty()));
    if kind != "application/problem+json" || code.is_none_or(|code| code.status() != status) || !whole {
        return Err(format!("{status} {kind} is no problem of ours: {problem}"));
    }
    Ok(Some(status))
}

#[test]
fn whatever_is_asked_is_answered_in_order() {
    let document: Value = serde_json::from_str(tidegate_server::http::openapi::text()).expect("JSON");
    let operations = operations(&document);
    let (seed, count) = (setting("SEED", 1), setting("FUZZ_REQUESTS", 800));
    let mut house = furnished();
    let mut dice = Dice::new(seed);
    let mut answers: BTreeMap<u16, u32> = BTreeMap::new();
    for number in 0..count {
        let operation = &operations[number as usize % operations.len()];
        let asked = request(&document, operation, &mut dice);
        match judge(&house, operation, &asked) {
            Ok(Some(status)) => *answers.entry(status).or_default() += 1,
            Ok(None) => {}
            Err(what) => {
                let body = asked.body.as_deref().map(String::from_utf8_lossy);
                panic!("SEED={seed}, request {number}: {asked:?}\nbody: {body:?}\n{what}");
            }
        }
    }
    eprintln!("answers by status: {answers:?}");
    assert!(answers.get(&200).is_some_and(|n| *n > 50) && answers.len() > 5, "{answers:?}");
    // The log that came of it can be read.
    assert_eq!(house.get("/readyz").0, 200);
    let names = |house: &House| {
        let quotas = house.get("/api/v1/quotas?limit=1000").1;
        quotas["items"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|q| (q["metadata"].clone(), q["spec"].clone()))
            .collect::<Vec<_>>()
    };
    let before = names(&house);
    house.restart();
    assert_eq!(names(&house), before);
}
