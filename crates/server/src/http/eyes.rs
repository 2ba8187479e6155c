//! Opens what is under seal, for whoever is answered: the last thing that happens to an answer.

use super::app::App;
use super::auth::Caller;
use super::routes::audit::LINES;
use super::routes::tokens;
use super::sight;
use crate::core::hub::{Kind, Topic, Whose};
use crate::core::seal::{self, Known, Sealed};
use crate::core::world::World;
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::Response;
use std::str::from_utf8;
use tidegate_engine::ids::WorkloadId;
use tidegate_identity::may::{self, Sight};
use tidegate_identity::{Action, People, Resource};

/// How much a reader may know of a workload or quota.
pub fn knows(world: &World, caller: &Caller, what: Sealed) -> Known {
    let seen = match what {
        Sealed::Workload(id) => sees_workload(world, caller, id),
        Sealed::Quota(id) => sight::knows_quota(world, caller, id),
    };
    let is_kin = |id| {
        let of = world.rooms.of(id);
        of.is_some_and(|of| may::sight(&world.people, caller.who.user, of.workspace) != Sight::Nothing)
    };
    match what {
        _ if seen => Known::Name,
        Sealed::Workload(id) if is_kin(id) => Known::Kin,
        _ => Known::Stranger,
    }
}

/// What has been forgotten is seen by nobody but those who see all.
pub fn sees_workload(world: &World, caller: &Caller, id: WorkloadId) -> bool {
    hears_names(caller) && world.rooms.of(id).is_some_and(|of| caller.may_see(&world.people, of.into()))
}

/// Whether its token is good for anything that tells who runs and waits: one for quotas alone is not.
fn hears_names(caller: &Caller) -> bool {
    [Action::WorkloadRead, Action::AuditRead, Action::UsageRead]
        .into_iter()
        .any(|action| caller.good_for(action).is_ok())
}

/// A text as somebody may read it.
pub fn open(app: &App, caller: &Caller, text: &str) -> String {
    if hears_names(caller) && caller.sees_all(&app.control.people()) {
        return seal::open_all(text);
    }
    app.control.read_blocking(|world| seal::open(text, |what| knows(world, caller, what)))
}

/// An answer as its caller may read it. What is sent piece by piece opens its pieces itself.
pub async fn open_answer(app: &App, caller: &Caller, response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.ends_with("json") && kind != LINES) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // It lies in memory: nothing is waited for.
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
        return Response::from_parts(head, Body::empty());
    };
    let body = match from_utf8(&body) {
        Ok(text) if seal::is_sealed(text) => {
            head.headers.remove(CONTENT_LENGTH);
            Bytes::from(open(app, caller, text))
        }
        _ => body,
    };
    Response::from_parts(head, Body::from(body))
}

/// Whether somebody may be told what became of a record: those who may list it. Who is a member no longer is told that
/// alone.
fn concerns(people: &People, caller: &Caller, kind: Kind, whose: Whose) -> bool {
    let in_room = |room, action| caller.may(people, action, Resource::Workspace(room));
    match whose {
        Whose::Everybody if kind == Kind::PriceBook => caller.platform(people, Action::PriceRead).is_ok(),
        Whose::Everybody => true,
        Whose::User(user) if kind == Kind::Token => tokens::governs(people, caller, user).is_ok(),
        Whose::User(user) => user == caller.who.user || caller.platform(people, Action::UserRead).is_ok(),
        Whose::Room(room) if kind == Kind::Webhook => in_room(room, Action::WebhookUpdate),
        Whose::Room(room) if kind == Kind::Budget => in_room(room, Action::UsageRead),
        Whose::Room(room) => in_room(room, Action::WorkspaceRead),
        Whose::Member(room, user) if kind == Kind::Correction => {
            let own = user == caller.who.user && caller.good_for(Action::UsageRead).is_ok();
            own || in_room(room, Action::UsageRead)
        }
        Whose::Member(room, user) => user == caller.who.user || in_room(room, Action::WorkspaceRead),
    }
}

impl App {
    /// Whether somebody may be told of an event.
    pub fn tells(&self, world: &World, caller: &Caller, topic: &Topic) -> bool {
        let people = &world.people;
        match topic.kind {
            Kind::Workload => {
                caller.good_for(Action::WorkloadRead).is_ok()
                    && topic.workload.is_some_and(|id| sees_workload(world, caller, id))
            }
            Kind::Quota => sight::find_quota(world, caller, &topic.name).is_ok(),
            Kind::Node => caller.platform(people, Action::PoolRead).is_ok(),
            kind => topic.whose.is_some_and(|whose| concerns(people, caller, kind, whose)),
        }
    }
}
