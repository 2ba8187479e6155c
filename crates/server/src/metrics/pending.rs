//! Who waits, by quota and by what stands in the way.

use crate::core::control::Control;
use std::collections::BTreeMap;
use tidegate_engine::ids::{QuotaId, WorkloadId};
use tidegate_engine::reason::Names;

/// Workloads that are asked for their reasons while the world is locked: some hundred microseconds.
const BITE: usize = 64;
/// Workloads that are asked in one scrape. Further ones are counted without a reason.
const MAX_EXAMINED: usize = 4_096;
/// The reason of those.
const NOT_EXAMINED: &str = "not-examined";
/// The reason of those whose victims are on their way out.
const STARTING: &str = "starting";

/// Quota and reason.
pub(super) type Pending = BTreeMap<(String, &'static str), i64>;

/// Counts who waits, first in line first. Between bites the writer gets its turn.
pub(super) fn pending(control: &Control) -> Pending {
    let mut counts = Pending::new();
    let waiting = control.read_blocking(|world| {
        let mut all: Vec<(QuotaId, WorkloadId)> = Vec::new();
        for w in world.engine.workloads().filter(|w| w.state.is_waiting()) {
            all.push((w.spec.quota, w.id));
        }
        all
    });
    let examined = waiting.len().min(MAX_EXAMINED);
    for bite in waiting[..examined].chunks(BITE) {
        control.read_blocking(|world| {
            let now = control.clock().now();
            for (quota, id) in bite {
                // It may have started, or be gone, since it was listed.
                if world.engine.workload(*id).is_none_or(|w| !w.state.is_waiting()) {
                    continue;
                }
                let reason = world.engine.reasons(now, *id).first().map_or(STARTING, |reason| reason.code());
                *counts.entry((world.engine.quota_name(*quota).to_string(), reason)).or_default() += 1;
            }
        });
    }
    control.read_blocking(|world| {
        for (quota, _) in &waiting[examined..] {
            *counts.entry((world.engine.quota_name(*quota).to_string(), NOT_EXAMINED)).or_default() += 1;
        }
    });
    counts
}
