//! Advice: what the tasks of some weeks would have cost elsewhere, and how long they would have waited.

use super::super::accounting::is_kept;
use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::extract::Params;
use super::super::problem::Refused;
use super::{prices, workspaces};
use crate::tariff;
use axum::extract::State;
use serde::Deserialize;
use std::collections::BTreeMap;
use tidegate_api::advice::{Advice, AdvisedWaiting, AdvisedWay};
use tidegate_api::duration::Duration;
use tidegate_api::limits::{MAX_ADVISED_TASKS, MAX_ADVISED_WEEKS, MAX_SIMULATIONS};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::advice::{self, Way, advise};
use tidegate_billing::price::PriceBook;
use tidegate_engine::ids::{Span, Tick};
use tidegate_identity::Action;
use utoipa::IntoParams;

const WEEK: u64 = 7 * 24;

/// Whose tasks, and of when.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AdviceQuery {
    /// Whose tasks.
    workspace: String,
    /// Of the last so many weeks, 1 to 12; 4 if absent.
    weeks: Option<u32>,
    /// By the prices of this book; by `default`, or the only one, if absent.
    book: Option<String>,
}

/// What shared, reserved and by-usage compute would have cost for the tasks of a workspace, and how they would have waited:
/// its own past, once more through the engine.
#[utoipa::path(get, path = "/api/v1/advice", tag = "bills", params(AdviceQuery),
    responses((status = 200, body = Advice), (status = 404, body = Problem), (status = 410, body = Problem),
        (status = "default", body = Problem)), operation_id = "advise")]
pub async fn advice(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<AdviceQuery>,
) -> Answered<Advice> {
    let weeks = query.weeks.unwrap_or(4);
    if !(1..=MAX_ADVISED_WEEKS).contains(&weeks) {
        let detail = format!("weeks is {weeks}; it is 1 to {MAX_ADVISED_WEEKS}");
        return Err(Problem::new(Code::BadParameter, detail).into());
    }
    let asked = app.control.read(|world, now| {
        let room = workspaces::find(&world.people, &caller, Action::UsageRead, &query.workspace)?;
        let book = prices::find(world, query.book.as_deref())?.record.clone();
        Ok((room.id, room.name.to_string(), book, now))
    });
    let (room, name, book, now) = read(asked.await)?;
    let Ok(turn) = app.simulations.clone().try_acquire_owned() else {
        let detail = format!("{MAX_SIMULATIONS} simulations run already, as many as may");
        return Err(Refused(Problem::new(Code::QueueFull, detail)));
    };
    let from = Tick(now.0.saturating_sub(Span::hours(WEEK * u64::from(weeks)).0));
    let period = (from, now);
    let past = app.metered(move |meter| meter.past_tasks(room, period, MAX_ADVISED_TASKS)).await?;
    if past.is_cut {
        let detail = format!("there were more than {MAX_ADVISED_TASKS} tasks in the period");
        return Err(Problem::new(Code::LimitExceeded, detail).hint("ask for fewer weeks").into());
    }
    // The beginning of the period may be before anything is kept, where the workspace had done nothing yet.
    if !past.tasks.is_empty() {
        is_kept(from, past.kept_from)?;
    }
    let prices = book.clone();
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        (advise(&prices, &past.tasks, period), past.tasks.len())
    });
    let (found, tasks) = work.await.expect("a replay does not panic, and is not cancelled");
    Ok(Answer::new(shown(&book, name, period, tasks, found)))
}

fn shown(
    book: &PriceBook,
    workspace: String,
    (from, to): (Tick, Tick),
    tasks: usize,
    found: Option<advice::Advice>,
) -> Advice {
    let mut advice = Advice {
        workspace,
        from: Time::of(from),
        to: Time::of(to),
        tasks: tasks as u64,
        price_book: book.name.to_string(),
        currency: book.currency.code.to_string(),
        ways: Vec::new(),
        tried: Vec::new(),
        best: None,
    };
    if let Some(found) = found {
        let reserved = &found.tried[found.reserved];
        advice.ways = [&found.shared, reserved, &found.by_usage].map(|one| way(book, one)).into();
        advice.tried = found.tried.iter().map(|one| way(book, one)).collect();
        advice.best = Some(found.best.word().into());
    }
    advice
}

fn way(book: &PriceBook, way: &Way) -> AdvisedWay {
    let size = way.size.iter();
    let size = size.map(|(resource, amount)| (resource.to_string(), *amount as f64 / resource.unit() as f64));
    let problem = way.cost.as_ref().err().map(|why| tariff::no_price(book, why.clone()).detail);
    AdvisedWay {
        mode: way.mode.word().into(),
        size: size.collect::<BTreeMap<_, _>>(),
        cost: way.cost.as_ref().ok().map(|cost| book.currency.written(*cost)),
        problem,
        waiting: AdvisedWaiting {
            p50: Duration::of(way.waiting.p50),
            p95: Duration::of(way.waiting.p95),
            max: Duration::of(way.waiting.most),
        },
    }
}
