//! Requests, and what is decided of them.

use super::supply::{self, has_room, is_supply};
use super::{growth, periods, wire};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::http::auth::Caller;
use tidegate_api::dedicated::{ConfigChange, ExtendRequest, NewResourceRequest};
use tidegate_api::limits::{MAX_PENDING_REQUESTS, MAX_RESOURCE_REQUESTS};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::Record;
use tidegate_billing::dedicated::{
    ConfigId, DEFAULT_CAP, Hold, RequestId, RequestState, ResourceConfig, ResourceRequest, Terms, When,
};
use tidegate_billing::recurrence::Recurrence;
use tidegate_engine::ids::{MemberId, QuotaId, Tick, WorkspaceId};
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::Resources;
use tidegate_engine::{Command, EventKind, PolicyChange};
use tidegate_identity::{Action, Resource};

/// Asks for dedicated compute.
pub fn request(
    deck: &mut Deck<'_>,
    caller: &Caller,
    room: WorkspaceId,
    new: &NewResourceRequest,
) -> Result<RequestId, Problem> {
    let (world, now) = (deck.world(), deck.now());
    let business = &world.business;
    if business.requests().count() >= MAX_RESOURCE_REQUESTS {
        let detail = format!("there are {MAX_RESOURCE_REQUESTS} requests, no more can be");
        return Err(Problem::new(Code::LimitExceeded, detail));
    }
    let pending = business
        .requests()
        .filter(|other| other.record.workspace == room && other.record.state == RequestState::Pending);
    if pending.count() >= MAX_PENDING_REQUESTS {
        let detail = format!("{MAX_PENDING_REQUESTS} requests of the workspace are not decided yet");
        return Err(Problem::new(Code::LimitExceeded, detail).hint("withdraw those that are not needed"));
    }
    let supply = supply::find(world, new.supply.as_ref())?;
    let request = ResourceRequest {
        id: business.next_request(),
        workspace: room,
        by: caller.who.user,
        made: now,
        supply,
        terms: wire::terms(world, supply, new, now)?,
        reason: new.reason.trim().into(),
        lend: new.lend.unwrap_or(false),
        cap: new.cap.unwrap_or(DEFAULT_CAP),
        state: RequestState::Pending,
    };
    let id = request.id;
    deck.put_business(None, Some(Record::ResourceRequest(request)));
    Ok(id)
}

fn pending(world: &World, id: RequestId) -> Result<ResourceRequest, Problem> {
    let gone = || Problem::new(Code::NotFound, "the request is gone");
    let request = &world.business.request(id).ok_or_else(gone)?.record;
    match request.state {
        RequestState::Pending => Ok(request.clone()),
        _ => {
            let detail = format!("{id} is {} already", request.state.word());
            Err(Problem::new(Code::WrongState, detail).hint("nothing can be decided any more"))
        }
    }
}

fn decided(deck: &mut Deck<'_>, before: ResourceRequest, state: RequestState) {
    let after = ResourceRequest { state, ..before.clone() };
    deck.put_business(Some(Record::ResourceRequest(before)), Some(Record::ResourceRequest(after)));
}

/// Turns a request down.
pub fn decline(deck: &mut Deck<'_>, by: MemberId, id: RequestId, note: &str) -> Result<(), Problem> {
    let request = pending(deck.world(), id)?;
    if note.trim().is_empty() {
        let detail = "whoever declines says why: somebody waits for it";
        return Err(Problem::new(Code::Invalid, detail).at("/note"));
    }
    let state = RequestState::Declined { by, at: deck.now(), note: note.trim().into() };
    decided(deck, request, state);
    Ok(())
}

/// Takes a request back.
pub fn withdraw(deck: &mut Deck<'_>, by: MemberId, id: RequestId) -> Result<(), Problem> {
    let request = pending(deck.world(), id)?;
    let state = RequestState::Withdrawn { by, at: deck.now() };
    decided(deck, request, state);
    Ok(())
}

/// Whether somebody may withdraw a request, or change or release what came of it: who asked, and who governs the workspace.
pub fn may_undo(
    world: &World,
    caller: &Caller,
    room: WorkspaceId,
    by: MemberId,
    missing: impl FnOnce() -> Problem,
) -> Result<(), Problem> {
    let own = by == caller.who.user;
    let action = if own { Action::ResourceRequestCreate } else { Action::ResourceConfigUpdate };
    caller.check(&world.people, action, Resource::Workspace(room), missing)
}

/// Agrees to a request: from now on it is booked, and what begins at once has it at once.
pub fn approve(deck: &mut Deck<'_>, by: MemberId, id: RequestId, note: &str) -> Result<ConfigId, Problem> {
    let request = pending(deck.world(), id)?;
    let (world, now) = (deck.world(), deck.now());
    if world.people.workspace(request.workspace).is_none() {
        let detail = format!("the workspace of {id} was deleted");
        return Err(Problem::new(Code::WrongState, detail).hint("decline the request"));
    }
    if !is_supply(world, request.supply) || world.engine.quota(request.supply).is_none() {
        let detail = format!("what {id} would be taken from is not dedicated any more");
        return Err(Problem::new(Code::WrongState, detail).hint("decline the request"));
    }
    let terms = begins_now(request.terms.clone(), now).ok_or_else(|| {
        let detail = format!("the time that {id} asks for is over");
        Problem::new(Code::WrongState, detail).hint("decline the request")
    })?;
    for period in terms.periods(now) {
        let to = period.end.unwrap_or(Tick(u64::MAX));
        has_room(world, request.supply, &terms.booked(), (period.start, to))?;
    }
    let config = free_id(world);
    let quota = make_quota(deck, config, &request, &terms)?;
    let state = RequestState::Approved { config, by, at: now, note: note.trim().into() };
    let made = ResourceConfig {
        id: config,
        request: id,
        workspace: request.workspace,
        by: request.by,
        made: now,
        supply: request.supply,
        quota,
        terms,
        lend: request.lend,
        cap: request.cap,
        hold: None,
        settled: now,
        ended: None,
    };
    decided(deck, request, state);
    deck.put_business(None, Some(Record::ResourceConfig(made)));
    periods::settle(deck);
    growth::look(deck, config, None);
    Ok(config)
}

/// The terms as they are when they are agreed to now: nobody pays for what has passed. `None` if nothing is left.
fn begins_now(terms: Terms, now: Tick) -> Option<Terms> {
    match terms {
        Terms::Reserved { size, when: When::Once { start, end } } => {
            let when = When::Once { start: start.max(now), end };
            (end > now).then_some(Terms::Reserved { size, when })
        }
        Terms::Reserved { size, when: When::Weekly { rule, mut periods } } => {
            periods.retain(|(_, end)| *end > now);
            periods.iter_mut().for_each(|(start, _)| *start = (*start).max(now));
            let some = !periods.is_empty();
            some.then_some(Terms::Reserved { size, when: When::Weekly { rule, periods } })
        }
        Terms::ByUsage(by_usage) => {
            by_usage.until.is_none_or(|until| until > now).then_some(Terms::ByUsage(by_usage))
        }
    }
}

/// The next number whose name no quota has: some may be from before such names were kept free.
fn free_id(world: &World) -> ConfigId {
    let mut id = world.business.next_config();
    while world.engine.quota_named(&id.to_string()).is_some() {
        id.0 += 1;
    }
    id
}

/// Makes the quota of a config, with nothing in it yet.
fn make_quota(
    deck: &mut Deck<'_>,
    config: ConfigId,
    request: &ResourceRequest,
    terms: &Terms,
) -> Result<QuotaId, Problem> {
    let ceiling = match terms {
        Terms::Reserved { .. } => None,
        Terms::ByUsage(by_usage) => Some(by_usage.maximum),
    };
    let spec = QuotaSpec {
        name: config.to_string().into(),
        source: Source::Parent(request.supply),
        guarantee: Resources::default(),
        policy: Policy { idle_sharing: request.lend, ceiling, ..Policy::default() },
    };
    let events = deck.command(Command::CreateQuota(Box::new(spec)))?;
    let created = events.iter().find_map(|event| match event.kind {
        EventKind::QuotaCreated { quota, .. } => Some(quota),
        _ => None,
    });
    Ok(created.expect("a quota that was created has an id"))
}

fn present(world: &World, id: ConfigId) -> Result<ResourceConfig, Problem> {
    let gone = || Problem::new(Code::NotFound, "the resource config is gone");
    let config = world.business.config(id).ok_or_else(gone)?.record.clone();
    match config.ended {
        None => Ok(config),
        Some(at) => {
            let detail = format!("{id} is over since {}", Time::of(at));
            Err(Problem::new(Code::WrongState, detail).hint("request another one"))
        }
    }
}

/// Lets a config go on for longer.
pub fn extend(deck: &mut Deck<'_>, id: ConfigId, asked: &ExtendRequest) -> Result<(), Problem> {
    periods::settle(deck);
    let (world, now) = (deck.world(), deck.now());
    let before = present(world, id)?;
    let mut after = before.clone();
    let more = match (&mut after.terms, asked.end, &asked.last_day) {
        (Terms::Reserved { when: When::Weekly { rule, periods }, .. }, None, Some(day)) => {
            more_weeks(rule, periods, day, now)?
        }
        (Terms::Reserved { when: When::Weekly { .. }, .. }, ..) => {
            let detail = format!("{id} comes again every week: say its new `lastDay`");
            return Err(Problem::new(Code::Invalid, detail).at("/lastDay"));
        }
        (Terms::Reserved { when: When::Once { start, end }, .. }, Some(longer), _) => {
            let from = std::mem::replace(end, longer.tick());
            wire::period(*start, longer.tick(), now, "/end")?;
            vec![(from, longer.tick())]
        }
        (Terms::ByUsage(by_usage), Some(longer), _) => {
            let Some(from) = by_usage.until.replace(longer.tick()) else {
                let detail = format!("{id} has no end: it goes on until it is released");
                return Err(Problem::new(Code::NothingToChange, detail));
            };
            wire::period(now, longer.tick(), now, "/end")?;
            vec![(from, longer.tick())]
        }
        (_, None, _) => {
            return Err(Problem::new(Code::Invalid, format!("say the new `end` of {id}")).at("/end"));
        }
    };
    for (from, to) in more {
        if to <= from {
            let detail = format!("{id} ends at {}, which is not before {}", Time::of(from), Time::of(to));
            return Err(Problem::new(Code::Invalid, detail).hint("release it to end it sooner").at("/end"));
        }
        has_room(world, before.supply, &before.terms.booked(), (from, to))?;
    }
    // What goes on goes on for longer; what comes again keeps the end of this period.
    if let (Some(hold), Some(longer)) = (after.hold, asked.end) {
        after.hold = Some(Hold { until: Some(longer.tick()), ..hold });
    }
    periods::put(deck, before, after);
    Ok(())
}

/// Adds the periods up to another last day. Those that were agreed on stay as they are.
fn more_weeks(
    rule: &mut Recurrence,
    periods: &mut Vec<(Tick, Tick)>,
    last: &str,
    now: Tick,
) -> Result<Vec<(Tick, Tick)>, Problem> {
    let last = wire::day(last).map_err(|problem| problem.at("/lastDay"))?;
    if last <= rule.last {
        let detail = format!("its last day is {}, which is not before {last}", rule.last);
        return Err(Problem::new(Code::Invalid, detail).hint("release it to end it sooner").at("/lastDay"));
    }
    rule.last = last;
    let until = periods.last().map_or(now, |(_, end)| *end);
    let mut more = wire::periods(rule, now, "/lastDay")?;
    more.retain(|(start, _)| *start >= until);
    periods.extend(&more);
    Ok(more)
}

/// Changes what is nobody's business but the workspace's. Who borrows of it already stays until they are recalled.
pub fn set(deck: &mut Deck<'_>, id: ConfigId, asked: &ConfigChange) -> Result<(), Problem> {
    periods::settle(deck);
    let before = present(deck.world(), id)?;
    let mut after = before.clone();
    after.lend = asked.lend.unwrap_or(before.lend);
    after.cap = asked.cap.unwrap_or(before.cap);
    if after.lend != before.lend {
        let change = PolicyChange { idle_sharing: Some(after.lend), ..PolicyChange::default() };
        deck.command(Command::SetPolicy { quota: before.quota, change })?;
    }
    periods::put(deck, before, after);
    Ok(())
}

/// Ends a config before its time.
pub fn release(deck: &mut Deck<'_>, id: ConfigId) -> Result<(), Problem> {
    periods::settle(deck);
    present(deck.world(), id)?;
    let by = deck.origin().by.clone();
    periods::end_now(deck, id, &format!("{id} was released by {by}"));
    Ok(())
}
