//! The world as figures.

use super::MAX_SUBJECTS;
use super::taken::{Sum, Taken, thousandths};
use crate::center::usage;
use crate::core::world::World;
use tidegate_api::convert::uses;
use tidegate_api::uid;
use tidegate_engine::ids::WorkspaceId;
use tidegate_engine::reason::Names;
use tidegate_engine::resources::Resources;

/// What has figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Quota,
    Node,
    Workload,
    Replica,
    Workspace,
}

/// Whose figures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    pub kind: Kind,
    /// A name; of a workload, which may share its name with earlier ones, the uid; of a replica that and its number.
    pub key: Box<str>,
}

impl Subject {
    pub fn new(kind: Kind, key: &str) -> Subject {
        Subject { kind, key: key.into() }
    }

    /// A workspace by its number: a name may be used again.
    pub fn workspace(id: WorkspaceId) -> Subject {
        Subject::new(Kind::Workspace, &format!("ws-{}", id.0))
    }

    /// A replica by its number, as in `TIDEGATE_REPLICA`.
    pub fn replica(uid: &str, number: u32) -> Subject {
        Subject::new(Kind::Replica, &format!("{uid}/{number}"))
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
            Kind::Node => &[("used", "gpu"), ("cpu", "cpu"), ("memory", "bytes")],
            Kind::Workload => &[
                ("replicas", "replicas"),
                ("gpu", "gpu"),
                ("cpu", "cpu"),
                ("memory", "bytes"),
                ("gpuDuty", "ratio"),
                ("gpuMemory", "bytes"),
            ],
            Kind::Replica => {
                &[("cpu", "cpu"), ("memory", "bytes"), ("gpuDuty", "ratio"), ("gpuMemory", "bytes")]
            }
            Kind::Workspace => &[
                ("drawn", "gpu"),
                ("borrowed", "gpu"),
                ("requested", "gpu"),
                ("queued", "workloads"),
                ("running", "workloads"),
            ],
        }
    }

    pub(super) fn number(self) -> u8 {
        match self {
            Kind::Quota => 0,
            Kind::Node => 1,
            Kind::Workload => 2,
            Kind::Replica => 3,
            Kind::Workspace => 4,
        }
    }
}

/// Thousandths, in the order of `Kind::metrics`; `None` for what nobody knows.
pub(super) type Figures = Vec<Option<i64>>;

/// All figures at present.
pub(super) fn measure(world: &World, taken: &Taken) -> Vec<(Subject, Figures)> {
    let mut all = quotas(world);
    all.extend(rooms(world));
    all.extend(nodes(world, taken));
    all.extend(workloads(world, taken));
    let replicas = taken.replicas.iter().take(MAX_SUBJECTS);
    all.extend(replicas.map(|((workload, number), sum)| {
        (Subject::replica(&uid::workload(*workload), *number), [sum.host(), sum.gpus()].concat())
    }));
    all
}

fn quotas(world: &World) -> Vec<(Subject, Figures)> {
    let engine = &world.engine;
    let uses = uses(engine, world.dispatch.assigned());
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
        let figures = figures.into_iter().map(Some).collect();
        (Subject::new(Kind::Quota, &engine.quota_name(books.quota)), figures)
    };
    engine.books().iter().take(MAX_SUBJECTS).map(row).collect()
}

/// Of every workspace in which anything lives.
fn rooms(world: &World) -> impl Iterator<Item = (Subject, Figures)> {
    let rooms = usage::by_workspace(world).into_iter().take(MAX_SUBJECTS);
    rooms.map(|(id, used)| {
        let (drawn, borrowed, requested) = (used.drawn.0, used.borrowed.0, used.requested.0);
        let (queued, running) = (thousandths(used.queued.into()), thousandths(used.running.into()));
        let figures = [drawn, borrowed, requested, queued, running];
        (Subject::workspace(id), figures.into_iter().map(Some).collect())
    })
}

fn nodes<'a>(world: &'a World, taken: &'a Taken) -> impl Iterator<Item = (Subject, Figures)> + 'a {
    let nodes = world.engine.pools().iter().flat_map(|pool| pool.nodes.iter()).take(MAX_SUBJECTS);
    // Nothing is taken where nothing runs; what others take of the machine is not asked.
    let other = if taken.is_measured { Sum::NOTHING } else { Sum::default() };
    nodes.map(move |node| {
        let used = thousandths(node.spec.gpus.into()) - i64::from(node.free_milli);
        let sum = taken.nodes.get(&*node.spec.name).unwrap_or(&other);
        (Subject::new(Kind::Node, &node.spec.name), [&[Some(used)][..], &sum.host()].concat())
    })
}

/// Those that have started and not ended; of one that waits again there is a zero to see.
fn workloads<'a>(world: &'a World, taken: &'a Taken) -> impl Iterator<Item = (Subject, Figures)> + 'a {
    world.dispatch.assigned().take(MAX_SUBJECTS).map(|id| {
        let running = world.engine.units(id).filter(|unit| unit.is_running());
        let (mut replicas, mut gpu) = (0, 0);
        for unit in running {
            replicas += unit.grant.slots.len() as u64;
            gpu += unit.gpu;
        }
        let sum = taken.workloads.get(&id).copied().unwrap_or_default();
        let figures = [[Some(thousandths(replicas)), Some(gpu)], sum.host(), sum.gpus()].concat();
        (Subject::new(Kind::Workload, &uid::workload(id)), figures)
    })
}
