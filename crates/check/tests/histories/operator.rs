//! Evictions by a scale, a transfer, or to empty a node.

use crate::history::*;
use tidegate_engine::ids::QuotaId;
use tidegate_engine::nodes::NodeState;
use tidegate_engine::policy::Policy;
use tidegate_engine::unit::Draw;
use tidegate_engine::words::{Class, EvictionRule, IdleUse, Scope};
use tidegate_engine::workload::{Exit, WorkloadSpec};

fn job(id: u32, quota: QuotaId, draws: &[Draw], node: u32, first: u32) -> Batch {
    let n = draws.iter().map(|d| d.amount / 1_000).sum::<i64>() as u32;
    let idle = if draws[0].class == Class::Idle { IdleUse::Accept } else { IdleUse::Never };
    let spec = WorkloadSpec { idle, ..prio(training(quota, 1, n), 6) };
    run(id, spec, &[grant(0, draws, &[slot(node, first, n)])])
}

/// On B draw: w1 firm 4, w2 as a loan 2, w3 idle 2.
fn borrowed() -> Vec<Batch> {
    let mut log = world(Policy::default(), self_level(Scope::Both), Policy::default());
    log.push(job(1, B, &[own(B, 4)], 0, 0));
    log.push(job(2, A, &[loan(B, 2)], 0, 4));
    log.push(job(3, A, &[idle(B, 2)], 0, 6));
    log
}

/// B is scaled down to `to`, and these leave: (workload, class).
fn scale(to: i64, gone: &[(u32, Class)]) -> Batch {
    let mut batch = vec![scaled(B, 8, to)];
    for (id, class) in gone {
        batch.push(preempted(*id, cause(EvictionRule::Scale, None, *class, 6)));
    }
    batch.push(overdrawn(B, 8 - to));
    batch
}

#[test]
fn lower_classes_leave_first() {
    passes(&borrowed(), &[scale(6, &[(3, Class::Idle)]), vec![released(3, &[0], true), settled(B)]]);
    passes(&borrowed(), &[scale(4, &[(3, Class::Idle), (2, Class::Loan)])]);
    breaks(&borrowed(), &[scale(6, &[(2, Class::Loan)])], "WrongOrder");
    passes(&borrowed(), &[scale(0, &[(1, Class::Firm), (3, Class::Idle), (2, Class::Loan)])]);
}

#[test]
fn nobody_leaves_needlessly() {
    breaks(&borrowed(), &[scale(6, &[(3, Class::Idle), (2, Class::Loan)])], "Needless");
    breaks(&borrowed(), &[scale(7, &[(3, Class::Idle), (1, Class::Firm)])], "Needless");
    let mut log = borrowed();
    log.push(job(4, A, &[own(A, 4)], 1, 0));
    breaks(&log, &[scale(6, &[(3, Class::Idle), (4, Class::Firm)])], "Needless");
}

#[test]
fn only_what_occupies_the_node_is_drained_from_it() {
    let drain = |node, id| {
        let gone = evicted(id, &[0], Exit::Requeue, 0, cause(EvictionRule::Drain, None, Class::Firm, 6));
        vec![node_is(node, NodeState::Cordoned), gone]
    };
    passes(&borrowed(), &[drain(0, 1)]);
    breaks(&borrowed(), &[drain(1, 1)], "NotThere");
}

#[test]
fn what_the_pass_evicts_makes_no_part_of_the_change_needless() {
    let mut log = world(Policy::default(), Policy::default(), self_level(Scope::Both));
    let spec = WorkloadSpec { min_replicas: Some(2), ..prio(service(B, 3, 2), 6) };
    let at = |unit, draws: &[Draw]| grant(unit, draws, &[slot(0, unit * 2, 2)]);
    log.push(run(1, spec, &[at(0, &[own(B, 2)]), at(1, &[own(B, 2)]), at(2, &[loan(A, 2)])]));
    log.push(job(2, B, &[own(B, 4)], 1, 0));
    // Without the replica that w3 recalls, w1 would be below its minimum: it leaves whole.
    let by_scale = evicted(1, &[0], Exit::Shrink, 2, cause(EvictionRule::Scale, None, Class::Firm, 6));
    let recalled =
        evicted(1, &[1, 2], Exit::Requeue, 0, cause(EvictionRule::Recall, Some(3), Class::Loan, 6));
    let pass = |change: Batch| {
        let asks = queued(3, training(A, 1, 8));
        let plan = vec![recalled.clone(), held(3, &[grant(0, &[own(A, 8)], &[slot(0, 0, 8)])])];
        vec![vec![asks], [change, plan].concat()]
    };
    passes(&log, &pass(vec![scaled(B, 8, 6), overdrawn(B, 2), by_scale]));
}
