//! Requests and configs between the wire and the records.

use super::pools;
use crate::core::world::World;
use tidegate_api::amounts::{Amounts, Figure, Guarantee};
use tidegate_api::dedicated::{
    self as wire, ConfigState, Held, NewResourceRequest, RequestState, ResourceConfig, ResourceRequest,
};
use tidegate_api::duration::Duration;
use tidegate_api::limits::{MAX_BOOKING_AHEAD, MIN_PERIOD};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::business::Versioned;
use tidegate_billing::dedicated::{self as record, ByUsage, Period, Stage, Terms, When};
use tidegate_billing::recurrence::{Clock, Day, Days, NoRecurrence, Recurrence};
use tidegate_engine::amounts::amounts;
use tidegate_engine::ids::{MemberId, PoolId, QuotaId, Span, Tick};
use tidegate_engine::resources::{Dimension, Resources};

const DEFAULT_THRESHOLD: u32 = 80;
const DEFAULT_WAIT: Span = Span::seconds(10);
const DEFAULT_COOL_DOWN: Span = Span::minutes(5);

/// The pool of a supply; what is gone is shown by the first.
fn pool(world: &World, supply: QuotaId) -> PoolId {
    world.engine.quota(supply).map_or(PoolId(0), |quota| quota.pool)
}

/// What a request asks for. It is checked against what the supply could ever give; whether there is room is looked at
/// when somebody approves it.
pub fn terms(world: &World, supply: QuotaId, new: &NewResourceRequest, now: Tick) -> Result<Terms, Problem> {
    match (&new.reserved, &new.by_usage) {
        (Some(reserved), _) => {
            let size = amount(world, supply, &reserved.size, "/reserved/size")?;
            let when = match (&reserved.weekly, reserved.end) {
                (Some(weekly), _) => {
                    let rule = recurrence(weekly)?;
                    let periods = periods(&rule, now, "/reserved/weekly")?;
                    When::Weekly { rule, periods }
                }
                (None, end) => {
                    let end = end.ok_or_else(|| Problem::new(Code::Invalid, "say when it is over"))?.tick();
                    let start = reserved.start.map_or(now, Time::tick);
                    period(start, end, now, "/reserved/end")?;
                    When::Once { start, end }
                }
            };
            Ok(Terms::Reserved { size, when })
        }
        (None, Some(by_usage)) => {
            self::by_usage(world, supply, by_usage, now).map(|by_usage| Terms::ByUsage(Box::new(by_usage)))
        }
        (None, None) => Err(Problem::new(Code::Invalid, "say how: `reserved` for a time, or `byUsage`")),
    }
}

fn recurrence(weekly: &wire::Weekly) -> Result<Recurrence, Problem> {
    let wrong =
        |at: &str, detail: String| Problem::new(Code::Invalid, detail).at(format!("/reserved/weekly/{at}"));
    let clock = |at: &str, text: &str| {
        Clock::parse(text).ok_or_else(|| wrong(at, format!("{text:?} is no time of day such as 09:00")))
    };
    let date = |at: &str, text: &str| day(text).map_err(|problem| wrong(at, problem.detail));
    let days = Days::parse(&weekly.days).ok_or_else(|| {
        wrong("days", "days are some of mon, tue, wed, thu, fri, sat, sun, each at most once".into())
    })?;
    Ok(Recurrence {
        days,
        from: clock("from", &weekly.from)?,
        to: clock("to", &weekly.to)?,
        zone: weekly.time_zone.as_str().into(),
        first: date("firstDay", &weekly.first_day)?,
        last: date("lastDay", &weekly.last_day)?,
    })
}

/// A date, such as 2026-03-02.
pub fn day(text: &str) -> Result<Day, Problem> {
    let wrong = || Problem::new(Code::Invalid, format!("{text:?} is no date such as 2026-03-02"));
    Day::parse(text).ok_or_else(wrong)
}

/// The periods of a recurrence that are not over.
pub fn periods(rule: &Recurrence, now: Tick, at: &str) -> Result<Vec<(Tick, Tick)>, Problem> {
    let mut periods = rule.occurrences().map_err(|why| match why {
        NoRecurrence::TooMany => Problem::new(Code::LimitExceeded, why.to_string()).at(at),
        _ => Problem::new(Code::Invalid, why.to_string()).at(at),
    })?;
    periods.retain(|(_, end)| *end > now);
    let Some((start, end)) = periods.last() else {
        return Err(Problem::new(Code::Invalid, "all of it is over already").at(at));
    };
    period(*start, *end, now, at)?;
    Ok(periods)
}

/// Whether something can be agreed for this time.
pub fn period(start: Tick, end: Tick, now: Tick, at: &str) -> Result<(), Problem> {
    let invalid = |detail: String| Err(Problem::new(Code::Invalid, detail).at(at));
    if end <= now {
        return invalid(format!("{} is over already", Time::of(end)));
    }
    if end <= start {
        return invalid(format!(
            "it ends at {}, which is not after its start at {}",
            Time::of(end),
            Time::of(start)
        ));
    }
    if end.since(start) < MIN_PERIOD {
        return invalid(format!("it is shorter than {}", Duration::of(MIN_PERIOD)));
    }
    let last = now.after(MAX_BOOKING_AHEAD);
    if end > last {
        let detail = format!("nothing is agreed for later than {}", Time::of(last));
        return Err(Problem::new(Code::LimitExceeded, detail).at(at));
    }
    Ok(())
}

fn by_usage(world: &World, supply: QuotaId, new: &wire::ByUsage, now: Tick) -> Result<ByUsage, Problem> {
    let step = amount(world, supply, &new.step, "/byUsage/step")?;
    let maximum = amount(world, supply, &new.maximum, "/byUsage/maximum")?;
    let minimum = match &new.minimum {
        None => Resources::default(),
        // Nothing may be said as a number.
        Some(minimum) => match stated(world, supply, minimum, "/byUsage/minimum")? {
            none if none == Resources::default() => none,
            some => complete(world, supply, some, "/byUsage/minimum")?,
        },
    };
    let models = world.engine.pool(pool(world, supply)).map_or(&[][..], |pool| &pool.models);
    for (name, less, at) in [("minimum", &minimum, "/byUsage/minimum"), ("step", &step, "/byUsage/step")] {
        if less.stated().any(|(d, some)| some > maximum[d]) {
            let detail = format!(
                "the {name} of {} is more than the maximum of {}",
                amounts(less, less, models),
                amounts(&maximum, less, models)
            );
            return Err(Problem::new(Code::BadAmount, detail).at(at));
        }
    }
    if let Some((d, _)) = maximum.stated().find(|(d, some)| *some > minimum[*d] && step[*d] == 0) {
        let what = amounts(&maximum, &Resources::of(d, 1), models);
        let detail = format!("it can never grow to {what}: the step has none of it");
        return Err(Problem::new(Code::BadAmount, detail).at("/byUsage/step"));
    }
    let until = new.until.map(Time::tick);
    if let Some(until) = until {
        period(now, until, now, "/byUsage/until")?;
    }
    Ok(ByUsage {
        threshold: new.threshold.unwrap_or(DEFAULT_THRESHOLD),
        wait: new.wait.map_or(DEFAULT_WAIT, |wait| wait.span()),
        step,
        minimum,
        maximum,
        cool_down: new.cool_down.map_or(DEFAULT_COOL_DOWN, |cool_down| cool_down.span()),
        until,
    })
}

fn stated(world: &World, supply: QuotaId, given: &Guarantee, at: &str) -> Result<Resources, Problem> {
    given.resources(&world.engine, pool(world, supply), at)
}

/// An amount that a supply could give: some of everything that its books keep, and no more than it has.
fn amount(world: &World, supply: QuotaId, given: &Guarantee, at: &str) -> Result<Resources, Problem> {
    let some = stated(world, supply, given, at)?;
    if some == Resources::default() {
        return Err(Problem::new(Code::BadAmount, "it is nothing at all").at(at));
    }
    complete(world, supply, some, at)
}

fn complete(world: &World, supply: QuotaId, some: Resources, at: &str) -> Result<Resources, Problem> {
    let gone = || Problem::new(Code::UnknownReference, "the supply is gone").at("/supply");
    let quota = world.engine.quota(supply).ok_or_else(gone)?;
    let root = world.engine.quota(quota.root).map_or(quota.guarantee, |root| root.guarantee);
    let models = world.engine.pool(quota.pool).map_or(&[][..], |pool| &pool.models);
    for (d, name) in [(Dimension::CPU, "cores"), (Dimension::MEMORY, "memory")] {
        let wrong = |detail: String| Err(Problem::new(Code::WrongDimensions, detail).at(at));
        match (root[d] > 0, some[d] > 0) {
            (true, false) => return wrong(format!("{} keeps books of {name}: say how much", quota.name)),
            (false, true) => {
                return wrong(format!("{} keeps no books of {name}: leave it out", quota.name));
            }
            _ => {}
        }
    }
    if some.stated().any(|(d, amount)| amount > quota.guarantee[d]) {
        let detail = format!(
            "{} has {} in all, this is {}",
            quota.name,
            amounts(&quota.guarantee, &some, models),
            amounts(&some, &some, models)
        );
        return Err(Problem::new(Code::BadAmount, detail).at(at));
    }
    Ok(some)
}

/// An amount as it would be asked for.
pub fn amount_of(world: &World, supply: QuotaId, of: &Resources) -> Guarantee {
    Guarantee::of(&world.engine, pool(world, supply), of)
}

/// Terms as they would be asked for.
pub fn written(
    world: &World,
    supply: QuotaId,
    terms: &Terms,
) -> (Option<wire::Reserved>, Option<wire::ByUsage>) {
    let amount = |of: &Resources| amount_of(world, supply, of);
    match terms {
        Terms::Reserved { size, when: When::Once { start, end } } => {
            let (start, end) = (Some(Time::of(*start)), Some(Time::of(*end)));
            (Some(wire::Reserved { size: amount(size), start, end, weekly: None }), None)
        }
        Terms::Reserved { size, when: When::Weekly { rule, .. } } => {
            let weekly = wire::Weekly {
                days: rule.days.names().map(str::to_string).collect(),
                from: rule.from.to_string(),
                to: rule.to.to_string(),
                time_zone: rule.zone.to_string(),
                first_day: rule.first.to_string(),
                last_day: rule.last.to_string(),
            };
            let reserved =
                wire::Reserved { size: amount(size), start: None, end: None, weekly: Some(weekly) };
            (Some(reserved), None)
        }
        Terms::ByUsage(by_usage) => {
            let has_minimum = by_usage.minimum != Resources::default();
            let by_usage = wire::ByUsage {
                threshold: Some(by_usage.threshold),
                wait: Some(Duration::of(by_usage.wait)),
                step: amount(&by_usage.step),
                minimum: has_minimum.then(|| amount(&by_usage.minimum)),
                maximum: amount(&by_usage.maximum),
                cool_down: Some(Duration::of(by_usage.cool_down)),
                until: by_usage.until.map(Time::of),
            };
            (None, Some(by_usage))
        }
    }
}

fn user(world: &World, id: MemberId) -> String {
    world.people.user_name(id).map_or_else(|| format!("u-{}", id.0), str::to_string)
}

/// Who asks for compute has to know what supplies are called: their names are no secret.
fn supply_name(world: &World, supply: QuotaId) -> String {
    use tidegate_engine::reason::Names;
    world.engine.quota_name(supply).into_owned()
}

/// A request as it is shown.
pub fn request(world: &World, request: &Versioned<record::ResourceRequest>) -> ResourceRequest {
    let Versioned { record, version } = request;
    let (reserved, by_usage) = written(world, record.supply, &record.terms);
    let decided = match &record.state {
        record::RequestState::Pending => None,
        record::RequestState::Approved { by, at, note, .. }
        | record::RequestState::Declined { by, at, note } => {
            Some((*by, *at, Some(note.to_string()).filter(|note| !note.is_empty())))
        }
        record::RequestState::Withdrawn { by, at } => Some((*by, *at, None)),
    };
    let state = match &record.state {
        record::RequestState::Pending => RequestState::Pending,
        record::RequestState::Approved { .. } => RequestState::Approved,
        record::RequestState::Declined { .. } => RequestState::Declined,
        record::RequestState::Withdrawn { .. } => RequestState::Withdrawn,
    };
    let config = match &record.state {
        record::RequestState::Approved { config, .. } => Some(config.to_string()),
        _ => None,
    };
    ResourceRequest {
        id: record.id.to_string(),
        state,
        workspace: world.room_name(record.workspace),
        by: user(world, record.by),
        made_at: Time::of(record.made),
        supply: supply_name(world, record.supply),
        reserved,
        by_usage,
        reason: record.reason.to_string(),
        lend: record.lend,
        cap: record.cap,
        config,
        decided_by: decided.as_ref().map(|(by, ..)| user(world, *by)),
        decided_at: decided.as_ref().map(|(_, at, _)| Time::of(*at)),
        note: decided.and_then(|(.., note)| note),
        version: version.to_string(),
    }
}

/// A config as it is shown.
pub fn config(world: &World, config: &Versioned<record::ResourceConfig>, now: Tick) -> ResourceConfig {
    let Versioned { record, version } = config;
    let (reserved, by_usage) = written(world, record.supply, &record.terms);
    let shown =
        |period: Period| wire::Period { start: Time::of(period.start), end: period.end.map(Time::of) };
    let (state, period, ended) = match record.stage(now) {
        Stage::Scheduled(period) => (ConfigState::Scheduled, Some(shown(period)), None),
        Stage::Active(period) => (ConfigState::Active, Some(shown(period)), None),
        Stage::Ended { since } => (ConfigState::Ended, None, Some(Time::of(since))),
    };
    let amounts =
        |of: &Resources| Amounts::of(&world.engine, pool(world, record.supply), of, &record.terms.most());
    let tasks = pools::tasks(world, record);
    ResourceConfig {
        id: record.id.to_string(),
        state,
        workspace: world.room_name(record.workspace),
        by: user(world, record.by),
        request: record.request.to_string(),
        created_at: Time::of(record.made),
        supply: supply_name(world, record.supply),
        reserved,
        by_usage,
        lend: record.lend,
        cap: record.cap,
        period,
        held: record.hold.map(|hold| Held {
            amount: amounts(&hold.amount),
            since: Time::of(hold.since),
            until: hold.until.map(Time::of),
        }),
        used: amounts(&pools::drawn(world, record)),
        utilisation: Figure(pools::utilisation(world, record, None).into()),
        running: tasks.running,
        waiting: tasks.waiting,
        ended_at: ended,
        version: version.to_string(),
    }
}
