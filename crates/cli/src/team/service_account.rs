//! `tidegate service-account`: accounts of programs, each in one workspace.

use super::member::{all, table, text};
use super::workspace::PATH;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Outcome, note};
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::list;
use clap::Subcommand;
use tidegate_api::name::Name;
use tidegate_api::people::NewServiceAccount;
use tidegate_api::workspace::Member;
use ureq::http::Method;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make an account for a program; it acts in one workspace alone
    #[command(after_help = "Examples:
  tidegate service-account create ci --workspace workspace-b
  tidegate service-account create watcher --workspace workspace-b --role guest
  tidegate token create --user ci > ci.token")]
    Create {
        /// Its name; no user has the same
        name: Name,
        /// The workspace that it acts in
        #[arg(long)]
        workspace: Name,
        /// What it may do there
        #[arg(short, long, default_value = "developer")]
        role: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// List the service accounts of a workspace
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate service-account list --workspace workspace-b"
    )]
    List {
        /// The workspace
        #[arg(long)]
        workspace: Name,
        #[command(flatten)]
        listing: Listing,
    },
    /// Remove a program's account and all its tokens
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate service-account delete ci --workspace workspace-b"
    )]
    Delete {
        /// The account
        name: Name,
        /// Its workspace
        #[arg(long)]
        workspace: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create { name, workspace, role, options } => {
                let path = format!("{PATH}/{workspace}/service-accounts");
                let ask = Ask::post(path, &NewServiceAccount { name: name.clone(), role })?;
                let changed: Changed<Member> = client.change(ask, options.dry_run)?;
                let sentence =
                    |account: &Member| format!("{} created: {} in {workspace}", account.user, account.role);
                options.print(&changed, sentence, |account, _| text(account))?;
                if matches!(changed, Changed::Made(_)) && options.output.is_none() {
                    note(format!("it can act once it has a token: `tidegate token create --user {name}`"));
                }
                Ok(())
            }
            Verb::List { workspace, listing } => listing.print(client, "member", |format| {
                let mut accounts = all(client, &workspace)?;
                accounts.retain(|member| member.service_account);
                list(format, &accounts, |_| table(&accounts))
            }),
            Verb::Delete { name, workspace, options } => {
                let path = format!("{PATH}/{workspace}/service-accounts/{name}");
                let changed: Changed<Member> =
                    client.change(Ask::change(Method::DELETE, path), options.dry_run)?;
                let sentence = |account: &Member| format!("{} deleted", account.user);
                options.print(&changed, sentence, |account, _| text(account))
            }
        }
    }
}
