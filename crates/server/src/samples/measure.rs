//! The world as figures.

use super::MAX_SUBJECTS;
use crate::core::world::World;
use tidegate_api::convert::uses;
use tidegate_api::uid;
use tidegate_engine::reason::Names;
use tidegate_engine::resources::{Resources, WHOLE};

/// What has figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Quota,
    Node,
    Workload,
}

/// Whose figures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    pub kind: Kind,
    /// A name; of a workload, which may share its name with earlier ones, the uid.
    pub key: Box<str>,
}

impl Subject {
    pub fn new(kind: Kind, key: &str) -> Subject {
        Subject { kind, key: key.into() }
    }
}

impl Kind {
    /// The figures of its subjects, with their units. The order is the order in blocks: new ones come last.
    pub fn metrics(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Kind::Quota => &[
                ("guarantee", "gpu"),
                ("drawn", "gpu"),
                ("lent", "gpu"),
                ("balance", "gpu"),
                ("queued", "workloads"),
                ("running", "workloads"),
            ],
            Kind::Node => &[("used", "gpu")],
            Kind::Workload => &[("replicas", "replicas"), ("gpu", "gpu")],
        }
    }

    pub(super) fn number(self) -> u8 {
        match self {
            Kind::Quota => 0,
            Kind::Node => 1,
            Kind::Workload => 2,
        }
    }
}

/// Thousandths, in the order of `Kind::metrics`.
pub(super) type Figures = Vec<i64>;

/// All figures at present.
pub(super) fn measure(world: &World) -> Vec<(Subject, Figures)> {
    let mut all = quotas(world);
    all.extend(nodes(world));
    all.extend(workloads(world));
    all
}

fn thousandths(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(i64::from(WHOLE))
}

fn quotas(world: &World) -> Vec<(Subject, Figures)> {
    let engine = &world.engine;
    let uses = uses(engine);
    let row = |books: &tidegate_engine::books::QuotaBooks| {
        let used = uses.get(books.quota.index()).copied().unwrap_or_default();
        let drawn = books.drawn.iter().fold(Resources::default(), |sum, drawn| sum.plus(drawn));
        let figures = vec![
            books.guarantee.all_gpus(),
            drawn.all_gpus(),
            used.lent.all_gpus(),
            books.balance.all_gpus(),
            thousandths(books.queued.into()),
            thousandths(used.running.into()),
        ];
        (Subject::new(Kind::Quota, &engine.quota_name(books.quota)), figures)
    };
    engine.books().iter().take(MAX_SUBJECTS).map(row).collect()
}

fn nodes(world: &World) -> impl Iterator<Item = (Subject, Figures)> + '_ {
    let nodes = world.engine.pools().iter().flat_map(|pool| pool.nodes.iter()).take(MAX_SUBJECTS);
    nodes.map(|node| {
        let used = thousandths(node.spec.gpus.into()) - i64::from(node.free_milli);
        (Subject::new(Kind::Node, &node.spec.name), vec![used])
    })
}

/// Those that have not ended; of one that waits there is a zero to see.
fn workloads(world: &World) -> impl Iterator<Item = (Subject, Figures)> + '_ {
    let live = world.engine.workloads().filter(|w| !w.state.is_ended()).take(MAX_SUBJECTS);
    live.map(|w| {
        let running = world.engine.units(w.id).filter(|unit| unit.is_running());
        let (mut replicas, mut gpu) = (0, 0);
        for unit in running {
            replicas += unit.grant.slots.len() as u64;
            gpu += unit.gpu;
        }
        (Subject::new(Kind::Workload, &uid::workload(w.id)), vec![thousandths(replicas), gpu])
    })
}
