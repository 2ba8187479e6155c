//! Everybody and everything that is known of them: what all changes together have made.

use crate::action::ActionSet;
use crate::gone::Gone;
use crate::policy::Policy;
use crate::record::{
    Change, Member, Record, Role, Token, TokenId, TokenKind, User, UserKind, Webhook, Workspace,
};
use crate::role::{BuiltIn, FIRST_MADE, LAST_MADE};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidegate_engine::ids::{MemberId, QuotaId, RoleId, Tick, WorkspaceId};

/// The first administrator: there from the beginning, with the token in the data directory.
pub const ADMIN: MemberId = MemberId(0);
pub const ADMIN_NAME: &str = "admin";
/// The room of who has no other: there from the beginning, and open to every quota.
pub const DEFAULT_NAME: &str = "default";

/// What has a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Versioned {
    /// With its members, policies and webhooks.
    Workspace(WorkspaceId),
    User(MemberId),
    Role(RoleId),
}

/// Each table is shared until it changes: a copy of all costs nothing, a change copies one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    users: Arc<BTreeMap<MemberId, User>>,
    workspaces: Arc<BTreeMap<WorkspaceId, Workspace>>,
    members: Arc<BTreeMap<(WorkspaceId, MemberId), Member>>,
    roles: Arc<BTreeMap<RoleId, Role>>,
    tokens: Arc<BTreeMap<TokenId, Token>>,
    policies: Arc<BTreeMap<(WorkspaceId, QuotaId), Policy>>,
    webhooks: Arc<BTreeMap<(WorkspaceId, Box<str>), Webhook>>,
    /// When each last changed: the number of the change.
    versions: Arc<BTreeMap<Versioned, u64>>,
    gone: Arc<Gone>,
    next_user: u32,
    next_workspace: u32,
    next_token: u32,
    // Found by other things than their numbers.
    user_names: Arc<BTreeMap<Box<str>, MemberId>>,
    workspace_names: Arc<BTreeMap<Box<str>, WorkspaceId>>,
    rooms: Arc<BTreeMap<MemberId, BTreeSet<WorkspaceId>>>,
    hashes: Arc<BTreeMap<[u8; 32], TokenId>>,
}

impl Default for People {
    fn default() -> People {
        let mut people = People {
            users: Arc::default(),
            workspaces: Arc::default(),
            members: Arc::default(),
            roles: Arc::default(),
            tokens: Arc::default(),
            policies: Arc::default(),
            webhooks: Arc::default(),
            versions: Arc::default(),
            gone: Arc::default(),
            next_user: 0,
            next_workspace: 0,
            next_token: 0,
            user_names: Arc::default(),
            workspace_names: Arc::default(),
            rooms: Arc::default(),
            hashes: Arc::default(),
        };
        let at = Tick(0);
        let admin = User {
            id: ADMIN,
            name: ADMIN_NAME.into(),
            kind: UserKind::Person,
            platform_admin: true,
            disabled: false,
            password: None,
            provider: None,
            created: at,
        };
        let room = Workspace {
            id: WorkspaceId::DEFAULT,
            name: DEFAULT_NAME.into(),
            description: "".into(),
            quotas: Vec::new(),
            default_quota: None,
            created: at,
        };
        let owner =
            Member { workspace: WorkspaceId::DEFAULT, user: ADMIN, role: BuiltIn::Owner.id(), since: at };
        for record in [Record::User(admin), Record::Workspace(room), Record::Member(owner)] {
            people.apply(0, &Change { at, before: None, after: Some(Box::new(record)) });
        }
        people
    }
}

impl People {
    /// Takes in a change; the only place where anything changes. `number` is its own in the log.
    pub fn apply(&mut self, number: u64, change: &Change) {
        let of = change.after.as_ref().or(change.before.as_ref()).and_then(|record| versioned(record));
        if let Some(before) = &change.before {
            self.remove(before);
        }
        match (&change.before, &change.after) {
            (_, Some(after)) => self.insert((**after).clone()),
            (Some(before), None) => Arc::make_mut(&mut self.gone).keep(before),
            (None, None) => {}
        }
        if let Some(of) = of {
            Arc::make_mut(&mut self.versions).insert(of, number);
        }
    }

    fn remove(&mut self, record: &Record) {
        match record {
            Record::User(user) => {
                Arc::make_mut(&mut self.users).remove(&user.id);
                Arc::make_mut(&mut self.user_names).remove(&user.name);
            }
            Record::Workspace(workspace) => {
                Arc::make_mut(&mut self.workspaces).remove(&workspace.id);
                Arc::make_mut(&mut self.workspace_names).remove(&workspace.name);
            }
            Record::Member(member) => {
                Arc::make_mut(&mut self.members).remove(&(member.workspace, member.user));
                let rooms = Arc::make_mut(&mut self.rooms);
                if let Some(of_user) = rooms.get_mut(&member.user) {
                    of_user.remove(&member.workspace);
                }
            }
            Record::Role(role) => {
                Arc::make_mut(&mut self.roles).remove(&role.id);
            }
            Record::Token(token) => {
                Arc::make_mut(&mut self.tokens).remove(&token.id);
                Arc::make_mut(&mut self.hashes).remove(&token.hash);
            }
            Record::Policy(workspace, quota, _) => {
                Arc::make_mut(&mut self.policies).remove(&(*workspace, *quota));
            }
            Record::Webhook(hook) => {
                Arc::make_mut(&mut self.webhooks).remove(&(hook.workspace, hook.name.clone()));
            }
        }
    }

    fn insert(&mut self, record: Record) {
        match record {
            Record::User(user) => {
                self.next_user = self.next_user.max(user.id.0 + 1);
                Arc::make_mut(&mut self.user_names).insert(user.name.clone(), user.id);
                Arc::make_mut(&mut self.users).insert(user.id, user);
            }
            Record::Workspace(workspace) => {
                self.next_workspace = self.next_workspace.max(workspace.id.0 + 1);
                Arc::make_mut(&mut self.workspace_names).insert(workspace.name.clone(), workspace.id);
                Arc::make_mut(&mut self.workspaces).insert(workspace.id, workspace);
            }
            Record::Member(member) => {
                Arc::make_mut(&mut self.rooms).entry(member.user).or_default().insert(member.workspace);
                Arc::make_mut(&mut self.members).insert((member.workspace, member.user), member);
            }
            Record::Role(role) => {
                if self.gone.roles.contains_key(&role.id) {
                    Arc::make_mut(&mut self.gone).roles.remove(&role.id);
                }
                Arc::make_mut(&mut self.roles).insert(role.id, role);
            }
            Record::Token(token) => {
                self.next_token = self.next_token.max(token.id.0 + 1);
                Arc::make_mut(&mut self.hashes).insert(token.hash, token.id);
                Arc::make_mut(&mut self.tokens).insert(token.id, token);
            }
            Record::Policy(workspace, quota, policy) => {
                Arc::make_mut(&mut self.policies).insert((workspace, quota), *policy);
            }
            Record::Webhook(hook) => {
                Arc::make_mut(&mut self.webhooks).insert((hook.workspace, hook.name.clone()), hook);
            }
        }
    }

    pub fn next_user(&self) -> MemberId {
        MemberId(self.next_user)
    }

    pub fn next_workspace(&self) -> WorkspaceId {
        WorkspaceId(self.next_workspace)
    }

    pub fn next_token(&self) -> TokenId {
        TokenId(self.next_token)
    }

    /// A number for a new role, one that no other role ever had while there are such; `None` when there are too many.
    pub fn next_role(&self) -> Option<RoleId> {
        let free = || (FIRST_MADE.0..=LAST_MADE.0).map(RoleId).filter(|id| !self.roles.contains_key(id));
        free().find(|id| !self.gone.roles.contains_key(id)).or_else(|| free().next())
    }

    pub fn user(&self, id: MemberId) -> Option<&User> {
        self.users.get(&id)
    }

    pub fn user_named(&self, name: &str) -> Option<&User> {
        self.users.get(self.user_names.get(name)?)
    }

    /// Whoever is called so but for upper and lower case: nobody else is to be taken for them.
    pub fn user_alike(&self, name: &str) -> Option<&User> {
        self.user_named(name).or_else(|| self.users().find(|user| user.name.eq_ignore_ascii_case(name)))
    }

    pub fn users(&self) -> impl DoubleEndedIterator<Item = &User> {
        self.users.values()
    }

    /// What a user is called, or was while it was there.
    pub fn user_name(&self, id: MemberId) -> Option<&str> {
        self.users.get(&id).map(|user| &*user.name).or_else(|| self.gone.users.get(&id).map(|name| &**name))
    }

    /// The workspace of a service account, also of one that is gone.
    pub fn room_of_account(&self, id: MemberId) -> Option<WorkspaceId> {
        match self.users.get(&id).map(|user| user.kind) {
            Some(UserKind::ServiceAccount(room)) => Some(room),
            Some(UserKind::Person) => None,
            None => self.gone.accounts.get(&id).copied(),
        }
    }

    /// Whether there is nobody but the first administrator.
    pub fn is_one_person(&self) -> bool {
        self.users.len() == 1
    }

    /// Who a provider of identities calls so.
    pub fn user_of_provider(&self, issuer: &str, subject: &str) -> Option<&User> {
        let is = |of: &(Box<str>, Box<str>)| &*of.0 == issuer && &*of.1 == subject;
        self.users.values().find(|user| user.provider.as_ref().is_some_and(is))
    }

    pub fn workspace(&self, id: WorkspaceId) -> Option<&Workspace> {
        self.workspaces.get(&id)
    }

    pub fn workspace_named(&self, name: &str) -> Option<&Workspace> {
        self.workspaces.get(self.workspace_names.get(name)?)
    }

    /// The workspace that is called so but for upper and lower case.
    pub fn workspace_alike(&self, name: &str) -> Option<&Workspace> {
        self.workspace_named(name)
            .or_else(|| self.workspaces().find(|room| room.name.eq_ignore_ascii_case(name)))
    }

    pub fn workspaces(&self) -> impl DoubleEndedIterator<Item = &Workspace> {
        self.workspaces.values()
    }

    /// What a workspace is called, or was while it was there.
    pub fn workspace_name(&self, id: WorkspaceId) -> Option<&str> {
        let gone = || self.gone.workspaces.get(&id).map(|name| &**name);
        self.workspaces.get(&id).map(|room| &*room.name).or_else(gone)
    }

    /// The number of the last change of a workspace and what belongs to it.
    pub fn version(&self, id: WorkspaceId) -> u64 {
        self.version_of(Versioned::Workspace(id))
    }

    /// The number of its last change.
    pub fn version_of(&self, what: Versioned) -> u64 {
        self.versions.get(&what).copied().unwrap_or_default()
    }

    pub fn member(&self, workspace: WorkspaceId, user: MemberId) -> Option<&Member> {
        self.members.get(&(workspace, user))
    }

    pub fn members(&self, workspace: WorkspaceId) -> impl Iterator<Item = &Member> {
        self.members
            .range((workspace, MemberId(0))..=(workspace, MemberId(u32::MAX)))
            .map(|(_, member)| member)
    }

    /// Workspaces that a user is a member of, ascending.
    pub fn rooms(&self, user: MemberId) -> impl Iterator<Item = WorkspaceId> {
        self.rooms.get(&user).into_iter().flatten().copied()
    }

    pub fn roles(&self) -> impl Iterator<Item = &Role> {
        self.roles.values()
    }

    /// A role by its name, made or always there.
    pub fn role_named(&self, name: &str) -> Option<RoleId> {
        let built_in = BuiltIn::parse(name).map(BuiltIn::id);
        built_in.or_else(|| self.roles.values().find(|role| &*role.name == name).map(|role| role.id))
    }

    /// The role that is called so but for upper and lower case.
    pub fn role_alike(&self, name: &str) -> Option<RoleId> {
        let built_in = BuiltIn::parse(&name.to_ascii_lowercase()).map(BuiltIn::id);
        built_in.or_else(|| {
            let made = self.roles.values().find(|role| role.name.eq_ignore_ascii_case(name));
            made.map(|role| role.id)
        })
    }

    /// What a role is called, or was while it was there.
    pub fn role_name(&self, id: RoleId) -> &str {
        let made = || self.roles.get(&id).map(|role| &role.name).or_else(|| self.gone.roles.get(&id));
        match BuiltIn::of(id) {
            Some(built_in) => built_in.word(),
            None => made().map_or("unknown", |name| &**name),
        }
    }

    pub fn role_actions(&self, id: RoleId) -> ActionSet {
        let made = || self.roles.get(&id).map_or(ActionSet::NONE, |role| role.actions);
        BuiltIn::of(id).map_or_else(made, BuiltIn::actions)
    }

    /// What a user may do in a workspace by its role there.
    pub fn actions_in(&self, workspace: WorkspaceId, user: MemberId) -> Option<ActionSet> {
        self.member(workspace, user).map(|member| self.role_actions(member.role))
    }

    pub fn token(&self, id: TokenId) -> Option<&Token> {
        self.tokens.get(&id)
    }

    pub fn token_with(&self, hash: &[u8; 32]) -> Option<&Token> {
        self.tokens.get(self.hashes.get(hash)?)
    }

    pub fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.tokens.values()
    }

    /// Tokens of a user of one kind.
    pub fn tokens_of(&self, user: MemberId, kind: TokenKind) -> impl Iterator<Item = &Token> {
        self.tokens.values().filter(move |token| token.user == user && token.kind == kind)
    }

    pub fn policy(&self, workspace: WorkspaceId, quota: QuotaId) -> Option<&Policy> {
        self.policies.get(&(workspace, quota))
    }

    pub fn policies(&self, workspace: WorkspaceId) -> impl Iterator<Item = (QuotaId, &Policy)> {
        let all = (workspace, QuotaId(0))..=(workspace, QuotaId(u32::MAX));
        self.policies.range(all).map(|((_, quota), policy)| (*quota, policy))
    }

    /// Every policy of every workspace.
    pub fn all_policies(&self) -> impl Iterator<Item = (WorkspaceId, QuotaId, &Policy)> {
        self.policies.iter().map(|((workspace, quota), policy)| (*workspace, *quota, policy))
    }

    pub fn webhook(&self, workspace: WorkspaceId, name: &str) -> Option<&Webhook> {
        self.webhooks.get(&(workspace, name.into()))
    }

    pub fn webhooks(&self, workspace: WorkspaceId) -> impl Iterator<Item = &Webhook> {
        let from = (workspace, Box::from(""));
        self.webhooks.range(from..).map(|(_, hook)| hook).take_while(move |hook| hook.workspace == workspace)
    }

    /// Whether there is any webhook at all.
    pub fn has_webhooks(&self) -> bool {
        !self.webhooks.is_empty()
    }

    /// Whether work of a workspace may go to a quota. The default workspace is open to all.
    pub fn may_use(&self, workspace: WorkspaceId, quota: QuotaId) -> bool {
        workspace == WorkspaceId::DEFAULT
            || self.workspace(workspace).is_some_and(|room| room.quotas.binary_search(&quota).is_ok())
    }

    /// Workspaces that a quota is attached to.
    pub fn attached(&self, quota: QuotaId) -> impl Iterator<Item = &Workspace> {
        self.workspaces.values().filter(move |room| room.quotas.binary_search(&quota).is_ok())
    }
}

/// Whose version a change of this record changes.
fn versioned(record: &Record) -> Option<Versioned> {
    match record {
        Record::Workspace(workspace) => Some(Versioned::Workspace(workspace.id)),
        Record::Member(member) => Some(Versioned::Workspace(member.workspace)),
        Record::Policy(workspace, ..) => Some(Versioned::Workspace(*workspace)),
        Record::Webhook(hook) => Some(Versioned::Workspace(hook.workspace)),
        Record::User(user) => Some(Versioned::User(user.id)),
        Record::Role(role) => Some(Versioned::Role(role.id)),
        Record::Token(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(people: &mut People, number: u64, before: Option<Record>, after: Option<Record>) {
        let boxed = |record: Option<Record>| record.map(Box::new);
        people.apply(number, &Change { at: Tick(number), before: boxed(before), after: boxed(after) });
    }

    #[test]
    fn there_is_an_administrator_and_a_room_from_the_beginning() {
        let people = People::default();
        assert_eq!(people.user_named("admin").map(|user| user.id), Some(ADMIN));
        assert_eq!(people.rooms(ADMIN).collect::<Vec<_>>(), [WorkspaceId::DEFAULT]);
        assert!(people.may_use(WorkspaceId::DEFAULT, QuotaId(7)));
        assert_eq!((people.next_user(), people.next_workspace()), (MemberId(1), WorkspaceId(1)));
    }

    #[test]
    fn what_goes_is_not_found_any_more_and_its_number_is_not_used_again() {
        let mut people = People::default();
        let room = Workspace {
            id: people.next_workspace(),
            name: "team-b".into(),
            description: "".into(),
            quotas: vec![QuotaId(3)],
            default_quota: None,
            created: Tick(1),
        };
        put(&mut people, 5, None, Some(Record::Workspace(room.clone())));
        let member = Member { workspace: room.id, user: ADMIN, role: BuiltIn::Guest.id(), since: Tick(1) };
        put(&mut people, 6, None, Some(Record::Member(member)));
        assert_eq!(people.version(room.id), 6);
        assert_eq!(people.rooms(ADMIN).count(), 2);
        assert!(people.may_use(room.id, QuotaId(3)) && !people.may_use(room.id, QuotaId(4)));
        assert_eq!(people.attached(QuotaId(3)).count(), 1);
        let renamed = Workspace { name: "team-c".into(), ..room.clone() };
        put(&mut people, 7, Some(Record::Workspace(room.clone())), Some(Record::Workspace(renamed.clone())));
        assert!(people.workspace_named("team-b").is_none() && people.workspace_named("team-c").is_some());
        put(&mut people, 8, Some(Record::Member(member)), None);
        put(&mut people, 9, Some(Record::Workspace(renamed)), None);
        assert_eq!(people.rooms(ADMIN).count(), 1);
        assert_eq!(people.next_workspace(), WorkspaceId(2));
        assert_eq!(people.workspace_name(room.id), Some("team-c"), "what the log speaks of keeps its name");
    }

    #[test]
    fn a_role_gets_the_number_of_another_only_when_there_are_no_more() {
        let mut people = People::default();
        let role = |id, name: &str| {
            Record::Role(Role { id, name: name.into(), actions: ActionSet::NONE, created: Tick(1) })
        };
        for id in FIRST_MADE.0..=LAST_MADE.0 {
            let id = RoleId(id);
            assert_eq!(people.next_role(), Some(id));
            put(&mut people, 5, None, Some(role(id, "student")));
            put(&mut people, 6, Some(role(id, "student")), None);
            assert_eq!(people.role_name(id), "student");
        }
        put(&mut people, 7, None, Some(role(FIRST_MADE, "guide")));
        assert_eq!((people.role_name(FIRST_MADE), people.next_role()), ("guide", Some(RoleId(9))));
        assert_eq!(people.version_of(Versioned::Role(FIRST_MADE)), 7);
    }
}
