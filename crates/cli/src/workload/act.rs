//! Changes of workloads that exist.

use super::PATH;
use super::show::{sentence, text};
use super::within::Within;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Outcome, print_line};
use crate::output::change::{ChangeOptions, print_would};
use clap::Args;
use tidegate_api::actions::{PriorityRequest, ResizeRequest};
use tidegate_api::name::Name;
use tidegate_api::priorities::Priority;
use tidegate_api::workload::{Workload, WorkloadState};
use ureq::http::Method;

pub(crate) const START_EXAMPLES: &str = "Examples:
  tidegate start train-1";
pub(crate) const STOP_EXAMPLES: &str = "Examples:
  tidegate stop train-1 train-2
  tidegate stop train-1 --workspace workspace-b
  tidegate stop a-serve --dry-run        who would start in its place";
pub(crate) const RESTART_EXAMPLES: &str = "Examples:
  tidegate restart notebook-3";
pub(crate) const RESIZE_EXAMPLES: &str = "Examples:
  tidegate resize web 6
  tidegate resize web 6 --dry-run        who would be preempted for it";
pub(crate) const PRIORITY_EXAMPLES: &str = "Examples:
  tidegate priority train-1 7";
pub(crate) const DELETE_EXAMPLES: &str = "Examples:
  tidegate delete train-1";

#[derive(Args, Debug)]
pub(crate) struct Names {
    /// Names, for the latest of that name, or uids
    #[arg(required = true, value_name = "NAME")]
    names: Vec<Name>,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Names {
    /// `POST .../NAME:verb` for each.
    pub(crate) fn post(self, client: &Client, verb: &str) -> Outcome {
        self.each(|name| Ask::change(Method::POST, format!("{PATH}/{name}:{verb}")), client, sentence)
    }

    /// Ends each. What a dry run foresees comes after what it asks for.
    pub(crate) fn stop(self, client: &Client) -> Outcome {
        for name in &self.names {
            let ask = self.within.ask(Ask::change(Method::POST, format!("{PATH}/{name}:stop")));
            match (client.change::<Workload>(ask, self.options.dry_run)?, self.options.output) {
                (Changed::Would(would), None) => {
                    let then = serde_json::from_value::<Workload>(would.result.clone()).ok();
                    let leaving = then.filter(|w| w.status.state == WorkloadState::Leaving);
                    leaving.iter().try_for_each(|w| print_line(format!("would: {}", sentence(w))))?;
                    print_would(&would, None, None)?;
                }
                (changed, _) => self.options.print(&changed, sentence, |workload, _| text(workload))?,
            }
        }
        Ok(())
    }

    pub(crate) fn delete(self, client: &Client) -> Outcome {
        let deleted = |workload: &Workload| format!("{} deleted", workload.metadata.name);
        self.each(|name| Ask::change(Method::DELETE, format!("{PATH}/{name}")), client, deleted)
    }

    fn each(
        &self,
        ask: impl Fn(&Name) -> Ask<'static>,
        client: &Client,
        sentence: impl Fn(&Workload) -> String,
    ) -> Outcome {
        let ask = |name: &Name| self.within.ask(ask(name));
        self.names.iter().try_for_each(|name| print(client, ask(name), self.options, &sentence))
    }
}

fn print(
    client: &Client,
    ask: Ask<'_>,
    options: ChangeOptions,
    sentence: impl Fn(&Workload) -> String,
) -> Outcome {
    let changed: Changed<Workload> = client.change(ask, options.dry_run)?;
    options.print(&changed, sentence, |workload, _| text(workload))
}

#[derive(Args, Debug)]
pub(crate) struct Resize {
    /// Its name or its uid
    name: Name,
    /// Replicas that it shall have
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    replicas: u32,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Resize {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let body = ResizeRequest { replicas: self.replicas };
        let ask = Ask::post(format!("{PATH}/{}:resize", self.name), &body)?;
        print(client, self.within.ask(ask), self.options, sentence)
    }
}

#[derive(Args, Debug)]
pub(crate) struct SetPriority {
    /// Its name or its uid
    name: Name,
    /// 1 to 9, larger is more important
    #[arg(value_parser = priority)]
    priority: Priority,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    options: ChangeOptions,
}

pub(crate) fn priority(text: &str) -> Result<Priority, String> {
    let number = text.trim_start_matches('p').parse().ok().and_then(tidegate_engine::words::Priority::new);
    number.map(Priority).ok_or_else(|| "a priority is a number from 1 to 9".into())
}

impl SetPriority {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let body = PriorityRequest { priority: self.priority };
        let ask = Ask::post(format!("{PATH}/{}:priority", self.name), &body)?;
        print(client, self.within.ask(ask), self.options, sentence)
    }
}
