//! Compute by usage grows and shrinks: what was decided in `billing::scaling`, on the books.

use super::periods::{put, scale};
use super::{pools, supply};
use crate::core::deck::Deck;
use crate::core::world::World;
use tidegate_billing::dedicated::{ConfigId, Hold, ResourceConfig, Stage, Terms};
use tidegate_billing::scaling::{Seen, Step, Verdict, Why, decide};
use tidegate_engine::ids::Tick;
use tidegate_engine::resources::Resources;
use tidegate_engine::words::Mode;

/// What is to become of a config now; `None` if it does not grow with its use, or not now.
pub fn verdict(world: &World, config: &ResourceConfig, now: Tick, calm: Option<Tick>) -> Option<Verdict> {
    let Terms::ByUsage(by_usage) = &config.terms else { return None };
    let Stage::Active(_) = config.stage(now) else { return None };
    let held = world.engine.quota(config.quota)?.guarantee;
    let (drawn, crew) = (pools::drawn(world, config), world.live.of(config.quota));
    let seen = Seen {
        now,
        held,
        changed: config.hold.map(|hold| hold.since),
        drawn,
        waiting: crew.map_or_else(Resources::default, |crew| crew.demand.missing(&drawn, &by_usage.maximum)),
        oldest: oldest(world, config).map(|since| now.since(since)),
        free: supply::free(world, config, now),
        calm,
    };
    Some(decide(&by_usage.scaling(), &seen))
}

/// Since when the first of those waits that wait.
fn oldest(world: &World, config: &ResourceConfig) -> Option<Tick> {
    let tasks = world.live.of(config.quota).into_iter().flat_map(|crew| &crew.tasks);
    let waits = |id| world.engine.workload(id).is_some_and(|w| w.state.is_waiting());
    let since = |id| world.shell.workloads.get(&id).map(|record| record.waits_since);
    tasks.copied().filter(|id| waits(*id)).filter_map(since).min()
}

/// Looks at one config, and lets it grow or shrink. Since when one step less would do.
pub fn look(deck: &mut Deck<'_>, id: ConfigId, calm: Option<Tick>) -> Option<Tick> {
    let config = deck.world().business.config(id)?.record.clone();
    let verdict = verdict(deck.world(), &config, deck.now(), calm)?;
    match verdict.step {
        Step::Stay => {}
        // What it always has is no matter of steps.
        Step::Out { why: Why::Minimum, .. } => {
            let minimum = config.terms.booked();
            resize(deck, config, minimum, Mode::Evict);
        }
        // Whoever borrowed of the supply leaves.
        Step::Out { to, .. } => resize(deck, config, to, Mode::Evict),
        // What its tasks draw fits what is left: only who borrows may have to leave.
        Step::In { to } => resize(deck, config, to, Mode::Evict),
    }
    verdict.calm
}

fn resize(deck: &mut Deck<'_>, before: ResourceConfig, to: Resources, mode: Mode) {
    if !scale(deck, &before, to, mode) {
        return;
    }
    let until = match &before.terms {
        Terms::ByUsage(by_usage) => by_usage.until,
        Terms::Reserved { .. } => None,
    };
    let hold = Hold { amount: to, since: deck.now(), until };
    let after = ResourceConfig { hold: (to != Resources::default()).then_some(hold), ..before.clone() };
    put(deck, before, after);
}

/// What a config has beyond what it always has; `None` if nothing.
pub fn spare(config: &ResourceConfig) -> Option<Resources> {
    let (Terms::ByUsage(by_usage), Some(hold)) = (&config.terms, config.hold) else { return None };
    let spare = hold.amount.minus(&by_usage.minimum);
    (spare != Resources::default()).then_some(spare)
}

/// Takes back what somebody else has booked: by as many steps as that needs, down to what it always has.
pub fn give(deck: &mut Deck<'_>, config: &ResourceConfig, missing: &Resources) {
    let (Terms::ByUsage(by_usage), Some(hold)) = (&config.terms, config.hold) else { return };
    let mut steps = 0;
    for (d, missing) in missing.stated().filter(|(_, missing)| *missing > 0) {
        let step = by_usage.step[d].max(1);
        steps = steps.max(missing.unsigned_abs().div_ceil(step.unsigned_abs()));
    }
    let mut to = hold.amount;
    for (d, step) in by_usage.step.stated() {
        let less = step.saturating_mul(i64::try_from(steps).unwrap_or(i64::MAX));
        to[d] = to[d].saturating_sub(less).max(by_usage.minimum[d]);
    }
    if to != hold.amount {
        resize(deck, config.clone(), to, Mode::Evict);
    }
}
