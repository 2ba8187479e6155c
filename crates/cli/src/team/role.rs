//! `tidegate role`: what members of workspaces may do.

use crate::client::{Ask, Changed, Client};
use crate::exit::{Outcome, print};
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, Printed, list, one, rendered};
use clap::Subcommand;
use tidegate_api::name::Name;
use tidegate_api::people::{ActionHelp, NewRole, Role, RoleList};
use ureq::http::Method;

const PATH: &str = "/api/v1/roles";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List roles, those that are always there first
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate role list
  tidegate roles list -o name --watch"
    )]
    List {
        #[command(flatten)]
        listing: Listing,
    },
    /// List the actions that there are, and what each lets somebody do
    #[command(after_help = "Examples:
  tidegate role actions")]
    Actions {
        #[command(flatten)]
        output: Output,
    },
    /// Show what a role allows
    #[command(after_help = "Examples:
  tidegate role show developer")]
    Show {
        /// The role
        name: Name,
        #[command(flatten)]
        output: Output,
    },
    /// Make a role out of actions
    #[command(after_help = "Examples:
  tidegate role create auditor --actions workspace:read,workload:read,audit:read
  tidegate workspace member add workspace-b berta --role auditor")]
    Create(Wanted),
    /// Change what a role allows; it counts at once for everybody who has it
    #[command(after_help = "Examples:
  tidegate role set auditor --actions workspace:read,audit:read")]
    Set(Wanted),
    /// Delete a role that nobody has
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate role delete auditor"
    )]
    Delete {
        /// The role
        name: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

#[derive(clap::Args, Debug)]
pub(crate) struct Wanted {
    /// Its name
    name: Name,
    /// What it allows, separated by commas; `tidegate role actions` lists all
    #[arg(long, value_name = "ACTION", value_delimiter = ',', required = true)]
    actions: Vec<String>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Printed for Role {
    fn name(&self) -> String {
        self.name.to_string()
    }
}

impl Printed for ActionHelp {
    fn name(&self) -> String {
        self.action.clone()
    }
}

impl Wanted {
    fn run(self, client: &Client, method: Method, path: String, done: &str) -> Outcome {
        let ask = Ask::change(method, path).json(&NewRole { name: self.name, actions: self.actions })?;
        finish(client, ask, self.options, done)
    }
}

fn finish(client: &Client, ask: Ask<'_>, options: ChangeOptions, done: &str) -> Outcome {
    let changed: Changed<Role> = client.change(ask, options.dry_run)?;
    options.print(&changed, |role| format!("{} {done}", role.name), |role, _| text(role))
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::List { listing } => listing.print(client, "role", |format| {
                let roles: RoleList = client.get(PATH)?;
                match format {
                    Format::Json | Format::Yaml => rendered(format, &roles),
                    _ => list(format, &roles.items, |_| table(&roles.items)),
                }
            }),
            Verb::Actions { output } => {
                let actions = client.get::<RoleList>(PATH)?.actions;
                print(&list(output.output, &actions, |_| help(&actions))?)
            }
            Verb::Show { name, output } => {
                let role: Role = client.get(format!("{PATH}/{name}"))?;
                one(output.output, &role, |_| text(&role))
            }
            Verb::Create(wanted) => wanted.run(client, Method::POST, PATH.into(), "created"),
            Verb::Set(wanted) => {
                let path = format!("{PATH}/{}", wanted.name);
                wanted.run(client, Method::PUT, path, "set")
            }
            Verb::Delete { name, options } => {
                let ask = Ask::change(Method::DELETE, format!("{PATH}/{name}"));
                finish(client, ask, options, "deleted")
            }
        }
    }
}

fn kind(role: &Role) -> &'static str {
    if role.built_in { "always there" } else { "made" }
}

fn table(roles: &[Role]) -> Table {
    let mut table = Table::new(&["NAME", "KIND", "ACTIONS"]);
    for role in roles {
        table.row(vec![Cell::from(&role.name), Cell::from(kind(role)), Cell::from(role.actions.join(","))]);
    }
    table
}

fn help(actions: &[ActionHelp]) -> Table {
    let mut table = Table::new(&["ACTION", "LETS SOMEBODY"]);
    for help in actions {
        table.row(vec![Cell::from(&help.action), Cell::from(&help.about)]);
    }
    table
}

fn text(role: &Role) -> String {
    let mut facts = Facts::default();
    facts.add("name", &role.name).add("kind", kind(role)).lines("actions", role.actions.clone());
    facts.text()
}
