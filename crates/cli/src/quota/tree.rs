//! `tidegate quota tree`: the tree in text, with a bar for each account.

use super::PATH;
use super::show::is_shared;
use crate::client::Client;
use crate::exit::Outcome;
use crate::follow::follow;
use crate::output::bar::bar;
use crate::output::figures::{gpus, guarantee};
use crate::output::table::{Cell, Table};
use crate::output::{Format, Output, rendered};
use clap::Args;
use tidegate_api::name::Name;
use tidegate_api::quota::{Quota, QuotaForest, QuotaTree};

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate quota tree
  tidegate quota tree Quota1 --watch

The bar of an account: # drawn by its own work, + drawn by others who give it back (lent), . free.
A quota's share is its guarantee less its children's; the bar is the share.";

/// Characters of a bar.
const BAR: usize = 20;

#[derive(Args, Debug)]
pub(crate) struct Tree {
    /// Only the tree below this quota
    name: Option<Name>,
    /// Go on: draw it again when something has changed
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    output: Output,
}

impl Tree {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        follow(client, self.watch, "quota,workload", || self.render(client))
    }

    fn render(&self, client: &Client) -> Outcome<String> {
        let mut forest: QuotaForest = client.get(format!("{PATH}:tree"))?;
        if let Some(name) = &self.name {
            let found = forest.roots.iter().find_map(|root| below(root, name)).cloned();
            let found = found.ok_or_else(|| {
                let what = format!("there is no quota {name}");
                crate::exit::Failure::new(crate::exit::Exit::NotFound, what)
                    .hint("`tidegate quota list` lists them")
            })?;
            forest.roots = vec![found];
        }
        match self.output.output {
            format @ (Format::Json | Format::Yaml) => rendered(format, &forest),
            Format::Name => {
                let mut names = String::new();
                each(&forest.roots, &mut |quota, _| names.push_str(&format!("{}\n", quota.metadata.name)));
                Ok(names)
            }
            Format::Table => Ok(draw(&forest)),
            Format::Wide => Ok(drawn(&forest, true).text()),
        }
    }
}

fn below<'a>(tree: &'a QuotaTree, name: &Name) -> Option<&'a QuotaTree> {
    if tree.quota.metadata.name == *name {
        return Some(tree);
    }
    tree.children.iter().find_map(|child| below(child, name))
}

/// All quotas in tree order, with the branches that lead to each.
fn each(roots: &[QuotaTree], visit: &mut impl FnMut(&Quota, &str)) {
    fn walk(trees: &[QuotaTree], prefix: &str, visit: &mut impl FnMut(&Quota, &str)) {
        for (index, tree) in trees.iter().enumerate() {
            let last = index + 1 == trees.len();
            let (branch, rest) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            visit(&tree.quota, &format!("{prefix}{branch}"));
            walk(&tree.children, &format!("{prefix}{rest}"), visit);
        }
    }
    for root in roots {
        visit(&root.quota, "");
        walk(&root.children, "", visit);
    }
}

/// The bar of an account.
pub(crate) fn account_bar(quota: &Quota, width: usize) -> String {
    let status = &quota.status;
    let (share, drawn, lent) = (status.share.gpus().0, status.drawn.total.gpus().0, status.lent.gpus().0);
    bar(width, share, &[(drawn - lent, '#'), (lent, '+')])
}

pub(crate) fn draw(forest: &QuotaForest) -> String {
    table(forest).text()
}

pub(crate) fn table(forest: &QuotaForest) -> Table {
    drawn(forest, false)
}

fn drawn(forest: &QuotaForest, wide: bool) -> Table {
    let columns = [
        "QUOTA",
        ">GUARANTEE",
        ">SHARE",
        ">DRAWN",
        ">LENT",
        ">FREE",
        ">QUEUED",
        "ACCOUNT",
        "QUEUE",
        "SHARED",
    ];
    let mut table = Table::new(if wide { &columns } else { &columns[..8] });
    each(&forest.roots, &mut |quota, branch| {
        let status = &quota.status;
        let has_share = status.share.gpus().0 > 0;
        let mut cells = vec![
            Cell::from(format!("{branch}{}", quota.metadata.name)),
            Cell::from(guarantee(&quota.spec.guarantee)),
            Cell::from(gpus(&status.share)),
            Cell::from(gpus(&status.drawn.total)),
            Cell::from(gpus(&status.lent)),
            Cell::from(gpus(&status.balance)),
            Cell::from(status.queued),
            Cell::from(if has_share { format!("[{}]", account_bar(quota, BAR)) } else { String::new() }),
        ];
        if wide {
            let strategy = quota.spec.queue.as_ref().and_then(|queue| queue.strategy);
            cells.push(Cell::maybe(strategy));
            cells.push(Cell::from(if is_shared(quota) { "yes" } else { "" }));
        }
        table.row(cells);
    });
    table
}
