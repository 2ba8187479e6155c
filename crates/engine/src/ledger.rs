//! The ledger: what every account has, what is drawn on it, and what is free. Integers only.

use crate::bits::Bits;
use crate::ids::QuotaId;
use crate::quota_tree::QuotaTree;
use crate::resources::{Dimension, MAX_MODELS};
use crate::unit::Draw;
use crate::words::Class;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// One dimension of one account; what most decisions read comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub(crate) share: i64,
    /// Draws, those of leaving units included.
    pub(crate) drawn: i64,
    /// Taken by holds, not yet drawn.
    pub(crate) held: i64,
    /// Part of the share that is still drawn as somebody's overdraft.
    pub(crate) transit: i64,
    /// What leaving units will give back, less what holds still miss.
    pub(crate) coming: i64,
    /// Free balances of all descendants together.
    pub(crate) free_below: i64,
    /// Free balances of the children together.
    pub(crate) free_children: i64,
    /// Kept by the starvation guard for somebody who waits.
    pub(crate) reserved: i64,
    /// Draws by loan or idle: what a recall could take back.
    pub(crate) lent: i64,
}

impl Cell {
    #[inline]
    pub(crate) fn balance(&self) -> i64 {
        self.share - self.drawn - self.held - self.transit
    }

    /// What is drawn and held beyond the part of the share that has arrived.
    pub(crate) fn over(&self) -> i64 {
        (-self.balance()).max(0)
    }

    /// What is drawn and held beyond the share, whenever it arrives.
    pub(crate) fn beyond_share(&self) -> i64 {
        (self.drawn + self.held - self.share).max(0)
    }

    #[inline]
    fn free(&self) -> i64 {
        self.balance().max(0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Account {
    /// CPU, memory, then one for each GPU model of the pool.
    cells: SmallVec<[Cell; 3]>,
    /// GPUs drawn by the quota's own workloads, on whatever account.
    pub(crate) used: i64,
    /// Cells that are drawn beyond their share: while there are any, the account admits nothing.
    overdrawn: u8,
}

/// Position of a dimension's cell within an account.
#[inline]
fn cell_index(d: Dimension) -> usize {
    let i = d.index();
    if i < MAX_MODELS { i + 2 } else { i - MAX_MODELS }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TreeBooks {
    /// By cell: which accounts have a free balance, by tree order.
    positive: Vec<Bits>,
    /// By cell: free balances of all accounts that share idle capacity.
    idle_free: Vec<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    accounts: Vec<Account>,
    trees: Vec<TreeBooks>,
    /// Accounts that are drawn beyond their share.
    overdrawn: u32,
    /// Accounts on which something is coming.
    pub(crate) coming: BTreeSet<QuotaId>,
    /// Gains that wait for an overdraft to go: giver, receiver, dimension, amount.
    pub(crate) transits: Vec<(QuotaId, QuotaId, Dimension, i64)>,
    /// What the latest change of a guarantee put in transit: who owes it, and how much.
    pub(crate) latest: Vec<(QuotaId, Dimension, i64)>,
}

impl Ledger {
    #[inline]
    pub(crate) fn cell(&self, q: QuotaId, d: Dimension) -> &Cell {
        static EMPTY: Cell = Cell {
            share: 0,
            drawn: 0,
            held: 0,
            transit: 0,
            coming: 0,
            free_below: 0,
            free_children: 0,
            reserved: 0,
            lent: 0,
        };
        self.accounts[q.index()].cells.get(cell_index(d)).unwrap_or(&EMPTY)
    }

    pub(crate) fn is_overdrawn(&self, q: QuotaId) -> bool {
        self.accounts[q.index()].overdrawn > 0
    }

    /// Whether any account of any tree is.
    pub(crate) fn any_overdrawn(&self) -> bool {
        self.overdrawn > 0
    }

    pub(crate) fn has_balance(&self, q: QuotaId) -> bool {
        self.accounts[q.index()].cells.iter().any(|c| c.balance() > 0)
    }

    /// Whether something is free that holds miss and leaving units do not cover.
    pub(crate) fn has_uncovered(&self, q: QuotaId) -> bool {
        self.accounts[q.index()].cells.iter().any(|c| c.coming < 0 && c.balance() > 0)
    }

    pub(crate) fn account(&self, q: QuotaId) -> &Account {
        &self.accounts[q.index()]
    }

    pub(crate) fn account_mut(&mut self, q: QuotaId) -> &mut Account {
        &mut self.accounts[q.index()]
    }

    /// Opens the account of a quota that was just put into the tree.
    pub(crate) fn open(&mut self, tree: &QuotaTree, q: QuotaId) {
        assert_eq!(q.index(), self.accounts.len(), "accounts are opened in order of creation");
        self.accounts.push(Account::default());
        if tree.tree_index(q) == self.trees.len() {
            self.trees.push(TreeBooks::default());
        }
        self.reindex(tree, q);
    }

    /// Rebuilds the index of a tree after a change of its shape or of idle sharing.
    pub(crate) fn reindex(&mut self, tree: &QuotaTree, q: QuotaId) {
        let t = tree.tree_index(q);
        let order = &tree.trees()[t].order;
        let cells = order.iter().map(|a| self.accounts[a.index()].cells.len()).max().unwrap_or(0);
        let mut books =
            TreeBooks { positive: vec![Bits::with_capacity(order.len()); cells], idle_free: vec![0; cells] };
        for (i, &a) in order.iter().enumerate() {
            for (c, cell) in self.accounts[a.index()].cells.iter().enumerate() {
                books.positive[c].set(i as u32, cell.balance() > 0);
                if tree[a].policy.idle_sharing {
                    books.idle_free[c] += cell.free();
                }
            }
        }
        self.trees[t] = books;
    }

    /// The one way to change a cell: keeps the sums above it right.
    pub(crate) fn adjust(
        &mut self,
        tree: &QuotaTree,
        q: QuotaId,
        d: Dimension,
        change: impl FnOnce(&mut Cell),
    ) {
        let c = cell_index(d);
        let cells = &mut self.accounts[q.index()].cells;
        if cells.len() <= c {
            cells.resize(c + 1, Cell::default());
        }
        let (free, was_coming, was_over) = (cells[c].free(), cells[c].coming, cells[c].over() > 0);
        change(&mut cells[c]);
        let (now_free, coming, over) = (cells[c].free(), cells[c].coming, cells[c].over() > 0);
        if over != was_over {
            let account = &mut self.accounts[q.index()];
            let before = account.overdrawn;
            account.overdrawn = if over { before + 1 } else { before - 1 };
            match (before, account.overdrawn) {
                (0, _) => self.overdrawn += 1,
                (_, 0) => self.overdrawn -= 1,
                _ => {}
            }
        }
        if coming != was_coming {
            if self.accounts[q.index()].cells.iter().any(|c| c.coming != 0) {
                self.coming.insert(q);
            } else {
                self.coming.remove(&q);
            }
        }
        let delta = now_free - free;
        if delta == 0 {
            return;
        }
        let quota = &tree[q];
        let t = tree.tree_index(q);
        let books = &mut self.trees[t];
        if books.positive.len() <= c {
            let bits = tree.trees()[t].order.len();
            books.positive.resize(c + 1, Bits::with_capacity(bits));
            books.idle_free.resize(c + 1, 0);
        }
        if (free > 0) != (now_free > 0) {
            books.positive[c].set(quota.order, now_free > 0);
        }
        if quota.policy.idle_sharing {
            books.idle_free[c] += delta;
        }
        for (i, &a) in quota.above.iter().enumerate() {
            let cells = &mut self.accounts[a.index()].cells;
            if cells.len() <= c {
                cells.resize(c + 1, Cell::default());
            }
            cells[c].free_below += delta;
            if i == 0 {
                cells[c].free_children += delta;
            }
        }
    }

    /// Enters or strikes out draws.
    pub(crate) fn draw(&mut self, tree: &QuotaTree, draws: &[Draw], sign: i64) {
        for d in draws {
            let lent = if d.class < Class::Firm { sign * d.amount } else { 0 };
            self.adjust(tree, d.account, d.dimension, |c| {
                c.drawn += sign * d.amount;
                c.lent += lent;
            });
        }
    }

    #[inline]
    pub(crate) fn idle_free(&self, tree: &QuotaTree, q: QuotaId, d: Dimension) -> i64 {
        self.trees[tree.tree_index(q)].idle_free.get(cell_index(d)).copied().unwrap_or(0)
    }

    /// Accounts of a tree with a free balance, from one position of its order up to another.
    pub(crate) fn positive<'a>(
        &'a self,
        tree: &'a QuotaTree,
        q: QuotaId,
        d: Dimension,
        from: u32,
        to: u32,
    ) -> impl Iterator<Item = QuotaId> + 'a {
        let t = tree.tree_index(q);
        let order = &tree.trees()[t].order;
        self.trees[t]
            .positive
            .get(cell_index(d))
            .into_iter()
            .flat_map(move |b| b.range(from, to))
            .map(move |i| order[i as usize])
    }

    /// A gain waits for what its giver still draws.
    pub(crate) fn owe(&mut self, tree: &QuotaTree, giver: QuotaId, to: QuotaId, d: Dimension, amount: i64) {
        self.adjust(tree, to, d, |c| c.transit += amount);
        self.transits.push((giver, to, d, amount));
    }

    /// A gain that had not arrived is passed on: whoever waits for it now is `to`.
    /// With `of`, only what that giver owes. Returns who owes how much of what was passed on.
    pub(crate) fn pass_on(
        &mut self,
        tree: &QuotaTree,
        of: Option<QuotaId>,
        from: QuotaId,
        to: QuotaId,
        d: Dimension,
        amount: i64,
    ) -> Vec<(QuotaId, Dimension, i64)> {
        let mut passed = Vec::new();
        let mut left = amount;
        for i in 0..self.transits.len() {
            let (giver, receiver, dimension, late) = self.transits[i];
            if receiver != from || dimension != d || left <= 0 || of.is_some_and(|g| g != giver) {
                continue;
            }
            let moved = late.min(left);
            left -= moved;
            self.transits[i].3 -= moved;
            self.adjust(tree, from, d, |c| c.transit -= moved);
            passed.push((giver, d, moved));
            // Whoever gets back what it owes owes it no more.
            if giver != to {
                self.transits.push((giver, to, d, moved));
                self.adjust(tree, to, d, |c| c.transit += moved);
            }
        }
        self.transits.retain(|t| t.3 > 0);
        passed
    }

    /// Lets gains arrive as the giver's overdraft goes. Returns receivers whose balance grew.
    pub(crate) fn settle(&mut self, tree: &QuotaTree, giver: QuotaId) -> SmallVec<[QuotaId; 2]> {
        let mut arrived = SmallVec::new();
        let mut i = 0;
        let mut left: Vec<(Dimension, i64)> = Vec::new();
        while i < self.transits.len() {
            let (from, to, d, amount) = self.transits[i];
            if from != giver {
                i += 1;
                continue;
            }
            let at = left.iter().position(|&(l, _)| l == d).unwrap_or_else(|| {
                left.push((d, self.cell(giver, d).over()));
                left.len() - 1
            });
            let stays = amount.min(left[at].1);
            left[at].1 -= stays;
            if stays < amount {
                self.adjust(tree, to, d, |c| c.transit -= amount - stays);
                arrived.push(to);
            }
            if stays == 0 {
                self.transits.remove(i);
            } else {
                self.transits[i].3 = stays;
                i += 1;
            }
        }
        arrived
    }
}
