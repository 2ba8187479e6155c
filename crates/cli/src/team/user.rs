//! `tidegate user`: people who may act.

use crate::account::rooms;
use crate::client::{Ask, Changed, Client};
use crate::clock::ago;
use crate::exit::{Outcome, note, print};
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::style::Style;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, document, list, one};
use clap::Subcommand;
use tidegate_api::name::Name;
use tidegate_api::people::{Invitation, LinkRequest, NewUser, User, UserList, UserSpec};
use tidegate_api::resource::NewMetadata;
use ureq::http::Method;

const PATH: &str = "/api/v1/users";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Create a user
    #[command(after_help = "Examples:
  tidegate user create berta
  tidegate user create olga --platform-admin

It can act once it has chosen a password (`tidegate user invite berta`), has a token (`tidegate token create --user
berta`), or is known to the provider of identities (`tidegate user link berta`).")]
    Create {
        /// Its name
        name: Name,
        /// May do everything: pools, nodes, quotas, users, all workspaces
        #[arg(long)]
        platform_admin: bool,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// Invite a user to choose a password: prints a link that is good once
    #[command(after_help = "Examples:
  tidegate user invite berta
  tidegate user invite berta -o name           the secret alone, for `tidegate login --invitation`

The link is good for 7 days; the one before is good no longer. Send it to nobody else: whoever follows it first is berta.")]
    Invite {
        /// The user
        name: Name,
        #[command(flatten)]
        output: Output,
    },
    /// List users
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate user list
  tidegate users list -o wide --watch"
    )]
    List {
        #[command(flatten)]
        listing: Listing,
    },
    /// Show a user; everybody may look at themselves
    #[command(after_help = "Examples:
  tidegate user show berta")]
    Show {
        /// The user
        name: Name,
        #[command(flatten)]
        output: Output,
    },
    /// Make users platform administrators, or make them none any more
    #[command(after_help = "Examples:
  tidegate user set berta --platform-admin true")]
    Set {
        /// The user
        name: Name,
        /// Whether it may do everything
        #[arg(long, value_name = "YES", action = clap::ArgAction::Set)]
        platform_admin: bool,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// Let somebody log in as a user through the provider of identities: whom the provider means is said, never guessed
    #[command(after_help = "Examples:
  tidegate user link berta --subject 248289761001
  tidegate user link berta --subject 248289761001 --issuer https://id.example/realms/main

The subject is what the provider calls somebody for good, the claim `sub`. The link before is good no longer.")]
    Link {
        /// The user
        name: Name,
        /// What the provider calls it, to the letter
        #[arg(long)]
        subject: String,
        /// The provider; the one of the server's configuration if absent
        #[arg(long, value_name = "URL")]
        issuer: Option<String>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// Let nobody log in as users through the provider of identities any more; their sessions end
    #[command(after_help = "Examples:
  tidegate user unlink berta")]
    Unlink(Names),
    /// Let users no longer act: their tokens and sessions end, what they did stays
    #[command(after_help = "Examples:
  tidegate user disable berta")]
    Disable(Names),
    /// Let disabled users act again; they need new tokens
    #[command(after_help = "Examples:
  tidegate user enable berta")]
    Enable(Names),
    /// Remove users from everywhere; their workloads stay
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate user delete berta
  tidegate user disable berta          if they only should not act any more"
    )]
    Delete(Names),
}

#[derive(clap::Args, Debug)]
pub(crate) struct Names {
    /// The users
    #[arg(required = true, value_name = "NAME")]
    names: Vec<Name>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create { name, platform_admin, options } => {
                create(client, name, UserSpec { platform_admin, disabled: false }, options)
            }
            Verb::Invite { name, output } => invite(client, &name, output),
            Verb::List { listing } => listing.print(client, "user,member", |format| {
                let users = client.all::<UserList>(PATH, &Vec::new())?;
                list(format, &users, |wide| table(&users, wide))
            }),
            Verb::Show { name, output } => {
                let user: User = client.get(format!("{PATH}/{name}"))?;
                one(output.output, &user, |_| text(&user))
            }
            Verb::Set { name, platform_admin, options } => {
                let word = if platform_admin { "is a platform administrator" } else { "is no administrator" };
                set(client, &name, options, word, |spec| UserSpec { platform_admin, ..spec })
            }
            Verb::Link { name, subject, issuer, options } => {
                let ask = Ask::post(format!("{PATH}/{name}:link"), &LinkRequest { issuer, subject })?;
                finish(client, ask, options, "linked")
            }
            Verb::Unlink(Names { names, options }) => names.iter().try_for_each(|name| {
                let ask = Ask::change(Method::POST, format!("{PATH}/{name}:unlink"));
                finish(client, ask, options, "unlinked")
            }),
            Verb::Disable(names) => names.set(client, "disabled", |spec| UserSpec { disabled: true, ..spec }),
            Verb::Enable(names) => names.set(client, "enabled", |spec| UserSpec { disabled: false, ..spec }),
            Verb::Delete(names) => names.delete(client),
        }
    }
}

fn invite(client: &Client, name: &Name, output: Output) -> Outcome {
    let ask = Ask::change(Method::POST, format!("{PATH}/{name}:invite"));
    let made: Invitation = client.send(&ask)?.json(client.server())?;
    match output.output {
        format @ (Format::Json | Format::Yaml) => document(format, &made),
        Format::Name => print(&format!("{}\n", made.secret)),
        Format::Table | Format::Wide => {
            note(format!("whoever follows this link first, until {}, is {name}:", made.expires_at));
            print(&format!("{}\n", made.url))
        }
    }
}

fn create(client: &Client, name: Name, spec: UserSpec, options: ChangeOptions) -> Outcome {
    let new = NewUser::new(NewMetadata::named(name.clone()), spec);
    let changed: Changed<User> = client.change(Ask::post(PATH, &new)?, options.dry_run)?;
    let sentence = |user: &User| format!("{} created", user.metadata.name);
    options.print(&changed, sentence, |user, _| text(user))?;
    if matches!(changed, Changed::Made(_)) && options.output.is_none() {
        note(format!(
            "it can act once it is invited, `tidegate user invite {name}`, or has a token, `tidegate token create --user {name}`"
        ));
    }
    Ok(())
}

fn finish(client: &Client, ask: Ask<'_>, options: ChangeOptions, done: &str) -> Outcome {
    let changed: Changed<User> = client.change(ask, options.dry_run)?;
    options.print(&changed, |user| format!("{} {done}", user.metadata.name), |user, _| text(user))
}

/// Changes what a user is given; everything else stays as it is.
fn set(
    client: &Client,
    name: &Name,
    options: ChangeOptions,
    done: &str,
    with: impl Fn(UserSpec) -> UserSpec,
) -> Outcome {
    let path = format!("{PATH}/{name}");
    let before: User = client.get(&path)?;
    let new = NewUser::new(NewMetadata::named(name.clone()), with(before.spec));
    let version = Some(before.metadata.version.as_str());
    let ask = Ask { if_match: version, ..Ask::change(Method::PUT, path).json(&new)? };
    finish(client, ask, options, done)
}

impl Names {
    fn set(&self, client: &Client, done: &str, with: impl Fn(UserSpec) -> UserSpec) -> Outcome {
        self.names.iter().try_for_each(|name| set(client, name, self.options, done, &with))
    }

    fn delete(&self, client: &Client) -> Outcome {
        for name in &self.names {
            let ask = Ask::change(Method::DELETE, format!("{PATH}/{name}"));
            finish(client, ask, self.options, "deleted")?;
        }
        Ok(())
    }
}

fn state(user: &User) -> (&'static str, Style) {
    match user.spec.disabled {
        true => ("disabled", Style::Bad),
        false => ("active", Style::Good),
    }
}

/// `person`, `platform administrator`, or `service account of workspace-b`.
fn kind(user: &User) -> String {
    match &user.status.service_account_of {
        Some(room) => format!("service account of {room}"),
        None if user.spec.platform_admin => "platform administrator".into(),
        None => "person".into(),
    }
}

fn table(users: &[User], wide: bool) -> Table {
    let columns = ["NAME", "STATE", "KIND", "WORKSPACES", "UID", "PASSWORD", "PROVIDER", ">AGE"];
    let mut table = Table::new(if wide { &columns } else { &columns[..4] });
    for user in users {
        let (word, style) = state(user);
        let member_of = rooms(&user.status.workspaces);
        let mut cells = vec![
            Cell::from(&user.metadata.name),
            Cell::styled(word, style),
            Cell::from(kind(user)),
            Cell::maybe((!member_of.is_empty()).then(|| member_of.join(", "))),
        ];
        if wide {
            cells.extend([
                Cell::from(&user.metadata.uid),
                Cell::from(if user.status.password { "set" } else { "none" }),
                Cell::maybe(user.status.provider.as_ref()),
                Cell::from(ago(user.metadata.created_at)),
            ]);
        }
        table.row(cells);
    }
    table
}

fn text(user: &User) -> String {
    let (word, style) = state(user);
    let mut facts = Facts::default();
    facts
        .add("name", format!("{} ({})", user.metadata.name, user.metadata.uid))
        .add("state", style.paint(word))
        .add("kind", kind(user))
        .lines("workspaces", rooms(&user.status.workspaces))
        .add("password", if user.status.password { "set" } else { "none" })
        .maybe("provider", user.status.provider.as_ref())
        .maybe("subject", user.status.subject.as_ref())
        .add("created", user.metadata.created_at);
    facts.text()
}
