//! `tidegate list`: what waits, what runs, what has just ended; and why what waits does.

use super::PATH;
use super::show::{Columns, table};
use crate::client::events::{News, Watch};
use crate::client::{Client, Query};
use crate::exit::{Exit, Outcome, note, print};
use crate::output::{Format, Output, Printed, line, list};
use clap::Args;
use std::collections::BTreeMap;
use tidegate_api::name::Name;
use tidegate_api::words::Module;
use tidegate_api::workload::{Workload, WorkloadList, WorkloadState};

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate list                          what waits (and why), what runs, the latest that ended
  tidegate list --state queued -o wide   every reason, nearest first
  tidegate list --quota Quota1.1 --watch
  tidegate list --all -o json | jq '.items[].metadata.name'
  tidegate stop $(tidegate list --label project=atlas -o name)";

/// Ended workloads that are listed when nobody asks for all.
const LATEST_ENDED: usize = 10;

#[derive(Args, Clone, Debug)]
pub(crate) struct List {
    /// Also all that have ended, however long ago
    #[arg(short, long, conflicts_with = "state")]
    all: bool,
    /// Only workloads in this state: queued, suspended, held, running, leaving, finished, failed, stopped
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<WorkloadState>,
    /// Only workloads of this quota
    #[arg(short, long)]
    quota: Option<Name>,
    /// Only this module: training, notebook, service or task
    #[arg(short, long)]
    module: Option<Module>,
    /// Only workloads of this workspace
    #[arg(long)]
    workspace: Option<Name>,
    /// Only workloads with this label
    #[arg(short, long, value_name = "KEY=VALUE")]
    label: Option<String>,
    /// Only names that begin so
    #[arg(value_name = "PREFIX")]
    prefix: Option<Name>,
    /// At most so many, the latest first
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Go on: a row for every change
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    output: Output,
}

fn state(text: &str) -> Result<WorkloadState, String> {
    serde_json::from_value(text.into()).map_err(|_| {
        "expected queued, suspended, held, running, leaving, finished, failed or stopped".to_string()
    })
}

impl List {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        if !self.watch {
            return self.print(&self.read(client)?);
        }
        // Watching begins before reading: nothing happens unseen between the two.
        let mut query: Query = vec![("kinds", "workload".into())];
        query.extend(self.quota.iter().map(|quota| ("quota", quota.to_string())));
        let mut watch = client.watch(query)?;
        let listed = self.read(client)?;
        self.print(&listed)?;
        self.follow(client, &mut watch, listed)
    }

    fn query(&self, state: Option<WorkloadState>) -> Query {
        let mut query = Query::new();
        let state = state.map(|state| state.word().to_string());
        query.extend(state.map(|state| ("state", state)));
        query.extend(self.quota.iter().map(|quota| ("quota", quota.to_string())));
        query.extend(self.module.iter().map(|module| ("module", module.to_string())));
        query.extend(self.workspace.iter().map(|name| ("workspace", name.to_string())));
        query.extend(self.label.iter().map(|label| ("label", label.clone())));
        query.extend(self.prefix.iter().map(|prefix| ("name", prefix.to_string())));
        query
    }

    pub(crate) fn read(&self, client: &Client) -> Outcome<Vec<Workload>> {
        let limit = self.limit.map_or(usize::MAX, |limit| limit.max(1) as usize);
        if self.all || self.state.is_some() {
            return client.list::<WorkloadList>(PATH, &self.query(self.state), limit);
        }
        let (mut found, hidden) = active_and_latest(client, |state| self.query(state))?;
        found.truncate(limit);
        if hidden && !self.output.output_is_data() {
            note("older ones that have ended are not shown; --all shows them");
        }
        Ok(found)
    }

    fn print(&self, workloads: &[Workload]) -> Outcome {
        if workloads.is_empty() && !self.output.output_is_data() {
            note("there are no workloads; `tidegate submit -- COMMAND` submits one");
        }
        print(&list(self.output.output, workloads, |wide| table(workloads, columns(wide)))?)
    }

    /// A row, or a line of JSON, for every change.
    fn follow(&self, client: &Client, watch: &mut Watch<'_>, listed: Vec<Workload>) -> Outcome {
        let columns = columns(self.output.output == Format::Wide);
        let first = table(&listed, columns);
        loop {
            let changed = match watch.next()? {
                News::Missed => self.read(client),
                News::Event(event) => match event.uid.or(event.workload) {
                    Some(name) => self.one(client, &name),
                    None => Ok(Vec::new()),
                },
            };
            let changed = match changed {
                Err(failure) if failure.is(Exit::Unreachable) => {
                    watch.lose();
                    continue;
                }
                changed => changed?,
            };
            for workload in &changed {
                match self.output.output {
                    Format::Table | Format::Wide => {
                        print(&table(std::slice::from_ref(workload), columns).rows_below(&first))?
                    }
                    Format::Name => print(&(workload.name() + "\n"))?,
                    Format::Json | Format::Yaml => line(workload)?,
                }
            }
        }
    }

    /// The workload if it is among those that are wanted. One that has been deleted is nobody's news.
    fn one(&self, client: &Client, name: &str) -> Outcome<Vec<Workload>> {
        let workload: Workload = match client.get(format!("{PATH}/{name}")) {
            Ok(workload) => workload,
            Err(failure) if failure.is(Exit::NotFound) => return Ok(Vec::new()),
            Err(failure) => return Err(failure),
        };
        let wanted = self.workspace.as_ref().is_none_or(|room| *room == workload.status.workspace)
            && self.module.is_none_or(|module| module == workload.status.module)
            && self.state.is_none_or(|state| state == workload.status.state)
            && self.prefix.as_ref().is_none_or(|prefix| workload.metadata.name.starts_with(prefix.as_str()));
        Ok(if wanted { vec![workload] } else { Vec::new() })
    }
}

impl Output {
    /// A program reads it: people are told nothing beside.
    pub(crate) fn output_is_data(self) -> bool {
        matches!(self.output, Format::Json | Format::Yaml | Format::Name)
    }
}

/// Everything that has not ended, and a few that have; and whether there are more of those. The latest first.
pub(crate) fn active_and_latest(
    client: &Client,
    query: impl Fn(Option<WorkloadState>) -> Query,
) -> Outcome<(Vec<Workload>, bool)> {
    use WorkloadState::{Held, Leaving, Queued, Running, Suspended};
    let mut found: BTreeMap<u64, Workload> = BTreeMap::new();
    let number = |w: &Workload| w.metadata.uid.trim_start_matches("w-").parse().unwrap_or(0);
    for state in [Queued, Suspended, Held, Running, Leaving] {
        let items = client.all::<WorkloadList>(PATH, &query(Some(state)))?;
        found.extend(items.into_iter().map(|workload| (number(&workload), workload)));
    }
    // Who moved from one state to another between two of these reads is among the latest, most often.
    let latest = client.list::<WorkloadList>(PATH, &query(None), 100)?;
    let mut ended = 0;
    for workload in latest {
        ended += usize::from(workload.status.state.is_ended());
        if ended <= LATEST_ENDED || !workload.status.state.is_ended() {
            found.insert(number(&workload), workload);
        }
    }
    Ok((found.into_values().rev().collect(), ended > LATEST_ENDED))
}

fn columns(wide: bool) -> Columns {
    if wide { Columns::Wide } else { Columns::Few }
}
