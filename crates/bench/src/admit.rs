//! Admission without eviction: one workload at a time into a cluster at 90 %.

use crate::bench::{Bench, Caches, spread};
use crate::cluster::{Cluster, measured_decision, started_on, submitted};
use crate::random::Random;
use crate::samples::{Samples, duration, thousands};
use crate::sizes;
use crate::table::Measure;
use crate::tree::Levels;
use tidegate_engine::ids::{QuotaId, Span, WorkloadId};
use tidegate_engine::policy::Policy;
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::words::Module;
use tidegate_engine::{Command, Event};

/// Gangs: replicas and GPUs of each.
const GANGS: [(u32, u32); 3] = [(8, 1), (4, 8), (16, 8)];
/// GPUs drawn, in thousandths of all, when a sample begins.
const DRAWN: u64 = 900;

pub fn run(bench: &mut Bench) {
    bench.progress("admit: filling 5,000 nodes");
    let (mut office, mut twin) = (Office::large(), Office::small());
    bench.progress("admit: sampling");
    let n = bench.samples(600);
    let mut times = [Caches::Cold, Caches::CodeWarm, Caches::Warm].map(|_| Samples::default());
    let mut passed = 0;
    for _ in 0..n {
        for (caches, samples) in [Caches::Cold, Caches::CodeWarm, Caches::Warm].into_iter().zip(&mut times) {
            match office.admit_one(bench, &mut twin, caches) {
                Some(ns) => samples.push(ns),
                None => passed += 1,
            }
        }
    }
    let [cold, code_warm, warm] = &times;
    bench.table.row(
        format!("admit and place one replica, {}", office.describe()),
        spread(cold),
        Measure::Loads {
            p50: cold.p50(),
            p99: Some(cold.p99()),
            most_p50: Some(40.0),
            most_p99: Some(400.0),
        },
    );
    bench.table.row(
        "  the same, code still in the caches",
        spread(code_warm),
        Measure::loads(code_warm.p50(), code_warm.p99()),
    );
    bench.table.row("  the same, caches warm", spread(warm), Measure::loads(warm.p50(), warm.p99()));
    if passed > 0 {
        bench.table.note(format!("admit: {passed} of {} samples found no node and are left out", 3 * n));
    }
    if let Some(there) = bench.beside_backlog {
        let ratio = there / cold.p50();
        let figure = format!("p50 {} / {}", duration(there), duration(cold.p50()));
        let measure = Measure::target(format!("{ratio:.2} x"), "<= 3 x", ratio <= 3.0);
        bench.table.row("  beside the backlog, against this", figure, measure);
    }
    for (replicas, gpus) in GANGS {
        let (cold, warm) = office.gangs(bench, replicas, gpus);
        bench.table.row(
            format!("  a gang of {replicas} x {gpus} GPUs, per replica"),
            format!("{}; warm {}", spread(&cold), duration(warm.p50())),
            Measure::loads(cold.p50(), cold.p99()),
        );
    }
}

/// A tree of 4 levels and 1,000 quotas, in use.
#[derive(Debug)]
pub struct Office {
    pub cluster: Cluster,
    nodes: u32,
    pub root: QuotaId,
    /// All quotas but the root, with their shares and what is drawn on them, in thousandths of GPUs.
    accounts: Vec<(QuotaId, u64, u64)>,
    running: Vec<(WorkloadId, usize, u32)>,
    /// Thousandths of GPUs.
    drawn: u64,
    random: Random,
}

impl Office {
    /// The tree of a thousand quotas, on 5,000 nodes.
    pub fn large() -> Office {
        Office::new(5_000, Levels { fans: Levels::THOUSAND, shares: [40, 40, 38] }, 11)
    }

    /// A few quotas on a few nodes.
    pub fn small() -> Office {
        Office::new(40, Levels { fans: [2, 2, 2], shares: [16, 16, 8] }, 12)
    }

    fn new(nodes: u32, levels: Levels, seed: u64) -> Office {
        let mut cluster = Cluster::new(nodes, 8);
        let quotas = levels.build(&mut cluster, nodes * 8, Policy::default());
        let accounts =
            quotas[1..].iter().map(|&(quota, share)| (quota, u64::from(share * WHOLE), 0)).collect();
        let (root, random) = (quotas[0].0, Random(seed));
        let mut office = Office { cluster, nodes, root, accounts, running: Vec::new(), drawn: 0, random };
        office.fill();
        office
    }

    pub fn describe(&self) -> String {
        let (nodes, quotas) = (thousands(self.nodes.into()), thousands(self.accounts.len() as u64 + 1));
        format!("{nodes} nodes x 8, {quotas} quotas, 4 levels, 90 % drawn")
    }

    fn supply(&self) -> u64 {
        u64::from(self.nodes) * 8 * u64::from(WHOLE)
    }

    /// Fills the quotas evenly, up to 90 % of the cluster, if there are quotas for as much.
    fn fill(&mut self) {
        let shares: u64 = self.accounts.iter().map(|account| account.1).sum();
        let most = (self.supply() * DRAWN).min(shares * DRAWN);
        while self.drawn * 1_000 < most {
            let (account, shape) = self.request();
            let spec = self.cluster.spec(self.accounts[account].0, Module::Training, 1, shape);
            let (id, node) = self.cluster.submit(spec);
            if node.is_some() {
                self.keep(id, account, shape);
            } else {
                self.cluster.stop(id);
            }
            self.cluster.wait(Span::seconds(1));
        }
    }

    /// A request, and a random quota with balance for it.
    fn request(&mut self) -> (usize, Shape) {
        loop {
            let shape = sizes::draw(&mut self.random);
            for _ in 0..self.accounts.len() {
                let at = self.random.below(self.accounts.len());
                let (_, share, drawn) = self.accounts[at];
                if drawn + u64::from(shape.gpu) <= share {
                    return (at, shape);
                }
            }
        }
    }

    fn keep(&mut self, id: WorkloadId, account: usize, shape: Shape) {
        self.running.push((id, account, shape.gpu));
        self.accounts[account].2 += u64::from(shape.gpu);
        self.drawn += u64::from(shape.gpu);
    }

    /// Ends random work until 90 % are drawn.
    fn level(&mut self) {
        while self.drawn * 1_000 > self.supply() * DRAWN {
            let at = self.random.below(self.running.len());
            let (id, account, gpu) = self.running.swap_remove(at);
            self.accounts[account].2 -= u64::from(gpu);
            self.drawn -= u64::from(gpu);
            self.cluster.finish(id);
        }
    }

    /// One sample: nanoseconds, or nothing if no node had room.
    pub fn admit_one(&mut self, bench: &mut Bench, twin: &mut Office, caches: Caches) -> Option<f64> {
        let (account, shape) = self.request();
        let spec = self.cluster.spec(self.accounts[account].0, Module::Training, 1, shape);
        let command = Command::Submit(Box::new(spec));
        if caches != Caches::Warm {
            bench.chill.chill();
        }
        if caches == Caches::CodeWarm {
            twin.admit_several(shape);
        }
        let (ns, events) = bench.warm(&mut self.cluster, command);
        self.settle(&events, account, shape).then_some(ns)
    }

    /// One admission that is not timed.
    pub fn admit(&mut self) {
        let (account, shape) = self.request();
        let spec = self.cluster.spec(self.accounts[account].0, Module::Training, 1, shape);
        let command = Command::Submit(Box::new(spec));
        let events = measured_decision(&mut self.cluster.engine, self.cluster.now, command);
        self.settle(&events, account, shape);
    }

    /// Books what came of a submission, and makes room for the next. Whether it started.
    fn settle(&mut self, events: &[Event], account: usize, shape: Shape) -> bool {
        let (id, started) = (submitted(events), started_on(events).is_some());
        if started {
            self.keep(id, account, shape);
        } else {
            self.cluster.stop(id);
        }
        self.level();
        self.cluster.wait(Span::seconds(1));
        started
    }

    /// Brings the code of admission into the caches.
    fn admit_several(&mut self, shape: Shape) {
        for _ in 0..3 {
            let spec = self.cluster.spec(self.root, Module::Training, 1, shape);
            let (id, node) = self.cluster.submit(spec);
            if node.is_some() {
                self.cluster.finish(id)
            } else {
                self.cluster.stop(id)
            }
            self.cluster.wait(Span::seconds(1));
        }
    }

    /// Gangs into the root's own share, one at a time, cold and warm: nanoseconds per replica.
    fn gangs(&mut self, bench: &mut Bench, replicas: u32, gpus: u32) -> (Samples, Samples) {
        let shape = Shape::with_gpu(gpus * WHOLE);
        let mut samples = [Samples::default(), Samples::default()];
        for _ in 0..bench.samples(150) {
            for (caches, samples) in [Caches::Cold, Caches::Warm].into_iter().zip(&mut samples) {
                let spec = self.cluster.spec(self.root, Module::Training, replicas, shape);
                let command = Command::Submit(Box::new(spec));
                if caches == Caches::Cold {
                    bench.chill.chill();
                }
                let (ns, events) = bench.warm(&mut self.cluster, command);
                let (id, node) = (submitted(&events), started_on(&events));
                if node.is_some() {
                    samples.push(ns / f64::from(replicas));
                    self.cluster.finish(id);
                } else {
                    self.cluster.stop(id);
                }
                self.cluster.wait(Span::seconds(1));
            }
        }
        let [cold, warm] = samples;
        (cold, warm)
    }
}
