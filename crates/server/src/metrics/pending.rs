//! Who waits, by quota and by what stands in the way.

use crate::core::control::Control;
use std::collections::BTreeMap;
use tidegate_engine::ids::{QuotaId, WorkloadId};
use tidegate_engine::reason::Names;

/// Workloads that are asked for their reasons while the world is locked: some hundred microseconds.
const BITE: usize = 64;
/// Kinds of workloads that are asked in one scrape. Further ones are counted without a reason.
const MAX_EXAMINED: usize = 4_096;
/// The reason of those.
const NOT_EXAMINED: &str = "not-examined";
/// The reason of those whose victims are on their way out.
const STARTING: &str = "starting";

/// Quota and reason.
pub(super) type Pending = BTreeMap<(String, &'static str), i64>;

/// Counts who waits. Those that differ in nothing but arrival wait for the same things: the first of them is asked for
/// all. Between bites the writer gets its turn.
pub(super) fn pending(control: &Control) -> Pending {
    let mut counts = Pending::new();
    let waiting: Vec<(QuotaId, WorkloadId, u32)> = control.read_blocking(|world| {
        let engine = &world.engine;
        let queues =
            engine.account_figures().filter(|account| account.queued > 0).map(|account| account.quota);
        queues.flat_map(|quota| engine.waiting(quota).map(move |(id, count)| (quota, id, count))).collect()
    });
    let examined = waiting.len().min(MAX_EXAMINED);
    for bite in waiting[..examined].chunks(BITE) {
        control.read_blocking(|world| {
            let now = control.clock().now();
            for (quota, id, count) in bite {
                // It may have started, or be gone, since it was listed.
                if world.engine.workload(*id).is_none_or(|w| !w.state.is_waiting()) {
                    continue;
                }
                let reason = world.engine.reasons(now, *id).first().map_or(STARTING, |reason| reason.code());
                let quota = world.engine.quota_name(*quota).to_string();
                *counts.entry((quota, reason)).or_default() += i64::from(*count);
            }
        });
    }
    control.read_blocking(|world| {
        for (quota, _, count) in &waiting[examined..] {
            let quota = world.engine.quota_name(*quota).to_string();
            *counts.entry((quota, NOT_EXAMINED)).or_default() += i64::from(*count);
        }
    });
    counts
}
