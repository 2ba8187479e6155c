//! Caps: a start beyond one is found, what ran before is not.

use crate::history::*;
use tidegate_engine::caps::{Cap, Holder, Limit, Owner, RoleSet};
use tidegate_engine::event::EventKind;
use tidegate_engine::ids::MemberId;
use tidegate_engine::words::PrioritySet;
use tidegate_engine::workload::WorkloadSpec;

fn capped(before: Option<i64>, gpus: i64) -> EventKind {
    let cap = |gpus: i64| Cap {
        holder: Holder::Member(MemberId(1)),
        priorities: PrioritySet::range(p(1), p(9)),
        limit: Limit { gpu: Some(gpus * 1_000), ..Limit::default() },
    };
    let workspace = training(A, 1, 4).workspace;
    let before = before.map(cap).into_iter().collect();
    EventKind::CapsSet { workspace, quota: A, before, after: vec![cap(gpus)] }
}

fn of_member(n: u32) -> WorkloadSpec {
    WorkloadSpec { owner: Some(Owner { member: MemberId(n), roles: RoleSet::NONE }), ..training(A, 1, 4) }
}

fn four(id: u32, member: u32, device: u32) -> Batch {
    run(id, of_member(member), &[grant(0, &[own(A, 4)], &[slot(0, device, 4)])])
}

#[test]
fn nothing_starts_beyond_a_cap() {
    let log = [plain(), vec![vec![capped(None, 4)], four(1, 1, 0)]].concat();
    passes(&log, &[four(2, 2, 4)]);
    breaks(&log, &[four(2, 1, 4)], "CapBroken");
}

#[test]
fn what_runs_may_go_on_when_a_cap_is_lowered() {
    let log = [plain(), vec![vec![capped(None, 4)], four(1, 1, 0)]].concat();
    passes(&log, &[vec![capped(Some(4), 2)]]);
    breaks(&log, &[vec![capped(Some(8), 2)]], "WrongRecord");
}
