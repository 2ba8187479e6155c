//! What those were called who are gone: the log speaks of them by number.

use crate::record::{Record, UserKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tidegate_engine::ids::{MemberId, RoleId, WorkspaceId};

/// Names of users, workspaces and roles that are no more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gone {
    pub(crate) users: BTreeMap<MemberId, Box<str>>,
    /// Workspaces of those that were service accounts.
    pub(crate) accounts: BTreeMap<MemberId, WorkspaceId>,
    pub(crate) workspaces: BTreeMap<WorkspaceId, Box<str>>,
    /// There are few numbers for roles: one that is given out again is the new role's alone.
    pub(crate) roles: BTreeMap<RoleId, Box<str>>,
}

impl Gone {
    /// Remembers who goes.
    pub(crate) fn keep(&mut self, record: &Record) {
        match record {
            Record::User(user) => {
                self.users.insert(user.id, user.name.clone());
                if let UserKind::ServiceAccount(room) = user.kind {
                    self.accounts.insert(user.id, room);
                }
            }
            Record::Workspace(room) => drop(self.workspaces.insert(room.id, room.name.clone())),
            Record::Role(role) => drop(self.roles.insert(role.id, role.name.clone())),
            Record::Member(_) | Record::Token(_) | Record::Policy(..) | Record::Webhook(_) => {}
        }
    }
}
