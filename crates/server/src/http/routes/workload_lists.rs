//! Lists of workloads and of what happened to one: from memory, and from the store for what has left it.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::change::unavailable;
use super::super::extract::{Named, Params};
use super::super::problem::{Refused, of_store};
use super::super::scope::Scope;
use super::{page, workloads};
use crate::core::past;
use crate::core::rooms::merge;
use crate::core::world::World;
use crate::view;
use axum::extract::State;
use serde::Deserialize;
use std::cmp::Reverse;
use tidegate_api::event::EventList;
use tidegate_api::page::PageToken;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::words::Module;
use tidegate_api::workload::{Workload, WorkloadList, WorkloadState};
use tidegate_engine::ids::{Tick, WorkloadId, WorkspaceId};
use tidegate_engine::workload;
use tidegate_identity::may::{Sight, sight};
use tidegate_identity::{Action, People};
use tidegate_store::{PastQuery, Privacy};
use utoipa::IntoParams;

/// Which workloads are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WorkloadQuery {
    state: Option<WorkloadState>,
    quota: Option<String>,
    /// Only of this workspace; all that the caller sees if absent.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    workspace: Option<String>,
    module: Option<Module>,
    /// Only names that begin so.
    name: Option<String>,
    /// `key=value`.
    label: Option<String>,
    /// Also what has left memory; true if absent.
    past: Option<bool>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

impl WorkloadQuery {
    /// Those of the module task.
    pub fn tasks(
        state: Option<WorkloadState>,
        name: Option<String>,
        label: Option<String>,
        past: bool,
    ) -> WorkloadQuery {
        let module = Some(Module(tidegate_engine::words::Module::Task));
        WorkloadQuery { state, name, label, module, past: Some(past), ..WorkloadQuery::default() }
    }
}

/// A filter with its names looked up.
struct Filter<'a> {
    query: &'a WorkloadQuery,
    label: Option<(&'a str, &'a str)>,
}

impl Filter<'_> {
    fn passes(&self, world: &World, w: &workload::Workload) -> bool {
        let query = self.query;
        let document = world.documents.get(&w.id);
        query.state.is_none_or(|state| state == w.state.into())
            && query.module.is_none_or(|module| module == w.spec.module.into())
            && query.name.as_ref().is_none_or(|prefix| w.spec.name.starts_with(prefix.as_str()))
            && query.quota.as_ref().is_none_or(|quota| world.engine.quota_named(quota) == Some(w.spec.quota))
            && self.label.is_none_or(|(key, value)| {
                document.is_some_and(|d| d.labels.0.iter().any(|(k, v)| k.as_str() == key && v == value))
            })
    }

    fn past(&self, part: &Part, below: Option<u64>, limit: usize) -> PastQuery {
        let query = self.query;
        let own = |(key, value): (&str, &str)| (key.to_string(), value.to_string());
        PastQuery {
            name_prefix: query.name.clone(),
            workspace: part.workspace.clone(),
            privacy: part.privacy,
            quota: query.quota.clone(),
            module: query.module.map(|module| module.0.word().to_string()),
            state: query.state.map(|state| state.word().to_string()),
            labels: self.label.map(own).into_iter().collect(),
            below,
            ..PastQuery::all(limit)
        }
    }
}

/// List workloads, the latest first. What waits says why.
#[utoipa::path(get, path = "/api/v1/workloads", tag = "workloads", params(WorkloadQuery),
    responses((status = 200, body = WorkloadList), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    scope: Scope,
    Params(query): Params<WorkloadQuery>,
) -> Answered<WorkloadList> {
    scope.caller.good_for(Action::WorkloadRead)?;
    let page = page(query.limit, query.page_token.as_deref())?;
    let below = (page.from > 0).then_some(page.from);
    let mut items = collect(&app, &scope, &query, below, page.limit + 1).await?;
    let more = items.len() > page.limit;
    items.truncate(page.limit);
    let last = items.last().map(|(id, _)| *id).filter(|_| more);
    let next_page_token = last.map(|id| PageToken::of(&id.to_string()));
    let items = items.into_iter().map(|(_, workload)| app.shown(workload)).collect();
    Ok(Answer::new(WorkloadList { items, next_page_token }))
}

/// What passes and is seen, the latest first, with numbers below `below`; at most `limit`.
pub async fn collect(
    app: &App,
    scope: &Scope,
    query: &WorkloadQuery,
    below: Option<u64>,
    limit: usize,
) -> Result<Vec<(u64, Workload)>, Refused> {
    let label = query.label.as_deref().map(|label| {
        label.split_once('=').ok_or_else(|| {
            Problem::new(Code::BadParameter, format!("label {label:?} is not written as key=value"))
        })
    });
    let filter = Filter { query, label: label.transpose()? };
    let from_store = query.past.unwrap_or(true) && query.state.is_none_or(WorkloadState::is_ended);
    let live = app.control.read(|world, now| live(world, now, scope, &filter, below, limit));
    let mut items = live.await.map_err(unavailable)?;
    // In this order: who leaves memory between the two looks is in both, and not in neither.
    let gone = match from_store {
        true => past_page(app, scope, &filter, below, limit).await?,
        false => Vec::new(),
    };
    let known = |id: u64| items.iter().any(|(live, _)| *live == id);
    let gone: Vec<(u64, Workload)> = gone.into_iter().filter(|(id, _)| !known(*id)).collect();
    items.extend(gone);
    items.sort_by_key(|(id, _)| Reverse(*id));
    items.truncate(limit);
    Ok(items)
}

/// A part of what has left memory, as the store finds it by an index.
struct Part {
    workspace: Option<String>,
    privacy: Privacy,
}

/// The parts in which all lies that the caller sees. What it does not see of them is little: it lies in workspaces that
/// were called alike.
fn parts(scope: &Scope, people: &People) -> Vec<Part> {
    let Some(rooms) = scope.rooms(people) else {
        return vec![Part { workspace: None, privacy: Privacy::Any }];
    };
    let user = scope.caller.who.user;
    let of_room = |name: String| {
        let sight = match people.workspace_named(&name) {
            Some(room) => sight(people, user, room.id),
            None if scope.caller.sees_all(people) => Sight::All,
            None => Sight::Nothing,
        };
        let kinds = match sight {
            Sight::Nothing => vec![],
            Sight::Public => vec![Privacy::Public, Privacy::PrivateOf(u64::from(user.0))],
            Sight::All => vec![Privacy::Public, Privacy::Private],
        };
        kinds.into_iter().map(move |privacy| Part { workspace: Some(name.clone()), privacy })
    };
    rooms.into_iter().flat_map(of_room).collect()
}

/// Those that have left memory and are seen, the latest first.
async fn past_page(
    app: &App,
    scope: &Scope,
    filter: &Filter<'_>,
    below: Option<u64>,
    limit: usize,
) -> Result<Vec<(u64, Workload)>, Refused> {
    let people = app.control.people();
    let mut found: Vec<(u64, Workload)> = Vec::new();
    for part in parts(scope, &people) {
        let (mut below, mut wanted) = (below, limit);
        loop {
            let query = filter.past(&part, below, limit);
            let rows = app.with_reader(move |reader| reader.past(&query)).await;
            let rows = rows.map_err(|error| Refused(of_store(&error)))?;
            let all = rows.iter().filter_map(|row| Some((row.id, past::remains(row)?)));
            let seen = all.filter(|(_, past)| scope.sees_past(&people, past)).take(wanted);
            let before = found.len();
            found.extend(seen.map(|(id, past)| (id, past.resource)));
            wanted -= found.len() - before;
            below = rows.last().map(|row| row.id);
            if rows.len() < limit || wanted == 0 {
                break;
            }
        }
    }
    found.sort_by_key(|(id, _)| Reverse(*id));
    found.truncate(limit);
    Ok(found)
}

/// What the caller sees of what is in memory, the latest first.
fn seen<'a>(world: &'a World, scope: &Scope, end: WorkloadId) -> Box<dyn Iterator<Item = WorkloadId> + 'a> {
    let (people, user) = (&world.people, scope.caller.who.user);
    let named = scope.workspace.as_ref().map(|name| people.workspace_named(name).map(|room| room.id));
    let rooms: Vec<WorkspaceId> = match named {
        Some(room) => room.into_iter().collect(),
        None if scope.caller.sees_all(people) => {
            return Box::new(world.shell.workloads.range(..end).rev().map(|(id, _)| *id));
        }
        None => people.rooms(user).collect(),
    };
    let nothing: Box<dyn Iterator<Item = WorkloadId>> = Box::new(std::iter::empty());
    rooms.into_iter().fold(nothing, |others, room| match sight(people, user, room) {
        Sight::Nothing => others,
        Sight::Public => Box::new(merge(others, world.rooms.seen_by(room, user, end))),
        Sight::All => Box::new(merge(others, world.rooms.all(room, end))),
    })
}

fn live(
    world: &World,
    now: Tick,
    scope: &Scope,
    filter: &Filter<'_>,
    below: Option<u64>,
    limit: usize,
) -> Vec<(u64, Workload)> {
    let end = below.map_or(WorkloadId(u32::MAX), |id| WorkloadId(u32::try_from(id).unwrap_or(u32::MAX)));
    let passing = seen(world, scope, end)
        .filter(|id| world.engine.workload(*id).is_some_and(|w| filter.passes(world, w)));
    passing.take(limit).filter_map(|id| Some((u64::from(id.0), view::workload(world, id, now)?))).collect()
}

/// Which part of a workload's events is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventQuery {
    /// The workload's workspace, where the caller has several.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    workspace: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    /// What the page before has answered.
    page_token: Option<String>,
}

/// What happened to a workload, oldest first.
#[utoipa::path(get, path = "/api/v1/workloads/{name}/events", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), EventQuery),
    responses((status = 200, body = EventList), (status = "default", body = Problem)))]
pub async fn events(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    Params(params): Params<EventQuery>,
) -> Answered<EventList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let live = app.control.read(|world, _| match scope.find(world, Action::WorkloadRead, &name) {
        Ok(id) => Ok(world.shell.workloads.get(&id).map(|record| record.events.to_vec())),
        Err(problem) if problem.code == Code::NotFound => Ok(None),
        Err(problem) => Err(problem),
    });
    let (numbers, gone) = match read(live.await)? {
        Some(numbers) => (numbers, None),
        None => {
            scope.caller.good_for(Action::WorkloadRead)?;
            let past = workloads::past_one(&app, &scope, &name).await?;
            (past.events, Some(past.resource))
        }
    };
    let (numbers, next_page_token) = page.cut(numbers.into_iter());
    let stored = app.with_reader(move |reader| past::events(reader, &numbers)).await;
    let stored = stored.map_err(|error| Refused(of_store(&error)))?;
    let lines = app.control.read(|world, _| past::lines(world, &stored, gone.as_ref()));
    let items = lines.await.map_err(unavailable)?;
    Ok(Answer::new(EventList { items, next_page_token }))
}
