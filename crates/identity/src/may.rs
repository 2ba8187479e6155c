//! The one function that decides who may do what.

use crate::action::{Action, ActionSet, Level};
use crate::people::People;
use crate::record::{TokenKind, User, UserKind};
use tidegate_engine::ids::{MemberId, QuotaId, WorkspaceId};

/// Whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub user: MemberId,
    /// The only actions that the credential is good for; `None`: all that the user may.
    pub scope: Option<ActionSet>,
    pub kind: TokenKind,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The platform as a whole: pools, nodes, prices, all users.
    Platform,
    Workspace(WorkspaceId),
    Workload {
        workspace: WorkspaceId,
        owner: MemberId,
        private: bool,
    },
    Quota(QuotaId),
}

/// What is decided, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allowed,
    /// The caller may know that it is there, or is told the same of what is not.
    Denied {
        because: String,
    },
    /// The caller is answered as if it were not there.
    Hidden,
}

impl Verdict {
    pub fn is_allowed(&self) -> bool {
        *self == Verdict::Allowed
    }
}

/// Whether somebody may do something to something.
pub fn may(people: &People, who: &Who, action: Action, resource: Resource) -> Verdict {
    let Some(user) = people.user(who.user).filter(|user| !user.disabled) else { return Verdict::Hidden };
    let verdict = by_role(people, user, action, resource);
    match who.scope {
        Some(scope) if verdict.is_allowed() && !scope.contains(action) => {
            Verdict::Denied { because: format!("this token is not good for {}", action.word()) }
        }
        _ => verdict,
    }
}

fn by_role(people: &People, user: &User, action: Action, resource: Resource) -> Verdict {
    if user.platform_admin {
        return Verdict::Allowed;
    }
    match resource {
        Resource::Platform => match action.level() {
            Level::Everybody => Verdict::Allowed,
            Level::Platform | Level::Workspace => platform_only(action),
        },
        Resource::Quota(quota) => {
            let sees = people.rooms(user.id).any(|room| people.may_use(room, quota));
            match action {
                // Said without a look at it: it tells nothing.
                _ if action.level() == Level::Platform => platform_only(action),
                _ if !sees => Verdict::Hidden,
                Action::QuotaRead => Verdict::Allowed,
                _ => platform_only(action),
            }
        }
        Resource::Workspace(_) if action.level() == Level::Platform => platform_only(action),
        Resource::Workspace(workspace) => match people.actions_in(workspace, user.id) {
            None => Verdict::Hidden,
            Some(actions) if actions.contains(action) => Verdict::Allowed,
            Some(_) => lacks(people, user, workspace, action),
        },
        Resource::Workload { workspace, owner, private } => {
            let Some(actions) = people.actions_in(workspace, user.id) else { return Verdict::Hidden };
            let (own, operates) = (owner == user.id, actions.contains(Action::WorkloadOperate));
            if !actions.contains(Action::WorkloadRead) || (private && !own && !operates) {
                return Verdict::Hidden;
            }
            if !actions.contains(action) {
                return lacks(people, user, workspace, action);
            }
            match action {
                Action::WorkloadUpdate if !own && !operates => Verdict::Denied {
                    because: format!(
                        "it belongs to somebody else, and a {} acts on its own workloads alone",
                        role_of(people, user, workspace)
                    ),
                },
                _ => Verdict::Allowed,
            }
        }
    }
}

fn platform_only(action: Action) -> Verdict {
    let because = format!("only platform administrators may {} ({})", action.about(), action.word());
    Verdict::Denied { because }
}

fn role_of<'a>(people: &'a People, user: &User, workspace: WorkspaceId) -> &'a str {
    people.member(workspace, user.id).map_or("stranger", |member| people.role_name(member.role))
}

fn lacks(people: &People, user: &User, workspace: WorkspaceId, action: Action) -> Verdict {
    let role = role_of(people, user, workspace);
    let because = format!("the role {role} does not include {}: to {}", action.word(), action.about());
    Verdict::Denied { because }
}

/// Whether somebody may give or take a role: nobody hands out what they do not have or their token is not good for, and
/// owners are made and unmade by owners alone.
pub fn may_grant(
    people: &People,
    who: &Who,
    workspace: WorkspaceId,
    role: tidegate_engine::ids::RoleId,
) -> Verdict {
    let verdict = may(people, who, Action::MemberUpdate, Resource::Workspace(workspace));
    if !verdict.is_allowed() {
        return verdict;
    }
    let given = people.role_actions(role);
    let beyond = who.scope.and_then(|scope| given.iter().find(|action| !scope.contains(*action)));
    if let Some(more) = beyond {
        let because = format!(
            "the role {} includes {}, which this token is not good for",
            people.role_name(role),
            more.word()
        );
        return Verdict::Denied { because };
    }
    if people.user(who.user).is_some_and(|user| user.platform_admin) {
        return Verdict::Allowed;
    }
    let own = people.member(workspace, who.user).map(|member| member.role);
    let owner = crate::role::BuiltIn::Owner.id();
    if role == owner && own != Some(owner) {
        return Verdict::Denied { because: "owners are made and unmade by owners alone".into() };
    }
    let mine = people.actions_in(workspace, who.user).unwrap_or_default();
    match given.iter().find(|action| !mine.contains(*action)) {
        Some(more) => Verdict::Denied {
            because: format!(
                "the role {} includes {}, which yours does not",
                people.role_name(role),
                more.word()
            ),
        },
        None => Verdict::Allowed,
    }
}

/// Which workloads somebody sees in a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    Nothing,
    /// Public ones, and their own.
    Public,
    All,
}

/// The same as asking [`may`] for each of them.
pub fn sight(people: &People, user: MemberId, workspace: WorkspaceId) -> Sight {
    let Some(of) = people.user(user).filter(|user| !user.disabled) else { return Sight::Nothing };
    if of.platform_admin {
        return Sight::All;
    }
    match people.actions_in(workspace, user) {
        Some(actions) if actions.contains(Action::WorkloadRead) => {
            match actions.contains(Action::WorkloadOperate) {
                true => Sight::All,
                false => Sight::Public,
            }
        }
        _ => Sight::Nothing,
    }
}

/// The workspace of a request that names none: an error lists those to choose from.
pub fn only_room(people: &People, user: &User) -> Result<WorkspaceId, Vec<Box<str>>> {
    let rooms: Vec<WorkspaceId> = match user.kind {
        UserKind::ServiceAccount(room) => vec![room],
        UserKind::Person => people.rooms(user.id).collect(),
    };
    match rooms[..] {
        [one] => Ok(one),
        _ => Err(rooms.iter().filter_map(|id| people.workspace(*id)).map(|room| room.name.clone()).collect()),
    }
}
