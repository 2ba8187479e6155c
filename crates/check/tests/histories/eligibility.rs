//! Whom a preemptor may evict, rule by rule.

use crate::history::*;
use tidegate_engine::event::{Cause, EventKind};
use tidegate_engine::ids::QuotaId;
use tidegate_engine::policy::Policy;
use tidegate_engine::unit::{Draw, Grant};
use tidegate_engine::words::{Class, EvictionRule, IdleUse, Module, Rule, Scope};
use tidegate_engine::workload::WorkloadSpec;

/// Node 0 and its 8 GPUs are the victim's, w1. Node 1 is kept busy by w9 in B.
fn with_victim(log: Vec<Batch>, victim: WorkloadSpec, draws: &[Draw]) -> Vec<Batch> {
    [log, vec![run(1, victim, &[grant(0, draws, &[slot(0, 0, 8)])])]].concat()
}

/// w2 evicts w1 from node 0 and holds it.
fn preempts(by: WorkloadSpec, draws: &[Draw], cause: Cause) -> Vec<Batch> {
    let claim: Grant = grant(0, draws, &[slot(0, 0, 8)]);
    vec![vec![queued(2, by), preempted(1, cause), held(2, std::slice::from_ref(&claim))]]
}

fn of(policy_of: QuotaId, rule: EvictionRule, class: Class, priority: u8) -> Cause {
    Cause { policy_of: Some(policy_of), ..cause(rule, Some(2), class, priority) }
}

fn idler(quota: QuotaId) -> WorkloadSpec {
    WorkloadSpec { idle: IdleUse::Accept, ..training(quota, 1, 8) }
}

#[test]
fn who_borrows_gives_back() {
    let recall = |class, priority| of(A, EvictionRule::Recall, class, priority);
    let log = with_victim(plain(), idler(B), &[idle(A, 8)]);
    passes(&log, &preempts(training(A, 1, 8), &[own(A, 8)], recall(Class::Idle, 1)));
    let log = world(Policy::default(), Policy::default(), self_level(Scope::Both));
    let log = with_victim(log, prio(training(B, 1, 8), 9), &[loan(A, 8)]);
    passes(&log, &preempts(service(A, 1, 8), &[own(A, 8)], recall(Class::Loan, 9)));
}

#[test]
fn what_is_drawn_by_right_is_not_recalled() {
    let log = with_victim(plain(), training(A, 1, 8), &[own(A, 8)]);
    let by = preempts(prio(training(A, 1, 8), 9), &[own(A, 8)], of(A, EvictionRule::Recall, Class::Firm, 1));
    breaks(&log, &by, "NotEligible: its class is not below");
}

#[test]
fn own_draws_of_a_borrower_are_not_taken_back_for_want_of_balance() {
    // w1 draws 4 of its own in A and 4 idle in B: a firm job of A has no claim on either.
    let log = with_victim(plain(), idler(A), &[own(A, 4), idle(B, 4)]);
    let claim = grant(0, &[own(A, 8)], &[slot(1, 0, 8)]);
    let gone = preempted(1, of(A, EvictionRule::Recall, Class::Idle, 1));
    breaks(
        &log,
        &[vec![queued(2, training(A, 1, 8)), gone, held(2, &[claim])]],
        "NotEligible: borrows nothing",
    );
}

#[test]
fn for_want_of_nodes_any_lower_class_is_recalled() {
    // w1 draws idle on B, scattered over both nodes, in the way of a job that draws on A.
    let halves = [slot(0, 0, 4), slot(1, 0, 4)];
    let spec = WorkloadSpec { idle: IdleUse::Accept, ..training(B, 2, 4) };
    let log = [plain(), vec![run(1, spec, &[grant(0, &[idle(B, 8)], &halves)])]].concat();
    passes(&log, &preempts(training(A, 1, 8), &[own(A, 8)], of(B, EvictionRule::Recall, Class::Idle, 1)));
}

#[test]
fn a_lower_class_recalls_nobody_above_it() {
    let log = world(Policy::default(), self_level(Scope::Both), self_level(Scope::Both));
    let log = with_victim(log, prio(training(A, 1, 8), 9), &[loan(B, 8)]);
    let by = |draws: &[Draw], spec| preempts(spec, draws, of(B, EvictionRule::Recall, Class::Loan, 9));
    // As an idle job, and as a loan from A: w1's claim on B is a loan, too.
    breaks(&log, &by(&[idle(B, 8)], idler(B)), "RankNotRaised");
    breaks(&log, &by(&[loan(A, 8)], prio(training(B, 1, 8), 9)), "RankNotRaised");
    breaks(&log, &by(&[idle(B, 8)], WorkloadSpec { idle: IdleUse::Only, ..idler(B) }), "WrongPlan");
}

#[test]
fn who_could_evict_the_preemptor_straight_back_is_not_recalled() {
    let log = world(Policy::default(), Policy::default(), self_level(Scope::Both));
    let log = with_victim(log, prio(training(B, 1, 8), 9), &[loan(A, 8)]);
    let by = |priority| {
        let cause = of(A, EvictionRule::Recall, Class::Loan, 9);
        preempts(prio(training(A, 1, 8), priority), &[own(A, 8)], cause)
    };
    passes(&log, &by(3));
    breaks(&log, &by(4), "NotEligible: straight back");
}

/// w1 of this module and priority fills A; B is full as well.
fn full_a(policy: Policy, module: Module, priority: u8) -> Vec<Batch> {
    let log = world(Policy::default(), policy, Policy::default());
    let victim = WorkloadSpec { module, ..prio(training(A, 1, 8), priority) };
    let other = run(9, training(B, 1, 8), &[grant(0, &[own(B, 8)], &[slot(1, 0, 8)])]);
    [with_victim(log, victim, &[own(A, 8)]), vec![other]].concat()
}

fn by_self_level(by: u8, victim: u8) -> Vec<Batch> {
    let cause = of(A, EvictionRule::SelfLevel, Class::Firm, victim);
    preempts(prio(training(A, 1, 8), by), &[own(A, 8)], cause)
}

#[test]
fn self_level_takes_low_priorities_of_named_modules() {
    let policy = || self_level(Scope::Both);
    passes(&full_a(policy(), Module::Training, 4), &by_self_level(7, 4));
    passes(&full_a(policy(), Module::Notebook, 4), &by_self_level(7, 4));
    breaks(
        &full_a(policy(), Module::Training, 3),
        &by_self_level(7, 3),
        "NotEligible: its priority is not low",
    );
    breaks(
        &full_a(policy(), Module::Training, 5),
        &by_self_level(7, 5),
        "NotEligible: its priority is not low",
    );
    breaks(&full_a(policy(), Module::Service, 4), &by_self_level(7, 4), "NotEligible: its module");
    breaks(&full_a(policy(), Module::Training, 4), &by_self_level(5, 4), "NotEligible: priority is not high");
    breaks(&full_a(Policy::default(), Module::Training, 4), &by_self_level(7, 4), "NotEligible");
    let beside = full_a(self_level(Scope::Siblings), Module::Training, 4);
    breaks(&beside, &by_self_level(7, 4), "NotEligible: within the scope");
}

#[test]
fn protected_units_are_spared() {
    let log = |seconds| full_a(protect(self_level(Scope::Both), seconds), Module::Training, 4);
    // The victim started 2 s before the preemptor came.
    passes(&log(2), &by_self_level(7, 4));
    breaks(&log(3), &by_self_level(7, 4), "NotEligible: it is protected");
}

#[test]
fn the_policy_shown_is_the_preemptors() {
    let log = full_a(self_level(Scope::Both), Module::Training, 4);
    let cause = of(B, EvictionRule::SelfLevel, Class::Firm, 4);
    breaks(&log, &preempts(prio(training(A, 1, 8), 7), &[own(A, 8)], cause), "NotEligible");
}

#[test]
fn self_level_reaches_siblings_and_makes_their_capacity_firm() {
    let log = world(Policy::default(), self_level(Scope::Both), Policy::default());
    let log = with_victim(log, prio(training(B, 1, 8), 4), &[own(B, 8)]);
    let log = [log, vec![run(9, service(A, 1, 8), &[grant(0, &[own(A, 8)], &[slot(1, 0, 8)])])]].concat();
    let by = |draw| preempts(prio(idler(A), 7), &[draw], of(A, EvictionRule::SelfLevel, Class::Firm, 4));
    passes(&log, &by(draw(B, Rule::SelfLevel, Class::Firm, 8)));
    breaks(&log, &by(loan(B, 8)), "WrongClass");
    breaks(&log, &by(draw(B, Rule::Idle, Class::Idle, 8)), "DrawNotAllowed: uses no idle capacity");
}

#[test]
fn child_level_takes_named_units_of_descendants() {
    let log = |priority, module| {
        let log = world(child_level(), Policy::default(), Policy::default());
        let victim = WorkloadSpec { module, ..prio(training(A, 1, 8), priority) };
        let other = run(9, service(B, 1, 8), &[grant(0, &[own(B, 8)], &[slot(1, 0, 8)])]);
        [with_victim(log, victim, &[own(A, 8)]), vec![other]].concat()
    };
    let by = |quota, draw, priority| {
        preempts(service(quota, 1, 8), &[draw], of(quota, EvictionRule::ChildLevel, Class::Firm, priority))
    };
    passes(&log(3, Module::Training), &by(R, below(A, 8), 3));
    breaks(&log(4, Module::Training), &by(R, below(A, 8), 4), "NotEligible: its priority");
    breaks(&log(3, Module::Service), &by(R, below(A, 8), 3), "NotEligible: its module");
    breaks(&log(3, Module::Training), &by(B, own(B, 8), 3), "RankNotRaised");
    let beside = world(Policy::default(), Policy::default(), child_level());
    let beside = with_victim(beside, training(A, 1, 8), &[own(A, 8)]);
    let by =
        preempts(prio(service(B, 1, 8), 2), &[own(B, 8)], of(B, EvictionRule::ChildLevel, Class::Firm, 1));
    breaks(&beside, &by, "NotEligible: not below the preemptor's");
}

#[test]
fn a_victim_shows_the_first_tier_that_names_it() {
    let log = world(Policy::default(), self_level(Scope::Both), Policy::default());
    let victim = WorkloadSpec { idle: IdleUse::Accept, ..prio(training(A, 1, 8), 4) };
    let log = with_victim(log, victim, &[idle(A, 8)]);
    let by = |rule| preempts(prio(training(A, 1, 8), 7), &[own(A, 8)], of(A, rule, Class::Idle, 4));
    passes(&log, &by(EvictionRule::Recall));
    breaks(&log, &by(EvictionRule::SelfLevel), "NotFirstTier");
}

#[test]
fn operators_rules_are_not_for_preemptors() {
    let log = with_victim(plain(), idler(B), &[idle(A, 8)]);
    let by = preempts(training(A, 1, 8), &[own(A, 8)], of(A, EvictionRule::Scale, Class::Idle, 1));
    breaks(&log, &by, "WrongRecord");
}

#[test]
fn an_event_for_a_preemptor_that_gets_nothing_is_found() {
    let log = with_victim(plain(), idler(B), &[idle(A, 8)]);
    let gone: Vec<EventKind> =
        vec![queued(2, training(A, 1, 8)), preempted(1, of(A, EvictionRule::Recall, Class::Idle, 1))];
    breaks(&log, &[gone], "NothingGranted");
}
