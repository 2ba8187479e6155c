//! What somebody may know of what was used, and how it is written.

use super::app::App;
use super::auth::Caller;
use super::change::unavailable;
use super::problem::Refused;
use super::routes::workspaces;
use super::sight::{self, Detail};
use crate::core::world::World;
use crate::dedicated::clockwork::settled;
use crate::meter::{Behind, Kind, Meter, Places, Use};
use tidegate_api::duration::Duration;
use tidegate_api::limits::MAX_PARTS;
use tidegate_api::metering::UsageRecord;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_billing::charge::Quantity;
use tidegate_billing::dedicated::ConfigId;
use tidegate_billing::price::{Mode, Resource as Held};
use tidegate_engine::ids::{MemberId, QuotaId, Tick, WorkspaceId};
use tidegate_engine::reason::Names;
use tidegate_engine::words::{Class, Module};
use tidegate_identity::{Action, People, Resource};

/// Which use is meant, as it was asked for.
#[derive(Clone, Debug, Default)]
pub struct UsageFilter {
    pub from: Option<String>,
    pub to: Option<String>,
    pub workspace: Option<String>,
    pub user: Option<String>,
    pub quota: Option<String>,
    pub config: Option<String>,
    pub mode: Option<String>,
    pub resource: Option<String>,
    pub class: Option<String>,
    pub module: Option<String>,
}

/// Parameters of a route: which use is meant, and what else it wants to know.
macro_rules! usage_query {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, serde::Deserialize, utoipa::IntoParams)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[into_params(parameter_in = Query)]
        pub struct $name {
            $($(#[$doc])* $field: $type,)*
            /// From this time on; from the beginning of the month (UTC) if absent.
            from: Option<String>,
            /// Before this time; up to now if absent.
            to: Option<String>,
            /// Only of this workspace.
            workspace: Option<String>,
            /// Only of this user.
            user: Option<String>,
            /// Only of work in this quota.
            quota: Option<String>,
            /// Only of this dedicated compute, such as rc-7: its capacity, and work there.
            config: Option<String>,
            /// Only of this mode: shared, reserved, byUsage or quota.
            mode: Option<String>,
            /// Only of this resource: gpu:MODEL, cpu or memory.
            resource: Option<String>,
            /// Only of this class: firm, loan or idle.
            class: Option<String>,
            /// Only of work of this module.
            module: Option<String>,
        }

        impl $name {
            fn filter(&self) -> $crate::http::accounting::UsageFilter {
                $crate::http::accounting::UsageFilter {
                    from: self.from.clone(),
                    to: self.to.clone(),
                    workspace: self.workspace.clone(),
                    user: self.user.clone(),
                    quota: self.quota.clone(),
                    config: self.config.clone(),
                    mode: self.mode.clone(),
                    resource: self.resource.clone(),
                    class: self.class.clone(),
                    module: self.module.clone(),
                }
            }
        }
    };
}

pub(crate) use usage_query;

/// The same, looked up; with what the caller may see.
#[derive(Clone, Debug)]
pub struct Selection {
    pub from: Tick,
    pub to: Tick,
    /// Workspaces of which everybody's use is seen; `None`: all that there are and were.
    rooms: Option<Vec<WorkspaceId>>,
    me: MemberId,
    pub workspace: Option<WorkspaceId>,
    pub user: Option<MemberId>,
    pub quotas: Option<Vec<QuotaId>>,
    pub config: Option<ConfigId>,
    mode: Option<Mode>,
    resource: Option<Held>,
    class: Option<Class>,
    module: Option<Module>,
}

fn wrong(name: &str, why: impl std::fmt::Display) -> Problem {
    Problem::new(Code::BadParameter, format!("{name}: {why}"))
}

/// One of some words.
fn word<T>(
    name: &str,
    given: &Option<String>,
    parse: impl Fn(&str) -> Option<T>,
    known: &str,
) -> Result<Option<T>, Problem> {
    let read = |text: &String| parse(text).ok_or_else(|| wrong(name, format!("{text:?} is not {known}")));
    given.as_ref().map(read).transpose()
}

impl UsageFilter {
    fn period(&self, now: Tick) -> Result<(Tick, Tick), Problem> {
        let time = |text: &Option<String>, name: &str| {
            text.as_deref().map(str::parse::<Time>).transpose().map_err(|why| wrong(name, why))
        };
        let to = time(&self.to, "to")?.unwrap_or(Time::of(now));
        let from = time(&self.from, "from")?.unwrap_or_else(|| to.beginning_of_month());
        match from < to {
            true => Ok((from.tick(), to.tick())),
            false => {
                Err(wrong("from", format!("{from} is not before {to}")).hint("a period ends after it begins"))
            }
        }
    }

    /// What of it the caller may see.
    pub fn select(
        &self,
        world: &World,
        places: &Places,
        caller: &Caller,
        now: Tick,
    ) -> Result<Selection, Problem> {
        let people = &world.people;
        if caller.who.scope.is_some_and(|scope| !scope.contains(Action::UsageRead)) {
            return Err(Problem::new(Code::Denied, "this token is not good for usage:read"));
        }
        let (from, to) = self.period(now)?;
        let workspace = match &self.workspace {
            None => None,
            Some(name) => Some(workspaces::find(people, caller, Action::WorkspaceRead, name)?.id),
        };
        let reads = |room: &WorkspaceId| caller.may(people, Action::UsageRead, Resource::Workspace(*room));
        let rooms = match caller.sees_all(people) {
            true => None,
            false => Some(people.rooms(caller.who.user).filter(reads).collect::<Vec<_>>()),
        };
        let user = match &self.user {
            None => None,
            Some(name) => Some(member(people, caller, rooms.as_deref(), name)?),
        };
        let quotas = match &self.quota {
            None => None,
            Some(name) => {
                let seen =
                    |id: &QuotaId| rooms.is_none() || sight::of_quota(world, caller, *id) == Detail::All;
                let ids: Vec<QuotaId> = places.quotas_named(name).filter(seen).collect();
                Some(ids).filter(|ids| !ids.is_empty()).ok_or_else(|| sight::missing(name)).map(Some)?
            }
        };
        let config = match &self.config {
            None => None,
            Some(id) => Some(config(world, caller, id)?),
        };
        Ok(Selection {
            from,
            to,
            rooms,
            me: caller.who.user,
            workspace,
            user,
            quotas,
            config,
            mode: word("mode", &self.mode, Mode::parse, "shared, reserved, byUsage or quota")?,
            resource: word("resource", &self.resource, Held::parse, "gpu:MODEL, cpu or memory")?,
            class: word("class", &self.class, Class::parse, "firm, loan or idle")?,
            module: word("module", &self.module, Module::parse, "training, notebook, service or task")?,
        })
    }
}

/// A user whose use the caller may see.
fn member(
    people: &People,
    caller: &Caller,
    rooms: Option<&[WorkspaceId]>,
    name: &str,
) -> Result<MemberId, Problem> {
    let seen = |id: &MemberId| match rooms {
        None => true,
        Some(rooms) => *id == caller.who.user || rooms.iter().any(|room| people.member(*room, *id).is_some()),
    };
    let found = people.user_named(name).map(|user| user.id).filter(seen);
    found
        .ok_or_else(|| Problem::new(Code::NotFound, format!("there is no user {name} whose use you may see")))
}

/// A config of a workspace that the caller sees.
fn config(world: &World, caller: &Caller, id: &str) -> Result<ConfigId, Problem> {
    let seen = |room| caller.may(&world.people, Action::WorkspaceRead, Resource::Workspace(room));
    let found = ConfigId::parse(id).and_then(|id| world.business.config(id));
    let found = found.filter(|config| seen(config.record.workspace)).map(|config| config.record.id);
    found.ok_or_else(|| Problem::new(Code::NotFound, format!("there is no resource config {id}")))
}

fn is<T: PartialEq>(wanted: &Option<T>, found: &T) -> bool {
    wanted.as_ref().is_none_or(|wanted| wanted == found)
}

impl Selection {
    pub fn picks(&self, kind: &Kind) -> bool {
        self.sees(kind.workspace, kind.user)
            && self.quotas.as_ref().is_none_or(|ids| ids.contains(&kind.borrower))
            && is(&self.mode, &kind.mode)
            && is(&self.resource, &kind.resource)
            && is(&self.class, &kind.class)
            && self.config.is_none_or(|config| kind.config == Some(config))
            && self.module.is_none_or(|module| kind.module == Some(module))
    }

    /// Corrections have neither module nor rule.
    pub fn picks_correction(&self, world: &World, correction: &tidegate_billing::record::Correction) -> bool {
        (self.from <= correction.at && correction.at < self.to)
            && self.sees(correction.workspace, correction.user)
            && self.quotas.as_ref().is_none_or(|ids| ids.contains(&correction.account))
            && is(&self.mode, &correction.mode)
            && is(&self.resource, &correction.resource)
            && is(&self.class, &correction.class)
            && self.config.is_none_or(|config| config_of(world, correction.account) == Some(config))
            && self.module.is_none()
    }

    fn sees(&self, workspace: WorkspaceId, user: MemberId) -> bool {
        let seen = self.rooms.as_ref().is_none_or(|rooms| user == self.me || rooms.contains(&workspace));
        seen && is(&self.workspace, &workspace) && is(&self.user, &user)
    }
}

impl App {
    /// What is meant, and what of it the caller may see.
    pub async fn selected(&self, filter: UsageFilter, caller: &Caller) -> Result<Selection, Refused> {
        settled(&self.control).await.map_err(unavailable)?;
        let places = self.meter.places();
        let selected = self.control.read(|world, now| filter.select(world, &places, caller, now));
        Ok(selected.await.map_err(unavailable)??)
    }

    /// Asks the meter, on a thread that may wait for the disk.
    pub async fn metered<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Meter) -> Result<R, Behind> + Send + 'static,
    ) -> Result<R, Refused> {
        let meter = self.meter.clone();
        let done = tokio::task::spawn_blocking(move || work(&meter)).await;
        let done = done.expect("the meter does not panic, and is not cancelled");
        done.map_err(|why| {
            Refused(Problem::new(Code::StoreFailing, format!("use cannot be told at present: {why}")))
        })
    }
}

/// What a period is cut into: parts of one length, and a rest.
pub fn cut(from: Tick, to: Tick, step: Option<&str>) -> Result<Vec<Tick>, Problem> {
    let Some(step) = step else { return Ok(vec![from, to]) };
    let length = step.parse::<Duration>().map_err(|why| wrong("step", why))?.span().0;
    let parts = (to.0 - from.0).div_ceil(length.max(1));
    if length == 0 || parts > MAX_PARTS {
        let detail = format!("{step} cuts the period into {parts} parts; at most {MAX_PARTS} are possible");
        return Err(wrong("step", detail));
    }
    let starts = (0..parts).map(|part| Tick(from.0 + part * length));
    Ok(starts.chain([to]).collect())
}

/// Whether comma-separated values are wanted, not JSON.
pub fn as_csv(format: Option<&str>) -> Result<bool, Problem> {
    match format {
        None | Some("json") => Ok(false),
        Some("csv") => Ok(true),
        Some(other) => Err(wrong("format", format!("{other:?} is not json or csv"))),
    }
}

/// An error if something of the period is not kept any more: a sum that lacks it would be wrong.
pub fn is_kept(from: Tick, kept_from: Tick) -> Result<(), Problem> {
    match from < kept_from {
        true => {
            let (from, kept) = (Time::of(from), Time::of(kept_from));
            let detail = format!("the period begins at {from}, and use is kept from {kept} on");
            Err(Problem::new(Code::Expired, detail)
                .hint("ask for a later period; retain-usage says how long use is kept"))
        }
        false => Ok(()),
    }
}

/// Hours of GPUs, cores or GiB, to a millionth: for people.
pub fn hours(quantity: Quantity, resource: &Held) -> f64 {
    let parts = resource.unit() * 3_600;
    // Millionths of an hour of one of what is priced.
    let millionths = quantity.0.saturating_mul(1_000) / parts;
    millionths as f64 / 1e6
}

pub fn workspace_name(people: &People, id: WorkspaceId) -> String {
    people.workspace(id).map_or_else(|| format!("ws-{}", id.0), |room| room.name.to_string())
}

pub fn user_name(people: &People, id: MemberId) -> String {
    people.user(id).map_or_else(|| format!("u-{}", id.0), |user| user.name.to_string())
}

/// The config whose quota this is, or was.
pub fn config_of(world: &World, quota: QuotaId) -> Option<ConfigId> {
    world.business.config_of(quota).map(|config| config.record.id)
}

/// The template of a task, with its version, while the task is remembered.
fn template(world: &World, one: &Use) -> Option<String> {
    let task = world.documents.get(&one.workload?)?.spec.task.as_ref()?;
    Some(format!("{}@{}", task.template, task.version))
}

/// A record as it is written; names of quotas may be under seal.
pub fn record(world: &World, number: Option<u64>, one: &Use) -> UsageRecord {
    let kind = &one.kind;
    let quantity = Quantity::of(one.amount, one.to.since(one.from));
    UsageRecord {
        id: number.map(|number| format!("ur-{number}")),
        kind: kind.word().into(),
        workload: one.workload.map(|_| one.name.to_string()),
        workload_id: one.workload.map(uid::workload),
        template: template(world, one),
        workspace: workspace_name(&world.people, kind.workspace),
        user: user_name(&world.people, kind.user),
        quota: world.quota_name(kind.borrower).into_owned(),
        lender: (kind.account != kind.borrower).then(|| world.quota_name(kind.account).into_owned()),
        config: kind.config.map(|id| id.to_string()),
        mode: kind.mode.word().into(),
        module: kind.module.map(|module| module.word().into()),
        priority: one.workload.map(|_| one.priority.get()),
        resource: kind.resource.to_string(),
        class: kind.class.word().into(),
        rule: kind.rule.word().into(),
        amount: one.amount as f64 / kind.resource.unit() as f64,
        from: Time::of(one.from),
        to: Time::of(one.to),
        hours: hours(quantity, &kind.resource),
        quantity: quantity.0.to_string(),
        open: number.is_none(),
        event: one.key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_engine::ids::Span;

    #[test]
    fn a_period_is_cut_into_parts_of_one_length_and_a_rest() {
        let cut = |to, step: &str| {
            cut(Tick(0), Tick(to), Some(step)).map(|cuts| cuts.iter().map(|at| at.0).collect::<Vec<_>>())
        };
        assert_eq!(cut(2_500, "1s").expect("parts"), [0, 1_000, 2_000, 2_500]);
        assert_eq!(cut(2_000, "1s").expect("parts"), [0, 1_000, 2_000]);
        for wrong in ["0s", "1ms", "soon"] {
            assert!(cut(10_000_000_000, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hours_are_what_people_expect() {
        let gpu = Held::Gpu("H100".into());
        assert_eq!(hours(Quantity::of(8_000, Span::minutes(90)), &gpu), 12.0);
        assert_eq!(hours(Quantity::of(-500, Span::hours(1)), &gpu), -0.5);
        assert_eq!(hours(Quantity::of(3 << 30, Span::hours(2)), &Held::Memory), 6.0);
    }
}
