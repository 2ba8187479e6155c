//! `tidegate webhook`.

use crate::client::{Ask, Client};
use crate::exit::{Exit, Failure, Outcome, note, print, print_line};
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, document};
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
        output: Output,
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
    /// What it is told of: preempted, waiting-too-long, failed, finished; everything if absent
    #[arg(long = "notice", value_name = "NOTICE", value_parser = notice)]
    notices: Vec<Notice>,
}

fn notice(text: &str) -> Result<Notice, String> {
    serde_json::from_value(text.into())
        .map_err(|_| format!("{text:?} is not one of preempted, waiting-too-long, failed, finished"))
}

fn words<T: serde::Serialize>(words: &[T]) -> String {
    let word = |word: &T| serde_json::to_value(word).ok().and_then(|word| word.as_str().map(String::from));
    words.iter().filter_map(word).collect::<Vec<_>>().join(",")
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => create.run(client),
            Verb::List { room, output } => {
                let list: WebhookList = client.get(room.path())?;
                match output.output {
                    format @ (Format::Json | Format::Yaml) => document(format, &list),
                    Format::Name => {
                        print(&list.items.iter().map(|hook| format!("{}\n", hook.name)).collect::<String>())
                    }
                    Format::Table | Format::Wide => print(&table(&list.items).text()),
                }
            }
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
            Verb::Delete { name, room } => {
                let ask = Ask::change(Method::DELETE, room.of(&name));
                let gone: Webhook = client.send(&ask)?.json(client.server())?;
                print_line(format!("{} deleted", gone.name))
            }
        }
    }
}

impl Create {
    fn run(self, client: &Client) -> Outcome {
        let new = NewWebhook { url: self.url, notices: self.notices };
        let ask = Ask::change(Method::PUT, self.room.of(&self.name)).json(&new)?;
        let hook: Webhook = client.send(&ask)?.json(client.server())?;
        match &hook.secret {
            Some(secret) => {
                note(format!(
                    "{} created; the secret is shown this once: messages are signed with it",
                    hook.name
                ));
                print_line(format!("secret: {secret}"))
            }
            None => print_line(format!("{} changed; its secret is the one it had", hook.name)),
        }
    }
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
            let mut facts = Facts::default();
            facts
                .add("name", &hook.name)
                .add("workspace", &hook.workspace)
                .add("url", &hook.url)
                .add("notices", words(&hook.notices))
                .add("created", hook.created_at);
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
            print(&format!("{}{messages}", facts.text()))
        }
    }
}
