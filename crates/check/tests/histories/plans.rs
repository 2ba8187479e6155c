//! Plans: certified, minimal, no later tier than needed.

use crate::history::*;
use tidegate_engine::event::{Cause, EventKind};
use tidegate_engine::ids::{NodeId, QuotaId};
use tidegate_engine::policy::Policy;
use tidegate_engine::resources::Shape;
use tidegate_engine::unit::{Draw, Grant};
use tidegate_engine::words::{Class, EvictionRule, IdleUse, Scope};
use tidegate_engine::workload::{Exit, Role, WorkloadSpec};

fn idler(replicas: u32, gpu: u32) -> WorkloadSpec {
    WorkloadSpec { idle: IdleUse::Accept, ..training(B, replicas, gpu) }
}

fn recall(by: u32) -> Cause {
    cause(EvictionRule::Recall, Some(by), Class::Idle, 1)
}

fn claim(draws: &[Draw], node: u32, first: u32, n: u32) -> Vec<Grant> {
    vec![grant(0, draws, &[slot(node, first, n)])]
}

/// Idle jobs w1 to w4 of 2 GPUs each fill A on node 0; node 1 is empty.
fn four_idlers() -> Vec<Batch> {
    let jobs = (0..4).map(|i| run(i + 1, idler(1, 2), &[grant(0, &[idle(A, 2)], &[slot(0, i * 2, 2)])]));
    plain().into_iter().chain(jobs).collect()
}

/// `four_idlers`, with node 1 in use by w9.
fn crowded() -> Vec<Batch> {
    [four_idlers(), vec![run(9, training(B, 1, 8), &claim(&[own(B, 8)], 1, 0, 8))]].concat()
}

#[test]
fn no_more_is_evicted_than_needed() {
    let plan = |gone: &[u32], node| {
        let mut batch = vec![queued(5, training(A, 1, 4))];
        batch.extend(gone.iter().map(|id| preempted(*id, recall(5))));
        batch.push(held(5, &claim(&[own(A, 4)], node, 0, 4)));
        vec![batch]
    };
    passes(&crowded(), &plan(&[1, 2], 0));
    breaks(&crowded(), &plan(&[1, 2, 3], 0), "NotMinimal");
    // Too little: the books say so where the claim is made.
    breaks(&crowded(), &plan(&[1], 0), "Overdrawn");
    // With an empty node any two do, and none would be needed but for the balance.
    passes(&four_idlers(), &plan(&[3, 4], 1));
    breaks(&four_idlers(), &plan(&[1, 2, 3], 1), "NotMinimal");
}

#[test]
fn a_plan_fits_devices_as_well_as_accounts() {
    let batch = vec![
        queued(5, training(A, 1, 4)),
        preempted(1, recall(5)),
        preempted(3, recall(5)),
        held(5, &claim(&[own(A, 4)], 0, 0, 4)),
    ];
    breaks(&crowded(), &[batch], "DeviceOverfull");
}

#[test]
fn balance_and_nodes_that_are_free_anyway_are_not_bought_with_evictions() {
    let batch = vec![
        queued(5, training(B, 1, 4)),
        preempted(1, Cause { policy_of: Some(A), ..recall(5) }),
        held(5, &claim(&[own(B, 4)], 0, 0, 4)),
    ];
    breaks(&four_idlers(), &[batch], "NotEligible");
}

#[test]
fn what_leaves_already_counts_as_free_and_what_is_held_does_not() {
    let first =
        vec![queued(5, training(A, 1, 2)), preempted(1, recall(5)), held(5, &claim(&[own(A, 2)], 0, 0, 2))];
    let second =
        vec![queued(6, training(A, 1, 2)), preempted(2, recall(6)), held(6, &claim(&[own(A, 2)], 0, 2, 2))];
    passes(&crowded(), &[first.clone(), second.clone()]);
    // The first preemptor gives up: what its victim leaves is nobody's.
    breaks(&crowded(), &[first, vec![stopped(5)], second], "NotMinimal");
}

#[test]
fn victims_shrink_by_no_more_than_needed() {
    // w1 has four replicas of 2 GPUs each on idle capacity of A; its minimum is two.
    let spec = WorkloadSpec { min_replicas: Some(2), ..idler(4, 2) };
    let all: Vec<_> = (0..4).map(|i| grant(i, &[idle(A, 2)], &[slot(0, i * 2, 2)])).collect();
    let log = [plain(), vec![run(1, spec, &all)]].concat();
    let log = [log, vec![run(9, training(B, 1, 8), &claim(&[own(B, 8)], 1, 0, 8))]].concat();
    let plan = |gpus: u32, first, units: &[u32], exit, left| {
        let claim = claim(&[own(A, gpus.into())], 0, first, gpus);
        vec![vec![queued(5, training(A, 1, gpus)), evicted(1, units, exit, left, recall(5)), held(5, &claim)]]
    };
    passes(&log, &plan(2, 6, &[3], Exit::Shrink, 3));
    breaks(&log, &plan(2, 6, &[2, 3], Exit::Shrink, 2), "NotMinimal");
    breaks(&log, &plan(4, 4, &[0, 1, 2, 3], Exit::Requeue, 0), "NotMinimal");
    passes(&log, &plan(6, 0, &[0, 1, 2, 3], Exit::Requeue, 0));
}

#[test]
fn a_service_is_planned_as_one() {
    let replica = |i: u32, first| grant(i, &[own(A, 2)], &[slot(0, first, 2)]);
    let plan = |gone: &[u32], grants: &[Grant]| {
        let mut batch = vec![queued(5, service(A, 3, 2))];
        batch.extend(gone.iter().map(|id| preempted(*id, recall(5))));
        batch.push(held(5, grants));
        batch
    };
    passes(&crowded(), &[plan(&[1, 2, 3], &[replica(0, 0), replica(1, 2), replica(2, 4)])]);
    breaks(&crowded(), &[plan(&[1, 2, 3], &[replica(0, 0), replica(1, 2)])], "NotMinimal");
    // A replica starts when its own devices are free, the service with its minimum.
    let log = [crowded(), vec![plan(&[1, 2], &[replica(0, 0), replica(1, 2)])]].concat();
    passes(&log, &[vec![released(1, &[0], true), started(5, &[replica(0, 0)])]]);
    breaks(&log, &[vec![released(1, &[0], true), started(5, &[replica(1, 2)])]], "DeviceOverfull");
}

#[test]
fn mixed_roles_use_what_every_victim_leaves() {
    let roles = |small: u32| {
        let role = |replicas, gpu| Role { replicas, shape: Shape::with_gpu(gpu) };
        WorkloadSpec {
            roles: [role(1, 2_000), role(small, 1_000)].into_iter().collect(),
            ..training(A, 1, 1)
        }
    };
    let plan = |spec, n, slots: &[_], gone: &[u32]| {
        let mut batch = vec![queued(5, spec)];
        batch.extend(gone.iter().map(|id| preempted(*id, recall(5))));
        batch.push(held(5, &[grant(0, &[own(A, n)], slots)]));
        vec![batch]
    };
    passes(&crowded(), &plan(roles(2), 4, &[slot(0, 0, 2), slot(0, 2, 1), slot(0, 3, 1)], &[1, 2]));
    breaks(
        &crowded(),
        &plan(roles(2), 4, &[slot(0, 0, 2), slot(0, 2, 1), slot(0, 3, 1)], &[1, 2, 3]),
        "NotMinimal",
    );
    // Spread over what three leave: two would have done, only with other places.
    breaks(
        &crowded(),
        &plan(roles(2), 4, &[slot(0, 0, 2), slot(0, 2, 1), slot(0, 4, 1)], &[1, 2, 3]),
        "NotMinimal",
    );
}

#[test]
fn jobs_evict_for_their_minimum_and_growth_evicts_nobody() {
    let spec = WorkloadSpec { min_replicas: Some(1), ..training(A, 2, 2) };
    let gang = grant(0, &[own(A, 2)], &[slot(0, 0, 2)]);
    let more = grant(1, &[own(A, 2)], &[slot(0, 2, 2)]);
    let greedy = vec![
        queued(5, spec.clone()),
        preempted(1, recall(5)),
        preempted(2, recall(5)),
        held(5, &[gang.clone(), more.clone()]),
    ];
    breaks(&crowded(), &[greedy], "WrongPlan: more than the minimum");
    let modest = vec![queued(5, spec), preempted(1, recall(5)), held(5, std::slice::from_ref(&gang))];
    let start = vec![released(1, &[0], true), started(5, &[gang])];
    let growth = vec![preempted(2, recall(5)), held(5, &[more])];
    breaks(&[crowded(), vec![modest, start]].concat(), &[growth], "WrongPlan: growth");
}

/// A is full of a low-priority job on node 0; B of an idle job of A on node 1.
fn tiers(own_child: Policy) -> Vec<Batch> {
    let mut log = world(Policy::default(), own_child, Policy::default());
    log.push(run(1, prio(training(A, 1, 8), 4), &claim(&[own(A, 8)], 0, 0, 8)));
    log.push(run(
        2,
        WorkloadSpec { idle: IdleUse::Accept, ..training(A, 1, 8) },
        &claim(&[idle(B, 8)], 1, 0, 8),
    ));
    log
}

#[test]
fn a_later_tier_opens_only_when_earlier_ones_do_not_suffice() {
    let by = |id, rule, class, priority, claim: &[Grant]| {
        let cause = cause(rule, Some(5), class, priority);
        vec![vec![queued(5, prio(training(A, 1, 8), 7)), preempted(id, cause), held(5, claim)]]
    };
    // As a loan w5 may take back what is idle on B.
    let log = tiers(self_level(Scope::Both));
    passes(&log, &by(2, EvictionRule::Recall, Class::Idle, 1, &claim(&[loan(B, 8)], 1, 0, 8)));
    let evict = by(1, EvictionRule::SelfLevel, Class::Firm, 4, &claim(&[own(A, 8)], 0, 0, 8));
    breaks(&log, &evict, "TierNotNeeded");
    // Without siblings in scope there is nothing to recall.
    passes(&tiers(self_level(Scope::SameQuota)), &evict);
}

#[test]
fn a_later_tier_is_not_needed_for_several_roles_either() {
    let role = |gpu| Role { replicas: 1, shape: Shape::with_gpu(gpu) };
    let spec = WorkloadSpec { roles: [role(2_000), role(6_000)].into_iter().collect(), ..training(A, 1, 1) };
    let evict = vec![vec![
        queued(5, prio(spec, 7)),
        preempted(1, cause(EvictionRule::SelfLevel, Some(5), Class::Firm, 4)),
        held(5, &[grant(0, &[own(A, 8)], &[slot(0, 0, 2), slot(0, 2, 6)])]),
    ]];
    breaks(&tiers(self_level(Scope::Both)), &evict, "TierNotNeeded");
    passes(&tiers(self_level(Scope::SameQuota)), &evict);
}

#[test]
fn who_only_shrank_in_a_pass_can_still_be_recalled_in_it() {
    // w2 has four replicas on idle capacity of B. B's own w6 takes one back; as a loan w5 could have the others.
    let mut log = world(Policy::default(), self_level(Scope::Both), Policy::default());
    log.push(run(1, prio(training(A, 1, 8), 4), &claim(&[own(A, 8)], 0, 0, 8)));
    let spec = WorkloadSpec { idle: IdleUse::Accept, min_replicas: Some(1), ..training(A, 4, 2) };
    let all: Vec<_> = (0..4).map(|i| grant(i, &[idle(B, 2)], &[slot(1, i * 2, 2)])).collect();
    log.push(run(2, spec, &all));
    let shrink = vec![
        queued(6, training(B, 1, 2)),
        evicted(2, &[3], Exit::Shrink, 3, Cause { policy_of: Some(B), ..recall(6) }),
        held(6, &claim(&[own(B, 2)], 1, 6, 2)),
    ];
    let evict = vec![
        queued(5, prio(training(A, 1, 6), 7)),
        preempted(1, cause(EvictionRule::SelfLevel, Some(5), Class::Firm, 4)),
        held(5, &claim(&[own(A, 6)], 0, 0, 6)),
    ];
    passes(&log, std::slice::from_ref(&shrink));
    breaks(&log, &[[shrink, evict].concat()], "TierNotNeeded");
}

#[test]
fn a_reservation_of_lower_rank_could_have_been_taken_over() {
    let reserved = |priority| {
        let accounts = std::iter::once(own(B, 4)).collect();
        vec![
            queued(7, prio(training(B, 1, 4), priority)),
            EventKind::Reserved { workload: w(7), accounts, nodes: vec![(NodeId(1), 4)] },
        ]
    };
    let idler = WorkloadSpec { idle: IdleUse::Accept, ..training(A, 1, 4) };
    let log = |priority| {
        let idle = run(1, idler.clone(), &claim(&[idle(B, 4)], 0, 0, 4));
        [plain(), vec![reserved(priority), idle]].concat()
    };
    let plan = vec![
        queued(5, prio(training(B, 1, 4), 5)),
        preempted(1, Cause { policy_of: Some(B), ..recall(5) }),
        held(5, &claim(&[own(B, 4)], 0, 0, 4)),
    ];
    passes(&log(6), std::slice::from_ref(&plan));
    breaks(&log(4), &[plan], "NotMinimal");
}

#[test]
fn rank_rises_with_every_eviction() {
    // Of equal class the shallower quota is higher, then the higher priority.
    let grand = QuotaId(5);
    let mut log = world(Policy::default(), child_level(), Policy::default());
    log.push(vec![child(grand, A, 8, Policy::default())]);
    log.push(run(1, prio(training(grand, 1, 8), 3), &claim(&[own(grand, 8)], 0, 0, 8)));
    let plan = |by: WorkloadSpec, draw: Draw, rule| {
        let cause = Cause { policy_of: Some(by.quota), ..cause(rule, Some(5), Class::Firm, 3) };
        vec![vec![queued(5, by), preempted(1, cause), held(5, &claim(&[draw], 0, 0, 8))]]
    };
    passes(&log, &plan(training(A, 1, 8), below(grand, 8), EvictionRule::ChildLevel));
    let by = |priority| plan(prio(training(grand, 1, 8), priority), own(grand, 8), EvictionRule::SelfLevel);
    breaks(&log, &by(3), "RankNotRaised");
    breaks(&log, &by(4), "NotEligible: self-level preemption is off");
}

#[test]
fn a_plan_that_starts_at_once_is_judged_as_well() {
    // w5 needs nothing of what it evicts, and so it starts in the same pass.
    let start = vec![
        queued(5, training(B, 1, 4)),
        preempted(1, recall(5)),
        started(5, &claim(&[own(B, 4)], 1, 0, 4)),
    ];
    breaks(&four_idlers(), &[start], "NotEligible");
    let itself = vec![preempted(1, recall(1))];
    breaks(&four_idlers(), &[itself], "NothingGranted");
}
