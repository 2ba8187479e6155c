//! Who is let be tried, and whether there is room for it.

use crate::naive::books::units;
use crate::naive::room::{Load, Room};
use crate::naive::rules::{Payer, accounts};
use std::cmp::Reverse;
use tidegate_engine::Engine;
use tidegate_engine::ids::{ModelId, QuotaId, Tick, WorkloadId};
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::words::{Class, Strategy};
use tidegate_engine::workload::{Workload, WorkloadSpec};

/// The priority by which a workload stands in its queue.
fn place(w: &Workload, strategy: Strategy, aging_step: u64, now: Tick) -> u8 {
    let submitted = w.spec.priority.get();
    if strategy != Strategy::Intelligent || submitted >= 7 || aging_step == 0 {
        return submitted;
    }
    let aged = u64::from(submitted).saturating_add((now.0 - w.enqueued.0) / aging_step);
    (aged.min(6) as u8).max(submitted)
}

/// Those that wait, in order. Under `fair` the turn of workspaces is left out.
fn line(engine: &Engine, quota: QuotaId, now: Tick) -> Vec<&Workload> {
    let Some(q) = engine.quota(quota) else { return Vec::new() };
    let policy = q.policy.queue;
    let mut line: Vec<&Workload> =
        engine.workloads().filter(|w| w.spec.quota == quota && w.state.is_waiting()).collect();
    line.sort_by_key(|w| (Reverse(place(w, policy.strategy, policy.aging_step.0, now)), w.enqueued, w.id));
    line
}

/// Those that the queue's strategy lets be tried now.
pub fn tried(engine: &Engine, quota: QuotaId, now: Tick) -> Vec<&Workload> {
    let Some(q) = engine.quota(quota) else { return Vec::new() };
    let mut line = line(engine, quota, now);
    let most = match q.policy.queue.strategy {
        Strategy::Fifo => 1,
        Strategy::RoundRobin | Strategy::Fair => usize::MAX,
        Strategy::Intelligent => {
            if line.first().is_some_and(|w| w.spec.priority.get() >= 7) {
                1
            } else {
                usize::MAX
            }
        }
        Strategy::Balance => {
            let since = line.first().and_then(|w| w.passed_over);
            since.map_or(1, |s| ((now.0 - s.0) / q.policy.queue.patience.0.max(1)).saturating_add(1) as usize)
        }
    };
    line.truncate(most);
    line
}

/// The order that the engine shows is the order of the rules.
pub fn check_order(engine: &Engine, now: Tick) -> Result<(), String> {
    for b in engine.books() {
        let fair = engine.quota(b.quota).is_some_and(|q| q.policy.queue.strategy == Strategy::Fair);
        let (mut shown, mut counted) =
            (engine.queue(now, b.quota), line(engine, b.quota, now).iter().map(|w| w.id).collect::<Vec<_>>());
        if fair {
            shown.sort_unstable();
            counted.sort_unstable();
        }
        if shown != counted {
            return Err(format!("the queue of quota {} is shown as {shown:?} and is {counted:?}", b.quota.0));
        }
    }
    Ok(())
}

/// Models that a workload may run on, as far as nothing of it runs.
pub fn models(engine: &Engine, spec: &WorkloadSpec) -> Vec<Option<ModelId>> {
    if spec.gpus() == 0 {
        return vec![None];
    }
    let pool = engine.quota(spec.quota).and_then(|q| engine.pool(q.pool));
    let count = pool.map_or(0, |p| p.models.len() as u8);
    (0..count).map(ModelId).filter(|m| spec.models.allows(*m)).map(Some).collect()
}

/// What a load takes of accounts, in the dimensions that its tree keeps.
pub fn price(engine: &Engine, quota: QuotaId, load: &Load) -> Resources {
    let mut price = Resources::default();
    let [gpu, cpu, memory] = load.totals();
    if let Some(m) = load.model {
        price[Dimension::gpu(m)] = gpu;
    }
    let root = engine.quota(quota).and_then(|q| engine.quota(q.root));
    for (d, amount) in [(Dimension::CPU, cpu), (Dimension::MEMORY, memory)] {
        if root.is_some_and(|r| r.guarantee[d] > 0) {
            price[d] = amount;
        }
    }
    price
}

/// Whether a queued workload has room as things are: a free balance for its minimum, and nodes that nobody
/// occupies or has been promised.
pub fn has_room(engine: &Engine, w: &Workload) -> Option<String> {
    let spec = &w.spec;
    // Replicas of several kinds are placed by a rule of thumb, which may miss what is possible.
    if spec.roles.len() > 1 {
        return None;
    }
    let pool = engine.quota(spec.quota)?.pool;
    let room = Room::of(engine, pool, |_| true);
    let books = engine.books();
    let payer = Payer::of(spec);
    for model in models(engine, spec) {
        let load = Load::of(spec, model, spec.min());
        if room.holds(&load) != Some(true) {
            continue;
        }
        let price = price(engine, spec.quota, &load);
        for class in [Class::Firm, Class::Loan, Class::Idle] {
            let usable = accounts(engine, &payer, class, false);
            let mut free = Resources::default();
            for b in books.iter().filter(|b| usable.contains(&b.quota) && !b.overdrawn) {
                Dimension::all().for_each(|d| free[d] += b.balance[d].max(0));
            }
            if !usable.is_empty() && Dimension::all().all(|d| free[d] >= price[d]) {
                return Some(format!(
                    "{} waits, and its minimum has room as {class} on model {model:?}",
                    spec.name
                ));
            }
        }
    }
    None
}

/// Whether nothing leaves and nothing is held: then the books alone say what is possible.
pub fn is_calm(engine: &Engine) -> bool {
    units(engine).all(|u| u.is_running())
}

/// Nobody who may be tried has room. `reserved`: somebody's claim keeps others out, so nothing can be said.
pub fn check_no_room(engine: &Engine, now: Tick, reserved: &[WorkloadId]) -> Result<(), String> {
    if !reserved.is_empty() {
        return Ok(());
    }
    for b in engine.books() {
        if let Some(why) = tried(engine, b.quota, now).into_iter().find_map(|w| has_room(engine, w)) {
            return Err(why);
        }
    }
    Ok(())
}
