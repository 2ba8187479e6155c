//! Tasks: workloads of the module task, as programs see them that run many.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params};
use super::super::problem::Refused;
use super::super::scope::Scope;
use super::super::submission;
use super::{DryRunParams, page, templates, workload_lists, workloads};
use crate::budgets;
use crate::core::deck::Deck;
use crate::core::world::{Document, World};
use crate::dedicated::growth;
use crate::tasks::place::{has_room, way};
use crate::tasks::templates::{version, warm};
use crate::view;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::time::Duration as StdDuration;
use tidegate_api::convert::Place;
use tidegate_api::duration::Duration;
use tidegate_api::limits::{MAX_TASK_WAIT, TASK_GRACE};
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::page::PageToken;
use tidegate_api::pointer::Pointer;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::task::{NewTask, RESOURCE_CONFIG, Task, TaskList, TaskRun, TaskState};
use tidegate_api::uid;
use tidegate_api::words::Module;
use tidegate_api::workload::{WorkloadSpec, WorkloadState};
use tidegate_billing::input::InputSchema;
use tidegate_billing::template::{Template, TemplateVersion};
use tidegate_engine::Command;
use tidegate_engine::ids::{Tick, WorkloadId, WorkspaceId};
use tidegate_engine::words;
use tidegate_identity::Action;
use utoipa::IntoParams;

pub(super) fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no task {name}")).hint("`tidegate task list` lists them")
}

/// A workload in memory as a task.
fn show(world: &World, id: WorkloadId, now: Tick) -> Option<Task> {
    let workload = view::workload(world, id, now)?;
    let run = workload.spec.task.clone();
    let mut task = Task::of(workload);
    let known = run.and_then(|run| world.learnt.estimate(&run.template_uid, run.version));
    task.estimated_wait = known.map(|known| Duration::of(known.wait));
    task.estimated_duration = known.map(|known| Duration::of(known.run));
    Some(task)
}

/// The task of this name or id that is in memory, if the caller may do this to it.
fn find(world: &World, scope: &Scope, action: Action, name: &str) -> Result<WorkloadId, Problem> {
    let found = scope.find(world, action, name).map_err(|problem| match problem.code {
        Code::NotFound => missing(name),
        _ => problem,
    })?;
    let is_task = world.engine.workload(found).is_some_and(|w| w.spec.module == words::Module::Task);
    if is_task { Ok(found) } else { Err(missing(name)) }
}

/// Run a task. The header `X-Tidegate-Resource-Config` says where: nothing or `default` is shared compute.
#[utoipa::path(post, path = "/api/v1/tasks", tag = "tasks", request_body = NewTask,
    params(DryRunParams, ("X-Tidegate-Resource-Config" = Option<String>, Header, description = "Where it runs: ids with commas between them; `default` is shared compute")),
    responses((status = 201, body = Task), (status = 402, body = Problem), (status = "default", body = Problem)))]
pub async fn submit(
    State(app): State<App>,
    headers: HeaderMap,
    change: Change,
    body: Json<NewTask>,
) -> Response {
    let configs = match headers.get(RESOURCE_CONFIG).map(|value| value.to_str()).transpose() {
        Ok(configs) => configs.map(str::to_string),
        Err(_) => {
            let detail = "the header X-Tidegate-Resource-Config is not plain text";
            return Refused(Problem::new(Code::BadParameter, detail)).into_response();
        }
    };
    // With an Idempotency-Key, the same request to other compute is another request.
    let sent = match &configs {
        None => body.sent,
        Some(configs) => [configs.as_bytes(), b"\n", &body.sent].concat().into(),
    };
    let (new, most) = (body.value, app.limits.shared_tasks);
    change
        .carry_out(&app, "task.submit", sent, move |deck, change| {
            let id = submit_on(deck, change.caller(), new, configs.as_deref(), most)?;
            let gone = || Problem::new(Code::NotFound, "it is gone");
            let body = show(deck.world(), id, deck.now()).ok_or_else(gone)?;
            Ok(Made { status: StatusCode::CREATED, version: None, body })
        })
        .await
}

/// The template that a task names, and the version of it.
fn of_template<'a>(
    world: &'a World,
    room: WorkspaceId,
    new: &NewTask,
) -> Result<(&'a Template, &'a TemplateVersion), Problem> {
    let (named, asked) = match new.template.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (new.template.as_str(), None),
    };
    let unknown = || {
        let detail = format!("there is no template {named}");
        Problem::new(Code::UnknownReference, detail)
            .hint("`tidegate template list` lists them")
            .at("/template")
    };
    let template = &templates::usable(world, room, named).ok_or_else(unknown)?.record;
    let version = version(template, asked).map_err(|problem| problem.at("/template"))?;
    Ok((template, version))
}

fn submit_on(
    deck: &mut Deck<'_>,
    caller: &Caller,
    new: NewTask,
    configs: Option<&str>,
    most: u32,
) -> Result<WorkloadId, Problem> {
    let world = deck.world();
    let room = submission::room(world, caller, new.workspace.as_ref(), Action::TaskSubmit, "/workspace")?;
    let room = room.id;
    let (_, version) = of_template(world, room, &new)?;
    fits(version, &new)?;
    let gpus = version.models.clone();
    let way = way(deck, room, configs, &gpus)?;
    let world = deck.world();
    let (template, version) = of_template(world, room, &new)?;
    if *way.config == *tidegate_billing::route::SHARED {
        budgets::allows(world, room, deck.now())?;
    }
    let name = match new.name.clone() {
        Some(name) => name,
        None => workloads::free_name(world, room, words::Module::Task.word()),
    };
    let spec = spec(template, version, &new, &way.config)?;
    let owner = submission::owner(world, caller, room);
    let document =
        Document { name, labels: new.labels, owner: deck.origin().by.to_string(), spec, directory_of: None };
    let mut refused = None;
    for quota in way.quotas {
        let place = Place { quota, workspace: room, owner: Some(owner) };
        let tried = has_room(deck.world(), room, quota, most)
            .and_then(|()| submission::admitted(deck.world(), caller, &place, words::Module::Task))
            .and_then(|()| workloads::submit_document(deck, place, document.clone()));
        match tried {
            Ok(id) => {
                // What grows with its use grows now: nobody waits for the next look.
                if let Some(config) = deck.world().business.config_of(quota).map(|config| config.record.id) {
                    growth::look(deck, config, None);
                }
                return Ok(id);
            }
            // Another pool may have what this one has not.
            Err(problem) => {
                let elsewhere = [Code::NeverFits, Code::UnknownReference, Code::TooManyTasks];
                let goes_on = elsewhere.contains(&problem.code);
                refused.get_or_insert(problem);
                if !goes_on {
                    break;
                }
            }
        }
    }
    Err(refused.map_or_else(|| Problem::new(Code::NoSharedCompute, "there is none"), about_template))
}

/// Fields of the workload that it would have been are nothing that was sent.
fn about_template(mut problem: Problem) -> Problem {
    for pointer in &mut problem.pointers {
        let at = if pointer.pointer == "/metadata/name" { "/name" } else { "/template" };
        pointer.pointer = at.into();
    }
    problem
}

/// Whether inputs are what the template wants.
fn fits(version: &TemplateVersion, new: &NewTask) -> Result<(), Problem> {
    let Some(text) = &version.input_schema else { return Ok(()) };
    let schema = InputSchema::parse(text)
        .map_err(|wrong| Problem::new(Code::Internal, format!("the template's schema: {}", wrong.why)))?;
    let wrong = schema.check(&new.inputs).into_iter();
    let pointers = wrong.map(|wrong| Pointer::new(format!("/inputs{}", wrong.at), wrong.why)).collect();
    Problem::invalid(pointers).map_or(Ok(()), |problem| {
        let hint = format!("`tidegate template show {}` shows what it wants", new.template);
        Err(problem.hint(hint))
    })
}

/// What a version runs, as a workload.
fn spec(
    template: &Template,
    version: &TemplateVersion,
    new: &NewTask,
    config: &str,
) -> Result<WorkloadSpec, Problem> {
    let bad = |why: String| Problem::new(Code::Internal, why);
    let limit = |bytes| Memory::new(bytes).map_err(bad);
    let task = TaskRun {
        template: template.name.parse().map_err(bad)?,
        template_uid: uid::template(template.id.0),
        version: version.number,
        resource_config: config.into(),
        inputs: new.inputs.clone(),
        output_limit: limit(version.limits.output)?,
        files_limit: limit(version.limits.files)?,
        warm: version.warm.as_ref().map(warm),
    };
    let models = version.models.iter().filter_map(|model| model.parse::<Name>().ok());
    Ok(WorkloadSpec {
        visibility: new.visibility,
        module: Some(Module(words::Module::Task)),
        resources: Some(version.shape.into()),
        gpu_models: models.collect(),
        grace_period: Some(Duration::of(TASK_GRACE)),
        restarts: Some(version.limits.retries),
        max_run_time: version.limits.max_run.map(Duration::of),
        command: version.command.iter().map(|word| word.to_string()).collect(),
        env: version.env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        virtual_run: new.virtual_run,
        task: Some(Box::new(task)),
        ..WorkloadSpec::default()
    })
}

/// Which task, and how long its end is waited for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OneTask {
    /// The task's workspace, where the caller has several.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    workspace: Option<String>,
    /// Answer when it has ended, or after this time, at most 60s; at once if absent.
    pub(super) wait: Option<Duration>,
}

/// One task, by its id or its name (the latest of that name).
#[utoipa::path(get, path = "/api/v1/tasks/{name}", tag = "tasks", params(("name" = String, Path, description = "Id or name"), OneTask),
    responses((status = 200, body = Task), (status = "default", body = Problem)))]
pub async fn get(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    Params(query): Params<OneTask>,
) -> Answered<Task> {
    awaited(&app, &scope, &name, query.wait).await.map(Answer::new)
}

/// A task, in memory or past.
async fn one(app: &App, scope: &Scope, name: &str) -> Result<Task, Refused> {
    let live = app.control.read(|world, now| match find(world, scope, Action::WorkloadRead, name) {
        Ok(id) => Ok(show(world, id, now)),
        Err(problem) if problem.code == Code::NotFound => Ok(None),
        Err(problem) => Err(problem),
    });
    if let Some(task) = read(live.await)? {
        return Ok(task);
    }
    scope.caller.good_for(Action::WorkloadRead)?;
    let past = workloads::past_one(app, scope, name).await.map_err(|_| Refused(missing(name)))?;
    match past.resource.status.module.0 {
        words::Module::Task => Ok(Task::of(past.resource)),
        _ => Err(Refused(missing(name))),
    }
}

/// A task when it has ended, or when the time is over.
pub(super) async fn awaited(
    app: &App,
    scope: &Scope,
    name: &str,
    wait: Option<Duration>,
) -> Result<Task, Refused> {
    if let Some(long) = wait.filter(|wait| wait.span() > MAX_TASK_WAIT) {
        let detail = format!("wait is {long}; a request waits {} at most", Duration::of(MAX_TASK_WAIT));
        return Err(Refused(Problem::new(Code::BadParameter, detail).hint("ask again until it has ended")));
    }
    let task = one(app, scope, name).await?;
    let (Some(wait), Some(id)) = (wait.filter(|_| !task.state.is_ended()), uid::as_workload(&task.id)) else {
        return Ok(task);
    };
    let _seat = app.seat()?;
    // Before it is looked at again: what happens from here on is heard.
    let mut waiting = app.control.hub().waiters.wait_for(id);
    let ended = async {
        // Whoever is not told of it need not wait until it is durable.
        let is_over = |world: &World| world.engine.workload(id).is_none_or(|w| w.state.is_ended());
        while !app.control.hub().is_closed() && !app.control.read_blocking(is_over) {
            waiting.news().await;
        }
    };
    // If the time is over, what there is is told.
    let _ = tokio::time::timeout(StdDuration::from_millis(wait.span().0), ended).await;
    one(app, scope, &task.id).await
}

/// Which tasks are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TaskQuery {
    state: Option<TaskState>,
    /// Only of this template: its name.
    template: Option<String>,
    /// Only of this workspace; all that the caller sees if absent.
    workspace: Option<String>,
    /// Only names that begin so.
    name: Option<String>,
    /// `key=value`.
    label: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

impl TaskQuery {
    /// What can be told from the workload alone, before anything is read.
    fn of_workloads(&self) -> workload_lists::WorkloadQuery {
        let state =
            self.state.filter(|state| *state == TaskState::Succeeded).map(|_| WorkloadState::Finished);
        let past = self.state.is_none_or(TaskState::is_ended);
        workload_lists::WorkloadQuery::tasks(state, self.name.clone(), self.label.clone(), past)
    }

    fn passes(&self, task: &Task) -> bool {
        self.state.is_none_or(|state| state == task.state)
            && self.template.as_ref().is_none_or(|name| task.template.as_ref() == Some(name))
            && self.workspace.as_ref().is_none_or(|name| task.workspace.as_str() == name)
    }
}

/// List tasks, the latest first, without their inputs.
#[utoipa::path(get, path = "/api/v1/tasks", tag = "tasks", params(TaskQuery),
    responses((status = 200, body = TaskList), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    scope: Scope,
    Params(query): Params<TaskQuery>,
) -> Answered<TaskList> {
    scope.caller.good_for(Action::WorkloadRead)?;
    let page = page(query.limit, query.page_token.as_deref())?;
    let (wanted, of_workloads) = (page.limit + 1, query.of_workloads());
    let mut below = (page.from > 0).then_some(page.from);
    let mut found: Vec<(u64, Task)> = Vec::new();
    loop {
        let chunk = workload_lists::collect(&app, &scope, &of_workloads, below, wanted).await?;
        let is_last = chunk.len() < wanted;
        below = chunk.last().map(|(id, _)| *id);
        let tasks = chunk.into_iter().map(|(id, workload)| (id, Task::of(workload)));
        found.extend(tasks.filter(|(_, task)| query.passes(task)));
        if is_last || found.len() >= wanted {
            break;
        }
    }
    let more = found.len() > page.limit;
    found.truncate(page.limit);
    let last = found.last().map(|(id, _)| *id).filter(|_| more);
    let next_page_token = last.map(|id| PageToken::of(&id.to_string()));
    let plain = |task: Task| Task { inputs: serde_json::Value::Null, ..task };
    let items = found.into_iter().map(|(_, task)| plain(task)).collect();
    Ok(Answer::new(TaskList { items, next_page_token }))
}

/// End a task: what waits is ended at once, what runs is asked to stop.
#[utoipa::path(post, path = "/api/v1/tasks/{name}:cancel", tag = "tasks", params(("name" = String, Path, description = "Id or name"), DryRunParams),
    responses((status = 200, body = Task), (status = "default", body = Problem)))]
pub async fn cancel(State(app): State<App>, scope: Scope, Named(name): Named, change: Change) -> Response {
    let (wanted, seen) = (name.clone(), scope.clone());
    let response = change.carry_out(&app, "task.cancel", Bytes::new(), move |deck, _| {
        let id = find(deck.world(), &scope, Action::WorkloadUpdate, &name)?;
        deck.command(Command::Stop { workload: id })?;
        show(deck.world(), id, deck.now()).map(Made::ok).ok_or_else(|| missing(&name))
    });
    let response = response.await;
    if response.status() != StatusCode::NOT_FOUND {
        return response;
    }
    match one(&app, &seen, &wanted).await {
        Ok(task) => {
            let detail = format!("{wanted} is {} already", task.state.word());
            Refused(Problem::new(Code::WrongState, detail).hint("nothing needs to be done")).into_response()
        }
        Err(_) => response,
    }
}
