//! The tier that a victim shows, once it is known what it is needed for.

use super::cover::Cover;
use super::level::{Level, RECALL};

impl Cover<'_, '_> {
    /// For want of nodes, recall names units that borrow nothing from the plan. It takes their nodes alone: whoever
    /// of them is needed for what it draws by right shows the policy that names it.
    pub(super) fn settle_names(&mut self) {
        let hunt = self.hunt;
        if !hunt.is_forced() {
            return;
        }
        let mut paid = self.freed().clone();
        for at in 0..self.chosen.len() {
            let u = &hunt.s.units[self.chosen[at].0];
            let Some(recalled) = hunt.names(u).filter(|n| n.tier == RECALL && n.policy_of.is_none()) else {
                continue;
            };
            let Some(by_policy) = hunt.named_by_policy(u) else { continue };
            let mut without = paid.clone();
            self.usable(u).for_each(|d| without.add(d.account, d.dimension, -d.amount));
            let spares_draws = hunt.can_pay(&without);
            if spares_draws {
                paid = without;
            }
            self.rename(at, if spares_draws { recalled } else { by_policy });
        }
    }

    /// Whether all victims, as they are named, belong to a level.
    pub(super) fn is_within(&self, level: Level) -> bool {
        self.victims().all(|(unit, named)| named.within(level, self.hunt.s.units[*unit].priority))
    }
}
