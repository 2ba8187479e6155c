//! Events as people and programs see them, one row each.

use super::labels::Labels;
use super::note::{Detail, Note, Subject};
use super::{Report, json, text};
use smallvec::smallvec;
use tidegate_engine::event::{Cause, Event, EventKind, StartKind, StopCause};
use tidegate_engine::ids::{ModelId, NodeId, PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::slot::{Devices, Slot};
use tidegate_engine::unit::{Draw, Grant};
use tidegate_engine::words::{Class, EvictionRule, Mode, Module, PoolKind, Priority, Rule};
use tidegate_engine::workload::{Exit, WorkloadSpec};

const HOUR: Tick = Tick(3_600_000);
const GPU: Dimension = Dimension(0);

/// Two models, a root with two children, and the workloads `b1` and `a1`.
fn labels(models: &[&str]) -> Labels {
    let mut labels = Labels::default();
    let pool = PoolId(0);
    let mut learn = |kind| labels.learn(&Event { at: Tick::ZERO, kind });
    learn(EventKind::PoolCreated { pool, name: "h100".into(), kind: PoolKind::General });
    for (i, model) in models.iter().enumerate() {
        let node = NodeId(i as u32);
        let spec = NodeSpec {
            name: format!("h100-{i}").into(),
            model: Some(ModelId(i as u8)),
            gpus: 8,
            cpu: 0,
            memory: 0,
        };
        learn(EventKind::NodeAdded { pool, node, model: Some((*model).into()), spec });
    }
    let mut guarantee = Resources::default();
    for i in 0..models.len() {
        guarantee[Dimension(i as u8)] = 48_000;
    }
    for (id, name, source) in [
        (0, "Quota1", Source::Pool(pool)),
        (1, "Quota1.1", Source::Parent(QuotaId(0))),
        (2, "Quota1.2", Source::Parent(QuotaId(0))),
    ] {
        let spec = QuotaSpec { name: name.into(), source, guarantee, policy: Policy::default() };
        learn(EventKind::QuotaCreated { quota: QuotaId(id), spec: Box::new(spec) });
    }
    for (id, name) in [(0, "b1"), (1, "a1")] {
        let mut spec = WorkloadSpec::new(name, QuotaId(1), Module::Training, 4, Shape::with_gpu(8_000));
        spec.restarts = 3;
        let workload = WorkloadId(id);
        learn(EventKind::Queued { workload, spec: std::sync::Arc::new(spec), reasons: Vec::new() });
    }
    labels
}

fn draw(account: u32, dimension: Dimension, amount: i64, class: Class) -> Draw {
    Draw { account: QuotaId(account), dimension, rule: Rule::Own, class, amount }
}

fn grant(draws: &[Draw], replicas: usize) -> Grant {
    let slot = Slot { node: NodeId(0), devices: Devices::None, cpu: 0, memory: 0 };
    let slots = std::iter::repeat_n(slot, replicas).collect();
    Grant { unit: 0, model: Some(ModelId(0)), draws: draws.iter().copied().collect(), slots }
}

fn cause(rule: EvictionRule, by: Option<u32>) -> Cause {
    Cause {
        rule,
        by: by.map(WorkloadId),
        policy_of: Some(QuotaId(0)),
        class: Class::Firm,
        priority: Priority::DEFAULT,
        lost: 0,
        spared: None,
    }
}

fn evicted(exit: Exit, replicas: u32, cause: Cause) -> EventKind {
    EventKind::Evicted { workload: WorkloadId(0), units: smallvec![0], exit, replicas, deadline: HOUR, cause }
}

/// Both renderings of one event.
#[track_caller]
fn check(labels: &Labels, kind: EventKind, line: &str, object: &str) {
    let note = Note::of(&Event { at: HOUR, kind }, labels).expect("a line");
    let report = Report { notes: vec![note], ..Report::default() };
    assert_eq!(text::render(&report), format!("1h  {line}\n"));
    assert_eq!(json::document(&report)["events"][0].to_string(), format!("{{\"at\":3600,{object}}}"));
}

#[test]
fn workloads() {
    let (labels, workload) = (labels(&["H100"]), WorkloadId(0));
    let firm = |amount| grant(&[draw(1, GPU, amount, Class::Firm)], 6);
    let started = |kind, grants| EventKind::Started { workload, kind, replicas: 6, grants };
    check(
        &labels,
        started(StartKind::Started, smallvec![firm(48_000)]),
        "b1 started 6 replicas Quota1.1:48 (firm)",
        r#""workload":"b1","event":"started","replicas":6,"draws":{"Quota1.1":48},"class":"firm""#,
    );
    check(
        &labels,
        started(StartKind::Resumed, smallvec![grant(&[draw(1, GPU, 500, Class::Idle)], 1)]),
        "b1 resumed 1 replica Quota1.1:0.5 (idle)",
        r#""workload":"b1","event":"resumed","replicas":1,"draws":{"Quota1.1":0.5},"class":"idle""#,
    );
    let two = [
        draw(2, GPU, 4_000, Class::Loan),
        draw(0, GPU, 4_000, Class::Firm),
        draw(2, GPU, 1_000, Class::Firm),
    ];
    check(
        &labels,
        started(StartKind::Grown, smallvec![grant(&two, 1)]),
        "b1 grown to 6 replicas Quota1:4 Quota1.2:5 (loan)",
        r#""workload":"b1","event":"grown","replicas":6,"draws":{"Quota1":4,"Quota1.2":5},"class":"loan""#,
    );
    check(
        &labels,
        EventKind::Moved { workload, unit: 0, draws: two.into_iter().collect() },
        "b1 moved Quota1:4 Quota1.2:5 (loan)",
        r#""workload":"b1","event":"moved","draws":{"Quota1":4,"Quota1.2":5},"class":"loan""#,
    );
    check(
        &labels,
        EventKind::Lost { workload, units: smallvec![0], node: NodeId(0), replicas: 0 },
        "b1 lost node h100-0",
        r#""workload":"b1","event":"lost","on":"h100-0","replicas":0"#,
    );
    check(
        &labels,
        EventKind::Failed { workload, restarts_left: Some(2) },
        "b1 failed, restart 1 of 3",
        r#""workload":"b1","event":"failed","restart":1,"restarts":3"#,
    );
    check(
        &labels,
        EventKind::Failed { workload, restarts_left: None },
        "b1 failed",
        r#""workload":"b1","event":"failed""#,
    );
    check(&labels, EventKind::Finished { workload }, "b1 finished", r#""workload":"b1","event":"finished""#);
    check(
        &labels,
        EventKind::Stopped { workload, cause: StopCause::MaxRun },
        "b1 stopped (max-run)",
        r#""workload":"b1","event":"stopped","why":"max-run""#,
    );
    check(
        &labels,
        EventKind::HoldLost { workload, units: smallvec![0], by: Some(WorkloadId(1)) },
        "b1 queued Quota1.1: hold taken over by a1",
        r#""workload":"b1","event":"queued","queue":"Quota1.1","reasons":["hold taken over by a1"]"#,
    );
}

#[test]
fn evictions() {
    let labels = labels(&["H100"]);
    let child = || cause(EvictionRule::ChildLevel, Some(1));
    check(
        &labels,
        evicted(Exit::Requeue, 0, child()),
        "b1 preempted by a1 (child-level)",
        r#""workload":"b1","event":"preempted","by":"a1","rule":"child-level""#,
    );
    check(
        &labels,
        evicted(Exit::Suspend, 0, child()),
        "b1 suspended by a1 (child-level)",
        r#""workload":"b1","event":"suspended","by":"a1","rule":"child-level""#,
    );
    check(
        &labels,
        evicted(Exit::Shrink, 2, child()),
        "b1 shrunk to 2 replicas by a1 (child-level)",
        r#""workload":"b1","event":"shrunk","replicas":2,"by":"a1","rule":"child-level""#,
    );
    check(
        &labels,
        evicted(Exit::Requeue, 0, cause(EvictionRule::Scale, None)),
        "b1 preempted (scale)",
        r#""workload":"b1","event":"preempted","rule":"scale""#,
    );
}

#[test]
fn quotas_and_nodes() {
    let (one, several, quota) = (labels(&["H100"]), labels(&["H100", "A100"]), QuotaId(1));
    let gpus = |h100: i64, a100: i64| {
        let mut r = Resources::of(GPU, h100);
        r[Dimension(1)] = a100;
        r
    };
    let scaled = |from, to| {
        let (from, to) = (Box::new(from), Box::new(to));
        EventKind::QuotaScaled { quota, from, to, mode: Mode::Refuse, giver: None }
    };
    check(
        &one,
        scaled(gpus(48_000, 0), gpus(56_000, 0)),
        "Quota1.1 scaled 48 -> 56",
        r#""quota":"Quota1.1","event":"scaled","from":48,"to":56"#,
    );
    check(
        &several,
        scaled(gpus(48_000, 16_000), gpus(48_000, 0)),
        "Quota1.1 scaled H100:48,A100:16 -> H100:48,A100:0",
        r#""quota":"Quota1.1","event":"scaled","from":{"H100":48,"A100":16},"to":{"H100":48,"A100":0}"#,
    );
    check(
        &one,
        EventKind::Overdrawn { quota, by: Box::new(gpus(8_000, 0)) },
        "Quota1.1 overdrawn by 8",
        r#""quota":"Quota1.1","event":"overdrawn","by":8"#,
    );
    check(
        &one,
        EventKind::QuotaDeleted { quota },
        "Quota1.1 deleted",
        r#""quota":"Quota1.1","event":"deleted""#,
    );
    let after = Policy { protect_for: Span::minutes(90), idle_sharing: false, ..Policy::default() };
    check(
        &one,
        EventKind::PolicySet { quota, before: Box::default(), after: Box::new(after) },
        "Quota1.1 set idle-sharing=off protect-for=1h30m",
        r#""quota":"Quota1.1","event":"set","set":{"idle-sharing":"off","protect-for":"1h30m"}"#,
    );
    let changed = |state, reason: &str| EventKind::NodeChanged {
        pool: PoolId(0),
        node: NodeId(0),
        state,
        reason: reason.into(),
    };
    check(
        &one,
        changed(NodeState::Lost, "stuck"),
        "h100-0 lost: stuck",
        r#""node":"h100-0","event":"lost","reason":"stuck""#,
    );
    check(&one, changed(NodeState::Ready, ""), "h100-0 ready", r#""node":"h100-0","event":"ready""#);
}

#[test]
fn draws_name_cpu_and_memory_where_they_are_kept() {
    let labels = labels(&["H100"]);
    let draws = [
        draw(1, GPU, 8_000, Class::Firm),
        draw(1, Dimension::CPU, 2_500, Class::Firm),
        draw(1, Dimension::MEMORY, 16 << 30, Class::Firm),
    ];
    check(
        &labels,
        EventKind::Moved { workload: WorkloadId(0), unit: 0, draws: draws.into_iter().collect() },
        "b1 moved Quota1.1:8,cpu:2.5,memory:16GiB (firm)",
        concat!(
            r#""workload":"b1","event":"moved","#,
            r#""draws":{"Quota1.1":{"gpu":8,"cpu":2.5,"memory":17179869184}},"class":"firm""#
        ),
    );
}

#[test]
fn a_preview_is_one_event_with_indented_lines() {
    let note = |subject, word, detail| Note { at: HOUR, subject, word, detail };
    let b1 = Subject::Workload("b1".into());
    let would = vec![note(b1.clone(), "finished", Detail::None)];
    let preview = |notes| note(b1.clone(), "preview", Detail::Would { command: "finish", notes });
    let report = Report { notes: vec![preview(would), preview(Vec::new())], ..Report::default() };
    let expected =
        "1h  b1 preview finish\n    b1 finished\n1h  b1 preview finish\n    nobody would start or leave\n";
    assert_eq!(text::render(&report), expected);
    assert_eq!(json::document(&report)["events"][0]["would"][0]["event"], "finished");
}

#[test]
fn a_preview_says_why_that_one_and_the_stream_does_not() {
    let labels = labels(&["H100"]);
    let cause = Cause {
        rule: EvictionRule::ChildLevel,
        by: Some(WorkloadId(1)),
        policy_of: Some(QuotaId(0)),
        class: Class::Firm,
        priority: Priority::DEFAULT,
        lost: 0,
        spared: Some(2),
    };
    let kind = EventKind::Evicted {
        workload: WorkloadId(0),
        units: smallvec![0],
        exit: Exit::Requeue,
        replicas: 0,
        deadline: HOUR,
        cause,
    };
    let evicted = Note::of(&Event { at: HOUR, kind }, &labels).expect("people are told");
    let detail = Detail::Would { command: "submit", notes: vec![evicted.clone()] };
    let preview = Note { at: HOUR, subject: Subject::Workload("a1".into()), word: "preview", detail };
    let report = Report { notes: vec![evicted, preview], ..Report::default() };
    let why = "priority 1, firm, 0 GPU-seconds lost, 2 dearer units spared";
    let line = "b1 preempted by a1 (child-level)";
    assert_eq!(text::render(&report), format!("1h  {line}\n1h  a1 preview submit\n    {line}: {why}\n"));
    let events = &json::document(&report)["events"];
    assert_eq!(events[0].get("why"), None);
    assert_eq!(events[1]["would"][0]["why"], why);
}

#[test]
fn a_root_that_begins_with_nothing_has_figures_once_it_has_something() {
    let mut labels = labels(&["H100"]);
    let root = QuotaId(3);
    let spec = QuotaSpec {
        name: "R".into(),
        source: Source::Pool(PoolId(0)),
        guarantee: Resources::default(),
        policy: Policy::default(),
    };
    let created =
        Event { at: Tick::ZERO, kind: EventKind::QuotaCreated { quota: root, spec: Box::new(spec) } };
    let (from, to) = (Box::default(), Box::new(Resources::of(GPU, 8_000)));
    let kind = EventKind::QuotaScaled { quota: root, from, to, mode: Mode::Refuse, giver: None };
    let scaled = Event { at: HOUR, kind };
    let mut line = |event: &Event| {
        labels.learn(event);
        let note = Note::of(event, &labels).expect("people are told");
        text::render(&Report { notes: vec![note], ..Report::default() })
    };
    assert_eq!(line(&created), "0s  R created 0\n");
    assert_eq!(line(&scaled), "1h  R scaled 0 -> 8\n");
}
