//! The tier that a victim shows, once it is known what it is needed for.

use super::cover::Cover;
use super::level::{Level, RECALL};
use std::cmp::Reverse;

impl Cover<'_, '_> {
    /// For want of nodes, recall names units that borrow nothing from the plan. Whoever of them is needed for
    /// balance alone is not recalled: it shows the policy that names it.
    pub(super) fn settle_names(&mut self) {
        let hunt = self.hunt;
        if !hunt.is_forced() {
            return;
        }
        for at in 0..self.chosen.len() {
            let unit = self.chosen[at].0;
            let u = &hunt.s.units[unit];
            let Some(recalled) = hunt.names(u).filter(|n| n.tier == RECALL && n.policy_of.is_none()) else {
                continue;
            };
            let Some(by_policy) = hunt.named_by_policy(u) else { continue };
            let shown = if self.needs_nodes_of(unit) { recalled } else { by_policy };
            self.rename(at, shown);
        }
    }

    /// Whether all victims, as they are named, belong to a level.
    pub(super) fn is_within(&self, level: Level) -> bool {
        self.victims().all(|(unit, named)| named.within(level, self.hunt.s.units[*unit].priority))
    }

    /// If it stayed, and with it whoever has to stay along, the nodes would not do.
    fn needs_nodes_of(&mut self, unit: u32) -> bool {
        self.could_stay(unit).into_iter().all(|stays| {
            stays.iter().for_each(|&u| self.give(u, None, -1));
            let suffice = self.nodes_suffice();
            stays.iter().for_each(|&u| self.give(u, None, 1));
            !suffice
        })
    }

    /// Sets of units, one of which stays if this one does: itself, or of what leaves whole a minimum, with its
    /// holds. The minimum is made of the highest classes; which of equals belong to it is open.
    fn could_stay(&self, unit: u32) -> Vec<Vec<u32>> {
        let s = self.hunt.s;
        let id = s.units[unit].workload;
        if !self.leaves_whole(id) {
            return vec![vec![unit]];
        }
        let class = |u: &u32| s.units[*u].class;
        let mut units: Vec<u32> = s.w(id).units.iter().copied().filter(|&u| self.is_chosen(u)).collect();
        units.sort_by_key(|u| (Reverse(class(u)), s.units[*u].number));
        let min = (s.w(id).spec.min().max(1) as usize).min(units.len());
        let above = units.partition_point(|u| class(u) > class(&units[min - 1]));
        let end = units.partition_point(|u| class(u) >= class(&units[min - 1]));
        let (above, equal) = (&units[..above], &units[above..end]);
        let dropped = self.dropped(id);
        let sets = equal.windows(min - above.len()).map(|some| [above, some, &dropped].concat());
        sets.filter(|set| set.contains(&unit)).collect()
    }
}
