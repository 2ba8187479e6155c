//! Shares, conservation, holds and overdrafts.

use crate::history::*;
use tidegate_engine::event::EventKind;
use tidegate_engine::ids::{NodeId, QuotaId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::policy::{Policy, Source};
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::unit::Grant;
use tidegate_engine::words::{Class, EvictionRule, IdleUse, Rule, Scope};
use tidegate_engine::workload::{Exit, WorkloadSpec};

/// A job with `n` GPUs of its own quota, from device `first` of a node on.
fn job(id: u32, quota: QuotaId, n: u32, node: u32, first: u32) -> Batch {
    run(id, training(quota, 1, n), &[grant(0, &[own(quota, n.into())], &[slot(node, first, n)])])
}

/// A is full: w1 has 5 and w2 has 3.
fn full() -> Vec<Batch> {
    [plain(), vec![job(1, A, 5, 0, 0), job(2, A, 3, 0, 5)]].concat()
}

#[test]
fn draws_stay_within_the_share() {
    let checker = passes(&full(), &[]);
    assert_eq!(checker.drawn(A, GPU), 8_000);
    assert_eq!(checker.share(R), Some(gpus(0)));
    assert_eq!(checker.totals().drawn, [((A, GPU, Rule::Own), 8_000)].into());
    assert_eq!(checker.totals().devices.len(), 8);
    breaks(&full(), &[job(3, A, 1, 1, 0)], "Overdrawn");
    breaks(&full(), &[job(3, R, 1, 1, 0)], "Overdrawn");
}

#[test]
fn shares_are_carved_out_of_what_there_is() {
    breaks(&plain(), &[vec![child(QuotaId(3), A, 9, Policy::default())]], "NegativeShare");
    breaks(&full(), &[vec![child(QuotaId(3), A, 1, Policy::default())]], "Overdrawn");
    breaks(&plain(), &[vec![root(QuotaId(3), 1, Policy::default())]], "PoolOversold");
    breaks(&plain(), &[vec![child(A, R, 1, Policy::default())]], "Repeated");
    let cpu = gpus(0).plus(&Resources::of(Dimension::CPU, 1_000));
    breaks(&plain(), &[vec![quota(QuotaId(3), Source::Parent(A), cpu, Policy::default())]], "NegativeShare");
}

#[test]
fn a_node_is_not_removed_while_guarantees_or_work_need_it() {
    let remove = |n| vec![EventKind::NodeRemoved { pool: POOL, node: NodeId(n) }];
    breaks(&plain(), &[remove(1)], "PoolOversold");
    breaks(&full(), &[remove(0)], "NodeInUse");
    let mut spare = plain();
    spare[0].push(node(2, 0));
    passes(&spare, &[remove(1)]);
    breaks(&spare, &[remove(5)], "Unknown");
}

#[test]
fn a_quota_in_use_is_not_deleted() {
    let delete = |quota| vec![EventKind::QuotaDeleted { quota }];
    breaks(&plain(), &[delete(R)], "QuotaInUse");
    breaks(&full(), &[delete(A)], "QuotaInUse");
    breaks(&plain(), &[vec![queued(1, training(A, 1, 8))], delete(A)], "QuotaInUse");
    passes(&full(), &[vec![finished(1), finished(2)], delete(A), job(3, R, 8, 0, 0)]);
    let borrower = WorkloadSpec { idle: IdleUse::Accept, ..training(B, 1, 8) };
    let lent = run(1, borrower, &[grant(0, &[idle(A, 8)], &[slot(0, 0, 8)])]);
    breaks(&plain(), &[lent, delete(A)], "QuotaInUse: drawn on");
}

#[test]
fn guarantees_change_from_what_they_were() {
    passes(&plain(), &[vec![scaled(A, 8, 4), scaled(B, 8, 12)]]);
    breaks(&plain(), &[vec![scaled(A, 7, 4)]], "WrongRecord");
    breaks(&plain(), &[vec![scaled(B, 8, 12)]], "NegativeShare");
    breaks(&plain(), &[vec![scaled(R, 16, 17)]], "PoolOversold");
    breaks(&plain(), &[vec![scaled(R, 16, 15)]], "NegativeShare");
    breaks(&full(), &[vec![scaled(A, 8, 7)]], "Overdrawn");
}

#[test]
fn a_policy_changes_from_what_it_was() {
    let set = |before, after| {
        vec![EventKind::PolicySet { quota: A, before: Box::new(before), after: Box::new(after) }]
    };
    passes(&plain(), &[set(Policy::default(), self_level(Scope::Both))]);
    breaks(&plain(), &[set(self_level(Scope::Both), Policy::default())], "WrongRecord");
}

/// 3 of A's 8 go to B while all 8 are drawn.
fn transfer() -> Batch {
    vec![scaled(A, 8, 5), scaled(B, 8, 11), overdrawn(A, 3)]
}

#[test]
fn an_overdraft_is_declared_shrinks_and_is_settled() {
    passes(&full(), &[transfer(), vec![finished(2), settled(A)], job(3, B, 3, 0, 5)]);
    breaks(&full(), &[transfer(), vec![finished(2)]], "OverdraftNotSettled");
    breaks(&full(), &[transfer(), vec![settled(A)]], "SettledTooEarly");
    breaks(&full(), &[vec![settled(A)]], "OverdraftUnfounded");
    breaks(&full(), &[vec![overdrawn(A, 3)]], "OverdraftUnfounded: did not become smaller");
    breaks(&full(), &[vec![scaled(A, 8, 5), scaled(B, 8, 11), overdrawn(A, 0)]], "OverdraftUnfounded: empty");
    breaks(&full(), &[vec![scaled(A, 8, 5), scaled(B, 8, 11), overdrawn(A, 4)]], "OverdraftUnfounded");
    breaks(&full(), &[vec![scaled(A, 8, 5), scaled(B, 8, 11), overdrawn(A, 2)]], "OverdraftGrew");
}

#[test]
fn nothing_new_starts_on_an_overdrawn_account() {
    let log = [plain(), vec![job(1, A, 4, 0, 0), job(2, A, 2, 0, 4)]].concat();
    let declared = vec![scaled(A, 8, 3), overdrawn(A, 3)];
    passes(&log, &[declared.clone(), vec![finished(2)]]);
    breaks(&log, &[declared.clone(), vec![finished(2)], job(3, A, 1, 1, 0)], "DrawOnOverdrawn");
    breaks(&log, &[declared, vec![scaled(A, 3, 2)]], "OverdraftGrew");
}

#[test]
fn gains_in_transit_are_not_used_before_they_arrive() {
    let log = [full(), vec![transfer()]].concat();
    passes(&log, &[job(3, B, 8, 1, 0)]);
    let mut wide = log.clone();
    wide[0].push(node(2, 0));
    breaks(&wide, &[job(3, B, 8, 1, 0), job(4, B, 1, 2, 0)], "TreeOverdrawn");
}

#[test]
fn a_smaller_root_may_be_overdrawn_as_a_whole() {
    let log = vec![pool(2), vec![root(R, 16, Policy::default())], job(1, R, 8, 0, 0), job(2, R, 8, 1, 0)];
    passes(&log, &[vec![scaled(R, 16, 10), overdrawn(R, 6)], vec![finished(2), settled(R)]]);
    breaks(&log, &[vec![scaled(R, 16, 10)]], "Overdrawn");
}

/// w1 fills A with idle draws and leaves for w2, which holds all of A.
fn one_hold() -> Vec<Batch> {
    let idler = WorkloadSpec { idle: IdleUse::Accept, ..training(B, 1, 8) };
    let mut log = plain();
    log.push(run(1, idler, &[grant(0, &[idle(A, 8)], &[slot(0, 0, 8)])]));
    log.push(vec![
        queued(2, training(A, 1, 8)),
        preempted(1, cause(EvictionRule::Recall, Some(2), Class::Idle, 1)),
        held(2, &[claim()]),
    ]);
    log
}

fn claim() -> Grant {
    grant(0, &[own(A, 8)], &[slot(0, 0, 8)])
}

#[test]
fn a_hold_starts_when_what_it_waits_for_is_gone() {
    let checker = passes(&one_hold(), &[vec![released(1, &[0], true), started(2, &[claim()])]]);
    assert_eq!(checker.totals().running, [(w(2), 1)].into());
    breaks(&one_hold(), &[vec![started(2, &[claim()])]], "Overdrawn");
    let cordoned = vec![node_is(0, NodeState::Cordoned), released(1, &[0], true), started(2, &[claim()])];
    breaks(&one_hold(), &[cordoned], "WrongNode: not ready any more");
    let other = grant(0, &[own(A, 8)], &[slot(1, 0, 8)]);
    breaks(&one_hold(), &[vec![released(1, &[0], true), started(2, &[other])]], "HoldNotKept");
}

#[test]
fn nobody_else_takes_what_is_held() {
    let thief = |node| run(3, training(A, 1, 8), &[grant(0, &[own(A, 8)], &[slot(node, 0, 8)])]);
    let released = vec![released(1, &[0], true)];
    breaks(&one_hold(), &[released.clone(), thief(1)], "Overdrawn");
    let from_b = run(3, training(B, 1, 8), &[grant(0, &[own(B, 8)], &[slot(0, 0, 8)])]);
    breaks(&one_hold(), &[released, from_b], "DeviceOverfull");
}

#[test]
fn a_hold_is_taken_over_by_a_higher_rank_alone() {
    let thief = |priority| {
        vec![vec![
            queued(3, prio(training(A, 1, 8), priority)),
            hold_lost(2, &[0], Some(3)),
            held(3, &[claim()]),
        ]]
    };
    passes(&one_hold(), &thief(2));
    let at_once = |priority| {
        let queued = queued(3, prio(training(A, 1, 8), priority));
        vec![vec![released(1, &[0], true), queued, hold_lost(2, &[0], Some(3)), started(3, &[claim()])]]
    };
    passes(&one_hold(), &at_once(2));
    breaks(&one_hold(), &at_once(1), "TakeoverNotHigher");
    breaks(&one_hold(), &thief(1), "TakeoverNotHigher");
    let nothing = vec![queued(3, prio(training(A, 1, 8), 2)), hold_lost(2, &[0], Some(3))];
    breaks(&one_hold(), &[nothing], "WrongPlan");
    breaks(&one_hold(), &[vec![hold_lost(1, &[0], None)]], "WrongUnit");
    passes(&one_hold(), &[vec![hold_lost(2, &[0], None)], vec![released(1, &[0], true)]]);
    breaks(
        &one_hold(),
        &[vec![evicted(2, &[0], Exit::Requeue, 0, cause(EvictionRule::Drain, None, Class::Firm, 1))]],
        "WrongState",
    );
}
