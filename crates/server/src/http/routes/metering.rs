//! What was used: records, sums, corrections.

use super::super::accounting::{
    as_csv, config_of, cut, hours, is_kept, record, usage_query, user_name, workspace_name,
};
use super::super::answer::Answer;
use super::super::app::App;
use super::super::auth::Caller;
use super::super::change::unavailable;
use super::super::csv::{self, CSV};
use super::super::extract::Params;
use super::super::eyes;
use super::super::problem::Refused;
use super::audit::LINES;
use crate::core::world::World;
use crate::meter::{Kind, Listed, Wanted};
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use std::io;
use tidegate_api::limits::MAX_PAGE;
use tidegate_api::metering::{UsageRecord, UsageRecordList, UsageReport, UsageSum};
use tidegate_api::page::{PageQuery, PageToken};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::charge::Quantity;
use tidegate_billing::statement::part_at;
use tidegate_engine::reason::Names;

/// What sums can be told apart by.
const GROUPS: [&str; 8] = ["workspace", "user", "quota", "lender", "mode", "module", "class", "config"];

usage_query! {
    /// How sums are told apart.
    SumQuery {
        /// Told apart by these, separated by commas: workspace, user, quota, lender, mode, module, class, config;
        /// by workspace and quota if absent. Resources always are, and capacity of dedicated compute from work.
        group_by: Option<String>,
        /// Cut the period into parts of this length, such as 1d.
        step: Option<String>,
        /// `json` or `csv`.
        format: Option<String>,
    }
}

usage_query! {
    /// How records are listed.
    RecordQuery {
        /// `json`; or all of it at once, as `jsonl` or `csv`.
        format: Option<String>,
        /// Only of the workload with this id, such as w-12.
        workload_id: Option<String>,
        /// Items of a page, 1 to 1000; 100 if absent.
        limit: Option<u32>,
        /// What the page before has answered.
        page_token: Option<String>,
    }
}

fn bad(detail: String) -> Refused {
    Refused(Problem::new(Code::BadParameter, detail))
}

/// Who and what a sum is about; `None` where it is not told apart.
type Group = (usize, [Option<String>; GROUPS.len()], &'static str, String);

fn group(world: &World, by: &[bool; GROUPS.len()], kind: &Kind, module: &str, part: usize) -> Group {
    let people = &world.people;
    let value = |index: usize| match GROUPS[index] {
        "workspace" => workspace_name(people, kind.workspace),
        "user" => user_name(people, kind.user),
        "quota" => world.quota_name(kind.borrower).into_owned(),
        "lender" => world.quota_name(kind.account).into_owned(),
        "mode" => kind.mode.word().into(),
        "module" => module.into(),
        "class" => kind.class.word().into(),
        _ => kind.config.map_or_else(String::new, |id| id.to_string()),
    };
    let values = std::array::from_fn(|index| by[index].then(|| value(index)));
    (part, values, kind.word(), kind.resource.to_string())
}

/// What was used in a period, added up. Everybody sees their own use; whoever has usage:read in a workspace sees all of it.
#[utoipa::path(get, path = "/api/v1/usage", tag = "usage", params(SumQuery),
    responses((status = 200, description = "Sums", content((UsageReport = "application/json"), (String = "text/csv"))),
        (status = 404, body = Problem), (status = 410, body = Problem), (status = "default", body = Problem)), operation_id = "sums")]
pub async fn sums(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<SumQuery>,
) -> Result<Response, Refused> {
    let mut by = [false; GROUPS.len()];
    for name in
        query.group_by.as_deref().unwrap_or("workspace,quota").split(',').filter(|name| !name.is_empty())
    {
        let known = GROUPS.iter().position(|group| *group == name.trim());
        by[known.ok_or_else(|| bad(format!("groupBy {name:?} is none of {}", GROUPS.join(", "))))?] = true;
    }
    let as_csv = as_csv(query.format.as_deref())?;
    let selection = app.selected(query.filter(), &caller).await?;
    let cuts = cut(selection.from, selection.to, query.step.as_deref())?;
    let (wanted, parts) = (selection.clone(), cuts.clone());
    let tally = app
        .metered(move |meter| {
            meter.tally(&Wanted { borders: &parts, pick: &|kind| wanted.picks(kind), workload: None })
        })
        .await?;
    is_kept(selection.from, tally.kept_from)?;
    let report = app.control.read(|world, _| {
        let mut sums: BTreeMap<Group, (Quantity, tidegate_billing::price::Resource)> = BTreeMap::new();
        let mut add = |kind: &Kind, module: &str, part: usize, quantity: Quantity| {
            let sum = sums.entry(group(world, &by, kind, module, part));
            sum.or_insert_with(|| (Quantity(0), kind.resource.clone())).0 += quantity;
        };
        for ((kind, part), quantity) in &tally.sums {
            add(kind, kind.module.map_or("", |module| module.word()), *part, *quantity);
        }
        for correction in world.business.corrections().filter(|one| selection.picks_correction(world, one)) {
            let part = part_at(&cuts, correction.at);
            add(&as_kind(world, correction), "correction", part, correction.quantity);
        }
        let is_cut = query.step.is_some();
        let items = sums.into_iter().map(|((part, group, kind, name), (quantity, resource))| {
            let [workspace, user, quota, lender, mode, module, class, config] = group;
            UsageSum {
                from: is_cut.then(|| Time::of(cuts[part])),
                to: is_cut.then(|| Time::of(cuts[part + 1])),
                workspace,
                user,
                quota,
                lender,
                mode,
                module,
                class,
                config,
                kind: kind.into(),
                resource: name,
                hours: hours(quantity, &resource),
                quantity: quantity.0.to_string(),
            }
        });
        UsageReport {
            from: Time::of(selection.from),
            to: Time::of(selection.to),
            as_of: Time::of(tally.now),
            items: items.collect(),
        }
    });
    let report = report.await.map_err(unavailable)?;
    if !as_csv {
        return Ok(Answer::new(report).into_response());
    }
    let mut text = String::from(
        "from,to,workspace,user,quota,lender,mode,module,class,resource,hours,quantity,config,kind\n",
    );
    for sum in &report.items {
        let time = |time: Option<Time>, whole: Time| time.unwrap_or(whole).to_string();
        let told = |value: &Option<String>| value.clone().unwrap_or_default();
        let row = [
            time(sum.from, report.from),
            time(sum.to, report.to),
            told(&sum.workspace),
            told(&sum.user),
            told(&sum.quota),
            told(&sum.lender),
            told(&sum.mode),
            told(&sum.module),
            told(&sum.class),
            sum.resource.clone(),
            sum.hours.to_string(),
            sum.quantity.clone(),
            told(&sum.config),
            sum.kind.clone(),
        ];
        text.push_str(&csv::line(&row));
    }
    Ok(csv::answer(&app, &caller, &text))
}

/// A correction among what was metered: it is about the work of its own quota, or about the capacity of a config.
fn as_kind(world: &World, correction: &tidegate_billing::record::Correction) -> Kind {
    let config = config_of(world, correction.account);
    Kind {
        workspace: correction.workspace,
        user: correction.user,
        account: correction.account,
        borrower: correction.account,
        mode: correction.mode,
        config,
        module: config.is_none().then_some(tidegate_engine::words::Module::Training),
        resource: correction.resource.clone(),
        class: correction.class,
        rule: tidegate_engine::words::Rule::Own,
    }
}

/// Records of use, those that ended first first; then what goes on.
#[utoipa::path(get, path = "/api/v1/usage/records", tag = "usage", params(RecordQuery),
    responses((status = 200, description = "A page, or all of it", content((UsageRecordList = "application/json"),
        (UsageRecord = "application/x-ndjson"), (String = "text/csv"))), (status = 404, body = Problem), (status = 410, body = Problem),
        (status = "default", body = Problem)), operation_id = "records")]
pub async fn records(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<RecordQuery>,
) -> Result<Response, Refused> {
    let limit = PageQuery { limit: query.limit, page_token: None }.limit()?;
    let from = match &query.page_token {
        None => 0,
        Some(token) => {
            let token: PageToken = token.parse().map_err(bad)?;
            let number = token.state().and_then(|state| state.strip_prefix("use-")?.parse().ok());
            number.ok_or_else(|| bad("this page token belongs to another list".into()))?
        }
    };
    let workload = match &query.workload_id {
        None => None,
        Some(id) => Some(
            tidegate_api::uid::as_workload(id)
                .ok_or_else(|| bad(format!("workloadId: {id:?} is no id such as w-12")))?,
        ),
    };
    let selection = app.selected(query.filter(), &caller).await?;
    let reading = Reading { app, caller, selection, workload };
    match query.format.as_deref() {
        None | Some("json") => {
            let listed = reading.page(from, limit).await?;
            is_kept(reading.selection.from, listed.kept_from)?;
            let items = reading.shown(&listed).await?;
            let next_page_token = listed.next.map(|next| PageToken::of(&format!("use-{next}")));
            Ok(Answer::new(UsageRecordList { items, next_page_token }).into_response())
        }
        Some("jsonl") => reading.whole(Export::Lines).await,
        Some("csv") => reading.whole(Export::Csv).await,
        Some(other) => Err(bad(format!("format is {other:?}; it is json, jsonl or csv"))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Export {
    Lines,
    Csv,
}

/// Somebody who reads records.
#[derive(Clone)]
struct Reading {
    app: App,
    caller: Caller,
    selection: super::super::accounting::Selection,
    workload: Option<tidegate_engine::ids::WorkloadId>,
}

impl Reading {
    async fn page(&self, from: u64, limit: usize) -> Result<Listed, Refused> {
        let (wanted, workload) = (self.selection.clone(), self.workload);
        self.app
            .metered(move |meter| {
                let borders = [wanted.from, wanted.to];
                meter.list(
                    &Wanted { borders: &borders, pick: &|kind| wanted.picks(kind), workload },
                    from,
                    limit,
                )
            })
            .await
    }

    async fn shown(&self, listed: &Listed) -> Result<Vec<UsageRecord>, Refused> {
        let items = |world: &World, _| listed.items.iter().map(|(id, one)| record(world, *id, one)).collect();
        Ok(self.app.control.read(items).await.map_err(unavailable)?)
    }

    /// All of it, piece by piece. It ends in the middle of nowhere if the store fails: who reads notices.
    async fn whole(self, export: Export) -> Result<Response, Refused> {
        let first = self.page(0, MAX_PAGE as usize).await?;
        is_kept(self.selection.from, first.kept_from)?;
        let begin = if export == Export::Csv { HEAD.to_string() } else { String::new() };
        let stream = futures_util::stream::unfold(
            (self, Some(first), begin),
            move |(reading, page, begin)| async move {
                let page = page?;
                let failed = |refused: Refused| io::Error::other(refused.0.detail);
                let text = match reading.shown(&page).await {
                    Ok(items) => begin + &items.iter().map(|item| line(item, export)).collect::<String>(),
                    Err(refused) => return Some((Err(failed(refused)), (reading, None, String::new()))),
                };
                let text = eyes::open(&reading.app, &reading.caller, &text);
                let follows = match page.next {
                    None => None,
                    Some(next) => match reading.page(next, MAX_PAGE as usize).await {
                        Ok(page) => Some(page),
                        Err(refused) => return Some((Err(failed(refused)), (reading, None, String::new()))),
                    },
                };
                Some((Ok(text), (reading, follows, String::new())))
            },
        );
        let mut response = Body::from_stream(stream).into_response();
        let kind = if export == Export::Csv { CSV } else { LINES };
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }
}

const HEAD: &str = "id,workload,workloadId,workspace,user,quota,lender,mode,module,priority,resource,class,rule,amount,\
                    from,to,hours,quantity,open,event,kind,config,template\n";

fn line(one: &UsageRecord, export: Export) -> String {
    if export == Export::Lines {
        return serde_json::to_string(one).expect("a record is plain data") + "\n";
    }
    let told = |value: &Option<String>| value.clone().unwrap_or_default();
    csv::line(&[
        one.id.clone().unwrap_or_default(),
        told(&one.workload),
        told(&one.workload_id),
        one.workspace.clone(),
        one.user.clone(),
        one.quota.clone(),
        one.lender.clone().unwrap_or_default(),
        one.mode.clone(),
        told(&one.module),
        one.priority.map(|priority| priority.to_string()).unwrap_or_default(),
        one.resource.clone(),
        one.class.clone(),
        one.rule.clone(),
        one.amount.to_string(),
        one.from.to_string(),
        one.to.to_string(),
        one.hours.to_string(),
        one.quantity.clone(),
        one.open.to_string(),
        one.event.to_string(),
        one.kind.clone(),
        told(&one.config),
        told(&one.template),
    ])
}
