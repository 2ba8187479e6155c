//! The books of a quota as people read them.

use crate::ids::{PoolId, QuotaId};
use crate::ledger::Cell;
use crate::resources::{Dimension, Resources};
use crate::state::State;
use crate::unit::UnitState;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaBooks {
    pub quota: QuotaId,
    pub pool: PoolId,
    pub parent: Option<QuotaId>,
    pub depth: u8,
    pub guarantee: Resources,
    pub share: Resources,
    /// What its account is drawn for, by rule in the order of `Rule::ALL`.
    pub drawn: [Resources; 4],
    pub held: Resources,
    pub balance: Resources,
    pub in_transit: Resources,
    /// Part of the balance that the starvation guard keeps for somebody who waits.
    pub reserved: Resources,
    /// Workloads that wait in its queue.
    pub queued: u32,
    pub overdrawn: bool,
}

/// The same from counters, for those who ask often: nothing is looked at but the accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountFigures {
    pub quota: QuotaId,
    pub pool: PoolId,
    pub guarantee: Resources,
    pub drawn: Resources,
    /// Draws by loan or idle: what a recall could take back.
    pub lent: Resources,
    /// Workloads that wait in its queue.
    pub queued: u32,
}

impl State {
    /// In tree order.
    pub(crate) fn account_figures(&self) -> impl Iterator<Item = AccountFigures> {
        let order = self.tree.trees().iter().flat_map(|t| &t.order);
        order.map(|&quota| self.figures_of(quota))
    }

    pub(crate) fn figures_of(&self, quota: QuotaId) -> AccountFigures {
        AccountFigures {
            quota,
            pool: self.tree[quota].pool,
            guarantee: self.tree[quota].guarantee,
            drawn: self.column(quota, |c| c.drawn),
            lent: self.column(quota, |c| c.lent),
            queued: self.queues[quota.index()].waiting(),
        }
    }

    fn column(&self, quota: QuotaId, of: fn(&Cell) -> i64) -> Resources {
        let mut r = Resources::default();
        Dimension::all().for_each(|d| r[d] = of(self.ledger.cell(quota, d)));
        r
    }

    /// Looks at every unit: for people, not for decisions.
    pub(crate) fn books(&self) -> Vec<QuotaBooks> {
        let mut by_rule = vec![[Resources::default(); 4]; self.tree.len()];
        for (_, u) in self.units.iter().filter(|(_, u)| u.state != UnitState::Held) {
            for d in &u.grant.draws {
                by_rule[d.account.index()][d.rule as usize][d.dimension] += d.amount;
            }
        }
        let order = self.tree.trees().iter().flat_map(|t| &t.order);
        order.map(|&q| self.books_of(q, by_rule[q.index()])).collect()
    }

    fn books_of(&self, id: QuotaId, drawn: [Resources; 4]) -> QuotaBooks {
        let q = &self.tree[id];
        let column = |of: fn(&Cell) -> i64| self.column(id, of);
        let balance = column(|c| c.balance());
        QuotaBooks {
            quota: id,
            pool: q.pool,
            parent: q.parent,
            depth: q.depth,
            guarantee: q.guarantee,
            share: column(|c| c.share),
            drawn,
            held: column(|c| c.held),
            balance,
            in_transit: column(|c| c.transit),
            reserved: column(|c| c.reserved.min(c.balance().max(0))),
            queued: self.queues[id.index()].waiting(),
            overdrawn: column(|c| c.over()).0.iter().any(|&over| over > 0),
        }
    }
}
