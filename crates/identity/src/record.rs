//! What is kept of users, workspaces and all that belongs to them, and how a change is written down.

use crate::action::ActionSet;
use crate::policy::Policy;
use serde::{Deserialize, Serialize};
use tidegate_engine::ids::{MemberId, QuotaId, RoleId, Tick, WorkspaceId};

/// Somebody who may act: a person, or a program with an account of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    pub id: MemberId,
    /// What is typed to log in, and shown.
    pub name: Box<str>,
    pub kind: UserKind,
    pub platform_admin: bool,
    /// Nobody acts for it any more; what it did stays.
    pub disabled: bool,
    /// A hash by argon2id, with its parameters; `None`: no log-in by password.
    pub password: Option<Box<str>>,
    /// Issuer and subject at a provider of identities.
    pub provider: Option<(Box<str>, Box<str>)>,
    pub created: Tick,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserKind {
    Person,
    /// Of a workspace: it goes with it, and acts nowhere else.
    ServiceAccount(WorkspaceId),
}

/// A team's room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: Box<str>,
    pub description: Box<str>,
    /// What it may use, ascending.
    pub quotas: Vec<QuotaId>,
    /// Where work goes that names none.
    pub default_quota: Option<QuotaId>,
    pub created: Tick,
}

/// Somebody in a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub workspace: WorkspaceId,
    pub user: MemberId,
    pub role: RoleId,
    pub since: Tick,
}

/// A role that somebody made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    pub id: RoleId,
    pub name: Box<str>,
    pub actions: ActionSet,
    pub created: Tick,
}

/// A token, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TokenId(pub u32);

/// What lets somebody in who has the secret. The secret itself is known to its bearer alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub id: TokenId,
    pub user: MemberId,
    pub name: Box<str>,
    pub kind: TokenKind,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// The only actions that it is good for; `None`: all that its user may.
    pub scope: Option<ActionSet>,
    pub created: Tick,
    pub expires: Option<Tick>,
    /// To the hour.
    pub last_used: Option<Tick>,
}

impl Token {
    pub fn is_good(&self, now: Tick) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenKind {
    /// For programs and the command line.
    Bearer,
    /// Of a browser that has logged in.
    Session,
    /// A link that sets a password, once.
    Invitation,
}

/// Which things of a workspace a webhook is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    Preempted,
    WaitingTooLong,
    Failed,
    Finished,
    Budget,
}

impl Notice {
    pub const ALL: [Notice; 5] =
        [Notice::Preempted, Notice::WaitingTooLong, Notice::Failed, Notice::Finished, Notice::Budget];

    pub fn word(self) -> &'static str {
        match self {
            Notice::Preempted => "preempted",
            Notice::WaitingTooLong => "waiting-too-long",
            Notice::Failed => "failed",
            Notice::Finished => "finished",
            Notice::Budget => "budget",
        }
    }
}

/// An address that is told what happens in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    pub workspace: WorkspaceId,
    pub name: Box<str>,
    pub url: Box<str>,
    /// Ascending.
    pub notices: Vec<Notice>,
    /// What messages are signed with: both sides know it.
    pub secret: Box<str>,
    pub created: Tick,
}

/// One thing that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    User(User),
    Workspace(Workspace),
    Member(Member),
    Role(Role),
    Token(Token),
    /// What the scheduling center of a workspace says of one of its quotas.
    Policy(WorkspaceId, QuotaId, Box<Policy>),
    Webhook(Webhook),
}

/// A record came, changed or went. At least one side is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub at: Tick,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<Record>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<Record>>,
}
