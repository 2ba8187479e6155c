//! Bodies: what cannot be read is refused with a pointer, and nothing panics.

#![allow(clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use tidegate_api::actions::{BatchRequest, PriorityRequest, ResizeRequest};
use tidegate_api::body::{Check, read};
use tidegate_api::limits::MAX_BODY;
use tidegate_api::node::{CordonRequest, DrainRequest, NewNode};
use tidegate_api::pool::NewPool;
use tidegate_api::quota::{NewQuota, ScaleRequest, TransferRequest};
use tidegate_api::simulation::SimulationRequest;
use tidegate_api::workload::NewWorkload;
use tidegate_api::{Code, Problem};

fn refused<T: DeserializeOwned + Check + std::fmt::Debug>(body: &str) -> Problem {
    read::<T>(body.as_bytes()).expect_err(body)
}

/// Code, pointer and detail of the first fault.
fn fault<T: DeserializeOwned + Check + std::fmt::Debug>(body: &str) -> (Code, String, String) {
    let problem = refused::<T>(body);
    let first = problem.pointers.first();
    let first =
        first.map_or((String::new(), problem.detail.clone()), |p| (p.pointer.clone(), p.detail.clone()));
    (problem.code, first.0, first.1)
}

#[test]
fn what_is_no_json_is_malformed() {
    for body in ["{", "{\"a\":}", "nope", "{} {}", "[1,", "\u{0}"] {
        assert_eq!(refused::<ScaleRequest>(body).status, 400, "{body:?}");
    }
    assert!(refused::<ScaleRequest>("").detail.contains("the body is empty"));
    let deep = "[".repeat(100_000);
    assert_eq!(refused::<NewWorkload>(&deep).code, Code::MalformedBody);
    let deep = format!("{{\"status\":{deep}");
    assert_eq!(refused::<NewWorkload>(&deep).code, Code::MalformedBody);
}

#[test]
fn a_body_has_at_most_1_mib() {
    let padded = |length: usize| {
        let body = "{\"priority\": 3}";
        format!("{body}{}", " ".repeat(length - body.len()))
    };
    assert!(read::<PriorityRequest>(padded(MAX_BODY).as_bytes()).is_ok());
    assert_eq!(refused::<PriorityRequest>(&padded(MAX_BODY + 1)).code, Code::BodyTooLarge);
}

#[test]
fn readiness_and_idle_time_are_for_those_who_can_be_reached() {
    let spec = |module: &str, rest: &str| format!("{{\"spec\":{{\"module\":\"{module}\",{rest}}}}}");
    for rest in [
        "\"readiness\":{}",
        "\"readiness\":{\"path\":\"/health?x=1\",\"period\":\"100ms\",\"timeout\":\"60s\"}",
        "\"idleTimeout\":\"1s\"",
    ] {
        assert!(read::<NewWorkload>(spec("notebook", rest).as_bytes()).is_ok(), "{rest}");
    }
    let long = format!("\"readiness\":{{\"path\":\"/{}\"}}", "x".repeat(1_024));
    for (module, rest, pointer) in [
        ("training", "\"readiness\":{}", "/spec/readiness"),
        ("service", "\"idleTimeout\":\"1h\"", "/spec/idleTimeout"),
        ("notebook", "\"idleTimeout\":\"999ms\"", "/spec/idleTimeout"),
        ("service", "\"readiness\":{\"path\":\"health\"}", "/spec/readiness/path"),
        ("service", "\"readiness\":{\"path\":\"/a b\"}", "/spec/readiness/path"),
        ("service", "\"readiness\":{\"path\":\"/a\\r\\nb\"}", "/spec/readiness/path"),
        ("service", &long, "/spec/readiness/path"),
        ("service", "\"readiness\":{\"period\":\"99ms\"}", "/spec/readiness/period"),
        ("service", "\"readiness\":{\"period\":\"61m\"}", "/spec/readiness/period"),
        ("service", "\"readiness\":{\"timeout\":\"0s\"}", "/spec/readiness/timeout"),
        ("service", "\"readiness\":{\"timeout\":\"61s\"}", "/spec/readiness/timeout"),
    ] {
        let (code, at, _) = fault::<NewWorkload>(&spec(module, rest));
        assert_eq!((code, at.as_str()), (Code::Invalid, pointer), "{module} {rest}");
    }
}

#[test]
fn unknown_fields_are_refused_everywhere() {
    type Refused = fn(&str) -> Problem;
    let cases: [(&str, Refused, &str); 12] = [
        ("{\"priority\":1,\"x\":1}", refused::<PriorityRequest>, "/x"),
        ("{\"replicas\":1,\"x\":1}", refused::<ResizeRequest>, "/x"),
        ("{\"items\":[{\"metadata\":{},\"spec\":{\"x\":1}}]}", refused::<BatchRequest>, "/items/0/spec/x"),
        ("{\"reason\":\"a\",\"x\":1}", refused::<CordonRequest>, "/x"),
        ("{\"x\":1}", refused::<DrainRequest>, "/x"),
        ("{\"metadata\":{\"name\":\"a\",\"x\":1}}", refused::<NewNode>, "/metadata/x"),
        (
            "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodes\":[{\"x\":1}]}}",
            refused::<NewPool>,
            "/spec/nodes/0/x",
        ),
        (
            "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"guarantee\":{\"gpu\":1,\"tpu\":1}}}",
            refused::<NewQuota>,
            "/spec/guarantee/tpu",
        ),
        ("{\"guarantee\":{\"gpu\":1},\"x\":1}", refused::<ScaleRequest>, "/x"),
        ("{\"x\":1}", refused::<TransferRequest>, "/x"),
        ("{\"scenario\":\"\",\"x\":1}", refused::<SimulationRequest>, "/x"),
        ("{\"metadata\":{},\"spec\":{\"virtual\":{\"x\":1}}}", refused::<NewWorkload>, "/spec/virtual/x"),
    ];
    for (body, read, pointer) in cases {
        let problem = read(body);
        assert_eq!(problem.code, Code::Invalid, "{body}");
        assert!(problem.pointers[0].detail.starts_with("unknown field"), "{body}: {problem:?}");
        assert_eq!(problem.pointers[0].pointer, pointer, "{body}");
    }
}

#[test]
fn wrong_values_are_told_by_pointer() {
    let quota = |spec: &str| format!("{{\"metadata\":{{\"name\":\"a\"}},\"spec\":{spec}}}");
    for (spec, pointer, detail) in [
        ("{\"guarantee\":{\"gpu\":\"48\"}}", "/spec/guarantee/gpu", "invalid type: string \"48\""),
        ("{\"guarantee\":{\"gpu\":{\"H100\":-1}}}", "/spec/guarantee/gpu/H100", "-1 is not a number of GPUs"),
        ("{\"guarantee\":{\"gpu\":{}}}", "/spec/guarantee/gpu", "no GPU model is named"),
        ("{\"guarantee\":{\"gpu\":{\"H 100\":1}}}", "/spec/guarantee/gpu/H 100", "' ' is not allowed"),
        ("{\"guarantee\":{\"gpu\":1e300}}", "/spec/guarantee/gpu", "is not a number of GPUs"),
        ("{\"guarantee\":{\"gpu\":1,\"memory\":\"16G\"}}", "/spec/guarantee/memory", "is not a size such as"),
        ("{\"guarantee\":{\"gpu\":1},\"protectFor\":60}", "/spec/protectFor", "invalid type: integer `60`"),
        (
            "{\"guarantee\":{\"gpu\":1},\"queue\":{\"strategy\":\"lifo\"}}",
            "/spec/queue/strategy",
            "is not one of fifo, round-robin",
        ),
        ("{\"guarantee\":{\"gpu\":1}}", "/spec", "neither is given"),
        ("{\"pool\":\"a\",\"parent\":\"b\",\"guarantee\":{\"gpu\":1}}", "/spec", "both are given"),
        (
            "{\"pool\":\"a\",\"guarantee\":{\"gpu\":1},\"preemption\":{\"childLevel\":{\"victims\":{\"priorities\":\"1-9\",\"modules\":[]}}}}",
            "/spec/preemption/childLevel/victims/modules",
            "name at least one module",
        ),
        (
            "{\"pool\":\"a\",\"guarantee\":{\"gpu\":1},\"preemption\":{\"childLevel\":{\"victims\":{\"priorities\":\"9-1\",\"modules\":[\"training\"]}}}}",
            "/spec/preemption/childLevel/victims/priorities",
            "is not a set of priorities",
        ),
    ] {
        let (code, found, text) = fault::<NewQuota>(&quota(spec));
        assert_eq!((code, found.as_str()), (Code::Invalid, pointer), "{spec}: {text}");
        assert!(text.contains(detail), "{spec}: {text}");
    }
}

#[test]
fn wrong_workloads_are_told_by_pointer() {
    let workload = |spec: &str| format!("{{\"metadata\":{{\"name\":\"a\"}},\"spec\":{spec}}}");
    for (spec, pointer) in [
        ("{\"priority\":10}", "/spec/priority"),
        ("{\"replicas\":0}", "/spec/replicas"),
        ("{\"replicas\":-1}", "/spec/replicas"),
        ("{\"replicas\":4294967296}", "/spec/replicas"),
        ("{\"minReplicas\":0}", "/spec/minReplicas"),
        ("{\"module\":\"batch\"}", "/spec/module"),
        ("{\"gracePeriod\":\"25h\"}", "/spec/gracePeriod"),
        ("{\"maxRunTime\":\"0s\"}", "/spec/maxRunTime"),
        ("{\"command\":[\"\"]}", "/spec/command/0"),
        ("{\"command\":[\"a\",\"b\\u0000\"]}", "/spec/command/1"),
        ("{\"env\":{\"A=B\":\"1\"}}", "/spec/env/A=B"),
        ("{\"env\":{\"A\":1}}", "/spec/env/A"),
        ("{\"workingDir\":\"\"}", "/spec/workingDir"),
        ("{\"virtual\":{\"fails\":0}}", "/spec/virtual/fails"),
        ("{\"virtual\":{\"checkpoint\":\"0s\"}}", "/spec/virtual/checkpoint"),
        ("{\"roles\":[{\"name\":\"a\",\"replicas\":0}]}", "/spec/roles/0/replicas"),
        (
            "{\"roles\":[{\"name\":\"a\",\"replicas\":1},{\"name\":\"a\",\"replicas\":1}]}",
            "/spec/roles/1/name",
        ),
        ("{\"replicas\":2,\"roles\":[{\"name\":\"a\",\"replicas\":1}]}", "/spec/replicas"),
        ("{\"resources\":{},\"roles\":[{\"name\":\"a\",\"replicas\":1}]}", "/spec/resources"),
    ] {
        let (code, found, text) = fault::<NewWorkload>(&workload(spec));
        assert_eq!((code, found.as_str()), (Code::Invalid, pointer), "{spec}: {text}");
    }
    let (_, pointer, detail) = fault::<NewWorkload>("{\"metadata\":{\"name\":\"w-12\"},\"spec\":{}}");
    assert_eq!(pointer, "/metadata/name");
    assert!(detail.contains("reads as the uid"), "{detail}");
}

#[test]
fn the_kind_has_to_match_the_route() {
    let (code, pointer, _) =
        fault::<NewQuota>("{\"kind\":\"Pool\",\"metadata\":{\"name\":\"a\"},\"spec\":{}}");
    assert_eq!((code, pointer.as_str()), (Code::Invalid, "/kind"));
    let (code, pointer, _) = fault::<NewQuota>("{\"apiVersion\":\"v2\"}");
    assert_eq!((code, pointer.as_str()), (Code::Invalid, "/apiVersion"));
}

#[test]
fn several_faults_are_told_at_once() {
    let body = "{\"metadata\":{},\"spec\":{\"replicas\":0,\"maxRunTime\":\"0s\",\"command\":[\"\"]}}";
    let problem = refused::<NewWorkload>(body);
    assert_eq!(problem.pointers.len(), 3);
    assert!(
        problem.detail.starts_with("3 fields are invalid; the first is /spec/replicas"),
        "{}",
        problem.detail
    );
}

proptest! {
    #[test]
    fn no_bytes_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read::<NewWorkload>(&body);
        let _ = read::<NewQuota>(&body);
    }

    #[test]
    fn no_json_panics(text in "[{}\\[\\]\":,0-9a-z.eE+-]{0,100}") {
        let body = format!("{{\"metadata\":{{\"name\":\"a\"}},\"spec\":{text}}}");
        let _ = read::<NewWorkload>(body.as_bytes());
        let _ = read::<NewQuota>(body.as_bytes());
        let _ = read::<NewPool>(body.as_bytes());
    }
}
