//! What a frame shows: the state of a server, read at one go.

use crate::client::{Client, Query};
use crate::exit::{Exit, Outcome};
use crate::output::figures;
use crate::output::style::Style;
use crate::workload::list::active_and_latest;
use tidegate_api::node::{Node, NodeList, NodeState};
use tidegate_api::quota::{QuotaForest, QuotaTree};
use tidegate_api::time::Time;
use tidegate_api::workload::{Workload, WorkloadState};
use tidegate_engine::ids::Tick;

#[derive(Debug)]
pub(super) struct Model {
    pub(super) server: String,
    pub(super) at: Time,
    pub(super) forest: QuotaForest,
    /// Those that wait first, then those that run, then those that have ended.
    pub(super) workloads: Vec<Workload>,
    pub(super) nodes: Vec<Node>,
}

impl Model {
    pub(super) fn read(client: &Client) -> Outcome<Model> {
        let forest = client.get("/api/v1/quotas:tree")?;
        // Nodes are the platform's: who may not see them sees all the rest.
        let nodes = match client.all::<NodeList>("/api/v1/nodes", &Query::new()) {
            Err(failure) if failure.is(Exit::Denied) => Vec::new(),
            nodes => nodes?,
        };
        let state = |state: Option<WorkloadState>| {
            state.iter().map(|state| ("state", state.word().to_string())).collect()
        };
        let (mut workloads, _) = active_and_latest(client, state)?;
        workloads.sort_by_key(|workload| importance(workload.status.state));
        let at = Time::of(Tick(crate::clock::now_ms()));
        Ok(Model { server: client.server().into(), at, forest, workloads, nodes })
    }

    /// Counts for the first line.
    pub(super) fn summary(&self) -> String {
        let count = |wanted: fn(WorkloadState) -> bool| {
            self.workloads.iter().filter(|workload| wanted(workload.status.state)).count()
        };
        let gpus: u32 = self.nodes.iter().map(|node| node.spec.gpus).sum();
        let used: i64 = sum(&self.forest.roots);
        let supply = match self.nodes.len() {
            0 => String::new(),
            nodes => {
                let nodes = figures::count(nodes as u64, "node");
                format!("{nodes}, {}, ", figures::count(u64::from(gpus), "GPU"))
            }
        };
        format!(
            "{supply}{} drawn; {} running, {} waiting",
            tidegate_api::amounts::Figure(used),
            count(|state| state == WorkloadState::Running),
            count(|state| importance(state) == 0),
        )
    }
}

fn sum(trees: &[QuotaTree]) -> i64 {
    trees.iter().map(|tree| tree.quota.status.drawn.total.gpus().0 + sum(&tree.children)).sum()
}

/// Who waits wants to be seen first.
fn importance(state: WorkloadState) -> u8 {
    match state {
        WorkloadState::Queued | WorkloadState::Suspended | WorkloadState::Held => 0,
        WorkloadState::Leaving => 1,
        WorkloadState::Running => 2,
        _ => 3,
    }
}

/// A node as a row of marks, one for each device: `#` taken, `+` shared, `.` free.
pub(super) fn marks(node: &Node) -> String {
    let mark = |device: &tidegate_api::node::Device| {
        let taken: i64 = device.workloads.iter().map(|occupant| occupant.gpu.0).sum();
        match (taken, device.workloads.len()) {
            (0, 0) => '.',
            (1_000.., 1) => '#',
            _ => '+',
        }
    };
    node.status.devices.iter().map(mark).collect()
}

pub(super) fn style(node: &Node) -> Style {
    match node.status.state {
        NodeState::Ready => Style::Plain,
        NodeState::Cordoned => Style::Waiting,
        NodeState::Lost => Style::Bad,
    }
}
