//! Manifests: resources as they shall be.

use super::super::app::App;
use super::super::change::{Change, Made};
use super::super::extract::Manifests;
use super::super::problem::Refused;
use super::super::scope::Scope;
use super::super::submission;
use super::{DryRunParams, pools, prices, quotas, templates, workloads, workspaces};
use crate::core::deck::Deck;
use crate::tariff;
use crate::tasks::templates::spec;
use crate::view;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use tidegate_api::actions::{Applied, ApplyResult, Outcome};
use tidegate_api::bill::NewPriceBook;
use tidegate_api::manifest::{self, ApplyRequest, Manifest};
use tidegate_api::pool::{NewPool, PoolSpec};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::quota::NewQuota;
use tidegate_api::resource::differences;
use tidegate_api::template::NewTemplate;
use tidegate_api::workload::NewWorkload;
use tidegate_api::workspace::NewWorkspace;
use tidegate_engine::Command;
use tidegate_engine::words::Mode;
use tidegate_identity::{Action, Resource, Verdict, may};

/// What became of a manifest, and which fields changed.
type Became = Result<(Outcome, Vec<String>), Problem>;

/// Make resources as the manifests describe them. Each is created, configured, left as it is, or refused by itself.
#[utoipa::path(post, path = "/api/v1/apply", tag = "manifests", params(DryRunParams),
    request_body(content((ApplyRequest = "application/json"), (String = "application/yaml"))),
    responses((status = 200, body = ApplyResult), (status = "default", body = Problem)))]
pub async fn apply(State(app): State<App>, change: Change, body: Manifests) -> Response {
    let manifests = match manifest::read(&body.sent, body.format) {
        Ok(manifests) => manifests,
        Err(problem) => return Refused(problem).into_response(),
    };
    let apart = app.work.here.keeps_apart();
    change
        .carry_out(&app, "apply", body.sent, move |deck, change| {
            let one = |(index, manifest): (usize, &Manifest)| {
                let (outcome, changed, problem) = match apply_one(deck, change, &apart, manifest) {
                    Ok((outcome, changed)) => (outcome, changed, None),
                    Err(problem) => (Outcome::Refused, Vec::new(), Some(problem)),
                };
                Applied {
                    document: index as u32 + 1,
                    kind: manifest.kind().into(),
                    name: manifest.name().map_or(String::new(), |name| name.as_str().into()),
                    outcome,
                    changed,
                    problem,
                }
            };
            Ok(Made::ok(ApplyResult { results: manifests.iter().enumerate().map(one).collect() }))
        })
        .await
}

fn apply_one(
    deck: &mut Deck<'_>,
    change: &Change,
    apart: &Result<(), String>,
    manifest: &Manifest,
) -> Became {
    match manifest {
        Manifest::Pool(new) => {
            change.platform(deck, Action::PoolUpdate)?;
            pool(deck, new)
        }
        Manifest::Quota(new) => {
            change.platform(deck, Action::QuotaUpdate)?;
            quota(deck, new)
        }
        Manifest::Workspace(new) => workspace(deck, change, apart, new),
        Manifest::Workload(new) => workload(deck, change, new),
        Manifest::PriceBook(new) => {
            change.platform(deck, Action::PriceUpdate)?;
            price_book(deck, new)
        }
        Manifest::Template(new) => template(deck, change, new),
    }
}

fn workspace(deck: &mut Deck<'_>, change: &Change, apart: &Result<(), String>, new: &NewWorkspace) -> Became {
    let people = &deck.world().people;
    // One that is not seen is answered like one that is not there.
    let knows = |id| may(people, &change.caller().who, Action::WorkspaceRead, Resource::Workspace(id));
    let present = people.workspace_named(&new.metadata.name).map(|room| room.id);
    let Some(present) = present.filter(|id| knows(*id) != Verdict::Hidden) else {
        change.platform(deck, Action::WorkspaceCreate)?;
        workspaces::kept_apart(apart.clone())?;
        workspaces::create_on(deck, change.caller(), new)?;
        return Ok((Outcome::Created, Vec::new()));
    };
    workspaces::find(&deck.world().people, change.caller(), Action::WorkspaceUpdate, &new.metadata.name)?;
    let spec = |deck: &Deck<'_>| {
        workspaces::show(deck.world(), change.caller(), present).map(|workspace| workspace.spec)
    };
    let before = spec(deck);
    workspaces::set_on(deck, change, present, &new.spec)?;
    became(differences(&before, &spec(deck)))
}

/// A price book that exists gets a version more, unless it says so already.
fn price_book(deck: &mut Deck<'_>, new: &NewPriceBook) -> Became {
    let Some(present) = deck.world().business.book_named(&new.metadata.name) else {
        prices::create_on(deck, new)?;
        return Ok((Outcome::Created, Vec::new()));
    };
    let (id, before) = (present.record.id, tariff::shown(present, deck.now())?.spec.prices);
    match prices::set_on(deck, id, &new.spec)? {
        true => Ok((Outcome::Configured, differences(&before, &new.spec.prices))),
        false => became(Vec::new()),
    }
}

fn became(changed: Vec<String>) -> Became {
    let outcome = if changed.is_empty() { Outcome::Unchanged } else { Outcome::Configured };
    Ok((outcome, changed))
}

fn immutable(changed: Vec<String>, what: &str) -> Problem {
    let fields = changed.join(", ");
    let problem = Problem::new(Code::ImmutableField, format!("{what}; these differ: {fields}"));
    changed.into_iter().fold(problem, |problem, field| problem.at(format!("/spec{field}")))
}

/// A pool that exists may get more nodes of the kinds that it has, or of new kinds at the end of its list.
fn pool(deck: &mut Deck<'_>, new: &NewPool) -> Became {
    let engine = &deck.world().engine;
    let Some(id) = engine.pool_named(&new.metadata.name) else {
        pools::create_on(deck, new)?;
        return Ok((Outcome::Created, Vec::new()));
    };
    let Some(present) = PoolSpec::of(engine, id) else {
        return Err(Problem::new(Code::NotFound, "the pool is gone"));
    };
    let wanted = new.spec.normal();
    let changed = differences(&present, &wanted);
    if changed.is_empty() {
        return became(changed);
    }
    let Some(more) = wanted.beyond(&present) else {
        return Err(immutable(changed, "a pool only grows by a manifest")
            .hint("`tidegate node remove` takes nodes away, one by one"));
    };
    let last = deck.world().engine.pool(id).and_then(|pool| pool.nodes.iter().last().map(|node| node.id.0));
    for command in more.nodes(&new.metadata.name, id, last.map_or(0, |last| last + 1))? {
        deck.command(command)?;
    }
    became(changed)
}

fn quota(deck: &mut Deck<'_>, new: &NewQuota) -> Became {
    let Ok(id) = quotas::named(deck.world(), &new.metadata.name) else {
        quotas::create_on(deck, new)?;
        return Ok((Outcome::Created, Vec::new()));
    };
    let version = deck.world().shell.quotas.get(&id).map_or(0, |record| record.version).to_string();
    if let Some(given) = new.metadata.version.as_ref().filter(|given| **given != version) {
        let detail = format!("it has version {version} by now, the manifest is for {given}");
        return Err(Problem::new(Code::StaleVersion, detail).at("/metadata/version"));
    }
    let spec = |deck: &Deck<'_>| view::quota(deck.world(), id).map(|quota| quota.spec);
    let before = spec(deck);
    quotas::set_on(deck, id, new, Mode::Refuse)?;
    let after = spec(deck);
    became(differences(&before, &after))
}

/// A template that exists gets another version if what it runs differs.
fn template(deck: &mut Deck<'_>, change: &Change, new: &NewTemplate) -> Became {
    let caller = change.caller();
    let Some(before) = templates::present(deck.world(), caller, new)? else {
        templates::create_on(deck, caller, new)?;
        return Ok((Outcome::Created, Vec::new()));
    };
    let spec = |deck: &Deck<'_>| {
        let template = &deck.world().business.template(before.id)?.record;
        Some(spec(deck.world(), template, template.version(None)?))
    };
    let was = spec(deck);
    templates::set_on(deck, caller, before.clone(), &new.spec)?;
    became(differences(&was, &spec(deck)))
}

/// A workload that exists may get another priority or number of replicas. One that has ended with another
/// specification is submitted anew; with the same, it is left in peace: applying twice is no harm.
fn workload(deck: &mut Deck<'_>, change: &Change, new: &NewWorkload) -> Became {
    let name = new.metadata.name.as_ref().map_or("", |name| name.as_str());
    let caller = change.caller();
    let scope = Scope {
        caller: caller.clone(),
        workspace: new.spec.workspace.as_ref().map(|name| name.as_str().into()),
    };
    let id = match scope.find(deck.world(), Action::WorkloadUpdate, name) {
        Ok(id) => id,
        Err(problem) if problem.code != Code::NotFound => return Err(problem),
        Err(_) => {
            workloads::submit_on(deck, caller, new.clone())?;
            return Ok((Outcome::Created, Vec::new()));
        }
    };
    let (Some(document), Some(w)) = (deck.world().documents.get(&id), deck.world().engine.workload(id))
    else {
        return Err(Problem::new(Code::NotFound, "the workload is gone"));
    };
    let mut present = document.spec.clone();
    let (ended, priority, replicas) = (w.state.is_ended(), w.spec.priority, w.spec.replicas());
    present.priority = new.spec.priority.map(|_| tidegate_api::priorities::Priority(priority));
    present.replicas = new.spec.replicas.map(|_| replicas);
    let changed = differences(&present, &new.spec);
    if ended && differences(&document.spec, &new.spec).is_empty() {
        return became(Vec::new());
    }
    if ended {
        workloads::submit_on(deck, caller, new.clone())?;
        return Ok((Outcome::Created, changed));
    }
    if changed.iter().any(|field| field != "/priority" && field != "/replicas") {
        return Err(immutable(changed, "of a workload, priority and replicas can be changed")
            .hint("stop it first, then apply the manifest: it is submitted anew"));
    }
    let (room, quota) = (w.spec.workspace, w.spec.quota);
    if let Some(priority) = new.spec.priority.filter(|wanted| wanted.0 != priority) {
        submission::may_have_priority(deck.world(), caller, room, quota, priority.0)?;
        deck.command(Command::SetPriority { workload: id, priority: priority.0 })?;
    }
    if let Some(replicas) = new.spec.replicas.filter(|wanted| *wanted != replicas) {
        deck.command(Command::Resize { workload: id, replicas })?;
    }
    became(changed)
}
