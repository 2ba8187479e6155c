//! One decision that evicts: how it grows with the candidates and with the victims.

use crate::bench::{Bench, spread};
use crate::cluster::{Cluster, evicted, submitted};
use crate::random::Random;
use crate::samples::{Samples, duration, thousands};
use crate::table::{Measure, Peer};
use tidegate_engine::Command;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{QuotaId, Span, WorkloadId};
use tidegate_engine::policy::{ChildLevel, Policy};
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::words::{Module, ModuleSet, Priority, PrioritySet};

const CANDIDATES: [u32; 4] = [500, 4_000, 16_000, 100_000];
const VICTIMS: [u32; 3] = [1, 64, 512];
const KUEUE: Peer = Peer { name: "Kueue", ns: 133e6, like_ours: true };
/// Quotas that the candidates run in.
const CHILDREN: u32 = 10;

pub fn run(bench: &mut Bench) {
    let mut medians = Vec::new();
    for candidates in CANDIDATES {
        if bench.quick && candidates > 16_000 {
            continue;
        }
        bench.progress(&format!("preempt: {} candidates", thousands(candidates.into())));
        let mut herd = Herd::new(candidates);
        for victims in VICTIMS.into_iter().filter(|v| v * 4 <= candidates) {
            for gpus in [1, 8].into_iter().filter(|gpus| victims.is_multiple_of(*gpus)) {
                let cold = herd.rows(bench, victims, gpus);
                medians.push(((candidates, victims, gpus), cold.p50()));
            }
        }
    }
    let at = |shape: (u32, u32, u32)| medians.iter().find(|m| m.0 == shape).map_or(f64::NAN, |m| m.1);
    let mut compare = |name: &str, many: f64, few: f64, target: &str, most: f64| {
        if !(many / few).is_nan() {
            let figure = format!("{} / {}", duration(many), duration(few));
            let measure = Measure::target(format!("{:.2} x", many / few), target, many / few <= most);
            bench.table.row(format!("  {name}"), figure, measure);
        }
    };
    let (many, few) = (at((100_000, 1, 1)), at((16_000, 1, 1)));
    compare("one victim, 100,000 against 16,000 candidates", many, few, "<= 2 x, cold time", 2.0);
    for gpus in [1, 8] {
        let name = format!("512 against 64 victims, {gpus} GPUs a replica, 16,000 candidates");
        let (many, few) = (at((16_000, 512, gpus)), at((16_000, 64, gpus)));
        compare(&name, many, few, "in proportion: <= 8 x + 10 %", 8.8);
    }
}

/// A full cluster of one-GPU training jobs, below a quota that may evict them.
#[derive(Debug)]
pub struct Herd {
    pub cluster: Cluster,
    parent: QuotaId,
    children: Vec<QuotaId>,
    jobs: Vec<(WorkloadId, QuotaId)>,
    random: Random,
}

impl Herd {
    /// Every device is taken; start times are distinct and say nothing about the node.
    pub fn new(candidates: u32) -> Herd {
        let nodes = candidates.div_ceil(8);
        let mut cluster = Cluster::new(nodes, 8);
        let parent = cluster.root(nodes * 8, child_level(&[Module::Training]));
        let children: Vec<QuotaId> = (0..CHILDREN)
            .map(|i| {
                let share = candidates / CHILDREN + u32::from(i < candidates % CHILDREN);
                cluster.child(parent, share, Policy::default())
            })
            .collect();
        let mut herd =
            Herd { cluster, parent, children, jobs: Vec::new(), random: Random(candidates.into()) };
        for i in 0..candidates {
            let quota = herd.children[(i % CHILDREN) as usize];
            herd.start(quota);
        }
        // The last node's other devices go to work that nobody may evict.
        let rest = nodes * 8 - candidates;
        if rest > 0 {
            let quota = herd.cluster.child(parent, rest, Policy::default());
            let spec = herd.cluster.spec(quota, Module::Notebook, 1, Shape::with_gpu(rest * WHOLE));
            herd.cluster.submit(spec);
        }
        herd.replace(candidates);
        herd
    }

    fn start(&mut self, quota: QuotaId) {
        let spec = self.cluster.spec(quota, Module::Training, 1, Shape::with_gpu(WHOLE));
        let (id, node) = self.cluster.submit(spec);
        assert!(node.is_some(), "there is room for every candidate");
        self.jobs.push((id, quota));
        self.cluster.wait(Span::seconds(1));
    }

    /// Ends `n` random jobs and starts new ones in their places.
    pub fn replace(&mut self, n: u32) {
        for _ in 0..n {
            let at = self.random.below(self.jobs.len());
            let (id, quota) = self.jobs.swap_remove(at);
            self.cluster.finish(id);
            self.start(quota);
        }
    }

    /// A gang that needs this many victims.
    pub fn gang(&mut self, victims: u32, gpus: u32) -> Command {
        let shape = Shape::with_gpu(gpus * WHOLE);
        Command::Submit(Box::new(self.cluster.spec(self.parent, Module::Training, victims / gpus, shape)))
    }

    /// The victims leave, the gang runs and ends, the victims return.
    pub fn undo(&mut self, events: &[Event]) {
        let gang = submitted(events);
        let units = evicted(events);
        self.cluster.wait(Span::seconds(1));
        self.cluster.handle(Command::Released { units });
        self.cluster.wait(Span::seconds(1));
        self.cluster.finish(gang);
        self.cluster.wait(Span::seconds(1));
    }

    fn rows(&mut self, bench: &mut Bench, victims: u32, gpus: u32) -> Samples {
        let (mut cold, mut warm) = (Samples::default(), Samples::default());
        let n = bench.samples(match victims {
            1 => 200,
            64 => 60,
            _ => 20,
        });
        for _ in 0..n {
            for (samples, is_cold) in [(&mut cold, true), (&mut warm, false)] {
                let command = self.gang(victims, gpus);
                let (ns, events) = if is_cold {
                    bench.cold(&mut self.cluster, command)
                } else {
                    bench.warm(&mut self.cluster, command)
                };
                samples.push(ns);
                let left = evicted(&events).len() as u32;
                assert_eq!(left, victims, "one-GPU victims for one GPU each");
                assert!(events.iter().any(|e| matches!(e.kind, EventKind::Held { .. })), "the gang is held");
                self.undo(&events);
                self.replace(8);
            }
        }
        let candidates = thousands(self.jobs.len() as u64);
        let shape = match (victims, gpus) {
            (1, _) => format!("preempt: {candidates} candidates, 1 victim"),
            _ => format!(
                "preempt: {candidates} candidates, {victims} victims for {} x {gpus} GPUs",
                victims / gpus
            ),
        };
        let figure = format!(
            "{}; warm {}; {} per victim",
            spread(&cold),
            duration(warm.p50()),
            duration(cold.p50() / f64::from(victims))
        );
        let measure = match (self.jobs.len(), victims) {
            (16_000, 1) => Measure::Peer { ns: cold.p50(), peer: KUEUE, at_least: Some(1_000.0) },
            _ => Measure::loads(cold.p50(), cold.p99()),
        };
        bench.table.row(shape, figure, measure);
        cold
    }
}

/// A policy with child-level preemption of all priorities of these modules.
pub fn child_level(modules: &[Module]) -> Policy {
    let modules = modules.iter().fold(ModuleSet::default(), |set, module| set.with(*module));
    let all = PrioritySet::range(Priority::MIN, Priority::MAX);
    let policy = ChildLevel::new(all, modules).expect("neither set is empty");
    Policy { child_level: Some(policy), ..Policy::default() }
}
