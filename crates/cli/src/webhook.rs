//! `tidegate webhook`.

use crate::client::{Ask, Changed, Client};
use crate::exit::{Exit, Failure, Outcome, note, print, print_line};
use crate::follow::Listing;
use crate::output::change::{ChangeOptions, print_would};
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, Printed, document, list, one};
use clap::{Args, Subcommand};
use tidegate_api::name::Name;
use tidegate_api::webhook::{
    Delivery, DeliveryList, DeliveryState, NewWebhook, Notice, Webhook, WebhookList, WebhookTest,
};
use ureq::http::Method;

/// Messages that `show` lists.
const SHOWN: usize = 20;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make a webhook, or change where it leads and what it is told; the secret is printed once
    #[command(after_help = "Examples:
  tidegate webhook create chat --workspace team-b --url https://hooks.example/tidegate
  tidegate webhook create pager --workspace team-b --url https://pager.example/x --notice failed --notice preempted")]
    Create(Create),
    /// List the webhooks of a workspace
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate webhook list --workspace team-b"
    )]
    List {
        #[command(flatten)]
        room: Room,
        #[command(flatten)]
        listing: Listing,
    },
    /// Show a webhook, and what became of the messages to it
    #[command(after_help = "Examples:
  tidegate webhook show chat --workspace team-b")]
    Show {
        /// The webhook
        name: Name,
        #[command(flatten)]
        room: Room,
        #[command(flatten)]
        output: Output,
    },
    /// Send a message that says nothing, and say how it went
    #[command(after_help = "Examples:
  tidegate webhook test chat --workspace team-b")]
    Test {
        /// The webhook
        name: Name,
        #[command(flatten)]
        room: Room,
    },
    /// Send a message again, whatever became of it
    #[command(after_help = "Examples:
  tidegate webhook retry chat d-12 --workspace team-b")]
    Retry {
        /// The webhook
        name: Name,
        /// The message, as `show` lists it
        id: Name,
        #[command(flatten)]
        room: Room,
    },
    /// Delete a webhook, with the messages that wait for it
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate webhook delete chat --workspace team-b"
    )]
    Delete {
        /// The webhook
        name: Name,
        #[command(flatten)]
        room: Room,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

/// Whose webhooks.
#[derive(Args, Clone, Debug)]
pub(crate) struct Room {
    /// The workspace
    #[arg(long)]
    workspace: Name,
}

impl Room {
    fn path(&self) -> String {
        format!("/api/v1/workspaces/{}/webhooks", self.workspace)
    }

    fn of(&self, name: &Name) -> String {
        format!("{}/{name}", self.path())
    }
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// Its name
    name: Name,
    #[command(flatten)]
    room: Room,
    /// Where messages go: http or https
    #[arg(long)]
    url: String,
    /// What it is told of: preempted, waiting-too-long, failed, finished, budget; everything if absent
    #[arg(long = "notice", value_name = "NOTICE", value_parser = notice)]
    notices: Vec<Notice>,
    #[command(flatten)]
    options: ChangeOptions,
}

fn notice(text: &str) -> Result<Notice, String> {
    serde_json::from_value(text.into())
        .map_err(|_| format!("{text:?} is not one of preempted, waiting-too-long, failed, finished, budget"))
}

fn words<T: serde::Serialize>(words: &[T]) -> String {
    let word = |word: &T| serde_json::to_value(word).ok().and_then(|word| word.as_str().map(String::from));
    words.iter().filter_map(word).collect::<Vec<_>>().join(",")
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => create.run(client),
            Verb::List { room, listing } => listing.print(client, "webhook", |format| {
                let hooks = client.get::<WebhookList>(room.path())?.items;
                list(format, &hooks, |_| table(&hooks))
            }),
            Verb::Show { name, room, output } => show(client, &room.of(&name), output.output),
            Verb::Test { name, room } => {
                let ask = Ask::change(Method::POST, format!("{}:test", room.of(&name)));
                let test: WebhookTest = client.send(&ask)?.json(client.server())?;
                match test.delivered {
                    true => print_line(format!("{name} answered {}", test.status.unwrap_or(200))),
                    false => {
                        let why = test.error.unwrap_or_else(|| "it was not taken".into());
                        Err(Failure::new(Exit::Failure, format!("{name}: {why}")))
                    }
                }
            }
            Verb::Retry { name, id, room } => {
                let ask = Ask::change(Method::POST, format!("{}/deliveries/{id}:retry", room.of(&name)));
                let delivery: Delivery = client.send(&ask)?.json(client.server())?;
                print_line(format!("{} will be sent again", delivery.id))
            }
            Verb::Delete { name, room, options } => {
                let ask = Ask::change(Method::DELETE, room.of(&name));
                let changed: Changed<Webhook> = client.change(ask, options.dry_run)?;
                options.print(&changed, |hook| format!("{} deleted", hook.name), |hook, _| text(hook))
            }
        }
    }
}

impl Create {
    fn run(self, client: &Client) -> Outcome {
        let new = NewWebhook { url: self.url, notices: self.notices };
        let ask = Ask::change(Method::PUT, self.room.of(&self.name)).json(&new)?;
        let changed: Changed<Webhook> = client.change(ask, self.options.dry_run)?;
        match (changed, self.options.output) {
            (Changed::Made(hook), None) => match &hook.secret {
                Some(secret) => {
                    note(format!(
                        "{} created; the secret is shown this once: messages are signed with it",
                        hook.name
                    ));
                    print_line(format!("secret: {secret}"))
                }
                None => print_line(format!("{} changed; its secret is the one it had", hook.name)),
            },
            (Changed::Made(hook), Some(format)) => one(format, &hook, |_| text(&hook)),
            (Changed::Would(mut would), format) => {
                // It would be another one: nobody shall try to use this.
                let secret = would.result.as_object_mut().and_then(|result| result.remove("secret"));
                let done = if secret.is_some() { "created" } else { "changed" };
                print_would(&would, format, Some(format!("{} {done}", self.name)))
            }
        }
    }
}

impl Printed for Webhook {
    fn name(&self) -> String {
        self.name.to_string()
    }
}

fn text(hook: &Webhook) -> String {
    let mut facts = Facts::default();
    facts
        .add("name", &hook.name)
        .add("workspace", &hook.workspace)
        .add("url", &hook.url)
        .add("notices", words(&hook.notices))
        .add("created", hook.created_at)
        .maybe("secret", hook.secret.as_ref());
    facts.text()
}

fn table(hooks: &[Webhook]) -> Table {
    let mut table = Table::new(&["NAME", "URL", "NOTICES"]);
    for hook in hooks {
        table.row(vec![Cell::from(&hook.name), Cell::from(&hook.url), Cell::from(words(&hook.notices))]);
    }
    table
}

fn show(client: &Client, path: &str, format: Format) -> Outcome {
    let hook: Webhook = client.get(path)?;
    let query = vec![("limit", SHOWN.to_string())];
    let messages: DeliveryList = client.get_with(format!("{path}/deliveries"), query)?;
    match format {
        Format::Json | Format::Yaml => {
            document(format, &serde_json::json!({"webhook": hook, "deliveries": messages.items}))
        }
        Format::Name => print_line(&hook.name),
        Format::Table | Format::Wide => {
            let mut table = Table::new(&["ID", "AT", "EVENT", "WORKLOAD", "STATE", ">TRIES", "LAST ERROR"]);
            for message in &messages.items {
                table.row(vec![
                    Cell::from(&message.id),
                    Cell::from(message.at),
                    Cell::from(&message.event),
                    Cell::from(&message.workload),
                    Cell::from(words(&[message.state])),
                    Cell::from(message.tries),
                    Cell::maybe(
                        message.last_error.as_ref().filter(|_| message.state != DeliveryState::Delivered),
                    ),
                ]);
            }
            let messages =
                if messages.items.is_empty() { String::new() } else { format!("\n{}", table.text()) };
            print(&format!("{}{messages}", text(&hook)))
        }
    }
}
