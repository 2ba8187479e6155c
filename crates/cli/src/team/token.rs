//! `tidegate token`: what lets programs and the command line act for somebody.

use crate::client::{Ask, Changed, Client, Query};
use crate::clock::ago;
use crate::exit::{Outcome, note, print_line};
use crate::follow::Listing;
use crate::output::change::{ChangeOptions, print_would};
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Printed, list, one};
use clap::{Args, Subcommand};
use tidegate_api::duration::Duration;
use tidegate_api::name::Name;
use tidegate_api::people::{NewToken, Token, TokenList};
use ureq::http::Method;

const PATH: &str = "/api/v1/tokens";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make a token, and print its secret: once, and nothing else on stdout
    #[command(after_help = "Examples:
  tidegate token create laptop
  tidegate token create --user berta --expires-in 720h > berta.token
  tidegate token create prometheus --actions metrics:read > metrics.token

Keep what it prints: it is stored hashed, and cannot be shown again. With -o json or yaml the secret is in the document.")]
    Create(Create),
    /// List tokens and sessions of browsers, without their secrets
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate token list
  tidegate tokens list --user ci -o wide"
    )]
    List {
        /// Whose; your own if absent
        #[arg(long)]
        user: Option<Name>,
        #[command(flatten)]
        listing: Listing,
    },
    /// Revoke tokens, or end sessions: they let nobody in any more
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate token revoke t-3
  tidegate token revoke $(tidegate token list --user ci -o name)"
    )]
    Revoke {
        /// Their ids, such as t-3
        #[arg(required = true, value_name = "ID")]
        ids: Vec<Name>,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// What it is for
    name: Option<Name>,
    /// Whose it shall be; your own if absent
    #[arg(long)]
    user: Option<Name>,
    /// The only actions that it is good for, separated by commas; `tidegate role actions` lists all
    #[arg(long, value_name = "ACTION", value_delimiter = ',')]
    actions: Vec<String>,
    /// How long it is good; 90 days if absent, at most a year
    #[arg(long, value_name = "TIME")]
    expires_in: Option<Duration>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Create {
    fn run(self, client: &Client) -> Outcome {
        let new =
            NewToken { name: self.name, user: self.user, actions: self.actions, expires_in: self.expires_in };
        let format = self.options.output;
        match client.change::<Token>(Ask::post(PATH, &new)?, self.options.dry_run)? {
            Changed::Made(token) => match (format, &token.secret) {
                (None, Some(secret)) => {
                    note(sentence(&token));
                    print_line(secret)
                }
                (format, _) => one(format.unwrap_or_default(), &token, |_| text(&token)),
            },
            Changed::Would(mut would) => {
                // It would be another one: nobody shall try to use this.
                if let Some(result) = would.result.as_object_mut() {
                    result.remove("secret");
                }
                let then = serde_json::from_value(would.result.clone()).ok();
                print_would(&would, format, then.as_ref().map(sentence))
            }
        }
    }
}

impl Printed for Token {
    fn name(&self) -> String {
        self.id.clone()
    }
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => create.run(client),
            Verb::List { user, listing } => {
                let query: Query = user.iter().map(|user| ("user", user.to_string())).collect();
                listing.print(client, "token", |format| {
                    let tokens = client.all::<TokenList>(PATH, &query)?;
                    list(format, &tokens, |wide| table(&tokens, wide))
                })
            }
            Verb::Revoke { ids, options } => ids.iter().try_for_each(|id| {
                let ask = Ask::change(Method::DELETE, format!("{PATH}/{id}"));
                let changed: Changed<Token> = client.change(ask, options.dry_run)?;
                options.print(&changed, |token| format!("{} revoked", token.id), |token, _| text(token))
            }),
        }
    }
}

/// `t-3 (laptop) acts for berta until 2026-01-31T08:00:00Z: workload:read`.
fn sentence(token: &Token) -> String {
    let name = if token.name.is_empty() { String::new() } else { format!(" ({})", token.name) };
    let until = token.expires_at.map_or(String::new(), |at| format!(" until {at}"));
    let only = token.actions.as_ref().map_or(String::new(), |only| format!(", for {}", only.join(", ")));
    format!("{}{name} acts for {}{until}{only}", token.id, token.user)
}

fn table(tokens: &[Token], wide: bool) -> Table {
    let columns = ["ID", "NAME", "USER", "KIND", ">AGE", ">LAST USED", "EXPIRES", "ACTIONS"];
    let mut table = Table::new(if wide { &columns } else { &columns[..7] });
    for token in tokens {
        let mut cells = vec![
            Cell::from(&token.id),
            Cell::from(&token.name),
            Cell::from(&token.user),
            Cell::from(&token.kind),
            Cell::from(ago(token.created_at)),
            Cell::maybe(token.last_used_at.map(ago)),
            Cell::maybe(token.expires_at),
        ];
        if wide {
            cells.push(Cell::from(actions(token)));
        }
        table.row(cells);
    }
    table
}

fn actions(token: &Token) -> String {
    token.actions.as_ref().map_or_else(|| "all that its user may".into(), |actions| actions.join(","))
}

fn text(token: &Token) -> String {
    let mut facts = Facts::default();
    facts
        .add("id", &token.id)
        .maybe("name", Some(&token.name).filter(|name| !name.is_empty()))
        .add("user", &token.user)
        .add("kind", &token.kind)
        .add("actions", actions(token))
        .add("created", token.created_at)
        .maybe("expires", token.expires_at)
        .maybe("last used", token.last_used_at)
        .maybe("secret", token.secret.as_ref());
    facts.text()
}
