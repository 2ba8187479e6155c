//! Metered use equals the draws.

use crate::history::*;
use tidegate_check::{Checker, Metering};
use tidegate_engine::event::Event;
use tidegate_engine::ids::Tick;
use tidegate_engine::nodes::NodeState;
use tidegate_engine::words::{Class, EvictionRule};
use tidegate_engine::workload::Exit;

fn history() -> Vec<Batch> {
    let gang = |node| grant(0, &[own(A, 8)], &[slot(node, 0, 8)]);
    let cause = cause(EvictionRule::Drain, None, Class::Firm, 1);
    let mut log = plain();
    log.push(run(1, training(A, 1, 8), &[gang(0)]));
    log.push(vec![node_is(0, NodeState::Cordoned), evicted(1, &[0], Exit::Requeue, 0, cause)]);
    log.push(vec![released(1, &[0], true), started(1, &[gang(1)])]);
    log.push(vec![finished(1)]);
    log
}

/// Reads the history; the meter does not see the events of `hidden`.
fn meter(hidden: Option<usize>) -> Result<u64, tidegate_check::Violation> {
    let (mut checker, mut metering) = (Checker::new(), Metering::new());
    let mut gpu_milliseconds = 0;
    for (i, batch) in history().into_iter().enumerate() {
        let event = |kind| Event { at: Tick(i as u64 * 1_000), kind };
        let mut events: Vec<Event> = batch.into_iter().map(event).collect();
        checker.observe(&events).expect("legal");
        if hidden == Some(i) {
            events.truncate(1);
        }
        for interval in metering.observe(&events, &checker)? {
            gpu_milliseconds += interval.amount as u64 / 1_000 * (interval.to.0 - interval.from.0);
        }
    }
    metering.finish().map(|()| gpu_milliseconds)
}

#[test]
fn every_draw_is_metered_once_also_while_it_leaves() {
    assert_eq!(meter(None), Ok(8 * 3_000));
}

#[test]
fn a_start_that_the_meter_missed_is_found() {
    let violation = meter(Some(6)).expect_err("nothing is metered from the restart on");
    assert_eq!(
        violation.to_string(),
        "at 6.000s: from 6000 ms on q1 is drawn for 8 GPUs and metered for 0 GPUs"
    );
}
