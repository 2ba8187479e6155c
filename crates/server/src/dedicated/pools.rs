//! Which configs a task may go to, and how much of each is in use.

use super::supply;
use crate::core::world::World;
use tidegate_api::explain::Reason;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::dedicated::{ConfigId, ResourceConfig, Stage, Terms};
use tidegate_billing::route::{NoRoute, Pool};
use tidegate_engine::amounts::amounts;
use tidegate_engine::ids::{ModelId, Tick, WorkspaceId};
use tidegate_engine::resources::{ModelSet, Resources};
use tidegate_engine::workload::{Workload, WorkloadState};

/// The code of the reason.
pub const SUPPLY_USED_UP: &str = "supply-used-up";

/// Tasks of a config that have not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    pub running: u32,
    pub waiting: u32,
}

pub fn tasks(world: &World, config: &ResourceConfig) -> Tasks {
    let mut tasks = Tasks::default();
    let live = world.live.of(config.quota).into_iter().flat_map(|crew| &crew.tasks);
    for w in live.filter_map(|id| world.engine.workload(*id)) {
        match w.state {
            WorkloadState::Running | WorkloadState::Leaving(_) => tasks.running += 1,
            _ => tasks.waiting += 1,
        }
    }
    tasks
}

/// What its own tasks draw; what is lent to others is not in it.
pub fn drawn(world: &World, config: &ResourceConfig) -> Resources {
    world.engine.account(config.quota).map_or_else(Resources::default, |of| of.drawn.minus(&of.lent))
}

/// What its tasks ask for, running and waiting, of the most that it can have; in thousandths. For a task that wants some
/// models of GPUs, as far as it concerns that.
pub fn utilisation(world: &World, config: &ResourceConfig, wanted: Option<ModelSet>) -> u32 {
    world.live.of(config.quota).map_or(0, |crew| crew.demand.part(&config.terms.most(), wanted))
}

/// Models by name, of the pool that a config is in. One that is not there is refused where the task is submitted.
fn models(world: &World, config: &ResourceConfig, named: &[Box<str>]) -> ModelSet {
    let pool = world.engine.quota(config.quota).and_then(|quota| world.engine.pool(quota.pool));
    let known = pool.map_or(&[][..], |pool| &pool.models);
    let of = |name: &str| known.iter().position(|model| **model == *name);
    let ids = named.iter().filter_map(|name| of(name)).filter_map(|id| u8::try_from(id).ok());
    ids.fold(ModelSet::ANY, |set, id| set.with(ModelId(id)))
}

/// The config of this id, if it is the workspace's. Others are answered as if they were not there.
pub fn find<'a>(world: &'a World, room: WorkspaceId, id: &str) -> Option<&'a ResourceConfig> {
    let config = &world.business.config(ConfigId::parse(id)?)?.record;
    (config.workspace == room).then_some(config)
}

/// The configs that a task of some models of GPUs names, each as a pool. One that cannot be used now is an error, whatever else is named: only
/// fullness overflows.
pub fn named(
    world: &World,
    room: WorkspaceId,
    ids: &[Box<str>],
    gpus: &[Box<str>],
    now: Tick,
) -> Result<Vec<Pool>, Problem> {
    let mut pools = Vec::with_capacity(ids.len());
    for id in ids {
        let unknown = || unknown(&NoRoute::Unknown(id.clone()));
        let config = find(world, room, id).ok_or_else(unknown)?;
        match config.stage(now) {
            Stage::Active(_) => {}
            Stage::Scheduled(period) => {
                let detail = format!("{id} has not begun: it begins at {}", Time::of(period.start));
                return Err(Problem::new(Code::ConfigNotActive, detail));
            }
            Stage::Ended { since } => {
                let detail = format!("{id} is over since {}", Time::of(since));
                return Err(Problem::new(Code::ConfigNotActive, detail));
            }
        }
        let wanted = models(world, config, gpus);
        let (used, cap) = (utilisation(world, config, Some(wanted)), config.cap.saturating_mul(10));
        pools.push(Pool { id: id.clone(), quota: config.quota, used, cap });
    }
    Ok(pools)
}

pub fn unknown(why: &NoRoute) -> Problem {
    Problem::new(Code::UnknownReference, why.to_string())
        .hint("`tidegate resource-config list` lists yours; `default` is shared compute")
}

/// Why a task of compute by usage waits, where the supply has no more to give.
pub fn used_up(world: &World, w: &Workload, now: Tick) -> Option<Reason> {
    let config = &world.business.config_of(w.spec.quota)?.record;
    let Terms::ByUsage(by_usage) = &config.terms else { return None };
    let (quota, supply) = (world.engine.quota(config.quota)?, world.engine.quota(config.supply)?);
    let missing = by_usage.maximum.minus(&quota.guarantee);
    let free = supply::free(world, config, now);
    let is_short = by_usage.step.stated().any(|(d, step)| missing[d] > 0 && free[d] < step.min(missing[d]));
    if !w.state.is_waiting() || !is_short {
        return None;
    }
    let models = &world.engine.pool(supply.pool)?.models;
    let words = |of: &Resources| amounts(of, &by_usage.maximum, models);
    let text = format!(
        "{} has {} and may have {}, and the supply is used up: of {} of {}, {} are free and not booked",
        config.id,
        words(&quota.guarantee),
        words(&by_usage.maximum),
        words(&supply.guarantee),
        supply.name,
        words(&free),
    );
    Some(Reason { code: SUPPLY_USED_UP.into(), text })
}
