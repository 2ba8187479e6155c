//! What every route asks of its caller: one table, so that no route is forgotten. What is not in it is not answered.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use tidegate_identity::Action;
use tidegate_identity::Action::*;

/// What a caller must be allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing: it only must be known who it is.
    Known,
    /// This, of the platform as a whole. Looked at before the route is.
    Platform(Action),
    /// This, of the thing that the route is about. Looked at by the route, which knows the thing.
    Thing(Action),
}

use Need::{Known, Platform, Thing};

/// Method and path, as the router has them.
pub const ROUTES: &[(&str, &str, Need)] = &[
    ("GET", "/metrics", Platform(MetricsRead)),
    ("GET", "/api/v1/whoami", Known),
    ("GET", "/api/v1/openapi.json", Known),
    ("GET", "/api/v1/watch", Known),
    ("POST", "/api/v1/apply", Known),
    ("POST", "/api/v1/simulations", Platform(SimulationRun)),
    ("GET", "/api/v1/pools", Platform(PoolRead)),
    ("POST", "/api/v1/pools", Platform(PoolUpdate)),
    ("GET", "/api/v1/pools/{name}", Platform(PoolRead)),
    ("GET", "/api/v1/nodes", Platform(PoolRead)),
    ("POST", "/api/v1/nodes", Platform(PoolUpdate)),
    ("GET", "/api/v1/nodes/{name}", Platform(PoolRead)),
    ("DELETE", "/api/v1/nodes/{name}", Platform(PoolUpdate)),
    ("POST", "/api/v1/nodes/{name}/-cordon", Platform(PoolUpdate)),
    ("POST", "/api/v1/nodes/{name}/-uncordon", Platform(PoolUpdate)),
    ("POST", "/api/v1/nodes/{name}/-drain", Platform(PoolUpdate)),
    ("POST", "/api/v1/nodes/{name}/-quarantine", Platform(PoolUpdate)),
    ("POST", "/api/v1/nodes/{name}/-restore", Platform(PoolUpdate)),
    ("GET", "/api/v1/nodes/{name}/series", Platform(PoolRead)),
    ("GET", "/api/v1/quotas", Thing(QuotaRead)),
    ("POST", "/api/v1/quotas", Platform(QuotaUpdate)),
    ("GET", "/api/v1/quotas/-tree", Thing(QuotaRead)),
    ("GET", "/api/v1/quotas/{name}", Thing(QuotaRead)),
    ("PUT", "/api/v1/quotas/{name}", Platform(QuotaUpdate)),
    ("DELETE", "/api/v1/quotas/{name}", Platform(QuotaUpdate)),
    ("POST", "/api/v1/quotas/{name}/-scale", Platform(QuotaUpdate)),
    ("POST", "/api/v1/quotas/{name}/-transfer", Platform(QuotaUpdate)),
    ("GET", "/api/v1/quotas/{name}/history", Thing(QuotaRead)),
    ("GET", "/api/v1/quotas/{name}/queue", Thing(QuotaRead)),
    ("GET", "/api/v1/quotas/{name}/series", Thing(QuotaRead)),
    ("GET", "/api/v1/quotas/{name}/usage", Thing(QuotaRead)),
    ("GET", "/api/v1/workloads", Thing(WorkloadRead)),
    ("POST", "/api/v1/workloads", Thing(WorkloadSubmit)),
    ("POST", "/api/v1/workloads/-batch", Thing(WorkloadSubmit)),
    ("GET", "/api/v1/workloads/{name}", Thing(WorkloadRead)),
    ("DELETE", "/api/v1/workloads/{name}", Thing(WorkloadUpdate)),
    ("POST", "/api/v1/workloads/{name}/-start", Thing(WorkloadUpdate)),
    ("POST", "/api/v1/workloads/{name}/-stop", Thing(WorkloadUpdate)),
    ("POST", "/api/v1/workloads/{name}/-restart", Thing(WorkloadUpdate)),
    ("POST", "/api/v1/workloads/{name}/-open", Thing(WorkloadOpen)),
    ("POST", "/api/v1/workloads/{name}/-resize", Thing(WorkloadUpdate)),
    ("POST", "/api/v1/workloads/{name}/-priority", Thing(WorkloadUpdate)),
    ("GET", "/api/v1/workloads/{name}/-explain", Thing(WorkloadRead)),
    ("GET", "/api/v1/workloads/{name}/events", Thing(WorkloadRead)),
    ("GET", "/api/v1/workloads/{name}/logs", Thing(WorkloadRead)),
    ("GET", "/api/v1/workloads/{name}/series", Thing(WorkloadRead)),
    ("GET", "/api/v1/workspaces", Thing(WorkspaceRead)),
    ("POST", "/api/v1/workspaces", Platform(WorkspaceCreate)),
    ("GET", "/api/v1/workspaces/{name}", Thing(WorkspaceRead)),
    ("PUT", "/api/v1/workspaces/{name}", Thing(WorkspaceUpdate)),
    ("DELETE", "/api/v1/workspaces/{name}", Platform(WorkspaceCreate)),
    ("POST", "/api/v1/workspaces/{name}/-attach", Platform(WorkspaceCreate)),
    ("POST", "/api/v1/workspaces/{name}/-detach", Platform(WorkspaceCreate)),
    ("GET", "/api/v1/workspaces/{name}/policies", Thing(WorkspaceRead)),
    ("GET", "/api/v1/workspaces/{name}/policies/{quota}", Thing(WorkspaceRead)),
    ("PUT", "/api/v1/workspaces/{name}/policies/{quota}", Thing(PolicyUpdate)),
    ("GET", "/api/v1/workspaces/{name}/usage", Thing(WorkspaceRead)),
    ("GET", "/api/v1/workspaces/{name}/series", Thing(WorkspaceRead)),
    ("GET", "/api/v1/workspaces/{name}/members", Thing(WorkspaceRead)),
    ("PUT", "/api/v1/workspaces/{name}/members/{user}", Thing(MemberUpdate)),
    ("DELETE", "/api/v1/workspaces/{name}/members/{user}", Thing(MemberUpdate)),
    ("POST", "/api/v1/workspaces/{name}/service-accounts", Thing(MemberUpdate)),
    ("DELETE", "/api/v1/workspaces/{name}/service-accounts/{user}", Thing(MemberUpdate)),
    ("GET", "/api/v1/workspaces/{name}/webhooks", Thing(WebhookUpdate)),
    ("GET", "/api/v1/workspaces/{name}/webhooks/{hook}", Thing(WebhookUpdate)),
    ("PUT", "/api/v1/workspaces/{name}/webhooks/{hook}", Thing(WebhookUpdate)),
    ("DELETE", "/api/v1/workspaces/{name}/webhooks/{hook}", Thing(WebhookUpdate)),
    ("POST", "/api/v1/workspaces/{name}/webhooks/{hook}/-test", Thing(WebhookUpdate)),
    ("GET", "/api/v1/workspaces/{name}/webhooks/{hook}/deliveries", Thing(WebhookUpdate)),
    ("POST", "/api/v1/workspaces/{name}/webhooks/{hook}/deliveries/{id}/-retry", Thing(WebhookUpdate)),
    ("GET", "/api/v1/workspaces/{name}/audit", Thing(AuditRead)),
    ("GET", "/api/v1/audit", Platform(PlatformAudit)),
    // Everybody sees what they have used themselves.
    ("GET", "/api/v1/usage", Thing(UsageRead)),
    ("GET", "/api/v1/usage/records", Thing(UsageRead)),
    ("GET", "/api/v1/usage/corrections", Thing(UsageRead)),
    ("POST", "/api/v1/usage/corrections", Platform(UsageCorrect)),
    ("GET", "/api/v1/prices", Platform(PriceRead)),
    ("POST", "/api/v1/prices", Platform(PriceUpdate)),
    ("GET", "/api/v1/prices/{name}", Platform(PriceRead)),
    ("PUT", "/api/v1/prices/{name}", Platform(PriceUpdate)),
    ("GET", "/api/v1/bills", Thing(UsageRead)),
    ("GET", "/api/v1/advice", Thing(UsageRead)),
    ("GET", "/api/v1/budgets", Thing(UsageRead)),
    ("GET", "/api/v1/budgets/{name}", Thing(UsageRead)),
    ("PUT", "/api/v1/budgets/{name}", Platform(BudgetUpdate)),
    ("DELETE", "/api/v1/budgets/{name}", Platform(BudgetUpdate)),
    // Everybody's are seen by everybody.
    ("GET", "/api/v1/templates", Thing(WorkspaceRead)),
    ("POST", "/api/v1/templates", Thing(TemplateUpdate)),
    ("GET", "/api/v1/templates/{name}", Thing(WorkspaceRead)),
    ("PUT", "/api/v1/templates/{name}", Thing(TemplateUpdate)),
    ("DELETE", "/api/v1/templates/{name}", Thing(TemplateUpdate)),
    ("GET", "/api/v1/tasks", Thing(WorkloadRead)),
    ("POST", "/api/v1/tasks", Thing(TaskSubmit)),
    ("GET", "/api/v1/tasks/{name}", Thing(WorkloadRead)),
    ("POST", "/api/v1/tasks/{name}/-cancel", Thing(WorkloadUpdate)),
    ("GET", "/api/v1/tasks/{name}/result", Thing(WorkloadRead)),
    ("GET", "/api/v1/tasks/{name}/file", Thing(WorkloadRead)),
    ("GET", "/api/v1/resource-requests", Thing(WorkspaceRead)),
    ("POST", "/api/v1/resource-requests", Thing(ResourceRequestCreate)),
    ("GET", "/api/v1/resource-requests/{name}", Thing(WorkspaceRead)),
    ("POST", "/api/v1/resource-requests/{name}/-approve", Platform(ResourceConfigApprove)),
    ("POST", "/api/v1/resource-requests/{name}/-decline", Platform(ResourceConfigApprove)),
    // Whoever made it, and who governs the workspace.
    ("POST", "/api/v1/resource-requests/{name}/-withdraw", Thing(ResourceRequestCreate)),
    ("GET", "/api/v1/resource-configs", Thing(WorkspaceRead)),
    ("GET", "/api/v1/resource-configs/{name}", Thing(WorkspaceRead)),
    ("POST", "/api/v1/resource-configs/{name}/-set", Thing(ResourceRequestCreate)),
    ("POST", "/api/v1/resource-configs/{name}/-extend", Platform(ResourceConfigApprove)),
    ("POST", "/api/v1/resource-configs/{name}/-release", Thing(ResourceRequestCreate)),
    ("GET", "/api/v1/users", Platform(UserRead)),
    ("POST", "/api/v1/users", Platform(UserUpdate)),
    // Everybody may look at themselves.
    ("GET", "/api/v1/users/{name}", Thing(UserRead)),
    ("PUT", "/api/v1/users/{name}", Platform(UserUpdate)),
    ("DELETE", "/api/v1/users/{name}", Platform(UserUpdate)),
    ("POST", "/api/v1/users/{name}/-invite", Platform(UserUpdate)),
    ("POST", "/api/v1/users/{name}/-link", Platform(UserUpdate)),
    ("POST", "/api/v1/users/{name}/-unlink", Platform(UserUpdate)),
    ("PUT", "/api/v1/password", Thing(SelfUpdate)),
    ("POST", "/api/v1/logout", Known),
    // One's own, those of service accounts that one governs, and all for who changes users.
    ("GET", "/api/v1/tokens", Thing(SelfUpdate)),
    ("POST", "/api/v1/tokens", Thing(SelfUpdate)),
    ("DELETE", "/api/v1/tokens/{name}", Thing(SelfUpdate)),
    ("GET", "/api/v1/roles", Known),
    ("POST", "/api/v1/roles", Platform(RoleUpdate)),
    ("GET", "/api/v1/roles/{name}", Known),
    ("PUT", "/api/v1/roles/{name}", Platform(RoleUpdate)),
    ("DELETE", "/api/v1/roles/{name}", Platform(RoleUpdate)),
];

/// Whether anything is said of a path, whatever the method.
pub fn is_known(path: &str) -> bool {
    ROUTES.iter().any(|(_, known, _)| *known == path)
}

/// What a route asks for; `None`: nobody has said, and nobody is answered.
pub fn need(method: &str, path: &str) -> Option<Need> {
    type Table = BTreeMap<(&'static str, &'static str), Need>;
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| ROUTES.iter().map(|(method, path, need)| ((*path, *method), *need)).collect());
    // Whoever may read may ask for the head alone.
    let method = if method == "HEAD" { "GET" } else { method };
    TABLE.get(&(path, method)).copied()
}
