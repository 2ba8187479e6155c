//! Capacity is carved out when a period begins, and returned when it is over.
//!
//! Whatever time it is, [`settle`] makes the books as they should be by now: it may be called at any time, twice, or
//! long after something was due.

use super::growth;
use super::supply::{configs, covers, share};
use crate::core::deck::Deck;
use crate::core::entry::Fact;
use crate::core::world::World;
use crate::http::routes::quotas;
use tidegate_api::time::Time;
use tidegate_billing::Record;
use tidegate_billing::dedicated::{ConfigId, Hold, Period, ResourceConfig, Terms};
use tidegate_engine::Command;
use tidegate_engine::ids::{QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::resources::Resources;
use tidegate_engine::words::Mode;
use tidegate_engine::workload::{Exit, WorkloadState};

/// Nobody is recalled earlier than this before a period begins.
pub const LONGEST_LEAD: Span = Span::minutes(10);
/// For those who leave at the last moment that they may.
const MARGIN: Span = Span::seconds(1);

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// A period is over.
    Close(Tick),
    /// A period has begun, or begins before those who borrow can be gone.
    Open(Tick),
    /// It has ended, and nothing is left of it but an empty quota.
    Clear,
}

/// Whether anything is to be done.
pub fn is_due(world: &World, now: Tick) -> bool {
    let mut leads = Leads::default();
    world.business.configs().any(|config| due(world, &config.record, now, &mut leads).is_some())
}

/// Makes the books of all configs as they should be by now.
pub fn settle(deck: &mut Deck<'_>) {
    // What is returned first may be needed for what begins.
    loop {
        let (world, now, mut leads) = (deck.world(), deck.now(), Leads::default());
        let all = world.business.configs().map(|config| &config.record);
        let all = all.filter_map(|config| Some((due(world, config, now, &mut leads)?, config.id)));
        let mut all: Vec<(Due, ConfigId)> = all.collect();
        all.sort_unstable();
        let mut done = false;
        for (due, id) in all {
            done |= match due {
                Due::Close(at) => close(deck, id, at),
                Due::Open(_) => open(deck, id),
                Due::Clear => clear(deck, id),
            };
        }
        // A server that was away for long has several periods of one config to catch up with.
        if !done {
            return;
        }
    }
}

fn due(world: &World, config: &ResourceConfig, now: Tick, leads: &mut Leads) -> Option<Due> {
    if config.ended.is_some() {
        let quota = world.engine.quota(config.quota)?;
        let account = world.engine.account(config.quota)?;
        let empty = quota.live == 0 && account.drawn == Resources::default();
        return (empty && quota.guarantee == Resources::default()).then_some(Due::Clear);
    }
    let period = config.next_period()?;
    match (&config.terms, config.hold) {
        (Terms::ByUsage(_), _) => period.end.filter(|end| *end <= now).map(Due::Close),
        (Terms::Reserved { .. }, Some(hold)) => hold.until.filter(|end| *end <= now).map(Due::Close),
        (Terms::Reserved { .. }, None) => {
            let near = period.start <= now.after(LONGEST_LEAD).after(MARGIN);
            let begins = near && period.start <= now.after(leads.of(world, config.supply));
            begins.then_some(Due::Open(period.start))
        }
    }
}

/// How long before a period those who borrow of a supply are to be told.
#[derive(Debug, Default)]
struct Leads(Vec<(QuotaId, Span)>);

impl Leads {
    fn of(&mut self, world: &World, supply: QuotaId) -> Span {
        if let Some((_, lead)) = self.0.iter().find(|(known, _)| *known == supply) {
            return *lead;
        }
        let borrowed = world.engine.account(supply).is_some_and(|of| of.drawn != Resources::default());
        let draws = |id: &WorkloadId| {
            let mut draws = world.engine.units(*id).flat_map(|unit| &unit.grant.draws);
            draws.any(|draw| draw.account == supply)
        };
        let drawing = world.dispatch.assigned().filter(|id| borrowed && draws(id));
        let graces = drawing.filter_map(|id| world.engine.workload(id)).map(|w| w.spec.grace);
        let lead = graces.max().map_or(Span::ZERO, |grace| Span(grace.0 + MARGIN.0).min(LONGEST_LEAD));
        self.0.push((supply, lead));
        lead
    }
}

fn config(deck: &Deck<'_>, id: ConfigId) -> Option<ResourceConfig> {
    deck.world().business.config(id).map(|config| config.record.clone())
}

/// Puts a config in place of what it was.
pub fn put(deck: &mut Deck<'_>, before: ResourceConfig, after: ResourceConfig) {
    if before != after {
        deck.put_business(Some(Record::ResourceConfig(before)), Some(Record::ResourceConfig(after)));
    }
}

/// Sets the guarantee of a config's quota. Whether it has it now.
pub fn scale(deck: &mut Deck<'_>, config: &ResourceConfig, guarantee: Resources, mode: Mode) -> bool {
    let present = deck.world().engine.quota(config.quota).map(|quota| quota.guarantee);
    if present == Some(guarantee) || (present.is_none() && guarantee == Resources::default()) {
        return true;
    }
    match deck.command(Command::Scale { quota: config.quota, guarantee, mode }) {
        Ok(_) => true,
        Err(refusal) => {
            tracing::warn!(config = %config.id, what = refusal.what(), "the books do not follow; tried again");
            false
        }
    }
}

/// Carves out what is agreed for a period. Whether anything changed.
fn open(deck: &mut Deck<'_>, id: ConfigId) -> bool {
    let Some(before) = config(deck, id) else { return false };
    let Some(Period { start, end: Some(end) }) = before.next_period() else { return false };
    let Terms::Reserved { size, .. } = before.terms else { return false };
    let now = deck.now();
    let hold = Some(Hold { amount: size, since: start, until: Some(end) });
    // Nobody was there for all of it: it is on the books as it was agreed.
    if end > now {
        if !make_room(deck, &before, &size) {
            if start <= now {
                tracing::warn!(config = %id, "the supply does not have what is booked; tried again");
            }
            return false;
        }
        if !scale(deck, &before, size, Mode::Evict) {
            return false;
        }
    }
    let after = ResourceConfig { hold, ..before.clone() };
    put(deck, before, after);
    true
}

/// A reservation comes before what has grown with its use. Whether there is enough for it then.
fn make_room(deck: &mut Deck<'_>, config: &ResourceConfig, size: &Resources) -> bool {
    let (world, supply) = (deck.world(), config.supply);
    if covers(&share(world, supply), size) {
        return true;
    }
    // Who has grown last gives first.
    let grown: Vec<ResourceConfig> =
        configs(world, supply).filter(|c| growth::spare(c).is_some()).cloned().collect();
    let spare =
        grown.iter().filter_map(growth::spare).fold(share(world, supply), |sum, more| sum.plus(&more));
    if !covers(&spare, size) {
        return false;
    }
    for other in grown.iter().rev() {
        let missing = size.minus(&share(deck.world(), supply));
        if missing.0.iter().all(|amount| *amount <= 0) {
            break;
        }
        growth::give(deck, other, &missing);
    }
    covers(&share(deck.world(), supply), size)
}

/// Ends a period: tasks are stopped, and what was carved out goes back. Whether anything changed.
fn close(deck: &mut Deck<'_>, id: ConfigId, at: Tick) -> bool {
    let Some(before) = config(deck, id) else { return false };
    stop_tasks(deck, &before, &format!("{id} was over at {}", Time::of(at)));
    // Whoever borrowed of it leaves, too: the supply may be booked from now on.
    if !scale(deck, &before, Resources::default(), Mode::Evict) {
        return false;
    }
    let mut after = ResourceConfig { hold: None, settled: at, ..before.clone() };
    after.ended = after.next_period().is_none().then_some(at);
    put(deck, before, after);
    true
}

/// Ends a config before its time.
pub fn end_now(deck: &mut Deck<'_>, id: ConfigId, why: &str) {
    let Some(before) = config(deck, id) else { return };
    let now = deck.now();
    stop_tasks(deck, &before, why);
    scale(deck, &before, Resources::default(), Mode::Evict);
    let after = ResourceConfig { hold: None, settled: now, ended: Some(now), ..before.clone() };
    put(deck, before, after);
    settle(deck);
}

fn stop_tasks(deck: &mut Deck<'_>, config: &ResourceConfig, why: &str) {
    let world = deck.world();
    let tasks = world.live.of(config.quota).into_iter().flat_map(|crew| &crew.tasks);
    let stays = |id: &&WorkloadId| {
        let state = world.engine.workload(**id).map(|w| w.state);
        state.is_some_and(|state| state != WorkloadState::Leaving(Exit::Stop) && !state.is_ended())
    };
    let tasks: Vec<WorkloadId> = tasks.filter(stays).copied().collect();
    for workload in tasks {
        deck.note(Fact::Stopped { workload, why: format!("stopped: {why}").into() });
        if let Err(refusal) = deck.command(Command::Stop { workload }) {
            tracing::warn!(workload = workload.0, what = refusal.what(), "a task was not stopped");
        }
    }
}

/// Removes the empty quota of a config that has ended. Whether it did.
fn clear(deck: &mut Deck<'_>, id: ConfigId) -> bool {
    let Some(config) = config(deck, id) else { return false };
    match quotas::remove(deck, config.quota) {
        Ok(()) => true,
        Err(problem) => {
            tracing::debug!(config = %id, %problem.detail, "its quota is not removed yet");
            false
        }
    }
}
