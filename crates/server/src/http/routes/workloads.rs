//! Workloads: submitted, watched, explained, ended.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made, unavailable};
use super::super::extract::{Json, Named};
use super::super::problem::{Refused, of_store};
use super::super::scope::{Scope, missing};
use super::super::submission;
use super::DryRunParams;
use crate::core::deck::Deck;
use crate::core::notices;
use crate::core::past::{self, Remains};
use crate::core::world::{Document, World};
use crate::dedicated::pools;
use crate::view;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tidegate_api::actions::{BatchItem, BatchRequest, BatchResult, OpenLink, PriorityRequest, ResizeRequest};
use tidegate_api::convert::{Place, blame};
use tidegate_api::explain::Explanation;
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_api::workload::{NewWorkload, Workload, WorkloadSpec};
use tidegate_engine::Command;
use tidegate_engine::ids::{WorkloadId, WorkspaceId};
use tidegate_engine::words::Module;
use tidegate_engine::workload::WorkloadState;
use tidegate_identity::Action;
use tidegate_store::PastQuery;

/// How often a workload is looked for that leaves memory meanwhile: each time it must have been another one.
const MAX_LOOKS: u32 = 5;
/// Past workloads of one name in one workspace that are looked at for one that the caller sees.
const MAX_NAMESAKES: usize = 100;

fn show(deck: &Deck<'_>, id: WorkloadId) -> Result<Workload, Problem> {
    view::workload(deck.world(), id, deck.now()).ok_or_else(|| Problem::new(Code::NotFound, "it is gone"))
}

fn made(deck: &Deck<'_>, status: StatusCode, id: WorkloadId) -> Result<Made<Workload>, Problem> {
    Ok(Made { status, version: None, body: show(deck, id)? })
}

/// One workload, by its name (the latest of that name) or its uid.
#[utoipa::path(get, path = "/api/v1/workloads/{name}", tag = "workloads", params(("name" = String, Path, description = "Name or uid")),
    responses((status = 200, body = Workload), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, scope: Scope, Named(name): Named) -> Answered<Workload> {
    let workload = any(&app, &scope, &name).await?;
    Ok(Answer { version: Some(workload.metadata.version.clone()), body: workload })
}

/// A workload, in memory or past.
pub async fn any(app: &App, scope: &Scope, name: &str) -> Result<Workload, Refused> {
    let live = app.control.read(|world, now| match scope.find(world, Action::WorkloadRead, name) {
        Ok(id) => Ok(view::workload(world, id, now)),
        Err(problem) if problem.code == Code::NotFound => Ok(None),
        Err(problem) => Err(problem),
    });
    match read(live.await)? {
        Some(workload) => Ok(app.shown(workload)),
        None => {
            scope.caller.good_for(Action::WorkloadRead)?;
            past_one(app, scope, name).await.map(|past| past.resource)
        }
    }
}

/// A workload that has left memory.
pub async fn past_one(app: &App, scope: &Scope, name: &str) -> Result<Remains, Refused> {
    let people = app.control.people();
    let query = match uid::as_workload(name) {
        Some(id) => PastQuery::id(u64::from(id.0)),
        None => PastQuery::name(name),
    };
    // A name may have been used in many workspaces: each that is seen is asked for its latest. Of those, some may be
    // private, or of a workspace that was called alike.
    let query = PastQuery { limit: MAX_NAMESAKES, ..query };
    let queries = match scope.rooms(&people).filter(|_| query.id.is_none()) {
        None => vec![query],
        Some(rooms) => {
            rooms.into_iter().map(|room| PastQuery { workspace: Some(room), ..query.clone() }).collect()
        }
    };
    let rows = app.with_reader(move |reader| {
        let mut rows = Vec::new();
        for query in &queries {
            rows.extend(reader.past(query)?);
        }
        Ok(rows)
    });
    let mut rows = rows.await.map_err(|error| Refused(of_store(&error)))?;
    rows.sort_by_key(|row| std::cmp::Reverse(row.id));
    let mut seen = rows.iter().filter_map(past::remains);
    seen.find(|past| scope.sees_past(&people, past)).ok_or_else(|| Refused(missing(name)))
}

/// Submit a workload.
#[utoipa::path(post, path = "/api/v1/workloads", tag = "workloads", params(DryRunParams), request_body = NewWorkload,
    responses((status = 201, body = Workload), (status = "default", body = Problem)))]
pub async fn submit(State(app): State<App>, change: Change, body: Json<NewWorkload>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "workload.submit", body.sent, move |deck, change| {
            let id = submit_on(deck, change.caller(), new)?;
            made(deck, StatusCode::CREATED, id)
        })
        .await
}

/// Submit many workloads; each is accepted or refused by itself.
#[utoipa::path(post, path = "/api/v1/workloads:batch", tag = "workloads", params(DryRunParams), request_body = BatchRequest,
    responses((status = 200, body = BatchResult), (status = "default", body = Problem)))]
pub async fn batch(State(app): State<App>, change: Change, body: Json<BatchRequest>) -> Response {
    let items = body.value.items;
    change
        .carry_out(&app, "workload.submit", body.sent, move |deck, change| {
            let caller = change.caller();
            let one = |new: NewWorkload| match submit_on(deck, caller, new).and_then(|id| show(deck, id)) {
                Ok(workload) => BatchItem { workload: Some(workload), problem: None },
                Err(problem) => BatchItem { workload: None, problem: Some(problem) },
            };
            let results: Vec<BatchItem> = items.into_iter().map(one).collect();
            let accepted = results.iter().filter(|item| item.workload.is_some()).count() as u32;
            Ok(Made::ok(BatchResult { accepted, refused: results.len() as u32 - accepted, results }))
        })
        .await
}

pub fn submit_on(deck: &mut Deck<'_>, caller: &Caller, new: NewWorkload) -> Result<WorkloadId, Problem> {
    let place = submission::place(deck.world(), caller, &new.spec)?;
    let module = new.spec.module.map_or("training", |module| module.0.word());
    let name = match new.metadata.name {
        Some(name) => name,
        None => free_name(deck.world(), place.workspace, module),
    };
    if uid::as_workload(&name).is_some() {
        let detail = format!("{} reads like a uid", name.as_str());
        return Err(Problem::new(Code::BadName, detail).at("/metadata/name"));
    }
    let (labels, owner) = (new.metadata.labels, deck.origin().by.to_string());
    submit_document(deck, place, Document { name, labels, owner, spec: new.spec, directory_of: None })
}

pub(super) fn submit_document(
    deck: &mut Deck<'_>,
    place: Place,
    document: Document,
) -> Result<WorkloadId, Problem> {
    let world = deck.world();
    let sized = submission::sized(world, &place, &document.spec)?;
    let mut spec = sized.to_engine(&world.engine, &document.name, place)?;
    spec.max_run = submission::longest_run(deck.world(), &place, spec.module, spec.max_run);
    deck.submit(spec, Arc::new(document)).map_err(blame)
}

/// A name that nobody has, for who chose none.
pub(super) fn free_name(world: &World, room: WorkspaceId, module: &str) -> Name {
    let mut names = (world.next..).map(|number| format!("{module}-{number}"));
    let free = names.find(|name| world.engine.workload_named(room, name).is_none());
    free.and_then(|name| name.parse().ok()).expect("numbers do not run out")
}

/// Start an ended workload again, as it was submitted.
#[utoipa::path(post, path = "/api/v1/workloads/{name}:start", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), DryRunParams),
    responses((status = 201, body = Workload), (status = "default", body = Problem)))]
pub async fn start(State(app): State<App>, scope: Scope, Named(name): Named, change: Change) -> Response {
    anew(&app, &scope, &name, &change, "workload.start", |deck, scope, name, seen| {
        let id = start_on(deck, scope, name, seen)?;
        made(deck, StatusCode::CREATED, id)
    })
    .await
}

/// What was found of a workload before a change of it came to its turn.
struct Seen {
    /// In memory.
    live: Option<WorkloadId>,
    /// In the store: looked for after memory, so that what left in between is found.
    past: Option<Remains>,
}

impl Seen {
    async fn of(app: &App, scope: &Scope, name: &str) -> Result<Seen, Refused> {
        let live = app.control.read(|world, _| scope.find(world, Action::WorkloadUpdate, name).ok());
        let live = live.await.map_err(unavailable)?;
        Ok(Seen { live, past: past_one(app, scope, name).await.ok() })
    }

    /// What has left memory; an error if something did that was not looked for yet.
    fn past(self, name: &str) -> Result<Remains, Problem> {
        let is_it = |past: &Remains| {
            self.live.is_none_or(|live| uid::as_workload(&past.resource.metadata.uid) == Some(live))
        };
        self.past.filter(is_it).ok_or_else(|| missing(name))
    }
}

/// What starts something again, on the deck.
type Starting = fn(&mut Deck<'_>, &Scope, &str, Seen) -> Result<Made<Workload>, Problem>;

/// Starts something again that is in memory or past. What leaves memory after it was looked for is looked for again.
async fn anew(
    app: &App,
    scope: &Scope,
    name: &str,
    change: &Change,
    operation: &'static str,
    work: Starting,
) -> Response {
    let mut looks = 0;
    loop {
        let seen = match Seen::of(app, scope, name).await {
            Ok(seen) => seen,
            Err(refused) => return refused.into_response(),
        };
        looks += 1;
        let may_leave = seen.live.is_some() && looks < MAX_LOOKS;
        let (scope, name) = (scope.clone(), name.to_string());
        let carried = change
            .clone()
            .carry_out(app, operation, Bytes::new(), move |deck, _| work(deck, &scope, &name, seen));
        let response = carried.await;
        if response.status() != StatusCode::NOT_FOUND || !may_leave {
            return response;
        }
    }
}

fn start_on(deck: &mut Deck<'_>, scope: &Scope, name: &str, seen: Seen) -> Result<WorkloadId, Problem> {
    let caller = &scope.caller;
    // It goes on in the directory of the first of its line.
    let (document, of) = match scope.find(deck.world(), Action::WorkloadUpdate, name) {
        Ok(id) => {
            let state = deck.world().engine.workload(id).map(|w| w.state);
            if let Some(state) = state.filter(|state| !state.is_ended()) {
                let detail = format!("{name} is {}; only what has ended is started again", state.word());
                return Err(Problem::new(Code::WrongState, detail));
            }
            let document = deck.world().documents.get(&id);
            let goes_on =
                |d: &Arc<Document>| Document { directory_of: d.directory_of.or(Some(id.0)), ..(**d).clone() };
            (document.map(goes_on), deck.world().rooms.of(id))
        }
        Err(problem) if problem.code != Code::NotFound => return Err(problem),
        Err(_) => {
            let past = seen.past(name)?;
            let of = scope.may_start(&deck.world().people, &past)?;
            let Remains { resource, directory_of, .. } = past;
            let document = Document {
                directory_of: directory_of.or(uid::as_workload(&resource.metadata.uid).map(|id| id.0)),
                name: resource.metadata.name,
                labels: resource.metadata.labels,
                owner: caller.name.to_string(),
                spec: resource.spec,
            };
            (Some(document), Some(of))
        }
    };
    let (mut document, of) = document.zip(of).ok_or_else(|| missing(name))?;
    if document.spec.task.is_some() {
        let detail = format!("{name} is a task: it is not started again");
        return Err(Problem::new(Code::WrongState, detail).hint("submit another: `tidegate task submit`"));
    }
    let people = &deck.world().people;
    let workspace = people.workspace(of.workspace).and_then(|room| room.name.parse().ok());
    let wanted =
        WorkloadSpec { workspace: workspace.or(document.spec.workspace.clone()), ..document.spec.clone() };
    let mut place = submission::place(deck.world(), caller, &wanted)?;
    // It stays whose it was, whoever starts it; who has left the workspace has nothing there any more.
    let owner = submission::owner_in(people, of.owner, place.workspace);
    let name = owner.and_then(|owner| people.user_name(owner.member));
    document.owner = name.unwrap_or(&caller.name).to_string();
    place.owner = owner.or(place.owner);
    submit_document(deck, place, document)
}

/// End a workload: what runs is asked to stop. A dry run goes on to when it is gone, and says who would start then.
#[utoipa::path(post, path = "/api/v1/workloads/{name}:stop", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), DryRunParams),
    responses((status = 200, body = Workload), (status = "default", body = Problem)))]
pub async fn stop(State(app): State<App>, scope: Scope, Named(name): Named, change: Change) -> Response {
    let (wanted, seen) = (name.clone(), scope.clone());
    let response = change.carry_out(&app, "workload.stop", Bytes::new(), move |deck, change| {
        let id = scope.find(deck.world(), Action::WorkloadUpdate, &name)?;
        deck.command(Command::Stop { workload: id })?;
        let stopping = made(deck, StatusCode::OK, id)?;
        if change.is_dry_run() {
            deck.foresee_exit(id)?;
        }
        Ok(stopping)
    });
    or_past(&app, &seen, &wanted, response.await).await
}

/// Send a workload that runs back to its queue, or start one that has ended.
#[utoipa::path(post, path = "/api/v1/workloads/{name}:restart", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), DryRunParams),
    responses((status = 200, body = Workload), (status = "default", body = Problem)))]
pub async fn restart(State(app): State<App>, scope: Scope, Named(name): Named, change: Change) -> Response {
    anew(&app, &scope, &name, &change, "workload.restart", |deck, scope, name, seen| {
        let found = match scope.find(deck.world(), Action::WorkloadUpdate, name) {
            Err(problem) if problem.code != Code::NotFound => return Err(problem),
            found => found.ok(),
        };
        let running = found.filter(|id| {
            deck.world().engine.workload(*id).is_some_and(|w| w.state == WorkloadState::Running)
        });
        let id = match running {
            Some(workload) => {
                deck.command(Command::Restart { workload })?;
                workload
            }
            None => start_on(deck, scope, name, seen)?,
        };
        made(deck, StatusCode::OK, id)
    })
    .await
}

/// A link that lets a browser into a notebook or service: good once, for a minute.
#[utoipa::path(post, path = "/api/v1/workloads/{name}:open", tag = "workloads", params(("name" = String, Path, description = "Name or uid")),
    responses((status = 200, body = OpenLink), (status = 409, body = Problem), (status = "default", body = Problem)))]
pub async fn open(State(app): State<App>, scope: Scope, Named(name): Named) -> Answered<OpenLink> {
    let outcome = app.control.read(|world, _| {
        let id = scope.find(world, Action::WorkloadOpen, &name)?;
        let w = world.engine.workload(id).ok_or_else(|| missing(&name))?;
        let refused = |detail| Err(Problem::new(Code::WrongState, detail));
        if !matches!(w.spec.module, Module::Notebook | Module::Service) {
            return refused(format!("{name} is {}; notebooks and services are opened", w.spec.module.word()));
        }
        if w.state.is_ended() {
            return refused(format!("{name} is {}; `tidegate start {name}` starts it again", w.state.word()));
        }
        Ok(id)
    });
    let id = read(outcome.await)?;
    let Some(apps) = &app.work.apps else {
        let problem = Problem::new(Code::WrongState, "this server passes no requests on: apps-listen is off");
        return Err(Refused(problem.hint("start the server with --apps-listen ADDRESS:PORT")));
    };
    let link = apps
        .invite(id, scope.caller.who.user)
        .map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
    Ok(Answer::new(OpenLink { url: link.0, expires_at: Time::of(link.1) }))
}

/// Change how many replicas a workload has.
#[utoipa::path(post, path = "/api/v1/workloads/{name}:resize", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), DryRunParams),
    request_body = ResizeRequest, responses((status = 200, body = Workload), (status = "default", body = Problem)))]
pub async fn resize(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    change: Change,
    body: Json<ResizeRequest>,
) -> Response {
    let replicas = body.value.replicas;
    act(app, scope, change, "workload.resize", body.sent, name, move |_, workload| {
        Ok(Command::Resize { workload, replicas })
    })
    .await
}

/// Change a workload's priority, whether it waits or runs.
#[utoipa::path(post, path = "/api/v1/workloads/{name}:priority", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), DryRunParams),
    request_body = PriorityRequest, responses((status = 200, body = Workload), (status = "default", body = Problem)))]
pub async fn priority(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    change: Change,
    body: Json<PriorityRequest>,
) -> Response {
    let priority = body.value.priority.0;
    let caller = scope.caller.clone();
    act(app, scope, change, "workload.priority", body.sent, name, move |world, workload| {
        if let Some(w) = world.engine.workload(workload) {
            submission::may_have_priority(world, &caller, w.spec.workspace, w.spec.quota, priority)?;
        }
        match world.engine.workload(workload) {
            Some(w) if w.spec.priority == priority => {
                let detail = format!("{} has priority {} already", w.spec.name, priority.get());
                Err(Problem::new(Code::NothingToChange, detail).hint("name another priority"))
            }
            _ => Ok(Command::SetPriority { workload, priority }),
        }
    })
    .await
}

async fn act(
    app: App,
    scope: Scope,
    change: Change,
    operation: &'static str,
    sent: Bytes,
    name: String,
    command: impl FnOnce(&World, WorkloadId) -> Result<Command, Problem> + Send + 'static,
) -> Response {
    let (wanted, seen) = (name.clone(), scope.clone());
    let response = change.carry_out(&app, operation, sent, move |deck, _| {
        let id = scope.find(deck.world(), Action::WorkloadUpdate, &name)?;
        stays_as_it_is(deck.world(), id)?;
        let command = command(deck.world(), id)?;
        deck.command(command)?;
        made(deck, StatusCode::OK, id)
    });
    or_past(&app, &seen, &wanted, response.await).await
}

/// Everybody's tasks are alike on shared compute: nobody comes first by a priority, or takes more than the template says.
fn stays_as_it_is(world: &World, id: WorkloadId) -> Result<(), Problem> {
    match world.documents.get(&id).filter(|document| document.spec.task.is_some()) {
        None => Ok(()),
        Some(document) => {
            let detail = format!(
                "{} is a task of a template, which says how large and important it is",
                document.name
            );
            Err(Problem::new(Code::WrongState, detail).hint("cancel it, and submit another"))
        }
    }
}

/// What was not found in memory may be past: it is there for people to read, and nothing can be done to it.
async fn or_past(app: &App, scope: &Scope, name: &str, response: Response) -> Response {
    if response.status() != StatusCode::NOT_FOUND {
        return response;
    }
    let Ok(Remains { resource, .. }) = past_one(app, scope, name).await else { return response };
    let (state, ended) = (resource.status.state.word(), resource.status.ended_at);
    let when = ended.map_or(String::new(), |at| format!(" since {at}"));
    let detail = format!("{name} is {state}{when} and kept as history; only what is in memory is changed");
    let hint = "nothing needs to be done: it uses nothing; `:start` starts it again";
    Refused(Problem::new(Code::WrongState, detail).hint(hint)).into_response()
}

/// Drop an ended workload: it is no longer shown. The log keeps what happened. What has left memory by itself is
/// history, and stays.
#[utoipa::path(delete, path = "/api/v1/workloads/{name}", tag = "workloads", params(("name" = String, Path, description = "Name or uid"), DryRunParams),
    responses((status = 200, body = Workload), (status = "default", body = Problem)))]
pub async fn delete(State(app): State<App>, scope: Scope, Named(name): Named, change: Change) -> Response {
    let (wanted, seen) = (name.clone(), scope.clone());
    let response = change.carry_out(&app, "workload.delete", Bytes::new(), move |deck, _| {
        let id = scope.find(deck.world(), Action::WorkloadUpdate, &name)?;
        let last = show(deck, id)?;
        if !last.status.state.is_ended() {
            let (name, state) = (&last.metadata.name, last.status.state.word());
            let detail = format!("{name} is {state}; only what has ended is deleted");
            let hint = format!("`tidegate stop {name}` ends it");
            return Err(Problem::new(Code::WrongState, detail).hint(hint));
        }
        deck.command(Command::Forget { workload: id })?;
        Ok(Made::ok(last))
    });
    or_past(&app, &seen, &wanted, response.await).await
}

/// Why a workload is where it is: every blocker with its figures, what would unblock it, what was done for it.
#[utoipa::path(get, path = "/api/v1/workloads/{name}:explain", tag = "workloads", params(("name" = String, Path, description = "Name or uid")),
    responses((status = 200, body = Explanation), (status = "default", body = Problem)))]
pub async fn explain(State(app): State<App>, scope: Scope, Named(name): Named) -> Answered<Explanation> {
    let outcome = app.control.read(|world, now| {
        let id = scope.find(world, Action::WorkloadRead, &name)?;
        let explained = Explanation::of(&world.engine, world, now, id);
        let mut explained = explained.ok_or_else(|| missing(&name))?;
        let late = world.engine.workload(id).and_then(|w| notices::waits_too_long(world, w, now));
        explained.reasons.extend(late);
        let used_up = world.engine.workload(id).and_then(|w| pools::used_up(world, w, now));
        explained.reasons.splice(0..0, used_up);
        Ok(explained)
    });
    read(outcome.await).map(Answer::new)
}
