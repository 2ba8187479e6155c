//! Statements: what use of a period costs.

use super::super::accounting::{Selection, hours, is_kept, record, usage_query, user_name, workspace_name};
use super::super::answer::{Answer, Answered};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::unavailable;
use super::super::extract::Params;
use super::prices;
use crate::budgets::{about, corrected};
use crate::core::world::World;
use crate::meter::{Kind, Listed, Tally, Wanted};
use crate::tariff;
use axum::extract::State;
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
    }
}

/// What use of a period costs: a line for each workspace, mode, config, quota, resource, class and price. Capacity of
/// dedicated compute is a line, used or not; work there is part of it, and no line. Everybody sees what they
/// have used themselves; whoever has usage:read in a workspace sees all of it. With `expand`, each line has the records that
/// it is the sum of.
#[utoipa::path(get, path = "/api/v1/bills", tag = "bills", params(BillQuery),
    responses((status = 200, body = Bill), (status = 404, body = Problem), (status = 410, body = Problem),
        (status = 422, body = Problem), (status = "default", body = Problem)), operation_id = "show")]
pub async fn bill(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<BillQuery>,
) -> Answered<Bill> {
    let places = app.meter.places();
    let asked = app.control.read(|world, now| {
        let book = prices::find(world, query.book.as_deref())?.record.clone();
        Ok::<_, Problem>((query.filter().select(world, &places, &caller, now)?, book))
    });
    let (selection, book) = asked.await.map_err(unavailable)??;
    let cuts = borders(&book, selection.from, selection.to);
    let (wanted, parts, expand) = (selection.clone(), cuts.clone(), query.expand == Some(true));
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
    Ok(Answer::new(settled.await.map_err(unavailable)??))
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
