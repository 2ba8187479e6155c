//! Sparing victims of a cover that are not needed.

use super::cover::Cover;
use super::level::{Named, RECALL};
use crate::ids::WorkloadId;
use crate::words::Class;
use std::cmp::Reverse;

/// Replicas of one workload that are each tried first when it may be spared in part.
const MAX_TURNS: usize = 16;

impl Cover<'_, '_> {
    /// The cover without those who are not needed, if it then is a plan of its tiers.
    pub(super) fn pruned(mut self) -> Option<Self> {
        let forced = self.hunt.is_forced();
        let recalls = forced && self.victims().any(|v| v.1.tier == RECALL);
        let before = (recalls || self.has_bystanders()).then(|| self.clone());
        self.prune();
        if !forced && !self.pays_without_bystanders() {
            let mut cover = before.filter(Cover::pays_without_bystanders)?;
            cover.prune_by(|_, _| false, Cover::pays_without_bystanders);
            return Some(cover);
        }
        self.settle_names();
        if self.is_of_its_tiers() {
            return Some(self);
        }
        // Those whom it recalls would do, if what they draw by right counts: tiers 2 and 3 are for those without
        // whom what is lent would not do. Who is recalled may be spared for them.
        let before = before?;
        [false, true]
            .into_iter()
            .find_map(|recalled_first| before.clone().pruned_in_its_tiers(recalled_first))
    }

    /// The cover without those who are not needed beside what is lent, if somebody whom tiers 2 or 3 name is left.
    pub(super) fn pruned_in_its_tiers(mut self, recalled_first: bool) -> Option<Self> {
        self.prune_by(|_, n| recalled_first && n.tier > RECALL, Cover::takes_enough);
        self.settle_names();
        if self.is_of_its_tiers() {
            self.prune_by(|_, _| false, |c| c.is_of_its_tiers() && c.is_enough());
            self.settle_names();
        }
        self.is_of_its_tiers().then_some(self)
    }

    /// Whether a recall is to take somebody who borrows nothing from the plan.
    fn has_bystanders(&self) -> bool {
        self.victims().any(|(_, named)| named.is_bystander())
    }

    /// Whether the cover is enough, without what comes free with those who are on no node that it needs: a recall
    /// takes nothing from them.
    pub(super) fn pays_without_bystanders(&self) -> bool {
        if !self.has_bystanders() {
            return self.is_enough();
        }
        let mut paid = self.freed().clone();
        for (unit, _) in self.victims().filter(|(_, named)| named.is_bystander()) {
            let mut without = self.clone();
            without.unchoose(*unit);
            if without.nodes_suffice() {
                let u = &self.hunt.s.units[*unit];
                self.usable(u).for_each(|d| paid.add(d.account, d.dimension, -d.amount));
            }
        }
        self.nodes_suffice() && self.hunt.can_pay(&paid)
    }

    /// Spares whoever is not needed, the dearest first.
    pub(super) fn prune(&mut self) {
        self.prune_by(|_, _| false, Cover::is_enough);
    }

    /// Spares those without whom the cover is enough, some after all others.
    pub(super) fn prune_by(&mut self, last: impl Fn(u32, &Named) -> bool, enough: impl Fn(&Self) -> bool) {
        let all = self.prune_holds(&enough);
        let s = self.hunt.s;
        let mut order: Vec<(u32, bool)> = self.chosen.iter().map(|(u, n)| (*u, last(*u, n))).collect();
        let now = self.hunt.now;
        order.sort_by_key(|&(u, last)| {
            let u = &s.units[u];
            (
                last,
                Reverse(u.priority),
                Reverse(u.lost(now)),
                Reverse(u.class),
                u.started,
                Reverse(u.workload),
                u.number,
            )
        });
        for (unit, _) in order {
            if !self.is_chosen(unit) {
                continue;
            }
            let id = s.units[unit].workload;
            if s.units[unit].is_replica && self.spared_units(id).next().is_none() {
                self.prune_whole(id, &enough);
                continue;
            }
            let named = self.unchoose(unit);
            if !enough(self) || !self.keeps_class_order(id) {
                self.choose(unit, named);
            }
        }
        if !all {
            self.prune_holds(&enough);
        }
    }

    /// Leaves holds alone that are not needed. Those of whoever leaves whole come free in any case: false if there
    /// are such.
    fn prune_holds(&mut self, enough: &impl Fn(&Self) -> bool) -> bool {
        let mut all = true;
        for i in (0..self.holds.len()).rev() {
            let unit = self.holds[i];
            if self.leaves_whole(self.hunt.s.units[unit].workload) {
                all = false;
                continue;
            }
            self.give(unit, None, -1);
            if enough(self) {
                self.holds.remove(i);
            } else {
                self.give(unit, None, 1);
            }
        }
        all
    }

    /// A workload that leaves whole is spared, or at least shrunk to its minimum, if that is enough.
    fn prune_whole(&mut self, id: WorkloadId, enough: &impl Fn(&Self) -> bool) {
        let s = self.hunt.s;
        let mut units: Vec<u32> = s.w(id).units.iter().copied().filter(|u| self.is_chosen(*u)).collect();
        units.sort_by_key(|&u| (Reverse(s.units[u].class), s.units[u].number));
        for order in in_turns(&units, |u| s.units[u].class) {
            let mut spared = Vec::new();
            for unit in order {
                let named = self.unchoose(unit);
                if enough(self) {
                    spared.push((unit, named));
                } else {
                    self.choose(unit, named);
                }
            }
            if spared.len() as u32 >= s.w(id).spec.min().max(1) && self.keeps_class_order(id) {
                return;
            }
            spared.into_iter().for_each(|(u, n)| self.choose(u, n));
        }
    }

    /// Lower classes go first, as far as they are of use: whoever goes leaves the minimum to replicas that are no
    /// weaker.
    pub(super) fn keeps_class_order(&self, id: WorkloadId) -> bool {
        let s = self.hunt.s;
        let going = s.w(id).units.iter().filter(|u| self.is_chosen(**u)).map(|&u| s.units[u].class).max();
        let strong =
            |class: Class| self.spared_units(id).filter(|&u| s.units[u].class >= class).count() as u32;
        going
            .is_none_or(|class| strong(class) >= s.w(id).spec.min() || self.spared_units(id).next().is_none())
    }
}

/// Orders in which to try to spare replicas: higher classes first, and of equals each once as the first.
/// If any run of neighbours can stay, one of the orders begins with it.
pub(crate) fn in_turns(units: &[u32], class: impl Fn(u32) -> Class) -> Vec<Vec<u32>> {
    let turns = units.len().min(MAX_TURNS);
    let turned = |by: usize| {
        let mut order = Vec::with_capacity(units.len());
        for same in units.chunk_by(|&a, &b| class(a) == class(b)) {
            let at = by % same.len();
            order.extend_from_slice(&same[at..]);
            order.extend_from_slice(&same[..at]);
        }
        order
    };
    (0..turns).map(turned).collect()
}
