//! What a supply has, and whom it belongs to: people do not change by hand what was agreed on.

use crate::core::world::World;
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::dedicated::{ConfigId, ResourceConfig, Terms};
use tidegate_billing::record::ComputeKind;
use tidegate_engine::amounts::amounts;
use tidegate_engine::ids::{QuotaId, Span, Tick};
use tidegate_engine::resources::Resources;

/// Configs that an error names; further ones are counted.
const NAMED: usize = 10;

/// Whether a quota is a supply of dedicated compute.
pub fn is_supply(world: &World, quota: QuotaId) -> bool {
    world.business.compute(quota).is_some_and(|compute| compute.kind == ComputeKind::Dedicated)
}

/// The supply that somebody means, or the only one.
pub fn find(world: &World, named: Option<&Name>) -> Result<QuotaId, Problem> {
    let known = || world.business.supplies().filter(|id| world.engine.quota(*id).is_some());
    let name = |id: QuotaId| world.engine.quota(id).map_or("", |quota| &quota.name);
    let names = || known().map(name).collect::<Vec<_>>().join(", ");
    if known().next().is_none() {
        return Err(Problem::new(Code::NoDedicatedCompute, "no quota is marked as dedicated"));
    }
    match named {
        Some(named) => known().find(|id| *name(*id) == *named.as_str()).ok_or_else(|| {
            let detail = format!("there is no dedicated quota {named}; there are: {}", names());
            Problem::new(Code::UnknownReference, detail).at("/supply")
        }),
        None => {
            let mut all = known();
            let first = all.next();
            first.filter(|_| all.next().is_none()).ok_or_else(|| {
                let detail = format!("there are several dedicated quotas: {}", names());
                Problem::new(Code::Invalid, detail).hint("name the one that it is taken from").at("/supply")
            })
        }
    }
}

/// Configs of a supply that are not over.
pub fn configs(world: &World, supply: QuotaId) -> impl Iterator<Item = &ResourceConfig> {
    let all = world.business.configs().map(|config| &config.record);
    all.filter(move |config| config.supply == supply && config.ended.is_none())
}

/// What nobody has of a supply at present.
pub fn share(world: &World, supply: QuotaId) -> Resources {
    let Some(quota) = world.engine.quota(supply) else { return Resources::default() };
    let children = quota.children.iter().filter_map(|child| world.engine.quota(*child));
    children.fold(quota.guarantee, |left, child| left.minus(&child.guarantee))
}

/// Whether every amount is within another.
pub fn covers(all: &Resources, part: &Resources) -> bool {
    part.stated().all(|(d, amount)| amount <= all[d])
}

/// What compute by usage may take now: what is left, less what is booked for as long as it keeps what it takes.
pub fn free(world: &World, config: &ResourceConfig, now: Tick) -> Resources {
    let Terms::ByUsage(by_usage) = &config.terms else { return Resources::default() };
    let supply = config.supply;
    let Some(quota) = world.engine.quota(supply) else { return Resources::default() };
    let booked = world.business.booked(supply, now, now.after(by_usage.cool_down));
    let mut free = quota.guarantee.minus(&booked);
    for config in configs(world, supply) {
        // The minimum of each is booked.
        if let (Terms::ByUsage(by_usage), Some(hold)) = (&config.terms, config.hold) {
            let more = hold.amount.minus(&by_usage.minimum);
            more.0.iter().zip(&mut free.0).for_each(|(more, free)| *free -= (*more).max(0));
        }
    }
    let share = share(world, supply);
    free.0.iter_mut().zip(share.0).for_each(|(free, share)| *free = (*free).min(share).max(0));
    free
}

/// Whether something may be booked; if not, the error says when it could be.
pub fn has_room(
    world: &World,
    supply: QuotaId,
    asked: &Resources,
    (from, to): (Tick, Tick),
) -> Result<(), Problem> {
    let gone = || Problem::new(Code::UnknownReference, "the supply is gone");
    let quota = world.engine.quota(supply).ok_or_else(gone)?;
    let most = world.business.booked(supply, from, to);
    let free = quota.guarantee.minus(&most);
    if covers(&free, asked) {
        return Ok(());
    }
    let models = world.engine.pool(quota.pool).map_or(&[][..], |pool| &pool.models);
    let words = |of: &Resources| amounts(of, asked, models);
    let until = match to {
        Tick(u64::MAX) => "on".into(),
        to => format!("to {}", Time::of(to)),
    };
    let mut shown = free;
    shown.0.iter_mut().for_each(|amount| *amount = (*amount).max(0));
    let detail = format!(
        "{} has {}, of which {} are free from {} {until}, and {} are asked for",
        quota.name,
        words(&quota.guarantee),
        words(&shown),
        Time::of(from),
        words(asked),
    );
    let earliest = world.business.earliest(supply, from, Span(to.0 - from.0), asked, &quota.guarantee);
    Err(match earliest.filter(|_| to != Tick(u64::MAX)) {
        Some(earliest) => {
            let fits = format!("{detail}; the earliest time that fits begins at {}", Time::of(earliest));
            Problem::new(Code::SupplyBooked, fits)
        }
        None => Problem::new(Code::SupplyBooked, detail).hint("ask for less, or have the supply scaled up"),
    })
}

/// Whether a quota may have this guarantee: what is booked of it stays.
pub fn may_have(world: &World, quota: QuotaId, guarantee: &Resources, now: Tick) -> Result<(), Problem> {
    if !is_supply(world, quota) {
        return Ok(());
    }
    let Some(over) = world.business.first_over(quota, now, guarantee) else { return Ok(()) };
    let at = |config: &&ResourceConfig| config.bookings().any(|(from, to)| from <= over && over < to);
    let ids: Vec<String> = configs(world, quota).filter(at).map(|config| config.id.to_string()).collect();
    let (name, pool) =
        world.engine.quota(quota).map_or(("it", None), |quota| (&*quota.name, Some(quota.pool)));
    let models = pool.and_then(|pool| world.engine.pool(pool)).map_or(&[][..], |pool| &pool.models);
    let booked = world.business.booked(quota, over, Tick(over.0.saturating_add(1)));
    let detail = format!(
        "of {name}, {} are booked at {}, for {}",
        amounts(&booked, &booked, models),
        Time::of(over),
        listed(&ids)
    );
    Err(Problem::new(Code::SupplyBooked, detail).hint("release one of them first"))
}

fn listed(ids: &[String]) -> String {
    match ids.len().checked_sub(NAMED) {
        None | Some(0) => ids.join(", "),
        Some(more) => format!("{} and {more} others", ids[..NAMED].join(", ")),
    }
}

fn refused(detail: String) -> Problem {
    Problem::new(Code::DedicatedQuota, detail)
}

/// Whether people may change a quota by hand: those of configs follow what was agreed.
pub fn by_hand(world: &World, quota: QuotaId) -> Result<(), Problem> {
    match world.business.config_of(quota) {
        None => Ok(()),
        Some(config) => {
            let id = config.record.id;
            let hint =
                format!("`tidegate resource-config set {id}`, `extend {id}` and `release {id}` change it");
            Err(refused(format!("{id} is the quota of a resource config, and follows what was agreed"))
                .hint(hint))
        }
    }
}

/// Whether people may make a quota of this name below another.
pub fn may_create(world: &World, name: &str, parent: Option<&Name>) -> Result<(), Problem> {
    if ConfigId::is_name(name) {
        let detail = format!("names such as {name} are those of resource configs");
        return Err(Problem::new(Code::Invalid, detail).hint("choose another name").at("/metadata/name"));
    }
    let parent = parent.and_then(|parent| world.engine.quota_named(parent));
    match parent.filter(|parent| is_supply(world, *parent) || world.business.config_of(*parent).is_some()) {
        None => Ok(()),
        Some(parent) => {
            let name = world.engine.quota(parent).map_or("it", |quota| &quota.name);
            Err(refused(format!("{name} is for dedicated compute: only resource configs are below it"))
                .at("/spec/parent"))
        }
    }
}

/// Whether a quota may be marked as something else than it is.
pub fn may_mark(world: &World, quota: QuotaId, kind: Option<ComputeKind>) -> Result<(), Problem> {
    let present = world.business.compute(quota).map(|compute| compute.kind);
    let (Some(q), true) = (world.engine.quota(quota), present != kind) else { return Ok(()) };
    let name = &q.name;
    if present == Some(ComputeKind::Dedicated) {
        let ids: Vec<String> = configs(world, quota).map(|config| config.id.to_string()).collect();
        if !ids.is_empty() {
            let detail = format!("{} are taken from {name}", listed(&ids));
            return Err(refused(detail).hint("release them first").at("/spec/dedicated"));
        }
    }
    if kind == Some(ComputeKind::Dedicated) && (!q.children.is_empty() || q.live > 0) {
        let detail = match q.children.is_empty() {
            true => {
                format!("{} workloads of {name} have not ended, and a dedicated quota runs no work", q.live)
            }
            false => format!("{name} has children, and only resource configs are below a dedicated quota"),
        };
        return Err(refused(detail).at("/spec/dedicated"));
    }
    Ok(())
}

/// Whether work may be submitted to a quota by name.
pub fn may_run(world: &World, quota: QuotaId) -> Result<(), Problem> {
    let name = || world.engine.quota(quota).map_or("it", |quota| &quota.name);
    if is_supply(world, quota) {
        let detail = format!("{} is dedicated: it runs no work itself", name());
        let hint = "`tidegate resource-config request` asks for a part of it; name another quota for work";
        return Err(refused(detail).hint(hint).at("/spec/quota"));
    }
    if let Some(config) = world.business.config_of(quota) {
        let id = config.record.id;
        let hint = format!("tasks name it: `tidegate task submit TEMPLATE --config {id}`");
        return Err(refused(format!("{id} is a resource config: it runs tasks alone"))
            .hint(hint)
            .at("/spec/quota"));
    }
    Ok(())
}
