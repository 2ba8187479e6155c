//! Why something waits, and what would let it start: every blocker, with its figures.

mod queue;
mod rules;
mod running;

use crate::event::Cause;
use crate::funding::{self, Payer, Rules};
use crate::ids::{ModelId, PoolId, QuotaId, Tick, WorkloadId};
use crate::nodes::{Ask, Barred};
use crate::reason::{Never, Reason, Unblock};
use crate::reservation::Bars;
use crate::resources::{Dimension, ModelSet};
use crate::state::{Reservation, State};
use crate::unit::{Unit, UnitState};
use crate::words::{IdleUse, Rule};
use crate::workload::{Cleared, Role};
use std::borrow::Cow;
use std::cmp::Reverse;

/// Accounts listed one by one in an explanation; further ones are in the total.
const LISTED_ACCOUNTS: usize = 8;

/// Why a workload is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub workload: WorkloadId,
    /// Who is ahead in its queue, first in line first; `None` if it does not wait.
    pub ahead: Option<Vec<WorkloadId>>,
    /// Of one that runs with fewer replicas than it asks for: how many run, and of how many.
    pub partly: Option<(u32, u32)>,
    /// What it, or what is missing of it, waits for.
    pub reasons: Vec<Reason>,
    /// Who has to leave before it has all that is held for it.
    pub waits_for: Vec<WorkloadId>,
    /// Its latest eviction.
    pub evicted: Option<(Tick, Cause)>,
    /// Who had to go so that it could run as it does, and how many more.
    pub cleared: (Vec<Cleared>, u32),
}

/// What is asked, and of whom, while reasons are collected.
#[derive(Clone, Copy)]
struct Question {
    id: WorkloadId,
    now: Tick,
    rules: Rules,
    model: Option<ModelId>,
    /// Replicas without which it does not start, or does not grow.
    least: u32,
    /// It runs, and is asked why it has no more replicas.
    growth: bool,
    /// Also count what takes a look at every node.
    deep: bool,
}

struct Answers {
    reasons: Vec<Reason>,
    unblock: Vec<Unblock>,
    /// A book has too little: rules of eviction were considered.
    is_short: bool,
}

impl Answers {
    /// So much has to come free; where several dimensions wait for it, the most that one of them needs.
    fn needs_balance(&mut self, pool: PoolId, quota: QuotaId, dimension: Dimension, amount: i64) {
        let same = |u: &&mut Unblock| matches!(u, Unblock::Balance { dimension: d, .. } if *d == dimension);
        match self.unblock.iter_mut().find(same) {
            Some(Unblock::Balance { amount: known, .. }) => *known = amount.max(*known),
            _ => self.unblock.push(Unblock::Balance { pool, quota, dimension, amount }),
        }
    }
}

impl State {
    pub(crate) fn explain(&self, now: Tick, id: WorkloadId) -> Option<Explanation> {
        let w = self.workload(id)?;
        let waits = w.state.is_waiting();
        let queue = &self.queues[w.spec.quota.index()];
        let ahead = waits.then(|| {
            let policy = &self.tree[w.spec.quota].policy.queue;
            queue.list(policy, now).into_iter().take_while(|&o| o != id).collect()
        });
        // Whoever has a place in the queue lacks something: a start, or replicas.
        let reasons = if w.lane.is_some() { self.reasons(id, now, true) } else { Vec::new() };
        Some(Explanation {
            workload: id,
            ahead,
            partly: self.partly(w),
            reasons,
            waits_for: self.waits_for(w),
            evicted: w.evicted.as_deref().cloned(),
            cleared: w.cleared.as_deref().map_or((Vec::new(), 0), |c| (c.listed.clone(), c.more)),
        })
    }

    /// All that keeps a workload waiting, or from growing, nearest first.
    pub(crate) fn reasons(&self, id: WorkloadId, now: Tick, deep: bool) -> Vec<Reason> {
        let w = self.w(id);
        let spec = &w.spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        let least = self.want(w).least;
        let Some(model) = self.nearest_model(id, rules, least) else { return Vec::new() };
        let growth = !w.state.is_waiting();
        let question = Question { id, now, rules, model, least, growth, deep };
        let mut out =
            Answers { reasons: Vec::with_capacity(8), unblock: Vec::with_capacity(4), is_short: false };
        self.account_reasons(&question, &mut out);
        for cap in self.broken_caps(w, State::pieces(w, least)) {
            out.reasons.push(Reason::Cap(cap));
            out.unblock.push(Unblock::Cap(cap));
        }
        let tried = self.queue_reasons(&question, &mut out) && !self.is_capped(w);
        self.node_reasons(&question, &mut out);
        // Idle units may use what is reserved: they are recalled.
        if !self.reservations.is_empty() && !rules.idle {
            let bars = self.bars(id, rules.firm());
            for r in self.reservations.iter().filter(|r| self.is_kept_from(&question, r, &bars)) {
                out.reasons.push(Reason::Reserved { workload: r.workload });
                out.unblock.push(Unblock::Unreserved(r.workload));
            }
        }
        self.kept_for(id, &mut out);
        if out.is_short {
            self.rule_reasons(&question, tried, &mut out.reasons);
        }
        if deep {
            self.say_never(&question, &mut out);
        }
        out.reasons.extend(out.unblock.into_iter().map(|by| Reason::Unblock { growth, by }));
        out.reasons
    }

    /// Where no change of what is free could help, says so in place of what would come free.
    fn say_never(&self, question: &Question, out: &mut Answers) {
        let w = self.w(question.id);
        let here = self.replicas_in(w, |s| matches!(s, UnitState::Running | UnitState::Held));
        let replicas = if question.growth { here + question.least } else { w.spec.min() };
        let Err(never) = self.run_ever(&w.spec, replicas) else { return };
        out.reasons.push(Reason::Never(never));
        out.unblock.retain(|u| !matches!(u, Unblock::Balance { .. } | Unblock::Slots { .. }));
        out.unblock.push(match never {
            Never::Funded { pool, dimension, need, shares, .. } => {
                Unblock::Shares { pool, dimension, amount: need - shares }
            }
            Never::Placed { replicas, gpu, hosts } => {
                let missing = u64::from(replicas).saturating_sub(hosts);
                Unblock::Nodes { count: u32::try_from(missing).unwrap_or(u32::MAX), gpu }
            }
        });
    }

    /// Whether a reservation keeps balance or devices from a workload that it could use.
    fn is_kept_from(&self, question: &Question, r: &Reservation, bars: &Bars) -> bool {
        let Question { id, rules, .. } = *question;
        if r.workload == id {
            return false;
        }
        let quota = self.w(id).spec.quota;
        let usable = |account| funding::rule_for(&self.tree, quota, rules, account).is_some();
        let yields = r.accounts.iter().any(|a| bars.draws.contains(a));
        yields
            && (r.accounts.iter().any(|a| usable(a.account))
                || self.places(question, bars.on_nodes()) < self.places(question, Barred::Ignore))
    }

    /// What the starvation guard keeps for it.
    fn kept_for(&self, id: WorkloadId, out: &mut Answers) {
        let Some(r) = self.reservations.iter().find(|r| r.workload == id) else { return };
        let pool = self.tree[self.w(id).spec.quota].pool;
        for d in Dimension::all() {
            let kept = r.accounts.iter().filter(|a| a.dimension == d);
            let (filled, need) = kept.fold((0, 0), |sum, a| {
                (sum.0 + a.amount.min(self.ledger.cell(a.account, d).balance().max(0)), sum.1 + a.amount)
            });
            if need > 0 {
                out.reasons.push(Reason::Keeps { pool, dimension: d, filled, need });
            }
        }
    }

    /// The GPU model that it is least short of.
    fn nearest_model(&self, id: WorkloadId, rules: Rules, least: u32) -> Option<Option<ModelId>> {
        let w = self.w(id);
        let piece = State::piece(w);
        let payer = Payer { quota: w.spec.quota, rules, barred: &[] };
        self.models_for(w).into_iter().min_by_key(|&m| {
            let amounts = self.amounts(w.spec.quota, m, &piece);
            let short = |&(d, each): &(Dimension, i64)| {
                let need = each * i64::from(State::pieces(w, least));
                need - funding::available(&self.tree, &self.ledger, &payer, d, None, need).min(need)
            };
            amounts.iter().map(short).sum::<i64>()
        })
    }

    fn account_reasons(&self, question: &Question, out: &mut Answers) {
        let Question { id, rules, model, least, .. } = *question;
        let w = self.w(id);
        let (quota, pool) = (w.spec.quota, self.tree[w.spec.quota].pool);
        let payer = Payer { quota, rules, barred: &[] };
        for (d, each) in self.amounts(quota, model, &State::piece(w)) {
            let need = each * i64::from(State::pieces(w, least));
            let free = funding::available(&self.tree, &self.ledger, &payer, d, None, need);
            if free >= need {
                continue;
            }
            out.reasons.push(Reason::Short { pool, dimension: d, short: need - free, need });
            out.is_short = true;
            let alone = !rules.child && rules.siblings.is_none() && !rules.idle;
            let order =
                if alone { std::slice::from_ref(&quota) } else { &self.tree.tree(quota).order[..] }.iter();
            let mut usable: Vec<(Rule, QuotaId)> = order
                .filter_map(|&a| funding::rule_for(&self.tree, quota, rules, a).map(|r| (r.0, a)))
                .collect();
            usable.sort_by_key(|u| (u.0, self.tree[u.1].order));
            if self.ledger.any_overdrawn() {
                for (dimension, amount) in self.missing_on(usable.iter().map(|u| u.1), d, need) {
                    out.needs_balance(pool, quota, dimension, amount);
                }
            } else {
                out.needs_balance(pool, quota, d, need - free);
            }
            for (rule, account) in usable.into_iter().take(LISTED_ACCOUNTS) {
                let cell = self.ledger.cell(account, d);
                if self.ledger.is_overdrawn(account) {
                    for (dimension, by) in self.overdrafts(account) {
                        let overdrawn = Reason::Overdrawn { pool, quota: account, dimension, by };
                        if !out.reasons.contains(&overdrawn) {
                            out.reasons.push(overdrawn);
                        }
                    }
                } else {
                    out.reasons.push(Reason::Account {
                        pool,
                        quota: account,
                        rule,
                        dimension: d,
                        used: cell.drawn,
                        limit: cell.share,
                        held: cell.held,
                        holders: if cell.held > 0 { self.holders_on(account) } else { Vec::new() },
                        transit: cell.transit,
                    });
                }
            }
        }
    }

    /// What has to come free before these accounts pay so much: those within their shares are asked first, then
    /// the least overdrawn, which give nothing in any dimension until their overdrafts are gone.
    fn missing_on(
        &self,
        accounts: impl Iterator<Item = QuotaId>,
        d: Dimension,
        need: i64,
    ) -> Vec<(Dimension, i64)> {
        let mut missing = Vec::new();
        let over = |a: QuotaId| self.overdrafts(a).map(|o| o.1).sum::<i64>();
        let mut accounts: Vec<(i64, QuotaId)> = accounts.map(|a| (over(a), a)).collect();
        accounts.sort_by_key(|a| a.0);
        let (mut balance, mut shares) = (0, 0);
        for (over, account) in accounts {
            if over > 0 && shares >= need {
                break;
            }
            let cell = self.ledger.cell(account, d);
            (balance, shares) = (balance + cell.balance(), shares + cell.share);
            missing.extend(self.overdrafts(account).filter(|o| o.0 != d));
        }
        missing.extend((balance < need).then_some((d, need - balance)));
        missing
    }

    /// By how much an account is overdrawn, in each dimension that is.
    fn overdrafts(&self, account: QuotaId) -> impl Iterator<Item = (Dimension, i64)> + '_ {
        Dimension::all().map(move |d| (d, self.ledger.cell(account, d).over())).filter(|o| o.1 > 0)
    }

    /// Replicas that the nodes have room for, of those that are needed.
    fn places(&self, question: &Question, barred: Barred<'_>) -> u32 {
        let w = self.w(question.id);
        let nodes = &self.pool_of(w.spec.quota).nodes;
        let asks = w.spec.roles.iter().map(|role| self.ask(question, role, barred));
        asks.map(|ask| nodes.fit(&ask)).sum()
    }

    fn ask<'a>(&'a self, question: &Question, role: &Role, barred: Barred<'a>) -> Ask<'a> {
        let spec = &self.w(question.id).spec;
        Ask {
            models: question.model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m)),
            shape: role.shape,
            count: if spec.by_replica() { question.least } else { role.replicas },
            allowed: spec.nodes.as_deref(),
            barred,
        }
    }

    fn node_reasons(&self, question: &Question, out: &mut Answers) {
        let spec = &self.w(question.id).spec;
        let mut nodes = Cow::Borrowed(&self.pool_of(spec.quota).nodes);
        let roles = by_shape(&spec.roles);
        for (role, rest) in roles.iter().zip((0..roles.len()).rev()) {
            let ask = self.ask(question, role, Barred::Ignore);
            let (need, gpu) = (ask.count, role.shape.gpu);
            let mut slots = Vec::new();
            let fit = if rest > 0 { nodes.place(&ask, &mut slots) } else { nodes.fit(&ask) };
            if fit < need {
                let why = question.deep.then(|| nodes.why_not(&ask));
                out.reasons.push(Reason::Nodes { need, fit, gpu, why });
                out.unblock.push(Unblock::Slots { count: need - fit, gpu });
                out.is_short = true;
            } else if question.deep {
                let bars = self.bars(question.id, question.rules);
                let unreserved = Ask { barred: bars.on_nodes(), ..ask };
                let fit = if unreserved.barred == Barred::Ignore { fit } else { nodes.fit(&unreserved) };
                if fit < need {
                    let why = Some(nodes.why_not(&unreserved));
                    out.reasons.push(Reason::Nodes { need, fit, gpu, why });
                }
            }
            if rest > 0 {
                slots.iter().for_each(|slot| nodes.to_mut().occupy(slot, u32::MAX));
            }
        }
    }

    /// Whether a unit's own policies of tiers 2 or 3 name a workload.
    pub(crate) fn could_evict(&self, u: &Unit, id: WorkloadId) -> bool {
        let policy = &self.tree[u.quota].policy;
        let w = &self.w(id).spec;
        // Who uses idle capacity only has no plans.
        if self.w(u.workload).spec.idle == IdleUse::Only {
            return false;
        }
        let by_self = policy.self_level.is_some_and(|p| {
            let own = u.quota == w.quota && p.reaches_own();
            let sibling = p.reaches_siblings() && self.tree.are_siblings(u.quota, w.quota);
            p.high().contains(u.priority) && p.names(w.priority, w.module) && (own || sibling)
        });
        by_self
            || policy
                .child_level
                .is_some_and(|p| p.names(w.priority, w.module) && self.tree.is_descendant(w.quota, u.quota))
    }
}

/// Roles with equal replicas together, larger ones first: each has what those before it have left.
fn by_shape(roles: &[Role]) -> Vec<Role> {
    let mut all: Vec<Role> = Vec::with_capacity(roles.len());
    for role in roles {
        match all.iter_mut().find(|r| r.shape == role.shape) {
            Some(same) => same.replicas += role.replicas,
            None => all.push(*role),
        }
    }
    all.sort_by_key(|role| Reverse(role.shape));
    all
}
