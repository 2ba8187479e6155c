//! Work that comes and goes: 50,000 workloads over 1,000 quotas that lend to each other.

use crate::bench::Bench;
use crate::clock::cpu_seconds;
use crate::cluster::Cluster;
use crate::drive::{Job, drive};
use crate::random::Random;
use crate::samples::thousands;
use crate::sizes;
use crate::table::{self, Measure};
use crate::tree::Levels;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::policy::Policy;
use tidegate_engine::words::{IdleUse, Module};

const NODES: u32 = 500;
/// Seconds, exponentially distributed.
const MEAN_RUN: f64 = 1_800.0;
/// GPUs asked for at a time, on average, relative to those there are.
const LOAD: f64 = 0.95;
/// GPUs of one request on average.
const MEAN_GPUS: f64 = 0.75;

pub fn run(bench: &mut Bench) {
    let count = if bench.quick { 5_000 } else { 50_000 };
    bench.progress(&format!("flow: {} workloads", thousands(count)));
    let mut cluster = Cluster::new(NODES, 8);
    let levels = Levels { fans: Levels::THOUSAND, shares: [4, 4, 4] };
    let quotas = levels.build(&mut cluster, NODES * 8, Policy::default());
    let mut random = Random(50);
    let gap = MEAN_RUN * MEAN_GPUS / (f64::from(NODES * 8) * LOAD);
    let mut now = 0.0;
    let mut job = || {
        now += random.exponential(gap);
        // Half of the work goes to a tenth of the quotas, which therefore borrow.
        let busy = random.below(2) == 0;
        let quota = random.below(quotas.len() / if busy { 10 } else { 1 }) * if busy { 10 } else { 1 };
        let shape = sizes::draw(&mut random);
        let mut spec = cluster.spec(quotas[quota].0, Module::Training, 1, shape);
        spec.idle = IdleUse::Accept;
        spec.suspend = true;
        spec.grace = Span::ZERO;
        let runs = (random.exponential(MEAN_RUN) * 1e3) as u64 + 1;
        Job { arrives: Tick((now * 1e3) as u64), runs, spec }
    };
    let jobs: Vec<Job> = (0..count).map(|_| job()).collect();
    let before = cpu_seconds();
    let (ns, outcome) = bench.watch.time_alone(|| drive(&mut cluster.engine, jobs, None));
    let cpu = cpu_seconds() - before;
    let ended = outcome.courses.iter().filter(|course| course.ended.is_some()).count();
    let ended = thousands(ended as u64);
    let figure = match outcome.given_up {
        true => format!("given up after {cpu:.1} s of CPU, {ended} ended"),
        false => format!("{cpu:.2} s of CPU; {ended} ended, {} evictions", thousands(outcome.evictions)),
    };
    bench.table.row(
        format!("flow: {} workloads, 1,000 quotas with borrowing, {NODES} nodes x 8", thousands(count)),
        figure,
        Measure::target(
            format!(
                "Kueue's CI: {} x that (1,179 s, another machine, with run times)",
                table::count(1_179.0 / cpu)
            ),
            "<= 1 s",
            cpu <= 1.0 && !outcome.given_up,
        ),
    );
    let per = ns / outcome.commands as f64;
    bench.table.row(
        format!("  per decision, {} of them, caches as they are", thousands(outcome.commands)),
        crate::samples::duration(per),
        Measure::Loads { p50: per, p99: None, most_p50: Some(100.0), most_p99: None },
    );
    bench.table.note(format!(
        "flow: arrivals at random, one in {gap:.3} s on average; run times exponential, {MEAN_RUN} s on average; sizes as in openb; \
         half of the work in a tenth of the quotas, whose share is 4 GPUs each; idle=accept, suspend, no grace. \
         A decision is an arrival, an end, a release or a timer, with the pass that follows."
    ));
}
