//! Admission without eviction: one workload at a time into a cluster at 90 %.

use crate::bench::{Bench, Caches, spread};
use crate::cluster::{Cluster, started_on, submitted};
use crate::random::Random;
use crate::samples::{Samples, duration, thousands};
use crate::sizes;
use crate::table::Measure;
use tidegate_engine::Command;
use tidegate_engine::ids::{QuotaId, Span, WorkloadId};
use tidegate_engine::policy::Policy;
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::words::Module;

/// Gangs: replicas and GPUs of each.
const GANGS: [(u32, u32); 3] = [(8, 1), (4, 8), (16, 8)];
/// GPUs drawn, in thousandths of all, when a sample begins.
const DRAWN: u64 = 900;

pub fn run(bench: &mut Bench) {
    bench.progress("admit: filling 5,000 nodes");
    let mut office = Office::new(5_000, 11);
    office.fill();
    let mut twin = Office::new(20, 12);
    twin.fill();
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
    /// 1 root, 9 below it, 10 below each of these, 10 below each of those.
    pub fn new(nodes: u32, seed: u64) -> Office {
        let mut cluster = Cluster::new(nodes, 8);
        let gpus = nodes * 8;
        // The root keeps a thirtieth for gangs, each quota of the second level a thousandth.
        let (first, second) = (gpus / 1_000, gpus / 1_000);
        let leaf = ((gpus - gpus / 30 - 9 * first - 90 * second) / 900).max(1);
        let second_all = second + 10 * leaf;
        let first_all = first + 10 * second_all;
        let small = gpus < 9 * first_all;
        let (branches, twigs) = if small { (2, 2) } else { (9, 10) };
        let root = cluster.root(gpus, Policy::default());
        let mut accounts = Vec::new();
        for _ in 0..branches {
            let total = if small { gpus / 3 } else { first_all };
            let branch = cluster.child(root, total, Policy::default());
            accounts.push((branch, 0, 0));
            for _ in 0..twigs {
                let twig =
                    cluster.child(branch, if small { total / 3 } else { second_all }, Policy::default());
                accounts.push((twig, 0, 0));
                for _ in 0..twigs {
                    let leaf = cluster.child(twig, if small { total / 9 } else { leaf }, Policy::default());
                    accounts.push((leaf, 0, 0));
                }
            }
        }
        for account in &mut accounts {
            let books = cluster.engine.quota(account.0).expect("it was just created");
            let below: i64 = books.children.iter().map(|c| guarantee(&cluster, *c)).sum();
            account.1 = (guarantee(&cluster, account.0) - below) as u64;
        }
        Office { cluster, nodes, root, accounts, running: Vec::new(), drawn: 0, random: Random(seed) }
    }

    pub fn describe(&self) -> String {
        let (nodes, quotas) = (thousands(self.nodes.into()), thousands(self.accounts.len() as u64 + 1));
        format!("{nodes} nodes x 8, {quotas} quotas, 4 levels, 90 % drawn")
    }

    fn supply(&self) -> u64 {
        u64::from(self.nodes) * 8 * u64::from(WHOLE)
    }

    /// Fills the quotas evenly, up to 90 % of the cluster, if there are quotas for as much.
    pub fn fill(&mut self) {
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
        let (id, node) = (submitted(&events), started_on(&events));
        if node.is_some() {
            self.keep(id, account, shape);
        } else {
            self.cluster.stop(id);
        }
        self.level();
        self.cluster.wait(Span::seconds(1));
        node.map(|_| ns)
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

fn guarantee(cluster: &Cluster, quota: QuotaId) -> i64 {
    cluster.engine.quota(quota).map_or(0, |q| q.guarantee.all_gpus())
}
