//! Users of the platform.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params, is_about};
use super::{DryRunParams, PageParams, members, page};
use crate::core::deck::Deck;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::limits::MAX_USERS;
use tidegate_api::name::Name;
use tidegate_api::people::{Membership, NewUser, User, UserList, UserSpec, UserStatus};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::resource::{Labels, Metadata};
use tidegate_api::time::Time;
use tidegate_engine::ids::{MemberId, WorkspaceId};
use tidegate_identity::people::{ADMIN, Versioned};
use tidegate_identity::record::{self, UserKind};
use tidegate_identity::{Action, People, Record};

pub fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no user {name}")).hint("`tidegate user list` lists them")
}

fn room_name(people: &People, id: WorkspaceId) -> Option<Name> {
    people.workspace(id).and_then(|room| room.name.parse().ok())
}

/// Where somebody is a member.
pub fn memberships(people: &People, user: MemberId) -> Vec<Membership> {
    let rooms = people.rooms(user).filter_map(|id| {
        let role = people.role_name(people.member(id, user)?.role).parse().ok()?;
        Some(Membership { workspace: room_name(people, id)?, role })
    });
    rooms.collect()
}

fn shown(people: &People, user: &record::User) -> Option<User> {
    let metadata = Metadata {
        name: user.name.parse().ok()?,
        uid: format!("u-{}", user.id.0),
        created_at: Time::of(user.created),
        version: people.version_of(Versioned::User(user.id)).to_string(),
        labels: Labels::default(),
    };
    let spec = UserSpec { platform_admin: user.platform_admin, disabled: user.disabled };
    let status = UserStatus {
        password: user.password.is_some(),
        provider: user.provider.as_ref().map(|(issuer, _)| issuer.to_string()),
        subject: user.provider.as_ref().map(|(_, subject)| subject.to_string()),
        service_account_of: match user.kind {
            UserKind::Person => None,
            UserKind::ServiceAccount(id) => room_name(people, id),
        },
        workspaces: memberships(people, user.id),
    };
    Some(User::new(metadata, spec, status))
}

pub fn made(deck: &Deck<'_>, status: StatusCode, name: &str) -> Result<Made<User>, Problem> {
    let people = &deck.world().people;
    let body = people.user_named(name).and_then(|user| shown(people, user)).ok_or_else(|| missing(name))?;
    Ok(Made { status, version: Some(body.metadata.version.clone()), body })
}

/// List users.
#[utoipa::path(get, path = "/api/v1/users", tag = "users", params(PageParams),
    responses((status = 200, body = UserList), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<PageParams>,
) -> Answered<UserList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let people = &world.people;
        caller.platform(people, Action::UserRead)?;
        let (users, next_page_token) = page.cut(people.users());
        Ok(UserList {
            items: users.into_iter().filter_map(|user| shown(people, user)).collect(),
            next_page_token,
        })
    });
    read(outcome.await).map(Answer::new)
}

/// One user. Everybody may look at themselves.
#[utoipa::path(get, path = "/api/v1/users/{name}", tag = "users", params(("name" = String, Path, description = "The user")),
    responses((status = 200, body = User), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<User> {
    let outcome = app.control.read(|world, _| {
        let people = &world.people;
        let user = people.user_named(&name);
        if user.is_none_or(|user| user.id != caller.who.user) {
            caller.platform(people, Action::UserRead)?;
        }
        user.and_then(|user| shown(people, user)).ok_or_else(|| missing(&name))
    });
    let user = read(outcome.await)?;
    Ok(Answer { version: Some(user.metadata.version.clone()), body: user })
}

/// Create a user. It can act when it is invited, is known to the provider of identities, or is given a token.
#[utoipa::path(post, path = "/api/v1/users", tag = "users", params(DryRunParams), request_body = NewUser,
    responses((status = 201, body = User), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewUser>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "user.create", body.sent, move |deck, change| {
            change.platform(deck, Action::UserUpdate)?;
            not_by_a_part(change.caller(), new.spec.platform_admin)?;
            create_on(deck, &new.metadata.name, UserKind::Person, new.spec.platform_admin)
                .map_err(|problem| problem.at("/metadata/name"))?;
            made(deck, StatusCode::CREATED, &new.metadata.name)
        })
        .await
}

pub fn create_on(
    deck: &mut Deck<'_>,
    name: &Name,
    kind: UserKind,
    platform_admin: bool,
) -> Result<MemberId, Problem> {
    let people = &deck.world().people;
    if people.user_alike(name).is_some() {
        // Names are one list for the whole platform: whoever takes part in it may learn that one is taken, not by whom.
        let detail = format!(
            "the name {name} is taken: users and service accounts of all workspaces share names, and upper and lower \
             case do not tell them apart"
        );
        let hint = match kind {
            UserKind::Person => "choose another name",
            UserKind::ServiceAccount(_) => "choose another name: begin it with that of the workspace",
        };
        return Err(Problem::new(Code::NameTaken, detail).hint(hint));
    }
    if people.users().count() >= MAX_USERS {
        let detail = format!("there are {MAX_USERS} users, no more can be");
        return Err(Problem::new(Code::LimitExceeded, detail).hint("delete users who have left"));
    }
    let user = record::User {
        id: people.next_user(),
        name: name.as_str().into(),
        kind,
        platform_admin,
        disabled: false,
        password: None,
        provider: None,
        created: deck.now(),
    };
    let id = user.id;
    deck.put(None, Some(Record::User(user)));
    Ok(id)
}

/// Change a user: make it an administrator, or disable it. Whoever is disabled loses all tokens and sessions.
#[utoipa::path(put, path = "/api/v1/users/{name}", tag = "users", request_body = NewUser,
    params(("name" = String, Path, description = "The user"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The version that is changed")),
    responses((status = 200, body = User), (status = "default", body = Problem)))]
pub async fn put(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<NewUser>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "user.set", body.sent, move |deck, change| {
            change.platform(deck, Action::UserUpdate)?;
            let before = deck.world().people.user_named(&name).cloned().ok_or_else(|| missing(&name))?;
            is_about(&new.metadata.name, &name, "/metadata/name")?;
            change.may_match(deck.world().people.version_of(Versioned::User(before.id)))?;
            let UserSpec { platform_admin, disabled } = new.spec;
            not_by_a_part(change.caller(), platform_admin && !before.platform_admin)?;
            if before.id == ADMIN && (disabled || !platform_admin) {
                let detail = "admin is whoever has the data directory, and stays an administrator";
                let hint = "it needs nothing: leave it as it is, and give people users of their own";
                return Err(Problem::new(Code::WrongState, detail).hint(hint));
            }
            if platform_admin && before.kind != UserKind::Person {
                let detail = format!("{name} is a service account: it acts in its workspace alone");
                let hint = "make a user, and that an administrator: `tidegate user create`";
                return Err(Problem::new(Code::WrongState, detail).hint(hint));
            }
            if disabled {
                remove_tokens(deck, before.id);
            }
            let after = record::User { platform_admin, disabled, ..before.clone() };
            if after != before {
                deck.put(Some(Record::User(before)), Some(Record::User(after)));
            }
            made(deck, StatusCode::OK, &name)
        })
        .await
}

/// Remove a user from everywhere. Its workloads stay; whoever only should not act any more is better disabled.
#[utoipa::path(delete, path = "/api/v1/users/{name}", tag = "users",
    params(("name" = String, Path, description = "The user"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The version that is deleted")),
    responses((status = 200, body = User), (status = "default", body = Problem)))]
pub async fn delete(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "user.delete", Bytes::new(), move |deck, change| {
            change.platform(deck, Action::UserUpdate)?;
            let user = deck.world().people.user_named(&name).cloned().ok_or_else(|| missing(&name))?;
            if user.id == ADMIN {
                let detail = "admin is whoever has the data directory, and is always there";
                return Err(
                    Problem::new(Code::WrongState, detail).hint("it needs nothing: leave it as it is")
                );
            }
            change.may_match(deck.world().people.version_of(Versioned::User(user.id)))?;
            let last = made(deck, StatusCode::OK, &name)?;
            remove_tokens(deck, user.id);
            members::remove_everywhere(deck, user.id)?;
            deck.put(Some(Record::User(user)), None);
            Ok(last)
        })
        .await
}

/// Why nobody logs in as a user.
pub fn cannot_log_in(user: &record::User) -> Problem {
    let name = &user.name;
    let (detail, hint) = match user.kind {
        UserKind::ServiceAccount(_) => (
            format!("{name} is a service account: nobody logs in as it"),
            format!("give it a token: `tidegate token create --user {name}`"),
        ),
        UserKind::Person => (
            format!("{name} is disabled: nobody logs in as it"),
            format!("`tidegate user enable {name}` lets it act again"),
        ),
    };
    Problem::new(Code::WrongState, detail).hint(hint)
}

/// A token that is good for some things alone lets nobody in who may do everything.
pub fn not_by_a_part(caller: &Caller, platform_admin: bool) -> Result<(), Problem> {
    if platform_admin && caller.who.scope.is_some() {
        let detail = "a token for some actions makes no platform administrator, and lets none in";
        return Err(Problem::new(Code::Denied, detail).hint("use a token without `actions`, or log in"));
    }
    Ok(())
}

/// Nobody gets in any more by what let them in until now.
pub fn remove_tokens(deck: &mut Deck<'_>, user: MemberId) {
    let tokens = deck.world().people.tokens().filter(|token| token.user == user);
    let tokens: Vec<Record> = tokens.cloned().map(Record::Token).collect();
    tokens.into_iter().for_each(|token| deck.put(Some(token), None));
}
