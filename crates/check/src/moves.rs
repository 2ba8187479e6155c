//! Re-funding: same devices, other accounts, never a weaker claim.

use crate::violation::Breach;
use crate::world::{Checked, World};
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::unit::{Draw, Draws};
use tidegate_engine::words::Class;

impl World {
    pub(crate) fn check_move(&self, id: WorkloadId, number: u32, draws: &Draws) -> Checked {
        let workload = self.workload(id)?;
        let unit = &workload.units[&number];
        let mut grant = unit.grant.clone();
        grant.draws = draws.clone();
        self.check_demand(workload, &grant)?;
        for draw in new_draws(&unit.grant.draws, draws) {
            self.check_draw(workload, &draw, unit.standing, false)?;
        }
        // At least as much of every dimension is drawn in each class and above.
        for class in Class::ALL {
            for draw in &unit.grant.draws {
                let strong = |list: &Draws| -> i64 {
                    let same = list.iter().filter(|d| d.dimension == draw.dimension && d.class >= *class);
                    same.map(|d| d.amount).sum()
                };
                if strong(draws) < strong(&unit.grant.draws) {
                    let (workload, why) = (self.name(id), "its class went down");
                    return self.broken(Breach::WrongMove { workload, unit: number, why });
                }
            }
        }
        Ok(())
    }
}

/// What is drawn that was not drawn before, under the same rule and in the same class.
fn new_draws(before: &Draws, after: &Draws) -> Vec<Draw> {
    let mut kept: Vec<Draw> = before.to_vec();
    let mut new = Vec::new();
    for draw in after {
        let mut amount = draw.amount;
        for old in kept.iter_mut().filter(|old| Draw { amount: 0, ..**old } == Draw { amount: 0, ..*draw }) {
            let same = amount.min(old.amount);
            amount -= same;
            old.amount -= same;
        }
        if amount != 0 {
            new.push(Draw { amount, ..*draw });
        }
    }
    new
}
