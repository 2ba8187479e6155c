//! Codes, their pages, and the engine's refusals agree.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use tidegate_api::convert::blame;
use tidegate_api::problem::TYPE_PREFIX;
use tidegate_api::{Code, Problem};
use tidegate_engine::Refusal;
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::words::{Priority, PrioritySet};

fn pages() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/problems");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let entries = entries.filter(|entry| entry.file_name() != "README.md");
    let mut pages: Vec<(String, String)> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let found: Vec<String> = pages().into_iter().map(|(name, _)| name).collect();
    let mut expected: Vec<String> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
    expected.sort();
    assert_eq!(found, expected);
}

/// The index is made from the codes; UPDATE=1 writes it.
#[test]
fn the_index_lists_every_code() {
    let mut page = String::from(
        "# Problems\n\nEvery error of the API has a stable code. Made from the code by `UPDATE=1 cargo test -p \
         tidegate-api --test problems`. What the command line makes of them: [exit codes](../exit-codes.md).\n\n\
         | code | status | |\n|---|---|---|\n",
    );
    for code in Code::ALL {
        page.push_str(&format!("| [`{code}`]({code}.md) | {} | {} |\n", code.status(), code.title()));
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/problems/README.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, &page).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap_or_default() == page,
        "docs/problems/README.md is stale: UPDATE=1"
    );
}

/// The example of a page is a problem of its code; title, status and hint are those of the code.
#[test]
fn pages_show_an_example_that_is_a_problem_of_their_code() {
    for (name, text) in pages() {
        let code = Code::parse(name.trim_end_matches(".md")).unwrap();
        assert!(
            text.starts_with(&format!("# {code}\n\n{}. HTTP status {}.\n", code.title(), code.status())),
            "{name}"
        );
        for heading in ["\n## What it means\n", "\n## Example\n", "\n## What to do\n"] {
            assert!(text.contains(heading), "{name} has no {heading:?}");
        }
        let example = text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let problem: Problem = serde_json::from_str(example).unwrap();
        assert_eq!(problem, Problem::new(code, problem.detail.clone()), "{name}");
    }
}

#[test]
fn codes_are_unique_words_with_an_error_status() {
    let words: BTreeSet<&str> = Code::ALL.iter().map(|code| code.word()).collect();
    assert_eq!(words.len(), Code::ALL.len());
    for &code in Code::ALL {
        assert_eq!(Code::parse(code.word()), Some(code));
        assert_eq!(serde_json::to_value(code).unwrap(), code.word());
        assert!((400..600).contains(&code.status()), "{code}");
        assert!(!code.title().is_empty() && !code.hint().is_empty(), "{code}");
    }
    assert_eq!(Code::parse("no-such-code"), None);
}

/// One of each kind.
fn refusals() -> Vec<Refusal> {
    use Refusal::*;
    let text = || String::from("x");
    let (models, amounts) = (vec!["H100".into()], Resources::of(Dimension(0), 8_000));
    let none = PrioritySet::default().with(Priority::MIN);
    vec![
        UnknownPool { pool: text() },
        UnknownNode { node: text() },
        UnknownDevice { node: text(), device: 8, gpus: 8 },
        UnknownQuota { quota: text() },
        UnknownWorkload { workload: text() },
        BadName { name: text(), why: "is empty" },
        NameTaken { noun: "quota", name: text() },
        TooMany { noun: "quotas", limit: 1 },
        BadAmount { what: text(), value: text(), why: "is negative" },
        NoGpuModel { node: text() },
        UnknownModel { model: text(), pool: text(), known: vec![] },
        WhichModel { pool: text(), known: vec![] },
        EmptyPolicySet { policy: "child-level", set: "modules" },
        EmptyPolicySet { policy: "self-level", set: "modules" },
        LowNotBelowHigh { low: none, high: none },
        TreeTooDeep { quota: text(), depth: 9, limit: 8 },
        ShareTooSmall { parent: text(), models: vec![], share: amounts, asked: amounts },
        PoolTooSmall { pool: text(), models: vec![], supply: amounts, asked: amounts },
        DimensionNotKept { quota: text(), models: vec![], dimension: Dimension::CPU, root: text() },
        DimensionMissing { quota: text(), models: vec![], dimension: Dimension::CPU, root: text() },
        BelowChildren { quota: text(), models: vec![], children: amounts, asked: amounts },
        InUse {
            quota: text(),
            account: text(),
            models: vec![],
            drawn: amounts,
            share: amounts,
            workloads: vec![],
        },
        NotSiblings { from: text(), to: text() },
        QuotaNotEmpty { quota: text(), children: vec![], workloads: vec![] },
        NodeNeeded { node: text(), pool: text(), models: vec![], guaranteed: amounts, left: amounts },
        NodeBusy { node: text(), workloads: vec![] },
        NodeExists { node: text() },
        TooManyReplicas { replicas: 1 },
        TooManyRoles { roles: 9 },
        NoReplicas,
        ServiceRoles { roles: 2 },
        BadMinimum { min: 2, replicas: 1, why: "is too large" },
        BadGpus { milli: 1_500 },
        IdleNotTraining { module: "service" },
        NeverFunded { quota: text(), models, demand: amounts, shares: amounts },
        NeverPlaced { pool: text(), replicas: 1, gpu: 8_000, hosts: 0 },
        WrongState { workload: text(), state: "queued", command: "finish", allowed: "running" },
        NotResizable { workload: text(), why: "it has ended" },
        NoSuchUnit { workload: text(), unit: 0 },
        NothingToChange { quota: text() },
        ClockBackwards { now: 1, last: 2 },
    ]
}

#[test]
fn every_refusal_has_a_code_of_ours_and_keeps_its_words() {
    for refusal in refusals() {
        let (word, what, hint) = (refusal.code(), refusal.what(), refusal.hint());
        assert!(Code::parse(word).is_some(), "{word} is not a code");
        let problem = Problem::from(refusal);
        assert_eq!(problem.code.word(), word);
        assert_eq!((problem.detail, problem.hint), (what, hint));
        assert_eq!(problem.kind, format!("{TYPE_PREFIX}{word}"));
        assert!(matches!(problem.status, 404 | 409 | 422 | 503), "{word}");
    }
}

#[test]
fn statuses_tell_unknown_from_conflicting_from_invalid() {
    let status = |refusal: Refusal| Problem::from(refusal).status;
    assert_eq!(status(Refusal::UnknownQuota { quota: "x".into() }), 404);
    assert_eq!(status(Refusal::NameTaken { noun: "quota", name: "x".into() }), 409);
    assert_eq!(
        status(Refusal::QuotaNotEmpty { quota: "x".into(), children: vec![], workloads: vec![] }),
        409
    );
    assert_eq!(status(Refusal::BadGpus { milli: 1_500 }), 422);
    assert_eq!(status(Refusal::NeverPlaced { pool: "x".into(), replicas: 1, gpu: 1, hosts: 0 }), 422);
}

#[test]
fn a_refused_specification_points_to_its_field() {
    let pointer = |refusal| blame(refusal).pointers.first().map(|p| p.pointer.clone());
    assert_eq!(pointer(Refusal::BadGpus { milli: 1_500 }).as_deref(), Some("/spec/resources/gpu"));
    let empty = |policy| Refusal::EmptyPolicySet { policy, set: "modules" };
    assert_eq!(pointer(empty("child-level")).as_deref(), Some("/spec/preemption/childLevel"));
    assert_eq!(pointer(empty("self-level")).as_deref(), Some("/spec/preemption/selfLevel"));
    assert_eq!(pointer(Refusal::NotSiblings { from: "a".into(), to: "b".into() }), None);
}

#[test]
fn a_problem_is_written_as_rfc_9457_has_it() {
    let problem = Problem::new(Code::Invalid, "too large").at("/spec/replicas").within("/items/3");
    let json = serde_json::to_value(&problem).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "type": "https://tidegate.dev/problems/invalid",
            "title": "A field is invalid",
            "status": 422,
            "code": "invalid",
            "detail": "too large",
            "hint": "mend the fields that the pointers name",
            "pointers": [{"pointer": "/items/3/spec/replicas", "detail": "too large"}],
        })
    );
    assert_eq!(serde_json::from_value::<Problem>(json).unwrap(), problem);
}
