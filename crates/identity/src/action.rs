//! What can be done. A role is a set of these; so is the scope of a token.

use serde::{Deserialize, Serialize};

/// Where an action is allowed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// By a role in a workspace.
    Workspace,
    /// By being an administrator of the platform.
    Platform,
    /// To everybody who is known.
    Everybody,
}

macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $level:ident, $about:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action { $($(#[$doc])* $variant),+ }

        impl Action {
            pub const ALL: &'static [Action] = &[$(Action::$variant),+];

            /// As it is written.
            pub fn word(self) -> &'static str {
                match self { $(Action::$variant => $word),+ }
            }

            pub fn level(self) -> Level {
                match self { $(Action::$variant => Level::$level),+ }
            }

            /// What it lets somebody do.
            pub fn about(self) -> &'static str {
                match self { $(Action::$variant => $about),+ }
            }

            pub fn parse(word: &str) -> Option<Action> {
                match word { $($word => Some(Action::$variant),)+ _ => None }
            }
        }
    };
}

actions! {
    WorkloadSubmit = "workload:submit", Workspace, "submit workloads";
    WorkloadRead = "workload:read", Workspace, "see public workloads and one's own, with their output";
    WorkloadUpdate = "workload:update", Workspace, "start, stop, restart, resize and delete one's own workloads";
    WorkloadOpen = "workload:open", Workspace, "use public notebooks and services and one's own";
    WorkloadOperate = "workload:operate", Workspace, "see private workloads, and do to everybody's what one may do to one's own";
    TaskSubmit = "task:submit", Workspace, "run tasks of templates, on shared compute too";
    TemplateUpdate = "template:update", Workspace, "make, change and delete templates of tasks";
    WorkspaceRead = "workspace:read", Workspace, "see the workspace, its members and its policies";
    WorkspaceUpdate = "workspace:update", Workspace, "change the workspace's description and default quota";
    MemberUpdate = "member:update", Workspace, "add and remove members, change their roles, and make service accounts";
    PolicyUpdate = "policy:update", Workspace, "change the workspace's policies";
    WebhookUpdate = "webhook:update", Workspace, "see and change webhooks";
    AuditRead = "audit:read", Workspace, "read who changed what in the workspace";
    UsageRead = "usage:read", Workspace, "see what everybody in the workspace has used, with the names of their work, and what it costs";

    ResourceRequestCreate = "resource-request:create", Workspace, "ask for dedicated compute, withdraw one's own requests, and release what came of them";
    ResourceConfigUpdate = "resource-config:update", Workspace, "withdraw everybody's requests, and release dedicated compute of the workspace";

    PoolRead = "pool:read", Platform, "see pools and nodes";
    PoolUpdate = "pool:update", Platform, "change pools and nodes";
    QuotaUpdate = "quota:update", Platform, "create, scale, transfer, set and delete quotas";
    WorkspaceCreate = "workspace:create", Platform, "create and delete workspaces, attach and detach quotas";
    UserRead = "user:read", Platform, "see all users";
    UserUpdate = "user:update", Platform, "invite, change and remove users";
    RoleUpdate = "role:update", Platform, "make and change roles";
    MetricsRead = "metrics:read", Platform, "read the metrics";
    SimulationFromServer = "simulation:from-server", Platform, "simulate from the server's present state";
    PriceUpdate = "price:update", Platform, "make price books and set prices";
    UsageCorrect = "usage:correct", Platform, "correct what was metered";
    ResourceConfigApprove = "resource-config:approve", Platform, "approve, decline and extend dedicated compute";
    BudgetUpdate = "budget:update", Platform, "set budgets of workspaces";
    PlatformAudit = "audit:read-all", Platform, "read who changed what everywhere";

    /// Whether a quota is seen depends on what is attached to one's workspaces.
    QuotaRead = "quota:read", Everybody, "see quotas of one's workspaces";
    PriceRead = "price:read", Everybody, "see prices";
    SimulationRun = "simulation:run", Everybody, "run simulations";
    SelfUpdate = "self:update", Everybody, "change one's own password and tokens";
}

/// Some of them, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "Vec<String>", try_from = "Vec<String>")]
pub struct ActionSet(u64);

impl ActionSet {
    pub const NONE: ActionSet = ActionSet(0);

    pub fn all() -> ActionSet {
        Action::ALL.iter().copied().collect()
    }

    #[must_use]
    pub fn with(self, action: Action) -> ActionSet {
        ActionSet(self.0 | 1 << action as u32)
    }

    pub fn contains(self, action: Action) -> bool {
        self.0 & (1 << action as u32) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Action> {
        Action::ALL.iter().copied().filter(move |action| self.contains(*action))
    }
}

impl FromIterator<Action> for ActionSet {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> ActionSet {
        actions.into_iter().fold(ActionSet::NONE, ActionSet::with)
    }
}

/// Written as words: numbers of actions may change from release to release.
impl From<ActionSet> for Vec<String> {
    fn from(set: ActionSet) -> Vec<String> {
        set.iter().map(|action| action.word().to_string()).collect()
    }
}

impl TryFrom<Vec<String>> for ActionSet {
    type Error = String;
    fn try_from(words: Vec<String>) -> Result<ActionSet, String> {
        let known = |word: String| Action::parse(&word).ok_or_else(|| format!("there is no action {word:?}"));
        words.into_iter().map(known).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_back() {
        assert!(Action::ALL.len() <= 64, "one bit each");
        for action in Action::ALL {
            assert_eq!(Action::parse(action.word()), Some(*action));
        }
        assert_eq!(ActionSet::all().iter().count(), Action::ALL.len());
        let words: Vec<String> = ActionSet::all().into();
        assert_eq!(ActionSet::try_from(words), Ok(ActionSet::all()));
        assert!(ActionSet::try_from(vec!["quota:eat".to_string()]).is_err());
    }
}
