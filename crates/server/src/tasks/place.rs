//! Where tasks run: shared compute, and what becomes of a list of resource configs.

use crate::core::deck::Deck;
use crate::core::world::World;
use crate::dedicated::{periods, pools};
use tidegate_api::problem::{Code, Problem};
use tidegate_billing::Record;
use tidegate_billing::record::{Compute, ComputeKind};
use tidegate_billing::route::{NoRoute, Route, Wish};
use tidegate_engine::ids::{QuotaId, WorkspaceId};

/// Marks a quota as compute of a kind, or takes the mark away. What waits there stays where it is.
pub fn mark(deck: &mut Deck<'_>, quota: QuotaId, kind: Option<ComputeKind>) {
    let before = deck.world().business.compute(quota).copied();
    if before.map(|compute| compute.kind) == kind {
        return;
    }
    let after = kind.map(|kind| Compute { quota, kind, since: deck.now() });
    deck.put_business(before.map(Record::Compute), after.map(Record::Compute));
}

/// Where a task goes: quotas to be tried one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// As it is kept with the task.
    pub config: Box<str>,
    pub quotas: Vec<QuotaId>,
}

/// Finds the way of a task of a workspace that names these resource configs, and wants these models of GPUs.
pub fn way(
    deck: &mut Deck<'_>,
    room: WorkspaceId,
    configs: Option<&str>,
    gpus: &[Box<str>],
) -> Result<Way, Problem> {
    let wish = Wish::parse(configs).map_err(|why| refused(&why))?;
    // A period that has begun takes tasks from its first instant on.
    if !wish.dedicated.is_empty() && periods::is_due(deck.world(), deck.now()) {
        periods::settle(deck);
    }
    let (world, now) = (deck.world(), deck.now());
    let pools = pools::named(world, room, &wish.dedicated, gpus, now)?;
    match wish.route(&pools).map_err(|why| refused(&why))? {
        Route::Dedicated(pool) => Ok(Way { config: pool.id.clone(), quotas: vec![pool.quota] }),
        Route::Shared => shared(world),
    }
}

fn shared(world: &World) -> Result<Way, Problem> {
    let is_there = |id: &QuotaId| world.engine.quota(*id).is_some();
    let mut quotas: Vec<QuotaId> = world.business.shared().filter(is_there).collect();
    if quotas.is_empty() {
        return Err(Problem::new(Code::NoSharedCompute, "no quota is marked as shared"));
    }
    // The shortest queue first.
    quotas.sort_by_key(|quota| (world.engine.waiting(*quota).map(|(_, count)| count).sum::<u32>(), *quota));
    Ok(Way { config: tidegate_billing::route::SHARED.into(), quotas })
}

fn refused(why: &NoRoute) -> Problem {
    match why {
        NoRoute::Malformed(_) => {
            Problem::new(Code::BadParameter, format!("X-Tidegate-Resource-Config: {why}"))
                .hint("leave the header out for shared compute, or name `default`")
        }
        NoRoute::Unknown(_) => pools::unknown(why),
        NoRoute::Full(_) => Problem::new(Code::ConfigFull, why.to_string()),
    }
}

/// Whether a workspace may have another task wait on shared compute. Elsewhere the cap of a config says so.
pub fn has_room(world: &World, room: WorkspaceId, quota: QuotaId, most: u32) -> Result<(), Problem> {
    if world.business.config_of(quota).is_some() {
        return Ok(());
    }
    let of_room =
        |(id, count)| world.engine.workload(id).filter(|w| w.spec.workspace == room).map_or(0, |_| count);
    let waiting: u32 = world.engine.waiting(quota).map(of_room).sum();
    if waiting < most {
        return Ok(());
    }
    let detail = format!("{waiting} tasks of {} wait on shared compute, {most} may", world.room_name(room));
    Err(Problem::new(Code::TooManyTasks, detail))
}
