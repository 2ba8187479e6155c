//! Why a workload is where it is, and what happened to it.

use super::PATH;
use super::within::Within;
use crate::client::Client;
use crate::client::events::News;
use crate::exit::{Outcome, print, print_line};
use crate::output::event_line::timed;
use crate::output::facts::Facts;
use crate::output::figures::amounts;
use crate::output::{Format, Output, document, line};
use clap::Args;
use tidegate_api::event::EventList;
use tidegate_api::explain::Explanation;
use tidegate_api::name::Name;
use tidegate_api::workload::{DrawStatus, Workload};

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate explain train-1
  tidegate explain train-1 -o json | jq -r '.reasons[].text'";

pub(crate) const EVENTS_EXAMPLES: &str = "Examples:
  tidegate events train-1
  tidegate events train-1 --watch
  tidegate events                          everything that happens from now on
  tidegate events -o json | jq -c 'select(.event == \"preempted\")'";

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// Its name, for the latest of that name, or its uid
    name: Name,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    output: Output,
}

/// What stands for somebody whom the reader may not see has commas in it.
fn join(names: &[impl std::ops::Deref<Target = str>]) -> String {
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    names.join(if names.iter().any(|name| name.contains(',')) { "; " } else { ", " })
}

fn draws(draws: &[DrawStatus]) -> Vec<String> {
    draws.iter().map(|d| format!("{}:{} ({})", d.account, amounts(&d.amounts), d.rule)).collect()
}

impl Explain {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let explanation: Explanation =
            client.get_with(format!("{PATH}/{}:explain", self.name), self.within.query())?;
        match self.output.output {
            format @ (Format::Json | Format::Yaml) => document(format, &explanation),
            Format::Name => print_line(&explanation.workload),
            Format::Table | Format::Wide => print(&text(&explanation)),
        }
    }
}

pub(crate) fn text(explanation: &Explanation) -> String {
    let mut facts = Facts::default();
    facts
        .add("workload", format!("{} ({})", explanation.workload, explanation.uid))
        .add("state", explanation.state.word())
        .add("queue", &explanation.queue)
        .maybe("position", explanation.position);
    if !explanation.ahead.is_empty() {
        facts.add("behind", join(&explanation.ahead));
    }
    if let (Some(replicas), Some(wanted)) = (explanation.replicas, explanation.wanted) {
        facts.add("replicas", format!("{replicas} of {wanted}"));
    }
    facts
        .lines("why", explanation.reasons.iter().map(|reason| reason.text.clone()).collect())
        .lines("draws", draws(&explanation.draws))
        .maybe("class", explanation.class);
    if !explanation.nodes.is_empty() {
        facts.add("nodes", join(&explanation.nodes));
    }
    if let Some(holds) = &explanation.holds {
        let until = if holds.until.is_empty() {
            String::new()
        } else {
            format!(" until {} left", join(&holds.until))
        };
        facts.add("held for it", format!("{}{until}", draws(&holds.draws).join(", ")));
    }
    if let Some(evicted) = &explanation.evicted {
        let by = evicted.by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
        let of = evicted.policy_of.as_ref().map_or(String::new(), |quota| format!(" of {quota}"));
        facts.add("evicted", format!("at {}{by} ({}{of}): {}", evicted.at, evicted.rule, evicted.why));
    }
    let gained = explanation.evicted_for_it.iter();
    facts.lines(
        "made room",
        gained.map(|e| format!("{} was evicted at {} ({})", e.workload, e.at, e.rule)).collect(),
    );
    facts.text()
}

#[derive(Args, Debug)]
pub(crate) struct Events {
    /// The workload; everything that happens from now on if absent
    name: Option<Name>,
    /// The workspace to look for it in; needed where several have a workload of that name
    #[arg(long, requires = "name")]
    workspace: Option<Name>,
    /// Go on with what happens
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    output: Output,
}

impl Events {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut query = Vec::new();
        query.extend(self.name.iter().map(|name| ("workload", name.to_string())));
        let goes_on = self.watch || self.name.is_none();
        let within = Within { workspace: self.workspace.clone() };
        // A watch knows names, not workspaces: of several workloads of one name only this one is meant.
        let uid = match (&self.name, &self.workspace) {
            (Some(name), Some(_)) => {
                let workload: Workload = client.get_with(format!("{PATH}/{name}"), within.query())?;
                query = vec![("workload", workload.metadata.name.to_string())];
                Some(workload.metadata.uid)
            }
            _ => None,
        };
        let mut watch = goes_on.then(|| client.watch(query)).transpose()?;
        let mut last = None;
        if let Some(name) = &self.name {
            let events = client.all::<EventList>(&format!("{PATH}/{name}/events"), &within.query())?;
            last = events.last().and_then(|event| event.number);
            match self.output.output {
                // A stream has a line for each event, from the first.
                Format::Json | Format::Yaml if !goes_on => document(self.output.output, &events)?,
                format => events.iter().try_for_each(|event| print_event(format, event))?,
            }
        }
        while let Some(watch) = &mut watch {
            if let News::Event(event) = watch.next()?
                && event.number > last
                && (uid.is_none() || uid == event.uid)
            {
                print_event(self.output.output, &event)?;
            }
        }
        Ok(())
    }
}

fn print_event(format: Format, event: &tidegate_api::event::Event) -> Outcome {
    match format {
        Format::Json | Format::Yaml => line(event),
        Format::Name => print_line(crate::output::event_line::subject(event)),
        Format::Table | Format::Wide => print_line(timed(event)),
    }
}
