//! `tidegate pool`.

use crate::client::{Ask, Changed, Client};
use crate::exit::{Failure, Outcome};
use crate::follow::follow;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::figures::{amounts, count, gpus, in_gpus};
use crate::output::table::{Cell, Table};
use crate::output::{Output, list, one};
use clap::{Args, Subcommand};
use tidegate_api::decimal::Cores;
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::pool::{NewPool, NodeGroup, Pool, PoolList, PoolSpec};
use tidegate_api::resource::NewMetadata;
use tidegate_api::words::PoolKind;

const PATH: &str = "/api/v1/pools";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Create a pool with its first nodes
    #[command(after_help = "Examples:
  tidegate pool create h100 --nodes 16x8 --model H100
  tidegate pool create mixed --nodes 4x8 --model H100 --cpu 128 --memory 1Ti")]
    Create(Create),
    /// List pools
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate pool list
  tidegate pools list -o json"
    )]
    List {
        /// Go on: print the list again when something has changed
        #[arg(short, long)]
        watch: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Show a pool
    #[command(after_help = "Examples:
  tidegate pool show h100")]
    Show {
        /// The pool
        name: Name,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// Its name; nodes are called after it: NAME-0, NAME-1, ...
    name: Name,
    /// Nodes and GPUs of each; may be repeated, with a model each
    #[arg(long, value_name = "NODESxGPUS", value_parser = size)]
    nodes: Vec<(u32, u32)>,
    /// The GPU model of each --nodes, in order
    #[arg(long)]
    model: Vec<Name>,
    /// Cores of each node
    #[arg(long, value_name = "CORES")]
    cpu: Option<Cores>,
    /// Memory of each node, such as 1Ti
    #[arg(long, value_name = "SIZE")]
    memory: Option<Memory>,
    /// general (the default) or lingjun
    #[arg(long)]
    kind: Option<PoolKind>,
    #[command(flatten)]
    options: ChangeOptions,
}

pub(crate) fn size(text: &str) -> Result<(u32, u32), String> {
    let parsed =
        text.split_once('x').and_then(|(nodes, gpus)| Some((nodes.parse().ok()?, gpus.parse().ok()?)));
    parsed.ok_or_else(|| format!("{text:?} is not NODESxGPUS, such as 16x8"))
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => create.run(client),
            Verb::List { watch, output } => follow(client, watch, "node,quota", || {
                let pools = client.all::<PoolList>(PATH, &Vec::new())?;
                list(output.output, &pools, |_| table(&pools))
            }),
            Verb::Show { name, output } => {
                let pool: Pool = client.get(format!("{PATH}/{name}"))?;
                one(output.output, &pool, |_| text(&pool))
            }
        }
    }
}

impl Create {
    fn run(self, client: &Client) -> Outcome {
        if self.model.len() > 1 && self.model.len() != self.nodes.len() {
            let (models, groups) = (self.model.len(), self.nodes.len());
            let what = format!("{groups} groups of nodes and {models} models");
            return Err(Failure::usage(what).hint("give one --model for all, or one for each --nodes"));
        }
        let group = |(index, (count, gpus)): (usize, &(u32, u32))| NodeGroup {
            count: *count,
            gpus: *gpus,
            model: self.model.get(index).or(self.model.first()).filter(|_| *gpus > 0).cloned(),
            cpu: self.cpu,
            memory: self.memory,
        };
        let nodes = self.nodes.iter().enumerate().map(group).collect();
        let new = NewPool::new(NewMetadata::named(self.name), PoolSpec { kind: self.kind, nodes });
        let changed: Changed<Pool> = client.change(Ask::post(PATH, &new)?, self.options.dry_run)?;
        let sentence = |pool: &Pool| {
            let status = &pool.status;
            format!(
                "{} created with {}, {}",
                pool.metadata.name,
                count(status.nodes.total, "node"),
                in_gpus(&gpus(&status.supply))
            )
        };
        self.options.print(&changed, sentence, |pool, _| text(pool))
    }
}

fn table(pools: &[Pool]) -> Table {
    let mut table = Table::new(&[
        "NAME",
        ">NODES",
        ">READY",
        ">CORDONED",
        ">LOST",
        ">GPUS",
        ">USED",
        ">FREE",
        "SHORT BY",
        "ROOTS",
    ]);
    for pool in pools {
        let (status, sum) = (&pool.status, |of: fn(&tidegate_api::pool::ModelFigures) -> i64| {
            tidegate_api::amounts::Figure(pool.status.gpus.iter().map(of).sum())
        });
        table.row(vec![
            Cell::from(&pool.metadata.name),
            Cell::from(status.nodes.total),
            Cell::from(status.nodes.ready),
            Cell::from(status.nodes.cordoned),
            Cell::from(status.nodes.lost),
            Cell::from(status.gpus.iter().map(|model| model.total).sum::<u64>()),
            Cell::from(sum(|model| model.used.0)),
            Cell::from(sum(|model| model.free.0)),
            Cell::maybe(status.short_by.as_ref().map(amounts)),
            Cell::from(status.roots.join(",")),
        ]);
    }
    table
}

fn text(pool: &Pool) -> String {
    let status = &pool.status;
    let nodes = status.nodes;
    let mut facts = Facts::default();
    facts
        .add("name", format!("{} ({})", pool.metadata.name, pool.metadata.uid))
        .add(
            "nodes",
            format!(
                "{}: {} ready, {} cordoned, {} lost",
                nodes.total, nodes.ready, nodes.cordoned, nodes.lost
            ),
        )
        .lines(
            "gpus",
            status
                .gpus
                .iter()
                .map(|m| format!("{} {}: {} used, {} free", m.total, m.model, m.used, m.free))
                .collect(),
        )
        .add("supply", amounts(&status.supply))
        .add("guaranteed", amounts(&status.guaranteed))
        .maybe("short by", status.short_by.as_ref().map(amounts))
        .lines("roots", status.roots.clone());
    facts.text()
}
