//! Statements: what use of a period costs.

use super::super::accounting::{
    Selection, as_csv, cut, hours, is_kept, record, usage_query, user_name, workspace_name,
};
use super::super::answer::Answer;
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::unavailable;
use super::super::csv;
use super::super::extract::Params;
use super::super::problem::Refused;
use super::prices;
use crate::budgets::{about, corrected};
use crate::core::world::World;
use crate::meter::{Kind, Listed, Tally, Wanted};
use crate::tariff;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use tidegate_api::bill::{Bill, BillLine};
use tidegate_api::limits::MAX_BILL_RECORDS;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::price::PriceBook;
use tidegate_billing::statement::{About, Line, borders, statement};
use tidegate_engine::ids::Tick;
use tidegate_engine::reason::Names;

usage_query! {
    /// Which statement is wanted.
    BillQuery {
        /// By the prices of this book; by `default`, or the only one, if absent.
        book: Option<String>,
        /// `true`: with the records that each line is the sum of.
        expand: Option<bool>,
        /// Cut the period into parts of this length, such as 1d: each line is of one of them. All of it costs the same.
        step: Option<String>,
        /// `json`; or the lines alone, as `csv`.
        format: Option<String>,
    }
}

/// What use of a period costs: a line for each workspace, mode, config, quota, resource, class and price. Capacity of
/// dedicated compute is a line, used or not; work there is part of it, and no line. Everybody sees what they
/// have used themselves; whoever has usage:read in a workspace sees all of it. With `expand`, each line has the records that
/// it is the sum of; with `step`, charges over time.
#[utoipa::path(get, path = "/api/v1/bills", tag = "bills", params(BillQuery),
    responses((status = 200, description = "A statement, or its lines", content((Bill = "application/json"), (String = "text/csv"))), (status = 404, body = Problem), (status = 410, body = Problem),
        (status = 422, body = Problem), (status = "default", body = Problem)), operation_id = "show")]
pub async fn bill(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<BillQuery>,
) -> Result<Response, Refused> {
    let (as_csv, expand) = (as_csv(query.format.as_deref())?, query.expand == Some(true));
    if as_csv && expand {
        let detail = "expand: lines alone have no records";
        return Err(Refused(
            Problem::new(Code::BadParameter, detail).hint("GET /api/v1/usage/records exports them"),
        ));
    }
    let found =
        app.control.read(|world, _| prices::find(world, query.book.as_deref()).map(|b| b.record.clone()));
    let book = found.await.map_err(unavailable)??;
    let selection = app.selected(query.filter(), &caller).await?;
    let mut cuts = borders(&book, selection.from, selection.to);
    cuts.extend(cut(selection.from, selection.to, query.step.as_deref())?);
    cuts.sort_unstable();
    cuts.dedup();
    let (wanted, parts) = (selection.clone(), cuts.clone());
    let (tally, listed) = app
        .metered(move |meter| {
            let wanted = Wanted { borders: &parts, pick: &|kind| wanted.picks(kind), workload: None };
            let tally = meter.tally(&wanted)?;
            let listed = if expand { meter.list(&wanted, 0, MAX_BILL_RECORDS)? } else { Listed::default() };
            Ok((tally, listed))
        })
        .await?;
    is_kept(selection.from, tally.kept_from)?;
    if listed.next.is_some() {
        let detail = format!("the bill is the sum of more than {MAX_BILL_RECORDS} records");
        return Err(Problem::new(Code::LimitExceeded, detail)
            .hint("ask for a shorter period, or for the records alone: GET /api/v1/usage/records")
            .into());
    }
    let settled = app.control.read(|world, _| settle(world, &book, &selection, &cuts, &tally, &listed));
    let bill = settled.await.map_err(unavailable)??;
    Ok(match as_csv {
        true => csv::answer(&app, &caller, &exported(&bill)),
        false => Answer::new(bill).into_response(),
    })
}

const HEAD: &str = "from,to,workspace,quota,mode,config,resource,class,hours,quantity,price,discount,cost,currency,correction\n";

fn exported(bill: &Bill) -> String {
    let told = |value: &Option<String>| value.clone().unwrap_or_default();
    let line = |line: &BillLine| {
        csv::line(&[
            line.from.to_string(),
            line.to.to_string(),
            line.workspace.clone(),
            line.quota.clone(),
            line.mode.clone(),
            told(&line.config),
            line.resource.clone(),
            line.class.clone(),
            line.hours.to_string(),
            line.quantity.clone(),
            line.price.clone(),
            told(&line.discount),
            line.cost.clone(),
            bill.currency.clone(),
            told(&line.correction),
        ])
    };
    HEAD.to_string() + &bill.lines.iter().map(line).collect::<String>()
}

fn settle(
    world: &World,
    book: &PriceBook,
    selection: &Selection,
    cuts: &[Tick],
    tally: &Tally,
    listed: &Listed,
) -> Result<Bill, Problem> {
    let charged = tally.sums.iter().filter(|((kind, _), _)| kind.is_charged());
    let metered = charged.map(|((kind, part), quantity)| (about(kind), *part, *quantity));
    let corrections = world.business.corrections().filter(|one| selection.picks_correction(world, one));
    let statement = statement(book, cuts, metered.chain(corrections.map(|one| corrected(world, cuts, one))))
        .map_err(|why| tariff::no_price(book, why))?;
    let people = &world.people;
    let line = |line: &Line| {
        let About { workspace, mode, config, quota, resource, class, correction } = &line.about;
        let of_line = |kind: &Kind| kind.is_charged() && about(kind) == line.about;
        let mut records = Vec::new();
        for (id, one) in listed.items.iter().filter(|(_, one)| of_line(&one.kind)) {
            let (from, to) = (one.from.max(line.from), one.to.min(line.to));
            if from < to {
                records.push(record(world, *id, &crate::meter::Use { from, to, ..one.clone() }));
            }
        }
        BillLine {
            workspace: workspace_name(people, *workspace),
            quota: world.quota_name(*quota).into_owned(),
            mode: mode.word().into(),
            config: config.map(|id| id.to_string()),
            resource: resource.to_string(),
            class: class.word().into(),
            from: Time::of(line.from),
            to: Time::of(line.to),
            price: line.rate.price.to_string(),
            discount: tariff::percent(line.rate.discount),
            hours: hours(line.quantity, resource),
            quantity: line.quantity.0.to_string(),
            cost: book.currency.written(line.cost),
            correction: correction.map(|id| format!("cor-{}", id.0)),
            records,
        }
    };
    Ok(Bill {
        from: Time::of(selection.from),
        to: Time::of(selection.to),
        is_final: selection.to <= tally.now,
        as_of: Time::of(tally.now),
        workspace: selection.workspace.map(|id| workspace_name(people, id)),
        user: selection.user.map(|id| user_name(people, id)),
        quota: selection
            .quotas
            .as_ref()
            .and_then(|ids| ids.last())
            .map(|id| world.quota_name(*id).into_owned()),
        config: selection.config.map(|id| id.to_string()),
        price_book: book.name.to_string(),
        currency: book.currency.code.to_string(),
        lines: statement.lines.iter().map(line).collect(),
        due: book.currency.written(statement.due),
        showback: book.currency.written(statement.showback),
    })
}
