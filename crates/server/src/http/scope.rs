//! Which workloads a request can be about: those that its caller sees, of one workspace if it names one.

use super::app::App;
use super::auth::Caller;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::convert::Infallible;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::uid;
use tidegate_engine::ids::{WorkloadId, WorkspaceId};
use tidegate_identity::may::{Sight, sight};
use tidegate_identity::{Action, People, Resource};

use crate::core::past::Remains;
use crate::core::rooms::Ownership;
use crate::core::world::World;

/// Taken from the head of a request: who asks, and `?workspace=`.
#[derive(Clone, Debug)]
pub struct Scope {
    pub caller: Caller,
    pub workspace: Option<Box<str>>,
}

impl FromRequestParts<App> for Scope {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Scope, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        let workspace = query.split('&').find_map(|pair| pair.strip_prefix("workspace=")).map(Into::into);
        Ok(Scope { caller: Caller::from_request_parts(parts, app).await?, workspace })
    }
}

pub fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no workload {name}")).hint("`tidegate list` lists them")
}

impl From<Ownership> for Resource {
    fn from(of: Ownership) -> Resource {
        Resource::Workload { workspace: of.workspace, owner: of.owner, private: of.private }
    }
}

impl Scope {
    /// Whether workloads of a workspace can be meant, and are seen.
    fn looks_into(&self, people: &People, room: WorkspaceId) -> bool {
        let named = self
            .workspace
            .as_ref()
            .is_none_or(|name| people.workspace_named(name).is_some_and(|named| named.id == room));
        named && sight(people, self.caller.who.user, room) != Sight::Nothing
    }

    /// The workload of this name or uid that is in memory, if the caller may do this to it.
    pub fn find(&self, world: &World, action: Action, name: &str) -> Result<WorkloadId, Problem> {
        let people = &world.people;
        let seen = |id: &WorkloadId| {
            let of = world.rooms.of(*id);
            of.is_some_and(|of| {
                self.looks_into(people, of.workspace) && self.caller.may_see(people, of.into())
            })
        };
        let by_uid = uid::as_workload(name).filter(seen);
        let found = match by_uid {
            Some(id) => Some(id),
            None => {
                let named = world.engine.workloads_named(name, |room| self.looks_into(people, room));
                let seen = |id| if seen(&id) { Some(id) } else { self.earlier(world, name, id) };
                let mut named = named.into_iter().filter_map(seen);
                let first = named.next();
                if let Some((a, b)) = first.zip(named.next()) {
                    return Err(ambiguous(world, name, &[a, b]));
                }
                first
            }
        };
        let id = found.ok_or_else(|| missing(name))?;
        let of = world.rooms.of(id).ok_or_else(|| missing(name))?;
        self.caller.check(people, action, of.into(), || missing(name))?;
        Ok(id)
    }

    /// What is called like a workload that is not seen, and came before it: the latest that is seen.
    fn earlier(&self, world: &World, name: &str, hidden: WorkloadId) -> Option<WorkloadId> {
        let room = world.rooms.of(hidden)?.workspace;
        let named = |id: &WorkloadId| world.engine.workload(*id).is_some_and(|w| *w.spec.name == *name);
        world.rooms.seen_by(room, self.caller.who.user, hidden).find(named)
    }

    /// Whether a workload that has left memory is seen.
    pub fn sees_past(&self, people: &People, past: &Remains) -> bool {
        let workspace = past.resource.status.workspace.as_str();
        if self.workspace.as_ref().is_some_and(|name| **name != *workspace) {
            return false;
        }
        match past.ownership(people) {
            Some(of) => self.caller.may_see(people, of.into()),
            None => self.caller.sees_all(people),
        }
    }

    /// Whose a workload was that has left memory, if the caller may start it again.
    pub fn may_start(&self, people: &People, past: &Remains) -> Result<Ownership, Problem> {
        let name = past.resource.metadata.name.as_str();
        let of = past.ownership(people).ok_or_else(|| missing(name))?;
        self.caller.check(people, Action::WorkloadUpdate, of.into(), || missing(name))?;
        Ok(of)
    }

    /// Names of the workspaces whose past is to be looked at; `None`: of all.
    pub fn rooms(&self, people: &People) -> Option<Vec<String>> {
        if let Some(name) = &self.workspace {
            return Some(vec![name.to_string()]);
        }
        let own = || people.rooms(self.caller.who.user).filter_map(|id| people.workspace(id));
        (!self.caller.sees_all(people)).then(|| own().map(|room| room.name.to_string()).collect())
    }
}

fn ambiguous(world: &World, name: &str, ids: &[WorkloadId]) -> Problem {
    let room = |id: &WorkloadId| {
        let of = world.rooms.of(*id)?;
        Some(world.people.workspace(of.workspace)?.name.to_string())
    };
    let rooms: Vec<String> = ids.iter().filter_map(room).collect();
    let detail = format!("there is a workload {name} in {}", rooms.join(" and in "));
    Problem::new(Code::WorkspaceRequired, detail)
        .hint("say which with --workspace or ?workspace=, or use its uid")
}

impl Caller {
    /// Whether it may know that something is there: whatever else its token is good for.
    pub fn may_see(&self, people: &People, resource: Resource) -> bool {
        let who = tidegate_identity::Who { scope: None, ..self.who };
        tidegate_identity::may(people, &who, Action::WorkloadRead, resource).is_allowed()
    }
}
