//! Quotas in words and in columns, their queues and their history.

use super::PATH;
use crate::client::{Client, Query};
use crate::clock::ago;
use crate::exit::{Outcome, note, print};
use crate::follow::follow;
use crate::output::event_line::timed;
use crate::output::facts::Facts;
use crate::output::figures::{amounts, gpus, guarantee, is_nothing};
use crate::output::style::Style;
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, document, list, one};
use clap::Args;
use tidegate_api::amounts::Amounts;
use tidegate_api::name::Name;
use tidegate_api::priorities::Priorities;
use tidegate_api::quota::{QueueEntry, Quota, QuotaChange, QuotaHistory, QuotaList, QuotaQueue, QuotaState};
use tidegate_api::words::Module;

pub(crate) const LIST_EXAMPLES: &str = "Examples:
  tidegate quota list
  tidegate quotas list --parent Quota1 -o wide
  tidegate quota list --watch";
pub(crate) const SHOW_EXAMPLES: &str = "Examples:
  tidegate quota show Quota1.1
  tidegate quota show Quota1.1 -o yaml > quota.yaml";
pub(crate) const QUEUE_EXAMPLES: &str = "Examples:
  tidegate quota queue Quota1.1
  tidegate quota queue Quota1.1 --user berta --priority 4-9 -o wide
  tidegate quota queue Quota1.1 --dequeued";
pub(crate) const HISTORY_EXAMPLES: &str = "Examples:
  tidegate quota history Quota1.1
  tidegate quota history Quota1.1 -o json";

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only trees of this pool
    #[arg(long)]
    pool: Option<Name>,
    /// Only children of this quota
    #[arg(long)]
    parent: Option<Name>,
    /// Go on: print the list again when something has changed
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    output: Output,
}

impl List {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut query = Query::new();
        query.extend(self.pool.iter().map(|pool| ("pool", pool.to_string())));
        query.extend(self.parent.iter().map(|parent| ("parent", parent.to_string())));
        follow(client, self.watch, "quota,workload", || {
            let quotas = client.all::<QuotaList>(PATH, &query)?;
            list(self.output.output, &quotas, |wide| table(&quotas, wide))
        })
    }
}

#[derive(Args, Debug)]
pub(crate) struct Show {
    /// The quota
    name: Name,
    #[command(flatten)]
    output: Output,
}

impl Show {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let quota: Quota = client.get(format!("{PATH}/{}", self.name))?;
        one(self.output.output, &quota, |_| text(&quota))
    }
}

fn state(quota: &Quota) -> (&'static str, Style) {
    match quota.status.state {
        QuotaState::Ready => ("ready", Style::Good),
        QuotaState::Scaling => ("scaling", Style::Waiting),
    }
}

/// Whether tasks of every workspace run there.
pub(super) fn is_shared(quota: &Quota) -> bool {
    quota.spec.shared == Some(true)
}

fn table(quotas: &[Quota], wide: bool) -> Table {
    let columns = [
        "NAME",
        "STATE",
        "PARENT",
        ">GUARANTEE",
        ">SHARE",
        ">DRAWN",
        ">FREE",
        ">LENT",
        ">BORROWED",
        ">RUNNING",
        ">QUEUED",
        "POOL",
        ">OWN",
        ">CHILD-LEVEL",
        ">SELF-LEVEL",
        ">IDLE",
        ">HELD",
        ">IN TRANSIT",
        ">RESERVED",
        "VERSION",
        "SHARED",
    ];
    let mut table = Table::new(if wide { &columns } else { &columns[..11] });
    for quota in quotas {
        let status = &quota.status;
        let (state, style) = state(quota);
        let mut cells = vec![
            Cell::from(&quota.metadata.name),
            Cell::styled(state, style),
            Cell::maybe(quota.spec.parent.as_ref()),
            Cell::from(guarantee(&quota.spec.guarantee)),
            Cell::from(gpus(&status.share)),
            Cell::from(gpus(&status.drawn.total)),
            Cell::from(gpus(&status.balance)),
            Cell::from(gpus(&status.lent)),
            Cell::from(gpus(&status.borrowed)),
            Cell::from(status.running),
            Cell::from(status.queued),
        ];
        if wide {
            cells.push(Cell::from(&status.pool));
            let drawn = &status.drawn;
            let figures = [&drawn.own, &drawn.child_level, &drawn.self_level, &drawn.idle];
            let more = [&status.held, &status.in_transit, &status.reserved];
            cells.extend(figures.into_iter().chain(more).map(|figure| Cell::from(gpus(figure))));
            cells.push(Cell::from(&quota.metadata.version));
            cells.push(Cell::from(if is_shared(quota) { "yes" } else { "" }));
        }
        table.row(cells);
    }
    table
}

/// Everything about a quota, for people.
pub(crate) fn text(quota: &Quota) -> String {
    let (spec, status) = (&quota.spec, &quota.status);
    let (state, style) = state(quota);
    let mut facts = Facts::default();
    facts
        .add(
            "name",
            format!("{} ({}, version {})", quota.metadata.name, quota.metadata.uid, quota.metadata.version),
        )
        .add("state", style.paint(state))
        .add("pool", &status.pool)
        .maybe("parent", spec.parent.as_ref())
        .lines("children", status.children.clone())
        .add("guarantee", guarantee(&spec.guarantee))
        .add("share", amounts(&status.share));
    let mut figure = |name: &'static str, value: &Amounts, always: bool| {
        if always || !is_nothing(value) {
            facts.add(name, amounts(value));
        }
    };
    figure("drawn", &status.drawn.total, true);
    figure("  own", &status.drawn.own, false);
    figure("  child-level", &status.drawn.child_level, false);
    figure("  self-level", &status.drawn.self_level, false);
    figure("  idle", &status.drawn.idle, false);
    figure("held", &status.held, false);
    figure("free", &status.balance, true);
    figure("in transit", &status.in_transit, false);
    figure("lent", &status.lent, false);
    figure("borrowed", &status.borrowed, false);
    figure("reserved", &status.reserved, false);
    facts.add("running", status.running).add("queued", status.queued);
    if let Some(queue) = &spec.queue {
        facts
            .maybe("queue", queue.strategy)
            .maybe("patience", queue.patience)
            .maybe("aging step", queue.aging_step)
            .maybe("starvation guard", queue.starvation_guard);
    }
    if is_shared(quota) {
        facts.add("shared", "tasks of every workspace run here");
    }
    if spec.dedicated == Some(true) {
        facts.add("dedicated", "resource configs are taken from here");
    }
    facts.maybe("idle sharing", spec.idle_sharing).maybe("protect for", spec.protect_for);
    if let Some(preemption) = &spec.preemption {
        let words =
            |modules: &[Module]| modules.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        facts
            .maybe(
                "self-level",
                preemption.self_level.as_ref().map(|policy| {
                    let scope = policy.scope.map_or(String::new(), |scope| format!(":{scope}"));
                    let victims = &policy.victims;
                    format!("{}>{}:{}{scope}", policy.preemptors, victims.priorities, words(&victims.modules))
                }),
            )
            .maybe(
                "child-level",
                preemption.child_level.as_ref().map(|policy| {
                    format!("{}:{}", policy.victims.priorities, words(&policy.victims.modules))
                }),
            );
    }
    facts.text()
}

#[derive(Args, Debug)]
pub(crate) struct Queue {
    /// The quota
    name: Name,
    /// Who has left the queue, the latest first, instead of who waits
    #[arg(long)]
    dequeued: bool,
    /// Only work of this module
    #[arg(long)]
    module: Option<Module>,
    /// Only work of these priorities, such as 4 or 6-9
    #[arg(long, value_name = "PRIORITIES")]
    priority: Option<Priorities>,
    /// Only what this user submitted
    #[arg(long)]
    user: Option<Name>,
    /// Only work of this workspace
    #[arg(long)]
    workspace: Option<Name>,
    #[command(flatten)]
    output: Output,
}

impl Queue {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut query = Query::new();
        query.extend(self.dequeued.then(|| ("dequeued", "true".into())));
        query.extend(self.module.map(|module| ("module", module.to_string())));
        query.extend(self.priority.map(|priority| ("priority", priority.to_string())));
        query.extend(self.user.as_ref().map(|user| ("user", user.to_string())));
        query.extend(self.workspace.as_ref().map(|workspace| ("workspace", workspace.to_string())));
        let waiting = client.all::<QuotaQueue>(&format!("{PATH}/{}/queue", self.name), &query)?;
        match self.output.output {
            format @ (Format::Json | Format::Yaml) => document(format, &waiting),
            Format::Name => {
                print(&waiting.iter().map(|entry| format!("{}\n", entry.name)).collect::<String>())
            }
            Format::Table | Format::Wide if waiting.is_empty() => {
                let nobody = if self.dequeued { "nobody has left the queue of" } else { "nobody waits in" };
                note(format!("{nobody} {}", self.name));
                Ok(())
            }
            _ if self.dequeued => print(&dequeued_table(&waiting).text()),
            format => print(&queue_table(&waiting, format == Format::Wide).text()),
        }
    }
}

fn queue_table(waiting: &[QueueEntry], wide: bool) -> Table {
    let columns =
        [">POSITION", "NAME", "MODULE", ">PRI", ">GPUS", ">WAITING", "WHY", "USER", "WORKSPACE", "ENQUEUED"];
    let mut table = Table::new(if wide { &columns } else { &columns[..7] });
    for entry in waiting {
        let reasons: Vec<&str> = entry.reasons.iter().map(|reason| reason.text.as_str()).collect();
        let why = if wide { reasons.join("; ") } else { reasons.first().copied().unwrap_or_default().into() };
        let mut cells = vec![
            Cell::maybe(entry.position),
            Cell::from(&entry.name),
            Cell::from(entry.module),
            Cell::from(entry.priority.0.get()),
            Cell::from(entry.gpu),
            Cell::from(ago(entry.enqueued_at)),
            Cell::from(why),
        ];
        if wide {
            cells.push(Cell::maybe(entry.user.as_ref()));
            cells.push(Cell::maybe(entry.workspace.as_ref()));
            cells.push(Cell::from(entry.enqueued_at));
        }
        table.row(cells);
    }
    table
}

fn dequeued_table(left: &[QueueEntry]) -> Table {
    let mut table =
        Table::new(&["NAME", "USER", "WORKSPACE", "MODULE", ">PRI", ">GPUS", "ENQUEUED", "DEQUEUED"]);
    for entry in left {
        table.row(vec![
            Cell::from(&entry.name),
            Cell::maybe(entry.user.as_ref()),
            Cell::maybe(entry.workspace.as_ref()),
            Cell::from(entry.module),
            Cell::from(entry.priority.0.get()),
            Cell::from(entry.gpu),
            Cell::from(entry.enqueued_at),
            Cell::maybe(entry.dequeued_at),
        ]);
    }
    table
}

#[derive(Args, Debug)]
pub(crate) struct History {
    /// The quota
    name: Name,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    output: Output,
}

impl History {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let path = format!("{PATH}/{}/history", self.name);
        let changes = client.list::<QuotaHistory>(&path, &Query::new(), self.limit.max(1))?;
        match self.output.output {
            format @ (Format::Json | Format::Yaml) => document(format, &changes),
            Format::Name => {
                print(&changes.iter().map(|change| format!("{}\n", change.number)).collect::<String>())
            }
            Format::Table | Format::Wide => print(&changes.iter().map(change_line).collect::<String>()),
        }
    }
}

fn change_line(change: &QuotaChange) -> String {
    format!("{} by {} ({})\n", timed(&change.event), change.by, change.operation)
}
