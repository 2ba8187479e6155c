//! Roles: those that are always there, and those that are made of actions.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, is_about};
use super::{DryRunParams, workspaces};
use crate::center::wire::mentions;
use crate::core::deck::Deck;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::people::{ActionHelp, NewRole, Role, RoleList};
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::ids::RoleId;
use tidegate_identity::action::Level;
use tidegate_identity::people::Versioned;
use tidegate_identity::role::BuiltIn;
use tidegate_identity::{Action, ActionSet, People, Record, record};

fn shown(people: &People, id: RoleId) -> Option<Role> {
    Some(Role {
        name: people.role_name(id).parse().ok()?,
        actions: people.role_actions(id).into(),
        built_in: BuiltIn::of(id).is_some(),
    })
}

fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no role {name}")).hint("`tidegate role list` lists them")
}

/// All roles, and what they are made of.
#[utoipa::path(get, path = "/api/v1/roles", tag = "roles",
    responses((status = 200, body = RoleList), (status = "default", body = Problem)))]
pub async fn list(State(app): State<App>, _caller: Caller) -> Answered<RoleList> {
    let outcome = app.control.read(|world, _| {
        let people = &world.people;
        let built_in = BuiltIn::ALL.into_iter().map(BuiltIn::id);
        let ids = built_in.chain(people.roles().map(|role| role.id));
        let help =
            |action: &Action| ActionHelp { action: action.word().into(), about: action.about().into() };
        let actions = Action::ALL.iter().map(help).collect();
        Ok(RoleList { items: ids.filter_map(|id| shown(people, id)).collect(), actions })
    });
    read(outcome.await).map(Answer::new)
}

/// One role.
#[utoipa::path(get, path = "/api/v1/roles/{name}", tag = "roles", params(("name" = String, Path, description = "The role")),
    responses((status = 200, body = Role), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, _caller: Caller, Named(name): Named) -> Answered<Role> {
    let outcome = app.control.read(|world, _| {
        let people = &world.people;
        let id = people.role_named(&name).ok_or_else(|| missing(&name))?;
        let role = shown(people, id).ok_or_else(|| missing(&name))?;
        Ok((role, people.version_of(Versioned::Role(id))))
    });
    let (body, version) = read(outcome.await)?;
    Ok(Answer { version: Some(version.to_string()), body })
}

fn actions(new: &NewRole) -> Result<ActionSet, Problem> {
    let invalid = |why: String| Problem::new(Code::Invalid, why).at("/actions");
    let set = ActionSet::try_from(new.actions.clone()).map_err(invalid)?;
    match set.iter().find(|action| action.level() != Level::Workspace) {
        Some(other) => {
            let detail = format!("{} is no action within a workspace: to {}", other.word(), other.about());
            Err(invalid(detail).hint("`tidegate role actions` lists what roles are made of"))
        }
        None => Ok(set),
    }
}

fn made(deck: &Deck<'_>, status: StatusCode, id: RoleId) -> Result<Made<Role>, Problem> {
    let people = &deck.world().people;
    let body = shown(people, id).ok_or_else(|| Problem::new(Code::NotFound, "the role is gone"))?;
    Ok(Made { status, version: Some(people.version_of(Versioned::Role(id)).to_string()), body })
}

/// Make a role.
#[utoipa::path(post, path = "/api/v1/roles", tag = "roles", params(DryRunParams), request_body = NewRole,
    responses((status = 201, body = Role), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewRole>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "role.create", body.sent, move |deck, change| {
            change.platform(deck, Action::RoleUpdate)?;
            let people = &deck.world().people;
            if let Some(other) = people.role_alike(&new.name) {
                return Err(workspaces::taken("role", people.role_name(other), &new.name).at("/name"));
            }
            let id = people.next_role().ok_or_else(|| {
                Problem::new(Code::LimitExceeded, "there are 56 roles that were made, no more can be")
                    .hint("delete roles that nobody has: `tidegate role delete`")
            })?;
            let (name, actions) = (new.name.as_str().into(), actions(&new)?);
            let role = record::Role { id, name, actions, created: deck.now() };
            deck.put(None, Some(Record::Role(role)));
            made(deck, StatusCode::CREATED, id)
        })
        .await
}

fn made_by_somebody(deck: &Deck<'_>, name: &str) -> Result<record::Role, Problem> {
    if BuiltIn::parse(name).is_some() {
        let detail = format!("{name} is always there, as it is");
        return Err(Problem::new(Code::WrongState, detail).hint("make a role of your own"));
    }
    let role = deck.world().people.roles().find(|role| &*role.name == name);
    role.cloned().ok_or_else(|| missing(name))
}

/// Change what a role allows. It counts at once for everybody who has it.
#[utoipa::path(put, path = "/api/v1/roles/{name}", tag = "roles", request_body = NewRole,
    params(("name" = String, Path, description = "The role"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The version that is changed")),
    responses((status = 200, body = Role), (status = "default", body = Problem)))]
pub async fn put(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<NewRole>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "role.set", body.sent, move |deck, change| {
            change.platform(deck, Action::RoleUpdate)?;
            let before = made_by_somebody(deck, &name)?;
            is_about(&new.name, &name, "/name")?;
            change.may_match(deck.world().people.version_of(Versioned::Role(before.id)))?;
            let after = record::Role { actions: actions(&new)?, ..before.clone() };
            let id = after.id;
            if after != before {
                deck.put(Some(Record::Role(before)), Some(Record::Role(after)));
            }
            made(deck, StatusCode::OK, id)
        })
        .await
}

/// Delete a role that nobody has.
#[utoipa::path(delete, path = "/api/v1/roles/{name}", tag = "roles", params(("name" = String, Path, description = "The role"), DryRunParams),
    responses((status = 200, body = Role), (status = "default", body = Problem)))]
pub async fn delete(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "role.delete", Bytes::new(), move |deck, change| {
            change.platform(deck, Action::RoleUpdate)?;
            let role = made_by_somebody(deck, &name)?;
            let people = &deck.world().people;
            let having = people.workspaces().flat_map(|room| people.members(room.id));
            let having = having.filter(|member| member.role == role.id).count();
            if having > 0 {
                let members = if having == 1 { "member has" } else { "members have" };
                let detail = format!("{having} {members} the role {name}");
                return Err(Problem::new(Code::WrongState, detail).hint("give them another role first"));
            }
            // Its number may be given to another role: no policy is to be about that one unasked.
            let about = people.all_policies().find(|(.., policy)| mentions(policy, role.id));
            if let Some((room, ..)) = about {
                let room = people.workspace(room).map_or("a workspace", |room| &room.name);
                let detail = format!("the scheduling center of {room} is about the role {name}");
                return Err(Problem::new(Code::WrongState, detail)
                    .hint("take it out of the policy: `tidegate workspace policy set`"));
            }
            let last = made(deck, StatusCode::OK, role.id)?;
            deck.put(Some(Record::Role(role)), None);
            Ok(last)
        })
        .await
}
