//! Simulations: a scenario in virtual time, from nothing or from the present state. The writer knows nothing of them.

use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::unavailable;
use super::super::extract::Json;
use super::super::problem::Refused;
use crate::core::world::World;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tidegate_api::limits::{MAX_SIMULATION_EVENTS, MAX_SIMULATION_TIME, MAX_SIMULATIONS};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::simulation::{Simulation, SimulationRequest};
use tidegate_engine::ids::Tick;
use tidegate_identity::Action;
use tidegate_sim::report::json::render;
use tidegate_sim::{Bounds, Going, RunError, SimError, Start, Work, language, run_within};

/// How long a simulation may keep a core busy. The longest that fits the other bounds takes a few seconds.
pub const LONGEST_RUN: Duration = Duration::from_secs(30);

/// Cuts a simulation off when it takes too long, or when whoever asked has gone away.
struct Leash(Arc<AtomicBool>);

impl Drop for Leash {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Run a scenario in virtual time. With `fromServer` it begins with the present state as 0s: names that exist can be
/// used, and work that runs goes on.
#[utoipa::path(post, path = "/api/v1/simulations", tag = "simulations", request_body = SimulationRequest,
    responses((status = 200, body = Simulation), (status = "default", body = Problem)))]
pub async fn run(
    State(app): State<App>,
    caller: Caller,
    body: Json<SimulationRequest>,
) -> Result<Response, Refused> {
    if body.value.from_server {
        caller.platform(&app.control.people(), Action::SimulationFromServer)?;
    }
    let Ok(turn) = app.simulations.clone().try_acquire_owned() else {
        let detail = format!("{MAX_SIMULATIONS} simulations run already, as many as may");
        return Err(Refused(Problem::new(Code::QueueFull, detail)));
    };
    let leash = Leash(Arc::default());
    let bounds = Bounds {
        events: Some(MAX_SIMULATION_EVENTS as u64),
        time: Some(MAX_SIMULATION_TIME),
        cut: Some(leash.0.clone()),
    };
    let (control, request) = (app.control.clone(), body.value);
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let start = || control.read_blocking(|world| start(world, control.clock().now()));
        simulate(&request.scenario, request.from_server.then(start), bounds)
    });
    let outcome = match tokio::time::timeout(LONGEST_RUN, work).await {
        Ok(outcome) => outcome.expect("a simulation does not panic, and is not cancelled"),
        Err(_) => {
            let detail = format!("the simulation took longer than {} seconds", LONGEST_RUN.as_secs());
            Err(Problem::new(Code::LimitExceeded, detail))
        }
    };
    // What it began with is durable by now, or the answer says that it is not.
    app.control.read(|_, _| ()).await.map_err(unavailable)?;
    Ok(([(CONTENT_TYPE, "application/json")], outcome?).into_response())
}

fn simulate(source: &str, start: Option<Start>, bounds: Bounds) -> Result<String, Problem> {
    let scenario = language::parse(source).map_err(|error| problem(SimError::File(error)))?;
    let recording = run_within(&scenario, source, start, bounds).map_err(problem)?;
    Ok(render(&recording.report))
}

fn problem(error: SimError) -> Problem {
    match error {
        SimError::File(error) => {
            let detail =
                format!("line {}, column {}: {}", error.place.line, error.place.column, error.message);
            let mut problem = Problem::new(Code::BadScenario, detail).at("/scenario");
            for pointer in &mut problem.pointers {
                (pointer.line, pointer.column) =
                    (Some(error.place.line.into()), Some(error.place.column.into()));
            }
            problem
        }
        SimError::Run(error @ (RunError::TooLong { .. } | RunError::Cut { .. })) => {
            Problem::new(Code::LimitExceeded, error.to_string())
                .hint("shorten the scenario, or run it with `tidegate simulate`, which has no such bounds")
        }
        SimError::Run(error) => {
            tracing::error!(%error, "a simulation failed");
            Problem::new(Code::Internal, error.to_string())
        }
    }
}

/// The present state, and how far work has come. What will fail is taken as work without a known end.
fn start(world: &World, now: Tick) -> Start {
    let live = world.engine.workloads().filter(|w| !w.state.is_ended());
    let going = live.map(|w| {
        let launch = world.launch(w.id);
        let work = Work {
            duration: launch.work.duration.filter(|_| launch.work.fails.is_none()),
            checkpoint: launch.work.checkpoint,
            hang: launch.work.hang,
        };
        let progress = world.dispatch.progress(w.id);
        Going {
            workload: w.id,
            work,
            saved: progress.map_or_else(Default::default, |progress| progress.saved),
            since: progress.and_then(|progress| progress.run.map(|_| progress.saved_at)),
        }
    });
    Start { engine: world.engine.clone(), now, going: going.collect() }
}
