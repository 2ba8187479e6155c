//! The rules of eviction considered for a workload, and why each group of candidates was exempt.

use super::Question;
use crate::funding::{self, Payer, Rules};
use crate::herd::{Herd, class_tag, module_tag};
use crate::ids::{QuotaId, Tick};
use crate::reason::{Exemption, Reason, RuleOff};
use crate::state::State;
use crate::unit::Unit;
use crate::words::{Class, EvictionRule, Module, ModuleSet, Priority, PrioritySet};

/// Borrowers looked at for an explanation.
const LISTED_BORROWERS: usize = 1_000;

/// A rule of tiers 2 or 3, as a quota's policy states it.
#[derive(Clone, Copy)]
struct Considered {
    rule: EvictionRule,
    quota: QuotaId,
    /// A quota of the herd that the policy does not reach.
    except: Option<QuotaId>,
    now: Tick,
}

#[derive(Clone, Copy, Default)]
struct Group {
    units: u32,
    gpu: i64,
}

impl Group {
    fn add(&mut self, other: Group) {
        *self = Group { units: self.units + other.units, gpu: self.gpu + other.gpu };
    }
}

impl State {
    /// The rules considered, and why each group of candidates was exempt.
    /// `tried`: the queue lets it be tried, so that what the rules offer is known not to do.
    pub(super) fn rule_reasons(&self, question: &Question, tried: bool, out: &mut Vec<Reason>) {
        let w = self.w(question.id);
        let quota = w.spec.quota;
        let off = |rule, why| Reason::RuleOff { rule, quota, why };
        if !question.rules.own {
            out.push(off(EvictionRule::Recall, RuleOff::IdleOnly));
            return;
        }
        if question.growth && !w.spec.is_service() {
            out.push(off(EvictionRule::Recall, RuleOff::Growth));
            return;
        }
        let first = out.len();
        self.recall_reasons(question, out);
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
                let except = (!p.reaches_own()).then_some(quota);
                let rule = Considered { rule: EvictionRule::SelfLevel, quota, except, now: question.now };
                self.herd_reasons(rule, herd, p.low(), p.modules(), out);
            }
        }
        match self.tree[quota].policy.child_level {
            None => out.push(off(EvictionRule::ChildLevel, RuleOff::Off)),
            Some(p) => {
                let herd = self.herds[quota.index()].below.as_ref();
                let rule =
                    Considered { rule: EvictionRule::ChildLevel, quota, except: None, now: question.now };
                self.herd_reasons(rule, herd, p.victims(), p.modules(), out);
            }
        }
        if !tried {
            out[first..].iter_mut().for_each(Reason::untried);
        }
    }

    /// Who borrows what a workload could use, and why taking that back does not help.
    fn recall_reasons(&self, question: &Question, out: &mut Vec<Reason>) {
        let Question { id, rules, .. } = *question;
        let quota = self.w(id).spec.quota;
        // For want of nodes, whatever they draw on.
        let anywhere = !out.iter().any(|r| matches!(r, Reason::Short { .. }));
        let low = &self.low[self.tree[quota].pool.index()];
        let borrowers = &self.herds[quota.index()].borrowers;
        // Whoever pays from its own account alone looks at those who borrow from that one.
        let alone = !anywhere && !rules.child && rules.siblings.is_none();
        let herd = if alone && borrowers.units() as usize <= LISTED_BORROWERS { borrowers } else { low };
        let cells =
            Priority::all().flat_map(|p| [Class::Idle, Class::Loan].map(|c| herd.buckets(p, class_tag(c))));
        let live = cells
            .flatten()
            .flat_map(|b| &b.marks)
            .filter_map(|m| self.units.get(m.unit).filter(|u| u.stamp == m.stamp));
        let class =
            if anywhere && !self.would_pay(question, rules.firm()) { Class::Loan } else { Class::Firm };
        let lent = |u: &Unit, rules: Rules| {
            let draws = u.grant.draws.iter().filter(|d| d.class < Class::Firm);
            draws.map(|d| d.account).any(|a| funding::rule_for(&self.tree, quota, rules, a).is_some())
        };
        let (mut equal, mut back, mut rest) = (Group::default(), Group::default(), Group::default());
        for u in live.filter(|u| anywhere || lent(u, rules.loan())).take(LISTED_BORROWERS) {
            // Firm takes from loan and idle, loan from idle.
            let lower = u.class < class && (anywhere || u.class == Class::Idle || lent(u, rules.firm()));
            let group = match lower {
                false => &mut equal,
                true if self.could_evict(u, id) => &mut back,
                true => &mut rest,
            };
            group.add(Group { units: 1, gpu: u.gpu });
        }
        let rule = EvictionRule::Recall;
        for (why, group) in [(Exemption::SameClass, equal), (Exemption::WouldReturn, back)] {
            if group.units > 0 {
                out.push(Reason::Exempt { rule, quota, why, units: group.units, gpu: group.gpu });
            }
        }
        if rest.units > 0 {
            out.push(Reason::NotEnough { rule, quota, units: rest.units, gpu: rest.gpu });
        } else if equal.units + back.units == 0 {
            let why = if anywhere { RuleOff::NobodyBorrows } else { RuleOff::NoBorrowers };
            out.push(Reason::RuleOff { rule, quota, why });
        }
    }

    /// Whether the accounts that these rules reach have enough for it.
    fn would_pay(&self, question: &Question, rules: Rules) -> bool {
        let w = self.w(question.id);
        let payer = Payer { quota: w.spec.quota, rules, barred: &[] };
        let pieces = State::pieces(w, question.least);
        let amounts = self.amounts(w.spec.quota, question.model, &State::piece(w));
        self.affordable(&payer, &amounts, pieces) >= pieces
    }

    fn herd_reasons(
        &self,
        considered: Considered,
        herd: Option<&Herd>,
        priorities: PrioritySet,
        modules: ModuleSet,
        out: &mut Vec<Reason>,
    ) {
        let Considered { rule, quota, .. } = considered;
        let herd = herd.filter(|h| !h.is_empty());
        let (mut by_module, mut by_priority, mut named) =
            (Group::default(), Group::default(), Group::default());
        for (p, &m) in Priority::all().flat_map(|p| Module::ALL.iter().map(move |m| (p, m))) {
            let found = herd.map_or(Group::default(), |herd| self.count_in(herd, &considered, p, m));
            if !modules.contains(m) {
                by_module.add(found);
            } else if !priorities.contains(p) {
                by_priority.add(found);
            } else {
                named.add(found);
            }
        }
        if by_module.units + by_priority.units + named.units == 0 {
            out.push(Reason::RuleOff { rule, quota, why: RuleOff::NobodyThere(priorities, modules) });
            return;
        }
        let mut exempt = |why, group: Group| {
            if group.units > 0 {
                out.push(Reason::Exempt { rule, quota, why, units: group.units, gpu: group.gpu });
            }
        };
        exempt(Exemption::Module, by_module);
        exempt(Exemption::Priority, by_priority);
        let (mut spared, mut until) = (Group::default(), (Tick(u64::MAX), Tick::ZERO));
        if let Some(herd) = herd.filter(|_| self.protects()) {
            for (p, m) in priorities.iter().flat_map(|p| modules.iter().map(move |m| (p, m))) {
                for u in self.live_in_cell(herd, &considered, p, m) {
                    let end = u.started.after(self.tree[u.quota].policy.protect_for);
                    if end > considered.now {
                        spared.add(Group { units: 1, gpu: u.gpu });
                        until = (until.0.min(end), until.1.max(end));
                    }
                }
            }
        }
        exempt(Exemption::Protected { first: until.0, last: until.1 }, spared);
        let (units, gpu) = (named.units - spared.units, named.gpu - spared.gpu);
        if units > 0 {
            out.push(Reason::NotEnough { rule, quota, units, gpu });
        }
    }

    /// Whether any quota spares what has just started.
    fn protects(&self) -> bool {
        self.tree.trees().iter().any(|t| t.order.iter().any(|&q| self.tree[q].policy.protect_for.0 > 0))
    }

    fn count_in(&self, herd: &Herd, considered: &Considered, p: Priority, m: Module) -> Group {
        let (units, gpu) = herd.count(p, module_tag(m));
        if considered.except.is_none() || units == 0 {
            return Group { units, gpu };
        }
        self.live_in_cell(herd, considered, p, m).fold(Group::default(), |mut sum, u| {
            sum.add(Group { units: 1, gpu: u.gpu });
            sum
        })
    }

    fn live_in_cell<'a>(
        &'a self,
        herd: &'a Herd,
        considered: &Considered,
        p: Priority,
        m: Module,
    ) -> impl Iterator<Item = &'a Unit> {
        let except = considered.except;
        let marks = herd.buckets(p, module_tag(m)).iter().flat_map(|b| &b.marks);
        let live = marks.filter_map(|m| self.units.get(m.unit).filter(|u| u.stamp == m.stamp));
        live.filter(move |u| Some(u.quota) != except)
    }
}
