//! Workloads in words and in columns.

use super::within::Within;
use super::{PATH, takes};
use crate::client::Client;
use crate::clock::{ago, now_ms, short};
use crate::exit::Outcome;
use crate::output::facts::Facts;
use crate::output::figures::{amounts, count};
use crate::output::style::Style;
use crate::output::table::{Cell, Table};
use crate::output::{Output, one};
use clap::Args;
use tidegate_api::explain::Preempted;
use tidegate_api::limits::DEFAULT_GRACE;
use tidegate_api::name::Name;
use tidegate_api::workload::{DrawStatus, ReadinessStatus, Visibility, Workload, WorkloadState};

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate show train-1
  tidegate show train-1 -o yaml
  tidegate show train-1 --workspace workspace-b
  tidegate show w-42 -o json | jq .status.placements";

#[derive(Args, Debug)]
pub(crate) struct Show {
    /// Names, for the latest of that name, or uids
    #[arg(required = true, value_name = "NAME")]
    names: Vec<Name>,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    output: Output,
}

impl Show {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        for name in &self.names {
            let workload: Workload = client.get_with(format!("{PATH}/{name}"), self.within.query())?;
            one(self.output.output, &workload, |_| text(&workload))?;
        }
        Ok(())
    }
}

fn is_waiting(state: WorkloadState) -> bool {
    matches!(state, WorkloadState::Queued | WorkloadState::Suspended | WorkloadState::Held)
}

/// Why it is not running, or not as it should: the nearest reason, or all of them.
pub(crate) fn why(workload: &Workload, all: bool) -> String {
    let status = &workload.status;
    let mut reasons: Vec<String> = status.reasons.iter().map(|reason| reason.text.clone()).collect();
    let mut beyond = takes::beyond(workload);
    if !all {
        reasons.truncate(1);
        beyond.truncate(1);
    }
    let preempted = status.last_preemption.as_ref().map(preemption);
    match status.state {
        state if is_waiting(state) => {
            let position = status.position.map(|position| format!("position {position}"));
            let preempted = preempted.filter(|_| reasons.is_empty() || all);
            let parts: Vec<String> = position.into_iter().chain(reasons).chain(preempted).collect();
            match state {
                _ if !parts.is_empty() => parts.join("; "),
                WorkloadState::Held => "others leave to make room for it".into(),
                _ => "is about to be looked at".into(),
            }
        }
        WorkloadState::Leaving => preempted.unwrap_or_else(|| "was asked to stop".into()),
        WorkloadState::Failed => exit(workload).unwrap_or_default(),
        WorkloadState::Running if status.replicas.ready.is_some_and(|n| n < status.replicas.running) => {
            std::iter::once(unready(workload)).chain(beyond).collect::<Vec<_>>().join("; ")
        }
        WorkloadState::Running if status.replicas.running < status.replicas.wanted => {
            let counts = status.replicas;
            let some = format!("{} of {} run", counts.running, count(u64::from(counts.wanted), "replica"));
            std::iter::once(some).chain(preempted).chain(beyond).collect::<Vec<_>>().join("; ")
        }
        WorkloadState::Running => beyond.join("; "),
        _ => String::new(),
    }
}

/// `exit code 137 (killed by SIGKILL)`.
pub(crate) fn exit(workload: &Workload) -> Option<String> {
    exit_code(workload).map(|code| format!("exit code {code}"))
}

fn exit_code(workload: &Workload) -> Option<String> {
    let detail = workload.status.exit_detail.as_ref().map_or(String::new(), |detail| format!(" ({detail})"));
    workload.status.exit_code.map(|code| format!("{code}{detail}"))
}

/// `1 of 2 replicas ready; not for 30s: connection refused`.
fn unready(workload: &Workload) -> String {
    let status = &workload.status;
    let mut parts = vec![format!("{} replicas ready", ready(workload).unwrap_or_default())];
    let seen = status.placements.iter().filter_map(|p| p.readiness.as_ref()).filter(|r| !r.ready);
    let first = seen.min_by_key(|readiness| readiness.since);
    parts.extend(first.map(|r| format!("not for {}: {}", ago(r.since), r.reason.as_deref().unwrap_or("?"))));
    parts.join("; ")
}

/// `1 of 2`, of those that run.
fn ready(workload: &Workload) -> Option<String> {
    let counts = workload.status.replicas;
    counts.ready.map(|ready| format!("{ready} of {}", counts.running))
}

/// `preempted by a1 (child-level of Quota1)`.
fn preemption(preempted: &Preempted) -> String {
    let by = preempted.by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
    let of = preempted.policy_of.as_ref().map_or(String::new(), |quota| format!(" of {quota}"));
    format!("preempted{by} ({}{of})", preempted.rule)
}

/// Nodes that it is on, each once.
fn nodes(workload: &Workload) -> Vec<&str> {
    let mut names: Vec<&str> = workload.status.placements.iter().map(|p| p.node.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn draw(draw: &DrawStatus) -> String {
    format!("{}:{} ({}, {})", draw.account, amounts(&draw.amounts), draw.rule, draw.class)
}

/// Which columns a table of workloads has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    Few,
    /// All but what is measured.
    Wide,
    /// With what they take at present.
    Live,
}

const FIRST: [&str; 7] = ["NAME", "STATE", "QUOTA", "MODULE", ">PRI", ">REPLICAS", ">GPUS"];
const TAKEN: [&str; 3] = [">CPU", ">MEMORY", ">DUTY"];
const DETAILS: [&str; 8] =
    ["UID", "WORKSPACE", "OWNER", "CLASS", "READY", "NODES", ">PREEMPTED", ">RESTARTS"];

impl Columns {
    fn names(self) -> Vec<&'static str> {
        let (taken, details): (&[&str], &[&str]) = match self {
            Columns::Few => (&[], &[]),
            Columns::Wide => (&[], &DETAILS),
            Columns::Live => (&TAKEN, &[]),
        };
        [&FIRST, taken, &[">AGE"], details, &["WHY"]].concat()
    }
}

/// Workloads in columns; the last one says why each waits.
pub(crate) fn table(workloads: &[Workload], columns: Columns) -> Table {
    let mut table = Table::new(&columns.names());
    for workload in workloads {
        let status = &workload.status;
        let mut cells = vec![
            Cell::from(&workload.metadata.name),
            Cell::styled(status.state.word(), Style::of(status.state)),
            Cell::from(&status.quota),
            Cell::from(status.module),
            Cell::from(status.priority.0.get()),
            Cell::from(format!("{}/{}", status.replicas.running, status.replicas.wanted)),
            Cell::from(status.gpu),
        ];
        if columns == Columns::Live {
            let total = takes::total(workload);
            cells.extend([Cell::maybe(total.cpu), Cell::maybe(total.memory), Cell::maybe(total.duty)]);
        }
        cells.push(Cell::from(ago(workload.metadata.created_at)));
        if columns == Columns::Wide {
            let nodes = nodes(workload);
            let nodes = (!nodes.is_empty()).then(|| nodes.join(","));
            cells.extend([
                Cell::from(&workload.metadata.uid),
                Cell::from(&status.workspace),
                Cell::from(&status.owner),
                Cell::maybe(status.class),
                Cell::maybe(
                    status.replicas.ready.map(|ready| format!("{ready}/{}", status.replicas.running)),
                ),
                Cell::maybe(nodes),
                Cell::from(status.preemptions),
                Cell::from(status.restarts),
            ]);
        }
        cells.push(Cell::from(why(workload, columns == Columns::Wide)));
        table.row(cells);
    }
    table
}

/// Everything that is known of a workload, for people.
pub(crate) fn text(workload: &Workload) -> String {
    let (status, spec) = (&workload.status, &workload.spec);
    let counts = status.replicas;
    let mut facts = Facts::default();
    facts
        .add("name", format!("{} ({})", workload.metadata.name, workload.metadata.uid))
        .add("state", Style::of(status.state).paint(status.state.word()));
    let reasons: Vec<String> = match why(workload, true).as_str() {
        "" => Vec::new(),
        why => why.split("; ").map(str::to_string).collect(),
    };
    facts
        .lines("why", reasons)
        .add("quota", &status.quota)
        .add("workspace", &status.workspace)
        .maybe("visibility", (spec.visibility == Some(Visibility::Private)).then_some("private"))
        .add("module", status.module)
        .add("priority", status.priority.0.get())
        .add("owner", &status.owner)
        .add(
            "replicas",
            format!(
                "{} running, {} held, {} leaving, of {}",
                counts.running, counts.held, counts.leaving, counts.wanted
            ),
        )
        .maybe("ready", ready(workload))
        .maybe("url", status.url.as_ref())
        .add("gpus", status.gpu)
        .maybe("class", status.class)
        .lines("draws", status.draws.iter().map(draw).collect());
    let placements = status.placements.iter().map(|p| {
        let devices: Vec<String> = p.devices.iter().map(u32::to_string).collect();
        let on = if devices.is_empty() { String::new() } else { format!(" devices {}", devices.join(",")) };
        let takes = takes::all(p);
        let ready = p.readiness.as_ref().map_or(String::new(), readiness);
        format!("{}{on}{takes}{ready}", p.node)
    });
    facts.lines("nodes", placements.collect());
    let since = |time: Option<tidegate_api::time::Time>| time.map(|at| format!("{at} ({} ago)", ago(at)));
    facts
        .maybe("submitted", since(Some(workload.metadata.created_at)))
        .maybe("started", since(status.started_at))
        .maybe("saved", since(status.saved_at))
        .maybe("ended", since(status.ended_at));
    if let (Some(start), WorkloadState::Running) = (status.started_at, status.state) {
        facts.add("running for", short(now_ms().saturating_sub(start.tick().0)));
    }
    facts.maybe("exit code", exit_code(workload));
    facts.maybe("stopped", workload.status.stop_reason.as_ref());
    if status.preemptions > 0 {
        facts.add("preempted", count(u64::from(status.preemptions), "time"));
    }
    if let Some(preempted) = &status.last_preemption {
        let why = format!("{} at {}: {}", preemption(preempted), preempted.at, preempted.why);
        facts.add("last preemption", why);
    }
    if status.restarts > 0 {
        facts.add("restarts", status.restarts);
    }
    if !spec.command.is_empty() {
        facts.add("command", spec.command.join(" "));
    }
    facts.text()
}

/// `, ready for 3m`.
fn readiness(readiness: &ReadinessStatus) -> String {
    let since = ago(readiness.since);
    match &readiness.reason {
        _ if readiness.ready => format!(", ready for {since}"),
        Some(reason) => format!(", not ready for {since}: {reason}"),
        None => format!(", not ready for {since}"),
    }
}

/// One line after a change.
pub(crate) fn sentence(workload: &Workload) -> String {
    let status = &workload.status;
    let mut line = format!("{} {}", workload.metadata.name, status.state.word());
    match status.state {
        WorkloadState::Running | WorkloadState::Leaving => {
            let nodes = nodes(workload);
            if !nodes.is_empty() {
                line.push_str(&format!(" on {}", nodes.join(",")));
            }
            let grace = workload.spec.grace_period.map_or(DEFAULT_GRACE, |grace| grace.span());
            if status.state == WorkloadState::Leaving && grace.0 > 0 {
                let leaving = count(u64::from(status.replicas.leaving), "replica");
                line.push_str(&format!(": {leaving} asked to end within {}", short(grace.0)));
            }
        }
        state if is_waiting(state) => {
            line.push_str(&format!(" in {}: {}", status.quota, why(workload, false)))
        }
        _ => {}
    }
    line
}
