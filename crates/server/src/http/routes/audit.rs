//! The audit: who changed what. It is read, and never written.

use super::super::answer::Answer;
use super::super::app::App;
use super::super::auth::Caller;
use super::super::extract::{Named, Params};
use super::super::eyes;
use super::super::problem::{Refused, of_store};
use super::workspaces;
use crate::audit::{Looked, Wanted, look};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::io;
use tidegate_api::audit::AuditList;
use tidegate_api::limits::MAX_PAGE;
use tidegate_api::page::{PageQuery, PageToken};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_engine::ids::{Tick, WorkspaceId};
use tidegate_identity::Action;
use tidegate_store::StoreError;
use utoipa::IntoParams;

/// Lines of JSON, one for each entry.
pub const LINES: &str = "application/x-ndjson";
/// Where the log begins, if its beginning is archived.
const ARCHIVED_BELOW: HeaderName = HeaderName::from_static("x-tidegate-archived-below");

/// Which changes are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Only what this user asked for.
    user: Option<String>,
    /// Only this operation, such as quota.scale.
    operation: Option<String>,
    /// Only what concerns this workspace.
    workspace: Option<String>,
    /// Not before this time.
    from: Option<String>,
    /// Not after this time.
    to: Option<String>,
    /// `json`, or `jsonl`: all of it as lines of JSON, as with `Accept: application/x-ndjson`.
    format: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    /// What the page before has answered.
    page_token: Option<String>,
}

impl AuditQuery {
    fn wanted(&self) -> Result<Wanted, Problem> {
        let time = |text: &Option<String>, name: &str| {
            let parsed = text.as_deref().map(str::parse::<Time>).transpose();
            parsed.map_err(|why| Problem::new(Code::BadParameter, format!("{name}: {why}")))
        };
        Ok(Wanted {
            user: self.user.clone(),
            operation: self.operation.clone(),
            since: time(&self.from, "from")?.map_or(Tick(0), Time::tick),
            until: time(&self.to, "to")?.map_or(Tick(u64::MAX), Time::tick),
        })
    }

    /// Below which event to look.
    fn below(&self) -> Result<u64, Problem> {
        let Some(token) = &self.page_token else { return Ok(u64::MAX) };
        let token: PageToken = token.parse().map_err(|why: String| Problem::new(Code::BadParameter, why))?;
        let number = token.state().and_then(|state| state.strip_prefix("below-")?.parse().ok());
        number.ok_or_else(|| Problem::new(Code::BadParameter, "this page token belongs to another list"))
    }

    fn as_lines(&self, headers: &HeaderMap) -> Result<bool, Problem> {
        match self.format.as_deref() {
            Some("jsonl") => Ok(true),
            Some("json") => Ok(false),
            Some(other) => {
                Err(Problem::new(Code::BadParameter, format!("format is {other:?}; it is json or jsonl")))
            }
            None => {
                let accepted =
                    headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
                Ok(accepted.split(',').any(|kind| kind.split(';').next().unwrap_or_default().trim() == LINES))
            }
        }
    }
}

/// Who changed what, newest first, everywhere.
#[utoipa::path(get, path = "/api/v1/audit", tag = "audit", params(AuditQuery),
    responses((status = 200, description = "A page, or all of it as lines of JSON", content((AuditList = "application/json"), (tidegate_api::audit::AuditEntry = "application/x-ndjson"))),
        (status = 404, body = Problem), (status = "default", body = Problem)), operation_id = "audit")]
pub async fn all(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Params(query): Params<AuditQuery>,
) -> Result<Response, Refused> {
    let people = app.control.people();
    caller.platform(&people, Action::PlatformAudit)?;
    let room = match &query.workspace {
        None => None,
        Some(name) => Some(people.workspace_named(name).ok_or_else(|| workspaces::missing(name))?.id),
    };
    answer(app, caller, room, query, &headers).await
}

/// Who changed what in a workspace, newest first: the workspace itself, its members, policies and webhooks, tokens of
/// its service accounts, and its workloads.
#[utoipa::path(get, path = "/api/v1/workspaces/{name}/audit", tag = "audit", params(("name" = String, Path, description = "The workspace"), AuditQuery),
    responses((status = 200, description = "A page, or all of it as lines of JSON", content((AuditList = "application/json"), (tidegate_api::audit::AuditEntry = "application/x-ndjson"))),
        (status = "default", body = Problem)), operation_id = "audit_of_workspace")]
pub async fn of_workspace(
    State(app): State<App>,
    caller: Caller,
    Named(name): Named,
    headers: HeaderMap,
    Params(query): Params<AuditQuery>,
) -> Result<Response, Refused> {
    let room = workspaces::find(&app.control.people(), &caller, Action::AuditRead, &name)?.id;
    if query.workspace.as_ref().is_some_and(|other| *other != name) {
        let detail = format!("this is the audit of {name}: it has nothing of other workspaces");
        return Err(Refused(Problem::new(Code::BadParameter, detail)));
    }
    answer(app, caller, Some(room), query, &headers).await
}

async fn answer(
    app: App,
    caller: Caller,
    room: Option<WorkspaceId>,
    query: AuditQuery,
    headers: &HeaderMap,
) -> Result<Response, Refused> {
    let (wanted, below) = (query.wanted()?, query.below()?);
    let limit = PageQuery { limit: query.limit, page_token: None }.limit()?;
    let reading = Reading { app, caller, room, wanted };
    if query.as_lines(headers)? {
        return reading.lines(below).await;
    }
    let looked = reading.look(below, limit).await.map_err(|error| of_store(&error))?;
    let next_page_token = looked.next.map(|below| PageToken::of(&format!("below-{below}")));
    let body = AuditList { items: looked.items, next_page_token, archived_below: looked.archived_below };
    Ok(Answer::new(body).into_response())
}

/// Somebody who reads.
#[derive(Clone)]
struct Reading {
    app: App,
    caller: Caller,
    room: Option<WorkspaceId>,
    wanted: Wanted,
}

impl Reading {
    async fn look(&self, below: u64, limit: usize) -> Result<Looked, StoreError> {
        let Reading { app, caller, room, wanted } = self.clone();
        let control = app.control.clone();
        app.with_reader(move |reader| look(&control, reader, &caller, room, &wanted, below, limit)).await
    }

    /// All of it, piece by piece. It ends in the middle of nowhere if the store fails: who reads notices.
    async fn lines(self, below: u64) -> Result<Response, Refused> {
        let first = self.look(below, MAX_PAGE as usize).await.map_err(|error| of_store(&error))?;
        let archived = first.archived_below;
        let stream = futures_util::stream::unfold((self, Some(first)), |(reading, page)| async {
            let page = page?;
            let text = reading.text(&page);
            let follows = match page.next {
                None => Ok(None),
                Some(below) => reading.look(below, MAX_PAGE as usize).await.map(Some),
            };
            Some(match follows {
                Ok(follows) => (Ok(text), (reading, follows)),
                Err(error) => (Err(io::Error::other(error.to_string())), (reading, None)),
            })
        });
        let mut response = Body::from_stream(stream).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(LINES));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(below) = archived {
            headers.insert(ARCHIVED_BELOW, HeaderValue::from(below));
        }
        Ok(response)
    }

    /// Entries as lines, with the names that the reader may know.
    fn text(&self, looked: &Looked) -> Bytes {
        let line = |entry| serde_json::to_string(entry).expect("an entry is plain data") + "\n";
        let text: String = looked.items.iter().map(line).collect();
        eyes::open(&self.app, &self.caller, &text).into()
    }
}
