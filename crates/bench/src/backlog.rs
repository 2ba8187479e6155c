//! A very large cluster with a very long queue: memory, and whether admission feels it.

use crate::bench::{Bench, Caches, spread};
use crate::cluster::{Cluster, started_on, submitted};
use crate::memory::resident;
use crate::random::Random;
use crate::samples::{Samples, duration, thousands};
use crate::sizes;
use crate::table::Measure;
use crate::tree::Levels;
use tidegate_engine::Command;
use tidegate_engine::ids::{QuotaId, Span, WorkloadId};
use tidegate_engine::policy::Policy;
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::words::Module;

/// Every how many quotas one has balance left.
const OPEN: usize = 10;

pub fn run(bench: &mut Bench) {
    let scale = if bench.quick { 10 } else { 1 };
    let (nodes, running, queued) = (100_000 / scale, 100_000 / scale, 1_000_000 / scale);
    bench.progress(&format!("backlog: {} nodes", thousands(nodes.into())));
    let mut random = Random(77);
    let empty = resident();
    let mut cluster = Cluster::new(nodes, 8);
    let share = nodes * 8 / 1_000;
    let levels = Levels { fans: Levels::THOUSAND, shares: [share; 3] };
    let quotas = levels.build(&mut cluster, nodes * 8, Policy::default());
    let (open, full): (Vec<_>, Vec<_>) = quotas.iter().enumerate().partition(|(i, _)| i % OPEN == 0);
    let [open, full] = [open, full].map(|list| list.into_iter().map(|(_, q)| q.0).collect::<Vec<QuotaId>>());
    let idle = resident();
    bench.progress(&format!("backlog: {} running", thousands(running.into())));
    let mut started = 0;
    for &quota in &full {
        for _ in 0..share / 8 {
            let spec = cluster.spec(quota, Module::Training, 1, Shape::with_gpu(8 * WHOLE));
            assert!(cluster.submit(spec).1.is_some(), "there is room in every quota");
            started += 1;
        }
        cluster.wait(Span::seconds(1));
    }
    let mut guests: Vec<WorkloadId> = Vec::with_capacity(running as usize);
    while started < running {
        let quota = open[random.below(open.len())];
        let spec = cluster.spec(quota, Module::Training, 1, sizes::draw(&mut random));
        let (id, node) = cluster.submit(spec);
        if node.is_some() {
            guests.push(id);
            started += 1;
        } else {
            cluster.stop(id);
        }
    }
    bench.progress(&format!("backlog: {} queued", thousands(queued.into())));
    let mut wait = 0.0;
    for i in 0..queued {
        let quota = full[random.below(full.len())];
        let mut shape = sizes::draw(&mut random);
        shape.gpu = shape.gpu.max(1);
        let spec = cluster.spec(quota, Module::Training, 1, shape);
        let (ns, events) = bench.watch.time(|| cluster.handle(Command::Submit(Box::new(spec))));
        assert!(started_on(&events).is_none(), "its quota is full");
        wait += ns;
        if i % 1_000 == 0 {
            cluster.wait(Span::seconds(1));
        }
    }
    let all = resident();
    let workloads = f64::from(running + queued);
    let (with_nodes, without) = ((all - empty) / workloads, (all - idle) / workloads);
    bench.table.row(
        format!(
            "memory: {} queued + {} running on {} nodes x 8",
            thousands(queued.into()),
            thousands(running.into()),
            thousands(nodes.into())
        ),
        format!(
            "{with_nodes:.0} bytes per workload; {without:.0} without nodes and quotas; {:.0} MiB in all",
            (all - empty) / f64::from(1 << 20)
        ),
        Measure::target(format!("{:.2} of 1 KiB", with_nodes / 1024.0), "<= 1 KiB", with_nodes <= 1024.0),
    );
    bench.table.note(
        "memory: growth of the resident set from before the pool is created: nodes, quotas, workloads with their names \
         and specifications, units, queues, indexes, and what the allocator wastes; reasons are derived on demand; not the log.",
    );
    bench.table.row(
        "  queueing one of them, caches as they are",
        duration(wait / f64::from(queued)),
        Measure::Loads { p50: wait / f64::from(queued), p99: None, most_p50: None, most_p99: None },
    );
    let mut times = [Samples::default(), Samples::default()];
    for _ in 0..bench.samples(300) {
        for (caches, samples) in [Caches::Cold, Caches::Warm].into_iter().zip(&mut times) {
            let quota = open[random.below(open.len())];
            let spec = cluster.spec(quota, Module::Training, 1, sizes::draw(&mut random));
            let command = Command::Submit(Box::new(spec));
            if caches == Caches::Cold {
                bench.chill.chill();
            }
            let (ns, events) = bench.warm(&mut cluster, command);
            let id = submitted(&events);
            if started_on(&events).is_some() {
                samples.push(ns);
                let at = random.below(guests.len());
                let old = std::mem::replace(&mut guests[at], id);
                cluster.finish(old);
            } else {
                cluster.stop(id);
            }
            cluster.wait(Span::seconds(1));
        }
    }
    let [cold, warm] = &times;
    let shape = "  admit and place one replica there";
    let figure = format!("{}; warm {}", spread(cold), duration(warm.p50()));
    bench.beside_backlog = Some(cold.p50());
    let measure = Measure::loads(cold.p50(), cold.p99());
    bench.table.row(shape, figure, measure);
}
