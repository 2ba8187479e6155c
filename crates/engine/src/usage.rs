//! Who used how much of which account, and for how long: derived from events alone.

use crate::event::{Event, EventKind};
use crate::ids::{QuotaId, Tick, WorkloadId};
use crate::resources::Dimension;
use crate::unit::{Draw, Draws, Grant};
use crate::words::{Class, Rule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One draw of one unit over `[from, to)`. The account's quota lends, `borrower` uses.
///
/// Two intervals never share (`key`, `workload`, `unit`, `account`, `dimension`, `rule`, `class`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Interval {
    /// Number in the log of the event that opened it, so that a replay gives the same records.
    pub key: u64,
    pub workload: WorkloadId,
    pub unit: u32,
    pub account: QuotaId,
    pub dimension: Dimension,
    pub rule: Rule,
    pub class: Class,
    pub amount: i64,
    /// The quota of the workload.
    pub borrower: QuotaId,
    pub from: Tick,
    pub to: Tick,
}

/// A draw that is being metered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Open {
    draw: Draw,
    from: Tick,
    key: u64,
}

/// All that is being metered of one workload: what a meter writes down to go on with after a restart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metered {
    borrower: QuotaId,
    /// By the number of the unit.
    units: BTreeMap<u32, Vec<Open>>,
}

/// Reads the log from its start, every event once and in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Number of the next event.
    next: u64,
    workloads: BTreeMap<WorkloadId, Metered>,
}

impl Usage {
    pub fn new() -> Usage {
        Usage::default()
    }

    /// Goes on with the event of this number: not everything that is numbered in a log is an event.
    pub fn go_on_at(&mut self, number: u64) {
        self.next = number;
    }

    pub fn metered(&self, workload: WorkloadId) -> Option<&Metered> {
        self.workloads.get(&workload)
    }

    /// Goes on with a workload where it was left; with none, it is not followed any more.
    pub fn restore(&mut self, workload: WorkloadId, metered: Option<Metered>) {
        match metered {
            Some(metered) => self.workloads.insert(workload, metered),
            None => self.workloads.remove(&workload),
        };
    }

    /// Intervals that this event closes, in the order of their units. Empty intervals are dropped.
    pub fn observe(&mut self, event: &Event) -> Vec<Interval> {
        let (at, key) = (event.at, self.next);
        self.next += 1;
        let mut closed = Vec::new();
        match &event.kind {
            EventKind::Queued { workload, spec, .. } => {
                self.workloads.insert(*workload, Metered { borrower: spec.quota, units: BTreeMap::new() });
            }
            EventKind::Started { workload, grants, .. } => self.start(*workload, grants, at, key),
            EventKind::Released { workload, units, .. } | EventKind::Lost { workload, units, .. } => {
                self.end(*workload, at, &mut closed, |number| units.contains(&number));
            }
            EventKind::Moved { workload, unit, draws } => {
                self.refund(*workload, *unit, draws, at, key, &mut closed);
            }
            EventKind::Finished { workload }
            | EventKind::Failed { workload, .. }
            | EventKind::Stopped { workload, .. } => {
                self.end(*workload, at, &mut closed, |_| true);
            }
            EventKind::Forgotten { workload } => {
                self.workloads.remove(workload);
            }
            _ => {}
        }
        closed
    }

    /// What is metered now, as if it were closed at `now`.
    pub fn open(&self, now: Tick) -> impl Iterator<Item = Interval> + '_ {
        self.workloads.iter().flat_map(move |(workload, account)| {
            account.units.iter().flat_map(move |(number, draws)| {
                draws.iter().map(move |open| open.until(now, *workload, *number, account.borrower))
            })
        })
    }

    fn start(&mut self, workload: WorkloadId, grants: &[Grant], at: Tick, key: u64) {
        let Some(account) = self.workloads.get_mut(&workload) else { return };
        for grant in grants {
            let draws = grant.draws.iter().map(|&draw| Open { draw, from: at, key }).collect();
            account.units.insert(grant.unit, draws);
        }
    }

    fn end(
        &mut self,
        workload: WorkloadId,
        at: Tick,
        closed: &mut Vec<Interval>,
        ends: impl Fn(u32) -> bool,
    ) {
        let Some(account) = self.workloads.get_mut(&workload) else { return };
        let borrower = account.borrower;
        account.units.retain(|&number, draws| {
            let ending = ends(number);
            if ending {
                let open = draws.iter().filter(|open| open.from < at);
                closed.extend(open.map(|open| open.until(at, workload, number, borrower)));
            }
            !ending
        });
    }

    /// Draws that stay as they were go on in their interval; the others end, and new ones begin.
    fn refund(
        &mut self,
        workload: WorkloadId,
        number: u32,
        draws: &Draws,
        at: Tick,
        key: u64,
        closed: &mut Vec<Interval>,
    ) {
        let Some(account) = self.workloads.get_mut(&workload) else { return };
        let Some(open) = account.units.get_mut(&number) else { return };
        let mut before = std::mem::take(open);
        for &draw in draws {
            let kept = before.iter().position(|open| open.draw == draw);
            open.push(kept.map_or(Open { draw, from: at, key }, |i| before.remove(i)));
        }
        let ended = before.iter().filter(|open| open.from < at);
        closed.extend(ended.map(|open| open.until(at, workload, number, account.borrower)));
    }
}

impl Open {
    fn until(&self, to: Tick, workload: WorkloadId, unit: u32, borrower: QuotaId) -> Interval {
        let Draw { account, dimension, rule, class, amount } = self.draw;
        Interval {
            key: self.key,
            workload,
            unit,
            account,
            dimension,
            rule,
            class,
            amount,
            borrower,
            from: self.from,
            to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Cause, StartKind};
    use crate::ids::ModelId;
    use crate::resources::Shape;
    use crate::unit::Draw;
    use crate::words::{EvictionRule, Module, Priority};
    use crate::workload::{Exit, WorkloadSpec};
    use smallvec::smallvec;
    use std::sync::Arc;

    const W: WorkloadId = WorkloadId(7);

    fn draw(account: u32, rule: Rule, class: Class, amount: i64) -> Draw {
        Draw { account: QuotaId(account), dimension: Dimension::gpu(ModelId(0)), rule, class, amount }
    }

    fn own(amount: i64) -> Draw {
        draw(1, Rule::Own, Class::Firm, amount)
    }

    fn loan(amount: i64) -> Draw {
        draw(2, Rule::SelfLevel, Class::Loan, amount)
    }

    fn queued() -> EventKind {
        let spec = WorkloadSpec::new("w", QuotaId(1), Module::Service, 2, Shape::with_gpu(8_000));
        EventKind::Queued { workload: W, spec: Arc::new(spec), reasons: Vec::new() }
    }

    fn started(unit: u32, draws: Draws) -> EventKind {
        let grant = Grant { unit, model: Some(ModelId(0)), draws, slots: smallvec![] };
        EventKind::Started { workload: W, kind: StartKind::Started, replicas: 1, grants: smallvec![grant] }
    }

    fn evicted(unit: u32) -> EventKind {
        let cause = Cause {
            rule: EvictionRule::Recall,
            by: None,
            policy_of: None,
            class: Class::Loan,
            priority: Priority::DEFAULT,
            lost: 0,
            spared: None,
        };
        let (units, exit, deadline) = (smallvec![unit], Exit::Shrink, Tick(99));
        EventKind::Evicted { workload: W, units, exit, replicas: 1, deadline, cause }
    }

    fn released(unit: u32) -> EventKind {
        EventKind::Released { workload: W, units: smallvec![unit], requeued: false }
    }

    /// `KEY unit ACCOUNT:AMOUNT FROM-TO` for every interval of the log, those still open in brackets.
    fn check(log: &[(u64, EventKind)], expected: &[&str]) {
        let mut usage = Usage::new();
        let mut text = Vec::new();
        let print = |i: Interval| {
            assert_eq!(i.borrower, QuotaId(1));
            format!("{} u{} {}:{} {}-{}", i.key, i.unit, i.account.0, i.amount, i.from.0, i.to.0)
        };
        let mut now = Tick::ZERO;
        for (at, kind) in log {
            now = Tick(*at);
            text.extend(usage.observe(&Event { at: now, kind: kind.clone() }).into_iter().map(print));
        }
        text.extend(usage.open(now).map(|i| format!("[{}]", print(i))));
        assert_eq!(text, expected);
    }

    #[test]
    fn a_run_is_metered_from_start_to_end() {
        let log =
            [(0, queued()), (5, started(0, smallvec![own(8)])), (9, EventKind::Finished { workload: W })];
        check(&log, &["1 u0 1:8 5-9"]);
    }

    #[test]
    fn a_unit_that_leaves_is_metered_until_it_is_released() {
        let log = [
            (0, queued()),
            (0, started(0, smallvec![own(8)])),
            (0, started(1, smallvec![loan(8)])),
            (4, evicted(1)),
            (6, released(1)),
            (7, EventKind::Finished { workload: W }),
        ];
        check(&log, &["2 u1 2:8 0-6", "1 u0 1:8 0-7"]);
    }

    #[test]
    fn a_hold_is_not_metered() {
        let grant = Grant { unit: 0, model: None, draws: smallvec![own(8)], slots: smallvec![] };
        let log = [(0, queued()), (1, EventKind::Held { workload: W, grants: vec![grant] })];
        check(&log, &[]);
    }

    #[test]
    fn a_move_splits_what_changed_and_leaves_the_rest_open() {
        let moved = |draws: Draws| EventKind::Moved { workload: W, unit: 0, draws };
        let log = [
            (0, queued()),
            (0, started(0, smallvec![own(2), loan(6)])),
            (3, moved(smallvec![own(2), own(4), loan(2)])),
            (3, moved(smallvec![own(2), own(6)])),
            (5, EventKind::Failed { workload: W, restarts_left: Some(1) }),
            (5, started(0, smallvec![own(8)])),
            (8, EventKind::Checkpointed { workload: W, saved_at: Tick(7) }),
        ];
        check(&log, &["1 u0 2:6 0-3", "1 u0 1:2 0-5", "3 u0 1:6 3-5", "[5 u0 1:8 5-8]"]);
    }

    #[test]
    fn a_workload_goes_on_where_it_was_left() {
        let mut usage = Usage::new();
        let see = |usage: &mut Usage, number: u64, kind: EventKind| {
            usage.go_on_at(number);
            usage.observe(&Event { at: Tick(number), kind })
        };
        see(&mut usage, 3, queued());
        see(&mut usage, 7, started(0, smallvec![own(8)]));
        let mut later = Usage::new();
        later.restore(W, usage.metered(W).cloned());
        let closed = [&mut usage, &mut later].map(|usage| see(usage, 9, EventKind::Finished { workload: W }));
        assert_eq!(closed[0], closed[1]);
        assert_eq!((closed[0][0].key, closed[0][0].from, closed[0][0].to), (7, Tick(7), Tick(9)));
        later.restore(W, None);
        assert_eq!(later.metered(W), None);
    }

    #[test]
    fn what_begins_and_ends_at_one_instant_leaves_no_record() {
        let node = crate::ids::NodeId(0);
        let lost = EventKind::Lost { workload: W, units: smallvec![0], node, replicas: 0 };
        check(&[(0, queued()), (3, started(0, smallvec![own(8)])), (3, lost)], &[]);
    }
}
