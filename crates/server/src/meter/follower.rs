//! What the log says of who used what. Values in, values out: the same log gives the same records.

use crate::core::entry::{Body, Happened};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidegate_billing::Record as Business;
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
    pub module: Module,
    pub resource: Resource,
    pub class: Class,
    pub rule: Rule,
}

/// What somebody has held for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub kind: Kind,
    pub workload: WorkloadId,
    pub name: Arc<str>,
    pub priority: Priority,
    pub unit: u32,
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

    fn resource(&self, account: QuotaId, dimension: Dimension) -> Resource {
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
    pub places_changed: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    places: Places,
    about: BTreeMap<WorkloadId, About>,
    usage: Usage,
}

impl Follower {
    /// Goes on where it was left.
    pub fn resume(places: Places, live: impl IntoIterator<Item = (WorkloadId, Live)>) -> Follower {
        let mut follower = Follower { places, ..Follower::default() };
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

    /// Takes in an entry from the number `from` on.
    pub fn follow(&mut self, first: u64, from: u64, body: &Body, news: &mut News) {
        for (number, happened) in (first..).zip(body.happened()).skip_while(|(number, _)| *number < from) {
            match happened {
                Happened::Event(event) => self.event(number, event, news),
                Happened::Business(change) => {
                    for (side, is) in [(&change.before, false), (&change.after, true)] {
                        if let Some(Business::Compute(compute)) = side.as_deref() {
                            let shared = is && compute.kind == ComputeKind::Shared;
                            match shared {
                                true => self.places.shared.insert(compute.quota),
                                false => self.places.shared.remove(&compute.quota),
                            };
                            news.places_changed = true;
                        }
                    }
                }
                Happened::People(_) => {}
            }
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
                let about = About {
                    name: (&*spec.name).into(),
                    workspace: spec.workspace,
                    user: spec.owner.map_or(ADMIN, |owner| owner.member),
                    module: spec.module,
                    priority: spec.priority,
                    mode: if shared { Mode::Shared } else { Mode::Quota },
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
            module: about.module,
            resource: self.places.resource(interval.account, interval.dimension),
            class: interval.class,
            rule: interval.rule,
        };
        Some(Use {
            kind,
            workload: interval.workload,
            name: about.name.clone(),
            priority: about.priority,
            unit: interval.unit,
            key: interval.key,
            from: interval.from,
            to: interval.to,
            amount: interval.amount,
        })
    }

    /// What goes on now, as if it ended at `now`.
    pub fn open(&self, now: Tick) -> impl Iterator<Item = Use> + '_ {
        self.usage.open(now).filter_map(|interval| self.named(interval))
    }
}
