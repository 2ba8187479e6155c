//! All routes: one module per resource.
#![allow(unused_qualifications, reason = "the macro of paths writes them")]

pub mod advice;
pub mod apply;
pub mod audit;
pub mod bills;
pub mod budgets;
pub mod corrections;
pub mod invitations;
pub mod links;
pub mod login;
pub mod logs;
pub mod members;
pub mod metering;
pub mod nodes;
pub mod oidc;
pub mod policies;
pub mod pools;
pub mod prices;
pub mod queue;
pub mod quotas;
pub mod resource_configs;
pub mod resource_requests;
pub mod roles;
pub mod series;
pub mod simulations;
pub mod system;
pub mod task_results;
pub mod tasks;
pub mod templates;
pub mod tokens;
pub mod usage;
pub mod users;
pub mod watch;
pub mod webhooks;
pub mod workload_lists;
pub mod workloads;
pub mod workspaces;

use serde::Deserialize;
use tidegate_api::page::{PageQuery, PageToken};
use tidegate_api::problem::{Code, Problem};
use utoipa::IntoParams;

/// Which part of a list is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageParams {
    /// Items of a page, 1 to 1000; 100 if absent.
    pub limit: Option<u32>,
    /// What the page before has answered.
    pub page_token: Option<String>,
}

/// For every change.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct DryRunParams {
    /// Say what would happen, and change nothing.
    #[allow(dead_code, reason = "for the document; it is read with the head of the request")]
    pub dry_run: Option<bool>,
}

/// A part of a list that is counted out.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub from: u64,
    pub limit: usize,
}

pub fn page(limit: Option<u32>, token: Option<&str>) -> Result<Page, Problem> {
    let page_token = token.map(str::parse::<PageToken>).transpose();
    let page_token = page_token.map_err(|why| Problem::new(Code::BadParameter, why))?;
    let from = page_token.as_ref().map(|token| token.state().and_then(|state| state.parse().ok()));
    let not_ours = || Problem::new(Code::BadParameter, "this page token belongs to another list");
    let from = from.map_or(Ok(0), |from| from.ok_or_else(not_ours))?;
    Ok(Page { from, limit: PageQuery { limit, page_token }.limit()? })
}

impl Page {
    /// The items of this page, and where the next begins.
    pub fn cut<T>(&self, items: impl Iterator<Item = T>) -> (Vec<T>, Option<PageToken>) {
        let from = usize::try_from(self.from).unwrap_or(usize::MAX);
        let mut items: Vec<T> = items.skip(from).take(self.limit + 1).collect();
        let more = items.len() > self.limit;
        items.truncate(self.limit);
        (items, more.then(|| PageToken::of(&(self.from + self.limit as u64).to_string())))
    }
}
