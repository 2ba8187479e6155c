//! A pass: whoever can be started is started, round by round, until nothing moves.

use crate::admit::Outcome;
use crate::event::{Event, EventKind};
use crate::funding;
use crate::ids::{QuotaId, WorkloadId};
use crate::queue::LaneKey;
use crate::resources::Dimension;
use crate::session::Session;
use crate::state::State;
use crate::take_back::{Fresh, Ran, WayBack};
use crate::turn::{Ratio, Turn};
use crate::words::{IdleUse, Module};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Round {
    Firm,
    Loan,
    Evict,
    Idle,
}

const ROUNDS: [Round; 4] = [Round::Firm, Round::Loan, Round::Evict, Round::Idle];

/// What a pass remembers of one lane: the rounds in which it was found not to fit, while nothing changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tried {
    epoch: u64,
    rounds: u8,
}

#[derive(Debug, Default)]
pub(crate) struct Pass {
    pub(crate) tried: BTreeMap<(QuotaId, LaneKey), Tried>,
    pub(crate) fresh: Vec<Fresh>,
    /// Who had starts taken back and was no better off: it leaves them alone from then on.
    pub(crate) vain: BTreeSet<WorkloadId>,
    /// Lanes whose starts were taken back, while whoever needs their room looks for its place.
    pub(crate) barred: BTreeMap<(QuotaId, LaneKey), WorkloadId>,
    pub(crate) way_back: WayBack,
    /// Queues that were offered the idle capacity that came free.
    pub(crate) offered: BTreeSet<QuotaId>,
    /// The latest offer is known to change nothing.
    pub(crate) in_vain: bool,
}

impl Session<'_> {
    /// Decides until nothing moves.
    pub(crate) fn settle(&mut self) {
        if !self.s.is_settled() {
            self.settle_from(Pass::default());
        }
    }

    /// The same, where the pass has begun with a start.
    pub(crate) fn settle_after(&mut self, start: Fresh) {
        let mut pass = Pass { fresh: vec![start], ..Pass::default() };
        self.run(&mut pass, false);
        self.close(&mut pass);
        self.settle_from(pass);
    }

    fn settle_from(&mut self, mut pass: Pass) {
        loop {
            self.refund_freed();
            self.settle_overdrafts();
            pass.in_vain = false;
            let offered = self.s.agenda.dirty.is_empty() && self.wake_idle_waiter(&mut pass);
            // Holds that have all start last: until then somebody of higher rank may take them over.
            if !offered && self.s.agenda.dirty.is_empty() && !self.start_complete() {
                break;
            }
            let before = self.events.len();
            self.run(&mut pass, offered);
            self.close(&mut pass);
            let in_vain = offered && pass.in_vain;
            debug_assert!(!in_vain || self.events.len() == before, "what counters refuse the rounds refuse");
        }
        self.merge_growth(&pass);
        self.s.workloads.drop_changes();
    }

    /// A training job that starts and grows in one pass starts once, with its full size; save where a plan was made in
    /// between, on nodes as it had left them.
    fn merge_growth(&mut self, pass: &Pass) {
        for fresh in &pass.fresh {
            let id = fresh.workload;
            if self.s.w(id).spec.module != Module::Training || !self.s.w(id).spec.by_replica() {
                continue;
            }
            let is_start =
                |e: &Event| matches!(&e.kind, EventKind::Started { workload, .. } if *workload == id);
            while let Some(last) = self.events.iter().rposition(is_start)
                && let Some(first) = self.events[..last].iter().rposition(is_start)
            {
                let apart = |e: &Event| e.kind.changes(id) || matches!(e.kind, EventKind::Held { .. });
                if self.events[first + 1..last].iter().any(apart) {
                    break;
                }
                let EventKind::Started { kind, mut grants, .. } = self.events.remove(first).kind else {
                    break;
                };
                if let EventKind::Started { kind: later, grants: more, .. } = &mut self.events[last - 1].kind
                {
                    grants.append(more);
                    (*later, *more) = (kind, grants);
                }
            }
        }
    }

    /// Says which overdrafts are gone.
    fn settle_overdrafts(&mut self) {
        if self.s.overdrawn.is_empty() {
            return;
        }
        let over = |s: &State, q: QuotaId| Dimension::all().any(|d| s.ledger.cell(q, d).over() > 0);
        let gone: Vec<QuotaId> = self.s.overdrawn.iter().copied().filter(|&q| !over(self.s, q)).collect();
        for quota in gone {
            self.emit(EventKind::Settled { quota });
        }
    }

    /// One sweep over the queues in which something may have become possible.
    /// Idle capacity is offered for one start at a time, so that the next one goes to whose turn it is then.
    fn run(&mut self, pass: &mut Pass, offered: bool) {
        'again: loop {
            for round in ROUNDS {
                while let Some((turn, quota, key)) = self.next_turn(pass, round) {
                    if round == Round::Idle && self.wake_idle_waiter_before(pass, quota, &turn) {
                        continue 'again;
                    }
                    if self.attempt(pass, turn.workload, round) {
                        if offered && round == Round::Idle {
                            pass.offered.clear();
                            return;
                        }
                        continue 'again;
                    }
                    let epoch = self.s.queues[quota.index()].epoch();
                    let not_for_it = self.s.rounds_not_for(turn.workload);
                    let tried = pass.tried.entry((quota, key)).or_default();
                    if tried.epoch != epoch {
                        *tried = Tried { epoch, rounds: 0 };
                    }
                    tried.rounds |= 1 << round as u8 | not_for_it;
                }
            }
            if !pass.unbar_all() {
                return;
            }
        }
    }

    /// Who is to be tried next in this round, over all queues with something to try.
    fn next_turn(&mut self, pass: &Pass, round: Round) -> Option<(Turn, QuotaId, LaneKey)> {
        let mut best: Option<(Turn, QuotaId, LaneKey)> = None;
        let s = &mut *self.s;
        for &quota in s.agenda.dirty.iter() {
            let Some(q) = s.tree.get(quota) else { continue };
            let queue = &mut s.queues[quota.index()];
            let epoch = queue.epoch();
            let failed = |key: LaneKey| {
                let tried = pass.tried.get(&(quota, key));
                tried.is_some_and(|t| t.epoch == epoch && t.rounds & (1 << round as u8) != 0)
                    || pass.barred.contains_key(&(quota, key))
            };
            // Who comes later in the same queue had the start taken back: they are as if it had started and gone.
            let aside = |key: LaneKey| {
                let by = pass.barred.get(&(quota, key)).and_then(|by| s.workloads[by.index()].as_deref());
                by.is_some_and(|by| by.spec.quota == quota)
            };
            let next = queue.next(&q.policy.queue, self.now, failed, aside);
            let Some((key, entry)) = next else { continue };
            let used = s.ledger.account(quota).used;
            let turn = Turn {
                depth: q.depth,
                priority: key.priority,
                drawn: Ratio { used, of: q.guarantee.all_gpus() },
                enqueued: entry.enqueued,
                workload: entry.id,
            };
            if best.is_none_or(|(b, ..)| turn < b) {
                best = Some((turn, quota, key));
            }
        }
        best
    }

    fn attempt(&mut self, pass: &mut Pass, id: WorkloadId, round: Round) -> bool {
        let w = self.s.w(id);
        if self.s.is_capped(w) {
            self.step_over(id, round);
            return false;
        }
        let (state, suspended, passed_over) = (w.state, w.suspended, w.passed_over);
        let units = w.units.iter().map(|&unit| &self.s.units[unit]).filter(|u| u.is_running());
        let ran: Ran = units.map(|u| (u.number, u.started, u.saved_at)).collect();
        let spec = &w.spec;
        let rules = funding::allowed(&self.s.tree, spec.quota, spec.module, spec.priority, spec.idle);
        let outcome = match round {
            Round::Firm if rules.own => self.try_firm(id, rules.firm()),
            Round::Loan if rules.siblings.is_some() => self.try_start(id, rules.loan()),
            Round::Idle if rules.idle => self.try_start(id, rules),
            Round::Evict if rules.own => self.try_evict(pass, id, rules),
            _ => Outcome::NotForIt,
        };
        if outcome == Outcome::NoNodes {
            self.s.note_cramped(id);
        }
        if outcome != Outcome::Started {
            return outcome == Outcome::Returned;
        }
        pass.unbar(id);
        let started = self.events.iter().rev().find_map(|e| match &e.kind {
            EventKind::Started { workload, grants, .. } if *workload == id => {
                Some(grants.iter().map(|g| g.unit).collect())
            }
            EventKind::Held { workload, .. } if *workload == id => Some(SmallVec::new()),
            _ => None,
        });
        if let Some(units) = started.filter(|units: &SmallVec<[u32; 2]>| !units.is_empty()) {
            pass.fresh.push(Fresh { workload: id, units, state, suspended, passed_over, ran });
        }
        true
    }

    /// The first round: free balance, then re-funding.
    fn try_firm(&mut self, id: WorkloadId, rules: funding::Rules) -> Outcome {
        let mut outcome = self.try_start(id, rules);
        if outcome != Outcome::NoBalance {
            return outcome;
        }
        let w = self.s.w(id);
        let (quota, least) = (w.spec.quota, State::pieces(w, self.s.want(w).least));
        if !self.s.has_foreign(quota, rules.child) {
            return outcome;
        }
        let piece = State::piece(w);
        for model in self.s.models_for(w) {
            let amounts = self.s.amounts(quota, model, &piece);
            let bars = self.s.bars(id, rules);
            let needed = if self.s.w(id).spec.by_replica() { least } else { self.s.w(id).spec.replicas() };
            if (self.s.place(id, model, least, bars.on_nodes()).len() as u32) < needed {
                // Whatever could be moved: room on nodes comes first.
                outcome = Outcome::NoNodes;
                continue;
            }
            let wanted: Vec<_> = amounts.iter().map(|&(d, each)| (d, each * i64::from(least))).collect();
            if self.make_room(quota, rules.child, &wanted, &bars.draws)
                && self.try_start(id, rules) == Outcome::Started
            {
                return Outcome::Started;
            }
        }
        outcome
    }

    /// Ends a sweep: lanes that fit in no round are stuck until something changes.
    fn close(&mut self, pass: &mut Pass) {
        while let Some(quota) = self.s.agenda.dirty.pop_first() {
            if self.s.tree.get(quota).is_none() {
                continue;
            }
            let policy = self.s.tree[quota].policy.queue;
            self.s.queues[quota.index()].sort();
            let epoch = self.s.queues[quota.index()].epoch();
            let lanes: SmallVec<[LaneKey; 4]> = pass
                .tried
                .range((quota, LaneKey::FIRST)..)
                .take_while(|((q, _), _)| *q == quota)
                .filter(|(_, t)| t.epoch == epoch && t.rounds == 0b1111)
                .map(|((_, key), _)| *key)
                .collect();
            for key in lanes {
                self.s.queues[quota.index()].mark_stuck(key);
            }
            for id in self.s.queues[quota.index()].newly_passed(&policy, self.now) {
                if self.s.w(id).state.is_waiting() && self.s.w(id).passed_over.is_none() {
                    self.emit(EventKind::PassedOver { workload: id });
                }
            }
        }
    }

    /// Starts holds that have all they need.
    fn start_complete(&mut self) -> bool {
        let before = self.events.len();
        while let Some(id) = self.s.agenda.complete.pop_first() {
            let Some(w) = self.s.workload(id) else { continue };
            let ready: Vec<u32> = w.units.iter().copied().filter(|&u| self.s.is_complete(u)).collect();
            let running = self.s.running_replicas(w);
            let enough = running > 0 || ready.len() as u32 >= State::pieces(w, w.spec.min());
            if ready.is_empty() || !enough {
                continue;
            }
            let grants = ready.iter().map(|&u| self.s.units[u].grant.clone()).collect();
            self.start(id, grants);
        }
        self.events.len() > before
    }
}

impl State {
    /// Rounds in which a workload would not be tried, whatever the books say: none of those that look like it.
    fn rounds_not_for(&self, id: WorkloadId) -> u8 {
        let w = self.w(id);
        if self.is_capped(w) {
            return 0;
        }
        let spec = &w.spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        let unless = |is: bool, round: Round| u8::from(!is) << round as u8;
        unless(rules.own, Round::Firm)
            | unless(rules.siblings.is_some(), Round::Loan)
            | unless(rules.own, Round::Evict)
            | unless(spec.idle != IdleUse::Never, Round::Idle)
    }

    pub(crate) fn is_complete(&self, unit: u32) -> bool {
        let u = &self.units[unit];
        u.state == crate::unit::UnitState::Held && u.pending.is_none()
    }
}
