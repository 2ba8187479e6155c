//! `tidegate workspace member`: who is in a workspace, and what they may do there.

use super::workspace::PATH;
use crate::client::{Ask, Changed, Client};
use crate::clock::ago;
use crate::exit::Outcome;
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Printed, list};
use clap::Subcommand;
use tidegate_api::name::Name;
use tidegate_api::workspace::{Member, MemberList, MemberRequest};
use ureq::http::Method;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Add a member, or give one another role
    #[command(
        visible_alias = "set",
        after_help = "Examples:
  tidegate workspace member add workspace-b berta
  tidegate workspace member add workspace-b carl --role admin

Roles: owner, admin, developer, operator, guest, and those that `tidegate role create` made.
Nobody gives a role that includes more than their own."
    )]
    Add {
        /// The workspace
        workspace: Name,
        /// The user
        user: Name,
        /// What they may do there
        #[arg(short, long, default_value = "developer")]
        role: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// List the members of a workspace
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate workspace member list workspace-b
  tidegate workspace members list workspace-b -o name"
    )]
    List {
        /// The workspace
        workspace: Name,
        #[command(flatten)]
        listing: Listing,
    },
    /// Remove a member; what runs of theirs goes on
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate workspace member remove workspace-b berta"
    )]
    Remove {
        /// The workspace
        workspace: Name,
        /// The user
        user: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

impl Printed for Member {
    fn name(&self) -> String {
        self.user.to_string()
    }
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let path = |workspace: &Name, user: &Name| format!("{PATH}/{workspace}/members/{user}");
        match self {
            Verb::Add { workspace, user, role, options } => {
                let ask = Ask::change(Method::PUT, path(&workspace, &user)).json(&MemberRequest { role })?;
                let changed: Changed<Member> = client.change(ask, options.dry_run)?;
                let sentence = |member: &Member| format!("{} is {} in {workspace}", member.user, member.role);
                options.print(&changed, sentence, |member, _| text(member))
            }
            Verb::List { workspace, listing } => listing.print(client, "member", |format| {
                let members = all(client, &workspace)?;
                list(format, &members, |_| table(&members))
            }),
            Verb::Remove { workspace, user, options } => {
                let ask = Ask::change(Method::DELETE, path(&workspace, &user));
                let changed: Changed<Member> = client.change(ask, options.dry_run)?;
                let sentence = |member: &Member| format!("{} removed from {workspace}", member.user);
                options.print(&changed, sentence, |member, _| text(member))
            }
        }
    }
}

pub(crate) fn all(client: &Client, workspace: &Name) -> Outcome<Vec<Member>> {
    client.all::<MemberList>(&format!("{PATH}/{workspace}/members"), &Vec::new())
}

/// `berta (developer)`.
pub(crate) fn words(member: &Member) -> String {
    let kind = if member.service_account { ", service account" } else { "" };
    format!("{} ({}{kind})", member.user, member.role)
}

pub(crate) fn table(members: &[Member]) -> Table {
    let mut table = Table::new(&["USER", "ROLE", "KIND", ">SINCE"]);
    for member in members {
        table.row(vec![
            Cell::from(&member.user),
            Cell::from(&member.role),
            Cell::from(kind(member)),
            Cell::from(ago(member.since)),
        ]);
    }
    table
}

fn kind(member: &Member) -> &'static str {
    if member.service_account { "service account" } else { "person" }
}

pub(crate) fn text(member: &Member) -> String {
    let mut facts = Facts::default();
    facts
        .add("user", &member.user)
        .add("role", &member.role)
        .add("kind", kind(member))
        .add("since", member.since);
    facts.text()
}
