//! Who uses how much.

use crate::client::{Client, Query};
use crate::exit::{Outcome, note, print};
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, document};
use clap::Args;
use tidegate_api::name::Name;
use tidegate_api::usage::{QuotaUsage, Usage, UserUsage, WorkspaceUsage};
use tidegate_api::workspace::WorkspaceList;

/// Who uses how many GPUs: in all of one's workspaces, in one of them, or in a quota
#[derive(Args, Debug)]
pub(crate) struct Show {
    /// Of a quota: each user, and what others draw on its account
    #[arg(long, conflicts_with = "workspace")]
    quota: Option<Name>,
    /// Of a workspace: each of its members
    #[arg(long)]
    workspace: Option<Name>,
    #[command(flatten)]
    output: Output,
}

impl Show {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let format = self.output.output;
        if let Some(quota) = &self.quota {
            let usage: QuotaUsage = client.get(format!("/api/v1/quotas/{quota}/usage"))?;
            return match format {
                Format::Json | Format::Yaml => document(format, &usage),
                _ => show(format, &usage.users, Some(&usage.total)),
            };
        }
        let of = |name: &Name| client.get::<WorkspaceUsage>(format!("/api/v1/workspaces/{name}/usage"));
        if let Some(workspace) = &self.workspace {
            let usage = of(workspace)?;
            return match format {
                Format::Json | Format::Yaml => document(format, &usage),
                _ => show(format, &usage.users, Some(&usage.total)),
            };
        }
        let rooms = client.all::<WorkspaceList>("/api/v1/workspaces", &Query::new())?;
        let all = rooms.iter().map(|room| of(&room.metadata.name)).collect::<Outcome<Vec<_>>>()?;
        match format {
            Format::Json | Format::Yaml => document(format, &all),
            _ => {
                let users: Vec<UserUsage> = all.into_iter().flat_map(|usage| usage.users).collect();
                show(format, &users, None)
            }
        }
    }
}

fn show(format: Format, users: &[UserUsage], total: Option<&Usage>) -> Outcome {
    if format == Format::Name {
        let names = users.iter().filter_map(|row| row.user.as_ref()).map(|name| format!("{name}\n"));
        return print(&names.collect::<String>());
    }
    if users.is_empty() {
        note("nothing runs or waits");
        return Ok(());
    }
    let columns = [
        "USER",
        "WORKSPACE",
        ">SUBMITTED",
        ">RUNNING",
        ">QUEUED",
        ">REQUESTED",
        ">DRAWN",
        ">LENT",
        ">BORROWED",
    ];
    let mut table = Table::new(&columns);
    for row in users {
        let user = row.user.as_ref().map_or("others".into(), ToString::to_string);
        table.row(cells(user, Cell::maybe(row.workspace.as_ref()), &row.usage));
    }
    if let Some(total) = total {
        table.row(cells("total".into(), Cell::maybe(None::<&Name>), total));
    }
    print(&table.text())
}

fn cells(user: String, workspace: Cell, usage: &Usage) -> Vec<Cell> {
    vec![
        Cell::from(user),
        workspace,
        Cell::from(usage.submitted),
        Cell::from(usage.running),
        Cell::from(usage.queued),
        Cell::from(usage.requested),
        Cell::from(usage.drawn),
        Cell::from(usage.lent),
        Cell::from(usage.borrowed),
    ]
}
