//! The state machine of workloads.

use crate::history::*;
use tidegate_engine::event::{EventKind, StartKind};
use tidegate_engine::ids::Tick;
use tidegate_engine::nodes::NodeState;
use tidegate_engine::words::{Class, EvictionRule, IdleUse, OnPreempt};
use tidegate_engine::workload::{Exit, WorkloadSpec};

fn gang(node: u32) -> tidegate_engine::unit::Grant {
    grant(0, &[own(A, 8)], &[slot(node, 0, 8)])
}

/// One job of 8 GPUs runs in A.
fn one_job() -> Vec<Batch> {
    let mut log = plain();
    log.push(run(1, training(A, 1, 8), &[gang(0)]));
    log
}

/// A service of 4 x 2 GPUs runs in A.
fn one_service(min: Option<u32>) -> Vec<Batch> {
    let mut log = plain();
    let grants: Vec<_> = (0..4).map(|i| grant(i, &[own(A, 2)], &[slot(0, i * 2, 2)])).collect();
    log.push(run(1, WorkloadSpec { min_replicas: min, ..service(A, 4, 2) }, &grants));
    log
}

fn drain(class: Class) -> tidegate_engine::event::Cause {
    cause(EvictionRule::Drain, None, class, 1)
}

fn drained(id: u32, units: &[u32], exit: Exit, replicas: u32) -> Batch {
    vec![node_is(0, NodeState::Cordoned), evicted(id, units, exit, replicas, drain(Class::Firm))]
}

#[test]
fn a_life_with_all_its_turns_is_legal() {
    let checker = passes(
        &one_job(),
        &[
            drained(1, &[0], Exit::Requeue, 0),
            vec![released(1, &[0], true), started(1, &[gang(1)])],
            vec![EventKind::Failed { workload: w(1), restarts_left: Some(1) }, started(1, &[gang(1)])],
            vec![node_is(1, NodeState::Lost), lost(1, &[0], 1, 0)],
            vec![node_is(0, NodeState::Ready), started(1, &[gang(0)])],
            vec![finished(1)],
            vec![EventKind::Forgotten { workload: w(1) }],
        ],
    );
    assert_eq!(checker.totals(), Default::default());
}

#[test]
fn a_workload_is_queued_before_anything_else_happens_to_it() {
    breaks(&plain(), &[vec![started(1, &[gang(0)])]], "Unknown");
    breaks(&one_job(), &[vec![queued(1, training(A, 1, 8))]], "Repeated");
}

#[test]
fn what_runs_is_not_started_again_and_what_ended_stays_ended() {
    breaks(&one_job(), &[vec![start(1, StartKind::Grown, 1, &[gang(1)])]], "WrongUnit");
    breaks(&one_job(), &[vec![finished(1)], vec![started(1, &[gang(0)])]], "WrongState");
    breaks(&one_job(), &[vec![finished(1)], vec![stopped(1)]], "WrongState");
    breaks(&plain(), &[vec![queued(1, training(A, 1, 8)), finished(1)]], "WrongState");
}

#[test]
fn only_what_leaves_is_released() {
    breaks(&one_job(), &[vec![released(1, &[0], true)]], "WrongUnit");
    let left = [drained(1, &[0], Exit::Requeue, 0)];
    breaks(&[one_job(), left.to_vec()].concat(), &[vec![released(1, &[0], false)]], "Dangling");
}

#[test]
fn starts_are_called_what_they_are() {
    let again = |kind| vec![released(1, &[0], true), start(1, kind, 1, &[gang(1)])];
    let mut log = one_job();
    log.push(drained(1, &[0], Exit::Requeue, 0));
    passes(&log, &[again(StartKind::Started)]);
    breaks(&log, &[again(StartKind::Resumed)], "WrongStartKind");

    let mut log = plain();
    log.push(run(1, WorkloadSpec { suspend: true, ..training(A, 1, 8) }, &[gang(0)]));
    log.push(drained(1, &[0], Exit::Suspend, 0));
    passes(&log, &[again(StartKind::Resumed)]);
    breaks(&log, &[again(StartKind::Started)], "WrongStartKind");
}

#[test]
fn an_exit_is_the_one_that_was_asked_for() {
    breaks(&one_job(), &[drained(1, &[0], Exit::Suspend, 0)], "WrongExit");
    breaks(&one_job(), &[drained(1, &[0], Exit::Stop, 0)], "WrongExit");
    breaks(&one_job(), &[drained(1, &[0], Exit::Shrink, 0)], "WrongExit");
    breaks(&one_service(None), &[drained(1, &[3], Exit::Requeue, 3)], "WrongExit");
    let mut log = plain();
    log.push(run(1, WorkloadSpec { on_preempt: OnPreempt::Stop, ..training(A, 1, 8) }, &[gang(0)]));
    passes(&log, &[drained(1, &[0], Exit::Stop, 0), vec![released(1, &[0], false), stopped(1)]]);
}

#[test]
fn replicas_are_counted() {
    passes(&one_service(None), &[drained(1, &[3], Exit::Shrink, 3), vec![released(1, &[3], false)]]);
    breaks(&one_service(None), &[drained(1, &[3], Exit::Shrink, 2)], "WrongRecord");
    let two = [gang(0)];
    breaks(
        &plain(),
        &[vec![queued(1, training(A, 1, 8)), start(1, StartKind::Started, 2, &two)]],
        "WrongRecord",
    );
}

#[test]
fn a_service_starts_with_its_minimum_and_shrinks_no_further() {
    let spec = || WorkloadSpec { min_replicas: Some(2), ..service(A, 4, 2) };
    let one = |i| grant(i, &[own(A, 2)], &[slot(0, i * 2, 2)]);
    breaks(&plain(), &[run(1, spec(), &[one(0)])], "BelowMinimum");
    let grown = start(1, StartKind::Grown, 3, &[one(3)]);
    passes(&plain(), &[run(1, spec(), &[one(0), one(2)]), vec![grown]]);
    passes(&one_service(Some(2)), &[drained(1, &[0, 1], Exit::Shrink, 2)]);
    breaks(&one_service(Some(2)), &[drained(1, &[0, 1, 2], Exit::Shrink, 1)], "BelowMinimum");
    passes(&one_service(Some(2)), &[drained(1, &[0, 1, 2, 3], Exit::Requeue, 0)]);
}

/// An elastic job of at least 2 and at most 4 replicas of 2 GPUs.
fn elastic() -> WorkloadSpec {
    WorkloadSpec { min_replicas: Some(2), ..training(A, 4, 2) }
}

#[test]
fn an_elastic_job_runs_with_its_minimum_or_not_at_all() {
    let replica = |i: u32| grant(i, &[own(A, 2)], &[slot(i / 2, i * 2, 2)]);
    let all: Vec<_> = (0..4).map(replica).collect();
    let log = [plain(), vec![run(1, elastic(), &all)]].concat();
    passes(&log, &[drained(1, &[0, 1], Exit::Shrink, 2)]);
    breaks(&plain(), &[run(1, elastic(), &all[..1])], "BelowMinimum");
    let five: Vec<_> = all.iter().cloned().chain([grant(4, &[own(A, 2)], &[slot(1, 0, 2)])]).collect();
    breaks(&plain(), &[run(1, elastic(), &five)], "WrongShape: more than");
    let node_lost = |units: &[u32], rest| vec![node_is(0, NodeState::Lost), lost(1, units, 0, rest)];
    passes(&log, &[node_lost(&[0, 1], 2)]);
    let three = [plain(), vec![run(1, elastic(), &all[..3])]].concat();
    passes(&three, &[node_lost(&[0, 1, 2], 0)]);
    breaks(&three, &[node_lost(&[0, 1], 1)], "GangSplit");
    breaks(&three, &[drained(1, &[0, 1], Exit::Shrink, 1)], "GangSplit");
}

#[test]
fn replicas_of_a_lower_class_are_given_up_first() {
    let spec = WorkloadSpec { idle: IdleUse::Accept, ..elastic() };
    let replica = |i: u32, draw| grant(i, &[draw], &[slot(0, i * 2, 2)]);
    let grants =
        [replica(0, own(A, 2)), replica(1, own(A, 2)), replica(2, idle(B, 2)), replica(3, idle(A, 2))];
    let log = [plain(), vec![run(1, spec, &grants)]].concat();
    let mut log = [log, vec![vec![queued(5, training(A, 1, 2))]]].concat();
    log.push(run(9, training(B, 1, 6), &[grant(0, &[own(B, 6)], &[slot(1, 0, 6)])]));
    let recall = |unit, class, draws: &[_], first| {
        let cause = cause(EvictionRule::Recall, Some(5), class, 1);
        let claim = grant(0, draws, &[slot(0, first, 2)]);
        vec![evicted(1, &[unit], Exit::Shrink, 3, cause), held(5, &[claim])]
    };
    breaks(&log, &[recall(0, Class::Firm, &[own(A, 2)], 0)], "StrongerFirst");
}

#[test]
fn nobody_stays_on_a_lost_node() {
    breaks(&one_job(), &[vec![node_is(0, NodeState::Lost)]], "NodeInUse");
    breaks(&one_job(), &[vec![node_is(1, NodeState::Lost), lost(1, &[0], 1, 0)]], "WrongUnit");
    breaks(&one_job(), &[vec![lost(1, &[0], 0, 0)]], "WrongRecord");
}

#[test]
fn nobody_is_started_and_evicted_in_one_pass() {
    let mut batch = run(1, training(A, 1, 8), &[gang(0)]);
    batch.extend(drained(1, &[0], Exit::Requeue, 0));
    breaks(&plain(), &[batch], "EvictedInStartingPass");
}

#[test]
fn an_eviction_shows_the_truth() {
    let evict = |cause| vec![node_is(0, NodeState::Cordoned), preempted(1, cause)];
    breaks(&one_job(), &[evict(cause(EvictionRule::Drain, None, Class::Firm, 2))], "WrongRecord");
    breaks(&one_job(), &[evict(cause(EvictionRule::Drain, None, Class::Idle, 1))], "WrongRecord");
    breaks(&one_job(), &[evict(cause(EvictionRule::Recall, None, Class::Firm, 1))], "WrongRecord");
    let mut late = drained(1, &[0], Exit::Requeue, 0);
    let Some(EventKind::Evicted { deadline, .. }) = late.last_mut() else { panic!("an eviction") };
    *deadline = Tick(1);
    breaks(&one_job(), &[late], "WrongRecord");
}

#[test]
fn priorities_and_sizes_change_from_what_they_were() {
    let change = |from, to| vec![EventKind::PriorityChanged { workload: w(1), from: p(from), to: p(to) }];
    passes(&one_job(), &[change(1, 4), change(4, 2)]);
    breaks(&one_job(), &[change(2, 4)], "WrongRecord");
    let resize = |from, to| EventKind::Resized { workload: w(1), from, to };
    let smaller = evicted(1, &[3], Exit::Shrink, 3, cause(EvictionRule::Resize, None, Class::Firm, 1));
    passes(&one_service(None), &[vec![resize(4, 3), smaller]]);
    breaks(&one_service(None), &[vec![resize(3, 2)]], "WrongRecord");
}

#[test]
fn time_does_not_run_backwards() {
    let mut checker = tidegate_check::Checker::new();
    let event = |at| tidegate_engine::Event { at: Tick(at), kind: root(R, 0, Default::default()) };
    let pool = tidegate_engine::Event { at: Tick(5), kind: pool(0).remove(0) };
    checker.observe(&[pool]).expect("legal");
    let violation = checker.observe(&[event(4)]).expect_err("earlier than the batch before");
    assert_eq!(violation.to_string(), "at 0.005s: the clock went back from 5 ms");
}

#[test]
fn only_units_in_the_right_standing_are_touched() {
    breaks(&one_job(), &[drained(1, &[1], Exit::Requeue, 0)], "WrongUnit");
    let mut log = one_job();
    log.push(drained(1, &[0], Exit::Requeue, 0));
    breaks(&log, &[vec![moved(1, 0, &[own(A, 8)])]], "WrongState");
    breaks(&log, &[vec![stopped(1)]], "Dangling");
    breaks(&one_job(), &[vec![hold_lost(1, &[0], None)]], "WrongUnit");
    breaks(&one_job(), &[vec![held(1, &[gang(1)])]], "WrongUnit");
    breaks(&one_job(), &[vec![node_is(1, NodeState::Lost), lost(1, &[3], 1, 1)]], "WrongUnit");
    breaks(&one_job(), &[vec![node_is(0, NodeState::Lost), lost(1, &[0], 0, 1)]], "WrongRecord");
    breaks(&plain(), &[vec![queued(1, training(A, 1, 8))], vec![hold_lost(1, &[0], None)]], "WrongState");
}

#[test]
fn a_service_that_lost_replicas_goes_on_below_its_minimum() {
    let log = one_service(Some(4));
    let mut spread = plain();
    let grants: Vec<_> = (0..4).map(|i| grant(i, &[own(A, 2)], &[slot(i / 2, i * 2, 2)])).collect();
    spread.push(run(1, WorkloadSpec { min_replicas: Some(4), ..service(A, 4, 2) }, &grants));
    passes(&spread, &[vec![node_is(0, NodeState::Lost), lost(1, &[0, 1], 0, 2)]]);
    breaks(&log, &[drained(1, &[0, 1], Exit::Shrink, 2)], "BelowMinimum");
}

#[test]
fn who_is_stopped_while_it_leaves_does_not_come_back() {
    let mut log = one_job();
    log.push(drained(1, &[0], Exit::Requeue, 0));
    log.push(vec![evicted(1, &[], Exit::Stop, 0, cause(EvictionRule::Stop, None, Class::Firm, 1))]);
    passes(&log, &[vec![released(1, &[0], false), stopped(1)]]);
    breaks(&log, &[vec![released(1, &[0], true)]], "WrongState");
    breaks(&log, &[vec![released(1, &[0], false)]], "Dangling");
}
