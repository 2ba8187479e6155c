//! What configs of dedicated compute hold, used or not: from the changes of their records.
//!
//! A hold is closed by the first of: a change that takes it away or puts another in its place, and its agreed end,
//! which the log passes with whatever happens then or later. Of one config nothing is counted twice: a hold counts from
//! where the one before it has ended, whatever it says itself.

use super::follower::{Kind, Places, Use};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_billing::dedicated::{ConfigId, Hold, ResourceConfig, Terms};
use tidegate_billing::price::Mode;
use tidegate_engine::ids::{MemberId, QuotaId, Tick, WorkspaceId};
use tidegate_engine::words::{Class, Priority, Rule};

/// What is being metered of one config, as it is written down between two looks at the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holding {
    workspace: WorkspaceId,
    /// Who asked for it.
    user: MemberId,
    quota: QuotaId,
    mode: Mode,
    /// One, and while its agreed end is near perhaps the next.
    open: Vec<Open>,
    /// Everything before was counted.
    done: Tick,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Open {
    hold: Hold,
    /// Number in the log of the change that began it.
    key: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Capacity {
    configs: BTreeMap<ConfigId, Holding>,
    /// Of each quota of a config, also of those that have ended.
    quotas: BTreeMap<QuotaId, (ConfigId, Mode)>,
    /// The earliest agreed end.
    next: Option<Tick>,
}

fn mode(terms: &Terms) -> Mode {
    match terms {
        Terms::Reserved { .. } => Mode::Reserved,
        Terms::ByUsage(_) => Mode::ByUsage,
    }
}

impl Capacity {
    /// Goes on where it was left.
    pub(super) fn resume(configs: impl IntoIterator<Item = (ConfigId, Holding)>) -> Capacity {
        let configs: BTreeMap<ConfigId, Holding> = configs.into_iter().collect();
        let quotas = configs.iter().map(|(id, holding)| (holding.quota, (*id, holding.mode))).collect();
        let mut capacity = Capacity { configs, quotas, next: None };
        capacity.next = capacity.next_end();
        capacity
    }

    /// The config of a quota, if it is one's.
    pub(super) fn of(&self, quota: QuotaId) -> Option<(ConfigId, Mode)> {
        self.quotas.get(&quota).copied()
    }

    pub(super) fn holding(&self, id: ConfigId) -> Option<&Holding> {
        self.configs.get(&id)
    }

    fn next_end(&self) -> Option<Tick> {
        self.configs.values().flat_map(|config| &config.open).filter_map(|open| open.hold.until).min()
    }

    /// Time has come to `at`: what was agreed to end by then has ended.
    pub(super) fn pass(&mut self, at: Tick, places: &Places, closed: &mut Closed) {
        if self.next.is_none_or(|next| next > at) {
            return;
        }
        for (id, holding) in &mut self.configs {
            let due = |open: &Open| open.hold.until.is_some_and(|until| until <= at);
            while let Some(place) = holding.open.iter().position(due) {
                let open = holding.open.remove(place);
                let until = open.hold.until.unwrap_or(at);
                closed.add(*id, holding, open, until, places);
            }
        }
        self.next = self.next_end();
    }

    /// A config is what it is now from `at` on.
    pub(super) fn observe(
        &mut self,
        number: u64,
        at: Tick,
        config: &ResourceConfig,
        places: &Places,
        closed: &mut Closed,
    ) {
        closed.touched.insert(config.id);
        let mode = mode(&config.terms);
        self.quotas.insert(config.quota, (config.id, mode));
        let holding = self.configs.entry(config.id).or_insert_with(|| Holding {
            workspace: config.workspace,
            user: config.by,
            quota: config.quota,
            mode,
            open: Vec::new(),
            done: Tick::ZERO,
        });
        let same = |open: &Open, new: &Hold| open.hold.since == new.since && open.hold.amount == new.amount;
        match config.hold {
            Some(new) if holding.open.last().is_some_and(|open| same(open, &new)) => {
                if let Some(open) = holding.open.last_mut() {
                    open.hold.until = new.until;
                }
            }
            new => {
                // What comes next may be carved out before what there is has come to its end.
                let end = new.map_or(at, |new| new.since.max(at));
                for open in &mut holding.open {
                    open.hold.until = Some(open.hold.until.map_or(end, |until| until.min(end)));
                }
                holding.open.extend(new.map(|hold| Open { hold, key: number }));
            }
        }
        self.next = self.next_end();
        self.pass(at, places, closed);
    }

    /// What is held now, as if it ended at `now`.
    pub(super) fn open<'a>(&'a self, now: Tick, places: &'a Places) -> impl Iterator<Item = Use> + 'a {
        self.configs.iter().flat_map(move |(id, holding)| {
            let mut closed = Closed::default();
            let mut holding = holding.clone();
            for open in std::mem::take(&mut holding.open) {
                let until = open.hold.until.map_or(now, |until| until.min(now));
                closed.add(*id, &mut holding, open, until, places);
            }
            closed.uses
        })
    }
}

/// What has come to its end.
#[derive(Clone, Debug, Default)]
pub(super) struct Closed {
    pub(super) uses: Vec<Use>,
    pub(super) touched: BTreeSet<ConfigId>,
}

impl Closed {
    fn add(&mut self, id: ConfigId, holding: &mut Holding, open: Open, until: Tick, places: &Places) {
        self.touched.insert(id);
        let from = open.hold.since.max(holding.done);
        if from >= until {
            return;
        }
        holding.done = until;
        for (dimension, amount) in open.hold.amount.stated() {
            let kind = Kind {
                workspace: holding.workspace,
                user: holding.user,
                account: holding.quota,
                borrower: holding.quota,
                mode: holding.mode,
                config: Some(id),
                module: None,
                resource: places.resource(holding.quota, dimension),
                class: Class::Firm,
                rule: Rule::Own,
            };
            self.uses.push(Use {
                kind,
                workload: None,
                name: id.to_string().into(),
                priority: Priority::DEFAULT,
                unit: 0,
                queued: from,
                key: open.key,
                from,
                to: until,
                amount,
            });
        }
    }
}
