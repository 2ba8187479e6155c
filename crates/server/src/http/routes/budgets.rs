//! Budgets of workspaces.

use super::super::accounting::user_name;
use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params};
use super::super::problem::Refused;
use super::{DryRunParams, PageParams, page, prices, workspaces};
use crate::budgets::{Dues, dues};
use crate::core::world::World;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use std::collections::BTreeSet;
use tidegate_api::budget::{Budget, BudgetAlert, BudgetList, NewBudget};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::Record;
use tidegate_billing::budget::{self, month};
use tidegate_billing::business::Versioned;
use tidegate_billing::money::{Currency, Money};
use tidegate_engine::ids::{Tick, WorkspaceId};
use tidegate_identity::{Action, Resource};

fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("{name} has no budget")).hint("`tidegate budget set` sets one")
}

/// An amount such as `500` or `499.95`, in the smallest amounts of a currency.
fn amount(text: &str, currency: &Currency) -> Result<Money, Problem> {
    let wrong = || {
        let detail = format!(
            "{text:?} is not an amount above zero with up to {} decimals, as {} has them",
            currency.decimals, currency.code
        );
        Problem::new(Code::Invalid, detail).at("/amount")
    };
    Money::parse(text, currency).filter(|money| money.0 > 0).ok_or_else(wrong)
}

/// A budget as it is shown; `due` is what is known to be spent by now.
fn shown(
    world: &World,
    found: &Versioned<budget::Budget>,
    due: Option<&Result<Money, Problem>>,
    now: Tick,
) -> Result<Budget, Problem> {
    let Versioned { record, version } = found;
    let gone = || Problem::new(Code::Internal, "the price book of the budget is gone");
    let book = &world.business.book(record.book).ok_or_else(gone)?.record;
    let (from, to) = month(now);
    let spent = due.and_then(|due| due.as_ref().ok());
    let this_month = record.spent.as_ref().filter(|spent| spent.month == from);
    let alert = |(percent, at): &(u32, Tick)| BudgetAlert { percent: *percent, at: Time::of(*at) };
    Ok(Budget {
        workspace: world.room_name(record.workspace),
        amount: book.currency.written(record.amount),
        currency: book.currency.code.to_string(),
        price_book: book.name.to_string(),
        stop: record.stop,
        from: Time::of(from),
        to: Time::of(to),
        spent: spent.map(|spent| book.currency.written(*spent)),
        // Tenths of a percent are enough for people.
        percent: spent.map(|spent| (spent.0.saturating_mul(1_000) / record.amount.0) as f64 / 10.0),
        problem: due.and_then(|due| due.as_ref().err()).map(|problem| problem.detail.clone()),
        exhausted: record.exhausted(now).is_some(),
        alerts: this_month.map(|spent| spent.told.iter().map(alert).collect()).unwrap_or_default(),
        set_at: Time::of(record.set),
        set_by: user_name(&world.people, record.by),
        version: version.to_string(),
    })
}

/// What is spent by now.
async fn spent(app: &App, rooms: BTreeSet<WorkspaceId>) -> Result<Dues, Refused> {
    let (control, now) = (app.control.clone(), app.control.clock().now());
    app.metered(move |meter| dues(&control, meter, &rooms, now)).await
}

fn seen(world: &World, caller: &Caller, room: WorkspaceId) -> bool {
    caller.may(&world.people, Action::UsageRead, Resource::Workspace(room))
}

/// List budgets of workspaces whose use the caller may see.
#[utoipa::path(get, path = "/api/v1/budgets", tag = "budgets", params(PageParams),
    responses((status = 200, body = BudgetList), (status = "default", body = Problem)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<PageParams>,
) -> Answered<BudgetList> {
    caller.good_for(Action::UsageRead)?;
    let page = page(params.limit, params.page_token.as_deref())?;
    let cut = |world: &World| {
        let budgets = world.business.budgets().filter(|budget| seen(world, &caller, budget.record.workspace));
        let (budgets, next) = page.cut(budgets);
        (budgets.into_iter().cloned().collect::<Vec<_>>(), next)
    };
    let (budgets, _) = read(app.control.read(|world, _| Ok(cut(world))).await)?;
    let dues = spent(&app, budgets.iter().map(|budget| budget.record.workspace).collect()).await?;
    let listed = app.control.read(|world, now| {
        let (budgets, next_page_token) = cut(world);
        let one = |budget: &Versioned<budget::Budget>| {
            shown(world, budget, dues.get(&budget.record.workspace), now)
        };
        let items = budgets.iter().map(one).collect::<Result<_, _>>()?;
        Ok(BudgetList { items, next_page_token })
    });
    read(listed.await).map(Answer::new)
}

/// The budget of a workspace, and what is spent of it this month.
#[utoipa::path(get, path = "/api/v1/budgets/{name}", tag = "budgets", params(("name" = String, Path, description = "The workspace")),
    responses((status = 200, body = Budget), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, caller: Caller, Named(name): Named) -> Answered<Budget> {
    let room = app.control.read(|world, _| {
        let room = workspaces::find(&world.people, &caller, Action::UsageRead, &name)?.id;
        world.business.budget(room).map(|_| room).ok_or_else(|| missing(&name))
    });
    let room = read(room.await)?;
    let dues = spent(&app, BTreeSet::from([room])).await?;
    let outcome = app.control.read(|world, now| {
        let budget = world.business.budget(room).ok_or_else(|| missing(&name))?;
        Ok((shown(world, budget, dues.get(&room), now)?, budget.version.to_string()))
    });
    let (body, version) = read(outcome.await)?;
    Ok(Answer { body, version: Some(version) })
}

/// Set the budget of a workspace. Another amount begins anew: what was told of this month is told again when it is reached.
#[utoipa::path(put, path = "/api/v1/budgets/{name}", tag = "budgets", request_body = NewBudget,
    params(("name" = String, Path, description = "The workspace"), DryRunParams,
        ("If-Match" = Option<String>, Header, description = "The version that is changed, or *; needed where there is a budget")),
    responses((status = 200, body = Budget), (status = 201, body = Budget), (status = "default", body = Problem)))]
pub async fn put(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<NewBudget>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "budget.set", body.sent, move |deck, change| {
            change.platform(deck, Action::BudgetUpdate)?;
            let (world, now) = (deck.world(), deck.now());
            let room = workspaces::find(&world.people, change.caller(), Action::WorkspaceRead, &name)?.id;
            let unknown = |problem: Problem| match (&new.price_book, problem.code) {
                (Some(_), Code::NotFound) => {
                    Problem::new(Code::UnknownReference, problem.detail).at("/priceBook")
                }
                _ => problem,
            };
            let book = &prices::find(world, new.price_book.as_deref()).map_err(unknown)?.record;
            let (book, amount) = (book.id, amount(&new.amount, &book.currency)?);
            let before = world.business.budget(room).cloned();
            if let Some(before) = &before {
                change.must_match(before.version)?;
            }
            let old = before.map(|before| before.record);
            let same = |old: &&budget::Budget| old.amount == amount && old.book == book;
            let after = budget::Budget {
                workspace: room,
                book,
                amount,
                stop: new.stop.unwrap_or(false),
                set: now,
                by: change.caller().who.user,
                spent: old.as_ref().filter(same).and_then(|old| old.spent.clone()),
            };
            let status = if old.is_some() { StatusCode::OK } else { StatusCode::CREATED };
            deck.put_business(old.map(Record::Budget), Some(Record::Budget(after)));
            let found = deck.world().business.budget(room).ok_or_else(|| missing(&name))?;
            let body = shown(deck.world(), found, None, now)?;
            Ok(Made { status, version: Some(found.version.to_string()), body })
        })
        .await
}

/// Remove the budget of a workspace.
#[utoipa::path(delete, path = "/api/v1/budgets/{name}", tag = "budgets",
    params(("name" = String, Path, description = "The workspace"), DryRunParams),
    responses((status = 200, body = Budget), (status = "default", body = Problem)))]
pub async fn delete(State(app): State<App>, Named(name): Named, change: Change) -> Response {
    change
        .carry_out(&app, "budget.delete", Bytes::new(), move |deck, change| {
            change.platform(deck, Action::BudgetUpdate)?;
            let world = deck.world();
            let room = workspaces::find(&world.people, change.caller(), Action::WorkspaceRead, &name)?.id;
            let found = world.business.budget(room).cloned().ok_or_else(|| missing(&name))?;
            change.may_match(found.version)?;
            let body = shown(world, &found, None, deck.now())?;
            deck.put_business(Some(Record::Budget(found.record)), None);
            Ok(Made::ok(body))
        })
        .await
}
