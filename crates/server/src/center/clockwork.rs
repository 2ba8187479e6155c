//! What the scheduling center does by time: notebooks that wait or do nothing for too long are stopped, and it is said
//! why. How long something may run at most, the engine is told when it is submitted.

use super::idle::{Has, idle};
use crate::core::control::Control;
use crate::core::entry::{Fact, Origin};
use crate::core::world::World;
use crate::login::session;
use crate::samples::Samples;
use std::sync::Arc;
use tidegate_api::duration::Duration;
use tidegate_engine::Command;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::words::Module;
use tidegate_engine::workload::{Workload, WorkloadState};
use tidegate_identity::policy::{Idleness, Policy};

/// How often it is looked.
const LOOK: std::time::Duration = std::time::Duration::from_secs(1);
/// Of these looks, every so many-th is for what is measured: figures come every ten seconds.
const MEASURED: u32 = 10;
/// Who did something in this time is not idle: the look at all of it is saved.
const GLANCE: Span = Span::minutes(1);

const WAITED: &str = "notebook.max-wait";
const IDLED: &str = "notebook.idle";

/// Looks for ever.
pub async fn look_after(control: Control, samples: Arc<Samples>) {
    for look in 0u32.. {
        tokio::time::sleep(LOOK).await;
        if look % MEASURED == 0 {
            sweep(&control).await;
        }
        // Nobody has a policy: nothing is looked at.
        if control.people().all_policies().next().is_none() {
            continue;
        }
        let now = control.clock().now();
        for (id, why) in control.read_blocking(|world| waited(world, now)) {
            stop(&control, id, WAITED, why).await;
        }
        if look % MEASURED == 0 {
            let (seen, figures) = (control.clone(), samples.clone());
            let idle = tokio::task::spawn_blocking(move || idled(&seen, &figures, now)).await;
            for (id, why) in idle.unwrap_or_default() {
                stop(&control, id, IDLED, why).await;
            }
        }
    }
}

/// Removes what lets nobody in any more: sessions, invitations and tokens that are over.
async fn sweep(control: &Control) {
    if session::is_due(&control.people(), control.clock().now())
        && let Err(why) = control.write(Origin::new("system", "token.sweep"), session::sweep).await
    {
        tracing::debug!(?why, "what is over was not removed; the next look tries again");
    }
}

/// Notebooks of workspaces whose policies say something, each with its policy.
fn notebooks<'a>(
    world: &'a World,
    matters: impl Fn(&Policy) -> bool + 'a,
) -> impl Iterator<Item = (&'a Workload, &'a Policy)> + 'a {
    let policies = world.people.all_policies().filter(move |(.., policy)| matters(policy));
    policies.flat_map(|(workspace, quota, policy)| {
        let all = world.rooms.all(workspace, WorkloadId(u32::MAX));
        let all = all.filter_map(|id| world.engine.workload(id));
        all.filter(move |w| w.spec.quota == quota && w.spec.module == Module::Notebook)
            .map(move |w| (w, policy))
    })
}

/// Notebooks that have waited for too long, and why they are stopped.
fn waited(world: &World, now: Tick) -> Vec<(WorkloadId, String)> {
    let overdue = |(w, policy): (&Workload, &Policy)| {
        let most = policy.notebook_max_wait.filter(|_| w.state.is_waiting())?;
        let since = world.shell.workloads.get(&w.id)?.waits_since;
        let why = format!("it waited for {}, and no notebook waits for longer here", Duration::of(most));
        (now.since(since) >= most).then_some((w.id, why))
    };
    notebooks(world, |policy| policy.notebook_max_wait.is_some()).filter_map(overdue).collect()
}

/// A notebook that runs, and how it may idle.
struct Watched {
    id: WorkloadId,
    policy: Idleness,
    has: Has,
}

fn watched(world: &World, now: Tick) -> Vec<Watched> {
    let one = |(w, policy): (&Workload, &Policy)| {
        let idleness = policy.notebook_idle.filter(|_| w.state == WorkloadState::Running)?;
        let exempt = w.spec.owner.is_some_and(|owner| policy.notebook_exempt.contains(&owner.member));
        let started = world.shell.workloads.get(&w.id)?.started?;
        if exempt || now.since(started) < idleness.after {
            return None;
        }
        let (mut cpu, mut gpus) = (0, false);
        for unit in world.engine.units(w.id) {
            cpu += unit.grant.slots.iter().map(|slot| u64::from(slot.cpu)).sum::<u64>();
            gpus |= unit.gpu > 0;
        }
        Some(Watched { id: w.id, policy: idleness, has: Has { cpu, gpus } })
    };
    notebooks(world, |policy| policy.notebook_idle.is_some()).filter_map(one).collect()
}

/// Notebooks that did nothing for too long, and why they are stopped.
fn idled(control: &Control, samples: &Samples, now: Tick) -> Vec<(WorkloadId, String)> {
    let watched = control.read_blocking(|world| watched(world, now));
    let found = |one: Watched| {
        let policy = |after: Span| Idleness { after, ..one.policy };
        let glance = GLANCE.min(one.policy.after);
        idle(&samples.lately(one.id, now, glance), &policy(glance), one.has)?;
        let lately = samples.lately(one.id, now, one.policy.after);
        idle(&lately, &one.policy, one.has).map(|why| (one.id, why))
    };
    watched.into_iter().filter_map(found).collect()
}

async fn stop(control: &Control, id: WorkloadId, operation: &'static str, why: String) {
    let why = format!("stopped by the scheduling center ({operation}): {why}");
    let said = why.clone();
    let stopped = control.write(Origin::new("system", operation), move |deck| {
        let w = deck.world().engine.workload(id)?;
        // It may have started, or been stopped, meanwhile.
        let still = match operation {
            WAITED => w.state.is_waiting(),
            _ => w.state == WorkloadState::Running,
        };
        still.then(|| {
            deck.note(Fact::Stopped { workload: id, why: said.into() });
            deck.command(Command::Stop { workload: id }).map(|_| ())
        })
    });
    match stopped.await {
        Ok(Some(Ok(()))) => tracing::info!(workload = id.0, %why, "stopped"),
        Ok(Some(Err(refusal))) => tracing::warn!(workload = id.0, what = refusal.what(), "not stopped"),
        // The next look tries again.
        Ok(None) | Err(_) => {}
    }
}
