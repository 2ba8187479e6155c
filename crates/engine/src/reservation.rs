//! Nobody starves: who was passed over for long enough gets a reservation, one per queue.
//!
//! It keeps balance on the accounts that the workload may use by right, and devices on nodes chosen when it is
//! granted: nobody of lower rank starts there, except idle units, which it recalls.

use crate::event::EventKind;
use crate::funding;
use crate::ids::{ModelId, NodeId, QuotaId, Span, WorkloadId};
use crate::nodes::NodeState;
use crate::session::Session;
use crate::state::{State, Timer};
use crate::unit::{Draw, Draws};
use crate::words::{Class, Rule};
use crate::workload::Role;
use std::cmp::Reverse;

/// How long until a reservation that could not be made is tried again, at least.
const RETRY: Span = Span::minutes(1);

impl Session<'_> {
    /// Grants a reservation if somebody in the queue has been passed over for long enough.
    pub(crate) fn guard(&mut self, quota: QuotaId) {
        let Some(q) = self.s.tree.get(quota) else { return };
        let guard = q.policy.queue.starvation_guard;
        let queue = &self.s.queues[quota.index()];
        if queue.reserved_for.is_some() {
            return;
        }
        let now = self.now;
        let due: Vec<WorkloadId> =
            queue.passed.iter().take_while(|(at, _)| at.after(guard) <= now).map(|p| p.1).collect();
        if due.is_empty() {
            if let Some(&(first, _)) = self.s.queues[quota.index()].passed.first() {
                self.s.set_timer(first.after(guard), Timer::Guard(quota));
            }
            return;
        }
        let Some((id, (accounts, nodes))) =
            due.into_iter().find_map(|id| Some((id, self.s.reservation_for(id)?)))
        else {
            // Nothing can be kept for anybody now: look again later.
            self.s.set_timer(now.after(guard.max(RETRY)), Timer::Guard(quota));
            return;
        };
        self.emit(EventKind::Reserved { workload: id, accounts, nodes });
        self.s.wake(quota);
    }

    /// Shares or policies of a tree changed: its reservations are made anew.
    pub(crate) fn renew_reservations(&mut self, quota: QuotaId) {
        let root = self.s.tree[quota].root;
        let quota_of = |s: &State, id: WorkloadId| s.w(id).spec.quota;
        let ids: Vec<WorkloadId> = self.s.reservations.iter().map(|r| r.workload).collect();
        let ids: Vec<WorkloadId> =
            ids.into_iter().filter(|&id| self.s.tree[quota_of(self.s, id)].root == root).collect();
        ids.iter().for_each(|&id| self.end_reservation_of(id));
        ids.iter().for_each(|&id| self.guard(quota_of(self.s, id)));
    }

    pub(crate) fn end_reservation_of(&mut self, id: WorkloadId) {
        if !self.s.reservations.is_empty() && self.s.reservations.iter().any(|r| r.workload == id) {
            self.emit(EventKind::ReservationEnded { workload: id });
        }
    }
}

impl State {
    /// Accounts and nodes to keep for a workload; `None` if it could not run even then.
    fn reservation_for(&self, id: WorkloadId) -> Option<(Draws, Vec<(NodeId, u32)>)> {
        let w = self.w(id);
        let spec = &w.spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        if !rules.own {
            return None;
        }
        let roles: Vec<Role> = match spec.roles.as_slice() {
            [one] => vec![Role { replicas: spec.min(), shape: one.shape }],
            many => many.to_vec(),
        };
        self.models_for(w).into_iter().find_map(|model| {
            let accounts = self.accounts_to_keep(spec.quota, rules.child, model, &roles)?;
            let nodes = self.nodes_to_keep(id, model, &roles)?;
            Some((accounts, nodes))
        })
    }

    fn accounts_to_keep(
        &self,
        quota: QuotaId,
        child: bool,
        model: Option<ModelId>,
        roles: &[Role],
    ) -> Option<Draws> {
        let mut draws = Draws::new();
        for (d, need) in self.amounts(quota, model, roles) {
            let mut left = need;
            let below: &[QuotaId] = if child { self.tree.descendants(quota) } else { &[] };
            for (account, rule) in
                std::iter::once((quota, Rule::Own)).chain(below.iter().map(|&a| (a, Rule::ChildLevel)))
            {
                let cell = self.ledger.cell(account, d);
                let amount = left.min(cell.share - cell.reserved).max(0);
                if amount > 0 {
                    draws.push(Draw { account, dimension: d, rule, class: Class::Firm, amount });
                    left -= amount;
                }
            }
            if left > 0 {
                return None;
            }
        }
        Some(draws)
    }

    /// Nodes that have most free now, as many as the workload needs when they are empty. Looks at every node.
    fn nodes_to_keep(
        &self,
        id: WorkloadId,
        model: Option<ModelId>,
        roles: &[Role],
    ) -> Option<Vec<(NodeId, u32)>> {
        let spec = &self.w(id).spec;
        let nodes = &self.pool_of(spec.quota).nodes;
        let mut kept: Vec<(NodeId, u32)> = Vec::new();
        for role in roles {
            let usable = nodes.iter().filter(|n| {
                n.state == NodeState::Ready
                    && n.barred == 0
                    && !kept.iter().any(|k| k.0 == n.id)
                    && (model.is_none() || n.spec.model == model)
                    && spec.nodes.as_deref().is_none_or(|list| list.binary_search(&n.id).is_ok())
            });
            let mut best: Vec<_> = usable.map(|n| (Reverse(n.free_milli), n.id)).collect();
            best.sort_unstable();
            let mut left = role.replicas;
            for (_, node) in best {
                let hosts = nodes.fits_empty(node, &role.shape).min(left);
                if hosts > 0 {
                    let devices = hosts * role.shape.devices().max(u32::from(role.shape.gpu > 0));
                    kept.push((node, devices));
                    left -= hosts;
                }
                if left == 0 {
                    break;
                }
            }
            if left > 0 {
                return None;
            }
        }
        Some(kept)
    }
}
