//! Roles in a workspace: five that are always there, and those that somebody makes.

use crate::action::Action::*;
use crate::action::{Action, ActionSet, Level};
use tidegate_engine::ids::RoleId;

/// A role that is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuiltIn {
    Owner,
    Admin,
    Developer,
    Operator,
    Guest,
}

/// Roles that are made have numbers from here on, up to [`LAST_MADE`].
pub const FIRST_MADE: RoleId = RoleId(8);
/// The engine keeps the roles of a member in 64 bits.
pub const LAST_MADE: RoleId = RoleId(63);

impl BuiltIn {
    pub const ALL: [BuiltIn; 5] =
        [BuiltIn::Owner, BuiltIn::Admin, BuiltIn::Developer, BuiltIn::Operator, BuiltIn::Guest];

    pub fn id(self) -> RoleId {
        RoleId(self as u8)
    }

    pub fn of(id: RoleId) -> Option<BuiltIn> {
        BuiltIn::ALL.get(usize::from(id.0)).copied()
    }

    pub fn word(self) -> &'static str {
        match self {
            BuiltIn::Owner => "owner",
            BuiltIn::Admin => "admin",
            BuiltIn::Developer => "developer",
            BuiltIn::Operator => "operator",
            BuiltIn::Guest => "guest",
        }
    }

    pub fn parse(word: &str) -> Option<BuiltIn> {
        BuiltIn::ALL.into_iter().find(|role| role.word() == word)
    }

    pub fn actions(self) -> ActionSet {
        let of = |actions: &[Action]| actions.iter().copied().collect();
        match self {
            // An owner may also make and unmake owners: see `ranks_above`.
            BuiltIn::Owner | BuiltIn::Admin => {
                Action::ALL.iter().copied().filter(|action| action.level() == Level::Workspace).collect()
            }
            BuiltIn::Developer => of(&[
                WorkloadSubmit,
                WorkloadRead,
                WorkloadUpdate,
                WorkloadOpen,
                TaskSubmit,
                TemplateUpdate,
                ResourceRequestCreate,
                WorkspaceRead,
            ]),
            BuiltIn::Operator => of(&[
                WorkloadSubmit,
                WorkloadRead,
                WorkloadUpdate,
                WorkloadOpen,
                WorkloadOperate,
                TaskSubmit,
                TemplateUpdate,
                ResourceRequestCreate,
                WorkspaceRead,
            ]),
            BuiltIn::Guest => of(&[WorkloadRead, WorkspaceRead]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_lead_back() {
        for role in BuiltIn::ALL {
            assert_eq!(BuiltIn::of(role.id()), Some(role));
            assert_eq!(BuiltIn::parse(role.word()), Some(role));
            assert!(role.id() < FIRST_MADE);
            assert!(role.actions().iter().all(|action| action.level() == Level::Workspace), "{role:?}");
        }
        assert_eq!(BuiltIn::of(FIRST_MADE), None);
    }
}
