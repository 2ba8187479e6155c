//! Who may draw on which account, and how a demand is spread over them.

use crate::ids::QuotaId;
use crate::ledger::Ledger;
use crate::quota_tree::QuotaTree;
use crate::resources::Dimension;
use crate::unit::{Draw, Draws};
use crate::words::{Class, IdleUse, Module, Priority, Rule};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Which rules a payer uses, in one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) own: bool,
    pub(crate) child: bool,
    /// The class of self-level draws, if they are used.
    pub(crate) siblings: Option<Class>,
    pub(crate) idle: bool,
}

/// Whoever wants to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payer<'a> {
    pub(crate) quota: QuotaId,
    pub(crate) rules: Rules,
    /// Amounts that the starvation guard keeps from this payer.
    pub(crate) barred: &'a [Draw],
}

/// What a plan may count on beyond the free balances: what comes from units that leave, and what its victims give.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credits(pub(crate) SmallVec<[(QuotaId, Dimension, i64); 4]>);

impl Credits {
    pub(crate) fn add(&mut self, account: QuotaId, dimension: Dimension, amount: i64) {
        match self.0.iter_mut().find(|c| c.0 == account && c.1 == dimension) {
            Some(c) => c.2 += amount,
            None => self.0.push((account, dimension, amount)),
        }
    }

    fn get(&self, account: QuotaId, dimension: Dimension) -> i64 {
        self.0.iter().find(|c| c.0 == account && c.1 == dimension).map_or(0, |c| c.2)
    }
}

/// The rules that policies allow a workload, as it stands.
pub(crate) fn allowed(
    tree: &QuotaTree,
    quota: QuotaId,
    module: Module,
    priority: Priority,
    idle: IdleUse,
) -> Rules {
    let firm = idle != IdleUse::Only;
    Rules {
        own: firm,
        child: firm && tree[quota].policy.child_level.is_some(),
        siblings: tree.lends_to(quota).filter(|s| firm && s.high().contains(priority)).map(|_| Class::Loan),
        idle: module == Module::Training && idle != IdleUse::Never,
    }
}

impl Rules {
    /// The first round: what is its own, and below.
    pub(crate) fn firm(self) -> Rules {
        Rules { siblings: None, idle: false, ..self }
    }

    /// The second round: siblings too.
    pub(crate) fn loan(self) -> Rules {
        Rules { idle: false, ..self }
    }

    /// A plan with victims of tiers 2 or 3 is firm as a whole.
    pub(crate) fn by_force(self) -> Rules {
        Rules { siblings: self.siblings.map(|_| Class::Firm), idle: false, ..self }
    }
}

/// The account's rule and class for this payer; the first rule that applies.
#[inline]
pub(crate) fn rule_for(
    tree: &QuotaTree,
    payer: QuotaId,
    rules: Rules,
    account: QuotaId,
) -> Option<(Rule, Class)> {
    if rules.own && account == payer {
        return Some((Rule::Own, Class::Firm));
    }
    if rules.child && tree.is_descendant(account, payer) {
        return Some((Rule::ChildLevel, Class::Firm));
    }
    if let Some(class) = rules.siblings
        && tree.are_siblings(account, payer)
    {
        return Some((Rule::SelfLevel, class));
    }
    let shared = || tree[account].policy.idle_sharing || account == payer;
    (rules.idle && shared() && tree[account].root == tree[payer].root).then_some((Rule::Idle, Class::Idle))
}

/// What this payer finds free on an account.
/// Idle units may use what is reserved: they are recalled.
fn free_for(
    ledger: &Ledger,
    payer: &Payer<'_>,
    account: QuotaId,
    d: Dimension,
    credits: Option<&Credits>,
    barred: bool,
) -> i64 {
    if ledger.is_overdrawn(account) {
        return 0;
    }
    let cell = ledger.cell(account, d);
    let mut free = cell.balance();
    if let Some(credits) = credits {
        free += cell.coming + credits.get(account, d);
    }
    if barred && cell.reserved > 0 {
        free -= payer
            .barred
            .iter()
            .filter(|b| b.account == account && b.dimension == d)
            .map(|b| b.amount)
            .sum::<i64>();
    }
    free.max(0)
}

/// What whoever is kept from nothing finds free on its own account.
pub(crate) fn own_balance(ledger: &Ledger, account: QuotaId, d: Dimension) -> i64 {
    if ledger.is_overdrawn(account) { 0 } else { ledger.cell(account, d).balance().max(0) }
}

/// An upper bound of what the payer can draw, from counters alone.
pub(crate) fn at_most(tree: &QuotaTree, ledger: &Ledger, payer: &Payer<'_>, d: Dimension) -> i64 {
    let q = payer.quota;
    let cell = ledger.cell(q, d);
    let own = cell.balance().max(0);
    let mut sum = if payer.rules.own || payer.rules.idle { own } else { 0 };
    if payer.rules.child {
        sum += cell.free_below;
    }
    if payer.rules.siblings.is_some()
        && let Some(p) = tree[q].parent
    {
        sum += ledger.cell(p, d).free_children - own;
    }
    if payer.rules.idle {
        sum += ledger.idle_free(tree, q, d);
    }
    sum
}

/// A lower bound of the same, for whoever uses idle capacity: all that is shared, and its own.
fn at_least(tree: &QuotaTree, ledger: &Ledger, payer: &Payer<'_>, d: Dimension) -> i64 {
    // An account that is overdrawn in one dimension gives nothing in any.
    if !payer.rules.idle || !payer.barred.is_empty() || ledger.any_overdrawn() {
        return 0;
    }
    let q = payer.quota;
    let own = if tree[q].policy.idle_sharing { 0 } else { ledger.cell(q, d).balance().max(0) };
    ledger.idle_free(tree, q, d) + own
}

/// Visits the accounts that the payer may use and that have something, in the order of the rules and of the tree.
fn visit(
    tree: &QuotaTree,
    ledger: &Ledger,
    payer: &Payer<'_>,
    d: Dimension,
    credits: Option<&Credits>,
    mut see: impl FnMut(QuotaId, Rule, Class, i64) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (q, rules) = (payer.quota, payer.rules);
    let quota = &tree[q];
    let free = |a| free_for(ledger, payer, a, d, credits, true);
    if rules.own {
        see(q, Rule::Own, Class::Firm, free(q))?;
    }
    if rules.child {
        each_with_something(tree, ledger, q, d, credits, quota.order + 1, quota.end, |a| {
            see(a, Rule::ChildLevel, Class::Firm, free(a))
        })?;
    }
    if let Some(class) = rules.siblings
        && let Some(p) = quota.parent
    {
        let parent = ledger.cell(p, d);
        let own = ledger.cell(q, d).balance().max(0);
        if parent.free_children > own || credits.is_some() {
            for a in tree.siblings(q) {
                see(a, Rule::SelfLevel, class, free(a))?;
            }
        }
    }
    if rules.idle {
        let end = tree.tree(q).order.len() as u32;
        each_with_something(tree, ledger, q, d, credits, 0, end, |a| match rule_for(tree, q, rules, a) {
            Some((Rule::Idle, class)) => {
                see(a, Rule::Idle, class, free_for(ledger, payer, a, d, credits, false))
            }
            _ => ControlFlow::Continue(()),
        })?;
    }
    ControlFlow::Continue(())
}

/// Accounts in a range of the tree's order that have a free balance or a credit, as long as `see` asks for more.
#[allow(clippy::too_many_arguments, reason = "one walk, told from where to where and with what")]
fn each_with_something(
    tree: &QuotaTree,
    ledger: &Ledger,
    q: QuotaId,
    d: Dimension,
    credits: Option<&Credits>,
    from: u32,
    to: u32,
    see: impl FnMut(QuotaId) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut positive = ledger.positive(tree, q, d, from, to);
    let Some(credits) = credits else { return positive.try_for_each(see) };
    let mut found: SmallVec<[QuotaId; 16]> = positive.collect();
    let root = tree[q].root;
    let extra = credits.0.iter().map(|c| c.0).chain(ledger.coming.iter().copied());
    found.extend(extra.filter(|&a| tree[a].root == root && (from..to).contains(&tree[a].order)));
    found.sort_unstable_by_key(|&a| tree[a].order);
    found.dedup();
    found.into_iter().try_for_each(see)
}

/// What the payer can draw in all, up to `enough`.
pub(crate) fn available(
    tree: &QuotaTree,
    ledger: &Ledger,
    payer: &Payer<'_>,
    d: Dimension,
    credits: Option<&Credits>,
    enough: i64,
) -> i64 {
    let sure = credits.is_none() && at_least(tree, ledger, payer, d) >= enough;
    if sure && !cfg!(debug_assertions) {
        return enough;
    }
    let mut sum = 0;
    let _ = visit(tree, ledger, payer, d, credits, |_, _, _, free| {
        sum += free;
        if sum >= enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    debug_assert!(!sure || sum >= enough, "what counters promise is there");
    debug_assert!(
        credits.is_some() || sum <= at_most(tree, ledger, payer, d),
        "nothing is there that counters do not know of"
    );
    sum
}

/// Draws for `amount`, or `None` if the payer's accounts have less.
pub(crate) fn fund(
    tree: &QuotaTree,
    ledger: &Ledger,
    payer: &Payer<'_>,
    d: Dimension,
    amount: i64,
    credits: Option<&Credits>,
    out: &mut Draws,
) -> Option<()> {
    if amount == 0 {
        return Some(());
    }
    if credits.is_none() && at_most(tree, ledger, payer, d) < amount {
        return None;
    }
    let mut left = amount;
    let _ = visit(tree, ledger, payer, d, credits, |account, rule, class, free| {
        let taken = free.min(left);
        if taken > 0 {
            out.push(Draw { account, dimension: d, rule, class, amount: taken });
            left -= taken;
        }
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (left == 0).then_some(())
}
