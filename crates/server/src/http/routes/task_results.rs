//! What tasks give back: an answer as JSON, and files.

use super::super::answer::{Answer, Answered};
use super::super::app::App;
use super::super::extract::{Named, Params};
use super::super::problem::Refused;
use super::super::scope::Scope;
use super::tasks::{OneTask, awaited, missing};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read};
use tidegate_api::limits::MAX_TASK_OUTPUT;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::task::{Task, TaskFile, TaskResult, TaskState};
use tidegate_api::uid;
use tidegate_executor::local::Tray;
use utoipa::IntoParams;

/// Bytes of a file that are read at once.
const PIECE: usize = 64 << 10;

/// Where a task has put what it gives back; `None` where nothing is started.
fn tray(app: &App, task: &Task) -> Result<Option<Tray>, Problem> {
    let Some(places) = &app.work.places else { return Ok(None) };
    let people = app.control.people();
    let room = people.workspace_named(&task.workspace).map(|room| room.id);
    let (room, id) = room.zip(uid::as_workload(&task.id)).ok_or_else(|| missing(&task.id))?;
    Ok(Some(places.tray(room, id, &task.name)))
}

fn ended(task: Task) -> Result<Task, Problem> {
    if task.state.is_ended() {
        return Ok(task);
    }
    let detail = format!("{} is {}: it has no result yet", task.name, task.state.word());
    Err(Problem::new(Code::WrongState, detail).hint("wait for it: ?wait=30s, or `tidegate task wait`"))
}

/// What a task gave back, once it has ended.
#[utoipa::path(get, path = "/api/v1/tasks/{name}/result", tag = "tasks", params(("name" = String, Path, description = "Id or name"), OneTask),
    responses((status = 200, body = TaskResult), (status = 409, body = Problem), (status = "default", body = Problem)))]
pub async fn result(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    Params(query): Params<OneTask>,
) -> Answered<TaskResult> {
    let task = ended(awaited(&app, &scope, &name, query.wait).await?)?;
    let tray = tray(&app, &task)?;
    let read = tokio::task::spawn_blocking(move || read(tray.as_ref(), &task));
    let result = read.await.map_err(|_| Problem::new(Code::Internal, "the result could not be read"))?;
    Ok(Answer::new(result))
}

fn read(tray: Option<&Tray>, task: &Task) -> TaskResult {
    let mut result = TaskResult {
        id: task.id.clone(),
        state: task.state,
        exit_code: task.exit_code,
        detail: task.detail.clone(),
        output: Value::Null,
        files: Vec::new(),
        note: None,
    };
    let Some(tray) = tray else {
        result.note = Some("this server plays work and starts nothing: there is no output".into());
        return result;
    };
    if !tray.is_there() {
        result.note = Some("it has left nothing, or what it left is no longer kept".into());
        return result;
    }
    let mut notes = Vec::new();
    if task.state == TaskState::Succeeded {
        match tray.read_output(MAX_TASK_OUTPUT) {
            Ok(output) => result.output = output.unwrap_or(Value::Null),
            Err(error) => notes.push(format!("the output cannot be read: {error}")),
        }
    }
    match tray.list() {
        Ok(files) => {
            let files = files.into_iter().map(|file| TaskFile { path: file.path, size: file.size });
            result.files = files.collect();
        }
        Err(error) => notes.push(format!("the files cannot be listed: {error}")),
    }
    result.note = (!notes.is_empty()).then(|| notes.join("; "));
    result
}

/// Which file of a task.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OneFile {
    /// The task's workspace, where the caller has several.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    workspace: Option<String>,
    /// As the result lists it.
    path: Option<String>,
}

/// A file that a task left.
#[utoipa::path(get, path = "/api/v1/tasks/{name}/file", tag = "tasks", params(("name" = String, Path, description = "Id or name"), OneFile),
    responses((status = 200, content_type = "application/octet-stream", body = [u8]), (status = 409, body = Problem), (status = "default", body = Problem)))]
pub async fn file(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    Params(query): Params<OneFile>,
) -> Result<Response, Refused> {
    let task = ended(awaited(&app, &scope, &name, None).await?)?;
    let which = || Problem::new(Code::BadParameter, "?path= says which file");
    let path = query.path.ok_or_else(which)?;
    let gone = || Problem::new(Code::NotFound, format!("{} has left no file {path}", task.name));
    let tray = tray(&app, &task)?.ok_or_else(gone)?;
    let wanted = path.clone();
    let opened = tokio::task::spawn_blocking(move || {
        let file = tray.file(&wanted)?;
        file.map(|file| Ok((file.metadata()?.len(), file))).transpose()
    });
    let failed = |error: io::Error| Problem::new(Code::Internal, format!("it cannot be read: {error}"));
    let opened = opened.await.map_err(|_| Problem::new(Code::Internal, "it cannot be read"))?;
    let (size, file) = opened.map_err(failed)?.ok_or_else(gone)?;
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_string()),
        (CONTENT_LENGTH, size.to_string()),
        // A browser is to keep it, not to run it.
        (CONTENT_DISPOSITION, "attachment".to_string()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_string()),
    ];
    Ok((headers, Body::from_stream(pieces(file))).into_response())
}

/// A file piece by piece, read where waiting for the disk disturbs nobody.
fn pieces(file: File) -> impl futures_core::Stream<Item = io::Result<Bytes>> {
    futures_util::stream::unfold(Some(file), |file| async {
        let mut file = file?;
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE];
            let count = file.read(&mut piece)?;
            piece.truncate(count);
            Ok::<_, io::Error>((piece, file))
        });
        match read.await {
            Ok(Ok((piece, _))) if piece.is_empty() => None,
            Ok(Ok((piece, file))) => Some((Ok(piece.into()), Some(file))),
            Ok(Err(error)) => Some((Err(error), None)),
            Err(_) => Some((Err(io::Error::other("reading was given up")), None)),
        }
    })
}
