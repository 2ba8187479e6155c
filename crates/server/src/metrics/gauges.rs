//! The present state as gauges, made anew for every scrape: what is gone leaves no trace.

use super::pending::pending;
use super::{Counted, PREFIX};
use crate::core::control::Control;
use crate::core::world::World;
use crate::here::Here;
use crate::meter::Meter;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use tidegate_billing::price::Resource;
use tidegate_engine::Engine;
use tidegate_engine::ids::ModelId;
use tidegate_engine::nodes::NodeState;
use tidegate_engine::reason::Names;
use tidegate_engine::resources::{Dimension, WHOLE};
use tidegate_store::Size;

/// Quotas that are listed, in tree order: each is some ten lines. How many are left out is told.
const MAX_LISTED: usize = 2_000;

type Real = Gauge<f64, AtomicU64>;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfQuota {
    quota: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfModel {
    quota: String,
    model: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Waiting {
    quota: String,
    reason: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Gpus {
    pool: String,
    model: String,
    state: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Workers {
    state: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Nodes {
    pool: String,
    state: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct InState {
    state: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Part {
    part: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Release {
    version: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Metered {
    resource: &'static str,
    /// Of GPUs.
    model: String,
    mode: &'static str,
    class: &'static str,
    /// Work, or capacity that is held whether anything works there or not.
    kind: &'static str,
}

/// All figures as text. May wait for the world, so it is not for a thread that serves others.
pub fn scrape(control: &Control, here: &Here, meter: &Meter, size: Option<Size>) -> String {
    let mut registry = Registry::with_prefix(PREFIX);
    let waiting = Family::<Waiting, Gauge>::default();
    for ((quota, reason), count) in pending(control) {
        waiting.get_or_create(&Waiting { quota, reason }).set(count);
    }
    registry.register("pending_workloads", "Workloads that wait, by the first thing in their way", waiting);
    control.read_blocking(|world| {
        quotas(&mut registry, &world.engine);
        pools(&mut registry, &world.engine);
        workloads(&mut registry, world);
    });
    let (over_memory, over_gpu): (Gauge, Gauge) = Default::default();
    let (memory, gpu) = here.over();
    over_memory.set(memory as i64);
    over_gpu.set(gpu as i64);
    registry.register(
        "replicas_over_memory",
        "Replicas that take more memory than they asked for",
        over_memory,
    );
    registry.register("replicas_over_gpu", "Replicas that use more than their part of a GPU", over_gpu);
    let workers = Family::<Workers, Gauge>::default();
    let count = here.replicas().map(|replicas| replicas.workers()).unwrap_or_default();
    for (state, count) in [("busy", count.busy), ("waiting", count.waiting)] {
        workers.get_or_create(&Workers { state }).set(count as i64);
    }
    registry.register("warm_workers", "Processes that do task after task", workers);
    metered(&mut registry, meter);
    server(&mut registry, control, size);
    let mut text = String::new();
    write(&mut text, control.metrics(), &registry).expect("writing to a string does not fail");
    text
}

fn write(text: &mut String, counted: &Counted, gauges: &Registry) -> std::fmt::Result {
    encode_registry(text, &counted.registry)?;
    encode_registry(text, gauges)?;
    encode_eof(text)
}

/// One figure of quotas in its three kinds of units.
struct Column {
    gpus: Family<OfModel, Real>,
    cores: Family<OfQuota, Real>,
    bytes: Family<OfQuota, Real>,
}

impl Column {
    fn register(registry: &mut Registry, name: &str, help: &str) -> Column {
        let (gpus, cores, bytes) = (Family::default(), Family::default(), Family::default());
        let unit = |unit: &str| Unit::Other(unit.into());
        registry.register_with_unit(
            format!("quota_{name}"),
            format!("{help}, GPUs"),
            unit("gpus"),
            Family::clone(&gpus),
        );
        let cpu = format!("quota_{name}_cpu");
        registry.register_with_unit(cpu, format!("{help}, cores"), unit("cores"), Family::clone(&cores));
        let memory = format!("quota_{name}_memory");
        registry.register_with_unit(memory, format!("{help}, memory"), Unit::Bytes, Family::clone(&bytes));
        Column { gpus, cores, bytes }
    }

    fn set(&self, quota: &str, models: &[Box<str>], dimension: Dimension, amount: i64) {
        let whole = amount as f64 / f64::from(WHOLE);
        let quota = quota.to_string();
        match dimension {
            Dimension::CPU => _ = self.cores.get_or_create(&OfQuota { quota }).set(whole),
            Dimension::MEMORY => _ = self.bytes.get_or_create(&OfQuota { quota }).set(amount as f64),
            gpu => {
                let model = gpu.model().and_then(|model| models.get(model.index()));
                let model = model.map_or_else(String::new, |model| model.to_string());
                self.gpus.get_or_create(&OfModel { quota, model }).set(whole);
            }
        }
    }
}

/// Guarantees and what became of them, in the dimensions that the root of each tree states.
fn quotas(registry: &mut Registry, engine: &Engine) {
    let guarantee = Column::register(registry, "guarantee", "What a quota is guaranteed");
    let drawn = Column::register(registry, "drawn", "What its account is drawn for");
    let lent = Column::register(
        registry,
        "lent",
        "What is drawn on its account by loan or idle, and can be recalled",
    );
    let mut unlisted_count = 0;
    for (index, account) in engine.account_figures().enumerate() {
        if index >= MAX_LISTED {
            unlisted_count += 1;
            continue;
        }
        let Some(quota) = engine.quota(account.quota) else { continue };
        let models = engine.model_names(account.pool);
        let stated = engine.quota(quota.root).map_or(account.guarantee, |root| root.guarantee);
        for (dimension, _) in stated.stated() {
            guarantee.set(&quota.name, models, dimension, account.guarantee[dimension]);
            drawn.set(&quota.name, models, dimension, account.drawn[dimension]);
            lent.set(&quota.name, models, dimension, account.lent[dimension]);
        }
    }
    let unlisted: Gauge = Gauge::default();
    unlisted.set(unlisted_count);
    registry.register("unlisted_quotas", "Quotas beyond those whose figures are listed", unlisted);
}

/// Every GPU is in one state: drawn on, free on a ready or a cordoned node, or lost with its node.
fn pools(registry: &mut Registry, engine: &Engine) {
    let (gpus, nodes) = (Family::<Gpus, Real>::default(), Family::<Nodes, Gauge>::default());
    for pool in engine.pools() {
        let name = pool.name.to_string();
        for (index, model) in pool.models.iter().enumerate() {
            let figures = |state| pool.nodes.figures(Some(ModelId(index as u8)), state);
            let whole = |milli: u64| milli as f64 / f64::from(WHOLE);
            let (ready, cordoned, lost) =
                (figures(NodeState::Ready), figures(NodeState::Cordoned), figures(NodeState::Lost));
            let (idle, closed) = (whole(ready.free_milli), whole(cordoned.free_milli));
            let used = (ready.devices + cordoned.devices) as f64 - idle - closed;
            let states =
                [("used", used), ("free", idle), ("cordoned", closed), ("lost", lost.devices as f64)];
            for (state, count) in states {
                let labels = Gpus { pool: name.clone(), model: model.to_string(), state };
                gpus.get_or_create(&labels).set(count);
            }
        }
        for node in pool.nodes.iter() {
            let state = match node.state {
                NodeState::Ready => "ready",
                NodeState::Cordoned => "cordoned",
                NodeState::Lost => "lost",
            };
            nodes.get_or_create(&Nodes { pool: name.clone(), state }).inc();
        }
    }
    registry.register("pool_gpus", "GPUs of a pool, by what they do", gpus);
    registry.register("pool_nodes", "Nodes of a pool", nodes);
}

fn workloads(registry: &mut Registry, world: &World) {
    let states = Family::<InState, Gauge>::default();
    let all = world.shell.workloads.len() as i64;
    let ended = world.shell.ended.len() as i64;
    let waiting: i64 = world.engine.account_figures().map(|account| i64::from(account.queued)).sum();
    // Who does not wait and has not ended holds something, whatever it is about to do with it.
    for (state, count) in [("waiting", waiting), ("active", all - ended - waiting), ("ended", ended)] {
        states.get_or_create(&InState { state }).set(count);
    }
    registry.register("workloads", "Workloads in memory", states);
    let events: Counter = Counter::default();
    events.inc_by(world.next);
    registry.register("log_events", "Events since the log began", events);
}

/// What was ever used, with what goes on. In seconds of one GPU, core or byte.
fn metered(registry: &mut Registry, meter: &Meter) {
    // What cannot be followed at present is told later.
    let _ = meter.catch_up();
    let family = Family::<Metered, Counter<f64, AtomicU64>>::default();
    let mut sums: BTreeMap<(&'static str, String, [&'static str; 3]), i128> = BTreeMap::new();
    for (kind, total) in meter.totals() {
        let (resource, model) = match &kind.resource {
            Resource::Gpu(model) => ("gpu", model.to_string()),
            Resource::Cpu => ("cpu", String::new()),
            Resource::Memory => ("memory", String::new()),
        };
        let words = [kind.mode.word(), kind.class.word(), kind.word()];
        *sums.entry((resource, model, words)).or_default() += total;
    }
    for ((resource, model, [mode, class, kind]), total) in sums {
        let whole = if resource == "memory" { 1.0 } else { f64::from(WHOLE) };
        let counter = family.get_or_create(&Metered { resource, model, mode, class, kind });
        counter.inc_by(total as f64 / whole / 1_000.0);
    }
    registry.register_with_unit("metered", "What was used, times how long", Unit::Seconds, family);
}

fn server(registry: &mut Registry, control: &Control, size: Option<Size>) {
    let bytes = Family::<Part, Gauge>::default();
    if let Some(size) = size {
        bytes.get_or_create(&Part { part: "database" }).set(size.database as i64);
        bytes.get_or_create(&Part { part: "pending" }).set(size.pending as i64);
    }
    registry.register_with_unit("log", "Size of the log's files", Unit::Bytes, bytes);
    let watchers: Gauge = Gauge::default();
    watchers.set(control.hub().watchers() as i64);
    registry.register("watchers", "Watches that are open", watchers);
    let ahead = Real::default();
    ahead.set(control.clock().ahead().as_secs_f64());
    registry.register_with_unit(
        "clock_ahead",
        "How far time is ahead of the machine's clock",
        Unit::Seconds,
        ahead,
    );
    let build = Family::<Release, Gauge>::default();
    build.get_or_create(&Release { version: env!("CARGO_PKG_VERSION") }).set(1);
    registry.register("build_info", "The release, as a label", build);
}
