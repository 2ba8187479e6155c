//! Figures over time.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::extract::{Named, Params};
use super::super::scope::Scope;
use super::super::sight;
use super::{nodes, workloads, workspaces};
use crate::samples::{INTERVAL, Kind, Subject};
use axum::extract::State;
use serde::Deserialize;
use tidegate_api::duration::Duration;
use tidegate_api::limits::MAX_POINTS;
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::series::{Series, SeriesQuery};
use tidegate_api::time::Time;
use tidegate_engine::ids::{Span, Tick};
use tidegate_identity::Action;
use utoipa::IntoParams;

/// Which part of a series is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SeriesParams {
    /// The first instant; an hour before the last if absent.
    from: Option<Time>,
    /// The last instant; now if absent.
    to: Option<Time>,
    /// Time between two instants; if absent, so that there are at most some hundred.
    step: Option<Duration>,
}

/// Which part of a workload's series is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WorkloadSeriesParams {
    /// The first instant; an hour before the last if absent.
    from: Option<Time>,
    /// The last instant; now if absent.
    to: Option<Time>,
    /// Time between two instants; if absent, so that there are at most some hundred.
    step: Option<Duration>,
    /// This replica only, by its number as in `TIDEGATE_REPLICA`.
    replica: Option<u32>,
    /// Its workspace, where the caller has several.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    workspace: Option<Name>,
}

/// Points of an answer when nobody says.
const POINTS: u64 = 360;
const HOUR: Span = Span::hours(1);

impl SeriesParams {
    fn query(self, now: Tick) -> SeriesQuery {
        let to = self.to.unwrap_or(Time::of(now));
        let from = self.from.unwrap_or(Time::of(Tick(to.tick().0.saturating_sub(HOUR.0))));
        let step = self.step.unwrap_or_else(|| {
            let steps = to.tick().since(from.tick()).0.div_ceil(POINTS.min(MAX_POINTS)).div_ceil(INTERVAL.0);
            Duration::of(Span(steps.max(1) * INTERVAL.0))
        });
        SeriesQuery { from, to, step }
    }
}

async fn series(app: App, subject: Subject, name: Name, params: SeriesParams) -> Answered<Series> {
    let query = params.query(app.control.clock().now());
    // Bounds are looked at before anything is read.
    query.points()?;
    let read = tokio::task::spawn_blocking(move || app.samples.series(&subject, name, &query)).await;
    let series = read.expect("reading figures does not panic, and is not cancelled")?;
    Ok(Answer::new(series))
}

fn named(name: &str) -> Result<Name, Problem> {
    name.parse().map_err(|why: String| Problem::new(Code::BadParameter, why))
}

/// A quota's guarantee, what of it is drawn, lent and left, who waits and runs, over time.
#[utoipa::path(get, path = "/api/v1/quotas/{name}/series", tag = "quotas",
    params(("name" = String, Path, description = "The quota"), SeriesParams),
    responses((status = 200, body = Series), (status = "default", body = Problem)), operation_id = "series")]
pub async fn of_quota(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
    Params(params): Params<SeriesParams>,
) -> Answered<Series> {
    read(app.control.read(|world, _| sight::find_quota(world, &caller, &name)).await)?;
    let subject = Subject::new(Kind::Quota, &name);
    series(app, subject, named(&name)?, params).await
}

/// What a workspace's work draws and borrows, who of it waits and runs, over time.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/series", tag = "workspaces",
    params(("name" = String, Path, description = "The workspace"), SeriesParams),
    responses((status = 200, body = Series), (status = "default", body = Problem)), operation_id = "series")]
pub async fn of_workspace(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
    Params(params): Params<SeriesParams>,
) -> Answered<Series> {
    let found = app.control.read(|world, _| {
        workspaces::find(&world.people, &caller, Action::WorkspaceRead, &name).map(|room| room.id)
    });
    let subject = Subject::workspace(read(found.await)?);
    series(app, subject, named(&name)?, params).await
}

/// How many of a node's GPUs are used, and what the processes of its replicas take, over time.
#[utoipa::path(get, path = "/api/v1/nodes/{name}/series", tag = "nodes",
    params(("name" = String, Path, description = "The node"), SeriesParams),
    responses((status = 200, body = Series), (status = "default", body = Problem)), operation_id = "series")]
pub async fn of_node(
    State(app): State<App>,
    Named(name): Named,
    Params(params): Params<SeriesParams>,
) -> Answered<Series> {
    read(app.control.read(|world, _| nodes::find(world, &name)).await)?;
    let subject = Subject::new(Kind::Node, &name);
    series(app, subject, named(&name)?, params).await
}

/// A workload's replicas, its GPUs, and what its processes take, over time: cores, memory, the part of the time in which
/// its GPUs computed (their mean) and their memory. `null` where nobody knows, as of what virtual GPUs do.
#[utoipa::path(get, path = "/api/v1/workloads/{name}/series", tag = "workloads",
    params(("name" = String, Path, description = "Name or uid"), WorkloadSeriesParams),
    responses((status = 200, body = Series), (status = "default", body = Problem)), operation_id = "series")]
pub async fn of_workload(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    Params(params): Params<WorkloadSeriesParams>,
) -> Answered<Series> {
    let workload = workloads::any(&app, &scope, &name).await?;
    let uid = &workload.metadata.uid;
    let subject = match params.replica {
        Some(number) => Subject::replica(uid, number),
        None => Subject::new(Kind::Workload, uid),
    };
    let WorkloadSeriesParams { from, to, step, .. } = params;
    series(app, subject, workload.metadata.name, SeriesParams { from, to, step }).await
}
