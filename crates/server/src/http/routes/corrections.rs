//! Corrections of what was metered: records of their own, beside it.

use super::super::accounting::{hours, usage_query, user_name, workspace_name};
use super::super::answer::{Answer, Answered};
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::{Change, Made, unavailable};
use super::super::extract::{Json, Params};
use super::{DryRunParams, page};
use crate::core::deck::Deck;
use crate::core::world::World;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::limits::MAX_CORRECTIONS;
use tidegate_api::metering::{Correction, CorrectionList, NewCorrection};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_billing::charge::Quantity;
use tidegate_billing::money::Price;
use tidegate_billing::price::{Mode, Resource};
use tidegate_billing::{Record, record};
use tidegate_engine::reason::Names;
use tidegate_engine::words::Class;
use tidegate_identity::Action;

usage_query! {
    /// Which corrections are wanted.
    CorrectionQuery {
        /// Items of a page, 1 to 1000; 100 if absent.
        limit: Option<u32>,
        /// What the page before has answered.
        page_token: Option<String>,
    }
}

fn shown(world: &World, one: &record::Correction) -> Correction {
    Correction {
        id: format!("cor-{}", one.id.0),
        made_at: Time::of(one.made),
        by: user_name(&world.people, one.by),
        reason: one.reason.to_string(),
        at: Time::of(one.at),
        workspace: workspace_name(&world.people, one.workspace),
        user: user_name(&world.people, one.user),
        quota: world.quota_name(one.account).into_owned(),
        workload_id: one.workload.map(uid::workload),
        mode: one.mode.word().into(),
        resource: one.resource.to_string(),
        class: one.class.word().into(),
        hours: hours(one.quantity, &one.resource),
        quantity: one.quantity.0.to_string(),
    }
}

/// List corrections that count in a period.
#[utoipa::path(get, path = "/api/v1/usage/corrections", tag = "usage", params(CorrectionQuery),
    responses((status = 200, body = CorrectionList), (status = 404, body = Problem), (status = "default", body = Problem)), operation_id = "corrections")]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<CorrectionQuery>,
) -> Answered<CorrectionList> {
    let page = page(query.limit, query.page_token.as_deref())?;
    let places = app.meter.places();
    let listed = app.control.read(|world, now| {
        let selection = query.filter().select(world, &places, &caller, now)?;
        let picked = world.business.corrections().filter(|one| selection.picks_correction(world, one));
        let (items, next_page_token) = page.cut(picked.map(|one| shown(world, one)));
        Ok::<_, Problem>(CorrectionList { items, next_page_token })
    });
    Ok(Answer::new(listed.await.map_err(unavailable)??))
}

/// Correct what was metered: hours that are added to what somebody has used, or taken back. What was metered stays as it is.
#[utoipa::path(post, path = "/api/v1/usage/corrections", tag = "usage", params(DryRunParams), request_body = NewCorrection,
    responses((status = 201, body = Correction), (status = "default", body = Problem)), operation_id = "correct")]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewCorrection>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "usage.correct", body.sent, move |deck, change| {
            change.platform(deck, Action::UsageCorrect)?;
            let correction = read(deck, change, &new)?;
            let body = shown(deck.world(), &correction);
            deck.put_business(None, Some(Record::Correction(correction)));
            Ok(Made { status: StatusCode::CREATED, version: None, body })
        })
        .await
}

fn read(deck: &Deck<'_>, change: &Change, new: &NewCorrection) -> Result<record::Correction, Problem> {
    let (world, now) = (deck.world(), deck.now());
    let unknown = |at: &str, what: &str, name: &str| {
        Problem::new(Code::UnknownReference, format!("there is no {what} {name}")).at(at)
    };
    let invalid = |at: &str, detail: String| Problem::new(Code::Invalid, detail).at(at);
    let workspace = world.people.workspace_named(&new.workspace);
    let workspace = workspace.ok_or_else(|| unknown("/workspace", "workspace", &new.workspace))?.id;
    let user = world.people.user_named(&new.user);
    let user = user.ok_or_else(|| unknown("/user", "user", &new.user))?.id;
    let account =
        world.engine.quota_named(&new.quota).ok_or_else(|| unknown("/quota", "quota", &new.quota))?;
    let resource = Resource::parse(&new.resource)
        .ok_or_else(|| invalid("/resource", format!("{:?} is not gpu:MODEL, cpu or memory", new.resource)))?;
    let mode = new.mode.as_deref().map_or(Some(Mode::Quota), Mode::parse);
    let mode = mode.ok_or_else(|| invalid("/mode", "it is shared, reserved, byUsage or quota".into()))?;
    let class = new.class.as_deref().map_or(Some(Class::Firm), Class::parse);
    let class = class.ok_or_else(|| invalid("/class", "it is firm, loan or idle".into()))?;
    let workload = match &new.workload_id {
        None => None,
        Some(id) => Some(
            uid::as_workload(id)
                .ok_or_else(|| invalid("/workloadId", format!("{id:?} is no id such as w-12")))?,
        ),
    };
    let quantity = quantity(&new.hours, &resource).ok_or_else(|| {
        invalid(
            "/hours",
            format!(
                "{:?} is not a number of hours such as \"-12.5\", not 0, with up to six decimals",
                new.hours
            ),
        )
    })?;
    let at = new.at.tick();
    if at > now {
        return Err(invalid("/at", format!("{} has not come yet", new.at)));
    }
    if world.business.corrections().count() >= MAX_CORRECTIONS {
        let detail = format!("there are {MAX_CORRECTIONS} corrections, no more can be");
        return Err(Problem::new(Code::LimitExceeded, detail));
    }
    Ok(record::Correction {
        id: world.business.next_correction(),
        made: now,
        by: change.caller().who.user,
        reason: new.reason.trim().into(),
        at,
        workspace,
        user,
        workload,
        account,
        mode,
        resource,
        class,
        quantity,
    })
}

/// Hours of GPUs, cores or GiB. A millionth of an hour is 3.6 ms.
fn quantity(hours: &str, resource: &Resource) -> Option<Quantity> {
    let (sign, digits) = hours.strip_prefix('-').map_or((1, hours), |digits| (-1, digits));
    let millionths = i128::from(Price::parse(digits)?.0);
    (millionths > 0).then(|| Quantity(sign * millionths * resource.unit() * 18 / 5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_become_quantities() {
        let gpu = Resource::Gpu("H100".into());
        assert_eq!(quantity("1", &gpu), Some(Quantity(3_600_000_000)));
        assert_eq!(quantity("-12.5", &gpu), Some(Quantity(-45_000_000_000)));
        assert_eq!(quantity("0.000001", &gpu), Some(Quantity(3_600)));
        assert_eq!(quantity("2", &Resource::Memory), Some(Quantity((2 << 30) * 3_600_000)));
        for wrong in ["0", "-0", "", "--1", "1e3", "much"] {
            assert_eq!(quantity(wrong, &gpu), None, "{wrong:?}");
        }
    }
}
