//! `tidegate workspace`: each team's room.

use super::member;
use crate::center::policy;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Failure, Outcome};
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, list, one};
use clap::{Args, Subcommand};
use tidegate_api::name::Name;
use tidegate_api::resource::NewMetadata;
use tidegate_api::workspace::{
    AttachRequest, Member, MemberList, NewWorkspace, Workspace, WorkspaceList, WorkspaceSpec,
};
use ureq::http::Method;

pub(crate) const PATH: &str = "/api/v1/workspaces";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Create a workspace, with the quotas that it may use
    #[command(after_help = "Examples:
  tidegate workspace create workspace-b --quota Quota1.1 --description 'Team B'
  tidegate workspace create research --quota Quota1.1 --quota Quota1.2 --default-quota Quota1.1")]
    Create(Create),
    /// List the workspaces that you see
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate workspace list
  tidegate workspaces list -o wide --watch"
    )]
    List {
        #[command(flatten)]
        listing: Listing,
    },
    /// Show a workspace and its members
    #[command(after_help = "Examples:
  tidegate workspace show workspace-b
  tidegate workspace show workspace-b -o yaml > workspace.yaml")]
    Show {
        /// The workspace
        name: Name,
        #[command(flatten)]
        output: Output,
    },
    /// Change a workspace's description or default quota
    #[command(after_help = "Examples:
  tidegate workspace set workspace-b --default-quota Quota1.1
  tidegate workspace set workspace-b --no-default-quota --description 'Team B, since March'")]
    Set(Set),
    /// Let a workspace use quotas
    #[command(after_help = "Examples:
  tidegate workspace attach workspace-b Quota1.1
  tidegate workspace attach workspace-b Quota1.1 Quota1.2")]
    Attach(Quotas),
    /// Let a workspace no longer use quotas; refused while its workloads live there
    #[command(after_help = "Examples:
  tidegate workspace detach workspace-b Quota1.1
  tidegate workspace detach workspace-b Quota1.1 --dry-run")]
    Detach(Quotas),
    /// Members: who is in a workspace, and what they may do there
    #[command(subcommand, alias = "members")]
    Member(member::Verb),
    /// Policies: what a workspace allows in each of its quotas, the scheduling center
    #[command(subcommand, alias = "policies")]
    Policy(policy::Verb),
    /// Delete a workspace in which nothing lives
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate workspace delete workspace-b"
    )]
    Delete {
        /// The workspace
        name: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// Its name
    name: Name,
    /// A quota that it may use; may be repeated
    #[arg(short, long)]
    quota: Vec<Name>,
    /// Where work goes that names no quota; not needed with only one
    #[arg(long, value_name = "QUOTA")]
    default_quota: Option<Name>,
    /// What it is for
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    description: String,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Create {
    fn run(self, client: &Client) -> Outcome {
        let spec = WorkspaceSpec {
            description: self.description,
            quotas: self.quota,
            default_quota: self.default_quota,
        };
        let new = NewWorkspace::new(NewMetadata::named(self.name), spec);
        let changed: Changed<Workspace> = client.change(Ask::post(PATH, &new)?, self.options.dry_run)?;
        let sentence = |room: &Workspace| match quotas(room) {
            quotas if quotas.is_empty() => format!("{} created", room.metadata.name),
            quotas => format!("{} created with {quotas}", room.metadata.name),
        };
        self.options.print(&changed, sentence, |room, _| text(room, None))
    }
}

#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The workspace
    name: Name,
    /// Where work goes that names no quota
    #[arg(long, value_name = "QUOTA")]
    default_quota: Option<Name>,
    /// Work has to name its quota, unless there is only one
    #[arg(long, conflicts_with = "default_quota")]
    no_default_quota: bool,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Set {
    fn run(self, client: &Client) -> Outcome {
        if self.default_quota.is_none() && !self.no_default_quota && self.description.is_none() {
            return Err(Failure::usage("nothing is to be set").hint("see `tidegate workspace set --help`"));
        }
        let path = format!("{PATH}/{}", self.name);
        let before: Workspace = client.get(&path)?;
        let spec = WorkspaceSpec {
            description: self.description.unwrap_or(before.spec.description),
            quotas: before.spec.quotas,
            default_quota: match self.no_default_quota {
                true => None,
                false => self.default_quota.or(before.spec.default_quota),
            },
        };
        let new = NewWorkspace::new(NewMetadata::named(self.name), spec);
        let version = Some(before.metadata.version.as_str());
        let ask = Ask { if_match: version, ..Ask::change(Method::PUT, path).json(&new)? };
        let changed: Changed<Workspace> = client.change(ask, self.options.dry_run)?;
        let sentence = |room: &Workspace| format!("{} set", room.metadata.name);
        self.options.print(&changed, sentence, |room, _| text(room, None))
    }
}

#[derive(Args, Debug)]
pub(crate) struct Quotas {
    /// The workspace
    name: Name,
    /// The quotas
    #[arg(required = true, value_name = "QUOTA")]
    quotas: Vec<Name>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Quotas {
    /// `POST .../NAME:verb` for each; `done` says it in words.
    fn run(self, client: &Client, verb: &str, done: &str) -> Outcome {
        let path = format!("{PATH}/{}:{verb}", self.name);
        for quota in self.quotas {
            let sentence = |room: &Workspace| format!("{quota} {done} {}", room.metadata.name);
            let ask = Ask::post(&path, &AttachRequest { quota: quota.clone() })?;
            let changed: Changed<Workspace> = client.change(ask, self.options.dry_run)?;
            self.options.print(&changed, sentence, |room, _| text(room, None))?;
        }
        Ok(())
    }
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => create.run(client),
            Verb::List { listing } => listing.print(client, "workspace,member,workload", |format| {
                let rooms = client.all::<WorkspaceList>(PATH, &Vec::new())?;
                list(format, &rooms, |wide| table(&rooms, wide))
            }),
            Verb::Show { name, output } => show(client, &name, output.output),
            Verb::Set(set) => set.run(client),
            Verb::Attach(quotas) => quotas.run(client, "attach", "attached to"),
            Verb::Detach(quotas) => quotas.run(client, "detach", "detached from"),
            Verb::Member(verb) => verb.run(client),
            Verb::Policy(verb) => verb.run(client),
            Verb::Delete { name, options } => {
                let ask = Ask::change(Method::DELETE, format!("{PATH}/{name}"));
                let changed: Changed<Workspace> = client.change(ask, options.dry_run)?;
                let sentence = |room: &Workspace| format!("{} deleted", room.metadata.name);
                options.print(&changed, sentence, |room, _| text(room, None))
            }
        }
    }
}

fn show(client: &Client, name: &Name, format: Format) -> Outcome {
    let room: Workspace = client.get(format!("{PATH}/{name}"))?;
    if !matches!(format, Format::Table | Format::Wide) {
        return one(format, &room, |_| String::new());
    }
    let members = client.all::<MemberList>(&format!("{PATH}/{name}/members"), &Vec::new())?;
    one(format, &room, |_| text(&room, Some(&members)))
}

/// What it may use, in words; nothing if nothing.
fn quotas(room: &Workspace) -> String {
    if room.status.all_quotas {
        return "every quota".into();
    }
    let names: Vec<&str> = room.spec.quotas.iter().map(Name::as_str).collect();
    names.join(", ")
}

fn table(rooms: &[Workspace], wide: bool) -> Table {
    let columns =
        ["NAME", "YOUR ROLE", ">MEMBERS", ">WORKLOADS", "QUOTAS", "DEFAULT QUOTA", "UID", "DESCRIPTION"];
    let mut table = Table::new(if wide { &columns } else { &columns[..5] });
    for room in rooms {
        let mut cells = vec![
            Cell::from(&room.metadata.name),
            Cell::maybe(room.status.role.as_ref()),
            Cell::from(room.status.members),
            Cell::from(room.status.workloads),
            Cell::maybe(Some(quotas(room)).filter(|quotas| !quotas.is_empty())),
        ];
        if wide {
            cells.extend([
                Cell::maybe(room.spec.default_quota.as_ref()),
                Cell::from(&room.metadata.uid),
                Cell::from(&room.spec.description),
            ]);
        }
        table.row(cells);
    }
    table
}

/// Everything about a workspace, for people; its members by name if they are known.
fn text(room: &Workspace, members: Option<&[Member]>) -> String {
    let (spec, status) = (&room.spec, &room.status);
    let mut facts = Facts::default();
    facts
        .add("name", format!("{} ({})", room.metadata.name, room.metadata.uid))
        .maybe("description", Some(&spec.description).filter(|text| !text.is_empty()))
        .maybe("quotas", Some(quotas(room)).filter(|quotas| !quotas.is_empty()))
        .maybe("default quota", spec.default_quota.as_ref())
        .maybe("your role", status.role.as_ref())
        .add("workloads", status.workloads);
    match members {
        Some(members) => facts.lines("members", members.iter().map(member::words).collect()),
        None => facts.add("members", status.members),
    };
    facts.text()
}
