//! Lists, page by page.

use super::{Client, Query};
use crate::exit::Outcome;
use serde::de::DeserializeOwned;
use tidegate_api::limits::MAX_PAGE;
use tidegate_api::page::PageToken;

/// A page of a list.
pub(crate) trait Page: DeserializeOwned {
    type Item;
    fn take(self) -> (Vec<Self::Item>, Option<PageToken>);
}

macro_rules! page {
    ($($list:path => $item:path),+ $(,)?) => {
        $(impl Page for $list {
            type Item = $item;
            fn take(self) -> (Vec<$item>, Option<PageToken>) {
                (self.items, self.next_page_token)
            }
        })+
    };
}

page! {
    tidegate_api::pool::PoolList => tidegate_api::pool::Pool,
    tidegate_api::node::NodeList => tidegate_api::node::Node,
    tidegate_api::quota::QuotaList => tidegate_api::quota::Quota,
    tidegate_api::quota::QuotaHistory => tidegate_api::quota::QuotaChange,
    tidegate_api::quota::QuotaQueue => tidegate_api::quota::QueueEntry,
    tidegate_api::workload::WorkloadList => tidegate_api::workload::Workload,
    tidegate_api::policy::PolicyList => tidegate_api::policy::Policy,
    tidegate_api::task::TaskList => tidegate_api::task::Task,
    tidegate_api::template::TemplateList => tidegate_api::template::Template,
    tidegate_api::event::EventList => tidegate_api::event::Event,
    tidegate_api::workspace::WorkspaceList => tidegate_api::workspace::Workspace,
    tidegate_api::workspace::MemberList => tidegate_api::workspace::Member,
    tidegate_api::people::UserList => tidegate_api::people::User,
    tidegate_api::people::TokenList => tidegate_api::people::Token,
    tidegate_api::dedicated::ResourceRequestList => tidegate_api::dedicated::ResourceRequest,
    tidegate_api::dedicated::ResourceConfigList => tidegate_api::dedicated::ResourceConfig,
    tidegate_api::bill::PriceBookList => tidegate_api::bill::PriceBook,
    tidegate_api::metering::UsageRecordList => tidegate_api::metering::UsageRecord,
    tidegate_api::budget::BudgetList => tidegate_api::budget::Budget,
    tidegate_api::metering::CorrectionList => tidegate_api::metering::Correction,
}

impl Client {
    /// Items of a list, at most `limit` of them.
    pub(crate) fn list<P: Page>(&self, path: &str, query: &Query, limit: usize) -> Outcome<Vec<P::Item>> {
        let mut all = Vec::new();
        let mut token: Option<PageToken> = None;
        loop {
            let mut query = query.clone();
            let wanted = (limit - all.len()).min(MAX_PAGE as usize);
            query.push(("limit", wanted.to_string()));
            query.extend(token.map(|token| ("pageToken", token.to_string())));
            let (items, next) = self.get_with::<P>(path, query)?.take();
            all.extend(items);
            match next {
                Some(next) if all.len() < limit => token = Some(next),
                _ => return Ok(all),
            }
        }
    }

    pub(crate) fn all<P: Page>(&self, path: &str, query: &Query) -> Outcome<Vec<P::Item>> {
        self.list::<P>(path, query, usize::MAX)
    }
}
