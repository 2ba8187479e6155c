//! Manifests are read from YAML and JSON; what is wrong is told with document, line, column and pointer.

#![allow(clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use tidegate_api::limits::{MAX_BODY, MAX_MANIFESTS, MAX_NESTING};
use tidegate_api::manifest::{Format, Manifest, read};
use tidegate_api::{Code, Problem};

const EXAMPLE: &str = "\
apiVersion: tidegate.dev/v1
kind: Pool
metadata: {name: h100}
spec:
  nodes:
    - {count: 16, gpus: 8, model: H100}
---
apiVersion: tidegate.dev/v1
kind: Quota
metadata: {name: Quota1.1}
spec:
  parent: Quota1
  guarantee: {gpu: 48}
  queue: {strategy: intelligent}
  idleSharing: true
  preemption:
    selfLevel:  {preemptors: 6-9, victims: {priorities: 4, modules: [training, notebook]}, scope: both}
    childLevel: {victims: {priorities: 1-3, modules: [training, notebook]}}
---
# a comment, then nothing
---
apiVersion: tidegate.dev/v1
kind: Workload
metadata: {name: b1, labels: {project: atlas}}
spec:
  quota: Quota1.1
  replicas: 6
  resources: {gpu: 0.5, memory: 16Gi}
  command: [python, train.py]
  virtual: {duration: 1h30m}
";

fn yaml(text: &str) -> Result<Vec<Manifest>, Problem> {
    read(text.as_bytes(), Format::Yaml)
}

fn json(text: &str) -> Result<Vec<Manifest>, Problem> {
    read(text.as_bytes(), Format::Json)
}

/// The code and the detail of what is refused.
fn refused(result: Result<Vec<Manifest>, Problem>) -> (Code, String) {
    let problem = result.unwrap_err();
    (problem.code, problem.detail)
}

#[test]
fn documents_are_read_in_order_and_empty_ones_are_skipped() {
    let manifests = yaml(EXAMPLE).unwrap();
    let names: Vec<String> =
        manifests.iter().map(|m| format!("{} {}", m.kind(), m.name().unwrap())).collect();
    assert_eq!(names, ["Pool h100", "Quota Quota1.1", "Workload b1"]);
    let Manifest::Quota(quota) = &manifests[1] else { panic!("a quota") };
    let own = quota.spec.preemption.as_ref().unwrap().self_level.as_ref().unwrap();
    assert_eq!((own.preemptors.to_string(), own.victims.priorities.to_string()), ("6-9".into(), "4".into()));
    let Manifest::Workload(workload) = &manifests[2] else { panic!("a workload") };
    assert_eq!(workload.spec.resources.unwrap().gpu.unwrap().milli(), 500);
}

#[test]
fn json_says_the_same_as_yaml() {
    let manifests = yaml(EXAMPLE).unwrap();
    let list = serde_json::to_string(&manifests).unwrap();
    assert_eq!(json(&list).unwrap(), manifests);
    assert_eq!(json(&format!("{{\"manifests\": {list}}}")).unwrap(), manifests);
    assert_eq!(json(&serde_json::to_string(&manifests[0]).unwrap()).unwrap(), manifests[..1]);
}

#[test]
fn what_a_server_answered_can_be_applied() {
    let text = EXAMPLE.split("---").next().unwrap().replace(
        "metadata: {name: h100}",
        "metadata: {name: h100, uid: p-0, createdAt: 2026-01-31T08:00:00Z, version: '7'}",
    );
    assert!(yaml(&format!("{text}status: {{nodes: {{total: 16}}}}\n")).is_ok());
}

#[test]
fn an_unknown_kind_lists_the_known_ones() {
    let (code, detail) = refused(yaml("apiVersion: tidegate.dev/v1\nkind: Quotas\n"));
    assert_eq!(code, Code::UnknownKind);
    assert_eq!(
        detail,
        "line 2, column 7: kind \"Quotas\" is not known; known are Pool, Quota, Workspace, Workload, PriceBook, Template"
    );
    let (code, detail) = refused(yaml("apiVersion: v1\nkind: Quota\n"));
    assert_eq!(code, Code::UnknownKind);
    assert!(detail.contains("apiVersion \"v1\" is not known; known are tidegate.dev/v1"), "{detail}");
}

#[test]
fn a_wrong_field_is_found_by_document_line_column_and_pointer() {
    let problem = yaml(&EXAMPLE.replace("gpu: 48", "gpu: fortyeight")).unwrap_err();
    assert_eq!(problem.code, Code::Invalid);
    let pointer = &problem.pointers[0];
    assert_eq!(pointer.pointer, "/spec/guarantee/gpu");
    assert_eq!((pointer.line, pointer.column), (Some(13), Some(20)));
    assert!(problem.detail.starts_with("manifest 2, line 13, column 20: /spec/guarantee/gpu: invalid type"));
}

#[test]
fn all_documents_are_looked_at_before_anything_is_reported() {
    let text = EXAMPLE.replace("gpu: 48", "gpu: -1").replace("1h30m", "ninety minutes").replace("16,", "0,");
    let problem = yaml(&text).unwrap_err();
    let found: Vec<&str> = problem.pointers.iter().map(|p| p.pointer.as_str()).collect();
    assert_eq!(found, ["/spec/nodes/0/count", "/spec/guarantee/gpu", "/spec/virtual/duration"]);
    assert!(problem.pointers[2].detail.starts_with("manifest 3: "), "{:?}", problem.pointers[2]);
}

#[test]
fn json_has_places_too() {
    let list = serde_json::to_string_pretty(&yaml(EXAMPLE).unwrap()).unwrap();
    let text = format!("{{\"manifests\": {}}}", list.replace("\"1h30m\"", "90"));
    let problem = json(&text).unwrap_err();
    assert_eq!(problem.pointers[0].pointer, "/manifests/2/spec/virtual/duration");
    let line = text.lines().position(|line| line.contains("\"duration\": 90")).unwrap() as u64 + 1;
    assert_eq!(problem.pointers[0].line, Some(line));
}

#[test]
fn unknown_and_missing_fields_are_told() {
    let (code, detail) = refused(yaml(&EXAMPLE.replace("idleSharing", "idlesharing")));
    assert_eq!(code, Code::Invalid);
    assert!(detail.contains("unknown field `idlesharing`"), "{detail}");
    let (_, detail) = refused(yaml(&EXAMPLE.replace("  guarantee: {gpu: 48}\n", "")));
    assert!(detail.contains("missing field `guarantee`"), "{detail}");
    let (_, detail) = refused(yaml("kind: Pool\n"));
    assert!(detail.contains("missing field `apiVersion`"), "{detail}");
    let (_, detail) = refused(yaml("apiVersion: tidegate.dev/v1\n"));
    assert!(
        detail.contains("missing field `kind`, one of Pool, Quota, Workspace, Workload, PriceBook"),
        "{detail}"
    );
    let (_, detail) = refused(yaml("- a\n- b\n"));
    assert!(detail.contains("a manifest is an object"), "{detail}");
    let (_, detail) = refused(yaml(&EXAMPLE.replace("name: b1, ", "")));
    assert!(detail.contains("a manifest names its workload"), "{detail}");
    let (_, detail) = refused(json("{\"manifests\": [], \"more\": 1}"));
    assert!(detail.contains("unknown field `more`"), "{detail}");
    let (_, detail) = refused(json("{\"manifests\": 1}"));
    assert!(detail.contains("expected a list of manifests"), "{detail}");
}

#[test]
fn text_that_looks_like_a_number_wants_quotes() {
    let problem = yaml(&EXAMPLE.replace("python, train.py", "sleep, 60")).unwrap_err();
    assert_eq!(problem.pointers[0].pointer, "/spec/command/1");
    assert!(problem.hint.contains("quotes"), "{}", problem.hint);
}

#[test]
fn what_is_neither_yaml_nor_json_is_malformed() {
    for text in ["a: [", "a: b: c", "a: &x *y", "{a: 1, a: 2}"] {
        let problem = yaml(text).unwrap_err();
        assert_eq!(problem.code, Code::MalformedBody, "{text}: {problem:?}");
        assert!(problem.detail.starts_with("the text is not YAML: "), "{problem:?}");
    }
    assert_eq!(refused(json("{")).0, Code::MalformedBody);
    assert_eq!(refused(yaml("")).1, "there is no manifest in the text");
    assert_eq!(refused(yaml("# nothing\n---\n")).1, "there is no manifest in the text");
    assert_eq!(refused(json("[]")).1, "there is no manifest in the text");
    assert_eq!(refused(read(b"a: \xff", Format::Yaml)).1, "byte 4 is not UTF-8");
}

#[test]
fn a_bomb_of_aliases_is_refused_at_once() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let list = vec![format!("*a{}", level - 1); 9].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{list}]\n"));
    }
    assert_eq!(refused(yaml(&text)).0, Code::MalformedBody);
}

#[test]
fn size_number_and_nesting_are_bounded() {
    let filler = |length: usize| format!("# {}\n", "x".repeat(length - 3));
    assert_eq!(refused(yaml(&filler(MAX_BODY))).1, "there is no manifest in the text");
    assert_eq!(refused(yaml(&filler(MAX_BODY + 1))).0, Code::BodyTooLarge);

    let pool = |n: usize| {
        format!("---\napiVersion: tidegate.dev/v1\nkind: Pool\nmetadata: {{name: p{n}}}\nspec: {{}}\n")
    };
    let pools = |count: usize| (0..count).map(pool).collect::<String>();
    assert_eq!(yaml(&pools(MAX_MANIFESTS)).unwrap().len(), MAX_MANIFESTS);
    assert!(matches!(refused(yaml(&pools(MAX_MANIFESTS + 1))).0, Code::LimitExceeded | Code::MalformedBody));
    let list = |count: usize| format!("[{}]", vec!["{}"; count].join(","));
    assert_eq!(refused(json(&list(MAX_MANIFESTS + 1))).0, Code::LimitExceeded);
    assert_eq!(refused(json(&list(MAX_MANIFESTS))).0, Code::Invalid);

    let nested = |depth: usize| {
        let status = format!("{}1{}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        format!(
            "{{\"apiVersion\":\"tidegate.dev/v1\",\"kind\":\"Pool\",\"metadata\":{{\"name\":\"p\"}},\"spec\":{{}},\"status\":{status}}}"
        )
    };
    assert!(json(&nested(MAX_NESTING)).is_ok());
    assert_eq!(refused(json(&nested(MAX_NESTING + 1))).0, Code::Invalid);
    assert_eq!(refused(json(&nested(500))).0, Code::MalformedBody);
    assert_eq!(refused(yaml(&nested(500))).0, Code::MalformedBody);
}

proptest! {
    #[test]
    fn no_text_panics(text in "[a-z0-9:{}\\[\\],\n &*'\"|>#!%-]{0,120}") {
        let _ = yaml(&text);
        let _ = json(&text);
    }

    #[test]
    fn no_mutation_of_an_example_panics(at in 0..EXAMPLE.len(), byte in any::<u8>()) {
        let mut text = EXAMPLE.as_bytes().to_vec();
        text[at] = byte;
        let _ = read(&text, Format::Yaml);
    }
}
