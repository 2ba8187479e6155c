//! Lists of workloads and of what happened to one: from memory, and from the store for what has left it.

use super::super::answer::{Answer, Answered};
use super::super::app::App;
use super::super::change::unavailable;
use super::super::extract::{Named, Params};
use super::super::problem::{Refused, of_store};
use super::{PageParams, page, workloads};
use crate::core::past;
use crate::core::world::World;
use crate::view;
use axum::extract::State;
use serde::Deserialize;
use std::cmp::Reverse;
use tidegate_api::event::EventList;
use tidegate_api::page::PageToken;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::uid;
use tidegate_api::words::Module;
use tidegate_api::workload::{Workload, WorkloadList, WorkloadState};
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::workload;
use tidegate_store::PastQuery;
use utoipa::IntoParams;

/// Which workloads are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WorkloadQuery {
    state: Option<WorkloadState>,
    quota: Option<String>,
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
            && query.workspace.as_ref().is_none_or(|name| name == tidegate_api::convert::DEFAULT_WORKSPACE)
            && self.label.is_none_or(|(key, value)| {
                document.is_some_and(|d| d.labels.0.iter().any(|(k, v)| k.as_str() == key && v == value))
            })
    }

    fn past(&self, below: Option<u64>, limit: usize) -> PastQuery {
        let query = self.query;
        let own = |(key, value): (&str, &str)| (key.to_string(), value.to_string());
        PastQuery {
            name_prefix: query.name.clone(),
            workspace: query.workspace.clone(),
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
pub async fn list(State(app): State<App>, Params(query): Params<WorkloadQuery>) -> Answered<WorkloadList> {
    let page = page(query.limit, query.page_token.as_deref())?;
    let below = (page.from > 0).then_some(page.from);
    let label = query.label.as_deref().map(|label| {
        label.split_once('=').ok_or_else(|| {
            Problem::new(Code::BadParameter, format!("label {label:?} is not written as key=value"))
        })
    });
    let filter = Filter { query: &query, label: label.transpose()? };
    let from_store = query.past.unwrap_or(true) && query.state.is_none_or(WorkloadState::is_ended);
    let gone = if from_store {
        let wanted = filter.past(below, page.limit + 1);
        let rows = app.with_reader(move |reader| reader.past(&wanted)).await;
        rows.map_err(|error| Refused(of_store(&error)))?
    } else {
        Vec::new()
    };
    let live = app.control.read(|world, now| live(world, now, &filter, below, page.limit + 1));
    let mut items = live.await.map_err(unavailable)?;
    // Who has left memory between the two looks is in both.
    let known = |id: u64| items.iter().any(|(live, _)| *live == id);
    let gone: Vec<(u64, Workload)> = gone
        .iter()
        .filter(|row| !known(row.id))
        .filter_map(|row| Some((row.id, past::remains(row)?.resource)))
        .collect();
    items.extend(gone);
    items.sort_by_key(|(id, _)| Reverse(*id));
    let more = items.len() > page.limit;
    items.truncate(page.limit);
    let last = items.last().map(|(id, _)| *id).filter(|_| more);
    let next_page_token = last.map(|id| PageToken::of(&id.to_string()));
    let items = items.into_iter().map(|(_, workload)| app.shown(workload)).collect();
    Ok(Answer::new(WorkloadList { items, next_page_token }))
}

fn live(
    world: &World,
    now: Tick,
    filter: &Filter<'_>,
    below: Option<u64>,
    limit: usize,
) -> Vec<(u64, Workload)> {
    let end = below.map_or(WorkloadId(u32::MAX), |id| WorkloadId(u32::try_from(id).unwrap_or(u32::MAX)));
    let ids = world.shell.workloads.range(..end).rev().map(|(id, _)| *id);
    let passing = ids.filter(|id| world.engine.workload(*id).is_some_and(|w| filter.passes(world, w)));
    passing
        .take(limit)
        .filter_map(|id| Some((u64::from(id.0), view::workload(world, &world.engine, id, now)?)))
        .collect()
}

/// What happened to a workload, oldest first.
#[utoipa::path(get, path = "/api/v1/workloads/{name}/events", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), PageParams),
    responses((status = 200, body = EventList), (status = "default", body = Problem)))]
pub async fn events(
    State(app): State<App>,
    Named(name): Named,
    Params(params): Params<PageParams>,
) -> Answered<EventList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let live = app.control.read(|world, _| {
        let id = workloads::find(world, &name).ok()?;
        world.shell.workloads.get(&id).map(|record| record.events.to_vec())
    });
    let (numbers, gone) = match live.await.map_err(unavailable)? {
        Some(numbers) => (numbers, None),
        None => {
            let past = workloads::past_one(&app, &name).await?;
            (past.events, Some(past.resource.metadata))
        }
    };
    let (numbers, next_page_token) = page.cut(numbers.into_iter());
    let stored = app.with_reader(move |reader| past::events(reader, &numbers)).await;
    let stored = stored.map_err(|error| Refused(of_store(&error)))?;
    let gone = gone.as_ref().and_then(|of| Some((uid::as_workload(&of.uid)?, of.name.as_str())));
    let lines = app.control.read(|world, _| past::lines(world, &world.engine, &stored, gone));
    let items = lines.await.map_err(unavailable)?;
    Ok(Answer::new(EventList { items, next_page_token }))
}
