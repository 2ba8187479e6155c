//! Evictions that an operator asked for: by a scale, a transfer, or to empty a node.

use crate::checker::Checker;
use crate::line::Standing;
use crate::plan::Eviction;
use crate::quotas::share;
use crate::violation::Breach;
use crate::workloads::{Unit, Workload};
use crate::world::{Checked, World};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::QuotaId;
use tidegate_engine::nodes::NodeState;
use tidegate_engine::resources::Dimension;
use tidegate_engine::words::Class;

type Amounts = BTreeMap<(QuotaId, Dimension), i64>;

/// What units draw on these accounts.
fn drawn<'a>(units: impl Iterator<Item = &'a Unit>, accounts: &BTreeSet<QuotaId>) -> Amounts {
    let mut sum = Amounts::new();
    for draw in units.flat_map(|unit| &unit.grant.draws).filter(|draw| accounts.contains(&draw.account)) {
        *sum.entry((draw.account, draw.dimension)).or_default() += draw.amount;
    }
    sum
}

impl Checker {
    /// The evictions of one scale or transfer: none is needless, and lower classes leave first.
    pub(crate) fn check_operator(&mut self) -> Checked {
        let evictions = std::mem::take(&mut self.batch.operator);
        for eviction in &evictions {
            self.world.check_needed(eviction, &self.batch.shrunk)?;
            self.world.check_order(eviction, &self.batch.shrunk)?;
        }
        Ok(())
    }

    pub(crate) fn check_drained(&self, eviction: &Eviction) -> Checked {
        let victim = self.world.workload(eviction.victim)?;
        let nodes = &self.world.pools[&self.world.quota_of(victim).pool].nodes;
        let there = |n: &u32| {
            let mut slots = victim.units[n].grant.slots.iter();
            slots.any(|slot| nodes.get(&slot.node).is_some_and(|node| node.state != NodeState::Ready))
        };
        // What falls below its minimum leaves whole, wherever it is.
        let whole = victim.running() == 0 && eviction.units.iter().any(there);
        match eviction.units.iter().find(|n| !whole && !there(n)) {
            Some(&unit) => {
                let victim = self.world.name(eviction.victim);
                self.world.broken(Breach::NotThere { victim, unit })
            }
            None => Ok(()),
        }
    }
}

impl World {
    fn check_needed(&self, eviction: &Eviction, shrunk: &BTreeSet<QuotaId>) -> Checked {
        let victim = self.workload(eviction.victim)?;
        for units in victim.could_stay(&eviction.units) {
            let back = drawn(units.iter().map(|n| &victim.units[n]), shrunk);
            let fits = back.iter().all(|((account, d), amount)| {
                self.quotas[account].line(*d).promised() + amount <= share(&self.quotas, *account)[*d]
            });
            if fits {
                return self.broken(Breach::Needless { victim: self.name(eviction.victim), units });
            }
        }
        Ok(())
    }

    /// No unit of a lower class that gives at least as much was spared.
    fn check_order(&self, eviction: &Eviction, shrunk: &BTreeSet<QuotaId>) -> Checked {
        let victim = self.workload(eviction.victim)?;
        let gone = || eviction.units.iter().map(|n| &victim.units[n]);
        let class = gone().map(Unit::class).min().unwrap_or(Class::Idle);
        let gives = drawn(gone(), shrunk);
        let enough = |workload: &Workload, unit: &Unit| {
            let units = drawn(std::iter::once(unit), shrunk);
            self.quota_of(workload).pool == self.quota_of(victim).pool
                && unit.standing == Standing::Running
                && unit.class() < class
                && gives.iter().all(|(key, amount)| units.get(key).is_some_and(|own| own >= amount))
        };
        for id in &self.occupied {
            let other = &self.workloads[id];
            if let Some(unit) = other.units.values().find(|unit| enough(other, unit)) {
                let account = unit.grant.draws.iter().find(|draw| shrunk.contains(&draw.account));
                let account = account.map_or_else(String::new, |draw| self.quota_name(draw.account));
                let (victim, spared) = (self.name(eviction.victim), self.name(*id));
                return self.broken(Breach::WrongOrder { victim, spared, account });
            }
        }
        Ok(())
    }
}
