//! Who uses how much, in a quota and in a workspace.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::extract::Named;
use super::super::sight;
use super::workspaces;
use crate::center::usage;
use axum::extract::State;
use tidegate_api::problem::Problem;
use tidegate_api::usage::{QuotaUsage, WorkspaceUsage};
use tidegate_identity::{Action, Resource};

/// Who uses a quota: each user and workspace, with what others draw on its account. Those whom the caller may not see
/// are one row without a name.
#[utoipa::path(get, path = "/api/v1/quotas/{name}/usage", tag = "quotas", params(("name" = String, Path, description = "The quota")),
    responses((status = 200, body = QuotaUsage), (status = "default", body = Problem)), operation_id = "usage")]
pub async fn of_quota(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<QuotaUsage> {
    let outcome = app.control.read(|world, _| {
        let id = sight::find_quota(world, &caller, &name)?;
        let sees = |room| caller.may(&world.people, Action::WorkspaceRead, Resource::Workspace(room));
        usage::of_quota(world, id, sees).ok_or_else(|| sight::missing(&name))
    });
    read(outcome.await).map(Answer::new)
}

/// What the members of a workspace use, in all of its quotas.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/usage", tag = "workspaces", params(("name" = String, Path, description = "The workspace")),
    responses((status = 200, body = WorkspaceUsage), (status = "default", body = Problem)), operation_id = "usage")]
pub async fn of_workspace(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
) -> Answered<WorkspaceUsage> {
    let outcome = app.control.read(|world, _| {
        let room = workspaces::find(&world.people, &caller, Action::WorkspaceRead, &name)?;
        Ok(usage::of_workspace(world, room.id))
    });
    read(outcome.await).map(Answer::new)
}
