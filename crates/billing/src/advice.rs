//! What other compute would have cost: the tasks of some weeks, once more, through the real engine.
//!
//! Every task comes when it came, runs for as long as it ran, and asks for what it asked for. It is given a quota of its
//! own: of a fixed size for the whole period (reserved), or one that grows and shrinks as [`scaling`](crate::scaling)
//! decides (by usage), from a supply that has enough. Nodes are as large as needed, so nothing is lost to fragmentation,
//! and nobody else is in the way.

use crate::charge::{Quantity, clip};
use crate::money::Money;
use crate::price::{Mode, NoPrice, PriceBook, Resource};
use crate::replay::{Job, Plan, Replayed, replay};
use crate::scaling::Scaling;
use crate::statement::{About, borders, statement};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::ids::{ModelId, QuotaId, Span, Tick, WorkspaceId};
use tidegate_engine::resources::{Dimension, MAX_MODELS, Resources, Shape};
use tidegate_engine::words::Class;

/// Sizes that are tried for a reservation: so many parts of what all tasks would have used at most at once.
const SIZES: i64 = 8;
/// What counts as no wait, where nobody waited on shared compute.
const AT_ONCE: Span = Span::seconds(10);
/// How compute by usage would be set up: what a request for it says if it says nothing else.
const THRESHOLD: u32 = 800;
const WAIT: Span = Span::seconds(10);
const COOL_DOWN: Span = Span::minutes(5);

/// A task that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastTask {
    pub queued: Tick,
    pub started: Tick,
    /// How long it ran, all times together.
    pub runs: Span,
    pub shape: Shape,
    /// Of its GPUs.
    pub model: Option<Arc<str>>,
}

/// How long tasks waited for their start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub p50: Span,
    pub p95: Span,
    pub most: Span,
}

/// One way to have run all tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub mode: Mode,
    /// Reserved: what it has. By usage: the most that it had at once. Shared: nothing of its own.
    pub size: Vec<(Resource, i64)>,
    pub cost: Result<Money, NoPrice>,
    pub waiting: Waiting,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    pub tasks: usize,
    /// As it was.
    pub shared: Way,
    /// All sizes that were tried, ascending.
    pub tried: Vec<Way>,
    /// Of these, the cheapest in which waiting is no worse than it was; the largest, if it is worse in all.
    pub reserved: usize,
    pub by_usage: Way,
    /// The cheapest of the three in which waiting is no worse than it was.
    pub best: Mode,
}

/// GPU models of some tasks, in the order of their dimensions.
struct Models(Vec<Arc<str>>);

impl Models {
    fn of(tasks: &[PastTask]) -> Models {
        let mut models: Vec<Arc<str>> = tasks.iter().filter_map(|task| task.model.clone()).collect();
        models.sort_unstable();
        models.dedup();
        models.truncate(MAX_MODELS);
        Models(models)
    }

    fn id(&self, model: &str) -> Option<ModelId> {
        self.0.iter().position(|known| **known == *model).map(|index| ModelId(index as u8))
    }

    fn resource(&self, dimension: Dimension) -> Resource {
        match dimension.model().and_then(|model| self.0.get(usize::from(model.0))) {
            Some(model) => Resource::Gpu(model.clone()),
            None if dimension == Dimension::CPU => Resource::Cpu,
            None => Resource::Memory,
        }
    }

    /// What a task holds while it runs.
    fn demand(&self, task: &PastTask) -> Resources {
        let mut demand = Resources::default();
        demand[Dimension::CPU] = task.shape.cpu.into();
        demand[Dimension::MEMORY] = i64::try_from(task.shape.memory).unwrap_or(i64::MAX);
        if let Some(model) = task.model.as_deref().and_then(|model| self.id(model)) {
            demand[Dimension::gpu(model)] = task.shape.gpu.into();
        }
        demand
    }

    fn sizes(&self, size: &Resources) -> Vec<(Resource, i64)> {
        size.stated().map(|(dimension, amount)| (self.resource(dimension), amount)).collect()
    }
}

/// What is held at least at once: the most of all, and of the largest task.
fn peaks(models: &Models, tasks: &[PastTask]) -> (Resources, Resources) {
    let (mut changes, mut largest) = (BTreeMap::<Tick, Resources>::new(), Resources::default());
    for task in tasks {
        let demand = models.demand(task);
        // Without anybody in the way it begins when it comes.
        let (from, to) = (task.queued, task.queued.after(task.runs));
        let at = changes.entry(from).or_default();
        *at = at.plus(&demand);
        let at = changes.entry(to).or_default();
        *at = at.minus(&demand);
        largest = most(&largest, &demand);
    }
    let (mut level, mut peak) = (Resources::default(), largest);
    for change in changes.values() {
        level = level.plus(change);
        peak = most(&peak, &level);
    }
    (peak, largest)
}

fn most(a: &Resources, b: &Resources) -> Resources {
    let mut most = *a;
    for (one, other) in most.0.iter_mut().zip(b.0) {
        *one = (*one).max(other);
    }
    most
}

/// A part of an amount, in whole GPUs, cores and GiB, and no less than the largest task needs.
fn part(of: &Resources, parts: i64, largest: &Resources) -> Resources {
    let mut size = Resources::default();
    for (dimension, amount) in of.stated() {
        let unit = if dimension == Dimension::MEMORY { 1 << 30 } else { 1_000 };
        let wanted = (amount.saturating_mul(parts) / SIZES).max(largest[dimension]).max(1);
        size[dimension] = wanted.saturating_add(unit - 1) / unit * unit;
    }
    size
}

fn waiting(mut waits: Vec<Span>) -> Waiting {
    waits.sort_unstable();
    // The smallest that so many percent are not above.
    let at = |percent: usize| match waits.len() {
        0 => Span::ZERO,
        count => waits[(count * percent).div_ceil(100).max(1) - 1],
    };
    Waiting { p50: at(50), p95: at(95), most: at(100) }
}

/// What amounts held over time cost in a period.
fn cost(
    book: &PriceBook,
    period: (Tick, Tick),
    mode: Mode,
    held: impl Iterator<Item = (Resource, i64, Tick, Tick)>,
) -> Result<Money, NoPrice> {
    let cuts = borders(book, period.0, period.1);
    let mut sums: BTreeMap<(Resource, usize), Quantity> = BTreeMap::new();
    for (resource, amount, from, to) in held {
        for (number, cut) in cuts.windows(2).enumerate() {
            let quantity = Quantity::of(amount, clip((from, to), (cut[0], cut[1])));
            if quantity != Quantity(0) {
                *sums.entry((resource.clone(), number)).or_default() += quantity;
            }
        }
    }
    let about = |resource: Resource| About {
        workspace: WorkspaceId::DEFAULT,
        mode,
        config: None,
        quota: QuotaId(0),
        resource,
        class: Class::Firm,
        correction: None,
    };
    let used = sums.into_iter().map(|((resource, part), quantity)| (about(resource), part, quantity));
    Ok(statement(book, &cuts, used)?.due)
}

/// Replays the tasks of a period. `None`: there were none.
pub fn advise(book: &PriceBook, tasks: &[PastTask], period: (Tick, Tick)) -> Option<Advice> {
    if tasks.is_empty() {
        return None;
    }
    let models = Models::of(tasks);
    let mut demands: Vec<Job> = tasks
        .iter()
        .map(|task| {
            let model = task.model.as_deref().and_then(|model| models.id(model));
            (task.queued, task.runs, task.shape, model, models.demand(task))
        })
        .collect();
    demands.sort_by_key(|(queued, ..)| *queued);
    let (peak, largest) = peaks(&models, tasks);
    let whole = part(&peak, SIZES, &largest);
    let run = |plan: Plan| replay(&demands, &models.0, &whole, plan);
    let priced = |mode, replayed: &Replayed| {
        let held = replayed.held.iter().flat_map(|(from, to, amount)| {
            models.sizes(amount).into_iter().map(move |(resource, amount)| (resource, amount, *from, *to))
        });
        cost(book, period, mode, held)
    };

    let as_it_was = tasks.iter().flat_map(|task| {
        let all = models.sizes(&models.demand(task)).into_iter();
        all.map(|(resource, amount)| (resource, amount, task.started, task.started.after(task.runs)))
    });
    let shared = Way {
        mode: Mode::Shared,
        size: Vec::new(),
        cost: cost(book, period, Mode::Shared, as_it_was),
        waiting: waiting(tasks.iter().map(|task| task.started.since(task.queued)).collect()),
    };

    let mut sizes: Vec<Resources> = (1..=SIZES).map(|parts| part(&peak, parts, &largest)).collect();
    sizes.dedup();
    let tried: Vec<Way> = sizes
        .iter()
        .map(|size| {
            let held = models.sizes(size).into_iter();
            let held = held.map(|(resource, amount)| (resource, amount, period.0, period.1));
            let cost = cost(book, period, Mode::Reserved, held);
            let waiting = waiting(run(Plan::Fixed(*size)).waits);
            Way { mode: Mode::Reserved, size: models.sizes(size), cost, waiting }
        })
        .collect();
    let good = |way: &Way| way.waiting.p95 <= shared.waiting.p95.max(AT_ONCE);
    // A larger one costs more: the first that is good is the cheapest.
    let reserved = tried.iter().position(good).unwrap_or(tried.len() - 1);

    let rule = Scaling {
        threshold: THRESHOLD,
        wait: WAIT,
        step: part(&peak, 1, &largest),
        minimum: Resources::default(),
        maximum: whole,
        cool_down: COOL_DOWN,
    };
    let replayed = run(Plan::Scaled(Box::new(rule)));
    let highest = replayed.held.iter().fold(Resources::default(), |top, (.., held)| most(&top, held));
    let by_usage = Way {
        mode: Mode::ByUsage,
        size: models.sizes(&highest),
        cost: priced(Mode::ByUsage, &replayed),
        waiting: waiting(replayed.waits),
    };
    let ways = [&shared, &tried[reserved], &by_usage];
    let known =
        ways.into_iter().filter(|way| good(way)).filter_map(|way| Some((way.cost.as_ref().ok()?, way.mode)));
    let best = known.min_by_key(|(cost, mode)| (**cost, *mode)).map_or(Mode::Shared, |(_, mode)| mode);
    Some(Advice { tasks: tasks.len(), shared, tried, reserved, by_usage, best })
}
