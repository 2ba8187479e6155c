//! How much of a real cluster the placement book can fill: Alibaba's openb traces.
//!
//! The protocol of the fragmentation gradient descent paper: GPU nodes only; pods in an order drawn by
//! a seed, then drawn again with replacement until their GPUs add up to 130 % of the cluster's; they
//! arrive one by one, nothing leaves, what does not fit is dropped.

use crate::clock::Stopwatch;
use crate::random::Random;
use crate::trace::{columns, number, rows};
use std::io;
use std::path::Path;
use tidegate_engine::ids::ModelId;
use tidegate_engine::nodes::{Ask, Barred, NodeSpec, Nodes};
use tidegate_engine::resources::{ModelSet, Shape, WHOLE};

const MIXES: [&str; 3] = ["default", "gpushare100", "multigpu50"];
/// The seeds of the published figures; their generator is another, so that only means compare.
const SEEDS: std::ops::Range<u64> = 42..52;
/// Requested GPUs at the end, in percent of the cluster's.
const REQUESTED: u64 = 130;

/// One mix of pods: allocated GPUs in percent.
#[derive(Clone, Debug)]
pub struct OpenbRow {
    pub mix: &'static str,
    /// Mean and standard deviation over the seeds.
    pub mean: f64,
    pub sd: f64,
    /// Published means for the same mix.
    pub gradient_descent: f64,
    pub best_fit: f64,
    /// Pods that arrived in one run, on average.
    pub pods: f64,
    /// Seconds of one run, on average; one thread.
    pub seconds: f64,
}

/// All mixes, from the folder that holds `openb`.
pub fn run(watch: &Stopwatch, traces: &Path) -> io::Result<Vec<OpenbRow>> {
    let folder = traces.join("openb");
    let cluster = Cluster::read(&folder)?;
    MIXES.into_iter().map(|mix| run_mix(watch, &folder, &cluster, mix)).collect()
}

fn run_mix(watch: &Stopwatch, folder: &Path, cluster: &Cluster, mix: &'static str) -> io::Result<OpenbRow> {
    let pods = cluster.pods(&folder.join(format!("openb_pod_list_{mix}.csv")))?;
    let (ns, runs) = watch.time(|| SEEDS.map(|seed| fill(cluster, &pods, seed)).collect::<Vec<Filled>>());
    let n = runs.len() as f64;
    let mean = runs.iter().map(|run| run.percent).sum::<f64>() / n;
    let variance = runs.iter().map(|run| (run.percent - mean).powi(2)).sum::<f64>() / n;
    Ok(OpenbRow {
        mix,
        mean,
        sd: variance.sqrt(),
        gradient_descent: published(folder, mix, "06-FGD")?,
        best_fit: published(folder, mix, "05-BestFit")?,
        pods: runs.iter().map(|run| run.pods as f64).sum::<f64>() / n,
        seconds: ns / 1e9 / n,
    })
}

struct Cluster {
    nodes: Nodes,
    models: Vec<String>,
    /// Thousandths of GPUs.
    supply: u64,
}

struct Pod {
    shape: Shape,
    models: ModelSet,
}

impl Cluster {
    fn read(folder: &Path) -> io::Result<Cluster> {
        let mut cluster = Cluster { nodes: Nodes::new(), models: Vec::new(), supply: 0 };
        for row in rows(&folder.join("openb_node_list_gpu_node.csv"))? {
            let [name, cpu, memory, gpus, model] = columns(&row)?;
            let model = cluster.models.iter().position(|known| known == model).unwrap_or_else(|| {
                cluster.models.push(model.to_owned());
                cluster.models.len() - 1
            });
            let gpus: u32 = number(gpus)?;
            cluster.supply += u64::from(gpus * WHOLE);
            cluster.nodes.add(NodeSpec {
                name: name.into(),
                model: Some(ModelId(model as u8)),
                gpus,
                cpu: number(cpu)?,
                memory: number::<u64>(memory)? << 20,
            });
        }
        Ok(cluster)
    }

    fn pods(&self, file: &Path) -> io::Result<Vec<Pod>> {
        let pod = |row: String| {
            let [_, cpu, memory, gpus, milli] = columns(&row)?;
            let gpu = number::<u32>(gpus)? * number::<u32>(milli)?;
            let shape = Shape { gpu, cpu: number(cpu)?, memory: number::<u64>(memory)? << 20 };
            // Some mixes have no column for the models.
            let named = row.split(',').nth(5).unwrap_or("").split('|').filter(|model| !model.is_empty());
            let known = named.filter_map(|model| self.models.iter().position(|known| known == model));
            Ok(Pod { shape, models: known.fold(ModelSet::ANY, |set, model| set.with(ModelId(model as u8))) })
        };
        rows(file)?.into_iter().map(pod).collect()
    }
}

struct Filled {
    percent: f64,
    pods: usize,
}

/// One run.
fn fill(cluster: &Cluster, pods: &[Pod], seed: u64) -> Filled {
    let mut random = Random(seed);
    let mut order: Vec<usize> = (0..pods.len()).collect();
    random.shuffle(&mut order);
    let mut nodes = cluster.nodes.clone();
    let (mut requested, mut allocated, mut arrived) = (0u64, 0u64, 0);
    let mut slots = Vec::new();
    while requested * 100 < cluster.supply * REQUESTED {
        let next = order.get(arrived).copied().unwrap_or_else(|| random.below(pods.len()));
        let Pod { shape, models } = pods[next];
        arrived += 1;
        requested += u64::from(shape.gpu);
        slots.clear();
        nodes.place(&Ask { models, shape, count: 1, allowed: None, barred: Barred::Respect }, &mut slots);
        for slot in &slots {
            nodes.occupy(slot, arrived as u32);
            allocated += u64::from(shape.gpu);
        }
    }
    Filled { percent: allocated as f64 / cluster.supply as f64 * 100.0, pods: arrived }
}

/// The mean of a policy's published runs at the end of the curve.
fn published(folder: &Path, mix: &str, policy: &str) -> io::Result<f64> {
    let start = format!("openb_pod_list_{mix},{policy},");
    let found =
        rows(&folder.join("expected_allocation.csv"))?.into_iter().filter(|row| row.starts_with(&start));
    let ends: Vec<f64> =
        found.map(|row| number(row.rsplit(',').next().unwrap_or(""))).collect::<io::Result<_>>()?;
    Ok(ends.iter().sum::<f64>() / ends.len() as f64)
}
