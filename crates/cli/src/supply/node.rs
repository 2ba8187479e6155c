//! `tidegate node`.

use crate::client::{Ask, Changed, Client, Query};
use crate::exit::{Outcome, note};
use crate::follow::follow;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::figures::bytes;
use crate::output::style::Style;
use crate::output::table::{Cell, Table};
use crate::output::{Output, list, one};
use clap::{Args, Subcommand};
use tidegate_api::decimal::Cores;
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::node::{
    CordonRequest, DrainRequest, Isolation, NewNode, Node, NodeList, NodeSpec, NodeState, Occupant,
    QuarantineRequest, RestoreRequest,
};
use tidegate_api::resource::NewMetadata;
use tidegate_api::words::Module;
use ureq::http::Method;

const PATH: &str = "/api/v1/nodes";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List nodes
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate node list
  tidegate node list --pool h100 --state cordoned -o name"
    )]
    List(List),
    /// Show a node with what its devices carry
    #[command(after_help = "Examples:
  tidegate node show h100-3")]
    Show {
        /// The node
        name: Name,
        #[command(flatten)]
        output: Output,
    },
    /// Add a node to a pool
    #[command(after_help = "Examples:
  tidegate node add h100-16 --pool h100 --gpus 8 --model H100")]
    Add(Add),
    /// Remove a node that nothing needs
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate node remove h100-16 --dry-run"
    )]
    Remove(Named),
    /// Let a node take no new work; what runs there stays
    #[command(after_help = "Examples:
  tidegate node cordon h100-3 --reason 'fan is loud'")]
    Cordon(Cordon),
    /// Let a node take new work again
    #[command(after_help = "Examples:
  tidegate node uncordon h100-3")]
    Uncordon(Named),
    /// Cordon a node, and send what runs there back to its queues
    #[command(after_help = "Examples:
  tidegate node drain h100-3 --dry-run       who would have to leave
  tidegate node drain h100-3 --module training,notebook")]
    Drain(Drain),
    /// Take one GPU of a node out of service; what runs on it returns to its queue
    #[command(after_help = "Examples:
  tidegate node quarantine h100-3 5 --reason 'ECC errors' --dry-run")]
    Quarantine(Quarantine),
    /// Take one GPU of a node back into service
    #[command(after_help = "Examples:
  tidegate node restore h100-3 5")]
    Restore(Restore),
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only nodes of this pool
    #[arg(long)]
    pool: Option<Name>,
    /// Only nodes in this state: ready, cordoned or lost
    #[arg(long, value_parser = ["ready", "cordoned", "lost"])]
    state: Option<String>,
    /// Go on: print the list again when something has changed
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Args, Debug)]
pub(crate) struct Add {
    /// Its name
    name: Name,
    /// The pool that it belongs to
    #[arg(long)]
    pool: Name,
    /// GPUs that it has
    #[arg(short, long, default_value_t = 0)]
    gpus: u32,
    /// Their model
    #[arg(long)]
    model: Option<Name>,
    /// Cores that it has
    #[arg(long, value_name = "CORES")]
    cpu: Option<Cores>,
    /// Memory that it has, such as 1Ti
    #[arg(long, value_name = "SIZE")]
    memory: Option<Memory>,
    #[command(flatten)]
    options: ChangeOptions,
}

#[derive(Args, Debug)]
pub(crate) struct Named {
    /// The node
    name: Name,
    #[command(flatten)]
    options: ChangeOptions,
}

#[derive(Args, Debug)]
pub(crate) struct Cordon {
    /// The node
    name: Name,
    /// Why
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    options: ChangeOptions,
}

#[derive(Args, Debug)]
pub(crate) struct Quarantine {
    /// The node
    name: Name,
    /// The GPU, counted from 0
    device: u16,
    /// Why
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    options: ChangeOptions,
}

#[derive(Args, Debug)]
pub(crate) struct Restore {
    /// The node
    name: Name,
    /// The GPU, counted from 0
    device: u16,
    #[command(flatten)]
    options: ChangeOptions,
}

#[derive(Args, Debug)]
pub(crate) struct Drain {
    /// The node
    name: Name,
    /// Evict workloads of these modules only
    #[arg(short, long, value_delimiter = ',')]
    module: Vec<Module>,
    /// Why
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::List(list) => list.run(client),
            Verb::Show { name, output } => {
                let node: Node = client.get(format!("{PATH}/{name}"))?;
                one(output.output, &node, |_| text(&node))
            }
            Verb::Add(add) => add.run(client),
            Verb::Remove(Named { name, options }) => {
                change(client, Ask::change(Method::DELETE, format!("{PATH}/{name}")), options, "removed")
            }
            Verb::Cordon(Cordon { name, reason, options }) => {
                let ask = Ask::post(format!("{PATH}/{name}:cordon"), &CordonRequest { reason })?;
                change(client, ask, options, "cordoned")
            }
            Verb::Uncordon(Named { name, options }) => {
                change(client, Ask::change(Method::POST, format!("{PATH}/{name}:uncordon")), options, "ready")
            }
            Verb::Quarantine(Quarantine { name, device, reason, options }) => {
                let ask =
                    Ask::post(format!("{PATH}/{name}:quarantine"), &QuarantineRequest { device, reason })?;
                change(client, ask, options, "changed")
            }
            Verb::Restore(Restore { name, device, options }) => {
                let ask = Ask::post(format!("{PATH}/{name}:restore"), &RestoreRequest { device })?;
                change(client, ask, options, "changed")
            }
            Verb::Drain(Drain { name, module, reason, options }) => {
                let modules = (!module.is_empty()).then_some(module);
                let ask = Ask::post(format!("{PATH}/{name}:drain"), &DrainRequest { modules, reason })?;
                change(client, ask, options, "drained")
            }
        }
    }
}

fn change(client: &Client, ask: Ask<'_>, options: ChangeOptions, word: &str) -> Outcome {
    let changed: Changed<Node> = client.change(ask, options.dry_run)?;
    options.print(&changed, |node| format!("{} {word}", node.metadata.name), |node, _| text(node))
}

impl Add {
    fn run(self, client: &Client) -> Outcome {
        let spec = NodeSpec {
            pool: self.pool,
            gpus: self.gpus,
            model: self.model,
            cpu: self.cpu,
            memory: self.memory,
        };
        let new = NewNode::new(NewMetadata::named(self.name), spec);
        change(client, Ask::post(PATH, &new)?, self.options, "added")
    }
}

impl List {
    fn run(self, client: &Client) -> Outcome {
        let mut query = Query::new();
        query.extend(self.pool.iter().map(|pool| ("pool", pool.to_string())));
        query.extend(self.state.iter().map(|state| ("state", state.clone())));
        follow(client, self.watch, "node,workload", || {
            let nodes = client.all::<NodeList>(PATH, &query)?;
            if nodes.is_empty() {
                note("there are no such nodes");
            }
            list(self.output.output, &nodes, |wide| table(&nodes, wide))
        })
    }
}

pub(crate) fn word(state: NodeState) -> (&'static str, Style) {
    match state {
        NodeState::Ready => ("ready", Style::Good),
        NodeState::Cordoned => ("cordoned", Style::Waiting),
        NodeState::Lost => ("lost", Style::Bad),
    }
}

/// Who is on a node, each once.
fn occupants(node: &Node) -> Vec<&str> {
    let devices = node.status.devices.iter().flat_map(|device| &device.workloads);
    let mut names: Vec<&str> =
        devices.chain(&node.status.without_devices).map(|occupant| occupant.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Its GPUs that are out of service.
fn quarantined(node: &Node) -> Option<String> {
    let out = node.status.devices.iter().filter(|device| device.quarantined.is_some());
    let out: Vec<String> = out.map(|device| device.index.to_string()).collect();
    (!out.is_empty()).then(|| format!("GPU {} out of service", out.join(", ")))
}

fn table(nodes: &[Node], wide: bool) -> Table {
    let columns = [
        "NAME",
        "STATE",
        "POOL",
        "MODEL",
        ">GPUS",
        ">FREE",
        ">CPU FREE",
        ">MEMORY FREE",
        "REASON",
        "WORKLOADS",
    ];
    let mut table = Table::new(if wide { &columns } else { &columns[..9] });
    for node in nodes {
        let (spec, status) = (&node.spec, &node.status);
        let (state, style) = word(status.state);
        let mut cells = vec![
            Cell::from(&node.metadata.name),
            Cell::styled(state, style),
            Cell::from(&spec.pool),
            Cell::maybe(spec.model.as_ref()),
            Cell::from(spec.gpus),
            Cell::from(status.free.gpu),
            Cell::from(status.free.cpu),
            Cell::from(bytes(i64::try_from(status.free.memory).unwrap_or(i64::MAX))),
            Cell::maybe(status.reason.clone().or_else(|| quarantined(node)).as_ref()),
        ];
        if wide {
            cells.push(Cell::from(occupants(node).join(",")));
        }
        table.row(cells);
    }
    table
}

fn text(node: &Node) -> String {
    let (spec, status) = (&node.spec, &node.status);
    let (state, style) = word(status.state);
    let occupant = |o: &Occupant| format!("{} (replica {}, {} GPU)", o.name, o.unit, o.gpu);
    let device = |device: &tidegate_api::node::Device| {
        let who: Vec<String> = device.workloads.iter().map(occupant).collect();
        let what = match &device.quarantined {
            Some(reason) => format!("out of service: {reason}"),
            None if who.is_empty() => "free".into(),
            None => who.join(", "),
        };
        format!("{}: {what}", device.index)
    };
    let mut facts = Facts::default();
    facts
        .add("name", format!("{} ({})", node.metadata.name, node.metadata.uid))
        .add("state", style.paint(state))
        .maybe("reason", status.reason.as_ref())
        .add("pool", &spec.pool)
        .add("gpus", format!("{} {}", spec.gpus, spec.model.as_ref().map_or("", |model| model.as_str())))
        .add(
            "free",
            format!(
                "{} GPUs, {} cores, {}",
                status.free.gpu,
                status.free.cpu,
                bytes(i64::try_from(status.free.memory).unwrap_or(i64::MAX))
            ),
        )
        .lines("devices", status.devices.iter().map(device).collect())
        .lines("without devices", status.without_devices.iter().map(occupant).collect());
    if let Some(isolation) = status.isolation {
        let word = match isolation {
            Isolation::Uid => "uid",
            Isolation::None => "none",
        };
        let detail = status.isolation_detail.as_deref().unwrap_or_default();
        facts.add("isolation", format!("{word}: {detail}"));
    }
    if let Some(limits) = &status.limits {
        let words: Vec<&str> = limits.iter().map(|limit| limit.word()).collect();
        facts.add("limits", if words.is_empty() { "none".into() } else { words.join(", ") });
    }
    facts.text()
}
