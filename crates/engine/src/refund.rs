//! Re-funding: a running unit's draws move to free balance elsewhere; its devices stay. It disturbs nobody.

use crate::event::EventKind;
use crate::funding::{self, Rules};
use crate::ids::QuotaId;
use crate::resources::Dimension;
use crate::session::Session;
use crate::state::{Seniority, State};
use crate::unit::{Draw, Draws};
use crate::words::Rule;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// Units of one account that are asked one by one whether they could move; of more, one is taken to be able to.
const LOOKED_AT: usize = 32;

/// A move that has been decided: so much of one unit's draw goes to another account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    unit: u32,
    from: Draw,
    to: Draw,
}

impl State {
    fn unit_rules(&self, unit: u32) -> Rules {
        let u = &self.units[unit];
        funding::allowed(&self.tree, u.quota, u.module, u.priority, self.w(u.workload).spec.idle)
    }

    /// Free balance on an account, less what moves and reservations already count on.
    fn unspoken(&self, account: QuotaId, d: Dimension, moves: &[Move]) -> i64 {
        let comes = |m: &&Move| m.to.account == account && m.to.dimension == d && m.from.account != account;
        let spoken: i64 = moves.iter().filter(comes).map(|m| m.to.amount).sum();
        if self.ledger.is_overdrawn(account) {
            return 0;
        }
        let cell = self.ledger.cell(account, d);
        cell.balance() - cell.reserved - spoken
    }

    /// Adds moves that would free `short` on accounts that `quota` may use as its own or below it.
    /// Returns what they leave short.
    fn moves_to_make_room(
        &self,
        quota: QuotaId,
        child: bool,
        d: Dimension,
        short: i64,
        moves: &mut Vec<Move>,
    ) -> i64 {
        let q = &self.tree[quota];
        let inside = |a: QuotaId| a == quota || (child && self.tree.is_descendant(a, quota));
        let tree = self.tree.tree(quota);
        let all = tree.order.len() as u32;
        let elsewhere = || self.ledger.positive(&self.tree, quota, d, 0, all).filter(|&a| !inside(a));
        if elsewhere().next().is_none() {
            return short;
        }
        let end = if child { q.end } else { q.order + 1 };
        let mut left = short;
        for i in q.order..end {
            let account = tree.order[i as usize];
            for s in &self.foreign[account.index()] {
                let u = &self.units[s.unit];
                let rules = self.unit_rules(s.unit);
                for from in u
                    .grant
                    .draws
                    .iter()
                    .filter(|f| f.account == account && f.dimension == d && f.rule != Rule::Own)
                {
                    let mut amount = from.amount.min(left);
                    for a in elsewhere() {
                        let Some((rule, class)) = funding::rule_for(&self.tree, u.quota, rules, a) else {
                            continue;
                        };
                        let take = amount.min(self.unspoken(a, d, moves));
                        if class < from.class || take <= 0 {
                            continue;
                        }
                        moves.push(Move {
                            unit: s.unit,
                            from: Draw { amount: take, ..*from },
                            to: Draw { account: a, dimension: d, rule, class, amount: take },
                        });
                        amount -= take;
                        left -= take;
                        if amount == 0 {
                            break;
                        }
                    }
                    if left == 0 {
                        return 0;
                    }
                }
            }
        }
        left
    }

    /// A unit's draws after its moves, equal ones joined.
    fn draws_after(&self, unit: u32, moves: &[Move]) -> Draws {
        let mut draws = self.units[unit].grant.draws.clone();
        for m in moves.iter().filter(|m| m.unit == unit) {
            let from = |x: &&mut Draw| {
                (x.account, x.dimension, x.rule, x.class)
                    == (m.from.account, m.from.dimension, m.from.rule, m.from.class)
            };
            if let Some(source) = draws.iter_mut().find(from) {
                source.amount -= m.to.amount;
            }
            let to = |x: &&mut Draw| {
                (x.account, x.dimension, x.rule, x.class)
                    == (m.to.account, m.to.dimension, m.to.rule, m.to.class)
            };
            match draws.iter_mut().find(to) {
                Some(target) => target.amount += m.to.amount,
                None => draws.push(m.to),
            }
        }
        draws.retain(|d| d.amount > 0);
        draws
    }
}

impl Session<'_> {
    /// Moves draws of others so that these amounts are free for `quota`, on its account or, with `child`, below
    /// it too, beside what the starvation guard keeps there (`barred`). If moving alone cannot do it, nothing is
    /// moved.
    pub(crate) fn make_room(
        &mut self,
        quota: QuotaId,
        child: bool,
        amounts: &[(Dimension, i64)],
        barred: &[Draw],
    ) -> bool {
        let free = |s: &State, d| {
            let inside = |a: QuotaId| a == quota || (child && s.tree.is_descendant(a, quota));
            let kept = barred.iter().filter(|b| b.dimension == d && inside(b.account)).map(|b| b.amount);
            let cell = s.ledger.cell(quota, d);
            cell.balance().max(0) + if child { cell.free_below } else { 0 } - kept.sum::<i64>()
        };
        self.move_away(quota, child, amounts, false, free)
    }

    /// Moves draws of others off an account that is to lose these amounts of its share; with `partly`, as much
    /// as can be. With `late`, what has not arrived there yet may be given away too.
    pub(crate) fn clear_share(
        &mut self,
        account: QuotaId,
        amounts: &[(Dimension, i64)],
        partly: bool,
        late: bool,
    ) -> bool {
        let free = |s: &State, d| {
            let cell = s.ledger.cell(account, d);
            cell.balance() + if late { cell.transit } else { 0 }
        };
        self.move_away(account, false, amounts, partly, free)
    }

    fn move_away(
        &mut self,
        quota: QuotaId,
        child: bool,
        amounts: &[(Dimension, i64)],
        partly: bool,
        free: impl Fn(&State, Dimension) -> i64,
    ) -> bool {
        let mut moves = Vec::new();
        let mut enough = true;
        for &(d, amount) in amounts {
            let short = amount - free(self.s, d);
            if short > 0 {
                enough &= self.s.moves_to_make_room(quota, child, d, short, &mut moves) == 0;
            }
        }
        if enough || partly {
            self.carry_out_moves(&moves);
        }
        enough
    }

    fn carry_out_moves(&mut self, moves: &[Move]) {
        let mut done: Vec<u32> = Vec::new();
        for m in moves {
            if done.contains(&m.unit) {
                continue;
            }
            done.push(m.unit);
            let draws = self.s.draws_after(m.unit, moves);
            let u = &self.s.units[m.unit];
            let (workload, unit) = (u.workload, u.number);
            self.emit(EventKind::Moved { workload, unit, draws });
        }
    }

    /// Balance came free on these accounts: draws move there that an earlier rule allows.
    pub(crate) fn refund_freed(&mut self) {
        while let Some(account) = self.s.agenda.freed.pop_first() {
            if self.s.tree.get(account).is_none() {
                continue;
            }
            let moves = self.s.homeward(account);
            self.s.have_risen(account);
            self.carry_out_moves(&moves);
            self.s.wake_by_moves_to(account);
        }
    }
}

impl State {
    /// An account has balance to which draws on other accounts could move: whoever waits for those looks again.
    fn wake_by_moves_to(&mut self, account: QuotaId) {
        let root = self.tree[account].root;
        if self.lenders.is_empty() || !self.ledger.has_balance(account) {
            return;
        }
        let waiting = self.waiting.range((root, QuotaId(0))..=(root, QuotaId(u32::MAX))).map(|w| w.1);
        let moved_for: SmallVec<[QuotaId; 8]> =
            waiting.filter(|&q| self.waits_for_moves(q, account)).collect();
        for quota in moved_for {
            // Room on nodes comes before re-funding: without it, nothing would be moved.
            if self.has_room_for_any(quota) {
                self.wake(quota);
            } else {
                self.note_all_cramped(quota);
            }
        }
    }

    /// Whether units could move to `account` from one on which a quota draws by right.
    fn waits_for_moves(&self, quota: QuotaId, account: QuotaId) -> bool {
        let could_move = |s: &Seniority, lender: QuotaId| {
            let u = &self.units[s.unit];
            let to = funding::rule_for(&self.tree, u.quota, self.unit_rules(s.unit), account);
            let draws = || u.grant.draws.iter().filter(|d| d.account == lender && d.rule != Rule::Own);
            to.is_some_and(|(_, class)| draws().any(|d| d.class <= class))
        };
        let movable = |lender: QuotaId| {
            let foreign = &self.foreign[lender.index()];
            lender != account && (foreign.len() > LOOKED_AT || foreign.iter().any(|s| could_move(s, lender)))
        };
        let root = self.tree[quota].root;
        let child = self.tree[quota].policy.child_level.is_some();
        let lenders = || self.lenders.range((root, QuotaId(0))..=(root, QuotaId(u32::MAX))).map(|l| l.1);
        movable(quota) || (child && lenders().any(|a| self.tree.is_descendant(a, quota) && movable(a)))
    }

    /// Rules of a tree changed: draws may be able to stay where they are by an earlier rule.
    pub(crate) fn rules_changed(&mut self, quota: QuotaId) {
        let root = self.tree[quota].root;
        let lenders = self.lenders.range((root, QuotaId(0))..=(root, QuotaId(u32::MAX)));
        self.agenda.rising.extend(lenders.map(|l| l.1));
    }

    /// Draws that stay on an account have their earlier rules once all of them were looked at.
    fn have_risen(&mut self, account: QuotaId) {
        if !self.ledger.has_balance(account) && !self.ledger.is_overdrawn(account) {
            self.agenda.rising.remove(&account);
        }
    }

    /// Draws that may move to this account by an earlier rule than theirs.
    fn homeward(&self, account: QuotaId) -> Vec<Move> {
        let rising = self.agenda.rising.contains(&account);
        let moves = self.moves_to(account, rising);
        debug_assert_eq!(
            moves,
            self.moves_to(account, true),
            "a draw is made by the first rule that allows it"
        );
        moves
    }

    /// The same. Unless draws that stay there may be `rising` to an earlier rule, only free balance moves anything.
    fn moves_to(&self, account: QuotaId, rising: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        if !self.ledger.has_balance(account) {
            if rising {
                // A draw that stays on its account, by an earlier rule, needs nothing free.
                let foreign = &self.foreign[account.index()];
                foreign.iter().for_each(|s| self.homeward_of(account, s.unit, &mut moves));
            }
            return moves;
        }
        // Until nothing is left; asked again whenever something moved.
        let mut asked = None;
        let mut look_at = |s: &Seniority, moves: &mut Vec<Move>| {
            let before = asked.replace(moves.len());
            if !rising && before != asked && !self.is_unspoken(account, moves) {
                return false;
            }
            self.homeward_of(account, s.unit, moves);
            true
        };
        let quota = &self.tree[account];
        // Whoever waits in the account's own queue comes before those who run elsewhere and stand behind it.
        let abroad = &self.abroad[account.index()];
        let first = self.queues[account.index()].first_claim();
        for s in abroad {
            let behind = first.is_some_and(|f| {
                let u = &self.units[s.unit];
                f < (Reverse(u.priority), self.w(u.workload).entry())
            });
            if !behind && !look_at(s, &mut moves) {
                return moves;
            }
        }
        if first.is_some() {
            return moves;
        }
        for a in self.tree.ancestors(account).filter(|&a| self.tree[a].policy.child_level.is_some()) {
            if !self.abroad[a.index()].iter().all(|s| look_at(s, &mut moves)) {
                return moves;
            }
        }
        if let Some(p) = quota.parent
            && self.herds[p.index()].children.is_some()
        {
            let beside = self.tree.siblings(account).flat_map(|q| &self.abroad[q.index()]);
            beside.take_while(|s| look_at(s, &mut moves)).for_each(drop);
        }
        moves
    }

    /// Whether an account has anything that no move counts on yet.
    fn is_unspoken(&self, account: QuotaId, moves: &[Move]) -> bool {
        Dimension::all().any(|d| self.unspoken(account, d, moves) > 0)
    }

    fn homeward_of(&self, account: QuotaId, unit: u32, moves: &mut Vec<Move>) {
        let u = &self.units[unit];
        let rules = self.unit_rules(unit);
        let Some((rule, class)) = funding::rule_for(&self.tree, u.quota, rules, account) else { return };
        if rule == Rule::Idle {
            return;
        }
        // The farthest draws go home first.
        let mut later: SmallVec<[&Draw; 4]> =
            u.grant.draws.iter().filter(|d| d.rule > rule && d.class <= class).collect();
        later.sort_by_key(|d| Reverse((d.rule, d.class, self.tree[d.account].order)));
        for from in later {
            let moved: i64 = moves
                .iter()
                .filter(|m| {
                    m.unit == unit && m.from.account == from.account && m.from.dimension == from.dimension
                })
                .map(|m| m.to.amount)
                .sum();
            let stays = from.account == account && !self.ledger.is_overdrawn(account);
            let free = if stays { from.amount } else { self.unspoken(account, from.dimension, moves) };
            let take = (from.amount - moved).min(free);
            if take > 0 {
                moves.push(Move {
                    unit,
                    from: *from,
                    to: Draw { account, dimension: from.dimension, rule, class, amount: take },
                });
            }
        }
    }
}
