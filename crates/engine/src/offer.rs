//! Idle capacity that came free is offered to one queue after the other, in the order of their turns.

use crate::funding::{self, Payer};
use crate::ids::{ModelId, QuotaId, WorkloadId};
use crate::nodes::{Ask, Barred};
use crate::pass::Pass;
use crate::resources::{Dimension, ModelSet};
use crate::session::Session;
use crate::state::{Cramped, State};
use crate::turn::Turn;
use crate::words::IdleUse;
use crate::workload::{Workload, WorkloadState};
use std::collections::BTreeSet;

impl Session<'_> {
    /// Where idle capacity came free, lets the next queue in turn look at it. Others follow while some is left.
    pub(crate) fn wake_idle_waiter(&mut self, pass: &mut Pass) -> bool {
        while let Some(&root) = self.s.agenda.idle_freed.first() {
            let Some((_, quota)) = self.s.next_idle_waiter(root, &pass.offered) else {
                self.s.agenda.idle_freed.pop_first();
                pass.offered.clear();
                continue;
            };
            pass.offered.insert(quota);
            let in_vain = pass.barred.is_empty() && self.is_offered_in_vain(quota);
            // Where everything is checked, the long way has to come to the same.
            if in_vain && !cfg!(debug_assertions) {
                continue;
            }
            self.s.wake(quota);
            if !self.s.agenda.dirty.is_empty() {
                pass.in_vain = in_vain;
                return true;
            }
        }
        false
    }

    /// Before somebody takes idle capacity that came free: lets a queue look at it whose turn may be earlier.
    /// False if there is none.
    pub(crate) fn wake_idle_waiter_before(&mut self, pass: &mut Pass, taker: QuotaId, turn: &Turn) -> bool {
        if self.s.agenda.idle_freed.is_empty() || pass.in_vain {
            return false;
        }
        let root = self.s.tree[taker].root;
        if self.s.w(turn.workload).spec.idle == IdleUse::Never || !self.s.agenda.idle_freed.contains(root) {
            return false;
        }
        while let Some((first, quota)) = self.s.next_idle_waiter(root, &pass.offered)
            && first < *turn
        {
            pass.offered.insert(quota);
            let looks = self.s.agenda.dirty.contains(quota) && !self.s.queues[quota.index()].has_stuck();
            if looks || (pass.barred.is_empty() && self.is_offered_in_vain(quota)) {
                continue;
            }
            self.s.wake(quota);
            return true;
        }
        false
    }

    /// Whether all rounds would leave a queue as it is: nobody in it has room on nodes, and nobody has a plan.
    /// Whoever the accounts would serve is noted as waiting for nodes, as the rounds would do.
    fn is_offered_in_vain(&mut self, quota: QuotaId) -> bool {
        let policy = self.s.tree[quota].policy.queue;
        let queue = &mut self.s.queues[quota.index()];
        let heads = queue.heads();
        let plain = self.s.reservations.is_empty() && self.s.caps.is_empty();
        if !plain || !queue.newly_passed(&policy, self.now).is_empty() {
            return false;
        }
        if heads.iter().any(|&id| self.s.has_room(id) || self.s.has_plan(id)) {
            return false;
        }
        self.s.note_all_cramped(quota);
        true
    }
}

impl State {
    /// Whether the nodes have room for the least that would start, whatever the accounts say.
    fn has_room(&self, id: WorkloadId) -> bool {
        let w = self.w(id);
        let least = State::pieces(w, self.want(w).least);
        self.models_for(w).into_iter().any(|model| self.nodes_have_room(w, model, least))
    }

    /// Whether the nodes have room for so many pieces, each role by itself.
    fn nodes_have_room(&self, w: &Workload, model: Option<ModelId>, pieces: u32) -> bool {
        let nodes = &self.pool_of(w.spec.quota).nodes;
        let models = model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m));
        w.spec.roles.iter().all(|role| {
            let count = if w.spec.by_replica() { pieces } else { role.replicas };
            let allowed = w.spec.nodes.as_deref();
            let ask = Ask { models, shape: role.shape, count, allowed, barred: Barred::Ignore };
            nodes.fit(&ask) >= count
        })
    }

    /// Whether anybody in a queue has room: where the first of a lane has none, the others have none either.
    pub(crate) fn has_room_for_any(&self, quota: QuotaId) -> bool {
        self.queues[quota.index()].firsts().any(|id| self.has_room(id))
    }

    /// Whether the first round would look for draws of others that could move.
    fn could_be_paid_by_moves(&self, id: WorkloadId) -> bool {
        let spec = &self.w(id).spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        rules.own && self.has_foreign(spec.quota, rules.child)
    }

    /// Whether somebody else draws on a quota's account or, with `child`, below it.
    pub(crate) fn has_foreign(&self, quota: QuotaId, child: bool) -> bool {
        let has = |a: QuotaId| !self.foreign[a.index()].is_empty();
        has(quota) || (child && self.tree.descendants(quota).iter().any(|&a| has(a)))
    }

    /// Whether the third round would find a plan, where nothing starts without one.
    fn has_plan(&self, id: WorkloadId) -> bool {
        let w = self.w(id);
        let spec = &w.spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        if !rules.own || (w.state == WorkloadState::Running && !spec.is_service()) {
            return false;
        }
        let (least, most) = self.plan_size(w);
        self.largest_plan(id, rules, least, most).is_some()
    }

    /// Whether the accounts would do in any round.
    fn could_pay(&self, id: WorkloadId) -> bool {
        let w = self.w(id);
        let spec = &w.spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        let payer = Payer { quota: spec.quota, rules, barred: &[] };
        let (least, piece) = (State::pieces(w, self.want(w).least), State::piece(w));
        self.models_for(w)
            .into_iter()
            .any(|model| self.affordable(&payer, &self.amounts(spec.quota, model, &piece), least) >= least)
    }

    /// Nobody in a queue has room: whoever the accounts would serve waits for nodes.
    pub(crate) fn note_all_cramped(&mut self, quota: QuotaId) {
        for id in self.queues[quota.index()].heads() {
            if self.could_pay(id) || self.could_be_paid_by_moves(id) {
                self.note_cramped(id);
            }
        }
    }

    /// Only nodes keep a workload from starting: it is woken when some that might do come free.
    pub(crate) fn note_cramped(&mut self, id: WorkloadId) {
        let spec = &self.w(id).spec;
        let quota = &self.tree[spec.quota];
        let least = |of: fn(&crate::workload::Role) -> u64| spec.roles.iter().map(of).min().unwrap_or(0);
        // Tiers 2 and 3 may clear more of a node than recalls do: nothing there is an obstacle for sure.
        let forced = quota.policy.self_level.is_some() || quota.policy.child_level.is_some();
        let cramped = Cramped {
            gpu: if forced { 0 } else { least(|r| u64::from(r.shape.gpu)) as u32 },
            cpu: if forced { 0 } else { least(|r| u64::from(r.shape.cpu)) },
            memory: if forced { 0 } else { least(|r| r.shape.memory) },
            quota: spec.quota,
        };
        self.agenda.node_blocked.entry(quota.pool).or_default().insert(cramped);
    }

    /// The next queue in turn for which the free balances of a tree might do. Nobody in it has an earlier turn.
    pub(crate) fn next_idle_waiter(
        &self,
        root: QuotaId,
        offered: &BTreeSet<QuotaId>,
    ) -> Option<(Turn, QuotaId)> {
        let models = self.pool_of(root).models.len() as u8;
        let free =
            (0..models).map(|m| self.ledger.idle_free(&self.tree, root, Dimension(m))).max().unwrap_or(0);
        if free <= 0 {
            return None;
        }
        let all =
            self.agenda.idle_waiters.range((root, Turn::FIRST, QuotaId(0))..).take_while(|w| w.0.0 == root);
        // Its own account may add to what is shared.
        let own = |q: QuotaId| {
            (0..models).map(|m| self.ledger.cell(q, Dimension(m)).balance().max(0)).max().unwrap_or(0)
        };
        let might_do = |q: QuotaId, least: i64| least <= free || least <= free + own(q);
        let mut open = all.filter(|((.., q), least)| might_do(*q, **least) && !offered.contains(q));
        open.next().map(|(&(_, turn, quota), _)| (turn, quota))
    }
}
