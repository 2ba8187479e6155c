//! Members of workspaces and their roles; service accounts.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Pair, Params};
use super::{DryRunParams, PageParams, page, users, workspaces};
use crate::core::deck::Deck;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::people::NewServiceAccount;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_api::workspace::{Member, MemberList, MemberRequest};
use tidegate_engine::ids::{RoleId, WorkspaceId};
use tidegate_identity::may::may_grant;
use tidegate_identity::record::{self, UserKind};
use tidegate_identity::{Action, People, Record, Verdict};

fn shown(people: &People, member: &record::Member) -> Option<Member> {
    let user = people.user(member.user)?;
    Some(Member {
        user: user.name.parse().ok()?,
        role: people.role_name(member.role).parse().ok()?,
        service_account: matches!(user.kind, UserKind::ServiceAccount(_)),
        since: Time::of(member.since),
    })
}

fn missing(user: &str, workspace: &str) -> Problem {
    Problem::new(Code::NotFound, format!("{user} is no member of {workspace}"))
        .hint(format!("`tidegate workspace show {workspace}` lists them"))
}

/// The members of a workspace.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/members", tag = "workspaces",
    params(("name" = String, Path, description = "The workspace"), PageParams),
    responses((status = 200, body = MemberList), (status = "default", body = Problem)), operation_id = "members")]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
    Params(params): Params<PageParams>,
) -> Answered<MemberList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let people = &world.people;
        let room = workspaces::find(people, &caller, Action::WorkspaceRead, &name)?.id;
        let (items, next_page_token) = page.cut(people.members(room).filter_map(|m| shown(people, m)));
        Ok(MemberList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// Nobody gives a role that includes more than their own.
fn grants(people: &People, change: &Change, room: WorkspaceId, role: RoleId) -> Result<(), Problem> {
    match may_grant(people, &change.caller().who, room, role) {
        Verdict::Allowed => Ok(()),
        Verdict::Denied { because } => Err(Problem::new(Code::Denied, because)),
        Verdict::Hidden => Err(Problem::new(Code::NotFound, "there is no such workspace")),
    }
}

fn role_named(people: &People, name: &str) -> Result<RoleId, Problem> {
    people.role_named(name).ok_or_else(|| {
        Problem::new(Code::UnknownReference, format!("there is no role {name}"))
            .at("/role")
            .hint("`tidegate role list` lists them")
    })
}

/// Add a member, or change a member's role.
#[utoipa::path(put, path = "/api/v1/workspaces/{name}/members/{user}", tag = "workspaces", request_body = MemberRequest,
    params(("name" = String, Path, description = "The workspace"), ("user" = String, Path, description = "The user"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The workspace's version that is changed")),
    responses((status = 200, body = Member), (status = "default", body = Problem)), operation_id = "set_member")]
pub async fn set(
    State(app): State<App>,
    Pair(name, user): Pair,
    change: Change,
    body: Json<MemberRequest>,
) -> Response {
    let role = body.value.role;
    change
        .carry_out(&app, "member.set", body.sent, move |deck, change| {
            let people = &deck.world().people;
            let room = workspaces::find(people, change.caller(), Action::MemberUpdate, &name)?.id;
            change.may_match(people.version(room))?;
            let role = role_named(people, &role)?;
            let found = people.user_named(&user).filter(|user| {
                user.kind == UserKind::Person || { user.kind == UserKind::ServiceAccount(room) }
            });
            let Some(found) = found.map(|user| user.id) else {
                let detail = format!("there is no user {user}");
                let hint = format!("an administrator makes users: `tidegate user create {user}`");
                return Err(Problem::new(Code::NotFound, detail).hint(hint));
            };
            grants(people, change, room, role)?;
            let before = people.member(room, found).copied();
            if let Some(before) = &before {
                grants(people, change, room, before.role)?;
                if before.role != role {
                    keeps_an_owner(people, before, &name)?;
                }
            }
            let since = before.map_or(deck.now(), |before| before.since);
            let after = record::Member { workspace: room, user: found, role, since };
            if before != Some(after) {
                deck.put(before.map(Record::Member), Some(Record::Member(after)));
            }
            let body = shown(&deck.world().people, &after).ok_or_else(|| missing(&user, &name))?;
            Ok(Made::ok(body))
        })
        .await
}

fn keeps_an_owner(people: &People, member: &record::Member, name: &str) -> Result<(), Problem> {
    match workspaces::is_last_owner(people, member) {
        true => {
            let detail = format!("{name} would have no owner any more");
            Err(Problem::new(Code::WrongState, detail).hint("make somebody else an owner first"))
        }
        false => Ok(()),
    }
}

/// Remove a member. What runs of it goes on.
#[utoipa::path(delete, path = "/api/v1/workspaces/{name}/members/{user}", tag = "workspaces",
    params(("name" = String, Path, description = "The workspace"), ("user" = String, Path, description = "The user"), DryRunParams),
    responses((status = 200, body = Member), (status = "default", body = Problem)), operation_id = "remove_member")]
pub async fn remove(State(app): State<App>, Pair(name, user): Pair, change: Change) -> Response {
    change
        .carry_out(&app, "member.remove", Bytes::new(), move |deck, change| {
            let people = &deck.world().people;
            let room = workspaces::find(people, change.caller(), Action::MemberUpdate, &name)?.id;
            let found = people.user_named(&user).and_then(|user| people.member(room, user.id)).copied();
            let member = found.ok_or_else(|| missing(&user, &name))?;
            grants(people, change, room, member.role)?;
            keeps_an_owner(people, &member, &name)?;
            let last = shown(people, &member).ok_or_else(|| missing(&user, &name))?;
            deck.put(Some(Record::Member(member)), None);
            Ok(Made::ok(last))
        })
        .await
}

/// Make an account for a program. It acts in this workspace alone, with a token.
#[utoipa::path(post, path = "/api/v1/workspaces/{name}/service-accounts", tag = "workspaces", request_body = NewServiceAccount,
    params(("name" = String, Path, description = "The workspace"), DryRunParams),
    responses((status = 201, body = Member), (status = "default", body = Problem)), operation_id = "create_service_account")]
pub async fn create_account(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<NewServiceAccount>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "service-account.create", body.sent, move |deck, change| {
            let people = &deck.world().people;
            let room = workspaces::find(people, change.caller(), Action::MemberUpdate, &name)?.id;
            let role = role_named(people, &new.role)?;
            grants(people, change, room, role)?;
            let user = users::create_on(deck, &new.name, UserKind::ServiceAccount(room), false)
                .map_err(|problem| problem.at("/name"))?;
            let member = record::Member { workspace: room, user, role, since: deck.now() };
            deck.put(None, Some(Record::Member(member)));
            let body = shown(&deck.world().people, &member).ok_or_else(|| missing(&new.name, &name))?;
            Ok(Made { status: StatusCode::CREATED, version: None, body })
        })
        .await
}

/// Remove a program's account and all its tokens.
#[utoipa::path(delete, path = "/api/v1/workspaces/{name}/service-accounts/{user}", tag = "workspaces",
    params(("name" = String, Path, description = "The workspace"), ("user" = String, Path, description = "The account"), DryRunParams),
    responses((status = 200, body = Member), (status = "default", body = Problem)), operation_id = "delete_service_account")]
pub async fn delete_account(State(app): State<App>, Pair(name, user): Pair, change: Change) -> Response {
    change
        .carry_out(&app, "service-account.delete", Bytes::new(), move |deck, change| {
            let people = &deck.world().people;
            let room = workspaces::find(people, change.caller(), Action::MemberUpdate, &name)?.id;
            let account = people.user_named(&user).filter(|user| user.kind == UserKind::ServiceAccount(room));
            let account = account.cloned().ok_or_else(|| missing(&user, &name))?;
            let member = people.member(room, account.id).copied().ok_or_else(|| missing(&user, &name))?;
            grants(people, change, room, member.role)?;
            let last = shown(people, &member).ok_or_else(|| missing(&user, &name))?;
            users::remove_tokens(deck, account.id);
            deck.put(Some(Record::Member(member)), None);
            deck.put(Some(Record::User(account)), None);
            Ok(Made::ok(last))
        })
        .await
}

/// Takes somebody out of all workspaces; refused while one would be left without an owner.
pub fn remove_everywhere(deck: &mut Deck<'_>, user: tidegate_engine::ids::MemberId) -> Result<(), Problem> {
    let people = &deck.world().people;
    let members: Vec<record::Member> =
        people.rooms(user).filter_map(|room| people.member(room, user)).copied().collect();
    for member in &members {
        let name = people.workspace(member.workspace).map_or("a workspace", |room| &room.name);
        keeps_an_owner(people, member, name)?;
    }
    members.into_iter().for_each(|member| deck.put(Some(Record::Member(member)), None));
    Ok(())
}
