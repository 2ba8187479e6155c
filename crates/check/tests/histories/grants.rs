//! Draws by their rules, slots by the demand and the nodes.

use crate::history::*;
use tidegate_engine::event::EventKind;
use tidegate_engine::ids::{ModelId, NodeId, QuotaId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::policy::{Policy, Source};
use tidegate_engine::resources::{Dimension, ModelSet, Resources, Shape};
use tidegate_engine::slot::{Devices, Slot};
use tidegate_engine::unit::{Draw, Grant};
use tidegate_engine::words::{Class, IdleUse, Rule, Scope};
use tidegate_engine::workload::{Role, WorkloadSpec};

/// A job of 8 GPUs in A, of this priority, with these draws.
fn job(priority: u8, draws: &[Draw]) -> Batch {
    run(1, prio(training(A, 1, 8), priority), &[grant(0, draws, &[slot(0, 0, 8)])])
}

fn idler(quota: QuotaId, idle: IdleUse) -> WorkloadSpec {
    WorkloadSpec { idle, ..training(quota, 1, 8) }
}

fn at_node(spec: WorkloadSpec, draws: &[Draw]) -> Batch {
    run(1, spec, &[grant(0, draws, &[slot(0, 0, 8)])])
}

#[test]
fn own_draws_are_on_the_own_account_and_firm() {
    passes(&plain(), &[job(1, &[own(A, 8)])]);
    breaks(&plain(), &[job(1, &[own(B, 8)])], "DrawNotAllowed");
    breaks(&plain(), &[job(1, &[draw(A, Rule::Own, Class::Loan, 8)])], "WrongClass");
    breaks(&plain(), &[job(1, &[own(QuotaId(9), 8)])], "Unknown");
}

#[test]
fn child_level_draws_need_the_policy_and_a_descendant() {
    let log = world(child_level(), child_level(), Policy::default());
    passes(&log, &[at_node(training(R, 1, 8), &[below(A, 3), below(B, 5)])]);
    breaks(&plain(), &[at_node(training(R, 1, 8), &[below(A, 8)])], "DrawNotAllowed");
    breaks(&log, &[job(1, &[below(B, 8)])], "DrawNotAllowed");
    breaks(&log, &[job(1, &[below(A, 8)])], "DrawNotAllowed");
}

#[test]
fn self_level_draws_need_a_high_priority_and_a_sibling_in_scope() {
    let log = world(Policy::default(), self_level(Scope::Both), Policy::default());
    passes(&log, &[job(6, &[own(A, 2), loan(B, 6)])]);
    breaks(&log, &[job(5, &[own(A, 2), loan(B, 6)])], "DrawNotAllowed");
    breaks(&log, &[job(6, &[loan(R, 8)])], "DrawNotAllowed");
    breaks(&log, &[job(6, &[draw(B, Rule::SelfLevel, Class::Firm, 8)])], "WrongClass");
    let narrow = world(Policy::default(), self_level(Scope::SameQuota), Policy::default());
    breaks(&narrow, &[job(6, &[loan(B, 8)])], "DrawNotAllowed");
    breaks(&plain(), &[job(6, &[loan(B, 8)])], "DrawNotAllowed");
}

#[test]
fn idle_draws_are_for_training_that_asks_for_them_where_sharing_is_on() {
    passes(&plain(), &[at_node(idler(A, IdleUse::Accept), &[idle(A, 3), idle(B, 5)])]);
    breaks(&plain(), &[at_node(idler(A, IdleUse::Never), &[idle(B, 8)])], "DrawNotAllowed");
    let service = WorkloadSpec { idle: IdleUse::Accept, ..service(A, 1, 8) };
    breaks(&plain(), &[at_node(service, &[idle(B, 8)])], "DrawNotAllowed");
    let closed = || Policy { idle_sharing: false, ..Policy::default() };
    let log = world(Policy::default(), closed(), closed());
    breaks(&log, &[at_node(idler(A, IdleUse::Accept), &[idle(B, 8)])], "DrawNotAllowed");
    passes(&log, &[at_node(idler(A, IdleUse::Accept), &[idle(A, 8)])]);
}

#[test]
fn idle_only_draws_by_no_other_rule() {
    passes(&plain(), &[at_node(idler(A, IdleUse::Only), &[idle(A, 8)])]);
    breaks(&plain(), &[at_node(idler(A, IdleUse::Only), &[own(A, 8)])], "DrawNotAllowed");
}

#[test]
fn trees_do_not_lend_to_each_other() {
    let mut log = plain();
    let other = QuotaId(7);
    log[0].push(node(2, 0));
    log.push(vec![root(other, 8, Policy::default())]);
    breaks(&log, &[at_node(idler(A, IdleUse::Accept), &[idle(other, 8)])], "DrawNotAllowed");
}

#[test]
fn draws_add_up_to_the_demand_in_every_dimension_on_the_books() {
    breaks(&plain(), &[job(1, &[own(A, 7)])], "WrongDemand");
    breaks(&plain(), &[job(1, &[own(A, 9), own(A, -1)])], "DrawNotAllowed");
    let cpu = |n| Draw { dimension: Dimension::CPU, amount: n, ..own(R, 0) };
    breaks(&plain(), &[at_node(training(R, 1, 8), &[own(R, 8), cpu(1_000)])], "WrongDemand");

    let guarantee = gpus(16).plus(&Resources::of(Dimension::CPU, 4_000));
    let log = vec![pool(2), vec![quota(R, Source::Pool(POOL), guarantee, Policy::default())]];
    passes(&log, &[at_node(training(R, 1, 8), &[own(R, 8), cpu(1_000)])]);
    breaks(&log, &[at_node(training(R, 1, 8), &[own(R, 8)])], "WrongDemand");
    let greedy = training(R, 1, 8);
    let shape = Shape { cpu: 5_000, ..greedy.roles[0].shape };
    let spec = WorkloadSpec { roles: std::iter::once(Role { replicas: 1, shape }).collect(), ..greedy };
    let slot = Slot { cpu: 5_000, ..slot(0, 0, 8) };
    breaks(&log, &[run(1, spec, &[grant(0, &[own(R, 8), cpu(5_000)], &[slot])])], "Overdrawn");
}

#[test]
fn slots_are_those_of_the_roles() {
    let wrong = |slots: &[Slot]| vec![run(1, training(A, 2, 4), &[grant(0, &[own(A, 8)], slots)])];
    passes(&plain(), &wrong(&[slot(0, 0, 4), slot(1, 0, 4)]));
    breaks(&plain(), &wrong(&[slot(0, 0, 4)]), "WrongShape: as many as");
    breaks(&plain(), &wrong(&[slot(0, 0, 4), slot(0, 4, 4), slot(1, 0, 4)]), "WrongShape: as many as");
    breaks(&plain(), &wrong(&[slot(0, 0, 3), slot(1, 0, 5)]), "WrongShape");
    breaks(&plain(), &wrong(&[slot(0, 0, 4), Slot { cpu: 1, ..slot(1, 0, 4) }]), "WrongShape");
    let split = Devices::List(vec![5, 5, 6, 7].into());
    breaks(&plain(), &wrong(&[slot(0, 0, 4), Slot { devices: split, ..slot(1, 0, 4) }]), "WrongShape");
    let part = Devices::Part { device: 0, milli: 500 };
    breaks(&plain(), &wrong(&[slot(0, 0, 4), Slot { devices: part, ..slot(1, 0, 4) }]), "WrongShape");
}

#[test]
fn no_device_is_given_twice() {
    let mut log = plain();
    log.push(run(1, training(A, 1, 4), &[grant(0, &[own(A, 4)], &[slot(0, 0, 4)])]));
    let second = |slot| vec![run(2, training(B, 1, 4), &[grant(0, &[own(B, 4)], &[slot])])];
    passes(&log, &second(slot(0, 4, 4)));
    breaks(&log, &second(slot(0, 3, 4)), "DeviceOverfull");
    breaks(&log, &second(slot(0, 6, 4)), "WrongNode");
}

#[test]
fn parts_of_a_device_add_up_to_one() {
    let part = |id, milli: u16| {
        let spec = WorkloadSpec {
            roles: std::iter::once(Role { replicas: 1, shape: Shape::with_gpu(u32::from(milli)) }).collect(),
            ..training(A, 1, 1)
        };
        let devices = Devices::Part { device: 0, milli };
        let draw = Draw { amount: i64::from(milli), ..own(A, 0) };
        run(id, spec, &[grant(0, &[draw], &[Slot { devices, ..slot(0, 0, 1) }])])
    };
    passes(&plain(), &[part(1, 500), part(2, 300), part(3, 200)]);
    breaks(&plain(), &[part(1, 500), part(2, 300), part(3, 201)], "DeviceOverfull");
}

#[test]
fn cpu_and_memory_are_limited_by_the_node() {
    let shape = |cpu, memory| Shape { cpu, memory, ..Shape::with_gpu(1_000) };
    let job = |shape: Shape| {
        let roles = std::iter::once(Role { replicas: 1, shape }).collect();
        let slot = Slot { cpu: shape.cpu, memory: shape.memory, ..slot(0, 0, 1) };
        vec![run(1, WorkloadSpec { roles, ..training(A, 1, 1) }, &[grant(0, &[own(A, 1)], &[slot])])]
    };
    passes(&plain(), &job(shape(64_000, 1 << 40)));
    breaks(&plain(), &job(shape(64_001, 1 << 40)), "NodeOverfull");
    breaks(&plain(), &job(shape(64_000, (1 << 40) + 1)), "NodeOverfull");
}

#[test]
fn nodes_are_ready_allowed_and_of_the_right_model() {
    let job = job(1, &[own(A, 8)]);
    breaks(&plain(), &[vec![node_is(0, NodeState::Cordoned)], job.clone()], "WrongNode");
    breaks(&plain(), &[vec![node_is(0, NodeState::Lost)], job], "WrongNode");
    let elsewhere = WorkloadSpec { nodes: Some([NodeId(1)].into()), ..training(A, 1, 8) };
    breaks(&plain(), &[at_node(elsewhere, &[own(A, 8)])], "WrongNode");
    let choosy = WorkloadSpec { models: ModelSet::ANY.with(ModelId(1)), ..training(A, 1, 8) };
    breaks(&plain(), &[at_node(choosy, &[own(A, 8)])], "WrongModel");
    let none = |model| Grant { model, ..grant(0, &[own(A, 8)], &[slot(0, 0, 8)]) };
    breaks(&plain(), &[run(1, training(A, 1, 8), &[none(None)])], "WrongModel");
    breaks(&plain(), &[run(1, training(A, 1, 8), &[none(Some(ModelId(3)))])], "WrongNode");
}

#[test]
fn a_job_runs_on_one_model() {
    let two_models = gpus(16).plus(&Resources::of(Dimension(1), 8_000));
    let mut log = vec![pool(2), vec![quota(R, Source::Pool(POOL), two_models, Policy::default())]];
    log[0].push(node(2, 1));
    let spec = WorkloadSpec { min_replicas: Some(1), ..training(R, 2, 8) };
    let first = grant(0, &[own(R, 8)], &[slot(0, 0, 8)]);
    let same = grant(1, &[own(R, 8)], &[slot(1, 0, 8)]);
    let draws = [Draw { dimension: Dimension(1), ..own(R, 8) }];
    let other = Grant { model: Some(ModelId(1)), ..grant(1, &draws, &[slot(2, 0, 8)]) };
    passes(&log, &[run(1, spec.clone(), &[first.clone(), same])]);
    breaks(&log, &[run(1, spec, &[first, other])], "WrongModel");
}

#[test]
fn re_funding_keeps_the_sum_and_never_weakens_the_claim() {
    let log = world(Policy::default(), self_level(Scope::Both), Policy::default());
    let log = [log, vec![job(6, &[own(A, 2), loan(B, 6)])]].concat();
    passes(&log, &[vec![moved(1, 0, &[own(A, 5), loan(B, 3)])], vec![moved(1, 0, &[own(A, 8)])]]);
    breaks(&log, &[vec![moved(1, 0, &[own(A, 2), loan(B, 5)])]], "WrongDemand");
    breaks(&log, &[vec![moved(1, 0, &[own(A, 1), loan(B, 7)])]], "WrongMove");
    breaks(&log, &[vec![moved(1, 0, &[own(A, 2), own(B, 6)])]], "DrawNotAllowed");
    let firm = draw(B, Rule::SelfLevel, Class::Firm, 6);
    breaks(&log, &[vec![moved(1, 0, &[own(A, 2), firm])]], "WrongClass");
    breaks(&log, &[vec![moved(1, 1, &[own(A, 8)])]], "WrongUnit");
}

#[test]
fn a_priority_that_changes_later_does_not_touch_draws_made() {
    let log = world(Policy::default(), self_level(Scope::Both), Policy::default());
    let log = [log, vec![job(6, &[own(A, 2), loan(B, 6)])]].concat();
    let lower = EventKind::PriorityChanged { workload: w(1), from: p(6), to: p(1) };
    passes(&log, &[vec![lower.clone()], vec![moved(1, 0, &[own(A, 3), loan(B, 5)])]]);
}

#[test]
fn a_reservation_is_kept_from_lower_ranks() {
    let reserved = |id| {
        let accounts = std::iter::once(own(A, 8)).collect();
        vec![
            queued(id, prio(training(A, 1, 8), 5)),
            EventKind::Reserved { workload: w(id), accounts, nodes: vec![] },
        ]
    };
    let small = |priority| {
        let spec = prio(training(A, 1, 4), priority);
        vec![run(1, spec, &[grant(0, &[own(A, 4)], &[slot(0, 0, 4)])])]
    };
    let log = [plain(), vec![reserved(9)]].concat();
    breaks(&log, &small(4), "ReservationBroken");
    passes(&log, &small(6));
    let ended = vec![EventKind::ReservationEnded { workload: w(9) }];
    passes(&[log.clone(), vec![ended]].concat(), &small(4));
    passes(&log, &[at_node(idler(B, IdleUse::Accept), &[idle(A, 8)])]);
}
