//! What somebody is told of without an event of the engine: that work waits for longer than its workspace likes.

use super::world::World;
use tidegate_api::duration::Duration;
use tidegate_api::explain::Reason;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::words::Module;
use tidegate_engine::workload::Workload;

/// The code of the reason, and the word of the notice.
pub const WAITING_TOO_LONG: &str = "waiting-too-long";

/// Training jobs that wait, and have waited for as long as the scheduling center of their workspace says that somebody
/// is to be told; ascending. Who is told once keeps in mind whom it has told of.
pub fn waited_too_long(world: &World, now: Tick) -> Vec<WorkloadId> {
    let limited = world.people.all_policies().filter(|(.., policy)| policy.training_max_wait.is_some());
    let mut found: Vec<WorkloadId> = Vec::new();
    for (workspace, quota, _) in limited {
        let of_room = world.rooms.all(workspace, WorkloadId(u32::MAX));
        let of_it = of_room.filter_map(|id| world.engine.workload(id)).filter(|w| w.spec.quota == quota);
        found.extend(of_it.filter(|w| overdue(world, w, now).is_some()).map(|w| w.id));
    }
    found.sort_unstable();
    found
}

/// The same as a line for people who look at one that waits.
pub fn waits_too_long(world: &World, w: &Workload, now: Tick) -> Option<Reason> {
    let (waited, most) = overdue(world, w, now)?;
    let seconds = Duration::of(Span(waited.0 / 1_000 * 1_000));
    let text = format!(
        "it has waited for {seconds}; the scheduling center of its workspace finds {} too long",
        Duration::of(most)
    );
    Some(Reason { code: WAITING_TOO_LONG.into(), text })
}

/// How long a training job has waited, and how long it should at most.
fn overdue(world: &World, w: &Workload, now: Tick) -> Option<(Span, Span)> {
    if w.spec.module != Module::Training || !w.state.is_waiting() {
        return None;
    }
    let most = world.people.policy(w.spec.workspace, w.spec.quota)?.training_max_wait?;
    let waited = now.since(world.shell.workloads.get(&w.id)?.waits_since);
    (waited >= most).then_some((waited, most))
}
