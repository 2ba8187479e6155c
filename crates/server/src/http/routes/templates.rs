//! Templates of tasks: of a workspace, or for everybody.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params, is_about};
use super::super::scope::Scope;
use super::{DryRunParams, page};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::tasks::templates::{aliases_of, is_bounded, run_of, shown, version};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tidegate_api::limits::MAX_TEMPLATES;
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::template::{NewTemplate, Template, TemplateList, TemplateSpec};
use tidegate_billing::business::Versioned;
use tidegate_billing::record::Record;
use tidegate_billing::template as record;
use tidegate_engine::ids::WorkspaceId;
use tidegate_identity::{Action, Resource};
use utoipa::IntoParams;

/// Which templates are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TemplateQuery {
    /// Only those that this workspace can use: its own, and those for everybody.
    workspace: Option<String>,
    /// Items of a page, 1 to 1000; 100 if absent.
    limit: Option<u32>,
    page_token: Option<String>,
}

/// Which template, and which version of it.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OneTemplate {
    /// The template's workspace, where several have one of this name.
    #[allow(
        dead_code,
        reason = "read with the head of the request; listed so that it is no unknown parameter"
    )]
    workspace: Option<String>,
    /// The number of a version, or an alias; the last one if absent.
    version: Option<String>,
}

fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no template {name}"))
        .hint("`tidegate template list` lists them")
}

/// What a template is to `may`.
fn resource(template: &record::Template) -> Resource {
    template.workspace.map_or(Resource::Platform, Resource::Workspace)
}

fn sees(world: &World, caller: &Caller, template: &record::Template) -> bool {
    template
        .workspace
        .is_none_or(|room| caller.may(&world.people, Action::WorkspaceRead, Resource::Workspace(room)))
}

/// The template of this name that the caller sees.
fn find<'a>(world: &'a World, scope: &Scope, name: &str) -> Result<&'a Versioned<record::Template>, Problem> {
    let room = scope.workspace.as_ref().map(|room| world.people.workspace_named(room).map(|room| room.id));
    let meant = |template: &record::Template| match room {
        None => true,
        Some(room) => template.workspace.is_none() || template.workspace == room,
    };
    let mut found = world.business.templates().filter(|template| {
        &*template.record.name == name
            && meant(&template.record)
            && sees(world, &scope.caller, &template.record)
    });
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(missing(name)),
        (Some(a), Some(b)) => {
            let rooms = [a, b]
                .map(|t| t.record.workspace.map_or_else(String::new, |id| world.room_name(id).to_string()));
            let detail = format!("there is a template {name} in {}", rooms.join(" and in "));
            Err(Problem::new(Code::WorkspaceRequired, detail)
                .hint("say which with --workspace or ?workspace="))
        }
    }
}

/// The template that a task of a workspace means.
pub fn usable<'a>(
    world: &'a World,
    room: WorkspaceId,
    name: &str,
) -> Option<&'a Versioned<record::Template>> {
    let own = world.business.template_named(Some(room), name);
    own.or_else(|| world.business.template_named(None, name))
}

/// List templates that the caller sees, by name.
#[utoipa::path(get, path = "/api/v1/templates", tag = "templates", params(TemplateQuery),
    responses((status = 200, body = TemplateList), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<TemplateQuery>,
) -> Answered<TemplateList> {
    let page = page(query.limit, query.page_token.as_deref())?;
    let outcome = app.control.read(|world, _| {
        let room =
            query.workspace.as_ref().map(|room| world.people.workspace_named(room).map(|room| room.id));
        let meant = |template: &record::Template| match room {
            None => true,
            Some(room) => template.workspace.is_none() || template.workspace == room,
        };
        let mut all: Vec<&Versioned<record::Template>> = world
            .business
            .templates()
            .filter(|template| meant(&template.record) && sees(world, &caller, &template.record))
            .collect();
        all.sort_by_key(|template| (&template.record.name, template.record.id));
        let shown =
            |template: &Versioned<record::Template>| shown(world, template, template.record.version(None)?);
        let (items, next_page_token) = page.cut(all.into_iter().filter_map(shown));
        Ok(TemplateList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// One template, with its last version or the one that is asked for.
#[utoipa::path(get, path = "/api/v1/templates/{name}", tag = "templates", params(("name" = String, Path, description = "The template"), OneTemplate),
    responses((status = 200, body = Template), (status = "default", body = Problem)))]
pub async fn get(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    Params(query): Params<OneTemplate>,
) -> Answered<Template> {
    let outcome = app.control.read(|world, _| {
        let template = find(world, &scope, &name)?;
        let version = version(&template.record, query.version.as_deref())?;
        shown(world, template, version).ok_or_else(|| missing(&name))
    });
    let template = read(outcome.await)?;
    Ok(Answer { version: Some(template.metadata.version.clone()), body: template })
}

fn made(deck: &Deck<'_>, status: StatusCode, id: record::TemplateId) -> Result<Made<Template>, Problem> {
    let gone = || Problem::new(Code::NotFound, "the template is gone");
    let template = deck.world().business.template(id).ok_or_else(gone)?;
    let last = version(&template.record, None)?;
    let body = shown(deck.world(), template, last).ok_or_else(gone)?;
    Ok(Made { status, version: Some(body.metadata.version.clone()), body })
}

/// Make a template, with its first version.
#[utoipa::path(post, path = "/api/v1/templates", tag = "templates", params(DryRunParams), request_body = NewTemplate,
    responses((status = 201, body = Template), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewTemplate>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "template.create", body.sent, move |deck, change| {
            let id = create_on(deck, change.caller(), &new)?;
            made(deck, StatusCode::CREATED, id)
        })
        .await
}

/// The workspace that a template shall be of, if the caller may change templates there.
fn room(world: &World, caller: &Caller, named: Option<&Name>) -> Result<Option<WorkspaceId>, Problem> {
    let Some(name) = named else {
        return caller.platform(&world.people, Action::TemplateUpdate).map(|()| None).map_err(|problem| {
            problem.hint("a template without a workspace is everybody's: name yours in spec.workspace")
        });
    };
    let unknown = || {
        Problem::new(Code::UnknownReference, format!("there is no workspace {name}")).at("/spec/workspace")
    };
    let room = world.people.workspace_named(name).ok_or_else(unknown)?;
    caller.check(&world.people, Action::TemplateUpdate, Resource::Workspace(room.id), unknown)?;
    Ok(Some(room.id))
}

pub fn create_on(
    deck: &mut Deck<'_>,
    caller: &Caller,
    new: &NewTemplate,
) -> Result<record::TemplateId, Problem> {
    let (world, name) = (deck.world(), &new.metadata.name);
    let room = room(world, caller, new.spec.workspace.as_ref())?;
    let known = |room| world.business.template_named(room, name).is_some();
    // A name means one thing to a task: a workspace's own and everybody's are never called alike.
    let elsewhere = world.business.templates().find(|t| *t.record.name == **name && room.is_none());
    let taken = match (known(room), room.is_some() && known(None), elsewhere) {
        (true, ..) => Some(format!("there is a template {name} already")),
        (_, true, _) => Some(format!("{name} is a template for everybody")),
        (.., Some(other)) => {
            let room = other.record.workspace.map_or_else(String::new, |id| world.room_name(id).to_string());
            Some(format!("{name} is a template of {room}"))
        }
        _ => None,
    };
    if let Some(detail) = taken {
        return Err(Problem::new(Code::NameTaken, detail).at("/metadata/name"));
    }
    if world.business.templates().filter(|t| t.record.workspace == room).count() >= MAX_TEMPLATES {
        let detail = format!("there are {MAX_TEMPLATES} templates here, no more can be");
        return Err(Problem::new(Code::LimitExceeded, detail).hint("delete some that nobody uses"));
    }
    let (id, now) = (world.business.next_template(), deck.now());
    let template = record::Template {
        id,
        name: name.as_str().into(),
        workspace: room,
        description: new.spec.description.as_str().into(),
        versions: vec![run_of(&new.spec, 1, now, caller.who.user)?],
        aliases: aliases_of(&new.spec, 1)?,
        created: now,
    };
    is_bounded(&template)?;
    deck.put_business(None, Some(Record::Template(template)));
    Ok(id)
}

/// Change a template: what it runs becomes its next version, if that differs. Needs If-Match.
#[utoipa::path(put, path = "/api/v1/templates/{name}", tag = "templates", request_body = NewTemplate,
    params(("name" = String, Path, description = "The template"), ("workspace" = Option<String>, Query, description = "The template's workspace, where several have one of this name"), DryRunParams, ("If-Match" = String, Header, description = "The version that is changed")),
    responses((status = 200, body = Template), (status = "default", body = Problem)))]
pub async fn put(
    State(app): State<App>,
    scope: Scope,
    Named(name): Named,
    change: Change,
    body: Json<NewTemplate>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "template.set", body.sent, move |deck, change| {
            let scope = match &new.spec.workspace {
                Some(room) => Scope { workspace: Some(room.as_str().into()), ..scope },
                None => scope,
            };
            let before = find(deck.world(), &scope, &name)?.clone();
            may_change(deck.world(), change.caller(), &before.record)?;
            change.must_match(before.version)?;
            is_about(&new.metadata.name, &name, "/metadata/name")?;
            set_on(deck, change.caller(), before.record.clone(), &new.spec)?;
            made(deck, StatusCode::OK, before.record.id)
        })
        .await
}

fn may_change(world: &World, caller: &Caller, template: &record::Template) -> Result<(), Problem> {
    let name = &template.name;
    caller.check(&world.people, Action::TemplateUpdate, resource(template), || missing(name))
}

/// The template that a manifest is about, if there is one and the caller may change it.
pub fn present(
    world: &World,
    caller: &Caller,
    new: &NewTemplate,
) -> Result<Option<record::Template>, Problem> {
    let room = room(world, caller, new.spec.workspace.as_ref())?;
    let Some(found) = world.business.template_named(room, &new.metadata.name) else { return Ok(None) };
    let version = found.version.to_string();
    if let Some(given) = new.metadata.version.as_ref().filter(|given| **given != version) {
        let detail = format!("it has version {version} by now, the manifest is for {given}");
        return Err(Problem::new(Code::StaleVersion, detail).at("/metadata/version"));
    }
    Ok(Some(found.record.clone()))
}

/// Makes a template as it is described. Whether anything changed.
pub fn set_on(
    deck: &mut Deck<'_>,
    caller: &Caller,
    before: record::Template,
    spec: &TemplateSpec,
) -> Result<bool, Problem> {
    let present = before.workspace.map(|room| deck.world().room_name(room));
    if present != spec.workspace {
        let detail = format!("{} cannot be moved to another workspace", before.name);
        return Err(Problem::new(Code::ImmutableField, detail).at("/spec/workspace"));
    }
    let mut after = before.clone();
    let last = version(&before, None)?;
    let next = run_of(spec, last.number + 1, deck.now(), caller.who.user)?;
    let same =
        record::TemplateVersion { number: last.number, created: last.created, by: last.by, ..next.clone() };
    if same != *last {
        after.versions.push(next);
    }
    let latest = after.versions.last().map_or(0, |version| version.number);
    after.aliases = aliases_of(spec, latest)?;
    after.description = spec.description.as_str().into();
    if after == before {
        return Ok(false);
    }
    is_bounded(&after)?;
    deck.put_business(Some(Record::Template(before)), Some(Record::Template(after)));
    Ok(true)
}

/// Delete a template with all its versions. Tasks of it that wait or run go on. Needs If-Match.
#[utoipa::path(delete, path = "/api/v1/templates/{name}", tag = "templates",
    params(("name" = String, Path, description = "The template"), ("workspace" = Option<String>, Query, description = "The template's workspace, where several have one of this name"), DryRunParams, ("If-Match" = String, Header, description = "The version that is deleted")),
    responses((status = 200, body = Template), (status = "default", body = Problem)))]
pub async fn delete(State(app): State<App>, scope: Scope, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "template.delete", Bytes::new(), move |deck, change| {
            let template = find(deck.world(), &scope, &name)?.clone();
            may_change(deck.world(), change.caller(), &template.record)?;
            change.must_match(template.version)?;
            let last = made(deck, StatusCode::OK, template.record.id)?;
            deck.put_business(Some(Record::Template(template.record)), None);
            Ok(last)
        })
        .await
}
