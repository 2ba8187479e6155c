//! Owners take back what others borrowed: thousands of small jobs in one pass, or one large gang.

use crate::bench::Bench;
use crate::cluster::{Cluster, evicted, submitted};
use crate::random::Random;
use crate::samples::{Samples, duration, thousands};
use crate::table::{Measure, Peer};
use tidegate_engine::Command;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Span, WorkloadId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::policy::{Policy, QueuePolicy};
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::words::{IdleUse, Module, Priority, Strategy};

const KAI_PASS: Peer = Peer { name: "KAI", ns: 165.6e9, like_ours: false };
/// KAI's published figures for one gang, by nodes.
const KAI_GANG: [(u32, f64); 3] = [(100, 0.24e9), (200, 0.82e9), (500, 8.97e9)];
const NODES: [u32; 4] = [100, 200, 500, 1_000];

pub fn run_pass(bench: &mut Bench) {
    bench.progress("reclaim: 4,000 pending over 4,000 running");
    let nodes = 500;
    let mut lent = Lent::new(nodes, true);
    let head = lent.block();
    let pending = nodes * 8;
    for _ in 0..pending {
        let spec = lent.cluster.spec(lent.owner, Module::Training, 1, Shape::with_gpu(WHOLE));
        let (_, node) = lent.cluster.submit(spec);
        assert!(node.is_none(), "the head blocks it");
        lent.cluster.wait(Span(10));
    }
    let (mut pass, mut release) = (Samples::default(), Samples::default());
    for _ in 0..bench.samples(20) {
        let mut cluster = lent.cluster.clone();
        let (ns, events) = bench.cold(&mut cluster, Command::Stop { workload: head });
        pass.push(ns);
        let units = evicted(&events);
        assert_eq!(units.len(), pending as usize, "all borrowers go in one pass");
        drop(events);
        cluster.wait(Span::seconds(30));
        let (ns, events) = bench.cold(&mut cluster, Command::Released { units });
        release.push(ns);
        assert_eq!(started(&events), pending as usize, "all owners' jobs start");
    }
    let shape = format!(
        "reclaim: {} pending owners' jobs over as many borrowers, {nodes} nodes x 8",
        thousands(pending.into())
    );
    let figure = format!("one pass {}", duration(pass.p50()));
    bench.table.row(shape, figure, Measure::Peer { ns: pass.p50(), peer: KAI_PASS, at_least: Some(1_000.0) });
    let whole = pass.p50() + release.p50();
    bench.table.row(
        "  with the report of all releases and all starts",
        format!("{} ({} + {})", duration(whole), duration(pass.p50()), duration(release.p50())),
        Measure::Peer { ns: whole, peer: KAI_PASS, at_least: None },
    );
}

pub fn run_gang(bench: &mut Bench) {
    let mut times = Vec::new();
    for nodes in NODES {
        bench.progress(&format!("reclaim: a gang on {nodes} nodes"));
        let mut lent = Lent::new(nodes, false);
        let (mut cold, mut warm) = (Samples::default(), Samples::default());
        for _ in 0..bench.samples(60) {
            for (samples, is_cold) in [(&mut cold, true), (&mut warm, false)] {
                let shape = Shape::with_gpu(8 * WHOLE);
                let spec = lent.cluster.spec(lent.owner, Module::Training, nodes / 10, shape);
                let command = Command::Submit(Box::new(spec));
                let (ns, events) = if is_cold {
                    bench.cold(&mut lent.cluster, command)
                } else {
                    bench.warm(&mut lent.cluster, command)
                };
                samples.push(ns);
                assert_eq!(evicted(&events).len() as u32, nodes / 10 * 8, "a tenth of the borrowers goes");
                lent.undo(&events);
            }
        }
        let shape = format!(
            "reclaim: one gang of {} x 8 GPUs from one-GPU jobs, {} nodes",
            nodes / 10,
            thousands(nodes.into())
        );
        let figure = format!(
            "p50 {}, p99 {}; warm {}; {} per victim",
            duration(cold.p50()),
            duration(cold.p99()),
            duration(warm.p50()),
            duration(cold.p50() / f64::from(nodes / 10 * 8)),
        );
        let measure = match KAI_GANG.iter().find(|kai| kai.0 == nodes) {
            Some(&(_, ns)) => {
                let peer = Peer { name: "KAI", ns, like_ours: false };
                Measure::Peer { ns: cold.p50(), peer, at_least: (nodes == 500).then_some(1_000.0) }
            }
            None => Measure::loads(cold.p50(), cold.p99()),
        };
        bench.table.row(shape, figure, measure);
        times.push((nodes, cold.p50()));
    }
    let at = |n: u32| times.iter().find(|(nodes, _)| *nodes == n).map_or(f64::NAN, |(_, ns)| *ns);
    let ratio = at(500) / at(200);
    let figure = format!("{} / {}", duration(at(500)), duration(at(200)));
    bench.table.row(
        "  500 against 200 nodes",
        figure,
        Measure::target(format!("{ratio:.2} x"), "<= 3 x", ratio <= 3.0),
    );
}

fn started(events: &[Event]) -> usize {
    events.iter().filter(|e| matches!(e.kind, EventKind::Started { .. })).count()
}

/// A cluster that one quota owns and another's jobs fill.
#[derive(Debug)]
struct Lent {
    cluster: Cluster,
    owner: QuotaId,
    borrower: QuotaId,
    jobs: Vec<WorkloadId>,
    random: Random,
}

impl Lent {
    /// `fifo`: the owner's queue is worked off strictly in order.
    fn new(nodes: u32, fifo: bool) -> Lent {
        let mut cluster = Cluster::new(nodes, 8);
        let mut policy = Policy::default();
        if fifo {
            policy.queue = QueuePolicy { strategy: Strategy::Fifo, ..QueuePolicy::default() };
        }
        let root = cluster.root(nodes * 8, Policy::default());
        let owner = cluster.child(root, nodes * 8, policy);
        let borrower = cluster.child(root, 0, Policy::default());
        let mut lent = Lent { cluster, owner, borrower, jobs: Vec::new(), random: Random(nodes.into()) };
        for _ in 0..nodes * 8 {
            lent.borrow();
        }
        for _ in 0..nodes * 8 {
            let at = lent.random.below(lent.jobs.len());
            let id = lent.jobs.swap_remove(at);
            lent.cluster.finish(id);
            lent.borrow();
        }
        lent
    }

    fn borrow(&mut self) {
        let mut spec = self.cluster.spec(self.borrower, Module::Training, 1, Shape::with_gpu(WHOLE));
        spec.idle = IdleUse::Accept;
        let (id, node) = self.cluster.submit(spec);
        assert!(node.is_some(), "there is room for every borrower");
        self.jobs.push(id);
        self.cluster.wait(Span::seconds(1));
    }

    /// A head of the owner's queue that cannot run: its node is cordoned.
    fn block(&mut self) -> WorkloadId {
        let nodes = self.jobs.len() as u32 / 8;
        self.cluster.add_node(nodes, 8);
        let node = NodeId(nodes);
        let state = NodeState::Cordoned;
        self.cluster.handle(Command::SetNode { pool: PoolId(0), node, state, reason: "in the way".into() });
        let mut spec = self.cluster.spec(self.owner, Module::Training, 1, Shape::with_gpu(WHOLE));
        spec.priority = Priority::MAX;
        spec.nodes = Some(Box::new([node]));
        self.cluster.submit(spec).0
    }

    /// The borrowers leave, the gang runs and ends, the borrowers return.
    fn undo(&mut self, events: &[Event]) {
        let gang = submitted(events);
        self.cluster.wait(Span::seconds(30));
        self.cluster.handle(Command::Released { units: evicted(events) });
        self.cluster.wait(Span::seconds(1));
        self.cluster.finish(gang);
        self.cluster.wait(Span::seconds(1));
    }
}
