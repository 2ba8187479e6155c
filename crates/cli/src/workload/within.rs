//! `--workspace` of verbs that name a workload.

use crate::client::{Ask, Query};
use clap::Args;
use tidegate_api::name::Name;

/// Where a workload of that name is looked for.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Within {
    /// The workspace to look in; needed where several have a workload of that name
    #[arg(long)]
    pub(crate) workspace: Option<Name>,
}

impl Within {
    pub(crate) fn query(&self) -> Query {
        self.workspace.iter().map(|name| ("workspace", name.to_string())).collect()
    }

    /// The same request, about a workload of this workspace.
    pub(crate) fn ask<'a>(&self, mut ask: Ask<'a>) -> Ask<'a> {
        ask.query.extend(self.query());
        ask
    }
}
