//! The queue of a quota: who waits, and who has left it.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::extract::{Named, Params};
use super::super::{eyes, sight};
use super::page;
use crate::core::world::World;
use crate::view;
use axum::extract::State;
use serde::Deserialize;
use tidegate_api::explain::Reason;
use tidegate_api::priorities::Priorities;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::quota::{QueueEntry, QuotaQueue};
use tidegate_api::words::Module;
use tidegate_engine::ids::{QuotaId, Tick, WorkloadId};
use tidegate_engine::reason::{self, Unblock};
use utoipa::IntoParams;

/// Which part of a queue is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct QueueQuery {
    /// Who has left the queue and is still in memory, the latest first, instead of who waits.
    dequeued: Option<bool>,
    /// Only work of this module.
    #[param(inline)]
    module: Option<Module>,
    /// Only work of these priorities, such as 4, 6-9 or 1,3,5.
    priority: Option<String>,
    /// Only what this user submitted, of what the caller sees.
    user: Option<String>,
    /// Only work of this workspace, of what the caller sees.
    workspace: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    /// What the page before has answered.
    page_token: Option<String>,
}

/// What is asked for, read.
struct Filter<'a> {
    query: &'a QueueQuery,
    priorities: Option<Priorities>,
}

impl Filter<'_> {
    fn passes(&self, world: &World, caller: &Caller, id: WorkloadId) -> bool {
        let Some(w) = world.engine.workload(id) else { return false };
        let query = self.query;
        let alike = query.module.is_none_or(|module| module.0 == w.spec.module)
            && self.priorities.is_none_or(|set| set.set().contains(w.spec.priority));
        if !alike || (query.user.is_none() && query.workspace.is_none()) {
            return alike;
        }
        // What may not be seen is not found by whose it is.
        let owner = world.documents.get(&id).map(|document| document.owner.as_str());
        eyes::sees_workload(world, caller, id)
            && query.user.as_ref().is_none_or(|user| owner == Some(user))
            && query.workspace.as_ref().is_none_or(|room| world.room_name(w.spec.workspace).as_str() == room)
    }
}

/// An entry as the caller may read it.
fn entry(
    world: &World,
    caller: &Caller,
    id: WorkloadId,
    position: Option<u32>,
    now: Tick,
) -> Option<QueueEntry> {
    let mut entry = view::queue_entry(world, id, position, now)?;
    if eyes::sees_workload(world, caller, id) {
        return Some(entry);
    }
    (entry.uid, entry.user, entry.workspace) = (None, None, None);
    entry.reasons = match position {
        Some(_) => world.engine.reasons(now, id).iter().filter_map(|reason| outside(world, reason)).collect(),
        None => Vec::new(),
    };
    Some(entry)
}

/// A reason for readers outside the workspace: what it allows its members is its own business.
fn outside(world: &World, reason: &reason::Reason) -> Option<Reason> {
    let text = match reason {
        reason::Reason::Cap(_) => "a limit of its workspace".into(),
        reason::Reason::Unblock { by: Unblock::Cap(_), .. } => return None,
        _ => reason.text(world),
    };
    Some(Reason { code: reason.code().into(), text })
}

/// Who has left a quota's queue and is in memory, the latest first.
fn dequeued(world: &World, quota: QuotaId) -> Vec<WorkloadId> {
    let of_it = world.engine.workloads().filter(|w| w.spec.quota == quota && !w.state.is_waiting());
    let when = |id: WorkloadId| world.shell.workloads.get(&id).and_then(|record| record.started);
    let mut left: Vec<(Tick, WorkloadId)> = of_it.filter_map(|w| Some((when(w.id)?, w.id))).collect();
    left.sort_unstable_by(|a, b| b.cmp(a));
    left.into_iter().map(|(_, id)| id).collect()
}

/// Who waits in a quota's queue, first in line first; or who has left it.
#[utoipa::path(get, path = "/api/v1/quotas/{name}/queue", tag = "quotas", params(("name" = String, Path, description = "The quota"), QueueQuery),
    responses((status = 200, body = QuotaQueue), (status = "default", body = Problem)))]
pub async fn queue(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
    Params(query): Params<QueueQuery>,
) -> Answered<QuotaQueue> {
    let page = page(query.limit, query.page_token.as_deref())?;
    let priorities = query.priority.as_deref().map(str::parse::<Priorities>).transpose();
    let priorities = priorities.map_err(|why| Problem::new(Code::BadParameter, why))?;
    let filter = Filter { query: &query, priorities };
    let outcome = app.control.read(|world, now| {
        let id = sight::find_quota(world, &caller, &name)?;
        let all: Vec<(Option<u32>, WorkloadId)> = match query.dequeued {
            Some(true) => dequeued(world, id).into_iter().map(|id| (None, id)).collect(),
            _ => {
                let waiting = world.engine.queue(now, id).into_iter().enumerate();
                waiting.map(|(at, id)| (Some(at as u32 + 1), id)).collect()
            }
        };
        let passing = all.into_iter().filter(|(_, id)| filter.passes(world, &caller, *id));
        let (ids, next_page_token) = page.cut(passing);
        let items = ids.into_iter().filter_map(|(at, id)| entry(world, &caller, id, at, now)).collect();
        Ok(QuotaQueue { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}
