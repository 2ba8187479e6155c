//! Who leaves together.

use super::cover::Cover;
use super::level::{Level, Named, RECALL};
use crate::ids::WorkloadId;
use crate::words::Module;
use smallvec::SmallVec;

/// Units that leave together, each with the rule that it shows.
pub(super) type Bite = SmallVec<[(u32, Named); 1]>;

impl Cover<'_, '_> {
    /// Running units of a workload that the cover leaves alone.
    pub(super) fn spared_units(&self, id: WorkloadId) -> impl Iterator<Item = u32> + '_ {
        let s = self.hunt.s;
        s.w(id).units.iter().copied().filter(move |&u| s.units[u].is_running() && !self.is_chosen(u))
    }

    /// What choosing a unit takes along: itself, or all that is left of a workload at its minimum.
    /// `None` if it may not go now.
    pub(super) fn bite(&self, level: Level, unit: u32) -> Option<Bite> {
        let s = self.hunt.s;
        let u = &s.units[unit];
        let named = self.hunt.named_at(level, u)?;
        if u.is_replica {
            // Further replicas go in the order of their class, the lowest first.
            if self.spared_units(u.workload).any(|o| s.units[o].class < u.class) {
                return None;
            }
            if self.spared_units(u.workload).count() as u32 <= s.w(u.workload).spec.min() {
                return self.whole(level, u.workload);
            }
        }
        Some(SmallVec::from_elem((unit, named), 1))
    }

    /// All that is left of a workload, if it may leave whole. Below its minimum nothing stays: whoever of it is
    /// not named goes along with the first who is, unless that one is named by tiers 2 or 3 and it is protected.
    pub(super) fn whole(&self, level: Level, id: WorkloadId) -> Option<Bite> {
        let (hunt, s) = (self.hunt, self.hunt.s);
        let names = || self.spared_units(id).map(|u| (u, hunt.names(&s.units[u])));
        let first = names().filter_map(|(_, n)| n).min_by_key(|n| (n.tier, n.dearer))?;
        let mut along = 0;
        let leaves = |(unit, named): (u32, Option<Named>)| {
            let u = &s.units[unit];
            if let Some(named) = named {
                return named.within(level, u.priority).then_some((unit, named));
            }
            along += 1;
            (first.tier == RECALL || !hunt.is_protected(u)).then_some((unit, first))
        };
        let bite = names().map(leaves).collect::<Option<Bite>>()?;
        (along < s.w(id).spec.min().max(1)).then_some(bite)
    }

    /// Work lost by choosing these, beyond what is lost already.
    pub(super) fn loss(&self, bite: &Bite) -> u128 {
        let (s, now) = (self.hunt.s, self.hunt.now);
        let Some(&(first, _)) = bite.first() else { return 0 };
        let u = &s.units[first];
        if !u.is_replica || u.module != Module::Training {
            return bite.iter().map(|b| s.units[b.0].lost(now)).sum();
        }
        // A training job that shrinks restarts: it loses all at once.
        if self.bitten.get(&u.workload).is_some_and(|&b| b > 0) {
            return 0;
        }
        let units = s.w(u.workload).units.iter().map(|&o| &s.units[o]);
        units.filter(|o| o.is_running()).map(|o| o.lost(now)).sum()
    }
}
