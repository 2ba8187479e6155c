//! Why something waits, and what would let it start: every blocker, with its figures.

use crate::event::Cause;
use crate::funding::{self, Payer, Rules};
use crate::herd::{Herd, class_tag, module_tag};
use crate::ids::{ModelId, QuotaId, Tick, WorkloadId};
use crate::nodes::{Ask, Barred};
use crate::reason::{Exemption, Reason, RuleOff, Unblock};
use crate::resources::{Dimension, ModelSet};
use crate::state::State;
use crate::unit::Unit;
use crate::words::{Class, EvictionRule, IdleUse, Module, ModuleSet, Priority, PrioritySet, Rule};

/// Accounts listed one by one in an explanation; further ones are in the total.
const LISTED_ACCOUNTS: usize = 8;
/// Borrowers looked at for an explanation.
const LISTED_BORROWERS: usize = 1_000;

/// Why a workload is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub workload: WorkloadId,
    /// Who is ahead in its queue, first in line first; `None` if it does not wait.
    pub ahead: Option<Vec<WorkloadId>>,
    pub reasons: Vec<Reason>,
    /// Its latest eviction.
    pub evicted: Option<(Tick, Cause)>,
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
        let reasons = if waits { self.reasons(id, true) } else { Vec::new() };
        Some(Explanation { workload: id, ahead, reasons, evicted: w.evicted.as_deref().cloned() })
    }

    /// All that keeps a workload waiting, nearest first. With `deep`, nodes are counted by reason.
    pub(crate) fn reasons(&self, id: WorkloadId, deep: bool) -> Vec<Reason> {
        let w = self.w(id);
        let spec = &w.spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        let mut reasons = Vec::new();
        let mut unblock = Vec::new();
        let least = self.want(w).least;
        let Some(model) = self.nearest_model(id, rules, least) else { return reasons };
        self.account_reasons(id, rules, model, least, &mut reasons, &mut unblock);
        self.node_reasons(id, model, least, deep, &mut reasons, &mut unblock);
        self.queue_reasons(id, &mut reasons, &mut unblock);
        reasons.extend(
            self.reservations
                .iter()
                .filter(|r| r.workload != id)
                .filter(|r| self.is_barred_by(id, rules, r.workload))
                .map(|r| Reason::Reserved { workload: r.workload }),
        );
        if let Some(r) = self.reservations.iter().find(|r| r.workload == id) {
            let pool = self.tree[spec.quota].pool;
            for d in Dimension::all() {
                let kept = r.accounts.iter().filter(|a| a.dimension == d);
                let (filled, need) = kept.fold((0, 0), |sum, a| {
                    (sum.0 + a.amount.min(self.ledger.cell(a.account, d).balance().max(0)), sum.1 + a.amount)
                });
                if need > 0 {
                    reasons.push(Reason::Keeps { pool, dimension: d, filled, need });
                }
            }
        }
        if reasons.iter().any(|r| matches!(r, Reason::Short { .. } | Reason::Nodes { .. })) {
            self.rule_reasons(id, rules, &mut reasons);
        }
        reasons.extend(unblock.into_iter().map(Reason::Unblock));
        reasons
    }

    fn is_barred_by(&self, id: WorkloadId, rules: Rules, by: WorkloadId) -> bool {
        let (draws, _) = self.bars(id, rules.firm());
        self.reservations.iter().any(|r| r.workload == by && r.accounts.iter().any(|a| draws.contains(a)))
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

    fn account_reasons(
        &self,
        id: WorkloadId,
        rules: Rules,
        model: Option<ModelId>,
        least: u32,
        out: &mut Vec<Reason>,
        unblock: &mut Vec<Unblock>,
    ) {
        let w = self.w(id);
        let (quota, pool) = (w.spec.quota, self.tree[w.spec.quota].pool);
        let payer = Payer { quota, rules, barred: &[] };
        for (d, each) in self.amounts(quota, model, &State::piece(w)) {
            let need = each * i64::from(State::pieces(w, least));
            let free = funding::available(&self.tree, &self.ledger, &payer, d, None, need);
            if free >= need {
                continue;
            }
            out.push(Reason::Short { pool, dimension: d, short: need - free, need });
            unblock.push(Unblock::Balance { pool, quota, dimension: d, amount: need - free });
            let alone = !rules.child && rules.siblings.is_none() && !rules.idle;
            let order =
                if alone { std::slice::from_ref(&quota) } else { &self.tree.tree(quota).order[..] }.iter();
            let mut usable: Vec<(Rule, QuotaId)> = order
                .filter_map(|&a| funding::rule_for(&self.tree, quota, rules, a).map(|r| (r.0, a)))
                .collect();
            usable.sort_by_key(|u| (u.0, self.tree[u.1].order));
            for (rule, account) in usable.into_iter().take(LISTED_ACCOUNTS) {
                let cell = self.ledger.cell(account, d);
                if cell.over() > 0 {
                    out.push(Reason::Overdrawn { pool, quota: account, dimension: d, by: cell.over() });
                } else {
                    let used = cell.drawn + cell.held + cell.transit;
                    out.push(Reason::Account {
                        pool,
                        quota: account,
                        rule,
                        dimension: d,
                        used,
                        limit: cell.share,
                    });
                }
            }
        }
    }

    fn node_reasons(
        &self,
        id: WorkloadId,
        model: Option<ModelId>,
        least: u32,
        deep: bool,
        out: &mut Vec<Reason>,
        unblock: &mut Vec<Unblock>,
    ) {
        let w = self.w(id);
        let nodes = &self.pool_of(w.spec.quota).nodes;
        let models = model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m));
        for role in &w.spec.roles {
            let need = if w.spec.by_replica() { least } else { role.replicas };
            let ask = Ask {
                models,
                shape: role.shape,
                count: need,
                allowed: w.spec.nodes.as_deref(),
                barred: Barred::Ignore,
            };
            let fit = nodes.place(&ask, &mut Vec::new());
            if fit < need {
                let why = deep.then(|| nodes.why_not(&ask));
                out.push(Reason::Nodes { need, fit, gpu: role.shape.gpu, why });
                unblock.push(Unblock::Slots { count: need - fit, gpu: role.shape.gpu });
            }
        }
    }

    fn queue_reasons(&self, id: WorkloadId, out: &mut Vec<Reason>, unblock: &mut Vec<Unblock>) {
        let w = self.w(id);
        let quota = w.spec.quota;
        let policy = &self.tree[quota].policy.queue;
        if self.queues[quota.index()].allows(policy, self.now, id) {
            return;
        }
        let Some(key) = w.lane else { return };
        let (ahead, first) = self.queues[quota.index()].ahead_of(policy, self.now, key, w.entry());
        if let Some(blocker) = first.filter(|&b| b != id) {
            out.push(Reason::Behind { quota, strategy: policy.strategy, position: ahead + 1, blocker });
            unblock.push(Unblock::Ahead(blocker));
        }
    }

    /// The rules considered, and why each group of candidates was exempt.
    fn rule_reasons(&self, id: WorkloadId, rules: Rules, out: &mut Vec<Reason>) {
        let w = self.w(id);
        let quota = w.spec.quota;
        let off = |rule, why| Reason::RuleOff { rule, quota, why };
        if !rules.own {
            out.push(off(EvictionRule::Recall, RuleOff::IdleOnly));
            return;
        }
        self.recall_reasons(id, rules, out);
        match self.tree[quota].policy.self_level {
            None => out.push(off(EvictionRule::SelfLevel, RuleOff::Off)),
            Some(p) if !p.high().contains(w.spec.priority) => {
                out.push(off(EvictionRule::SelfLevel, RuleOff::NotHigh(p.high())))
            }
            Some(p) => {
                let parent = self.tree[quota].parent;
                let siblings = if p.reaches_siblings() {
                    parent.and_then(|p| self.herds[p.index()].children.as_ref())
                } else {
                    None
                };
                let herd = siblings.or(self.herds[quota.index()].own.as_ref());
                self.herd_reasons(EvictionRule::SelfLevel, quota, herd, p.low(), p.modules(), out);
            }
        }
        match self.tree[quota].policy.child_level {
            None => out.push(off(EvictionRule::ChildLevel, RuleOff::Off)),
            Some(p) => {
                let herd = self.herds[quota.index()].below.as_ref();
                self.herd_reasons(EvictionRule::ChildLevel, quota, herd, p.victims(), p.modules(), out);
            }
        }
    }

    /// Who borrows from the accounts of a workload, and why taking that back does not help.
    fn recall_reasons(&self, id: WorkloadId, rules: Rules, out: &mut Vec<Reason>) {
        let quota = self.w(id).spec.quota;
        let low = &self.low[self.tree[quota].pool.index()];
        let cells =
            Priority::all().flat_map(|p| [Class::Idle, Class::Loan].map(|c| low.buckets(p, class_tag(c))));
        let live = cells
            .flatten()
            .flat_map(|b| &b.marks)
            .filter_map(|m| self.units.get(m.unit).filter(|u| u.stamp == m.stamp));
        let lent = |u: &&Unit| {
            let mut draws = u.grant.draws.iter().filter(|d| d.class < Class::Firm);
            draws.any(|d| funding::rule_for(&self.tree, quota, rules.loan(), d.account).is_some())
        };
        let (mut return_, mut rest) = ((0, 0), (0, 0));
        for u in live.filter(lent).take(LISTED_BORROWERS) {
            let group = if self.could_evict(u, id) { &mut return_ } else { &mut rest };
            *group = (group.0 + 1, group.1 + u.gpu);
        }
        let rule = EvictionRule::Recall;
        if return_.0 > 0 {
            out.push(Reason::Exempt {
                rule,
                quota,
                why: Exemption::WouldReturn,
                units: return_.0,
                gpu: return_.1,
            });
        }
        if rest.0 > 0 {
            out.push(Reason::NotEnough { rule, quota, units: rest.0, gpu: rest.1 });
        } else if return_.0 == 0 {
            out.push(Reason::RuleOff { rule, quota, why: RuleOff::NoBorrowers });
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

    fn herd_reasons(
        &self,
        rule: EvictionRule,
        quota: QuotaId,
        herd: Option<&Herd>,
        priorities: PrioritySet,
        modules: ModuleSet,
        out: &mut Vec<Reason>,
    ) {
        let Some(herd) = herd.filter(|h| !h.is_empty()) else {
            out.push(Reason::RuleOff { rule, quota, why: RuleOff::NobodyThere(priorities, modules) });
            return;
        };
        let (mut by_module, mut by_priority) = ((0, 0), (0, 0));
        for p in Priority::all() {
            for &m in Module::ALL {
                let (units, gpu) = herd.count(p, module_tag(m));
                let group = if !modules.contains(m) {
                    &mut by_module
                } else if !priorities.contains(p) {
                    &mut by_priority
                } else {
                    continue;
                };
                *group = (group.0 + units, group.1 + gpu);
            }
        }
        for (why, (units, gpu)) in [(Exemption::Module, by_module), (Exemption::Priority, by_priority)] {
            if units > 0 {
                out.push(Reason::Exempt { rule, quota, why, units, gpu });
            }
        }
        let (named, gpu) = herd.sum(priorities, modules);
        let protected = self.protected_in(herd, priorities, modules);
        if protected.0 > 0 {
            out.push(Reason::Exempt {
                rule,
                quota,
                why: Exemption::Protected,
                units: protected.0,
                gpu: protected.1,
            });
        }
        if named > protected.0 {
            out.push(Reason::NotEnough { rule, quota, units: named - protected.0, gpu: gpu - protected.1 });
        }
    }

    /// Units of a herd that `protectFor` spares.
    fn protected_in(&self, herd: &Herd, priorities: PrioritySet, modules: ModuleSet) -> (u32, i64) {
        if self.tree.trees().iter().all(|t| t.order.iter().all(|&q| self.tree[q].policy.protect_for.0 == 0)) {
            return (0, 0);
        }
        let cells = priorities.iter().flat_map(|p| modules.iter().map(move |m| (p, m)));
        let marks = cells.flat_map(|(p, m)| herd.buckets(p, module_tag(m))).flat_map(|b| &b.marks);
        let live = marks.filter_map(|m| self.units.get(m.unit).filter(|u| u.stamp == m.stamp));
        live.filter(|u| self.now.since(u.started) < self.tree[u.quota].policy.protect_for)
            .fold((0, 0), |sum, u| (sum.0 + 1, sum.1 + u.gpu))
    }

    /// Whether both books have room for a workload under these rules, as they are.
    pub(crate) fn would_start(&self, id: WorkloadId, rules: Rules) -> bool {
        let w = self.w(id);
        let least = State::pieces(w, self.want(w).least);
        let payer = Payer { quota: w.spec.quota, rules, barred: &[] };
        let piece = State::piece(w);
        let nodes = &self.pool_of(w.spec.quota).nodes;
        self.models_for(w).into_iter().any(|model| {
            let amounts = self.amounts(w.spec.quota, model, &piece);
            let models = model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m));
            self.affordable(&payer, &amounts, least) >= least
                && w.spec.roles.iter().all(|role| {
                    let count = if w.spec.by_replica() { least } else { role.replicas };
                    let ask = Ask {
                        models,
                        shape: role.shape,
                        count,
                        allowed: w.spec.nodes.as_deref(),
                        barred: Barred::Ignore,
                    };
                    nodes.place(&ask, &mut Vec::new()) >= count
                })
        })
    }
}
