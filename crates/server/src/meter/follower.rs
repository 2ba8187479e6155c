//! What the log says of who used what. Values in, values out: the same log gives the same records.

use super::capacity::{Capacity, Closed, Holding};
use crate::core::entry::{Body, Happened};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidegate_billing::Record as Business;
use tidegate_billing::dedicated::ConfigId;
use tidegate_billing::price::{Mode, Resource};
use tidegate_billing::record::ComputeKind;
use tidegate_engine::ids::{MemberId, ModelId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::policy::Source;
use tidegate_engine::resources::Dimension;
use tidegate_engine::usage::{Interval, Metered, Usage};
use tidegate_engine::words::{Class, Module, Priority, Rule};
use tidegate_engine::{Event, EventKind};
use tidegate_identity::people::ADMIN;

/// What records are told apart and added up by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Kind {
    pub workspace: WorkspaceId,
    pub user: MemberId,
    /// Whose capacity it was. It lends, where it is not the borrower.
    pub account: QuotaId,
    /// The quota of the workload.
    pub borrower: QuotaId,
    pub mode: Mode,
    /// The dedicated compute that it is, or that the work ran on.
    pub config: Option<ConfigId>,
    /// Of the work; `None` for capacity, which a config holds whether anything works there or not.
    pub module: Option<Module>,
    pub resource: Resource,
    pub class: Class,
    pub rule: Rule,
}

impl Kind {
    /// Capacity that a config holds, not work.
    pub fn is_capacity(&self) -> bool {
        self.module.is_none()
    }

    /// `work` or `capacity`.
    pub fn word(&self) -> &'static str {
        if self.is_capacity() { "capacity" } else { "work" }
    }

    /// Whether it costs anything by itself: what works on dedicated compute is paid for with the compute.
    pub fn is_charged(&self) -> bool {
        self.is_capacity() || self.config.is_none()
    }
}

/// What somebody has held for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub kind: Kind,
    /// None of capacity.
    pub workload: Option<WorkloadId>,
    pub name: Arc<str>,
    pub priority: Priority,
    pub unit: u32,
    /// When the workload was submitted.
    pub queued: Tick,
    /// Number in the log of the event that began it.
    pub key: u64,
    pub from: Tick,
    pub to: Tick,
    pub amount: i64,
}

/// What is the same for all records of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct About {
    name: Arc<str>,
    workspace: WorkspaceId,
    user: MemberId,
    module: Module,
    priority: Priority,
    mode: Mode,
    config: Option<ConfigId>,
    queued: Tick,
}

/// A workload that has not ended, as it is written down between two looks at the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    about: About,
    metered: Metered,
}

/// What records need to know of quotas and pools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    models: BTreeMap<(PoolId, ModelId), Arc<str>>,
    /// Also those that are gone: their records stay.
    quotas: BTreeMap<QuotaId, (Arc<str>, PoolId)>,
    shared: BTreeSet<QuotaId>,
}

impl Places {
    /// The name of a quota that is there, or was.
    pub fn quota(&self, id: QuotaId) -> Arc<str> {
        self.quotas.get(&id).map_or_else(|| format!("q-{}", id.0).into(), |(name, _)| name.clone())
    }

    /// Quotas of this name, the latest last.
    pub fn quotas_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = QuotaId> + 'a {
        self.quotas.iter().filter(move |(_, (known, _))| &**known == name).map(|(id, _)| *id)
    }

    pub(super) fn resource(&self, account: QuotaId, dimension: Dimension) -> Resource {
        match dimension {
            Dimension::CPU => Resource::Cpu,
            Dimension::MEMORY => Resource::Memory,
            _ => {
                let pool = self.quotas.get(&account).map(|(_, pool)| *pool);
                let model = pool.zip(dimension.model()).and_then(|key| self.models.get(&key));
                Resource::Gpu(model.cloned().unwrap_or_else(|| "unknown".into()))
            }
        }
    }

    /// Whether it changed.
    fn observe(&mut self, event: &Event) -> bool {
        match &event.kind {
            EventKind::NodeAdded { pool, model, spec, .. } => {
                let Some((id, name)) = spec.model.zip(model.as_deref()) else { return false };
                self.models.insert((*pool, id), name.into()).is_none()
            }
            EventKind::QuotaCreated { quota, spec } => {
                let pool = match spec.source {
                    Source::Pool(pool) => Some(pool),
                    Source::Parent(parent) => self.quotas.get(&parent).map(|(_, pool)| *pool),
                };
                let Some(pool) = pool else { return false };
                self.quotas.insert(*quota, ((&*spec.name).into(), pool));
                true
            }
            _ => false,
        }
    }
}

/// What a part of the log brought about.
#[derive(Clone, Debug, Default)]
pub struct News {
    pub uses: Vec<Use>,
    /// Workloads that are to be written down, and those that have ended.
    pub touched: BTreeSet<WorkloadId>,
    /// Configs that are to be written down.
    pub configs: BTreeSet<ConfigId>,
    pub places_changed: bool,
    /// When each of `uses` was noted: no earlier than it ended.
    pub noted: Vec<Tick>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    places: Places,
    about: BTreeMap<WorkloadId, About>,
    usage: Usage,
    capacity: Capacity,
}

impl Follower {
    /// Goes on where it was left.
    pub fn resume(
        places: Places,
        live: impl IntoIterator<Item = (WorkloadId, Live)>,
        configs: impl IntoIterator<Item = (ConfigId, Holding)>,
    ) -> Follower {
        let capacity = Capacity::resume(configs);
        let mut follower = Follower { places, capacity, ..Follower::default() };
        for (id, Live { about, metered }) in live {
            follower.about.insert(id, about);
            follower.usage.restore(id, Some(metered));
        }
        follower
    }

    pub fn places(&self) -> &Places {
        &self.places
    }

    /// A workload as it is to be written down; `None` if it has ended.
    pub fn live(&self, id: WorkloadId) -> Option<Live> {
        let about = self.about.get(&id)?.clone();
        Some(Live { about, metered: self.usage.metered(id)?.clone() })
    }

    /// A config as it is to be written down.
    pub fn holding(&self, id: ConfigId) -> Option<&Holding> {
        self.capacity.holding(id)
    }

    /// Takes in an entry from the number `from` on.
    pub fn follow(&mut self, first: u64, from: u64, body: &Body, news: &mut News) {
        for (number, happened) in (first..).zip(body.happened()).skip_while(|(number, _)| *number < from) {
            let at = match happened {
                Happened::Event(event) => event.at,
                Happened::Business(change) => change.at,
                Happened::People(change) => change.at,
            };
            let mut closed = Closed::default();
            self.capacity.pass(at, &self.places, &mut closed);
            match happened {
                Happened::Event(event) => self.event(number, event, news),
                Happened::Business(change) => {
                    self.business(number, at, change.before.as_deref(), false, news, &mut closed);
                    self.business(number, at, change.after.as_deref(), true, news, &mut closed);
                }
                Happened::People(_) => {}
            }
            news.uses.extend(closed.uses);
            news.configs.extend(closed.touched);
            news.noted.resize(news.uses.len(), at);
        }
    }

    /// Takes in one side of a change.
    fn business(
        &mut self,
        number: u64,
        at: Tick,
        record: Option<&Business>,
        is_after: bool,
        news: &mut News,
        closed: &mut Closed,
    ) {
        match record {
            Some(Business::Compute(compute)) => {
                match is_after && compute.kind == ComputeKind::Shared {
                    true => self.places.shared.insert(compute.quota),
                    false => self.places.shared.remove(&compute.quota),
                };
                news.places_changed = true;
            }
            Some(Business::ResourceConfig(config)) if is_after => {
                self.capacity.observe(number, at, config, &self.places, closed);
            }
            _ => {}
        }
    }

    fn event(&mut self, number: u64, event: &Event, news: &mut News) {
        use EventKind::*;
        news.places_changed |= self.places.observe(event);
        self.usage.go_on_at(number);
        let closed = self.usage.observe(event);
        match &event.kind {
            Queued { workload, spec, .. } => {
                let shared = spec.module == Module::Task && self.places.shared.contains(&spec.quota);
                let config = self.capacity.of(spec.quota);
                let mode = if shared { Mode::Shared } else { Mode::Quota };
                let about = About {
                    name: (&*spec.name).into(),
                    workspace: spec.workspace,
                    user: spec.owner.map_or(ADMIN, |owner| owner.member),
                    module: spec.module,
                    priority: spec.priority,
                    mode: config.map_or(mode, |(_, mode)| mode),
                    config: config.map(|(id, _)| id),
                    queued: event.at,
                };
                self.about.insert(*workload, about);
                news.touched.insert(*workload);
            }
            PriorityChanged { workload, to, .. } => {
                if let Some(about) = self.about.get_mut(workload) {
                    about.priority = *to;
                    news.touched.insert(*workload);
                }
            }
            Started { workload, .. }
            | Released { workload, .. }
            | Moved { workload, .. }
            | Lost { workload, .. }
            | Failed { workload, restarts_left: Some(_) } => {
                news.touched.insert(*workload);
            }
            _ => {}
        }
        let uses = closed.into_iter().filter_map(|interval| self.named(interval));
        news.uses.extend(uses);
        match event.kind {
            // Whoever has ended draws nothing any more, and never will.
            Finished { workload }
            | Failed { workload, restarts_left: None }
            | Stopped { workload, .. }
            | Forgotten { workload } => {
                self.about.remove(&workload);
                self.usage.restore(workload, None);
                news.touched.insert(workload);
            }
            _ => {}
        }
    }

    fn named(&self, interval: Interval) -> Option<Use> {
        let about = self.about.get(&interval.workload)?;
        let kind = Kind {
            workspace: about.workspace,
            user: about.user,
            account: interval.account,
            borrower: interval.borrower,
            mode: about.mode,
            config: about.config,
            module: Some(about.module),
            resource: self.places.resource(interval.account, interval.dimension),
            class: interval.class,
            rule: interval.rule,
        };
        Some(Use {
            kind,
            workload: Some(interval.workload),
            name: about.name.clone(),
            priority: about.priority,
            unit: interval.unit,
            queued: about.queued,
            key: interval.key,
            from: interval.from,
            to: interval.to,
            amount: interval.amount,
        })
    }

    /// What goes on now, as if it ended at `now`.
    pub fn open(&self, now: Tick) -> impl Iterator<Item = Use> + '_ {
        let work = self.usage.open(now).filter_map(|interval| self.named(interval));
        work.chain(self.capacity.open(now, &self.places))
    }
}
