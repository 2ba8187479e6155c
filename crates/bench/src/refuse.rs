//! "No": a gang for which no plan exists, though the empty pool would be large enough.

use crate::bench::{Bench, spread};
use crate::cluster::Cluster;
use crate::preempt::child_level;
use crate::random::Random;
use crate::samples::{Samples, duration, thousands};
use crate::table::Measure;
use tidegate_engine::Command;
use tidegate_engine::event::EventKind;
use tidegate_engine::ids::{NodeId, QuotaId, Span, WorkloadId};
use tidegate_engine::policy::Policy;
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::words::Module;

/// The gang: replicas of 8 GPUs.
const REPLICAS: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    Balance,
    Scattered,
    Pinned,
}

pub fn run(bench: &mut Bench) {
    let nodes = if bench.quick { 500 } else { 5_000 };
    for obstacle in [Obstacle::Balance, Obstacle::Scattered, Obstacle::Pinned] {
        bench.progress(&format!("refuse: {obstacle:?}"));
        let mut full = Full::new(nodes, obstacle);
        let (mut cold, mut warm) = (Samples::default(), Samples::default());
        for _ in 0..bench.samples(200) {
            for (samples, is_cold) in [(&mut cold, true), (&mut warm, false)] {
                full.stir();
                let shape = Shape::with_gpu(8 * WHOLE);
                let spec = full.cluster.spec(full.parent, Module::Training, REPLICAS, shape);
                let command = Command::Submit(Box::new(spec));
                let (ns, events) = if is_cold {
                    bench.cold(&mut full.cluster, command)
                } else {
                    bench.warm(&mut full.cluster, command)
                };
                samples.push(ns);
                let [first, rest @ ..] = events.as_slice() else { panic!("a submission is an event") };
                let EventKind::Queued { workload, reasons, .. } = &first.kind else { panic!("it is queued") };
                assert!(!reasons.is_empty(), "it waits for a reason");
                assert!(
                    rest.iter().all(|e| matches!(e.kind, EventKind::PassedOver { .. })),
                    "nothing else happens"
                );
                full.cluster.stop(*workload);
                full.cluster.wait(Span::seconds(1));
            }
        }
        let why = match obstacle {
            Obstacle::Balance => "all drawn, policy names nobody",
            Obstacle::Scattered => "one free GPU per node, nobody evictable",
            Obstacle::Pinned => "one service per node, the rest evictable",
        };
        bench.table.row(
            format!("refuse {REPLICAS} x 8 GPUs, {} nodes full: {why}", thousands(nodes.into())),
            format!("{}; warm {}", spread(&cold), duration(warm.p50())),
            Measure::Loads { p50: cold.p50(), p99: Some(cold.p99()), most_p50: Some(200.0), most_p99: None },
        );
    }
}

/// A cluster without room for a whole node's replica.
#[derive(Debug)]
struct Full {
    cluster: Cluster,
    parent: QuotaId,
    children: Vec<QuotaId>,
    jobs: Vec<(WorkloadId, QuotaId)>,
    random: Random,
}

impl Full {
    fn new(nodes: u32, obstacle: Obstacle) -> Full {
        let mut cluster = Cluster::new(nodes, 8);
        let named = if obstacle == Obstacle::Pinned { Module::Training } else { Module::Notebook };
        let parent = cluster.root(nodes * 8, child_level(&[named]));
        let children: Vec<QuotaId> =
            (0..10).map(|_| cluster.child(parent, nodes * 8 / 10, Policy::default())).collect();
        let mut full = Full { cluster, parent, children, jobs: Vec::new(), random: Random(5) };
        let mut hosts: Vec<NodeId> = Vec::new();
        for i in 0..nodes * 8 {
            // Whole nodes are kept whole, so that eight in a row share a node.
            let service = obstacle == Obstacle::Pinned && i % 8 == 0;
            let module = if service { Module::Service } else { Module::Training };
            let quota = full.children[(i % 10) as usize];
            let spec = full.cluster.spec(quota, module, 1, Shape::with_gpu(WHOLE));
            let (id, node) = full.cluster.submit(spec);
            let node = node.expect("there is room for every job");
            if service || (obstacle == Obstacle::Scattered && i % 8 == 0) {
                hosts.push(node);
            }
            if !service {
                full.jobs.push((id, quota));
            }
            full.cluster.wait(Span::seconds(1));
        }
        hosts.sort_unstable();
        hosts.dedup();
        assert!(obstacle == Obstacle::Balance || hosts.len() == nodes as usize, "one on every node");
        if obstacle == Obstacle::Scattered {
            for at in (0..nodes as usize).rev() {
                let (id, _) = full.jobs.remove(at * 8);
                full.cluster.finish(id);
            }
        }
        full
    }

    /// Ends a random job and starts another in its place, so that nothing can be remembered.
    fn stir(&mut self) {
        let at = self.random.below(self.jobs.len());
        let (id, quota) = self.jobs.swap_remove(at);
        self.cluster.finish(id);
        let spec = self.cluster.spec(quota, Module::Training, 1, Shape::with_gpu(WHOLE));
        let (id, _) = self.cluster.submit(spec);
        self.jobs.push((id, quota));
        self.cluster.wait(Span::seconds(1));
    }
}
