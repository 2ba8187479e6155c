//! Plans out of all who can leave at a level, where the cheapest covers lead to none.

use super::bite::Bite;
use super::cover::Cover;
use super::hunt::Hunt;
use super::level::{Level, RECALL};
use super::stream::Stream;

/// Units that are each once the first to be recalled.
const MAX_TURNS: usize = 16;

impl<'h, 'a> Cover<'h, 'a> {
    /// What is left of all who can leave at a level, once whoever is not needed is spared.
    pub(super) fn of_all(hunt: &'h Hunt<'a>, level: Level) -> Option<Cover<'h, 'a>> {
        let mut cover = Cover::new(hunt);
        cover.take_holds();
        let mut left: Vec<u32> = Stream::new(hunt, level).collect();
        cover.gather(level, &mut left, |cover, bite| cover.choose_all(bite));
        if !cover.takes_enough() {
            return None;
        }
        let recalls = hunt.is_forced() && cover.victims().any(|v| v.1.tier == RECALL);
        cover.pruned().or_else(|| if recalls { Cover::beside_recalls(hunt, level) } else { None })
    }

    /// A plan of tiers 2 or 3 beside recalls that are not enough by themselves. Beside recalls that are, whomever
    /// the tiers name could be struck out, and the rest would be no plan of theirs. Which recalls these are depends
    /// on who comes first: several do in turn.
    fn beside_recalls(hunt: &'h Hunt<'a>, level: Level) -> Option<Cover<'h, 'a>> {
        let recalls = |unit: &u32| hunt.names(&hunt.s.units[*unit]).is_some_and(|n| n.tier == RECALL);
        let (mut recalled, others): (Vec<u32>, Vec<u32>) = Stream::new(hunt, level).partition(recalls);
        (0..recalled.len().min(MAX_TURNS)).find_map(|_| {
            let cover = Cover::beside(hunt, level, recalled.clone(), others.clone());
            recalled.rotate_left(1);
            cover
        })
    }

    /// Beside as many of the recalled, in their order, as are not enough.
    fn beside(
        hunt: &'h Hunt<'a>,
        level: Level,
        mut recalled: Vec<u32>,
        mut others: Vec<u32>,
    ) -> Option<Cover<'h, 'a>> {
        let mut cover = Cover::new(hunt);
        cover.take_holds();
        cover.gather(level, &mut recalled, |cover, bite| {
            if bite.iter().any(|(_, named)| named.tier > RECALL) {
                return;
            }
            let units: Vec<u32> = bite.iter().map(|b| b.0).collect();
            cover.choose_all(bite);
            if cover.takes_enough() {
                units.into_iter().rev().for_each(|unit| _ = cover.unchoose(unit));
            }
        });
        cover.gather(level, &mut others, |cover, bite| cover.choose_all(bite));
        if cover.takes_enough() { cover.pruned_in_its_tiers(false) } else { None }
    }

    /// Offers the units one after the other, each with whom it takes along. Replicas of a higher class can go once
    /// the lower ones do.
    fn gather(&mut self, level: Level, units: &mut Vec<u32>, mut offer: impl FnMut(&mut Self, Bite)) {
        loop {
            let before = units.len();
            units.retain(|&unit| {
                if self.is_chosen(unit) {
                    return false;
                }
                let Some(bite) = self.bite(level, unit) else { return true };
                offer(self, bite);
                false
            });
            if units.len() == before {
                return;
            }
        }
    }
}
